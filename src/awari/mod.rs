//! The rules of Awari: pure values.
//!
//! They are those of Bart Massey's paper "A Networked Awari Referee:
//! Specification" (2000), section 1. South begins. A player takes all stones out
//! of one of his pits and sows them one by one into the next ones, against the
//! clock; the pit itself is always skipped:
//!
//! ```text
//!        North
//!   f  e  d  c  b  a
//!   A  B  C  D  E  F
//!        South
//! ```
//!
//! If the last stone makes two or three in a pit of the opponent, these are
//! captured, and so are those of the pits before it for as long as they, too, are
//! the opponent's and hold two or three. A player whose opponent has no stones must
//! give him some, if he can.
//!
//! The game is over when a player has captured 25 stones or more; when the
//! player to move has no stones; when a position comes up again; and with a
//! *grand slam*, which captures all of the opponent's stones. The last two are
//! played in several ways: see [`Variant`].

mod game;
mod outcome;
mod perft;
mod pit;
mod player;
mod position;
mod text;
mod variant;

pub use game::{Game, PlayError};
pub use outcome::{Ending, Outcome, Scores, Status};
pub use perft::{divide, perft};
pub use pit::{ParsePitError, Pit};
pub use player::Player;
pub use position::{IllegalMove, IllegalPosition, Next, Position};
pub use text::ParsePositionError;
pub use variant::{GrandSlam, ParseVariantError, Repetition, Variant};

/// All stones, on the board and captured.
pub const STONES: u8 = 48;

/// So many captured stones end the game: more than half of all.
pub const ENOUGH: u8 = 25;
