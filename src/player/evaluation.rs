//! The static evaluation of positions by patterns.
//!
//! The estimate is the sum of the weights of the 16 blocks of 2x2 points, as in Othello
//! programs since Logistello (Buro, 1997), and of a bonus for having the move. A weight depends on
//! the stones in the block and on where the block is, up to the symmetries of the board.
//! Swapping the colors negates it.
//!
//! The weights are a least-squares fit to the exact values of 43,900 positions with 4 to 14
//! stones, from games of weak players whose last moves were random. The sign of the estimate is
//! right for 91 % of these positions that are not drawn.

use crate::games::gothello::{Position, Stones};

/// The score of one stone at the end of the game.
pub const STONE: i16 = 64;

/// The highest score: all stones are one player's.
pub const MAX_SCORE: i16 = 25 * STONE;

/// The bonus for having the move, in units of 1/[`STONE`].
const TURN: i16 = 327;

/// The weights of the blocks in a corner, of the other blocks at the edge, and of those around
/// the center, in units of 1/[`STONE`].
///
/// Each point of a block is a digit to base 3: 0 if it is empty, 1 for a stone of the player to
/// move, 2 for one of the opponent. From the lowest digit: lower left, lower right, upper left,
/// upper right, for the image of the block whose column is not beyond the center, and whose row is
/// not above its column.
#[rustfmt::skip]
const WEIGHTS: [[i16; 81]; 3] = [
    [
            0,   168,  -168,   250,    92,   -30,  -250,    30,   -92,
          250,    92,   -30,   416,     8,     0,     0,   -11,    11,
         -250,    30,   -92,     0,   -11,    11,  -416,     0,    -8,
           49,   272,    15,   241,   179,   124,  -195,   253,    -2,
          241,   179,   124,   389,   -96,     0,   142,    95,   132,
         -195,   253,    -2,   142,    95,   132,  -486,     0,   -23,
          -49,   -15,  -272,   195,     2,  -253,  -241,  -124,  -179,
          195,     2,  -253,   486,    23,     0,  -142,  -132,   -95,
         -241,  -124,  -179,  -142,  -132,   -95,  -389,     0,    96,
    ],
    [
            0,   190,  -190,   178,   194,   -33,  -178,    33,  -194,
          146,   224,   -87,   329,   199,    93,     4,   134,  -124,
         -146,    87,  -224,    -4,   124,  -134,  -329,   -93,  -199,
          138,   308,   -39,   263,   180,   105,   -64,   196,  -123,
          212,   216,    48,   294,    98,   190,   116,   235,   -38,
           -7,   317,  -154,   142,   256,    -2,  -305,   102,  -236,
         -138,    39,  -308,    64,   123,  -196,  -263,  -105,  -180,
            7,   154,  -317,   305,   236,  -102,  -142,     2,  -256,
         -212,   -48,  -216,  -116,    38,  -235,  -294,  -190,   -98,
    ],
    [
            0,    88,   -88,    89,   132,   -10,   -89,    10,  -132,
           89,   132,   -10,   152,   109,   127,     0,    97,   -97,
          -89,    10,  -132,     0,    97,   -97,  -152,  -127,  -109,
          117,   187,    21,   139,   122,   103,    23,   160,   -90,
          139,   122,   103,   107,    40,   165,   123,   241,    17,
           23,   160,   -90,   123,   241,    17,  -121,    41,  -204,
         -117,   -21,  -187,   -23,    90,  -160,  -139,  -103,  -122,
          -23,    90,  -160,   121,   204,   -41,  -123,   -17,  -241,
         -139,  -103,  -122,  -123,   -17,  -241,  -107,  -165,   -40,
    ],
];

/// A position has 16 blocks of 2x2 points, four in a row.
const BLOCKS: usize = 16;

/// The weight of each block, by its stones: the bits 0 to 3 are the player's, the bits 4 to 7 the
/// opponent's, each in the order left to right, bottom to top.
static TABLE: [[i16; 256]; BLOCKS] = table();

const fn table() -> [[i16; 256]; BLOCKS] {
    let mut table = [[0; 256]; BLOCKS];
    let mut block = 0;
    while block < BLOCKS {
        let (column, row) = (block % 4, block / 4);
        // The block is reflected into the lower left quarter, and to or below the diagonal.
        let (mirrored, flipped) = (column > 1, row > 1);
        let x = if mirrored { 3 - column } else { column };
        let y = if flipped { 3 - row } else { row };
        let weights = &WEIGHTS[x + y];
        let mut stones = 0;
        while stones < 256 {
            let mut code = 0;
            let mut digit = 4;
            while digit > 0 {
                digit -= 1;
                let (along, across) = (digit % 2, digit / 2);
                let (right, up) = if y > x {
                    (across, along)
                } else {
                    (along, across)
                };
                let right = if mirrored { 1 - right } else { right };
                let up = if flipped { 1 - up } else { up };
                let bit = 2 * up + right;
                code = 3 * code + (stones >> bit & 1) + 2 * (stones >> (4 + bit) & 1);
            }
            // No point has two stones.
            if stones & stones >> 4 & 15 == 0 {
                table[block][stones] = weights[code];
            }
            stones += 1;
        }
        block += 1;
    }
    table
}

