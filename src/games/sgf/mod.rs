//! Game records in the Smart Game Format (SGF), which GoGui and most Go programs
//! read (<https://www.red-bean.com/sgf/>, version FF\[4\]).
//!
//! A [`Record`] is what a file has, whatever it means; nothing is lost when it is written again. A
//! [`GameTree`] is the game of Gothello in a record, with its variations; [`write()`] and [`read()`] are for
//! a game without. [`Writer`] writes the records of any game on a board of points.
//!
//! What is not legal is left out of a game, and a [`LeftOut`] tells where it is and why.
//!
//! Gothello has no game number of its own in SGF. Its records are written as Go (`GM[1]`) on a
//! board of five (`SZ[5]`) under the rules `RU[Gothello]`: programs then show the board and the
//! moves, and only one that knows Gothello captures as in Gothello.
//!
//! ```
//! use gothello::{Color, Game};
//! use gothello::sgf;
//!
//! let mut game = Game::new();
//! game.play(Color::Black, "c3".parse()?)?;
//! let record = sgf::write(&game);
//! assert!(record.ends_with(";B[cc])"));
//! assert_eq!(sgf::read(&record, usize::MAX)?, game);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotate;
#[cfg(feature = "encoding")]
mod encoding;
mod fault;
mod read;
mod record;
mod tree;
mod writer;
#[cfg(feature = "encoding")]
pub use encoding::{Decoded, decode, decode_with, encode};

use std::time::Duration;

use crate::base::color::{ByColor, Color};
use crate::games::gothello::{Board, Game, Outcome, Point, Position, SIZE, Step};

pub use crate::games::gothello::{Mark, MarkKind};
pub use annotate::{Annotation, Note};
pub use fault::{Fault, LeftOut, MAX_NODES, Place, ReadError};
pub use record::{GameText, Record, SetUpError, SetUpStones, games};
pub use tree::{AddError, GameTree, ParseStepError, TreeStep, read};
pub use writer::Writer;

use record::{Property, letters, set_up_name};

/// The largest game that is opened, in bytes; most have a few thousand.
pub const MAX_BYTES: usize = 4 << 20;

/// The largest file that is opened, in bytes, with thousands of games.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// The properties of a record besides its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Headers {
    /// The names of Black and White.
    pub players: ByColor<Option<String>>,
    /// The day of the game, as in `2026-11-20`.
    pub date: Option<String>,
    /// The time of each player at the start, in seconds. It is not serialized.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub seconds: Option<u64>,
    /// The event that the game was part of, or a name of the game.
    pub event: Option<String>,
    /// The result, if it is not the count of the stones: `W+R`, `B+T`.
    pub result: Option<String>,
    /// A comment on the game.
    pub comment: Option<String>,
}

/// The properties of a move in a record.
#[derive(Clone, Debug, Default)]
pub struct MoveNotes {
    /// The time left on the player's clock after the move.
    pub left: Option<Duration>,
    /// A comment on the move.
    pub comment: Option<String>,
}

/// Writes a game, with its result if it is over.
pub fn write(game: &Game) -> String {
    write_with(game, &Headers::default(), [])
}

/// Writes a game with headers and with notes on its moves, in the order of the moves.
pub fn write_with(
    game: &Game,
    headers: &Headers,
    notes: impl IntoIterator<Item = MoveNotes>,
) -> String {
    let mut writer = Writer::new();
    writer.property("SZ", SIZE);
    writer.property("RU", "Gothello");
    for (name, value) in headers.properties(game.outcome()) {
        value.inspect(|value| writer.property(name, value));
    }
    // The meaning of a record without any node.
    let mut before = (Position::START.board(), Color::Black, true);
    let mut notes = notes.into_iter();
    // Everything that is set up before the first move is in the root of the record.
    for (number, (step, board)) in without_superseded(game).enumerate() {
        let to_move = match step {
            Step::SetUp(position) => {
                if number > 0 {
                    writer.node();
                }
                write_set_up(&mut writer, before, &position);
                position.to_move()
            }
            Step::Played { color, mv } => {
                writer.play(color, mv.point().map(coordinates));
                write_notes(&mut writer, color, &notes.next().unwrap_or_default());
                color.opponent()
            }
        };
        before = (board, to_move, step == Step::SetUp(Position::START));
    }
    writer.finish()
}

