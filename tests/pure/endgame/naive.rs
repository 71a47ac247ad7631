//! A second implementation of the bounds, directly from the documentation of the module: in
//! full sweeps over a map of boards, with moves by [`Position::sow`].

use std::collections::HashMap;

use gothello::awari::{Next, Pit, Player, Position, Repetition, STONES, Scores, Variant};
use gothello::endgame::Bounds;

use super::database;

/// The stones in the pits, those of the player to move first.
pub type Pits = [u8; 12];

/// Returns the position with South to move in which no move of South reaches 25 stones;
/// `None` if South has no stones.
pub fn position(pits: &Pits) -> Option<Position> {
    let mut turned = *pits;
    turned.rotate_left(6);
    let stones = pits.iter().sum::<u8>();
    let scores = Scores {
        south: STONES / 2 - stones,
        north: STONES / 2,
    };
    Position::new(turned, scores, Player::South).ok()
}

/// Returns the captures of each legal move of South and the board after it as North sees
/// it; `None` if the game is over, and then the captures are all that South gets.
pub fn moves(position: &Position, variant: Variant) -> Vec<(Pit, u8, Option<Pits>)> {
    let before = position.scores().south;
    let after = |pit| match position.sow(pit, variant).unwrap() {
        Next::Continues(next) => (pit, next.scores().south - before, Some(*next.pits())),
        Next::Ends(outcome) => (pit, outcome.scores.south - before, None),
    };
    position.legal_moves(variant).map(after).collect()
}

/// Returns every board with this many stones.
pub fn boards(stones: u8) -> Vec<Pits> {
    let mut boards = vec![[0; 12]];
    for pit in 0..12 {
        let more = |board: &Pits| {
            let rest = stones - board.iter().sum::<u8>();
            let with = |count| {
                let mut board = *board;
                board[pit] = count;
                board
            };
            // The last pit holds the rest.
            let least = if pit == 11 { rest } else { 0 };
            (least..=rest).map(with).collect::<Vec<_>>()
        };
        boards = boards.iter().flat_map(more).collect();
    }
    boards
}

type Known = HashMap<Pits, Bounds>;

/// Returns the bounds of a board that follow from those after its moves.
fn step(board: &Pits, known: &Known, variant: Variant) -> Option<Bounds> {
    let position = position(board)?;
    let stones = board.iter().sum::<u8>();
    let of = |(_, captured, next): (Pit, u8, Option<Pits>)| match next {
        None => (captured, captured),
        Some(next) => (stones - known[&next].high, stones - known[&next].low),
    };
    let all: Vec<(u8, u8)> = moves(&position, variant).into_iter().map(of).collect();
    Some(Bounds {
        low: all.iter().map(|&(low, _)| low).max().unwrap(),
        high: all.iter().map(|&(_, high)| high).max().unwrap(),
    })
}

/// Updates the bounds of all boards until nothing changes.
fn repeat(
    boards: &[Pits],
    known: &mut Known,
    variant: Variant,
    merge: fn(Bounds, Bounds) -> Bounds,
) {
    loop {
        let new = boards.iter().filter_map(|board| {
            let bounds = merge(known[board], step(board, known, variant)?);
            Some((*board, bounds))
        });
        let new: Vec<(Pits, Bounds)> = new.collect();
        let changes = new.iter().filter(|(board, bounds)| known[board] != *bounds);
        if changes.count() == 0 {
            break;
        }
        known.extend(new);
    }
}

/// Computes the bounds of every board with up to this many stones.
fn solve(variant: Variant, stones: u8) -> Known {
    let mut known = Known::new();
    for stones in 0..=stones {
        let boards = boards(stones);
        for board in &boards {
            let mine = board[..6].iter().sum();
            let (low, high) = match variant.repetition {
                _ if mine == 0 => (0, 0),
                Repetition::Claim => (mine, mine),
                Repetition::Discard => (stones / 2, stones - stones / 2),
            };
            known.insert(*board, Bounds { low, high });
        }
        repeat(&boards, &mut known, variant, |old, new| Bounds {
            low: old.low.min(new.low),
            high: old.high.max(new.high),
        });
        repeat(&boards, &mut known, variant, |old, new| Bounds {
            low: old.low.max(new.low),
            high: old.high.min(new.high),
        });
    }
    known
}

/// Compares every board with up to this many stones.
fn compare(variant: Variant, stones: u8) {
    let database = database(variant, stones);
    let known = solve(variant, stones);
    assert_eq!(known.len(), database.len());
    for (board, bounds) in known {
        let found = database.look_up_pits(&board, Player::North);
        assert_eq!(found, Some(bounds), "{board:?}, {variant:?}");
        if let Some(position) = position(&board) {
            assert_eq!(database.look_up(&position), Some(bounds), "{position}");
        }
    }
}

#[test]
fn all_bounds_up_to_2_or_3_stones_agree() {
    for variant in Variant::all() {
        compare(variant, if cfg!(debug_assertions) { 2 } else { 3 });
    }
}

#[test]
#[ignore = "takes a quarter of a minute, optimized"]
fn all_bounds_up_to_6_stones_agree() {
    for variant in Variant::all() {
        compare(variant, 6);
    }
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let stones = if cfg!(debug_assertions) { 5 } else { 8 };
    let of = |threads| {
        let stop = std::sync::atomic::AtomicBool::new(false);
        gothello::endgame::Database::build(Variant::default(), stones, threads, &stop)
    };
    assert!(of(1) == of(5));
}
