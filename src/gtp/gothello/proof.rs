//! Commands that tell what is proven of the position. They go on until it is,
//! or until they are interrupted; then they tell what is proven so far.

use std::cmp::Ordering;
use std::fmt;
use std::sync::atomic::AtomicBool;

use itertools::Itertools;

use super::Gothello;
use super::drawing::{self, Stage};
use crate::gothello::{Color, Game, Move, Next, Outcome, Position, Status};
use crate::gtp::chosen::NOT_CHOSEN;
use crate::gtp::live::Live;
use crate::gtp::response::Response;
use crate::gtp::session::Session;
use crate::player::{Analyst, Choice, Inquiry, best_of, value_of};
use crate::solver::{Control, Objective, OutcomeRange, unconditionally_alive};

/// The value of every legal move, as labels and colours.
pub(super) fn values(session: &Session<Gothello>, out: &mut Response<'_>) {
    let position = match undecided(&session.played.game) {
        Ok(position) => position,
        Err(over) => return out.text(format_args!("TEXT {over}")),
    };
    let to_move = position.to_move();
    let draw = |moves: &[_], stage| {
        let best = best_of(value_of(moves), moves);
        drawing::values(to_move, moves, &best, stage)
    };
    let screen = Screen::of(session);
    let inquiry = Inquiry {
        stop: &session.stop,
        watch: &|moves| screen.show(|| draw(moves, Stage::Running)),
    };
    session.live.begin();
    let moves = session.played.analyst.moves(position, &inquiry);
    let is_known = moves.iter().all(|judged| judged.bounds.value().is_some());
    let stage = Stage::ended(is_known);
    out.words(&draw(&moves, stage));
}

/// The best moves, as colours.
pub(super) fn best_moves(session: &Session<Gothello>, out: &mut Response<'_>) {
    let position = match undecided(&session.played.game) {
        Ok(position) => position,
        Err(over) => return out.text(format_args!("TEXT {over}")),
    };
    let to_move = position.to_move();
    // Asked first because it shows how far it is; the answer is remembered.
    let value = ask(session, position, Objective::Value).bounds_for(to_move);
    let draw = |moves: &[_]| drawing::best_moves(to_move, &best_of(value, moves), Stage::Running);
    let screen = Screen::of(session);
    let inquiry = Inquiry {
        stop: &session.stop,
        watch: &|moves| screen.show(|| draw(moves)),
    };
    let best = session.played.analyst.best_moves(position, &inquiry);
    let stage = Stage::ended(best.complete);
    out.words(&drawing::best_moves(to_move, &best, stage));
}

/// How the game ends if both players play their best: moves with the players
/// who make them, as far as they are proven.
pub(super) fn variation(session: &Session<Gothello>, out: &mut Response<'_>) {
    let Some(position) = session.played.game.position() else {
        return;
    };
    ask(session, position, Objective::Value);
    let inquiry = Inquiry {
        stop: &session.stop,
        watch: &|_| (),
    };
    let variation = session.played.analyst.variation(position, &inquiry);
    for (color, mv) in variation.moves {
        out.text(format_args!("{} ", color.letter()));
        out.mv(mv);
        out.words(" ");
    }
    // GoGui takes no notice of words that are no moves, but shows them.
    out.words(if variation.complete { "" } else { "(stopped)" });
}

/// Who wins if both players play their best.
pub(super) fn winner(session: &Session<Gothello>, out: &mut Response<'_>) {
    let position = match undecided(&session.played.game) {
        Ok(position) => position,
        Err(over) => return out.words(&over),
    };
    let black = ask(session, position, Objective::Winner);
    match black.sign() {
        Some(Ordering::Greater) => out.words("Black wins"),
        Some(Ordering::Less) => out.words("White wins"),
        Some(Ordering::Equal) => out.words("drawn"),
        None => out.text(format_args!("{}", Stopped(black))),
    }
}

/// The value of the position, as a score.
pub(super) fn value(session: &Session<Gothello>, out: &mut Response<'_>) {
    let Some(position) = session.played.game.position() else {
        return out.text(format_args!(
            "{}",
            Outcome::from_scores(session.played.game.count())
        ));
    };
    let black = ask(session, position, Objective::Value);
    match black.outcome() {
        Some(_) => out.text(format_args!("{black}")),
        None => out.text(format_args!("{}", Stopped(black))),
    }
}

