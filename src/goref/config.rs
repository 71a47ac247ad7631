//! The organiser's files: `game.config.json` and `server.config.json` of the
//! server that exists, its checkpoints, and the same in TOML.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::de::{self, DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use thiserror::Error;

use super::terms::Terms;
use super::time;
use super::wire::{Both, LogEntry, Millis, ScoringMethod, Side, a_move};
use crate::go::{Board, ByColor, Color, Komi, Mercy, Move, Position, Rules, Score, Size};

/// The largest file that is read, in bytes. A checkpoint of 20,000 moves has two
/// million.
const MAX_SIZE: u64 = 16 * 1024 * 1024;

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {what}", file.display())]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// The key and what is wrong there, with what would be right.
    pub what: String,
}

/// How the server listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerConfig {
    /// The host.
    pub host: Option<String>,
    /// The port.
    pub port: Option<u16>,
    /// How often clients are asked whether they are there.
    pub ping_interval: Option<Millis>,
}

impl ServerConfig {
    /// Reads a `server.config.json`, or the same in a `.toml`.
    ///
    /// # Errors
    /// The file cannot be read, or a value is wrong.
    pub fn read(file: &Path) -> Result<ServerConfig, ConfigError> {
        let fields: ServerFile = read(file)?;
        let config = ServerConfig {
            host: fields.host,
            port: fields.port,
            ping_interval: fields.ping_interval.map(|time| time.0),
        };
        if config.ping_interval == Some(0) {
            return Err(ConfigError {
                file: file.to_owned(),
                what: "pingInterval: it must be longer than nothing, like \"00:10\"".into(),
            });
        }
        Ok(config)
    }
}

/// Reads a `game.config.json`, a checkpoint, or the same in a `.toml`. What a file
/// leaves out is as the server that exists has it.
///
/// # Errors
/// The file cannot be read, a value is wrong, or its moves cannot be played.
pub fn read_terms(file: &Path) -> Result<Terms, ConfigError> {
    let fields: GameFile = read(file)?;
    fields.terms().map_err(|what| ConfigError {
        file: file.to_owned(),
        what,
    })
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<T, ConfigError> {
    let wrong = |what: String| ConfigError {
        file: file.to_owned(),
        what,
    };
    let size = fs::metadata(file)
        .map_err(|error| wrong(error.to_string()))?
        .len();
    if size > MAX_SIZE {
        return Err(wrong(format!(
            "it has {size} bytes; {MAX_SIZE} are the most"
        )));
    }
    let text = fs::read_to_string(file).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => wrong("it is no text in UTF-8: save it as UTF-8".into()),
        _ => wrong(error.to_string()),
    })?;
    // Some editors begin a text with this mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let is_toml = file
        .extension()
        .is_some_and(|extension| extension == "toml");
    if is_toml {
        let document = toml::Deserializer::parse(text).map_err(|error| wrong(one_line(&error)))?;
        serde_path_to_error::deserialize(document).map_err(|error| wrong(at_key(&error)))
    } else {
        // Where fields are expected, a list would be taken for them in their order.
        if text.trim_start().starts_with('[') {
            return Err(wrong("an object { … } is expected, not a list".into()));
        }
        let mut document = serde_json::Deserializer::from_str(text);
        let fields = serde_path_to_error::deserialize(&mut document)
            .map_err(|error| wrong(at_key(&error)))?;
        document.end().map_err(|error| wrong(error.to_string()))?;
        Ok(fields)
    }
}

/// An error behind the key that it is about.
fn at_key<E: fmt::Display>(error: &serde_path_to_error::Error<E>) -> String {
    let key = error.path().to_string();
    let what = one_line(error.inner());
    if key == "." {
        what
    } else {
        format!("{key}: {what}")
    }
}

/// Of a message with a picture of the place, the sentences.
fn one_line(error: &impl fmt::Display) -> String {
    let text = error.to_string();
    let lines = text.lines().filter(|line| !line.contains('|'));
    let lines: Vec<&str> = lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines.join(": ")
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ServerFile {
    host: Option<String>,
    port: Option<u16>,
    ping_interval: Option<Time>,
}

/// The fields of a game's file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct GameFile {
    initial_state: StateFile,
    move_log: Vec<EntryFile>,
    idle_delta_time: Time,
    komi: Points,
    ko: bool,
    superko: bool,
    mercy: Points,
    mercy_start: u32,
    scoring_method: ScoringMethod,
    prisoner_score: u32,
    pass_adds_to_prisoners: bool,
    /// Follows from the others.
    #[serde(rename = "finalStates")]
    _final_states: Option<de::IgnoredAny>,
}

