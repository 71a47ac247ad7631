//! What the runner of matches takes: a command of a game against a bare round trip over pipes
//! with the same bytes, and how many games it plays in a minute.
//!
//! `taskset -c 0 cargo bench --bench match` runs all on one core, so that waking another core is
//! not what is measured; `-- overhead` and `-- games` run one part. It runs the built program
//! with engines that answer at once: this program with another argument.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use gothello::{Game, Move};
use rand::rngs::SmallRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(ENGINE) {
        return engine(arguments.next().as_deref().map(Path::new));
    }
    let parts: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|named| named == part);
    if wanted("overhead") {
        overhead(25, 300);
    }
    if wanted("games") {
        games();
    }
}

const GOTHELLO: &str = env!("CARGO_BIN_EXE_gothello");

/// The argument that makes this program an engine.
const ENGINE: &str = "--be-an-engine";

/// The moves of the game that the engines play, again and again.
fn moves() -> Vec<String> {
    let mut random = SmallRng::seed_from_u64(0);
    let mut game = Game::new();
    let mut moves = Vec::new();
    while !game.is_over() {
        let place = game.legal_points().into_iter().choose(&mut random);
        let mv = match place {
            Some(point) if random.random_ratio(19, 20) => Move::Place(point),
            _ => Move::Pass,
        };
        game.play(game.to_move(), mv).unwrap();
        moves.push(mv.to_string());
    }
    moves
}

/// Answers every command at once, `genmove` with the next move of the game. Writes the commands
/// to a file when they end, if there is one.
fn engine(transcript: Option<&Path>) {
    let moves = moves();
    let mut ply = 0;
    let mut commands = Vec::new();
    let mut block = [0; 4_096];
    let mut filled = 0;
    let mut response = Vec::new();
    let (mut input, mut output) = (io::stdin(), io::stdout());
    'commands: while let Ok(read @ 1..) = input.read(&mut block[filled..]) {
        filled += read;
        while let Some(end) = block[..filled].iter().position(|&byte| byte == b'\n') {
            let line = &block[..=end];
            if line.trim_ascii().ends_with(b"quit") {
                break 'commands;
            }
            if transcript.is_some() {
                commands.extend_from_slice(line);
            }
            let text = str::from_utf8(line).unwrap().trim_end();
            let command = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let (id, command) = (&text[..text.len() - command.len()], command.trim_start());
            response.clear();
            write!(response, "={id} ").unwrap();
            if command.starts_with("genmove") {
                response.extend_from_slice(moves[ply].as_bytes());
                ply += 1;
            } else if command.starts_with("play") {
                ply += 1;
            } else if command == "clear_board" {
                ply = 0;
            } else if command == "protocol_version" {
                response.push(b'2');
            }
            response.extend_from_slice(b"\n\n");
            output.write_all(&response).unwrap();
            output.flush().unwrap();
            block.copy_within(end + 1..filled, 0);
            filled -= end + 1;
        }
    }
    if let Some(path) = transcript {
        fs::write(path, commands).unwrap();
    }
}

/// Returns the command that runs this program as an engine.
fn engine_command(transcript: Option<&Path>) -> String {
    let program = std::env::current_exe().unwrap();
    let mut command = format!("'{}' {ENGINE}", program.display());
    if let Some(path) = transcript {
        command.push_str(&format!(" '{}'", path.display()));
    }
    command
}

/// Runs a match of two engines on one thread, and returns how long it took.
fn run(commands: [&str; 2], games: u32, arguments: &[&str]) -> Duration {
    let begin = Instant::now();
    let status = Command::new(GOTHELLO)
        .args(["match", "--quiet", "--concurrency", "1", "--seed", "1"])
        .args(["--player", &format!("a={}", commands[0])])
        .args(["--player", &format!("b={}", commands[1])])
        .args(["--games", &games.to_string()])
        .args(arguments)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "the match failed");
    begin.elapsed()
}

/// Returns how long this many games take after the engines have been started.
fn time_of_games(commands: [&str; 2], games: u32, arguments: &[&str]) -> Duration {
    let start = run(commands, 2, arguments);
    run(commands, games + 2, arguments).saturating_sub(start)
}

