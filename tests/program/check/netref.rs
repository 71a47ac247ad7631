//! `gothello check netref`.

use std::env;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use super::awari_client::AWARI_CLIENT;
use super::client::CLIENT;
use super::{Outcomes, assert_found, assert_found_among_all, error, faults, steps_without};
use crate::executable::executable;
use crate::waiting::OutputInTime;
use serde_json::Value;
use tempfile::TempDir;

/// Each fault of the stand-in, and the step that finds it.
const FAULTS: [(&str, &str); 55] = [
    ("does-not-connect", "connect"),
    ("ends-no-line", "line-end"),
    ("floods-when-full", "refused-seat"),
    ("runs-out-of-time", "time-pressure"),
    ("asks-for-nothing", "opening"),
    ("asks-for-the-other-side", "opening"),
    ("is-too-new", "opening"),
    ("lf", "line-end"),
    ("hangs-when-refused", "side-taken"),
    ("stops-after-three-moves", "turn"),
    ("misreads-ellipses", "turn"),
    ("moves-at-once", "turn-order"),
    ("moves-after-a-while", "turn-order"),
    ("writes-upper-case", "move-syntax"),
    ("speaks-gtp", "move-syntax"),
    ("writes-a-hash", "move-syntax"),
    ("counts-from-zero", "numbering"),
    ("counts-plies", "numbering"),
    ("never-writes-ellipses", "ellipses"),
    ("always-writes-ellipses", "ellipses"),
    ("tries-points-and-ignores-291", "retry"),
    ("tries-points-and-counts-on", "retry"),
    ("plays-on-stones", "occupied"),
    ("plays-into-suicide", "suicide"),
    ("fills-its-eye", "own-eye"),
    ("captures-as-in-go", "opponent-eye"),
    ("never-passes", "forced-pass"),
    ("waits-when-blocked", "forced-pass"),
    ("never-passes-last", "last-pass"),
    ("ends-at-a-pass", "opponent-pass"),
    ("ends-at-move-ten", "long-game"),
    ("hangs-after-a-win", "win-by-own-pass"),
    ("crashes-at-its-win", "win-by-opponent-pass"),
    ("hangs-after-a-loss", "loss-by-own-pass"),
    ("crashes-at-its-loss", "loss-by-opponent-pass"),
    ("crashes-at-a-draw", "draw-by-own-pass"),
    ("crashes-at-its-draw", "draw-by-opponent-pass"),
    ("hangs-after-resignation", "opponent-resigns"),
    ("crashes-at-disconnection", "opponent-leaves"),
    ("does-not-expect-201", "opponent-leaves-in-turn"),
    ("ignores-36x", "opponent-flag"),
    ("cannot-lose-on-time", "own-flag"),
    ("ignores-the-end", "interrupted"),
    ("hangs-when-full", "refused-seat"),
    ("takes-half-a-line", "interrupted-in-line"),
    ("hangs-at-a-reset", "reset"),
    ("hangs-at-399", "referee-problem"),
    ("splits-at-quotes", "names"),
    ("looks-for-352", "names"),
    ("knows-no-327", "opponent-resigns"),
    // Those of the public library in Python, and of that in Java.
    ("raises-at-draws-and-flags", "draw-by-own-pass"),
    ("raises-at-draws-and-flags", "draw-by-opponent-pass"),
    ("raises-at-draws-and-flags", "opponent-flag"),
    ("tries-points-and-counts-as-black", "retry"),
    ("forgets-the-moves-so-far", "resumes"),
];

