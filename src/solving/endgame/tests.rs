//! Unit tests of boards and their indices.

use proptest::prelude::*;

use super::MAX_STONES;
use super::board::{Board, Successor};
use crate::games::awari::{EndReason, GrandSlam, Next, Player, Position, STONES, Scores, Variant};

/// Generates boards with up to [`MAX_STONES`] stones, each in a random pit.
fn board() -> impl Strategy<Value = Board> {
    let pits = prop::collection::vec(0..12_usize, 0..=usize::from(MAX_STONES));
    pits.prop_map(|pits| {
        let mut counts = [0; 12];
        for pit in pits {
            counts[pit] += 1;
        }
        Board::from_pits(&counts, Player::North).unwrap()
    })
}

/// Returns a position with the board in which no move of `mover` reaches 25 stones.
fn position(board: Board, mover: Player) -> Option<Position> {
    let scores = Scores::default();
    let scores = scores.plus(mover, STONES / 2 - board.stones());
    let scores = scores.plus(mover.opponent(), STONES / 2);
    Position::new(board.pits(mover), scores, mover).ok()
}

/// Returns the results of the legal moves according to the rules.
fn by_the_rules(position: &Position, variant: Variant) -> Vec<Successor> {
    let (mover, before) = (position.to_move(), position.scores());
    let result = |pit| match position.sow(pit, variant).unwrap() {
        Next::Continues(next) => Successor::Board(Board::from_position(&next).unwrap()),
        Next::Ends(outcome) if outcome.ending == EndReason::GrandSlam => {
            Successor::End(outcome.scores.of(mover) - before.of(mover))
        }
        // The opponent has no stones, and the rest is the mover's.
        Next::Ends(outcome) => {
            assert_eq!(outcome.ending, EndReason::NoMove);
            Successor::End(outcome.scores.of(mover) - before.of(mover))
        }
    };
    position.legal_moves(variant).map(result).collect()
}

/// Turns a board on which the game is over into an end.
fn ended(successor: Successor, stones: u8) -> Successor {
    match successor {
        Successor::Board(next) if next.is_over() => Successor::End(stones),
        successor => successor,
    }
}

fn successors(board: Board, rule: GrandSlam) -> Vec<Successor> {
    let mut successors = Vec::new();
    board.successors(rule, |successor| successors.push(successor));
    successors
}

proptest! {
    #[test]
    fn moves_are_those_of_the_rules(board in board(), south in any::<bool>()) {
        let mover = if south { Player::South } else { Player::North };
        let Some(position) = position(board, mover) else {
            prop_assert!(board.is_over());
            prop_assert!(successors(board, Default::default()).is_empty());
            return Ok(());
        };
        prop_assert_eq!(Board::from_position(&position), Some(board));
        for variant in Variant::all() {
            let expected = by_the_rules(&position, variant);
            let moves = successors(board, variant.grand_slam).into_iter();
            let mut moves: Vec<Successor> = moves.map(|successor| ended(successor, board.stones())).collect();
            // The order may differ.
            let mut expected = expected;
            let key = |successor: &Successor| format!("{successor:?}");
            moves.sort_by_key(key);
            expected.sort_by_key(key);
            prop_assert_eq!(moves, expected, "{} {:?}", position, variant);
        }
    }

    #[test]
    fn predecessors_are_found(board in board()) {
        for variant in Variant::all() {
            for successor in successors(board, variant.grand_slam) {
                if let Successor::Board(next) = successor && next.stones() == board.stones() {
                    let mut is_found = false;
                    next.predecessors(|before| {
                        assert_eq!(before.stones(), board.stones());
                        is_found |= before == board;
                    });
                    prop_assert!(is_found, "{:?} {:?}", board, next);
                }
            }
        }
    }

    #[test]
    fn an_index_determines_its_board(board in board()) {
        let index = board.index();
        prop_assert!(index < Board::count(board.stones()));
        prop_assert_eq!(Board::from_index(board.stones(), index), board);
        prop_assert_eq!(board.mover_stones(), board.pits(Player::North)[..6].iter().sum::<u8>());
        prop_assert_eq!(board.swapped().swapped(), board);
        match board.next() {
            Some(next) => prop_assert_eq!(next.index(), index + 1),
            None => prop_assert_eq!(index + 1, Board::count(board.stones())),
        }
    }
}

#[test]
fn the_indices_of_a_layer_are_consecutive() {
    for stones in 0..=6 {
        let mut board = Some(Board::from_index(stones, 0));
        let mut index = 0;
        while let Some(this) = board {
            assert_eq!((this.stones(), this.index()), (stones, index));
            assert_eq!(Board::from_index(stones, index), this);
            index += 1;
            board = this.next();
        }
        assert_eq!(index, Board::count(stones));
        assert_eq!(
            Board::count_below(stones + 1),
            Board::count_below(stones) + index
        );
    }
    assert_eq!(Board::count_below(18), 51_895_935);
}
