//! `genmove`: time, interruption, and moves that make sense.

use std::time::{Duration, Instant};

use super::Engine;

/// A time so long that a test that has to wait for it has failed.
const FOREVER: &str = "30";

#[test]
fn an_interruption_stops_a_search() {
    let mut engine = Engine::without_tablebase(&["--move-time", FOREVER]);
    for number in 1..=3 {
        let started = Instant::now();
        let color = ["b", "w"][(number + 1) % 2];
        engine.send(&format!("{number} genmove {color}\n"));
        std::thread::sleep(Duration::from_millis(100));
        engine.send("# interrupt\n");
        let answer = engine.receive();
        assert!(answer.starts_with(&format!("={number} ")), "{answer}");
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{number}: {:?}",
            started.elapsed()
        );
        // The next command is answered at once.
        assert_eq!(engine.ask("name"), "= Gothello");
    }
    assert_eq!(engine.finish(), (String::new(), true));
}

#[test]
fn an_interruption_that_is_already_waiting_counts() {
    let mut engine = Engine::without_tablebase(&["--move-time", FOREVER]);
    engine.send("name\n1 reg_genmove b\n\n# now\n# interrupt\n2 name\n3 reg_genmove b\n");
    assert_eq!(engine.receive(), "= Gothello");
    assert!(engine.receive().starts_with("=1 "));
    assert_eq!(engine.receive(), "=2 Gothello");
    engine.send("# inter");
    std::thread::sleep(Duration::from_millis(50));
    engine.send("rupt\n");
    assert!(engine.receive().starts_with("=3 "));
}

#[test]
fn an_interruption_in_two_pieces_is_one() {
    let mut engine = Engine::without_tablebase(&["--move-time", FOREVER]);
    engine.send("1 genmove b\n# inter");
    std::thread::sleep(Duration::from_millis(100));
    engine.send("rupt\n");
    assert!(engine.receive().starts_with("=1 "));
}

#[test]
fn an_interruption_need_not_end_its_line_where_the_input_ends() {
    let started = Instant::now();
    let commands = b"play b a1\nplay w e5\n1 genmove b\n# interrupt";
    let output = super::engine::run(&["--move-time", FOREVER], commands);
    let answers = String::from_utf8(output.stdout).unwrap();
    assert!(answers.contains("=1 "), "{answers}");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn an_interruption_that_comes_too_late_is_a_comment() {
    let mut engine = Engine::without_tablebase(&["--move-time", "0.2"]);
    for color in ["b", "w", "b"] {
        let started = Instant::now();
        engine.expect(&format!("genmove {color}"));
        // It keeps a thirty-second of its time for the choice at the end.
        assert!(
            started.elapsed() >= Duration::from_millis(190),
            "{color}: {:?}",
            started.elapsed()
        );
        engine.send("# interrupt\n");
        std::thread::sleep(Duration::from_millis(50));
    }
    // Even if the next command is already waiting.
    engine.send("genmove w\nname\n");
    engine.receive();
    engine.receive();
    engine.send("# interrupt\n1 genmove b\n");
    let started = Instant::now();
    engine.receive();
    assert!(started.elapsed() >= Duration::from_millis(150));
}

#[test]
fn commands_that_arrive_during_a_search_are_answered_after_it() {
    let mut engine = Engine::without_tablebase(&["--move-time", "0.3"]);
    engine.send("1 genmove b\n2 name\n3 gen");
    std::thread::sleep(Duration::from_millis(100));
    engine.send("move w\n# a comment\n4 version\n");
    for number in 1..=4 {
        let answer = engine.receive();
        assert!(answer.starts_with(&format!("={number} ")), "{answer}");
    }
    assert_eq!(engine.ask("name"), "= Gothello");
}

#[test]
fn a_search_is_finished_although_the_input_has_ended_and_quit_waits() {
    let started = Instant::now();
    let output = super::engine::run(
        &["--no-tablebase", "--move-time", "0.2"],
        b"play b a1\nplay w e5\ngenmove b\nname\nquit\n",
    );
    // It keeps a thirty-second of its time for the choice at the end.
    assert!(started.elapsed() >= Duration::from_millis(190));
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.matches("\n\n").count(), 5, "{answers}");
    assert!(answers.ends_with("= Gothello\n\n= \n\n"), "{answers}");
}

#[test]
fn the_clock_is_kept() {
    let mut engine = Engine::start(&[]);
    engine.expect("time_settings 5 0 0");
    engine.expect("time_left b 1 0");
    let started = Instant::now();
    engine.expect("genmove b");
    assert!(started.elapsed() < Duration::from_secs(1));
    // The rest of the five seconds is enough for White's half of the game.
    let started = Instant::now();
    for _ in 0..5 {
        engine.expect("genmove w");
        engine.expect("play b pass");
    }
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn the_engine_captures_stones_when_that_wins() {
    let mut engine = Engine::start(&[]);
    let white = "a1 b1 c1 a2 b2 c2 d2 a3 b3 c3 d3 e3 a4 b4 c4 d4 e4 a5 b5 c5 d5 e5";
    let white: Vec<String> = white.split(' ').map(|point| format!("w {point}")).collect();
    engine.expect(&format!("gogui-setup b e2 {}", white.join(" ")));
    assert_eq!(engine.expect("genmove b"), "D1");
    assert_eq!(engine.expect("gogui-rules_captured_count"), "22 0");
}

#[test]
fn reg_genmove_does_not_play_its_move() {
    let mut engine = Engine::start(&["--move-time", "0.01"]);
    let board = engine.expect("showboard");
    engine.expect("reg_genmove b");
    assert_eq!(engine.expect("showboard"), board);
    assert_eq!(engine.ask("undo"), "? cannot undo");
    let mv = engine.expect("genmove b");
    assert!(engine.expect("printsgf").contains(";B["), "{mv}");
    engine.expect("undo");
    assert_eq!(engine.expect("showboard"), board);
}
