//! GTP engines as players: small ones that follow a script.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use crate::client::{Done, Program};
use crate::go_messages::{end, invalid, moved, played, start, start_from, state, valid};
use crate::goplay::server::{Peer, Server};
#[cfg(target_os = "linux")]
use crate::processes::{DEAF, deaf, runs, wait_for_the_end};
#[cfg(target_os = "linux")]
use crate::server::is_ignored;
use crate::waiting;

/// An engine as a shell script. It records the commands that it receives.
struct Script {
    folder: TempDir,
}

impl Script {
    /// An engine with these cases before all others, of which each sees the words
    /// of the command as `$1`, `$2` and so on; the others say `=`.
    fn new(cases: &str) -> Script {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "cd '{}'\nwhile read -r line; do\necho \"$line\" >>log\nset -- $line\n\
             case $1 in\n{cases}\nquit) printf '=\\n\\n'; exit;;\n\
             *) printf '=\\n\\n';;\nesac\ndone\n",
            folder.path().display()
        );
        fs::write(folder.path().join("engine.sh"), script).unwrap();
        Script { folder }
    }

    /// An engine that runs this at `genmove`.
    fn genmove(does: &str) -> Script {
        Script::new(&format!("genmove) {does};;"))
    }

    /// Engines whose answers to `genmove` are these, one after the other.
    fn answers(words: &[&str], cases: &str) -> Script {
        let script = Script::new(&format!(
            "genmove) printf '= %s\\n\\n' \"$(head -n 1 answers)\"; sed -i 1d answers;;\n{cases}"
        ));
        let answers = words.join("\n") + "\n";
        fs::write(script.folder.path().join("answers"), answers).unwrap();
        script
    }

    /// A client with this engine, which leaves after a game.
    fn client(&self, server: &Server) -> (Program, Peer) {
        let path = self.folder.path().join("engine.sh");
        let command = format!("sh '{}'", path.display());
        server.client(&["--engine", &command, "--games", "1"])
    }

    /// The commands that it received.
    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// The commands that it received, with times rounded up to ten seconds: the machine may be
    /// busy.
    fn rounded_log(&self) -> String {
        let round = |word: &str| match word.parse::<u32>() {
            Ok(seconds) => seconds.next_multiple_of(10).to_string(),
            Err(_) => word.to_owned(),
        };
        let log = self.log();
        let lines = log.lines().map(|line| match line.starts_with("time_") {
            true => line.split(' ').map(round).collect::<Vec<_>>().join(" "),
            false => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Waits until it has received a command this many times.
    fn wait_for(&self, command: &str, times: usize) {
        let log = || fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        waiting::wait_for(command, log, || {
            let log = log();
            let told = log.lines().filter(|line| line.starts_with(command));
            (told.count() >= times).then_some(())
        });
    }
}

/// Ends the game, and waits for the end of the program.
fn finish(client: Program, peer: &mut Peer) -> Done {
    peer.says(&end("timeout", "B"));
    peer.is_left();
    let done = client.wait();
    assert_eq!(done.code, Some(0), "{}", done.err);
    done
}

#[test]
fn an_engine_plays_a_game() {
    let server = Server::new();
    let engine = Script::answers(&["C3", "a1", "PASS", "resign"], "");
    let (client, mut peer) = engine.client(&server);
    peer.says(&start(5, &[], "B"));
    for (ours, theirs) in [("2,2", "1,1"), ("4,0", "0,4"), ("pass", "1,2")] {
        assert_eq!(peer.hears_move(), played(ours));
        peer.says(&valid());
        peer.says(&moved(theirs));
    }
    assert_eq!(peer.hears_move(), played("resign"));
    peer.says(&valid());
    let done = finish(client, &mut peer);
    assert_eq!(
        done.out,
        "won as Black: B+T by timeout, B 25, W 6.5, 7 moves\n"
    );
    insta::assert_snapshot!(engine.rounded_log());
}

#[test]
fn an_engine_is_told_of_board_stones_rules_moves_and_time() {
    let server = Server::new();
    let cases = "genmove) printf '= pass\\n\\n';;\n\
                 list_commands) printf '= genmove\\nkata-set-rule\\n\\n';;\n\
                 time_left) printf '? what time\\n\\n';;";
    let engine = Script::new(cases);
    let (client, mut peer) = engine.client(&server);
    let rows = ["B.W.".to_owned(), "....".to_owned()];
    let mut message = start_from(&state(&rows, "W"), &["1,1", "1,0"], "W");
    message["configuration"]["idleDeltaTime"] = json!(600);
    peer.says(&message);
    assert_eq!(peer.hears_move(), played("pass"));
    peer.says(&valid());
    peer.says(&moved("1,3"));
    assert_eq!(peer.hears_move(), played("pass"));
    let done = finish(client, &mut peer);
    let refusal = "the engine refuses \"time_left w 8";
    assert_eq!(done.err.matches(refusal).count(), 1, "{}", done.err);
    insta::assert_snapshot!(engine.rounded_log());
}

#[test]
fn an_engine_whose_move_is_illegal_is_asked_again_and_then_passes() {
    let server = Server::new();
    let engine = Script::answers(
        &["A1", "B2", "B2", "C3", "C3", "D4"],
        "list_commands) printf '= undo\\ngenmove\\n\\n';;",
    );
    let (client, mut peer) = engine.client(&server);
    // A1 is taken, and the server does not accept B2.
    peer.says(&start(5, &["4,0", "0,0"], "B"));
    assert_eq!(peer.hears_move(), played("3,1"));
    peer.says(&invalid());
    assert_eq!(peer.hears_move(), played("2,2"));
    peer.says(&invalid());
    assert_eq!(peer.hears_move(), played("pass"));
    peer.says(&valid());
    peer.says(&moved("0,1"));
    assert_eq!(peer.hears_move(), played("1,3"));
    let done = finish(client, &mut peer);
    done.told("the engine's move A1 is illegal (the point is occupied)");
    done.told("the server does not accept B2: \"SuperKo\"");
    done.told("the engine's move B2 is illegal (as before)");
    done.told("the engine finds no legal move: it plays pass");
    insta::assert_snapshot!(engine.rounded_log());
}

#[test]
fn an_engine_with_restricted_genmove_chooses_among_the_other_points() {
    let server = Server::new();
    let cases = "list_commands) printf '= undo\\nrestricted_genmove\\n\\n';;\n\
                 restricted_genmove) printf '= %s\\n\\n' \"$3\";;";
    let engine = Script::answers(&["A2"], cases);
    let (client, mut peer) = engine.client(&server);
    peer.says(&start(2, &["0,0", "1,1"], "B"));
    // The first of the remaining points: A1 would be illegal only for White.
    assert_eq!(peer.hears_move(), played("0,1"));
    peer.says(&invalid());
    assert_eq!(peer.hears_move(), played("1,0"));
    peer.says(&valid());
    finish(client, &mut peer);
    let log = engine.log();
    let told: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("genmove b"))
        .collect();
    assert_eq!(
        told,
        [
            "genmove b",
            "restricted_genmove b B2 A1",
            "restricted_genmove b A1"
        ]
    );
}

#[test]
fn pings_are_answered_while_an_engine_thinks() {
    let server = Server::new();
    let engine = Script::genmove("until [ -e pinged ]; do sleep 0.05; done; printf '= c3\\n\\n'");
    let (client, mut peer) = engine.client(&server);
    peer.says(&start(5, &[], "B"));
    engine.wait_for("genmove", 1);
    for _ in 0..10 {
        peer.pings();
    }
    fs::write(engine.folder.path().join("pinged"), "").unwrap();
    assert_eq!(peer.hears_move(), played("2,2"));
    finish(client, &mut peer);
}

#[test]
fn a_search_result_is_dropped_when_the_game_ends() {
    let server = Server::new();
    let engine = Script::genmove("sleep 0.5; printf '= c3\\n\\n'");
    let (client, mut peer) = engine.client(&server);
    peer.says(&start(5, &[], "B"));
    engine.wait_for("genmove", 1);
    // Another position: the first answer is ignored.
    peer.says(&end("pause", "."));
    peer.says(&start(5, &["2,2", "0,0"], "B"));
    assert_eq!(peer.hears_move(), played("pass"));
    finish(client, &mut peer);
    // It answers the same three times.
    assert_eq!(
        engine.log().matches("genmove b\n").count(),
        4,
        "{}",
        engine.log()
    );
    assert_eq!(
        engine.log().matches("clear_board\n").count(),
        4,
        "{}",
        engine.log()
    );
}

#[test]
fn a_search_goes_on_when_the_game_does() {
    let server = Server::new();
    let engine = Script::genmove("sleep 1; printf '= c3\\n\\n'");
    let (client, mut peer) = engine.client(&server);
    peer.says(&start(5, &["1,1", "0,0"], "B"));
    engine.wait_for("genmove", 1);
    drop(peer);
    let (mut peer, _) = server.greet();
    peer.says(&start(5, &["1,1", "0,0"], "B"));
    assert_eq!(peer.hears_move(), played("2,2"));
    finish(client, &mut peer);
    let log = engine.log();
    let told = |command: &str| log.lines().filter(|line| *line == command).count();
    assert_eq!((told("clear_board"), told("genmove b")), (1, 1), "{log}");
}

#[test]
fn an_engine_that_ends_is_started_again() {
    let server = Server::new();
    let engine =
        Script::genmove("test -e again && printf '= c3\\n\\n' || { touch again; exit 3; }");
    let (client, mut peer) = engine.client(&server);
    peer.says(&start(5, &["1,1", "0,0"], "B"));
    assert_eq!(peer.hears_move(), played("2,2"));
    let done = finish(client, &mut peer);
    done.told(
        "the engine ended (exit status: 3) without a response to \"genmove b\": it is started again",
    );
    assert_eq!(
        engine.log().matches("play b B4\n").count(),
        2,
        "{}",
        engine.log()
    );
}

#[test]
fn an_engine_that_fails_again_leaves_the_game_as_it_is() {
    let error = |script: &Script| {
        let server = Server::new();
        let (client, mut peer) = script.client(&server);
        peer.says(&start(5, &[], "B"));
        peer.is_left();
        let done = client.wait();
        assert_eq!(done.out, "");
        done.failure().to_owned()
    };
    insta::assert_snapshot!(error(&Script::genmove("exit 3")), @r#"the engine ended (exit status: 3) without a response to "genmove b"; the game has not been resigned: start again to go on with it"#);
    insta::assert_snapshot!(error(&Script::genmove("printf 'c3\\n\\n'")), @r#"the engine responded to "genmove b" with "c3": a response begins with = or ? and ends with an empty line; the game has not been resigned: start again to go on with it"#);
    insta::assert_snapshot!(error(&Script::genmove("printf '= k10\\n\\n'")), @r#"the engine responded to "genmove b" with "k10": a point of the board, pass or resign would be right; the game has not been resigned: start again to go on with it"#);
    insta::assert_snapshot!(error(&Script::genmove("printf '? too hard\\n\\n'")), @r#"the engine fails at "genmove b": too hard; the game has not been resigned: start again to go on with it"#);
    insta::assert_snapshot!(error(&Script::genmove("yes c3")), @r#"the engine responded to "genmove b" with "c3": a response begins with = or ? and ends with an empty line; the game has not been resigned: start again to go on with it"#);
    let small = Script::new("boardsize) printf '? unacceptable size\\n\\n';;");
    insta::assert_snapshot!(error(&small), @r#"this engine cannot play on a board of 5x5: it answers "boardsize 5" with "unacceptable size"; the game has not been resigned: start again to go on with it"#);
}

#[test]
fn a_program_that_is_not_an_engine_does_not_connect() {
    let server = Server::new();
    let error = |command: &str| {
        let client = Program::goplay(server.port, &["--engine", command]);
        client.wait().failure().to_owned()
    };
    insta::assert_snapshot!(error("cat"), @r#"the engine responded to "list_commands" with "list_commands": a response begins with = or ? and ends with an empty line"#);
    insta::assert_snapshot!(error("false"), @r#"the engine ended (exit status: 1) without a response to "list_commands""#);
    assert!(server.is_lonely());
}

#[test]
fn an_engine_that_thinks_for_ever_is_ended_with_the_program() {
    let server = Server::new();
    let engine = Script::genmove("exec sleep 100");
    let (client, mut peer) = engine.client(&server);
    peer.says(&start(5, &[], "B"));
    engine.wait_for("genmove", 1);
    let begin = Instant::now();
    finish(client, &mut peer);
    assert!(begin.elapsed() < Duration::from_secs(50));
}

/// A signal ends the client before it can end its engine, and an engine that thinks
/// does not see that its input is closed.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_does_not_read_ends_with_a_client_that_is_killed() {
    for signal in ["-TERM", "-KILL"] {
        if is_ignored(signal) {
            continue;
        }
        let server = Server::new();
        let engine = Script::genmove(DEAF);
        let (client, mut peer) = engine.client(&server);
        peer.says(&start(5, &[], "B"));
        let pids = deaf(engine.folder.path());
        assert!(
            pids.len() == 2 && pids.iter().all(|&pid| runs(pid)),
            "{signal}: {pids:?}"
        );
        client.signal(signal);
        assert_eq!(client.wait().code, None, "{signal}");
        wait_for_the_end(&pids);
    }
}
