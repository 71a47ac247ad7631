//! What a contest needs to know of the game that it plays.

use std::error::Error;
use std::fmt::{Debug, Display};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::color::{ByColor, Color};
use crate::games::game::Game;

/// A time in milliseconds.
pub type Millis = u64;

/// A game that can be played in a contest: its settings, and how it ends.
pub trait ContestGame: Game<Move: JournaledMove> + Sync {
    /// The settings of a game.
    type Setup: Settings<Self::Move>;
    /// Why a move is against the rules.
    type Illegal: Error + Clone + PartialEq + Send + Sync + 'static;
    /// Why a game ended, in the words of the records.
    type Reason: EndReason;

    /// Begins a game with these settings, without the moves that were played before.
    fn begin(setup: &Self::Setup) -> Self;

    /// Plays a move of the player to move. Returns how the game ended, if it did.
    ///
    /// # Errors
    /// The move is illegal; the game is unchanged.
    fn advance(&mut self, mv: Self::Move) -> Result<Option<Outcome<Self::Reason>>, Self::Illegal>;

    /// Returns a score as a number of points.
    fn points(score: Self::Score) -> f64;

    /// Returns what a player does with a move, for a sentence: `c3`, `passes`.
    fn move_text(&self, mv: Self::Move) -> String;
}

/// A move as journals have it.
pub trait JournaledMove: Copy {
    /// Writes the move.
    ///
    /// # Errors
    /// Those of the serializer.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads a move.
    ///
    /// # Errors
    /// It is no move.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// The settings of a game: rules, board, clocks, and the moves that were played before.
pub trait Settings<M>:
    Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Returns the time of each player before the first move of the log.
    fn times(&self) -> ByColor<Millis>;

    /// Returns the moves that were played before. They are legal, and the game goes on after them.
    fn log(&self) -> &[LogEntry<M>];

    /// Returns the time that the player to move has used since the last move.
    fn idle(&self) -> Millis;

    /// Returns about how many moves of a journal are as long as these settings.
    fn weight(&self) -> usize;
}

/// Why a game ended. The text and the serialized form are the same word: results have the one, and
/// journals the other.
pub trait EndReason:
    Copy + Debug + Display + Eq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// A flag fell.
    const TIMEOUT: Self;
    /// A player resigned.
    const RESIGNATION: Self;
}

/// A move and the time that it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", bound = "M: JournaledMove")]
pub struct LogEntry<M> {
    /// The move.
    #[serde(
        rename = "move",
        serialize_with = "JournaledMove::write",
        deserialize_with = "JournaledMove::read"
    )]
    pub played: M,
    /// The time that it took.
    pub delta_time: Millis,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome<R> {
    /// Why it ended.
    pub reason: R,
    /// The winner; `None` in a draw.
    pub winner: Option<Color>,
}
