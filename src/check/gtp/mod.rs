//! The check of a GTP engine that plays Gothello.
//!
//! The engine is led through the commands of the protocol, each such step with a new process, and
//! through games of Gothello: as a board that receives the moves of both players, and as a player
//! in given positions. The positions are those of random games in which a program that does not
//! know a rule would show it.

mod board;
mod engine;
mod lines;
mod play;
mod protocol;
mod steps;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::gothello::Topic;
use super::{CheckSettings, Failure, NotReached, Progress, Report, Run, Step};
use crate::base::color::Color;
use crate::base::rng::Rng;
use crate::games::gothello::Move;
use crate::gtp::process::EngineError;
use engine::Engine;
use lines::Lines;

pub use steps::GtpStep;

/// The number of characters quoted from a text.
const MAX_QUOTED: usize = 80;

/// The settings of a check.
#[derive(Clone, Debug)]
pub struct GtpSettings {
    /// The settings of every check.
    pub check: CheckSettings<GtpStep>,
    /// Whether to leave out the steps about Gothello.
    pub any_game: bool,
    /// The number of positions in which the engine must show that it knows a rule, for each color.
    pub positions: u32,
}

/// Checks an engine, and calls `progress` before each step.
///
/// # Errors
/// The engine cannot be started.
pub fn check(
    settings: &GtpSettings,
    progress: &mut Progress<'_, GtpStep>,
) -> Result<Report<GtpStep>, EngineError> {
    let is_possible = |step: GtpStep| step.is_of_any_game() || !settings.any_game;
    let mut check = Check {
        settings,
        run: Run::new(&settings.check, is_possible),
        lines: OnceCell::new(),
        known: Known::default(),
        running: None,
    };
    check.check_all(progress)?;
    Ok(check.finish())
}

/// A move and who makes it.
type Ply = (Color, Move);

/// Why a step has not been passed.
type Trouble = super::Trouble<GtpStep>;

struct Check<'a> {
    settings: &'a GtpSettings,
    run: Run<GtpStep>,
    lines: OnceCell<Lines>,
    known: Known,
    /// An engine that has passed so far.
    running: Option<Engine>,
}

/// The known properties of the engine.
#[derive(Debug, Default)]
struct Known {
    /// Its response to `protocol_version`; `None` if it has not answered.
    protocol_version: Option<String>,
    /// The commands that it lists.
    commands: BTreeSet<String>,
    /// The number of positions in which it was to move, and of those where it has placed a stone.
    asked: u32,
    placed: u32,
}

/// An engine during a step.
struct Session<'a> {
    engine: &'a mut Engine,
    settings: &'a GtpSettings,
    known: &'a mut Known,
    lines: &'a OnceCell<Lines>,
}

impl Check<'_> {
    fn check_all(&mut self, progress: &mut Progress<'_, GtpStep>) -> Result<(), EngineError> {
        for step in GtpStep::all() {
            let is_basic = matches!(step, GtpStep::Start | GtpStep::ListCommands);
            if !is_basic && !self.run.is_selected(step) {
                continue;
            }
            let missing = step.optional_commands().iter();
            let mut missing = missing.filter(|&&command| !self.known.commands.contains(command));
            if let Some(command) = missing.next() {
                let why = format!("the engine does not list {command}");
                let why = NotReached::skipped(why);
                self.run.report.not_reached(step, why);
                continue;
            }
            progress(step.spec().name.to_owned(), self.run.known());
            self.check(step)?;
            if self.known.protocol_version.is_none() || self.run.early_end().is_some() {
                break;
            }
        }
        if let Some(engine) = self.running.take() {
            self.retire(engine);
        }
        Ok(())
    }

    /// Ends an engine that has passed so far: no signal may kill it.
    fn retire(&mut self, mut engine: Engine) {
        let status = engine.quit(self.settings.check.limits.end);
        if let Some(status) = status.filter(|status| status.starts_with("signal")) {
            let failure = Failure {
                found: format!("it ended ({status}) after quit"),
                board: Vec::new(),
                errors: engine.errors(),
                exchange: engine.exchange.lines(),
            };
            self.run.report.fail(GtpStep::Quit, failure);
        }
    }

    /// Checks the engine for a step.
    fn check(&mut self, step: GtpStep) -> Result<(), EngineError> {
        let running = self.running.take();
        let mut engine = match running {
            Some(engine) if !step.is_of_any_game() => engine,
            running => {
                if let Some(engine) = running {
                    self.retire(engine);
                }
                Engine::start(
                    &self.settings.check.command,
                    self.settings.check.limits.answer,
                    self.run.end,
                )?
            }
        };
        let mut session = Session {
            engine: &mut engine,
            settings: self.settings,
            known: &mut self.known,
            lines: &self.lines,
        };
        match session.run(step) {
            Ok(()) => {
                self.run.report.pass(step);
                // It has been asked to quit.
                if !matches!(step, GtpStep::Quit | GtpStep::EndOfInput) {
                    self.running = Some(engine);
                }
            }
            Err(Trouble::NotReached(why)) => {
                self.run.report.not_reached(step, why);
                self.running = Some(engine);
            }
            Err(Trouble::Failed(fault)) => {
                let errors = engine.errors();
                fault.note(&mut self.run, step, &engine.exchange, errors);
            }
        }
        Ok(())
    }

    /// Notes why the remaining steps were not reached.
    fn finish(mut self) -> Report<GtpStep> {
        if self.known.asked > 0 && self.known.placed == 0 {
            self.run.report.notice(format!(
                "it has passed or resigned in all {} positions in which it was to move: whether its \
                 moves are legal was not seen",
                self.known.asked
            ));
        }
        let why = match (self.run.early_end(), &self.known.protocol_version) {
            (Some(why), _) => why,
            (None, None) => "the engine failed at its first command",
            (None, Some(_)) => "the check ended before",
        };
        self.run.findings(why)
    }
}

