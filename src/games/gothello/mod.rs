//! Gothello: its rules as pure values, without I/O, a clock, or randomness.
//!
//! # Rules
//!
//! - The board has 5x5 points. Columns are lettered a to e from the left, rows
//!   numbered 1 to 5 from the bottom. Black moves first, then the players alternate.
//! - A *group* is a maximal set of stones of one color that are connected horizontally
//!   and vertically. Its *liberties* are the empty points adjacent to it.
//! - A player places a stone of their color on an empty point. The stone's group must
//!   have a liberty **before** captures. Then every group of the opponent that is adjacent
//!   to the stone and has no liberty is captured: its stones stay and change color.
//! - A player may pass at any time. Two passes in a row end the game.
//! - The player with more stones wins; equal numbers are a draw.
//!
//! These are the rules of Bart Massey's specification of 2003, as the module
//! [`specification`] reads them. It proves that they are well-founded and that every game ends.
//!
//! # Example
//!
//! ```
//! use gothello::{Next, Position};
//!
//! // Rows 5 to 1, then the player to move: Black captures two stones at the left edge.
//! let position: Position = "...../b..../w..../wb.../b.... b".parse()?;
//! let Next::Continues(position) = position.play("b3".parse()?)? else { unreachable!() };
//! assert_eq!(position.to_string(), "...../b..../bb.../bb.../b.... w");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Three tiers
//!
//! Most programs need only the checked tier and games. Between a position and the next, no
//! memory is allocated.
//!
//! | tier | type | |
//! |---|---|---|
//! | raw | [`Stones`] | any two sets of points as the stones of the player to move and of the opponent |
//! | | [`Placements`] | the legal placements for some stones and empty points, all found at once |
//! | | [`Placed`] | the result of a placement: the board after it, and what it captured |
//! | checked | [`Position`] | a legal board of a game that goes on, the player to move, and whether the last move was a pass |
//! | | [`Move`] | a placement or a pass |
//! | | [`Next`] | the result of a move: the next position, or the outcome of the game that it ends |
//! | game | [`Game`] | a game from its first position to the present: undo, captures, records |
//! | | [`Step`] | a change of a game that undo takes back: a move, or a set-up of stones |
//! | | [`Status`] | whether a game is over, and with which outcome |
//! | all | [`Point`], [`PointSet`], [`Points`] | a point, a set of points, and the iterator over one |
//! | | [`Board`] | the stones of a position, or of a game that is over, without the player to move; also as text and as SVG |
//! | | [`Picture`], [`Mark`] | a board as SVG with the values of moves, marks and a caption; a mark on a point |
//! | | [`Symmetry`] | a rotation or reflection of the board |
//! | | [`Outcome`] | who has won, and by how many stones |
//! | | [`Color`], [`ByColor`] | a player, and a value for each |
//!
//! [`perft()`] and [`divide`] count the game tree.

mod game;
mod moves;
mod perft;
mod picture;
mod placements;
mod points;
mod position;
mod symmetry;
#[doc = include_str!("specification.md")]
pub mod specification {}
mod text;

pub use crate::base::color::{ByColor, Color, ParseColorError};
pub use crate::games::game::{Outcome, ParseOutcomeError};
pub use game::{Game, PlayError, Status, Step};
pub use moves::{IllegalMove, Move, ParseMoveError};
pub use perft::{divide, perft};
pub use picture::{Mark, MarkKind, Picture};
pub use placements::{Placed, Placements, Stones};
pub use points::{ParsePointError, Point, PointSet, Points, SIZE};
pub use position::{Board, IllegalPosition, Next, Position};
pub use symmetry::Symmetry;
pub(crate) use symmetry::{images, to_least_image};
pub use text::ParsePositionError;

#[cfg(feature = "serde")]
crate::base::text_serde::as_text! {
    Position: "a position of Gothello",
    Point: "a point such as `c3`",
    Move: "a point such as `c3`, or `pass`",
}
