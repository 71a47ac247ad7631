//! Properties of every game.

use std::collections::BTreeSet;

use gothello::go::{
    Board, ByColor, Color, Game, Komi, Mercy, Move, Point, Position, Rules, Scoring, Size,
};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::cases::cases;

/// Random rules, a random size, and a game of random moves, some of which
/// are refused.
fn games() -> impl Strategy<Value = (Rules, Size, u32, u64)> {
    let rules = (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        0_u32..3,
    );
    let rules = rules.prop_map(|(ko, superko, area, passes, prisoner_score)| Rules {
        ko,
        superko,
        komi: Komi::ZERO,
        mercy: Mercy::OFF,
        scoring: if area {
            Scoring::Area
        } else {
            Scoring::Territory
        },
        prisoner_score,
        pass_adds_to_prisoners: passes,
    });
    let size =
        (1_usize..=25, 1_usize..=25).prop_map(|(rows, columns)| Size::new(rows, columns).unwrap());
    // Repetitions are common only on small boards.
    let small =
        (1_usize..=4, 1_usize..=4).prop_map(|(rows, columns)| Size::new(rows, columns).unwrap());
    (rules, prop_oneof![size, small], 0_u32..200, any::<u64>())
}

fn some_move(size: Size, rng: &mut StdRng) -> Move {
    match rng.random_range(0..30) {
        0 => Move::Pass,
        _ => Move::Place(Point {
            row: rng.random_range(0..u32::from(size.rows())) as u8,
            column: rng.random_range(0..u32::from(size.columns())) as u8,
        }),
    }
}

/// Plays random moves. Calls a function with every move before it is made, and with the game after
/// it.
fn play(
    (rules, size, moves, seed): (Rules, Size, u32, u64),
    mut see: impl FnMut(&Game, Move, &Game),
) -> Game {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut game = Game::new(rules, Position::start(size));
    for _ in 0..moves {
        let mv = some_move(size, &mut rng);
        let before = game.clone();
        // Refused moves are included.
        let _ = game.play(mv);
        see(&before, mv, &game);
    }
    game
}

/// The board with the colors exchanged.
fn swapped(board: &Board) -> Board {
    let swap = |letter| match letter {
        'B' => 'W',
        'W' => 'B',
        other => other,
    };
    let picture: String = board.to_string().chars().map(swap).collect();
    picture.parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(200)))]

    #[test]
    fn a_move_is_accepted_exactly_if_the_check_allows_it(game in games()) {
        play(game, |before, mv, _| {
            for mv in [mv, Move::Pass, Move::Resign] {
                let mut after = before.clone();
                assert_eq!(before.check(mv).err(), after.play(mv).err());
            }
        });
    }

    #[test]
    fn a_refused_move_changes_nothing(game in games()) {
        play(game, |before, mv, after| {
            if before.check(mv).is_err() {
                assert_eq!(before.positions(), after.positions());
                assert_eq!(before.moves(), after.moves());
                assert_eq!(before.position(), after.position());
                assert_eq!(before.ending(), after.ending());
            }
        });
    }

    /// Reading a picture refuses groups without liberty.
    #[test]
    fn every_group_has_a_liberty_after_every_move(game in games()) {
        let game = play(game, |_, _, _| {});
        for position in game.positions() {
            let read = position.board.to_string().parse::<Board>();
            assert_eq!(read.as_ref(), Ok(&position.board));
        }
    }

    /// A game that starts here, with recomputed groups, says the same of every point, except for
    /// repetitions, which it does not know.
    #[test]
    fn incremental_groups_equal_recomputed_ones(
        (rules, size, moves, seed) in games()
    ) {
        let rules = Rules { ko: false, superko: false, ..rules };
        play((rules, size, moves, seed), |_, _, game| {
            if game.is_over() {
                return;
            }
            let anew = Game::new(game.rules().clone(), game.position().clone());
            for point in size.points() {
                let place = Move::Place(point);
                assert_eq!(game.check(place), anew.check(place), "{point}");
                let (mut game, mut anew) = (game.clone(), anew.clone());
                if moves < 20 && game.play(place).is_ok() {
                    anew.play(place).unwrap();
                    assert_eq!(game.position(), anew.position());
                }
            }
        });
    }

    #[test]
    fn no_placement_repeats_a_position_under_superko((rules, size, moves, seed) in games()) {
        let rules = Rules { superko: true, ..rules };
        let game = play((rules, size, moves, seed), |_, _, _| {});
        let mut seen = BTreeSet::new();
        for (number, position) in game.positions().iter().enumerate() {
            let new = seen.insert((position.board.to_string(), position.turn));
            let by_stone = number.checked_sub(1)
                .is_some_and(|before| matches!(game.moves()[before], Move::Place(_)));
            assert!(new || !by_stone);
        }
    }

    #[test]
    fn the_colors_have_the_same_rights((rules, size, moves, seed) in games()) {
        let game = play((rules.clone(), size, moves, seed), |_, _, _| {});
        let mut other = Game::new(rules, Position {
            turn: Color::White,
            ..Position::start(size)
        });
        for &mv in game.moves() {
            other.play(mv).unwrap();
        }
        assert_eq!(other.board(), &swapped(game.board()));
        assert_eq!(other.score(), game.score().swapped());
        let winner = |game: &Game| game.ending().map(|ending| ending.winner);
        let opposite = |winner: Option<Color>| winner.map(Color::opponent);
        assert_eq!(winner(&other), winner(&game).map(opposite));
    }

    /// Stones and the points that they surround, never more than the board has.
    #[test]
    fn the_points_are_divided(game in games()) {
        let game = play(game, |_, _, _| {});
        let ownership = game.ownership();
        let count = |color| {
            let points = game.board().size().points();
            points.filter(|&point| ownership.owner(point) == color).count() as u32
        };
        let owned = ByColor::from_fn(|color| {
            ownership.stones()[color] + ownership.territory()[color]
        });
        assert_eq!(owned, ByColor::from_fn(|color| count(Some(color))));
        for (point, color) in game.board().stones() {
            assert_eq!(ownership.owner(point), Some(color));
        }
    }
}
