//! A person at a terminal.

use std::io::Read;
use std::sync::atomic::AtomicBool;

use super::agent::{Agent, AgentError, Turn};
use super::display::{note, prompt};
use super::drawing::clock;
use crate::go::{Game, Move, Point};
use crate::typed::Typed;

/// What a person may type.
const HELP: &str = "\
D4       a stone: the column's letter and the row's number, as left of the board and above it
3,15     a stone: the row and the column, as right of the board and below it
pass     no stone; two passes end the game
resign   give the game up
help     this";

/// A person who types moves.
#[derive(Debug)]
pub struct Human {
    typed: Typed,
    /// Whether what was typed before it was asked for is dropped.
    is_live: bool,
}

impl Human {
    /// Reads what is typed from `input`, a move a line. If it `is_live`, what
    /// was typed before it was asked for is dropped: it was meant for another
    /// position.
    pub fn new(input: impl Read + Send + 'static, is_live: bool) -> Human {
        Human {
            typed: Typed::new(input),
            is_live,
        }
    }
}

impl Agent for Human {
    fn choose(&mut self, turn: &Turn, stop: &AtomicBool) -> Result<Move, AgentError> {
        while self.is_live
            && let Some(line) = self.typed.waiting()
        {
            let line = line.trim();
            note(&format!("it was not your turn: {line:?} is dropped"));
        }
        loop {
            let left = clock(turn.left);
            prompt(&format!(
                "your move (D4, pass, resign, help), {left} left: "
            ));
            // What is told next begins on a line of its own.
            let line = self.typed.line(stop).inspect_err(|_| note(""))?;
            match understand(&line, turn) {
                Ok(Some(played)) => return Ok(played),
                Ok(None) => {}
                Err(why) => note(&why),
            }
        }
    }
}

/// What a line says: `None` if it is empty.
fn understand(line: &str, turn: &Turn) -> Result<Option<Move>, String> {
    let word = line.trim();
    let played = match word.to_ascii_lowercase().as_str() {
        "" => return Ok(None),
        "help" | "?" => return Err(HELP.to_owned()),
        "pass" => Move::Pass,
        "resign" => Move::Resign,
        _ => Move::Place(point(word, &turn.game)?),
    };
    let legal = turn.game.check(played);
    legal.map_err(|why| format!("{word} is illegal: {why}"))?;
    if turn.refused.contains(&played) {
        return Err(format!("{word} has been refused by the server"));
    }
    Ok(Some(played))
}

/// The point of a word like `D4` or `3,15`.
fn point(word: &str, game: &Game) -> Result<Point, String> {
    let coordinate = |digits: &str| digits.trim().parse().ok();
    match word.split_once(',') {
        None => Point::from_vertex(word, game.board().size()).map_err(|why| why.to_string()),
        Some((row, column)) => match (coordinate(row), coordinate(column)) {
            (Some(row), Some(column)) => Ok(Point { row, column }),
            _ => Err(format!(
                "{word:?} is no point: give a row and a column, such as 3,15"
            )),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::go::{Position, Rules, Size};

    fn turn() -> Turn {
        let mut game = Game::new(Rules::default(), Position::start(Size::square(5).unwrap()));
        game.play(Move::Place(Point { row: 0, column: 0 })).unwrap();
        Turn {
            start: 1,
            game,
            refused: vec![Move::Place(Point { row: 2, column: 2 })],
            left: Duration::from_secs(60),
        }
    }

    #[test]
    fn lines_are_understood() {
        let place = |row, column| Some(Move::Place(Point { row, column }));
        for (line, said) in [
            ("d4\n", place(1, 3)),
            (" 1,3 \r\n", place(1, 3)),
            ("4 , 0", place(4, 0)),
            ("PASS", Some(Move::Pass)),
            ("resign\n", Some(Move::Resign)),
            ("\n", None),
        ] {
            assert_eq!(understand(line, &turn()), Ok(said), "{line:?}");
        }
    }

    #[test]
    fn what_cannot_be_played_is_explained() {
        let why = |line: &str| understand(line, &turn()).unwrap_err();
        insta::assert_snapshot!(why("Z9"), @r#""Z9" is no vertex of a 5x5 board: use A1 to E5"#);
        insta::assert_snapshot!(why("1,x"), @r#""1,x" is no point: give a row and a column, such as 3,15"#);
        insta::assert_snapshot!(why("a5"), @"a5 is illegal: Nonempty point");
        insta::assert_snapshot!(why("5,0"), @"5,0 is illegal: Out of Bound");
        insta::assert_snapshot!(why("c3"), @"c3 has been refused by the server");
        assert_eq!(why("Help\n"), HELP);
        assert_eq!(why("?"), HELP);
    }

    #[test]
    fn whoever_ends_the_input_leaves() {
        let mut human = Human::new(&b"what\nd4"[..], false);
        let stop = AtomicBool::new(false);
        let place = Move::Place(Point { row: 1, column: 3 });
        assert_eq!(human.choose(&turn(), &stop).unwrap(), place);
        let end = human.choose(&turn(), &stop).unwrap_err();
        assert!(matches!(end, AgentError::Left), "{end}");
    }
}