impl Headers {
    /// Returns the headers of a record; the time is left out.
    pub fn of(record: &Record) -> Headers {
        Headers {
            players: ByColor::new(record.header("PB"), record.header("PW")),
            date: record.header("DT"),
            seconds: None,
            event: record.header("EV"),
            result: record.header("RE"),
            comment: record.header("GC"),
        }
    }

    /// Returns the properties. `outcome` is the result of the game on the board.
    fn properties(&self, outcome: Option<Outcome>) -> [(&'static str, Option<String>); 7] {
        let of_board = || outcome.map(|outcome| outcome.to_string());
        [
            ("PB", self.players.black.clone()),
            ("PW", self.players.white.clone()),
            ("DT", self.date.clone()),
            ("EV", self.event.clone()),
            ("TM", self.seconds.map(|seconds| seconds.to_string())),
            ("RE", self.result.clone().or_else(of_board)),
            ("GC", self.comment.clone()),
        ]
    }
}

fn write_notes(writer: &mut Writer, color: Color, notes: &MoveNotes) {
    if let Some(left) = notes.left {
        // Rounded down, as clocks are read.
        let (secs, millis) = (left.as_secs(), left.subsec_millis());
        let name = format!("{}L", color.capital());
        writer.property(&name, format_args!("{secs}.{millis:03}"));
    }
    if let Some(comment) = &notes.comment {
        writer.property("C", comment);
    }
}

/// Returns the steps of a game without the set-ups that the next step replaces.
fn without_superseded(game: &Game) -> impl Iterator<Item = (Step, Board)> {
    let next = game.steps().skip(1).map(Some).chain([None]);
    let is_set_up = |step| matches!(step, Step::SetUp(_));
    let superseded = move |step, next: Option<_>| {
        is_set_up(step) && next.is_some_and(|(next, _)| is_set_up(next))
    };
    game.steps()
        .zip(next)
        .filter(move |&((step, _), next)| !superseded(step, next))
        .map(|(now, _)| now)
}

/// Writes the difference between a position and what was before it, as in [`set_up_properties`].
fn write_set_up(writer: &mut Writer, before: (Board, Color, bool), after: &Position) {
    if after.after_pass() {
        // The format sets up no passes: one is played.
        let passed = after.to_move().opponent();
        let position = after.board().with_to_move(passed);
        writer.properties(set_up_properties(before, &position));
        writer.play(passed, None);
    } else {
        writer.properties(set_up_properties(before, after));
    }
}

/// Returns the properties for the difference between a position and what was before it: the stones, the
/// player to move, and whether it was the start of a game.
fn set_up_properties(before: (Board, Color, bool), after: &Position) -> Vec<Property> {
    let (before, to_move, is_start) = before;
    let sets = [Some(Color::Black), Some(Color::White), None];
    let changed = |stone| {
        let points = Point::ALL.into_iter().filter(move |&point| {
            after.stone_at(point) == stone && before.stone_at(point) != stone
        });
        points.map(coordinates).map(letters).peekable()
    };
    let mut properties: Vec<Property> = sets
        .into_iter()
        .filter_map(|stone| {
            let mut points = changed(stone);
            points.peek()?;
            Some(Property::of_values(set_up_name(stone), points))
        })
        .collect();
    // Also if the player to move stays the same: a set-up makes a pass before it
    // forgotten.
    if !is_start || after.to_move() != to_move {
        properties.push(Property::new("PL", &after.to_move().capital().to_string()));
    }
    properties
}

/// Returns the column and the row of a point in SGF, whose rows count from the top.
fn coordinates(point: Point) -> (u8, u8) {
    (point.column(), SIZE - 1 - point.row())
}
