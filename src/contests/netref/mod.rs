//! The network referee: a server for matches over TCP, whose clients have existed since
//! 2001.
//!
//! Source: Bart Massey, *A Networked Gothello Referee: Specification*, section 2 and tables 1 to
//! 10, and *A Networked Awari Referee: Specification*, section 2 and tables 1 to 9. The module is
//! generic over the game: see the trait [`NetrefGame`].
//!
//! How data flows: bytes → [`Lines`] → [`Opening`] or [`Action`] → [`Referee`], which owns all
//! [`Table`]s and is pure → [`Output`], whose effects are performed in their order: journal,
//! sockets, log, records. Spectators of the page see a [`Table`] through snapshots, which go to the
//! page's [`Feed`].
//!
//! [`Feed`]: crate::pages::web::Feed

mod client;
mod entry;
mod game;
mod journal;
mod lobby;
mod log;
mod outages;
mod record;
mod referee;
mod server;
mod summary;
mod table;
mod teams;
mod tournament;
mod wire;

pub use client::{BadConnId, BadName, Client, ConnId, ConnIds, HOUSE, MAX_NAME, Name};
pub use entry::{Entry, MatchEntry, StartEntry};
pub use game::{AwariRow, GothelloRow, IllegalBoard, NetrefGame, Version, ellipses};
pub use journal::{JournaledMatch, replay};
pub use lobby::{Entrant, Lobby};
pub use log::{LogEvent, MatchSoFar, TableNumbers, TeamAddress, Who};
pub use referee::{
    Changes, CommandError, Delivery, Entrance, MatchToRecord, Matches, Output,
    ParseRefereeCommandError, Referee, RefereeCommand, RefereeSettings, check_house,
};
pub use server::{
    House, HouseLink, HousePlayer, LogSink, RefereeState, RefereeStateError, Server, TableSetup,
    TeamPort, site,
};
pub use summary::{MatchEnding, MatchReason, Played, Player, Summary};
pub use table::{
    Dialect, Effect, Effects, FinishedMatch, HouseTurn, LiveMatch, Loss, LossWaits, MAX_ILLEGAL,
    MAX_MALFORMED, Match, MatchLabel, Refusal, RefusedRow, RestoreError, SeatedClient, Seeker,
    Settings, SnapshotStage, Table, TableSnapshot, ToObservers,
};
pub use teams::{Identified, IdentityError, MAX_TEAMS, Membership, Team, TeamError, Teams};
pub use tournament::{GamePlace, player_name};
pub use wire::{
    Action, Line, Lines, MAX_LINE, Malformed, MoveNumber, Opening, OpeningError, Response,
    ResponseError, Role, RoleRefusal, Status, Times, Verdict,
};

pub use super::contest::{
    Kept, OrderedEffect, Timestamp, TournamentCommand, TournamentDesk, TournamentEffect, Write,
};
pub use super::shell::{Answer, Commands, OrganizerHandle, ServerCommand, TournamentSetup};

/// A game of Gothello, as it is played over the network.
pub type Gothello = crate::games::gothello::Game;

/// A game of Awari, as it is played over the network.
pub type Awari = crate::games::awari::Game;
