//! The page for people: who is connected, who plays, live boards, clocks,
//! scores and history, and the organiser's buttons.
//!
//! Whoever has something to show owns a [`Feed`] and hands it plain values: a
//! [`Table`] with its [`Ply`]s, a [`Client`], a line for the log. The feed keeps
//! them and sends each change to those who watch. It knows no game, and costs
//! next to nothing while nobody watches.
//!
//! [`routes`] serves the page and the feed, [`guarded`] decides what a request
//! may do, and [`serve`] runs all that on a port, with bounds on everything that
//! a stranger can ask for. A server whose visitors can only watch needs no more
//! than [`spectators`]; one with an organiser adds a route for what he orders,
//! which it reads as an [`Order`].
//!
//! The page itself is in `page/`: plain HTML, CSS and JavaScript modules,
//! compiled in, which ask no other host for anything.

mod access;
mod action;
mod assets;
mod feed;
mod history;
mod listen;
mod message;
mod state;
mod token;
mod upgrade;
mod view;
mod watch;

pub use access::{Access, Rights, TurnedAway, guarded, is_told};
pub use action::{Action, Done, Order, Refused, System};
pub use assets::page;
pub use feed::Feed;
pub use listen::{Limits, Visit, serve};
pub use token::{BadToken, Token};
pub use upgrade::{BadUpgrade, NoUpgrade, Socket, Upgrade};
pub use view::{
    Adjourned, Client, Finished, Grid, Hall, Kind, Phase, Ply, Round, Seat, Side, Stage, Table,
    Tournament,
};
pub use watch::{routes, spectators};