/// A fault of each kind, the step that finds it, and the other steps that must also fail.
const FAULTS_AMONG_ALL: [(&str, &str, &[&str]); 14] = [
    ("hangs-when-refused", "side-taken", &[]),
    ("hangs-when-full", "refused-seat", &[]),
    (
        "tries-points-and-counts-on",
        "retry",
        &[
            "suicide",
            "own-eye",
            "opponent-eye",
            "own-captures",
            "opponent-captures",
            "forced-pass",
            "last-pass",
        ],
    ),
    (
        "plays-into-suicide",
        "suicide",
        &["own-captures", "opponent-captures", "forced-pass"],
    ),
    (
        "captures-as-in-go",
        "opponent-eye",
        &[
            "own-captures",
            "opponent-captures",
            "forced-pass",
            "last-pass",
        ],
    ),
    ("crashes-at-its-draw", "draw-by-opponent-pass", &[]),
    ("hangs-after-resignation", "opponent-resigns", &[]),
    ("ignores-36x", "opponent-flag", &[]),
    (
        "ignores-the-end",
        "interrupted",
        &["interrupted-in-turn", "interrupted-in-line", "reset"],
    ),
    ("takes-half-a-line", "interrupted-in-line", &[]),
    ("hangs-at-a-reset", "reset", &[]),
    (
        "knows-no-207",
        "clocks",
        &["opponent-flag", "time-pressure"],
    ),
    ("reads-resignation", "texts", &[]),
    ("splits-at-quotes", "names", &[]),
];

/// Faults in how a client reads, and faults about clocks.
const READING_FAULTS: [(&str, &str); 9] = [
    ("ignores-the-end", "interrupted-in-turn"),
    ("knows-no-207", "clocks"),
    ("knows-no-313", "clocks"),
    ("cannot-hurry", "time-pressure"),
    ("reads-no-part-of-a-line", "bytewise"),
    ("reads-texts", "texts"),
    ("reads-resignation", "texts"),
    ("reads-two-lines-at-once", "merged"),
    ("gives-up-soon", "slow-opponent"),
];

/// Wrong boards: a client that tracks captures like this never makes an illegal move on purpose.
const BOARD_FAULTS: [(&str, &str); 8] = [
    ("forgets-flips", "opponent-captures"),
    ("removes-captures", "opponent-captures"),
    ("flips-neighbors-only", "opponent-captures"),
    ("flips-as-in-othello", "opponent-captures"),
    ("forgets-flips-of-its-own", "own-captures"),
    ("removes-captures-of-its-own", "own-captures"),
    ("flips-neighbors-only-of-its-own", "own-captures"),
    ("flips-as-in-othello-of-its-own", "own-captures"),
];

/// Each fault of the stand-in that plays Awari, and the step that finds it.
const AWARI_FAULTS: [(&str, &str); 36] = [
    ("is-too-new", "opening"),
    ("lf", "line-end"),
    ("hangs-when-refused", "side-taken"),
    ("moves-at-once", "turn-order"),
    ("speaks-gtp", "move-syntax"),
    ("counts-from-zero", "numbering"),
    ("counts-plies", "numbering"),
    ("never-writes-ellipses", "ellipses"),
    ("sows-for-the-opponent", "own-pits"),
    ("sows-empty-pits", "empty-pits"),
    ("starves", "feed"),
    ("waits-with-one-move", "only-move"),
    ("fills-the-pit-itself", "lap"),
    ("forgets-captures-of-its-own", "own-captures"),
    ("captures-one-pit-of-its-own", "own-captures"),
    ("forgets-captures-of-the-opponent", "opponent-captures"),
    ("captures-one-pit-of-the-opponent", "opponent-captures"),
    ("ends-at-move-ten", "long-game"),
    ("hangs-after-a-win", "win-by-own-move"),
    ("crashes-at-its-win", "win-by-opponent-move"),
    ("hangs-after-a-loss", "loss-by-own-move"),
    ("crashes-at-its-loss", "loss-by-opponent-move"),
    ("crashes-at-a-draw", "draw-by-own-move"),
    ("crashes-at-its-draw", "draw-by-opponent-move"),
    ("hangs-at-majorities", "majority"),
    ("hangs-at-empty-sides", "empty-side"),
    ("hangs-at-repetitions", "repetition"),
    ("hangs-at-grand-slams", "grand-slam"),
    ("hangs-after-resignation", "opponent-resigns"),
    ("crashes-at-disconnection", "opponent-leaves"),
    ("ignores-36x", "opponent-flag"),
    ("ignores-the-end", "interrupted"),
    ("hangs-at-an-offer", "draw-offer"),
    ("crashes-at-an-offer", "draw-offer"),
    ("moves-at-an-offer", "draw-offer"),
    ("knows-no-207", "clocks"),
];

/// Checks the stand-in with a fault.
fn check(fault: &str, options: &[&str]) -> Output {
    check_stand_in(CLIENT, "client::stand_in_client", fault, options)
}

