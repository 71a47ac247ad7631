//! Random boards, always the same ones.

use crate::gothello::{PointSet, Stones};

pub use super::splitmix::Random;

impl Random {
    /// Any point of a set that is not empty.
    pub fn point_of(&mut self, set: PointSet) -> PointSet {
        let nth = self.below(set.len()) as usize;
        let point = set.iter().nth(nth);
        point.map_or(PointSet::EMPTY, PointSet::from)
    }

    /// Stones with so many empty points between them; every group has a
    /// liberty, and stones of a colour often stick together.
    pub fn stones(&mut self, empty: u32) -> Stones {
        loop {
            let mut rest = PointSet::BOARD;
            let mut sets = [PointSet::EMPTY; 2];
            while rest.len() > empty {
                let at = self.point_of(rest);
                rest = rest.without(at);
                let [one, other] = sets.map(|set| (at.neighbours() & set).len());
                let side = if one == other || self.below(4) == 0 {
                    self.below(2)
                } else {
                    u32::from(one < other)
                };
                sets[side as usize] |= at;
            }
            let alive = |set: PointSet| rest.neighbours().flood(set) == set;
            if sets.into_iter().all(alive) {
                let [mover, opponent] = sets;
                return Stones { mover, opponent };
            }
        }
    }
}
