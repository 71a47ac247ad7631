//! What people and programs get to see.

use std::fmt::{self, Formatter};
use std::io::{self, Write};

use super::games::Game;
use super::record::{Clocks, Record};
use super::session::Effect;
use crate::agent::{Output, clock_text, note};
use crate::color::ByColor;

/// What is shown of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The moves, one on each line.
    Moves,
    /// The board after each move.
    Boards,
}

/// Writes a match as it is played, and its result.
#[derive(Debug)]
pub struct Display<W> {
    view: View,
    out: Output<W>,
}

impl<W: Write> Display<W> {
    /// Writes moves or boards, and the result, to `out`.
    pub fn new(view: View, out: W) -> Display<W> {
        Display {
            view,
            out: Output::new(out),
        }
    }

    /// Shows an effect. What cannot be written is lost, and the match goes on: see
    /// [`Display::finish`].
    pub fn show(&mut self, effect: &Effect) {
        match (effect, self.view) {
            (Effect::Moved(line), View::Moves) => self.out.write(format_args!("{line}\n")),
            (Effect::Board(drawing), View::Boards) => self.out.write(drawing),
            (Effect::Over(ending), _) => self.out.write(format_args!("{ending}\n")),
            (Effect::Note(text), _) => note(text),
            _ => {}
        }
    }

    /// Checks that everything could be written so far.
    ///
    /// # Errors
    /// The first error in writing.
    pub fn finish(&mut self) -> io::Result<()> {
        self.out.finish()
    }
}

/// Draws the board with the last move, the clocks and the player to move.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a, G> {
    /// The game.
    pub record: &'a Record<G>,
    /// The clocks, with time control.
    pub clocks: Option<Clocks>,
}

/// Writes lines, the first of them empty.
impl<G: Game> fmt::Display for Drawing<'_, G> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\n")?;
        let game = self.record.game();
        match game.moves().last() {
            Some((side, mv)) if G::is_pass(mv) => writeln!(f, "{} passes", G::mark(side))?,
            Some((side, mv)) => writeln!(f, "{} plays {mv}", G::mark(side))?,
            None => {}
        }
        f.write_str(&game.diagram())?;
        if let Some(clocks) = self.clocks {
            let ByColor { black, white } = clocks.shown().map(clock_text);
            writeln!(
                f,
                "{} has {black}, {} {white}",
                G::PLAYERS.black,
                G::PLAYERS.white
            )?;
        }
        match game.outcome() {
            Some(_) => writeln!(f, "The game is over"),
            None => writeln!(f, "{} to move", G::mark(game.to_move())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netref::{Awari, Gothello, Response};

    /// What is drawn after these lines.
    fn drawn<G: Game>(lines: &[&str], clocks: Option<Clocks>) -> String {
        let mut record = Record::new(G::default());
        for line in lines {
            let Ok(Response::Status(status)) = Response::<G>::parse(line) else {
                panic!("{line}");
            };
            record.follow(&status).unwrap();
        }
        let drawing = Drawing {
            record: &record,
            clocks,
        };
        drawing.to_string()
    }

    #[test]
    fn the_last_stone_is_marked() {
        let clocks = Some(Clocks::new(ByColor {
            black: 59,
            white: 120,
        }));
        let lines = ["311 1 c3", "312 1 ... d3", "315 2 pass", "312 2 ... a1"];
        insta::assert_snapshot!(drawn::<Gothello>(&lines, clocks), @r"

        White (O) plays a1
          a b c d e
        5 . . . . . 5
        4 . . . . . 4
        3 . . X O . 3
        2 . . . . . 2
        1(O). . . . 1
          a b c d e
        Black has 0:59, White 2:00
        Black (X) to move
        ");
        insta::assert_snapshot!(drawn::<Gothello>(&[], None), @r"

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

    #[test]
    fn the_last_pit_is_marked() {
        let lines = ["311 1 A", "312 1 ... e", "311 2 E"];
        insta::assert_snapshot!(drawn::<Awari>(&lines, None), @"

        South plays E
                f   e   d   c   b   a
        North   5   0   5   5   5   5   0
        South   1   6   6   5  (0)  5   0
                A   B   C   D   E   F
        North to move
        ");
    }
}
