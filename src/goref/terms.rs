//! What is agreed before a game: the rules, the board and clocks that it begins
//! with, and what has been played already.

use crate::go::{ByColor, Color, Game, Move, Position, Rules, Size};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::config::GameFile;
use super::wire::{
    Both, Configuration, Decimal, GameState, LogEntry, Millis, PlayerState, ScoringMethod, Side,
    rows,
};

/// The terms of a game, which can be played: every move of the log is legal, and
/// the game is not over.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    rules: Rules,
    position: Position,
    times: ByColor<Millis>,
    log: Vec<LogEntry>,
    idle: Millis,
}

/// Why a log of moves cannot be gone on with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// A move that the rules forbid.
    #[error("moveLog[{index}].move: {why}")]
    Illegal {
        /// Its place in the log, from 0.
        index: usize,
        /// What the rules say.
        why: String,
    },
    /// A player has used more than he had.
    #[error("moveLog[{index}].deltaTime: the player has no time left")]
    Late {
        /// Its place in the log, from 0.
        index: usize,
    },
    /// The player to move has used more than he had.
    #[error("idleDeltaTime: the player to move has no time left")]
    Idle,
    /// A move that ends the game.
    #[error("moveLog[{index}].move: the game is over; there is nothing to go on with")]
    Over {
        /// Its place in the log, from 0.
        index: usize,
    },
}

impl Terms {
    /// Terms that begin with a position and clocks.
    pub fn new(rules: Rules, position: Position, times: ByColor<Millis>) -> Terms {
        Terms {
            rules,
            position,
            times,
            log: Vec::new(),
            idle: 0,
        }
    }

    /// Terms with moves that have been played, and with what the player to move
    /// has used of his time since the last of them.
    ///
    /// # Errors
    /// The moves cannot be played, or the game is over after them.
    pub fn with_log(mut self, log: Vec<LogEntry>, idle: Millis) -> Result<Terms, LogError> {
        let mut game = self.new_game();
        let mut left = self.times;
        for (index, entry) in log.iter().enumerate() {
            let mover = game.turn();
            let ending = game.play(entry.played).map_err(|why| LogError::Illegal {
                index,
                why: why.to_string(),
            })?;
            if ending.is_some() || entry.played == Move::Resign {
                return Err(LogError::Over { index });
            }
            let left = left.get_mut(mover);
            *left = left
                .checked_sub(entry.delta_time)
                .filter(|&left| left > 0)
                .ok_or(LogError::Late { index })?;
        }
        if left[game.turn()] <= idle {
            return Err(LogError::Idle);
        }
        self.log = log;
        self.idle = idle;
        Ok(self)
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Where the game begins.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// What is on each clock in the beginning.
    pub fn times(&self) -> ByColor<Millis> {
        self.times
    }

    /// What has been played already.
    pub fn log(&self) -> &[LogEntry] {
        &self.log
    }

    /// What the player to move has used since the last move.
    pub fn idle(&self) -> Millis {
        self.idle
    }

    /// A game before its first move.
    pub(super) fn new_game(&self) -> Game {
        Game::new(self.rules.clone(), self.position.clone())
    }
}

/// What the clients are told.
impl Terms {
    /// A game with these terms as clients get it, after all moves of a log
    /// (GameConfiguration).
    pub(super) fn configuration(&self, log: &[LogEntry], idle: Millis) -> Configuration {
        let rules = &self.rules;
        Configuration {
            initial_state: state(&self.position, self.times),
            move_log: log.to_vec(),
            komi: Decimal(rules.komi.to_f64()),
            ko: rules.ko,
            superko: rules.superko,
            mercy: Decimal(rules.mercy.margin().to_f64()),
            mercy_start: rules.mercy.start(),
            scoring_method: ScoringMethod::from(rules.scoring),
            prisoner_score: rules.prisoner_score,
            idle_delta_time: idle,
            pass_adds_to_prisoners: rules.pass_adds_to_prisoners,
            final_states: None,
        }
    }
}

/// A position with what the clocks show, as clients get it (GameState).
pub(super) fn state(position: &Position, left: ByColor<Millis>) -> GameState {
    let player = |color| PlayerState {
        remaining_time: left[color],
        prisoners: position.prisoners[color],
    };
    GameState {
        turn: Side::from(position.turn),
        players: Both {
            black: player(Color::Black),
            white: player(Color::White),
        },
        board: rows(&position.board),
    }
}

/// As in a checkpoint.
impl Serialize for Terms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.configuration(&self.log, self.idle)
            .serialize(serializer)
    }
}

/// From a checkpoint, or a file of the organiser.
impl<'de> Deserialize<'de> for Terms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Terms, D::Error> {
        let file = GameFile::deserialize(deserializer)?;
        file.terms().map_err(de::Error::custom)
    }
}

/// Those of the competition (the document, "GameConfiguration"; the time is that
/// of the server that exists, 15 minutes each): 19x19.
impl Default for Terms {
    fn default() -> Terms {
        let quarter = 15 * 60 * 1000;
        let times = ByColor {
            black: quarter,
            white: quarter,
        };
        Terms::new(Rules::default(), Position::start(Size::USUAL), times)
    }
}
