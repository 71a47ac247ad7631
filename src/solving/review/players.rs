//! The statistics of a player: in one game, and in several.

use super::{Judgment, Ply};

/// A player's moves in a game, counted. Moves whose cost is not known yet do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PlayerReview {
    /// The moves whose cost is known.
    pub moves: u32,
    /// Those of them that lost nothing.
    pub perfect: u32,
    /// Those of them that kept the result, whether or not they lost stones.
    pub kept_result: u32,
    /// The stones that all of them lost.
    pub lost: u32,
    /// The number of the first move that lost stones.
    pub first_mistake: Option<usize>,
    /// The number of the first move that lost the result.
    pub first_blunder: Option<usize>,
}

impl PlayerReview {
    /// Returns the share of the moves that lost nothing; `None` without moves.
    pub fn perfect_share(&self) -> Option<f64> {
        share(self.perfect.into(), self.moves.into())
    }

    /// Returns the share of the moves that kept the result; `None` without moves.
    pub fn kept_result_share(&self) -> Option<f64> {
        share(self.kept_result.into(), self.moves.into())
    }

    fn add(&mut self, ply: &Ply) {
        let Some((lost, judgment)) = ply.lost.zip(ply.judgment) else {
            return;
        };
        self.moves += 1;
        self.perfect += u32::from(judgment == Judgment::Perfect);
        self.kept_result += u32::from(judgment != Judgment::Blunder);
        self.lost += u32::from(lost);
        if lost > 0 {
            self.first_mistake.get_or_insert(ply.ply);
        }
        if judgment == Judgment::Blunder {
            self.first_blunder.get_or_insert(ply.ply);
        }
    }
}

/// Counts the moves of one player, in the order of the game.
impl FromIterator<Ply> for PlayerReview {
    fn from_iter<I: IntoIterator<Item = Ply>>(plies: I) -> PlayerReview {
        let mut review = PlayerReview::default();
        for ply in plies {
            review.add(&ply);
        }
        review
    }
}

/// The statistics of several games of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// The number of games.
    pub games: u64,
    /// The number of moves.
    pub moves: u64,
    /// The stones that all moves lost.
    pub lost: u64,
    perfect: u64,
    kept_result: u64,
    /// The number of the first mistake in each game that has one.
    first_mistakes: Vec<usize>,
    /// The number of the first blunder in each game that has one.
    first_blunders: Vec<usize>,
}

impl Tally {
    /// Adds a game.
    pub fn add(&mut self, game: &PlayerReview) {
        self.games += 1;
        self.moves += u64::from(game.moves);
        self.perfect += u64::from(game.perfect);
        self.kept_result += u64::from(game.kept_result);
        self.lost += u64::from(game.lost);
        self.first_mistakes.extend(game.first_mistake);
        self.first_blunders.extend(game.first_blunder);
    }

    /// Returns the share of the moves that lost nothing; `None` without moves.
    pub fn perfect_share(&self) -> Option<f64> {
        share(self.perfect, self.moves)
    }

    /// Returns the share of the moves that kept the result; `None` without moves.
    pub fn kept_result_share(&self) -> Option<f64> {
        share(self.kept_result, self.moves)
    }

    /// Returns the games without a move that lost stones.
    pub fn perfect_games(&self) -> u64 {
        self.games - self.first_mistakes.len() as u64
    }

    /// Returns the median of the numbers of the first mistakes, of the games that have one:
    /// the lower of the two in the middle.
    pub fn typical_first_mistake(&self) -> Option<usize> {
        median(&self.first_mistakes)
    }

    /// Returns the median of the numbers of the first blunders, likewise.
    pub fn typical_first_blunder(&self) -> Option<usize> {
        median(&self.first_blunders)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn median(numbers: &[usize]) -> Option<usize> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}
