//! The client of the networked referee: our own player, any GTP engine or a
//! person plays a match over TCP, or a match is observed.
//!
//! Source: Bart Massey, *A Networked Gothello Referee: Specification* and *A
//! Networked Awari Referee: Specification*, section 2 of both, and what the
//! deployed referee of Gothello makes of it. The room is generic over the game:
//! what is one game's alone stands behind [`Game`], in one file for each. Who gives a name is told
//! everything that happens; who gives none is told a lost match as the client
//! libraries of 2001 can read it. Both are read in every case.
//!
//! How data flows: bytes → lines → [`Response`](crate::netref::Response) → [`Session`] or [`Observer`],
//! which are pure → [`Deed`]s, which [`play()`] and [`observe`] do. An [`Agent`]
//! chooses on a thread of its own, so that the end of a match is heard while
//! it thinks.

mod agent;
mod awari;
mod board;
mod deed;
mod display;
mod ending;
mod engine;
mod error;
mod game;
mod gothello;
mod human;
mod link;
mod observer;
mod own;
mod phase;
mod play;
mod record;
mod session;
mod thinker;

pub use agent::{Agent, AgentError, Decision, Task, Turn};
pub use deed::Deed;
pub use display::{Display, View};
pub use ending::{Ending, Margin, Reason};
pub use engine::Engine;
pub use error::Error;
pub use game::Game;
pub use human::Human;
pub use link::{Event, Link};
pub use observer::Observer;
pub use own::Own;
pub use play::{observe, play};
pub use session::Session;
