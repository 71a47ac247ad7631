//! Why an event is refused, or a round cannot be paired.

use thiserror::Error;

use super::event::{Fixture, FixtureNumber};
use super::name::Name;
use super::settings::MAX_ENTRANTS;

/// Why an event does not fit what has happened before.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The organiser has ended the tournament.
    #[error("the tournament has been ended")]
    Ended,
    /// Another round is to be paired.
    #[error("round {found} is paired, but the next one is round {expected}")]
    OtherRound {
        /// The round that is next.
        expected: u32,
        /// The round of the event.
        found: u32,
    },
    /// There is no further round.
    #[error("all rounds that were planned have been paired")]
    NoFurtherRound,
    /// The round before has games without a result.
    #[error("a round is paired before round {0} is over")]
    TooEarly(u32),
    /// Nobody has this name.
    #[error("no player is called {0}")]
    Unknown(Name),
    /// The player has left.
    #[error("{0} has left the tournament")]
    Gone(Name),
    /// The player is paired more than once in a round.
    #[error("{0} is paired twice in one round")]
    Twice(Name),
    /// The player is not paired.
    #[error("{0} is not paired")]
    LeftOut(Name),
    /// Two players have met before.
    #[error("{0} and {1} have met before")]
    Met(Name, Name),
    /// Two players may not meet.
    #[error("{0} and {1} may not meet")]
    Apart(Name, Name),
    /// The player had a bye before, or the like.
    #[error("{0} has no bye, because he has won a round without playing before")]
    SecondBye(Name),
    /// No such game has been paired.
    #[error("there is no {0}")]
    NoSuchGame(FixtureNumber),
    /// Others play this game.
    #[error("this game was paired as {0}")]
    OtherPlayers(Fixture),
    /// The game has a result already.
    #[error("{0} has another result already: only a correction changes it")]
    HasResult(Fixture),
    /// The game has no result.
    #[error("{0} has no result that could be taken back")]
    NoResult(Fixture),
    /// The result has decided who meets whom.
    #[error("{0} cannot be played again, because the next round has been paired")]
    TooLate(Fixture),
    /// A score is no number.
    #[error("a score of {0} is no number that could be written down")]
    Scores(Fixture),
    /// A player of this name is in the tournament.
    #[error("{0} is in the tournament already")]
    Present(Name),
    /// Nobody can enter a round robin that has begun.
    #[error("nobody can enter a round robin late: who meets whom is decided when it begins")]
    Late,
    /// There are [`MAX_ENTRANTS`].
    #[error("there are {MAX_ENTRANTS} players, which is the most there may be")]
    Full,
}

/// Why a round cannot be paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "round {round} cannot be paired for {players} players: in every pairing two of them meet \
     who have met before or may not meet, or somebody has a second bye. A player can enter or \
     leave, or the tournament can be ended"
)]
pub struct NoPairing {
    /// The round, from 1.
    pub round: u32,
    /// How many players there are.
    pub players: usize,
}
