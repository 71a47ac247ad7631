//! Tournaments through kills, stalls, lost connections and full disks: no result comes of them.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::Duration;

use gothello::tournament::ResultsFile;
use gothello::{ByColor, Color};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::in_threads;
use crate::goref::client::Client;
use crate::goref::disk;
use crate::goref::server::{Server, pass, place};
use crate::waiting::Deadline;

/// The time on each clock, in milliseconds: much more than a client takes for its moves.
const TIME: u64 = 8_000;

/// The number of moves after which the players pass.
const MOVES: usize = 12;

/// How many troubles there are in a tournament.
const TROUBLES: usize = 15;

/// How a client plays, which decides how its games end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// It plays to the end.
    Plays,
    /// It resigns in its third turn.
    Resigns,
    /// It lets its flag fall in its second turn.
    Sleeps,
}

/// The players of a tournament.
const PLAYERS: [(&str, Style); 5] = [
    ("Ann", Style::Plays),
    ("Bob", Style::Plays),
    ("Cy", Style::Plays),
    ("Rex", Style::Resigns),
    ("Flo", Style::Sleeps),
];

impl Style {
    fn of(name: &str) -> Style {
        let player = PLAYERS.iter().find(|(player, _)| *player == name);
        player.unwrap().1
    }

    /// The turn in which it ends a game, counted from 0.
    fn last_turn(self) -> usize {
        match self {
            Style::Plays => usize::MAX / 4,
            Style::Resigns => 2,
            Style::Sleeps => 1,
        }
    }
}

/// How a game between players of these styles ends without any trouble: the reason, and the winner
/// unless the score decides.
fn right_ending(styles: ByColor<Style>) -> (&'static str, Option<Color>) {
    let ply = |color: Color| 2 * styles[color].last_turn() + usize::from(color == Color::White);
    let first = match ply(Color::Black) < ply(Color::White) {
        true => Color::Black,
        false => Color::White,
    };
    match styles[first] {
        Style::Plays => ("pass", None),
        Style::Resigns => ("resign", Some(first.opponent())),
        Style::Sleeps => ("timeout", Some(first.opponent())),
    }
}

/// What a tournament's clients and its troubles share.
struct Shared {
    /// Where the server listens now.
    address: Mutex<SocketAddr>,
    /// The connections of the clients.
    connections: Mutex<BTreeMap<&'static str, TcpStream>>,
    is_over: AtomicBool,
    moves: AtomicUsize,
}

/// A client that comes back whatever happens.
struct Bot {
    name: &'static str,
    style: Style,
    shared: Arc<Shared>,
    rng: StdRng,
    /// The moves of the game so far, and those of its own.
    moves: [usize; 2],
}

impl Bot {
    fn run(mut self) {
        while !self.shared.is_over.load(Relaxed) {
            let address = *self.shared.address.lock().unwrap();
            if let Some(client) = Client::try_connect(address) {
                let stream = client.stream();
                let mut connections = self.shared.connections.lock().unwrap();
                connections.insert(self.name, stream);
                drop(connections);
                self.play(client);
            }
            sleep(Duration::from_millis(self.rng.random_range(10..100)));
        }
    }

    /// Plays until the connection is lost.
    fn play(&mut self, mut client: Client) {
        while let Ok(message) = client.next() {
            let is_mine = match message["type"].as_str().unwrap() {
                "NAME" => {
                    let name = json!({"type": "NAME", "name": self.name});
                    if client.try_send(name.to_string().into()).is_err() {
                        return;
                    }
                    false
                }
                "START" => {
                    let log = message["configuration"]["moveLog"].as_array().unwrap();
                    let side = usize::from(message["color"] == "W");
                    self.moves = [log.len(), (log.len() + 1 - side) / 2];
                    log.len() % 2 == side
                }
                "MOVE" => {
                    self.moves[0] += 1;
                    true
                }
                "VALID" => {
                    self.moves[0] += 1;
                    self.moves[1] += 1;
                    self.shared.moves.fetch_add(1, Relaxed);
                    false
                }
                "INVALID" => true,
                "END" => false,
                other => panic!("{other}"),
            };
            if is_mine && let Some(chosen) = self.choose() {
                let message = json!({"type": "MOVE", "move": chosen});
                if client.try_send(message.to_string().into()).is_err() {
                    return;
                }
            }
        }
    }

    /// Its move; `None` if it sleeps.
    fn choose(&mut self) -> Option<Value> {
        let [all, own] = self.moves;
        if own >= self.style.last_turn() {
            return match self.style {
                Style::Sleeps => None,
                _ => Some(json!({"type": "resign"})),
            };
        }
        Some(match all >= MOVES {
            true => pass(),
            false => place([(); 2].map(|()| self.rng.random_range(0..5))),
        })
    }
}

/// A tournament, and what goes wrong in it.
struct Trial {
    folder: TempDir,
    players: usize,
    rng: StdRng,
    shared: Arc<Shared>,
    server: Option<Server>,
}

