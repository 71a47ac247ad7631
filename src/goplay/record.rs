//! A game that follows the server's word.

use crate::go::{Game, Illegal, Move, Position, Rules};

/// A game as the server tells it. Where a move is illegal by our rules, the server
/// has the last word: the game goes on after it, without its past.
#[derive(Clone, Debug)]
pub(super) struct Record {
    game: Game,
    /// How many moves were made before `game` begins.
    before: usize,
}

impl Record {
    /// A game from its first position on.
    pub(super) fn new(rules: Rules, position: Position) -> Record {
        Record {
            game: Game::new(rules, position),
            before: 0,
        }
    }

    /// A game of which the first moves are not known.
    pub(super) fn resumed(rules: Rules, position: Position, before: usize) -> Record {
        Record {
            game: Game::new(rules, position),
            before,
        }
    }

    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// How many moves have been made, passes among them.
    pub(super) fn moves(&self) -> usize {
        self.before.saturating_add(self.game.moves().len())
    }

    /// Follows a move of the player to move; what is wrong with it, by our rules.
    pub(super) fn follow(&mut self, played: Move) -> Option<Illegal> {
        let why = self.game.play(played).err()?;
        let lenient = Rules {
            ko: false,
            superko: false,
            ..self.game.rules().clone()
        };
        let mut after = Game::new(lenient, self.game.position().clone());
        // Where no such stone can stand, only the turn is followed.
        let _ = after.play(played);
        let mut position = after.position().clone();
        position.turn = self.game.turn().opponent();
        self.go_on_from(position, self.moves().saturating_add(1));
        Some(why)
    }

    /// Goes on with a game that is over by our rules; whether it was.
    pub(super) fn reopen(&mut self) -> bool {
        let was_over = self.game.is_over();
        if was_over {
            self.go_on_from(self.game.position().clone(), self.moves());
        }
        was_over
    }

    fn go_on_from(&mut self, position: Position, before: usize) {
        let rules = self.game.rules().clone();
        *self = Record::resumed(rules, position, before);
    }
}
