//! A referee after trouble: how it goes on after a crash or a stall, and while the disk cannot be
//! written.

use std::collections::HashSet;
use std::time::Duration;

use super::Referee;
use super::effects::MatchToRecord;
use crate::base::server_clock::MAX_STALLED;
use crate::contests::contest::{DISK_RETRY, Timestamp};
use crate::contests::netref::entry::{Entry, MatchEntry, millis};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::journal::{JournaledMatch, replay};
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::table::{LiveMatch, Table};
use crate::tournament::LastTournament;

/// The text for everybody at a table whose match is adjourned because the server was stalled.
const STALLED: &str = "The referee was stalled for too long: come back when the match is resumed";

impl<G: NetrefGame> Referee<G> {
    /// Puts the matches of a journal back on their tables, where they wait for their players, or
    /// among the adjourned ones. Matches that are over are recorded, and so are those that a player
    /// cannot resume, without a result. At the start so are those that the tournament does not have to
    /// be played.
    pub fn restore(&mut self, matches: Vec<JournaledMatch<G>>, is_start: bool, now: Timestamp) {
        for JournaledMatch {
            mut live,
            is_adjourned,
        } in matches
        {
            let number = live.server();
            let desk = self.desk.as_ref().filter(|_| is_start);
            if live.finished().is_none()
                && let Some(why) = desk
                    .zip(live.scheduled())
                    .and_then(|(desk, game)| desk.why_closed(game))
                && let Some((end, _)) = live.void_adjourned(why)
            {
                self.journal(live.id(), end);
            }
            let over = match live.finished() {
                Some(finished) => Some(finished),
                None if is_adjourned || live.can_resume() => None,
                None => live.give_up(),
            };
            if let Some(finished) = over {
                self.out
                    .log(number, LogEvent::ended::<G>(&finished.summary));
                self.record(None, MatchToRecord::new::<G>(&finished), !is_start);
            } else if is_adjourned {
                if is_start {
                    self.earlier.insert(live.id().to_owned());
                }
                self.put_aside(Box::new(live), is_start);
            } else {
                self.resume_interrupted(live, is_start, now);
            }
        }
        self.settle(now);
    }

    /// Puts an interrupted match back on its table.
    fn resume_interrupted(&mut self, mut live: LiveMatch<G>, is_start: bool, now: Timestamp) {
        let number = live.server();
        let Some(index) = self.index(number) else {
            return;
        };
        // A free match does not keep its players from a tournament for longer than its own games do.
        if self.is_tournament_held() || live.scheduled().is_some() {
            live.limit_wait(self.forfeit_after());
        }
        self.out.log(number, LogEvent::Restored(live.so_far()));
        if is_start {
            self.count_start();
        }
        self.change(index, |table| table.resume_match(Box::new(live), now.clock));
    }

    /// Returns the time after which absent teams forfeit.
    pub(super) fn forfeit_after(&self) -> Option<Duration> {
        self.desk()?.forfeit_after()
    }

    /// Adds an adjourned match, which is news or not.
    pub(super) fn put_aside(&mut self, live: Box<LiveMatch<G>>, is_news: bool) {
        if is_news {
            let adjourned = LogEvent::Adjourned(live.so_far());
            self.out.log(live.server(), adjourned);
        }
        self.adjourned.push(live);
        self.adjourned
            .sort_by(|one, other| one.id().cmp(other.id()));
        self.note_adjourned();
    }

    /// Notes that the adjourned matches have changed.
    pub(super) fn note_adjourned(&mut self) {
        self.out.changes.adjourned = true;
        (self.must_step, self.must_seat) = (true, true);
    }

    /// Returns the shortest journal from which this referee can be restored.
    pub fn snapshot(&self, now: Duration) -> Vec<MatchEntry> {
        let at_tables = self.places.iter().map(|place| &place.table);
        let at_tables = at_tables.filter_map(|table| Some((table.live_match()?, None)));
        let adjourned = self.adjourned().map(|live| (live, Some(Entry::Adjourned)));
        let entries = at_tables.chain(adjourned).flat_map(|(live, last)| {
            let entries = live.entries(now).into_iter().chain(last);
            entries.map(|entry| MatchEntry {
                id: live.id().to_owned(),
                entry,
            })
        });
        entries.collect()
    }

