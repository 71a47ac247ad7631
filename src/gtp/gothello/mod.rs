//! What the protocol knows of Gothello alone.

mod analysis;
mod board;
mod commands;
mod drawing;
mod parameters;
mod points;
mod proof;
mod record;
mod ruler;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::chosen::LastChoice;
use super::command::Parser;
use super::failure::Failure;
use super::game::Played;
use super::response::Response;
use super::session::Session;
use crate::gothello::{Color, Game, IllegalPosition, Move, PlayError, SIZE};
use crate::player::{Analyst, Choice, Limits, Player, moves_to_come};

pub use commands::{Own, Question, StoneStatus};
pub use parameters::Parameter;
pub use record::LoadError;

/// A game of Gothello, with the player and the analyst.
pub struct Gothello {
    game: Game,
    player: Box<dyn Player>,
    analyst: Arc<dyn Analyst>,
    last_choice: LastChoice<Game, Choice>,
}

impl Session<Gothello> {
    /// A session at the start of a game of Gothello, with the player who is
    /// asked by `genmove`, the analyst who is asked by analyze commands, and the
    /// longest time that the player may take for a move, if one is given.
    pub fn new(
        player: Box<dyn Player>,
        analyst: Arc<dyn Analyst>,
        move_time: Option<Duration>,
    ) -> Session<Gothello> {
        let game = Gothello {
            game: Game::new(),
            player,
            analyst,
            last_choice: LastChoice::NONE,
        };
        Session::of(game, move_time)
    }
}

impl Played for Gothello {
    const NAME: &'static str = "Gothello";
    const SIZE: u8 = SIZE;
    const COMMANDS: &'static [(&'static str, Parser<Gothello>)] = commands::COMMANDS;
    const ANALYZE: &'static [&'static str] = &analysis::COMMANDS;
    const PASS: Move = Move::Pass;

    type Move = Move;
    type Command = Own;
    type Question = Question;
    type Choice = Choice;

    fn read_move(word: &str) -> Result<Move, String> {
        word.parse()
            .map_err(|error: <Move as std::str::FromStr>::Err| error.to_string())
    }

    fn write_move(mv: Move, out: &mut Response<'_>) {
        out.mv(mv);
    }

    fn clear(&mut self) {
        self.game.clear();
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Failure> {
        Ok(self.game.play(color, mv)?)
    }

    fn undo(&mut self) -> bool {
        self.game.undo()
    }

    fn undoable(&self) -> usize {
        self.game.undoable()
    }

    fn is_over(&self) -> bool {
        self.game.is_over()
    }

    fn to_move(&self) -> Color {
        self.game.to_move()
    }

    fn out_of_turn(&self) -> Failure {
        PlayError::OutOfTurn(self.game.to_move()).into()
    }

    fn moves_to_come(&self) -> u32 {
        moves_to_come(self.game.board().empty().len())
    }

    fn choose(&mut self, limits: &Limits<'_>) -> Option<Choice> {
        let color = self.game.to_move();
        let choice = self.player.choose(self.game.position()?, limits);
        tracing::info!(%color, %choice, "move chosen");
        Some(choice)
    }

    fn chosen(choice: Choice) -> Move {
        choice.mv
    }

    fn remember(&mut self, color: Color, choice: Choice) {
        self.last_choice.set(&self.game, color, choice);
    }

    fn show(&self, out: &mut Response<'_>) {
        board::show(&self.game, out);
    }

    fn score(&self, out: &mut Response<'_>) {
        board::score(&self.game, out);
    }

    fn last_choice(&self, out: &mut Response<'_>) {
        proof::last_choice(&self.game, self.last_choice.of(&self.game), out);
    }

    fn board(&self, out: &mut Response<'_>) {
        ruler::board(&self.game, out);
    }

    fn board_gfx(&self, out: &mut Response<'_>) {
        ruler::board_gfx(&self.game, out);
    }

    fn legal_moves(&self, out: &mut Response<'_>) {
        ruler::legal_moves(&self.game, out);
    }

    fn captured_count(&self, out: &mut Response<'_>) {
        ruler::captured_count(&self.game, out);
    }

    fn final_result(&self, out: &mut Response<'_>) {
        ruler::final_result(&self.game, out);
    }

    fn obey(
        session: &mut Session<Gothello>,
        command: Own,
        out: &mut Response<'_>,
    ) -> Result<(), Failure> {
        commands::obey(session, command, out)
    }

    fn ponder(session: &mut Session<Gothello>, question: Question, out: &mut Response<'_>) {
        commands::ponder(session, question, out);
    }
}

impl fmt::Debug for Gothello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Gothello");
        fields.field("game", &self.game).finish_non_exhaustive()
    }
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Failure {
        Failure::IllegalMove(error.to_string())
    }
}

impl From<IllegalPosition> for Failure {
    fn from(error: IllegalPosition) -> Failure {
        Failure::IllegalPosition(error.to_string())
    }
}
