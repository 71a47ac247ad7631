//! The interface between the protocol and a game.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::sync::atomic::AtomicBool;

use super::arguments::Arguments;
use super::live::LiveGraphics;
use super::response::{Failure, Response};
use crate::base::color::{ByColor, Color};
use crate::games::game::Undo;
use crate::player::Limits;

/// A game that can be played over GTP.
///
/// Black is the player who moves first, whatever the game calls them. The move that GTP writes as
/// `pass` is [`Game::PASS`](crate::games::game::Game::PASS); where nobody passes, `pass` is only
/// accepted after the end of a game, where `genmove` answers it. The commands
/// that all games share need nothing but the methods of this trait; a game can add
/// commands of its own, its *extensions*.
pub trait GtpGame: Undo<Score = u8> + PartialEq {
    /// The only size of the board. It is a square, because GoGui draws no others.
    const BOARD_SIZE: u8;
    /// The names of the extension commands, in alphabetical order, and how they are executed.
    const EXTENSIONS: &'static [(&'static str, Extension<Self>)];
    /// The commands that GoGui offers in its analyze dialog: how the response
    /// is shown, the label, and the command.
    const ANALYZE_COMMANDS: &'static [&'static str];

    /// An extension command that searches and can be interrupted.
    type ExtensionSearch: Copy + Debug + Eq;
    /// The engine that chooses moves and executes searches.
    type Engine;
    /// A move that the engine has chosen, and its evaluation.
    type Choice: Copy;
    /// A word that is not a vertex.
    type ParseVertexError: Error;

    /// Parses a vertex other than `pass`.
    ///
    /// # Errors
    /// The word is not a vertex.
    fn parse_vertex(word: &str) -> Result<Self::Move, Self::ParseVertexError>;
    /// Returns a move as a vertex, for messages.
    fn vertex(mv: Self::Move) -> impl Display;
    /// Writes a move as a vertex: in upper case, or `pass`.
    fn write_vertex(mv: Self::Move, out: &mut Response<'_>) {
        out.text(format_args!("{}", Self::vertex(mv)));
    }
    /// Describes why a move is refused, in the words of a failure response.
    fn refusal(mv: Self::Move, error: Self::PlayError) -> String;

    /// Returns the stones that each player has captured.
    fn captured_counts(&self) -> ByColor<u32>;
    /// Returns the number of moves among which a player divides the time left.
    fn moves_to_go(&self) -> u32;
    /// Chooses a move for the player to move; returns `None` if the game is over.
    fn choose(&self, engine: &mut Self::Engine, limits: &Limits<'_>) -> Option<Self::Choice>;
    /// Chooses a move at full strength, whatever the playing level is.
    fn suggest(&self, engine: &mut Self::Engine, limits: &Limits<'_>) -> Option<Self::Choice> {
        self.choose(engine, limits)
    }
    /// Returns the move of a choice.
    fn chosen_move(choice: Self::Choice) -> Self::Move;
    /// Writes a move that was chosen for `color`, and its evaluation. If the move has been made,
    /// it is the last one.
    fn write_evaluation(&self, color: Color, choice: Self::Choice, out: &mut Response<'_>);

    /// Writes the board for people (`showboard`).
    fn show_board(&self, out: &mut Response<'_>);
    /// Writes the rows of the board from the top (`gogui-rules_board`): `X` is Black,
    /// `O` is White.
    fn rules_board(&self, out: &mut Response<'_>);
    /// Draws what the board alone does not show (`gogui-rules_board_gfx`).
    fn rules_board_gfx(&self, out: &mut Response<'_>);
    /// Writes the result, or before the end the current score, for people
    /// (`gogui-rules_final_result`).
    fn rules_final_result(&self, out: &mut Response<'_>);

    /// Executes an extension search.
    fn search(
        &self,
        engine: &mut Self::Engine,
        search: Self::ExtensionSearch,
        context: &SearchContext<'_>,
        out: &mut Response<'_>,
    );
}

/// How an extension command is executed.
pub enum Extension<G: GtpGame> {
    /// It writes something about the game, and has no arguments.
    Show(fn(&G, &mut Response<'_>)),
    /// At once, with its arguments. If it fails, nothing has changed.
    Command(ExtensionCommand<G>),
    /// By a search, which can be interrupted. It has no arguments.
    Search(G::ExtensionSearch),
}

/// Executes an extension command with these arguments.
pub type ExtensionCommand<G> =
    fn(&mut Execution<'_, G>, Arguments<'_>, &mut Response<'_>) -> Result<(), Failure>;

/// The part of the session that an extension command can change.
pub struct Execution<'a, G: GtpGame> {
    /// The game.
    pub game: &'a mut G,
    /// The engine.
    pub engine: &'a mut G::Engine,
    /// Shows the progress of searches.
    pub live: &'a LiveGraphics,
    /// Set when a new game begins: the clocks start again.
    pub is_new_game: bool,
}

/// The context of a search.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// Shows the progress.
    pub live: &'a LiveGraphics,
    /// Interrupts the search when it is set.
    pub stop: &'a AtomicBool,
}
