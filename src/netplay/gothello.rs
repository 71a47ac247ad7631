//! Gothello, as the client plays it.

use std::fmt::Write;

use super::ending::Margin;
use super::game::Game;
use crate::gothello::{self as rules, Color, Move, Outcome, Point, PointSet, Position, SIZE, Step};
use crate::netref::Gothello;

/// The letters of the columns, above and below the board.
const LETTERS: &str = "  a b c d e";

impl Game for Gothello {
    /// The points of a row from the left; the first row is row 5.
    type Row = [Option<Color>; 5];

    const ROWS: usize = 5;
    const PROMPT: &str = "c3, pass, resign";
    const MOVES: &str = "a letter a-e and a digit 1-5, pass or resign";
    const MOVE_HELP: &str = "\
d3       a stone: the column's letter and the row's number
pass     no stone; two passes end the game";
    const VERTICES: &'static str = "a letter a-e and a digit 1-5, pass or resign is expected";
    const GTP_SIZE: u8 = SIZE;

    fn row(line: &str) -> Option<Self::Row> {
        let mut row = [None; 5];
        let letters = line.trim_end_matches([' ', '\t']);
        if letters.chars().count() != row.len() {
            return None;
        }
        for (point, letter) in row.iter_mut().zip(letters.chars()) {
            *point = match letter {
                'b' => Some(Color::Black),
                'w' => Some(Color::White),
                '.' => None,
                _ => return None,
            };
        }
        Some(row)
    }

    fn read_move(word: &str) -> Option<Move> {
        word.parse().ok()
    }

    fn vertex(mv: Move) -> String {
        mv.to_string()
    }

    fn of_vertex(word: &str) -> Option<Move> {
        word.parse().ok()
    }

    fn met(&self, rows: &[Self::Row], to_move: Color) -> Result<Gothello, String> {
        let [black, white] = Color::ALL.map(|color| stones(rows, color));
        let position = Position::new(black, white, to_move, false);
        let position = position.map_err(|error| error.to_string())?;
        Ok(Gothello::from(rules::Game::from(position)))
    }

    fn looks(&self, rows: &[Self::Row]) -> bool {
        let board = self.game().board();
        let same = |color| board.stones_of(color) == stones(rows, color);
        Color::ALL.into_iter().all(same)
    }

    /// Two passes end the game. Met after the first one it does not know of it.
    fn finish(&mut self, mv: Move, met: bool) -> Result<Option<Margin>, String> {
        let just_met = met && self.moves().is_empty();
        let position = self.game().position();
        if mv != Move::Pass || !(just_met || position.is_some_and(Position::after_pass)) {
            return Ok(None);
        }
        crate::netref::Game::play(self, mv)?;
        let (winner, stones) = match Outcome::from_scores(self.game().count()) {
            Outcome::Drawn => (None, 0),
            Outcome::Won { winner, margin } => (Some(winner), margin.get()),
        };
        Ok(Some(Margin { winner, stones }))
    }

    /// The client libraries know no other end than two passes.
    fn may_stand_in(mv: Move) -> bool {
        mv == Move::Pass
    }

    fn moves(&self) -> Vec<(Color, Move)> {
        let played = |(step, _)| match step {
            Step::Played { color, mv } => Some((color, mv)),
            Step::SetUp(_) => None,
        };
        self.game().steps().filter_map(played).collect()
    }

    fn mark(side: Color) -> String {
        let color = side;
        format!("{color} ({})", color.mark())
    }

    /// `X` is Black, `O` is White; the last stone stands in brackets.
    fn board(&self) -> String {
        let last = match self.game().last_step() {
            Some(Step::Played { mv, .. }) => mv.point(),
            _ => None,
        };
        let mut text = format!("{LETTERS}\n");
        for row in (0..SIZE).rev() {
            let number = row + 1;
            let points = row_text(self.game(), row, last);
            // Writing to memory cannot fail.
            let _ = writeln!(text, "{number}{points}{number}");
        }
        text + LETTERS + "\n"
    }
}

/// The points of a row from the left, with a blank or a bracket before each and
/// after the last.
fn row_text(game: &rules::Game, row: u8, last: Option<Point>) -> String {
    let mut text = String::new();
    let mut after = ' ';
    for point in (0..SIZE).filter_map(|column| Point::new(column, row)) {
        let is_last = Some(point) == last;
        text.push(if is_last { '(' } else { after });
        text.push(game.stone_at(point).map_or('.', Color::mark));
        after = if is_last { ')' } else { ' ' };
    }
    text.push(after);
    text
}

/// The points of the rows where a colour has stones.
fn stones(rows: &[[Option<Color>; 5]], color: Color) -> PointSet {
    let rows = (0..).zip(rows.iter().rev());
    rows.flat_map(|(row, points)| {
        let points = (0..).zip(points);
        points.filter_map(move |(column, &stone)| {
            Point::new(column, row).filter(|_| stone == Some(color))
        })
    })
    .collect()
}
