//! The check of a client of the network referee.
//!
//! For each game the client is restarted, with a port of its own. The referee is the
//! [`Table`](crate::contests::netref::Table) of this project's server; the client gets the same
//! messages as there. The opponent chooses its moves so that random play would bring the client
//! into the wanted situation.

mod awari;
mod connection;
mod game;
mod gothello;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use thiserror::Error;

use super::checked::{CheckedGame as _, Sign};
use super::{CheckSettings, DOUBT, Failure, Progress, Report, Run, Step, Trouble};
use crate::base::color::Color;
use crate::base::rng::Rng;
use crate::contests::netref::NetrefGame;
use crate::gtp::process::EngineError;
use game::Scenario;

pub(crate) use awari::AwariTopic;
pub(crate) use steps::{ClientStep, ClientTopic, RefereeStep, RequestStep};

/// The number of games in which a client must have passed too early to fail, without evidence to
/// the contrary.
const MISSED_GAMES: usize = 3;

/// The settings of a check.
#[derive(Clone, Debug)]
pub(crate) struct NetrefSettings<S> {
    /// The settings of every check. The command has the placeholders `{side}`, `{host}`, `{server}`,
    /// `{port}` and `{name}`.
    pub check: CheckSettings<S>,
    /// The sides that it plays.
    pub sides: Vec<Color>,
    /// The server number; any free one if `None`.
    pub server: Option<u16>,
    /// The number of games to look for a situation, for each side.
    pub games: u32,
    /// Whether a client may end with any exit status.
    pub ignores_exit_status: bool,
}

/// Why a client could not be checked in a game.
#[derive(Debug, Error)]
pub enum StartError {
    /// The port is taken, or none is free.
    #[error("cannot listen: {0}")]
    Listen(io::Error),
    /// It cannot be started.
    #[error(transparent)]
    Start(EngineError),
    /// It does not connect in time, or ends before.
    #[error("{why}")]
    Connect {
        /// Its behavior instead, as a sentence without a period.
        why: String,
        /// The last lines of its standard error.
        errors: Vec<String>,
    },
}

/// Checks a client, and calls `progress` before each game.
///
/// # Errors
/// The client cannot be started, or no port is free.
pub(crate) fn check<T: ClientTopic>(
    settings: &NetrefSettings<ClientStep<T>>,
    progress: &mut Progress<'_, ClientStep<T>>,
) -> Result<Report<ClientStep<T>>, StartError> {
    let mut check = Check {
        settings,
        run: Run::new(&settings.check.only, |_| true, settings.check.limits.all),
        evidence: Evidence::new(),
        rng: Rng::new(settings.check.seed),
        reasons: BTreeMap::new(),
    };
    check.check_all(progress)?;
    Ok(check.finish())
}

struct Check<'a, T> {
    settings: &'a NetrefSettings<ClientStep<T>>,
    run: Run<ClientStep<T>>,
    evidence: Evidence<T>,
    rng: Rng,
    /// Why steps were not reached.
    reasons: BTreeMap<ClientStep<T>, String>,
}

