//! From a line of input to its response: which family of commands answers
//! what.

use super::command::{Command, Thought};
use super::failure::Failure;
use super::input::Line;
use super::request::{Id, Request, preprocess};
use super::response::Response;
use super::session::Session;
use super::{administration, analysis, generation, parameters, position, proof, record, ruler};

/// A command that has not been answered because it may take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    id: Option<Id>,
    thought: Thought,
}

impl Session {
    /// Answers a line of input at the end of `output`; a line without a
    /// command has no answer. A command that may take long is not answered but
    /// returned, for [`Session::think`].
    pub fn answer(&mut self, line: &Line<'_>, output: &mut Vec<u8>) -> Option<Pending> {
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
    pub fn think(&mut self, pending: Pending, output: &mut Vec<u8>) {
        respond(pending.id, output, |response| {
            self.obey(Command::Think(pending.thought), response)
        });
    }

    /// Obeys a command, or says why it is refused; then nothing has changed.
    fn obey(&mut self, command: Command<'_>, out: &mut Response<'_>) -> Result<(), Failure> {
        match command {
            Command::ProtocolVersion => administration::protocol_version(out),
            Command::Name => administration::name(out),
            Command::Version => administration::version(out),
            Command::KnownCommand(name) => administration::known_command(name, out),
            Command::ListCommands => administration::list_commands(out),
            Command::Cputime => administration::cputime(out)?,
            Command::Interrupt => {}
            Command::Quit => self.quit = true,
            Command::Komi => {}

            Command::Boardsize(size) => position::boardsize(self, size)?,
            Command::ClearBoard => position::clear_board(self),
            Command::Play(color, mv) => position::play(self, color, mv)?,
            Command::PlaySequence(moves) => position::play_sequence(self, &moves)?,
            Command::Undo(moves) => position::undo(self, moves)?,
            Command::Setup(stones) => position::setup(self, &stones)?,
            Command::SetupPlayer(color) => position::setup_player(self, color),
            Command::Showboard => position::showboard(&self.game, out),
            Command::FinalScore => position::final_score(&self.game, out),
            Command::FinalStatusList(status) => {
                position::final_status_list(&self.game, status, out);
            }

            Command::Think(Thought::Genmove(color)) => generation::genmove(self, color, out)?,
            Command::Think(Thought::RegGenmove(color)) => {
                generation::reg_genmove(self, color, out)?;
            }
            Command::TimeSettings(settings) => self.clocks.set(settings),
            Command::TimeLeft(color, time, stones) => self.clocks.set_left(color, time, stones),

            Command::Loadsgf(path, before) => record::loadsgf(self, path, before)?,
            Command::Printsgf(path) => record::printsgf(&self.game, path, out)?,

            Command::GameId => ruler::game_id(out),
            Command::Board => ruler::board(&self.game, out),
            Command::BoardSize => ruler::board_size(out),
            Command::BoardGfx => ruler::board_gfx(&self.game, out),
            Command::LegalMoves => ruler::legal_moves(&self.game, out),
            Command::SideToMove => ruler::side_to_move(&self.game, out),
            Command::CapturedCount => ruler::captured_count(&self.game, out),
            Command::FinalResult => ruler::final_result(&self.game, out),

            Command::Title => analysis::title(out),
            Command::AnalyzeCommands => analysis::commands(out),
            Command::Groups => analysis::groups(&self.game, out),
            Command::Captures => analysis::captures(&self.game, out),
            Command::Safety => proof::safety(&self.game, out),
            Command::LastChoice => proof::last_choice(self, out),
            Command::Think(Thought::Values) => proof::values(self, out),
            Command::Think(Thought::BestMoves) => proof::best_moves(self, out),
            Command::Think(Thought::Variation) => proof::variation(self, out),
            Command::Think(Thought::Winner) => proof::winner(self, out),
            Command::Think(Thought::Value) => proof::value(self, out),
            Command::Think(Thought::PassValue) => proof::pass_value(self, out),
            Command::Parameters => parameters::list(self, out),
            Command::SetParameter(parameter) => parameters::set(self, parameter)?,
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
