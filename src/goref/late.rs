//! The answers to moves that ended a game.
//!
//! A client that follows the document thinks about every MOVE, and hears only then
//! that it was the last one (END). What it sends must not be taken for a move of its
//! next game, and is no fault.

use std::time::Duration;

use super::client::ClientId;
use super::effects::Finished;
use super::hall::{Hall, Moment};
use super::wire::Reason;
use crate::go::ByColor;

/// How long an answer is waited for before its client's next game of a tournament
/// begins.
const REST: Duration = Duration::from_secs(2);

impl Hall {
    /// Waits for the answer of whoever was told of the last move, or was thinking
    /// when his flag fell.
    pub(super) fn await_late_answer(
        &mut self,
        finished: &Finished,
        seats: ByColor<Option<ClientId>>,
        now: Moment,
    ) {
        let turn = finished.play.turn();
        let resigned = finished
            .outcome
            .is_some_and(|outcome| outcome.reason == Reason::Resign);
        let thinks = if resigned { turn.opponent() } else { turn };
        if let Some(client) = seats[thinks] {
            self.resting.insert(client, now.clock.saturating_add(REST));
        }
    }

    /// A move of a client that plays no game: an answer that was waited for, or a
    /// fault.
    pub(super) fn move_without_game(&mut self, client: ClientId, now: Moment) {
        if self.resting.remove(&client).is_some() {
            self.pair(now);
        } else {
            self.refuse(client, "a MOVE without a game".into());
        }
    }

    /// Waits no longer for those whose time is over.
    pub(super) fn end_rests(&mut self, now: Moment) {
        self.resting.retain(|_, until| *until > now.clock);
    }
}
