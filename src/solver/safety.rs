//! Stones that can never be captured, in the manner of Benson.
//!
//! In Go a group lives unconditionally with two eyes. In Gothello one is
//! enough, because a stone must have a liberty *before* it captures
//! (Massey's rules page: "one eye lives").

use itertools::Itertools;

use crate::gothello::PointSet;

/// Of the stones of one colour, those that stay that colour for ever if its
/// player only passes from now on, whatever the other player does; `empty` is
/// the empty points.
///
/// Let X be a set of groups of the colour. The points that are not in X fall
/// into connected regions, which X encloses. Suppose that each group of X has a
/// region, its eye, that holds at least one empty point and whose empty points
/// are all liberties of the group. Then no group of X is ever captured. Take
/// the first that is: before that, all of X stands, and its eye is enclosed as
/// it was. The last empty point of the eye must have been filled, and only the
/// enemy places stones. But that stone's group lies within the eye, where no
/// liberty is left, so that it could not be placed.
///
/// What is returned is the largest such X: groups that have no eye are dropped
/// from all groups until each has one.
pub fn safe_stones(stones: PointSet, empty: PointSet) -> PointSet {
    let mut safe = stones;
    loop {
        // Stones of the colour that are not safe may be captured and then be
        // part of the enemy's group: they are no walls, and no liberties.
        let regions = (!safe).groups().filter(|region| region.meets(empty));
        let regions = regions.collect_vec();
        let has_eye = |group: &PointSet| {
            let liberties = group.neighbours() & empty;
            regions
                .iter()
                .any(|&region| (region & empty).without(liberties).is_empty())
        };
        let next = safe
            .groups()
            .filter(has_eye)
            .fold(PointSet::EMPTY, |set, group| set | group);
        if next == safe {
            return safe;
        }
        safe = next;
    }
}
