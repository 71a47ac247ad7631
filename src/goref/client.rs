//! A connected client.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::name::Name;
use super::wire::Protocol;
use crate::go::Color;

/// The number of a connection, in order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientId(pub u64);

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A color at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    /// The index of the table.
    pub(super) table: usize,
    pub(super) color: Color,
}

/// A client: INIT until it has a name, then READY, or at a table.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) name: Option<Name>,
    pub(super) protocol: Protocol,
    pub(super) address: IpAddr,
    pub(super) seat: Option<Seat>,
    /// How many of its frames were no messages at all.
    pub(super) malformed: u32,
    /// How many of its frames were passed over.
    pub(super) refused: u32,
    /// How many of its moves were refused since the last one that was not.
    pub(super) invalid: u32,
    /// Whether the automatic pairing has given it a game.
    pub(super) paired: bool,
    /// When it was last asked whether it is there, because its name came again.
    pub(super) probed: Option<Duration>,
}

impl Client {
    pub(super) fn new(address: IpAddr) -> Client {
        Client {
            name: None,
            protocol: Protocol::V1,
            address,
            seat: None,
            malformed: 0,
            refused: 0,
            invalid: 0,
            paired: false,
            probed: None,
        }
    }
}
