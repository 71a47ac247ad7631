//! A GTP engine that chooses our side's moves.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use itertools::Itertools;

use super::agent::{Agent, AgentError, Turn};
use super::display::note;
use super::told::Told;
use crate::go::{Color, Game, Move, Point, Scoring, Size};
use crate::gtp_engine::{EngineError, Process};

/// What an engine is not told of its time: messages take time, and GTP tells whole
/// seconds only.
const RESERVE: Duration = Duration::from_secs(1);

/// How often an engine is asked in one position, before it passes: many know no
/// superko, and say the same again.
const MOST_ATTEMPTS: usize = 3;

/// How long an engine may take to end a thought that is no longer wanted, when
/// another game needs it. After that it is started again.
const ENDING: Duration = Duration::from_secs(5);

/// The command of GNU Go and others for a move among given points.
const RESTRICTED: &str = "restricted_genmove";

/// A running engine; it is ended when it is dropped.
#[derive(Debug)]
pub struct Engine {
    program: String,
    arguments: Vec<String>,
    process: Process,
    /// The commands that it lists.
    known: Vec<String>,
    /// What is on its board, as far as that is known.
    told: Option<Told>,
    /// The command for a move whose answer was not waited for.
    dropped: Option<String>,
}

impl Engine {
    /// Starts a program, and asks which commands it knows.
    ///
    /// # Errors
    /// It cannot be started, or is no engine.
    pub fn start(program: &str, arguments: &[String]) -> Result<Engine, AgentError> {
        let go_on = AtomicBool::new(false);
        Engine::launch(program.to_owned(), arguments.to_vec(), &go_on)
    }

    fn launch(
        program: String,
        arguments: Vec<String>,
        stop: &AtomicBool,
    ) -> Result<Engine, AgentError> {
        let mut process = Process::start(&program, &arguments)?;
        let limit = Some(Process::START_LIMIT);
        let known = process.ask("list_commands", stop, limit)?;
        // An engine that cannot list them is told what all know.
        let known = known.unwrap_or_default();
        Ok(Engine {
            program,
            arguments,
            process,
            known: known.split_whitespace().map(str::to_owned).collect(),
            told: None,
            dropped: None,
        })
    }

    /// Ends it, and starts it again.
    fn restart(&mut self, stop: &AtomicBool) -> Result<(), AgentError> {
        *self = Engine::launch(self.program.clone(), self.arguments.clone(), stop)?;
        Ok(())
    }

    fn knows(&self, command: &str) -> bool {
        self.known.iter().any(|known| known == command)
    }

    /// Lets it choose a move that our rules and the server allow; a pass if it does
    /// not find one.
    fn legal_move(&mut self, turn: &Turn, stop: &AtomicBool) -> Result<Move, AgentError> {
        let end = Instant::now() + turn.left;
        let mut refused = turn.refused.clone();
        let mut found = self.thought_before(turn, stop)?;
        while refused.len() < MOST_ATTEMPTS {
            let chosen = match found.take() {
                Some(chosen) => chosen,
                None => self.genmove(turn, &refused, end, stop)?,
            };
            let why = match turn.game.check(chosen) {
                Err(why) => why.to_string(),
                Ok(()) if refused.contains(&chosen) => "as before".into(),
                Ok(()) => return Ok(chosen),
            };
            let word = word(chosen, turn.game.board().size());
            note(&format!("the engine's move {word} is illegal ({why})"));
            refused.push(chosen);
        }
        note("the engine finds no legal move: it passes");
        Ok(Move::Pass)
    }

