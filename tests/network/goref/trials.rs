//! Crashes at any moment of many games: what was acknowledged has happened,
//! once, and nothing else but what was under way.

use std::fs;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::goref::client::Client;
use crate::goref::disconnections::{clocks_of, moves_of};
use crate::goref::server::{Server, pass, place};
use crate::waiting::PATIENCE;

/// The time on each clock at the start, in milliseconds.
const TIME: u64 = 600_000;

/// The moves after which both pass.
const MOVES: usize = 40;

/// A game that is played through many crashes.
struct Trial {
    folder: TempDir,
    rng: StdRng,
    /// The acknowledged moves, and the clocks then.
    acknowledged: Vec<Value>,
    clocks: [u64; 2],
    /// A move that was sent, and of which nothing was heard.
    under_way: Option<Value>,
    crashes: usize,
}

impl Trial {
    fn new(seed: u64) -> Trial {
        let folder = tempfile::tempdir().unwrap();
        let time = json!({"remainingTime": TIME});
        let file = json!({
            "initialState": {"board": 9, "players": {"B": time, "W": time}},
        });
        fs::write(folder.path().join("game.json"), file.to_string()).unwrap();
        Trial {
            folder,
            rng: StdRng::seed_from_u64(seed),
            acknowledged: Vec::new(),
            clocks: [TIME; 2],
            under_way: None,
            crashes: 0,
        }
    }

    fn start(&self) -> Server {
        let file = self.folder.path().join("game.json");
        let file = file.to_str().unwrap();
        Server::keeping(self.folder.path(), &["--auto", "--setup", file])
    }

    /// The lines of the results.
    fn rows(&self) -> Vec<Value> {
        let table = fs::read_to_string(self.folder.path().join("results.jsonl"));
        let row = |line| serde_json::from_str(line).unwrap();
        table.unwrap_or_default().lines().map(row).collect()
    }

    /// Plays until the game is over, whatever happens.
    fn run(&mut self) {
        let mut server = self.start();
        let mut players = ["Ann", "Bob"].map(|name| server.client(name));
        loop {
            if self.session(server, players) {
                break;
            }
            self.crashes += 1;
            server = self.start();
            // What was over and not recorded is recorded at the start.
            server.wait_until("it waits or is recorded", |server| {
                server.count("waiting", |_| true) == 1 || self.rows().len() == 1
            });
            if self.rows().len() == 1 {
                drop(server);
                break;
            }
            players = match self.rng.random() {
                true => ["Ann", "Bob"].map(|name| server.client(name)),
                false => {
                    let [white, black] = ["Bob", "Ann"].map(|name| server.client(name));
                    [black, white]
                }
            };
        }
        self.check_records();
    }

    /// Plays from START until the server is killed; whether the game ended before.
    fn session(&mut self, server: Server, players: [Client; 2]) -> bool {
        let [mut black, mut white] = players;
        let start = black.expect("START");
        assert_eq!(start["color"], "B");
        let other = white.expect("START");
        assert_eq!(other["configuration"], start["configuration"]);
        self.check(&start);
        // It is killed soon after some more moves.
        let last = self.acknowledged.len() + self.rng.random_range(0..MOVES / 2);
        let pause = Duration::from_micros(self.rng.random_range(0..2_000));
        let (is_reached, reached) = mpsc::channel::<()>();
        let killer = thread::spawn(move || {
            let _ = reached.recv_timeout(PATIENCE);
            thread::sleep(pause);
            server.kill();
        });
        let over = self
            .play(&mut black, &mut white, last, is_reached)
            .is_none();
        killer.join().unwrap();
        over
    }

    /// What is told at the start is what was acknowledged, and perhaps the move
    /// that was under way.
    fn check(&mut self, start: &Value) {
        let moves = moves_of(start);
        let known = self.acknowledged.len();
        assert_eq!(moves[..known], self.acknowledged, "a move is lost");
        let clocks = clocks_of(start);
        match &moves[known..] {
            [] => assert_eq!(clocks, self.clocks),
            [last] => {
                assert_eq!(Some(last), self.under_way.as_ref());
                self.acknowledged.push(last.clone());
                let mover = known % 2;
                assert_eq!(clocks[1 - mover], self.clocks[1 - mover]);
                assert!(clocks[mover] <= self.clocks[mover]);
                assert!(clocks[mover] + 10_000 > self.clocks[mover]);
            }
            more => panic!("moves that nobody made: {more:?}"),
        }
        self.clocks = clocks;
        self.under_way = None;
    }

