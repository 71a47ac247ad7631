//! The rules of Awari, as pure values.
//!
//! They follow section 1 of Bart Massey's paper "A Networked Awari Referee:
//! Specification" (2000). South moves first. A player takes all stones out of one of
//! their pits and sows them one by one into the next pits, counterclockwise; the pit
//! itself is always skipped:
//!
//! ```text
//!        North
//!   f  e  d  c  b  a
//!   A  B  C  D  E  F
//!        South
//! ```
//!
//! If the last stone makes two or three in a pit of the opponent, these are captured, and
//! so are those in the pits before it as long as these, too, are the opponent's and hold
//! two or three. A player whose opponent has no stones must give them some, if possible.
//!
//! The game is over when a player has captured 25 stones or more, when the player to move
//! has no stones, when a position occurs again, and after a *grand slam*, which captures
//! all of the opponent's stones. The last two have variants: see [`Variant`].
//!
//! ```
//! use gothello::awari::{Game, Pit, Player, perft};
//!
//! let mut game = Game::default();
//! game.play(Player::South, "F".parse::<Pit>()?)?;
//! assert_eq!(game.position().to_string(), "5,5,5,5,4,4/4,4,4,4,4,0 0 0 n");
//! assert_eq!(perft(&mut Game::default(), 3), 190);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod game;
mod outcome;
mod pit;
mod position;
mod record;
mod variant;

pub use game::{Game, PlayError, divide, perft};
pub use outcome::{AwariOutcome, EndReason, Scores, Status};
pub use pit::{ParsePitError, Pit, Player};
pub use position::{IllegalMove, IllegalPosition, Next, ParsePositionError, Position};
pub use record::{ReadError, is_record, read};
pub use variant::{GrandSlam, ParseVariantError, Repetition, Variant};

#[cfg(feature = "serde")]
crate::base::text_serde::as_text! {
    Position: "a position of Awari",
    Pit: "a pit of Awari",
    Variant: "rules of Awari",
}

/// The number of stones, on the board and captured.
pub const STONES: u8 = 48;

/// The number of captured stones that ends the game: more than half of all.
pub const MAJORITY: u8 = 25;
