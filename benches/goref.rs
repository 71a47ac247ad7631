//! How fast the referee of Go contests is: two scripted clients on 19x19 against a
//! bare WebSocket echo, with and without a journal; the same beside thousands of
//! idle clients, with the memory that they take; how late a flag falls then; and what
//! a move and a start cost the contest itself with 1 and with 1,000 tables.
//!
//! `cargo bench --bench goref` runs all, `cargo bench --bench goref -- moves` one
//! part: `moves`, `idle`, `tables`. All but `tables` talks to the built program over
//! 127.0.0.1. Memory is read from /proc, where there is one.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use gothello::contests::goref::{
    ClientId, Contest, Delivery, GameSetup, OrderedEffect, Timestamp, read, wire::ServerMessage,
};
use gothello::go::{Game, Mercy, Move, Point, Position, Rules, Size};
use rand::rngs::SmallRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client};

/// How many moves a game has, as in the measurements of the server that exists.
const MOVES: usize = 250;

/// How many idle clients there are.
const IDLE: usize = 5_000;

fn main() {
    if std::env::args().nth(1).as_deref() == Some(ECHO) {
        return echo();
    }
    let parts: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|named| named == part);
    if wanted("moves") {
        moves();
    }
    if wanted("idle") {
        idle();
    }
    if wanted("tables") {
        tables();
    }
}

/// A program that tells its port on its first line.
struct Process {
    child: Child,
    port: u16,
}

impl Process {
    fn start(command: &mut Command) -> Process {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let port = line.trim_end_matches('/').rsplit(':').next().unwrap();
        let port = port.parse().unwrap();
        // Its log must be read by somebody.
        thread::spawn(move || lines.count());
        Process { child, port }
    }

    /// A referee that pairs clients as they arrive.
    fn referee(arguments: &[&str]) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gothello"));
        command
            .args(["goref", "--auto", "--port", "0"])
            .args(arguments);
        Process::start(&mut command)
    }

    fn echo() -> Process {
        Process::start(Command::new(std::env::current_exe().unwrap()).arg(ECHO))
    }

    /// The most memory that it had, in megabytes.
    fn peak(&self) -> Option<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let peak = status.lines().find(|line| line.starts_with("VmHWM"))?;
        let kilobytes: f64 = peak.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes / 1_024.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client with blocking calls.
struct Client(WebSocket<TcpStream>);

