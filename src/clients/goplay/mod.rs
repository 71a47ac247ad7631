//! The client of the Go contest protocol: a GTP engine or a person plays at a server.
//!
//! The protocol is that of the document *Go Communication Protocol* (Go contest of
//! CMPN402, Fall 2019), called *the document* in this module; its messages are those
//! of [`goref::wire`](crate::contests::goref::wire). The client speaks both versions of it,
//! reconnects after a lost connection, and builds its game from the moves that the
//! server has logged.
//!
//! ```text
//! frame → ServerMessage → Session → Effect → frames, notes, results
//! ```
//!
//! [`Session`] is pure: messages and the time go in, and effects come out in order.
//! [`play()`] is the client around it. An [`Agent`](crate::clients::agent::Agent) chooses the
//! moves on its own thread, so that pings are answered while it thinks.

mod connection;
mod drawing;
mod play;
mod reported;
mod session;
mod tls;

pub use connection::{Address, AddressError, Backoff, NoMessage, read};
pub use play::{Error, Settings, play};
pub use session::{Effect, FinishedGame, Session, State};
pub use tls::{Tls, TlsError};
