//! Swiss tournaments whose organizer corrects results, has games played again, and lets teams enter,
//! miss rounds and return, between kills of the referee.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, sleep};
use std::time::Duration;

use gothello::tournament::ResultsFile;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::in_threads;
use super::netref::{Bot, Shared, TEAMS};
use crate::netref::referee::{Referee, Room};
use crate::netref::server::json_results;
use crate::netref::spectator::{act, page, token};
use crate::netref::tournaments::Course;
use crate::waiting::Deadline;

/// A tournament, and its organizer.
struct Trial {
    course: Course,
    rng: StdRng,
    shared: Arc<Shared>,
    referee: Option<Referee>,
    token: Option<String>,
    /// The reasons of the decisions that were acknowledged.
    decided: Vec<String>,
    acts: usize,
}

impl Trial {
    fn new(seed: u64) -> Trial {
        Trial {
            course: Course::new(TEAMS.len()),
            rng: StdRng::seed_from_u64(seed),
            shared: Arc::default(),
            referee: None,
            token: None,
            decided: Vec::new(),
            acts: 0,
        }
    }

    /// Starts the referee, at first for a tournament of three of the teams.
    fn start(&mut self) {
        let options = [
            "4",
            "--tables",
            "2",
            "--tournament",
            "swiss",
            "--rounds",
            "3",
            "--single",
            "--seed",
            "7",
            "--players",
            "3",
            "--loss-wait",
            "0.3",
            "--http",
            "0",
        ];
        let start = |arguments: &[&str]| Referee::start_with_room(Room::Enough, arguments);
        let referee = self.course.start_as(&options, start);
        let token = token(&referee);
        assert_eq!(self.token.get_or_insert(token.clone()), &token);
        *self.shared.ports.lock().unwrap() = Some(self.course.ports(&referee));
        self.referee = Some(referee);
    }

    fn restart(&mut self) {
        *self.shared.ports.lock().unwrap() = None;
        self.referee.take().unwrap().kill();
        self.start();
    }

    /// The disk is full for a while, in which the organizer goes on.
    fn fill_disk(&mut self) {
        let room = Room::Bytes(self.rng.random_range(0..6_000));
        self.referee.as_ref().unwrap().set_room(room);
        for _ in 0..3 {
            sleep(Duration::from_millis(self.rng.random_range(0..300)));
            let number = self.rng.random_range(1..3);
            self.acts += 1;
            let reason = format!("of decision {}", self.acts);
            let command = json!({
                "action": "correct", "game": format!("{number}.1"), "result": "1-0",
                "reason": reason,
            });
            if self.command(&command) {
                self.decided.push(reason);
            }
        }
        self.referee.as_ref().unwrap().set_room(Room::Enough);
    }

    /// Sends a command of the organizer. Returns whether it is acknowledged.
    fn command(&self, command: &Value) -> bool {
        let referee = self.referee.as_ref().unwrap();
        let answer = act(page(referee), self.token.as_deref(), command);
        assert!(
            answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 409"),
            "{command}: {answer}"
        );
        answer.starts_with("HTTP/1.1 200")
    }

    /// The organizer does something.
    fn act(&mut self) {
        self.acts += 1;
        let team = format!("T{}", self.rng.random_range(0..TEAMS.len()));
        let reason = format!("of decision {}", self.acts);
        let (round, pairing) = (self.rng.random_range(1..4), self.rng.random_range(1..3));
        let game = format!("{round}.{pairing}.1");
        let results = ["1-0", "0-1", "1/2", "+/-", "-/+", "-/-"];
        let result = *results.choose(&mut self.rng).unwrap();
        let command = match self.rng.random_range(0..9) {
            0 => return self.restart(),
            8 => return self.fill_disk(),
            1 | 2 => json!({"action": "replay", "game": game, "reason": reason}),
            3..5 => json!({"action": "correct", "game": game, "result": result, "reason": reason}),
            5 => json!({"action": "absent", "name": team}),
            6 => json!({"action": "return", "name": team}),
            _ => json!({"action": "enter", "name": team}),
        };
        if self.command(&command) && command["reason"].is_string() {
            self.decided.push(reason);
        }
    }

