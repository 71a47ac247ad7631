//! How fast the referee is: a move's round trip against a bare echo of lines,
//! with and without a journal; many tables at once, with and without one; many observers; a page that
//! is watched.
//!
//! `cargo bench --bench netref` runs all, `cargo bench --bench netref -- latency`
//! one part: `latency`, `tables`, `journal`, `observers`, `page`. It talks to the built program
//! over 127.0.0.1. CPU time and memory are read from /proc, where there is one.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use gothello::awari;
use gothello::{Color, Game, Move};
use rand::rngs::SmallRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some(ECHO) => return echo(),
        Some(ECHO_ON_TOKIO) => return echo_on_tokio(),
        _ => {}
    }
    let parts: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|named| named == part);
    if wanted("latency") {
        latency();
    }
    if wanted("tables") {
        tables(64, 40, &[]);
    }
    if wanted("journal") {
        let folder = tempfile::tempdir_in(".").unwrap();
        tables(64, 10, &["--state", folder.path().to_str().unwrap()]);
    }
    if wanted("observers") {
        observers(1_000);
    }
    if wanted("page") {
        page(20);
    }
}

/// A program that listens, and ends its first lines with where.
struct Process {
    child: Child,
    addresses: Vec<SocketAddr>,
    page: Option<SocketAddr>,
}

impl Process {
    fn start(command: &mut Command, addresses: usize) -> Process {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut process = Process {
            child,
            addresses: Vec::new(),
            page: None,
        };
        while process.addresses.len() < addresses {
            let line = lines.next().unwrap().unwrap();
            let word = line.rsplit(' ').next().unwrap();
            match word.strip_prefix("http://") {
                // The same page for the organizer has a token.
                Some(page) if page.contains('#') => {}
                Some(page) => process.page = Some(page.trim_end_matches('/').parse().unwrap()),
                None => process.addresses.push(word.parse().unwrap()),
            }
        }
        // Its log must be read by somebody.
        thread::spawn(move || lines.count());
        process
    }

    /// A referee.
    fn referee(arguments: &[&str], tables: usize) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gothello"));
        command
            .args([
                "netref",
                "0",
                "--port",
                "0",
                "--tables",
                &tables.to_string(),
            ])
            .args(arguments);
        Process::start(&mut command, tables)
    }

    /// Seconds of processor time so far, and megabytes of memory.
    fn usage(&self) -> Option<(f64, f64)> {
        let folder = format!("/proc/{}", self.child.id());
        let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
        // After the name, which may hold anything, fields 14 and 15 of the line.
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let ticks = fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?;
        let status = fs::read_to_string(format!("{folder}/status")).ok()?;
        let peak = status.lines().find(|line| line.starts_with("VmHWM"))?;
        let kilobytes: f64 = peak.split_whitespace().nth(1)?.parse().ok()?;
        Some((ticks / 100.0, kilobytes / 1_024.0))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that reads lines.
struct Client {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    line: String,
}

impl Client {
    fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Client {
            reader: BufReader::new(stream.try_clone().unwrap()),
            stream,
            line: String::new(),
        }
    }

    fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    /// Reads a line, which must begin so.
    fn expect(&mut self, beginning: &str) {
        self.line.clear();
        self.reader.read_line(&mut self.line).unwrap();
        assert!(
            self.line.starts_with(beginning),
            "{beginning}: {:?}",
            self.line
        );
    }

    /// Reads lines up to one that begins so.
    fn skip_to(&mut self, beginning: &str) {
        while !self.line.starts_with(beginning) {
            self.expect("");
            assert!(!self.line.is_empty(), "{beginning}: it is the end");
        }
    }

    /// A client that has read everything up to the answer to its opening.
    fn open(address: SocketAddr, opening: &str) -> Client {
        let mut client = Client::connect(address);
        client.expect("000");
        client.send(&format!("{opening}\r"));
        client.expect("10");
        client
    }
}

/// What the players of Gothello and of Awari say first.
const GOTHELLO: [&str; 2] = ["0.9.1 player black", "0.9.1 player white"];
const AWARI: [&str; 2] = ["0.9 player south", "0.9 player north"];

/// The requests of a whole random game of Awari.
fn awari_game(seed: u64) -> Vec<String> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut game = awari::Game::default();
    let mut requests = Vec::new();
    while !game.is_over() {
        let player = game.to_move();
        let pit = game.legal_moves().choose(&mut random).unwrap();
        game.play(player, pit).unwrap();
        let ellipses = ["", "... "][requests.len() % 2];
        requests.push(format!("{} {ellipses}{pit}\r", requests.len() / 2 + 1));
    }
    requests
}

