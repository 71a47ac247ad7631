//! The rules of Gothello: pure values.
//!
#![doc = include_str!("specification.md")]

mod game;
mod moves;
mod perft;
mod placements;
mod points;
mod position;
mod text;

pub use crate::color::{ByColor, Color, ParseColorError};
pub use crate::game::Outcome;
pub use game::{Game, PlayError, Status, Step};
pub use moves::{IllegalMove, Move, ParseMoveError};
pub use perft::{divide, perft};
pub use placements::{Placed, Placements, Stones};
pub use points::{ParsePointError, Point, PointSet, Points, SIZE};
pub use position::{Board, IllegalPosition, Next, Position};
pub use text::ParsePositionError;
