//! A position of a game that goes on.

use std::ops::Range;

use super::pit::{PITS, SIDE};
use super::{ENOUGH, Ending, GrandSlam, Outcome, Pit, Player, Repetition, STONES, Scores, Variant};

/// A position in which a player is to move: the stones in the pits, those
/// captured, and whose turn it is.
///
/// A position goes on by construction: there are 48 stones in all, nobody has
/// captured 25, and the player to move has a stone. A game that is over has no
/// position: [`Position::sow`] gives its outcome instead. What was there before is
/// not part of a position, so that repetition is the business of the
/// [game](super::Game).
///
/// ```
/// use gothello::awari::{Next, Position, Variant};
/// let start = Position::START;
/// assert_eq!(start.legal_moves(Variant::default()).count(), 6);
/// let Ok(Next::Continues(next)) = start.sow("F".parse().unwrap(), Variant::default()) else {
///     panic!();
/// };
/// assert_eq!(next.to_string(), "5,5,5,5,4,4/4,4,4,4,4,0 0 0 n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pits: [u8; PITS],
    scores: Scores,
    to_move: Player,
}

/// What a legal move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The game goes on, unless the position was there before.
    Continues(Position),
    /// The game is over.
    Ends(Outcome),
}

/// Why some stones are no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalPosition {
    /// There are always 48 stones.
    #[error("there are {0} stones on the board and captured, not {STONES}")]
    Stones(u32),
    /// With so many the game would be over.
    #[error("{0} has captured {1} stones: with {ENOUGH} or more the game is over")]
    Enough(Player, u8),
    /// Without a move the game would be over.
    #[error("{0} is to move and has no stones: the game is over")]
    NoMove(Player),
}

/// Why a move is against the rules (*IllegalMove*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// It is the other player's pit.
    #[error("{0} is not {1}'s pit")]
    NotYours(Pit, Player),
    /// There is nothing to sow.
    #[error("{0} is empty")]
    Empty(Pit),
    /// The opponent has no stones and would have none, and another move gives
    /// him some.
    #[error("{0} leaves the opponent without stones")]
    Starves(Pit),
    /// All of the opponent's stones would be captured, which this variant
    /// forbids.
    #[error("{0} captures all of the opponent's stones, which is not allowed")]
    GrandSlam(Pit),
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

/// So many stones are sown until each other pit has one more.
const LAP: usize = PITS - 1;

/// How many stones come into each pit when a pit with so many is sown.
static SOWN: [[[u8; PITS]; STONES as usize + 1]; PITS] = {
    let mut sown = [[[0; PITS]; STONES as usize + 1]; PITS];
    let mut pit = 0;
    while pit < PITS {
        let mut stones = 1;
        while stones <= STONES as usize {
            sown[pit][stones] = sown[pit][stones - 1];
            let last = Pit::ALL[pit].after((stones - 1) % LAP + 1);
            sown[pit][stones][last.index()] += 1;
            stones += 1;
        }
        pit += 1;
    }
    sown
};

/// What sowing a pit does, before it is asked whether it is legal.
struct Sown {
    pits: [u8; PITS],
    captured: u8,
    /// Whether all of the opponent's stones are captured, or would be.
    is_slam: bool,
}

impl Position {
    /// Four stones in each pit, and South to move (*InitAwariBoard*).
    pub const START: Position = Position {
        pits: [4; PITS],
        scores: Scores { south: 0, north: 0 },
        to_move: Player::South,
    };

    /// The position with these stones in the pits, in the order of
    /// [`Pit::ALL`], these captured, and `to_move` on turn.
    ///
    /// # Errors
    /// If there are not 48 stones in all, or the game would be over.
    pub fn new(
        pits: [u8; PITS],
        scores: Scores,
        to_move: Player,
    ) -> Result<Position, IllegalPosition> {
        let counts = pits.iter().chain([&scores.south, &scores.north]);
        let stones = counts.map(|&count| u32::from(count)).sum();
        if stones != u32::from(STONES) {
            return Err(IllegalPosition::Stones(stones));
        }
        for player in Player::ALL {
            let score = scores.of(player);
            if score >= ENOUGH {
                return Err(IllegalPosition::Enough(player, score));
            }
        }
        let position = Position {
            pits,
            scores,
            to_move,
        };
        if position.stones_of(to_move) == 0 {
            return Err(IllegalPosition::NoMove(to_move));
        }
        Ok(position)
    }

