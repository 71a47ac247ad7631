//! The output of the client: results on standard output, everything else on standard error.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use super::session::Effect;
use crate::agent::{Output, clock_text, marked_row, note};
use crate::counted::counted;
use crate::go::{ByColor, Color, Game, Move, Point};

/// Shows games as they are played, and their results.
#[derive(Debug)]
pub struct Display<W> {
    /// Whether boards are shown instead of moves.
    boards: bool,
    out: Output<W>,
}

impl<W: Write> Display<W> {
    /// Writes results to `out`, and moves, or instead of them `boards`, to standard
    /// error.
    pub fn new(boards: bool, out: W) -> Display<W> {
        Display {
            boards,
            out: Output::new(out),
        }
    }

    /// Shows an effect. If a result cannot be written, it is lost and the games go on:
    /// see [`Display::finish`].
    pub fn show(&mut self, effect: &Effect) {
        match effect {
            Effect::Moved(line) if !self.boards => note(line),
            Effect::Board(drawing) if self.boards => note(drawing),
            Effect::Over(finished) => self.out.write(format_args!("{finished}\n")),
            Effect::Note(text) => note(text),
            Effect::Moved(_) | Effect::Board(_) | Effect::Send(_) => {}
        }
    }

    /// Ends the display.
    ///
    /// # Errors
    /// The first error in writing a result.
    pub fn finish(&mut self) -> io::Result<()> {
        self.out.finish()
    }
}

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
        White (O): 0:02, 0 prisoners
        ");
    }
}
