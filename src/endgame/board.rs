//! The pits as the player to move sees them, and where his moves lead.

use arrayvec::ArrayVec;

use super::MAX_STONES;
use crate::awari::{GrandSlam, Player, Position};

/// How many pits there are.
pub(super) const PITS: usize = 12;

/// How many pits a player has.
const SIDE: usize = PITS / 2;

/// Bits for a pit: one holds all the stones that a database can have.
pub(super) const BITS: usize = 5;

/// The bits of one pit.
pub(super) const PIT: u64 = (1 << BITS) - 1;

/// The bits of the pits of the player to move.
const MINE: u64 = (1 << (BITS * SIDE)) - 1;

/// A one in each pit.
pub(super) const ONES: u64 = {
    let (mut ones, mut pit) = (0, 0);
    while pit < PITS {
        ones |= 1 << (BITS * pit);
        pit += 1;
    }
    ones
};

/// One more than the most stones that can lie in a pit.
const COUNTS: usize = MAX_STONES as usize + 1;

/// The pits in the order of sowing, those of the player to move first, with at
/// most [`MAX_STONES`] stones in all. Whose pits they are does not matter: the
/// board is the same for both players.
///
/// A pit is five bits, so that sowing is an addition. What is legal and what is
/// captured is what [`Position::sow`] says; that one also has to know the scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Board(pub(super) u64);

/// Where a legal move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// A board that the opponent sees so. He may have no stones.
    Next(Board),
    /// The game is over, and the player who moved has so many of the stones.
    End(u8),
}

/// What sowing each of the mover's pits adds to the board, by the number of
/// stones in it; the pit itself is not emptied.
static SOWN: [[u64; COUNTS]; SIDE] = {
    let mut sown = [[0; COUNTS]; SIDE];
    let mut pit = 0;
    while pit < SIDE {
        let mut stones = 1;
        while stones < COUNTS {
            sown[pit][stones] = sown[pit][stones - 1] + (1 << (BITS * last_pit(pit, stones)));
            stones += 1;
        }
        pit += 1;
    }
    sown
};

/// Where the last of some stones comes to lie: the pit itself is skipped.
const fn last_pit(pit: usize, stones: usize) -> usize {
    (pit + (stones - 1) % (PITS - 1) + 1) % PITS
}

impl Board {
    /// The board of a position, if a database can have it.
    pub(super) fn of(position: &Position) -> Option<Board> {
        Board::of_pits(position.pits(), position.to_move())
    }

    /// The board of the stones in the pits from `a` to `F`, if a database can
    /// have it and `mover` is to move.
    pub(super) fn of_pits(pits: &[u8; PITS], mover: Player) -> Option<Board> {
        let sum: u32 = pits.iter().map(|&stones| u32::from(stones)).sum();
        if sum > u32::from(MAX_STONES) {
            return None;
        }
        let board = pits
            .iter()
            .rev()
            .fold(0, |board, &stones| board << BITS | u64::from(stones));
        Some(match mover {
            Player::North => Board(board),
            Player::South => Board(board).turned(),
        })
    }

    /// How many stones are on it.
    pub(super) fn stones(self) -> u8 {
        // The highest field of the product is the sum of all.
        (self.0.wrapping_mul(ONES) >> (BITS * (PITS - 1)) & PIT) as u8
    }

    /// How many stones are in the pits of the player to move.
    pub(super) fn mine(self) -> u8 {
        Board(self.0 & MINE).stones()
    }

    /// How many stones are in a pit.
    #[inline]
    pub(super) fn pit(self, pit: usize) -> usize {
        (self.0 >> (BITS * pit) & PIT) as usize
    }

    /// Whether the player to move has none: then the game is over, and all are
    /// the opponent's.
    #[inline]
    pub(super) fn is_over(self) -> bool {
        self.0 & MINE == 0
    }

    /// The board as the other player sees it.
    #[inline]
    pub(super) fn turned(self) -> Board {
        Board(self.0 >> (BITS * SIDE) | (self.0 & MINE) << (BITS * SIDE))
    }

    /// Where the legal moves lead, from the mover's first pit on; nowhere if he
    /// has no stones.
    #[inline]
    pub(super) fn moves(self, rule: GrandSlam) -> ArrayVec<Reached, SIDE> {
        let mut moves = ArrayVec::new();
        let mut bad = ArrayVec::<Reached, SIDE>::new();
        for (pit, sown) in SOWN.iter().enumerate() {
            let stones = self.pit(pit);
            if stones == 0 {
                continue;
            }
            let emptied = self.0 & !(PIT << (BITS * pit));
            let sown = Board(emptied + sown[stones]);
            let (reached, is_bad) = self.captured(sown, last_pit(pit, stones), rule);
            if is_bad {
                bad.push(reached);
            } else {
                moves.push(reached);
            }
        }
        // What is bad may be played if there is nothing else.
        if moves.is_empty() { bad } else { moves }
    }

    /// Where a move leads whose last stone came to lie in a pit, and whether it
    /// may be played only if there is nothing else.
    #[inline]
    fn captured(self, sown: Board, last: usize, rule: GrandSlam) -> (Reached, bool) {
        let is_vulnerable = |pit: &usize| matches!(sown.pit(*pit), 2 | 3);
        let count = (SIDE..=last).rev().take_while(is_vulnerable).count();
        let taken = |count: usize| {
            let pits = last + 1 - count..last + 1;
            pits.fold(0, |mask, pit| mask | PIT << (BITS * pit))
        };
        let had_stones = self.0 & !MINE != 0;
        let is_slam = had_stones && count > 0 && sown.0 & !MINE & !taken(count) == 0;
        let count = match rule {
            GrandSlam::CapturesNothing if is_slam => 0,
            GrandSlam::SparesLast if is_slam => count - 1,
            GrandSlam::FirstOnly if is_slam => 1,
            _ => count,
        };
        let next = Board(sown.0 & !taken(count));
        if is_slam && rule == GrandSlam::EndsGame {
            // The mover has what he captures; the rest is the opponent's.
            return (Reached::End(Board(sown.0 & !MINE).stones()), false);
        }
        let starves = !had_stones && next.0 & !MINE == 0;
        let is_bad = starves || is_slam && rule == GrandSlam::Forbidden;
        (Reached::Next(next.turned()), is_bad)
    }

    /// Boards from which a move that captures nothing may lead to this one: all
    /// of them, and some from which none does.
    #[inline]
    pub(super) fn before(self, mut found: impl FnMut(Board)) {
        let board = self.turned().0;
        for (pit, sown) in SOWN.iter().enumerate() {
            // It was emptied, and skipped.
            if Board(board).pit(pit) > 0 {
                continue;
            }
            let mut rest = board;
            for stones in 1..sown.len() {
                let last = last_pit(pit, stones);
                if Board(rest).pit(last) == 0 {
                    break;
                }
                rest -= 1 << (BITS * last);
                found(Board(rest | (stones as u64) << (BITS * pit)));
            }
        }
    }

    /// The stones in the pits from `a` to `F`, if `mover` is to move.
    pub(super) fn pits(self, mover: Player) -> [u8; PITS] {
        let board = match mover {
            Player::North => self,
            Player::South => self.turned(),
        };
        std::array::from_fn(|pit| board.pit(pit) as u8)
    }
}
