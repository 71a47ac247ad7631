//! A game as it is drawn for people.

use std::time::Duration;

use crate::base::counted::counted;
use crate::clients::agent::{AgentGame, clock_text};
use crate::games::go::{ByColor, Color, Game};

/// Draws a game for people: the board, the time left on the clocks, and the prisoners. The last line
/// has no end.
pub fn drawing(game: &Game, left: ByColor<Duration>) -> String {
    let lines = Color::ALL.map(|color| {
        let left = clock_text(left[color]);
        let prisoners = counted(game.prisoners()[color], "prisoner");
        format!("{}: {left}, {prisoners}", Game::mark(color))
    });
    game.diagram() + &lines.join("\n")
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
        insta::assert_snapshot!(drawing(&game, left), @r"
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
