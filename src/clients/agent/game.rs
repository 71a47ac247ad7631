//! The games that agents can play, and what agents need to know about each of them.

use std::fmt::Write;

use itertools::Itertools;
use thiserror::Error;

use super::output::marked_row;
use crate::base::color::Color;
use crate::games::awari::{self, Pit, Player};
use crate::games::game::Game;
use crate::games::go::{self, Point, Rules, Scoring};
use crate::games::gothello;
use crate::gtp::server::{AwariVertex, GtpGame};

/// A game that an [`Agent`](super::Agent) can play.
///
/// A value is a game from its first position to the current one.
pub trait AgentGame: Game {
    /// Examples of what a person may type, for the prompt.
    const PROMPT: &'static str;
    /// The lines of help about moves.
    const MOVE_HELP: &'static str;
    /// The valid responses of a GTP engine to `genmove`, for error messages.
    const GTP_MOVES: &'static str;
    /// Whether players may offer a draw.
    const DRAW_OFFERS: bool;
    /// The move to make for an engine that finds no legal one. If this is `None`, such an
    /// engine has failed.
    ///
    /// In Go it is a pass, because many engines do not know superko.
    const FALLBACK: Option<Self::Move>;

    /// Returns the setup, if it is the same for every game: then an engine that refuses
    /// it is rejected when it starts, before the client takes a seat.
    fn fixed_setup() -> Option<GtpSetup> {
        None
    }

    /// Returns the commands that bring an engine's board to the first position.
    fn gtp_setup(&self) -> GtpSetup;

    /// Formats a move as in GTP.
    fn to_gtp(&self, mv: Self::Move) -> String {
        self.notation(mv)
    }

    /// Parses a move as in GTP; returns `None` if the text is not a move.
    fn parse_gtp(&self, word: &str) -> Option<Self::Move> {
        self.parse_notation(word)
    }

    /// Parses a move that a person types for the side to move. The move need not be
    /// legal.
    ///
    /// # Errors
    /// The word is not a move.
    fn parse_typed(&self, word: &str) -> Result<Self::Move, NotAMove>;

    /// Returns a player's mark in the drawing of the board.
    fn mark(color: Color) -> String {
        format!("{color} ({})", color.mark())
    }

    /// Draws the board for people in whole lines, with the last move marked.
    fn diagram(&self) -> String;

    /// Returns the legal moves other than the pass.
    fn placements(&self) -> Vec<Self::Move> {
        let moves = self.legal_moves();
        moves.filter(|&mv| Some(mv) != Self::PASS).collect()
    }

    /// Returns the pass, if it is the only legal move.
    fn forced_pass(&self) -> Option<Self::Move> {
        let mut moves = self.legal_moves();
        let first = moves.next().filter(|&mv| Some(mv) == Self::PASS);
        first.filter(|_| moves.next().is_none())
    }
}

/// The commands that bring a GTP engine's board to the first position of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GtpSetup {
    /// The size of the board for people, such as `5x5`.
    pub size: String,
    /// The command that sets the size.
    pub size_command: String,
    /// Commands about the rules, which an engine may refuse.
    pub rules: Vec<String>,
    /// Commands about the rules for engines that list them.
    pub listed_rules: Vec<String>,
    /// `play` commands for the stones of the first position.
    pub stones: Vec<String>,
}

impl GtpSetup {
    /// Returns the setup of a square, empty board of `size` rows.
    pub fn square(size: u8) -> GtpSetup {
        GtpSetup {
            size: format!("{size}x{size}"),
            size_command: format!("boardsize {size}"),
            rules: Vec::new(),
            listed_rules: Vec::new(),
            stones: Vec::new(),
        }
    }
}

/// A typed text that is not a move. Displays what a move would look like.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotAMove(pub String);

impl AgentGame for gothello::Game {
    const PROMPT: &'static str = "c3, pass, resign";
    const MOVE_HELP: &'static str = "\
d3       a stone: the column's letter and the row's number
pass     no stone; two passes end the game";
    const GTP_MOVES: &'static str = "a letter a-e and a digit 1-5, pass or resign would be right";
    const DRAW_OFFERS: bool = false;
    const FALLBACK: Option<gothello::Move> = None;

