//! A controller's session: the state of a game, and the execution of commands.

use std::io::{self, Write, sink};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use cpu_time::ProcessTime;

use super::command::{Command, SearchCommand, is_known, names};
use super::game::{Executed, GtpGame, SearchContext};
use super::input::Line;
use super::live::LiveGraphics;
use super::request::{Id, Request, preprocess};
use super::response::{Failure, Response};
use super::time::Clocks;
use crate::base::color::Color;
use crate::games::game::Outcome;
use crate::player::{Limits, MoveLimits};

/// The state between two commands.
pub struct Session<G: GtpGame> {
    game: G,
    /// The passes after the end of a game in which nobody passes. They change nothing,
    /// but the controller counts them when it takes moves back.
    passes_after_end: usize,
    engine: G::Engine,
    last_choice: Option<LastChoice<G>>,
    clocks: Clocks,
    live: LiveGraphics,
    limits: MoveLimits,
    /// Interrupts the search that is running.
    stop: Arc<AtomicBool>,
    /// Called before the first search.
    watch_reader: Option<WatchReader>,
    /// Whether `quit` was executed.
    quit: bool,
}

/// Once called, repeatedly sets a flag when nobody can read the responses.
pub type WatchReader = fn(&Arc<AtomicBool>) -> io::Result<()>;

/// The last move that the engine has chosen.
///
/// It contains the game right after the move. As long as the game of the session equals it, this
/// move is the last one. So changes to the game need not update it.
struct LastChoice<G: GtpGame> {
    game: G,
    color: Color,
    choice: G::Choice,
}

/// A command that was not answered because it may take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingSearch<S> {
    id: Option<Id>,
    search: SearchCommand<S>,
}

impl<G: GtpGame> Session<G> {
    /// Creates a session with a game and its engine, which searches within these limits and the
    /// time that the clock allows.
    pub fn new(game: G, engine: G::Engine, limits: MoveLimits) -> Session<G> {
        Session {
            game,
            passes_after_end: 0,
            engine,
            last_choice: None,
            clocks: Clocks::default(),
            live: LiveGraphics::new(Box::new(sink())),
            limits,
            stop: Arc::default(),
            watch_reader: None,
            quit: false,
        }
    }

    /// Writes GoGui's live graphics to `sink`, which should be standard error.
    #[must_use]
    pub fn with_live(self, sink: Box<dyn Write + Send>) -> Session<G> {
        Session {
            live: LiveGraphics::new(sink),
            ..self
        }
    }

    /// Interrupts searches whose result nobody can read.
    #[must_use]
    pub fn with_watch(self, watch_reader: WatchReader) -> Session<G> {
        Session {
            watch_reader: Some(watch_reader),
            ..self
        }
    }

    /// Returns the flag that interrupts the search that begins.
    pub fn begin_search(&mut self) -> &Arc<AtomicBool> {
        if let Some(watch) = self.watch_reader.take()
            && let Err(error) = watch(&self.stop)
        {
            tracing::warn!(%error, "a search does not end when its reader leaves");
        }
        &self.stop
    }

    /// Returns whether `quit` was executed: no more commands are answered.
    pub fn is_over(&self) -> bool {
        self.quit
    }

    /// Answers a line of input at the end of `output`; a line without a command has no
    /// response. A command that may take long is not answered but returned, for
    /// [`Session::search`].
    pub fn answer(
        &mut self,
        line: &Line<'_>,
        output: &mut Vec<u8>,
    ) -> Option<PendingSearch<G::ExtensionSearch>> {
        let (Line::Whole(bytes) | Line::TooLong(bytes)) = line;
        let text = preprocess(bytes);
        let request = match (Request::parse(&text), line) {
            (Some(request), _) => request,
            (None, Line::Whole(_)) => return None,
            // The line may be a long comment; otherwise the command is in the part that
            // was dropped.
            (None, Line::TooLong(start)) if start.contains(&b'#') => return None,
            (None, Line::TooLong(_)) => Request::default(),
        };
        let command = match line {
            Line::Whole(_) => Command::parse(request.name, request.arguments),
            Line::TooLong(_) => Err(Failure::LineTooLong),
        };
        tracing::debug!(?command, id = request.id, "request");
        if let Ok(Command::Search(search)) = command {
            let id = request.id;
            return Some(PendingSearch { id, search });
        }
        respond(request.id, output, |out| self.execute(command?, out));
        None
    }

    /// Answers a command that may take long, at the end of `output`; it is interrupted
    /// when the flag of [`Session::begin_search`] is set.
    pub fn search(&mut self, pending: PendingSearch<G::ExtensionSearch>, output: &mut Vec<u8>) {
        respond(pending.id, output, |out| {
            self.execute_search(pending.search, out)
        });
    }

