//! A GTP engine as an agent.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use itertools::Itertools;

use super::{Agent, AgentError, AgentGame, Decision, GtpSetup, Notes, Task, Turn, left_now};
use crate::base::color::Color;
use crate::gtp::process::{
    EngineError, EngineResponse, GtpEngine, HURRY_MOVES, Launch, Wait, time_left_arguments,
};

/// The part of the clock that is kept back from an engine: messages take time, and GTP
/// has whole seconds only.
const RESERVE: Duration = Duration::from_secs(1);

/// The maximum number of rejected moves per position, including those that the server
/// refused. Many engines do not know superko and repeat the same move.
const MAX_ATTEMPTS: usize = 3;

/// How long an engine may continue an abandoned search when its next move is due. After
/// that it is restarted.
const SEARCH_END_LIMIT: Duration = Duration::from_secs(5);

/// The silence after which a note says that an engine has not responded yet. Without
/// the right option, some programs wait for commands of another kind.
const SILENCE: Duration = Duration::from_secs(3);

/// The command of GNU Go and others for a move among given points.
const RESTRICTED_GENMOVE: &str = "restricted_genmove";

/// A running GTP engine. Dropping it ends the process.
///
/// An engine that fails is restarted at most once per move, and its board is set up again.
/// If its move is illegal or the server has refused it, the move is undone, and the engine
/// is asked again.
#[derive(Debug)]
pub struct Engine<G: AgentGame> {
    launch: Launch,
    process: GtpEngine,
    /// Whether it has responded to a command.
    has_responded: bool,
    /// The commands that it lists; `None` until it has been asked.
    commands: Option<Vec<String>>,
    /// The position on its board; `None` if unknown.
    board: Option<EngineBoard<G>>,
    /// Whether the last `time_settings` were for less than a second: see [`HURRY_MOVES`].
    hurries: Option<bool>,
    /// The command of an abandoned search, whose response has not arrived yet.
    abandoned: Option<String>,
    /// Receives its messages.
    notes: Notes,
}

/// The game as an engine knows it.
#[derive(Debug)]
struct EngineBoard<G: AgentGame> {
    setup: GtpSetup,
    /// The moves that it has received or made.
    moves: Vec<(Color, G::Move)>,
}

impl<G: AgentGame> Engine<G> {
    /// Starts a program and checks, as far as possible, that it is a GTP engine that can play the
    /// game. Writes all messages about it to `notes`.
    ///
    /// # Errors
    /// The program cannot be started, it is not such an engine, or `stop` was set.
    pub fn launch(
        launch: Launch,
        notes: Notes,
        stop: &AtomicBool,
    ) -> Result<Engine<G>, AgentError> {
        let process = GtpEngine::start(&launch)?;
        let mut engine = Engine {
            launch,
            process,
            has_responded: false,
            commands: None,
            board: None,
            hurries: None,
            abandoned: None,
            notes,
        };
        match G::fixed_setup() {
            Some(setup) => {
                let wait = Wait::from(stop).at_most(GtpEngine::START_LIMIT);
                let board = engine.set_up(setup, None, wait)?;
                engine.board = Some(board);
            }
            None => {
                engine.list_commands(stop)?;
            }
        }
        Ok(engine)
    }

    /// Returns the engine's response to `name`, if it has one.
    ///
    /// # Errors
    /// The engine does not answer.
    pub fn name(&mut self) -> Result<Option<String>, AgentError> {
        let never_stop = AtomicBool::new(false);
        let wait = Wait::from(&never_stop).at_most(GtpEngine::START_LIMIT);
        let name = self.process.ask("name", wait)?;
        Ok(name.ok().filter(|name| !name.is_empty()))
    }

    /// Ends the process and starts it again.
    fn restart(&mut self, stop: &AtomicBool) -> Result<(), AgentError> {
        *self = Engine::launch(self.launch.clone(), self.notes.clone(), stop)?;
        Ok(())
    }

    /// Sends a command and waits for the response. If it is the first response and does not come
    /// soon, a note says so.
    fn ask(&mut self, command: &str, wait: Wait<'_>) -> Result<EngineResponse, EngineError> {
        if self.has_responded {
            return self.process.ask(command, wait);
        }
        let slow = || {
            self.notes.note(
                "waiting for the engine's answer: does it speak GTP? \
                 (GNU Go: --mode gtp)",
            );
        };
        let response = self.process.ask_patiently(command, wait, SILENCE, slow);
        self.has_responded = response.is_ok();
        response
    }

    /// Returns the commands that the engine lists; empty if it cannot list them.
    fn list_commands(&mut self, stop: &AtomicBool) -> Result<&[String], AgentError> {
        if self.commands.is_none() {
            let wait = Wait::from(stop).at_most(GtpEngine::START_LIMIT);
            let listed = self.ask("list_commands", wait)?;
            let listed = listed.unwrap_or_default();
            self.commands = Some(listed.split_whitespace().map(str::to_owned).collect());
        }
        Ok(self.commands.as_deref().unwrap_or_default())
    }

