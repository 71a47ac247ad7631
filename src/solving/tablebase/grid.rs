//! Rectangular boards: neighbors, symmetries, and sets of points up to symmetry.

use crate::games::gothello::{Point, PointSet, SIZE};

/// The largest number of points of a board.
const MAX_POINTS: u32 = 25;

/// The number of symmetries of a square.
const MAX_SYMMETRIES: usize = 8;

/// The number of points whose images are looked up at a time.
const PART: usize = 9;

/// A rectangular board of at most 25 points.
///
/// A point is a number: its row times the width, plus its column. A set of points is a
/// `u32` with one bit for each point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    width: u8,
    height: u8,
    /// The neighbors of each point.
    neighbors: Vec<u32>,
    /// The image of each point under each symmetry, of which the first is the identity.
    symmetries: Vec<Vec<u8>>,
    /// For each part of the points, the images of each set of its points. A rectangle has
    /// each symmetry twice.
    images: [Vec<[u32; MAX_SYMMETRIES]>; 3],
}

impl Grid {
    /// Creates a board; `None` if it has no points or more than 25.
    pub fn new(width: u8, height: u8) -> Option<Grid> {
        let points = u32::from(width) * u32::from(height);
        if !(1..=MAX_POINTS).contains(&points) {
            return None;
        }
        let (columns, rows) = (usize::from(width), usize::from(height));
        let place = |point: usize| (point % columns, point / columns);
        let all = 0..columns * rows;
        let neighbors = all.clone().map(|point| {
            let (x, y) = place(point);
            all.clone()
                .filter(|&other| {
                    let (other_x, other_y) = place(other);
                    x.abs_diff(other_x) + y.abs_diff(other_y) == 1
                })
                .fold(0, |set, other| set | 1 << other)
        });
        // The bits of a symmetry's number are a reflection in the diagonal, one top to
        // bottom, and one left to right.
        let count = if width == height { 8 } else { 4 };
        let symmetries = (0..count).map(|number| {
            let image = |point| {
                let (mut x, mut y) = place(point);
                if number & 4 != 0 {
                    (x, y) = (y, x);
                }
                if number & 2 != 0 {
                    y = rows - 1 - y;
                }
                if number & 1 != 0 {
                    x = columns - 1 - x;
                }
                (y * columns + x) as u8
            };
            all.clone().map(image).collect()
        });
        let symmetries: Vec<Vec<u8>> = symmetries.collect();
        let images = std::array::from_fn(|part| {
            let images = |set: u32| {
                let points = || elements(set << (part * PART) & all_points(points));
                std::array::from_fn(|number| {
                    let symmetry = &symmetries[number % symmetries.len()];
                    points().fold(0, |image, point| image | 1 << symmetry[point])
                })
            };
            (0..1 << PART).map(images).collect()
        });
        Some(Grid {
            width,
            height,
            neighbors: neighbors.collect(),
            symmetries,
            images,
        })
    }

    /// Creates the board of Gothello.
    pub fn gothello() -> Grid {
        // 5x5 points are not too many.
        Grid::new(SIZE, SIZE).unwrap_or_else(|| unreachable!())
    }

    /// Returns the number of columns.
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Returns the number of rows.
    pub fn height(&self) -> u8 {
        self.height
    }

    /// Returns the number of points.
    pub fn points(&self) -> u32 {
        self.neighbors.len() as u32
    }

    /// Returns the set of all points.
    pub(super) fn all(&self) -> u32 {
        all_points(self.points())
    }

    /// Converts a set of points to one of Gothello's board, of which a smaller board is the
    /// corner at a1.
    pub(super) fn point_set(&self, set: u32) -> PointSet {
        let width = usize::from(self.width);
        let point = |point| Point::new((point % width) as u8, (point / width) as u8);
        elements(set).filter_map(point).collect()
    }

    /// Returns the images of a set.
    #[inline]
    fn images(&self, set: u32) -> [u32; MAX_SYMMETRIES] {
        let mut images = [0; MAX_SYMMETRIES];
        for (part, table) in self.images.iter().enumerate() {
            let parts = &table[(set >> (part * PART)) as usize % (1 << PART)];
            for number in 0..MAX_SYMMETRIES {
                images[number] |= parts[number];
            }
        }
        images
    }

