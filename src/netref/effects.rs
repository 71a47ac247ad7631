//! What a table wants done: it does nothing itself.

use super::client::{ConnId, Who};
use super::entry::Entry;
use super::game::NetrefGame;
use super::news::News;
use super::record::Summary;
use super::scene::Scene;
use super::wire::Response;

/// What is to be done, in this order.
///
/// Each text is written to its connection in one piece.
#[derive(Debug, Default)]
pub struct Effects {
    /// To be on the disk before anything else is done.
    pub journal: Vec<Entry>,
    /// To be sent to players, and to those who have no role yet.
    pub sends: Vec<(ConnId, String)>,
    /// Connections that observe from now on, with what they are sent first.
    pub observers: Vec<(ConnId, String)>,
    /// Whether anybody watches: without observers nothing is broadcast.
    pub(super) watched: bool,
    /// To be sent to every observer.
    pub broadcast: String,
    /// To be closed when all has been sent.
    pub closes: Vec<ConnId>,
    /// Whether all observers are to be closed when all has been sent.
    pub closes_observers: bool,
    /// A match that began.
    pub began: bool,
    /// A match that is over and to be recorded, and the text of its record.
    pub finished: Option<(Summary, String)>,
    /// What spectators see of it, and its rules.
    pub(super) last: Option<(Scene, Option<String>)>,
    /// For the log.
    pub news: Vec<News>,
}

impl Effects {
    /// Sends a response to a connection.
    pub(super) fn send<G: NetrefGame>(&mut self, to: ConnId, response: &Response<G>) {
        self.send_text(to, response.to_string());
    }

    /// Sends lines to a connection, in one piece with what is sent already.
    pub(super) fn send_text(&mut self, to: ConnId, text: String) {
        match self.sends.iter_mut().find(|(conn, _)| *conn == to) {
            Some((_, sent)) => sent.push_str(&text),
            None => self.sends.push((to, text)),
        }
    }

    /// Answers with a refusal, which is logged.
    pub(super) fn refuse<G: NetrefGame>(&mut self, who: Who, response: &Response<G>) {
        let text = response.to_string();
        let conn = who.conn;
        self.news.push(News::Refused {
            who,
            response: text.trim_end().to_owned(),
        });
        if let Some(conn) = conn {
            self.send_text(conn, text);
        }
    }

    /// Tells a connection why it is closed.
    pub(super) fn dismiss<G: NetrefGame>(&mut self, conn: ConnId, why: &str) {
        self.send(conn, &Response::<G>::Problem(why.into()));
        self.closes.push(conn);
    }
}
