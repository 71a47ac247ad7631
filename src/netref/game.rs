//! What the referee must know of a game.

use std::fmt::{Debug, Display};

use super::record::Summary;
use super::version::Version;
use crate::color::{ByColor, Color};
use crate::web::BoardKind;

/// A game that the referee can referee: all that is its alone.
///
/// A value is a game from its start to the present or to its end.
pub trait Game: Clone + Debug + Send + 'static {
    /// A move. It prints as it is written on the wire.
    type Move: Copy + Debug + Display + PartialEq + Send + 'static;

    /// The game's name, for people.
    const NAME: &str;
    /// What the sides are called on the wire: small letters.
    const SIDES: ByColor<&'static str>;
    /// What the sides are called in sentences.
    const TITLES: ByColor<&'static str>;
    /// The letter of each side in state displays.
    const LETTERS: ByColor<char>;
    /// The TCP port of server number 0.
    const PORT: u16;
    /// The greatest server number.
    const MAX_SERVER: u16;
    /// What may be requested without a number, for messages.
    const ALONE: &str;
    /// Requests as they should be, for messages.
    const EXAMPLE: &str;
    /// Whether its paper lets players offer draws.
    const HAS_DRAWS: bool;
    /// What a side plays in a status line that ends the match without a move,
    /// where the reader knows no other end; `None` if every reader knows all
    /// (see [`Dialect`](super::Dialect)).
    const STAND_IN: Option<&'static str>;
    /// How the files end in which matches are recorded.
    const RECORD_EXTENSION: &str;
    /// How the page draws the board.
    const KIND: BoardKind;
    /// The rows and the columns that the page draws.
    const SIZE: [u16; 2];

    /// The version of the protocol that the referee speaks.
    fn version() -> Version;

    /// What the greeting says after its code.
    fn greeting() -> String;

    /// A game that has not begun, under the rules that [`Game::rules`] told of
    /// another one; `None` if there are no such rules.
    fn under(rules: Option<&str>) -> Option<Self>;

    /// The rules in a few words, if the game has several; they are journaled.
    fn rules(&self) -> Option<String>;

    /// The rules for people who do not know [`Game::rules`], if the game has several.
    fn rules_description(&self) -> Option<String>;

    /// The move of a word; `None` if it is none.
    fn parse_move(word: &str) -> Option<Self::Move>;

    /// The move of a word that needs no number before it; `None` if it needs
    /// one or is no move.
    fn bare_move(word: &str) -> Option<Self::Move>;

    /// Whether a move has the codes of a pass.
    fn is_pass(mv: Self::Move) -> bool;

    /// The side to move.
    fn to_move(&self) -> Color;

    /// Plays a move of the side to move.
    ///
    /// # Errors
    /// Says why the move is illegal; the game is then unchanged.
    fn play(&mut self, mv: Self::Move) -> Result<(), String>;

    /// How the game ended; `None` while it goes on.
    fn result(&self) -> Option<GameResult>;

    /// The board for people, a line a row.
    fn rows(&self) -> Vec<String>;

    /// The board for the page.
    fn picture(&self) -> Picture;

    /// The row, from the top, and the column of a move in the picture, from 0;
    /// `None` for a pass.
    fn place(mv: Self::Move) -> Option<[u16; 2]>;

    /// The whole match as a file, as programs for this game read it.
    fn record(&self, summary: &Summary) -> String;
}

/// How a game ended by its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Who won; `None` if it is drawn.
    pub winner: Option<Color>,
    /// The score, as in `B+3`.
    pub score: String,
}

/// A board for the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The points or pits, as the board of a [`Ply`](crate::web::Ply) has them.
    pub board: String,
    /// How many stones count for each side.
    pub scores: ByColor<u8>,
    /// How many stones each side has taken from the other; `None` where those are
    /// the scores.
    pub captured: Option<ByColor<u32>>,
}
