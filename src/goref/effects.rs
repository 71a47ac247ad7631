//! The effects of an input on the contest, in the order in which they must be performed.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use super::clients::{ClientId, Ping};
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

/// Something that the caller of the contest must do. Effects are performed in order. In
/// particular, a journal entry is on the disk before any later effect is performed.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Write an entry to the journal.
    Journal(Entry),
    /// Send a message.
    Send(ClientId, ServerMessage),
    /// Ping a client, because another one has sent the same name.
    Ping(Ping),
    /// Close a connection after all queued messages, for this reason.
    Close(ClientId, &'static str),
    /// Call [`Contest::start_clock`](super::Contest::start_clock). All messages about the move
    /// or the start are sent before this effect.
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

/// A line for the results file of a tournament. Results of games are written with their
/// records.
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

/// The parts of the page that have changed since the last
/// [`Contest::take_changes`](super::Contest::take_changes).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Tables, by their index.
    pub tables: BTreeSet<usize>,
    /// Clients that are new, have changed, or are gone.
    pub clients: BTreeSet<ClientId>,
    /// Whether the list of adjourned games has changed.
    pub adjourned: bool,
    /// Whether the rounds or standings of the tournament have changed.
    pub tournament: bool,
    /// Whether a game has begun, ended, or moved to or from a table, or a player has connected
    /// or disconnected. A running tournament shows this.
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

/// The output of an input: its effects, and the changes of the page.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) effects: Vec<Effect>,
    pub(super) changes: Changes,
}

impl Output {
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