    fn fixed_setup() -> Option<GtpSetup> {
        Some(GtpSetup::square(<gothello::Game as GtpGame>::BOARD_SIZE))
    }

    fn gtp_setup(&self) -> GtpSetup {
        GtpSetup::square(<gothello::Game as GtpGame>::BOARD_SIZE)
    }

    fn parse_typed(&self, word: &str) -> Result<gothello::Move, NotAMove> {
        word.parse().map_err(|_| {
            NotAMove(format!(
                "{word:?} is not a move: type a letter a-e and a digit 1-5, pass, resign or help"
            ))
        })
    }

    /// `X` is Black, `O` is White; the last stone is in parentheses.
    fn diagram(&self) -> String {
        const LETTERS: &str = "  a b c d e";
        let last = match self.last_step() {
            Some(gothello::Step::Played { mv, .. }) => mv.point(),
            _ => None,
        };
        let mut text = format!("{LETTERS}\n");
        for row in (0..gothello::SIZE).rev() {
            let number = row + 1;
            let points = (0..gothello::SIZE).filter_map(|column| gothello::Point::new(column, row));
            let points = marked_row(points.map(|point| {
                let mark = self.stone_at(point).map_or('.', Color::mark);
                (mark, Some(point) == last)
            }));
            // Writing to memory cannot fail.
            let _ = writeln!(text, "{number}{points}{number}");
        }
        text + LETTERS + "\n"
    }
}

impl AgentGame for awari::Game {
    const PROMPT: &'static str = "a letter, draw?, resign";
    const MOVE_HELP: &'static str = "c        sow the stones of your pit c";
    const GTP_MOVES: &'static str = "A3 to F3, A4 to F4 or resign would be right";
    const DRAW_OFFERS: bool = true;
    const FALLBACK: Option<Pit> = None;

    fn fixed_setup() -> Option<GtpSetup> {
        Some(GtpSetup::square(<awari::Game as GtpGame>::BOARD_SIZE))
    }

    fn gtp_setup(&self) -> GtpSetup {
        GtpSetup::square(<awari::Game as GtpGame>::BOARD_SIZE)
    }

    /// GTP has points for pits.
    fn to_gtp(&self, pit: Pit) -> String {
        AwariVertex(pit).to_string()
    }

    fn parse_gtp(&self, word: &str) -> Option<Pit> {
        word.parse().ok().map(|AwariVertex(pit)| pit)
    }

    /// Parses a letter in either case as the player's own pit: the opponent's cannot be
    /// sown.
    fn parse_typed(&self, word: &str) -> Result<Pit, NotAMove> {
        let pit: Option<Pit> = word.parse().ok();
        let own = Pit::of(self.to_move());
        let pit = pit.and_then(|pit| own.get(pit.index() % own.len()).copied());
        pit.ok_or_else(|| {
            NotAMove(format!(
                "{word:?} is not a move: type a letter A-F (South) or a-f (North), draw?, resign or \
                 help"
            ))
        })
    }

    fn mark(color: Color) -> String {
        Player::from(color).to_string()
    }

    /// Draws the board from South's side. The pit that was sown last is in parentheses, and
    /// each player's captured stones are after their pits.
    fn diagram(&self) -> String {
        let last = self.moves().last();
        let pits = self.pits();
        let scores = self.scores();
        let cell = |pit: Pit| {
            let stones = pits.get(pit.index()).copied().unwrap_or_default();
            match last == Some(pit) {
                true => format!("{:>4}", format!("({stones})")),
                false => format!("{stones:>3} "),
            }
        };
        let mut text = String::new();
        let letters = |player| {
            Pit::drawn_of(player)
                .map(|pit| format!("{pit:>3} "))
                .concat()
        };
        let row = |player| {
            let cells = Pit::drawn_of(player).map(cell).concat();
            format!("{player} {cells} {:>2}", scores.of(player))
        };
        // Writing to memory cannot fail.
        let (north, south) = (Player::North, Player::South);
        let _ = writeln!(text, "      {}", letters(north).trim_end());
        let _ = writeln!(text, "{}\n{}", row(north), row(south));
        let _ = writeln!(text, "      {}", letters(south).trim_end());
        text
    }
}