    /// What it has chosen if it was asked the same before a break. An answer to
    /// anything else is waited for and passed over.
    fn thought_before(
        &mut self,
        turn: &Turn,
        stop: &AtomicBool,
    ) -> Result<Option<Move>, AgentError> {
        let Some(command) = self.dropped.take() else {
            return Ok(None);
        };
        let asked_now = format!("genmove {}", letter(turn.color()));
        let is_same = command == asked_now
            && turn.refused.is_empty()
            && self.told.as_ref().is_some_and(|told| told.is(&turn.game));
        let limit = (!is_same).then_some(ENDING);
        match self.process.last_answer(&command, stop, limit) {
            Ok(Ok(word)) if is_same => self.made(command, word, turn).map(Some),
            Ok(_) => {
                self.told = None;
                Ok(None)
            }
            Err(EngineError::Stopped) => {
                self.dropped = Some(command);
                Err(AgentError::Stopped)
            }
            Err(EngineError::Silent { .. }) => {
                note(
                    "the engine does not stop thinking about another position: it is started again",
                );
                self.restart(stop)?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Asks it for a move; one of those that are left if some have been `refused`
    /// and the engine has a command for that.
    fn genmove(
        &mut self,
        turn: &Turn,
        refused: &[Move],
        end: Instant,
        stop: &AtomicBool,
    ) -> Result<Move, AgentError> {
        let left = || end.saturating_duration_since(Instant::now());
        self.tell_game(&turn.game, left(), stop)?;
        let color = letter(turn.color());
        self.suggest(&format!("time_left {color} {} 0", seconds(left())), stop)?;
        let command = match refused {
            [_, ..] if self.knows(RESTRICTED) => {
                let size = turn.game.board().size();
                let is_left = |point: &Point| !refused.contains(&Move::Place(*point));
                let points = turn.game.legal_points().filter(is_left);
                let points = points.map(|point| word(Move::Place(point), size)).join(" ");
                // Nothing to choose from.
                if points.is_empty() {
                    return Ok(Move::Pass);
                }
                format!("{RESTRICTED} {color} {points}")
            }
            _ => format!("genmove {color}"),
        };
        match self.process.command(&command, stop, None) {
            Ok(word) => self.made(command, word, turn),
            Err(error) => {
                self.dropped = Some(command);
                Err(error.into())
            }
        }
    }

    /// Reads the move that it has made on its own board.
    fn made(&mut self, command: String, word: String, turn: &Turn) -> Result<Move, AgentError> {
        let size = turn.game.board().size();
        let made = match word.to_ascii_lowercase().as_str() {
            "resign" => return Ok(Move::Resign),
            "pass" => Some(Move::Pass),
            _ => Point::from_vertex(&word, size).ok().map(Move::Place),
        };
        let Some(made) = made else {
            let garbled = EngineError::Garbled {
                command,
                answer: word,
                expected: "a point of the board, pass or resign is expected",
            };
            return Err(garbled.into());
        };
        if let Some(told) = &mut self.told {
            told.moves.push(made);
        }
        Ok(made)
    }

    /// Brings its board to the game's position.
    fn tell_game(
        &mut self,
        game: &Game,
        left: Duration,
        stop: &AtomicBool,
    ) -> Result<(), AgentError> {
        // Whenever a command fails on the way, its board is not known.
        let told = match self.told.take() {
            Some(told) if told.is_game(game) => self.take_back(told, game, stop)?,
            _ => None,
        };
        let mut told = match told {
            Some(told) => told,
            None => self.set_up(game, left, stop)?,
        };
        for &played in game.moves().iter().skip(told.moves.len()) {
            self.play(told.turn(), played, told.size(), stop)?;
            told.moves.push(played);
        }
        self.told = Some(told);
        Ok(())
    }

    /// Takes moves back that are not of the game; `None` if it cannot.
    fn take_back(
        &mut self,
        mut told: Told,
        game: &Game,
        stop: &AtomicBool,
    ) -> Result<Option<Told>, AgentError> {
        while !game.moves().starts_with(&told.moves) {
            if !self.knows("undo") || self.process.ask("undo", stop, None)?.is_err() {
                return Ok(None);
            }
            told.moves.pop();
        }
        Ok(Some(told))
    }

    /// Begins a game on its board.
    fn set_up(
        &mut self,
        game: &Game,
        left: Duration,
        stop: &AtomicBool,
    ) -> Result<Told, AgentError> {
        let told = Told::begin(game);
        let size = told.size();
        let (rows, columns) = (size.rows(), size.columns());
        let command = match rows == columns {
            true => format!("boardsize {rows}"),
            // As KataGo has it.
            false => format!("rectangular_boardsize {columns} {rows}"),
        };
        if let Err(why) = self.process.ask(&command, stop, None)? {
            return Err(AgentError::Size { size, command, why });
        }
        self.process.command("clear_board", stop, None)?;
        self.suggest(&format!("komi {}", game.rules().komi), stop)?;
        self.tell_rules(game, stop)?;
        self.suggest(&format!("time_settings {} 0 0", seconds(left)), stop)?;
        // In any order, no stone captures another: what is still to come is empty
        // until then, and each group has a liberty in the end.
        for (point, color) in told.stones() {
            self.play(color, Move::Place(point), size, stop)?;
        }
        Ok(told)
    }

    /// Tells the rules to an engine that can be told, which is KataGo.
    fn tell_rules(&mut self, game: &Game, stop: &AtomicBool) -> Result<(), AgentError> {
        const COMMAND: &str = "kata-set-rule";
        if !self.knows(COMMAND) {
            return Ok(());
        }
        let rules = game.rules();
        let ko = match rules.superko {
            true => "SITUATIONAL",
            false => "SIMPLE",
        };
        let scoring = match rules.scoring {
            Scoring::Area => "AREA",
            Scoring::Territory => "TERRITORY",
        };
        for rule in [("ko", ko), ("scoring", scoring), ("suicide", "false")] {
            self.suggest(&format!("{COMMAND} {} {}", rule.0, rule.1), stop)?;
        }
        Ok(())
    }

    fn play(
        &mut self,
        color: Color,
        played: Move,
        size: Size,
        stop: &AtomicBool,
    ) -> Result<(), AgentError> {
        let command = format!("play {} {}", letter(color), word(played, size));
        self.process.command(&command, stop, None)?;
        Ok(())
    }

    /// Sends a command that an engine need not know.
    fn suggest(&mut self, command: &str, stop: &AtomicBool) -> Result<(), AgentError> {
        if let Some(text) = self.process.suggest(command, stop)? {
            note(&text);
        }
        Ok(())
    }
}

impl Agent for Engine {
    /// An engine that fails is started again, once for a move.
    fn choose(&mut self, turn: &Turn, stop: &AtomicBool) -> Result<Move, AgentError> {
        // Nothing else is left to be tried.
        if turn.refused.contains(&Move::Pass) {
            return Ok(Move::Resign);
        }
        let start = Instant::now();
        match self.legal_move(turn, stop) {
            Err(AgentError::Engine(error)) => {
                note(&format!("{error}: it is started again"));
                self.restart(stop)?;
                let turn = Turn {
                    left: turn.left.saturating_sub(start.elapsed()),
                    ..turn.clone()
                };
                self.legal_move(&turn, stop)
            }
            result => result,
        }
    }

    fn finish(&mut self) {
        self.process.quit();
    }
}

/// A color in GTP.
const fn letter(color: Color) -> char {
    match color {
        Color::Black => 'b',
        Color::White => 'w',
    }
}

/// A move in GTP.
fn word(played: Move, size: Size) -> String {
    match played {
        Move::Place(point) => point.vertex(size).unwrap_or_else(|| point.to_string()),
        Move::Pass => "pass".into(),
        Move::Resign => "resign".into(),
    }
}

/// The seconds that an engine is told. To many, 0 is no clock at all.
fn seconds(left: Duration) -> u64 {
    left.saturating_sub(RESERVE).as_secs().max(1)
}
