//! What the contest decides, in the order in which it must be done.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use super::clients::ClientId;
use super::game::{FinishedGame, GameId};
use super::journal::Entry;
use super::log::LogEvent;
use super::wire::ServerMessage;
use crate::tournament::{self, Event, Settings};

/// A point in time, by the clock of the server and by the calendar.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Since the server started; never goes back.
    pub clock: Duration,
    /// For records.
    pub date: SystemTime,
}

/// Something that the host does. Effects are done in order: in particular, a journal entry
/// is on the disk before any effect after it is done.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Write an entry to the journal.
    Journal(Entry),
    /// Send a message.
    Send(ClientId, ServerMessage),
    /// Ask a client whether it is still there: another client has told the same name.
    Probe {
        /// Who is asked.
        client: ClientId,
        /// Whether the other client is on the same machine.
        is_near: bool,
    },
    /// Close a connection, after what was sent to it.
    Close(ClientId, &'static str),
    /// Everything that a move or a start causes is sent: call
    /// [`Contest::start_clock`](super::Contest::start_clock).
    StartClock {
        /// The index of the table.
        table: usize,
        /// The game.
        game: GameId,
        /// The number of moves in its log.
        moves: usize,
    },
    /// Write the record of a game that is over or void.
    Record(Box<FinishedGame>),
    /// Write to the results file of the tournament.
    Tournament(TournamentEffect),
    /// Log an event.
    Log(LogEvent),
}

/// What is written to the results file of a tournament. Results of games are written with
/// their records.
#[derive(Clone, Debug)]
pub enum TournamentEffect {
    /// A tournament begins.
    Begin {
        /// The settings.
        settings: Settings,
        /// The players.
        entrants: Vec<tournament::Name>,
    },
    /// Something happens in it.
    Event(Event),
}

/// What looks different on the page than when this was last taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Tables, by their index.
    pub tables: BTreeSet<usize>,
    /// Clients, who may be gone.
    pub clients: BTreeSet<ClientId>,
    /// Whether the list of adjourned games looks different.
    pub adjourned: bool,
    /// Whether the rounds or standings of the tournament look different.
    pub tournament: bool,
    /// Whether a game has begun, ended, or changed its place, or a player has come or
    /// gone, which shows in a running tournament.
    pub games: bool,
}

impl Changes {
    /// Adds later changes.
    pub(super) fn merge(&mut self, later: Changes) {
        self.tables.extend(later.tables);
        self.clients.extend(later.clients);
        self.adjourned |= later.adjourned;
        self.tournament |= later.tournament;
        self.games |= later.games;
    }
}

/// Collects the effects of an input, and what they change on the page.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    pub(super) effects: Vec<Effect>,
    pub(super) changes: Changes,
}

impl Decisions {
    pub(super) fn log(&mut self, event: LogEvent) {
        self.effects.push(Effect::Log(event));
    }

    pub(super) fn send(&mut self, client: ClientId, message: ServerMessage) {
        self.effects.push(Effect::Send(client, message));
    }

    pub(super) fn journal(&mut self, entry: Entry) {
        self.effects.push(Effect::Journal(entry));
    }
}