/// An engine with pipes to it.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Peer {
    fn start() -> Peer {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(ENGINE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Peer {
            input: child.stdin.take().unwrap(),
            output: child.stdout.take().unwrap(),
            child,
        }
    }

    /// Sends a line and reads until an empty line.
    fn ask(&mut self, line: &[u8]) {
        self.input.write_all(line).unwrap();
        let mut answer = [0; 4_096];
        let mut len = 0;
        while !answer[..len].ends_with(b"\n\n") {
            let read = self.output.read(&mut answer[len..]).unwrap();
            assert!(read > 0, "it ended");
            len += read;
        }
    }

    fn finish(mut self) {
        drop(self.input);
        self.child.wait().unwrap();
    }
}

/// Sends the commands that the runner sends, in the same order, and returns how long it took
/// until all were answered.
fn time_of_bare_commands(transcripts: &[Vec<u8>; 2]) -> Duration {
    let mut peers = [Peer::start(), Peer::start()];
    let lines = transcripts
        .each_ref()
        .map(|text| text.split_inclusive(|&byte| byte == b'\n'));
    let [black, white] = lines;
    // Both are ready when they have answered.
    for peer in &mut peers {
        peer.ask(b"1 name\n");
    }
    let begin = Instant::now();
    for (to_black, to_white) in black.zip(white) {
        peers[0].ask(to_black);
        peers[1].ask(to_white);
    }
    let time = begin.elapsed();
    for peer in peers {
        peer.finish();
    }
    time
}

fn median<T: Copy + PartialOrd>(mut values: Vec<T>) -> T {
    values.sort_unstable_by(|one, other| one.partial_cmp(other).unwrap());
    values[values.len() / 2]
}

/// The time for a command of the runner, in turns with that for a bare round trip, so that both
/// meet the same noise. What is compared is the fastest of many rounds: other work on the machine
/// can only add to it.
fn overhead(rounds: u32, games: u32) {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| folder.path().join(name));
    let recording = paths.each_ref().map(|path| engine_command(Some(path)));
    run(recording.each_ref().map(String::as_str), games, &[]);
    let transcripts = paths.map(|path| fs::read(path).unwrap());
    let newlines = |text: &Vec<u8>| text.iter().filter(|&&byte| byte == b'\n').count();
    let commands = transcripts.each_ref().map(newlines).iter().sum::<usize>();
    let engine = engine_command(None);
    let clocks = ["--time", "100+1"];
    let [mut bare, mut start, mut plain, mut timed] = [Duration::MAX; 4];
    for _ in 0..rounds {
        bare = bare.min(time_of_bare_commands(&transcripts));
        start = start.min(run([&engine; 2], 2, &[]));
        plain = plain.min(run([&engine; 2], games + 2, &[]));
        timed = timed.min(run([&engine; 2], games + 2, &clocks));
    }
    // `time_left` is one more command for each move.
    let time_left = moves().len() * games as usize;
    let each = |time: Duration, commands| time.as_secs_f64() * 1e6 / commands as f64;
    let bare = each(bare, commands);
    println!("a bare round trip over pipes: {bare:.2} us, fastest of {rounds} rounds");
    for (what, time, commands) in [
        ("a command of the runner", plain, commands),
        ("the same with clocks", timed, commands + time_left),
    ] {
        let time = each(time.saturating_sub(start), commands);
        println!("{what}: {time:.2} us, {:.2} times that", time / bare);
    }
}

/// Games a minute of engines that answer at once, and of this program's.
fn games() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let results = folder.path().join("results.jsonl");
    let records = folder.path().join("games.sgf");
    let trivial = engine_command(None);
    let ours = format!("{GOTHELLO} gtp --level 1 --move-time 0");
    for (what, engine, games) in [
        ("engines that answer at once", &trivial, 5_000),
        ("gothello gtp --level 1 --move-time 0", &ours, 500),
    ] {
        let rate = |time: Duration| f64::from(games) * 60.0 / time.as_secs_f64();
        let plain = rate(time_of_games([engine; 2], games, &[]));
        let mut recorded = Vec::new();
        for _ in 0..3 {
            let begin = Instant::now();
            let files = [&results, &records].map(|path| path.to_str().unwrap());
            run(
                [engine; 2],
                games,
                &["--results", files[0], "--sgf", files[1]],
            );
            recorded.push(rate(begin.elapsed()));
            for path in files {
                fs::remove_file(path).unwrap();
            }
        }
        let recorded = median(recorded);
        println!("{what}: {plain:.0} games a minute, {recorded:.0} with results and records");
    }
}
