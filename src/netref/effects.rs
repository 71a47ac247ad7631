//! What a table wants done. It does nothing itself.

use super::client::{ConnId, Who};
use super::game::NetrefGame;
use super::journal::Entry;
use super::log::LogEvent;
use super::records::{Played, Summary};
use super::table::TableSnapshot;
use super::wire::Response;

/// Something that a table wants done.
#[derive(Debug)]
pub enum Effect<M> {
    /// Count a match that begins. Other tables may begin one meanwhile.
    Begin,
    /// Append this to the journal of the match. The effects after it may be performed
    /// only when it is on the disk.
    Journal(Entry),
    /// Send this text to a player, or to a client without a role, in one piece.
    Send(ConnId, String),
    /// Start the clock of the player to move. All messages to them come before.
    StartClock,
    /// Let a client observe, and send it this first.
    AdmitObserver(ConnId, String),
    /// Send this to a client that wanted to observe, and close it.
    RejectObserver(ConnId, String),
    /// Log this.
    Log(LogEvent),
    /// Send this text to every observer, in one piece.
    Broadcast(String),
    /// Record a match that is over.
    Finish(Box<FinishedMatch<M>>),
    /// Close a connection when it has been sent everything.
    Close(ConnId),
    /// Close all observers when they have been sent everything.
    CloseObservers,
}

/// A match that is over.
#[derive(Debug)]
pub struct FinishedMatch<M> {
    /// The match for the table of results.
    pub summary: Summary,
    /// The moves in their order.
    pub moves: Vec<Played<M>>,
    /// The text of its record.
    pub record: String,
    /// What spectators see of it.
    pub(super) snapshot: TableSnapshot,
    /// Its rules, as returned by [`NetrefGame::rules`].
    pub(super) rules: Option<String>,
}

/// A list of effects, to be performed in its order.
#[derive(Debug)]
pub struct Effects<M> {
    list: Vec<Effect<M>>,
    /// Whether there are observers. Without observers nothing is broadcast.
    is_watched: bool,
}

impl<M> Effects<M> {
    /// Creates an empty list for a table.
    pub(super) fn new(is_watched: bool) -> Effects<M> {
        Effects {
            list: Vec::new(),
            is_watched,
        }
    }

    /// Returns the effects in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Effect<M>> {
        self.list.iter()
    }

    /// Returns the match that is over, if one is.
    pub fn finished(&self) -> Option<&FinishedMatch<M>> {
        self.iter().find_map(|effect| match effect {
            Effect::Finish(finished) => Some(&**finished),
            _ => None,
        })
    }

    /// Returns whether there are observers.
    pub(super) fn is_watched(&self) -> bool {
        self.is_watched
    }

    pub(super) fn push(&mut self, effect: Effect<M>) {
        self.list.push(effect);
    }

    pub(super) fn journal(&mut self, entry: Entry) {
        self.push(Effect::Journal(entry));
    }

    pub(super) fn log(&mut self, event: LogEvent) {
        self.push(Effect::Log(event));
    }

    pub(super) fn close(&mut self, conn: ConnId) {
        self.push(Effect::Close(conn));
    }

    /// Sends a response to a connection.
    pub(super) fn send<G: NetrefGame>(&mut self, to: ConnId, response: &Response<G>) {
        self.send_text(to, response.to_string());
    }

    /// Sends lines to a connection. They are joined with the text queued for it before, unless
    /// a journal entry is in between.
    pub(super) fn send_text(&mut self, to: ConnId, text: String) {
        let journaled = |effect: &&mut Effect<M>| !matches!(effect, Effect::Journal(_));
        let after = self.list.iter_mut().rev().take_while(journaled);
        let sent = after.into_iter().find_map(|effect| match effect {
            Effect::Send(conn, sent) if *conn == to => Some(sent),
            _ => None,
        });
        match sent {
            Some(sent) => sent.push_str(&text),
            None => self.push(Effect::Send(to, text)),
        }
    }

    /// Sends lines to every observer, if there is one.
    pub(super) fn broadcast(&mut self, text: String) {
        if !self.is_watched || text.is_empty() {
            return;
        }
        match self.list.last_mut() {
            Some(Effect::Broadcast(sent)) => sent.push_str(&text),
            _ => self.push(Effect::Broadcast(text)),
        }
    }

    /// Answers with a refusal, which is logged.
    pub(super) fn refuse<G: NetrefGame>(&mut self, who: Who, response: &Response<G>) {
        let text = response.to_string();
        let conn = who.conn;
        let refused = LogEvent::Refused {
            who,
            response: text.trim_end().to_owned(),
        };
        if let Some(conn) = conn {
            self.send_text(conn, text);
        }
        self.log(refused);
    }

    /// Tells a connection why it is closed.
    pub(super) fn drop_client<G: NetrefGame>(&mut self, conn: ConnId, why: &str) {
        self.send(conn, &Response::<G>::Problem(why.into()));
        self.close(conn);
    }
}

impl<M> IntoIterator for Effects<M> {
    type Item = Effect<M>;
    type IntoIter = std::vec::IntoIter<Effect<M>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
