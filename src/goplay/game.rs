//! Go as an agent plays it.

use crate::agent::{AgentGame, GtpSetup, NotAMove};
use crate::color::Color;
use crate::go::{Game, Illegal, Move, Point, Rules, Scoring, Size};

impl AgentGame for Game {
    type Play = Move;
    type Illegal = Illegal;

    const PROMPT: &'static str = "D4, pass, resign";
    const MOVE_HELP: &'static str = "\
D4       a stone: the column's letter and the row's number, as left of the board and above it
3,15     a stone: the row and the column, as right of the board and below it
pass     no stone; two passes end the game";
    const GTP_MOVES: &'static str = "a point of the board, pass or resign would be right";
    const HAS_DRAWS: bool = false;
    const FALLBACK: Option<Move> = Some(Move::Pass);

    fn fixed_setup() -> Option<GtpSetup> {
        None
    }

    fn gtp_setup(&self) -> GtpSetup {
        let start = self.positions().first().unwrap_or(self.position());
        let size = start.board.size();
        let (rows, columns) = (size.rows(), size.columns());
        let stones = start.board.stones().map(|(point, color)| {
            let vertex = move_text(Move::Place(point), size);
            format!("play {} {vertex}", color.letter())
        });
        GtpSetup {
            size: size.to_string(),
            size_command: match rows == columns {
                true => format!("boardsize {rows}"),
                // A command of KataGo.
                false => format!("rectangular_boardsize {columns} {rows}"),
            },
            rules: vec![format!("komi {}", self.rules().komi)],
            listed_rules: katago_rules(self.rules()),
            stones: stones.collect(),
        }
    }

    fn history(&self) -> Vec<(Color, Move)> {
        let turns = self.positions().iter().map(|position| position.turn);
        turns.zip(self.moves().iter().copied()).collect()
    }

    fn check(&self, mv: Move) -> Result<(), Illegal> {
        Game::check(self, mv)
    }

    fn legal_points(&self) -> Vec<Move> {
        Game::legal_points(self).map(Move::Place).collect()
    }

    fn to_gtp(&self, mv: Move) -> String {
        move_text(mv, self.board().size())
    }

    fn parse_gtp(&self, word: &str) -> Option<Move> {
        match word.eq_ignore_ascii_case("pass") {
            true => Some(Move::Pass),
            false => Point::from_vertex(word, self.board().size())
                .ok()
                .map(Move::Place),
        }
    }

    /// Parses `pass`, a point like `D4`, or a row and a column like `3,15`.
    fn parse_typed(&self, word: &str) -> Result<Move, NotAMove> {
        if word.eq_ignore_ascii_case("pass") {
            return Ok(Move::Pass);
        }
        let Some((row, column)) = word.split_once(',') else {
            return Point::from_vertex(word, self.board().size())
                .map(Move::Place)
                .map_err(|why| NotAMove(why.to_string()));
        };
        let coordinate = |digits: &str| digits.trim().parse().ok();
        match (coordinate(row), coordinate(column)) {
            (Some(row), Some(column)) => Ok(Move::Place(Point { row, column })),
            _ => Err(NotAMove(format!(
                "{word:?} is no point: type a row and a column, such as 3,15"
            ))),
        }
    }
}

/// Writes a move with the name of its point, as in GTP.
pub(super) fn move_text(mv: Move, size: Size) -> String {
    match mv {
        Move::Place(point) => point.vertex(size).unwrap_or_else(|| point.to_string()),
        Move::Pass => "pass".into(),
        Move::Resign => "resign".into(),
    }
}

/// Returns the commands that tell the rules to KataGo.
fn katago_rules(rules: &Rules) -> Vec<String> {
    let ko = match rules.superko {
        true => "SITUATIONAL",
        false => "SIMPLE",
    };
    let scoring = match rules.scoring {
        Scoring::Area => "AREA",
        Scoring::Territory => "TERRITORY",
    };
    let rules = [("ko", ko), ("scoring", scoring), ("suicide", "false")];
    rules
        .map(|(rule, value)| format!("kata-set-rule {rule} {value}"))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Position;

    fn game() -> Game {
        Game::new(Rules::default(), Position::start(Size::square(5).unwrap()))
    }

    #[test]
    fn points_are_typed_in_two_ways() {
        let place = |row, column| Move::Place(Point { row, column });
        for (word, mv) in [
            ("d4", place(1, 3)),
            ("1,3", place(1, 3)),
            ("4 , 0", place(4, 0)),
            ("5,0", place(5, 0)),
            ("PASS", Move::Pass),
        ] {
            assert_eq!(game().parse_typed(word), Ok(mv), "{word:?}");
        }
    }

    #[test]
    fn words_that_are_not_moves_are_explained() {
        let why = |word: &str| game().parse_typed(word).unwrap_err().to_string();
        insta::assert_snapshot!(why("Z9"), @r#""Z9" is no vertex of a 5x5 board: use A1 to E5"#);
        insta::assert_snapshot!(why("1,x"), @r#""1,x" is no point: type a row and a column, such as 3,15"#);
    }

    #[test]
    fn an_engine_is_told_stones_and_rules() {
        let mut position = Position::start(Size::new(2, 4).unwrap());
        position.board = "B.W.\n....".parse().unwrap();
        let setup = Game::new(Rules::default(), position).gtp_setup();
        assert_eq!(setup.size_command, "rectangular_boardsize 4 2");
        assert_eq!(setup.stones, ["play b A2", "play w C2"]);
        assert_eq!(setup.rules, ["komi 6.5"]);
        assert_eq!(setup.listed_rules[1], "kata-set-rule scoring AREA");
    }
}
