//! The settings of a tournament, and the names of its players.

use std::str::FromStr;

use derive_more::{Display, Into};
use itertools::Itertools;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::names::{breaks_line, is_visible};

/// The maximum number of players of a Swiss tournament, late entrants included. A round of 500 players
/// is paired in about half a second.
pub const MAX_ENTRANTS: usize = 500;

/// The maximum number of players of a round robin. They play 19,900 pairings.
pub const MAX_ROUND_ROBIN: usize = 200;

/// The maximum number of rounds of a Swiss tournament.
pub const MAX_ROUNDS: u32 = 50;

/// The settings of a tournament. Together with the names of the entrants in their order
/// and the results, they determine every pairing.
///
/// ```
/// use gothello::tournament::{Games, PairingSystem, Settings};
///
/// let settings = Settings {
///     system: PairingSystem::Swiss { rounds: 5 },
///     games: Games::Single,
///     seed: 42,
///     forbidden: vec![["Ann".parse()?, "Ann II".parse()?]],
/// };
/// assert!(settings.check_number(8).is_ok());
/// let error = settings.check_number(4).unwrap_err();
/// assert_eq!(error.to_string(), "a Swiss tournament of 4 players has 1 to 3 rounds, not 5");
/// # Ok::<(), gothello::tournament::NameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The pairing system.
    pub system: PairingSystem,
    /// The number of games in each pairing.
    #[serde(default)]
    pub games: Games,
    /// The seed of all random decisions: the starting numbers, and who has Black where
    /// nothing else decides.
    pub seed: u64,
    /// Pairs of players who may not meet, such as two programs of one team. A round robin
    /// leaves out their pairing.
    #[serde(rename = "avoid", default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<[Name; 2]>,
}

/// The pairing system of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairingSystem {
    /// All players meet each other.
    RoundRobin,
    /// In each round, players with about the same points who have not met are paired.
    Swiss {
        /// The number of rounds: 1 to 50, and no more than each player has opponents.
        rounds: u32,
    },
}

/// The number of games in each pairing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Games {
    /// One game; colors are balanced over the rounds.
    Single = 1,
    /// Two games, one with each color.
    #[default]
    Both = 2,
}

impl Games {
    /// Returns the number of games: 1 or 2.
    pub const fn number(self) -> u32 {
        self as u32
    }
}

impl From<Games> for u8 {
    fn from(games: Games) -> u8 {
        games as u8
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

/// Why a tournament with these settings and players is impossible.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Fewer than two players.
    #[error("a tournament needs at least 2 players, and there are {0}")]
    TooFew(usize),
    /// More players than [`MAX_ENTRANTS`] or [`MAX_ROUND_ROBIN`].
    #[error("there may be at most {most} players, and there are {entrants}")]
    TooMany {
        /// The number of players.
        entrants: usize,
        /// The largest number of players.
        most: usize,
    },
    /// Two players have one name.
    #[error("two players are called {0}: each needs a name of their own")]
    Twice(Name),
    /// A number of rounds that cannot be played.
    #[error("a Swiss tournament of {entrants} players has 1 to {most} rounds, not {rounds}")]
    Rounds {
        /// The number of rounds in the settings.
        rounds: u32,
        /// The number of players.
        entrants: usize,
        /// The largest number of rounds without two players meeting twice.
        most: u32,
    },
    /// A number of games that is neither 1 nor 2.
    #[error("two players meet in 1 or 2 games, not {0}")]
    Games(u8),
    /// A pair that may not meet names a player who is not there.
    #[error("{0} is to be kept apart from another player, but no player has that name")]
    Unknown(Name),
    /// A player who may not meet themselves.
    #[error("{0} is to be kept apart from {0}: give two different players")]
    ApartFromSelf(Name),
    /// All players are kept apart from each other.
    #[error("there is nothing to play: all players are kept apart from each other")]
    NothingToPlay,
}

impl Settings {
    /// Checks whether this number of players can play such a tournament.
    ///
    /// # Errors
    /// There are too few or too many players for the system or for the number of rounds.
    pub fn check_number(&self, number: usize) -> Result<(), SetupError> {
        let most = match self.system {
            PairingSystem::RoundRobin => MAX_ROUND_ROBIN,
            PairingSystem::Swiss { .. } => MAX_ENTRANTS,
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

    /// Checks whether these players can play such a tournament.
    pub(super) fn check(&self, entrants: &[Name]) -> Result<(), SetupError> {
        self.check_number(entrants.len())?;
        if let Some(name) = twice(entrants) {
            return Err(SetupError::Twice(name.clone()));
        }
        for pair in &self.forbidden {
            if let Some(unknown) = pair.iter().find(|name| !entrants.contains(name)) {
                return Err(SetupError::Unknown(unknown.clone()));
            }
            let [one, other] = pair;
            if one == other {
                return Err(SetupError::ApartFromSelf(one.clone()));
            }
        }
        Ok(())
    }

    fn check_rounds(&self, entrants: usize) -> Result<(), SetupError> {
        let PairingSystem::Swiss { rounds } = self.system else {
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

/// Returns a name that occurs more than once.
fn twice(names: &[Name]) -> Option<&Name> {
    let mut pairs = names.iter().sorted().tuple_windows();
    let found = pairs.find(|(one, other)| one == other);
    found.map(|(name, _)| name)
}

/// The longest name, in characters.
pub const MAX_NAME: usize = 64;

/// The name of a player: 1 to 64 characters, at least one of them visible, without control
/// characters and without white space at either end. Names are compared character by
/// character.
///
/// ```
/// use gothello::tournament::{Name, NameError};
///
/// let name: Name = " Ann ".parse()?;
/// assert_eq!(name.as_str(), "Ann");
/// assert_eq!("Ann\nBob".parse::<Name>(), Err(NameError::Control('\n')));
/// # Ok::<(), NameError>(())
/// ```
#[derive(
    Clone, Debug, Display, PartialEq, Eq, PartialOrd, Ord, Hash, Into, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// Why a text is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NameError {
    /// It has no visible character.
    #[error("a name has at least one visible character")]
    Empty,
    /// It has more than [`MAX_NAME`] characters.
    #[error("a name has at most {MAX_NAME} characters, and this has {0}")]
    TooLong(usize),
    /// It has a character that would break a line or a table.
    #[error("a name has no control characters, and this has {0:?}")]
    Control(char),
}

impl Name {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Parses a name. White space at the ends is removed.
impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Name, NameError> {
        let text = text.trim();
        if let Some(bad) = text.chars().find(|&char| breaks_line(char)) {
            return Err(NameError::Control(bad));
        }
        match text.chars().count() {
            _ if !is_visible(text) => Err(NameError::Empty),
            0..=MAX_NAME => Ok(Name(text.to_owned())),
            length => Err(NameError::TooLong(length)),
        }
    }
}

/// Deserializes a name of a results file.
impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Name, NameError> {
        text.parse()
    }
}
