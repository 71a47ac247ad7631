//! Whose the points are.

use super::point_set::PointSet;
use super::{Board, ByColor, Color, Point, Rules, Score, Scoring};

/// The owner of every point of a board: of a stone's point its player, of an
/// empty region the player whose stones alone border on it. A region that
/// borders on both is neutral, and so is the empty board. No stone is taken
/// for dead.
///
/// ```
/// use gothello::go::{Board, Color, ByColor, Point, Territory};
/// let board: Board = "
///     . B .
///     B . W".parse().unwrap();
/// let territory = Territory::of(&board);
/// assert_eq!(territory.owner(Point { row: 0, column: 0 }), Some(Color::Black));
/// assert_eq!(territory.owner(Point { row: 1, column: 1 }), None);
/// assert_eq!(territory.empty_points(), ByColor::new(1, 0));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Territory {
    stones: ByColor<PointSet>,
    empty: ByColor<PointSet>,
}

impl Territory {
    /// The owners of a board's points.
    pub fn of(board: &Board) -> Territory {
        let vacant = board.vacant();
        let stones = *board.stones_of();
        let bordering = stones.map(|stones| stones.beside().flood(&vacant));
        Territory {
            stones,
            empty: ByColor::new(
                bordering.black & !bordering.white,
                bordering.white & !bordering.black,
            ),
        }
    }

    /// Who owns a point, occupied or empty; `None` if nobody does, or off the
    /// board.
    pub fn owner(&self, point: Point) -> Option<Color> {
        let owns = |color: &Color| {
            self.stones.get(*color).contains(point) || self.empty.get(*color).contains(point)
        };
        Color::ALL.into_iter().find(owns)
    }

    /// How many stones each player has on the board.
    pub fn stones(&self) -> ByColor<u32> {
        self.stones.map(|stones| stones.len())
    }

    /// How many empty points each player owns.
    pub fn empty_points(&self) -> ByColor<u32> {
        self.empty.map(|empty| empty.len())
    }

    /// The players' scores with so many prisoners.
    pub fn score(&self, prisoners: ByColor<u32>, rules: &Rules) -> ByColor<Score> {
        let (stones, empty) = (self.stones(), self.empty_points());
        ByColor::from_fn(|color| {
            let stones = match rules.scoring {
                Scoring::Area => stones[color],
                Scoring::Territory => 0,
            };
            let prisoners = u64::from(prisoners[color]) * u64::from(rules.prisoner_score);
            let komi = match color {
                Color::Black => Score::ZERO,
                Color::White => rules.komi,
            };
            let board = u64::from(stones + empty.get(color));
            [Score::from(board), Score::from(prisoners), komi]
                .into_iter()
                .sum()
        })
    }
}
