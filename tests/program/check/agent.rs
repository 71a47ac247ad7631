//! A stand-in for a client of Go contests: correct, or with one fault. It is a test of this
//! program, which is run again with the variable [`AGENT`].

use std::env;
use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use gothello::clients::agent::{Decision, Turn};
use gothello::clients::goplay::{Effect, Session};
use gothello::contests::goref::wire::{ClientMessage, Protocol, ServerMessage, WireReason};
use gothello::go::{Color, Game, Illegal, Move, Point, Rules};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::{Message, WebSocket, client};

use super::hang;

/// The kind of stand-in: `<fault> <port>`.
pub const AGENT: &str = "GOTHELLO_TEST_AGENT";

/// The exit code of a crash.
const CRASH: i32 = 3;

#[test]
fn stand_in_agent() {
    run();
}

/// Is the stand-in, if this process was started as one.
pub fn run() {
    let Ok(text) = env::var(AGENT) else { return };
    let (fault, port) = text.split_once(' ').unwrap();
    let mut agent = Agent {
        fault: fault.to_owned(),
        port: port.parse().unwrap(),
        begin: Instant::now(),
        session: Session::new("Stand-in".into(), protocol(fault)),
        has_started: false,
        is_of_log: false,
        color: Color::Black,
        has_moved: false,
        rng: StdRng::seed_from_u64(1),
    };
    match fault {
        "does-not-connect" => {}
        "says-no-handshake" => {
            let _stream = agent.stream();
            hang();
        }
        "speaks-no-websocket" => {
            let mut stream = agent.stream();
            let _ = stream.write_all(b"hello\r\n\r\n");
            hang();
        }
        // It connects again when the connection is lost.
        _ => loop {
            agent.run();
        },
    }
    process::exit(0);
}

fn protocol(fault: &str) -> Protocol {
    match fault {
        "asks-for-v1" => Protocol::V1,
        _ => Protocol::V2,
    }
}

struct Agent {
    fault: String,
    port: u16,
    begin: Instant,
    session: Session,
    /// Whether a game has started on this connection.
    has_started: bool,
    /// Whether the game started with stones or moves.
    is_of_log: bool,
    /// Its color.
    color: Color,
    /// Whether the last move was its own.
    has_moved: bool,
    rng: StdRng,
}

