//! Reviews of games: the sum is exact, and every number agrees with plain minimax.

use gothello::player::{AlphaBeta, Limits, Player};
use gothello::review::{End, Judgment, PlayerReview, Review, Tally};
use gothello::{Color, Game, Move, Outcome, Position, Solver};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::cases::cases;
use crate::positions::move_value;
use crate::solver::naive;
use crate::solver::positions::{reachable, well_formed};

/// Plays random moves, at most `moves` of them.
fn play_random(rng: &mut StdRng, game: &mut Game, moves: u32) {
    for _ in 0..moves {
        let Some(position) = game.position() else {
            return;
        };
        let legal: Vec<Move> = position.legal_moves().collect();
        let mv = legal[rng.random_range(0..legal.len())];
        game.play(game.to_move(), mv).unwrap();
    }
}

/// Returns the review of a game with the values that a solver finds.
fn reviewed(solver: &Solver, game: &Game) -> Review {
    let mut review = Review::new(game);
    review.fill(|position| Some(solver.solve(position)));
    assert!(review.is_complete());
    review
}

fn black_lead(outcome: Option<Outcome>) -> i32 {
    outcome.unwrap().lead_of(Color::Black).into()
}

/// Asserts that the value at the start, the players' losses, and the changes by set-ups add up to
/// the value at the end.
fn assert_sum(review: &Review, game: &Game) {
    let [black, white] = Color::ALL.map(|color| review.player(color).lost as i32);
    let sum = black_lead(review.start()) - black + white + review.changed_by_set_up().unwrap();
    assert_eq!(sum, black_lead(review.end().outcome()), "{game:?}");
    match game.outcome() {
        Some(outcome) => assert_eq!(review.end(), End::Score(outcome)),
        None => assert!(matches!(review.end(), End::Value(Some(_)))),
    }
}

fn solver() -> Solver {
    Solver::builder().memory_mib(4).threads(1).build()
}

#[test]
fn the_sum_is_exact_in_thousands_of_late_games() {
    let mut rng = StdRng::seed_from_u64(17);
    let solver = solver();
    let mut over = 0;
    for number in 0..cases(4000) {
        let empty = 1 + number % 8;
        let start = match number % 3 {
            0 => well_formed(&mut rng, empty),
            _ => reachable(&mut rng, empty),
        };
        let mut game = Game::from(start);
        play_random(&mut rng, &mut game, 2 + number % 20);
        assert_sum(&reviewed(&solver, &game), &game);
        over += u32::from(game.is_over());
    }
    assert!(over > cases(4000) / 4, "{over} games came to their end");
}

#[test]
fn the_sum_is_exact_in_openings_that_the_tablebase_has() {
    let mut rng = StdRng::seed_from_u64(18);
    let solver = solver();
    for _ in 0..cases(1000) {
        let mut game = Game::new();
        play_random(&mut rng, &mut game, 7);
        assert_sum(&reviewed(&solver, &game), &game);
    }
    assert_eq!(solver.positions(), 0);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "solves positions with 8 stones and more")]
fn the_sum_is_exact_in_whole_games() {
    let mut rng = StdRng::seed_from_u64(19);
    let solver = Solver::builder().memory_mib(64).build();
    let mut player = AlphaBeta::new();
    for number in 0..20 {
        let mut game = Game::new();
        play_random(&mut rng, &mut game, number);
        while let Some(position) = game.position() {
            let limits = Limits::default();
            let moves: Vec<Move> = position.legal_moves().collect();
            let mv = match number % 2 {
                0 => moves[rng.random_range(0..moves.len())],
                _ if position.empty().len() > 12 => moves[0],
                _ => player.choose(position, &limits).mv,
            };
            game.play(game.to_move(), mv).unwrap();
        }
        assert_sum(&reviewed(&solver, &game), &game);
    }
}