/// The requests of a whole random game of Gothello.
fn game(seed: u64) -> Vec<String> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut game = Game::new();
    let mut requests = Vec::new();
    while !game.is_over() {
        let color = game.to_move();
        let place = game.legal_points().into_iter().choose(&mut random);
        let mv = match place {
            Some(point) if random.random_ratio(19, 20) => Move::Place(point),
            _ => Move::Pass,
        };
        game.play(color, mv).unwrap();
        let ellipses = if color == Color::White { "... " } else { "" };
        requests.push(format!("{} {ellipses}{mv}\r", requests.len() / 2 + 1));
    }
    requests
}

/// Plays a whole match in lockstep; the times from each request to its
/// acknowledgement are added.
fn play(address: SocketAddr, requests: &[String], pause: Duration, times: &mut Vec<Duration>) {
    play_as(GOTHELLO, address, requests, pause, times);
}

/// The same in any game.
fn play_as(
    openings: [&str; 2],
    address: SocketAddr,
    requests: &[String],
    pause: Duration,
    times: &mut Vec<Duration>,
) {
    let [mut black, mut white] = openings.map(|opening| Client::open(address, opening));
    black.skip_to("352");
    white.skip_to("351");
    for request in requests {
        if !pause.is_zero() {
            thread::sleep(pause);
        }
        let start = Instant::now();
        black.send(request);
        black.expect("20");
        times.push(start.elapsed());
        black.expect("3");
        white.expect("3");
        std::mem::swap(&mut black, &mut white);
    }
    // Both are closed: the table is free.
    black.expect("");
    white.expect("");
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// The arguments that make this program an echo.
const ECHO: &str = "--be-an-echo";
const ECHO_ON_TOKIO: &str = "--be-an-echo-on-tokio";

/// Echoes lines until it is killed: a thread a connection, blocking calls, a
/// write a line. It is a process of its own, as the referee is.
fn echo() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        stream.set_nodelay(true).unwrap();
        thread::spawn(move || {
            let mut piece = [0; 2_048];
            while let Ok(length @ 1..) = stream.read(&mut piece) {
                stream.write_all(&piece[..length]).unwrap();
            }
        });
    }
}

/// The same on the runtime that the referee has: what it costs that one thread
/// serves all connections.
#[tokio::main(flavor = "current_thread")]
async fn echo_on_tokio() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        tokio::spawn(async move {
            let mut piece = [0; 2_048];
            while let Ok(length @ 1..) = stream.read(&mut piece).await {
                stream.write_all(&piece[..length]).await.unwrap();
            }
        });
    }
}

/// Two clients send lines in turns, as players do, to an echo.
fn play_echo(address: SocketAddr, requests: &[String], times: &mut Vec<Duration>) {
    let [mut black, mut white] = [address; 2].map(Client::connect);
    for request in requests {
        let line = request.replace('\r', "\n");
        let start = Instant::now();
        black.send(&line);
        black.expect("");
        times.push(start.elapsed());
        std::mem::swap(&mut black, &mut white);
    }
}

/// A move's round trip, in turns with an echo's, so that both meet the same
/// noise.
fn latency() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let journal = folder.path().to_str().unwrap().to_owned();
    let plain = Process::referee(&[], 1);
    let other = Process::referee(&["--game", "awari"], 1);
    let journaled = Process::referee(&["--state", &journal], 1);
    let [echo, on_tokio] = [ECHO, ECHO_ON_TOKIO]
        .map(|echo| Process::start(Command::new(std::env::current_exe().unwrap()).arg(echo), 1));
    let [mut bare, mut tokio, mut moves, mut awari, mut synced] = [const { Vec::new() }; 5];
    for seed in 0..400 {
        let requests = game(seed);
        play_echo(echo.addresses[0], &requests, &mut bare);
        play_echo(on_tokio.addresses[0], &requests, &mut tokio);
        play(plain.addresses[0], &requests, Duration::ZERO, &mut moves);
        let sown = awari_game(seed);
        play_as(AWARI, other.addresses[0], &sown, Duration::ZERO, &mut awari);
        if seed % 10 == 0 {
            play(
                journaled.addresses[0],
                &requests,
                Duration::ZERO,
                &mut synced,
            );
        }
    }
    let [bare, tokio, moves, awari, synced] =
        [&mut bare, &mut tokio, &mut moves, &mut awari, &mut synced].map(|times| median(times));
    println!("round trip, median, of a line through a bare echo:");
    println!("  {bare:.1} us with a thread a connection, {tokio:.1} us on tokio");
    for (what, time) in [
        ("a move", moves),
        ("a move of Awari", awari),
        ("a move with a journal", synced),
    ] {
        let [bare, tokio] = [bare, tokio].map(|echo| time / echo);
        println!("{what}: {time:.1} us, {bare:.2} times and {tokio:.2} times the echo's");
    }
}

