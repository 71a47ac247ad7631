//! The commands, each with its arguments in the types that it needs.

use std::path::PathBuf;
use std::time::Duration;

use super::arguments::Arguments;
use super::failure::Failure;
use super::parameters::Parameter;
use super::time::TimeSettings;
use crate::gothello::{Color, Move, Point};

/// A command that has been understood.
///
/// Commands without a prefix are those of the GTP draft, section 6; the others
/// are GoGui's (`gogui-`), GNU Go's (`gg-`) or our own (`gothello-`).
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are those of the commands")]
pub enum Command<'a> {
    ProtocolVersion,
    Name,
    Version,
    KnownCommand(&'a str),
    ListCommands,
    Quit,
    Boardsize(i64),
    ClearBoard,
    Komi,
    Play(Color, Move),
    Think(Thought),
    Undo(u32),
    TimeSettings(TimeSettings),
    TimeLeft(Color, Duration, u32),
    FinalScore,
    FinalStatusList(StoneStatus),
    Showboard,
    Loadsgf(PathBuf, Option<u32>),
    Printsgf(Option<PathBuf>),
    Cputime,
    GameId,
    Board,
    BoardSize,
    BoardGfx,
    LegalMoves,
    SideToMove,
    CapturedCount,
    FinalResult,
    Setup(Vec<(Color, Point)>),
    SetupPlayer(Color),
    PlaySequence(Vec<(Color, Move)>),
    Interrupt,
    Title,
    AnalyzeCommands,
    Groups,
    Captures,
    Safety,
    LastChoice,
    Parameters,
    SetParameter(Parameter),
}

/// A command whose answer may take long enough to be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the commands")]
pub enum Thought {
    Genmove(Color),
    RegGenmove(Color),
    Values,
    BestMoves,
    Variation,
    Winner,
    Value,
    PassValue,
}

/// What `final_status_list` is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoneStatus {
    /// The stones that count: all of them.
    Alive,
    /// Stones that would be removed: none ever are.
    Dead,
    /// Stones that live without territory: Gothello has no territory.
    Seki,
}

/// Reads the arguments of a command.
type Parser = for<'a> fn(Arguments<'a>) -> Result<Command<'a>, Failure>;

/// A parser for a command without arguments.
macro_rules! plain {
    ($command:ident) => {
        |arguments| arguments.end().map(|()| Command::$command)
    };
}

/// A parser for a command without arguments that may take long.
macro_rules! thought {
    ($thought:ident) => {
        |arguments| {
            let thought = Command::Think(Thought::$thought);
            arguments.end().map(|()| thought)
        }
    };
}

/// A parser for a command with one argument.
macro_rules! one {
    ($command:ident, $read:expr) => {
        |mut arguments| {
            let argument = $read(&mut arguments)?;
            arguments.end()?;
            Ok(Command::$command(argument))
        }
    };
}

/// Every command's name with the parser of its arguments, in the order of the
/// names.
const COMMANDS: &[(&str, Parser)] = &[
    ("boardsize", one!(Boardsize, board_size)),
    ("clear_board", plain!(ClearBoard)),
    ("cputime", plain!(Cputime)),
    ("final_score", plain!(FinalScore)),
    ("final_status_list", one!(FinalStatusList, stone_status)),
    ("genmove", |a| think(Thought::Genmove, a)),
    ("gg-undo", gg_undo),
    ("gogui-analyze_commands", plain!(AnalyzeCommands)),
    ("gogui-interrupt", plain!(Interrupt)),
    ("gogui-play_sequence", |a| {
        a.pairs(Arguments::mv).map(Command::PlaySequence)
    }),
    ("gogui-rules_board", plain!(Board)),
    ("gogui-rules_board_gfx", plain!(BoardGfx)),
    ("gogui-rules_board_size", plain!(BoardSize)),
    ("gogui-rules_captured_count", plain!(CapturedCount)),
    ("gogui-rules_final_result", plain!(FinalResult)),
    ("gogui-rules_game_id", plain!(GameId)),
    ("gogui-rules_legal_moves", plain!(LegalMoves)),
    ("gogui-rules_side_to_move", plain!(SideToMove)),
    ("gogui-setup", |a| {
        a.pairs(Arguments::point).map(Command::Setup)
    }),
    ("gogui-setup_player", one!(SetupPlayer, Arguments::color)),
    ("gogui-title", plain!(Title)),
    ("gothello-best_moves", thought!(BestMoves)),
    ("gothello-captures", plain!(Captures)),
    ("gothello-groups", plain!(Groups)),
    ("gothello-last_choice", plain!(LastChoice)),
    ("gothello-param", param),
    ("gothello-pass_value", thought!(PassValue)),
    ("gothello-safety", plain!(Safety)),
    ("gothello-value", thought!(Value)),
    ("gothello-values", thought!(Values)),
    ("gothello-variation", thought!(Variation)),
    ("gothello-winner", thought!(Winner)),
    ("known_command", one!(KnownCommand, command_name)),
    ("komi", komi),
    ("list_commands", plain!(ListCommands)),
    ("loadsgf", loadsgf),
    ("name", plain!(Name)),
    ("play", play),
    ("printsgf", printsgf),
    ("protocol_version", plain!(ProtocolVersion)),
    ("quit", plain!(Quit)),
    ("reg_genmove", |a| think(Thought::RegGenmove, a)),
    ("showboard", plain!(Showboard)),
    ("time_left", time_left),
    ("time_settings", time_settings),
    ("undo", |a| a.end().map(|()| Command::Undo(1))),
    ("version", plain!(Version)),
];