/// The value of a pass, and how much less that is than the position's.
pub(super) fn pass_value(session: &Session<Gothello>, out: &mut Response<'_>) {
    let position = match undecided(&session.played.game) {
        Ok(position) => position,
        Err(over) => return out.words(&over),
    };
    let to_move = position.to_move();
    let passed = match position.pass() {
        Next::Ends(outcome) => OutcomeRange::exactly(outcome),
        Next::Continues(child) => ask(session, &child, Objective::Value),
    };
    let best = ask(session, position, Objective::Value);
    match (passed.outcome(), best.outcome()) {
        (Some(value), Some(most)) if value == most => {
            out.text(format_args!("{passed}, as good as any move"));
        }
        (Some(value), Some(most)) => {
            let lost = value.lead_of(to_move).abs_diff(most.lead_of(to_move));
            let points = if lost == 1 { "point" } else { "points" };
            out.text(format_args!("{passed}, {lost} {points} less than {best}"));
        }
        (Some(_), None) => out.text(format_args!("{passed}; the best move: {}", Stopped(best))),
        (None, _) => out.text(format_args!("{}", Stopped(passed))),
    }
}

/// The stones that can never be captured if their owner leaves them their eyes,
/// and the points where the other player can then never place a stone.
pub(super) fn safety(game: &Game, out: &mut Response<'_>) {
    let position = game.board();
    let empty = position.empty();
    let [black, white] = Color::ALL.map(|color| {
        let safe = unconditionally_alive(position.stones_of(color), empty);
        // A stone there would have no liberty: all around is safe.
        let closed = empty.without((!safe).neighbours());
        (safe, closed)
    });
    out.words(&drawing::safety(black, white));
}

/// What the player thought of the last move, if it chose it.
pub(super) fn last_choice(game: &Game, last: Option<(Color, Choice)>, out: &mut Response<'_>) {
    let Some((color, choice)) = last else {
        return out.words(NOT_CHOSEN);
    };
    let black = match color {
        Color::Black => choice.margin,
        Color::White => -choice.margin,
    };
    out.text(format_args!("{color} "));
    out.mv(choice.mv);
    match game.status() {
        // A proven margin is a whole number.
        _ if choice.proven => {
            let outcome = Outcome::from_lead(Color::Black, black as i8);
            out.text(format_args!(": {outcome}, proven"));
        }
        // What the move is worth is known, not that it is the best.
        Status::Over(outcome) => out.text(format_args!(
            ": {outcome}, which ends the game; not proven to be the best move"
        )),
        Status::Undecided => out.text(format_args!(": {}, not proven", About(black))),
    }
}

/// An estimate of Black's stones less White's.
struct About(f32);

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = format!("{:.1}", self.0.abs());
        match self.0 {
            _ if rounded == "0.0" => f.write_str("about 0"),
            ..0.0 => write!(f, "about W+{rounded}"),
            _ => write!(f, "about B+{rounded}"),
        }
    }
}

/// What is proven of a position; shows how far it is.
fn ask(session: &Session<Gothello>, position: &Position, objective: Objective) -> OutcomeRange {
    session.live.begin();
    let (to_move, screen) = (position.to_move(), Screen::of(session));
    let proven = session.played.analyst.value(
        position,
        objective,
        &Control {
            on_progress: &|progress| {
                let black = progress.bounds.seen_by(to_move);
                screen.show(|| format!("TEXT {black} so far"));
            },
            ..Control::until(&session.stop)
        },
    );
    proven.seen_by(to_move)
}

/// Where is shown how far a search is.
struct Screen<'a> {
    live: &'a Live,
    stop: &'a AtomicBool,
    analyst: &'a dyn Analyst,
}

impl<'a> Screen<'a> {
    fn of(session: &'a Session<Gothello>) -> Screen<'a> {
        Screen {
            live: &session.live,
            stop: &session.stop,
            analyst: &*session.played.analyst,
        }
    }

    fn show(&self, gfx: impl FnOnce() -> String) {
        self.live.show(self.stop, || self.analyst.positions(), gfx);
    }
}

/// The position of a game that goes on, or how the game ended.
fn undecided(game: &Game) -> Result<&Position, String> {
    game.position()
        .ok_or_else(|| match Outcome::from_scores(game.count()) {
            Outcome::Drawn => "the game is over: drawn".to_owned(),
            outcome => format!("the game is over: {outcome}"),
        })
}

/// What was proven before it was stopped.
struct Stopped(OutcomeRange);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped: {} so far", self.0)
    }
}

/// Moves in a sentence.
pub(super) fn listed(moves: &[Move]) -> String {
    let name = |mv: &Move| match mv {
        Move::Place(point) => point.to_string().to_uppercase(),
        Move::Pass => "a pass".to_owned(),
    };
    moves.iter().map(name).join(", ")
}
