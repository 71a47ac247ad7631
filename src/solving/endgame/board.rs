//! Boards as the player to move sees them: moves, predecessors (unmoves), and indices.
//!
//! The index of a board among those with `n` stones is its rank in the combinatorial number
//! system. Write the board as a row of stars and bars: the `n` stones, and the eleven bars
//! between the pits. If the first `i` pits have `s(i)` stones, the bar after them is at place
//! `s(i) + i - 1`, counted from 0. The index is the sum of `C(s(i) + i - 1, i)` for `i` from
//! 1 to 11. Each choice of eleven places gives one board, so the indices are 0 to
//! `C(n + 11, 11) - 1`.

use super::MAX_STONES;
use crate::games::awari::{GrandSlam, Player, Position};

/// The number of pits on the board.
const PITS: usize = 12;

/// The number of pits of a player.
const SIDE: usize = PITS / 2;

/// The number of bits of a pit, enough for [`MAX_STONES`].
const PIT_BITS: usize = 5;

/// The bits of pit 0.
const PIT_MASK: u64 = (1 << PIT_BITS) - 1;

/// The bits of the pits of the player to move.
const MOVER_MASK: u64 = (1 << (PIT_BITS * SIDE)) - 1;

/// A one in each pit.
const ONES: u64 = {
    let (mut ones, mut pit) = (0, 0);
    while pit < PITS {
        ones |= 1 << (PIT_BITS * pit);
        pit += 1;
    }
    ones
};

/// One more than the largest number of stones.
const COUNTS: usize = MAX_STONES as usize + 1;

/// The stones in the pits in the order of sowing, those of the player to move first; at
/// most [`MAX_STONES`] in total.
///
/// Each pit has five bits, so that sowing is an addition. The moves are those of
/// [`Position::sow`], without scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board(u64);

/// The result of a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Successor {
    /// The board as seen by the opponent, who may have no stones.
    Board(Board),
    /// The game is over, with this share for the player who moved.
    End(u8),
}

/// For each pit of the player to move and each number of stones in it, the number that sowing
/// adds to the board after the pit has been emptied.
static SOWN: [[u64; COUNTS]; SIDE] = {
    let mut sown = [[0; COUNTS]; SIDE];
    let mut pit = 0;
    while pit < SIDE {
        let mut stones = 1;
        while stones < COUNTS {
            sown[pit][stones] = sown[pit][stones - 1] + (1 << (PIT_BITS * last_pit(pit, stones)));
            stones += 1;
        }
        pit += 1;
    }
    sown
};

/// Returns the pit of the last stone when `pit` is sown; the pit of origin is skipped.
const fn last_pit(pit: usize, stones: usize) -> usize {
    (pit + (stones - 1) % (PITS - 1) + 1) % PITS
}

impl Board {
    /// Returns the board of a position, unless it has too many stones.
    #[inline]
    pub fn from_position(position: &Position) -> Option<Board> {
        Board::from_pits(position.pits(), position.to_move())
    }

    /// Returns the board of the stones in the pits from `a` to `F` with `mover` to move,
    /// unless there are too many.
    #[inline]
    pub fn from_pits(pits: &[u8; PITS], mover: Player) -> Option<Board> {
        let (mut board, mut sum) = (0, 0);
        for &stones in pits.iter().rev() {
            board = board << PIT_BITS | u64::from(stones);
            sum += u32::from(stones);
        }
        if sum > u32::from(MAX_STONES) {
            return None;
        }
        Some(match mover {
            Player::North => Board(board),
            Player::South => Board(board).swapped(),
        })
    }

    /// Returns the number of stones on the board.
    #[inline]
    pub fn stones(self) -> u8 {
        // The highest field of the product is the sum of all.
        (self.0.wrapping_mul(ONES) >> (PIT_BITS * (PITS - 1)) & PIT_MASK) as u8
    }

    /// Returns the number of stones in the pits of the player to move.
    #[inline]
    pub fn mover_stones(self) -> u8 {
        Board(self.0 & MOVER_MASK).stones()
    }

    /// Returns the number of stones in a pit.
    #[inline]
    fn pit(self, pit: usize) -> usize {
        (self.0 >> (PIT_BITS * pit) & PIT_MASK) as usize
    }

