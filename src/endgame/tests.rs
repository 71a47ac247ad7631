//! The board and its numbers, which nobody outside sees.

use proptest::prelude::*;

use super::MAX_STONES;
use super::board::{Board, Reached};
use super::index::{count, count_below};
use crate::awari::{Ending, Next, Player, Position, STONES, Scores, Variant};

/// A board with up to [`MAX_STONES`] stones: each falls into some pit.
fn board() -> impl Strategy<Value = Board> {
    let pits = prop::collection::vec(0..12_usize, 0..=usize::from(MAX_STONES));
    pits.prop_map(|pits| {
        let mut counts = [0; 12];
        for pit in pits {
            counts[pit] += 1;
        }
        Board::of_pits(&counts, Player::North).unwrap()
    })
}

/// A position with the board, in which nobody can come to have 25 stones by a
/// move of `mover`.
fn position(board: Board, mover: Player) -> Option<Position> {
    let scores = Scores::default();
    let scores = scores.plus(mover, STONES / 2 - board.stones());
    let scores = scores.plus(mover.opponent(), STONES / 2);
    Position::new(board.pits(mover), scores, mover).ok()
}

/// Where the rules say that the legal moves lead.
fn by_the_rules(position: &Position, variant: Variant) -> Vec<Reached> {
    let (mover, before) = (position.to_move(), position.scores());
    let reached = |pit| match position.sow(pit, variant).unwrap() {
        Next::Continues(next) => Reached::Next(Board::of(&next).unwrap()),
        Next::Ends(outcome) if outcome.ending == Ending::GrandSlam => {
            Reached::End(outcome.scores.of(mover) - before.of(mover))
        }
        // The opponent has no stones, and the rest is the mover's: which stones
        // these are is not told.
        Next::Ends(outcome) => {
            assert_eq!(outcome.ending, Ending::NoMove);
            Reached::End(outcome.scores.of(mover) - before.of(mover))
        }
    };
    position.legal_moves(variant).map(reached).collect()
}

/// The same, where a board that is over is an end.
fn ended(reached: Reached, stones: u8) -> Reached {
    match reached {
        Reached::Next(next) if next.is_over() => Reached::End(stones),
        reached => reached,
    }
}

proptest! {
    #[test]
    fn moves_are_those_of_the_rules(board in board(), south in any::<bool>()) {
        let mover = if south { Player::South } else { Player::North };
        let Some(position) = position(board, mover) else {
            prop_assert!(board.is_over());
            prop_assert!(board.moves(Default::default()).is_empty());
            return Ok(());
        };
        prop_assert_eq!(Board::of(&position), Some(board));
        for variant in Variant::all() {
            let expected = by_the_rules(&position, variant);
            let moves = board.moves(variant.grand_slam).into_iter();
            let mut moves: Vec<Reached> = moves.map(|reached| ended(reached, board.stones())).collect();
            // Here they may be in another order: what is bad comes last.
            let mut expected = expected;
            let key = |reached: &Reached| format!("{reached:?}");
            moves.sort_by_key(key);
            expected.sort_by_key(key);
            prop_assert_eq!(moves, expected, "{} {:?}", position, variant);
        }
    }

    #[test]
    fn the_boards_before_are_found(board in board()) {
        for variant in Variant::all() {
            for reached in board.moves(variant.grand_slam) {
                if let Reached::Next(next) = reached && next.stones() == board.stones() {
                    let mut is_found = false;
                    next.before(|before| {
                        assert_eq!(before.stones(), board.stones());
                        is_found |= before == board;
                    });
                    prop_assert!(is_found, "{:?} {:?}", board, next);
                }
            }
        }
    }

    #[test]
    fn a_board_has_the_number_that_it_is_made_from(board in board()) {
        let number = board.number();
        prop_assert!(number < count(board.stones()));
        prop_assert_eq!(Board::of_number(board.stones(), number), board);
        prop_assert_eq!(board.mine(), board.pits(Player::North)[..6].iter().sum::<u8>());
        prop_assert_eq!(board.turned().turned(), board);
        match board.next() {
            Some(next) => prop_assert_eq!(next.number(), number + 1),
            None => prop_assert_eq!(number + 1, count(board.stones())),
        }
    }
}

#[test]
fn every_number_is_that_of_one_board() {
    for stones in 0..=6 {
        let mut board = Some(Board::of_number(stones, 0));
        let mut number = 0;
        while let Some(this) = board {
            assert_eq!((this.stones(), this.number()), (stones, number));
            assert_eq!(Board::of_number(stones, number), this);
            number += 1;
            board = this.next();
        }
        assert_eq!(number, count(stones));
        assert_eq!(count_below(stones + 1), count_below(stones) + number);
    }
    assert_eq!(count_below(18), 51_895_935);
}
