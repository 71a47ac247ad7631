//! The perfect player: never loses value, keeps its time, and is hard to beat.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gothello::player::{
    AlphaBeta, AnalysisControl, Analyzer, Choice, Limits, PerfectPlayer, Player, Prover,
};
use gothello::solver::{Control, Objective, PositionBudget};
use gothello::tablebase::PackedTablebase;
use gothello::{Move, Next, Position};

use super::choose;
use crate::cases::{AT_ONCE, cases, some_of};
use crate::drawn::drawn_tablebase;
use crate::positions::{RandomPlayer, move_value, valued};

/// A time so long that a test that has to wait for it has failed.
const FOREVER: Duration = Duration::from_secs(30);

fn prover_of_16_mib() -> Prover {
    Prover::new().memory_mib(16)
}

fn prover() -> Arc<Prover> {
    Arc::new(prover_of_16_mib())
}

fn exact(prover: &Prover, position: &Position) -> i8 {
    let stop = AtomicBool::new(false);
    let control = Control::until(&stop);
    let bounds = prover.value(position, Objective::Value, &control);
    bounds.value().unwrap()
}

#[test]
fn with_12_empty_points_or_fewer_it_is_exact_whatever_the_time() {
    let mut player = PerfectPlayer::new(prover());
    let other = prover();
    for (position, value) in some_of(valued()) {
        let choice = choose(&mut player, &position, Duration::ZERO);
        assert!(choice.proven, "{position}: {choice}");
        assert_eq!(choice.lead, f32::from(value), "{position}");
        let kept = move_value(&position, choice.mv, |child| exact(&other, child));
        assert_eq!(kept, value, "{position}: {choice}");
    }
}

/// Plays a game to its end. Asserts that no move of `perfect`, which plays one side, lowers the
/// value, and that the value is the one it reports.
fn play(
    perfect: &mut PerfectPlayer,
    other: &mut dyn Player,
    start: Position,
    perfect_begins: bool,
) {
    let judge = prover();
    let mut position = start;
    let mut is_perfect = perfect_begins;
    loop {
        let mv = if is_perfect {
            let value = exact(&judge, &position);
            let choice = choose(perfect, &position, Duration::from_secs(5));
            assert!(choice.proven, "{position}: {choice}");
            assert_eq!(choice.lead, f32::from(value), "{position}: {choice}");
            let kept = move_value(&position, choice.mv, |child| exact(&judge, child));
            assert_eq!(kept, value, "{position}: {choice}");
            choice.mv
        } else {
            choose(other, &position, Duration::from_millis(5)).mv
        };
        match position.play(mv).unwrap() {
            Next::Continues(child) => position = child,
            Next::Ends(_) => return,
        }
        is_perfect = !is_perfect;
    }
}

#[test]
fn it_never_loses_value_against_random_moves() {
    let mut rng = RandomPlayer::new(1);
    for round in 0..cases(40) {
        let position = rng.position(13);
        let mut perfect = PerfectPlayer::new(prover());
        play(&mut perfect, &mut rng, position, round % 2 == 0);
    }
}

#[test]
#[ignore = "takes seconds, optimized"]
fn it_never_loses_value_from_9_stones() {
    let mut rng = RandomPlayer::new(2);
    for round in 0..20 {
        let position = rng.position(9);
        let mut perfect = PerfectPlayer::new(prover());
        let mut alpha_beta = AlphaBeta::new();
        let other: &mut dyn Player = if round % 4 < 2 {
            &mut rng
        } else {
            &mut alpha_beta
        };
        play(&mut perfect, other, position, round % 2 == 0);
    }
}

/// Plays a game from the empty board, in which the opponent makes up to three random
/// moves before alpha-beta takes over. Returns the lead of `perfect` at the end.
fn result_against_alpha_beta(
    perfect: &mut PerfectPlayer,
    begins: bool,
    rng: &mut RandomPlayer,
) -> i8 {
    let mut alpha_beta = AlphaBeta::new();
    let mut random_moves = rng.below(4);
    let (mut position, mut is_perfect) = (Position::START, begins);
    // The theoretical value of the game.
    let mut promised = if begins { 3.0 } else { -3.0 };
    loop {
        let mv = if is_perfect {
            let choice = choose(perfect, &position, FOREVER);
            assert!(choice.proven, "{position}: {choice}");
            assert!(choice.lead >= promised, "{position}: {choice}");
            promised = choice.lead;
            choice.mv
        } else if random_moves > 0 {
            random_moves -= 1;
            choose(rng, &position, Duration::ZERO).mv
        } else {
            choose(&mut alpha_beta, &position, Duration::from_millis(20)).mv
        };
        match position.play(mv).unwrap() {
            Next::Continues(child) => position = child,
            Next::Ends(_) => {
                let lead = position.stones().lead();
                let result = if is_perfect { lead } else { -lead };
                assert!(f32::from(result) >= promised, "{position}");
                return result;
            }
        }
        is_perfect = !is_perfect;
    }
}