impl<'a> Session<'a> {
    /// Returns random games, which are played when they are first needed.
    fn lines(&self) -> &'a Lines {
        let seed = self.settings.check.seed;
        self.lines.get_or_init(|| Lines::new(&mut Rng::new(seed)))
    }

    /// Sets up an empty board of 5x5 points.
    fn new_board(&mut self) -> Result<(), Trouble> {
        for (command, step) in [
            ("boardsize 5", GtpStep::BoardSize),
            ("clear_board", GtpStep::ClearBoard),
        ] {
            let reply = self.engine.ask(command)?;
            if reply.result.is_err() {
                let found = format!("it refused {}: {}", quoted(command), reply.quoted());
                return Err(Trouble::at(&[step], found));
            }
        }
        Ok(())
    }

    /// Leads the engine through the scenario of a step.
    ///
    /// # Errors
    /// The engine does something wrong, or the step is not reached.
    fn run(&mut self, step: GtpStep) -> Result<(), Trouble> {
        match step {
            GtpStep::BothColors | GtpStep::TimePressure => self.player(step),
            step if step.topic().is_some() => self.player(step),
            step if step.is_of_any_game() => self.protocol(step),
            step => self.board(step),
        }
    }
}

impl GtpStep {
    /// Returns the situation of the step, which has the same name, if it is one in which the engine
    /// is to move.
    fn topic(self) -> Option<Topic> {
        Topic::find(self.spec().name)
    }

    /// Returns the step that an engine fails with a move that shows that it does not know this.
    fn about(topic: Topic) -> GtpStep {
        GtpStep::find(topic.spec().name).unwrap_or(GtpStep::Captures)
    }

    /// Returns whether the step applies to engines of any game on a board of 5x5 points.
    pub(crate) fn is_of_any_game(self) -> bool {
        self < GtpStep::Undo
    }

    /// Returns the optional commands that the step needs.
    fn optional_commands(self) -> &'static [&'static str] {
        match self {
            GtpStep::RegGenmove => &["reg_genmove"],
            GtpStep::TimeSettings => &["time_settings"],
            GtpStep::TimeLeft => &["time_left"],
            GtpStep::TimePressure => &["time_settings", "time_left"],
            GtpStep::Undo => &["undo"],
            GtpStep::LoadSgf => &["loadsgf"],
            GtpStep::BlackScore | GtpStep::WhiteScore | GtpStep::DrawnScore => &["final_score"],
            _ => &[],
        }
    }
}

/// Checks that a situation has come up.
///
/// # Errors
/// It has not.
fn reached(is_reached: bool) -> Result<(), Trouble> {
    match is_reached {
        true => Ok(()),
        false => Err(Trouble::skipped("it did not come up in the games")),
    }
}

/// Returns the beginning of a text in quotes.
fn quoted(text: &str) -> String {
    let text = text.trim();
    let start: String = text.chars().take(MAX_QUOTED).collect();
    let dots = if start.len() < text.len() { "..." } else { "" };
    format!("{:?}", start + dots)
}
