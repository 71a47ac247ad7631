//! How a game ends.

use std::fmt;

use super::Color;

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ending {
    /// What ended it.
    pub reason: Reason,
    /// Who won; `None` if the scores are equal.
    pub winner: Option<Color>,
}

/// What ends a game by its rules. (A clock or the organiser may end it, too.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Two passes in a row.
    Pass,
    /// A player resigned: the opponent wins whatever the scores are.
    Resign,
    /// The scores were too far apart ([`Mercy`](super::Mercy)).
    Mercy,
}

/// Writes the word of the protocol: `pass`, `resign` or `mercy`.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Reason::Pass => "pass",
            Reason::Resign => "resign",
            Reason::Mercy => "mercy",
        })
    }
}
