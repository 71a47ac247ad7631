//! A GTP engine at a seat.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{
    Choice, DeadStones, GameStart, NotPlayed, Notify, Seat, SeatAction, SeatError, SeatTurn,
    printable,
};
use crate::base::color::Color;
use crate::clients::agent::GtpSetup;
use crate::gtp::process::{
    EngineError, EngineResponse, GtpEngine, HURRY_MOVES, Launch, MAX_ERRORS, Tail, Wait,
    time_left_arguments,
};
use crate::gtp::server::TimeLeft;
use crate::matches::game::MatchGame;
use crate::matches::program::ProgramFiles;
use crate::matches::record::{LastLines, ProgramIdentity, Verdict};
use crate::matches::settings::Restart;
use crate::matches::time::MatchClock;

/// The number of last lines that are kept of a failure.
const LAST_LINES: usize = 10;

/// The number of characters that are kept of each of them.
const MAX_LINE: usize = 200;

/// The number of characters that are kept of a comment: the last ones.
const MAX_COMMENT: usize = 2_000;

/// The number of characters that are kept of its name and of its version.
const MAX_TOLD: usize = 100;

/// The time after which the start of an engine is reported as slow.
const SLOW_START: Duration = Duration::from_secs(10);

/// The hint if a program does not respond like an engine.
const GTP_TIP: &str = "some engines need an option to speak GTP, such as --mode gtp";

/// KataGo's command for time controls that GTP does not have.
const KATA_TIME_SETTINGS: &str = "kata-time_settings";

/// The command that places a handicap on an empty board.
const SET_FREE_HANDICAP: &str = "set_free_handicap";

/// The command that names dead stones.
const FINAL_STATUS_LIST: &str = "final_status_list";

/// A GTP engine at a seat. Its process stays from game to game, unless it fails.
///
/// Sends moves with `play` and requests them with `genmove`, one command at a time. The clock
/// runs from before `genmove` is sent until its whole response has been read.
pub struct EngineSeat {
    launch: Launch,
    settings: EngineSettings,
    running: Option<Running>,
    /// The last output of a process that has failed.
    remains: LastLines,
    /// Its standard error that has not been taken yet.
    errors: Tail,
    /// Its standard error during its last move.
    comment: String,
    /// The identity of the program.
    identity: Option<ProgramIdentity>,
}

/// The settings of an engine.
pub struct EngineSettings {
    /// GTP commands that it is sent when it has been started.
    pub init: Vec<String>,
    /// When it is started anew.
    pub restart: Restart,
    /// How long its first response may take.
    pub start_limit: Duration,
    /// How long it may be silent while no clock runs.
    pub hang_limit: Duration,
    /// Whether its standard error during a move is kept as a comment on the move.
    pub has_comments: bool,
    /// Its files, by which it is known.
    pub files: Option<ProgramFiles>,
    /// Called when its start takes long.
    pub notify: Option<Box<Notify>>,
}

impl EngineSettings {
    /// Returns the patience with an engine that has started.
    fn patience<'a>(&self, stop: &'a AtomicBool) -> Wait<'a> {
        Wait::from(stop).at_most(self.hang_limit)
    }
}

/// An engine's process and its properties.
#[derive(Debug)]
struct Running {
    process: GtpEngine,
    /// The commands that it lists.
    commands: BTreeSet<String>,
    /// Whether it reads fractions of seconds.
    reads_fractions: bool,
    /// The size and the rules of the last game; `None` if that is not known.
    setup: Option<GtpSetup>,
    /// The time control that was sent to it.
    time_settings: Option<String>,
}

impl EngineSeat {
    /// Returns the seat of an engine that is started when the first game begins.
    pub fn new(launch: Launch, settings: EngineSettings) -> EngineSeat {
        EngineSeat {
            launch: launch.with_errors(),
            settings,
            running: None,
            remains: LastLines::default(),
            errors: Tail::new(MAX_ERRORS),
            comment: String::new(),
            identity: None,
        }
    }

