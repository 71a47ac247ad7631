//! The commands that only Gothello has, and who answers them.

use std::path::PathBuf;

use super::parameters::{self, Parameter};
use super::{Gothello, analysis, board, proof, record};
use crate::gothello::{Color, Point};
use crate::gtp::arguments::Arguments;
use crate::gtp::command::{Command, Parser, Thought, one, plain};
use crate::gtp::failure::Failure;
use crate::gtp::response::Response;
use crate::gtp::session::Session;

/// A command that only Gothello has; the names say which.
#[derive(Clone, Debug, PartialEq)]
pub enum Own {
    FinalStatusList(StoneStatus),
    Loadsgf(PathBuf, Option<u32>),
    Printsgf(Option<PathBuf>),
    Setup(Vec<(Color, Point)>),
    SetupPlayer(Color),
    Groups,
    Captures,
    Safety,
    Parameters,
    SetParameter(Parameter),
}

/// A question about the value of a position; the names are those of the
/// commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
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

/// A parser for a command of our own without arguments.
macro_rules! own {
    ($command:ident) => {
        plain!(Command::Own(Own::$command))
    };
}

/// A parser for a question.
macro_rules! question {
    ($question:ident) => {
        plain!(Command::Think(Thought::Own(Question::$question)))
    };
}

/// Every command's name with the parser of its arguments, in the order of the
/// names.
pub(super) const COMMANDS: &[(&str, Parser<Gothello>)] = &[
    ("final_status_list", one!(status_list, stone_status)),
    ("gogui-setup", |a| {
        let stones = a.pairs(|a| a.parsed("a point"))?;
        Ok(Command::Own(Own::Setup(stones)))
    }),
    ("gogui-setup_player", one!(setup_player, Arguments::color)),
    ("gothello-best_moves", question!(BestMoves)),
    ("gothello-captures", own!(Captures)),
    ("gothello-groups", own!(Groups)),
    ("gothello-param", param),
    ("gothello-pass_value", question!(PassValue)),
    ("gothello-safety", own!(Safety)),
    ("gothello-value", question!(Value)),
    ("gothello-values", question!(Values)),
    ("gothello-variation", question!(Variation)),
    ("gothello-winner", question!(Winner)),
    ("loadsgf", loadsgf),
    ("printsgf", printsgf),
];

type Parsed<'a> = Command<'a, Gothello>;

fn status_list<'a>(status: StoneStatus) -> Parsed<'a> {
    Command::Own(Own::FinalStatusList(status))
}

fn setup_player<'a>(color: Color) -> Parsed<'a> {
    Command::Own(Own::SetupPlayer(color))
}

/// Without arguments the parameters are listed.
fn param(mut arguments: Arguments<'_>) -> Result<Parsed<'_>, Failure> {
    let parameter = arguments.optional(Parameter::read)?;
    arguments.end()?;
    Ok(Command::Own(
        parameter.map_or(Own::Parameters, Own::SetParameter),
    ))
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

/// A file, and perhaps the number of the move before which to stop, counted
/// from 1.
fn loadsgf(mut arguments: Arguments<'_>) -> Result<Parsed<'_>, Failure> {
    let path = arguments.word("a file")?.into();
    let before = arguments.optional(|a| a.number("a move number"))?;
    arguments.end()?;
    Ok(Command::Own(Own::Loadsgf(path, before)))
}

fn printsgf(mut arguments: Arguments<'_>) -> Result<Parsed<'_>, Failure> {
    let path = arguments.optional(|a| a.word("a file"))?;
    arguments.end()?;
    Ok(Command::Own(Own::Printsgf(path.map(PathBuf::from))))
}

/// Obeys a command.
pub(super) fn obey(
    session: &mut Session<Gothello>,
    command: Own,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    let gothello = &mut session.played;
    match command {
        Own::FinalStatusList(status) => board::final_status_list(&gothello.game, status, out),
        Own::Loadsgf(path, before) => record::loadsgf(session, path, before)?,
        Own::Printsgf(path) => record::printsgf(&gothello.game, path, out)?,
        Own::Setup(stones) => board::setup(&mut gothello.game, &stones)?,
        Own::SetupPlayer(color) => board::setup_player(&mut gothello.game, color),
        Own::Groups => analysis::groups(&gothello.game, out),
        Own::Captures => analysis::captures(&gothello.game, out),
        Own::Safety => proof::safety(&gothello.game, out),
        Own::Parameters => parameters::list(session, out),
        Own::SetParameter(parameter) => parameters::set(session, parameter)?,
    }
    Ok(())
}

/// Answers a question.
pub(super) fn ponder(session: &Session<Gothello>, question: Question, out: &mut Response<'_>) {
    match question {
        Question::Values => proof::values(session, out),
        Question::BestMoves => proof::best_moves(session, out),
        Question::Variation => proof::variation(session, out),
        Question::Winner => proof::winner(session, out),
        Question::Value => proof::value(session, out),
        Question::PassValue => proof::pass_value(session, out),
    }
}
