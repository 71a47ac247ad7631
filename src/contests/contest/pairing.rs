//! Which games begin: those of the tournament, and those of clients that wait; and which are
//! forfeited.

use super::Contest;
use super::attendance::{ContestAttendance, free_clients};
use super::clients::NamedClient;
use super::effects::Timestamp;
use super::live_game::LiveGame;
use super::protocol::Protocol;
use crate::base::color::{ByColor, Color};
use crate::tournament;

impl<P: Protocol> Contest<P> {
    /// Starts the games that can start: of the tournament, or with `auto` of the clients that wait,
    /// two by two in order of arrival. Each connection gets one game, so that the last two do not
    /// play each other forever. Then forfeits the games whose players have been absent for too
    /// long.
    pub(super) fn pair(&mut self, now: Timestamp) {
        if self.failure.is_some() {
            return;
        }
        self.start_games(now);
        // A forfeit may end a round, so that the games of the next one start.
        while self.forfeit_games(now) {
            self.start_games(now);
        }
    }

    fn start_games(&mut self, now: Timestamp) {
        if let Some(settings) = self.desk.due_plan(|| self.clients.names_count())
            && let Err(why) = self.begin_tournament(settings, now)
        {
            let what = format!("the tournament does not begin: {why}");
            self.desk.complain(what, &mut self.out);
        }
        if self.desk.running().is_some() {
            self.pair_tournament(now);
        } else if self.auto {
            self.pair_waiting(now);
        }
    }

    fn pair_waiting(&mut self, now: Timestamp) {
        let mut from = 0;
        while let Some(index) = self.tables.first_empty(from) {
            let is_waiting =
                |player: &&NamedClient<P>| self.tables.seat_of(player.client).is_none();
            let mut waiting = self.clients.unpaired().filter(is_waiting);
            let (Some(first), Some(second)) = (waiting.next(), waiting.next()) else {
                return;
            };
            let players = ByColor::new(first.clone(), second.clone());
            drop(waiting);
            for color in Color::ALL {
                let player = players[color].clone();
                self.clients.set_paired(player.client, true);
                self.tables.seat(index, color, Some(player), &mut self.out);
            }
            // Both players are there, and the table is free.
            let _ = self.tables.start(index, None, true, now, &mut self.out);
            from = index;
        }
    }

    fn pair_tournament(&mut self, now: Timestamp) {
        self.desk.pair_rounds(&mut self.out);
        let Some(mut index) = self.tables.first_free(0) else {
            return;
        };
        let mut free = free_clients(&self.clients, &self.tables);
        let running = self.desk.running();
        let is_free = |name: &tournament::Name| free.contains_key(name.as_str());
        let games = running.map_or_else(Vec::new, |running| running.startable(is_free));
        for scheduled in games {
            let players =
                [&scheduled.black, &scheduled.white].map(|name| free.remove(name.as_str()));
            let [Some(black), Some(white)] = players else {
                continue;
            };
            self.tables.vacate_both(index, &mut self.out);
            for (color, player) in [(Color::Black, black), (Color::White, white)] {
                self.tables
                    .seat(index, color, Some(player.clone()), &mut self.out);
            }
            let scheduled = Some(self.desk.numbered(scheduled));
            let started = self
                .tables
                .start(index, scheduled, true, now, &mut self.out);
            if let Err(why) = started {
                self.desk.complain(why.to_string(), &mut self.out);
            }
            match self.tables.first_free(index) {
                Some(next) => index = next,
                None => return,
            }
        }
    }

    /// Forfeits the games whose players have been absent for too long. Those that have begun are void.
    /// Returns whether there is one.
    fn forfeit_games(&mut self, now: Timestamp) -> bool {
        let attendance = ContestAttendance::new(&self.clients, &self.tables);
        let forfeits = self.desk.forfeit(&attendance, now.clock, &mut self.out);
        for forfeit in &forfeits {
            let forfeited = self.desk.numbered(forfeit.scheduled.clone());
            let why = |game: &LiveGame<P>| {
                let is_meant = game.scheduled() == Some(&forfeited);
                is_meant.then(|| forfeit.to_string())
            };
            self.tables.void_all(why, now, &mut self.out);
        }
        !forfeits.is_empty()
    }
}