/// Many tables at once, each with matches one after the other, of a referee with these arguments.
fn tables(tables: usize, matches: u64, arguments: &[&str]) {
    let referee = Process::referee(arguments, tables);
    let start = Instant::now();
    let moves: usize = thread::scope(|scope| {
        let players: Vec<_> = (0..)
            .zip(&referee.addresses)
            .map(|(table, &address)| {
                scope.spawn(move || {
                    let mut times = Vec::new();
                    for number in 0..matches {
                        let requests = game(table * matches + number);
                        play(address, &requests, Duration::ZERO, &mut times);
                    }
                    times.len()
                })
            })
            .collect();
        players
            .into_iter()
            .map(|player| player.join().unwrap())
            .sum()
    });
    let seconds = start.elapsed().as_secs_f64();
    let speed = moves as f64 / seconds;
    let how = if arguments.is_empty() {
        ""
    } else {
        " with a journal"
    };
    println!("{tables} tables{how}: {moves} moves in {seconds:.2} s, {speed:.0} moves/s");
    if let Some((cpu, memory)) = referee.usage() {
        let each = cpu / moves as f64 * 1e6;
        println!("  {each:.1} us of CPU time a move, {memory:.1} MB");
    }
}

/// Matches with many observers in turns with matches without, the same moves
/// at the same pace: that of two people, that of two engines, and as fast as
/// can be.
fn observers(count: usize) {
    let _ = rlimit::increase_nofile_limit(10_000);
    for (pause, rounds) in [(100, 4), (20, 10), (0, 20)] {
        let referee = Process::referee(&[], 1);
        let address = referee.addresses[0];
        let pause = Duration::from_millis(pause);
        let [mut alone, mut watched] = [const { Vec::new() }; 2];
        for seed in 0..rounds {
            let requests = game(seed);
            play(address, &requests, pause, &mut alone);
            play_watched(address, count, &requests, pause, &mut watched);
        }
        let moves = watched.len();
        let [alone, watched] = [&mut alone, &mut watched].map(|times| median(times));
        println!(
            "{count} observers, a move every {} ms: round trip {watched:.1} us, \
             {:.2} times that without observers; no line lost",
            pause.as_millis(),
            watched / alone
        );
        if let Some((cpu, memory)) = referee.usage() {
            let each = cpu / moves as f64 * 1e3;
            println!("  {each:.1} ms of CPU time a watched move, {memory:.1} MB");
        }
    }
}

/// Plays a match that many watch, and checks that each receives every line.
fn play_watched(
    address: SocketAddr,
    count: usize,
    requests: &[String],
    pause: Duration,
    times: &mut Vec<Duration>,
) {
    let observers: Vec<Client> = (0..count)
        .map(|_| Client::open(address, "0.9.1 observer"))
        .collect();
    let begin = Barrier::new(2);
    thread::scope(|scope| {
        // Read as late as can be: reading takes processor time that a real
        // observer's machine would pay for.
        scope.spawn(|| {
            begin.wait();
            for mut observer in observers {
                let mut text = String::new();
                observer.reader.read_to_string(&mut text).unwrap();
                let lines: Vec<&str> = text.lines().collect();
                assert_eq!(
                    lines.len(),
                    2 + 8 * requests.len(),
                    "an observer lost lines"
                );
                for (request, lines) in requests.iter().zip(lines[2..].chunks(8)) {
                    assert!(
                        lines[0].contains(request.trim_end()),
                        "{request}: {lines:?}"
                    );
                }
            }
        });
        play(address, requests, pause, times);
        begin.wait();
    });
}

/// Matches of a referee without a page in turns with those of one whose page
/// nobody watches, and of one whose page many watch.
fn page(spectators: usize) {
    for (pause, rounds) in [(100, 4), (20, 10), (0, 300)] {
        let plain = Process::referee(&[], 1);
        let [idle, watched] = [(); 2].map(|()| Process::referee(&["--http", "0"], 1));
        let address = watched.page.expect("the referee has a page");
        for _ in 0..spectators {
            let stream = TcpStream::connect(address).unwrap();
            let url = format!("ws://{address}/watch");
            let (mut socket, _) = tungstenite::client(url, stream).unwrap();
            // To the end, when the referee is killed.
            thread::spawn(move || while socket.read().is_ok() {});
        }
        let referees = [&plain, &idle, &watched];
        let mut times = [const { Vec::new() }; 3];
        for seed in 0..rounds {
            let requests = game(seed);
            for turn in 0..3 {
                // None always comes first.
                let which = (turn + seed as usize) % 3;
                let pause = Duration::from_millis(pause);
                play(
                    referees[which].addresses[0],
                    &requests,
                    pause,
                    &mut times[which],
                );
            }
        }
        let moves = times[0].len();
        let [plain, idle, seen] = times.each_mut().map(|times| median(times));
        println!(
            "a move every {pause} ms, {moves} moves: round trip {plain:.1} us without a page, \
             {:.2} times that with one that nobody watches, {:.2} times with {spectators} who do",
            idle / plain,
            seen / plain
        );
        if let Some((cpu, memory)) = watched.usage() {
            let each = cpu / moves as f64 * 1e3;
            println!("  {each:.2} ms of CPU time a watched move, {memory:.1} MB");
        }
    }
}
