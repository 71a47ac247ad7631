//! The commands of the organizer, and why one may be refused.

use std::str::FromStr;

use thiserror::Error;

use super::desk::DeskError;
use super::names::{ClientId, GameId};
use super::tournament_command::{PageCommandError, ParseTournamentCommandError, TournamentCommand};
use crate::base::color::Color;
use crate::base::names::isolated;

use crate::pages::web;

/// A command of the organizer. Tables have numbers from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrganizerCommand {
    /// Lists the commands that can be typed.
    Help,
    /// Gives a seat at a table to a client, or frees it.
    Assign(u16, Color, Option<ClientId>),
    /// Swaps the colors of the players.
    Swap(u16),
    /// Starts a new game.
    Start(u16),
    /// Interrupts a game. It can be resumed.
    Pause(u16),
    /// Continues an interrupted game.
    Resume(u16),
    /// Clears a table: voids its interrupted game, or removes its finished one.
    Clear(u16),
    /// Frees the seat of an absent player, which is kept for the player's address: the next
    /// client of that name gets it from any address.
    Free(u16, Color),
    /// Takes a game off its table, to be resumed another day.
    Adjourn(u16),
    /// Puts an adjourned game back on a table, where it is paused.
    Recall(u16, GameId),
    /// Closes the connection of a client.
    Disconnect(ClientId),
    /// Begins or ends a tournament, changes who takes part, or decides a result. All clients that have
    /// sent their names take part.
    Tournament(TournamentCommand),
}