/// Checks the stand-in that plays Awari with a fault.
fn check_awari(fault: &str, options: &[&str]) -> Output {
    let options = [&["--game", "awari"], options].concat();
    check_stand_in(
        AWARI_CLIENT,
        "awari_client::stand_in_awari_client",
        fault,
        &options,
    )
}

/// Checks a stand-in, a test of this program that has its fault, side, and port in a variable.
fn check_stand_in(variable: &str, test: &str, fault: &str, options: &[&str]) -> Output {
    // The shell joins the placeholders into one word, because the harness would take them for
    // filters.
    let script = format!("{variable}=\"{fault} $1 $2\" exec \"$0\" --exact check::{test}");
    let program = env::current_exe().unwrap();
    Command::new(executable())
        .args(["check", "netref", "--json", "--quiet", "--seed", "3"])
        .args(options)
        .args(["--", "sh", "-c", &script])
        .arg(program)
        .args(["{side}", "{port}"])
        .output_in_time()
}

/// Checks the stand-in with a fault for a step.
fn check_step(fault: &str, step: &str) -> Output {
    let options = ["--timeout", "8", "--end-timeout", "3", "--games", "12"];
    check(fault, &[&options[..], &["--only", step]].concat())
}

#[test]
fn a_correct_client_passes() {
    let outcomes = Outcomes::of(&check("none", &[]));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    // It gives no name, and cannot resume; the others depend on its moves.
    assert!(outcomes.passed.contains(&"retry".to_owned()));
    for step in ["names", "resumes"] {
        assert!(outcomes.not_reached.contains(&step.to_owned()), "{step}");
    }
    assert!(outcomes.required.is_empty(), "{}", outcomes.text);
    assert!(outcomes.notices.is_empty(), "{}", outcomes.text);
    assert!(outcomes.passed.len() >= 35, "{}", outcomes.text);
}

#[test]
#[ignore = "takes a minute, unoptimized"]
fn a_correct_client_of_awari_passes() {
    let outcomes = Outcomes::of(&check_awari("none", &["--games", "1"]));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    assert!(outcomes.passed.len() >= 30, "{}", outcomes.text);
}

#[test]
fn a_client_of_awari_may_answer_draw_offers_as_it_likes() {
    for fault in ["accepts-draws", "ignores-offers", "answers-late"] {
        let outcomes = Outcomes::of(&check_awari(fault, &["--only", "draw-offer"]));
        assert_eq!(outcomes.passed, ["draw-offer"], "{}", outcomes.text);
        assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    }
}

/// The referee answers 291, and the game goes on.
#[test]
fn a_client_of_awari_that_answers_no_offer_fails_and_plays_on() {
    let outcomes = Outcomes::of(&check_awari("accepts-no-offer", &["--only", "turn"]));
    assert_eq!(outcomes.failed, ["draw-offer"], "{}", outcomes.text);
    assert_eq!(outcomes.passed, ["turn"], "{}", outcomes.text);
    let found = "it sent draw, but no offer of a draw was open";
    assert!(outcomes.text.contains(found), "{}", outcomes.text);
}

#[test]
#[ignore = "takes a quarter of a minute, unoptimized"]
fn each_fault_of_a_client_of_awari_is_found_by_its_step() {
    assert_found(&AWARI_FAULTS, |fault, step| {
        let options = ["--timeout", "8", "--end-timeout", "3", "--games", "12"];
        check_awari(fault, &[&options[..], &["--only", step]].concat())
    });
}

#[test]
fn a_client_that_leaves_the_rules_to_the_referee_can_try_again() {
    let outcomes = Outcomes::of(&check("tries-points", &["--only", "retry"]));
    assert!(
        outcomes.passed.contains(&"retry".to_owned()),
        "{}",
        outcomes.text
    );
    assert!(!outcomes.failed.is_empty(), "{}", outcomes.text);
}

#[test]
#[ignore = "takes a minute, unoptimized"]
fn each_fault_is_found_by_its_step() {
    assert_found(&FAULTS, check_step);
}