impl Default for GameFile {
    fn default() -> GameFile {
        GameFile {
            initial_state: StateFile::default(),
            move_log: Vec::new(),
            idle_delta_time: Time(0),
            komi: Points(Komi::halves(13)),
            ko: false,
            superko: true,
            mercy: Points(Score::ZERO),
            mercy_start: 100,
            scoring_method: ScoringMethod::Area,
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
    players: Both<PlayerFile>,
    turn: Side,
}

impl Default for StateFile {
    fn default() -> StateFile {
        let player = PlayerFile {
            remaining_time: Time(15 * 60 * 1000),
            prisoners: 0,
        };
        StateFile {
            board: BoardFile(Board::empty(Size::USUAL)),
            players: Both {
                black: player,
                white: player,
            },
            turn: Side::B,
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

/// An entry of a log. The server that exists ends its archives with one that holds
/// how the game ended; clients are never sent it.
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
    a_move::deserialize(deserializer).map(Some)
}

impl GameFile {
    pub(super) fn terms(self) -> Result<Terms, String> {
        let state = &self.initial_state;
        let color = state.turn.color();
        let turn: Color = color.ok_or("initialState.turn: \"B\" or \"W\" is expected")?;
        let players = ByColor::from(state.players);
        let times = players.map(|player| player.remaining_time.0);
        if times.black == 0 || times.white == 0 {
            let side = if times.black == 0 { "B" } else { "W" };
            return Err(format!(
                "initialState.players.{side}.remainingTime: no time is left; \
                 it is milliseconds or a text like \"15:00\""
            ));
        }
        let mercy = Mercy::new(self.mercy.0, self.mercy_start)
            .ok_or("mercy: 0 for none, or a difference in score above it, is expected")?;
        let rules = Rules {
            ko: self.ko,
            superko: self.superko,
            komi: self.komi.0,
            mercy,
            scoring: self.scoring_method.into(),
            prisoner_score: self.prisoner_score,
            pass_adds_to_prisoners: self.pass_adds_to_prisoners,
        };
        let position = Position {
            board: self.initial_state.board.0,
            turn,
            prisoners: players.map(|player| player.prisoners),
        };
        let log = moves(self.move_log)?;
        Terms::new(rules, position, times)
            .with_log(log, self.idle_delta_time.0)
            .map_err(|error| error.to_string())
    }
}

/// The moves of a log.
fn moves(entries: Vec<EntryFile>) -> Result<Vec<LogEntry>, String> {
    let mut log = Vec::with_capacity(entries.len());
    for (index, entry) in entries.into_iter().enumerate() {
        match (entry.played, entry.end) {
            (Some(played), None) => log.push(LogEntry {
                played,
                delta_time: entry.delta_time.0,
            }),
            (None, Some(_)) => {
                return Err(format!(
                    "moveLog[{index}].end: this game is over; there is nothing to go on with"
                ));
            }
            _ => return Err(format!("moveLog[{index}]: a \"move\" is expected")),
        }
    }
    Ok(log)
}

/// A time: milliseconds, or a text.
#[derive(Clone, Copy, Default)]
struct Time(Millis);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = Time;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a time up to ten days: milliseconds, or [MM:]SS[.fff] like \"15:00\"")
            }

            fn visit_u64<E: de::Error>(self, time: u64) -> Result<Time, E> {
                if time > time::LONGEST {
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
                let time = time::read(text).map(Time);
                time.ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// A number of points, also half ones.
struct Points(Score);

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Score::try_from(number)
            .map(Points)
            .map_err(de::Error::custom)
    }
}

/// A board: how many rows and columns it has, or the rows.
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
                let rows = Vec::deserialize(de::value::SeqAccessDeserializer::new(rows))?;
                board(&rows).map(BoardFile).map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// The board with these rows.
pub(super) fn board(rows: &[Vec<Side>]) -> Result<Board, String> {
    let row = |row: &Vec<Side>| row.iter().map(|side| side.color()).collect();
    let rows: Vec<Vec<Option<Color>>> = rows.iter().map(row).collect();
    Board::from_rows(&rows).map_err(|error| error.to_string())
}
