//! Perft: counting the leaves of the game tree, to test and to time move generation.

use std::hint::black_box;

use super::{Move, Next, Position};

/// Returns the number of leaves of the game tree below `position` at `depth` plies.
///
/// A pass counts as a move. A game that ends counts as one leaf at the depth where
/// it ends and as none deeper. Every leaf's move is made: nothing is counted from
/// only the number of legal moves.
///
/// ```
/// use gothello::Position;
/// use gothello::games::gothello::perft;
/// assert_eq!(perft(&Position::START, 2), 651);
/// ```
#[inline]
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth.checked_sub(1) {
        // The leaf must be computed although it is unused.
        None => {
            black_box(position);
            1
        }
        Some(rest) => below(position, rest),
    }
}

/// Returns the number of leaves below each legal move of `position`, to compare two
/// programs move by move. Their sum is [`perft`] of the same depth. With depth 0 the list
/// is empty.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let placements = position
        .children()
        .map(|(point, child)| (Move::Place(point), perft(&child, rest)));
    placements
        .chain([(Move::Pass, after_pass(position, rest))])
        .collect()
}

/// The leaves `rest` plies below every move. (A function of its own, so that a
/// leaf costs no call. Plain loops are faster than one over [`Position::children`].)
fn below(position: &Position, rest: u32) -> u64 {
    let mut sum = after_pass(position, rest);
    let placements = position.placements();
    match rest.checked_sub(1) {
        None => {
            for point in placements.legal() {
                // The placement must be computed although it is unused.
                black_box(placements.place_legal(point.into()));
                sum += 1;
            }
        }
        Some(rest) => {
            for point in placements.legal() {
                let child = position.after(placements.place_legal(point.into()));
                sum += below(&child, rest);
            }
        }
    }
    sum
}

/// The leaves `depth` plies below a pass in `position`.
fn after_pass(position: &Position, depth: u32) -> u64 {
    match position.pass() {
        Next::Continues(child) => perft(&child, depth),
        Next::Ends(outcome) => {
            black_box(outcome);
            u64::from(depth == 0)
        }
    }
}
