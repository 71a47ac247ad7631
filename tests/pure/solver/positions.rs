//! Reproducible random positions.

use gothello::{Color, Next, PointSet, Position};
use rand::RngExt;
use rand::rngs::StdRng;

/// The positions from which random games begin.
const STARTS: [&str; 5] = [
    "...../...../...../...../..... b",
    "...../...../..b../..w../..... b",
    ".b.../b..w./...../.w..b/...w. w",
    "b...w/...../...../...../w...b b",
    "...../.bw../.wb../...../..... w",
];

/// Returns a position of a random game with this many empty points.
pub fn reachable(rng: &mut StdRng, empty: u32) -> Position {
    'game: loop {
        let start = STARTS[rng.random_range(0..STARTS.len())];
        let mut position: Position = start.parse().unwrap();
        while position.empty().len() > empty {
            let points = position.placements().legal();
            // A player passes now and then, or if there is no other move.
            if points.is_empty() || rng.random_range(0..8) == 0 {
                match position.pass() {
                    Next::Continues(next) => position = next,
                    Next::Ends(_) if points.is_empty() => continue 'game,
                    Next::Ends(_) => {}
                }
                continue;
            }
            let nth = rng.random_range(0..points.len()) as usize;
            position = position.place(points.iter().nth(nth).unwrap()).unwrap();
        }
        return maybe_passed(rng, position);
    }
}

/// Returns random stones with this many empty points, where every group has a liberty.
/// Hardly any of these positions can arise in a game.
pub fn well_formed(rng: &mut StdRng, empty: u32) -> Position {
    loop {
        let mut points = PointSet::BOARD;
        let mut sets = [PointSet::EMPTY; 2];
        while points.len() > empty {
            let nth = rng.random_range(0..points.len()) as usize;
            let at = PointSet::from(points.iter().nth(nth).unwrap());
            points = points.without(at);
            // Connected stones have liberties more often.
            let sides = sets.map(|set| (at.neighbors() & set).len());
            let side = match sides[0].cmp(&sides[1]) {
                std::cmp::Ordering::Greater if rng.random_range(0..4) > 0 => 0,
                std::cmp::Ordering::Less if rng.random_range(0..4) > 0 => 1,
                _ => rng.random_range(0..2) as usize,
            };
            sets[side] |= at;
        }
        let to_move = Color::ALL[rng.random_range(0..2) as usize];
        if let Ok(position) = Position::new(sets[0], sets[1], to_move, false) {
            return maybe_passed(rng, position);
        }
    }
}

/// Returns the position, or in one of four cases the one after a pass.
fn maybe_passed(rng: &mut StdRng, position: Position) -> Position {
    match position.pass() {
        Next::Continues(next) if rng.random_range(0..4) == 0 => next,
        _ => position,
    }
}
