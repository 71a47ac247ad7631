//! The analyze commands: proven results about the position, with graphics for GoGui. Searches run
//! until the result is proven or they are interrupted, and write what has been proven so far.

use std::cmp::Ordering;

use itertools::Itertools;

use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::games::gothello::{Game, Move, Next, Outcome, Point, PointSet, Position};
use crate::gtp::server::game::{GtpGame, SearchContext};
use crate::gtp::server::response::Response;
use crate::player::{AnalysisControl, Analyzer, BestMoves, best_of, value_of};
use crate::solving::solver::{
    Bounds, Control, MoveBounds, Objective, OutcomeRange, unconditionally_alive,
};

/// A search that only Gothello has. The names are those of the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the commands")]
pub enum GothelloSearchCommand {
    Values,
    BestMoves,
    Variation,
    Winner,
    Value,
    PassValue,
}

/// Executes a search.
pub fn search(
    game: &Game,
    analyzer: &dyn Analyzer,
    command: GothelloSearchCommand,
    context: &SearchContext<'_>,
    out: &mut Response<'_>,
) {
    let position = match position(game) {
        Ok(position) => position,
        Err(outcome) => return write_ended(outcome, command, out),
    };
    let search = Search {
        analyzer,
        context,
        position,
    };
    match command {
        GothelloSearchCommand::Values => search.draw_values(out),
        GothelloSearchCommand::BestMoves => search.draw_best_moves(out),
        GothelloSearchCommand::Variation => search.write_variation(out),
        GothelloSearchCommand::Winner => search.write_winner(out),
        GothelloSearchCommand::Value => search.write_value(out),
        GothelloSearchCommand::PassValue => search.write_pass_value(out),
    }
}

/// Returns the position, or how the game ended.
fn position(game: &Game) -> Result<&Position, Outcome> {
    game.position()
        .ok_or_else(|| Outcome::from_scores(game.count()))
}

/// Writes the response to a command after the end of the game.
fn write_ended(outcome: Outcome, command: GothelloSearchCommand, out: &mut Response<'_>) {
    let prefix = match command {
        GothelloSearchCommand::Variation => return,
        GothelloSearchCommand::Value => return out.text(format_args!("{outcome}")),
        GothelloSearchCommand::Values | GothelloSearchCommand::BestMoves => "TEXT ",
        GothelloSearchCommand::Winner | GothelloSearchCommand::PassValue => "",
    };
    match outcome {
        Outcome::Drawn => out.text(format_args!("{prefix}the game is over: drawn")),
        outcome => out.text(format_args!("{prefix}the game is over: {outcome}")),
    }
}

/// A search of a position, whose progress GoGui shows.
#[derive(Clone, Copy)]
struct Search<'a> {
    analyzer: &'a dyn Analyzer,
    context: &'a SearchContext<'a>,
    position: &'a Position,
}

