//! The check of a client of the network referee.
//!
//! For each game the client is started anew, at a port of its own. The referee is the
//! [`Table`](crate::netref::Table) of our server; what the client is sent, and how, is what it
//! would get there. The opponent chooses its moves so that random play would bring the client into
//! the wanted situation.

mod awari;
mod checked;
mod connection;
mod evidence;
mod game;
mod gothello;
mod steer;
mod steps;

use std::collections::BTreeMap;
use std::io;

use thiserror::Error;

use super::run::Run;
use super::{Failure, Limits, Report, Step};
use crate::color::Color;
use crate::gtp_engine::EngineError;
use crate::netref::NetrefGame;
use crate::rng::Rng;
use evidence::Evidence;
use game::{Played, Scenario};

pub(crate) use awari::AwariTopic;
pub(crate) use checked::ClientTopic;
pub(crate) use steps::{ClientStep, RefereeStep, RequestStep};

/// How a client is checked.
#[derive(Clone, Debug)]
pub(crate) struct NetrefSettings<S> {
    /// The client's command, with the placeholders `{side}`, `{host}`, `{server}`, `{port}` and
    /// `{name}`.
    pub command: Vec<String>,
    /// The sides that it plays.
    pub sides: Vec<Color>,
    /// The server number; one that is free if `None`.
    pub server: Option<u16>,
    /// The steps; all if it is empty.
    pub only: Vec<S>,
    /// The seed of the opponent's choices.
    pub seed: u64,
    /// The number of games in which a situation is looked for, for each side.
    pub games: u32,
    /// The time limits.
    pub limits: Limits,
    /// Whether a client may end with any exit status.
    pub ignores_exit_status: bool,
}

/// Why a client is not there.
#[derive(Debug, Error)]
pub enum Refusal {
    /// No port is free.
    #[error("cannot listen: {0}")]
    Listen(io::Error),
    /// It cannot be started.
    #[error(transparent)]
    Start(EngineError),
    /// It does not connect.
    #[error("{why}")]
    Connect {
        /// Why not.
        why: String,
        /// The last lines of its standard error.
        errors: Vec<String>,
    },
}

/// Checks a client, and calls `progress` with a sentence before each game.
///
/// # Errors
/// The client cannot be started, or no port is free.
pub(crate) fn check<T: ClientTopic>(
    settings: &NetrefSettings<ClientStep<T>>,
    progress: &mut dyn FnMut(String),
) -> Result<Report<ClientStep<T>>, Refusal> {
    let mut check = Check {
        settings,
        run: Run::new(&settings.only, |_| true, settings.limits.all),
        evidence: Evidence::new(),
        rng: Rng::new(settings.seed),
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
    fn check_all(&mut self, progress: &mut dyn FnMut(String)) -> Result<(), Refusal> {
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
                    (true, _) => 1,
                    (false, true) => self.settings.games,
                    (false, false) => 0,
                };
                for round in 0..games {
                    let is_known = self.evidence.is_known(wanted, color);
                    if is_known
                        || self.run.ends_early()
                        || self.run.report.has_failed(wanted) && !is_event
                    {
                        break;
                    }
                    self.play(scenario(round), progress)?;
                }
            }
        }
        Ok(())
    }

    /// Plays a game; returns whether the client has not failed.
    fn play(
        &mut self,
        scenario: Scenario<T>,
        progress: &mut dyn FnMut(String),
    ) -> Result<bool, Refusal> {
        let Scenario { color, wanted, .. } = scenario;
        let number = self.evidence.begin_game();
        let side = T::Game::SIDES[color];
        progress(format!("game {number}: {side}, {}", wanted.spec().name));
        let played = game::play(
            scenario,
            self.settings,
            &mut self.run.report,
            &mut self.evidence,
            &mut self.rng,
        );
        match played {
            Ok(Played::Completed) => Ok(true),
            Ok(Played::EndedBefore(why)) => {
                self.reasons.insert(wanted, why);
                Ok(true)
            }
            Ok(Played::Failed { was_silent }) => {
                if was_silent {
                    self.run.note_silence();
                }
                self.reasons
                    .insert(wanted, "the client failed before".into());
                Ok(false)
            }
            Err(Refusal::Connect { why, errors }) => {
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

    /// Notes why the steps that are left were not reached.
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
                ClientStep::Request(RequestStep::Retry) => "every request was legal",
                _ if self.run.report.failures() > 0 => "the games ended before",
                _ => "it did not come up in the games",
            });
            self.run.report.not_reached(step, why);
        }
        self.run.finish()
    }
}