#[test]
#[ignore = "takes a minute"]
fn only_the_step_of_a_fault_finds_it() {
    assert_found_among_all(&FAULTS_AMONG_ALL, |fault| {
        check(
            fault,
            &["--timeout", "8", "--end-timeout", "3", "--games", "6"],
        )
    });
}

#[test]
fn every_step_finds_a_fault() {
    let all = FAULTS.iter().chain(&BOARD_FAULTS).chain(&READING_FAULTS);
    let found: Vec<&str> = all.map(|&(_, step)| step).collect();
    assert_eq!(steps_without("netref", &[], &found), [""; 0]);
    // Faults common to both games are tested above.
    let found = [found, AWARI_FAULTS.iter().map(|&(_, step)| step).collect()].concat();
    let left = steps_without("netref", &["--game", "awari"], &found);
    assert_eq!(left, [""; 0]);
}

#[test]
#[ignore = "searches for a minute, unoptimized"]
fn wrong_boards_are_found() {
    // Some rarely show.
    assert_found(&BOARD_FAULTS, |fault, step| {
        let options = ["--end-timeout", "3", "--games", "32", "--only", step];
        check(fault, &options)
    });
}

#[test]
#[ignore = "searches for a minute, unoptimized"]
fn faults_in_reading_are_found() {
    assert_found(&READING_FAULTS, check_step);
}

#[test]
fn a_client_with_a_name_passes() {
    let steps = ["names", "opponent-resigns", "opponent-leaves", "texts"];
    let only: Vec<&str> = steps.iter().flat_map(|step| ["--only", step]).collect();
    let outcomes = Outcomes::of(&check("is-named", &only));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    assert!(outcomes.not_reached.is_empty(), "{}", outcomes.text);
    let outcomes = Outcomes::of(&check("none", &["--only", "names"]));
    assert_eq!(outcomes.not_reached, ["names"], "{}", outcomes.text);
}

#[test]
#[ignore = "takes a quarter of a minute, unoptimized"]
fn exit_codes_of_clients_can_be_their_results() {
    let only = ["--only", "win-by-opponent-pass", "--games", "6"];
    let outcomes = Outcomes::of(&check("exits-with-1", &only));
    assert!(!outcomes.failed.is_empty(), "{}", outcomes.text);
    let any = [&only[..], &["--any-exit-code"]].concat();
    let outcomes = Outcomes::of(&check("exits-with-1", &any));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
}

#[test]
fn our_own_client_passes() {
    let program = executable();
    let check = |name: &[&str]| {
        let output = Command::new(program)
            .args([
                "check", "netref", "--json", "--quiet", "--seed", "1", "--games", "1", "--",
                program,
            ])
            .args([
                "netplay", "{host}", "{server}", "{side}", "--level", "1", "--seed", "1",
            ])
            .args(["--move-time", "0.05"])
            .args(name)
            .output_in_time();
        let outcomes = Outcomes::of(&output);
        assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
        assert!(outcomes.passed.len() >= 28, "{}", outcomes.text);
    };
    thread::scope(|scope| {
        scope.spawn(|| check(&["--name", "Ann"]));
        scope.spawn(|| check(&["--no-name"]));
    });
}

#[test]
#[ignore = "takes a quarter of a minute, unoptimized"]
fn our_own_client_of_awari_passes() {
    let program = executable();
    let steps = ["long-game", "draw-offer", "opponent-resigns", "clocks"];
    let output = Command::new(program)
        .args(["check", "netref", "--game", "awari", "--json", "--quiet"])
        .args(["--seed", "1", "--games", "1"])
        .args(steps.iter().flat_map(|step| ["--only", step]))
        .args(["--", program, "netplay", "{host}", "{server}", "{side}"])
        .args(["--game", "awari", "--move-time", "0.01"])
        .output_in_time();
    let outcomes = Outcomes::of(&output);
    assert_eq!(outcomes.passed.len(), steps.len(), "{}", outcomes.text);
}

#[test]
fn a_check_with_a_time_limit_ends_within_a_game() {
    let begin = Instant::now();
    let options = ["--time-limit", "3", "--only", "long-game"];
    let outcomes = Outcomes::of(&check("thinks-for-long", &options));
    assert_eq!(outcomes.required, ["long-game"], "{}", outcomes.text);
    // It would think for longer than half a minute in a game.
    assert!(begin.elapsed() < Duration::from_secs(25));
}

