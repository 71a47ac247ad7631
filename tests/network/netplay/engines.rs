//! GTP engines as players: our own, and small ones that do as they are told.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::netplay::netplay::{Done, Netplay};
use crate::netref::referee::{Client, Referee};
#[cfg(target_os = "linux")]
use crate::processes::{DEAF, deaf, runs, wait_for_the_end};

/// An engine in shell script. It writes down what it is told.
struct Script {
    folder: TempDir,
}

impl Script {
    /// An engine that does this at `genmove`, and says `=` to all other
    /// commands.
    fn new(genmove: &str) -> Script {
        Script::with(&format!("genmove) {genmove};;"))
    }

    /// An engine with these cases before all others.
    fn with(cases: &str) -> Script {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "cd '{}'\nwhile read -r name rest; do\n\
             echo \"$name $rest\" >>log\n\
             case $name in\n{cases}\n\
             quit) printf '=\\n\\n'; exit;;\n\
             *) printf '=\\n\\n';;\nesac\ndone\n",
            folder.path().display()
        );
        fs::write(folder.path().join("engine.sh"), script).unwrap();
        Script { folder }
    }

    fn command(&self) -> String {
        let path: PathBuf = self.folder.path().join("engine.sh");
        format!("sh '{}'", path.display())
    }

    /// What it was told.
    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// It is Black, and the test is White.
    fn against(&self, referee: &Referee) -> (Netplay, Client) {
        let black = Netplay::start(referee, &["black", "--engine", &self.command()]);
        let mut white = referee.seat("player white");
        white.expect("351 ");
        (black, white)
    }

    /// What becomes of a match that it ends on its first move.
    fn alone(&self) -> Done {
        let referee = Referee::start(&[]);
        let (black, mut white) = self.against(&referee);
        white.expect("322 1 pass and black loses by resignation");
        let done = black.wait();
        assert_eq!(done.result(), "white wins by resignation");
        done
    }
}

#[test]
fn two_engines_play_a_match() {
    let referee = Referee::start(&[]);
    let ours = format!("'{}' gtp --move-time 0.01", env!("CARGO_BIN_EXE_gothello"));
    let passes = Script::new("printf '\\n\\n= PASS\\n\\n'");
    let black = Netplay::start(&referee, &["black", "--engine", &ours]);
    let white = Netplay::start(&referee, &["white", "--engine", &passes.command()]);
    let [black, white] = [black, white].map(Netplay::wait);
    assert_eq!(black.code, Some(0), "{}", black.err);
    assert_eq!(white.code, Some(0), "{}", white.err);
    assert_eq!(black.out, white.out);
    assert!(
        black.result().starts_with("black wins by "),
        "{}",
        black.out
    );
    let first = black.out.lines().next().unwrap().replace("1 ", "play b ");
    let log = passes.log();
    let begin = format!("boardsize 5\nclear_board \nname \n{first}\ngenmove w\n");
    assert!(log.starts_with(&begin), "{log}");
    assert!(log.ends_with("quit \n"), "{log}");
}

#[test]
fn an_engine_is_told_its_time() {
    let referee = Referee::start(&["90", "60"]);
    let engine =
        Script::with("genmove) printf '= pass\\n\\n';;\ntime*) printf '? what time\\n\\n';;");
    let (black, mut white) = engine.against(&referee);
    white.expect("317 1 pass ");
    white.ask("1 ... a1", "207 ");
    white.expect("314 ");
    white.expect("317 2 pass ");
    white.ask("2 ... pass", "201 ");
    let done = black.wait();
    assert_eq!(done.result(), "white wins by 1");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let log: Vec<String> = engine
        .log()
        .lines()
        .map(|line| line.trim().to_owned())
        .collect();
    let [.., again, _, _] = log.as_slice() else {
        panic!("{log:?}")
    };
    assert!(
        ["time_left b 57 0", "time_left b 58 0", "time_left b 59 0"].contains(&again.as_str()),
        "{again}"
    );
    insta::assert_snapshot!(log[..6].join("\n"), @r"
    boardsize 5
    clear_board
    name
    time_settings 59 0 0
    time_left b 59 0
    genmove b
    ");
    // Once, and not for each move.
    assert_eq!(
        done.err.matches("the engine refuses \"time_left").count(),
        1,
        "{}",
        done.err
    );
}

#[test]
fn an_engine_resigns() {
    let done = Script::new("printf '= Resign\\n\\n'").alone();
    assert_eq!((done.code, done.error()), (Some(0), ""));
}

#[test]
fn an_engine_that_plays_illegally_has_resigned() {
    let referee = Referee::start(&[]);
    let engine = Script::new("printf '= c3\\n\\n'");
    let (black, mut white) = engine.against(&referee);
    white.expect("311 1 c3 ");
    white.ask("1 ... d3", "200 ");
    let done = black.wait();
    assert_eq!(done.result(), "white wins by resignation");
    assert_eq!(done.code, Some(1));
    insta::assert_snapshot!(done.error(), @"the move c3 is illegal (c3 is occupied), and so the match was resigned");
}

/// A referee may know better than we do what is legal.
#[test]
fn an_engine_whose_move_is_not_taken_has_resigned() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let engine = Script::new("printf '= c3\\n\\n'");
    let command = engine.command();
    let black = Netplay::start_at(
        listener.local_addr().unwrap(),
        &["black", "--engine", &command],
    );
    let (mut stream, _) = listener.accept().unwrap();
    let mut requests = BufReader::new(stream.try_clone().unwrap()).split(b'\r');
    let mut hear = || String::from_utf8(requests.next().unwrap().unwrap()).unwrap();
    stream.write_all(b"000 0.9.1 hello\r\n").unwrap();
    assert!(hear().starts_with("0.9.1 player black"));
    stream
        .write_all(b"100 Request accepted\r\n352 You will play black\r\n")
        .unwrap();
    assert_eq!(hear(), "1 c3");
    stream.write_all(b"291 Illegal request: never\r\n").unwrap();
    assert_eq!(hear(), "resign");
    stream
        .write_all(b"204 Resignation accepted\r\n328 Black resigns\r\n")
        .unwrap();
    drop(stream);
    let done = black.wait();
    assert_eq!(done.result(), "white wins by resignation");
    assert_eq!(done.code, Some(1), "{}", done.err);
    insta::assert_snapshot!(done.error(), @"the referee did not take the engine's move, and so the match was resigned");
}

