//! The effects that a table asks for. It performs none itself.

use std::fmt::Write as _;

use derive_more::From;

use super::snapshot::TableSnapshot;
use crate::contests::netref::client::ConnId;
use crate::contests::netref::entry::Entry;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::{LogEvent, Who};
use crate::contests::netref::summary::{Played, Summary};
use crate::contests::netref::wire::Response;

/// At least as many effects as a move has.
pub const USUAL_EFFECTS: usize = 8;

/// At least as many bytes as the lines for a player after a move have.
const USUAL_TEXT: usize = 160;

/// Something that a table wants done.
#[derive(Debug, From)]
pub enum Effect<M> {
    /// Count a match that begins. Other tables may begin one meanwhile.
    Begin,
    /// Append this to the journal of the match. The effects after it may be performed
    /// only when it is on the disk.
    #[from]
    Journal(Entry),
    /// Send this text to a player, or to a client without a role, in one piece.
    Send(ConnId, String),
    /// Start the clock of the player to move. All messages to them come before.
    StartClock,
    /// Tell the observers of the table something.
    #[from]
    Observers(ToObservers),
    /// Log this.
    #[from]
    Log(LogEvent),
    /// Send nothing more to a player, and tell the client so when it has been sent everything. Its
    /// requests, and the loss of its connection, are told to the table as before.
    EndOutput(ConnId),
    /// Record a match that is over.
    Finish(Box<FinishedMatch<M>>),
    /// Close a connection when it has been sent everything.
    Close(ConnId),
}

/// Something for the observers of a table.
#[derive(Clone, Debug)]
pub enum ToObservers {
    /// Let a client observe, and send it this first.
    Admit(ConnId, String),
    /// Send this to a client that wanted to observe, and close it.
    Reject(ConnId, String),
    /// Send this text to every observer, in one piece.
    Broadcast(String),
    /// Close all observers when they have been sent everything.
    Close,
}

/// A match that is over.
#[derive(Debug)]
pub struct FinishedMatch<M> {
    /// The match.
    pub summary: Summary,
    /// The moves in their order.
    pub moves: Vec<Played<M>>,
    /// The text of its record.
    pub record: String,
    /// Its last state for spectators.
    pub snapshot: TableSnapshot,
}

/// A list of effects, to be performed in its order. Texts to one client between two journal entries
/// are joined where the first of them is.
#[derive(Debug)]
pub struct Effects<M> {
    list: Vec<Effect<M>>,
    /// Whether there are observers. Without observers nothing is broadcast.
    has_observers: bool,
}

impl<M> Effects<M> {
    /// Creates an empty list for a table.
    pub(super) fn new(has_observers: bool) -> Effects<M> {
        Effects {
            list: Vec::with_capacity(USUAL_EFFECTS),
            has_observers,
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
    pub(super) fn has_observers(&self) -> bool {
        self.has_observers
    }

    /// Adds an effect. A text to a client joins the text that is queued for it after the last
    /// journal entry, so that both are sent in one piece. It is sent before the effects in between,
    /// which are about others or, like [`Effect::StartClock`], need what was sent.
    pub(super) fn push(&mut self, effect: impl Into<Effect<M>>) {
        match effect.into() {
            Effect::Send(to, text) => match self.queued_text(to) {
                Some(queued) => queued.push_str(&text),
                None => self.list.push(Effect::Send(to, text)),
            },
            effect => self.list.push(effect),
        }
    }

    /// Adds the effects of another list.
    pub(super) fn extend(&mut self, later: Effects<M>) {
        later.into_iter().for_each(|effect| self.push(effect));
    }

    /// Returns the text that is queued for a client after the last journal entry.
    fn queued_text(&mut self, to: ConnId) -> Option<&mut String> {
        let journaled = |effect: &&mut Effect<M>| !matches!(effect, Effect::Journal(_));
        let mut after = self.list.iter_mut().rev().take_while(journaled);
        after.find_map(|effect| match effect {
            Effect::Send(conn, text) if *conn == to => Some(text),
            _ => None,
        })
    }

    /// Sends a response to a client.
    pub(super) fn send<G: NetrefGame>(&mut self, to: ConnId, response: &Response<G>) {
        // Writing to a string cannot fail.
        let _ = match self.queued_text(to) {
            Some(queued) => write!(queued, "{response}"),
            None => {
                let mut text = String::with_capacity(USUAL_TEXT);
                let written = write!(text, "{response}");
                self.list.push(Effect::Send(to, text));
                written
            }
        };
    }

    /// Sends lines to every observer, if there is one.
    pub(super) fn broadcast(&mut self, text: String) {
        if !self.has_observers || text.is_empty() {
            return;
        }
        match self.list.last_mut() {
            Some(Effect::Observers(ToObservers::Broadcast(sent))) => sent.push_str(&text),
            _ => self.push(ToObservers::Broadcast(text)),
        }
    }

    /// Closes all observers, if there are any.
    pub(super) fn close_observers(&mut self) {
        if self.has_observers {
            self.push(ToObservers::Close);
        }
    }

    /// Answers with a refusal, which is logged.
    pub(super) fn refuse<G: NetrefGame>(&mut self, who: Who, response: &Response<G>) {
        let (conn, text) = (who.conn, response.to_string());
        let refused = LogEvent::refused(who, &text);
        if let Some(conn) = conn {
            self.push(Effect::Send(conn, text));
        }
        self.push(refused);
    }

    /// Refuses a client that asks for a seat, and closes its connection.
    pub(in crate::contests::netref) fn turn_away<G: NetrefGame>(
        &mut self,
        conn: ConnId,
        who: Who,
        refusal: &Response<G>,
    ) {
        self.refuse(who, refusal);
        self.push(Effect::Close(conn));
    }
}

impl<M> Default for Effects<M> {
    fn default() -> Effects<M> {
        Effects::new(false)
    }
}

impl<M> IntoIterator for Effects<M> {
    type Item = Effect<M>;
    type IntoIter = std::vec::IntoIter<Effect<M>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
