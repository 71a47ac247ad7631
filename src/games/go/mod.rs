//! The rules of Go as contests play them: pure values.
//!
//! They are the rules of the Go contest protocol, as the section *Formats and Enumerations* of its
//! document defines them. Where the document leaves a choice, they follow the protocol's existing
//! servers.
//!
//! Black and White take turns to place stones on the points of a [`Board`] of 1
//! to [`MAX_SIDE`] rows and columns. A group without a liberty is captured, the opponent's
//! groups first. A move that leaves the mover's own group without a liberty is suicide and
//! illegal. [`Rules::ko`] and [`Rules::superko`] forbid stones that repeat a board. A player may
//! always pass or resign.
//!
//! A game ends with two passes in a row, with a resignation, or by the mercy rule when the
//! scores are far apart ([`Mercy`]). No stone is removed at the end: all stones count as
//! alive.
//!
//! Clocks are not part of the rules: see [`clock`](crate::base::clock).

mod board;
mod chains;
mod game;
mod point;
mod rules;
mod score;

pub use crate::base::color::{ByColor, Color};
pub use board::{Board, IllegalBoard, Ownership, ParseBoardError, Position};
pub use game::{EndReason, Ending, Game, Illegal, Move, PlayError};
pub use point::{IllegalSize, MAX_SIDE, ParseVertexError, Point, Size};
pub use rules::{Mercy, Rules, Scoring};
pub use score::{Komi, ParseScoreError, Score};

#[cfg(feature = "serde")]
crate::base::text_serde::as_text! {
    Board: "a Go board",
    Score: "a number of points",
}