/// Returns an estimate of the score at the end, for the player to move, in units of
/// 1/[`STONE`].
pub fn evaluate(position: &Position) -> i16 {
    let Stones { mover, opponent } = position.stones();
    let mut score = TURN;
    for (weights, (mover, opponent)) in TABLE.iter().zip(mover.blocks().zip(opponent.blocks())) {
        score += weights[usize::from(mover | opponent << 4)];
    }
    score.clamp(-MAX_SCORE, MAX_SCORE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::games::gothello::{Color, Point};
    use crate::solving::tablebase::PackedTablebase;

    /// Returns the estimate for the player to move, without the bonus for the turn.
    fn of_stones(rows: &str) -> i16 {
        evaluate(&format!("{rows} b").parse().unwrap()) - TURN
    }

    #[test]
    fn a_single_stone_is_worth_the_weights_of_its_blocks() {
        let [corner, edge, center] = &WEIGHTS;
        // It is the outer point of one block in the corner.
        assert_eq!(of_stones("b..../...../...../...../....."), corner[1]);
        // And here it is in a corner block, and the outer point of one at the edge.
        assert_eq!(
            of_stones(".b.../...../...../...../....."),
            corner[3] + edge[1]
        );
        // The center is the inner point of four blocks.
        assert_eq!(of_stones("...../...../..b../...../....."), 4 * center[27]);
        let inner = corner[27] + 2 * edge[9] + center[1];
        assert_eq!(of_stones("...../.b.../...../...../....."), inner);
    }

    #[test]
    fn a_block_has_its_corner_in_the_lowest_digit() {
        // The corner is empty (0), black stones above (1) and diagonally (1), white beside (2).
        let rows = "...../...../...../bb.../.w...";
        let code = 3 + 2 * 9 + 27;
        // The blocks that have a part of it.
        let [corner, edge, center] = &WEIGHTS;
        let beside = edge[2 + 9];
        let above = edge[1 + 9];
        assert_eq!(of_stones(rows), corner[code] + beside + above + center[1]);
    }

    #[test]
    fn the_estimate_mostly_tells_who_wins() {
        let tablebase = PackedTablebase::built_in();
        let mut rng = Rng::new(1);
        let (mut right, mut all) = (0, 0);
        while all < 500 {
            let mut position = Position::START;
            while position.stones().count() < 7 {
                let legal = position.placements().legal().iter().collect::<Vec<_>>();
                position = position.place(rng.pick(&legal).unwrap()).unwrap();
            }
            let value = tablebase.value(&position).unwrap();
            if value != 0 {
                all += 1;
                right += u32::from(value.signum() == evaluate(&position).signum() as i8);
            }
        }
        assert!(right > 420, "{right} of {all}");
    }

    #[test]
    fn estimates_are_the_same_for_symmetric_positions_and_opposite_for_swapped_colors() {
        let text = "bw.ww/.bb.b/..w../b..w./w..b.";
        let position: Position = format!("{text} b").parse().unwrap();
        let estimate = evaluate(&position);
        let swapped = text.replace('b', "x").replace('w', "b").replace('x', "w");
        assert_eq!(of_stones(&swapped), TURN - estimate);
        let cell = |column: u8, row: u8| {
            let stone = Point::new(column, row).and_then(|point| position.stone_at(point));
            stone.map_or('.', |color| if color == Color::Black { 'b' } else { 'w' })
        };
        for image in 0..8 {
            let of_image = |column: u8, row: u8| {
                let column = if image & 1 == 0 { column } else { 4 - column };
                let row = if image & 2 == 0 { row } else { 4 - row };
                if image & 4 == 0 {
                    cell(column, row)
                } else {
                    cell(row, column)
                }
            };
            let row = |row| {
                (0..5)
                    .map(|column| of_image(column, row))
                    .collect::<String>()
            };
            let rows = (0..5).rev().map(row).collect::<Vec<_>>().join("/");
            assert_eq!(of_stones(&rows) + TURN, estimate, "{rows}");
        }
    }
}
