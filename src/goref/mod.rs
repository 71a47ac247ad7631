//! The referee of Go contests: JSON over WebSocket.
//!
//! The protocol is that of the document *Go Communication Protocol* (Go contest of
//! CMPN402, Fall 2019), called *the document* in what follows. Where the server
//! that teams have played with so far does otherwise, each place says what is done.
//!
//! ```text
//! frame → request → Hall → Effect → journal → frames, records, log
//! ```
//!
//! Everything up to the effects is pure: frames, actions of the organiser and the
//! time go in; what is to be written, sent, recorded and told comes out, in this
//! order.

mod breaks;
mod client;
mod config;
mod connection;
mod contest;
mod disk;
mod effects;
mod entry;
mod failure;
mod hall;
mod host;
mod late;
mod ledgers;
mod moves;
mod name;
mod news;
mod order;
mod organiser;
mod pairing;
mod play;
mod record;
mod records;
mod referee;
mod request;
mod restore;
mod server;
mod show;
mod show_tournament;
mod table;
mod terms;
pub mod time;
pub mod wire;

pub use breaks::BreakLimits;
pub use client::ClientId;
pub use config::{ConfigError, ServerConfig, read_terms};
pub use contest::Plan;
pub use effects::{Effect, Finished, Note};
pub use entry::{Entry, GameId};
pub use hall::{Changes, Hall, MOST_MALFORMED, Moment};
pub use host::Sink;
pub use name::Name;
pub use news::News;
pub use organiser::Action;
pub use referee::{Match, Outcome};
pub use request::{Fault, read};
pub use restore::RestoreError;
pub use server::{Kept, Server, StopAfter};
pub use table::Phase;
pub use terms::{LogError, Terms};
