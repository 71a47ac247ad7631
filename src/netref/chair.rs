//! A player's place in a match, and what he can read.

use super::client::{Client, ConnId};
use super::game::NetrefGame;
use super::record::Player;
use super::wire::Name;

/// Which lines a player can read.
///
/// The paper's protocol has lines that the client libraries in C, Java and
/// Python give up on: 34x before the start, 327, 328, 391 and 392 while they
/// wait for a move, a lone 36x when they think. They never send a name; one
/// that does has shown that it speaks the paper's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// All that the paper has.
    Paper,
    /// What the libraries read.
    Library,
}

/// A player's place in a match.
#[derive(Debug)]
pub(super) struct Chair {
    /// `None` while he has not come back to an interrupted match.
    pub(super) conn: Option<ConnId>,
    /// Who sat here when the match began.
    pub(super) player: Player,
    pub(super) dialect: Dialect,
    pub(super) garbled: u32,
}

impl Chair {
    pub(super) fn new<G: NetrefGame>(client: Client, name: Option<Name>) -> Chair {
        Chair {
            conn: Some(client.conn),
            dialect: Dialect::of::<G>(name.is_some()),
            player: Player {
                name,
                client: Some(client),
            },
            garbled: 0,
        }
    }

    /// The player's name.
    pub(super) fn name(&self) -> Option<&Name> {
        self.player.name.as_ref()
    }
}

impl Dialect {
    pub(super) fn of<G: NetrefGame>(is_named: bool) -> Dialect {
        if is_named || G::STAND_IN.is_none() {
            Dialect::Paper
        } else {
            Dialect::Library
        }
    }
}