impl Client {
    fn connect(port: u16) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_nodelay(true).unwrap();
        let url = format!("ws://127.0.0.1:{port}/");
        Client(client(url, stream).unwrap().0)
    }

    fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).unwrap();
    }

    fn read(&mut self) -> String {
        loop {
            match self.0.read().unwrap() {
                Message::Text(text) => return text.to_string(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other}"),
            }
        }
    }

    /// Reads a message, which must be of this type.
    fn expect(&mut self, kind: &str) -> String {
        let text = self.read();
        assert!(text.contains(&format!(r#""type":"{kind}""#)), "{text}");
        text
    }

    /// A client that has told its name.
    fn named(port: u16, name: &str) -> Client {
        let mut client = Client::connect(port);
        client.expect("NAME");
        client.send(&json!({"type": "NAME", "name": name}).to_string());
        client
    }
}

/// The messages of a random game, the last of which is a resignation.
fn game(seed: u64) -> Vec<String> {
    let mut random = SmallRng::seed_from_u64(seed);
    let rules = Rules {
        mercy: Mercy::OFF,
        ..Rules::default()
    };
    let mut game = Game::new(rules, Position::start(Size::STANDARD));
    let mut messages = Vec::new();
    while messages.len() < MOVES {
        let place = game.legal_points().choose(&mut random);
        let message = match place.filter(|_| random.random_ratio(99, 100)) {
            Some(point) => {
                let Point { row, column } = point;
                game.play(Move::Place(point)).unwrap();
                json!({"type": "place", "point": {"row": row, "column": column}})
            }
            None => {
                if game.play(Move::Pass).unwrap().is_some() {
                    break;
                }
                json!({"type": "pass"})
            }
        };
        messages.push(json!({"type": "MOVE", "move": message}).to_string());
    }
    messages.push(json!({"type": "MOVE", "move": {"type": "resign"}}).to_string());
    messages
}

/// Plays a game in lockstep; moves a second. A move is over when its player has
/// read VALID and the opponent MOVE.
fn play(port: u16, messages: &[String]) -> f64 {
    let mut black = Client::named(port, "black");
    let mut white = Client::named(port, "white");
    let start = black.expect("START");
    white.expect("START");
    // The first client has Black, and it may have been the other one.
    let start: Value = serde_json::from_str(&start).unwrap();
    if start["color"] == "W" {
        std::mem::swap(&mut black, &mut white);
    }
    let start = Instant::now();
    for message in messages {
        black.send(message);
        black.expect("VALID");
        white.expect("MOVE");
        std::mem::swap(&mut black, &mut white);
    }
    let rate = messages.len() as f64 / start.elapsed().as_secs_f64();
    black.expect("END");
    white.expect("END");
    rate
}

/// Two clients send the same messages in turns to an echo; messages a second.
fn play_echo(port: u16, messages: &[String]) -> f64 {
    let [mut black, mut white] = [port; 2].map(Client::connect);
    let start = Instant::now();
    for message in messages {
        black.send(message);
        black.read();
        std::mem::swap(&mut black, &mut white);
    }
    messages.len() as f64 / start.elapsed().as_secs_f64()
}

/// The argument that makes this program an echo.
const ECHO: &str = "--be-an-echo";

/// Echoes frames until it is killed, with the library and on the runtime that the
/// referee has.
#[tokio::main(flavor = "current_thread")]
async fn echo() {
    use futures_util::{SinkExt, StreamExt};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        tokio::spawn(async move {
            let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
            while let Some(Ok(frame)) = socket.next().await {
                if frame.is_close() || socket.send(frame).await.is_err() {
                    return;
                }
            }
        });
    }
}

fn median(rates: &mut [f64]) -> f64 {
    rates.sort_unstable_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// A contest's moves in turns with an echo's, so that both meet the same noise.
fn moves() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let state = folder.path().to_str().unwrap().to_owned();
    let plain = Process::referee(&["--no-state"]);
    let journaled = Process::referee(&["--state", &state]);
    let echo = Process::echo();
    let [mut bare, mut moves, mut synced] = [const { Vec::new() }; 3];
    for seed in 0..40 {
        let messages = game(seed);
        bare.push(play_echo(echo.port, &messages));
        moves.push(play(plain.port, &messages));
        if seed % 4 == 0 {
            synced.push(play(journaled.port, &messages));
        }
    }
    let [bare, moves, synced] = [&mut bare, &mut moves, &mut synced].map(|rates| median(rates));
    println!("a bare echo: {bare:.0} messages/s (medians of games of {MOVES} moves on 19x19)");
    println!(
        "a contest: {moves:.0} moves/s, {:.2} of the echo's",
        moves / bare
    );
    println!("with a journal: {synced:.0} moves/s");
}

/// Games and a flag beside idle clients.
fn idle() {
    rlimit::increase_nofile_limit(2 * IDLE as u64).unwrap();
    let referee = Process::referee(&["--no-state", "--max-connections", "20000"]);
    let alone = Process::referee(&["--no-state"]);
    let echo = Process::echo();
    let before = referee.peak();
    // They have no names, so that they are not paired; and they do not answer
    // pings, so that this must be over before the second one.
    let start = Instant::now();
    let idle: Vec<Client> = (0..IDLE)
        .map(|_| {
            let mut client = Client::connect(referee.port);
            client.expect("NAME");
            client
        })
        .collect();
    println!(
        "{IDLE} idle clients are there after {:.1?}",
        start.elapsed()
    );
    let answering = keep_alive(idle);
    let [mut bare, mut moves, mut quiet] = [const { Vec::new() }; 3];
    for seed in 0..200 {
        let messages = game(seed % 20);
        bare.push(play_echo(echo.port, &messages));
        quiet.push(play(alone.port, &messages));
        moves.push(play(referee.port, &messages));
    }
    let [bare, moves, quiet] = [&mut bare, &mut moves, &mut quiet].map(|rates| median(rates));
    println!(
        "beside them: {moves:.0} moves/s, {:.2} of an echo's {bare:.0}; without them {quiet:.0}",
        moves / bare
    );
    if let (Some(before), Some(peak)) = (before, referee.peak()) {
        println!("memory: {before:.0} MB without them, {peak:.0} MB at most with them");
    }
    drop(answering);
    flags();
}

/// Reads what the idle clients are sent, a piece at a time, on a thread, so that
/// they answer pings.
fn keep_alive(clients: Vec<Client>) -> std::sync::mpsc::Sender<()> {
    let (stop, stopped) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let mut clients = clients;
        for client in &mut clients {
            client.0.get_mut().set_nonblocking(true).unwrap();
        }
        while !matches!(
            stopped.try_recv(),
            Err(std::sync::mpsc::TryRecvError::Disconnected)
        ) {
            // A few at a time: thousands of clients are not one program that takes
            // a processor from the server.
            for some in clients.chunks_mut(50) {
                for client in some {
                    // There is nothing to read, or it was a ping.
                    let _ = client.0.read();
                    let _ = client.0.flush();
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    });
    stop
}

/// How late flags fall beside idle clients and a game that is played as fast as it
/// can be.
fn flags() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let short = folder.path().join("short.json");
    let second = json!({"initialState": {"board": 19, "turn": "B", "players": {
        "B": {"remainingTime": 1_000}, "W": {"remainingTime": 1_000}}}});
    fs::write(&short, second.to_string()).unwrap();
    let long = folder.path().join("long.json");
    fs::write(&long, "{}").unwrap();
    let [short, long] = [&short, &long].map(|file| file.to_str().unwrap());
    let referee = Process::referee(&[
        "--no-state",
        "--max-connections",
        "20000",
        "--tables",
        "2",
        "--setup",
        short,
        "--setup",
        long,
    ]);
    let idle: Vec<Client> = (0..IDLE)
        .map(|_| {
            let mut client = Client::connect(referee.port);
            client.expect("NAME");
            client
        })
        .collect();
    let answering = keep_alive(idle);
    let mut late = Vec::new();
    for seed in 0..20 {
        let mut black = Client::named(referee.port, "black");
        let mut white = Client::named(referee.port, "white");
        // Both have been told when White has heard it.
        black.expect("START");
        white.expect("START");
        let start = Instant::now();
        let port = referee.port;
        let load = thread::spawn(move || {
            for game_of in 0..5 {
                play(port, &game(100 * seed + game_of));
            }
        });
        black.expect("END");
        let passed = start.elapsed().as_secs_f64() * 1e3;
        late.push(passed - 1_000.0);
        load.join().unwrap();
    }
    late.sort_unstable_by(f64::total_cmp);
    println!(
        "flags of 1 s beside {IDLE} idle clients and games: {:.1} ms late (median), {:.1} ms at most",
        late[late.len() / 2],
        late[late.len() - 1]
    );
    drop(answering);
}

/// A contest without sockets, and the moves that each client has still to send.
struct Scripted {
    contest: Contest,
    clock: Duration,
    /// The clients whose turn it is.
    turns: Vec<ClientId>,
}

impl Scripted {
    /// Starts as many games as there are tables. Returns the time of each start.
    fn start(tables: usize) -> (Scripted, Duration) {
        let setup = Arc::new(GameSetup::default());
        let setups = vec![setup; tables];
        let mut scripted = Scripted {
            contest: Contest::new(setups, true),
            clock: Duration::ZERO,
            turns: Vec::new(),
        };
        let start = Instant::now();
        for number in 1..=2 * tables as u64 {
            let client = ClientId(number);
            let address = std::net::Ipv4Addr::LOCALHOST.into();
            let now = scripted.now();
            scripted.contest.connect(client, address, now);
            let name = format!(r#"{{"type":"NAME","name":"team {number}"}}"#);
            scripted.send(client, &name);
        }
        (scripted, start.elapsed() / tables as u32)
    }

    fn now(&self) -> Timestamp {
        Timestamp {
            clock: self.clock,
            date: SystemTime::UNIX_EPOCH + self.clock,
        }
    }

    /// Sends a message, and does what the host does for it.
    fn send(&mut self, client: ClientId, text: &str) {
        self.clock += Duration::from_micros(10);
        let now = self.now();
        self.contest.receive(client, read(text), now);
        for effect in self.contest.take_effects().ordered {
            match effect {
                OrderedEffect::Deliver(Delivery::StartClock { table, game, moves }) => {
                    self.contest.start_clock(table, game, moves, self.clock);
                }
                OrderedEffect::Deliver(Delivery::Send(
                    client,
                    ServerMessage::Move { .. }
                    | ServerMessage::Start {
                        color: gothello::Color::Black,
                        ..
                    },
                )) => self.turns.push(client),
                _ => {}
            }
        }
        self.contest.take_changes();
        // As after each input.
        if self
            .contest
            .next_deadline()
            .is_some_and(|at| at <= self.clock)
        {
            self.contest.tick(now);
        }
    }
}

/// What a start and a move cost the contest, without sockets and disk.
fn tables() {
    let messages = game(1);
    for tables in [1, 1_000] {
        let (mut scripted, start) = Scripted::start(tables);
        let mut moves = 0;
        let begin = Instant::now();
        // The same moves at each table, which are 20,000 moves in all.
        let rounds = (20_000 / tables).min(MOVES);
        for message in messages.iter().take(rounds) {
            for client in std::mem::take(&mut scripted.turns) {
                scripted.send(client, message);
                moves += 1;
            }
        }
        let each = begin.elapsed().as_secs_f64() * 1e6 / f64::from(moves);
        println!(
            "{tables} tables: {:.0} us for a start with its two clients, {each:.1} us for a move",
            start.as_secs_f64() * 1e6
        );
    }
}