    /// Returns the points that have a neighbor in a set. They may be in the set, too.
    pub(super) fn neighbors(&self, set: u32) -> u32 {
        let mut found = 0;
        for point in elements(set) {
            found |= self.neighbors[point];
        }
        found
    }

    /// Returns the smallest image of a set, and a symmetry that leads to it.
    pub(super) fn canonical(&self, set: u32) -> (u32, Symmetry<'_>) {
        let images = self.images(set);
        let mut least = 0;
        for number in 1..self.symmetries.len() {
            if images[number] < images[least] {
                least = number;
            }
        }
        (images[least], Symmetry(&self.symmetries[least]))
    }

    /// Returns the symmetries that map a set to itself, without the identity.
    pub(super) fn stabilizer(&self, set: u32) -> impl Iterator<Item = Symmetry<'_>> {
        let images = self.images(set).into_iter().zip(&self.symmetries);
        images
            .skip(1)
            .filter(move |&(image, _)| image == set)
            .map(|(_, symmetry)| Symmetry(symmetry))
    }

    /// Returns the number of symmetries: 8 for a square, 4 for another rectangle.
    pub(super) fn symmetry_count(&self) -> usize {
        self.symmetries.len()
    }

    /// Returns the number of sets with this number of points up to symmetry.
    ///
    /// By Burnside's lemma it is the average number of sets that a symmetry leaves as they
    /// are: those that consist of whole cycles of points.
    pub(super) fn canonical_set_count(&self, count: u32) -> usize {
        let mut sum = 0;
        for symmetry in &self.symmetries {
            // The number of unions of the cycles so far, by their number of points.
            let mut unions = vec![0u64; self.symmetries[0].len() + 1];
            unions[0] = 1;
            let mut seen = 0u32;
            for first in 0..symmetry.len() {
                let (mut length, mut point) = (0, first);
                while seen >> point & 1 == 0 {
                    seen |= 1 << point;
                    length += 1;
                    point = usize::from(symmetry[point]);
                }
                if length > 0 {
                    for size in (length..unions.len()).rev() {
                        unions[size] += unions[size - length];
                    }
                }
            }
            sum += unions.get(count as usize).copied().unwrap_or(0);
        }
        (sum / self.symmetries.len() as u64) as usize
    }

    /// Returns the sets with this number of points of which no image is smaller, in
    /// ascending order.
    pub(super) fn canonical_sets(&self, count: u32) -> Vec<u32> {
        let mut sets = Vec::new();
        let mut set = all_points(count);
        while set <= self.all() {
            if self.images(set).iter().all(|&image| image >= set) {
                sets.push(set);
            }
            // The next larger number with as many ones.
            if set == 0 {
                break;
            }
            let lowest = set.trailing_zeros();
            let raised = set + (1 << lowest);
            set = raised | (raised ^ set) >> lowest >> 2;
        }
        sets
    }
}

/// Returns the set of the first points.
fn all_points(count: u32) -> u32 {
    (1 << count) - 1
}

/// A symmetry of a board: the image of each point.
#[derive(Clone, Copy, Debug)]
pub struct Symmetry<'a>(&'a [u8]);

impl Symmetry<'_> {
    /// Returns the image of a point, as a set.
    pub fn image(self, point: usize) -> u32 {
        1 << self.0[point]
    }

    /// Returns the image of a set.
    pub fn set_image(self, set: u32) -> u32 {
        let mut image = 0;
        for point in elements(set) {
            image |= self.image(point);
        }
        image
    }
}

/// Returns the points of a set in ascending order.
#[inline]
pub fn elements(set: u32) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let point = rest.trailing_zeros() as usize;
        (rest != 0).then(|| {
            rest &= rest - 1;
            point
        })
    })
}

/// Extracts the bits of `set` that `mask` selects to contiguous low bits (PEXT).
pub fn extract(set: u32, mask: u32) -> u32 {
    let mut bits = 0;
    for (place, point) in elements(mask).enumerate() {
        bits |= (set >> point & 1) << place;
    }
    bits
}

/// Deposits the low bits of `bits` at the places that `mask` selects (PDEP).
pub fn deposit(bits: u32, mask: u32) -> u32 {
    let mut set = 0;
    for (place, point) in elements(mask).enumerate() {
        set |= (bits >> place & 1) << point;
    }
    set
}

/// Converts a set of points of Gothello's board.
pub fn from_point_set(set: PointSet) -> u32 {
    set.iter().fold(0, |bits, point| bits | 1 << point.index())
}
