//! The settings of a game, and the file in which the organizer gives them
//! (`game.config.json`).

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::wire::{
    Configuration, Decimal, GameState, LogEntry, Millis, PlayerState, ScoringMethod, move_object,
    rows_code,
};
use crate::contests::color_codes::{ByColorCode, ColorCode};
use crate::contests::contest::time;
use crate::games::go::{
    Board, ByColor, Color, Game, Illegal, Komi, Mercy, Move, Position, Rules, Score, Scoring, Size,
};

/// The default time of each player: 15 minutes.
const DEFAULT_TIME: Millis = 15 * 60 * 1000;

/// The settings of a game: rules, board, clocks, and the moves that were played before.
/// Every move of the log is legal, and the game is not over after them.
///
/// Its serde form is that of a checkpoint, a `game.config.json` (the document,
/// "GameConfiguration").
#[derive(Clone, Debug, PartialEq)]
pub struct GameSetup {
    rules: Rules,
    position: Position,
    times: ByColor<Millis>,
    log: Vec<LogEntry>,
    idle: Millis,
}

/// Why a game cannot be played with some settings. Texts begin with the key of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A player has no time in the beginning.
    #[error(
        "initialState.players.{}.remainingTime: the player has no time; use milliseconds or a \
         text like \"15:00\"",
        .0.capital()
    )]
    NoTime(Color),
    /// The mercy margin is negative.
    #[error("mercy: the difference in score is negative; use 0 for no mercy rule")]
    Mercy,
    /// A log entry without a move.
    #[error("moveLog[{0}]: the entry has no \"move\"")]
    NoMove(usize),
    /// A log entry that ends the game, as archives have it.
    #[error("moveLog[{0}].end: the game is over and cannot be continued")]
    Ended(usize),
    /// An illegal move in the log.
    #[error("moveLog[{index}].move: {why}")]
    IllegalMove {
        /// The index of the log entry.
        index: usize,
        /// Why the move is illegal.
        why: Illegal,
    },
    /// A move that took more time than the player had.
    #[error("moveLog[{0}].deltaTime: the player has no time left")]
    Overtime(usize),
    /// The player to move has used more time than was left.
    #[error("idleDeltaTime: the player to move has no time left")]
    Idle,
    /// A move that ends the game.
    #[error("moveLog[{0}].move: the game is over after it and cannot be continued")]
    Over(usize),
}

impl GameSetup {
    /// Returns the settings of a game that begins at a position, with these clocks.
    pub fn new(rules: Rules, position: Position, times: ByColor<Millis>) -> GameSetup {
        GameSetup {
            rules,
            position,
            times,
            log: Vec::new(),
            idle: 0,
        }
    }

    /// Adds moves that were played before, and the time that the player to move has used
    /// since the last one.
    ///
    /// # Errors
    /// A move is illegal, a player has no time left, or the game is over after the moves.
    pub fn with_log(mut self, log: Vec<LogEntry>, idle: Millis) -> Result<GameSetup, SetupError> {
        let mut game = Game::new(self.rules.clone(), self.position.clone());
        let mut left = self.times;
        for (index, entry) in log.iter().enumerate() {
            let mover = game.turn();
            let ending = game
                .play(entry.played)
                .map_err(|why| SetupError::IllegalMove { index, why })?;
            if ending.is_some() {
                return Err(SetupError::Over(index));
            }
            let left = left.get_mut(mover);
            *left = left
                .checked_sub(entry.delta_time)
                .filter(|&left| left > 0)
                .ok_or(SetupError::Overtime(index))?;
        }
        if left[game.turn()] <= idle {
            return Err(SetupError::Idle);
        }
        self.log = log;
        self.idle = idle;
        Ok(self)
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the position before the first move of the log.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the time of each player before the first move of the log.
    pub fn times(&self) -> ByColor<Millis> {
        self.times
    }

    /// Returns the moves that were played before.
    pub fn log(&self) -> &[LogEntry] {
        &self.log
    }

    /// Returns the time that the player to move has used since the last move.
    pub fn idle(&self) -> Millis {
        self.idle
    }
}

impl GameSetup {
    /// Returns the configuration that clients are sent after the moves of a log
    /// (GameConfiguration).
    pub(super) fn configuration(&self, log: &[LogEntry], idle: Millis) -> Configuration {
        let rules = &self.rules;
        Configuration {
            initial_state: game_state(&self.position, self.times),
            move_log: log.to_vec(),
            komi: Decimal(rules.komi.to_f64()),
            ko: rules.ko,
            superko: rules.superko,
            mercy: Decimal(rules.mercy.margin().to_f64()),
            mercy_start: rules.mercy.start(),
            scoring_method: rules.scoring,
            prisoner_score: rules.prisoner_score,
            idle_delta_time: idle,
            pass_adds_to_prisoners: rules.pass_adds_to_prisoners,
            final_states: None,
        }
    }
}

/// Returns a position with the times on the clocks, as clients are sent it (GameState).
pub fn game_state(position: &Position, left: ByColor<Millis>) -> GameState {
    GameState {
        turn: position.turn,
        players: ByColor::from_fn(|color| PlayerState {
            remaining_time: left[color],
            prisoners: position.prisoners[color],
        }),
        board: position.board.rows().map(Iterator::collect).collect(),
    }
}

impl Serialize for GameSetup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.configuration(&self.log, self.idle)
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for GameSetup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GameSetup, D::Error> {
        let file = GameFile::deserialize(deserializer)?;
        file.setup().map_err(de::Error::custom)
    }
}

/// The settings of the competition (the document, "GameConfiguration"): 19x19, and 15
/// minutes each, as the existing server has it.
impl Default for GameSetup {
    fn default() -> GameSetup {
        let times = ByColor::new(DEFAULT_TIME, DEFAULT_TIME);
        GameSetup::new(Rules::default(), Position::start(Size::STANDARD), times)
    }
}

