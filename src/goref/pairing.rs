//! Who is paired without the organiser.

use super::client::ClientId;
use super::hall::{Hall, Moment};
use crate::go::Color;

impl Hall {
    /// Starts the games that can be started: of those who wait, in order of
    /// arrival, two and two. Each client gets one game for each connection, so
    /// that the last two do not play for ever.
    pub(super) fn pair(&mut self, now: Moment) {
        self.begin_planned();
        if self.is_tournament_held() {
            self.pair_tournament(now);
            return;
        }
        while self.auto {
            let free = |&index: &usize| {
                let table = self.tables.get(index);
                table.is_some_and(|table| {
                    !table.is_taken() && table.seats.black.is_none() && table.seats.white.is_none()
                })
            };
            let Some(table) = (0..self.tables.len()).find(free) else {
                return;
            };
            let mut waiting = self.clients.iter().filter(|(_, client)| {
                client.name.is_some() && client.seat.is_none() && !client.paired
            });
            let (Some((&first, _)), Some((&second, _))) = (waiting.next(), waiting.next()) else {
                return;
            };
            for (color, client) in [(Color::Black, first), (Color::White, second)] {
                self.seat(table, color, Some(client));
                self.mark(client);
            }
            if self.start(table, None, true, now).is_err() {
                // Both are there and the table is free.
                return;
            }
        }
    }

    /// Notes that a client has had its game.
    pub(super) fn mark(&mut self, client: ClientId) {
        if let Some(client) = self.clients.get_mut(&client) {
            client.paired = true;
        }
    }
}