    /// The player to move.
    #[inline]
    pub const fn to_move(&self) -> Player {
        self.to_move
    }

    /// How many stones are in a pit.
    #[inline]
    pub const fn stones(&self, pit: Pit) -> u8 {
        self.pits[pit.index()]
    }

    /// The stones in each pit, in the order of [`Pit::ALL`].
    #[inline]
    pub const fn pits(&self) -> &[u8; PITS] {
        &self.pits
    }

    /// How many stones each player has captured.
    #[inline]
    pub const fn scores(&self) -> Scores {
        self.scores
    }

    /// How many stones are on a player's side.
    #[inline]
    pub fn stones_of(&self, player: Player) -> u8 {
        side_sum(&self.pits, player)
    }

    /// Every legal move, in the order of [`Pit::ALL`]. There is at least one.
    pub fn legal_moves(&self, variant: Variant) -> impl Iterator<Item = Pit> {
        // Mostly every pit with stones can be sown.
        let any = variant.grand_slam != GrandSlam::Forbidden
            && self.stones_of(self.to_move.opponent()) > 0;
        let legal = move |&pit: &Pit| match any {
            true => self.stones(pit) > 0,
            false => self.check(pit, variant).is_ok(),
        };
        Pit::of(self.to_move).iter().copied().filter(legal)
    }

    /// What sowing a pit leads to.
    ///
    /// # Errors
    /// If the move is against the rules.
    pub fn sow(&self, pit: Pit, variant: Variant) -> Result<Next, IllegalMove> {
        let sown = self.check(pit, variant)?;
        let (mover, opponent) = (self.to_move, self.to_move.opponent());
        let scores = self.scores.plus(mover, sown.captured);
        let ends = |scores, pits, ending| {
            Ok(Next::Ends(Outcome {
                scores,
                pits,
                ending,
            }))
        };
        if sown.is_slam && variant.grand_slam == GrandSlam::EndsGame {
            // Of the opponent's stones none are left (*ForfeitStones*).
            let rest = side_sum(&sown.pits, mover);
            return ends(scores.plus(opponent, rest), [0; PITS], Ending::GrandSlam);
        }
        if scores.of(mover) >= ENOUGH {
            return ends(scores, sown.pits, Ending::Enough);
        }
        let next = Position {
            pits: sown.pits,
            scores,
            to_move: opponent,
        };
        if next.stones_of(opponent) == 0 {
            return ends(next.claimed(), [0; PITS], Ending::NoMove);
        }
        Ok(Next::Continues(next))
    }

    /// The stones that a move leaves in each pit, in the order of [`Pit::ALL`],
    /// whether the game then goes on or not.
    ///
    /// # Errors
    /// If the move is against the rules.
    pub fn pits_after(&self, pit: Pit, variant: Variant) -> Result<[u8; PITS], IllegalMove> {
        self.check(pit, variant).map(|sown| sown.pits)
    }

    /// The opponent's pits from which a move captures, in the order of
    /// [`Pit::ALL`].
    ///
    /// # Errors
    /// If the move is against the rules.
    pub fn captured_from(
        &self,
        pit: Pit,
        variant: Variant,
    ) -> Result<impl Iterator<Item = Pit>, IllegalMove> {
        let left = self.check(pit, variant)?.pits;
        let (before, received) = (self.pits, &SOWN[pit.index()][usize::from(self.stones(pit))]);
        let pits = Pit::of(self.to_move.opponent()).iter().copied();
        // Stones leave a pit of the opponent only when they are captured.
        Ok(pits.filter(move |other| {
            let place = other.index();
            left[place] < before[place] + received[place]
        }))
    }