    /// Returns whether the engine lists a command.
    fn lists(&mut self, command: &str, stop: &AtomicBool) -> Result<bool, AgentError> {
        let listed = self.list_commands(stop)?;
        Ok(listed.iter().any(|listed| listed == command))
    }

    /// Asks for a move until one is legal and not refused.
    fn choose_legal_move(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError> {
        let begin = Instant::now();
        let mut refused = turn.refused.clone();
        let mut found = self.finish_search(turn, stop)?;
        while refused.len() < MAX_ATTEMPTS {
            let decision = match found.take() {
                Some(decision) => decision,
                None => self.search(turn, &refused, begin, stop)?,
            };
            let Decision::Move(mv) = decision else {
                return Ok(decision);
            };
            let why = match turn.game.check(mv) {
                Err(why) => why.to_string(),
                Ok(()) if refused.contains(&mv) => "as before".into(),
                Ok(()) => return Ok(decision),
            };
            let name = turn.game.to_gtp(mv);
            self.notes
                .note(&format!("the engine's move {name} is illegal ({why})"));
            if let Some(forced) = turn.game.forced_pass()
                && !refused.contains(&forced)
            {
                let name = turn.game.to_gtp(forced);
                self.notes
                    .note(&format!("{name} is the only legal move: it is played"));
                return Ok(Decision::Move(forced));
            }
            refused.push(mv);
        }
        let attempts = MAX_ATTEMPTS;
        let fallback = G::FALLBACK.ok_or(AgentError::NoLegalMove { attempts })?;
        let name = turn.game.to_gtp(fallback);
        self.notes
            .note(&format!("the engine finds no legal move: it plays {name}"));
        Ok(Decision::Move(fallback))
    }

    /// Waits for the end of an abandoned search. Returns its move if the position is unchanged, as
    /// after a lost connection.
    fn finish_search(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Option<Decision<G::Move>>, AgentError> {
        let Some(command) = self.abandoned.take() else {
            return Ok(None);
        };
        let is_same = command == format!("genmove {}", turn.color.letter())
            && turn.refused.is_empty()
            && self
                .board
                .as_ref()
                .is_some_and(|board| board.is_at(&turn.game));
        let longest = self.launch.response_limit;
        let limit = longest.map_or(SEARCH_END_LIMIT, |longest| longest.min(SEARCH_END_LIMIT));
        let limit = (!is_same).then_some(limit);
        match self.process.await_response(&command, Wait { stop, limit }) {
            Ok(Ok(response)) if is_same => self.record_genmove(command, response, turn).map(Some),
            Ok(_) => {
                self.board = None;
                Ok(None)
            }
            Err(EngineError::Stopped) => {
                self.abandoned = Some(command);
                Err(AgentError::Stopped)
            }
            Err(EngineError::Silent { .. }) => {
                self.notes.note(
                    "the engine does not stop thinking about another position: it is started again",
                );
                self.restart(stop)?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Asks for a move. If some moves were `refused`, other points are left, and the engine
    /// supports `restricted_genmove`, asks for one of those. The clock has run since `begin`.
    fn search(
        &mut self,
        turn: &Turn<G>,
        refused: &[G::Move],
        begin: Instant,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError> {
        let left = || turn.left.map(|left| left_now(left, begin));
        self.sync_board(&turn.game, left(), stop)?;
        self.send_time_left(turn.color, left(), stop)?;
        let color = turn.color.letter();
        let mut command = format!("genmove {color}");
        if !refused.is_empty() && self.lists(RESTRICTED_GENMOVE, stop)? {
            let points = turn.game.placements().into_iter();
            let points = points.filter(|point| !refused.contains(point));
            let points = points.map(|point| turn.game.to_gtp(point)).join(" ");
            if !points.is_empty() {
                command = format!("{RESTRICTED_GENMOVE} {color} {points}");
            }
        }
        match self.process.command(&command, stop.into()) {
            Ok(response) => self.record_genmove(command, response, turn),
            Err(error) => {
                if self.process.is_busy() {
                    self.abandoned = Some(command);
                }
                Err(error.into())
            }
        }
    }

    /// Parses the response to `genmove` and records the move, which the engine has already
    /// played on its own board.
    fn record_genmove(
        &mut self,
        command: String,
        response: String,
        turn: &Turn<G>,
    ) -> Result<Decision<G::Move>, AgentError> {
        if response.eq_ignore_ascii_case("resign") {
            return Ok(Decision::Resign);
        }
        let Some(mv) = turn.game.parse_gtp(&response) else {
            let invalid = EngineError::InvalidResponse {
                command,
                response,
                expected: G::GTP_MOVES,
            };
            return Err(invalid.into());
        };
        if let Some(board) = &mut self.board {
            board.moves.push((turn.color, mv));
        }
        Ok(Decision::Move(mv))
    }

    /// Brings the engine's board to the current position of the game.
    fn sync_board(
        &mut self,
        game: &G,
        left: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<(), AgentError> {
        let moves: Vec<_> = game.moves().collect();
        let setup = game.gtp_setup();
        // If a command fails on the way, the board is unknown.
        let board = match self.board.take() {
            Some(board) if board.setup == setup => self.take_back(board, &moves, stop)?,
            _ => None,
        };
        let mut board = match board {
            Some(board) => board,
            None => self.set_up(setup, left, stop.into())?,
        };
        for &(color, mv) in moves.iter().skip(board.moves.len()) {
            let command = format!("play {} {}", color.letter(), game.to_gtp(mv));
            self.process.command(&command, stop.into())?;
            board.moves.push((color, mv));
        }
        self.board = Some(board);
        Ok(())
    }

    /// Undoes moves until the rest agree with the game; returns `None` if the engine
    /// cannot undo.
    fn take_back(
        &mut self,
        mut board: EngineBoard<G>,
        moves: &[(Color, G::Move)],
        stop: &AtomicBool,
    ) -> Result<Option<EngineBoard<G>>, AgentError> {
        while !moves.starts_with(&board.moves) {
            if !self.lists("undo", stop)? || self.process.ask("undo", stop.into())?.is_err() {
                return Ok(None);
            }
            board.moves.pop();
        }
        Ok(Some(board))
    }

    /// Sets up the first position of a game.
    fn set_up(
        &mut self,
        setup: GtpSetup,
        left: Option<Duration>,
        wait: Wait<'_>,
    ) -> Result<EngineBoard<G>, AgentError> {
        let stop = wait.stop;
        if let Err(why) = self.ask(&setup.size_command, wait)? {
            return Err(AgentError::Size {
                size: setup.size,
                command: setup.size_command,
                why,
            });
        }
        self.process.command("clear_board", wait)?;
        for command in &setup.rules {
            self.send_optional(command, stop)?;
        }
        for command in &setup.listed_rules {
            let name = command.split(' ').next().unwrap_or_default();
            if self.lists(name, stop)? {
                self.send_optional(command, stop)?;
            }
        }
        self.hurries = None;
        if let Some(left) = left {
            self.send_time_settings(left, stop)?;
        }
        // No stone captures another, whatever the order: each group has a liberty in the end.
        for command in &setup.stones {
            self.process.command(command, stop.into())?;
        }
        let moves = Vec::new();
        Ok(EngineBoard { setup, moves })
    }

    /// Sends `time_settings` if they have changed: a time for all moves, or one second for
    /// [`HURRY_MOVES`] moves.
    fn send_time_settings(&mut self, left: Duration, stop: &AtomicBool) -> Result<(), AgentError> {
        let seconds = gtp_seconds(left);
        let hurries = Some(seconds == 0);
        if self.hurries == hurries {
            return Ok(());
        }
        self.hurries = hurries;
        let settings = match seconds {
            0 => format!("time_settings 0 1 {HURRY_MOVES}"),
            seconds => format!("time_settings {seconds} 0 0"),
        };
        self.send_optional(&settings, stop)
    }

    /// Sends `time_left`, and `time_settings` before it if they have changed.
    fn send_time_left(
        &mut self,
        color: Color,
        left: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<(), AgentError> {
        let Some(left) = left else { return Ok(()) };
        self.send_time_settings(left, stop)?;
        let left = time_left_arguments(gtp_seconds(left), 0);
        self.send_optional(&format!("time_left {} {left}", color.letter()), stop)
    }

    /// Sends a command that an engine may not know, and logs the first refusal.
    fn send_optional(&mut self, command: &str, stop: &AtomicBool) -> Result<(), AgentError> {
        if let Some(text) = self.process.send_optional(command, stop)? {
            self.notes.note(&text);
        }
        Ok(())
    }
}

impl<G: AgentGame> Agent<G> for Engine<G> {
    fn choose(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError> {
        // GTP has no draw offers.
        if turn.task == Task::Answer {
            return Ok(Decision::RefuseDraw);
        }
        // The last resort has failed.
        if G::FALLBACK.is_some_and(|fallback| turn.refused.contains(&fallback)) {
            return Ok(Decision::Resign);
        }
        let begin = Instant::now();
        match self.choose_legal_move(turn, stop) {
            Err(AgentError::Engine(error)) => {
                self.notes.note(&format!("{error}: it is started again"));
                self.restart(stop)?;
                let turn = Turn {
                    left: turn.left.map(|left| left_now(left, begin)),
                    ..turn.clone()
                };
                self.choose_legal_move(&turn, stop)
            }
            result => result,
        }
    }

    fn finish(&mut self) {
        self.process.quit();
    }
}

impl<G: AgentGame> EngineBoard<G> {
    /// Returns whether the board shows the current position of a game.
    fn is_at(&self, game: &G) -> bool {
        self.setup == game.gtp_setup() && game.moves().eq(self.moves.iter().copied())
    }
}

/// Returns the whole seconds that an engine has left.
fn gtp_seconds(left: Duration) -> u64 {
    left.saturating_sub(RESERVE).as_secs()
}
