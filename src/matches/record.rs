//! The record of a game: its players, moves and times, and how it ended.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use derive_more::{Display, Into};
use humantime::TimestampError;
use serde::{Deserialize, Serialize, Serializer};

use super::setup::Setup;
use crate::base::color::{ByColor, Color};
use crate::base::shard::Shard;
use crate::base::text_serde::as_text;
use crate::tournament::Name;

/// How a game was decided.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, Serialize, Deserialize,
)]
#[display(rename_all = "lowercase")]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The rules ended it, and the score was counted.
    Count,
    /// A player resigned.
    Resignation,
    /// The result was proven, and the game was not played to its end.
    Adjudicated,
    /// The game reached the maximum number of moves.
    #[display("move limit")]
    MoveLimit,
    /// A player's flag fell.
    Time,
    /// A player made an illegal move, or answered with something that is not a move.
    #[display("illegal move")]
    IllegalMove,
    /// A player's process ended.
    Crash,
    /// A player did not answer although no clock was running.
    Hang,
    /// A player violated its protocol.
    Garbage,
    /// A player numbered a response with the number of another command.
    #[display("wrong id")]
    WrongId,
    /// A player refused a command that every player must know, or a legal move.
    Refused,
    /// A player could not be started, or did not speak its protocol from the start.
    #[display("not started")]
    NotStarted,
    /// A client closed its connection.
    #[display("client gone")]
    Gone,
}

impl Verdict {
    /// Returns whether the game was lost by a player that failed. A fallen flag is no failure.
    pub const fn is_failure(self) -> bool {
        !matches!(
            self,
            Verdict::Count
                | Verdict::Resignation
                | Verdict::Adjudicated
                | Verdict::MoveLimit
                | Verdict::Time
        )
    }
}

/// A time since 1970 in UTC, in whole seconds. Its text form is `2026-11-23T04:05:06Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, Into)]
#[display("{}", humantime::format_rfc3339_seconds(*_0))]
pub struct UtcTime(SystemTime);

impl From<SystemTime> for UtcTime {
    fn from(time: SystemTime) -> UtcTime {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        UtcTime(UNIX_EPOCH + Duration::from_secs(since.as_secs()))
    }
}

impl FromStr for UtcTime {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<UtcTime, TimestampError> {
        humantime::parse_rfc3339(text).map(UtcTime::from)
    }
}

as_text! {
    UtcTime: "a time such as 2026-11-23T04:05:06Z",
}

/// The place of a game in the schedule of an event. All numbers count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedGame {
    /// The number of the game in the schedule.
    pub number: u32,
    /// The round.
    pub round: u32,
    /// The number of the pair of games, which two players play with colors reversed from the
    /// same opening. A single game is a pair of which the second game is missing.
    pub pair: u32,
    /// The players.
    pub players: ByColor<Name>,
    /// The number of the opening; `None` for the start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<u32>,
}

impl PlannedGame {
    /// Returns whether the game is in this part of the schedule. The games of a pair are in the same
    /// part.
    pub fn is_in(&self, shard: Shard) -> bool {
        shard.contains(self.pair.saturating_sub(1).into())
    }
}

/// The source of the dead stones.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ScoredBy {
    /// The scorer of the event.
    #[display("the scorer")]
    Scorer,
    /// Both players named the same stones.
    #[display("each player")]
    Players,
    /// Black named them, and White could not.
    #[display("Black")]
    Black,
    /// White named them, and Black could not.
    #[display("White")]
    White,
    /// None: all stones counted as alive.
    #[display("nobody")]
    Nobody,
}

/// How the stones of a game of Go were counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scoring {
    /// The source of the dead stones.
    pub by: ScoredBy,
    /// The dead stones, which were removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dead: Vec<String>,
}

/// The identity of a player's program, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramIdentity {
    /// Its response to the GTP command `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its response to the GTP command `version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The first 16 hexadecimal digits of the SHA-256 of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Those of the script that it runs, if it is an interpreter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script_sha256: Option<String>,
}

impl ProgramIdentity {
    /// Returns all known properties, in the same order for all programs.
    fn parts(&self) -> [&Option<String>; 4] {
        let ProgramIdentity {
            name,
            version,
            sha256,
            script_sha256,
        } = self;
        [name, version, sha256, script_sha256]
    }

