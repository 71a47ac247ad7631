//! The check of a client of Go contests.
//!
//! The client is started once, and restarted when it has failed or left. Games use the rules and
//! clocks of this project's server, [`TimedGame`](crate::contests::goref::TimedGame); the messages
//! are those that the client would get there.

mod connection;
mod game;
mod steps;

use std::time::Duration;

use super::{CheckSettings, NotReached, Progress, Report, Run, Step};
use crate::base::rng::Rng;
use crate::games::go::Size;
use crate::gtp::process::EngineError;
use connection::Client;
use game::Session;

pub use steps::GorefStep;

/// Why a step has not been passed.
type Trouble = super::Trouble<GorefStep>;

/// The settings of a check.
#[derive(Clone, Debug)]
pub struct GorefSettings {
    /// The settings of every check. The command has the placeholders `{url}`, `{host}` and `{port}`.
    pub check: CheckSettings<GorefStep>,
    /// The port; any free one if `None`.
    pub port: Option<u16>,
    /// The size of the board.
    pub size: Size,
    /// How long a client may take to answer a ping.
    pub ping_interval: Duration,
}

/// Checks a client, and calls `progress` before each step.
///
/// # Errors
/// The client cannot be started, or no port is free.
pub fn check(
    settings: &GorefSettings,
    progress: &mut Progress<'_, GorefStep>,
) -> Result<Report<GorefStep>, EngineError> {
    let mut check = Check {
        settings,
        run: Run::new(&settings.check, |_| true),
        ready: None,
        rng: Rng::new(settings.check.seed),
    };
    for step in GorefStep::by_cost() {
        if check.run.early_end().is_some() || check.run.report.has_failed(GorefStep::Connect) {
            break;
        }
        // The game for the legal moves is that for `retry`, too.
        if step == GorefStep::Retry && check.run.report.has_passed(GorefStep::LegalMoves) {
            check.note_no_illegal_move();
        } else if check.run.is_selected(step) {
            let known = check.run.known();
            progress(step.spec().name.to_owned(), known);
            check.check(step)?;
        }
    }
    Ok(check.finish())
}

struct Check<'a> {
    settings: &'a GorefSettings,
    run: Run<GorefStep>,
    /// A client that waits for a game.
    ready: Option<Client>,
    rng: Rng,
}

impl Check<'_> {
    /// Checks the client for a step.
    fn check(&mut self, step: GorefStep) -> Result<(), EngineError> {
        let mut client = match self.ready.take() {
            Some(client) => client,
            None => {
                let mut client = Client::start(self.settings, self.run.end)?;
                let mut began = client
                    .connect()
                    .map_err(|trouble| (GorefStep::Connect, trouble));
                if began.is_ok() {
                    self.run.report.pass(GorefStep::Connect);
                    began = client.greet().map_err(|trouble| (GorefStep::Name, trouble));
                }
                if let Err((step, trouble)) = began {
                    self.note(step, trouble, &client);
                    return Ok(());
                }
                self.run.report.pass(GorefStep::Name);
                client
            }
        };
        let mut session = Session::new(&mut client, self.settings, &mut self.rng);
        let played = session.run(step);
        let has_retried = session.has_retried;
        let (illegal, wrong) = (session.illegal.take(), session.wrong.take());
        if has_retried {
            self.run.report.pass(GorefStep::Retry);
        }
        if let Some(failure) = illegal {
            self.run.report.fail(GorefStep::LegalMoves, failure);
        }
        if let Some(failure) = wrong {
            self.run.report.fail(step, failure);
        }
        match played {
            Ok(()) => {
                match step {
                    GorefStep::Retry => self.note_no_illegal_move(),
                    step => self.run.report.pass(step),
                }
                self.ready = Some(client);
            }
            Err(trouble) => self.note(step, trouble, &client),
        }
        Ok(())
    }

    /// Notes why a step was not passed.
    fn note(&mut self, step: GorefStep, trouble: Trouble, client: &Client) {
        match trouble {
            Trouble::NotReached(why) => self.run.report.not_reached(step, why),
            Trouble::Failed(fault) => {
                let errors = client.errors();
                fault.note(&mut self.run, step, &client.exchange, errors);
            }
        }
    }

    /// Notes that the client had nothing to try again.
    fn note_no_illegal_move(&mut self) {
        let why = NotReached::skipped("every move was legal");
        self.run.report.not_reached(GorefStep::Retry, why);
    }

    /// Returns the findings, with why the remaining steps were not reached.
    fn finish(self) -> Report<GorefStep> {
        let failed_at = |step| self.run.report.has_failed(step);
        let why = match self.run.early_end() {
            _ if failed_at(GorefStep::Connect) => "the client did not connect",
            _ if failed_at(GorefStep::Name) => "the client did not tell its name",
            Some(why) => why,
            None => "the check ended before",
        };
        self.run.findings(why)
    }
}