    /// Starts the process and sends it the first commands.
    fn start(&mut self, stop: &AtomicBool) -> Result<(), SeatError> {
        let not_started = |error: EngineError| match error {
            EngineError::Stopped => SeatError::Stopped,
            error @ (EngineError::Silent {
                unfinished: None, ..
            }
            | EngineError::InvalidResponse { .. }) => {
                SeatError::lost(Verdict::NotStarted, format!("{error}; {GTP_TIP}"))
            }
            error => SeatError::not_started(&error),
        };
        self.identity = self.settings.files.as_ref().map(ProgramFiles::identity);
        let process = GtpEngine::start(&self.launch).map_err(not_started)?;
        let running = self.running.insert(Running {
            process,
            commands: BTreeSet::new(),
            reads_fractions: true,
            setup: None,
            time_settings: None,
        });
        let listed = first_response(&mut running.process, &self.settings, stop);
        let listed = listed.map_err(not_started)?.unwrap_or_default();
        running.commands = listed.split_whitespace().map(str::to_owned).collect();
        let patience = self.settings.patience(stop);
        let identity = self.identity.get_or_insert_default();
        identity.name = running.told("name", patience)?;
        identity.version = running.told("version", patience)?;
        for command in &self.settings.init {
            if let Err(why) = running.ask(command, patience)? {
                let why = format!("the engine refuses {command:?}: {why}");
                return Err(SeatError::lost(Verdict::NotStarted, why));
            }
        }
        Ok(())
    }

    /// Brings the engine to a position, and tells it the time control.
    fn prepare<G: MatchGame>(&mut self, start: &GameStart<'_, G>) -> Result<(), SeatError> {
        if self.running.is_none() {
            self.start(start.stop)?;
        }
        let Some(running) = &mut self.running else {
            return Err(SeatError::Stopped);
        };
        let patience = self.settings.patience(start.stop);
        running.set_up(start.start.gtp_setup(), start.handicap, patience)?;
        if let Some(clock) = &start.clocks[start.color] {
            running.send_time_settings(clock, patience)?;
        }
        for (color, mv) in start.game.moves() {
            let vertex = start.game.to_gtp(mv);
            running.play(color, &vertex, patience)?;
        }
        Ok(())
    }

    /// Ends a process that has failed, and keeps its output.
    fn discard<T>(&mut self, result: Result<T, SeatError>) -> Result<T, SeatError> {
        if result.is_err()
            && let Some(mut running) = self.running.take()
        {
            self.errors.push(running.process.take_errors().as_bytes());
            let output = running.process.last_output();
            self.remains = last_lines(&output, &self.errors.text());
        }
        result
    }

    /// Takes the standard error of a running engine since the last call.
    fn read_errors(&mut self) -> String {
        let running = self.running.as_mut();
        let errors = running.map(|running| running.process.take_errors());
        let errors = errors.unwrap_or_default();
        self.errors.push(errors.as_bytes());
        errors
    }
}

/// Asks for the commands of an engine that has just been started, whose response may take long.
fn first_response(
    process: &mut GtpEngine,
    settings: &EngineSettings,
    stop: &AtomicBool,
) -> Result<EngineResponse, EngineError> {
    let command = "list_commands";
    let limit = settings.start_limit;
    let wait = Wait::from(stop).at_most(limit);
    let Some(notify) = settings.notify.as_ref().filter(|_| limit > SLOW_START) else {
        return process.ask(command, wait);
    };
    let slow = || {
        let (slow, limit) = (SLOW_START.as_secs(), limit.as_secs());
        notify(&format!(
            "no response to {command:?} within {slow} s, and {limit} s are allowed \
             (--start-timeout); {GTP_TIP}"
        ));
    };
    process.ask_patiently(command, wait, SLOW_START, slow)
}

