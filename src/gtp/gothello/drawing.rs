//! Proofs as GoGui's gfx lines.

use std::cmp::Ordering;

use itertools::Itertools;

use super::proof::listed;
use crate::gothello::{Color, Move, Point, PointSet};
use crate::player::BestMoves;
use crate::solver::{Bounds, MoveBounds};

/// How far the search is whose result is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Running,
    Stopped,
    Done,
}

impl Stage {
    /// The stage of a search that has come to its end or else was stopped.
    pub(super) fn ended(is_done: bool) -> Stage {
        if is_done { Stage::Done } else { Stage::Stopped }
    }

    /// What a line of text begins with.
    fn prefix(self) -> &'static str {
        match self {
            Stage::Running | Stage::Done => "",
            Stage::Stopped => "stopped: ",
        }
    }
}

/// Who wins after a move, for its colour: green if the player who makes it
/// does, yellow if nobody, red if the other; strong if it is a best move.
const COLORS: [(Ordering, &str, &str); 3] = [
    (Ordering::Greater, "#30b040", "#b0e0b0"),
    (Ordering::Equal, "#f0c020", "#f8eca8"),
    (Ordering::Less, "#e04830", "#f4b8a8"),
];

/// The values of moves: each has its colour and, as a label, what the player to
/// move gets.
pub(super) fn values(
    to_move: Color,
    moves: &[MoveBounds],
    best: &BestMoves,
    stage: Stage,
) -> String {
    let mut gfx = String::new();
    for (sign, strong, pale) in COLORS {
        for (color, is_best) in [(strong, true), (pale, false)] {
            let of_color = moves.iter().filter(|judged| {
                judged.bounds.sign() == Some(sign) && best.moves.contains(&judged.mv) == is_best
            });
            let points = of_color.filter_map(|judged| judged.mv.point());
            draw(&mut gfx, &format!("COLOR {color}"), points.collect());
        }
    }
    let placed = moves
        .iter()
        .filter_map(|judged| Some((judged.mv.point()?, judged.bounds)));
    let labels = placed.map(|(point, bounds)| format!("{} {}", upper(point), label(bounds)));
    let labels = labels.collect_vec();
    if !labels.is_empty() {
        line(&mut gfx, &format!("LABEL {}", labels.iter().format(" ")));
    }
    let known = moves
        .iter()
        .filter(|judged| judged.bounds.value().is_some());
    let (known, all) = (known.count(), moves.len());
    let mut text = summary(to_move, best, stage);
    if known < all {
        text += &format!("; {known} of {all} moves known");
    }
    let pass = moves.iter().find(|judged| judged.mv == Move::Pass);
    if let Some(pass) = pass.filter(|_| !best.moves.contains(&Move::Pass)) {
        text += &format!("; a pass {}", pass.bounds.seen_by(to_move));
    }
    line(&mut gfx, &text);
    gfx
}

/// The best moves, coloured by who wins.
pub(super) fn best_moves(to_move: Color, best: &BestMoves, stage: Stage) -> String {
    let mut gfx = String::new();
    let sign = best.value.sign();
    let colors = COLORS.into_iter().find(|&(of, _, _)| Some(of) == sign);
    if let Some((_, strong, _)) = colors {
        let points = best.moves.iter().filter_map(|mv| mv.point());
        draw(&mut gfx, &format!("COLOR {strong}"), points.collect());
    }
    line(&mut gfx, &summary(to_move, best, stage));
    gfx
}

/// What is known of the value and the best moves, in a line of text.
fn summary(to_move: Color, best: &BestMoves, stage: Stage) -> String {
    let prefix = stage.prefix();
    let value = best.value.seen_by(to_move);
    let mut text = format!("TEXT {prefix}{to_move} to move, {value}");
    if !best.moves.is_empty() {
        text += &format!(" with {}", listed(&best.moves));
    }
    if stage == Stage::Stopped && !best.complete {
        text += " so far";
    }
    text
}

/// Safe stones in green, and who owns the points where the other can never
/// place a stone.
pub(super) fn safety(
    (black, only_black): (PointSet, PointSet),
    (white, only_white): (PointSet, PointSet),
) -> String {
    let mut gfx = String::new();
    draw(&mut gfx, "COLOR #40c040", black | white);
    draw(&mut gfx, "BLACK", only_black);
    draw(&mut gfx, "WHITE", only_white);
    let (black, only_black) = (black.len(), only_black.len());
    let (white, only_white) = (white.len(), only_white.len());
    let text = format!(
        "TEXT safe stones: Black {black}, White {white}; \
         points that the other can never take: Black {only_black}, White {only_white}"
    );
    line(&mut gfx, &text);
    gfx
}

/// A label of a few characters: all that fits on a point.
fn label(bounds: Bounds) -> String {
    match (bounds.value(), bounds.sign()) {
        (Some(0), _) => "0".to_owned(),
        (Some(value), _) => format!("{value:+}"),
        (None, Some(Ordering::Greater)) => format!(">={}", bounds.low),
        (None, Some(Ordering::Less)) => format!("<={}", bounds.high),
        (None, _) => "?".to_owned(),
    }
}

/// A line with points, if there are any.
fn draw(gfx: &mut String, what: &str, points: PointSet) {
    if !points.is_empty() {
        let points = points.iter().map(upper).format(" ");
        line(gfx, &format!("{what} {points}"));
    }
}

fn line(gfx: &mut String, text: &str) {
    if !gfx.is_empty() {
        gfx.push('\n');
    }
    gfx.push_str(text);
}

/// A point as GTP writes it.
fn upper(point: Point) -> String {
    point.to_string().to_uppercase()
}
