//! The endgames of Awari: how the last stones on the board are divided.
//!
//! A [`Database`] has, for every board with up to some number of stones,
//! [`Bounds`] on how many of these the player to move gets. What has been captured
//! before does not matter to that, and neither does whose pits are whose: the
//! board is seen from the player to move. Boards that cannot arise are there as
//! well.
//!
//! # What the numbers mean
//!
//! Let `n` stones be on the board. At the end of a game the player to move then
//! has `m` more of them than now and the opponent `o`: what counts is
//! `(n + m - o) / 2`. If all are divided that is `m`; if a repetition leaves the
//! stones on the board to nobody ([`Repetition::Discard`]), it is as if each
//! player had half of them. The numbers of the two players add up to `n`.
//!
//! The game is taken to go on when a player has 25 stones. That cannot change who
//! wins: he has more than half of all, and keeps them.
//!
//! # How the bounds are found
//!
//! For one number of stones after the other, with `low` and `high` meant for
//! the player to move, `next` for the boards that his moves lead to, and `r` for
//! what a repetition of the board gives him: the stones on his side, or half of
//! all.
//!
//! 1. *Keeping.* Begin with `low = high = r`, and as long as it changes anything
//!    set `low` to the least of itself and the greatest `n - high(next)`, and
//!    `high` to the greatest of itself and the greatest `n - low(next)`.
//! 2. *Reaching.* As long as it changes anything set `low` to the greatest
//!    `n - high(next)` where that is more, and `high` to the greatest
//!    `n - low(next)` where that is less.
//!
//! Captures lead to boards with fewer stones, whose bounds are final. Each half
//! moves every number in one direction only, between 0 and `n`, so it ends; and
//! as the rule is monotone, the order of the steps makes no difference to where,
//! nor does it matter whether a number that is read is the newest.
//!
//! # Why they are true
//!
//! It is enough to show that each player gets what the bounds promise him: `low`
//! to the player to move, `n - high` to the other. Call that his promise, and
//! suppose that the board is the first with so many stones on it, that is, that
//! stones have just been captured or that the game begins here.
//!
//! After the first half, a promise `k` can be kept: it is no more than `r` gives
//! the player; if he is to move, one of his moves leads to a promise of `k` again,
//! or captures so that the promise there is enough; if the opponent is, all moves
//! do. So all boards up to the next capture, the one that is repeated among them,
//! promise at least `k`: a repetition gives him that much, and so does what
//! follows a capture, by induction over the number of stones.
//!
//! In the second half a promise becomes `k` at some step, because a move (if the
//! opponent is on turn, each of them) led to a promise of `k` that was there
//! before. He who plays on such moves comes to boards whose promise is older at
//! every ply. So none is repeated on the way, and after as many plies at most the
//! way ends at a capture, at the end of the game, or at a board whose promise was
//! there after the first half. From then on he keeps it: the boards that can be
//! repeated are those that he keeps it on, for all of these had it from the first
//! half on, and none on the way had.
//!
//! # Of which games they are not
//!
//! The bounds hold from the first board with so many stones on. A player who
//! wanders about instead of using his chances can lose them: the move that he
//! should have made may now lead to a board that was there before, and ends the
//! game. So in the middle of a game, `low` and `high` are what the players could
//! have had at the last capture from such a board; they are proven of what comes
//! after the next capture. Whoever looks them up must treat them so.
//!
//! # The file, version 1
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 7 | `awari-eg` |
//! | 8 to 11 | the version, 1 |
//! | 12 | the grand slam: a letter, `a` to `e`, as in [`GrandSlam`] |
//! | 13 | the repetition: `c` if stones are claimed, `d` if they are discarded |
//! | 14 | the most stones on the board, `N` |
//! | 15 | 0 |
//! | 16 to 19 | the CRC-32 of bytes 0 to 15 |
//! | 20 on | for each number of stones `n` from 0 to `N`: a byte for each board, and the CRC-32 of these |
//!
//! There are `C(n + 11, 11)` boards with `n` stones. The number of one, from 0, is
//! the sum of the binomial coefficients `C(s(i) + i - 1, i)` for `i` from 1 to 11,
//! where `s(i)` is the number of stones in the first `i` pits, those of the player
//! to move first, in the order of sowing. The byte is `high * (high + 1) / 2 + low`.
//!
//! A file that is being built ([`Partial`]) begins with `awari-ep`, its byte 14 is
//! 0, and it ends after any layer.
//!
//! [`GrandSlam`]: crate::awari::GrandSlam
//! [`Repetition::Discard`]: crate::awari::Repetition::Discard

mod board;
mod bounds;
mod build;
mod database;
mod file;
mod index;
mod partial;
#[cfg(test)]
mod tests;

use crate::awari::{Repetition, Variant};

pub use bounds::Bounds;
pub use database::{Contradiction, Database};
pub use file::FileError;
pub use partial::{Partial, PartialError};

/// No database has boards with more stones: so a byte holds two bounds, and five
/// bits the stones of a pit.
pub const MAX_STONES: u8 = 21;

/// The most stones of a database that fits in 64 MB.
pub const DEFAULT_STONES: u8 = 17;

/// A way to play, as messages name it.
pub fn name_of(variant: Variant) -> String {
    let letter = variant.grand_slam.letter();
    let repetition = match variant.repetition {
        Repetition::Claim => "claimed",
        Repetition::Discard => "discarded",
    };
    format!("grand slam {letter}, stones {repetition} on repetition")
}
