//! What those who watch are sent.

use serde::Serialize;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::history::Told;
use super::state::{Held, Listed, LogLine, State};
use super::view::{Adjourned, Client, Hall, Table, Tournament};

/// The version of the messages.
const VERSION: u8 = 1;

/// One message: everything, or one change.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Change<'a> {
    /// Everything.
    All {
        hall: &'a Hall,
        tables: Vec<TableTold<'a>>,
        clients: Vec<&'a Client>,
        log: Vec<&'a LogLine>,
        adjourned: &'a [Adjourned],
        finished: Vec<&'a Listed>,
        tournament: Option<&'a Tournament>,
    },
    /// Nothing has changed, but the server is still there.
    Alive {},
    /// A table, which is new or known.
    Table(TableTold<'a>),
    /// A table is no longer shown.
    TableGone { table: u32 },
    /// Somebody who is new or known.
    Client { client: &'a Client },
    /// Somebody is no longer connected.
    ClientGone { client: u64 },
    /// A line for the log.
    Log { line: &'a LogLine },
    /// The games that are put away.
    Adjourned { games: &'a [Adjourned] },
    /// One more game that is over.
    Finished { game: &'a Listed },
    /// The tournament, or that there is none.
    Tournament { tournament: Option<&'a Tournament> },
}

/// A table and those of its plies that are new.
#[derive(Debug, Serialize)]
pub(super) struct TableTold<'a> {
    pub(super) table: &'a Table,
    /// When the clocks were as the table says.
    pub(super) at: u64,
    /// Those plies that were known stay up to this number.
    pub(super) from: usize,
    pub(super) plies: &'a [Told],
}

impl<'a> TableTold<'a> {
    /// The table with its plies from number `from` on.
    pub(super) fn new(held: &'a Held, from: usize) -> TableTold<'a> {
        TableTold {
            table: &held.table,
            at: held.at,
            from,
            plies: held.history.plies().get(from..).unwrap_or_default(),
        }
    }
}

#[derive(Serialize)]
struct Message<'a> {
    v: u8,
    /// The feed's clock, in milliseconds.
    now: u64,
    #[serde(flatten)]
    change: Change<'a>,
}

impl Change<'_> {
    /// As it is sent at this moment of the feed's clock, in milliseconds.
    pub(super) fn text(self, now: u64) -> Utf8Bytes {
        let message = Message {
            v: VERSION,
            now,
            change: self,
        };
        // All keys are texts or numbers, and nothing fails by itself: there is
        // no value that cannot be written.
        serde_json::to_string(&message).unwrap_or_default().into()
    }
}

impl State {
    /// Everything, for somebody who knows nothing yet.
    pub(super) fn text(&self, now: u64) -> Utf8Bytes {
        let all = Change::All {
            hall: &self.hall,
            tables: self
                .tables
                .values()
                .map(|held| TableTold::new(held, 0))
                .collect(),
            clients: self.clients.values().map(|client| &**client).collect(),
            log: self.log.iter().map(|line| &**line).collect(),
            adjourned: &self.adjourned,
            finished: self.finished.iter().map(|game| &**game).collect(),
            tournament: self.tournament.as_deref(),
        };
        all.text(now)
    }
}