    /// Plays a tournament with so many acts.
    fn run(mut self, seed: u64, acts: usize) {
        self.start();
        let bots: Vec<_> = (0..TEAMS.len())
            .map(|team| {
                let bot = Bot {
                    team,
                    style: TEAMS[team].0,
                    opening: format!("0.9.2 player ? \"T{team}\"\r"),
                    shared: Arc::clone(&self.shared),
                    rng: StdRng::seed_from_u64(self.rng.random()),
                };
                thread::spawn(move || bot.run())
            })
            .collect();
        self.referee
            .as_ref()
            .unwrap()
            .wait_for_line("a tournament of 3 teams begins");
        for _ in 0..acts {
            sleep(Duration::from_millis(self.rng.random_range(0..400)));
            self.act();
        }
        for team in 0..TEAMS.len() {
            self.command(&json!({"action": "return", "name": format!("T{team}")}));
        }
        self.wait_for_the_end(seed);
        // A result can be changed even then.
        for _ in 0..3 {
            self.act();
        }
        self.shared.is_over.store(true, Relaxed);
        self.restart();
        *self.shared.ports.lock().unwrap() = None;
        self.referee.take().unwrap().kill();
        for bot in bots {
            bot.join().unwrap();
        }
        self.check(&format!("seed {seed}"));
    }

    /// Waits for the end. If no further round can be paired, for all who are there have met, the
    /// organizer ends the tournament.
    fn wait_for_the_end(&self, seed: u64) {
        let file = self.course.results_file();
        let so_far = || {
            let log = self.referee.as_ref().map(Referee::log).unwrap_or_default();
            format!("seed {seed}: {:#?}", &log[log.len().saturating_sub(60)..])
        };
        let mut idle = 0;
        Deadline::within(Duration::from_secs(120)).wait_for("the end", so_far, || {
            let tournament = ResultsFile::read(&file).ok()?;
            idle = match tournament.pending_games().is_empty() {
                true => idle + 1,
                false => 0,
            };
            sleep(Duration::from_millis(100));
            if idle > 20 && !tournament.is_over() {
                self.command(&json!({"action": "end-tournament"}));
            }
            tournament.is_over().then_some(())
        });
    }

    /// The standings and the results follow from the events alone.
    fn check(&self, told: &str) {
        let text = fs::read_to_string(self.course.results_file()).unwrap();
        let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let ledger = Ledger::of(events);
        let lines = json_results(&self.course.path("state"));
        for reason in &self.decided {
            // Or a match without a result is void, and played again.
            let is_void = |line: &Value| {
                let result = line["result"].as_str();
                result.is_some_and(|result| result.ends_with(&format!("because {reason}")))
            };
            assert!(
                ledger.reasons.contains(reason) || lines.iter().any(is_void),
                "{told}, {reason}: {text}"
            );
        }
        let tournament = ResultsFile::read(&self.course.results_file()).unwrap();
        let points = tournament.standings().into_iter();
        let points: BTreeMap<String, f64> = points
            .map(|row| (row.player.to_string(), row.points.as_f64()))
            .collect();
        assert_eq!(points, ledger.points(), "{told}: {text}");
        // The last line of each game in the results says the same.
        let mut last: HashMap<String, Value> = HashMap::new();
        for line in lines {
            last.insert(line["id"].as_str().unwrap().to_owned(), line);
        }
        for (id, winner) in &ledger.of_matches {
            let line = &last[id];
            assert_eq!(line["winner"], *winner, "{told}, {line}: {text}");
        }
    }
}

/// The events of a tournament, read without any code of the program.
#[derive(Default)]
struct Ledger {
    /// The present results by the places of the games.
    results: BTreeMap<String, Value>,
    players: BTreeMap<String, f64>,
    /// The winners of matches, as the results should have them.
    of_matches: HashMap<String, Value>,
    reasons: BTreeSet<String>,
}