/// Why a command cannot be carried out now.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CommandError {
    /// No table has this number.
    #[error("there is no table {0}")]
    NoTable(u32),
    /// A game is being played at the table, so that none can start.
    #[error("a game is played there already")]
    AlreadyPlaying,
    /// A game at the table is interrupted, so that none can start.
    #[error("a game waits there: resume, adjourn or void it first")]
    GameWaits,
    /// A seat is empty.
    #[error("two players are needed")]
    SeatEmpty,
    /// No game at the table is interrupted.
    #[error("no game waits there")]
    NothingToResume,
    /// Other players than those of the tournament's game have the seats.
    #[error(
        "this is a game of the tournament, of {} with Black and {} with White",
        isolated(black),
        isolated(white)
    )]
    OtherPlayers {
        /// Who plays Black in the tournament.
        black: String,
        /// Who plays White in the tournament.
        white: String,
    },
    /// The command needs a table where no game is being played.
    #[error("a game is played at table {0}: pause it first")]
    Playing(u16),
    /// The command needs a game that is being played.
    #[error("no game is played at table {0}")]
    NotPlaying(u16),
    /// The command needs a game at the table.
    #[error("there is no game at table {0}")]
    NoGame(u16),
    /// The command needs an empty seat.
    #[error("the player of {color} at table {table} is connected: disconnect that client first")]
    SeatTaken {
        /// The table.
        table: u16,
        /// The color.
        color: Color,
    },
    /// The command needs an unfinished game.
    #[error("no game waits at table {0}")]
    NoGameWaits(u16),
    /// The command needs a table without an unfinished game.
    #[error("table {0} is taken")]
    TableTaken(u16),
    /// No adjourned game has this number.
    #[error("there is no adjourned game {0}")]
    NotAdjourned(GameId),
    /// The client is not connected.
    #[error("client {0} is gone")]
    ClientGone(ClientId),
    /// The client has no name yet.
    #[error("client {0} has not told its name")]
    ClientNameless(ClientId),
    /// It is one about the tournament.
    #[error(transparent)]
    Tournament(#[from] DeskError),
    /// This server has no such command.
    #[error("there is no such command here")]
    Unknown,
    /// A color of a command is misspelled.
    #[error("the color is \"B\" or \"W\"")]
    BadColor,
    /// The game number of a command is not a number.
    #[error("{0:?} is no number of a game")]
    BadGame(String),
    /// It is an invalid one about the tournament.
    #[error(transparent)]
    PageCommand(#[from] PageCommandError),
    /// The disk cannot be written, for this reason.
    #[error("{0}: until the disk can be written again, all games wait")]
    DiskFails(String),
}

/// An invalid line of a terminal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseCommandError {
    /// The first word is no command that can be typed.
    #[error("there is no command {0:?} here: help lists those that can be typed")]
    Unknown(String),
    /// It is an invalid one about the tournament.
    #[error(transparent)]
    Tournament(#[from] ParseTournamentCommandError),
    /// The table or the color is missing or wrong, or there is one word too many.
    #[error("free needs the number of a table and a color, as in free 1 B")]
    Free,
}

/// The command that only a contest has and that can be typed.
const HELP: &str = "\
free TABLE COLOR         free the seat of an absent player, as in free 1 B";

impl OrganizerCommand {
    /// Returns all commands that can be typed.
    pub(super) fn help() -> String {
        format!(
            "{HELP}\n{}\nhelp                     show this; all other commands are on the page",
            TournamentCommand::HELP
        )
    }
}

/// Parses a command that is typed; most are given on the page.
impl FromStr for OrganizerCommand {
    type Err = ParseCommandError;

    fn from_str(line: &str) -> Result<OrganizerCommand, ParseCommandError> {
        if let Some(parsed) = TournamentCommand::parse(line) {
            return Ok(OrganizerCommand::Tournament(parsed?));
        }
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or_default();
        match command.to_ascii_lowercase().as_str() {
            "help" | "?" => return Ok(OrganizerCommand::Help),
            "free" => {}
            _ => return Err(ParseCommandError::Unknown(command.to_owned())),
        }
        let mut word = || words.next().ok_or(ParseCommandError::Free);
        let (table, color) = (word()?, word()?);
        match (table.parse(), color.parse(), words.next()) {
            (Ok(table), Ok(color), None) => Ok(OrganizerCommand::Free(table, color)),
            _ => Err(ParseCommandError::Free),
        }
    }
}

/// Parses a color of a command.
fn parse_color(color: &str) -> Result<Color, CommandError> {
    match color {
        "B" => Ok(Color::Black),
        "W" => Ok(Color::White),
        _ => Err(CommandError::BadColor),
    }
}

impl TryFrom<web::Command> for OrganizerCommand {
    type Error = CommandError;

    fn try_from(command: web::Command) -> Result<OrganizerCommand, CommandError> {
        if let Some(command) = TournamentCommand::of_page(&command) {
            return Ok(OrganizerCommand::Tournament(command?));
        }
        let number = |table: u32| u16::try_from(table).map_err(|_| CommandError::NoTable(table));
        Ok(match command {
            web::Command::Assign {
                table,
                color,
                client,
            } => {
                let (table, color) = (number(table)?, parse_color(&color)?);
                OrganizerCommand::Assign(table, color, client.map(ClientId))
            }
            web::Command::Free { table, color } => {
                OrganizerCommand::Free(number(table)?, parse_color(&color)?)
            }
            web::Command::Swap { table } => OrganizerCommand::Swap(number(table)?),
            web::Command::Start { table } => OrganizerCommand::Start(number(table)?),
            web::Command::Pause { table } => OrganizerCommand::Pause(number(table)?),
            web::Command::Resume { table } => OrganizerCommand::Resume(number(table)?),
            web::Command::Void { table } => OrganizerCommand::Clear(number(table)?),
            web::Command::Adjourn { table } => OrganizerCommand::Adjourn(number(table)?),
            web::Command::Recall { table, game } => match game.parse() {
                Ok(game) => OrganizerCommand::Recall(number(table)?, GameId(game)),
                Err(_) => return Err(CommandError::BadGame(game)),
            },
            web::Command::Disconnect { client } => OrganizerCommand::Disconnect(ClientId(client)),
            // They are about the tournament.
            _ => return Err(CommandError::Unknown),
        })
    }
}
