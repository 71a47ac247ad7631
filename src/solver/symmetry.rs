//! The eight symmetries of the board: positions that can be turned or mirrored
//! into each other have one value.

use crate::gothello::{Move, Point, Stones};

/// One of the eight ways to lay the board on itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symmetry(u8);

/// How many there are.
const COUNT: usize = 8;

/// The board's length, as an index.
const SIZE: usize = crate::gothello::SIZE as usize;

/// A position up to symmetry: the smallest of the eight numbers that it can be
/// written as. The mover's stones are the higher 25 bits of 50.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(u64);

impl Key {
    /// How many bits a key has.
    pub const BITS: u32 = 50;

    /// The key of a position, and a symmetry that leads from the position to
    /// the board that the key describes.
    #[inline]
    pub(super) fn of(stones: Stones) -> (Key, Symmetry) {
        let mover = images(stones.mover.bits());
        let opponent = images(stones.opponent.bits());
        let mut least = u64::MAX;
        for (number, (mover, opponent)) in mover.into_iter().zip(opponent).enumerate() {
            let image = u64::from(mover) << 28 | u64::from(opponent) << 3 | number as u64;
            least = least.min(image);
        }
        (Key(least >> 3), Symmetry((least & 7) as u8))
    }

    /// The key with this number, if there is one: no point has two stones, and
    /// no symmetry gives a smaller number.
    pub(super) fn from_number(number: u64) -> Option<Key> {
        let key = Key(number);
        let stones = key.stones();
        let is_key = number >> Key::BITS == 0
            && !stones.mover.meets(stones.opponent)
            && Key::of(stones).0 == key;
        is_key.then_some(key)
    }

    /// The stones on the board that the key describes.
    pub(super) fn stones(self) -> Stones {
        let set = |bits: u64| {
            let points = Point::ALL.into_iter();
            points
                .filter(|point| bits >> point.index() & 1 != 0)
                .collect()
        };
        Stones {
            mover: set(self.0 >> 25),
            opponent: set(self.0),
        }
    }

    /// The key as a number below 2^50.
    #[inline]
    pub(super) const fn number(self) -> u64 {
        self.0
    }
}

impl Symmetry {
    /// The move that is `mv` on the board where it leads to.
    #[inline]
    pub fn apply_to(self, mv: Move) -> Move {
        match mv {
            Move::Place(point) => Move::Place(self.apply(point)),
            Move::Pass => Move::Pass,
        }
    }

    /// The move that is `image` on the board where it leads to.
    #[inline]
    pub fn undo_from(self, image: Move) -> Move {
        match image {
            Move::Place(point) => Move::Place(self.undo(point)),
            Move::Pass => Move::Pass,
        }
    }

    /// Where a point comes to lie.
    #[inline]
    pub fn apply(self, point: Point) -> Point {
        Point::ALL[usize::from(IMAGES[usize::from(self.0) % COUNT][point.index() % 25]) % 25]
    }

    /// The point that comes to lie at `image`.
    #[inline]
    pub fn undo(self, image: Point) -> Point {
        Point::ALL[usize::from(ORIGINALS[usize::from(self.0) % COUNT][image.index() % 25]) % 25]
    }
}

/// Where the point in `column` and `row` comes to lie under a symmetry: the
/// bits of its number are a mirroring left to right, one top to bottom, and one
/// on the diagonal, in this order.
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

/// The other way round.
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

/// For each row, for each of the 32 sets of points in it, what it is under each
/// symmetry: one bit a point in the order of [`Point::ALL`].
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

/// A set of points, given as its bits, under each symmetry.
#[inline]
fn images(bits: u32) -> [u32; COUNT] {
    let mut images = [0; COUNT];
    for (row, sets) in ROWS.iter().enumerate() {
        let set = bits >> (row * (SIZE + 1)) & 0b11111;
        for (image, part) in images.iter_mut().zip(&sets[set as usize]) {
            *image |= part;
        }
    }
    images
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::gothello::PointSet;

    fn all() -> [Symmetry; COUNT] {
        std::array::from_fn(|number| Symmetry(number as u8))
    }

    fn turned(set: PointSet, symmetry: Symmetry) -> PointSet {
        set.iter().map(|point| symmetry.apply(point)).collect()
    }

    #[test]
    fn there_are_eight_and_each_keeps_neighbours() {
        let mut seen = HashSet::new();
        for symmetry in all() {
            seen.insert(Point::ALL.map(|point| symmetry.apply(point)));
            for point in Point::ALL {
                assert_eq!(symmetry.undo(symmetry.apply(point)), point);
                let beside = PointSet::from(point).neighbours();
                let image = PointSet::from(symmetry.apply(point)).neighbours();
                assert_eq!(turned(beside, symmetry), image);
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
                        mover: turned(stones.mover, symmetry),
                        opponent: turned(stones.opponent, symmetry),
                    };
                    assert_eq!(Key::of(stones).0, key);
                }
                let image = turned(stones.mover, symmetry).iter().next().unwrap();
                assert_eq!(key.number() >> 25, 1 << image.index());
            }
        }
        assert_eq!(keys.len(), orbits.len());
    }
}
