//! The rules of Go as contests play them: pure values.
//!
//! They are those of the Go contest protocol (its paper, *Formats and
//! Enumerations*), and where the paper is silent those of the servers that
//! speak it. Black and White place stones in turn on the points of a
//! [`Board`] of 1 to [`MAX_SIDE`] rows and columns. A group without a liberty
//! is captured, the opponent's before one's own; a move that would leave the
//! mover's own group without one is suicide and forbidden, and so is one that
//! brings a position back ([`Rules::ko`], [`Rules::superko`]). A player may
//! always pass or resign.
//!
//! A game ends by two passes in a row, when a player resigns, or by mercy when
//! the scores are far apart. Nothing is taken off the board at the end: what
//! stands lives.
//!
//! The clock is no part of this: see [`clock`](crate::clock).

mod board;
mod chains;
mod ending;
mod game;
mod history;
mod keys;
mod moves;
mod point;
mod point_set;
mod position;
mod rules;
mod score;
mod size;
mod territory;
mod text;

pub use crate::color::{ByColor, Color};
pub use board::{Board, IllegalBoard};
pub use ending::{Ending, Reason};
pub use game::Game;
pub use moves::{Illegal, Move};
pub use point::{ParseVertexError, Point};
pub use position::Position;
pub use rules::{Mercy, Rules, Scoring};
pub use score::{Komi, ParseScoreError, Score};
pub use size::{IllegalSize, MAX_SIDE, Size};
pub use territory::Territory;
pub use text::ParseBoardError;
