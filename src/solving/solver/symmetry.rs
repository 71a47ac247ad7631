//! Positions up to symmetry. Positions that are images of each other have the same value.

use crate::games::gothello::{Color, Position, Stones, Symmetry, images};

/// A position up to symmetry: the smallest of the numbers of its eight images.
///
/// A number has 50 bits: the stones of the player to move in the higher 25, those of
/// the opponent in the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(u64);

impl Key {
    /// The number of bits of a key.
    pub const BITS: u32 = 50;

    /// Returns the key of a position and a symmetry that maps the position to the board
    /// that the key describes.
    #[inline]
    pub fn of(stones: Stones) -> (Key, Symmetry) {
        let mover = images(stones.mover);
        let opponent = images(stones.opponent);
        let mut least = u64::MAX;
        for number in 0..8 {
            let (mover, opponent) = (u64::from(mover[number]), u64::from(opponent[number]));
            least = least.min(mover << 28 | opponent << 3 | number as u64);
        }
        (Key(least >> 3), Symmetry::ALL[(least & 7) as usize])
    }

    /// Returns the number of the key, which is less than 2^50.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// Returns the position that stands for all images of a position and of the one with
/// exchanged colors, with Black to move and no pass before; and a symmetry that maps the
/// position to it.
pub(crate) fn canonical(position: &Position) -> (Position, Symmetry) {
    let stones = position.stones();
    let (_, symmetry) = Key::of(stones);
    let image = Position::new(
        symmetry.apply_to_set(stones.mover),
        symmetry.apply_to_set(stones.opponent),
        Color::Black,
        false,
    );
    // Symmetries keep liberties.
    (image.unwrap_or_default(), symmetry)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::games::gothello::Point;

    #[test]
    fn the_images_of_a_position_have_one_key_and_no_other_position_has_it() {
        let mut keys = HashSet::new();
        let mut orbits = HashSet::new();
        for mover in Point::ALL {
            for opponent in Point::ALL {
                if mover == opponent {
                    continue;
                }
                let stones = Stones {
                    mover: mover.into(),
                    opponent: opponent.into(),
                };
                let (key, symmetry) = Key::of(stones);
                keys.insert(key);
                let images =
                    Symmetry::ALL.map(|symmetry| (symmetry.apply(mover), symmetry.apply(opponent)));
                orbits.insert(images.into_iter().min());
                for symmetry in Symmetry::ALL {
                    let stones = Stones {
                        mover: symmetry.apply_to_set(stones.mover),
                        opponent: symmetry.apply_to_set(stones.opponent),
                    };
                    assert_eq!(Key::of(stones).0, key);
                }
                let image = symmetry.apply_to_set(stones.mover).iter().next().unwrap();
                assert_eq!(key.number() >> 25, 1 << image.index());
            }
        }
        assert_eq!(keys.len(), orbits.len());
    }
}
