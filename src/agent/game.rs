//! What agents need to know about a game.

use std::fmt::{Debug, Display};

use thiserror::Error;

use crate::color::Color;

/// A game that an [`Agent`](super::Agent) can play.
///
/// A value is a game from its first position to the present one.
pub trait AgentGame: Clone + Debug + Send + 'static {
    /// A move or a pass; resigning is a [`Decision`](super::Decision) of its own.
    type Play: Copy + Debug + PartialEq + Send + 'static;
    /// Why a move is illegal.
    type Illegal: Display;

    /// Examples of what a person may type, for the prompt.
    const PROMPT: &'static str;
    /// The lines of help about moves.
    const MOVE_HELP: &'static str;
    /// What a GTP engine may answer to `genmove`, for error messages.
    const GTP_MOVES: &'static str;
    /// Whether players may offer a draw.
    const DRAW_OFFERS: bool;
    /// The move to make for an engine that finds no legal one. Without one, the
    /// engine has failed.
    ///
    /// Contests of Go have one, a pass: many engines do not know superko.
    const FALLBACK: Option<Self::Play>;

    /// Returns the setup of every game, if it is always the same: an engine that
    /// refuses it is then told apart before a server is asked for a seat.
    fn fixed_setup() -> Option<GtpSetup>;

    /// Returns the commands that bring an engine's board to the first position.
    fn gtp_setup(&self) -> GtpSetup;

    /// Returns the moves since the first position, and who made them.
    fn history(&self) -> Vec<(Color, Self::Play)>;

    /// Checks that the player to move may make a move.
    ///
    /// # Errors
    /// The move is illegal.
    fn check(&self, mv: Self::Play) -> Result<(), Self::Illegal>;

    /// Returns the legal moves that GTP calls points: not the pass.
    fn legal_points(&self) -> Vec<Self::Play>;

    /// Writes a move as in GTP.
    fn to_gtp(&self, mv: Self::Play) -> String;

    /// Parses a move as in GTP; returns `None` if it is none.
    fn parse_gtp(&self, word: &str) -> Option<Self::Play>;

    /// Parses what a person of the side to move types for a move. The move need
    /// not be legal.
    ///
    /// # Errors
    /// The word is not a move.
    fn parse_typed(&self, word: &str) -> Result<Self::Play, NotAMove>;
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

/// What a person typed is not a move. Prints what would be one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotAMove(pub String);
