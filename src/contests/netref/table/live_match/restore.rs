//! Restoring a match from its journal.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use thiserror::Error;

use super::super::Settings;
use super::super::referee::Draw;
use super::{LiveMatch, flag_entry, move_entry};
use crate::base::color::ByColor;
use crate::contests::netref::client::Name;
use crate::contests::netref::entry::{Entry, StartEntry};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::summary::{MatchReason, Player};
use crate::contests::netref::wire::Status;

/// The last millisecond of the year 9999. No later time can be printed.
const LAST_MS: u64 = 253_402_300_799_999;

/// Why a match cannot be restored from its journal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct RestoreError(pub(in crate::contests::netref) String);

impl<G: NetrefGame> LiveMatch<G> {
    /// Restores an interrupted or adjourned match from its entries in the journal.
    ///
    /// # Errors
    /// If the entries are not those of a match of this game.
    pub fn restore(entries: Vec<Entry>) -> Result<LiveMatch<G>, RestoreError> {
        let wrong = |why: String| Err(RestoreError(why));
        let mut entries = entries.into_iter();
        let Some(Entry::Start(start)) = entries.next() else {
            return wrong("its first entry does not start a match".to_owned());
        };
        let StartEntry {
            game,
            id,
            server,
            started_ms,
            names,
            clients,
            times_ms,
            rules,
            scheduled,
        } = *start;
        if game != G::NAME {
            return wrong(format!(
                "it holds a match of {game}, and {} is played here",
                G::NAME
            ));
        }
        let Some(start) = G::with_rules(rules.as_deref()) else {
            let rules = rules.unwrap_or_default();
            return wrong(format!("{rules:?} are not rules of {game}"));
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if id.is_empty() || !id.chars().all(is_plain) {
            return wrong(format!("{id:?} is not a valid match ID"));
        }
        if started_ms > LAST_MS {
            return wrong(format!(
                "its start, {started_ms} ms after 1970, is not a valid date"
            ));
        }
        let times = times_ms.map(|times| times.map(Duration::from_millis));
        let settings = Settings {
            times,
            ..Settings::new(server, start)
        };
        let players = ByColor::from_fn(|side| Player {
            name: names[side].as_deref().and_then(Name::new),
            client: clients[side].as_deref().cloned(),
        });
        let started = from_unix_millis(started_ms);
        let mut live = LiveMatch {
            id,
            ..LiveMatch::new(&settings, players, started, (scheduled, None))
        };
        live.put_aside(Duration::ZERO);
        for (number, entry) in entries.enumerate() {
            if let Err(error) = live.replay(entry) {
                return wrong(format!("entry {}: {error}", number + 2));
            }
        }
        Ok(live)
    }

    /// Returns the shortest list of entries from which the match can be restored.
    pub fn entries(&self, now: Duration) -> Vec<Entry> {
        let mut entries = vec![self.start_entry()];
        entries.extend(self.moves().map(move_entry::<G>));
        if let Some(status) = self.referee.draw_status() {
            entries.push(Entry::DrawOffer);
            if matches!(status, Status::DrawRefused(_)) {
                entries.push(Entry::DrawRefusal);
            }
        }
        if !self.is_running || self.referee.was_interrupted() {
            entries.push(self.interruption_entry(now));
        }
        if let Some(fallen) = &self.fallen {
            entries.push(flag_entry(fallen.loser, fallen.exchange.clone()));
        }
        entries
    }

    fn replay(&mut self, entry: Entry) -> Result<(), String> {
        if let Some(ending) = self.referee.ending() {
            // Only a fallen flag may not count.
            let withdraws = matches!(entry, Entry::Interrupted { .. } | Entry::End { .. });
            if ending.reason != MatchReason::Time || !withdraws {
                return Err("the match is over before it".to_owned());
            }
            self.referee.replay_withdrawal();
        }
        match entry {
            Entry::Start(_) => Err("another match starts".to_owned()),
            Entry::Move {
                mv,
                spent_ms,
                left_ms,
            } => {
                let mv = G::parse_move(&mv).ok_or_else(|| format!("{mv:?} is not a move"))?;
                let left = left_ms.map(Duration::from_millis);
                self.referee
                    .replay(mv, Duration::from_millis(spent_ms), left)
            }
            Entry::DrawOffer => self.referee.replay_draw(Draw::NotOffered),
            Entry::DrawRefusal => self.referee.replay_draw(Draw::Offered),
            Entry::Interrupted { spent_ms, left_ms } => {
                let left = left_ms.map(Duration::from_millis);
                let spent = Duration::from_millis(spent_ms);
                self.referee.replay_interruption(spent, left);
                Ok(())
            }
            // They say where it is, and change nothing in it.
            Entry::Adjourned | Entry::Resumed | Entry::Recorded => Ok(()),
            Entry::End {
                winner,
                reason,
                exchange,
                why,
            } => {
                let more = (exchange, why);
                self.referee
                    .replay_end(winner, reason, more, Duration::ZERO);
                Ok(())
            }
        }
    }
}

/// Returns the time of milliseconds since 1970; 1970 itself if there is no such time.
fn from_unix_millis(ms: u64) -> SystemTime {
    UNIX_EPOCH
        .checked_add(Duration::from_millis(ms))
        .unwrap_or(UNIX_EPOCH)
}