impl Trial {
    fn new(seed: u64, players: usize) -> Trial {
        let folder = tempfile::tempdir().unwrap();
        let time = json!({"remainingTime": TIME});
        let file = json!({"initialState": {"board": 5, "players": {"B": time, "W": time}}});
        fs::write(folder.path().join("game.json"), file.to_string()).unwrap();
        let server = start(folder.path(), players);
        Trial {
            players,
            rng: StdRng::seed_from_u64(seed),
            shared: Arc::new(Shared {
                address: Mutex::new(server.address),
                connections: Mutex::default(),
                is_over: AtomicBool::new(false),
                moves: AtomicUsize::new(0),
            }),
            server: Some(server),
            folder,
        }
    }

    fn run(&mut self) {
        let bots = PLAYERS[..self.players].iter().enumerate();
        let bots: Vec<_> = bots
            .map(|(number, &(name, style))| {
                let bot = Bot {
                    name,
                    style,
                    shared: Arc::clone(&self.shared),
                    rng: StdRng::seed_from_u64(self.rng.random::<u64>() ^ number as u64),
                    moves: [0; 2],
                };
                thread::spawn(move || bot.run())
            })
            .collect();
        for _ in 0..TROUBLES {
            sleep(Duration::from_millis(self.rng.random_range(0..60)));
            self.make_trouble();
        }
        let deadline = Deadline::within(Duration::from_secs(180));
        let file = self.folder.path().join("tournament-0001.jsonl");
        let so_far = || {
            let log = self.server.as_ref().map(Server::log).unwrap_or_default();
            format!("{:#?}", &log[log.len().saturating_sub(40)..])
        };
        deadline.wait_for("the end of the tournament", so_far, || {
            ResultsFile::read(&file).ok()?.is_over().then_some(())
        });
        self.shared.is_over.store(true, Relaxed);
        self.server = None;
        for bot in bots {
            bot.join().unwrap();
        }
        self.check(&file);
    }

    /// Something goes wrong, and is right again.
    fn make_trouble(&mut self) {
        let pause =
            |rng: &mut StdRng, most| sleep(Duration::from_millis(rng.random_range(1..most)));
        let Some(server) = self.server.take() else {
            return;
        };
        match self.rng.random_range(0..8) {
            0 => {
                server.kill();
                pause(&mut self.rng, 50);
                let server = start(self.folder.path(), self.players);
                *self.shared.address.lock().unwrap() = server.address;
                self.server = Some(server);
                return;
            }
            1 => {
                server.signal("-STOP");
                pause(&mut self.rng, 2_000);
                server.signal("-CONT");
            }
            2 => {
                disk::limit(&server, self.rng.random_range(0..3_000));
                pause(&mut self.rng, 300);
                disk::limit(&server, rlimit::INFINITY);
            }
            _ => {
                let (name, _) = PLAYERS[self.rng.random_range(0..self.players)];
                if let Some(stream) = self.shared.connections.lock().unwrap().remove(name) {
                    let _ = stream.shutdown(Shutdown::Both);
                }
            }
        }
        self.server = Some(server);
    }

    /// Every game has the result that it would have without trouble.
    fn check(&self, file: &Path) {
        let tournament = ResultsFile::read(file).unwrap();
        let mut games = 0;
        for (scheduled, result) in tournament.games() {
            let result = result.unwrap();
            games += 1;
            let names = ByColor::new(&scheduled.black, &scheduled.white);
            let (reason, winner) = right_ending(names.map(|name| Style::of(name.as_str())));
            let found = (result.reason.as_str(), result.forfeit);
            assert_eq!(found, (reason, false), "{scheduled}: {result:?}");
            let by_score = || {
                let ByColor { black, white } = result.scores.unwrap();
                match black > white {
                    true => Color::Black,
                    false => Color::White,
                }
            };
            let winner = winner.unwrap_or_else(by_score);
            assert_eq!(result.winner, Some(winner), "{scheduled}: {result:?}");
        }
        assert_eq!(games, self.players * (self.players - 1) / 2);
    }
}

fn start(folder: &Path, players: usize) -> Server {
    let file = folder.join("game.json");
    let players = players.to_string();
    let options = [
        "--tournament",
        "round-robin",
        "--single",
        "--players",
        &players,
    ];
    let more = [
        "--setup",
        file.to_str().unwrap(),
        "--tables",
        "2",
        "--max-breaks",
        "1000",
    ];
    disk::surviving(folder, &[&options[..], &more].concat())
}

fn try_tournaments(seeds: Range<u64>, players: usize) {
    for seed in seeds {
        let mut trial = Trial::new(seed, players);
        trial.run();
        assert!(trial.shared.moves.load(Relaxed) > 0);
    }
}

#[test]
#[ignore = "takes minutes"]
fn no_result_comes_of_trouble_in_many_tournaments() {
    in_threads(2, |seeds| try_tournaments(seeds, 5));
}