#[test]
#[ignore = "plays 12 games"]
fn against_alpha_beta_it_wins_what_is_won() {
    let mut perfect = PerfectPlayer::default();
    let mut rng = RandomPlayer::new(6);
    let mut won_as_white = 0;
    for _ in 0..6 {
        assert!(result_against_alpha_beta(&mut perfect, true, &mut rng) > 0);
        let as_white = result_against_alpha_beta(&mut perfect, false, &mut rng);
        won_as_white += u32::from(as_white > 0);
    }
    // A theoretically lost game is not resigned.
    assert!(won_as_white > 3, "{won_as_white}");
}

#[test]
fn it_moves_in_time() {
    let mut player = PerfectPlayer::new(prover());
    let mut rng = RandomPlayer::new(3);
    for stones in [0, 1, 4, 8, 11] {
        let position = rng.position(stones);
        for milliseconds in [0, 1, 100, 300] {
            let time = Duration::from_millis(milliseconds);
            let started = Instant::now();
            choose(&mut player, &position, time);
            let taken = started.elapsed();
            assert!(taken < time + AT_ONCE, "{position}: {taken:?}");
        }
    }
}

#[test]
fn it_stops_when_it_is_told() {
    let mut player = PerfectPlayer::new(prover());
    let mut rng = RandomPlayer::new(4);
    for position in [Position::START, rng.position(4), rng.position(9)] {
        for limit in [None, Some(FOREVER)] {
            for delay in [0, 50] {
                let stop = AtomicBool::new(delay == 0);
                let mut limits = Limits::default().stopped_by(&stop);
                limits.time = limit;
                let choice = thread::scope(|scope| {
                    let choosing = scope.spawn(|| player.choose(&position, &limits));
                    thread::sleep(Duration::from_millis(delay));
                    stop.store(true, Ordering::Relaxed);
                    let stopped = Instant::now();
                    let choice = choosing.join().unwrap();
                    assert!(stopped.elapsed() < AT_ONCE, "{position}");
                    choice
                });
                assert!(
                    position.play(choice.mv).is_ok(),
                    "{position}: {}",
                    choice.mv
                );
            }
        }
    }
}

#[test]
fn a_move_without_a_proof_is_reported_as_such() {
    let mut player = PerfectPlayer::new(prover());
    let choice = choose(&mut player, &Position::START, Duration::from_millis(50));
    assert!(!choice.proven);
    assert!(
        choice.to_string().contains(" estimated, depth "),
        "{choice}"
    );
}

/// The position after some moves from the empty board.
fn played(moves: &str) -> Position {
    let moves = moves.split(' ').map(|mv| mv.parse::<Move>().unwrap());
    moves.fold(Position::START, |position, mv| match position.play(mv) {
        Ok(Next::Continues(next)) => next,
        other => panic!("{mv} leads to {other:?}"),
    })
}

/// Returns the choice of a new player after at most this many positions.
fn choose_after(prover: Prover, position: &Position, positions: u64) -> Choice {
    let budget = PositionBudget::new(positions);
    let limits = Limits::default().spending(&budget);
    PerfectPlayer::new(Arc::new(prover)).choose(position, &limits)
}

#[test]
fn a_win_that_the_tablebase_knows_is_not_thrown_away() {
    // ```text
    // 5 . O . . .
    // 4 X . . . .
    // 3 . . X . .   White to move wins by 2. The built-in tablebase says so, but it does not
    // 2 . X O O .   have the positions after the moves. Proofs of these take a hundred thousand
    // 1 . . . . X   positions and more.
    //   a b c d e
    // ```
    let position = played("pass b5 c3 pass a4 c2 e1 d2 b2");
    let wins = ["b1", "a2", "b3", "d3", "b4", "c4", "d4", "e4", "d5"];
    for positions in [0, 2_000, 10_000, 40_000] {
        for prover in [Prover::default(), Prover::new()] {
            let choice = choose_after(prover, &position, positions);
            let mv = choice.mv.to_string();
            assert!(wins.contains(&mv.as_str()), "{positions}: {choice}");
            assert!(!choice.proven, "{positions}: {choice}");
        }
    }
}

