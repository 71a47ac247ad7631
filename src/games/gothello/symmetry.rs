//! The eight symmetries of the board.

use super::{Move, Point, PointSet};

/// One of the eight symmetries of the square: rotations and reflections.
///
/// Positions that are images of each other have the same value.
///
/// ```
/// use gothello::{Position, Symmetry};
///
/// let position: Position = "...../...../...../.b.../..w.. b".parse()?;
/// let symmetry = Symmetry::ALL[1];
/// assert_eq!(symmetry.apply("b2".parse()?).to_string(), "d2");
/// let image = position.image(symmetry);
/// assert_eq!(image.to_string(), "...../...../...../...b./..w.. b");
/// assert_eq!(image.solve(), position.solve());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

/// The number of symmetries.
const COUNT: usize = 8;

/// The number of rows and columns.
const SIZE: usize = super::SIZE as usize;

impl Symmetry {
    /// All symmetries; the first leaves every point where it is.
    pub const ALL: [Symmetry; COUNT] = {
        let mut all = [Symmetry(0); COUNT];
        let mut number = 0;
        while number < COUNT {
            all[number] = Symmetry(number as u8);
            number += 1;
        }
        all
    };

    /// Returns the image of a set of points.
    pub fn apply_to_set(self, set: PointSet) -> PointSet {
        set.iter().map(|point| self.apply(point)).collect()
    }

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

/// Returns the image of a set of points under each symmetry in the order of [`Symmetry::ALL`],
/// with one bit for each point in the order of [`Point::ALL`].
#[inline]
pub(crate) fn images(set: PointSet) -> [u32; COUNT] {
    let bits = set.bits();
    let mut images = [0; COUNT];
    for (row, sets) in ROWS.iter().enumerate() {
        let parts = &sets[(bits >> (row * (SIZE + 1)) & 0b11111) as usize];
        for number in 0..COUNT {
            images[number] |= parts[number];
        }
    }
    images
}

/// Returns the first symmetry that leads to the smallest image of two sets of points, the first of
/// which counts first.
#[inline]
pub(crate) fn to_least_image(first: PointSet, second: PointSet) -> Symmetry {
    let (first, second) = (images(first), images(second));
    let mut least = 0;
    for number in 1..COUNT {
        if (first[number], second[number]) < (first[least], second[least]) {
            least = number;
        }
    }
    Symmetry(least as u8)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_eight_and_each_preserves_adjacency() {
        let mut seen = HashSet::new();
        for symmetry in Symmetry::ALL {
            seen.insert(Point::ALL.map(|point| symmetry.apply(point)));
            for point in Point::ALL {
                assert_eq!(symmetry.undo(symmetry.apply(point)), point);
                let beside = PointSet::from(point).neighbors();
                let image = PointSet::from(symmetry.apply(point)).neighbors();
                assert_eq!(symmetry.apply_to_set(beside), image);
            }
        }
        assert_eq!(seen.len(), COUNT);
    }
}