impl<T: ClientTopic> Check<'_, T> {
    fn check_all(&mut self, progress: &mut Progress<'_, ClientStep<T>>) -> Result<(), StartError> {
        for &color in &self.settings.sides {
            let first = Scenario {
                color,
                wanted: RequestStep::Turn.into(),
                round: 0,
            };
            let is_sound = self.play(first, progress)?;
            let mut basics = RequestStep::BASICS.into_iter();
            if !is_sound && basics.any(|step| self.run.report.has_failed(step.into())) {
                continue;
            }
            // Whether the client has not failed in the first game for a step.
            let mut sound = BTreeMap::new();
            for wanted in ClientStep::all() {
                let scenario = |round| Scenario {
                    color,
                    wanted,
                    round,
                };
                let is_event = scenario(0).is_special();
                if !self.run.is_selected(wanted) {
                    continue;
                }
                let games = match (is_event, wanted.topic().is_some()) {
                    (true, _) => scenario(0).rounds(),
                    (false, true) => self.settings.games,
                    (false, false) => 0,
                };
                for round in 0..games {
                    let is_known = self.evidence.is_known(wanted, color);
                    let is_first = is_event && round == 0;
                    if is_known
                        || self.run.ends_early()
                        || self.run.report.has_failed(wanted) && !is_first
                    {
                        break;
                    }
                    let scenario = scenario(round);
                    if let Some(base) = scenario.base() {
                        let is_sound = match sound.get(&base.wanted) {
                            Some(&is_sound) => is_sound,
                            None => self.play(base, progress)?,
                        };
                        sound.insert(base.wanted, is_sound);
                        if !is_sound {
                            continue;
                        }
                    }
                    let is_sound = self.play(scenario, progress)?;
                    sound.entry(wanted).or_insert(is_sound);
                }
            }
        }
        Ok(())
    }

    /// Plays a game; returns whether the client has not failed.
    fn play(
        &mut self,
        scenario: Scenario<T>,
        progress: &mut Progress<'_, ClientStep<T>>,
    ) -> Result<bool, StartError> {
        let Scenario { color, wanted, .. } = scenario;
        let number = self.evidence.begin_game();
        let side = T::Game::SIDES[color];
        let name = wanted.spec().name;
        progress(format!("game {number}: {side}, {name}"), self.run.known());
        let played = game::play(
            scenario,
            self.settings,
            &mut self.run.report,
            &mut self.evidence,
            &mut self.rng,
        );
        match played {
            Ok(Ok(())) => Ok(true),
            Ok(Err(Trouble::NotReached(why))) => {
                self.reasons.insert(wanted, why);
                Ok(true)
            }
            Ok(Err(Trouble::Failed(fault))) => {
                if fault.was_silent {
                    self.run.note_silence();
                }
                self.reasons
                    .insert(wanted, "the client failed before".into());
                Ok(false)
            }
            Err(StartError::Connect { why, errors }) => {
                self.run.note_silence();
                let failure = Failure {
                    found: format!("as {side}: {why}"),
                    exchange: Vec::new(),
                    errors,
                };
                self.run.report.fail(RequestStep::Connect.into(), failure);
                Ok(false)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Notes why the remaining steps were not reached.
    fn finish(mut self) -> Report<ClientStep<T>> {
        self.evidence.conclude(&mut self.run.report);
        let early = match (self.run.is_too_silent(), self.run.ends_early()) {
            (true, _) => Some("the client was silent too often"),
            (false, true) => Some("the time for the check was over"),
            (false, false) => None,
        };
        for step in ClientStep::all() {
            let why = self.reasons.get(&step).map(String::as_str).or(early);
            let why = why.unwrap_or(match step {
                ClientStep::Request(RequestStep::Retry) if self.run.report.failures() == 0 => {
                    "every request was legal, so none was refused: a client that never sends an \
                     illegal one need not try again"
                }
                _ if self.run.report.failures() > 0 => "the games ended before",
                _ => "it did not come up in the games",
            });
            self.run.report.not_reached(step, why);
        }
        self.run.finish()
    }
}

impl<T: ClientTopic> ClientStep<T> {
    /// Returns the topic of the step, if it has one.
    fn topic(self) -> Option<T> {
        match self {
            ClientStep::Game(topic) => Some(topic),
            ClientStep::Request(_) | ClientStep::Referee(_) => None,
        }
    }

    /// Returns the step about a topic; the one about moves if there is none.
    fn about(topic: Option<T>) -> ClientStep<T> {
        topic.map_or(RequestStep::Turn.into(), ClientStep::Game)
    }
}

/// The evidence of games about a client.
#[derive(Debug)]
struct Evidence<T> {
    /// The probability that a client of this color that does not know the topic of a step has not
    /// shown it.
    doubts: BTreeMap<(ClientStep<T>, Color), f64>,
    /// By the ways in which the client's board may be wrong.
    misses: BTreeMap<usize, Misses<T>>,
    games: u32,
    /// Whether the client's process has ever ended by itself.
    ends_by_itself: bool,
}

/// Evidence of a client that thinks legal moves illegal.
#[derive(Debug)]
struct Misses<T> {
    /// The topic that such a client does not know.
    topic: T,
    /// The games in which it has passed too early.
    games: BTreeSet<u32>,
    /// Whether it has made a move that it would have taken for illegal, or passed for another
    /// reason.
    is_refuted: bool,
    /// The last time that it passed too early.
    last: Option<Failure>,
}

impl<T: ClientTopic> Evidence<T> {
    /// Returns no evidence.
    fn new() -> Evidence<T> {
        Evidence {
            doubts: BTreeMap::new(),
            misses: BTreeMap::new(),
            games: 0,
            ends_by_itself: false,
        }
    }

    /// Begins a game, and returns its number.
    fn begin_game(&mut self) -> u32 {
        self.games += 1;
        self.games
    }

    /// Notes that a client has not shown ignorance that it would have shown with this probability.
    fn note_exposure(&mut self, step: ClientStep<T>, color: Color, exposure: f64) {
        *self.doubts.entry((step, color)).or_insert(1.0) *= 1.0 - exposure;
    }

    /// Returns whether a client has shown that it knows the topic of a step.
    fn is_known(&self, step: ClientStep<T>, color: Color) -> bool {
        // Each game looks for one way.
        let has_ways = step.topic().is_some_and(T::Checked::has_ways);
        let doubt = self.doubts.get(&(step, color));
        !has_ways && doubt.is_some_and(|&doubt| doubt < DOUBT)
    }

    /// Notes the evidence of a turn about a client that may have a wrong board: `failure` describes
    /// an action that a client with this board would take.
    fn note_sign(&mut self, sign: &Sign<T>, failure: Option<Failure>) {
        let misses = self.misses.entry(sign.way);
        let misses = misses.or_insert_with(|| Misses {
            topic: sign.topic,
            games: BTreeSet::new(),
            is_refuted: false,
            last: None,
        });
        match failure {
            Some(_) => {
                misses.games.insert(self.games);
                misses.last = failure;
            }
            None => misses.is_refuted = true,
        }
    }

    /// Notes the failures of a client that has passed too early in several games, as one that
    /// tracks captures wrongly would, and has done nothing that this one would not.
    fn conclude(&mut self, report: &mut Report<ClientStep<T>>) {
        for (_, misses) in std::mem::take(&mut self.misses) {
            if let Some(failure) = misses.last
                && !misses.is_refuted
                && misses.games.len() >= MISSED_GAMES
            {
                report.fail(ClientStep::Game(misses.topic), failure);
            }
        }
    }
}
