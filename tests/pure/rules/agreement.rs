//! The fast rules against the naive ones, move by move.

use gothello::{
    Color, Game, Move, Next, Outcome, Placements, PlayError, Point, PointSet, Position, Status,
    Stones,
};
use proptest::prelude::*;

use super::naive::{self, Board, Player, SquareVal, Transition};
use super::{any_color, any_stones};
use crate::cases::cases;

fn player(color: Color) -> Player {
    match color {
        Color::Black => Player::Black,
        Color::White => Player::White,
    }
}

fn square(point: Point) -> naive::Square {
    (point.column() + 1, point.row() + 1)
}

fn point((column, row): naive::Square) -> Point {
    Point::new(column - 1, row - 1).unwrap()
}

fn naive_move(mv: Move) -> naive::Move {
    match mv {
        Move::Place(point) => naive::Move::Move(square(point)),
        Move::Pass => naive::Move::Pass,
    }
}

fn naive_outcome(outcome: Outcome) -> naive::Outcome {
    match outcome {
        Outcome::Drawn => naive::Outcome::Draw,
        Outcome::Won { winner, .. } => naive::Outcome::Win(player(winner)),
    }
}

/// The naive board of some stones on the 5x5 board.
fn naive_board(black: PointSet, white: PointSet) -> Board {
    Board::from_fn(5, 5, |square| {
        if black.contains(point(square)) {
            SquareVal::Stone(Player::Black)
        } else if white.contains(point(square)) {
            SquareVal::Stone(Player::White)
        } else {
            SquareVal::Blank
        }
    })
}

/// The squares of a naive board with a value, as points of the 5x5 board.
fn squares_with(board: &Board, value: SquareVal) -> PointSet {
    let squares = board.squares().filter(|&square| board.at(square) == value);
    squares.map(point).collect()
}

/// Compares everything that the fast rules say of any stones, legal or not, on any board with the
/// naive rules. The next turn, passes and the end do not concern the raw tier.
fn assert_placements_agree(board: &Board, to_move: Player) {
    let side = |player| squares_with(board, SquareVal::Stone(player));
    let (mover, opponent) = (side(to_move), side(naive::opponent(to_move)));
    let empty = squares_with(board, SquareVal::Blank);
    let stones = Stones { mover, opponent };
    let placements = Placements::new(stones, empty);
    let game = naive::Game::from_parts(board.clone(), to_move, false);
    for square in board.squares() {
        let (transition, after, _) = naive::only_turn(&game, naive::Move::Move(square));
        let expected = (transition == Transition::Move).then(|| {
            let board = &after.position.board;
            Stones {
                mover: squares_with(board, SquareVal::Stone(naive::opponent(to_move))),
                opponent: squares_with(board, SquareVal::Stone(to_move)),
            }
        });
        assert_eq!(
            stones.place(point(square), empty),
            expected,
            "{board} {square:?}"
        );
        assert_eq!(
            placements.legal().contains(point(square)),
            expected.is_some(),
            "{board} {square:?}"
        );
        let turned = expected.map(|after| opponent & after.opponent);
        assert_eq!(
            placements.captures(point(square)),
            turned,
            "{board} {square:?}"
        );
        if let Some(stones) = expected {
            let point = point(square);
            let next = Placements::new(stones, empty.without(point.into()));
            let placed = placements.after(point);
            assert_eq!(placed.next, next, "{board} {square:?}");
            assert_eq!(Some(placed.captured), turned, "{board} {square:?}");
            assert_eq!(
                placed.group,
                PointSet::from(point).flood(stones.opponent),
                "{board} {square:?}"
            );
        }
    }
}

/// Compares the checked tier with the naive rules: legal moves, the position after each, and the
/// result.
fn assert_position_agrees(position: &Position) {
    let [black, white] = Color::ALL.map(|color| position.stones_of(color));
    let game = naive::Game::from_parts(
        naive_board(black, white),
        player(position.to_move()),
        position.after_pass(),
    );
    let legal: Vec<_> = position.legal_moves().map(naive_move).collect();
    let mut expected = naive::legal_moves(&game);
    expected.sort_by_key(|mv| match *mv {
        naive::Move::Move((column, row)) => (row, column),
        naive::Move::Pass => (u8::MAX, 0),
    });
    assert_eq!(legal, expected, "{position}");
    for mv in Point::ALL.into_iter().map(Move::Place).chain([Move::Pass]) {
        let (_, after, result) = naive::only_turn(&game, naive_move(mv));
        match position.play(mv) {
            Err(_) => assert_eq!(result, naive::Outcome::IllegalMove, "{position} {mv}"),
            Ok(Next::Ends(outcome)) => {
                assert_eq!(result, naive_outcome(outcome), "{position} {mv}")
            }
            Ok(Next::Continues(next)) => {
                assert_eq!(result, naive::Outcome::NotDone, "{position} {mv}");
                let [black, white] = Color::ALL.map(|color| next.stones_of(color));
                assert_eq!(
                    naive_board(black, white),
                    after.position.board,
                    "{position} {mv}"
                );
                assert_eq!(
                    player(next.to_move()),
                    after.position.to_move,
                    "{position} {mv}"
                );
                assert_eq!(next.after_pass(), mv == Move::Pass, "{position} {mv}");
            }
        }
    }
}

/// The sizes that can be enumerated completely: up to 3x3, and strips of up to as many squares.
fn small_sizes(most: u8) -> impl Iterator<Item = (u8, u8)> {
    let sizes = (1..=5).flat_map(|columns| (1..=5).map(move |rows| (columns, rows)));
    sizes.filter(move |&(columns, rows)| columns * rows <= most)
}