    /// Returns whether the player to move has no stones, so that the game is over and all
    /// stones are the opponent's.
    #[inline]
    pub fn is_over(self) -> bool {
        self.0 & MOVER_MASK == 0
    }

    /// Returns the board as seen by the other player.
    #[inline]
    pub fn swapped(self) -> Board {
        Board(self.0 >> (PIT_BITS * SIDE) | (self.0 & MOVER_MASK) << (PIT_BITS * SIDE))
    }

    /// Calls `visit` with the results of the legal moves in the order of the pits; not at all
    /// if the player to move has no stones.
    #[inline]
    pub fn successors(self, rule: GrandSlam, mut visit: impl FnMut(Successor)) {
        let mut is_none_better = true;
        for pit in 0..SIDE {
            if let Some((successor, false)) = self.successor(pit, rule) {
                is_none_better = false;
                visit(successor);
            }
        }
        if is_none_better {
            for pit in 0..SIDE {
                if let Some((successor, _)) = self.successor(pit, rule) {
                    visit(successor);
                }
            }
        }
    }

    /// Returns the result of sowing a pit, and whether that is legal only if there are no
    /// other moves; `None` if the pit is empty.
    #[inline]
    fn successor(self, pit: usize, rule: GrandSlam) -> Option<(Successor, bool)> {
        let stones = self.pit(pit);
        if stones == 0 {
            return None;
        }
        let emptied = self.0 & !(PIT_MASK << (PIT_BITS * pit));
        let sown = Board(emptied + SOWN[pit][stones]);
        Some(self.capture(sown, last_pit(pit, stones), rule))
    }

    /// Returns the result of a move whose last stone falls into pit `last`, and whether the
    /// move is legal only if there are no others.
    #[inline]
    fn capture(self, sown: Board, last: usize, rule: GrandSlam) -> (Successor, bool) {
        let mut count = 0;
        while last >= SIDE + count && matches!(sown.pit(last - count), 2 | 3) {
            count += 1;
        }
        let taken = |count: usize| {
            let pits = last + 1 - count..last + 1;
            pits.fold(0, |mask, pit| mask | PIT_MASK << (PIT_BITS * pit))
        };
        let had_stones = self.0 & !MOVER_MASK != 0;
        let is_slam = had_stones && count > 0 && sown.0 & !MOVER_MASK & !taken(count) == 0;
        let count = match rule {
            GrandSlam::CapturesNothing if is_slam => 0,
            GrandSlam::SparesLast if is_slam => count - 1,
            GrandSlam::FirstOnly if is_slam => 1,
            _ => count,
        };
        let next = Board(sown.0 & !taken(count));
        if is_slam && rule == GrandSlam::EndsGame {
            // The player gets the captured stones, the opponent the rest.
            return (Successor::End(Board(sown.0 & !MOVER_MASK).stones()), false);
        }
        let starves = !had_stones && next.0 & !MOVER_MASK == 0;
        let is_last_resort = starves || is_slam && rule == GrandSlam::Forbidden;
        (Successor::Board(next.swapped()), is_last_resort)
    }

    /// Calls `found` with every board from which a move without a capture leads to this one,
    /// and possibly with others.
    #[inline]
    pub fn predecessors(self, mut found: impl FnMut(Board)) {
        let board = self.swapped().0;
        for (pit, sown) in SOWN.iter().enumerate() {
            // The pit that is sown is empty afterwards.
            if Board(board).pit(pit) > 0 {
                continue;
            }
            let mut rest = board;
            for stones in 1..sown.len() {
                let last = last_pit(pit, stones);
                if Board(rest).pit(last) == 0 {
                    break;
                }
                rest -= 1 << (PIT_BITS * last);
                found(Board(rest | (stones as u64) << (PIT_BITS * pit)));
            }
        }
    }

    /// Returns the stones in the pits from `a` to `F` if `mover` is to move.
    pub fn pits(self, mover: Player) -> [u8; PITS] {
        let board = match mover {
            Player::North => self,
            Player::South => self.swapped(),
        };
        std::array::from_fn(|pit| board.pit(pit) as u8)
    }
}

/// The number of bars between the pits.
const BARS: usize = PITS - 1;