impl AgentGame for go::Game {
    const PROMPT: &'static str = "D4, pass, resign";
    const MOVE_HELP: &'static str = "\
D4       a stone: the column's letter and the row's number, as left of the board and above it;
         the letters skip I
3,15     a stone: the row and the column, as right of the board and below it
pass     no stone; two passes end the game";
    const GTP_MOVES: &'static str = "a point of the board, pass or resign would be right";
    const DRAW_OFFERS: bool = false;
    const FALLBACK: Option<go::Move> = Some(go::Move::Pass);

    fn gtp_setup(&self) -> GtpSetup {
        let start = self.positions().first().unwrap_or(self.position());
        let size = start.board.size();
        let (rows, columns) = (size.rows(), size.columns());
        let stones = start.board.stones().map(|(point, color)| {
            let vertex = self.to_gtp(go::Move::Place(point));
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

    /// Parses `pass`, a point like `D4`, or a row and a column like `3,15`.
    fn parse_typed(&self, word: &str) -> Result<go::Move, NotAMove> {
        if word.eq_ignore_ascii_case("pass") {
            return Ok(go::Move::Pass);
        }
        let Some((row, column)) = word.split_once(',') else {
            return Point::from_vertex(word, self.board().size())
                .map(go::Move::Place)
                .map_err(|why| NotAMove(why.to_string()));
        };
        let coordinate = |digits: &str| digits.trim().parse().ok();
        match (coordinate(row), coordinate(column)) {
            (Some(row), Some(column)) => Ok(go::Move::Place(Point { row, column })),
            _ => Err(NotAMove(format!(
                "{word:?} is not a point: type a row and a column, such as 3,15"
            ))),
        }
    }

    /// The names of points as in GTP are on the left and above, the rows and columns of the
    /// protocol on the right and below.
    fn diagram(&self) -> String {
        let board = self.board();
        let size = board.size();
        let last = match go::Game::moves(self).last() {
            Some(go::Move::Place(point)) => Some(*point),
            _ => None,
        };
        let points = |row| (0..size.columns()).map(move |column| Point { row, column });
        let top = points(0).filter_map(|point| point.vertex(size)?.chars().next());
        let mut text = format!("    {}\n", top.format(" "));
        for row in 0..size.rows() {
            let points = marked_row(points(row).map(|point| {
                let mark = board.get(point).map_or('.', Color::mark);
                (mark, Some(point) == last)
            }));
            // Writing to memory cannot fail.
            let _ = writeln!(text, "{:>3}{points}{row}", size.rows() - row);
        }
        // Two digits would touch their neighbors.
        let digits = (0..size.columns()).map(|column| column % 10);
        let _ = writeln!(text, "    {}", digits.format(" "));
        text
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
    use crate::games::go::{Game, Move, Position, Size};

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
        insta::assert_snapshot!(why("Z9"), @r#""Z9" is not a point of a 5x5 board: use A1 to E5"#);
        let large = Game::new(Rules::default(), Position::start(Size::STANDARD));
        insta::assert_snapshot!(large.parse_typed("i1").unwrap_err(), @r#""i1" is not a point of a 19x19 board: use A1 to T19; no column has the letter I: after H comes J"#);
        insta::assert_snapshot!(why("1,x"), @r#""1,x" is not a point: type a row and a column, such as 3,15"#);
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

    #[test]
    fn words_typed_in_gothello_and_awari_are_explained() {
        let game = gothello::Game::default();
        assert_eq!(game.parse_typed("D3"), Ok("d3".parse().unwrap()));
        assert_eq!(game.parse_typed("Pass"), Ok(gothello::Move::Pass));
        insta::assert_snapshot!(game.parse_typed("f9").unwrap_err(), @r#""f9" is not a move: type a letter a-e and a digit 1-5, pass, resign or help"#);
        let game = awari::Game::default();
        // The opponent's pits cannot be sown.
        for word in ["a", "A"] {
            assert_eq!(game.parse_typed(word), Ok("A".parse().unwrap()));
        }
        insta::assert_snapshot!(game.parse_typed("g").unwrap_err(), @r#""g" is not a move: type a letter A-F (South) or a-f (North), draw?, resign or help"#);
    }
}
