//! The commands about proven results and playing strength.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gothello::Game;
use gothello::gtp::server::{self, GothelloEngine, GtpGame, Session};
use gothello::player::{AlphaBeta, Choice, Limits, MoveLimits, Player};
use gothello::solver::Bounds;
use gothello::{Move, Position};
use insta::assert_snapshot;

use super::Engine;
use super::engine::{program, transcript};
use crate::analyzer::Knows;
use crate::cases::is_quick;
use crate::waiting::{EndsInTime, OutputInTime, Pipe};

/// A position with 10 stones, in which Black is to move and wins by 5.
const OPEN: &str = "gogui-setup B C3 W C2 B D4 W B4 B B2 W D2 B A3 W E3 B C5 W B1";

/// One with 17 stones, in which Black can still go wrong.
const LATE: &str = "gogui-setup B A1 B B1 B C1 B A2 B B2 B D3 B E4 W D1 W D2 W A3 W B3 W A4 W B4 W D4 W A5 W C5 W E1";

#[test]
fn proofs_of_a_position() {
    let printed = transcript(&format!(
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
    ));
    // Several variations are best. Which one is found may differ between builds.
    let lines = printed
        .lines()
        .map(|line| match line.strip_prefix("= b A1 w ") {
            Some(_) => "= b A1 w ...",
            None => line,
        });
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
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
fn safe_stones_and_points_that_only_their_owner_can_take() {
    assert_snapshot!(transcript(
        "gogui-setup B A2 B B1 B B2 W E1 W D2 W E3 W C3 W D3 W D1
        gothello-safety
        gogui-setup B C3 W C4
        gothello-safety"
    ));
}

#[test]
fn the_playing_level_can_be_set() {
    let mut engine = Engine::start(&["--level", "3", "--seed", "5"]);
    assert_snapshot!(engine.transcript(
        "gothello-param
        gothello-param level perfect
        gothello-param seed 18446744073709551615
        gothello-param
        gothello-param level
        gothello-param level 10
        gothello-param seed -1
        gothello-param live_graphics 0
        gothello-param live_graphics off
        gothello-param time 3
        gothello-param level 3 x
        gothello-param"
    ));
}

#[test]
fn a_suggestion_is_made_at_full_strength_and_changes_nothing() {
    // The levels below do not see that it captures nearly everything.
    let trap = "gogui-setup b e2 w a1 w b1 w c1 w a2 w b2 w c2 w d2 w a3 w b3 w c3 w d3 w e3 w a4 w b4 w c4 w d4 w e4 w a5 w b5 w c5 w d5 w e5";
    let mut engine = Engine::start(&["--level", "1"]);
    engine.expect(trap);
    for _ in 0..5 {
        let suggested = engine.expect("gothello-suggested_move");
        assert_eq!(suggested, "CIRCLE D1\nTEXT Black D1: B+24, proven");
    }
    let parameters = engine.expect("gothello-param");
    assert!(parameters.contains(" level 1\n"), "{parameters}");
    // The random moves are those that follow without suggestions.
    let moves = |suggests: bool| {
        let mut engine = Engine::start(&["--level", "1", "--seed", "5", "--move-time", "0.01"]);
        let genmove = |ply: usize| {
            if suggests {
                engine.expect("gothello-suggested_move");
            }
            engine.expect(&format!("genmove {}", ["b", "w"][ply % 2]))
        };
        (0..8).map(genmove).collect::<Vec<_>>()
    };
    assert_eq!(moves(true), moves(false));
}

#[test]
fn a_pass_is_suggested_in_words() {
    let position = "gogui-setup w a5 b b5 w c5 w d5 w e5 b b4 w c4 w d4 w e4 w a3 b b3 w c3 w d3 b e3 b a2 b b2 w c2 b d2 b e2 b a1 w b1 b d1 b e1";
    let answers = transcript(&format!(
        "{position}\ngogui-setup_player w\ngothello-suggested_move"
    ));
    assert!(
        answers.ends_with("\n= TEXT White pass: W+1, proven"),
        "{answers}"
    );
}

#[test]
fn a_seed_repeats_the_same_games() {
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
fn the_evaluation_of_the_last_move() {
    let mut engine = Engine::without_tablebase(&["--move-time", "0.05"]);
    assert_eq!(engine.expect("gothello-last_choice"), NOT_CHOSEN);
    let mv = engine.expect("genmove b");
    let thought = engine.expect("gothello-last_choice");
    let unproven = thought.starts_with(&format!("Black {mv}: about "));
    assert!(unproven && thought.ends_with(", not proven"), "{thought}");
    engine.expect(LATE);
    let value = engine.expect("gothello-value");
    let mv = engine.expect("genmove b");
    let thought = engine.expect("gothello-last_choice");
    assert_eq!(thought, format!("Black {mv}: {value}, proven"));
}

/// The answer about a last move that the engine did not choose.
const NOT_CHOSEN: &str = "the engine did not choose the last move";

#[test]
fn only_the_last_move_has_an_evaluation() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let save = format!("printsgf {}", file.path().display());
    let load = format!("loadsgf {}", file.path().display());
    let mut engine = Engine::start(&[]);
    // A suggested move is not played.
    engine.expect("reg_genmove b");
    assert_eq!(engine.expect("gothello-last_choice"), NOT_CHOSEN);
    for change in [
        "undo",
        "clear_board",
        "boardsize 5",
        "play w a5",
        "gogui-play_sequence w a5 b pass",
        "gogui-setup b c3",
        "gogui-setup_player b",
        &load,
    ] {
        engine.expect("clear_board");
        engine.expect("play b pass");
        engine.expect("play w pass");
        engine.expect(&save);
        engine.expect("clear_board");
        let mv = engine.expect("genmove b");
        let thought = engine.expect("gothello-last_choice");
        assert!(thought.starts_with(&format!("Black {mv}: ")), "{thought}");
        // Refused commands change nothing, and neither do queries.
        for command in ["play b a1", "play w z9", "gogui-play_sequence w a5 w a4"] {
            assert!(engine.ask(command).starts_with('?'), "{change}: {command}");
        }
        engine.expect("gogui-rules_legal_moves");
        engine.expect("reg_genmove w");
        assert_eq!(engine.expect("gothello-last_choice"), thought, "{change}");
        engine.expect(change);
        assert_eq!(
            engine.expect("gothello-last_choice"),
            NOT_CHOSEN,
            "{change}"
        );
    }
}

/// A player that passes without a search, and expects to win by ten.
struct Passes;

impl Player for Passes {
    fn choose(&mut self, _: &Position, _: &Limits<'_>) -> Choice {
        Choice::new(Move::Pass).with_lead(10.0)
    }
}

#[test]
fn a_pass_that_ends_the_game_is_worth_the_score_of_the_stones() {
    let engine = GothelloEngine::new(Box::new(Passes), Arc::new(Knows(Bounds::UNKNOWN)));
    let session = Session::new(Game::new(), engine, MoveLimits::default());
    let commands = "play b c3\ngenmove w\ngothello-last_choice\ngenmove b\ngothello-last_choice\n";
    let answers = answered(session, commands);
    let answers: Vec<&str> = answers.split("\n\n").collect();
    assert_eq!(answers[2], "= White pass: about W+10.0, not proven");
    assert_eq!(
        answers[4],
        "= Black pass: B+1, which ends the game; not proven to be best"
    );
}

#[test]
fn interrupted_proofs_report_what_they_have() {
    let mut engine = Engine::without_tablebase(&["--hash", "16"]);
    // Without the interruption it would take minutes.
    let limit = Duration::from_secs(if is_quick() { 10 } else { 3 });
    let commands = [
        ("gothello-values", "TEXT stopped: W+"),
        ("gothello-best_moves", "TEXT stopped: W+"),
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
        assert!(started.elapsed() < limit, "{command}");
        assert!(answer.starts_with(&format!("={number} ")), "{answer}");
        assert!(answer.contains(expected), "{answer}");
    }
    assert_eq!(engine.ask("name"), "= Gothello");
}

#[test]
fn gogui_is_shown_the_progress() {
    for command in ["gothello-values", "gothello-value"] {
        let mut child = program(&["--no-tablebase", "--hash", "16"])
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "play b a1\nplay w e5\n{command}").unwrap();
        let mut lines = Pipe::new(child.stderr.take().unwrap());
        assert_eq!(lines.line("live graphics").as_deref(), Some("gogui-gfx:"));
        let shown =
            std::iter::from_fn(|| lines.line("live graphics")).take_while(|line| !line.is_empty());
        let shown: Vec<String> = shown.collect();
        let text = shown.last().unwrap();
        assert!(text.starts_with("TEXT "), "{shown:?}");
        writeln!(input, "# interrupt\nquit").unwrap();
        assert!(child.wait_in_time().success());
    }
}

