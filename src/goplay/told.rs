//! What an engine has on its board.

use crate::go::{Color, Game, Move, Point, Position, Rules, Size};

/// A game as far as an engine has been told of it.
#[derive(Clone, Debug)]
pub(super) struct Told {
    rules: Rules,
    start: Position,
    /// The moves that it has been told, or has made itself.
    pub(super) moves: Vec<Move>,
}

impl Told {
    /// The first position of a game.
    pub(super) fn begin(game: &Game) -> Told {
        let start = game.positions().first().unwrap_or(game.position());
        Told {
            rules: game.rules().clone(),
            start: start.clone(),
            moves: Vec::new(),
        }
    }

    /// Whether a game is this one, before or after some moves.
    pub(super) fn is_game(&self, game: &Game) -> bool {
        self.rules == *game.rules() && Some(&self.start) == game.positions().first()
    }

    /// Whether a game is just so far.
    pub(super) fn is(&self, game: &Game) -> bool {
        self.is_game(game) && self.moves == game.moves()
    }

    pub(super) fn size(&self) -> Size {
        self.start.board.size()
    }

    /// The stones that it begins with.
    pub(super) fn stones(&self) -> Vec<(Point, Color)> {
        self.start.board.stones().collect()
    }

    /// Who moves next: nobody has resigned.
    pub(super) fn turn(&self) -> Color {
        match self.moves.len() % 2 {
            0 => self.start.turn,
            _ => self.start.turn.opponent(),
        }
    }
}
