//! What a position is worth to the player to move, as the search compares it.

use crate::awari::{ENOUGH, Ending, Outcome, Pit, Player, Position, STONES};
use crate::endgame::Bounds;

/// What one stone is worth.
const STONE: i32 = 16;

/// More than any estimate: a game that is won is worth this and its stones.
pub(super) const WON: i32 = 10_000;

/// More than any value.
pub(super) const INFINITY: i32 = 20_000;

/// What a promise is less than what it promises.
const UNREALISED: i32 = 4;

/// How sure the margins of a position are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sureness {
    /// Whether they are proven, or only promised.
    pub proven: bool,
    /// Whether the player whose move is searched for is to move, or his opponent.
    pub ours: bool,
}

/// A game that ends with so many stones more than the opponent's.
pub(super) fn of_margin(margin: i32) -> i32 {
    margin.signum() * WON + margin * STONE
}

/// The margin that a value stands for, rounded to whole stones.
pub(super) fn margin(value: i32) -> i32 {
    // The least value of a game that is won is not far from it.
    let decided = if value.abs() > WON / 2 { WON } else { 0 };
    let stones = value.abs() - decided;
    (stones + STONE / 2) / STONE * value.signum()
}

/// The value of a game that is over.
pub(super) fn of_outcome(outcome: Outcome, player: Player) -> i32 {
    let score = |player| i32::from(outcome.scores.of(player));
    let (mine, other) = (score(player), score(player.opponent()));
    of_margin(match outcome.ending {
        // If they went on the winner would have no fewer in the end, and the
        // loser no more than the rest.
        Ending::Enough if mine >= i32::from(ENOUGH) => 2 * mine - i32::from(STONES),
        Ending::Enough => i32::from(STONES) - 2 * other,
        _ => mine - other,
    })
}

/// What a database says of a position: least and greatest margin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margins {
    low: i32,
    high: i32,
}

impl Margins {
    pub(super) fn new(position: &Position, bounds: Bounds) -> Margins {
        let captured = position.scores().of(position.to_move());
        let margin = |stones: u8| 2 * i32::from(captured + stones) - i32::from(STONES);
        Margins {
            low: margin(bounds.low),
            high: margin(bounds.high),
        }
    }

    /// Whether they tell who wins, or that nobody does.
    pub(super) fn decides(self) -> bool {
        self.low > 0 || self.high < 0 || self.low == 0 && self.high == 0
    }

    /// Whether they are the same.
    pub(super) fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// The least and the greatest value. What is promised may have been captured
    /// further on, or not yet.
    pub(super) fn values(self, sureness: Sureness) -> (i32, i32) {
        let (low, high) = (of_margin(self.low), of_margin(self.high));
        let (lower, higher) = (sureness.of(low), sureness.of(high));
        (low.min(lower), high.max(higher))
    }

    /// The value of a position that is not searched further, with this estimate:
    /// of margins that decide the game what the player whose move is searched for
    /// is sure of.
    pub(super) fn at_horizon(self, estimate: i32, sureness: Sureness) -> i32 {
        if self.decides() {
            let sure = if sureness.ours { self.low } else { self.high };
            return sureness.of(of_margin(sure));
        }
        // A draw that is promised is better than what can only be worse.
        let low = match self.low {
            0 => UNREALISED + 1,
            low => low * STONE,
        };
        let high = match self.high {
            0 => -UNREALISED - 1,
            high => high * STONE,
        };
        estimate.clamp(low, high)
    }
}

impl Sureness {
    /// What a value is worth if it is so sure: whoever wins would rather have
    /// captured the stones than go on, and in a drawn game so would the player
    /// whose move is searched for.
    fn of(self, value: i32) -> i32 {
        match value.signum() {
            _ if self.proven => value,
            0 if self.ours => -UNREALISED,
            0 => UNREALISED,
            sign => value - sign * UNREALISED,
        }
    }
}

/// An estimate of the stones that the player to move will have more than the
/// opponent.
pub(super) fn estimate(position: &Position) -> i32 {
    let mover = position.to_move();
    let side = |player: Player| {
        let score = i32::from(position.scores().of(player)) * STONE;
        let pits = Pit::of(player).iter().map(|&pit| position.stones(pit));
        pits.fold(score, |sum, stones| sum + pit_value(stones))
    };
    let most = i32::from(STONES) * STONE;
    (side(mover) - side(mover.opponent())).clamp(-most, most)
}

/// What the stones in a pit are worth to its owner. The numbers are those that won
/// most against others like them.
fn pit_value(stones: u8) -> i32 {
    match stones {
        // There is one move less.
        0 => -STONE * 3 / 2,
        // A lap takes it round to where it may capture.
        12.. => STONE / 2,
        _ => 0,
    }
}