/// Returns the command that places the stones of these `play` commands as a handicap.
fn free_handicap(stones: &[String]) -> String {
    let points = stones
        .iter()
        .filter_map(|command| command.split(' ').next_back());
    points.fold(SET_FREE_HANDICAP.to_owned(), |command, point| {
        format!("{command} {point}")
    })
}

/// Returns the end of an engine's output during a move.
fn comment(errors: &str) -> String {
    let text = errors.replace("\r\n", "\n");
    let text = printable(text.trim());
    let surplus = text.chars().count().saturating_sub(MAX_COMMENT);
    match text.char_indices().nth(surplus) {
        Some((first, _)) if surplus > 0 => {
            format!("...{}", text.get(first..).unwrap_or_default())
        }
        _ => text,
    }
}

/// Returns the last lines of a program's output and errors.
pub fn last_lines(output: &str, errors: &str) -> LastLines {
    let [output, errors] = [output, errors].map(ending);
    LastLines { output, errors }
}

/// Returns the last lines of a text, which can be shown on a terminal.
pub fn ending(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(LAST_LINES);
    lines
        .iter()
        .skip(first)
        .map(|line| {
            let line: String = line.chars().take(MAX_LINE).collect();
            printable(&line)
        })
        .collect()
}

/// Returns the consequence of an engine's error for the game.
fn failure(error: EngineError) -> SeatError {
    let verdict = match error {
        EngineError::Stopped => return SeatError::Stopped,
        EngineError::NotStarted { .. } => return SeatError::not_started(&error),
        EngineError::Died { .. } => Verdict::Crash,
        EngineError::Silent {
            unfinished: None, ..
        } => Verdict::Hang,
        EngineError::Silent { .. } => Verdict::Garbage,
        EngineError::InvalidResponse { .. } => Verdict::Garbage,
        EngineError::WrongId { .. } => Verdict::WrongId,
        EngineError::Failed { .. } => Verdict::Refused,
    };
    SeatError::lost(verdict, error.to_string())
}

impl Running {
    fn ask(&mut self, command: &str, patience: Wait<'_>) -> Result<EngineResponse, SeatError> {
        self.process.ask(command, patience).map_err(failure)
    }

    /// Returns the engine's response to a command about itself, if it lists the command; `None` if
    /// it is empty.
    fn told(&mut self, command: &str, patience: Wait<'_>) -> Result<Option<String>, SeatError> {
        if !self.commands.contains(command) {
            return Ok(None);
        }
        let told = self.ask(command, patience)?.unwrap_or_default();
        let told: String = told.trim().chars().take(MAX_TOLD).collect();
        let told = told.replace(char::is_control, "\u{fffd}");
        Ok(Some(told).filter(|told| !told.is_empty()))
    }

    /// Sends a command that every engine must know.
    fn command(&mut self, command: &str, patience: Wait<'_>) -> Result<String, SeatError> {
        self.process.command(command, patience).map_err(failure)
    }

    fn play(&mut self, color: Color, vertex: &str, patience: Wait<'_>) -> Result<(), SeatError> {
        let command = format!("play {} {vertex}", color.letter());
        self.command(&command, patience).map(drop)
    }

    /// Sets up the start position: all of it in the first game, and in the others an empty board and
    /// the stones. The stones may be a handicap.
    fn set_up(
        &mut self,
        mut setup: GtpSetup,
        handicap: bool,
        patience: Wait<'_>,
    ) -> Result<(), SeatError> {
        let stones = std::mem::take(&mut setup.stones);
        let is_known = self.setup.as_ref() == Some(&setup);
        if !is_known {
            self.command(&setup.size_command, patience)?;
        }
        self.command("clear_board", patience)?;
        if !is_known {
            for command in &setup.rules {
                self.send_optional(command, patience)?;
            }
            for command in &setup.listed_rules {
                let name = command.split(' ').next().unwrap_or_default();
                if self.commands.contains(name) {
                    self.send_optional(command, patience)?;
                }
            }
        }
        let is_placed = handicap
            && self.commands.contains(SET_FREE_HANDICAP)
            && self.send_optional(&free_handicap(&stones), patience)?;
        for command in stones.iter().filter(|_| !is_placed) {
            self.command(command, patience)?;
        }
        self.setup = Some(setup);
        Ok(())
    }

