//! The commands shared by all games, and their arguments.

use std::time::Duration;

use itertools::Itertools;

use super::arguments::Arguments;
use super::game::{Extension, ExtensionParser, GtpGame};
use super::response::Failure;
use super::time::TimeSettings;
use crate::base::color::Color;

/// A parsed command.
///
/// Commands without a prefix are those of the GTP draft, section 6; the others
/// are GoGui's (`gogui-`), GNU Go's (`gg-`) or our own (`gothello-`). A move is `None`
/// if it is a pass in a game in which nobody passes (see [`Game::PASS`](crate::games::game::Game::PASS)).
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are those of the commands")]
pub enum Command<'a, G: GtpGame> {
    ProtocolVersion,
    Name,
    Version,
    KnownCommand(&'a str),
    ListCommands,
    Help,
    Quit,
    Boardsize(i64),
    ClearBoard,
    Komi,
    Play(Color, Option<G::Move>),
    Undo(u32),
    TimeSettings(TimeSettings),
    TimeLeft(Color, Duration, u32),
    FinalScore,
    Showboard,
    Cputime,
    GameId,
    Board,
    BoardSize,
    BoardGfx,
    LegalMoves,
    SideToMove,
    CapturedCount,
    FinalResult,
    PlaySequence(Vec<(Color, Option<G::Move>)>),
    Interrupt,
    Title,
    AnalyzeCommands,
    LastChoice,
    /// A command that can be interrupted.
    Search(SearchCommand<G::ExtensionSearch>),
    /// A command that only this game has.
    Extension(G::ExtensionCommand),
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

/// Parses the arguments of a command.
type Parser<G> = for<'a> fn(Arguments<'a>) -> Result<Command<'a, G>, Failure>;

/// Returns the name of every command that all games share with the parser of its
/// arguments, in alphabetical order.
fn shared<G: GtpGame>() -> &'static [(&'static str, Parser<G>)] {
    const {
        &[
            ("boardsize", |a| {
                // Any integer is parsed: only its value can be unacceptable.
                a.one(|a| a.integer("board size")).map(Command::Boardsize)
            }),
            ("clear_board", |a| a.none(Command::ClearBoard)),
            ("cputime", |a| a.none(Command::Cputime)),
            ("final_score", |a| a.none(Command::FinalScore)),
            ("genmove", |a| search(a, SearchCommand::Genmove)),
            ("gg-undo", gg_undo),
            ("gogui-analyze_commands", |a| {
                a.none(Command::AnalyzeCommands)
            }),
            ("gogui-interrupt", |a| a.none(Command::Interrupt)),
            ("gogui-play_sequence", |a| {
                a.pairs(vertex::<G>).map(Command::PlaySequence)
            }),
            ("gogui-rules_board", |a| a.none(Command::Board)),
            ("gogui-rules_board_gfx", |a| a.none(Command::BoardGfx)),
            ("gogui-rules_board_size", |a| a.none(Command::BoardSize)),
            ("gogui-rules_captured_count", |a| {
                a.none(Command::CapturedCount)
            }),
            ("gogui-rules_final_result", |a| a.none(Command::FinalResult)),
            ("gogui-rules_game_id", |a| a.none(Command::GameId)),
            ("gogui-rules_legal_moves", |a| a.none(Command::LegalMoves)),
            ("gogui-rules_side_to_move", |a| a.none(Command::SideToMove)),
            ("gogui-title", |a| a.none(Command::Title)),
            ("gothello-last_choice", |a| a.none(Command::LastChoice)),
            ("gothello-suggested_move", |a| {
                a.none(Command::Search(SearchCommand::SuggestedMove))
            }),
            ("help", |a| a.none(Command::Help)),
            ("known_command", |a| {
                a.one(|a| a.word("command")).map(Command::KnownCommand)
            }),
            // No game has a komi: any number is accepted and ignored.
            ("komi", |a| {
                a.one(|a| a.float("komi")).map(|_| Command::Komi)
            }),
            ("list_commands", |a| a.none(Command::ListCommands)),
            ("name", |a| a.none(Command::Name)),
            ("play", play),
            ("protocol_version", |a| a.none(Command::ProtocolVersion)),
            ("quit", |a| a.none(Command::Quit)),
            ("reg_genmove", |a| search(a, SearchCommand::RegGenmove)),
            ("showboard", |a| a.none(Command::Showboard)),
            ("time_left", time_left),
            ("time_settings", time_settings),
            ("undo", |a| a.none(Command::Undo(1))),
            ("version", |a| a.none(Command::Version)),
        ]
    }
}