    /// Returns whether this is certainly another program: a property known of both differs.
    pub fn is_other_than(&self, other: &ProgramIdentity) -> bool {
        let mut parts = self.parts().into_iter().zip(other.parts());
        parts.any(|parts| matches!(parts, (Some(one), Some(other)) if one != other))
    }

    /// Returns these properties, with missing ones taken from `before`.
    #[must_use]
    pub fn or(self, before: &ProgramIdentity) -> ProgramIdentity {
        ProgramIdentity {
            name: self.name.or_else(|| before.name.clone()),
            version: self.version.or_else(|| before.version.clone()),
            sha256: self.sha256.or_else(|| before.sha256.clone()),
            script_sha256: self.script_sha256.or_else(|| before.script_sha256.clone()),
        }
    }
}

/// Writes all known properties, as in `GNU Go 3.8 (SHA-256 1f0e...)`.
impl fmt::Display for ProgramIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [name, version, sha256, script] = self.parts();
        let mut words: Vec<String> = [name, version].into_iter().flatten().cloned().collect();
        let hashes = match (sha256, script) {
            (_, Some(script)) => Some(format!("script SHA-256 {script}")),
            (Some(program), None) => Some(format!("SHA-256 {program}")),
            (None, None) => None,
        };
        words.extend(hashes.map(|hashes| match words.is_empty() {
            true => hashes,
            false => format!("({hashes})"),
        }));
        f.pad(&words.join(" "))
    }
}

/// The last lines that a player has written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastLines {
    /// On its standard output, or to the server.
    pub output: Vec<String>,
    /// On its standard error.
    pub errors: Vec<String>,
}

/// The moves of a game in its notation. They are kept in one text, because an event may have
/// hundreds of thousands of games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct MoveList(Box<str>);

impl MoveList {
    /// Returns the moves.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_terminator(' ')
    }
}

/// Collects the words of moves, which have no spaces.
impl<S: AsRef<str>> FromIterator<S> for MoveList {
    fn from_iter<I: IntoIterator<Item = S>>(words: I) -> MoveList {
        let mut text = String::new();
        for word in words {
            text.push_str(word.as_ref());
            text.push(' ');
        }
        MoveList(text.into())
    }
}

impl From<Vec<String>> for MoveList {
    fn from(words: Vec<String>) -> MoveList {
        words.iter().collect()
    }
}

/// Serializes the moves as a list.
impl Serialize for MoveList {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

/// A game that has been played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The id, the same wherever this game of this event is played.
    pub id: String,
    /// Its place in the schedule.
    #[serde(flatten)]
    pub planned: PlannedGame,
    /// The winner; `None` if the game is drawn.
    pub winner: Option<Color>,
    /// The result as SGF has it, such as `B+3`, `W+R`, `B+T`, `B+F` or `0`.
    pub result: String,
    /// How the game was decided.
    pub verdict: Verdict,
    /// The details, if the verdict does not tell it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How the stones of a game of Go were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring: Option<Scoring>,
    /// Which programs the players were.
    #[serde(default, skip_serializing_if = "is_default")]
    pub programs: ByColor<Option<ProgramIdentity>>,
    /// The position that the opening begins with; `None` for the start of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<Setup>,
    /// The moves in the game's notation, those of the opening included.
    pub moves: MoveList,
    /// The number of moves of the opening.
    #[serde(default, skip_serializing_if = "is_default")]
    pub opening_moves: usize,
    /// The time of each move after the opening, in microseconds.
    pub times: Vec<u64>,
    /// The player's output during each move after the opening, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<String>,
    /// When the game began.
    pub began: UtcTime,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The last lines of a player that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_lines: Option<LastLines>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl GameRecord {
    /// Returns the loser, if there is one.
    pub fn loser(&self) -> Option<Color> {
        self.winner.map(Color::opponent)
    }

    /// Returns the result with the game's own names of the sides: `S+3` for South in Awari.
    pub fn result_of_sides(&self, sides: ByColor<&str>) -> String {
        let letter = self.winner.and_then(|color| sides[color].chars().next());
        match (letter, self.result.split_once('+')) {
            (Some(letter), Some((_, margin))) => format!("{letter}+{margin}"),
            _ => self.result.clone(),
        }
    }

    /// Returns the player that failed, if one did.
    pub fn failed(&self) -> Option<Color> {
        self.loser().filter(|_| self.verdict.is_failure())
    }
}