/// Returns a position with this many stones after random moves, a third of them after a pass.
fn random_position(rng: &mut RandomPlayer, stones: u32) -> Position {
    let position = rng.position(stones);
    match position.pass() {
        Next::Continues(passed) if rng.below(3) == 0 => passed,
        _ => position,
    }
}

#[test]
#[ignore = "searches for half a minute"]
fn few_positions_are_enough_to_keep_most_results() {
    let judge = Prover::default();
    let sign = |position: &Position| {
        let control = Control::UNLIMITED;
        let bounds = judge.value(position, Objective::Winner, &control);
        bounds.low.signum()
    };
    let mut rng = RandomPlayer::new(9);
    let not_lost = |position: &Position| sign(position) >= 0;
    let positions = (0..).map(|number| random_position(&mut rng, 6 + number % 5));
    let positions: Vec<_> = positions.filter(not_lost).take(20).collect();
    let lost = |prover: fn() -> Prover, budget| {
        let is_lost = |position: &&Position| {
            let choice = choose_after(prover(), position, budget);
            move_value(position, choice.mv, sign) < sign(position)
        };
        positions.iter().filter(is_lost).count()
    };
    let budgets = [20_000, 100_000, 400_000];
    let with = budgets.map(|budget| lost(Prover::default, budget));
    let without = budgets.map(|budget| lost(Prover::new, budget));
    println!("with a tablebase {with:?}, without {without:?}");
    assert!(with[0] <= 2 && with[1] <= 1 && with[2] == 0, "{with:?}");
    let sum = |lost: [usize; 3]| lost.iter().sum::<usize>();
    assert!(sum(with) <= sum(without), "{with:?} {without:?}");
    assert!(sum(without) <= 5, "{without:?}");
}

#[test]
fn the_same_budget_gives_the_same_choice() {
    let mut rng = RandomPlayer::new(10);
    for stones in [3, 8, 9, 11] {
        let position = random_position(&mut rng, stones);
        for positions in [0, 3_000, 20_000] {
            let choose = || choose_after(prover_of_16_mib(), &position, positions);
            let choice = choose();
            assert_eq!(choice, choose(), "{position}: {positions}");
            // Each search may exceed the budget by 1024 positions, and the first one of each move
            // does.
            assert!(
                choice.positions < positions + 40_000,
                "{position}: {choice}"
            );
        }
    }
}

#[test]
fn a_proven_win_is_not_risked_for_more() {
    // White has just passed, and Black wins by ending the game. Black may win by more
    // otherwise, but that takes a long search.
    for moves in ["c3 pass", "c3 b2 d4 pass", "c2 a5 d3 pass", "b2 e5 d4 pass"] {
        let position = played(moves);
        let lead = f32::from(position.stones().lead());
        let choice = choose_after(prover_of_16_mib(), &position, 10_000);
        assert_eq!((choice.mv, choice.lead), (Move::Pass, lead), "{moves}");
        // With the tablebase it takes none.
        let choice = choose_after(Prover::default(), &position, 10_000);
        assert!(choice.proven && choice.lead > lead, "{moves}: {choice}");
        assert_ne!(choice.mv, Move::Pass, "{moves}: {choice}");
    }
}

#[test]
#[ignore = "takes a minute"]
fn a_won_game_is_not_passed_away() {
    let judge = Prover::new();
    for moves in ["a1 e5 pass", "b1 d4 a3 b4 pass"] {
        let position = played(moves);
        let asked = |position: &_| {
            let control = Control::UNLIMITED;
            judge.value(position, Objective::Winner, &control)
        };
        assert_eq!(
            asked(&position).sign(),
            Some(std::cmp::Ordering::Greater),
            "{moves}"
        );
        let continued = [1_u64 << 22, 1 << 25].into_iter().find_map(|budget| {
            let choice = choose_after(prover_of_16_mib(), &position, budget);
            match position.play(choice.mv) {
                Ok(Next::Continues(child)) => Some((choice, child)),
                _ => None,
            }
        });
        let Some((choice, child)) = continued else {
            panic!("{moves}: the game is passed away");
        };
        assert_eq!(
            asked(&child).sign(),
            Some(std::cmp::Ordering::Less),
            "{moves}: {choice}"
        );
    }
}

