//! What becomes of the games when the disk fails.

use std::collections::BTreeSet;

use super::entry::{Entry, GameId};
use super::hall::{Hall, Moment};
use super::news::News;
use super::referee::Outcome;
use super::table::Phase;
use super::wire::Reason;
use crate::go::Color;
use crate::tournament::Tournament;

impl Hall {
    /// The journal or a results file cannot be written any more, and these are its
    /// entries and the tournament as it stands on the disk. All games go back to
    /// what stands there, and wait for the organiser.
    pub fn disk_failed(
        &mut self,
        why: &str,
        entries: Vec<Entry>,
        held: Option<Tournament>,
        now: Moment,
    ) {
        self.tell(News::Failed { what: why.into() });
        self.take_back_tournament(held);
        let unfinished = unfinished(&entries);
        let mut heard = BTreeSet::new();
        for index in 0..self.tables.len() {
            self.stop(
                index,
                Reason::Error,
                "it cannot be written to the disk",
                now,
            );
            let Some(table) = self.tables.get_mut(index) else {
                return;
            };
            let is_taken = table.is_taken();
            // The end of a game that stands on no disk has not come.
            let dropped = table.session.take_if(|session| {
                if is_taken {
                    heard.insert(session.id);
                }
                is_taken || unfinished.contains(&session.id)
            });
            if dropped.is_some_and(|session| session.paired && !unfinished.contains(&session.id)) {
                self.unpair(index);
            }
        }
        self.adjourned.clear();
        self.changes.adjourned = true;
        if let Err(error) = self.restore(entries, GameId(1), now) {
            let what = error.to_string();
            self.tell(News::Failed { what });
        }
        for index in 0..self.tables.len() {
            self.wait_for_the_organiser(index, &heard, now);
        }
    }

    /// Results and rounds that stand on no disk have not come.
    fn take_back_tournament(&mut self, held: Option<Tournament>) {
        let Some(tournament) = self.tournament.take() else {
            return;
        };
        // One that was over before another began is not gone on with.
        self.tournament = held.filter(|held| tournament.is_over() || !held.is_over());
        self.changes.tournament = true;
        if self.tournament.is_none() {
            let what = "the tournament stands on no disk: begin it again".into();
            self.tell(News::Failed { what });
        }
    }

    /// Two who were paired have not played yet.
    fn unpair(&mut self, index: usize) {
        let Some(seats) = self.tables.get(index).map(|table| table.seats) else {
            return;
        };
        for client in [seats.black, seats.white].into_iter().flatten() {
            if let Some(client) = self.clients.get_mut(&client) {
                client.paired = false;
            }
        }
        self.free_seats(index);
    }

    /// Pauses a game, and puts its players on their seats. Those who have heard
    /// nothing, since their game was over or adjourned, are told.
    fn wait_for_the_organiser(&mut self, index: usize, heard: &BTreeSet<GameId>, now: Moment) {
        let table = self.tables.get_mut(index);
        let session = table.and_then(|table| table.session.as_mut());
        let Some(session) = session.filter(|session| !matches!(session.phase, Phase::Over(_)))
        else {
            return;
        };
        session.phase = Phase::Stopped(Reason::Pause);
        let (id, names) = (session.id, session.names.clone());
        let broken_off = Outcome {
            reason: Reason::Error,
            winner: None,
        };
        let message = session.play.end_message(broken_off, now.clock);
        for color in Color::ALL {
            let seat = |hall: &Hall| *hall.tables.get(index)?.seats.get(color);
            if seat(self).is_none() {
                self.seat_by_name(index, color, names.get(color));
            }
            if let Some(client) = seat(self)
                && !heard.contains(&id)
            {
                self.send(client, message.clone());
            }
        }
    }
}

/// The games that are not over by these entries.
fn unfinished(entries: &[Entry]) -> BTreeSet<GameId> {
    let mut games = BTreeSet::new();
    for entry in entries {
        match entry {
            Entry::Opened { game, .. } => games.insert(*game),
            Entry::Ended { game, .. } | Entry::Cleared { game, .. } => games.remove(game),
            _ => continue,
        };
    }
    games
}
