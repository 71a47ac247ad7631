//! The referee of Go contests: JSON over WebSocket.
//!
//! The protocol is that of the document *Go Communication Protocol* (Go contest of CMPN402, Fall
//! 2019), called *the document* here. The server that teams use today is called *the existing
//! server*; where it differs from the document, a comment says what is done.
//!
//! The contest is that of [`contest`](crate::contests::contest); this module has what is the
//! protocol's: frames, the files with the settings of games, the records, and what the page draws.
//!
//! A module uses only those before it in this list: [`wire`], `setup` (what is played), `config`
//! (its file), `record` (what is kept of a game), `protocol` (what clients are told), `drawing`,
//! `connection`, `server`.

mod config;
mod connection;
mod drawing;
mod protocol;
mod record;
mod server;
mod setup;
pub mod wire;

use super::contest;

pub use super::contest::{
    BreakLimits, Changes, ClientId, CommandError, EntryError, Fault, GameId, ImmediateEffect,
    LogEvent, MAX_MALFORMED, Name, OrganizerCommand, ParseCommandError, Ping, RestoreError,
    TeamError, Teams, Timestamp, TournamentCommand, TournamentDesk, TournamentEffect, WaitsFor,
    time,
};
pub use super::shell::{
    Answer, Commands, OrganizerHandle, ServerCommand, Sink, StateError, TournamentSetup,
};
pub use config::{ConfigError, ServerConfig, read_setup};
pub use protocol::GoProtocol;
pub use server::Server;
pub use setup::{GameSetup, SetupError};
pub use wire::read;

use crate::games::go::Game;
use wire::WireReason;

/// The state folder of a contest.
pub type StateFolder = super::shell::StateFolder<GoProtocol>;
/// A contest of Go.
pub type Contest = contest::Contest<GoProtocol>;
/// What is due after an input.
pub type Effects = contest::Effects<GoProtocol>;
/// An ordered effect.
pub type OrderedEffect = contest::OrderedEffect<GoProtocol>;
/// Something to be written.
pub type Write = contest::Write<GoProtocol>;
/// Something that waits for the writes before it.
pub type Delivery = contest::Delivery<GoProtocol>;
/// An entry of the journal.
pub type Entry = contest::Entry<GoProtocol>;
/// A game that is over, or void.
pub type FinishedGame = contest::FinishedGame<Game>;
/// A game with clocks.
pub type TimedGame = contest::TimedGame<Game>;
/// The phase of a game at a table.
pub type GamePhase = contest::GamePhase<WireReason>;
/// How a game ended.
pub type Outcome = contest::Outcome<WireReason>;