    /// Notes that the server was stalled, which its clock left out. A match during which it was
    /// stalled for too long is adjourned, if it can be resumed.
    pub fn note_stall(&mut self, stall: Duration, now: Timestamp) {
        let stall_ms = millis(stall);
        self.out.log_for_all(LogEvent::Stalled { stall_ms });
        for index in 0..self.places.len() {
            let Some(place) = self.places.get_mut(index) else {
                continue;
            };
            let Some(live) = place.table.live_match() else {
                continue;
            };
            let (number, id) = (live.server(), live.id().to_owned());
            place.stalled = place.stalled.saturating_add(stall);
            if place.stalled <= MAX_STALLED {
                continue;
            }
            place.stalled = Duration::ZERO;
            if self.end_first(index, now).is_err() {
                continue;
            }
            if let Err(why) = self.adjourn(index, STALLED, now) {
                let what = format!("match {id} goes on although the referee was stalled: {why}");
                self.out.log(number, LogEvent::Failed { what });
            }
        }
        self.settle(now);
    }

    /// Goes back to what is on the disk, because it cannot be written: these `entries` of the journal,
    /// and the tournament.
    /// Everybody at a table with a match is told why, and disconnected. The matches wait for their
    /// players, or are over without a result; no other ones begin until
    /// [`Referee::disk_healed`].
    pub fn disk_failed(
        &mut self,
        why: &str,
        entries: Vec<MatchEntry>,
        on_disk: LastTournament,
        now: Timestamp,
    ) {
        let what = format!(
            "{why}: all matches wait until the disk can be written again, which is tried every {} \
             seconds",
            DISK_RETRY.as_secs()
        );
        self.out.log_for_all(LogEvent::Failed { what });
        self.is_disk_failing = true;
        if let Some(desk) = &mut self.desk {
            desk.take_back(on_disk, &mut self.out);
        }
        self.must_step = true;
        let known: HashSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
        self.forget_unknown(&known);
        let mut at_tables = HashSet::new();
        for index in 0..self.places.len() {
            let live = self.table(index).and_then(Table::live_match);
            let live = live.map(|live| live.id().to_owned());
            let told = match &live {
                Some(_) => interruption(why),
                // One who waits may not have been told so.
                None => format!("The journal cannot be written: {why}; ask again later"),
            };
            self.change(index, |table| table.interrupt(&told));
            match live {
                Some(id) if known.contains(&id) => _ = at_tables.insert(id),
                // No client has been notified of this match: it did not begin.
                Some(_) => self.uncount_start(),
                None => {}
            }
        }
        let aside = std::mem::take(&mut self.adjourned);
        let aside: HashSet<&str> = aside.iter().map(|live| live.id()).collect();
        match replay::<G>(entries) {
            Ok(matches) => {
                // What is not on the disk has not happened: neither that a match was adjourned or
                // resumed, nor that it has ended.
                for found in matches.iter().filter(|found| found.goes_on()) {
                    let id = found.live.id();
                    let ended = self.unrecorded.remove(id).map(|ended| ended.is_counted);
                    match found.is_adjourned {
                        true if at_tables.contains(id) || ended == Some(false) => {
                            self.uncount_start();
                        }
                        false if aside.contains(id) || ended == Some(true) => self.count_start(),
                        _ => {}
                    }
                }
                self.restore(matches, false, now);
            }
            Err(error) => {
                let what = error.to_string();
                self.out.log_for_all(LogEvent::Failed { what });
            }
        }
        self.note_adjourned();
        self.settle(now);
    }

    /// Forgets the matches that have begun and ended, and of which nothing is in the journal.
    fn forget_unknown(&mut self, known: &HashSet<String>) {
        let ids = self.unrecorded.keys().filter(|id| !known.contains(*id));
        for id in ids.cloned().collect::<Vec<_>>() {
            self.unrecorded.remove(&id);
            self.uncount_start();
        }
    }

    /// Goes on: the disk can be written again.
    pub fn disk_healed(&mut self, now: Timestamp) {
        self.is_disk_failing = false;
        for place in &mut self.places {
            place.table.wait_anew(now.clock);
        }
        self.changed.extend(0..self.places.len());
        let what = "the disk can be written again: matches begin and go on".to_owned();
        self.out.log_for_all(LogEvent::Failed { what });
        // A decision may be on the disk, and not that its match is void.
        self.void_closed(now);
        self.admit_waiting(now);
        (self.must_step, self.must_seat) = (true, true);
        self.settle(now);
    }
}

/// Returns what a player is told whose match is interrupted because the disk fails.
pub fn interruption(why: &str) -> String {
    format!("the match is interrupted, its journal cannot be written: {why}")
}
