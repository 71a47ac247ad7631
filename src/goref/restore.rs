//! How the hall is found again after the server has stopped, and what of it is
//! kept for that.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::breaks::Breaks;
use super::effects::{Effect, Finished};
use super::entry::{Entry, GameId};
use super::hall::{Hall, Moment};
use super::news::News;
use super::play::{finished, seconds};
use super::referee::{Match, Outcome};
use super::table::{Phase, Session};
use super::wire::Reason;
use crate::go::{ByColor, Color};

/// A journal that does not say what the hall writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {number}: {why}")]
pub struct RestoreError {
    /// The place of the entry, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub why: String,
}

/// A game as a journal tells it.
struct Kept {
    session: Session,
    /// Its table; `None` if it is adjourned.
    table: Option<u16>,
    /// What is to be recorded, if it is over.
    finished: Option<Finished>,
}

impl Hall {
    /// Puts the games of a journal back on their tables, where they wait for
    /// their players. Those that are over are recorded. Numbers below `next` are
    /// taken by others.
    ///
    /// # Errors
    /// An entry does not fit those before it.
    pub fn restore(
        &mut self,
        entries: Vec<Entry>,
        next: GameId,
        now: Moment,
    ) -> Result<(), RestoreError> {
        self.next = self.next.max(next);
        let mut games = BTreeMap::new();
        for (number, entry) in (1..).zip(entries) {
            self.read(&mut games, entry)
                .map_err(|why| RestoreError { number, why })?;
        }
        for kept in games.into_values() {
            self.put_back(kept, now);
        }
        Ok(())
    }

    fn read(&mut self, games: &mut BTreeMap<GameId, Kept>, entry: Entry) -> Result<(), String> {
        match entry {
            Entry::Numbered { next } => self.next = self.next.max(next),
            Entry::Opened {
                game,
                table,
                names,
                terms,
                fixture,
                paired,
                at,
            } => {
                self.next = self.next.max(GameId(game.0.saturating_add(1)));
                let session = Session {
                    id: game,
                    names: names.into(),
                    play: Match::new(Arc::new(*terms)),
                    phase: Phase::Stopped(Reason::Error),
                    began: date(at),
                    fixture,
                    paired,
                    breaks: ByColor::default(),
                    awaited: None,
                };
                let opened = Kept {
                    session,
                    table: Some(table),
                    finished: None,
                };
                games.insert(game, opened);
            }
            Entry::Played { game, entry } => {
                let kept = find(games, game)?;
                let replayed = kept.session.play.replay(entry);
                replayed.map_err(|why| format!("game {game}: {why}"))?;
            }
            Entry::Stopped { game, reason, idle } => {
                let session = &mut find(games, game)?.session;
                session.play.set_idle(idle);
                session.phase = Phase::Stopped(reason);
            }
            Entry::Breaks {
                game,
                side,
                number,
                used,
            } => {
                let breaks = &mut find(games, game)?.session.breaks;
                if let Some(color) = side.color() {
                    let breaks = breaks.get_mut(color);
                    breaks.number = number;
                    breaks.used = used;
                }
            }
            Entry::Resumed { game, table, names } => {
                let kept = find(games, game)?;
                kept.session.names = names.into();
                kept.session.phase = Phase::Stopped(Reason::Error);
                kept.table = Some(table);
            }
            Entry::Adjourned { game } => {
                let kept = find(games, game)?;
                kept.session.phase = Phase::Stopped(Reason::Pause);
                kept.table = None;
            }
            Entry::Recalled { game, table } => find(games, game)?.table = Some(table),
            Entry::Ended {
                game,
                reason,
                winner,
                at,
            } => {
                let winner = winner.color();
                let outcome = Outcome { reason, winner };
                let kept = find(games, game)?;
                kept.finish(Some(outcome), date(at));
            }
            Entry::Cleared { game, at } => find(games, game)?.finish(None, date(at)),
            Entry::Recorded { game } => {
                games.remove(&game);
            }
        }
        Ok(())
    }

    fn put_back(&mut self, mut kept: Kept, now: Moment) {
        if let Some(outcome) = kept.session.play.outcome()
            && kept.finished.is_none()
        {
            // The power failed between the last move and what it meant.
            let game = kept.session.id;
            self.journal(Entry::Ended {
                game,
                reason: outcome.reason,
                winner: outcome.winner.into(),
                at: seconds(now.date),
            });
            kept.finish(Some(outcome), now.date);
        }
        if let Some(finished) = kept.finished {
            // The results file may have it already.
            self.take_result(&finished);
            self.effects.push(Effect::Record(Box::new(finished)));
            return;
        }
        let Kept {
            mut session, table, ..
        } = kept;
        let free = |number: &u16| {
            let table = self.tables.iter().position(|table| table.number == *number);
            table.filter(|&index| self.phase(index).is_none())
        };
        let Some(index) = table.as_ref().and_then(free) else {
            self.tell(News::Adjourned { game: session.id });
            session.phase = Phase::Stopped(Reason::Pause);
            self.adjourned.push(session);
            self.changes.adjourned = true;
            return;
        };
        self.tell(News::Waiting {
            table: table.unwrap_or_default(),
            game: session.id,
            moves: session.play.log().len(),
            black: session.names.black.to_string(),
            white: session.names.white.to_string(),
        });
        if let Some(table) = self.tables.get_mut(index) {
            table.session = Some(session);
        }
    }

    /// The shortest journal from which this hall can be restored.
    pub fn snapshot(&self, clock: Duration) -> Vec<Entry> {
        let mut entries = vec![Entry::Numbered { next: self.next }];
        for table in &self.tables {
            let session = table.session.as_ref();
            let session = session.filter(|session| !matches!(session.phase, Phase::Over(_)));
            if let Some(session) = session {
                keep(session, table.number, clock, &mut entries);
            }
        }
        for session in &self.adjourned {
            keep(session, 0, clock, &mut entries);
            entries.push(Entry::Adjourned { game: session.id });
        }
        entries
    }
}

impl Kept {
    fn finish(&mut self, outcome: Option<Outcome>, at: SystemTime) {
        let table = self.table.unwrap_or_default();
        self.finished = Some(finished(&self.session, table, outcome, at));
    }
}

fn find(games: &mut BTreeMap<GameId, Kept>, game: GameId) -> Result<&mut Kept, String> {
    let found = games.get_mut(&game);
    found.ok_or_else(|| format!("game {game} has not begun"))
}

/// The entries of a game.
fn keep(session: &Session, table: u16, clock: Duration, entries: &mut Vec<Entry>) {
    let (game, play) = (session.id, &session.play);
    let terms = play.terms();
    entries.push(Entry::Opened {
        game,
        table,
        names: session.names.clone().into(),
        terms: Box::new((**terms).clone()),
        fixture: session.fixture.clone(),
        paired: session.paired,
        at: seconds(session.began),
    });
    let moves = play.log().iter().skip(terms.log().len());
    entries.extend(moves.map(|&entry| Entry::Played { game, entry }));
    entries.push(Entry::Stopped {
        game,
        reason: match session.phase {
            Phase::Stopped(reason) => reason,
            _ => Reason::Error,
        },
        idle: play.idle(clock),
    });
    for color in Color::ALL {
        if session.breaks[color] != Breaks::default() {
            entries.push(session.breaks_entry(color));
        }
    }
}

fn date(seconds: u64) -> SystemTime {
    let since = Duration::from_secs(seconds);
    SystemTime::UNIX_EPOCH
        .checked_add(since)
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
