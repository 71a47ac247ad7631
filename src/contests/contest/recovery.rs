//! A contest after trouble: how it goes on after a crash, and while the disk cannot be written.

use std::collections::BTreeSet;
use std::time::Duration;

use super::Contest;
use super::breaks::WaitsFor;
use super::effects::Timestamp;
use super::journal::{Entry, RestoreError, replay, unfinished};
use super::live_game::LiveGame;
use super::log::LogEvent;
use super::names::GameId;
use super::protocol::Protocol;
use super::table::Table;
use super::tables::Seat;
use crate::base::color::Color;
use crate::tournament::LastTournament;

/// The time between two attempts to write to a disk that has failed.
pub const DISK_RETRY: Duration = Duration::from_secs(2);

/// A failure of the disk.
#[derive(Debug)]
pub(super) struct DiskFailure {
    pub(super) why: String,
    since: Duration,
    /// The games that go on when the disk can be written again. Others are paused by the organizer.
    waiting: BTreeSet<GameId>,
}

impl<P: Protocol> Contest<P> {
    /// Puts the games of the journal of an earlier run back on their tables, where they wait for their
    /// players. Games that are over are recorded, and those that the tournament does not have to be
    /// played are void. Numbers below `next` are taken by other games.
    ///
    /// # Errors
    /// An entry does not fit those before it.
    pub fn restore(
        &mut self,
        entries: Vec<Entry<P>>,
        next: GameId,
        now: Timestamp,
    ) -> Result<(), RestoreError> {
        self.put_back(entries, next, false, now)?;
        self.void_closed(now);
        self.tables.update_changed(now, &mut self.out);
        Ok(())
    }

    /// Voids the games that have begun and that the tournament does not have to be played.
    fn void_closed(&mut self, now: Timestamp) {
        let desk = &self.desk;
        let why = |game: &LiveGame<P>| desk.why_closed(game.scheduled()?);
        self.tables.void_all(why, now, &mut self.out);
    }

    fn put_back(
        &mut self,
        entries: Vec<Entry<P>>,
        next: GameId,
        is_news: bool,
        now: Timestamp,
    ) -> Result<(), RestoreError> {
        self.tables.reserve_ids(next);
        let (games, next) = replay(entries)?;
        self.tables.reserve_ids(next);
        for game in games {
            if let Some(finished) = self.tables.restore(game, now, &mut self.out) {
                self.record(finished, is_news);
            }
        }
        self.tables.update_changed(now, &mut self.out);
        Ok(())
    }

    /// Returns the shortest journal from which this contest can be restored.
    pub fn snapshot(&self, clock: Duration) -> Vec<Entry<P>> {
        self.tables.snapshot(clock)
    }

    /// Goes back to what is on the disk, because the journal or a results file cannot be
    /// written any more: `entries` of the journal, and the tournament. All games wait until
    /// [`Contest::disk_healed`].
    pub fn disk_failed(
        &mut self,
        why: &str,
        entries: Vec<Entry<P>>,
        tournament: LastTournament,
        now: Timestamp,
    ) {
        let what = format!(
            "{why}: all games wait until the disk can be written again, which is tried every {} \
             seconds",
            DISK_RETRY.as_secs()
        );
        self.out.log_now(LogEvent::Failed { what });
        self.failure.get_or_insert(DiskFailure {
            why: why.into(),
            since: now.clock,
            waiting: BTreeSet::new(),
        });
        self.desk.take_back(tournament, &mut self.out);
        let mut notified = BTreeSet::new();
        let unfinished = unfinished(&entries);
        let lost = self
            .tables
            .roll_back(&unfinished, &mut notified, now, &mut self.out);
        for index in lost {
            self.unpair(index);
        }
        if let Err(error) = self.put_back(entries, GameId(1), true, now) {
            self.out.log_now(LogEvent::Failed {
                what: error.to_string(),
            });
        }
        for index in 0..self.tables.len() {
            self.pause_restored(index, &notified, now);
        }
        self.tables.update_changed(now, &mut self.out);
    }

    /// Continues the games whose players are there: the disk can be written again. The others wait
    /// for their players.
    pub fn disk_healed(&mut self, now: Timestamp) {
        let Some(failure) = self.failure.take() else {
            return;
        };
        let time = now.clock.saturating_sub(failure.since);
        self.out.log_now(LogEvent::Healed {
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        });
        // A decision may be on the disk, and not that its game is void.
        self.void_closed(now);
        for index in 0..self.tables.len() {
            let table = self.tables.touch_mut(index);
            if table.is_some_and(|table| table.end_pause(&failure.waiting)) {
                self.tables.update_wait(index, now, &mut self.out);
                // If only one player is there, the game waits.
                let _ = self.tables.resume(index, now, &mut self.out);
            }
        }
        self.tables.update_changed(now, &mut self.out);
        self.pair(now);
        self.tables.update_changed(now, &mut self.out);
    }

    /// Frees the seats of two players who were paired and have not played yet.
    fn unpair(&mut self, index: usize) {
        let Some(table) = self.tables.get(index) else {
            return;
        };
        for color in Color::ALL {
            if let Some(player) = table.player(color) {
                self.clients.set_paired(player.client, false);
            }
        }
        self.tables.vacate_both(index, &mut self.out);
    }

    /// Pauses a game that was restored after a disk failure, and gives its players their
    /// seats. Tells the players of games that are not in `notified`: those were over or
    /// adjourned, and nothing was sent when the others were interrupted.
    fn pause_restored(&mut self, index: usize, notified: &BTreeSet<GameId>, now: Timestamp) {
        let interrupted = self.tables.get(index).and_then(Table::interrupted);
        if let (Some((game, WaitsFor::Players)), Some(failure)) = (interrupted, &mut self.failure) {
            failure.waiting.insert(game.id());
        }
        let table = self.tables.touch_mut(index);
        let Some((game, names)) = table.and_then(Table::pause_restored) else {
            return;
        };
        for color in Color::ALL {
            let table = self.tables.get(index);
            if table.is_some_and(|table| table.player(color).is_none())
                && let Some((client, seat)) = self.returned(&names[color])
                && seat
                    == (Seat {
                        table: index,
                        color,
                    })
            {
                let player = self.clients.get_named(client).cloned();
                self.tables.seat(index, color, player, &mut self.out);
            }
            // The organizer has not paused the game.
            if !notified.contains(&game)
                && let Some(table) = self.tables.get(index)
            {
                table.say_interrupted(color, WaitsFor::Players, now, &mut self.out);
            }
        }
    }
}
