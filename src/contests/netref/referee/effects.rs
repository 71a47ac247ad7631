//! What the caller of a referee must do after an input.

use std::collections::BTreeSet;
use std::io;
use std::mem;
use std::time::SystemTime;

use crate::contests::contest::{
    DeskOutput, GameReport, Kept, OrderedEffect, TournamentEffect, Write,
};
use crate::contests::netref::client::ConnId;
use crate::contests::netref::entry::{Entry, MatchEntry};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::record::result_line;
use crate::contests::netref::summary::Summary;
use crate::contests::netref::table::{FinishedMatch, ToObservers, USUAL_EFFECTS};
use crate::contests::netref::tournament::event_of_match;
use crate::tournament::{Event, NumberedGame};

/// What a referee of a game keeps on the disk, and what waits for it.
#[derive(Clone, Debug)]
pub struct Matches;

/// A match that is to be recorded.
#[derive(Clone, Debug)]
pub struct MatchToRecord {
    /// The match.
    pub summary: Summary,
    /// What is kept of it.
    pub report: GameReport,
}

impl MatchToRecord {
    /// Returns a match that has just ended.
    pub fn new<G: NetrefGame>(finished: &FinishedMatch<G::Move>) -> MatchToRecord {
        MatchToRecord {
            summary: finished.summary.clone(),
            report: GameReport {
                result: result_line::<G>(&finished.summary),
                records: vec![(G::RECORD_EXTENSION, finished.record.clone())],
            },
        }
    }
}

/// Something that waits for the writes before it.
#[derive(Clone, Debug)]
pub enum Delivery {
    /// Send this text to a client, in one piece.
    Send(ConnId, String),
    /// Send nothing more to a client, which may still be heard, and tell it so when it has been sent
    /// everything.
    EndOutput(ConnId),
    /// Close a connection when it has been sent everything.
    Close(ConnId),
    /// Call [`Referee::start_clock`](super::Referee::start_clock): all messages to the player come
    /// before.
    StartClock {
        /// The index of the table.
        table: usize,
        /// When the match began.
        started: SystemTime,
        /// The number of its moves.
        moves: usize,
    },
    /// Tell the observers of a table something, given its index.
    Observers(usize, ToObservers),
    /// Log an event of the port with this server number.
    Log(u16, LogEvent),
    /// A match is over, which is on the disk if anything is kept. If it counts, call
    /// [`Referee::count_end`](super::Referee::count_end).
    Over {
        /// The index of its table; `None` if it was over at the start, or is adjourned.
        table: Option<usize>,
        /// The ID of the match.
        id: String,
        /// Whether it counts: it began since the start.
        counts: bool,
    },
}

impl Kept for Matches {
    type Entry = MatchEntry;
    type Finished = MatchToRecord;
    type Delivery = Delivery;

    fn no_change() -> MatchEntry {
        MatchEntry {
            id: String::new(),
            entry: Entry::Recorded,
        }
    }

    fn recorded(finished: &MatchToRecord) -> MatchEntry {
        MatchEntry {
            id: finished.summary.id.clone(),
            entry: Entry::Recorded,
        }
    }

    fn name(finished: &MatchToRecord) -> String {
        finished.summary.id.clone()
    }

    fn report(finished: &MatchToRecord) -> io::Result<GameReport> {
        Ok(finished.report.clone())
    }

    fn event(finished: &MatchToRecord) -> Option<Event> {
        event_of_match(&finished.summary)
    }

    fn place(finished: &MatchToRecord) -> Option<&NumberedGame> {
        finished.summary.scheduled.as_ref()
    }
}

/// The parts of the page that have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Tables, by their indices.
    pub tables: BTreeSet<usize>,
    /// Whether the clients in the lobby have changed.
    pub lobby: bool,
    /// Whether the adjourned matches have changed.
    pub adjourned: bool,
    /// Whether what the page shows of the tournament may have changed.
    pub tournament: bool,
    /// Whether its rounds or standings have changed, which take long to compute.
    pub standings: bool,
}

impl Changes {
    /// Adds later changes.
    pub fn merge(&mut self, later: Changes) {
        self.tables.extend(later.tables);
        self.lobby |= later.lobby;
        self.adjourned |= later.adjourned;
        self.tournament |= later.tournament;
        self.standings |= later.standings;
    }
}

/// The output of an input.
#[derive(Debug)]
pub struct Output<G: NetrefGame> {
    /// To be performed at once: what clients in the lobby are told waits for no write.
    pub immediate: Vec<Delivery>,
    /// To be performed in order, after those of all inputs before.
    pub ordered: Vec<OrderedEffect<Matches>>,
    /// The matches that have ended, each with the index of its table.
    pub ended: Vec<(usize, Box<FinishedMatch<G::Move>>)>,
    /// What the page shows differently.
    pub changes: Changes,
    /// The server number of the first table, to which the log assigns what concerns no other.
    first: u16,
}

impl<G: NetrefGame> Output<G> {
    /// Creates the output of no input, of a referee whose first table has this server number.
    pub(super) fn new(first: u16) -> Output<G> {
        Output {
            immediate: Vec::new(),
            ordered: Vec::new(),
            ended: Vec::new(),
            changes: Changes::default(),
            first,
        }
    }

    /// Takes the output so far.
    pub(super) fn take(&mut self) -> Output<G> {
        mem::replace(self, Output::new(self.first))
    }

    pub(super) fn write(&mut self, write: Write<Matches>) {
        self.order(OrderedEffect::Write(write));
    }

    pub(super) fn deliver(&mut self, delivery: Delivery) {
        self.order(OrderedEffect::Deliver(delivery));
    }

    fn order(&mut self, effect: OrderedEffect<Matches>) {
        if self.ordered.is_empty() {
            self.ordered.reserve(USUAL_EFFECTS);
        }
        self.ordered.push(effect);
    }

    pub(super) fn at_once(&mut self, delivery: Delivery) {
        self.immediate.push(delivery);
    }

    /// Shows a table on the page.
    pub(super) fn show(&mut self, index: usize) {
        self.changes.tables.insert(index);
    }

    pub(super) fn log(&mut self, number: u16, event: LogEvent) {
        self.deliver(Delivery::Log(number, event));
    }

    /// Logs an event that is not of a table.
    pub(super) fn log_for_all(&mut self, event: LogEvent) {
        self.log(self.first, event);
    }
}

impl<G: NetrefGame> DeskOutput for Output<G> {
    const PLAYER: &'static str = "team";
    const NOBODY: &'static str = "no team of --teams";

    fn write_tournament(&mut self, effect: TournamentEffect) {
        self.write(Write::Tournament(effect));
    }

    fn tell(&mut self, what: String) {
        self.log_for_all(LogEvent::Tournament { what });
    }

    fn complain(&mut self, what: String) {
        self.log_for_all(LogEvent::Failed { what });
    }

    fn tell_standings(&mut self, lines: Vec<String>) {
        lines.into_iter().for_each(|line| self.tell(line));
    }

    fn show_standings(&mut self) {
        (self.changes.tournament, self.changes.standings) = (true, true);
    }

    fn show_countdowns(&mut self) {
        self.changes.tournament = true;
    }
}
