//! The games that the client plays: Gothello and Awari.

use crate::clients::agent::AgentGame;
use crate::contests::netref::NetrefGame;

/// A game that the client can play and observe.
///
/// A value is a game from its start, or from the position in which an observer joined it, up
/// to the present.
pub trait ClientGame: NetrefGame + AgentGame {}

impl<G: NetrefGame + AgentGame> ClientGame for G {}
