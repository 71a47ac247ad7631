//! The progress of an event: the evidence of its games so far, and the decision of its test.
//!
//! Pairs of games count in the order of the schedule, whichever ends first. So the test's decision
//! depends neither on the number of concurrent games nor on interruptions, and short games count no
//! more than long ones.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::evidence::{CountedGame, Evidence};
use super::record::{GameRecord, PlannedGame, Verdict};
use super::schedule::Schedule;
use super::settings::{EventSettings, SettingsError};
use crate::base::color::Color;
use crate::base::shard::Shard;
use crate::statistics::{Decision, GameScore, Sprt, WinDrawLoss};
use crate::tournament::{Name, PairingError, Standing};

/// The number of repeated games in a row after which a test ends undecided.
pub const MAX_REPEATS: usize = 200;

/// The progress of an event.
#[derive(Debug)]
pub struct Progress {
    schedule: Schedule,
    /// The part of the schedule that counts; all of it if `None`.
    shard: Option<Shard>,
    /// The number of games of the schedule that have been taken into account, or belong to other
    /// shards.
    known: usize,
    players: Vec<Name>,
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
    /// The number of games since the last separate trial.
    repeats: usize,
    /// Whether there have been [`MAX_REPEATS`] of them.
    is_repeating: bool,
    /// The games that have not counted yet, in the order of the schedule.
    expected: VecDeque<PlannedGame>,
    /// The ended games that have not counted yet, by their numbers.
    ended: BTreeMap<u32, CountedGame>,
}

/// A player's row in the standings of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerStanding {
    /// The player.
    pub player: Name,
    /// The results of all games.
    pub results: WinDrawLoss,
    /// The points: 1 for each win, 1/2 for each draw, and in a Swiss tournament those of byes.
    pub points: f64,
    /// The row in the standings of a Swiss tournament.
    pub swiss: Option<Standing>,
}

/// A sequential probability ratio test between two players.
#[derive(Debug)]
struct Test {
    sprt: Sprt,
    players: [Name; 2],
    standing: TestStanding,
}

/// The state of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestStanding {
    /// The log-likelihood ratio, for the first player of the event.
    pub llr: f64,
    /// Its decision, after which no games count for it.
    pub decision: Decision,
}

impl Progress {
    /// Returns the progress of an event that has not begun, or of the part that one of several
    /// machines plays.
    ///
    /// # Errors
    /// The event is impossible.
    pub fn new(settings: &EventSettings, shard: Option<Shard>) -> Result<Progress, SettingsError> {
        let names = settings.players.iter().map(|player| player.name.clone());
        let players: Vec<Name> = names.collect();
        let test = match (settings.sprt, &*players) {
            (Some(sprt), [one, other]) => Some(Test {
                sprt,
                players: [one.clone(), other.clone()],
                standing: TestStanding {
                    llr: 0.0,
                    decision: Decision::Continue,
                },
            }),
            _ => None,
        };
        let mut progress = Progress {
            schedule: Schedule::new(settings)?,
            shard,
            known: 0,
            players,
            played: 0,
            time_forfeits: 0,
            failed: BTreeSet::new(),
            results: BTreeMap::new(),
            test,
            evidence: Evidence::new(settings),
            repeats: 0,
            is_repeating: false,
            expected: VecDeque::new(),
            ended: BTreeMap::new(),
        };
        progress.expect();
        Ok(progress)
    }

    /// Adds a game that has ended.
    ///
    /// # Errors
    /// It was the last one of a round of a Swiss tournament, and the next round cannot be paired.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), PairingError> {
        self.played = self.played.saturating_add(1);
        if game.verdict == Verdict::Time {
            self.time_forfeits = self.time_forfeits.saturating_add(1);
        }
        if let Some(color) = game.failed() {
            self.failed.insert(game.planned.players[color].clone());
        }
        for color in Color::ALL {
            let name = game.planned.players[color].clone();
            let results = self.results.entry(name).or_default();
            results.add(GameScore::of(color, game.winner));
        }
        self.ended.insert(game.planned.number, game.into());
        let recorded = self.schedule.record(game);
        self.expect();
        self.count();
        recorded
    }

    /// Takes new games of the schedule into account.
    fn expect(&mut self) {
        let planned = self.schedule.games();
        let new = planned.get(self.known..).unwrap_or_default().iter();
        let ours = new.filter(|planned| self.shard.is_none_or(|shard| planned.is_in(shard)));
        self.expected.extend(ours.cloned());
        self.known = planned.len();
    }

    /// Counts the pairs of games whose turn has come.
    fn count(&mut self) {
        loop {
            let Some(first) = self.expected.front() else {
                return;
            };
            let in_pair = |planned: &&PlannedGame| planned.pair == first.pair;
            let pair = self.expected.iter().take_while(in_pair);
            let games = pair.map(|planned| {
                let game = *self.ended.get(&planned.number)?;
                Some((&planned.players, game))
            });
            let Some(games) = games.collect::<Option<Vec<_>>>() else {
                return;
            };
            let counted = games.len();
            let is_trial = self.evidence.count_pair(&games);
            self.repeats = match is_trial {
                true => 0,
                false => self.repeats.saturating_add(counted),
            };
            self.is_repeating |= self.repeats >= MAX_REPEATS;
            for planned in self.expected.drain(..counted) {
                self.ended.remove(&planned.number);
            }
            if let Some(test) = &mut self.test
                && is_trial
            {
                test.update(&self.evidence);
            }
        }
    }

    /// Returns the known part of the schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns the number of known games, including those that have ended.
    pub fn planned(&self) -> usize {
        let waiting = self.expected.iter();
        let waiting = waiting.filter(|planned| !self.ended.contains_key(&planned.number));
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

    /// Returns the standings, the leader first: those of a Swiss tournament with its tie-breaks,
    /// and else by points. Ties are in the order of the settings.
    pub fn standings(&self) -> Vec<PlayerStanding> {
        let results = |player: &Name| self.results.get(player).copied().unwrap_or_default();
        if let Some(swiss) = self.schedule.swiss_standings() {
            let rows = swiss.into_iter().map(|row| PlayerStanding {
                player: row.player.clone(),
                results: results(&row.player),
                points: row.points.as_f64(),
                swiss: Some(row),
            });
            return rows.collect();
        }
        let rows = self.players.iter().map(|player| PlayerStanding {
            player: player.clone(),
            results: results(player),
            points: results(player).points(),
            swiss: None,
        });
        let mut rows: Vec<PlayerStanding> = rows.collect();
        rows.sort_by(|one, other| other.points.total_cmp(&one.points));
        rows
    }

    /// Returns the evidence of the games that have counted so far.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns whether there were [`MAX_REPEATS`] consecutive games in the order of the schedule
    /// without a separate trial, since the start or [`Progress::forget_repeats`].
    pub fn is_repeating(&self) -> bool {
        self.is_repeating
    }

    /// Restarts the count of repeated games: games with other openings may follow.
    pub fn forget_repeats(&mut self) {
        (self.repeats, self.is_repeating) = (0, false);
    }

    /// Returns the state of the test, if there is one.
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
        let llr = evidence.llr(&self.sprt);
        self.standing = TestStanding {
            llr,
            decision: self.sprt.decision(llr),
        };
    }
}
