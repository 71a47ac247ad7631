//! The events of a tournament: pairings, games, results and points.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

use derive_more::{Display, Into};
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

use super::settings::Name;
use crate::base::color::{ByColor, Color};

/// The maximum number of characters of a [`Remark`].
pub const MAX_REMARK: usize = 1_000;

/// A game of a tournament, played or still to be played.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Display, Serialize, Deserialize)]
#[display("{number}: {black} (Black) and {white} (White)")]
pub struct ScheduledGame {
    /// Its place in the tournament.
    #[serde(flatten)]
    pub number: GameNumber,
    /// The player with Black.
    pub black: Name,
    /// The player with White.
    pub white: Name,
}

impl ScheduledGame {
    /// Returns whether this player plays in it.
    pub fn has(&self, player: &Name) -> bool {
        self.black == *player || self.white == *player
    }
}

/// The place of a game in a tournament. All numbers count from 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, Serialize, Deserialize,
)]
#[display("round {round}, pairing {pairing}, game {game}")]
pub struct GameNumber {
    /// The round.
    pub round: u32,
    /// The pairing in this round.
    pub pairing: u32,
    /// The game of this pairing: 1, or 2 with the colors exchanged.
    pub game: u32,
}

impl GameNumber {
    /// Returns the number as an organizer gives it: `2.1.1` is the first game of the first pairing of
    /// round 2.
    pub fn short(&self) -> String {
        format!("{}.{}.{}", self.round, self.pairing, self.game)
    }

    /// Returns whether an organizer means this game: the short form may leave out the game, and then
    /// means all games of the pairing.
    pub fn is_meant_by(&self, short: &str) -> bool {
        let mut parts = short.split('.').map(str::parse);
        let mut is_next = |number: u32| parts.next() == Some(Ok(number));
        is_next(self.round)
            && is_next(self.pairing)
            && parts.next().is_none_or(|part| part == Ok(self.game))
            && parts.next().is_none()
    }
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// The winner; `None` for a draw, or if both players forfeited the game.
    pub winner: Option<Color>,
    /// Whether the game was decided without being played, for example because a player was
    /// absent. The points count, but the colors do not, and the two players have not met.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forfeit: bool,
    /// The reason for the end of the game, such as `resign` or `timeout`, with the error
    /// message of a program that failed. It has no influence on the points.
    pub reason: Remark,
    /// The score of each player on the board, White's with the komi, if it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<ByColor<f64>>,
    /// A unique name of the game, such as the name of its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Remark>,
}

impl GameResult {
    /// Creates the result of a game that was played.
    pub fn played(winner: Option<Color>, reason: impl Into<Remark>) -> GameResult {
        GameResult {
            winner,
            forfeit: false,
            reason: reason.into(),
            scores: None,
            id: None,
        }
    }

    /// Creates the result of a game that was forfeited. The winner was present and the
    /// opponent was not. Without a winner both have lost the game.
    pub fn forfeit(winner: Option<Color>, reason: impl Into<Remark>) -> GameResult {
        GameResult {
            forfeit: true,
            ..GameResult::played(winner, reason)
        }
    }

    /// Returns the points of the player with this color.
    pub fn points(&self, color: Color) -> Points {
        match self.winner {
            Some(winner) if winner == color => Points::ONE,
            None if !self.forfeit => Points::HALF,
            _ => Points::ZERO,
        }
    }
}

/// A result as an organizer gives it, and as FIDE's papers have it: Black's (in Awari: South's) points
/// first.
///
/// | text | meaning |
/// |---|---|
/// | `1-0`, `0-1` | Black has won, White has won |
/// | `1/2` | the game is drawn |
/// | `+/-`, `-/+` | Black has won by forfeit, White has won by forfeit |
/// | `-/-` | both have lost by forfeit |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultCode {
    /// The winner, if there is one.
    pub winner: Option<Color>,
    /// Whether the game counts as not played, as [`GameResult::forfeit`] does.
    pub is_forfeit: bool,
}

