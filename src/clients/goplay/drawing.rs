//! A game as it is drawn for people.

use std::fmt;
use std::time::Duration;

use crate::base::counted::counted;
use crate::clients::agent::{AgentGame, clock_text};
use crate::games::go::{ByColor, Color, Game};

/// Draws a game for people: the board, the clocks and the prisoners.
pub struct Drawing<'a> {
    /// The game.
    pub game: &'a Game,
    /// The time left on the clocks.
    pub left: ByColor<Duration>,
}

/// Writes whole lines, the last one without its end.
impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.game.diagram())?;
        let lines = Color::ALL.map(|color| {
            let left = clock_text(self.left[color]);
            let prisoners = counted(self.game.prisoners()[color], "prisoner");
            format!("{}: {left}, {prisoners}", Game::mark(color))
        });
        f.write_str(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::{Move, Point, Position, Rules, Size};

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