#[test]
fn every_number_is_that_of_minimax() {
    let mut rng = StdRng::seed_from_u64(20);
    let solver = solver();
    for number in 0..cases(400) {
        let mut game = Game::from(reachable(&mut rng, 1 + number % 6));
        play_random(&mut rng, &mut game, 20);
        let mut review = reviewed(&solver, &game);
        let positions: Vec<Position> = review.plies().map(|ply| ply.position).collect();
        for position in positions {
            review.set_best_moves(&position, solver.best_moves(&position));
        }
        for ply in review.plies() {
            let values = ply.position.legal_moves();
            let value = |mv| (mv, move_value(&ply.position, mv, naive::value));
            let values: Vec<(Move, i8)> = values.map(value).collect();
            let best = values.iter().map(|&(_, value)| value).max().unwrap();
            let made = values.iter().find(|(mv, _)| *mv == ply.mv).unwrap().1;
            let keeping = values.iter().filter(|(_, value)| *value == best);
            let keeping: Vec<Move> = keeping.map(|&(mv, _)| mv).collect();

            let seen_by_mover = |value| Some(Outcome::from_lead(ply.color, value));
            assert_eq!(ply.before, seen_by_mover(best));
            assert_eq!(ply.after, seen_by_mover(made));
            assert_eq!(ply.lost, Some((best - made) as u8));
            assert_eq!(ply.best_moves, Some(keeping));
            let judgment = match (best == made, best.signum() == made.signum()) {
                (true, _) => Judgment::Perfect,
                (false, true) => Judgment::Mistake,
                (false, false) => Judgment::Blunder,
            };
            assert_eq!(ply.judgment, Some(judgment));
        }
    }
}

/// Black can only pass. White then makes two mistakes, of which the second is a blunder:
///
/// ```text
/// X O . O O
/// X X X O X
/// X X O O .
/// X X X X O
/// X X O O .   Black to move
/// ```
fn two_mistakes() -> Game {
    let position: Position = "bw.ww/bbbwb/bbww./bbbbw/bbww. b".parse().unwrap();
    let mut game = Game::from(position);
    for mv in ["pass", "e1", "pass", "pass"] {
        game.play(game.to_move(), mv.parse().unwrap()).unwrap();
    }
    game
}

fn table(review: &Review) -> String {
    let plies = review.plies().map(|ply| {
        let shown = |value: Option<Outcome>| value.map_or("?".into(), |value| value.to_string());
        let (before, after) = (shown(ply.before), shown(ply.after));
        let (ply, color, mv, lost, judgment) = (ply.ply, ply.color, ply.mv, ply.lost, ply.judgment);
        format!("{ply} {color} {mv}: {before} to {after}, {lost:?} {judgment:?}\n")
    });
    plies.collect()
}

