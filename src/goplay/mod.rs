//! The client of the Go contest protocol: a GTP engine, or a person at a terminal.
//!
//! The protocol is that of the document *Go Communication Protocol* (Go contest of
//! CMPN402, Fall 2019), called *the document* in what follows; its messages are
//! those of [`goref::wire`](crate::goref::wire). The client speaks both versions of
//! it, comes back after a lost connection, and builds its game from the moves that
//! the server has logged.
//!
//! ```text
//! frame → ServerMessage → Session → Deed → frames, notes, results
//! ```
//!
//! [`Session`] is pure: messages and the time go in, and what is to be done comes
//! out. [`play()`] is the loop around it. An [`Agent`] chooses on a thread of its
//! own, so that the server is heard, and its pings are answered, while it thinks.

mod address;
mod agent;
mod backoff;
mod deed;
mod display;
mod drawing;
mod engine;
mod error;
mod finished;
mod human;
mod incoming;
mod link;
mod play;
mod rebuild;
mod record;
mod session;
mod thinker;
mod told;

pub use address::{Address, AddressError};
pub use agent::{Agent, AgentError, Turn};
pub use backoff::Backoff;
pub use deed::Deed;
pub use display::Display;
pub use engine::Engine;
pub use error::Error;
pub use finished::Finished;
pub use human::Human;
pub use incoming::read;
pub use play::{Settings, play};
pub use session::{Session, State};
