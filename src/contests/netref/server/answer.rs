//! The answers to the organizer's commands.

use std::io;

use thiserror::Error;

use super::journals::InterruptedError;
use super::tournament::TournamentError;

/// The result of a command, as a sentence or a list for the organizer.
pub type Answer = Result<String, CommandError>;

/// Why a command is refused.
#[derive(Debug, Error)]
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
    /// A player of the match has not declared that it can resume one.
    #[error("a player cannot resume a match, for it has not said so: it can only be voided")]
    NotResumable,
    /// The match has no journal.
    #[error("only matches with a journal (--journal) can be adjourned")]
    NoJournal,
    /// The journal cannot be renamed.
    #[error("the match goes on: {0}")]
    NotAdjourned(io::Error),
    /// The adjourned match cannot be read.
    #[error(transparent)]
    NotResumed(#[from] InterruptedError),
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
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(io::Error),
    /// A command about the tournament is refused.
    #[error(transparent)]
    Tournament(#[from] TournamentError),
    /// The server stops.
    #[error("the referee stops")]
    Stopping,
}