impl Search<'_> {
    /// Draws the value of every legal move, as labels and colors.
    fn draw_values(self, out: &mut Response<'_>) {
        let to_move = self.position.to_move();
        let draw = |moves: &[_], stage| {
            let best = best_of(value_of(moves), moves);
            draw_values(to_move, moves, &best, stage)
        };
        let control = AnalysisControl {
            stop: self.context.stop,
            on_progress: &|moves| self.show_progress(|| draw(moves, Stage::Running)),
        };
        self.context.live.begin();
        let moves = self.analyzer.moves(self.position, &control);
        let is_known = moves.iter().all(|mv| mv.bounds.value().is_some());
        out.push_str(&draw(&moves, Stage::ended(is_known)));
    }

    /// Draws the best moves.
    fn draw_best_moves(self, out: &mut Response<'_>) {
        let to_move = self.position.to_move();
        // The value is searched first, because this shows its progress; the analyzer
        // remembers it.
        let value = self.prove(Objective::Value).bounds_for(to_move);
        let draw = |moves: &[_]| draw_best_moves(to_move, &best_of(value, moves), Stage::Running);
        let control = AnalysisControl {
            stop: self.context.stop,
            on_progress: &|moves| self.show_progress(|| draw(moves)),
        };
        let best = self.analyzer.best_moves(self.position, &control);
        let stage = Stage::ended(best.complete);
        out.push_str(&draw_best_moves(to_move, &best, stage));
    }

    /// Writes best play by both players to the end of the game, as far as it is proven.
    fn write_variation(self, out: &mut Response<'_>) {
        self.prove(Objective::Value);
        let control = AnalysisControl::until(self.context.stop);
        let line = self.analyzer.principal_variation(self.position, &control);
        let mut color = self.position.to_move();
        for mv in line.moves {
            out.text(format_args!("{} ", color.letter()));
            Game::write_vertex(mv, out);
            out.push_str(" ");
            color = color.opponent();
        }
        // GoGui ignores words that are not moves, but shows them.
        out.push_str(if line.outcome.is_some() {
            ""
        } else {
            "(stopped)"
        });
    }

    /// Writes who wins under best play by both players.
    fn write_winner(self, out: &mut Response<'_>) {
        let proven = self.prove(Objective::Winner);
        match proven.sign() {
            Some(Ordering::Greater) => out.push_str("Black wins"),
            Some(Ordering::Less) => out.push_str("White wins"),
            Some(Ordering::Equal) => out.push_str("drawn"),
            None => out.push_str(&stopped(proven)),
        }
    }

    /// Writes the value of the position, as a score.
    fn write_value(self, out: &mut Response<'_>) {
        let proven = self.prove(Objective::Value);
        match proven.outcome() {
            Some(_) => out.text(format_args!("{proven}")),
            None => out.push_str(&stopped(proven)),
        }
    }

    /// Writes the value of a pass, and its difference from the position's.
    fn write_pass_value(self, out: &mut Response<'_>) {
        let to_move = self.position.to_move();
        let passed = match self.position.pass() {
            Next::Ends(outcome) => OutcomeRange::exactly(outcome),
            Next::Continues(child) => {
                let child = Search {
                    position: &child,
                    ..self
                };
                child.prove(Objective::Value)
            }
        };
        let best = self.prove(Objective::Value);
        match (passed.outcome(), best.outcome()) {
            (Some(value), Some(most)) if value == most => {
                out.text(format_args!("{passed}, as good as any move"));
            }
            (Some(value), Some(most)) => {
                let lost = value.lead_of(to_move).abs_diff(most.lead_of(to_move));
                let lost = counted(lost, "point");
                out.text(format_args!("{passed}, {lost} less than {best}"));
            }
            (Some(_), None) => out.text(format_args!("{passed}; the best move: {}", stopped(best))),
            (None, _) => out.push_str(&stopped(passed)),
        }
    }

    /// Returns the proven bounds of the position; shows the progress.
    fn prove(self, objective: Objective) -> OutcomeRange {
        self.context.live.begin();
        let to_move = self.position.to_move();
        let proven = self.analyzer.value(
            self.position,
            objective,
            &Control {
                on_progress: &|progress| {
                    let proven = progress.bounds.seen_by(to_move);
                    self.show_progress(|| format!("TEXT {proven} so far"));
                },
                ..Control::until(self.context.stop)
            },
        );
        proven.seen_by(to_move)
    }

    fn show_progress(self, graphics: impl FnOnce() -> String) {
        let SearchContext { live, stop, .. } = *self.context;
        live.show(stop, graphics);
    }
}

/// Describes the bounds proven before a search was interrupted.
fn stopped(bounds: OutcomeRange) -> String {
    format!("stopped: {bounds} so far")
}

/// The stage of the search whose result is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Running,
    Stopped,
    Done,
}

impl Stage {
    /// Returns the stage of a search that has ended or was interrupted.
    fn ended(is_done: bool) -> Stage {
        if is_done { Stage::Done } else { Stage::Stopped }
    }

    /// Returns the beginning of a line of text.
    fn prefix(self) -> &'static str {
        match self {
            Stage::Running | Stage::Done => "",
            Stage::Stopped => "stopped: ",
        }
    }
}

/// The color of a move: green if the player who makes it wins, yellow if the game is
/// drawn, red if the player loses; strong if it is a best move, else pale.
const COLORS: [(Ordering, &str, &str); 3] = [
    (Ordering::Greater, "#30b040", "#b0e0b0"),
    (Ordering::Equal, "#f0c020", "#f8eca8"),
    (Ordering::Less, "#e04830", "#f4b8a8"),
];

/// Draws the values of moves: each has a color and, as a label, the lead of the player
/// to move at the end.
fn draw_values(to_move: Color, moves: &[MoveBounds], best: &BestMoves, stage: Stage) -> String {
    let mut gfx = String::new();
    for (sign, strong, pale) in COLORS {
        for (color, is_best) in [(strong, true), (pale, false)] {
            let of_color = moves.iter().filter(|entry| {
                entry.bounds.sign() == Some(sign) && best.moves.contains(&entry.mv) == is_best
            });
            let points = of_color.filter_map(|entry| entry.mv.point());
            push_points(&mut gfx, &format!("COLOR {color}"), points.collect());
        }
    }
    let placed = moves
        .iter()
        .filter_map(|entry| Some((entry.mv.point()?, entry.bounds)));
    let labels = placed.map(|(point, bounds)| format!("{} {}", upper(point), label(bounds)));
    let labels = labels.collect_vec();
    if !labels.is_empty() {
        push_line(&mut gfx, &format!("LABEL {}", labels.iter().format(" ")));
    }
    let known = moves.iter().filter(|entry| entry.bounds.value().is_some());
    let (known, all) = (known.count(), moves.len());
    let mut text = summary(to_move, best, stage);
    if known < all {
        text += &format!("; {known} of {all} moves known");
    } else {
        text += &format!(" with {}", move_list(&best.moves));
    }
    let pass = moves.iter().find(|entry| entry.mv == Move::Pass);
    if let Some(pass) = pass.filter(|_| !best.moves.contains(&Move::Pass)) {
        text += &format!("; a pass {}", pass.bounds.seen_by(to_move));
    }
    push_line(&mut gfx, &text);
    gfx
}

