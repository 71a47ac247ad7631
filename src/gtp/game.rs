//! What the protocol must know of a game that is played over it.

use std::fmt;

use super::command::Parser;
use super::failure::Failure;
use super::response::Response;
use super::session::Session;
use crate::gothello::Color;
use crate::player::Limits;

/// A game that is being played, with whoever is asked for moves in it.
///
/// Everything that has to do with the protocol itself is the same for all games
/// and not here. Black is the player who moves first, whatever the game calls
/// him.
pub trait Played: fmt::Debug + Sized + 'static {
    /// What the game is called, as the engine and as the ruler. GoGui plays a
    /// game by its own rules of Go unless ruler and engine answer with the same.
    const NAME: &'static str;
    /// The only size of the board. It is a square: see the pits of Awari.
    const SIZE: u8;
    /// The commands that other games do not have, in the order of their names.
    const COMMANDS: &'static [(&'static str, Parser<Self>)];
    /// The commands that GoGui offers in its analyze dialog: how the response
    /// is shown, the label, and the command.
    const ANALYZE: &'static [&'static str];
    /// The move of a game that is over.
    const PASS: Self::Move;

    /// A move, or a pass.
    type Move: Copy + PartialEq + fmt::Debug + fmt::Display;
    /// One of the commands that other games do not have.
    type Command: fmt::Debug;
    /// One that may take long enough to be interrupted.
    type Question: Copy + Eq + fmt::Debug;
    /// A move that was chosen, and what was thought of it.
    type Choice: Copy;

    /// Reads a move, or says why the word is none.
    ///
    /// # Errors
    /// If it is none.
    fn read_move(word: &str) -> Result<Self::Move, String>;
    /// Writes a move: a point in upper case, or `pass`.
    fn write_move(mv: Self::Move, out: &mut Response<'_>);

    /// The game starts anew.
    fn clear(&mut self);
    /// Plays a move.
    ///
    /// # Errors
    /// Out of turn, or against the rules; then nothing has changed.
    fn play(&mut self, color: Color, mv: Self::Move) -> Result<(), Failure>;
    /// Takes back the last move; `false` if there is none.
    fn undo(&mut self) -> bool;
    /// How many moves can be taken back.
    fn undoable(&self) -> usize;
    /// Whether the game is over.
    fn is_over(&self) -> bool;
    /// The player to move; of a game that is over, the one who would be.
    fn to_move(&self) -> Color;
    /// Why a player who is not to move may not.
    fn out_of_turn(&self) -> Failure;
    /// Among how many moves a player divides his time.
    fn moves_to_come(&self) -> u32;
    /// Asks for a move, for the player to move; `None` in a game that is over.
    fn choose(&mut self, limits: &Limits<'_>) -> Option<Self::Choice>;
    /// The move that was chosen.
    fn chosen(choice: Self::Choice) -> Self::Move;
    /// The last move is the one that a player has just chosen.
    fn remember(&mut self, color: Color, choice: Self::Choice);

    /// The board for people.
    fn show(&self, out: &mut Response<'_>);
    /// The score as things stand.
    fn score(&self, out: &mut Response<'_>);
    /// What was thought of the last move, if it was chosen here.
    fn last_choice(&self, out: &mut Response<'_>);

    /// The rows of the board from the top, as GoGui draws them: `X` is black,
    /// `O` is white.
    fn board(&self, out: &mut Response<'_>);
    /// What the board alone does not show.
    fn board_gfx(&self, out: &mut Response<'_>);
    /// Every legal move; nothing at all when the game is over, which is how
    /// GoGui learns of it.
    fn legal_moves(&self, out: &mut Response<'_>);
    /// What Black and what White has captured.
    fn captured_count(&self, out: &mut Response<'_>);
    /// The result for people; before the end, how things stand.
    fn final_result(&self, out: &mut Response<'_>);

    /// Obeys one of the game's own commands.
    ///
    /// # Errors
    /// If it is refused; then nothing has changed.
    fn obey(
        session: &mut Session<Self>,
        command: Self::Command,
        out: &mut Response<'_>,
    ) -> Result<(), Failure>;
    /// Answers one of the game's own questions; cut short by [`Session::stop`].
    fn ponder(session: &mut Session<Self>, question: Self::Question, out: &mut Response<'_>);
}
