//! Whole matches of Awari between two clients at a table: every way to end by the rules, with the
//! status lines that an observer receives.

use std::time::{Duration, SystemTime};

use gothello::Color;
use gothello::awari::Pit;
use gothello::clients::agent::Decision;
use gothello::clients::netplay::{Effect, Session};
use gothello::contests::netref::{
    self, Action, Awari, ConnId, Effects, LossWaits, NetrefGame, Opening, Settings, Table,
    ToObservers,
};

const OBSERVER: ConnId = ConnId(2);

/// A table, its clients, and what came of their moves.
struct Match {
    table: Table<Awari>,
    /// South's and North's; they have the connections 0 and 1.
    sessions: [Session<Awari>; 2],
    ended: [Option<String>; 2],
    observed: Vec<String>,
}

impl Match {
    fn begun() -> Match {
        let settings = Settings {
            number: 0,
            start: Awari::default(),
            times: None,
            private: false,
            strict: true,
            seat_timeout: None,
            move_timeout: None,
            reclaim_time: Duration::ZERO,
            waits: LossWaits::default(),
        };
        let sessions = Color::ALL.map(|color| Session::new(Awari::default(), Some(color), None));
        let mut game = Match {
            table: Table::new(settings),
            sessions,
            ended: [None, None],
            observed: Vec::new(),
        };
        game.opens(OBSERVER, "0.9 observer");
        for side in 0..2 {
            let greeting = format!("000 {}", Awari::greeting());
            let effects = game.sessions[side].receive(&greeting).unwrap();
            let [Effect::Send(line)] = &effects[..] else {
                panic!("{effects:?}");
            };
            game.opens(ConnId(side as u64), line);
        }
        game.observed.clear();
        game
    }

    fn opens(&mut self, conn: ConnId, line: &str) {
        let opening = Opening::parse::<Awari>(line).unwrap();
        let wall = SystemTime::UNIX_EPOCH;
        let effects = self.table.open(conn, opening, Duration::ZERO, wall, true);
        self.perform(effects);
    }

    /// The client of a side chooses a move.
    fn decides(&mut self, side: usize, word: &str) {
        let decision = Decision::Move(word.parse().unwrap());
        let effects = self.sessions[side].decide(decision).unwrap();
        for effect in effects {
            if let Effect::Send(line) = effect {
                let action = Action::parse::<Awari>(&line);
                let conn = ConnId(side as u64);
                let effects = self.table.request(conn, action, Duration::ZERO);
                self.perform(effects);
            }
        }
    }

    fn perform(&mut self, effects: Effects<Pit>) {
        for effect in effects {
            match effect {
                netref::Effect::Send(ConnId(side), text) => {
                    for line in text.lines() {
                        self.hears(side as usize, line);
                    }
                }
                netref::Effect::Observers(ToObservers::Broadcast(text)) => {
                    self.observed.extend(text.lines().map(str::to_owned));
                }
                netref::Effect::StartClock => self.table.start_clock(Duration::ZERO),
                _ => {}
            }
        }
    }

    fn hears(&mut self, side: usize, line: &str) {
        for effect in self.sessions[side].receive(line).unwrap() {
            if let Effect::Over(ending) = effect {
                self.ended[side] = Some(ending.to_string());
            }
        }
    }
}

#[test]
fn the_rules_end_a_match_in_every_way() {
    let games = include_str!("../../common/awari_games.txt").lines();
    for line in games.filter(|line| !line.starts_with('#')) {
        let (how, moves) = line.split_once(": ").unwrap();
        let words: Vec<&str> = moves.split(' ').collect();
        let winner = how.split_once(", ").unwrap().1.to_lowercase();
        let mut game = Match::begun();
        for (ply, word) in words.iter().enumerate() {
            assert_eq!(game.ended, [None, None], "{how}");
            game.decides(ply % 2, word);
        }
        let [south, north] = game.ended;
        assert_eq!(south, north);
        assert!(south.unwrap().starts_with(&winner), "{how}");
        assert_eq!(game.observed, statuses(&words, &winner), "{how}");
    }
}

/// The status lines of a game by table 9.
fn statuses(words: &[&str], winner: &str) -> Vec<String> {
    let line = |(ply, word): (usize, &&str)| {
        let number = ply / 2 + 1;
        let south = ply % 2 == 0;
        let (side, mv) = match south {
            true => ("south", format!("{number} {word}")),
            false => ("north", format!("{number} ... {word}")),
        };
        if ply + 1 < words.len() {
            let code = if south { 311 } else { 312 };
            return format!("{code} {mv} is {side} move, game continues");
        }
        let (code, does) = match (winner.split(' ').next(), south) {
            (Some("drawn"), true) => (325, "draws"),
            (Some("drawn"), false) => (326, "draws"),
            (Some("south"), true) => (321, "wins"),
            (Some("south"), false) => (324, "loses"),
            (_, true) => (322, "loses"),
            (_, false) => (323, "wins"),
        };
        format!("{code} {mv} and {side} {does}")
    };
    words.iter().enumerate().map(line).collect()
}
