//! What the protocol knows of Awari alone. South, who moves first, is Black.

mod analysis;
mod board;
mod commands;
mod ruler;
mod turn;

use std::fmt;

use super::chosen::LastChoice;
use super::command::Parser;
use super::failure::Failure;
use super::game::Played;
use super::response::Response;
use super::session::Session;
use crate::awari::{Game, IllegalMove, PlayError, Position, Variant};
use crate::gothello::Color;
use crate::player::{AwariChoice, AwariPlayer, Limits, awari_moves_to_go};

use board::{color_of, player_of};
pub use commands::{Own, Question};
pub use turn::Turn;

/// A game of Awari, with whoever is asked for moves.
pub struct Awari {
    game: Game,
    /// The passes after the end of the game. They change nothing, but whoever
    /// takes moves back counts them.
    passes: usize,
    mover: Box<dyn AwariPlayer>,
    last_choice: LastChoice<Game, AwariChoice>,
}

impl Awari {
    /// A game from the start, and who is asked for moves in it.
    pub fn new(mover: Box<dyn AwariPlayer>, variant: Variant) -> Awari {
        Awari {
            game: Game::new(Position::START, variant),
            passes: 0,
            mover,
            last_choice: LastChoice::NONE,
        }
    }

    /// The game starts anew, from some position.
    fn set_up(&mut self, position: Position) {
        self.game = Game::new(position, self.game.variant());
        self.passes = 0;
    }
}

impl Played for Awari {
    const NAME: &'static str = "Awari";
    const SIZE: u8 = turn::SIZE;
    const COMMANDS: &'static [(&'static str, Parser<Awari>)] = commands::COMMANDS;
    const ANALYZE: &'static [&'static str] = &analysis::COMMANDS;
    const PASS: Turn = Turn::Pass;

    type Move = Turn;
    type Command = Own;
    type Question = Question;
    type Choice = AwariChoice;

    fn read_move(word: &str) -> Result<Turn, String> {
        word.parse()
            .map_err(|error: turn::ParseTurnError| error.to_string())
    }

    fn write_move(turn: Turn, out: &mut Response<'_>) {
        out.text(format_args!("{turn}"));
    }

    fn clear(&mut self) {
        self.set_up(Position::START);
    }

    fn play(&mut self, color: Color, turn: Turn) -> Result<(), Failure> {
        let why = match turn {
            Turn::Sow(pit) => match self.game.play(player_of(color), pit) {
                Ok(()) => return Ok(()),
                Err(PlayError::OutOfTurn(_)) => return Err(self.out_of_turn()),
                Err(PlayError::Illegal(IllegalMove::GameOver)) => IllegalMove::GameOver.to_string(),
                Err(PlayError::Illegal(error)) => format!("{turn}: {error}"),
            },
            Turn::Pass if self.game.is_over() => {
                self.passes += 1;
                return Ok(());
            }
            Turn::Pass => "nobody passes in Awari before the end".to_owned(),
        };
        Err(Failure::IllegalMove(why))
    }

    fn undo(&mut self) -> bool {
        if let Some(fewer) = self.passes.checked_sub(1) {
            self.passes = fewer;
            return true;
        }
        self.game.undo()
    }

    fn undoable(&self) -> usize {
        self.game.moves().count() + self.passes
    }

    fn is_over(&self) -> bool {
        self.game.is_over()
    }

    fn to_move(&self) -> Color {
        color_of(self.game.to_move())
    }

    fn out_of_turn(&self) -> Failure {
        let (player, color) = (self.game.to_move(), self.to_move());
        Failure::IllegalMove(format!("it is {player}'s turn ({color}'s)"))
    }

    fn moves_to_come(&self) -> u32 {
        awari_moves_to_go(&self.game)
    }

    fn choose(&mut self, limits: &Limits<'_>) -> Option<AwariChoice> {
        if self.game.is_over() {
            return None;
        }
        let player = self.game.to_move();
        let chosen = self.mover.choose(&self.game, limits);
        tracing::info!(%player, %chosen, "move chosen");
        Some(chosen)
    }

    fn chosen(choice: AwariChoice) -> Turn {
        Turn::Sow(choice.pit)
    }

    fn remember(&mut self, color: Color, choice: AwariChoice) {
        self.last_choice.set(&self.game, color, choice);
    }

    fn show(&self, out: &mut Response<'_>) {
        board::show(&self.game, out);
    }

    fn score(&self, out: &mut Response<'_>) {
        board::score(&self.game, out);
    }

    fn last_choice(&self, out: &mut Response<'_>) {
        analysis::last_choice(&self.game, self.last_choice.of(&self.game), out);
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
        session: &mut Session<Awari>,
        command: Own,
        out: &mut Response<'_>,
    ) -> Result<(), Failure> {
        commands::obey(session, command, out)
    }

    fn ponder(session: &mut Session<Awari>, question: Question, out: &mut Response<'_>) {
        match question {
            Question::SuggestedMove => analysis::suggested_move(session, out),
        }
    }
}

impl fmt::Debug for Awari {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Awari");
        fields.field("game", &self.game).finish_non_exhaustive()
    }
}