/// A signal ends the client before it can end its engine, and an engine that thinks
/// does not see that its input is closed.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_does_not_read_ends_with_a_client_that_is_killed() {
    for signal in ["-INT", "-TERM", "-HUP", "-KILL"] {
        let referee = Referee::start(&[]);
        let engine = Script::new(DEAF);
        let (black, _white) = engine.against(&referee);
        let pids = deaf(engine.folder.path());
        assert_eq!(pids.len(), 2);
        assert!(pids.iter().all(|&pid| runs(pid)));
        black.signal(signal);
        assert_eq!(black.wait().code, None, "{signal}");
        wait_for_the_end(&pids);
    }
}

/// An engine may be a script that has started the engine.
#[cfg(target_os = "linux")]
#[test]
fn what_an_engine_has_started_ends_with_the_match() {
    let referee = Referee::start(&[]);
    let engine = Script::new(DEAF);
    let (black, white) = engine.against(&referee);
    let pids = deaf(engine.folder.path());
    drop(white);
    assert_eq!(black.wait().code, Some(0));
    wait_for_the_end(&pids);
}

#[test]
fn an_engine_that_fails_has_resigned() {
    let error = |script: &Script| {
        let done = script.alone();
        assert_eq!(done.code, Some(1), "{}", done.err);
        done.error().to_owned()
    };
    let dies = Script::new("exit 3");
    insta::assert_snapshot!(error(&dies), @r#"the engine ended (exit status: 3) without an answer to "genmove b""#);
    let garbles = Script::new("printf 'c3\\n\\n'");
    insta::assert_snapshot!(error(&garbles), @r#"the engine answered "genmove b" with "c3": a response begins with = or ? and ends with an empty line"#);
    let wrong = Script::new("printf '= k10\\n\\n'");
    insta::assert_snapshot!(error(&wrong), @r#"the engine answered "genmove b" with "k10": a letter a-e and a digit 1-5, pass or resign is expected"#);
    let fails = Script::new("printf '? too hard\\n\\n'");
    insta::assert_snapshot!(error(&fails), @r#"the engine fails at "genmove b": too hard"#);
    let endless = Script::new("yes c3");
    insta::assert_snapshot!(error(&endless), @r#"the engine answered "genmove b" with "c3": a response begins with = or ? and ends with an empty line"#);
}

#[test]
fn what_is_no_engine_takes_no_seat() {
    let referee = Referee::start(&[]);
    let error = |command: &str| {
        let done = Netplay::start(&referee, &["black", "--engine", command]).wait();
        assert_eq!(done.code, Some(1), "{}", done.err);
        done.error().to_owned()
    };
    insta::assert_snapshot!(error("cat"), @r#"the engine answered "boardsize 5" with "boardsize 5": a response begins with = or ? and ends with an empty line"#);
    let large = "sh -c \"printf '? unacceptable size\\n\\n'; cat > /dev/null\"";
    insta::assert_snapshot!(error(large), @r#"the engine fails at "boardsize 5": unacceptable size"#);
    insta::assert_snapshot!(error("false"), @r#"the engine ended (exit status: 1) without an answer to "boardsize 5""#);
    assert!(!referee.log().iter().any(|line| line.contains("connected")));
}

#[test]
fn an_engine_that_thinks_for_ever_is_ended_with_the_match() {
    let referee = Referee::start(&[]);
    let engine = Script::new("exec sleep 100");
    let (black, white) = engine.against(&referee);
    let start = Instant::now();
    drop(white);
    let done = black.wait();
    assert_eq!(done.result(), "black wins by disconnection");
    assert_eq!(done.code, Some(0));
    assert!(start.elapsed() < Duration::from_secs(2));
}
