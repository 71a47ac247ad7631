//! The page of spectators and organizers: clients, live boards, clocks, scores and history, and
//! the organizer's buttons. (The page to play on is in the module `play`, which uses the server
//! and the shared files of this one.)
//!
//! A server that has something to show owns a [`Feed`] and publishes plain values on it: a
//! [`TableView`] with its [`Ply`]s, a [`Client`], a line of the log. The feed keeps the current
//! state, and sends a snapshot and then updates to all spectators. The feed knows no rules, only
//! how a board is drawn ([`BoardKind`]), and costs almost nothing without spectators.
//!
//! [`feed_routes`] serves the feed and the files of the page, [`feed_page`] the page itself,
//! [`guarded`] adds access control, and [`serve`] runs it all on a port with limits on
//! connections. A server that can only be watched needs no more than [`spectator_routes`]. One
//! with an organizer adds a route for commands, with the extractor [`FromOrganizer`].
//!
//! The page itself is in `page/`: plain HTML, CSS and JavaScript modules, compiled in. It
//! loads nothing from other hosts.

mod access;
mod command;
mod feed;
mod hosts;
mod json;
mod proxies;
mod server;
mod site;
mod tournament;
mod websocket;

pub use crate::pages::DrawnGame;
pub use crate::pages::view::{
    Adjourned, BoardKind, Client, Crosstable, CrosstableRow, Finished, Grid, Ladder, Ply, Round,
    RoundStage, SeatView, ServerInfo, TableStatus, TableView, Tournament,
};
pub use access::{
    AccessPolicy, Origin, OriginError, RejectedRequest, Token, TokenError, guarded, is_logged,
};
pub use command::{
    Command, CommandDone, CommandRefused, FromOrganizer, PairingKind, TournamentRequest,
};
pub use feed::Feed;
pub use hosts::{Host, Hosts, ParseHostError};
pub(crate) use json::json_text;
pub use proxies::{ParseTrustedProxyError, TrustedProxies, TrustedProxy};
pub(crate) use server::receive_body;
pub use server::{HttpConnection, Limits, Rights, serve};
pub use site::{
    Asset, asset_routes, feed_page, feed_routes, shared_asset_routes, spectator_routes,
};
pub(crate) use site::{asset, page_response};
pub use tournament::{OpenGame, OpenGames, RequestedSettingsError, absence};
pub(crate) use websocket::{Disconnected, HEARTBEAT, say_goodbye, send};
pub use websocket::{UpgradeRejection, WebSocket, WebSocketUpgrade};
