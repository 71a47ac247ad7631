//! The endgame database of Awari, computed by retrograde analysis.
//!
//! A [`Database`] has, for every board with up to some number of stones, [`Bounds`] on the
//! stones that the player to move gets. They depend neither on the stones captured before
//! nor on whose pits are whose: a board is seen from the player to move. Boards that
//! cannot arise in a game are included.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use gothello::awari::{Position, Variant};
//! use gothello::endgame::Database;
//!
//! let stop = AtomicBool::new(false);
//! let database = Database::build(Variant::default(), 3, 1, &stop).unwrap();
//! let position: Position = "1,0,0,0,0,0/0,0,0,0,0,1 23 23 s".parse()?;
//! assert_eq!(database.look_up(&position).unwrap().value(), Some(2));
//! # Ok::<(), gothello::awari::ParsePositionError>(())
//! ```
//!
//! # Definitions
//!
//! Let n stones be on the board. If, from there to the end of the game, the player to move
//! gets m stones and the opponent gets o, the *share* of the player to move is
//! (n + m - o) / 2, and that of the opponent n minus this. If all stones are divided, the
//! share is m. If a repetition leaves the stones on the board to nobody
//! ([`Repetition::Discard`]), each player's share of these is half.
//!
//! Play is taken to go on after a player has 25 stones. That does not change who wins, as
//! this player has more than half of all stones.
//!
//! A board is *fresh* if it is the first with n stones: the last move was a capture, or
//! the game began there.
//!
//! # Algorithm
//!
//! The layers are computed one after the other, for n = 1, 2, and so on. Write low(b) and
//! high(b) for the bounds of a board b, for the player to move there, and r(b) for the
//! share that a repetition of b gives that player: the stones on their side, or n / 2,
//! rounded down for low and up for high. The maxima are over the boards c after each
//! legal move.
//!
//! 1. *Safety.* Start with low(b) = high(b) = r(b). Repeat until nothing changes:
//!    low(b) := min(low(b), max(n - high(c))), high(b) := max(high(b), max(n - low(c))).
//! 2. *Reachability.* Repeat until nothing changes:
//!    low(b) := max(low(b), max(n - high(c))), high(b) := min(high(b), max(n - low(c))).
//!
//! Captures lead to boards with fewer stones, whose bounds are final. Each phase moves
//! every bound in one direction only, between 0 and n, so it ends. The rules are monotone,
//! so neither the order of the steps nor reading an outdated bound changes the result.
//!
//! # Theorem
//!
//! From a fresh board b, the player to move can secure a share of low(b), and the opponent
//! a share of n - high(b).
//!
//! *Proof.* By induction on n; a board after a capture is fresh. Call low(b) the
//! *guarantee* of the player to move at b, and n - high(b) that of the opponent. Let P be
//! either player.
//!
//! After phase 1, let P's guarantee at some board be k. It is at most what a repetition of
//! this board gives P. If P is to move, some move leads to a board where P's guarantee,
//! together with the stones that the move captures, is at least k; if the opponent is to
//! move, every move does. Let P play such moves. Then P's guarantee is at least k at every
//! board up to the next capture. So if one of these boards is repeated, P gets at least k,
//! and if there is a capture, P can secure k by induction. Say that P *keeps* k.
//!
//! In phase 2, P's guarantee at a board rises to k at some step because a move (every move,
//! if the opponent is to move) led to a board where it was at least k already. Let P play
//! such moves. From ply to ply, the step at which the guarantee reached k is earlier. So no
//! board on this path is repeated, and the path ends at a capture, at the end of the game,
//! or at a board where the guarantee was at least k after phase 1. From there on, P keeps
//! k. No later board repeats one on the path, because the guarantee was at least k after
//! phase 1 at all the later boards and at none on the path. ∎
//!
//! # When the bounds do not hold
//!
//! On a board that is not fresh, a player may have wasted the chance: the move to play may
//! now repeat an earlier board. So low and high say what the players could have secured
//! from the fresh board with the same number of stones, and hold again after the next capture.
//! Callers must take this into account.
//!
//! # File format, version 1
//!
//! All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | `awari-eg` |
//! | 8 to 11 | the version, 1 |
//! | 12 | the grand slam rule: a letter, `a` to `e`, as in [`GrandSlam`] |
//! | 13 | the repetition rule: `c` if stones are claimed, `d` if they are discarded |
//! | 14 | the largest number of stones on the board, `N` |
//! | 15 | 0 |
//! | 16 to 19 | the CRC-32 of bytes 0 to 15 |
//! | from 20 | for each number of stones `n` from 0 to `N`: a byte for each board, and the CRC-32 of these |
//!
//! There are `C(n + 11, 11)` boards with `n` stones. The index of a board, from 0, is the
//! sum of the binomial coefficients `C(s(i) + i - 1, i)` for `i` from 1 to 11, where `s(i)`
//! is the number of stones in the first `i` pits in the order of sowing, those of the
//! player to move first. Its byte is `high * (high + 1) / 2 + low`.
//!
//! [`GrandSlam`]: crate::games::awari::GrandSlam
//! [`Repetition::Discard`]: crate::games::awari::Repetition::Discard

mod board;
mod database;
mod file;
#[cfg(test)]
mod tests;

use crate::games::awari::{Repetition, Variant};

pub use database::{Bounds, Contradiction, Database};
pub use file::FileError;

/// The largest number of stones in a database: the largest for which a byte holds two bounds,
/// and less than what five bits hold for a pit.
pub const MAX_STONES: u8 = 21;

/// The largest number of stones of a database that fits in 64 MB.
pub const DEFAULT_STONES: u8 = 17;

/// Describes a variant in messages about databases.
pub fn describe(variant: Variant) -> String {
    let letter = variant.grand_slam.letter();
    let repetition = match variant.repetition {
        Repetition::Claim => "claimed",
        Repetition::Discard => "discarded",
    };
    format!("grand slam {letter}, stones {repetition} on repetition")
}
