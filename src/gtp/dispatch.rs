//! From a line of input to its response: which family of commands answers
//! what.

use super::command::{Command, Thought};
use super::failure::Failure;
use super::game::Played;
use super::input::Line;
use super::request::{Id, Request, preprocess};
use super::response::Response;
use super::session::Session;
use super::{administration, generation, position, ruler};

/// A command that has not been answered because it may take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending<Q> {
    id: Option<Id>,
    thought: Thought<Q>,
}

impl<G: Played> Session<G> {
    /// Answers a line of input at the end of `output`; a line without a
    /// command has no answer. A command that may take long is not answered but
    /// returned, for [`Session::think`].
    pub fn answer(
        &mut self,
        line: &Line<'_>,
        output: &mut Vec<u8>,
    ) -> Option<Pending<G::Question>> {
        let (Line::Whole(bytes) | Line::TooLong(bytes)) = line;
        let text = preprocess(bytes);
        let request = match (Request::parse(&text), line) {
            (Some(request), _) => request,
            (None, Line::Whole(_)) => return None,
            // Of a comment, too, nothing is left; else the command is yet to
            // come, in the part that was not read.
            (None, Line::TooLong(start)) if start.contains(&b'#') => return None,
            (None, Line::TooLong(_)) => Request::default(),
        };
        let command = match line {
            Line::Whole(_) => Command::parse(request.name, request.arguments),
            Line::TooLong(_) => Err(Failure::LineTooLong),
        };
        tracing::debug!(?command, id = request.id, "request");
        if let Ok(Command::Think(thought)) = command {
            let id = request.id;
            return Some(Pending { id, thought });
        }
        respond(request.id, output, |response| self.obey(command?, response));
        None
    }

    /// Answers a command that may take long, at the end of `output`; it is cut
    /// short when [`Session::stop`] is set.
    pub fn think(&mut self, pending: Pending<G::Question>, output: &mut Vec<u8>) {
        respond(pending.id, output, |response| {
            self.obey(Command::Think(pending.thought), response)
        });
    }

    /// Obeys a command, or says why it is refused; then nothing has changed.
    fn obey(&mut self, command: Command<'_, G>, out: &mut Response<'_>) -> Result<(), Failure> {
        let game = &mut self.played;
        match command {
            Command::ProtocolVersion => administration::protocol_version(out),
            Command::Name => administration::name::<G>(out),
            Command::Version => administration::version(out),
            Command::KnownCommand(name) => administration::known_command::<G>(name, out),
            Command::ListCommands => administration::list_commands::<G>(out),
            Command::Help => administration::help(out),
            Command::Cputime => administration::cputime(out)?,
            Command::Title => administration::title::<G>(out),
            Command::AnalyzeCommands => administration::analyze_commands::<G>(out),
            Command::Interrupt => {}
            Command::Quit => self.quit = true,
            Command::Komi => {}

            Command::Boardsize(size) => position::boardsize(self, size)?,
            Command::ClearBoard => position::clear_board(self),
            Command::Play(color, mv) => game.play(color, mv)?,
            Command::PlaySequence(moves) => position::play_sequence(game, &moves)?,
            Command::Undo(moves) => position::undo(game, moves)?,
            Command::Showboard => game.show(out),
            Command::FinalScore => game.score(out),

            Command::Think(Thought::Genmove(color)) => generation::genmove(self, color, out)?,
            Command::Think(Thought::RegGenmove(color)) => {
                generation::reg_genmove(self, color, out)?;
            }
            Command::TimeSettings(settings) => self.clocks.set(settings),
            Command::TimeLeft(color, time, stones) => self.clocks.set_left(color, time, stones),
            Command::LastChoice => game.last_choice(out),

            Command::GameId => ruler::game_id::<G>(out),
            Command::BoardSize => ruler::board_size::<G>(out),
            Command::SideToMove => ruler::side_to_move(game, out),
            Command::Board => game.board(out),
            Command::BoardGfx => game.board_gfx(out),
            Command::LegalMoves => game.legal_moves(out),
            Command::CapturedCount => game.captured_count(out),
            Command::FinalResult => game.final_result(out),

            Command::Own(command) => G::obey(self, command, out)?,
            Command::Think(Thought::Own(question)) => G::ponder(self, question, out),
        }
        Ok(())
    }
}

/// Writes the response of a command, or why it is refused.
fn respond(
    id: Option<Id>,
    output: &mut Vec<u8>,
    command: impl FnOnce(&mut Response<'_>) -> Result<(), Failure>,
) {
    let mut response = Response::begin(output, id);
    if let Err(failure) = command(&mut response) {
        tracing::debug!(%failure, "refused");
        response.fail(failure);
    }
    response.end();
}