#[test]
fn a_review_fills_in_values_as_they_are_found() {
    let mut review = Review::new(&two_mistakes());
    insta::assert_snapshot!(table(&review), @r"
    1 Black pass: ? to ?, None None
    2 White e1: ? to ?, None None
    3 Black pass: ? to ?, None None
    4 White pass: ? to B+3, None None
    ");
    let positions: Vec<Position> = review.without_value().collect();
    assert_eq!(positions.len(), 4);
    assert!(positions[0].after_pass());
    // The first position first, and the second one last: the moves around it stay unknown until
    // then.
    for position in [positions[3], positions[0], positions[1]] {
        review.set_value(&position, position.solve());
    }
    insta::assert_snapshot!(table(&review), @r"
    1 Black pass: W+24 to ?, None None
    2 White e1: ? to W+22, None None
    3 Black pass: W+22 to W+22, Some(0) Some(Perfect)
    4 White pass: W+22 to B+3, Some(25) Some(Blunder)
    ");
    assert!(!review.is_complete());
    assert_eq!(review.player(Color::White).moves, 1);
    review.set_value(&positions[2], positions[2].solve());
    insta::assert_snapshot!(table(&review), @r"
    1 Black pass: W+24 to W+24, Some(0) Some(Perfect)
    2 White e1: W+24 to W+22, Some(2) Some(Mistake)
    3 Black pass: W+22 to W+22, Some(0) Some(Perfect)
    4 White pass: W+22 to B+3, Some(25) Some(Blunder)
    ");
    assert_eq!(reviewed(&solver(), &two_mistakes()), review);
    // A value of a position from another game changes nothing.
    let before = review.clone();
    review.set_value(&Position::START, Outcome::Drawn);
    assert_eq!(review, before);
}

#[test]
fn players_are_counted_and_tallied() {
    let review = reviewed(&solver(), &two_mistakes());
    let players = Color::ALL.map(|color| review.player(color));
    insta::assert_debug_snapshot!(players, @r"
    [
        PlayerReview {
            moves: 2,
            perfect: 2,
            kept_result: 2,
            lost: 0,
            first_mistake: None,
            first_blunder: None,
        },
        PlayerReview {
            moves: 2,
            perfect: 0,
            kept_result: 1,
            lost: 27,
            first_mistake: Some(
                2,
            ),
            first_blunder: Some(
                4,
            ),
        },
    ]
    ");
    let mut tally = Tally::default();
    for (first_mistake, moves) in [(Some(9), 10), (None, 4), (Some(3), 6), (Some(5), 0)] {
        tally.add(&PlayerReview {
            moves,
            perfect: moves / 2,
            kept_result: moves,
            lost: 7,
            first_mistake,
            first_blunder: None,
        });
    }
    assert_eq!((tally.games, tally.perfect_games()), (4, 1));
    assert_eq!((tally.moves, tally.lost), (20, 28));
    assert_eq!(tally.perfect_share(), Some(0.5));
    assert_eq!(tally.kept_result_share(), Some(1.0));
    assert_eq!(tally.typical_first_mistake(), Some(5));
    assert_eq!(tally.typical_first_blunder(), None);
    assert_eq!(Tally::default().perfect_share(), None);
}

#[test]
fn a_position_that_is_set_up_later_is_nobodys_loss() {
    let mut rng = StdRng::seed_from_u64(21);
    let solver = solver();
    for _ in 0..cases(400) {
        let mut game = Game::from(reachable(&mut rng, 5));
        play_random(&mut rng, &mut game, 2);
        game.set_up(reachable(&mut rng, 4));
        play_random(&mut rng, &mut game, 3);
        let review = reviewed(&solver, &game);
        assert_sum(&review, &game);
        let continued = review.plies().zip(review.plies().skip(1));
        let breaks = continued.filter(|(ply, next)| ply.after != next.before);
        if review.changed_by_set_up() != Some(0) {
            assert_eq!(breaks.count(), 1);
        }
    }
}

#[test]
fn a_game_without_moves_has_the_value_of_its_position() {
    let review = Review::new(&Game::new());
    assert_eq!((review.start(), review.end()), (None, End::Value(None)));
    let review = reviewed(&solver(), &Game::new());
    assert_eq!(review.start().unwrap().to_string(), "B+3");
    assert_eq!(review.start(), review.end().outcome());
    assert_eq!(review.plies().count(), 0);
    assert_eq!(review.player(Color::Black), PlayerReview::default());
}

#[test]
fn a_ply_is_an_object_whose_unknown_members_are_null() {
    let review = Review::new(&two_mistakes());
    let ply = serde_json::to_string(&review.plies().next().unwrap()).unwrap();
    insta::assert_snapshot!(ply, @r#"{"ply":1,"color":"black","move":"pass","position":"bw.ww/bbbwb/bbww./bbbbw/bbww. b","before":null,"after":null,"lost":null,"judgment":null,"best_moves":null}"#);
    let review = reviewed(&solver(), &two_mistakes());
    let ply = serde_json::to_string(&review.plies().nth(1).unwrap()).unwrap();
    insta::assert_snapshot!(ply, @r#"{"ply":2,"color":"white","move":"e1","position":"bw.ww/bbbwb/bbww./bbbbw/bbww. w pass","before":"W+24","after":"W+22","lost":2,"judgment":"mistake","best_moves":null}"#);
}
