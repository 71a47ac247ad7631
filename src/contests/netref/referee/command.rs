//! The commands of the organizer, and why one may be refused.

use std::str::FromStr;

use itertools::Itertools;
use thiserror::Error;

use crate::contests::contest::{DeskError, ParseTournamentCommandError, TournamentCommand};
use crate::contests::netref::client::Name;
use crate::pages::web;

/// The commands that can be typed.
const HELP: &str = "\
list            show the tables, who waits for one, and the adjourned matches
void TABLE      end the match at a table without a winner; it is recorded as void
adjourn TABLE   adjourn the match at a table, to be resumed later
resume MATCH    put an adjourned match back on its table, where it waits for its players
help            show this";

/// Returns all commands that can be typed.
pub fn help() -> String {
    format!("{HELP}\n{}", TournamentCommand::HELP)
}

/// A command of the organizer to the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefereeCommand {
    /// List the commands.
    Help,
    /// List the tables, the waiting clients, and the adjourned matches.
    List,
    /// End the match at the table with this server number without a winner.
    Void(u16),
    /// Adjourn the match at the table with this server number.
    Adjourn(u16),
    /// Resume the adjourned match with this ID.
    Resume {
        /// The ID of the match.
        id: String,
        /// Its table, if the organizer names it.
        table: Option<u16>,
    },
    /// Begin or end a tournament of the teams, or withdraw a team.
    Tournament(TournamentCommand),
}

/// An invalid command line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseRefereeCommandError {
    /// The first word is not a command.
    #[error("there is no command {0:?}: help lists the commands")]
    Unknown(String),
    /// It is an invalid one about the tournament.
    #[error(transparent)]
    Tournament(#[from] ParseTournamentCommandError),
    /// The command lacks an argument, or has one too many.
    #[error("{0}")]
    Incomplete(&'static str),
}

impl FromStr for RefereeCommand {
    type Err = ParseRefereeCommandError;

    fn from_str(line: &str) -> Result<RefereeCommand, ParseRefereeCommandError> {
        if let Some(parsed) = TournamentCommand::parse(line) {
            return Ok(RefereeCommand::Tournament(parsed?));
        }
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or("help");
        let arguments: Vec<&str> = words.collect();
        let only = arguments.iter().exactly_one().ok();
        let table = only.and_then(|word| word.parse().ok());
        let (parsed, lacks) = match command.to_ascii_lowercase().as_str() {
            "help" | "?" => return Ok(RefereeCommand::Help),
            "list" => (
                arguments.is_empty().then_some(RefereeCommand::List),
                "list takes no argument",
            ),
            "void" => (
                table.map(RefereeCommand::Void),
                "void needs the number of a table, as in void 2",
            ),
            "adjourn" => (
                table.map(RefereeCommand::Adjourn),
                "adjourn needs the number of a table, as in adjourn 2",
            ),
            "resume" => (
                only.map(|&id| RefereeCommand::Resume {
                    id: id.to_owned(),
                    table: None,
                }),
                "resume needs the name of a match, which list shows",
            ),
            _ => return Err(ParseRefereeCommandError::Unknown(command.to_owned())),
        };
        parsed.ok_or(ParseRefereeCommandError::Incomplete(lacks))
    }
}

/// Why a command is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CommandError {
    /// No table has this number.
    #[error("there is no table {table}: the tables are {tables}")]
    UnknownTable {
        /// The number that the organizer gave.
        table: u16,
        /// The numbers of all tables.
        tables: String,
    },
    /// No adjourned match has this ID.
    #[error("no match {0:?} is adjourned")]
    UnknownMatch(String),
    /// The match belongs to another table.
    #[error("this is a match of table {0}")]
    OtherTable(u16),
    /// A table refuses it.
    #[error("table {table}: {error}")]
    Table {
        /// The table.
        table: u16,
        /// Why.
        error: Box<CommandError>,
    },
    /// The table has no match.
    #[error("no match is played there")]
    NoMatch,
    /// The match has just ended, for the reason in this sentence.
    #[error("{0}")]
    Ended(String),
    /// The match is over, unless both connections are lost.
    #[error("a flag has fallen: the match is over, unless both connections turn out to be lost")]
    FlagFallen,
    /// Neither a player of the match nor the file of its team has said that it can resume one.
    #[error(
        "a player cannot resume a match, for neither it nor its team has said so: it can only be voided"
    )]
    NotResumable,
    /// Nothing is kept.
    #[error("only matches of a referee with a state folder (--state) can be adjourned")]
    NoJournal,
    /// The match is one against a house that does not play at its table.
    #[error(
        "this is a match against {0}, and it does not play at this table: start the referee with \
         the same --house"
    )]
    House(Name),
    /// The table has a match, or a player waits there.
    #[error("the table is not free: {held}; {advice}")]
    NotFree {
        /// Who holds it.
        held: String,
        /// What to do.
        advice: &'static str,
    },
    /// The match belongs to a table that this server does not have.
    #[error(
        "this is a match of server {server}, and the tables here are {tables}: resume it at a \
         referee with that number (gothello netref {server})"
    )]
    OtherServer {
        /// The server number of the match.
        server: u16,
        /// The numbers of all tables.
        tables: String,
    },
    /// The server lets no further match begin.
    #[error("no more matches are played here")]
    NoMoreMatches,
    /// It is one about the tournament.
    #[error(transparent)]
    Tournament(#[from] DeskError),
    /// The server holds no tournaments.
    #[error("tournaments need teams and records: start the referee with --teams and --state")]
    NoTeams,
    /// No game of a tournament can be played, because the house plays at every table.
    #[error(
        "a tournament needs a table where no house plays: start the referee again, and name the tables \
         of the house, as in --house 4-7:3"
    )]
    HouseEverywhere,
    /// The page gives a command that this server does not have, or it is invalid.
    #[error("{0}")]
    Page(String),
}

