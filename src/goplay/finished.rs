//! How a game ended for our side.

use std::fmt;

use crate::go::{ByColor, Color};
use crate::goref::wire::{Decimal, Reason};

/// How a game ended for our side, by the server's word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finished {
    /// Our side.
    pub color: Color,
    /// Who has won; nobody in a tie.
    pub winner: Option<Color>,
    /// Why it is over.
    pub reason: Reason,
    /// The scores.
    pub scores: ByColor<Decimal>,
    /// How many moves were made, passes among them.
    pub moves: usize,
}

/// Writes a line like `won as Black: B+3.5 by pass, B 44, W 40.5, 70 moves`.
impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.winner {
            None => "drawn",
            Some(winner) if winner == self.color => "won",
            Some(_) => "lost",
        };
        write!(f, "{how} as {}: ", self.color)?;
        let ByColor { black, white } = self.scores.map(|score| score.0);
        match (self.winner, self.reason) {
            (None, _) => f.write_str("0")?,
            (Some(winner), Reason::Resign) => write!(f, "{}+R", winner.capital())?,
            (Some(winner), Reason::Timeout) => write!(f, "{}+T", winner.capital())?,
            (Some(winner), _) => write!(f, "{}+{}", winner.capital(), (black - white).abs())?,
        }
        write!(
            f,
            " by {}, B {black}, W {white}, {} moves",
            self.reason, self.moves
        )
    }
}