/// On every board of a size, for both players, with and without a pass before,
/// exactly one of the five transitions applies to each move: `only_turn`
/// panics otherwise.
fn assert_one_transition_applies(columns: u8, rows: u8) {
    for board in Board::all(columns, rows) {
        for to_move in [Player::Black, Player::White] {
            for passed in [false, true] {
                let game = naive::Game::from_parts(board.clone(), to_move, passed);
                for mv in naive::all_moves(&board) {
                    naive::only_turn(&game, mv);
                }
            }
        }
    }
}

#[test]
fn the_five_transitions_are_disjoint_and_complete_on_small_boards() {
    for (columns, rows) in small_sizes(6) {
        assert_one_transition_applies(columns, rows);
    }
}

#[test]
#[ignore = "takes half a minute, optimized"]
fn the_five_transitions_are_disjoint_and_complete_up_to_nine_points() {
    for (columns, rows) in small_sizes(9) {
        assert_one_transition_applies(columns, rows);
    }
}

#[test]
fn two_transitions_overlap_as_the_paper_prints_them() {
    let mut game = naive::Game::new(5, 5);
    // The fifth column's squares 4 and 5, and the fourth's 5, which captures.
    for square in [(5, 4), (5, 5), (4, 5)] {
        game = naive::only_turn(&game, naive::Move::Move(square)).1;
    }
    let again = naive::Move::Move((5, 5));
    let occupied = naive::illegal_move_nonblank(&game, again);
    assert!(occupied.is_some());
    assert_eq!(
        naive::illegal_move_blocked_as_printed(&game, again),
        occupied
    );
}

/// Compares the two on every board of this many points, for both players.
fn assert_small_boards_agree(most: u8) {
    for (columns, rows) in small_sizes(most) {
        for board in Board::all(columns, rows) {
            for to_move in [Player::Black, Player::White] {
                assert_placements_agree(&board, to_move);
            }
        }
    }
}

#[test]
fn every_position_of_small_boards_agrees() {
    assert_small_boards_agree(6);
}

#[test]
#[ignore = "takes half a minute, optimized"]
fn every_position_of_up_to_nine_points_agrees() {
    assert_small_boards_agree(9);
}

#[test]
fn the_naive_rules_count_the_same_leaves() {
    let counts = [26, 651, 15_650];
    let depths = if cfg!(debug_assertions) { 2 } else { 3 };
    for (depth, leaves) in (1..=depths).zip(counts) {
        assert_eq!(naive::perft(&naive::Game::new(5, 5), depth), leaves);
    }
}

/// The moves of random games: each number chooses among the legal moves.
fn any_choices() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(3_000)))]

    #[test]
    fn random_stones_agree((black, white) in any_stones(), to_move in any_color()) {
        assert_placements_agree(&naive_board(black, white), player(to_move));
    }

    #[test]
    fn random_positions_agree((black, white) in any_stones(), to_move in any_color(), after_pass: bool) {
        let every_group_lives = {
            let board = naive_board(black, white);
            board.squares().all(|square| {
                board.at(square) == SquareVal::Blank || !naive::liberties(&board, square).is_empty()
            })
        };
        let position = Position::new(black, white, to_move, after_pass);
        prop_assert_eq!(position.is_ok(), every_group_lives);
        if let Ok(position) = position {
            assert_position_agrees(&position);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100)))]

    #[test]
    fn random_games_agree(choices in any_choices()) {
        play_random_game(&choices);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    #[ignore = "takes a quarter of a minute, optimized"]
    fn many_random_positions_agree((black, white) in any_stones(), to_move in any_color(), after_pass: bool) {
        assert_placements_agree(&naive_board(black, white), player(to_move));
        // More than half of the boards are positions of a game.
        if let Ok(position) = Position::new(black, white, to_move, after_pass) {
            assert_position_agrees(&position);
        }
    }
}

/// Plays a game on both implementations, and compares them at every move. Passes are rarer than in
/// a uniform choice of legal moves, so that games fill the board.
fn play_random_game(choices: &[u8]) {
    let mut game = Game::new();
    let mut naive_game = naive::Game::new(5, 5);
    for &choice in choices {
        assert_position_agrees(game.position().unwrap());
        let placements: Vec<Point> = game.legal_points().iter().collect();
        let mv = match placements.get(usize::from(choice) % (placements.len() + 1)) {
            Some(&point) if choice < 240 => Move::Place(point),
            _ => Move::Pass,
        };
        let color = game.to_move();
        let out_of_turn = game.play(color.opponent(), mv);
        assert_eq!(
            out_of_turn,
            Err(PlayError::OutOfTurn(color)),
            "{mv} for {color}"
        );
        let (_, after, result) = naive::only_turn(&naive_game, naive_move(mv));
        game.play(color, mv).unwrap();
        naive_game = after;
        let [black, white] = Color::ALL.map(|color| game.board().stones_of(color));
        assert_eq!(
            naive_board(black, white),
            naive_game.position.board,
            "after {mv}"
        );
        match game.status() {
            Status::Undecided => assert_eq!(result, naive::Outcome::NotDone, "after {mv}"),
            Status::Over(outcome) => {
                assert_eq!(result, naive_outcome(outcome), "after {mv}");
                return;
            }
        }
    }
    panic!("a game of more than 50 moves");
}