impl ResultCode {
    /// All results with their texts.
    const ALL: [(&str, ResultCode); 6] = [
        ("1-0", ResultCode::new(Some(Color::Black), false)),
        ("0-1", ResultCode::new(Some(Color::White), false)),
        ("1/2", ResultCode::new(None, false)),
        ("+/-", ResultCode::new(Some(Color::Black), true)),
        ("-/+", ResultCode::new(Some(Color::White), true)),
        ("-/-", ResultCode::new(None, true)),
    ];

    const fn new(winner: Option<Color>, is_forfeit: bool) -> ResultCode {
        ResultCode { winner, is_forfeit }
    }
}

impl From<&GameResult> for ResultCode {
    fn from(result: &GameResult) -> ResultCode {
        ResultCode::new(result.winner, result.forfeit)
    }
}

impl fmt::Display for ResultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = ResultCode::ALL.iter().find(|(_, code)| code == self);
        f.pad(text.map_or("", |(text, _)| text))
    }
}

/// A text that is no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is not a result: give 1-0, 0-1 or 1/2, with Black's (South's) points first, or +/-, -/+ or \
     -/- for forfeits"
)]
pub struct ResultCodeError(String);

impl FromStr for ResultCode {
    type Err = ResultCodeError;

    fn from_str(text: &str) -> Result<ResultCode, ResultCodeError> {
        let found = ResultCode::ALL.iter().find(|(known, _)| *known == text);
        found
            .map(|&(_, code)| code)
            .ok_or_else(|| ResultCodeError(text.to_owned()))
    }
}

/// A decision of the organizer about the result of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// The game.
    pub scheduled: ScheduledGame,
    /// The result before; `None` if there was none.
    pub before: Option<GameResult>,
    /// The result since then; `None` if the game is to be played again.
    pub after: Option<GameResult>,
    /// Why.
    pub reason: Remark,
}

impl Ruling {
    /// Returns the name of the record of the game that was played, if there is one.
    pub fn id(&self) -> Option<&str> {
        Some(self.before.as_ref()?.id.as_ref()?.as_str())
    }

    /// Returns the result since then.
    pub fn code(&self) -> Option<ResultCode> {
        self.after.as_ref().map(ResultCode::from)
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScheduledGame {
            number,
            black,
            white,
        } = &self.scheduled;
        write!(f, "game {}, {black} - {white}: ", number.short())?;
        match self.code() {
            Some(code) => write!(f, "{code}")?,
            None => f.write_str("to be played again")?,
        }
        if let Some(before) = &self.before {
            write!(f, " in place of {}", ResultCode::from(before))?;
        }
        write!(f, ", because {}", self.reason)
    }
}

/// A text of at most 1,000 characters. Longer texts are cut off.
#[derive(Clone, Debug, Default, Display, PartialEq, Eq, Hash, Into, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Remark(String);

