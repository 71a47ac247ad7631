//! A match as it is drawn for people.

use super::games::ClientGame;
use super::reported::{Clocks, ReportedGame};
use crate::base::color::ByColor;
use crate::clients::agent::clock_text;

/// Draws the board with the last move, the clocks and the player to move: in lines, the first of them
/// empty. There are clocks only with time control.
pub fn drawing<G: ClientGame>(record: &ReportedGame<G>, clocks: Option<Clocks>) -> String {
    let game = record.game();
    let last = game.moves().last().map(|(side, mv)| match Some(mv) {
        pass if pass == G::PASS => format!("{} passes\n", G::mark(side)),
        _ => format!("{} plays {mv}\n", G::mark(side)),
    });
    let clocks = clocks.map(|clocks| {
        let ByColor { black, white } = clocks.shown().map(clock_text);
        let players = G::PLAYERS;
        format!("{} has {black}, {} {white}\n", players.black, players.white)
    });
    let next = match game.outcome() {
        Some(_) => "The game is over\n".to_owned(),
        None => format!("{} to move\n", G::mark(game.to_move())),
    };
    let (last, clocks) = (last.unwrap_or_default(), clocks.unwrap_or_default());
    format!("\n{last}{}{clocks}{next}", game.diagram())
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
        drawing(&record, clocks)
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
