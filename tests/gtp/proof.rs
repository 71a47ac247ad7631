//! The commands that tell what is proven, and how well the player plays.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gothello::gtp::{self, Session};
use gothello::player::AlphaBeta;
use gothello::solver::Bounds;
use insta::assert_snapshot;

use super::Engine;
use super::analyst::Knows;
use super::engine::{program, transcript};

/// A position with 10 stones, in which Black is to move and wins by 5.
const OPEN: &str = "gogui-setup B C3 W C2 B D4 W B4 B B2 W D2 B A3 W E3 B C5 W B1";

/// One with 17 stones, in which Black can still go wrong.
const LATE: &str = "gogui-setup B A1 B B1 B C1 B A2 B B2 B D3 B E4 W D1 W D2 W A3 W B3 W A4 W B4 W D4 W A5 W C5 W E1";

#[test]
fn what_is_proven_of_a_position() {
    assert_snapshot!(transcript(&format!(
        "{OPEN}
        gothello-values
        gothello-best_moves
        gothello-variation
        gothello-value
        gothello-winner
        gothello-pass_value
        gogui-setup_player w
        gothello-value
        gothello-best_moves
        {LATE}
        gothello-values
        gothello-pass_value
        gothello-safety
        play b pass
        gothello-value
        gothello-values
        gothello-pass_value"
    )));
}

#[test]
fn a_game_that_is_over_has_its_score() {
    assert_snapshot!(transcript(
        "play b c3
        play w pass
        play b pass
        gothello-values
        gothello-best_moves
        gothello-variation
        gothello-value
        gothello-winner
        gothello-pass_value
        gothello-safety
        genmove w
        gothello-last_choice"
    ));
}

#[test]
fn safe_stones_and_what_only_their_owner_can_take() {
    assert_snapshot!(transcript(
        "gogui-setup B A2 B B1 B B2 W E1 W D2 W E3 W C3 W D3 W D1
        gothello-safety
        gogui-setup B C3 W C4
        gothello-safety"
    ));
}

#[test]
fn how_well_is_played_can_be_set() {
    let mut engine = Engine::start(&["--level", "3", "--seed", "5"]);
    assert_snapshot!(engine.transcript(
        "gothello-param
        gothello-param level max
        gothello-param seed 18446744073709551615
        gothello-param
        gothello-param level
        gothello-param level 10
        gothello-param seed -1
        gothello-param time 3
        gothello-param level 3 x
        gothello-param"
    ));
}

#[test]
fn a_seed_gives_the_same_games_again() {
    let game = |arguments: &[&str], commands: &str| {
        let mut engine = Engine::start(arguments);
        for command in commands.lines() {
            engine.expect(command);
        }
        let moves = (0..16).map(|ply| engine.expect(&format!("genmove {}", ["b", "w"][ply % 2])));
        moves.collect::<Vec<_>>()
    };
    let seeded = ["--level", "3", "--seed", "5"];
    let first = game(&seeded, "");
    assert_eq!(game(&seeded, ""), first);
    assert_eq!(
        game(&[], "gothello-param level 3\ngothello-param seed 5"),
        first
    );
    assert_ne!(game(&["--level", "3", "--seed", "6"], ""), first);
}

#[test]
fn what_the_engine_thought_of_its_move() {
    let mut engine = Engine::beyond_the_book(&["--move-time", "0.05"]);
    assert_eq!(
        engine.expect("gothello-last_choice"),
        "no move has been asked for"
    );
    let mv = engine.expect("genmove b");
    let thought = engine.expect("gothello-last_choice");
    let unproven = thought.starts_with(&format!("Black {mv}: about "));
    assert!(unproven && thought.ends_with(", not proven"), "{thought}");
    engine.expect("undo");
    engine.expect(LATE);
    let mv = engine.expect("reg_genmove b");
    let value = engine.expect("gothello-value");
    let thought = engine.expect("gothello-last_choice");
    assert_eq!(thought, format!("Black {mv}: {value}, proven"));
}

