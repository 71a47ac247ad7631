//! What the journal holds of the games that are not over, and how games are restored from
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::breaks::{Breaks, WaitsFor};
use super::finished_game::FinishedGame;
use super::live_game::{LiveGame, NewGame, unix_seconds};
use super::names::{GameId, Name};
use super::protocol::{MoveOf, Protocol, ReasonOf, SetupOf};
use super::rules::Outcome;
use super::rules::{LogEntry, Millis, Settings};
use crate::base::color::{ByColor, Color};
use crate::contests::color_codes::{ByColorCode, ColorCode, winner_code};
use crate::tournament::NumberedGame;

/// An entry of the journal. It is written before any message about it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case", bound = "")]
pub enum Entry<P: Protocol> {
    /// All game numbers below this one are in use.
    Numbered {
        /// The number of the next game.
        next: GameId,
    },
    /// A game begins.
    Opened {
        /// The game.
        game: GameId,
        /// The number of its table.
        table: u16,
        /// The players.
        #[serde(with = "ByColorCode")]
        names: ByColor<Name>,
        /// The addresses that their seats are kept for; `None` for any.
        #[serde(with = "ByColorCode", default)]
        addresses: ByColor<Option<IpAddr>>,
        /// Its settings.
        setup: Box<SetupOf<P>>,
        /// Its place in the tournament.
        #[serde(
            rename = "paired_game",
            default,
            skip_serializing_if = "Option::is_none"
        )]
        scheduled: Option<NumberedGame>,
        /// Whether the server paired the players, and frees their seats after the game.
        paired: bool,
        /// When, in seconds since 1970.
        at: u64,
    },
    /// A move is played.
    Played {
        /// The game.
        game: GameId,
        /// The move.
        #[serde(flatten)]
        entry: LogEntry<MoveOf<P>>,
    },
    /// A game is interrupted. It can be resumed.
    Interrupted {
        /// The game.
        game: GameId,
        /// What it waits for.
        #[serde(rename = "reason")]
        waits_for: WaitsFor,
        /// The time that the player to move has used since the last move.
        idle: Millis,
    },
    /// The breaks of a player in a game so far.
    Breaks {
        /// The game.
        game: GameId,
        /// The player.
        #[serde(with = "ColorCode")]
        side: Color,
        /// The number of breaks.
        number: u32,
        /// The time of all breaks.
        used: Millis,
    },
    /// The seat of a player is kept for another address.
    Seat {
        /// The game.
        game: GameId,
        /// The player.
        #[serde(with = "ColorCode")]
        side: Color,
        /// The address; `None` for any.
        address: Option<IpAddr>,
    },
    /// An interrupted game is resumed.
    Resumed {
        /// The game.
        game: GameId,
        /// The number of its table.
        table: u16,
        /// The players, who may have changed.
        #[serde(with = "ByColorCode")]
        names: ByColor<Name>,
    },
    /// A game is adjourned: it leaves its table, to be resumed another day.
    Adjourned {
        /// The game.
        game: GameId,
    },
    /// An adjourned game returns to a table.
    Recalled {
        /// The game.
        game: GameId,
        /// The number of the table.
        table: u16,
    },
    /// A game is over, and its record is due.
    Ended {
        /// The game.
        game: GameId,
        /// Why.
        reason: ReasonOf<P>,
        /// The winner.
        #[serde(with = "winner_code")]
        winner: Option<Color>,
        /// When, in seconds since 1970.
        at: u64,
        /// See [`FinishedGame::exchange`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exchange: Vec<String>,
    },
    /// A game is void, and its record is due.
    Voided {
        /// The game.
        game: GameId,
        /// When, in seconds since 1970.
        at: u64,
        /// Why.
        #[serde(default)]
        why: String,
        /// See [`FinishedGame::exchange`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exchange: Vec<String>,
    },
    /// The record of a game is written.
    Recorded {
        /// The game.
        game: GameId,
    },
}

impl<P: Protocol> Entry<P> {
    /// Returns about how many moves are as long as this entry.
    pub(in crate::contests) fn weight(&self) -> usize {
        match self {
            Entry::Opened { setup, .. } => 1 + setup.weight(),
            _ => 1,
        }
    }
}

/// An entry that does not fit those before it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("entry {number}: {why}")]
pub struct RestoreError {
    /// The place of the entry, from 1.
    pub number: usize,
    /// The error in it.
    pub why: EntryError,
}

/// Why an entry does not fit those before it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EntryError {
    /// The game has not begun, or its record was written.
    #[error("game {0} has not begun")]
    NotBegun(GameId),
    /// A move is illegal.
    #[error("game {game}: {why}")]
    Illegal {
        /// The game.
        game: GameId,
        /// Why the move is illegal.
        why: String,
    },
}

/// A game restored from the journal.
#[derive(Debug)]
pub struct JournaledGame<P: Protocol> {
    pub game: LiveGame<P>,
    /// The number of its table; `None` if it is adjourned.
    pub table: Option<u16>,
    /// Its record, if it is over or void.
    pub finished: Option<FinishedGame<P::Game>>,
}

/// Reads a journal. Returns the games that are not recorded, interrupted where they were,
/// and the number of the next game.
///
/// # Errors
/// An entry does not fit those before it.
pub fn replay<P: Protocol>(
    entries: Vec<Entry<P>>,
) -> Result<(Vec<JournaledGame<P>>, GameId), RestoreError> {
    let mut replayed = Replay {
        games: BTreeMap::new(),
        next: GameId(1),
    };
    for (number, entry) in (1..).zip(entries) {
        replayed
            .apply(entry)
            .map_err(|why| RestoreError { number, why })?;
    }
    Ok((replayed.games.into_values().collect(), replayed.next))
}

