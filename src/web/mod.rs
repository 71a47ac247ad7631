//! The web page for people: clients, live boards, clocks, scores and history, and the
//! organizer's buttons.
//!
//! A server that has something to show owns a [`Feed`] and publishes plain values on it: a
//! [`Table`] with its [`Ply`]s, a [`Client`], a line of the log. The feed keeps the current
//! state, and sends a snapshot and then updates to all who watch. It knows no game, and costs
//! almost nothing while nobody watches.
//!
//! [`routes`] serves the page and the feed, [`guarded`] adds access control, and [`serve`]
//! runs it all on a port with limits on connections. A server that can only be watched needs
//! no more than [`spectators`]. One with an organizer adds a route for commands, with the
//! extractor [`FromOrganizer`].
//!
//! The page itself is in `page/`: plain HTML, CSS and JavaScript modules, compiled in. It
//! loads nothing from other hosts.

mod access;
mod command;
mod feed;
mod server;
mod site;
mod view;
mod websocket;

pub use access::{AccessPolicy, RejectedRequest, Rights, Token, TokenError, guarded, is_logged};
pub use command::{Command, CommandDone, CommandRefused, FromOrganizer, PairingSystem};
pub use feed::Feed;
pub use server::{HttpConnection, Limits, serve};
pub use site::{Asset, page, page_files, routes, serve_assets, spectators};
pub(crate) use site::{asset, html};
pub use view::{
    Adjourned, BoardKind, Client, Finished, Grid, Phase, Ply, Round, RoundStage, Seat, ServerInfo,
    Table, Tournament,
};
pub(crate) use websocket::{Disconnected, HEARTBEAT, close, send};
pub use websocket::{HandshakeError, UpgradeRejection, WebSocket, WebSocketUpgrade};