    /// Plays until the server is gone; `None` if the game ends. Drops the sender when the game has
    /// this many moves.
    fn play(
        &mut self,
        black: &mut Client,
        white: &mut Client,
        last: usize,
        is_reached: mpsc::Sender<()>,
    ) -> Option<()> {
        let mut players = [black, white];
        let mut is_reached = Some(is_reached);
        loop {
            let number = self.acknowledged.len();
            if number >= last {
                drop(is_reached.take());
            }
            let mover = number % 2;
            let played = self.choose();
            let message = json!({"type": "MOVE", "move": played}).to_string();
            self.under_way = Some(played.clone());
            let sent = players[mover].try_send(tungstenite::Message::text(message));
            if sent.is_err() {
                return Some(());
            }
            let Ok(answer) = players[mover].next() else {
                return Some(());
            };
            if answer["type"] == "INVALID" {
                self.under_way = None;
                continue;
            }
            assert_eq!(answer["type"], "VALID", "{answer}");
            self.under_way = None;
            self.acknowledged.push(played.clone());
            self.clocks = ["B", "W"].map(|side| answer["remainingTime"][side].as_u64().unwrap());
            match players[1 - mover].next() {
                Ok(told) => assert_eq!(told["move"], played),
                Err(_) => return Some(()),
            }
            let passes = self
                .acknowledged
                .iter()
                .rev()
                .take_while(|mv| **mv == pass());
            if passes.count() >= 2 {
                for player in &mut players {
                    match player.next() {
                        Ok(end) => assert_eq!(end["reason"], "pass"),
                        // It is to be recorded all the same.
                        Err(_) => return Some(()),
                    }
                }
                return None;
            }
        }
    }

    fn choose(&mut self) -> Value {
        if self.acknowledged.len() >= MOVES {
            return pass();
        }
        place([(); 2].map(|()| self.rng.random_range(0..9)))
    }

    /// The game is on record once, as it was played.
    fn check_records(&mut self) {
        if let Some(last) = self.under_way.take() {
            // The second pass, of which nothing was heard.
            assert_eq!(last, pass());
            self.acknowledged.push(last);
        }
        // The game may be over before it is on record.
        if self.rows().is_empty() {
            let server = self.start();
            server.wait_until("it is recorded", |_| self.rows().len() == 1);
        }
        let server = self.start();
        server.plays_a_game();
        server.wait_until("one more is recorded", |_| self.rows().len() == 2);
        let rows = self.rows();
        let ids = [&rows[0]["id"], &rows[1]["id"]];
        assert_eq!(ids, ["0001-Ann-Bob", "0002-Yin-Yang"]);
        assert_eq!(rows[0]["reason"], "pass");
        assert_eq!(rows[0]["moves"], self.acknowledged.len());
        let games = self.folder.path().join("games");
        let archive = fs::read_to_string(games.join("0001-Ann-Bob.json")).unwrap();
        let archive: Value = serde_json::from_str(&archive).unwrap();
        let log = archive["moveLog"].as_array().unwrap();
        let (end, log) = log.split_last().unwrap();
        assert_eq!(end["end"]["reason"], "pass");
        let moves: Vec<&Value> = log.iter().map(|entry| &entry["move"]).collect();
        assert_eq!(moves, self.acknowledged.iter().collect::<Vec<_>>());
        let sgf = fs::read_to_string(games.join("0001-Ann-Bob.sgf")).unwrap();
        let nodes = sgf.matches(";B[").count() + sgf.matches(";W[").count();
        assert_eq!(nodes, self.acknowledged.len(), "{sgf}");
        let files = fs::read_dir(&games).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|name| !name.starts_with('.')).count(), 4);
    }
}

fn try_games(seeds: std::ops::Range<u64>) {
    let mut crashes = 0;
    for seed in seeds {
        let mut trial = Trial::new(seed);
        trial.run();
        crashes += trial.crashes;
    }
    println!("{crashes} crashes");
    assert!(crashes > 0);
}

#[test]
fn crashes_lose_and_double_nothing() {
    try_games(0..3);
}

#[test]
#[ignore = "takes minutes"]
fn crashes_lose_and_double_nothing_in_a_hundred_games() {
    try_games(100..200);
}
