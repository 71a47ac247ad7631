//! The games that the referee supports. Each implements the trait [`NetrefGame`] in a file of its
//! own.

mod awari;
mod gothello;
mod version;

use std::fmt::{Debug, Display};

use super::summary::{Played, Summary};
use thiserror::Error;

use crate::base::color::{ByColor, Color};
use crate::games::game::Outcome;
use crate::games::{awari as awari_rules, gothello as gothello_rules};
use crate::pages::web::DrawnGame;

pub use awari::AwariRow;
pub use gothello::GothelloRow;
pub use version::Version;

/// A game that can be played over the network: what its protocol, its records and its
/// page need besides the rules.
///
/// Black is the side that moves first, whatever the game calls it.
pub trait NetrefGame: DrawnGame<Score = u8, Move: Display> + Default + PartialEq {
    /// A row of the board in a state display. It prints as it is sent.
    type Row: Clone + Debug + Display + PartialEq + Send + 'static;

    /// The names of the sides in requests and responses, in lower case.
    const SIDES: ByColor<&'static str>;
    /// The letter of each side in state displays.
    const LETTERS: ByColor<char>;
    /// The TCP port of server number 0.
    const PORT: u16;
    /// The maximum server number.
    const MAX_SERVER: u16;
    /// The requests that need no number, for messages.
    const ALONE: &str;
    /// Correct requests, for messages.
    const EXAMPLE: &str;
    /// Whether players may offer draws.
    const HAS_DRAWS: bool;
    /// The substitute move in the status line of an end without a move, for clients that
    /// recognize no other end; `None` if all clients of this game recognize all ends (see
    /// [`Dialect`](crate::contests::netref::Dialect)).
    const FORFEIT_MOVE: Option<Self::Move>;
    /// The extension of the files in which matches are recorded.
    const RECORD_EXTENSION: &str;

    /// Returns the version of the protocol that the server speaks. Clients of this version can
    /// resume an interrupted match, earlier ones cannot.
    fn version() -> Version;

    /// Returns the text of the greeting, after its code.
    fn greeting() -> String;

    /// Starts a game under these rules, as returned by [`NetrefGame::rules`]; `None` if the
    /// rules are unknown.
    fn with_rules(rules: Option<&str>) -> Option<Self>;

    /// Returns the rules in a few words, if the game has variants; they are journaled.
    fn rules(&self) -> Option<String>;

    /// Returns the rules in a sentence, if the game has variants.
    fn rules_description(&self) -> Option<String>;

    /// Parses the move of a request, which may be stricter than
    /// [`Game::parse_notation`](crate::games::game::Game::parse_notation); returns `None` if
    /// the word is not a move.
    fn parse_move(word: &str) -> Option<Self::Move>;

    /// Parses a move that needs no number before it; returns `None` if the word is not such a move.
    fn parse_bare_move(word: &str) -> Option<Self::Move>;

    /// Returns the board as a state display shows it, from the top.
    fn rows(&self) -> Vec<Self::Row>;

    /// Parses a row of the board; returns `None` if the line is not a row.
    fn parse_row(line: &str) -> Option<Self::Row>;

    /// Returns a game under the same rules that continues from a board.
    ///
    /// # Errors
    /// No game leads to the board.
    fn resumed(&self, rows: &[Self::Row], to_move: Color) -> Result<Self, IllegalBoard>;

    /// Returns whether the board is the one of these rows.
    fn looks_like(&self, rows: &[Self::Row]) -> bool {
        self.rows() == rows
    }

    /// Plays the last move of a match. Returns `None` if the match does not end with it; the game
    /// may have changed then. If the game `was_found` in the middle, its earlier moves are unknown.
    ///
    /// # Errors
    /// The move is illegal.
    fn finish(
        &mut self,
        mv: Self::Move,
        was_found: bool,
    ) -> Result<Option<Outcome>, Self::PlayError>;

    /// Returns the score of the finished game as it is recorded.
    fn score(&self, outcome: Outcome) -> String {
        outcome.to_string()
    }

    /// Returns the record of a whole match: a file in the format that programs for
    /// this game read.
    fn record(&self, summary: &Summary, moves: &[Played<Self::Move>]) -> String;
}

/// Returns the ellipsis between the number and the move of this side (table 6), with a
/// trailing space.
pub const fn ellipses(side: Color) -> &'static str {
    match side {
        Color::Black => "",
        Color::White => "... ",
    }
}

/// Why no game leads to a board that the referee shows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalBoard {
    /// Rows are missing.
    #[error("each player must have a row of pits")]
    Rows,
    /// No game of Gothello leads to it.
    #[error(transparent)]
    Gothello(#[from] gothello_rules::IllegalPosition),
    /// No game of Awari leads to it.
    #[error(transparent)]
    Awari(#[from] awari_rules::IllegalPosition),
}
