//! Restoring a match from its journal.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use thiserror::Error;

use super::super::referee::{Match, ReplayError};
use super::super::{LossWaits, RefusedRow};
use super::{Dialect, LiveMatch, Seat, move_entry};
use crate::base::color::ByColor;
use crate::contests::netref::client::Name;
use crate::contests::netref::entry::Entry;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::summary::Player;
use crate::contests::netref::wire::Status;

/// The last millisecond of the year 9999. No later time can be printed.
const LAST_MS: u64 = 253_402_300_799_999;

/// Why a match cannot be restored from its journal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RestoreError {
    /// The first entry does not start a match.
    #[error("its first entry does not start a match")]
    NoStart,
    /// The match is one of another game.
    #[error("it holds a match of {game}, and {expected} is played here")]
    OtherGame {
        /// The game of the journal.
        game: String,
        /// The game of the server.
        expected: &'static str,
    },
    /// The game has no such rules.
    #[error("{rules:?} are not rules of {game}")]
    Rules {
        /// The rules of the journal.
        rules: String,
        /// The game.
        game: String,
    },
    /// The match ID is empty or has characters other than ASCII letters, digits and hyphens.
    #[error("{0:?} is not a valid match ID")]
    Id(String),
    /// The time of the start, in milliseconds since 1970, is after the year 9999.
    #[error("its start, {0} ms after 1970, is not a valid date")]
    Started(u64),
    /// An entry cannot follow those before it.
    #[error("entry {number}: {error}")]
    Entry {
        /// The number of the entry, from 1.
        number: usize,
        /// The error.
        error: ReplayError,
    },
}

impl<G: NetrefGame> LiveMatch<G> {
    /// Restores an interrupted or adjourned match from its entries in the journal.
    ///
    /// # Errors
    /// If the entries are not those of a match of this game.
    pub fn restore(entries: Vec<Entry>) -> Result<LiveMatch<G>, RestoreError> {
        let mut entries = entries.into_iter();
        let Some(Entry::Start {
            game,
            id,
            server,
            started_ms,
            names,
            clients,
            times_ms,
            rules,
            scheduled,
        }) = entries.next()
        else {
            return Err(RestoreError::NoStart);
        };
        if game != G::NAME {
            let expected = G::NAME;
            return Err(RestoreError::OtherGame { game, expected });
        }
        let Some(start) = G::with_rules(rules.as_deref()) else {
            let rules = rules.unwrap_or_default();
            return Err(RestoreError::Rules { rules, game });
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if id.is_empty() || !id.chars().all(is_plain) {
            return Err(RestoreError::Id(id));
        }
        if started_ms > LAST_MS {
            return Err(RestoreError::Started(started_ms));
        }
        let times = times_ms.map(|ms| ByColor::from_fn(|side| Duration::from_millis(ms[side])));
        let mut live = LiveMatch {
            id,
            server,
            times,
            started: from_unix_millis(started_ms),
            referee: Match::new(start, times),
            seats: ByColor::from_fn(|side| Seat {
                conn: None,
                player: Player {
                    name: names[side].as_deref().and_then(Name::new),
                    client: clients[side].as_deref().cloned(),
                },
                dialect: Dialect::Library,
                refused: RefusedRow::default(),
            }),
            begun: false,
            restored: true,
            wait_deadline: None,
            strict: false,
            scheduled,
            wait_limit: None,
            reserved_until: None,
            waits: LossWaits::default(),
            lost: ByColor::default(),
        };
        for (number, entry) in entries.enumerate() {
            let number = number + 2;
            let replayed = live.replay(entry);
            replayed.map_err(|error| RestoreError::Entry { number, error })?;
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
        if !self.begun || self.referee.was_interrupted() {
            entries.push(self.interruption_entry(now));
        }
        entries
    }

    fn replay(&mut self, entry: Entry) -> Result<(), ReplayError> {
        if self.referee.ending().is_some() {
            return Err(ReplayError::Over);
        }
        match entry {
            Entry::Start { .. } => Err(ReplayError::SecondStart),
            Entry::Move {
                mv,
                spent_ms,
                left_ms,
            } => {
                let mv = G::parse_move(&mv).ok_or(ReplayError::NoMove(mv))?;
                let left = left_ms.map(Duration::from_millis);
                self.referee
                    .replay(mv, Duration::from_millis(spent_ms), left)
            }
            Entry::DrawOffer => self.referee.replay_draw_offer(),
            Entry::DrawRefusal => self.referee.replay_draw_refusal(),
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
            } => {
                self.referee.replay_end(winner, reason, exchange);
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
