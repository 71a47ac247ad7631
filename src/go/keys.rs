//! Hash codes of boards.

use super::chains::{SPOTS, Spot};
use super::{Board, ByColor, Color};

/// A number for each stone, and one for White's turn: those that are there make
/// the hash code of a board and the side to move (Zobrist's method).
///
/// The numbers are the same in every build and on every machine.
pub(super) struct Keys {
    stones: ByColor<[u64; SPOTS]>,
    white_to_move: u64,
}

impl Keys {
    /// The numbers to play with.
    pub(super) const USUAL: &Keys = &Keys::new(0);

    /// Numbers for which all hash codes are the same.
    #[cfg(test)]
    pub(super) const ALL_THE_SAME: &Keys = &Keys {
        stones: ByColor::new([0; SPOTS], [0; SPOTS]),
        white_to_move: 0,
    };

    const fn new(seed: u64) -> Keys {
        let mut numbers = SplitMix(seed);
        Keys {
            stones: ByColor::new(numbers.take(), numbers.take()),
            white_to_move: numbers.next(),
        }
    }

    /// The number of a stone.
    #[inline]
    pub(super) const fn stone(&self, spot: Spot, color: Color) -> u64 {
        self.stones.get(color)[spot.index()]
    }

    /// What a change of turn changes.
    #[inline]
    pub(super) const fn turn(&self) -> u64 {
        self.white_to_move
    }

    /// The hash code of a board with a player to move.
    pub(super) fn hash(&self, board: &Board, turn: Color) -> u64 {
        let turn = match turn {
            Color::Black => 0,
            Color::White => self.white_to_move,
        };
        let stones = board.stones();
        stones.fold(turn, |hash, (point, color)| {
            hash ^ self.stone(Spot::from(point), color)
        })
    }
}

/// The generator `SplitMix64` of Steele, Lea and Flood ("Fast splittable
/// pseudorandom number generators", 2014). A library's could change with its
/// version.
pub(super) struct SplitMix(pub(super) u64);

impl SplitMix {
    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    const fn take<const N: usize>(&mut self) -> [u64; N] {
        let mut numbers = [0; N];
        let mut i = 0;
        while i < N {
            numbers[i] = self.next();
            i += 1;
        }
        numbers
    }
}