/// The names of all commands in alphabetical order.
pub fn command_names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|&(name, _)| name)
}

/// The parser of a command's arguments, if there is such a command.
fn parser(name: &str) -> Option<Parser> {
    let at = COMMANDS
        .binary_search_by_key(&name, |&(name, _)| name)
        .ok()?;
    COMMANDS.get(at).map(|&(_, parser)| parser)
}

/// Whether there is a command of this name.
pub fn is_known(name: &str) -> bool {
    parser(name).is_some()
}

impl<'a> Command<'a> {
    /// Understands a command's name and arguments.
    ///
    /// # Errors
    /// If there is no such command or the arguments are not its own.
    pub fn parse(name: &str, arguments: &'a str) -> Result<Command<'a>, Failure> {
        match parser(name) {
            Some(parser) => parser(Arguments::new(arguments)),
            None if name.is_empty() => Err(Failure::Syntax("a command is missing".into())),
            None => Err(Failure::UnknownCommand),
        }
    }
}

/// Any whole number is read: only its value is unacceptable.
fn board_size(arguments: &mut Arguments<'_>) -> Result<i64, Failure> {
    arguments.integer("a board size")
}

fn play(mut arguments: Arguments<'_>) -> Result<Command<'_>, Failure> {
    let command = Command::Play(arguments.color()?, arguments.mv()?);
    arguments.end()?;
    Ok(command)
}

fn command_name<'a>(arguments: &mut Arguments<'a>) -> Result<&'a str, Failure> {
    arguments.word("a command")
}

fn think(
    thought: fn(Color) -> Thought,
    mut arguments: Arguments<'_>,
) -> Result<Command<'_>, Failure> {
    let color = arguments.color()?;
    arguments.end()?;
    Ok(Command::Think(thought(color)))
}

/// One move is taken back unless a number is given.
fn gg_undo(mut arguments: Arguments<'_>) -> Result<Command<'_>, Failure> {
    let moves = arguments.optional(|a| a.number("a number of moves"))?;
    arguments.end()?;
    Ok(Command::Undo(moves.unwrap_or(1)))
}

/// Without arguments the parameters are listed.
fn param(mut arguments: Arguments<'_>) -> Result<Command<'_>, Failure> {
    let parameter = arguments.optional(Parameter::read)?;
    arguments.end()?;
    Ok(parameter.map_or(Command::Parameters, Command::SetParameter))
}

/// Gothello has no komi: any number is accepted and ignored.
fn komi(mut arguments: Arguments<'_>) -> Result<Command<'_>, Failure> {
    arguments.float("a komi")?;
    arguments.end()?;
    Ok(Command::Komi)
}

fn stone_status(arguments: &mut Arguments<'_>) -> Result<StoneStatus, Failure> {
    match arguments.word("a status")? {
        "alive" => Ok(StoneStatus::Alive),
        "dead" => Ok(StoneStatus::Dead),
        "seki" => Ok(StoneStatus::Seki),
        word => Err(Failure::Syntax(format!(
            "{word:?} is no status: alive, dead or seki is expected"
        ))),
    }
}

fn time_settings(mut arguments: Arguments<'_>) -> Result<Command<'_>, Failure> {
    let main = arguments.seconds("the main time in seconds")?;
    let period = arguments.seconds("the byo-yomi time in seconds")?;
    let stones = arguments.number("the byo-yomi stones")?;
    arguments.end()?;
    Ok(Command::TimeSettings(TimeSettings {
        main,
        period,
        stones,
    }))
}

fn time_left(mut arguments: Arguments<'_>) -> Result<Command<'_>, Failure> {
    let color = arguments.color()?;
    let time = arguments.seconds("the time left in seconds")?;
    let stones = arguments.number("the number of stones")?;
    arguments.end()?;
    Ok(Command::TimeLeft(color, time, stones))
}

/// A file, and perhaps the number of the move before which to stop, counted
/// from 1.
fn loadsgf(mut arguments: Arguments<'_>) -> Result<Command<'_>, Failure> {
    let path = arguments.word("a file")?.into();
    let before = arguments.optional(|a| a.number("a move number"))?;
    arguments.end()?;
    Ok(Command::Loadsgf(path, before))
}

fn printsgf(mut arguments: Arguments<'_>) -> Result<Command<'_>, Failure> {
    let path = arguments.optional(|a| a.word("a file"))?;
    arguments.end()?;
    Ok(Command::Printsgf(path.map(PathBuf::from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(COMMANDS.is_sorted_by(|(a, _), (b, _)| a < b));
    }
}
