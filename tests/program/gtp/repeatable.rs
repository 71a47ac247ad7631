//! Moves that depend on neither the machine nor its load, and random ones that a seed repeats.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use super::Engine;
use super::engine::run;

/// Each move that the engine chooses, with its evaluation and the number of positions searched, when
/// it plays some moves from each of these openings.
fn choices(arguments: &[&str], openings: &[&str]) -> Vec<String> {
    let mut commands = String::new();
    for opening in openings {
        commands += "clear_board\n";
        let mut colors = ["b", "w"].into_iter().cycle();
        for (mv, color) in opening.split_whitespace().zip(colors.by_ref()) {
            commands += &format!("play {color} {mv}\n");
        }
        let genmoves = colors.take(MOVES).map(|color| format!("genmove {color}\n"));
        commands.extend(genmoves);
    }
    let output = run(
        &[arguments, &["--log", "info"]].concat(),
        commands.as_bytes(),
    );
    let log = String::from_utf8(output.stderr).unwrap();
    let choices = log
        .lines()
        .filter_map(|line| Some(line.split_once("move chosen ")?.1));
    let choices: Vec<String> = choices.map(str::to_owned).collect();
    assert_eq!(choices.len(), MOVES * openings.len(), "{log}");
    choices
}

/// How many moves are searched after each opening.
const MOVES: usize = 2;

/// Checks that the same moves are found by several engines at the same time and by a single one, in the
/// same number of positions.
#[track_caller]
fn same_under_load(player: &[&str], openings: &[&str]) {
    let arguments = [player, &["--move-positions", "2000"]].concat();
    let alone = choices(&arguments, openings);
    let at_once = thread::scope(|scope| {
        let runs = [(); 3].map(|()| scope.spawn(|| choices(&arguments, openings)));
        runs.map(|run| run.join().unwrap())
    });
    for under_load in at_once {
        assert_eq!(under_load, alone, "{arguments:?}");
    }
    // Each of several searches goes at most 1,024 positions beyond the limit.
    let positions = |choice: &String| {
        let words: Vec<&str> = choice.split_whitespace().collect();
        words[words.len() - 2].parse::<u64>().unwrap()
    };
    let most = alone.iter().map(positions).max();
    assert!(most < Some(10_000), "{alone:?}");
}

#[test]
fn with_a_limit_of_positions_the_same_moves_are_found_under_load() {
    let openings = ["c3 d4 b2 d2 b4", "b3 c4 d2 b2 d4 c1 e3 a2"];
    for player in [
        &["--random-best", "--seed", "5"][..],
        &["--player", "alpha-beta"],
        &["--level", "9", "--seed", "5"],
    ] {
        same_under_load(player, &openings);
    }
}

#[test]
#[ignore = "builds databases, which takes seconds, unoptimized"]
fn with_a_limit_of_positions_the_same_moves_of_awari_are_found_under_load() {
    same_under_load(&["--game", "awari"], &["", "F3 A4 E3"]);
}

#[test]
fn a_search_ends_at_the_first_of_its_two_limits() {
    for limits in [
        ["--move-positions", "3000", "--move-time", "1000"],
        ["--move-positions", "1000000000000", "--move-time", "0.05"],
    ] {
        let mut engine = Engine::without_tablebase(&limits);
        let started = Instant::now();
        engine.expect("genmove b");
        assert!(started.elapsed() < Duration::from_secs(30), "{limits:?}");
    }
    // A clock limits the search, too.
    let mut engine = Engine::without_tablebase(&["--move-positions", "1000000000000"]);
    let started = Instant::now();
    engine.expect("time_settings 1 0 0");
    engine.expect("genmove b");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn the_engine_chooses_among_the_best_moves_at_random_if_asked() {
    let mut engine = Engine::start(&["--random-best"]);
    let mut game = |seed: u32, suggests: bool| {
        engine.expect("clear_board");
        engine.expect(&format!("gothello-param seed {seed}"));
        let colors = ["b", "w", "b"];
        colors.map(|color| {
            let best = engine.expect("gothello-best_moves");
            if suggests {
                engine.expect("gothello-suggested_move");
            }
            let mv = engine.expect(&format!("genmove {color}"));
            assert!(best.contains(&mv), "{mv}: {best}");
            mv
        })
    };
    let games: Vec<_> = (0..12).map(|seed| game(seed, false)).collect();
    let first: BTreeSet<&String> = games.iter().map(|[first, ..]| first).collect();
    // C2 and its symmetric images, and the moves that are as good.
    assert!(first.len() >= 4, "{first:?}");
    for (seed, moves) in (0..).zip(&games) {
        assert_eq!(game(seed, seed % 2 == 0), *moves, "{seed}");
    }
    // The option is the same as the parameter.
    let mut seeded = Engine::start(&["--random-best", "--seed", "7"]);
    assert_eq!(
        ["b", "w", "b"].map(|color| seeded.expect(&format!("genmove {color}"))),
        games[7]
    );
    // Without it, the move is the same whatever the seed.
    let mut plain = Engine::start(&[]);
    for seed in 0..4 {
        plain.expect(&format!("gothello-param seed {seed}"));
        assert_eq!(plain.expect("reg_genmove b"), "C2");
    }
}
