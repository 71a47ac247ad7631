//! Everything that is shown at one moment.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::Serialize;

use super::history::History;
use super::view::{Adjourned, Client, Finished, Hall, Table, Tournament};

/// How many lines of the log are kept.
pub(super) const LOG: usize = 300;

/// How many finished games are kept.
pub(super) const FINISHED: usize = 100;

/// A finished game in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Listed {
    /// Its number, counting from 0.
    pub(super) number: u64,
    #[serde(flatten)]
    pub(super) game: Finished,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct LogLine {
    /// Its number, counting from 0.
    pub(super) number: u64,
    /// Milliseconds since 1970.
    pub(super) time: u64,
    /// Whom it is about; may be empty.
    pub(super) client: String,
    pub(super) text: String,
}

/// A table with its history.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) table: Table,
    /// When the table was handed over, by the feed's clock in milliseconds: the
    /// clocks are those of that moment.
    pub(super) at: u64,
    pub(super) history: History,
}

/// Everything that is shown. A copy shares all that is large.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) hall: Arc<Hall>,
    pub(super) tables: BTreeMap<u32, Arc<Held>>,
    pub(super) clients: BTreeMap<u64, Arc<Client>>,
    pub(super) log: VecDeque<Arc<LogLine>>,
    pub(super) adjourned: Arc<[Adjourned]>,
    /// The games that are over, the last one last.
    pub(super) finished: VecDeque<Arc<Listed>>,
    pub(super) tournament: Option<Arc<Tournament>>,
}

impl State {
    /// Nothing yet.
    pub(super) fn new(hall: Hall) -> State {
        State {
            hall: Arc::new(hall),
            tables: BTreeMap::new(),
            clients: BTreeMap::new(),
            log: VecDeque::new(),
            adjourned: Arc::default(),
            finished: VecDeque::new(),
            tournament: None,
        }
    }

    /// Puts a table in its place, with the history that it has there.
    pub(super) fn place(&mut self, table: Table, at: u64) -> &mut Held {
        let id = table.id;
        let held = self.tables.entry(id).or_insert_with(|| {
            Arc::new(Held {
                table: table.clone(),
                at,
                history: History::default(),
            })
        });
        let held = Arc::make_mut(held);
        held.table = table;
        held.at = at;
        held
    }

    /// Adds a finished game, and forgets the oldest if there are too many.
    pub(super) fn list(&mut self, game: Finished) -> Arc<Listed> {
        let number = self.finished.back().map_or(0, |last| last.number + 1);
        let listed = Arc::new(Listed { number, game });
        if self.finished.len() >= FINISHED {
            self.finished.pop_front();
        }
        self.finished.push_back(Arc::clone(&listed));
        listed
    }

    /// Adds a line to the log, and forgets the oldest if there are too many.
    pub(super) fn write(&mut self, time: u64, client: String, text: String) -> Arc<LogLine> {
        let number = self.log.back().map_or(0, |line| line.number + 1);
        let line = Arc::new(LogLine {
            number,
            time,
            client,
            text,
        });
        if self.log.len() >= LOG {
            self.log.pop_front();
        }
        self.log.push_back(Arc::clone(&line));
        line
    }
}
