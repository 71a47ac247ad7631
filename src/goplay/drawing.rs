//! The board for people.

use std::fmt;
use std::time::Duration;

use crate::go::{ByColor, Color, Game, Move, Point};

/// A game as a person sees it: the names of points as GTP has them on the left
/// and above, the rows and columns of the protocol on the right and below.
pub(super) struct Drawing<'a> {
    pub(super) game: &'a Game,
    /// What is left on the clocks.
    pub(super) left: ByColor<Duration>,
}

/// The stones of a color.
pub(super) const fn mark(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}

/// A time as clocks show it: minutes and seconds.
pub(super) fn clock(left: Duration) -> String {
    let seconds = left.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Writes whole lines but for the end of the last.
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
            write!(f, "\n{:>3}", size.rows() - row)?;
            let mut after = ' ';
            for point in (0..size.columns()).map(|column| Point { row, column }) {
                let is_last = Some(point) == last;
                let stone = board.get(point).map_or('.', mark);
                write!(f, "{}{stone}", if is_last { '(' } else { after })?;
                after = if is_last { ')' } else { ' ' };
            }
            write!(f, "{after}{row}")?;
        }
        f.write_str("\n   ")?;
        for column in 0..size.columns() {
            // Two digits would touch their neighbours.
            write!(f, " {}", column % 10)?;
        }
        for color in Color::ALL {
            write!(
                f,
                "\n{color} ({}): {}, {} prisoners",
                mark(color),
                clock(self.left[color]),
                self.game.prisoners().get(color),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Position, Rules, Size};

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
        White (O): 0:01, 0 prisoners
        ");
    }
}