struct Replay<P: Protocol> {
    games: BTreeMap<GameId, JournaledGame<P>>,
    next: GameId,
}

impl<P: Protocol> Replay<P> {
    fn apply(&mut self, entry: Entry<P>) -> Result<(), EntryError> {
        match entry {
            Entry::Numbered { next } => self.next = self.next.max(next),
            Entry::Opened {
                game: id,
                table,
                names,
                addresses,
                setup,
                scheduled,
                paired,
                at,
            } => {
                self.next = self.next.max(id.next());
                let mut game = LiveGame::new(NewGame {
                    id,
                    names,
                    addresses,
                    setup: Arc::new(*setup),
                    began: date(at),
                    scheduled,
                    paired,
                });
                game.set_interrupted(WaitsFor::Players);
                let opened = JournaledGame {
                    game,
                    table: Some(table),
                    finished: None,
                };
                self.games.insert(id, opened);
            }
            Entry::Played { game, entry } => {
                self.find(game)?
                    .game
                    .replay(entry)
                    .map_err(|why| EntryError::Illegal {
                        game,
                        why: why.to_string(),
                    })?
            }
            Entry::Interrupted {
                game,
                waits_for,
                idle,
            } => {
                let found = &mut self.find(game)?.game;
                found.set_idle(idle);
                found.set_interrupted(waits_for);
            }
            Entry::Breaks {
                game,
                side,
                number,
                used,
            } => self
                .find(game)?
                .game
                .set_breaks(side, Breaks { number, used }),
            Entry::Seat {
                game,
                side,
                address,
            } => self.find(game)?.game.set_address(side, address),
            Entry::Resumed { game, table, names } => {
                let found = self.find(game)?;
                found.game.set_names(names);
                found.game.set_interrupted(WaitsFor::Players);
                found.table = Some(table);
            }
            Entry::Adjourned { game } => {
                let found = self.find(game)?;
                found.game.set_interrupted(WaitsFor::Organizer);
                found.table = None;
            }
            Entry::Recalled { game, table } => self.find(game)?.table = Some(table),
            Entry::Ended {
                game,
                reason,
                winner,
                at,
                exchange,
            } => {
                let outcome = Outcome { reason, winner };
                self.find(game)?.finish(Some(outcome), date(at)).exchange = exchange;
            }
            Entry::Voided {
                game,
                at,
                why,
                exchange,
            } => {
                let finished = self.find(game)?.finish(None, date(at));
                (finished.void, finished.exchange) = (why, exchange);
            }
            Entry::Recorded { game } => {
                self.games.remove(&game);
            }
        }
        Ok(())
    }

    fn find(&mut self, game: GameId) -> Result<&mut JournaledGame<P>, EntryError> {
        let found = self.games.get_mut(&game);
        found.ok_or(EntryError::NotBegun(game))
    }
}

impl<P: Protocol> JournaledGame<P> {
    /// Creates the record of the game.
    pub fn finish(
        &mut self,
        outcome: Option<Outcome<ReasonOf<P>>>,
        at: SystemTime,
    ) -> &mut FinishedGame<P::Game> {
        let table = self.table.unwrap_or_default();
        self.finished.insert(self.game.finished(table, outcome, at))
    }
}

/// Returns the games that are not over by the entries of a journal.
pub fn unfinished<P: Protocol>(entries: &[Entry<P>]) -> BTreeSet<GameId> {
    let mut games = BTreeSet::new();
    for entry in entries {
        match entry {
            Entry::Opened { game, .. } => games.insert(*game),
            Entry::Ended { game, .. } | Entry::Voided { game, .. } => games.remove(game),
            _ => continue,
        };
    }
    games
}

impl<P: Protocol> LiveGame<P> {
    /// Returns the entry that opens the game.
    pub fn opened_entry(&self, table: u16) -> Entry<P> {
        Entry::Opened {
            game: self.id(),
            table,
            names: self.names().clone(),
            addresses: ByColor::from_fn(|color| self.address(color)),
            setup: Box::new((**self.timed().setup()).clone()),
            scheduled: self.scheduled().cloned(),
            paired: self.is_paired(),
            at: unix_seconds(self.began()),
        }
    }

    /// Returns the entry of the breaks of a player.
    pub fn breaks_entry(&self, color: Color) -> Entry<P> {
        let Breaks { number, used } = self.breaks(color);
        Entry::Breaks {
            game: self.id(),
            side: color,
            number,
            used,
        }
    }

    /// Returns the entry of the address that the seat of a player is kept for.
    pub fn seat_entry(&self, color: Color) -> Entry<P> {
        Entry::Seat {
            game: self.id(),
            side: color,
            address: self.address(color),
        }
    }

    /// Appends the shortest entries from which this game can be restored.
    pub fn append_entries(&self, table: u16, clock: Duration, entries: &mut Vec<Entry<P>>) {
        let (game, timed) = (self.id(), self.timed());
        entries.push(self.opened_entry(table));
        let moves = timed.log().iter().skip(timed.setup().log().len());
        entries.extend(moves.map(|&entry| Entry::Played { game, entry }));
        entries.push(Entry::Interrupted {
            game,
            waits_for: self.interruption().unwrap_or(WaitsFor::Players),
            idle: timed.idle(clock),
        });
        for color in Color::ALL {
            if self.breaks(color) != Breaks::default() {
                entries.push(self.breaks_entry(color));
            }
        }
    }
}

fn date(seconds: u64) -> SystemTime {
    let since = Duration::from_secs(seconds);
    SystemTime::UNIX_EPOCH
        .checked_add(since)
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