    /// Sends a command that an engine may refuse.
    fn send_optional(&mut self, command: &str, patience: Wait<'_>) -> Result<bool, SeatError> {
        let answered = self.ask(command, patience)?;
        Ok(answered.is_ok())
    }

    /// Sends the time control, once for a process that keeps it. An increment is sent to engines
    /// that know KataGo's command for it.
    fn send_time_settings(
        &mut self,
        clock: &MatchClock,
        patience: Wait<'_>,
    ) -> Result<(), SeatError> {
        let control = clock.control();
        let settings = control.gtp_settings();
        let main = settings.main.as_secs_f64();
        let exact = match control.increment() {
            Some(increment) if self.commands.contains(KATA_TIME_SETTINGS) => {
                let increment = increment.as_secs_f64();
                format!("{KATA_TIME_SETTINGS} fischer {main} {increment}")
            }
            _ => {
                let period = settings.period.as_secs_f64();
                format!("time_settings {main} {period} {}", settings.stones)
            }
        };
        if self.time_settings.as_ref() == Some(&exact) {
            return Ok(());
        }
        if !self.send_optional(&exact, patience)? && exact.contains('.') {
            self.reads_fractions = false;
            let whole = |time: Duration| time.as_secs();
            let whole = match (
                whole(settings.main),
                whole(settings.period),
                settings.stones,
            ) {
                (0, 0, _) => format!("time_settings 0 1 {HURRY_MOVES}"),
                (main, period, moves) => format!("time_settings {main} {period} {moves}"),
            };
            self.send_optional(&whole, patience)?;
        }
        self.time_settings = Some(exact);
        Ok(())
    }

    /// Sends the time left on the clock.
    fn send_time_left(
        &mut self,
        color: Color,
        left: TimeLeft,
        patience: Wait<'_>,
    ) -> Result<(), SeatError> {
        let color = color.letter();
        let TimeLeft { time, stones } = left;
        let seconds = time.as_secs_f64();
        if self.reads_fractions && time.subsec_nanos() != 0 {
            let exact = format!("time_left {color} {seconds:.3} {stones}");
            if self.send_optional(&exact, patience)? {
                return Ok(());
            }
            self.reads_fractions = false;
        }
        let left = time_left_arguments(time.as_secs(), stones);
        self.send_optional(&format!("time_left {color} {left}"), patience)
            .map(drop)
    }

    /// Asks for a move.
    fn genmove<G: MatchGame>(
        &mut self,
        turn: &SeatTurn<'_, G>,
        patience: Wait<'_>,
    ) -> Result<Choice<G::Move>, SeatError> {
        let color = turn.game.to_move();
        if let Some(clock) = turn.clock() {
            self.send_time_left(color, clock.left(), patience)?;
        }
        let command = format!("genmove {}", color.letter());
        let limit = turn.limit();
        let watch = turn.time.stopwatch();
        let patience = limit.map_or(patience, |limit| patience.at_most(limit));
        let mut answered = self.process.command(&command, patience);
        while let Err(EngineError::Silent { .. }) = answered {
            // A stall of the runner does not count.
            let left = patience.limit.unwrap_or_default();
            let left = left.saturating_sub(watch.elapsed());
            if left.is_zero() {
                break;
            }
            answered = self.process.await_answer(&command, patience.at_most(left));
        }
        let used = watch.elapsed();
        let vertex = match answered {
            Err(EngineError::Silent { unfinished, .. }) if limit.is_some() => {
                let allowed = turn.clock().map(MatchClock::allowed).unwrap_or_default();
                let allowed = allowed.as_secs_f64();
                let what = match unfinished {
                    None => format!("no answer to {command:?}"),
                    Some(text) => {
                        format!("the answer {text:?} to {command:?} has no empty line after it")
                    }
                };
                let detail = format!("{what} within its {allowed:.3} s");
                return Err(SeatError::lost(Verdict::Time, detail));
            }
            answered => answered.map_err(failure)?,
        };
        let action = match turn.game.parse_gtp(&vertex) {
            _ if vertex.eq_ignore_ascii_case("resign") => SeatAction::Resign,
            Some(mv) => SeatAction::Move(mv),
            None => {
                let moves = G::GTP_MOVES;
                let detail = format!("the engine answers {command:?} with {vertex:?}: {moves}");
                return Err(SeatError::lost(Verdict::IllegalMove, detail));
            }
        };
        Ok(Choice { action, used })
    }
}

