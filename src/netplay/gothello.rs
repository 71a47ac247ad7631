//! Gothello, as the client plays it.

use std::fmt::Write;

use super::ending::Margin;
use super::game::Game;
use crate::game::Game as _;
use crate::gothello::{self as rules, Color, Move, Outcome, Point, PointSet, Position, SIZE, Step};
use crate::netref::GothelloRow;

/// The letters of the columns, above and below the board.
const LETTERS: &str = "  a b c d e";

impl Game for rules::Game {
    const ROWS: usize = 5;
    const PROMPT: &str = "c3, pass, resign";
    const MOVES: &str = "a letter a-e and a digit 1-5, pass or resign";
    const MOVE_HELP: &str = "\
d3       a stone: the column's letter and the row's number
pass     no stone; two passes end the game";
    const VERTICES: &'static str = "a letter a-e and a digit 1-5, pass or resign is expected";
    const GTP_SIZE: u8 = SIZE;

    fn vertex(mv: Move) -> String {
        mv.to_string()
    }

    fn of_vertex(word: &str) -> Option<Move> {
        word.parse().ok()
    }

    fn met(&self, rows: &[GothelloRow], to_move: Color) -> Result<rules::Game, String> {
        let [black, white] = Color::ALL.map(|color| stones(rows, color));
        let position = Position::new(black, white, to_move, false);
        let position = position.map_err(|error| error.to_string())?;
        Ok(rules::Game::from(position))
    }

    fn looks(&self, rows: &[GothelloRow]) -> bool {
        let board = self.board();
        let same = |color| board.stones_of(color) == stones(rows, color);
        Color::ALL.into_iter().all(same)
    }

    /// Two passes end the game. Met after the first one it does not know of it.
    fn finish(&mut self, mv: Move, met: bool) -> Result<Option<Margin>, String> {
        let just_met = met && self.moves().next().is_none();
        let position = self.position();
        if mv != Move::Pass || !(just_met || position.is_some_and(Position::after_pass)) {
            return Ok(None);
        }
        let mover = self.to_move();
        self.play(mover, mv).map_err(|error| error.to_string())?;
        let (winner, stones) = match Outcome::from_scores(self.count()) {
            Outcome::Drawn => (None, 0),
            Outcome::Won { winner, margin } => (Some(winner), margin.get()),
        };
        Ok(Some(Margin { winner, stones }))
    }

    /// The client libraries know no other end than two passes.
    fn may_stand_in(mv: Move) -> bool {
        mv == Move::Pass
    }

    fn mark(side: Color) -> String {
        let color = side;
        format!("{color} ({})", color.mark())
    }

    /// `X` is Black, `O` is White; the last stone stands in brackets.
    fn diagram(&self) -> String {
        let last = match self.last_step() {
            Some(Step::Played { mv, .. }) => mv.point(),
            _ => None,
        };
        let mut text = format!("{LETTERS}\n");
        for row in (0..SIZE).rev() {
            let number = row + 1;
            let points = row_text(self, row, last);
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
fn stones(rows: &[GothelloRow], color: Color) -> PointSet {
    let rows = (0..).zip(rows.iter().rev());
    rows.flat_map(|(row, GothelloRow(points))| {
        let points = (0..).zip(points);
        points.filter_map(move |(column, &stone)| {
            Point::new(column, row).filter(|_| stone == Some(color))
        })
    })
    .collect()
}
