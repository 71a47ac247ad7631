//! The network referee: a server for matches over TCP, whose clients have existed since
//! 2001.
//!
//! Source: Bart Massey, *A Networked Gothello Referee: Specification*, section
//! 2 and tables 1 to 10, and *A Networked Awari Referee: Specification*, section 2
//! and tables 1 to 9. The module is generic over the game; what it needs to know of a
//! game is the trait [`NetrefGame`].
//!
//! How data flows: bytes → [`Lines`] → [`Opening`] or [`Action`] → [`Table`], which is
//! pure → [`Effects`], which are performed in their order: journal, sockets, log, records.
//! Spectators of the page see a [`Table`] through snapshots, which go to the page's
//! [`Feed`].
//!
//! [`Feed`]: crate::web::Feed

mod client;
mod connection;
mod effects;
mod game;
mod journal;
mod live_match;
mod log;
mod observers;
mod operator;
mod page;
mod recorder;
mod records;
mod referee;
mod server;
mod table;
mod table_task;
mod wire;

pub use client::{BadConnId, Client, ConnId, Who};
pub use effects::{Effect, Effects, FinishedMatch};
pub use game::{AwariRow, GothelloRow, NetrefGame, Picture};
pub use journal::{Entry, Interrupted, InterruptedError, journals};
pub use live_match::{Dialect, LiveMatch, RestoreError};
pub use log::LogEvent;
pub use operator::{
    Answer, CommandError, HELP, Operator, OperatorCommand, OperatorCommandError, OperatorCommands,
    operator, site,
};
pub use recorder::MatchToRecord;
pub use records::{Ending, Played, Player, RESULTS, Reason, Records, Summary};
pub use referee::{Match, Refusal, ReplayError};
pub use server::{LogSink, Server, TableSetup};
pub use table::{MAX_MALFORMED, Settings, Table};
pub use wire::{
    Action, Forfeit, Line, Lines, MAX_LINE, MAX_NAME, Malformed, MoveNumber, Name, Opening,
    OpeningError, Response, ResponseError, Role, RoleRefusal, Status, Times, Verdict, Version,
    ellipses,
};

/// A game of Gothello, as it is played over the network.
pub type Gothello = crate::gothello::Game;

/// A game of Awari, as it is played over the network.
pub type Awari = crate::awari::Game;