#[test]
fn proven_results_are_true_after_any_number_of_positions() {
    let judge = prover();
    let mut rng = RandomPlayer::new(8);
    for round in 0..cases(60) {
        let position = random_position(&mut rng, 11);
        let positions = u64::from(round % 20) * 1_000;
        let choice = choose_after(prover_of_16_mib(), &position, positions);
        let value = exact(&judge, &position);
        let kept = move_value(&position, choice.mv, |child| exact(&judge, child));
        assert!(kept <= value, "{position}: {choice}");
        if choice.proven {
            let lead = f32::from(value);
            assert_eq!((choice.lead, kept), (lead, value), "{position}: {choice}");
        } else if choice.depth == 0 {
            // The reported lead is a lower bound.
            assert!(f32::from(kept) >= choice.lead, "{position}: {choice}");
        }
        if position.after_pass() && choice.mv == Move::Pass {
            let lead = f32::from(position.stones().lead());
            assert_eq!(choice.lead, lead, "{position}");
        }
    }
}

#[test]
fn a_varied_player_makes_each_of_the_best_moves() {
    let prover = Arc::new(Prover::default());
    let best = prover.best_moves(&Position::START, &AnalysisControl::default());
    assert!(best.complete && best.moves.len() > 1, "{best:?}");
    let first_move = |seed| {
        let mut player = PerfectPlayer::new(Arc::clone(&prover)).varied(seed);
        let choice = player.choose(&Position::START, &Limits::default());
        assert!(choice.proven && choice.lead == 3.0, "{choice}");
        choice.mv
    };
    let made: HashSet<_> = (0..200).map(first_move).collect();
    let best = best.moves.into_iter().collect::<HashSet<_>>();
    assert_eq!(made, best);
    assert_eq!(first_move(1), first_move(1));
}

#[test]
fn a_loser_makes_it_hard_to_win() {
    let judge = prover();
    let mut rng = RandomPlayer::new(5);
    let (mut lost, mut tried) = (0, 0);
    while lost < cases(100) {
        let position = rng.position(14);
        let value = exact(&judge, &position);
        if value >= 0 {
            continue;
        }
        lost += 1;
        // The share of replies after which the player no longer loses.
        let escapes = |mv| match position.play(mv).unwrap() {
            Next::Ends(_) => 0.0,
            Next::Continues(child) => {
                let replies: Vec<_> = child.legal_moves().collect();
                let wins = |&reply: &_| move_value(&child, reply, |next| exact(&judge, next)) > 0;
                1.0 - replies.iter().filter(|reply| wins(reply)).count() as f32
                    / replies.len() as f32
            }
        };
        let choice = choose(&mut PerfectPlayer::new(prover()), &position, FOREVER);
        let is_best = |&mv: &_| move_value(&position, mv, |child| exact(&judge, child)) == value;
        let best = position.legal_moves().filter(is_best).map(escapes);
        let most = best.fold(0.0, f32::max);
        assert_eq!(escapes(choice.mv), most, "{position}: {choice}");
        tried += u32::from(most > 0.0);
    }
    assert!(4 * tried > lost, "only {tried} of {lost}");
}

#[test]
fn positions_in_the_tablebase_are_not_searched() {
    let tablebase = PackedTablebase::from_bytes(drawn_tablebase(2)).unwrap();
    let prover = Prover::new().memory_mib(16);
    let prover = Arc::new(prover.with_tablebase(|| Arc::new(tablebase)));
    let mut player = PerfectPlayer::new(Arc::clone(&prover));
    let choice = choose(&mut player, &Position::START, FOREVER);
    assert_eq!(choice.lead, 0.0);
    assert!(choice.proven);
    assert!(choice.positions < 100, "{choice}");
}

/// Even with so little time that no search can end.
#[test]
fn the_first_moves_are_looked_up() {
    let mut player = PerfectPlayer::default();
    let mut position = Position::START;
    let mut lead = 3.0;
    while position.stones().count() < 6 {
        let choice = choose(&mut player, &position, Duration::ZERO);
        assert!(choice.proven, "{position}: {choice}");
        assert_eq!(choice.lead, lead, "{position}");
        let Next::Continues(next) = position.play(choice.mv).unwrap() else {
            panic!("{position}: {choice} ends the game");
        };
        (position, lead) = (next, -lead);
    }
}