    /// Executes a command, or fails; then nothing has changed.
    fn execute(&mut self, command: Command<'_, G>, out: &mut Response<'_>) -> Result<(), Failure> {
        match command {
            Command::ProtocolVersion => out.push_str("2"),
            Command::Name | Command::GameId | Command::Title => out.push_str(G::NAME),
            Command::Version => out.push_str(env!("CARGO_PKG_VERSION")),
            Command::KnownCommand(name) => {
                out.push_str(if is_known::<G>(name) { "true" } else { "false" });
            }
            Command::ListCommands => list_commands::<G>(out),
            Command::Help => out.push_str(HELP),
            Command::Cputime => {
                let time = ProcessTime::try_now().map_err(Failure::CpuTime)?;
                out.text(format_args!("{:.3}", time.as_duration().as_secs_f64()));
            }
            Command::AnalyzeCommands => out.push_str(&G::ANALYZE_COMMANDS.join("\n")),
            Command::Interrupt | Command::Komi => {}
            Command::Quit => self.quit = true,

            // The draft does not define the position after this; a new game begins.
            Command::Boardsize(size) if size == i64::from(G::BOARD_SIZE) => self.new_game(),
            Command::Boardsize(_) => return Err(Failure::UnacceptableSize),
            Command::ClearBoard => self.new_game(),
            Command::Play(color, mv) => self.play(color, mv)?,
            Command::PlaySequence(moves) => self.play_sequence(&moves)?,
            Command::Undo(moves) => self.undo(moves)?,
            Command::Showboard => self.game.show_board(out),
            Command::FinalScore => {
                let score = Outcome::from_scores(self.game.scores());
                out.text(format_args!("{score}"));
            }
            Command::TimeSettings(settings) => self.clocks.set(settings),
            Command::TimeLeft(color, time, stones) => self.clocks.set_left(color, time, stones),
            Command::LastChoice => self.write_last_choice(out),

            Command::BoardSize => out.text(format_args!("{}", G::BOARD_SIZE)),
            Command::SideToMove => out.push_str(match self.game.to_move() {
                Color::Black => "black",
                Color::White => "white",
            }),
            Command::Board => self.game.rules_board(out),
            Command::BoardGfx => self.game.rules_board_gfx(out),
            Command::LegalMoves => self.write_legal_moves(out),
            Command::CapturedCount => {
                let captured = self.game.captured_counts();
                out.text(format_args!("{} {}", captured.black, captured.white));
            }
            Command::FinalResult => self.game.rules_final_result(out),

            Command::Search(search) => self.execute_search(search, out)?,
            Command::Extension(command) => {
                let executed = self
                    .game
                    .execute(&mut self.engine, &self.live, command, out)?;
                if executed == Executed::NewGame {
                    self.reset_clocks();
                }
            }
        }
        Ok(())
    }

