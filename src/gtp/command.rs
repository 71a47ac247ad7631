//! The commands that every game has, each with its arguments in the types that
//! it needs, and how a game's own are found.

use std::time::Duration;

use itertools::Itertools;

use super::arguments::Arguments;
use super::awari::Awari;
use super::failure::Failure;
use super::game::Played;
use super::gothello::Gothello;
use super::time::TimeSettings;
use crate::gothello::Color;

/// A command that has been understood.
///
/// Commands without a prefix are those of the GTP draft, section 6; the others
/// are GoGui's (`gogui-`), GNU Go's (`gg-`) or our own (`gothello-`).
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are those of the commands")]
pub enum Command<'a, G: Played> {
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
    Play(Color, G::Move),
    Think(Thought<G::Question>),
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
    PlaySequence(Vec<(Color, G::Move)>),
    Interrupt,
    Title,
    AnalyzeCommands,
    LastChoice,
    /// One that only this game has.
    Own(G::Command),
}

/// A command whose answer may take long enough to be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the commands")]
pub enum Thought<Q> {
    Genmove(Color),
    RegGenmove(Color),
    /// One that only this game has.
    Own(Q),
}

/// Reads the arguments of a command.
pub type Parser<G> = for<'a> fn(Arguments<'a>) -> Result<Command<'a, G>, Failure>;

/// A parser for a command without arguments.
macro_rules! plain {
    ($command:expr) => {
        |arguments| arguments.end().map(|()| $command)
    };
}
pub(super) use plain;

/// A parser for a command with one argument.
macro_rules! one {
    ($command:expr, $read:expr) => {
        |mut arguments| {
            let argument = $read(&mut arguments)?;
            arguments.end()?;
            Ok($command(argument))
        }
    };
}
pub(super) use one;

/// The name of every command that all games have with the parser of its
/// arguments, in the order of the names.
fn shared<G: Played>() -> &'static [(&'static str, Parser<G>)] {
    const {
        &[
            ("boardsize", one!(Command::Boardsize, board_size)),
            ("clear_board", plain!(Command::ClearBoard)),
            ("cputime", plain!(Command::Cputime)),
            ("final_score", plain!(Command::FinalScore)),
            ("genmove", |a| think(Thought::Genmove, a)),
            ("gg-undo", gg_undo),
            ("gogui-analyze_commands", plain!(Command::AnalyzeCommands)),
            ("gogui-interrupt", plain!(Command::Interrupt)),
            ("gogui-play_sequence", |a| {
                a.pairs(Arguments::mv::<G>).map(Command::PlaySequence)
            }),
            ("gogui-rules_board", plain!(Command::Board)),
            ("gogui-rules_board_gfx", plain!(Command::BoardGfx)),
            ("gogui-rules_board_size", plain!(Command::BoardSize)),
            ("gogui-rules_captured_count", plain!(Command::CapturedCount)),
            ("gogui-rules_final_result", plain!(Command::FinalResult)),
            ("gogui-rules_game_id", plain!(Command::GameId)),
            ("gogui-rules_legal_moves", plain!(Command::LegalMoves)),
            ("gogui-rules_side_to_move", plain!(Command::SideToMove)),
            ("gogui-title", plain!(Command::Title)),
            ("gothello-last_choice", plain!(Command::LastChoice)),
            ("help", plain!(Command::Help)),
            ("known_command", one!(Command::KnownCommand, command_name)),
            ("komi", komi),
            ("list_commands", plain!(Command::ListCommands)),
            ("name", plain!(Command::Name)),
            ("play", play),
            ("protocol_version", plain!(Command::ProtocolVersion)),
            ("quit", plain!(Command::Quit)),
            ("reg_genmove", |a| think(Thought::RegGenmove, a)),
            ("showboard", plain!(Command::Showboard)),
            ("time_left", time_left),
            ("time_settings", time_settings),
            ("undo", plain!(Command::Undo(1))),
            ("version", plain!(Command::Version)),
        ]
    }
}

/// The names of all commands of a game in alphabetical order.
pub(super) fn names<G: Played>() -> impl Iterator<Item = &'static str> {
    let name = |&(name, _): &(&'static str, Parser<G>)| name;
    let own = G::COMMANDS.iter().map(name);
    shared::<G>().iter().map(name).merge(own)
}

/// The names of all commands of any game in alphabetical order.
pub fn command_names() -> impl Iterator<Item = &'static str> {
    names::<Gothello>().merge(names::<Awari>()).dedup()
}

/// The parser of a command's arguments, if the game has such a command.
fn parser<G: Played>(name: &str) -> Option<Parser<G>> {
    [shared::<G>(), G::COMMANDS].into_iter().find_map(|table| {
        let at = table.binary_search_by_key(&name, |&(name, _)| name).ok()?;
        table.get(at).map(|&(_, parser)| parser)
    })
}

/// Whether a game has a command of this name.
pub(super) fn is_known<G: Played>(name: &str) -> bool {
    parser::<G>(name).is_some()
}

impl<'a, G: Played> Command<'a, G> {
    /// Understands a command's name and arguments.
    ///
    /// # Errors
    /// If there is no such command or the arguments are not its own.
    pub fn parse(name: &str, arguments: &'a str) -> Result<Command<'a, G>, Failure> {
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

fn play<G: Played>(mut arguments: Arguments<'_>) -> Result<Command<'_, G>, Failure> {
    let command = Command::Play(arguments.color()?, arguments.mv::<G>()?);
    arguments.end()?;
    Ok(command)
}

fn command_name<'a>(arguments: &mut Arguments<'a>) -> Result<&'a str, Failure> {
    arguments.word("a command")
}

fn think<G: Played>(
    thought: fn(Color) -> Thought<G::Question>,
    mut arguments: Arguments<'_>,
) -> Result<Command<'_, G>, Failure> {
    let color = arguments.color()?;
    arguments.end()?;
    Ok(Command::Think(thought(color)))
}

/// One move is taken back unless a number is given.
fn gg_undo<G: Played>(mut arguments: Arguments<'_>) -> Result<Command<'_, G>, Failure> {
    let moves = arguments.optional(|a| a.number("a number of moves"))?;
    arguments.end()?;
    Ok(Command::Undo(moves.unwrap_or(1)))
}

/// No game has a komi: any number is accepted and ignored.
fn komi<G: Played>(mut arguments: Arguments<'_>) -> Result<Command<'_, G>, Failure> {
    arguments.float("a komi")?;
    arguments.end()?;
    Ok(Command::Komi)
}

fn time_settings<G: Played>(mut arguments: Arguments<'_>) -> Result<Command<'_, G>, Failure> {
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

fn time_left<G: Played>(mut arguments: Arguments<'_>) -> Result<Command<'_, G>, Failure> {
    let color = arguments.color()?;
    let time = arguments.seconds_left("the time left in seconds")?;
    let stones = arguments.number("the number of stones")?;
    arguments.end()?;
    Ok(Command::TimeLeft(color, time, stones))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_share_no_name() {
        fn is_sorted<G: Played>() -> bool {
            let is_sorted =
                |table: &[(&str, Parser<G>)]| table.is_sorted_by(|(a, _), (b, _)| a < b);
            let all = names::<G>().collect_vec();
            is_sorted(shared()) && is_sorted(G::COMMANDS) && all.is_sorted_by(|a, b| a < b)
        }
        assert!(is_sorted::<Gothello>());
        assert!(is_sorted::<Awari>());
    }
}