impl TryFrom<web::Command> for RefereeCommand {
    type Error = CommandError;

    fn try_from(command: web::Command) -> Result<RefereeCommand, CommandError> {
        let refused = |why: String| CommandError::Page(why);
        let number = |table: u32| {
            u16::try_from(table).map_err(|_| refused(format!("there is no table {table}")))
        };
        Ok(match command {
            web::Command::Void { table } => RefereeCommand::Void(number(table)?),
            web::Command::Adjourn { table } => RefereeCommand::Adjourn(number(table)?),
            web::Command::Recall { table, game } => RefereeCommand::Resume {
                id: game,
                table: Some(number(table)?),
            },
            about_tournament => match TournamentCommand::of_page(&about_tournament) {
                Some(command) => {
                    RefereeCommand::Tournament(command.map_err(|why| refused(why.to_string()))?)
                }
                None => {
                    let why = "here matches can be voided, adjourned and resumed only";
                    return Err(refused(why.to_owned()));
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands_are_parsed_as_people_type_them() {
        for (line, command) in [
            ("list", RefereeCommand::List),
            ("  LIST ", RefereeCommand::List),
            ("void 2", RefereeCommand::Void(2)),
            ("Void\t12\r", RefereeCommand::Void(12)),
            ("adjourn 0", RefereeCommand::Adjourn(0)),
            (
                "resume 20261120-120000-000000-3",
                RefereeCommand::Resume {
                    id: "20261120-120000-000000-3".into(),
                    table: None,
                },
            ),
            ("help", RefereeCommand::Help),
            ("help void", RefereeCommand::Help),
            ("?", RefereeCommand::Help),
            ("", RefereeCommand::Help),
        ] {
            assert_eq!(line.parse(), Ok(command), "{line:?}");
        }
    }

    #[test]
    fn an_unknown_command_is_answered_with_what_would_be_right() {
        for (line, hint) in [
            ("quit", "\"quit\""),
            ("void", "void 2"),
            ("void all", "void 2"),
            ("void 1 2", "void 2"),
            ("void -1", "void 2"),
            ("adjourn 70000", "adjourn 2"),
            ("resume", "list"),
            ("list 2", "no argument"),
        ] {
            let error = line.parse::<RefereeCommand>().unwrap_err().to_string();
            assert!(error.contains(hint), "{line:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_the_parser_panic(line in "\\PC*|(void|adjourn|resume|list) \\PC*") {
            let _ = line.parse::<RefereeCommand>();
        }
    }
}
