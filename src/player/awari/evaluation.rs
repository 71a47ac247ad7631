//! Scores of positions: static evaluation, finished games, and the bounds of the endgame
//! database.
//!
//! A score is an integer from the point of view of the player to move. Undecided
//! positions are scored in units of 1/16 stone; a won game adds [`WON`].

use crate::awari::{Ending, GameResult, MAJORITY, Pit, Player, Position, STONES};
use crate::endgame::Bounds;

/// The score of one stone.
const STONE: i32 = 16;

/// The score of a won game, without the lead; greater than any static evaluation.
pub(super) const WON: i32 = 10_000;

/// Greater than any score.
pub(super) const INFINITY: i32 = 20_000;

/// The penalty for stones that the database grants but that have not been captured,
/// so that the winner makes progress.
const UNREALIZED_PENALTY: i32 = 4;

/// Returns the score of a game that ends with this lead in stones.
pub(super) fn score_of_lead(lead: i32) -> i32 {
    lead.signum() * WON + lead * STONE
}

/// Returns the lead in stones that a score stands for, rounded.
pub(super) fn lead_of_score(score: i32) -> i32 {
    // Scores of decided games are all close to WON.
    let decided = if score.abs() > WON / 2 { WON } else { 0 };
    let stones = score.abs() - decided;
    (stones + STONE / 2) / STONE * score.signum()
}

/// Returns the score of a finished game for `player`.
pub(super) fn score_of_result(result: GameResult, player: Player) -> i32 {
    let stones = |player| i32::from(result.scores.of(player));
    let (own, other) = (stones(player), stones(player.opponent()));
    score_of_lead(match result.ending {
        // If play went on, the winner would finish with at least as many stones, and
        // the loser with at most the rest.
        Ending::Majority if own >= i32::from(MAJORITY) => 2 * own - i32::from(STONES),
        Ending::Majority => i32::from(STONES) - 2 * other,
        _ => own - other,
    })
}

/// The circumstances in which the database was probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    /// Whether its bounds are proven in this game: true after a capture in the
    /// search. Before one, an earlier position of the game may have cost the player
    /// what the bounds grant.
    pub proven: bool,
    /// Whether the player to move is the one whose move is searched for.
    pub root_player: bool,
}

impl Probe {
    /// Returns the score with the penalty for unrealized stones, unless it is proven:
    /// the winner prefers captured stones, and in a drawn game so does the player whose
    /// move is searched for.
    fn adjust(self, score: i32) -> i32 {
        match score.signum() {
            _ if self.proven => score,
            0 if self.root_player => -UNREALIZED_PENALTY,
            0 => UNREALIZED_PENALTY,
            sign => score - sign * UNREALIZED_PENALTY,
        }
    }
}

/// The bounds of the database on the final lead, in stones.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeadBounds {
    low: i32,
    high: i32,
}

impl LeadBounds {
    pub fn new(position: &Position, bounds: Bounds) -> LeadBounds {
        let captured = position.scores().of(position.to_move());
        let lead = |stones: u8| 2 * i32::from(captured + stones) - i32::from(STONES);
        LeadBounds {
            low: lead(bounds.low),
            high: lead(bounds.high),
        }
    }

    /// Returns whether the bounds determine the winner, or a draw.
    pub fn decides(self) -> bool {
        self.low > 0 || self.high < 0 || self.low == 0 && self.high == 0
    }

    /// Returns whether the bounds are equal.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// Returns the minimum and the maximum score. The range includes both the scores
    /// with and without the penalty, since the stones may be captured deeper in the
    /// search, or not yet.
    pub fn scores(self, probe: Probe) -> (i32, i32) {
        let (low, high) = (score_of_lead(self.low), score_of_lead(self.high));
        (low.min(probe.adjust(low)), high.max(probe.adjust(high)))
    }

    /// Returns the score of a position at the horizon with this static evaluation.
    ///
    /// If the bounds decide the game, this is the bound that is safe for the player
    /// whose move is searched for.
    pub fn at_horizon(self, evaluation: i32, probe: Probe) -> i32 {
        if self.decides() {
            let safe = if probe.root_player {
                self.low
            } else {
                self.high
            };
            return probe.adjust(score_of_lead(safe));
        }
        // A guaranteed draw is better than a position that can only be worse.
        let low = match self.low {
            0 => UNREALIZED_PENALTY + 1,
            low => low * STONE,
        };
        let high = match self.high {
            0 => -UNREALIZED_PENALTY - 1,
            high => high * STONE,
        };
        evaluation.clamp(low, high)
    }
}

/// Returns the static evaluation: an estimate of the final lead for the player to
/// move.
pub(super) fn evaluate(position: &Position) -> i32 {
    let mover = position.to_move();
    let side = |player: Player| {
        let score = i32::from(position.scores().of(player)) * STONE;
        let pits = Pit::of(player).iter().map(|&pit| position.stones(pit));
        pits.fold(score, |sum, stones| sum + pit_value(stones))
    };
    let max = i32::from(STONES) * STONE;
    (side(mover) - side(mover.opponent())).clamp(-max, max)
}

/// Returns the value of a pit to its owner. The weights are those that won most games
/// against neighboring ones.
fn pit_value(stones: u8) -> i32 {
    match stones {
        // An empty pit is one move fewer.
        0 => -STONE * 3 / 2,
        // A pit that sows a full lap may capture on its own way round.
        12.. => STONE / 2,
        _ => 0,
    }
}
