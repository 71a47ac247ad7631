//! The client of the networked referee: plays a match over TCP, or observes one.
//!
//! Source: Bart Massey, *A Networked Gothello Referee: Specification* and *A
//! Networked Awari Referee: Specification*, section 2 of both, and the behavior of the
//! deployed referee of Gothello. The module is generic over the game: see [`ClientGame`]. The
//! referee sends all messages of the protocol to a client with a name. To one without a name it
//! sends only those that the client libraries of 2001 can read. The client understands both.
//!
//! ```text
//! bytes → lines → Response → Session or Observer → Effect → requests, notes, boards
//! ```
//!
//! [`Session`] and [`Observer`] are pure: lines go in, and effects come out in order.
//! [`play()`] and [`observe`] are the shells around them. An
//! [`Agent`](crate::clients::agent::Agent) chooses the moves on a thread of its own, so that the
//! end of a match is noticed while it thinks.

mod drawing;
mod games;
mod house;
mod observer;
mod play;
mod reported;
mod session;

pub use games::ClientGame;
pub use house::{AgentHouse, StartAgent};
pub use observer::Observer;
pub use play::{Connection, Error, observe, play};
pub use reported::{Contradiction, ReportedEnding};
pub use session::{Effect, ProtocolError, ReceiveError, Session};
