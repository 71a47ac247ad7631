//! The effects of an input on the contest: those that wait for the disk, in order, and those that
//! wait for nothing.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, SystemTime};

use super::clients::Ping;
use super::desk::DeskOutput;
use super::finished_game::FinishedGame;
use super::journal::Entry;
use super::log::LogEvent;
use super::names::{ClientId, GameId, Name};
use super::ordered::{GameReport, Kept, OrderedEffect, TournamentEffect, Write};
use super::protocol::Protocol;
use crate::tournament::{Event, NumberedGame};

/// A point in time, by the clock of the server and by the calendar.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// The time since the start of the server (monotonic).
    pub clock: Duration,
    /// The calendar time, for records and the log.
    pub date: SystemTime,
}

/// What the caller of the contest must do after an input.
#[derive(Clone, Debug)]
pub struct Effects<P: Protocol> {
    /// Performed at once, before the ordered effects: a slow disk delays none of them, and one
    /// that fails prevents none.
    pub immediate: Vec<ImmediateEffect>,
    /// Performed in order, after the ordered effects of all inputs before.
    pub ordered: Vec<OrderedEffect<P>>,
}

/// An effect that waits for nothing.
#[derive(Clone, Debug)]
pub enum ImmediateEffect {
    /// Ask a client that has connected for its name. This is the first message to it: if it
    /// waited for a disk that fails, the client would never be asked.
    AskName(ClientId),
    /// Ping a client, because another one has sent the same name.
    Ping(Ping),
    /// A client has proved to be of this team.
    Joined(ClientId, Name),
    /// Read the next messages of a client only after this time: too many have come.
    Wait(ClientId, Duration),
    /// Log what concerns a client, or a failure.
    Log(LogEvent),
}

/// Something that waits for the writes before it.
#[derive(Clone, Debug)]
pub enum Delivery<P: Protocol> {
    /// Send a message.
    Send(ClientId, P::Message),
    /// Close a connection after all queued messages, for this reason.
    Close(ClientId, &'static str),
    /// Close it for a reason that will be the same when the client connects again.
    Reject(ClientId, &'static str),
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
    /// Log what has happened to a seat or a game, or in the tournament.
    Log(LogEvent),
    /// A game has a result, and is recorded if it can be now. This may come again for a game that cannot
    /// be recorded yet.
    Over(GameId),
}

impl<P: Protocol> Kept for P {
    type Entry = Entry<P>;
    type Finished = FinishedGame<P::Game>;
    type Delivery = Delivery<P>;

    fn no_change() -> Entry<P> {
        Entry::Numbered { next: GameId(1) }
    }

    fn weight(entry: &Entry<P>) -> usize {
        entry.weight()
    }

    fn recorded(finished: &FinishedGame<P::Game>) -> Entry<P> {
        Entry::Recorded {
            game: finished.game,
        }
    }

    fn name(finished: &FinishedGame<P::Game>) -> String {
        finished.game.to_string()
    }

    fn report(finished: &FinishedGame<P::Game>) -> io::Result<GameReport> {
        P::report(finished)
    }

    fn event(finished: &FinishedGame<P::Game>) -> Option<Event> {
        finished.event()
    }

    fn place(finished: &FinishedGame<P::Game>) -> Option<&NumberedGame> {
        finished.scheduled.as_ref()
    }
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
    pub(in crate::contests) fn merge(&mut self, later: Changes) {
        self.tables.extend(later.tables);
        self.clients.extend(later.clients);
        self.adjourned |= later.adjourned;
        self.tournament |= later.tournament;
        self.games |= later.games;
    }
}

/// The output of an input: its effects, and the changes of the page.
#[derive(Debug)]
pub struct Output<P: Protocol> {
    pub effects: Effects<P>,
    pub changes: Changes,
}

impl<P: Protocol> Default for Output<P> {
    fn default() -> Output<P> {
        Output {
            effects: Effects {
                immediate: Vec::new(),
                ordered: Vec::new(),
            },
            changes: Changes::default(),
        }
    }
}

impl<P: Protocol> Output<P> {
    pub fn immediate(&mut self, effect: ImmediateEffect) {
        self.effects.immediate.push(effect);
    }

    pub fn write(&mut self, write: Write<P>) {
        self.effects.ordered.push(OrderedEffect::Write(write));
    }

    pub fn deliver(&mut self, delivery: Delivery<P>) {
        self.effects.ordered.push(OrderedEffect::Deliver(delivery));
    }

    /// Logs an event after what has been written so far.
    pub fn log(&mut self, event: LogEvent) {
        self.deliver(Delivery::Log(event));
    }

    /// Logs an event at once.
    pub fn log_now(&mut self, event: LogEvent) {
        self.immediate(ImmediateEffect::Log(event));
    }

    pub fn send(&mut self, client: ClientId, message: P::Message) {
        self.deliver(Delivery::Send(client, message));
    }

    pub fn journal(&mut self, entry: Entry<P>) {
        self.write(Write::Journal(entry));
    }
}

impl<P: Protocol> DeskOutput for Output<P> {
    const PLAYER: &'static str = "player";
    const NOBODY: &'static str = "no client and no team of --teams";

    fn write_tournament(&mut self, effect: TournamentEffect) {
        self.write(Write::Tournament(effect));
    }

    fn tell(&mut self, what: String) {
        self.log(LogEvent::Tournament { what });
    }

    fn complain(&mut self, what: String) {
        self.log_now(LogEvent::Failed { what });
    }

    fn tell_standings(&mut self, lines: Vec<String>) {
        self.log(LogEvent::Standings { lines });
    }

    fn show_standings(&mut self) {
        self.changes.tournament = true;
    }

    fn show_countdowns(&mut self) {
        self.changes.games = true;
    }
}
