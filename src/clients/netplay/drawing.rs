//! A match as it is drawn for people.

use std::fmt::{self, Formatter};

use super::games::ClientGame;
use super::reported::{Clocks, ReportedGame};
use crate::base::color::ByColor;
use crate::clients::agent::clock_text;

/// Draws the board with the last move, the clocks and the player to move.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a, G> {
    /// The game.
    pub record: &'a ReportedGame<G>,
    /// The clocks, with time control.
    pub clocks: Option<Clocks>,
}

/// Writes lines, the first of them empty.
impl<G: ClientGame> fmt::Display for Drawing<'_, G> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\n")?;
        let game = self.record.game();
        match game.moves().last() {
            Some((side, mv)) if (Some(mv) == G::PASS) => writeln!(f, "{} passes", G::mark(side))?,
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
    use crate::contests::netref::{Awari, Gothello, Response};

    /// Returns the drawing after these lines.
    fn drawn<G: ClientGame>(lines: &[&str], clocks: Option<Clocks>) -> String {
        let mut record = ReportedGame::new(G::default());
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