#[test]
fn proofs_are_interrupted_and_tell_what_they_have() {
    let mut engine = Engine::beyond_the_book(&["--hash", "16"]);
    let commands = [
        ("gothello-values", "stopped: Black to move, "),
        ("gothello-best_moves", "TEXT stopped: Black to move, "),
        ("gothello-variation", "(stopped)"),
        ("gothello-value", "stopped: W+"),
        ("gothello-winner", "stopped: W+"),
        ("gothello-pass_value", "stopped: W+"),
    ];
    for (number, (command, expected)) in commands.into_iter().enumerate() {
        engine.send(&format!("{number} {command}\n"));
        std::thread::sleep(Duration::from_millis(100));
        let started = Instant::now();
        engine.send("# interrupt\n");
        let answer = engine.receive();
        assert!(started.elapsed() < Duration::from_secs(1), "{command}");
        assert!(answer.starts_with(&format!("={number} ")), "{answer}");
        assert!(answer.contains(expected), "{answer}");
    }
    assert_eq!(engine.ask("name"), "= Gothello");
}

#[test]
fn gogui_is_shown_how_far_it_is() {
    for command in ["gothello-values", "gothello-value"] {
        let mut child = program(&["--hash", "16"]).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "play b a1\nplay w e5\n{command}").unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "gogui-gfx:");
        let shown = lines
            .by_ref()
            .map(Result::unwrap)
            .take_while(|line| !line.is_empty());
        let shown: Vec<String> = shown.collect();
        assert!(shown.last().unwrap().starts_with("TEXT "), "{shown:?}");
        writeln!(input, "# interrupt\nquit").unwrap();
        for line in lines {
            line.unwrap();
        }
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn nobody_is_left_who_waits_for_a_proof() {
    let mut child = program(&["--hash", "16"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "play b a1\nplay w e5\ngothello-value").unwrap();
    drop(input);
    let mut answer = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut answer)
        .unwrap();
    assert!(answer.contains("= stopped: "), "{answer}");
    assert!(child.wait().unwrap().success());
}

/// What is answered if so much is known of everything.
fn known(bounds: Bounds, commands: &str) -> String {
    let player = Box::new(AlphaBeta::new());
    let session = Session::new(player, Arc::new(Knows(bounds)), None);
    let mut output = Vec::new();
    let input = std::io::Cursor::new(commands.to_owned());
    gtp::run(session, input, &mut output).unwrap();
    String::from_utf8(output).unwrap().trim_end().to_owned()
}

#[test]
fn bounds_are_told_as_such() {
    let commands = "play b c3\ngothello-value\ngothello-winner\ngothello-pass_value\n";
    assert_snapshot!(known(Bounds { low: 1, high: 4 }, commands));
    let almost_full = "gogui-setup B A1 B B1 B C1 B D1 B E1 B A2 B B2 B C2 B D2 B E2 B A3 B B3 B C3 B D3 B E3 B A4 B B4 B C4\ngothello-values\n";
    assert_snapshot!(known(Bounds { low: 1, high: 4 }, almost_full));
    assert_snapshot!(known(Bounds { low: -4, high: -1 }, almost_full));
    assert_snapshot!(known(Bounds { low: -4, high: 0 }, almost_full));
    assert_snapshot!(known(Bounds::exactly(0), almost_full));
}

#[test]
fn a_player_without_levels_has_no_parameters() {
    assert_snapshot!(known(
        Bounds::UNKNOWN,
        "gothello-param\ngothello-param level 1\n"
    ));
}

#[test]
#[cfg(target_os = "linux")]
fn no_memory_is_taken_before_it_is_needed() {
    let mut engine = Engine::start(&["--hash", "256"]);
    let memory = |engine: &Engine| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", engine.id())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap();
        let kilobytes = line.split_whitespace().nth(1).unwrap();
        kilobytes.parse::<usize>().unwrap() / 1024
    };
    // What GoGui asks of a ruler.
    for command in [
        "list_commands",
        "clear_board",
        "play b c3",
        "gogui-rules_legal_moves",
    ] {
        engine.expect(command);
    }
    assert!(memory(&engine) < 10, "{} MB", memory(&engine));
    engine.expect(LATE);
    engine.expect("gothello-value");
    // Most of the table is never touched.
    assert!(memory(&engine) < 50, "{} MB", memory(&engine));
}
