//! What an organiser decides before a tournament.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Name;

/// The most players of a Swiss tournament, late entrants included: a round of so
/// many is paired in about half a second.
pub const MAX_ENTRANTS: usize = 500;

/// The most players of a round robin, who play 19,900 pairings.
pub const MAX_ROUND_ROBIN: usize = 200;

/// The most rounds of a Swiss tournament.
pub const MAX_ROUNDS: u32 = 50;

/// The settings of a tournament. With the names of the entrants in their order
/// and the results, they decide every pairing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Who meets whom.
    pub kind: Kind,
    /// How many games two players play when they meet.
    #[serde(default)]
    pub games: Games,
    /// What decides by chance: the starting numbers, and who has Black where
    /// nothing else decides.
    pub seed: u64,
    /// Pairs of players who may not meet, as those of one team. In a round robin
    /// they leave their pairing out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<[Name; 2]>,
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Everybody meets everybody.
    RoundRobin,
    /// In each round those meet who have about the same points and have not met.
    Swiss {
        /// How many rounds: 1 to 50, and no more than everybody has opponents.
        rounds: u32,
    },
}

/// How many games two players play when they meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Games {
    /// One game; colours are balanced over the rounds.
    Single,
    /// Two, in which each has Black once.
    #[default]
    Both,
}

impl Games {
    /// The number of games: 1 or 2.
    pub const fn number(self) -> u32 {
        match self {
            Games::Single => 1,
            Games::Both => 2,
        }
    }
}

impl From<Games> for u8 {
    fn from(games: Games) -> u8 {
        match games {
            Games::Single => 1,
            Games::Both => 2,
        }
    }
}

impl TryFrom<u8> for Games {
    type Error = SetupError;

    fn try_from(number: u8) -> Result<Games, SetupError> {
        match number {
            1 => Ok(Games::Single),
            2 => Ok(Games::Both),
            _ => Err(SetupError::Games(number)),
        }
    }
}

/// Why there can be no such tournament.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// Fewer than two players.
    #[error("a tournament needs at least 2 players, and there are {0}")]
    TooFew(usize),
    /// More players than [`MAX_ENTRANTS`] or [`MAX_ROUND_ROBIN`].
    #[error("there may be at most {most} players, and there are {entrants}")]
    TooMany {
        /// How many there are.
        entrants: usize,
        /// How many there may be.
        most: usize,
    },
    /// Two players have one name.
    #[error("two players are called {0}: each needs a name of his own")]
    Twice(Name),
    /// A number of rounds that cannot be played.
    #[error("a Swiss tournament of {entrants} players has 1 to {most} rounds, not {rounds}")]
    Rounds {
        /// How many were asked for.
        rounds: u32,
        /// How many players there are.
        entrants: usize,
        /// How many rounds they can play without meeting twice.
        most: u32,
    },
    /// A number of games that is neither 1 nor 2.
    #[error("two players meet in 1 or 2 games, not {0}")]
    Games(u8),
    /// A pair that may not meet has a name that nobody has.
    #[error("{0} is to be kept apart from another player, but no player has that name")]
    Unknown(Name),
    /// A player who may not meet himself.
    #[error("{0} is to be kept apart from himself")]
    Himself(Name),
}

impl Settings {
    /// Looks whether so many players can play such a tournament.
    ///
    /// # Errors
    /// They are too few or too many for it, or for its rounds.
    pub fn check_number(&self, number: usize) -> Result<(), SetupError> {
        let most = match self.kind {
            Kind::RoundRobin => MAX_ROUND_ROBIN,
            Kind::Swiss { .. } => MAX_ENTRANTS,
        };
        if number < 2 {
            return Err(SetupError::TooFew(number));
        }
        if number > most {
            return Err(SetupError::TooMany {
                entrants: number,
                most,
            });
        }
        self.check_rounds(number)
    }

    /// Looks whether these players can play such a tournament.
    pub(super) fn check(&self, entrants: &[Name]) -> Result<(), SetupError> {
        self.check_number(entrants.len())?;
        if let Some(name) = twice(entrants) {
            return Err(SetupError::Twice(name.clone()));
        }
        for pair in &self.apart {
            if let Some(unknown) = pair.iter().find(|name| !entrants.contains(name)) {
                return Err(SetupError::Unknown(unknown.clone()));
            }
            let [one, other] = pair;
            if one == other {
                return Err(SetupError::Himself(one.clone()));
            }
        }
        Ok(())
    }

    fn check_rounds(&self, entrants: usize) -> Result<(), SetupError> {
        let Kind::Swiss { rounds } = self.kind else {
            return Ok(());
        };
        // With an odd number everybody has a bye once.
        let most = entrants - 1 + entrants % 2;
        let most = u32::try_from(most).unwrap_or(MAX_ROUNDS).min(MAX_ROUNDS);
        if (1..=most).contains(&rounds) {
            return Ok(());
        }
        Err(SetupError::Rounds {
            rounds,
            entrants,
            most,
        })
    }
}

/// A name that is there more than once.
fn twice(names: &[Name]) -> Option<&Name> {
    let mut sorted: Vec<&Name> = names.iter().collect();
    sorted.sort();
    let mut pairs = sorted.iter().zip(sorted.iter().skip(1));
    pairs
        .find(|(one, other)| one == other)
        .map(|(name, _)| *name)
}