    /// Executes a command that can be interrupted, or fails; then nothing has changed.
    fn execute_search(
        &mut self,
        search: SearchCommand<G::ExtensionSearch>,
        out: &mut Response<'_>,
    ) -> Result<(), Failure> {
        match search {
            SearchCommand::Genmove(color) => self.genmove(color, out)?,
            SearchCommand::RegGenmove(color) => {
                let choice = self.choose(color)?;
                write_vertex::<G>(
                    choice.map_or(G::PASS, |choice| Some(G::chosen_move(choice))),
                    out,
                );
            }
            SearchCommand::SuggestedMove => self.suggest(out),
            SearchCommand::Extension(search) => {
                let context = SearchContext {
                    live: &self.live,
                    stop: &self.stop,
                };
                self.game.search(&mut self.engine, search, &context, out);
            }
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.game.restart();
        self.reset_clocks();
    }

    /// Follows the start of a new game.
    fn reset_clocks(&mut self) {
        self.passes_after_end = 0;
        self.clocks.reset();
    }

    /// Plays a move, or fails; then nothing has changed.
    fn play(&mut self, color: Color, mv: Option<G::Move>) -> Result<(), Failure> {
        let Some(mv) = mv else {
            if self.game.is_over() {
                self.passes_after_end += 1;
                return Ok(());
            }
            let why = format!("nobody passes in {} before the end", G::NAME);
            return Err(Failure::IllegalMove(why));
        };
        if !self.game.is_over() && color != self.game.to_move() {
            return Err(self.out_of_turn());
        }
        let played = self.game.play(color, mv);
        played.map_err(|error| Failure::IllegalMove(G::refusal(mv, error)))
    }

    /// Returns the failure of a move of the player who is not to move.
    fn out_of_turn(&self) -> Failure {
        let color = self.game.to_move();
        let player = G::PLAYERS[color];
        Failure::IllegalMove(if player == color.to_string() {
            format!("it is {player}'s turn")
        } else {
            format!("it is {player}'s turn ({color}'s)")
        })
    }

    /// Plays all the moves, or fails; then nothing has changed.
    fn play_sequence(&mut self, moves: &[(Color, Option<G::Move>)]) -> Result<(), Failure> {
        let start = self.undoable();
        for (number, &(color, mv)) in (1..).zip(moves) {
            if let Err(failure) = self.play(color, mv) {
                while self.undoable() > start && self.undo_one() {}
                return Err(match failure {
                    Failure::IllegalMove(why) => {
                        let mv = mv.map_or("pass".to_owned(), |mv| G::vertex(mv).to_string());
                        Failure::IllegalMove(format!("move {number} ({color} {mv}): {why}"))
                    }
                    other => other,
                });
            }
        }
        Ok(())
    }

    /// Returns how many moves can be taken back.
    fn undoable(&self) -> usize {
        self.game.undoable() + self.passes_after_end
    }

    /// Takes moves back, or fails; then nothing has changed.
    fn undo(&mut self, moves: u32) -> Result<(), Failure> {
        if self.undoable() < moves as usize {
            return Err(Failure::CannotUndo);
        }
        for _ in 0..moves {
            self.undo_one();
        }
        Ok(())
    }

    fn undo_one(&mut self) -> bool {
        if let Some(fewer) = self.passes_after_end.checked_sub(1) {
            self.passes_after_end = fewer;
            return true;
        }
        self.game.undo()
    }

    /// Writes every legal move; nothing when the game is over, which is how GoGui learns
    /// of it.
    fn write_legal_moves(&self, out: &mut Response<'_>) {
        for (i, mv) in self.game.legal_moves().enumerate() {
            if i > 0 {
                out.push_str(" ");
            }
            G::write_vertex(mv, out);
        }
    }

    /// Chooses a move and plays it. When the game is over this is a pass.
    fn genmove(&mut self, color: Color, out: &mut Response<'_>) -> Result<(), Failure> {
        let started = Instant::now();
        let choice = self.choose(color)?;
        let mv = choice.map_or(G::PASS, |choice| Some(G::chosen_move(choice)));
        self.play(color, mv)?;
        if let Some(choice) = choice {
            self.last_choice = Some(LastChoice {
                game: self.game.clone(),
                color,
                choice,
            });
        }
        self.clocks.spend(color, started.elapsed());
        write_vertex::<G>(mv, out);
        Ok(())
    }

    /// Returns the engine's choice; `None` if the game is over.
    fn choose(&mut self, color: Color) -> Result<Option<G::Choice>, Failure> {
        if self.game.is_over() {
            return Ok(None);
        }
        if color != self.game.to_move() {
            return Err(self.out_of_turn());
        }
        Ok(self.search_within_limits(color, G::choose))
    }

    /// Draws a circle around the best move that the engine finds within the limits for a move, and
    /// writes its evaluation.
    fn suggest(&mut self, out: &mut Response<'_>) {
        let color = self.game.to_move();
        let Some(choice) = self.search_within_limits(color, G::suggest) else {
            out.push_str("TEXT ");
            return self.game.rules_final_result(out);
        };
        let mv = G::chosen_move(choice);
        if Some(mv) != G::PASS {
            out.push_str("CIRCLE ");
            G::write_vertex(mv, out);
            out.push_str("\n");
        }
        out.push_str("TEXT ");
        self.game.write_evaluation(color, choice, out);
    }

    /// Runs a search for a move within the limits and the time that the clock allows.
    fn search_within_limits(
        &mut self,
        color: Color,
        search: impl FnOnce(&G, &mut G::Engine, &Limits<'_>) -> Option<G::Choice>,
    ) -> Option<G::Choice> {
        let share = self.clocks.budget(color, self.game.moves_to_go());
        let search = |limits: &Limits<'_>| search(&self.game, &mut self.engine, limits);
        self.limits.search(share, &self.stop, search)
    }

    /// Writes the evaluation of the last move, if the engine chose it.
    fn write_last_choice(&self, out: &mut Response<'_>) {
        match &self.last_choice {
            Some(last) if last.game == self.game => {
                self.game.write_evaluation(last.color, last.choice, out);
            }
            _ => out.push_str("the engine did not choose the last move"),
        }
    }
}

/// Commands for a person to start with. The moves are legal in any game.
const HELP: &str = "showboard: see the board\n\
                    play b c3: make a move for Black (b) or White (w)\n\
                    genmove w: let the engine move\n\
                    undo: take back the last move\n\
                    final_score: see the score\n\
                    clear_board: start again\n\
                    quit: leave\n\
                    list_commands: see the names of all commands";

fn list_commands<G: GtpGame>(out: &mut Response<'_>) {
    for (i, name) in names::<G>().enumerate() {
        if i > 0 {
            out.push_str("\n");
        }
        out.push_str(name);
    }
}

fn write_vertex<G: GtpGame>(mv: Option<G::Move>, out: &mut Response<'_>) {
    match mv {
        Some(mv) => G::write_vertex(mv, out),
        None => out.push_str("pass"),
    }
}

/// Writes the response to a command, or its failure.
fn respond(
    id: Option<Id>,
    output: &mut Vec<u8>,
    execute: impl FnOnce(&mut Response<'_>) -> Result<(), Failure>,
) {
    let mut response = Response::begin(output, id);
    if let Err(failure) = execute(&mut response) {
        tracing::debug!(%failure, "refused");
        response.fail(failure);
    }
    response.end();
}