/// Draws the best moves in the color of the winner.
fn draw_best_moves(to_move: Color, best: &BestMoves, stage: Stage) -> String {
    let mut gfx = String::new();
    let sign = best.value.sign();
    let colors = COLORS.into_iter().find(|&(of, _, _)| Some(of) == sign);
    if let Some((_, strong, _)) = colors {
        let points = best.moves.iter().filter_map(|mv| mv.point());
        push_points(&mut gfx, &format!("COLOR {strong}"), points.collect());
    }
    let mut text = summary(to_move, best, stage);
    if !best.moves.is_empty() {
        text += &format!(" with {}", move_list(&best.moves));
    }
    if stage != Stage::Done {
        text += " so far";
    }
    push_line(&mut gfx, &text);
    gfx
}

/// Returns the beginning of a line of text, with the known bounds of the value. GoGui shows about
/// 70 characters.
fn summary(to_move: Color, best: &BestMoves, stage: Stage) -> String {
    let (prefix, value) = (stage.prefix(), best.value.seen_by(to_move));
    format!("TEXT {prefix}{value}")
}

/// Returns a label of at most four characters, which fits on a point of a small board. They are
/// ASCII: on Java 17 and older, GoGui reads other characters in the system's encoding.
fn label(bounds: Bounds) -> String {
    match (bounds.value(), bounds.sign()) {
        (Some(0), _) => "0".to_owned(),
        (Some(value), _) => format!("{value:+}"),
        (None, Some(Ordering::Greater)) => format!(">{}", bounds.low - 1),
        (None, Some(Ordering::Less)) => format!("<{}", bounds.high + 1),
        (None, _) => "?".to_owned(),
    }
}

/// Appends a line with points, if there are any.
fn push_points(gfx: &mut String, what: &str, points: PointSet) {
    if !points.is_empty() {
        let points = points.iter().map(upper).format(" ");
        push_line(gfx, &format!("{what} {points}"));
    }
}

/// Appends a line.
fn push_line(gfx: &mut String, text: &str) {
    if !gfx.is_empty() {
        gfx.push('\n');
    }
    gfx.push_str(text);
}

/// Returns a point as GTP writes it.
pub fn upper(point: Point) -> String {
    point.to_string().to_uppercase()
}

/// The maximum number of moves in a sentence.
const MAX_LISTED: usize = 5;

/// Returns moves in a sentence. A long list is shortened to the pass, which has no point on the board,
/// and the first placements.
fn move_list(moves: &[Move]) -> String {
    let listed = match moves.len() {
        all @ ..=MAX_LISTED => all,
        _ => MAX_LISTED - 1,
    };
    let pass = moves.contains(&Move::Pass).then(|| "a pass".to_owned());
    let points = moves.iter().filter_map(|mv| mv.point()).map(upper);
    let names = pass.into_iter().chain(points).take(listed).join(", ");
    match moves.len().saturating_sub(listed) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// Draws the stones that can never be captured if their owner leaves them their eyes,
/// and the points where the other player can then never place a stone.
pub fn draw_safety(game: &Game, out: &mut Response<'_>) {
    let board = game.board();
    let empty = board.empty();
    let safe = ByColor::from_fn(|color| unconditionally_alive(board.stones_of(color), empty));
    // A stone there would have no liberty: all neighbors are safe.
    let closed = safe.map(|safe| empty.without((!safe).neighbors()));
    let mut gfx = String::new();
    push_points(&mut gfx, "COLOR #40c040", safe.black | safe.white);
    push_points(&mut gfx, "BLACK", closed.black);
    push_points(&mut gfx, "WHITE", closed.white);
    let (safe, closed) = (safe.map(PointSet::len), closed.map(PointSet::len));
    let text = format!(
        "TEXT safe stones B {} and W {}, points B {} and W {}",
        safe.black, safe.white, closed.black, closed.white
    );
    push_line(&mut gfx, &text);
    out.push_str(&gfx);
}