#[test]
fn a_step_without_time_for_it_makes_a_check_incomplete() {
    // A game begins in any case.
    let outcomes = Outcomes::of(&check("none", &["--time-limit", "0.001"]));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    for step in ["clocks", "opponent-flag", "merged", "own-captures"] {
        let is_required = outcomes.required.iter().any(|name| name == step);
        assert!(is_required, "{step}: {}", outcomes.text);
    }
    // So it is if only some of the games are played that it needs.
    for step in ["own-captures", "draw-by-own-pass"] {
        let options = ["--time-limit", "0.5", "--only", step];
        let outcomes = Outcomes::of(&check("none", &options));
        assert_eq!(outcomes.required, [step], "{}", outcomes.text);
    }
    // What does not apply to the client is not missing.
    let outcomes = Outcomes::of(&check("none", &["--only", "names"]));
    assert_eq!(outcomes.not_reached, ["names"], "{}", outcomes.text);
    assert!(outcomes.required.is_empty(), "{}", outcomes.text);
}

/// The guide's bot in Python with these texts replaced, checked with these options.
fn check_bot(changes: &[(&str, &str)], options: &[&str]) -> Output {
    let mut text = include_str!("../../../docs/src/bots/bot.py").to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "the bot has no {from:?}");
        text = text.replace(from, to);
    }
    let folder = TempDir::new().unwrap();
    let bot = folder.path().join("bot.py");
    fs::write(&bot, text).unwrap();
    Command::new(executable())
        .args(["check", "netref", "--json", "--quiet", "--seed", "3"])
        .args(options)
        .args(["--", "python3"])
        .arg(bot)
        .args(["{side}", "{host}", "{port}", "Ann"])
        .output_in_time()
}

/// The changes of the fault with this name in the guide's bot.
fn changes(name: &str) -> faults::Changes {
    let mut faults = faults::CORRECT.iter().chain(&faults::FAULTS);
    let fault = faults.find(|fault| fault.name == name);
    match fault.map(|fault| fault.bot) {
        Some(faults::Bot::Python(changes)) => changes,
        _ => panic!("{name} is no fault of the bot in Python"),
    }
}

/// A sample of the benchmark `check`: of each kind of fault one, and the step that finds it.
#[test]
#[ignore = "searches for a minute, unoptimized"]
fn faults_of_the_guides_bot_are_found() {
    let sample = [
        ("places stones without a liberty", "suicide"),
        ("captures only the stone next to the move", "own-captures"),
        ("does not count passes", "numbering"),
        ("writes no ellipsis", "ellipses"),
        ("waits after 29x", "retry"),
        ("counts a refused move", "retry"),
        ("takes what recv returns for a line", "merged"),
        ("knows no 101", "clocks"),
        ("hangs when the opponent resigns", "opponent-resigns"),
        ("ignores the moves before its role", "resumes"),
        ("answers the moves before its role", "resumes"),
        ("captures only one group", "own-captures"),
        ("ends at a pass of the opponent", "opponent-pass"),
    ];
    assert_found(&sample, |fault, step| {
        let options = [
            "--timeout",
            "8",
            "--end-timeout",
            "3",
            "--games",
            "12",
            "--only",
            "resumes",
            "--only",
            step,
        ];
        check_bot(changes(fault), &options)
    });
}

#[test]
#[ignore = "takes a quarter of a minute, unoptimized"]
fn a_client_that_resumes_is_led_to_the_end_of_a_game() {
    let options = ["--only", "resumes", "--only", "draw-by-own-pass"];
    let options = [&options[..], &["--games", "1", "--end-timeout", "3"]].concat();
    let outcomes = Outcomes::of(&check_bot(changes("hangs when its pass draws"), &options));
    let failed = ["draw-by-own-pass"];
    assert_eq!(outcomes.failed, failed, "{}", outcomes.text);
}

