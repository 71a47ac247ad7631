//! A game as it is drawn for people.

use std::fmt;
use std::time::Duration;

use crate::base::counted::counted;
use crate::clients::agent::{clock_text, marked_row};
use crate::games::go::{ByColor, Color, Game, Move, Point};

/// Draws a game for people: the names of points as in GTP are on the left and above,
/// the rows and columns of the protocol on the right and below.
pub struct Drawing<'a> {
    /// The game.
    pub game: &'a Game,
    /// The time left on the clocks.
    pub left: ByColor<Duration>,
}

/// Writes whole lines, the last one without its end.
impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.game.board();
        let size = board.size();
        let last = match self.game.moves().last() {
            Some(Move::Place(point)) => Some(*point),
            _ => None,
        };
        let top = (0..size.columns()).map(|column| Point { row: 0, column }.vertex(size));
        f.write_str("   ")?;
        for name in top.flatten() {
            write!(f, " {}", name.chars().next().unwrap_or_default())?;
        }
        for row in 0..size.rows() {
            let points = (0..size.columns()).map(|column| Point { row, column });
            let points = marked_row(points.map(|point| {
                let mark = board.get(point).map_or('.', Color::mark);
                (mark, Some(point) == last)
            }));
            write!(f, "\n{:>3}{points}{row}", size.rows() - row)?;
        }
        f.write_str("\n   ")?;
        for column in 0..size.columns() {
            // Two digits would touch their neighbors.
            write!(f, " {}", column % 10)?;
        }
        for color in Color::ALL {
            write!(
                f,
                "\n{color} ({}): {}, {}",
                color.mark(),
                clock_text(self.left[color]),
                counted(self.game.prisoners()[color], "prisoner"),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::{Position, Rules, Size};

    #[test]
    fn the_last_stone_stands_in_brackets() {
        let mut game = Game::new(Rules::default(), Position::start(Size::new(3, 11).unwrap()));
        for vertex in ["A3", "L1", "E2"] {
            let point = Point::from_vertex(vertex, game.board().size()).unwrap();
            game.play(Move::Place(point)).unwrap();
        }
        let left = ByColor::new(Duration::from_secs(65), Duration::from_millis(1_900));
        let drawing = Drawing { game: &game, left };
        insta::assert_snapshot!(drawing, @r"
            A B C D E F G H J K L
          3 X . . . . . . . . . . 0
          2 . . . .(X). . . . . . 1
          1 . . . . . . . . . . O 2
            0 1 2 3 4 5 6 7 8 9 0
        Black (X): 1:05, 0 prisoners
        White (O): 0:02, 0 prisoners
        ");
    }
}