impl Remark {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Remark {
    fn from(mut text: String) -> Remark {
        if let Some((end, _)) = text.char_indices().nth(MAX_REMARK) {
            text.truncate(end);
        }
        Remark(text)
    }
}

impl From<&str> for Remark {
    fn from(text: &str) -> Remark {
        Remark::from(text.to_owned())
    }
}

/// Two players who meet in a round, by their colors in the first game.
pub type Pairing = ByColor<Name>;

/// An event of a tournament.
///
/// A tournament is determined by its settings, its entrants, and its events in order.
/// Each event is a line of the [results file](super::ResultsFile).
///
/// ```
/// use gothello::Color;
/// use gothello::tournament::{Event, GameResult, Games, PairingSystem, Settings, Tournament};
///
/// let system = PairingSystem::RoundRobin;
/// let settings = Settings { system, games: Games::Single, seed: 1, forbidden: vec![] };
/// let mut tournament = Tournament::new(settings, &["Ann".parse()?, "Bob".parse()?])?;
/// let paired = tournament.next_round()?.unwrap();
/// tournament.apply(&paired)?;
///
/// let scheduled = tournament.pending_games().remove(0);
/// let result = GameResult::played(Some(Color::Black), "resign");
/// tournament.apply(&Event::Game { scheduled: scheduled.clone(), result })?;
/// assert!(tournament.is_over());
///
/// let reason = "the wrong program played".into();
/// tournament.apply(&Event::Replay { scheduled: scheduled.clone(), reason })?;
/// assert_eq!(tournament.pending_games(), [scheduled]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A round was paired.
    Paired {
        /// Its number, from 1: one more than that of the round before.
        round: u32,
        /// The pairings.
        pairings: Vec<Pairing>,
        /// The player without an opponent. In a Swiss tournament a bye counts as winning
        /// every game of the round, in a round robin it counts as nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bye: Option<Name>,
    },
    /// A game is over.
    Game {
        /// Which one.
        #[serde(flatten)]
        scheduled: ScheduledGame,
        /// The result.
        #[serde(flatten)]
        result: GameResult,
    },
    /// The organizer sets or changes the result of a game.
    Correction {
        /// Which game.
        #[serde(flatten)]
        scheduled: ScheduledGame,
        /// The result.
        #[serde(flatten)]
        result: GameResult,
    },
    /// The organizer takes a result back: the game is to be played again.
    Replay {
        /// Which game.
        #[serde(flatten)]
        scheduled: ScheduledGame,
        /// Why.
        reason: Remark,
    },
    /// A player withdraws. Their games that have no result are forfeited.
    Withdrawal {
        /// Who.
        player: Name,
        /// Why.
        reason: Remark,
    },
    /// A player of a Swiss tournament is absent: they are not paired from the next round on,
    /// until they return. They still play the games that are paired already, and stay in the
    /// standings. A round that they miss gives no points, and is not a bye or a win: the player
    /// may still have a bye (FIDE calls it a zero-point bye, `Z` in its report file). A player who
    /// is only not connected is paired like all others, and their games wait.
    Absence {
        /// Who.
        player: Name,
        /// Why.
        reason: Remark,
    },
    /// An absent player returns, and is paired again from the next round on.
    Return {
        /// Who.
        player: Name,
    },
    /// A player enters a Swiss tournament that has begun. They have no points for the
    /// rounds that they missed.
    Entry {
        /// Who.
        player: Name,
        /// The players whom they may not meet.
        #[serde(rename = "avoid", default, skip_serializing_if = "Vec::is_empty")]
        forbidden: Vec<Name>,
    },
    /// The organizer ends the tournament early. No further round is paired, and no game is
    /// due. The result of a game that was being played still counts.
    Ended {
        /// Why.
        reason: Remark,
    },
}

/// A number of points, in exact quarters. A win gives 1 point and a draw half a point, so that
/// a Sonneborn-Berger score, which multiplies points, has quarters.
///
/// ```
/// use gothello::tournament::Points;
///
/// let points = Points::ONE + Points::HALF;
/// assert_eq!(points.to_string(), "1.5");
/// assert_eq!(points.times(Points::HALF).to_string(), "0.75");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points {
    quarters: u32,
}

impl Points {
    /// The points of a loss.
    pub const ZERO: Points = Points { quarters: 0 };
    /// The points of a draw.
    pub const HALF: Points = Points { quarters: 2 };
    /// The points of a win.
    pub const ONE: Points = Points { quarters: 4 };

    /// Returns the points as a number.
    pub fn as_f64(self) -> f64 {
        f64::from(self.quarters) / 4.0
    }

    /// Returns the difference to `other` in half points, negative if `other` is more.
    pub(super) fn halves_above(self, other: Points) -> i64 {
        (i64::from(self.quarters) - i64::from(other.quarters)) / 2
    }

    /// Multiplies by `factor`, rounded down to a quarter. The product of two multiples of a
    /// half is exact.
    #[must_use]
    pub const fn times(self, factor: Points) -> Points {
        let quarters = self.quarters.saturating_mul(factor.quarters) / 4;
        Points { quarters }
    }
}

/// Saturates at the largest number, which no tournament reaches.
impl Add for Points {
    type Output = Points;

    fn add(self, other: Points) -> Points {
        let quarters = self.quarters.saturating_add(other.quarters);
        Points { quarters }
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Points) {
        *self = *self + other;
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Points>>(points: I) -> Points {
        points.fold(Points::ZERO, Add::add)
    }
}

/// Writes `3`, `3.5` or `3.25`.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = match self.quarters % 4 {
            0 => "",
            1 => ".25",
            2 => ".5",
            _ => ".75",
        };
        f.pad(&format!("{}{fraction}", self.quarters / 4))
    }
}

/// Writes a number, as `3.5`.
impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_f64())
    }
}
