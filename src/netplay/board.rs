//! The board as people see it.

use std::fmt::{self, Display, Formatter};

use super::record::Record;
use crate::gothello::{Color, Move, Point, SIZE, Step};
use crate::netref::{Game as _, Gothello, Sides};

const LETTERS: &str = "  a b c d e";

/// A drawing of the board, with what was played last and who is to move.
///
/// `X` is Black, `O` is White; the last stone stands in brackets.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The game.
    pub record: &'a Record,
    /// The whole seconds that each side has left, with time controls.
    pub secs: Option<Sides<u64>>,
}

/// Writes lines, with an empty one before them.
impl Display for Drawing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\n")?;
        let last = match self.record.game().last_step() {
            Some(Step::Played { color, mv }) => Some((color, mv)),
            _ => None,
        };
        match last {
            Some((color, Move::Pass)) => writeln!(f, "{color} ({}) passes", color.mark())?,
            Some((color, mv)) => writeln!(f, "{color} ({}) plays {mv}", color.mark())?,
            None => {}
        }
        writeln!(f, "{LETTERS}")?;
        for row in (0..SIZE).rev() {
            let number = row + 1;
            let row = self.row(row, last.and_then(|(_, mv)| mv.point()));
            writeln!(f, "{number}{row}{number}")?;
        }
        writeln!(f, "{LETTERS}")?;
        if let Some(Sides { first, second }) = self.secs {
            let Sides {
                first: black,
                second: white,
            } = Gothello::TITLES;
            writeln!(f, "{black} has {first} s, {white} {second} s")?;
        }
        if self.record.game().is_over() {
            return writeln!(f, "The game is over");
        }
        let to_move = self.record.game().to_move();
        writeln!(f, "{to_move} ({}) to move", to_move.mark())
    }
}

impl Drawing<'_> {
    /// The points of a row from the left, with a blank or a bracket before
    /// each and after the last.
    fn row(&self, row: u8, last: Option<Point>) -> String {
        let mut text = String::new();
        let mut after = ' ';
        for point in (0..SIZE).filter_map(|column| Point::new(column, row)) {
            let is_last = Some(point) == last;
            text.push(if is_last { '(' } else { after });
            text.push(self.record.game().stone_at(point).map_or('.', Color::mark));
            after = if is_last { ')' } else { ' ' };
        }
        text.push(after);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netplay::wire::Message;

    #[test]
    fn the_last_stone_is_marked() {
        let mut record = Record::new();
        for line in ["311 1 c3", "312 1 ... d3", "315 2 pass", "312 2 ... a1"] {
            let Ok(Message::Status(status)) = Message::parse(line) else {
                panic!("{line}");
            };
            record.follow(&status).unwrap();
        }
        let secs = Some(Sides {
            first: 59,
            second: 120,
        });
        let drawing = Drawing {
            record: &record,
            secs,
        };
        insta::assert_snapshot!(drawing.to_string(), @r"

        White (O) plays a1
          a b c d e
        5 . . . . . 5
        4 . . . . . 4
        3 . . X O . 3
        2 . . . . . 2
        1(O). . . . 1
          a b c d e
        Black has 59 s, White 120 s
        Black (X) to move
        ");
        let start = Drawing {
            record: &Record::new(),
            secs: None,
        };
        insta::assert_snapshot!(start.to_string(), @r"

          a b c d e
        5 . . . . . 5
        4 . . . . . 4
        3 . . . . . 3
        2 . . . . . 2
        1 . . . . . 1
          a b c d e
        Black (X) to move
        ");
    }
}
