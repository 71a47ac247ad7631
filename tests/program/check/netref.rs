//! `gothello check netref`.

use std::env;
use std::process::{Command, Output};

use super::client::CLIENT;
use super::{Outcomes, assert_found, error};

/// Each fault of the stand-in, and the step that finds it.
const FAULTS: [(&str, &str); 40] = [
    ("does-not-connect", "connect"),
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
];

/// Faults in how a client reads, and those that have to do with clocks.
const READING_FAULTS: [(&str, &str); 6] = [
    ("ignores-the-end", "interrupted-in-turn"),
    ("knows-no-207", "clocks"),
    ("knows-no-313", "clocks"),
    ("cannot-hurry", "time-pressure"),
    ("reads-no-part-of-a-line", "bytewise"),
    ("reads-texts", "texts"),
];

/// Wrong boards: a client that tracks captures like this never makes a move on purpose that is
/// illegal.
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

/// Checks the stand-in with a fault.
fn check(fault: &str, options: &[&str]) -> Output {
    // The shell makes one word of the placeholders, which the harness would take for filters.
    let script =
        format!("{CLIENT}=\"{fault} $1 $2\" exec \"$0\" --exact check::client::stand_in_client");
    let program = env::current_exe().unwrap();
    Command::new(env!("CARGO_BIN_EXE_gothello"))
        .args(["check", "netref", "--json", "--quiet", "--seed", "3"])
        .args(options)
        .args(["--", "sh", "-c", &script])
        .arg(program)
        .args(["{side}", "{port}"])
        .output()
        .unwrap()
}

/// Checks the stand-in with a fault for a step.
fn check_step(fault: &str, step: &str) -> Output {
    let options = ["--timeout", "8", "--end-timeout", "3", "--games", "12"];
    check(fault, &[&options[..], &["--only", step]].concat())
}

#[test]
fn a_client_that_is_right_passes() {
    let outcomes = Outcomes::of(&check("none", &[]));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    // It never needs a second try; the others depend on its moves.
    assert!(outcomes.not_reached.contains(&"retry".to_owned()));
    assert!(outcomes.passed.len() >= 35, "{}", outcomes.text);
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
fn each_fault_is_found_by_its_step() {
    assert_found(&FAULTS, check_step);
}

#[test]
fn wrong_boards_are_found() {
    // Some show seldom.
    assert_found(&BOARD_FAULTS, |fault, step| {
        let options = ["--end-timeout", "3", "--games", "32", "--only", step];
        check(fault, &options)
    });
}

#[test]
fn faults_in_reading_are_found() {
    assert_found(&READING_FAULTS, check_step);
    let merged = check(
        "reads-two-lines-at-once",
        &["--timeout", "4", "--only", "merged"],
    );
    let failed = Outcomes::of(&merged).failed;
    // Three lines may also come at once by themselves.
    assert!(
        failed.iter().any(|name| name == "merged" || name == "turn"),
        "{failed:?}"
    );
}

#[test]
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
    let program = env!("CARGO_BIN_EXE_gothello");
    for name in [&["--name", "Ann"][..], &["--no-name"]] {
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
            .output()
            .unwrap();
        let outcomes = Outcomes::of(&output);
        assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
        assert!(outcomes.passed.len() >= 28, "{}", outcomes.text);
    }
}

#[test]
fn mistakes_on_the_command_line_are_told() {
    let error = |arguments: &[&str]| error("netref", arguments);
    insta::assert_snapshot!(error(&["--", "./client"]), @"2, error: the command needs {server} or {port}, which tell the client where to connect, or there must be --server");
    insta::assert_snapshot!(error(&["--", "./client", "{port}"]), @"2, error: the command needs {side}, which tells the client what to play, or there must be --side");
    insta::assert_snapshot!(error(&["--only", "x", "--", "./client", "{port}", "{side}"]), @r#"2, error: there is no step "x": --list lists the steps"#);
    insta::assert_snapshot!(error(&["-q", "--", "./missing", "{port}", "{side}"]), @r#"1, error: cannot start the engine "./missing": there is no such file, or not the interpreter that it names"#);
}