impl<G: MatchGame> Seat<G> for EngineSeat {
    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), SeatError> {
        if self.settings.restart == Restart::EveryGame
            && let Some(mut running) = self.running.take()
        {
            running.process.quit();
        }
        let prepared = self.prepare(start);
        self.discard(prepared)
    }

    fn choose(&mut self, turn: &SeatTurn<'_, G>) -> Result<Choice<G::Move>, SeatError> {
        let Some(running) = &mut self.running else {
            return Err(SeatError::lost(Verdict::Crash, "the engine has ended"));
        };
        let has_comments = self.settings.has_comments;
        if has_comments {
            self.errors.push(running.process.take_errors().as_bytes());
        }
        let chosen = running.genmove(turn, self.settings.patience(turn.stop));
        if has_comments {
            self.comment = comment(&self.read_errors());
        }
        self.discard(chosen)
    }

    fn notify_move(
        &mut self,
        game: &G,
        mv: G::Move,
        _: Duration,
        stop: &AtomicBool,
    ) -> Result<(), SeatError> {
        let Some(running) = &mut self.running else {
            return Err(SeatError::lost(Verdict::Crash, "the engine has ended"));
        };
        let vertex = game.to_gtp(mv);
        let played = running.play(game.to_move(), &vertex, self.settings.patience(stop));
        self.discard(played)
    }

    fn names_dead_stones(&self) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|running| running.commands.contains(FINAL_STATUS_LIST))
    }

    fn dead_stones(&mut self, stop: &AtomicBool) -> Result<DeadStones, NotPlayed> {
        let Some(running) = &mut self.running else {
            return Ok(Err("the engine has ended".to_owned()));
        };
        if !running.commands.contains(FINAL_STATUS_LIST) {
            return Ok(Err(format!("no {FINAL_STATUS_LIST}")));
        }
        let command = format!("{FINAL_STATUS_LIST} dead");
        let listed = running.ask(&command, self.settings.patience(stop));
        Ok(match self.discard(listed) {
            Ok(Ok(listed)) => {
                let words = listed.split_whitespace();
                Ok(words.map(str::to_ascii_uppercase).collect())
            }
            Ok(Err(why)) => Err(format!("the engine fails at {command:?}: {why}")),
            Err(error) => Err(error.into_loss()?.1),
        })
    }

    fn identity(&self) -> Option<ProgramIdentity> {
        self.identity.clone()
    }

    fn take_comment(&mut self) -> String {
        std::mem::take(&mut self.comment)
    }

    fn last_lines(&mut self) -> LastLines {
        self.read_errors();
        match &self.running {
            Some(running) => last_lines(&running.process.last_output(), &self.errors.text()),
            None => std::mem::take(&mut self.remains),
        }
    }

    fn take_errors(&mut self) -> String {
        self.read_errors();
        self.errors.take()
    }
}

/// Asks the engine to quit.
impl Drop for EngineSeat {
    fn drop(&mut self) {
        if let Some(running) = &mut self.running {
            running.process.quit();
        }
    }
}