#[test]
fn lines_in_one_packet_are_told_as_the_cause() {
    let changes = changes("takes what recv returns for a line");
    let options = ["--only", "merged", "--timeout", "4", "--side", "black"];
    // On a busy machine even lines that are sent one by one may be read together.
    let checks = (0..3).map(|_| Outcomes::of(&check_bot(changes, &options)));
    let mut outcomes = checks.skip_while(|outcomes| outcomes.failed != ["merged"]);
    let outcomes = outcomes.next().expect("the packets are the cause");
    let cause = "352 came in the same packet as 344";
    assert!(outcomes.text.contains(cause), "{}", outcomes.text);
}

#[test]
fn the_guides_bot_resumes() {
    let options = ["--only", "resumes", "--only", "retry"];
    let outcomes = Outcomes::of(&check_bot(&[], &options));
    assert_eq!(outcomes.passed, ["retry", "resumes"], "{}", outcomes.text);
    // One that says that it cannot need not.
    let old = [(
        "else \"0.9.1\"",
        "else \"0.9.1\"\n            version = \"0.9.1\"",
    )];
    let outcomes = Outcomes::of(&check_bot(&old, &["--only", "resumes"]));
    assert_eq!(outcomes.not_reached, ["resumes"], "{}", outcomes.text);
    assert!(outcomes.required.is_empty(), "{}", outcomes.text);
}

#[test]
fn a_pass_with_legal_moves_left_is_noticed() {
    // One stone can be placed by every move of a game's first turn.
    let passes = [(
        "if self.moves else \"pass\"",
        "if self.moves and self.plies > 3 else \"pass\"",
    )];
    let outcomes = Outcomes::of(&check_bot(&passes, &["--only", "turn", "--only", "clocks"]));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    let [notice] = &outcomes.notices[..] else {
        panic!("{}", outcomes.text);
    };
    assert!(
        notice.contains("first as black, in move 1 of game 1"),
        "{notice}"
    );
}

#[test]
fn an_illegal_move_is_shown_with_the_board() {
    let options = ["--only", "occupied", "--games", "12", "--fail-fast"];
    let outcomes = Outcomes::of(&check("plays-on-stones", &options));
    let mut lines = outcomes.text.lines();
    let line = lines.find(|line| line.contains("\"step\":\"occupied\""));
    let event: Value = serde_json::from_str(line.unwrap()).unwrap();
    let board = event["board"].as_array().unwrap();
    assert_eq!(board.first().unwrap(), "  a b c d e");
    assert_eq!(board.len(), 7, "{board:?}");
    assert!(
        board
            .iter()
            .any(|row| row.as_str().unwrap().contains(['X', 'O']))
    );
}

#[test]
fn every_change_of_a_fault_applies_to_the_guides_bots() {
    let bots = |file: &str| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/bots/");
        fs::read_to_string(format!("{path}{file}")).unwrap()
    };
    for fault in faults::CORRECT.iter().chain(&faults::FAULTS) {
        let (file, changes) = match fault.bot {
            faults::Bot::Python(changes) => ("bot.py", changes),
            faults::Bot::C(changes) => ("bot.c", changes),
            faults::Bot::Java(changes) => ("Bot.java", changes),
            faults::Bot::Rust(changes) => ("bot.rs", changes),
            faults::Bot::Awari | faults::Bot::Agent | faults::Bot::Engine => continue,
        };
        let text = bots(file);
        for (from, to) in changes {
            assert!(
                text.contains(from),
                "{}: {file} has no {from:?}",
                fault.name
            );
            assert_ne!(from, to);
        }
        assert!(!fault.is_noticed || fault.name.contains("pass"));
    }
    for (kind, name) in faults::Kind::ALL {
        let mut kinds = faults::FAULTS.iter().map(|fault| fault.kind);
        assert!(kinds.any(|of| of == Some(kind)), "{name}");
    }
}

#[test]
fn fatal_steps_come_before_situations_on_the_board() {
    let output = Command::new(executable())
        .args([
            "check", "netref", "--seed", "3", "--games", "1", "--side", "black",
        ])
        .args([
            "--only",
            "own-captures",
            "--only",
            "clocks",
            "--only",
            "occupied",
        ])
        .args(["--only", "opponent-flag", "--", "sh", "-c"])
        .arg(format!(
            "{CLIENT}=\"none $1 $2\" exec \"$0\" --exact check::client::stand_in_client"
        ))
        .arg(env::current_exe().unwrap())
        .args(["{side}", "{port}"])
        .output_in_time();
    let progress = String::from_utf8(output.stderr).unwrap();
    let games: Vec<&str> = progress
        .lines()
        .filter_map(|line| line.strip_prefix("game ")?.split(": black, ").nth(1))
        .collect();
    assert!(
        games.starts_with(&["turn", "opponent-flag", "clocks"]),
        "{progress}"
    );
}

