//! How the page draws each game.

use itertools::Itertools;

use super::view::{BoardKind, Ply};
use crate::base::color::{ByColor, Color};
use crate::games::awari::{self, Pit};
use crate::games::game::Game;
use crate::games::go::{self, Score};
use crate::games::gothello::{self, Move, Point, SIZE};

/// A game that is drawn on the page.
pub trait DrawnGame: Game {
    /// The drawing of the board.
    const KIND: BoardKind;

    /// Returns the numbers of rows and columns.
    fn size(&self) -> [u16; 2];

    /// Returns the current board, without the move that led to it.
    fn ply(&self) -> Ply;

    /// Returns the row, from the top, and the column of a move, from 0; `None` for a pass.
    fn place(mv: Self::Move) -> Option<[u16; 2]>;
}

/// Returns the view of a board without a move.
fn still(board: String, scores: ByColor<f64>, prisoners: Option<ByColor<u32>>) -> Ply {
    Ply {
        board,
        prisoners,
        scores: Some(scores),
        ..Ply::default()
    }
}

/// Returns the letter of a point: `B`, `W`, or `.` if it is empty.
fn letter(stone: Option<Color>) -> char {
    stone.map_or('.', Color::capital)
}

impl DrawnGame for gothello::Game {
    const KIND: BoardKind = BoardKind::Gothello;

    fn size(&self) -> [u16; 2] {
        [u16::from(SIZE); 2]
    }

    fn ply(&self) -> Ply {
        let points = (0..SIZE).rev().cartesian_product(0..SIZE);
        let points = points.filter_map(|(row, column)| Point::new(column, row));
        let board = points.map(|point| letter(self.stone_at(point))).collect();
        still(board, self.count().map(f64::from), Some(self.captured()))
    }

    fn place(mv: Move) -> Option<[u16; 2]> {
        match mv {
            Move::Place(point) => Some([SIZE - 1 - point.row(), point.column()].map(u16::from)),
            Move::Pass => None,
        }
    }
}

/// South's pits are in the lower row.
impl DrawnGame for awari::Game {
    const KIND: BoardKind = BoardKind::Awari;

    fn size(&self) -> [u16; 2] {
        [2, 6]
    }

    fn ply(&self) -> Ply {
        let pits = self.pits();
        let board = Pit::drawn().filter_map(|pit| pits.get(pit.index()));
        still(
            board.into_iter().join(","),
            Game::scores(self).map(f64::from),
            None,
        )
    }

    fn place(pit: Pit) -> Option<[u16; 2]> {
        Some(pit.place().map(u16::from))
    }
}

impl DrawnGame for go::Game {
    const KIND: BoardKind = BoardKind::Go;

    fn size(&self) -> [u16; 2] {
        let size = self.board().size();
        [size.rows().into(), size.columns().into()]
    }

    fn ply(&self) -> Ply {
        let board = self.board().rows().flatten().map(letter).collect();
        still(
            board,
            self.score().map(Score::to_f64),
            Some(self.prisoners()),
        )
    }

    fn place(mv: go::Move) -> Option<[u16; 2]> {
        match mv {
            go::Move::Place(go::Point { row, column }) => Some([row.into(), column.into()]),
            go::Move::Pass | go::Move::Resign => None,
        }
    }
}