/// The fields of a game's file. The defaults are those of the existing server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct GameFile {
    initial_state: StateFile,
    move_log: Vec<EntryFile>,
    idle_delta_time: Time,
    komi: Points,
    ko: bool,
    superko: bool,
    mercy: Points,
    mercy_start: u32,
    #[serde(with = "ScoringMethod")]
    scoring_method: Scoring,
    prisoner_score: u32,
    pass_adds_to_prisoners: bool,
    /// Ignored: it follows from the other fields.
    #[serde(rename = "finalStates")]
    _final_states: Option<de::IgnoredAny>,
}

impl Default for GameFile {
    fn default() -> GameFile {
        GameFile {
            initial_state: StateFile::default(),
            move_log: Vec::new(),
            idle_delta_time: Time(0),
            komi: Points(Komi::from_halves(13)),
            ko: false,
            superko: true,
            mercy: Points(Score::ZERO),
            mercy_start: 100,
            scoring_method: Scoring::Area,
            prisoner_score: 1,
            pass_adds_to_prisoners: false,
            _final_states: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct StateFile {
    board: BoardFile,
    #[serde(with = "ByColorCode")]
    players: ByColor<PlayerFile>,
    #[serde(with = "ColorCode")]
    turn: Color,
}

impl Default for StateFile {
    fn default() -> StateFile {
        let player = PlayerFile {
            remaining_time: Time(DEFAULT_TIME),
            prisoners: 0,
        };
        StateFile {
            board: BoardFile(Board::empty(Size::STANDARD)),
            players: ByColor::new(player, player),
            turn: Color::Black,
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PlayerFile {
    remaining_time: Time,
    #[serde(default)]
    prisoners: u32,
}

/// A log entry. The last one of the existing server's archives says how the game ended;
/// clients are never sent it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EntryFile {
    #[serde(rename = "move", default, deserialize_with = "some_move")]
    played: Option<Move>,
    end: Option<de::IgnoredAny>,
    #[serde(default)]
    delta_time: Time,
}

fn some_move<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Move>, D::Error> {
    move_object::deserialize(deserializer).map(Some)
}

impl GameFile {
    fn setup(self) -> Result<GameSetup, SetupError> {
        let StateFile {
            board: BoardFile(board),
            players,
            turn,
        } = self.initial_state;
        let times = players.map(|player| player.remaining_time.0);
        if let Some(color) = Color::ALL.into_iter().find(|&color| times[color] == 0) {
            return Err(SetupError::NoTime(color));
        }
        let mercy = Mercy::new(self.mercy.0, self.mercy_start).ok_or(SetupError::Mercy)?;
        let rules = Rules {
            ko: self.ko,
            superko: self.superko,
            komi: self.komi.0,
            mercy,
            scoring: self.scoring_method,
            prisoner_score: self.prisoner_score,
            pass_adds_to_prisoners: self.pass_adds_to_prisoners,
        };
        let position = Position {
            board,
            turn,
            prisoners: players.map(|player| player.prisoners),
        };
        let entries = self.move_log.into_iter().enumerate();
        let log = entries.map(|(index, entry)| match (entry.played, entry.end) {
            (Some(played), None) => Ok(LogEntry {
                played,
                delta_time: entry.delta_time.0,
            }),
            (None, Some(_)) => Err(SetupError::Ended(index)),
            _ => Err(SetupError::NoMove(index)),
        });
        let log = log.collect::<Result<_, _>>()?;
        GameSetup::new(rules, position, times).with_log(log, self.idle_delta_time.0)
    }
}

/// A time in a file: a number of milliseconds, or a text.
#[derive(Clone, Copy, Default)]
pub struct Time(pub(super) Millis);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = Time;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a time up to ten days: milliseconds, or [MM:]SS[.fff] like \"15:00\"")
            }

            fn visit_u64<E: de::Error>(self, time: u64) -> Result<Time, E> {
                if time > time::MAX {
                    return Err(E::invalid_value(de::Unexpected::Unsigned(time), &self));
                }
                Ok(Time(time))
            }

            fn visit_i64<E: de::Error>(self, time: i64) -> Result<Time, E> {
                match u64::try_from(time) {
                    Ok(time) => self.visit_u64(time),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Signed(time), &self)),
                }
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
                let time = time::parse(text).map(Time);
                time.ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// A number of points, with or without a fraction.
struct Points(Score);

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Score::try_from(number)
            .map(Points)
            .map_err(de::Error::custom)
    }
}

/// A board: its number of rows and columns, or its rows.
struct BoardFile(Board);

impl<'de> Deserialize<'de> for BoardFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BoardFile, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = BoardFile;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a size from 1 to 25, or rows of \"B\", \"W\" and \".\"")
            }

            fn visit_u64<E: de::Error>(self, side: u64) -> Result<BoardFile, E> {
                let size = usize::try_from(side)
                    .ok()
                    .and_then(|side| Size::square(side).ok());
                let size =
                    size.ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(side), &self))?;
                Ok(BoardFile(Board::empty(size)))
            }

            fn visit_i64<E: de::Error>(self, side: i64) -> Result<BoardFile, E> {
                match u64::try_from(side) {
                    Ok(side) => self.visit_u64(side),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Signed(side), &self)),
                }
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, rows: A) -> Result<BoardFile, A::Error> {
                let rows = rows_code::deserialize(de::value::SeqAccessDeserializer::new(rows))?;
                let board = Board::from_rows(&rows).map_err(de::Error::custom)?;
                Ok(BoardFile(board))
            }
        }

        deserializer.deserialize_any(Either)
    }
}
