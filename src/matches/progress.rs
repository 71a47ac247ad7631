//! How an event stands: what its games so far tell, and what its test has decided.
//!
//! Pairs of games count in the order of the schedule, whichever ends first. So the test decides the
//! same whatever the number of games at the same time, and however often the event is interrupted;
//! and short games count no more than long ones.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::evidence::{CountedGame, Evidence};
use super::record::{Fixture, GameRecord, Verdict};
use super::settings::EventSettings;
use crate::color::Color;
use crate::statistics::{Decision, GameScore, Pentanomial, Sprt, WinDrawLoss};
use crate::tournament::Name;

/// How an event stands.
#[derive(Debug)]
pub struct Progress {
    /// The number of games that have ended.
    played: usize,
    /// The number of those that ended by a fallen flag.
    time_forfeits: usize,
    /// The players that have failed in a game.
    failed: BTreeSet<Name>,
    /// The results of each player, in all games.
    results: BTreeMap<Name, WinDrawLoss>,
    test: Option<Test>,
    evidence: Evidence,
    /// The games that have not counted yet, in the order of the schedule.
    expected: VecDeque<Fixture>,
    /// The games that have ended and not counted yet, by their numbers.
    ended: BTreeMap<u32, CountedGame>,
}

/// A sequential probability ratio test between two players.
#[derive(Debug)]
struct Test {
    sprt: Sprt,
    players: [Name; 2],
    standing: TestStanding,
}

/// How a test stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestStanding {
    /// The log-likelihood ratio, for the first player of the event.
    pub llr: f64,
    /// The pairs of games that it comes from.
    pub pairs: Pentanomial,
    /// What it has decided. From then on no games count for it.
    pub decision: Decision,
}

impl Progress {
    /// Returns how an event stands that has not begun.
    pub fn new(settings: &EventSettings) -> Progress {
        let players = match &*settings.players {
            [one, other] => Some([one.name.clone(), other.name.clone()]),
            _ => None,
        };
        let test = settings.sprt.zip(players).map(|(sprt, players)| Test {
            sprt,
            players,
            standing: TestStanding {
                llr: 0.0,
                pairs: Pentanomial::default(),
                decision: Decision::Continue,
            },
        });
        Progress {
            played: 0,
            time_forfeits: 0,
            failed: BTreeSet::new(),
            results: BTreeMap::new(),
            test,
            evidence: Evidence::default(),
            expected: VecDeque::new(),
            ended: BTreeMap::new(),
        }
    }

    /// Adds games that are going to be played, in the order of the schedule.
    pub fn expect(&mut self, fixtures: impl IntoIterator<Item = Fixture>) {
        self.expected.extend(fixtures);
        self.count();
    }

    /// Adds a game that has ended.
    pub fn add(&mut self, game: &GameRecord) {
        self.played = self.played.saturating_add(1);
        if game.verdict == Verdict::Time {
            self.time_forfeits = self.time_forfeits.saturating_add(1);
        }
        if let Some(color) = game.failed() {
            self.failed.insert(game.fixture.players[color].clone());
        }
        for color in Color::ALL {
            let name = game.fixture.players[color].clone();
            let results = self.results.entry(name).or_default();
            results.add(GameScore::of(color, game.winner));
        }
        self.ended.insert(game.fixture.number, game.into());
        self.count();
    }

    /// Counts the pairs of games whose turn has come.
    fn count(&mut self) {
        loop {
            let Some(first) = self.expected.front() else {
                return;
            };
            let in_pair = |fixture: &&Fixture| fixture.pair == first.pair;
            let pair = self.expected.iter().take_while(in_pair);
            let games = pair.map(|fixture| {
                let game = *self.ended.get(&fixture.number)?;
                Some((&fixture.players, game))
            });
            let Some(games) = games.collect::<Option<Vec<_>>>() else {
                return;
            };
            self.evidence.count_pair(&games);
            let counted = games.len();
            for fixture in self.expected.drain(..counted) {
                self.ended.remove(&fixture.number);
            }
            if let Some(test) = &mut self.test {
                test.update(&self.evidence);
            }
        }
    }

    /// Returns the number of games that are known to be played, those that have ended included.
    pub fn planned(&self) -> usize {
        let waiting = self.expected.iter();
        let waiting = waiting.filter(|fixture| !self.ended.contains_key(&fixture.number));
        self.played.saturating_add(waiting.count())
    }

    /// Returns the number of games that have ended.
    pub fn played(&self) -> usize {
        self.played
    }

    /// Returns the number of games that have ended by a fallen flag.
    pub fn time_forfeits(&self) -> usize {
        self.time_forfeits
    }

    /// Returns the players that have failed in a game.
    pub fn failed(&self) -> &BTreeSet<Name> {
        &self.failed
    }

    /// Returns the results of a player in all games that have ended.
    pub fn results_of(&self, player: &Name) -> WinDrawLoss {
        self.results.get(player).copied().unwrap_or_default()
    }

    /// Returns what the games that have counted so far tell.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns how the test stands, if there is one.
    pub fn test(&self) -> Option<&TestStanding> {
        self.test.as_ref().map(|test| &test.standing)
    }

    /// Returns whether the test has decided.
    pub fn is_decided(&self) -> bool {
        self.test()
            .is_some_and(|test| test.decision != Decision::Continue)
    }
}

impl Test {
    fn update(&mut self, evidence: &Evidence) {
        if self.standing.decision != Decision::Continue {
            return;
        }
        let [one, other] = &self.players;
        let evidence = evidence.between(one, other);
        // The model of independent games knows no pairs.
        let llr = self.sprt.llr_of_pairs(&evidence.pairs);
        let llr = llr.unwrap_or_else(|| self.sprt.llr_of_games(&evidence.games));
        self.standing = TestStanding {
            llr,
            pairs: evidence.pairs,
            decision: self.sprt.decision(llr),
        };
    }
}