/// The number that each bar adds to the index, by the number of stones before it.
static BAR_VALUES: [[u32; COUNTS]; BARS] = {
    let mut bar = [[0; COUNTS]; BARS];
    let mut i = 0;
    while i < BARS {
        let mut stones = 0;
        while stones < COUNTS {
            bar[i][stones] = binomial(stones + i, i + 1) as u32;
            stones += 1;
        }
        i += 1;
    }
    bar
};

/// The number of bits of two adjacent pits.
const PAIR_BITS: usize = 2 * PIT_BITS;

/// The sums that pairs of adjacent bars add to the index, by the numbers of stones before
/// both; the last bar has no partner.
static BAR_PAIRS: [[u32; 1 << PAIR_BITS]; PITS / 2] = {
    let mut pairs = [[0; 1 << PAIR_BITS]; PITS / 2];
    let mut pair = 0;
    while pair < PITS / 2 {
        let mut both = 0;
        while both < 1 << PAIR_BITS {
            let (first, second) = (both & ((1 << PIT_BITS) - 1), both >> PIT_BITS);
            if first < COUNTS && second < COUNTS {
                pairs[pair][both] = BAR_VALUES[2 * pair][first];
                if 2 * pair + 1 < BARS {
                    pairs[pair][both] += BAR_VALUES[2 * pair + 1][second];
                }
            }
            both += 1;
        }
        pair += 1;
    }
    pairs
};

/// Returns the binomial coefficient `C(n, k)`.
const fn binomial(n: usize, k: usize) -> usize {
    let (mut product, mut i) = (1, 0);
    while i < k {
        if n < k {
            return 0;
        }
        product = product * (n - i) / (i + 1);
        i += 1;
    }
    product
}

/// The number of boards with fewer stones than this.
static COUNTS_BELOW: [usize; COUNTS + 1] = {
    let mut below = [0; COUNTS + 1];
    let mut stones = 1;
    while stones <= COUNTS {
        below[stones] = binomial(stones - 1 + PITS, PITS);
        stones += 1;
    }
    below
};

impl Board {
    /// Returns the number of boards with `stones` stones.
    pub const fn count(stones: u8) -> usize {
        binomial(stones as usize + BARS, BARS)
    }

    /// Returns the number of boards with fewer than `stones` stones, at most one more than
    /// [`MAX_STONES`].
    #[inline]
    pub fn count_below(stones: u8) -> usize {
        COUNTS_BELOW[usize::from(stones)]
    }

    /// Returns the index among the boards with the same number of stones.
    #[inline]
    pub fn index(self) -> usize {
        // Each field of the product is the sum of the pits up to it.
        let before = self.0.wrapping_mul(ONES);
        let mut index = 0;
        for (pair, bars) in BAR_PAIRS.iter().enumerate() {
            let both = before >> (PAIR_BITS * pair) & ((1 << PAIR_BITS) - 1);
            index += bars[both as usize] as usize;
        }
        index
    }

    /// Returns the board with `stones` stones and this index, which must be less than
    /// the number of such boards.
    pub fn from_index(stones: u8, index: usize) -> Board {
        let mut rest = index;
        let mut board = 0;
        let mut after = stones as usize;
        for (i, bar) in BAR_VALUES.iter().enumerate().rev() {
            let fits = |&&value: &&u32| value as usize <= rest;
            let before = bar.iter().take(after + 1).take_while(fits).count() - 1;
            rest -= bar[before] as usize;
            board |= ((after - before) as u64) << (PIT_BITS * (i + 1));
            after = before;
        }
        Board(board | after as u64)
    }

    /// Returns the board with the next index, if there is one.
    #[inline]
    pub fn next(self) -> Option<Board> {
        // Moves the first bar that can move by one stone, and all bars before it to the start,
        // so that all stones before it lie in pit 0.
        let first = self.0 & ((1 << PIT_BITS) - 1);
        let rest = self.0 - first;
        if rest == 0 {
            return None;
        }
        let pit = rest.trailing_zeros() as usize / PIT_BITS;
        Some(Board(
            rest - (1 << (PIT_BITS * pit)) + ((first + 1) << (PIT_BITS * (pit - 1))),
        ))
    }
}
