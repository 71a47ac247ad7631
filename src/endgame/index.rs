//! The number of a board among all with as many stones.
//!
//! With `s(i)` stones in the first `i` pits, the number is the sum of the
//! binomial coefficients `C(s(i) + i - 1, i)` for `i` from 1 to 11: the places
//! `s(i) + i - 1` are those of the eleven walls between the pits in a row of
//! stones and walls, and any eleven different places are such walls. This is the
//! combinatorial number system; the numbers go from 0 to `C(n + 11, 11) - 1`.

use super::MAX_STONES;
use super::board::{BITS, Board, ONES, PITS};

/// The walls between the pits.
const WALLS: usize = PITS - 1;

/// One more than the most stones.
const COUNTS: usize = MAX_STONES as usize + 1;

/// What a wall adds to the number, by the number of stones before it.
static WALL: [[u32; COUNTS]; WALLS] = {
    let mut wall = [[0; COUNTS]; WALLS];
    let mut i = 0;
    while i < WALLS {
        let mut stones = 0;
        while stones < COUNTS {
            wall[i][stones] = binomial(stones + i, i + 1) as u32;
            stones += 1;
        }
        i += 1;
    }
    wall
};

/// Two fields of a word.
const TWO: usize = 2 * BITS;

/// What two walls next to each other add, by the two numbers of stones: the last
/// one stands alone.
static WALLS_IN_PAIRS: [[u32; 1 << TWO]; PITS / 2] = {
    let mut pairs = [[0; 1 << TWO]; PITS / 2];
    let mut pair = 0;
    while pair < PITS / 2 {
        let mut both = 0;
        while both < 1 << TWO {
            let (first, second) = (both & ((1 << BITS) - 1), both >> BITS);
            if first < COUNTS && second < COUNTS {
                pairs[pair][both] = WALL[2 * pair][first];
                if 2 * pair + 1 < WALLS {
                    pairs[pair][both] += WALL[2 * pair + 1][second];
                }
            }
            both += 1;
        }
        pair += 1;
    }
    pairs
};

/// How many ways there are to choose `some` of `all`.
const fn binomial(all: usize, some: usize) -> usize {
    let (mut product, mut i) = (1, 0);
    while i < some {
        if all < some {
            return 0;
        }
        product = product * (all - i) / (i + 1);
        i += 1;
    }
    product
}

/// How many boards there are with so many stones.
pub(super) const fn count(stones: u8) -> usize {
    binomial(stones as usize + WALLS, WALLS)
}

/// How many boards there are with fewer stones.
pub(super) const fn count_below(stones: u8) -> usize {
    match stones {
        0 => 0,
        _ => binomial(stones as usize + WALLS, PITS),
    }
}

impl Board {
    /// Its number among those with as many stones.
    #[inline]
    pub(super) fn number(self) -> usize {
        // A field of the product is the sum of the pits up to it.
        let before = self.0.wrapping_mul(ONES);
        let pair = |(pair, walls): (usize, &[u32; 1 << TWO])| {
            walls[before as usize >> (TWO * pair) & ((1 << TWO) - 1)] as usize
        };
        WALLS_IN_PAIRS.iter().enumerate().map(pair).sum()
    }

    /// The board of a number that is less than [`count`].
    pub(super) fn of_number(stones: u8, number: usize) -> Board {
        let mut rest = number;
        let mut board = 0;
        let mut after = stones as usize;
        for (i, wall) in WALL.iter().enumerate().rev() {
            let fits = |&&value: &&u32| value as usize <= rest;
            let before = wall.iter().take(after + 1).take_while(fits).count() - 1;
            rest -= wall[before] as usize;
            board |= ((after - before) as u64) << (BITS * (i + 1));
            after = before;
        }
        Board(board | after as u64)
    }

    /// The board with the next number, if there is one with as many stones.
    #[inline]
    pub(super) fn next(self) -> Option<Board> {
        // The first wall that can is moved by one stone, and those before it to
        // the start. All stones before it are in the first pit.
        let first = self.0 & ((1 << BITS) - 1);
        let rest = self.0 - first;
        if rest == 0 {
            return None;
        }
        let pit = rest.trailing_zeros() as usize / BITS;
        Some(Board(
            rest - (1 << (BITS * pit)) + ((first + 1) << (BITS * (pit - 1))),
        ))
    }
}
