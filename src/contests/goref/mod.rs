//! The referee of Go contests: JSON over WebSocket.
//!
//! The protocol is that of the document *Go Communication Protocol* (Go contest of CMPN402, Fall
//! 2019), called *the document* here. The server that teams use today is called *the existing
//! server*; where it differs from the document, a comment says what is done.
//!
//! ```text
//! frame → ClientMessage → Contest → Effects → disk → frames, records, log
//! ```
//!
//! [`Contest`] is pure: messages, commands of the organizer, and the time go in, and [`Effects`]
//! come out. The ordered effects are a list: nothing is sent before the journal entries ahead of it
//! are on the disk.
//!
//! A module uses only those before it in this list: [`wire`], [`time`], `setup` (what is played),
//! `config` (its file); `clients`, `teams` (which have secrets), `game`, `log`, `journal`, `effects`, `organizer` (commands);
//! `table`, `tables`, `attendance` (the players that are present) and `desk` (the tournament), the
//! parts of `contest`; `page`, `record`, `disk`; `contest_task`, `connection`, `server`.

mod attendance;
mod clients;
mod config;
mod connection;
mod contest;
mod contest_task;
mod desk;
mod disk;
mod effects;
mod game;
mod journal;
mod log;
mod organizer;
mod page;
mod record;
mod server;
mod setup;
mod table;
mod tables;
mod teams;
pub mod time;
pub mod wire;

pub use clients::{ClientId, MAX_MALFORMED, Name, Ping};
pub use config::{ConfigError, ServerConfig, read_setup};
pub use contest::Contest;
pub use contest_task::Sink;
pub use effects::{
    Changes, Delivery, Effects, ImmediateEffect, OrderedEffect, Timestamp, TournamentEffect, Write,
};
pub use game::{BreakLimits, FinishedGame, GameId, GamePhase, Outcome, TimedGame};
pub use journal::{Entry, EntryError, RestoreError};
pub use log::LogEvent;
pub use organizer::{CommandError, OrganizerCommand, ParseCommandError};
pub use server::{Inputs, OrganizerHandle, Server, StateError, StateFolder};
pub use setup::{GameSetup, SetupError};
pub use teams::{TeamError, Teams};
pub use wire::{Fault, read};