impl Ledger {
    fn of(events: impl Iterator<Item = Value>) -> Ledger {
        let mut ledger = Ledger::default();
        let mut absent = BTreeSet::new();
        let text = |event: &Value, key: &str| event[key].as_str().unwrap().to_owned();
        for event in events {
            let place = format!("{}.{}.{}", event["round"], event["pairing"], event["game"]);
            let before = ledger.results.get(&place).cloned();
            let before_id = before.as_ref().and_then(|before| before["id"].as_str());
            match event["event"].as_str().unwrap() {
                "tournament" => {
                    for name in event["entrants"].as_array().unwrap() {
                        ledger
                            .players
                            .insert(name.as_str().unwrap().to_owned(), 0.0);
                    }
                }
                "paired" => {
                    let met = ledger.met();
                    let mut seen = BTreeSet::new();
                    for pairing in event["pairings"].as_array().unwrap() {
                        let (black, white) = (text(pairing, "black"), text(pairing, "white"));
                        for pair in [(&black, &white), (&white, &black)] {
                            assert!(!met.contains(&(pair.0.clone(), pair.1.clone())), "{event}");
                        }
                        seen.extend([black, white]);
                    }
                    if let Some(bye) = event["bye"].as_str() {
                        assert!(seen.insert(bye.to_owned()), "{event}");
                        *ledger.players.get_mut(bye).unwrap() += 1.0;
                    }
                    assert!(seen.is_disjoint(&absent), "{event}");
                    let all = ledger.players.len();
                    assert_eq!(seen.len(), all - absent.len(), "{event}");
                }
                "game" => {
                    assert!(before.is_none(), "{event}");
                    let id = text(&event, "id");
                    ledger.of_matches.insert(id, winner(&event));
                    ledger.results.insert(place, event);
                }
                "correction" => {
                    ledger.reasons.insert(text(&event, "reason"));
                    if let Some(id) = before_id {
                        ledger.of_matches.insert(id.to_owned(), winner(&event));
                    }
                    ledger.results.insert(place, event);
                }
                "replay" => {
                    ledger.reasons.insert(text(&event, "reason"));
                    if let Some(id) = before_id {
                        ledger.of_matches.insert(id.to_owned(), Value::Null);
                    }
                    assert!(ledger.results.remove(&place).is_some(), "{event}");
                }
                "entry" => _ = ledger.players.insert(text(&event, "player"), 0.0),
                "absence" => _ = absent.insert(text(&event, "player")),
                "return" => _ = absent.remove(&text(&event, "player")),
                "ended" => {}
                other => panic!("{other}"),
            }
        }
        ledger
    }

    /// Those who have met: who have played a game that is not forfeited.
    fn met(&self) -> BTreeSet<(String, String)> {
        let played = self.results.values().filter(|game| game["forfeit"] != true);
        played
            .map(|game| {
                let name = |color: &str| game[color].as_str().unwrap().to_owned();
                (name("black"), name("white"))
            })
            .collect()
    }

    fn points(&self) -> BTreeMap<String, f64> {
        let mut points = self.players.clone();
        for game in self.results.values() {
            for color in ["black", "white"] {
                let name = game[color].as_str().unwrap();
                *points.get_mut(name).unwrap() += match game["winner"].as_str() {
                    Some(winner) if winner == color => 1.0,
                    None if game["forfeit"] != true => 0.5,
                    _ => 0.0,
                };
            }
        }
        points
    }
}

/// The winner of a game as the results of the referee have it.
fn winner(event: &Value) -> Value {
    match (&event["winner"], event["forfeit"] == true) {
        (Value::Null, true) => Value::Null,
        (Value::Null, false) => "draw".into(),
        (winner, _) => winner.clone(),
    }
}

fn try_tournaments(seeds: Range<u64>, acts: usize) {
    for seed in seeds {
        Trial::new(seed).run(seed, acts);
    }
}

#[test]
fn standings_follow_from_the_events_whatever_the_organizer_decides() {
    try_tournaments(0..1, 8);
}

#[test]
#[ignore = "takes minutes"]
fn standings_follow_from_the_events_in_many_tournaments() {
    in_threads(2, |seeds| try_tournaments(seeds, 25));
}