/// Returns the names of all commands of a game in alphabetical order.
pub fn names<G: GtpGame>() -> impl Iterator<Item = &'static str> {
    let shared = shared::<G>().iter().map(|&(name, _)| name);
    let extensions = G::EXTENSIONS.iter().map(|&(name, _)| name);
    shared.merge(extensions)
}

/// Returns whether a game has a command of this name.
pub fn is_known<G: GtpGame>(name: &str) -> bool {
    shared_parser::<G>(name).is_some() || extension_parser::<G>(name).is_some()
}

fn shared_parser<G: GtpGame>(name: &str) -> Option<Parser<G>> {
    find(shared::<G>(), name)
}

fn extension_parser<G: GtpGame>(name: &str) -> Option<ExtensionParser<G>> {
    find(G::EXTENSIONS, name)
}

fn find<P: Copy>(table: &[(&str, P)], name: &str) -> Option<P> {
    // Nearly all names differ in length or first letter, so this is faster than a binary search.
    let entry = table.iter().find(|(entry, _)| *entry == name);
    entry.map(|&(_, parser)| parser)
}

impl<'a, G: GtpGame> Command<'a, G> {
    /// Parses a command from its name and its arguments.
    ///
    /// # Errors
    /// If there is no such command or the arguments are invalid.
    pub fn parse(name: &str, arguments: &'a str) -> Result<Command<'a, G>, Failure> {
        let arguments = Arguments::new(arguments);
        if let Some(parse) = shared_parser::<G>(name) {
            return parse(arguments);
        }
        match extension_parser::<G>(name) {
            Some(parse) => Ok(match parse(arguments)? {
                Extension::Command(command) => Command::Extension(command),
                Extension::Search(search) => Command::Search(SearchCommand::Extension(search)),
            }),
            None if name.is_empty() => Err(Failure::Syntax("command is missing".into())),
            None => Err(Failure::UnknownCommand),
        }
    }
}

/// Parses a move. A point off the board is an illegal move.
fn vertex<G: GtpGame>(arguments: &mut Arguments<'_>) -> Result<Option<G::Move>, Failure> {
    let word = arguments.word("move")?;
    if word.eq_ignore_ascii_case("pass") {
        return Ok(G::PASS);
    }
    let mv = G::parse_vertex(word).map_err(|error| Failure::IllegalMove(error.to_string()))?;
    Ok(Some(mv))
}

fn play<G: GtpGame>(mut arguments: Arguments<'_>) -> Result<Command<'_, G>, Failure> {
    let command = Command::Play(arguments.color()?, vertex::<G>(&mut arguments)?);
    arguments.none(command)
}

fn search<'a, G: GtpGame>(
    arguments: Arguments<'a>,
    command: fn(Color) -> SearchCommand<G::ExtensionSearch>,
) -> Result<Command<'a, G>, Failure> {
    let color = arguments.one(Arguments::color)?;
    Ok(Command::Search(command(color)))
}

/// One move is taken back unless a number is given.
fn gg_undo<G: GtpGame>(mut arguments: Arguments<'_>) -> Result<Command<'_, G>, Failure> {
    let moves = arguments.optional(|a| a.number("number of moves"))?;
    arguments.none(Command::Undo(moves.unwrap_or(1)))
}

fn time_settings<G: GtpGame>(mut arguments: Arguments<'_>) -> Result<Command<'_, G>, Failure> {
    let settings = TimeSettings {
        main: arguments.seconds("main time")?,
        period: arguments.seconds("byo-yomi time")?,
        stones: arguments.number("number of byo-yomi stones")?,
    };
    arguments.none(Command::TimeSettings(settings))
}

fn time_left<G: GtpGame>(mut arguments: Arguments<'_>) -> Result<Command<'_, G>, Failure> {
    let color = arguments.color()?;
    let time = arguments.seconds_left("time left")?;
    let stones = arguments.number("number of stones")?;
    arguments.none(Command::TimeLeft(color, time, stones))
}