impl Agent {
    fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }

    fn stream(&self) -> TcpStream {
        for _ in 0..100 {
            if let Ok(stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)) {
                return stream;
            }
            thread::sleep(Duration::from_millis(50));
        }
        process::exit(CRASH)
    }

    /// Plays until the connection is lost.
    fn run(&mut self) {
        let stream = self.stream();
        if self.has("drips-its-handshake") {
            let mut stream = &stream;
            for byte in b"GET / HTTP/1.1\r\n".iter().cycle() {
                let _ = stream.write_all(std::slice::from_ref(byte));
                thread::sleep(Duration::from_millis(500));
            }
        }
        let url = format!("ws://127.0.0.1:{}", self.port);
        let (mut socket, _) = client(url, stream).unwrap();
        self.has_started = false;
        while self.has("floods-with-pings") && socket.send(Message::Ping(Vec::new().into())).is_ok()
        {
        }
        let mut kind = Data::Text;
        while self.has("floods-with-fragments") {
            let frame = Frame::message(Vec::new(), OpCode::Data(kind), false);
            if socket.send(Message::Frame(frame)).is_err() {
                break;
            }
            kind = Data::Continue;
        }
        loop {
            if self.has("sends-pongs") {
                let _ = socket.send(Message::Pong(Vec::new().into()));
            }
            if self.has("reads-whole-packets") {
                let mut frame = [0; 1 << 15];
                let stream = socket.get_ref();
                // Data that came with the handshake has been read.
                stream
                    .set_read_timeout(Some(Duration::from_millis(20)))
                    .unwrap();
                let length = stream.peek(&mut frame).unwrap_or(0);
                stream.set_read_timeout(None).unwrap();
                let whole = match frame[1] & 127 {
                    126 => 4 + usize::from(u16::from_be_bytes([frame[2], frame[3]])),
                    short => 2 + usize::from(short),
                };
                if (1..whole).contains(&length) {
                    process::exit(CRASH);
                }
                if length == 0 && self.has_started {
                    continue;
                }
            }
            // Data that came with the handshake has been read.
            if self.has("waits-for-the-socket") && self.has_started {
                let _ = socket.get_ref().peek(&mut [0]);
            }
            if self.has("reads-no-fragments") && self.has_started {
                // The first of several frames of a text message.
                let mut first = [0];
                let _ = socket.get_ref().peek(&mut first);
                if first == [1] {
                    process::exit(CRASH);
                }
            }
            match socket.read() {
                Ok(Message::Text(text)) => self.receive(&text, &mut socket),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if self.has("does-not-reconnect")
            || self.has("does-not-reconnect-in-game") && self.session.has_open_game()
        {
            process::exit(0);
        }
        self.session.on_disconnect();
    }

    fn receive(&mut self, text: &str, socket: &mut WebSocket<TcpStream>) {
        let message: ServerMessage = serde_json::from_str(text).unwrap();
        self.notice(&message);
        let is_resigned = matches!(
            message,
            ServerMessage::Move {
                played: Move::Resign,
                ..
            }
        );
        if is_resigned && self.has("moves-after-a-resignation") {
            // It thinks before it reads END, as clients do that take a resignation for a move.
            thread::sleep(Duration::from_millis(700));
            let stale = r#"{"type":"MOVE","move":{"type":"pass"}}"#;
            socket.send(Message::text(stale)).unwrap();
        }
        let effects = self.session.receive(message, self.begin.elapsed());
        self.perform(effects, socket);
        while let Some(turn) = self.session.turn(self.begin.elapsed()) {
            if self.has("thinks-for-long") {
                thread::sleep(Duration::from_secs(4));
            }
            let mv = self.choose(&turn);
            let effects = self.session.decide(Decision::Move(mv));
            self.perform(effects, socket);
        }
    }

    /// Fails at a message that it does not expect.
    fn notice(&mut self, message: &ServerMessage) {
        if matches!(message, ServerMessage::Move { .. }) {
            self.has_moved = false;
        }
        match message {
            ServerMessage::Start {
                configuration,
                color,
            } => {
                let log = configuration.move_log.len();
                let board = &configuration.initial_state.board;
                self.is_of_log = log > 0 || board.iter().flatten().any(Option::is_some);
                self.has_started = true;
                self.color = *color;
                let entries = configuration.move_log.iter();
                let mut passes = entries.filter(|entry| entry.played == Move::Pass);
                if self.has("reads-no-passes-in-a-log") && passes.next().is_some() {
                    process::exit(CRASH);
                }
                let is_white = color.capital() == 'W';
                let is_wrong = match &*self.fault {
                    "plays-white-only" => !is_white,
                    "plays-black-only" => is_white,
                    "thinks-that-black-begins" => log % 2 == 1,
                    _ => false,
                };
                if is_wrong {
                    hang();
                }
                if self.has("knows-no-final-states") && log > 0 {
                    assert!(configuration.final_states.is_none());
                }
            }
            ServerMessage::Move { played, .. } => match (&*self.fault, played) {
                ("stops-at-a-pass", Move::Pass) => hang(),
                ("leaves-when-the-opponent-resigns", Move::Resign) => process::exit(0),
                _ => {}
            },
            ServerMessage::Invalid { .. } if self.has("stops-at-invalid") => hang(),
            ServerMessage::End { reason, winner, .. } => {
                let is_counted = *reason == WireReason::Pass;
                let leaves = match &*self.fault {
                    "leaves-at-timeout" => *reason == WireReason::Timeout,
                    "leaves-when-its-flag-falls" => {
                        *reason == WireReason::Timeout
                            && winner.is_some_and(|of| of.capital() == 'W')
                    }
                    "leaves-at-mercy" => *reason == WireReason::Mercy,
                    "leaves-at-a-pause" => *reason == WireReason::Pause,
                    "leaves-at-an-error" => *reason == WireReason::Error,
                    "leaves-after-passes" => is_counted && !self.has_moved,
                    "leaves-after-a-win" => is_counted && *winner == Some(self.color),
                    "leaves-after-a-loss" => is_counted && *winner == Some(self.color.opponent()),
                    _ => false,
                };
                match &*self.fault {
                    "hangs-after-its-last-pass" if is_counted && self.has_moved => hang(),
                    "crashes-at-a-draw" if is_counted && winner.is_none() => process::exit(CRASH),
                    _ => {}
                }
                if leaves {
                    process::exit(0);
                }
            }
            _ => {}
        }
    }

    fn perform(&mut self, effects: Vec<Effect>, socket: &mut WebSocket<TcpStream>) {
        for effect in effects {
            let Effect::Send(message) = effect else {
                continue;
            };
            let mut text = serde_json::to_string(&message).unwrap();
            match (&*self.fault, &message) {
                ("says-nothing", _) => hang(),
                ("asks-for-v3", ClientMessage::Name { .. }) => text = text.replace("v2", "v3"),
                ("calls-its-name-team", ClientMessage::Name { .. }) => {
                    text = text.replace("\"name\"", "\"team\"");
                }
                ("writes-vertices", ClientMessage::Move { .. }) => {
                    text = r#"{"type":"MOVE","move":"D4"}"#.to_owned();
                }
                ("writes-no-json", ClientMessage::Move { .. }) => text = "D4".to_owned(),
                _ => {}
            }
            socket.send(Message::text(text.clone())).unwrap();
            let is_name = matches!(message, ClientMessage::Name { .. });
            self.has_moved |= !is_name;
            let again = match &*self.fault {
                "sends-its-name-twice" => is_name,
                "moves-twice" => !is_name,
                _ => false,
            };
            if again {
                socket.send(Message::text(text)).unwrap();
            }
        }
    }

    fn choose(&mut self, turn: &Turn<Game>) -> Move {
        let game = &turn.game;
        let mut legal: Vec<Point> = game.legal_points().collect();
        if legal.is_empty() && self.has("never-passes") {
            hang();
        }
        if turn.refused.is_empty()
            && let Some(point) = wrong_point(&self.fault, game)
        {
            return Move::Place(point);
        }
        if self.has("forgets-captures") {
            let had_stone = |&point: &Point| {
                let mut positions = game.positions().iter();
                positions.any(|position| position.board.get(point).is_some())
            };
            legal.retain(|point| !had_stone(point));
        }
        let mut stones = game.board().stones();
        let is_wrong = match &*self.fault {
            "plays-on-stones" | "stops-at-invalid" => turn.refused.is_empty(),
            "forgets-the-stones-of-the-start" => self.is_of_log && turn.refused.is_empty(),
            _ => false,
        };
        if is_wrong && let Some((point, _)) = stones.next() {
            return Move::Place(point);
        }
        let tries = self.has("tries-points") && turn.refused.is_empty();
        let legal = match tries {
            true => game.board().size().points().collect(),
            false => legal,
        };
        legal
            .choose(&mut self.rng)
            .map_or(Move::Pass, |&point| Move::Place(point))
    }
}

/// Returns the point where an agent with this fault illegally places a stone.
fn wrong_point(fault: &str, game: &Game) -> Option<Point> {
    let why = |point: Point| game.check(Move::Place(point)).err();
    let mut points = game.board().size().points();
    match fault {
        "knows-no-suicide" => points.find(|&point| why(point) == Some(Illegal::Suicide)),
        "knows-no-ko" => points.find(|&point| why(point) == Some(Illegal::Superko)),
        "knows-no-superko" => {
            let rules = Rules {
                superko: false,
                ..game.rules().clone()
            };
            let mut lenient = Game::new(rules, game.positions()[0].clone());
            for &played in game.moves() {
                lenient.play(played).unwrap();
            }
            let mut points = lenient.legal_points();
            points.find(|&point| why(point).is_some())
        }
        _ => None,
    }
}