#[test]
fn a_port_that_is_taken_is_named() {
    let mut ports = (29_068..=29_097).rev();
    let taken = ports.find_map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok());
    let port = taken.as_ref().unwrap().local_addr().unwrap().port();
    let server = (port - 29_068).to_string();
    let options = ["-q", "--side", "black", "--server", &server, "--", "true"];
    let found = error("netref", &options);
    let named = format!("1, error: cannot listen at port {port} of server number {server}: ");
    assert!(found.starts_with(&named), "{found}");
}

#[test]
fn mistakes_on_the_command_line_are_reported() {
    let error = |arguments: &[&str]| error("netref", arguments);
    insta::assert_snapshot!(error(&["--", "./client"]), @"2, error: the command needs {server} or {port}, in whose place the client is given the server number or the port where it connects; or give --server, if it always connects to the same port, which is 29068 plus this number");
    insta::assert_snapshot!(error(&["--", "./client", "{port}"]), @"2, error: the command needs {side}, which tells the client what to play, or there must be --side");
    insta::assert_snapshot!(error(&["--only", "x", "--", "./client", "{port}", "{side}"]), @r#"2, error: there is no step "x": --list lists the steps; for several, repeat --only"#);
    let awari = |options: &[&str]| {
        error(&[&["--game", "awari"], options, &["--", "./client", "{port}"]].concat())
    };
    insta::assert_snapshot!(awari(&["--side", "black"]), @"2, error: --side is south or north here");
    insta::assert_snapshot!(awari(&["--side", "south", "--server", "11"]), @"2, error: --server is 0 to 10 here");
    insta::assert_snapshot!(awari(&["--side", "south", "--only", "own-eye"]), @r#"2, error: there is no step "own-eye": --list lists the steps; for several, repeat --only"#);
    insta::assert_snapshot!(error(&["-q", "--", "./missing", "{port}", "{side}"]), @r#"1, error: cannot start "./missing": there is no such file, or not the interpreter that it names"#);
}

/// A client that can be started only once is given another packet for each line of its first game in vain.
#[test]
#[cfg(unix)]
fn what_is_known_of_a_client_that_does_not_start_again_is_reported() {
    let folder = TempDir::new().unwrap();
    let script = format!(
        "mkdir \"$3/started\" || exit 3; {CLIENT}=\"counts-plies $1 $2\" exec \"$0\" --exact check::client::stand_in_client"
    );
    let output = Command::new(executable())
        .args([
            "check", "netref", "--json", "--quiet", "--seed", "3", "--side", "black",
        ])
        .args(["--", "sh", "-c", &script])
        .arg(env::current_exe().unwrap())
        .args(["{side}", "{port}"])
        .arg(folder.path())
        .output_in_time();
    let outcomes = Outcomes::of(&output);
    assert!(
        outcomes.failed.contains(&"numbering".to_owned()),
        "{}",
        outcomes.text
    );
}

/// A client that takes a port and is given a server number connects nowhere, and the other way
/// around.
#[test]
#[cfg(unix)]
fn a_client_that_does_not_connect_may_need_another_placeholder() {
    let found = |placeholder: &str| {
        let output = Command::new(executable())
            .args(["check", "netref", "--quiet", "--side", "black"])
            .args(["--only", "connect", "--", "false", placeholder])
            .output_in_time();
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().nth(1).unwrap().trim().to_owned()
    };
    insta::assert_snapshot!(found("{server}"), @"as black: the client ended (exit status: 1) without connecting; a client that takes a port, and not a server number, needs {port} in place of {server}");
    insta::assert_snapshot!(found("{port}"), @"as black: the client ended (exit status: 1) without connecting; a client that takes a server number, and not a port, needs {server} in place of {port}");
    insta::assert_snapshot!(found("{port},{server}"), @"as black: the client ended (exit status: 1) without connecting");
}
