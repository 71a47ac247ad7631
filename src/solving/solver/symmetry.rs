//! The eight symmetries of the board. Positions that are images of each other have the
//! same value.

use crate::games::gothello::{Color, Move, Point, PointSet, Position, Stones};

/// One of the eight symmetries of the square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symmetry(u8);

/// The number of symmetries.
const COUNT: usize = 8;

/// The number of rows and columns.
const SIZE: usize = crate::games::gothello::SIZE as usize;

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
        let mover = images(stones.mover.bits());
        let opponent = images(stones.opponent.bits());
        let mut least = u64::MAX;
        for number in 0..COUNT {
            let (mover, opponent) = (u64::from(mover[number]), u64::from(opponent[number]));
            least = least.min(mover << 28 | opponent << 3 | number as u64);
        }
        (Key(least >> 3), Symmetry((least & 7) as u8))
    }

    /// Returns the number of the key, which is less than 2^50.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl Symmetry {
    /// Returns the image of a move.
    #[inline]
    pub fn apply_to(self, mv: Move) -> Move {
        match mv {
            Move::Place(point) => Move::Place(self.apply(point)),
            Move::Pass => Move::Pass,
        }
    }

    /// Returns the move that has this image.
    #[inline]
    pub fn undo_from(self, image: Move) -> Move {
        match image {
            Move::Place(point) => Move::Place(self.undo(point)),
            Move::Pass => Move::Pass,
        }
    }

    /// Returns the image of a point.
    #[inline]
    pub fn apply(self, point: Point) -> Point {
        Point::ALL[usize::from(IMAGES[usize::from(self.0) % COUNT][point.index() % 25]) % 25]
    }

    /// Returns the point that has this image.
    #[inline]
    pub fn undo(self, image: Point) -> Point {
        Point::ALL[usize::from(ORIGINALS[usize::from(self.0) % COUNT][image.index() % 25]) % 25]
    }
}

/// Returns the position that stands for all images of a position and of the one with
/// exchanged colors, with Black to move and no pass before; and a symmetry that maps the
/// position to it.
pub(crate) fn canonical(position: &Position) -> (Position, Symmetry) {
    let stones = position.stones();
    let (_, symmetry) = Key::of(stones);
    let image = |set: PointSet| set.iter().map(|point| symmetry.apply(point)).collect();
    let image = Position::new(
        image(stones.mover),
        image(stones.opponent),
        Color::Black,
        false,
    );
    // Symmetries keep liberties.
    (image.unwrap_or_default(), symmetry)
}

/// Returns the index of the image of a point. The bits of the symmetry's number are a
/// reflection left to right, one top to bottom, and one in the diagonal, applied in this
/// order.
const fn image(number: usize, column: usize, row: usize) -> usize {
    let x = if number & 1 != 0 {
        SIZE - 1 - column
    } else {
        column
    };
    let y = if number & 2 != 0 { SIZE - 1 - row } else { row };
    if number & 4 != 0 {
        x * SIZE + y
    } else {
        y * SIZE + x
    }
}

/// The index of the image of each point under each symmetry.
const IMAGES: [[u8; 25]; COUNT] = {
    let mut images = [[0; 25]; COUNT];
    let mut number = 0;
    while number < COUNT {
        let mut index = 0;
        while index < 25 {
            images[number][index] = image(number, index % SIZE, index / SIZE) as u8;
            index += 1;
        }
        number += 1;
    }
    images
};

/// The index of the point that each point is the image of.
const ORIGINALS: [[u8; 25]; COUNT] = {
    let mut originals = [[0; 25]; COUNT];
    let mut number = 0;
    while number < COUNT {
        let mut index = 0;
        while index < 25 {
            originals[number][IMAGES[number][index] as usize] = index as u8;
            index += 1;
        }
        number += 1;
    }
    originals
};

/// The images of each of the 32 sets of points of each row under each symmetry, with one
/// bit for each point in the order of [`Point::ALL`].
static ROWS: [[[u32; COUNT]; 1 << SIZE]; SIZE] = {
    let mut rows = [[[0; COUNT]; 1 << SIZE]; SIZE];
    let mut row = 0;
    while row < SIZE {
        let mut set = 0;
        while set < 1 << SIZE {
            let mut number = 0;
            while number < COUNT {
                let mut column = 0;
                while column < SIZE {
                    if set >> column & 1 != 0 {
                        rows[row][set][number] |= 1 << image(number, column, row);
                    }
                    column += 1;
                }
                number += 1;
            }
            set += 1;
        }
        row += 1;
    }
    rows
};

/// Returns the images of a set of points, given by its bits.
#[inline]
fn images(bits: u32) -> [u32; COUNT] {
    let mut images = [0; COUNT];
    for (row, sets) in ROWS.iter().enumerate() {
        let parts = &sets[(bits >> (row * (SIZE + 1)) & 0b11111) as usize];
        for number in 0..COUNT {
            images[number] |= parts[number];
        }
    }
    images
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn all() -> [Symmetry; COUNT] {
        std::array::from_fn(|number| Symmetry(number as u8))
    }

    fn image_of(set: PointSet, symmetry: Symmetry) -> PointSet {
        set.iter().map(|point| symmetry.apply(point)).collect()
    }

    #[test]
    fn there_are_eight_and_each_preserves_adjacency() {
        let mut seen = HashSet::new();
        for symmetry in all() {
            seen.insert(Point::ALL.map(|point| symmetry.apply(point)));
            for point in Point::ALL {
                assert_eq!(symmetry.undo(symmetry.apply(point)), point);
                let beside = PointSet::from(point).neighbors();
                let image = PointSet::from(symmetry.apply(point)).neighbors();
                assert_eq!(image_of(beside, symmetry), image);
            }
        }
        assert_eq!(seen.len(), COUNT);
    }

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
                    all().map(|symmetry| (symmetry.apply(mover), symmetry.apply(opponent)));
                orbits.insert(images.into_iter().min());
                for symmetry in all() {
                    let stones = Stones {
                        mover: image_of(stones.mover, symmetry),
                        opponent: image_of(stones.opponent, symmetry),
                    };
                    assert_eq!(Key::of(stones).0, key);
                }
                let image = image_of(stones.mover, symmetry).iter().next().unwrap();
                assert_eq!(key.number() >> 25, 1 << image.index());
            }
        }
        assert_eq!(keys.len(), orbits.len());
    }
}
