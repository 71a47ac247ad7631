//! Reproducible random positions.

use gothello::{Color, Next, PointSet, Position};

pub use crate::random::Random;

/// The positions from which random games begin.
const STARTS: [&str; 5] = [
    "...../...../...../...../..... b",
    "...../...../..b../..w../..... b",
    ".b.../b..w./...../.w..b/...w. w",
    "b...w/...../...../...../w...b b",
    "...../.bw../.wb../...../..... w",
];

/// Returns a position of a random game with this many empty points.
pub fn reachable(random: &mut Random, empty: u32) -> Position {
    'game: loop {
        let start = STARTS[random.below(STARTS.len() as u32) as usize];
        let mut position: Position = start.parse().unwrap();
        while position.empty().len() > empty {
            let points = position.placements().legal();
            // A player passes now and then, or if there is no other move.
            if points.is_empty() || random.below(8) == 0 {
                match position.pass() {
                    Next::Continues(next) => position = next,
                    Next::Ends(_) if points.is_empty() => continue 'game,
                    Next::Ends(_) => {}
                }
                continue;
            }
            let nth = random.below(points.len()) as usize;
            position = position.place(points.iter().nth(nth).unwrap()).unwrap();
        }
        return maybe_passed(random, position);
    }
}

/// Returns random stones with this many empty points, where every group has a liberty.
/// Hardly any of these positions can arise in a game.
pub fn well_formed(random: &mut Random, empty: u32) -> Position {
    loop {
        let mut points = PointSet::BOARD;
        let mut sets = [PointSet::EMPTY; 2];
        while points.len() > empty {
            let nth = random.below(points.len()) as usize;
            let at = PointSet::from(points.iter().nth(nth).unwrap());
            points = points.without(at);
            // Connected stones have liberties more often.
            let sides = sets.map(|set| (at.neighbors() & set).len());
            let side = match sides[0].cmp(&sides[1]) {
                std::cmp::Ordering::Greater if random.below(4) > 0 => 0,
                std::cmp::Ordering::Less if random.below(4) > 0 => 1,
                _ => random.below(2) as usize,
            };
            sets[side] |= at;
        }
        let to_move = Color::ALL[random.below(2) as usize];
        if let Ok(position) = Position::new(sets[0], sets[1], to_move, false) {
            return maybe_passed(random, position);
        }
    }
}

/// Returns the position, or in one of four cases the one after a pass.
fn maybe_passed(random: &mut Random, position: Position) -> Position {
    match position.pass() {
        Next::Continues(next) if random.below(4) == 0 => next,
        _ => position,
    }
}
