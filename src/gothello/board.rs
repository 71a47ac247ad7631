//! The stones on the board, without the player to move.

use super::{ByColor, Color, Point, PointSet, Position};

/// The stones on the board, of a game that goes on or of one that is over.
///
/// The player to move, and whether a pass ends the game, are part of a [`Position`]. As
/// in a position, every group has a liberty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    black: PointSet,
    white: PointSet,
}

impl Board {
    /// Returns the stones of a color.
    #[inline]
    pub fn stones_of(&self, color: Color) -> PointSet {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    /// Returns the color of the stone at `point`; `None` if it is empty.
    pub fn stone_at(&self, point: Point) -> Option<Color> {
        let mut colors = Color::ALL.into_iter();
        colors.find(|&color| self.stones_of(color).contains(point))
    }

    /// Returns the points without a stone.
    #[inline]
    pub fn empty(&self) -> PointSet {
        !(self.black | self.white)
    }

    /// Returns the groups of both players, Black's first.
    pub fn groups(&self) -> impl Iterator<Item = PointSet> + use<> {
        self.black.groups().chain(self.white.groups())
    }

    /// Returns the number of stones of each color, 0 to 25.
    pub fn count(&self) -> ByColor<u8> {
        // A set holds at most 25 points.
        ByColor::from_fn(|color| self.stones_of(color).len() as u8)
    }

    /// Returns the position of a game that goes on from here, with `color` to move
    /// and no pass before.
    pub fn with_to_move(&self, color: Color) -> Position {
        Position::of(*self, color)
    }
}

impl From<&Position> for Board {
    fn from(position: &Position) -> Board {
        Board {
            black: position.stones_of(Color::Black),
            white: position.stones_of(Color::White),
        }
    }
}
