//! The rules of Gothello: pure values.
//!
#![doc = include_str!("specification.md")]

mod board;
mod game;
mod moves;
mod perft;
mod placements;
mod point;
mod points;
mod position;
mod text;

pub use crate::color::{ByColor, Color, ParseColorError};
pub use crate::game::Outcome;
pub use board::Board;
pub use game::{Game, PlayError, Status, Step};
pub use moves::{IllegalMove, Move, ParseMoveError};
pub use perft::{divide, perft};
pub use placements::{Placed, Placements, Stones};
pub use point::{ParsePointError, Point, SIZE};
pub use points::{PointSet, Points};
pub use position::{IllegalPosition, Next, Position};
pub use text::ParsePositionError;