#[test]
fn gogui_is_shown_nothing_twice_and_nothing_at_all_if_it_opts_out() {
    let shown = |settings: &str| {
        let mut child = program(&["--no-tablebase", "--hash", "16"])
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let commands = format!("{settings}play b a1\nplay w e5\ngothello-values\n");
        input.write_all(commands.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_secs(2));
        writeln!(input, "# interrupt\nquit").unwrap();
        String::from_utf8(child.output_in_time().stderr).unwrap()
    };
    let text = shown("");
    let blocks: Vec<&str> = text.split("\n\n").collect();
    assert!(blocks.len() > 1);
    assert!(blocks.windows(2).all(|pair| pair[0] != pair[1]), "{text}");
    assert_eq!(shown("gothello-param live_graphics 0\n"), "");
}

#[test]
fn a_random_seed_is_short() {
    for _ in 0..3 {
        let parameters = Engine::start(&[]).expect("gothello-param");
        let seed = parameters
            .lines()
            .find_map(|line| line.strip_prefix("[string] seed "));
        assert!(seed.unwrap().parse::<u32>().unwrap() < 1_000_000);
    }
}

#[test]
fn a_drawn_game_is_called_a_draw() {
    let answers = transcript("play b pass\nplay w pass\ngothello-winner\ngothello-values");
    assert!(
        answers.ends_with(
            "= the game is over: drawn\n> gothello-values\n= TEXT the game is over: drawn"
        ),
        "{answers}"
    );
}

