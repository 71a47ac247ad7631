//! Positions that are uniformly distributed over all legal ones.
//!
//! The *colorings* with n stones are the 2^n ways to color each of the C(25, n) sets of n points. They
//! are numbered, so that a random number is a random coloring. It is a position of its own if it
//! is legal and its own canonical image: every position up to symmetry has one such coloring.

use std::collections::HashSet;

use super::plan::{DrawError, Plan};
use super::stones::StoneCounts;
use crate::base::rng::Rng;
use crate::games::gothello::{Color, PointSet, Position, SIZE, Symmetry, to_least_image};
use crate::solving::solver::Control;
use crate::solving::tablebase::deposit;

/// The number of points.
const POINTS: usize = 25;

/// The number of subsets with k of n elements, in row n and column k.
const SUBSETS: [[u64; POINTS + 1]; POINTS + 1] = {
    let mut subsets = [[0; POINTS + 1]; POINTS + 1];
    let mut n = 0;
    while n <= POINTS {
        subsets[n][0] = 1;
        let mut k = 1;
        while k <= n {
            subsets[n][k] = subsets[n - 1][k - 1] + subsets[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    subsets
};

/// The number of legal positions with each number of stones up to symmetry, as the census of the
/// tablebase has counted them.
const POSITIONS: [u64; POINTS] = [
    1,
    12,
    183,
    2_444,
    25_810,
    213_204,
    1_406_750,
    7_552_680,
    33_490_564,
    123_950_988,
    385_575_737,
    1_012_070_852,
    2_244_372_740,
    4_199_570_112,
    6_604_667_225,
    8_671_605_248,
    9_408_569_624,
    8_313_610_874,
    5_860_462_702,
    3_199_605_234,
    1_294_677_664,
    362_092_034,
    61_870_098,
    4_943_834,
    72_141,
];

/// The number of colorings between two looks at the stop flag.
const COLORINGS_AT_ONCE: u64 = 1 << 16;

/// Returns the number of legal positions with these numbers of stones: up to symmetry, without
/// regard to a preceding pass and to which color is to move.
pub fn position_count(stones: StoneCounts) -> u64 {
    stones
        .iter()
        .filter_map(|stones| POSITIONS.get(usize::from(stones)))
        .sum()
}

/// Draws positions.
pub fn draw_uniform(plan: &Plan, control: &Control<'_>) -> Result<Vec<Position>, DrawError> {
    let all = position_count(plan.stones);
    if plan.positions as u64 > all {
        return Err(DrawError::TooFew {
            stones: plan.stones,
            wanted: plan.positions,
            found: usize::try_from(all).unwrap_or(usize::MAX),
        });
    }
    let colorings = Colorings::new(plan.stones);
    let mut rng = Rng::new(plan.seed);
    let is_over = |tried: u64| tried.is_multiple_of(COLORINGS_AT_ONCE) && control.is_over();
    // Of more than half of all positions, most draws would be of those that are there.
    if plan.positions as u64 > all / 2 {
        let mut positions = Vec::new();
        for number in 0..colorings.count {
            if is_over(number) {
                return Err(DrawError::Stopped);
            }
            positions.extend(colorings.position(number));
        }
        rng.shuffle(&mut positions);
        positions.truncate(plan.positions);
        return Ok(positions);
    }
    let mut positions = Vec::new();
    let (mut seen, mut tried) = (HashSet::new(), 0_u64);
    while positions.len() < plan.positions {
        tried += 1;
        if is_over(tried) {
            return Err(DrawError::Stopped);
        }
        let drawn = colorings.position(rng.below_u64(colorings.count));
        positions.extend(drawn.filter(|position| seen.insert(position.key())));
    }
    Ok(positions)
}

/// The colorings with some numbers of stones.
struct Colorings {
    stones: StoneCounts,
    count: u64,
}

impl Colorings {
    fn new(stones: StoneCounts) -> Colorings {
        let count = stones.iter().map(Colorings::count_of).sum();
        Colorings { stones, count }
    }

    /// Returns the number of colorings with this number of stones.
    fn count_of(stones: u8) -> u64 {
        SUBSETS[POINTS][usize::from(stones)] << stones
    }

    /// Returns the position of the coloring with this number; `None` if it is not legal, or not its
    /// own canonical image.
    fn position(&self, number: u64) -> Option<Position> {
        let mut rest = number;
        let stones = self.stones.iter().find(|&stones| {
            let count = Colorings::count_of(stones);
            let is_there = rest < count;
            if !is_there {
                rest -= count;
            }
            is_there
        })?;
        let occupied = subset(stones, rest >> stones);
        // The lowest bits color the points.
        let mover = deposit(rest as u32, occupied);
        let (mover, opponent) = (points(mover)?, points(occupied & !mover)?);
        let is_least = to_least_image(opponent, mover) == Symmetry::ALL[0];
        is_least.then(|| Position::new(mover, opponent, Color::Black, false).ok())?
    }
}

/// Returns the subset of this many points with a number below [`SUBSETS`], in the order of the
/// largest element, then of the next one.
fn subset(count: u8, number: u64) -> u32 {
    let (mut left, mut rest, mut set) = (usize::from(count), number, 0);
    for point in (0..POINTS).rev() {
        let without = SUBSETS[point][left];
        if left > 0 && rest >= without {
            rest -= without;
            left -= 1;
            set |= 1 << point;
        }
    }
    set
}

/// Returns the points whose indexes are the bits of a number.
fn points(set: u32) -> Option<PointSet> {
    let size = u32::from(SIZE);
    let row = |row: u32| (set >> (row * size) & ((1 << size) - 1)) << (row * (size + 1));
    PointSet::from_bits((0..size).map(row).sum())
}