    /// The scores when each player has the stones on his side (*ClaimStones*).
    pub fn claimed(&self) -> Scores {
        let claim = |scores: Scores, player| scores.plus(player, self.stones_of(player));
        Player::ALL.into_iter().fold(self.scores, claim)
    }

    /// How a game ends in which this position has come up again.
    pub fn repeated(&self, repetition: Repetition) -> Outcome {
        let (scores, pits) = match repetition {
            Repetition::Claim => (self.claimed(), [0; PITS]),
            Repetition::Discard => (self.scores, self.pits),
        };
        Outcome {
            scores,
            pits,
            ending: Ending::Repetition,
        }
    }

    /// What sowing a pit does, if it is legal.
    #[inline]
    fn check(&self, pit: Pit, variant: Variant) -> Result<Sown, IllegalMove> {
        if pit.owner() != self.to_move {
            return Err(IllegalMove::NotYours(pit, self.to_move));
        }
        if self.stones(pit) == 0 {
            return Err(IllegalMove::Empty(pit));
        }
        let sown = self.sown(pit, variant.grand_slam);
        let opponent = self.to_move.opponent();
        let is_bad = |sown: &Sown| match variant.grand_slam {
            GrandSlam::Forbidden if sown.is_slam => true,
            _ => self.stones_of(opponent) == 0 && side_sum(&sown.pits, opponent) == 0,
        };
        if !is_bad(&sown) {
            return Ok(sown);
        }
        // It is legal all the same if every move is as bad.
        let others = Pit::of(self.to_move).iter();
        let mut others = others.filter(|&&other| self.stones(other) > 0);
        if others.all(|&other| is_bad(&self.sown(other, variant.grand_slam))) {
            return Ok(sown);
        }
        Err(if sown.is_slam {
            IllegalMove::GrandSlam(pit)
        } else {
            IllegalMove::Starves(pit)
        })
    }

    /// Sows a pit of the player to move that is not empty, and captures
    /// (*Sow*, *Capture*).
    #[inline]
    fn sown(&self, pit: Pit, grand_slam: GrandSlam) -> Sown {
        let opponent = self.to_move.opponent();
        let mut pits = self.pits;
        let stones = usize::from(self.stones(pit));
        pits[pit.index()] = 0;
        for (stones, more) in pits.iter_mut().zip(&SOWN[pit.index()][stones]) {
            *stones += more;
        }
        let last = pit.after((stones - 1) % LAP + 1).index();
        let first = Pit::of(opponent)[0].index();
        // None, if the last stone is on the player's own side.
        let reach = if (first..first + SIDE).contains(&last) {
            first..last + 1
        } else {
            0..0
        };
        let vulnerable = |place: &usize| matches!(pits[*place], 2 | 3);
        let count = reach.rev().take_while(vulnerable).count();
        if count == 0 {
            return Sown {
                pits,
                captured: 0,
                is_slam: false,
            };
        }
        let taken = |count: usize| last + 1 - count..last + 1;
        let stones_in = |places: Range<usize>| pits[places].iter().sum::<u8>();
        // All that are there, and there were some before.
        let is_slam =
            stones_in(taken(count)) == side_sum(&pits, opponent) && self.stones_of(opponent) > 0;
        let count = match grand_slam {
            GrandSlam::CapturesNothing if is_slam => 0,
            GrandSlam::SparesLast if is_slam => count - 1,
            GrandSlam::FirstOnly if is_slam => 1,
            _ => count,
        };
        let captured = stones_in(taken(count));
        pits[taken(count)].fill(0);
        Sown {
            pits,
            captured,
            is_slam,
        }
    }
}

/// How many stones are on a player's side.
#[inline]
fn side_sum(pits: &[u8; PITS], player: Player) -> u8 {
    let (north, south) = pits.split_at(SIDE);
    let side = match player {
        Player::North => north,
        Player::South => south,
    };
    side.iter().sum()
}

impl Default for Position {
    fn default() -> Position {
        Position::START
    }
}
