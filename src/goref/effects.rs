//! What the hall decides, in the order in which it must happen.

use std::time::SystemTime;

use super::client::ClientId;
use super::entry::{Entry, GameId};
use super::name::Name;
use super::news::News;
use super::referee::{Match, Outcome};
use super::wire::ServerMessage;
use crate::go::ByColor;
use crate::tournament::{self, Event, Fixture, Settings};

/// Something to be done. Entries are on the disk before anything that follows
/// them is done.
#[derive(Clone, Debug)]
pub enum Effect {
    /// To be written to the journal.
    Journal(Entry),
    /// To be sent.
    Send(ClientId, ServerMessage),
    /// A client is to be asked whether it is still there: one of its name has come, from
    /// the same machine or another.
    Probe {
        /// Who is asked.
        client: ClientId,
        /// Whether it is the same machine.
        is_near: bool,
    },
    /// A connection is to be closed, after what was sent to it.
    Close(ClientId, &'static str),
    /// Everything that a move or a start causes is sent: see
    /// [`Hall::sent`](super::Hall::sent).
    Sent(GameId, usize),
    /// A game that is over is to be recorded.
    Record(Box<Finished>),
    /// To be written to the results file of the tournament.
    Note(Note),
    /// To be told.
    Tell(News),
}

/// What a results file is to hold. Results of games are written when they are
/// recorded.
#[derive(Clone, Debug)]
pub enum Note {
    /// A tournament begins.
    Begin {
        /// How it is played.
        settings: Settings,
        /// Who plays.
        entrants: Vec<tournament::Name>,
    },
    /// Something happens in it.
    Event(Event),
}

/// A game that is over or given up.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its number.
    pub game: GameId,
    /// Its table.
    pub table: u16,
    /// The players.
    pub names: ByColor<Name>,
    /// How it went.
    pub play: Match,
    /// How it ended; `None` if it was given up.
    pub outcome: Option<Outcome>,
    /// What it is in the tournament.
    pub fixture: Option<Fixture>,
    /// When it began.
    pub began: SystemTime,
    /// When it ended.
    pub ended: SystemTime,
}
