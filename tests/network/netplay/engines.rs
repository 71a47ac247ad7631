//! GTP engines as players: our own, and small ones that follow a script.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::client::{Done, Program};
use crate::executable::executable;
use crate::netref::referee::{Client, Referee};
#[cfg(target_os = "linux")]
use crate::processes::{DEAF, deaf, runs, wait_for_the_end};
#[cfg(target_os = "linux")]
use crate::server::is_ignored;
use crate::waiting::{self, DeadlineStream};

/// An engine as a shell script. It records the commands that it receives.
pub struct Script {
    pub folder: TempDir,
}

impl Script {
    /// An engine that runs this at `genmove`, and answers `=` to all other commands.
    pub fn new(genmove: &str) -> Script {
        Script::with(&format!("genmove) {genmove};;"))
    }

    /// An engine with these cases before all others.
    pub fn with(cases: &str) -> Script {
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

    pub fn command(&self) -> String {
        let path: PathBuf = self.folder.path().join("engine.sh");
        format!("sh '{}'", path.display())
    }

    /// The commands that it received.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// The engine is Black, and the test is White.
    fn against(&self, referee: &Referee) -> (Program, Client) {
        let black = Program::netplay(referee, &["black", "--engine", &self.command()]);
        let mut white = referee.seat("player white");
        white.expect("351 ");
        (black, white)
    }

    /// Plays a match that the engine ends on its first move.
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
    let ours = format!("'{}' gtp --move-time 0.01", executable());
    let passes = Script::new("printf '\\n\\n= PASS\\n\\n'");
    let black = Program::netplay(&referee, &["black", "--engine", &ours]);
    let white = Program::netplay(&referee, &["white", "--engine", &passes.command()]);
    let [black, white] = [black, white].map(Program::wait);
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
    // Only once, not for each move.
    assert_eq!(
        done.err.matches("the engine refuses \"time_left").count(),
        1,
        "{}",
        done.err
    );
}

/// GTP has only whole seconds, and many engines take 0 to mean no clock.
#[test]
fn an_engine_in_its_last_seconds_is_told_to_hurry() {
    let referee = Referee::start(&["60", "3"]);
    let engine = Script::new("test -e slept || { touch slept; sleep 1.4; }; printf '= pass\\n\\n'");
    let (black, mut white) = engine.against(&referee);
    white.expect("317 1 pass 1 ");
    white.ask("1 ... a1", "207 ");
    white.expect("314 ");
    white.expect("317 2 pass ");
    let done = black_wins(black, &mut white);
    assert!(!done.err.contains("the engine refuses"), "{}", done.err);
    let log = engine.log();
    let times: Vec<&str> = log
        .lines()
        .filter(|line| line.starts_with("time_"))
        .collect();
    insta::assert_snapshot!(times.join("\n"), @r"
    time_settings 2 0 0
    time_left b 2 0
    time_settings 0 1 100
    time_left b 1 100
    ");
}

#[test]
fn an_engine_resigns() {
    let done = Script::new("printf '= Resign\\n\\n'").alone();
    assert_eq!((done.code, done.error()), (Some(0), ""));
}

/// An engine that answers `genmove` with these words, one after the other.
fn answers(words: &[&str], cases: &str) -> Script {
    let script = Script::with(&format!(
        "genmove) printf '= %s\\n\\n' \"$(head -n 1 answers)\"; sed -i 1d answers;;\n{cases}"
    ));
    let answers = words.join("\n") + "\n";
    fs::write(script.folder.path().join("answers"), answers).unwrap();
    script
}

/// White resigns, and Black's client succeeds.
fn black_wins(black: Program, white: &mut Client) -> Done {
    white.ask("resign", "204 ");
    let done = black.wait();
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(done.result(), "black wins by resignation");
    done
}

#[test]
fn an_engine_that_dies_in_the_middle_of_a_match_is_restarted() {
    let referee = Referee::start(&["90"]);
    let engine = answers(
        &["c3", "e5", "pass"],
        "play) test \"$rest\" != 'w d3' || test -e dead || { touch dead; exit 3; }; \
         printf '=\\n\\n';;",
    );
    let (black, mut white) = engine.against(&referee);
    white.expect("313 1 c3 ");
    white.ask("1 ... d3", "207 ");
    white.expect("314 1 ... d3 ");
    white.expect("313 2 e5 ");
    white.ask("2 ... d4", "207 ");
    white.expect("314 2 ... d4 ");
    white.expect("317 3 pass ");
    let done = black_wins(black, &mut white);
    let why = "the engine ended (exit status: 3) without a response to \"play w d3\": \
               it is started again";
    assert!(done.err.contains(why), "{}", done.err);
    let log = engine.log();
    let restarted = log.rsplit_once("boardsize 5\n").unwrap().1;
    let without_times: Vec<&str> = restarted
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.starts_with("time_"))
        .collect();
    insta::assert_snapshot!(without_times.join("\n"), @r"
    clear_board
    play b c3
    play w d3
    genmove b
    play w d4
    genmove b
    quit
    ");
    // The new process is told the clock, too.
    assert!(restarted.contains("time_settings "), "{log}");
}

#[test]
fn an_engine_whose_move_is_illegal_is_asked_again() {
    for (lists, retry) in [
        ("undo", "genmove b\nlist_commands \nundo \ngenmove b\n"),
        (
            "genmove",
            "genmove b\nlist_commands \nboardsize 5\nclear_board \n\
             play b c3\nplay w d3\ngenmove b\n",
        ),
    ] {
        let referee = Referee::start(&[]);
        let cases = format!("list_commands) printf '= {lists}\\n\\n';;");
        let engine = answers(&["c3", "d3", "e1"], &cases);
        let (black, mut white) = engine.against(&referee);
        white.expect("311 1 c3 ");
        white.ask("1 ... d3", "200 ");
        white.expect("312 1 ... d3 ");
        white.expect("311 2 e1 ");
        let done = black_wins(black, &mut white);
        let why = "the engine's move d3 is illegal (d3 is occupied)";
        assert!(done.err.contains(why), "{}", done.err);
        assert!(engine.log().contains(retry), "{}", engine.log());
    }
}

#[test]
fn an_engine_with_restricted_genmove_is_asked_for_another_point() {
    let referee = Referee::start(&[]);
    let engine = answers(
        &["c3", "d3"],
        "list_commands) printf '= undo\\nrestricted_genmove\\n\\n';;\n\
         restricted_genmove) printf '= a1\\n\\n';;",
    );
    let (black, mut white) = engine.against(&referee);
    white.expect("311 1 c3 ");
    white.ask("1 ... d3", "200 ");
    white.expect("312 1 ... d3 ");
    white.expect("311 2 a1 ");
    black_wins(black, &mut white);
    let log = engine.log();
    let (_, asked) = log.split_once("restricted_genmove b ").unwrap();
    let points = asked.lines().next().unwrap().split(' ').count();
    assert_eq!(points, 23, "{log}");
}

#[test]
fn an_engine_that_plays_illegally_resigns() {
    let referee = Referee::start(&[]);
    let engine = Script::new("printf '= c3\\n\\n'");
    let (black, mut white) = engine.against(&referee);
    white.expect("311 1 c3 ");
    white.ask("1 ... d3", "200 ");
    let done = black.wait();
    assert_eq!(done.result(), "white wins by resignation");
    assert_eq!(done.code, Some(1));
    insta::assert_snapshot!(done.error(), @"the engine found no legal move in 3 attempts; the match was resigned");
}

/// Black's only legal move at the end of this game is the pass.
const FORCED_PASS: &str = "e5 d1 d4 b4 c5 b5 d2 c1 c4 c3 c2 a2 b1 e4 a5 e2 a3 d3 b3 b2";

#[test]
fn a_forced_pass_is_played_for_an_engine_that_wants_an_illegal_move() {
    let restricted = "list_commands) printf '= undo\\nrestricted_genmove\\n\\n';;";
    for cases in ["", restricted] {
        let engine = answers(&["a1", "a1", "a1"], cases);
        let mut game = Match::begin(&engine);
        for (ply, mv) in FORCED_PASS.split(' ').enumerate() {
            let number = ply / 2 + 1;
            game.says(&match ply % 2 {
                0 => format!("311 {number} {mv}"),
                _ => format!("312 {number} ... {mv}"),
            });
        }
        assert_eq!(game.hears(), "11 pass");
        game.says("200 Move pass accepted");
        game.says("315 11 pass");
        game.says("327 White resigns");
        let done = game.end();
        assert_eq!(done.code, Some(0), "{}", done.err);
        done.told("pass is the only legal move: it is played");
    }
}

/// A match that has begun, with this test as the referee.
struct Match {
    black: Program,
    stream: BufReader<DeadlineStream>,
}

impl Match {
    /// The engine is Black.
    fn begin(engine: &Script) -> Match {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let black = Program::netplay_at(address, &["black", "--engine", &engine.command()]);
        let stream = BufReader::new(waiting::accept(&listener));
        let mut begun = Match { black, stream };
        begun.says("000 0.9.1 hello");
        assert!(begun.hears().starts_with("0.9.1 player black"));
        begun.says("100 Request accepted");
        begun.says("352 You will play black");
        begun
    }

    fn says(&mut self, line: &str) {
        write!(self.stream.get_mut(), "{line}\r\n").unwrap();
    }

    #[track_caller]
    fn hears(&mut self) -> String {
        let mut request = Vec::new();
        self.stream.get_mut().renew();
        self.stream.read_until(b'\r', &mut request).unwrap();
        assert_eq!(request.pop(), Some(b'\r'), "the connection ends");
        String::from_utf8(request).unwrap()
    }

    /// Closes the connection.
    fn end(self) -> Done {
        drop(self.stream);
        self.black.wait()
    }
}

/// The referee decides what is legal.
#[test]
fn an_engine_whose_move_is_not_accepted_is_asked_again() {
    let engine = answers(&["c3", "c3", "d3"], "");
    let mut game = Match::begin(&engine);
    assert_eq!(game.hears(), "1 c3");
    game.says("291 Illegal request: never");
    assert_eq!(game.hears(), "1 d3");
    game.says("200 Move d3 accepted");
    game.says("311 1 d3");
    game.says("327 White resigns");
    let done = game.end();
    assert_eq!(done.result(), "black wins by resignation");
    assert_eq!(done.code, Some(0), "{}", done.err);
    for why in [
        "the referee does not accept c3: \"Illegal request: never\"",
        "the engine's move c3 is illegal (as before)",
    ] {
        assert!(done.err.contains(why), "{}", done.err);
    }
}

#[test]
fn an_engine_whose_move_is_never_accepted_resigns() {
    let engine = Script::new("printf '= c3\\n\\n'");
    let mut game = Match::begin(&engine);
    assert_eq!(game.hears(), "1 c3");
    game.says("291 Illegal request: never");
    assert_eq!(game.hears(), "resign");
    game.says("204 Resignation accepted");
    game.says("328 Black resigns");
    let done = game.end();
    assert_eq!(done.result(), "white wins by resignation");
    assert_eq!(done.code, Some(1), "{}", done.err);
    insta::assert_snapshot!(done.error(), @"the engine found no legal move in 3 attempts; the match was resigned");
}

/// A signal ends the client before it can end its engine, and an engine that thinks
/// does not see that its input is closed.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_does_not_read_ends_with_a_client_that_is_killed() {
    for signal in ["-INT", "-TERM", "-HUP", "-KILL"] {
        if is_ignored(signal) {
            continue;
        }
        let referee = Referee::start(&[]);
        let engine = Script::new(DEAF);
        let (black, _white) = engine.against(&referee);
        let pids = deaf(engine.folder.path());
        assert_eq!(pids.len(), 2, "{signal}: {pids:?}");
        assert!(pids.iter().all(|&pid| runs(pid)), "{signal}: {pids:?}");
        black.signal(signal);
        assert_eq!(black.wait().code, None, "{signal}");
        wait_for_the_end(&pids);
    }
}

/// An engine may be a script that has started the engine.
#[cfg(target_os = "linux")]
#[test]
fn processes_that_an_engine_started_end_with_the_match() {
    let referee = Referee::start(&[]);
    let engine = Script::new(DEAF);
    let (black, white) = engine.against(&referee);
    let pids = deaf(engine.folder.path());
    drop(white);
    assert_eq!(black.wait().code, Some(0));
    wait_for_the_end(&pids);
}

#[test]
fn an_engine_that_fails_resigns() {
    let error = |script: &Script| {
        let done = script.alone();
        assert_eq!(done.code, Some(1), "{}", done.err);
        done.error().to_owned()
    };
    let dies = Script::new("exit 3");
    insta::assert_snapshot!(error(&dies), @r#"the engine ended (exit status: 3) without a response to "genmove b"; the match was resigned"#);
    let garbles = Script::new("printf 'c3\\n\\n'");
    insta::assert_snapshot!(error(&garbles), @r#"the engine responded to "genmove b" with "c3": a response begins with = or ? and ends with an empty line; the match was resigned"#);
    let wrong = Script::new("printf '= k10\\n\\n'");
    insta::assert_snapshot!(error(&wrong), @r#"the engine responded to "genmove b" with "k10": a letter a-e and a digit 1-5, pass or resign would be right; the match was resigned"#);
    let fails = Script::new("printf '? too hard\\n\\n'");
    insta::assert_snapshot!(error(&fails), @r#"the engine fails at "genmove b": too hard; the match was resigned"#);
    let endless = Script::new("yes c3");
    insta::assert_snapshot!(error(&endless), @r#"the engine responded to "genmove b" with "c3": a response begins with = or ? and ends with an empty line; the match was resigned"#);
}

#[test]
fn a_program_that_is_not_an_engine_takes_no_seat() {
    let referee = Referee::start(&[]);
    let error = |command: &str| {
        let done = Program::netplay(&referee, &["black", "--engine", command]).wait();
        assert_eq!(done.code, Some(1), "{}", done.err);
        done.error().to_owned()
    };
    insta::assert_snapshot!(error("cat"), @r#"the engine responded to "boardsize 5" with "boardsize 5": a response begins with = or ? and ends with an empty line"#);
    let large = "sh -c \"printf '? unacceptable size\\n\\n'; cat > /dev/null\"";
    insta::assert_snapshot!(error(large), @r#"this engine cannot play on a board of 5x5: it answers "boardsize 5" with "unacceptable size""#);
    insta::assert_snapshot!(error("false"), @r#"the engine ended (exit status: 1) without a response to "boardsize 5""#);
    assert!(!referee.log().iter().any(|line| line.contains("connected")));
}

/// Like GNU Go without `--mode gtp`.
#[test]
fn an_engine_that_does_not_answer_at_first_is_reported() {
    let referee = Referee::start(&[]);
    let done = Program::netplay(&referee, &["black", "--engine", "sleep 3.3"]).wait();
    done.told("waiting for the engine's answer: does it speak GTP? (GNU Go: --mode gtp)\n");
    assert_eq!(done.code, Some(1));
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
    assert!(start.elapsed() < Duration::from_secs(50));
}