/// A controller need not read standard error.
#[test]
fn a_proof_is_finished_although_nobody_sees_its_progress() {
    let mut child = program(&["--no-tablebase"]).spawn().unwrap();
    drop(child.stderr.take());
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{OPEN}\ngothello-value\nquit").unwrap();
    drop(input);
    let output = child.output_in_time();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "= \n\n= B+5\n\n= \n\n"
    );
    assert!(output.status.success());
}

/// The answers if every value has these bounds.
fn known(bounds: Bounds, commands: &str) -> String {
    let player = Box::new(AlphaBeta::new());
    let engine = GothelloEngine::new(player, Arc::new(Knows(bounds)));
    answered(
        Session::new(Game::new(), engine, MoveLimits::default()),
        commands,
    )
}

/// The answer of a session.
fn answered(session: Session<Game>, commands: &str) -> String {
    let mut output = Vec::new();
    let input = std::io::Cursor::new(commands.to_owned());
    server::run(session, input, &mut output).unwrap();
    String::from_utf8(output).unwrap().trim_end().to_owned()
}

#[test]
fn bounds_are_reported_as_such() {
    let commands = "play b c3\ngothello-value\ngothello-winner\ngothello-pass_value\n";
    assert_snapshot!(known(Bounds { low: 1, high: 4 }, commands));
    let almost_full = "gogui-setup B A1 B B1 B C1 B D1 B E1 B A2 B B2 B C2 B D2 B E2 B A3 B B3 B C3 B D3 B E3 B A4 B B4 B C4\ngothello-values\n";
    assert_snapshot!(known(Bounds { low: 1, high: 4 }, almost_full));
    assert_snapshot!(known(Bounds { low: -4, high: -1 }, almost_full));
    assert_snapshot!(known(Bounds { low: -4, high: 0 }, almost_full));
    assert_snapshot!(known(Bounds::exactly(0), almost_full));
}

/// In a window 900 pixels wide, GoGui has room for some 95 characters: the label of the command
/// and what it says. At the smallest size of the board, four fit on a point.
#[test]
fn gogui_has_room_for_everything_that_it_is_shown() {
    let almost_full = "gogui-setup B A1 W B1 B D1 W E1 B A2 W B2 B D2 W E2 W B3 B D3 W E3 B A4 W B4 B D4 W E4 B A5 W B5";
    let ended = "play b c3\nplay w pass\ngenmove b\nplay w pass";
    let offered = Game::ANALYZE_COMMANDS.iter().map(|offer| {
        let mut parts = offer.splitn(3, '/');
        [(); 3].map(|()| parts.next().unwrap())
    });
    let offered = offered.filter(|[kind, ..]| ["gfx", "string"].contains(kind));
    for [_, title, command] in offered {
        for start in ["clear_board", almost_full, ended] {
            for bounds in [
                Bounds { low: -25, high: 25 },
                Bounds {
                    low: -25,
                    high: -13,
                },
                Bounds { low: 13, high: 25 },
                Bounds::exactly(-24),
            ] {
                let player = Box::new(AlphaBeta::new());
                let engine = GothelloEngine::new(player, Arc::new(Knows(bounds)));
                let session = Session::new(Game::new(), engine, MoveLimits::within(Duration::ZERO));
                let answers = answered(session, &format!("{start}\n{command}\n"));
                let answer = answers.rsplit("\n\n").next().unwrap();
                let lines: Vec<&str> = answer.trim_start_matches("= ").lines().collect();
                let text = lines.last().unwrap().trim_start_matches("TEXT ");
                assert!(title.len() + 2 + text.len() <= 90, "{title}: {text}");
                for labels in lines.iter().filter_map(|line| line.strip_prefix("LABEL ")) {
                    let mut labels = labels.split(' ').skip(1).step_by(2);
                    let fits = |label: &str| label.is_ascii() && label.len() <= 4;
                    assert!(labels.all(fits), "{lines:?}");
                }
            }
        }
    }
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
            .find(|line| line.starts_with("RssAnon:"))
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
    // None of it is the table's. (The code of the program, which comes from its file, does not
    // count.)
    assert!(memory(&engine) < 10, "{} MB", memory(&engine));
    engine.expect(LATE);
    engine.expect("gothello-value");
    // Most of the table's memory is never touched.
    assert!(memory(&engine) < 50, "{} MB", memory(&engine));
}
