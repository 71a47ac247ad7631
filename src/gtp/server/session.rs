//! A controller's session: the state of a game, and the execution of commands.

use std::io::{self, Write, sink};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use cpu_time::ProcessTime;
use itertools::Itertools;

use super::arguments::Arguments;
use super::game::{Execution, Extension, GtpGame, SearchContext};
use super::input::Line;
use super::live::LiveGraphics;
use super::request::{Id, Request, preprocess};
use super::response::{Failure, Response};
use super::time::{Clocks, TimeSettings};
use crate::base::color::{ByColor, Color};
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
        let Request { id, name, .. } = request;
        let arguments = Arguments::new(request.arguments);
        tracing::debug!(name, arguments = request.arguments, id, "request");
        let found = match line {
            Line::Whole(_) => find::<G>(name),
            Line::TooLong(_) => Err(Failure::LineTooLong),
        };
        let search = match &found {
            Ok(Found::Shared(Command::Search(parse))) => parse(arguments).ok(),
            Ok(Found::Extension(Extension::Search(search))) => {
                let is_whole = arguments.end().is_ok();
                is_whole.then_some(SearchCommand::Extension(*search))
            }
            _ => None,
        };
        if let Some(search) = search {
            return Some(PendingSearch { id, search });
        }
        respond(id, output, |out| self.execute(&found?, arguments, out));
        None
    }

    /// Answers a command that may take long, at the end of `output`; it is interrupted
    /// when the flag of [`Session::begin_search`] is set.
    pub fn search(&mut self, pending: PendingSearch<G::ExtensionSearch>, output: &mut Vec<u8>) {
        respond(pending.id, output, |out| {
            self.execute_search(pending.search, out)
        });
    }

    /// Executes a command, or fails; then nothing has changed. A search comes here only if its
    /// arguments are wrong.
    fn execute(
        &mut self,
        found: &Found<G>,
        arguments: Arguments<'_>,
        out: &mut Response<'_>,
    ) -> Result<(), Failure> {
        match found {
            Found::Shared(Command::Show(show)) | Found::Extension(Extension::Show(show)) => {
                arguments.end()?;
                show(&self.game, out);
            }
            Found::Shared(Command::Plain(execute)) => {
                arguments.end()?;
                execute(self, out);
            }
            Found::Shared(Command::Change(execute)) => execute(self, arguments, out)?,
            Found::Shared(Command::Search(parse)) => drop(parse(arguments)?),
            Found::Extension(Extension::Command(execute)) => {
                let mut execution = Execution {
                    game: &mut self.game,
                    engine: &mut self.engine,
                    live: &self.live,
                    is_new_game: false,
                };
                execute(&mut execution, arguments, out)?;
                if execution.is_new_game {
                    self.reset_clocks();
                }
            }
            Found::Extension(Extension::Search(_)) => arguments.end()?,
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

    fn known_command(&mut self, a: Arguments<'_>, out: &mut Response<'_>) -> Executed {
        let is_known = find::<G>(a.one(|a| a.word("command"))?).is_ok();
        out.push_str(if is_known { "true" } else { "false" });
        Ok(())
    }

    fn cputime(&mut self, a: Arguments<'_>, out: &mut Response<'_>) -> Executed {
        a.end()?;
        let time = ProcessTime::try_now().map_err(Failure::CpuTime)?;
        out.text(format_args!("{:.3}", time.as_duration().as_secs_f64()));
        Ok(())
    }

    fn time_settings(&mut self, mut a: Arguments<'_>, _: &mut Response<'_>) -> Executed {
        let settings = TimeSettings {
            main: a.seconds("main time")?,
            period: a.seconds("byo-yomi time")?,
            stones: a.number("number of byo-yomi stones")?,
        };
        a.end()?;
        self.clocks.set(settings);
        Ok(())
    }

    fn time_left(&mut self, mut a: Arguments<'_>, _: &mut Response<'_>) -> Executed {
        let color = a.color()?;
        let time = a.seconds_left("time left")?;
        let stones = a.number("number of stones")?;
        a.end()?;
        self.clocks.set_left(color, time, stones);
        Ok(())
    }

    /// The draft does not define the position after this; a new game begins.
    fn boardsize(&mut self, a: Arguments<'_>, _: &mut Response<'_>) -> Executed {
        // Any integer is parsed: only its value can be unacceptable.
        if a.one(|a| a.integer("board size"))? != i64::from(G::BOARD_SIZE) {
            return Err(Failure::UnacceptableSize);
        }
        self.new_game();
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
    fn make_move(&mut self, color: Color, mv: Option<G::Move>) -> Executed {
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

    fn play(&mut self, mut a: Arguments<'_>, _: &mut Response<'_>) -> Executed {
        let (color, mv) = (a.color()?, vertex::<G>(&mut a)?);
        a.end()?;
        self.make_move(color, mv)
    }

    fn play_sequence(&mut self, a: Arguments<'_>, _: &mut Response<'_>) -> Executed {
        let start = self.undoable();
        for (number, (color, mv)) in (1..).zip(a.pairs(vertex::<G>)?) {
            if let Err(failure) = self.make_move(color, mv) {
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
    fn take_back(&mut self, moves: u32) -> Executed {
        if self.undoable() < moves as usize {
            return Err(Failure::CannotUndo);
        }
        for _ in 0..moves {
            self.undo_one();
        }
        Ok(())
    }

    fn undo(&mut self, a: Arguments<'_>, _: &mut Response<'_>) -> Executed {
        a.end()?;
        self.take_back(1)
    }

    /// Takes one move back unless a number is given.
    fn gg_undo(&mut self, mut a: Arguments<'_>, _: &mut Response<'_>) -> Executed {
        let moves = a.optional(|a| a.number("number of moves"))?;
        a.end()?;
        self.take_back(moves.unwrap_or(1))
    }

    fn undo_one(&mut self) -> bool {
        if let Some(fewer) = self.passes_after_end.checked_sub(1) {
            self.passes_after_end = fewer;
            return true;
        }
        self.game.undo()
    }

    /// Chooses a move and plays it. When the game is over this is a pass.
    fn genmove(&mut self, color: Color, out: &mut Response<'_>) -> Result<(), Failure> {
        let started = Instant::now();
        let choice = self.choose(color)?;
        let mv = choice.map_or(G::PASS, |choice| Some(G::chosen_move(choice)));
        self.make_move(color, mv)?;
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

/// The result of a command that may fail; then nothing has changed.
type Executed = Result<(), Failure>;

/// A command that all games share. Those without a prefix are those of the GTP draft, section 6; the
/// others are GoGui's (`gogui-`), GNU Go's (`gg-`) or our own (`gothello-`).
enum Command<G: GtpGame> {
    /// It writes something about the game, and has no arguments.
    Show(fn(&G, &mut Response<'_>)),
    /// It has no arguments, and cannot fail.
    Plain(fn(&mut Session<G>, &mut Response<'_>)),
    /// It has arguments, or may fail.
    Change(fn(&mut Session<G>, Arguments<'_>, &mut Response<'_>) -> Executed),
    /// It may take long and can be interrupted: the parser of its arguments.
    Search(fn(Arguments<'_>) -> Result<SearchCommand<G::ExtensionSearch>, Failure>),
}

/// A command that may take long and can be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the commands")]
pub enum SearchCommand<S> {
    Genmove(Color),
    RegGenmove(Color),
    SuggestedMove,
    /// A search that only this game has.
    Extension(S),
}

/// Returns every command that all games share, in alphabetical order.
fn shared<G: GtpGame>() -> &'static [(&'static str, Command<G>)] {
    use Command::{Change, Plain, Search, Show};
    const {
        &[
            ("boardsize", Change(Session::boardsize)),
            ("clear_board", Plain(|s, _| s.new_game())),
            ("cputime", Change(Session::cputime)),
            ("final_score", Show(write_score)),
            ("genmove", Search(|a| color(a, SearchCommand::Genmove))),
            ("gg-undo", Change(Session::gg_undo)),
            ("gogui-analyze_commands", Show(write_analyze_commands)),
            ("gogui-interrupt", Show(|_, _| ())),
            ("gogui-play_sequence", Change(Session::play_sequence)),
            ("gogui-rules_board", Show(G::rules_board)),
            ("gogui-rules_board_gfx", Show(G::rules_board_gfx)),
            ("gogui-rules_board_size", Show(write_board_size)),
            ("gogui-rules_captured_count", Show(write_captured_counts)),
            ("gogui-rules_final_result", Show(G::rules_final_result)),
            ("gogui-rules_game_id", Show(|_, out| out.push_str(G::NAME))),
            ("gogui-rules_legal_moves", Show(write_legal_moves)),
            ("gogui-rules_side_to_move", Show(write_side_to_move)),
            ("gogui-title", Show(|_, out| out.push_str(G::NAME))),
            (
                "gothello-last_choice",
                Plain(|s, out| s.write_last_choice(out)),
            ),
            ("gothello-suggested_move", Search(suggested_move)),
            ("help", Show(|_, out| out.push_str(HELP))),
            ("known_command", Change(Session::known_command)),
            // No game has a komi: any number is accepted and ignored.
            (
                "komi",
                Change(|_, a, _| a.one(|a| a.float("komi")).map(drop)),
            ),
            ("list_commands", Show(|_, out| list_commands::<G>(out))),
            ("name", Show(|_, out| out.push_str(G::NAME))),
            ("play", Change(Session::play)),
            ("protocol_version", Show(|_, out| out.push_str("2"))),
            ("quit", Plain(|s, _| s.quit = true)),
            (
                "reg_genmove",
                Search(|a| color(a, SearchCommand::RegGenmove)),
            ),
            ("showboard", Show(G::show_board)),
            ("time_left", Change(Session::time_left)),
            ("time_settings", Change(Session::time_settings)),
            ("undo", Change(Session::undo)),
            ("version", Show(|_, out| out.push_str(VERSION))),
        ]
    }
}

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the names of all commands of a game in alphabetical order.
pub fn names<G: GtpGame>() -> impl Iterator<Item = &'static str> {
    let shared = shared::<G>().iter().map(|&(name, _)| name);
    let extensions = G::EXTENSIONS.iter().map(|&(name, _)| name);
    shared.merge(extensions)
}

/// A command that was found by its name.
enum Found<G: GtpGame> {
    Shared(&'static Command<G>),
    Extension(&'static Extension<G>),
}

/// Returns the command of this name.
fn find<G: GtpGame>(name: &str) -> Result<Found<G>, Failure> {
    // Nearly all names differ in length or first letter, so this is faster than a binary search.
    if let Some((_, command)) = shared().iter().find(|(entry, _)| *entry == name) {
        return Ok(Found::Shared(command));
    }
    match G::EXTENSIONS.iter().find(|(entry, _)| *entry == name) {
        Some((_, extension)) => Ok(Found::Extension(extension)),
        None if name.is_empty() => Err(Failure::Syntax("command is missing".into())),
        None => Err(Failure::UnknownCommand),
    }
}

/// Parses a move; `None` is a pass in a game in which nobody passes. A point off the board is an
/// illegal move.
fn vertex<G: GtpGame>(arguments: &mut Arguments<'_>) -> Result<Option<G::Move>, Failure> {
    let word = arguments.word("move")?;
    if word.eq_ignore_ascii_case("pass") {
        return Ok(G::PASS);
    }
    let mv = G::parse_vertex(word).map_err(|error| Failure::IllegalMove(error.to_string()))?;
    Ok(Some(mv))
}

/// Parses the color for which a move is searched.
fn color<S>(
    arguments: Arguments<'_>,
    search: fn(Color) -> SearchCommand<S>,
) -> Result<SearchCommand<S>, Failure> {
    arguments.one(Arguments::color).map(search)
}

fn suggested_move<S>(arguments: Arguments<'_>) -> Result<SearchCommand<S>, Failure> {
    arguments.end()?;
    Ok(SearchCommand::SuggestedMove)
}

fn write_score<G: GtpGame>(game: &G, out: &mut Response<'_>) {
    let score = Outcome::from_scores(game.scores());
    out.text(format_args!("{score}"));
}

fn write_analyze_commands<G: GtpGame>(_: &G, out: &mut Response<'_>) {
    out.push_str(&G::ANALYZE_COMMANDS.join("\n"));
}

fn write_board_size<G: GtpGame>(_: &G, out: &mut Response<'_>) {
    out.text(format_args!("{}", G::BOARD_SIZE));
}

fn write_captured_counts<G: GtpGame>(game: &G, out: &mut Response<'_>) {
    let ByColor { black, white } = game.captured_counts();
    out.text(format_args!("{black} {white}"));
}

/// Writes every legal move; nothing when the game is over, which is how GoGui learns of it.
fn write_legal_moves<G: GtpGame>(game: &G, out: &mut Response<'_>) {
    for (i, mv) in game.legal_moves().enumerate() {
        if i > 0 {
            out.push_str(" ");
        }
        G::write_vertex(mv, out);
    }
}

fn write_side_to_move<G: GtpGame>(game: &G, out: &mut Response<'_>) {
    out.push_str(match game.to_move() {
        Color::Black => "black",
        Color::White => "white",
    });
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
    out.text(format_args!("{}", names::<G>().format("\n")));
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
