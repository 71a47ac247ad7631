//! How a game is played.

use super::{Komi, Score};

/// The rules that differ between contests; the names are the protocol's
/// (*GameConfiguration*).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Whether the board of two plies ago may not come again.
    pub ko: bool,
    /// Whether no board may come again with the same side to move.
    pub superko: bool,
    /// What White is given.
    pub komi: Komi,
    /// When a game ends because the scores are far apart.
    pub mercy: Mercy,
    /// What counts on the board.
    pub scoring: Scoring,
    /// The points for each prisoner.
    pub prisoner_score: u32,
    /// Whether a pass gives the opponent a prisoner.
    pub pass_adds_to_prisoners: bool,
}

/// What counts on the board (*scoringMethod*).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// A player's stones, and the empty regions that border on them alone.
    #[default]
    Area,
    /// The empty regions that border on a player's stones alone.
    Territory,
}

/// When a game ends because the scores are far apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mercy {
    margin: Score,
    start: u32,
}

impl Mercy {
    /// Never.
    pub const OFF: Mercy = Mercy {
        margin: Score::ZERO,
        start: 0,
    };

    /// As soon as the scores differ by `margin` and `start` moves have been
    /// made, passes among them; never if `margin` is 0. `None` if it is
    /// negative.
    pub fn new(margin: Score, start: u32) -> Option<Mercy> {
        (margin >= Score::ZERO).then_some(Mercy { margin, start })
    }

    /// The difference of the scores that ends a game, komi included; 0 if none
    /// does.
    pub fn margin(self) -> Score {
        self.margin
    }

    /// How many moves must have been made.
    pub fn start(self) -> u32 {
        self.start
    }

    /// Whether a game with so many moves is to be looked at.
    pub(super) fn looks(self, moves: usize) -> bool {
        self.margin > Score::ZERO && moves >= self.start as usize
    }
}

/// The rules of the paper's competition.
impl Default for Rules {
    fn default() -> Rules {
        Rules {
            ko: true,
            superko: true,
            komi: Komi::halves(13),
            mercy: Mercy {
                margin: Score::halves(100),
                start: 100,
            },
            scoring: Scoring::Area,
            prisoner_score: 1,
            pass_adds_to_prisoners: false,
        }
    }
}
