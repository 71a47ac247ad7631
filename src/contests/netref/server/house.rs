//! The house: the server's own opponent, which plays at its tables against any client.
//!
//! It has a seat like any other player, but no socket: it gets the position itself, and its
//! decisions arrive as [`Input`]s like the requests of others.

use tokio::sync::mpsc;

use super::{Input, Shared};
use crate::contests::netref::client::{ConnId, Name};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::table::HouseTurn;
use crate::contests::netref::wire::Action;
use crate::games::game::Game;

/// The house at one table.
pub struct House<G: NetrefGame> {
    /// Its name. A client that finds a table taken is seated at another one whose house has the
    /// same name.
    pub name: Name,
    /// Starts the player, which answers through the link.
    pub start: Box<StartHouse<G>>,
}

/// Starts the house's player at a table.
pub type StartHouse<G> = dyn FnOnce(HouseLink<<G as Game>::Move>) -> Box<dyn HousePlayer<G>>;

/// Plays for the house at a table, one match after the other.
pub trait HousePlayer<G: NetrefGame>: Send {
    /// Lets it decide, and answer through its [`HouseLink`]; `None` if there is nothing to decide.
    /// Withdraws the turn before, unless it is the same. Must not block.
    fn think_about(&mut self, turn: Option<HouseTurn<G>>);

    /// Shuts it down. This may block the thread for a few seconds.
    fn finish(self: Box<Self>);
}

/// The channel through which the house answers at one table.
pub struct HouseLink<M> {
    inputs: mpsc::Sender<Input<M>>,
    shared: Shared,
}

impl<M> HouseLink<M> {
    pub(super) fn new(inputs: mpsc::Sender<Input<M>>, shared: Shared) -> HouseLink<M> {
        HouseLink { inputs, shared }
    }

    /// Carries out the house's decision in a turn with this connection. Returns whether the server
    /// still runs. This blocks the thread.
    pub fn act(&self, conn: ConnId, action: Action<M>) -> bool {
        let at = self.shared.now();
        let input = Input::Request {
            conn,
            line: String::new(),
            request: Ok(action),
            at,
        };
        self.inputs.blocking_send(input).is_ok()
    }

    /// Logs a problem with the house's player.
    pub fn note(&self, what: &str) {
        let what = what.to_owned();
        self.shared.log(LogEvent::House { what });
    }
}
