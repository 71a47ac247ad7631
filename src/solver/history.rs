//! The history heuristic: a placement that caused cutoffs elsewhere is searched earlier.

use crate::gothello::{Point, PointSet};

/// The largest absolute value of an entry.
const MAX: i32 = 8192;

/// An entry divided by this is added to the move ordering score.
const SCALE: i32 = 64;

/// For each player and point, how well placements there did in the search so far.
pub(super) struct History {
    /// From `-MAX` to `MAX`, in the order of [`Point::ALL`].
    entries: [[i32; Point::ALL.len()]; 2],
}

impl History {
    pub fn new() -> History {
        History {
            entries: [[0; Point::ALL.len()]; 2],
        }
    }

    /// Returns what to add to the move ordering score of a placement by the player to move
    /// at this ply, -128 to 128.
    #[inline]
    pub fn score(&self, ply: usize, point: Point) -> i32 {
        self.entries[ply % 2][point.index() % Point::ALL.len()] / SCALE
    }

    /// Records a cutoff at this ply of a position with this many empty points: by a
    /// placement at `best`, or by a pass, after placements at `failed` had been searched.
    ///
    /// Cutoffs with more empty points count more, since their subtrees are larger. Each
    /// step moves an entry a part of the way to its limit, so that old cutoffs fade.
    pub fn record(&mut self, ply: usize, empty: u32, best: Option<Point>, failed: PointSet) {
        let entries = &mut self.entries[ply % 2];
        let weight = (4 * empty * empty) as i32;
        let mut update = |point: Point, limit: i32| {
            let entry = &mut entries[point.index() % Point::ALL.len()];
            *entry += (limit - *entry) * weight / MAX;
        };
        for point in failed.iter() {
            update(point, -MAX);
        }
        if let Some(point) = best {
            update(point, MAX);
        }
    }
}
