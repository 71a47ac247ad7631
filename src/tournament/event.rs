//! What happens in a tournament: the lines of the results file.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Name, Points};
use crate::color::Color;

/// The most characters of a remark; what is longer is cut off.
pub const MAX_REMARK: usize = 1_000;

/// A game that is to be played, or was.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fixture {
    /// Where it stands in the tournament.
    #[serde(flatten)]
    pub number: FixtureNumber,
    /// Who has Black.
    pub black: Name,
    /// Who has White.
    pub white: Name,
}

impl Fixture {
    /// Whether this player plays in it.
    pub fn has(&self, player: &Name) -> bool {
        self.black == *player || self.white == *player
    }
}

/// Writes `round 2, pairing 1, game 2: Ann (Black) and Bob (White)`.
impl fmt::Display for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fixture {
            number,
            black,
            white,
        } = self;
        write!(f, "{number}: {black} (Black) and {white} (White)")
    }
}

/// Where a game stands in a tournament. All numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FixtureNumber {
    /// The round.
    pub round: u32,
    /// The pairing in this round.
    pub pairing: u32,
    /// The game of this pairing: 1, or 2 with the colors changed.
    pub game: u32,
}

impl fmt::Display for FixtureNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FixtureNumber {
            round,
            pairing,
            game,
        } = self;
        write!(f, "round {round}, pairing {pairing}, game {game}")
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// Who won; `None` if it is a tie, or forfeited by both.
    pub winner: Option<Color>,
    /// Whether it was decided without being played, as when a player is absent:
    /// the points count, but neither the colors nor that the two have met.
    #[serde(default, skip_serializing_if = "is_false")]
    pub forfeit: bool,
    /// What ended it, as `resign` or `timeout`, and the last words of whoever
    /// failed. It says nothing about the points.
    pub reason: Remark,
    /// The score on the board, if it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
    /// What tells the game from all others, as the name of its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Remark>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl GameResult {
    /// A game that was played.
    pub fn played(winner: Option<Color>, reason: impl Into<Remark>) -> GameResult {
        GameResult {
            winner,
            forfeit: false,
            reason: reason.into(),
            scores: None,
            id: None,
        }
    }

    /// A game that was not played: the winner was there, his opponent was not.
    /// Without a winner both have lost it.
    pub fn forfeit(winner: Option<Color>, reason: impl Into<Remark>) -> GameResult {
        GameResult {
            forfeit: true,
            ..GameResult::played(winner, reason)
        }
    }

    /// What a player gets for it.
    pub fn points(&self, color: Color) -> Points {
        match self.winner {
            Some(winner) if winner == color => Points::ONE,
            None if !self.forfeit => Points::HALF,
            _ => Points::ZERO,
        }
    }
}

/// The score of a game on the board.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Black's.
    pub black: f64,
    /// White's, with the komi.
    pub white: f64,
}

/// A text of at most 1,000 characters; what is longer is cut off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Remark(String);

impl Remark {
    /// The text.
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

impl From<Remark> for String {
    fn from(remark: Remark) -> String {
        remark.0
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Two players who meet in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Who has Black in the first game.
    pub black: Name,
    /// Who has White in the first game.
    pub white: Name,
}

/// Something that happens in a tournament.
///
/// A tournament is its settings, its entrants and its events, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A round was paired.
    Paired {
        /// Its number, from 1: one more than that of the last one.
        round: u32,
        /// Who meets whom.
        pairings: Vec<Pair>,
        /// Who has no opponent. In a Swiss tournament that counts as winning
        /// every game of the round, in a round robin as nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bye: Option<Name>,
    },
    /// A game is over.
    Game {
        /// Which one.
        #[serde(flatten)]
        fixture: Fixture,
        /// How it ended.
        #[serde(flatten)]
        result: GameResult,
    },
    /// The organiser gives a game another result than it had, or had not yet.
    Correction {
        /// Which game.
        #[serde(flatten)]
        fixture: Fixture,
        /// How it ended.
        #[serde(flatten)]
        result: GameResult,
    },
    /// The organiser takes a result back: the game is to be played again.
    Replay {
        /// Which game.
        #[serde(flatten)]
        fixture: Fixture,
        /// Why.
        reason: Remark,
    },
    /// A player leaves. His games that have no result are forfeited.
    Withdrawal {
        /// Who.
        player: Name,
        /// Why.
        reason: Remark,
    },
    /// A player comes to a Swiss tournament that has begun. He has no points for
    /// the rounds he missed.
    Entry {
        /// Who.
        player: Name,
        /// Whom he may not meet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        apart: Vec<Name>,
    },
    /// The organiser ends the tournament early: no round is paired and no game is due
    /// any more. The result of a game that was being played is still taken.
    Ended {
        /// Why.
        reason: Remark,
    },
}
