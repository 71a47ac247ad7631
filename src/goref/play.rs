//! How the games at the tables are played (the document, "Scenarios").

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::client::{ClientId, Seat};
use super::effects::{Effect, Finished};
use super::entry::{Entry, GameId};
use super::hall::{Hall, Moment};
use super::name::Name;
use super::news::News;
use super::referee::{Match, Outcome};
use super::table::{Phase, Session, Table};
use super::wire::{Both, LogEntry, Reason, ServerMessage, Side};
use crate::go::{ByColor, Color, Move};
use crate::names::isolated;
use crate::tournament::Fixture;
use crate::web::is_logged;

impl Hall {
    /// Starts a new game at a table.
    ///
    /// # Errors
    /// A game is on already, or a seat is empty.
    pub(super) fn start(
        &mut self,
        index: usize,
        fixture: Option<Fixture>,
        paired: bool,
        now: Moment,
    ) -> Result<(), String> {
        let names = self.may_start(index)?;
        let table = self.tables.get(index).ok_or("there is no such table")?;
        let (number, terms) = (table.number, Arc::clone(&table.terms));
        let id = self.next;
        self.next = GameId(id.0.saturating_add(1));
        let play = Match::new(Arc::clone(&terms));
        self.journal(Entry::Opened {
            game: id,
            table: number,
            names: names.clone().into(),
            terms: Box::new((*terms).clone()),
            fixture: fixture.clone(),
            paired,
            at: seconds(now.date),
        });
        self.tell(News::Started {
            table: number,
            game: id,
            black: names.black.to_string(),
            white: names.white.to_string(),
        });
        let session = Session {
            id,
            names,
            play,
            phase: Phase::Playing,
            began: now.date,
            fixture,
            paired,
            breaks: ByColor::default(),
            awaited: None,
        };
        if let Some(table) = self.tables.get_mut(index) {
            table.session = Some(session);
        }
        self.announce_start(index, now);
        Ok(())
    }

    /// The names of those who play if a game is started at a table.
    ///
    /// # Errors
    /// A game is on already, or a seat is empty.
    pub(super) fn may_start(&self, index: usize) -> Result<ByColor<Name>, String> {
        let table = self.tables.get(index).ok_or("there is no such table")?;
        if self.phase(index) == Some(Phase::Playing) {
            return Err("a game is played there already".into());
        }
        if table.is_taken() {
            return Err("a game waits there: resume, adjourn or clear it first".into());
        }
        self.seated(table)
    }

    /// The names of those who sit at a table, if two do.
    fn seated(&self, table: &Table) -> Result<ByColor<Name>, String> {
        let players = table.players().ok_or("two players are needed")?;
        let names = self.names(players);
        names.ok_or_else(|| "a player has no name".into())
    }

    /// Goes on with a game that was broken off, with those who sit there now.
    ///
    /// # Errors
    /// There is none, or a seat is empty.
    pub(super) fn resume(&mut self, index: usize, now: Moment) -> Result<(), String> {
        let names = self.may_resume(index)?;
        let table = self.tables.get_mut(index).ok_or("there is no such table")?;
        let number = table.number;
        let session = table.session.as_mut().ok_or("no game waits there")?;
        session.phase = Phase::Playing;
        session.names = names.clone();
        let (game, moves) = (session.id, session.play.log().len());
        self.journal(Entry::Resumed {
            game,
            table: number,
            names: names.into(),
        });
        self.tell(News::Resumed {
            table: number,
            game,
            moves,
        });
        self.announce_start(index, now);
        Ok(())
    }

    /// The names of those who play if the game that waits at a table goes on.
    ///
    /// # Errors
    /// There is none, a seat is empty, or somebody else sits at a game of the
    /// tournament.
    pub(super) fn may_resume(&self, index: usize) -> Result<ByColor<Name>, String> {
        let table = self.tables.get(index).ok_or("there is no such table")?;
        let (session, _) = table.stopped().ok_or("no game waits there")?;
        let names = self.seated(table)?;
        // Its result is that of the players who were paired.
        if let Some(Fixture { black, white, .. }) = &session.fixture
            && (names.black.as_ref(), names.white.as_ref()) != (black.as_str(), white.as_str())
        {
            return Err(format!(
                "this is a game of the tournament, of {} with Black and {} with White",
                isolated(black.as_str()),
                isolated(white.as_str())
            ));
        }
        Ok(names)
    }

    /// Sends START to those who are there, first to Black.
    pub(super) fn announce_start(&mut self, index: usize, now: Moment) {
        self.changes.tables.insert(index);
        self.show_tournament();
        let Some(table) = self.tables.get(index) else {
            return;
        };
        let Some(session) = table.session.as_ref() else {
            return;
        };
        let (id, moves) = (session.id, session.play.log().len());
        let messages = Color::ALL.map(|color| {
            let client = (table.seats[color])?;
            let protocol = self.clients.get(&client).map(|client| client.protocol);
            let protocol = protocol.unwrap_or_default();
            let start = session.play.start_message(color, protocol, now.clock);
            Some((client, start))
        });
        for (client, message) in messages.into_iter().flatten() {
            self.resting.remove(&client);
            self.send(client, message);
        }
        self.effects.push(Effect::Sent(id, moves));
    }

    /// Starts the clock of the player to move: he has been told. So the time that
    /// the disk takes is nobody's.
    pub fn sent(&mut self, game: GameId, moves: usize, clock: Duration) {
        let sessions = self.tables.iter_mut().filter_map(|table| table.playing());
        for session in sessions {
            if session.id == game && session.play.log().len() == moves {
                session.play.start(clock);
            }
        }
    }

    /// A client sends a move.
    pub(super) fn play(&mut self, client: ClientId, played: Move, now: Moment) {
        let Some(Seat {
            table: index,
            color,
        }) = self.clients.get(&client).and_then(|client| client.seat)
        else {
            return self.move_without_game(client, now);
        };
        // What came when the flag had fallen comes too late.
        self.flag(index, now);
        let Some(table) = self.tables.get_mut(index) else {
            return;
        };
        let (number, opponent) = (table.number, table.seats[color.opponent()]);
        let Some(session) = table.playing() else {
            return self.move_without_game(client, now);
        };
        if session.play.turn() != color {
            return self.refuse(client, "a MOVE out of turn".into());
        }
        let game = session.id;
        match session.play.play(played, now.clock) {
            Err(why) => {
                let remaining_time = session.play.left(now.clock).into();
                if is_logged(self.count_invalid(client)) {
                    self.tell(News::Invalid {
                        table: number,
                        side: color.into(),
                        played: self.written(index, played),
                        why: why.to_string(),
                    });
                }
                self.send(
                    client,
                    ServerMessage::Invalid {
                        message: why.to_string(),
                        remaining_time,
                    },
                );
            }
            Ok(entry) => {
                let remaining_time = session.play.left(now.clock).into();
                let (moves, outcome) = (session.play.log().len(), session.play.outcome());
                let is_too_long = session.play.is_too_long();
                self.changes.tables.insert(index);
                if let Some(mover) = self.clients.get_mut(&client) {
                    mover.invalid = 0;
                }
                self.journal(Entry::Played { game, entry });
                self.tell_move(index, color, entry, moves);
                self.send(client, ServerMessage::Valid { remaining_time });
                if let Some(opponent) = opponent {
                    self.send(
                        opponent,
                        ServerMessage::Move {
                            played,
                            remaining_time,
                        },
                    );
                }
                match outcome {
                    Some(outcome) => self.end(index, outcome, now),
                    None if is_too_long => {
                        self.stop(index, Reason::Error, "it has too many moves", now);
                    }
                    None => self.effects.push(Effect::Sent(game, moves)),
                }
            }
        }
    }

    /// Counts the moves of a client that are refused one after the other.
    fn count_invalid(&mut self, client: ClientId) -> u32 {
        self.clients.get_mut(&client).map_or(0, |client| {
            client.invalid = client.invalid.saturating_add(1);
            client.invalid
        })
    }

    fn tell_move(&mut self, index: usize, color: Color, entry: LogEntry, number: usize) {
        let Some(table) = self.tables.get(index) else {
            return;
        };
        let news = News::Moved {
            table: table.number,
            number,
            side: color.into(),
            played: self.written(index, entry.played),
            delta_ms: entry.delta_time,
        };
        self.tell(news);
    }

    /// A move as people write it.
    fn written(&self, index: usize, played: Move) -> String {
        let session = self
            .tables
            .get(index)
            .and_then(|table| table.session.as_ref());
        let size = session.map(|session| session.play.game().board().size());
        match played {
            Move::Pass => "passes".into(),
            Move::Resign => "resigns".into(),
            Move::Place(point) => size
                .and_then(|size| point.vertex(size))
                .unwrap_or_else(|| point.to_string()),
        }
    }

    /// When the next flag falls, a client has rested, or a player has been waited for
    /// long enough.
    pub fn next_flag(&self) -> Option<Duration> {
        let sessions = self
            .tables
            .iter()
            .filter_map(|table| table.session.as_ref());
        sessions
            .filter_map(|session| match session.phase {
                Phase::Playing => session.play.falls_at(),
                _ => self.wait_ends_at(session),
            })
            .chain(self.resting.values().copied())
            .min()
    }

    /// Ends the games whose flags have fallen, and goes on with those whose player has
    /// been waited for long enough.
    pub fn flags(&mut self, now: Moment) {
        for index in 0..self.tables.len() {
            self.flag(index, now);
            self.count_wait(index, now);
        }
        self.end_rests(now);
        self.pair(now);
    }

    /// Ends a game if its flag has fallen.
    pub(super) fn flag(&mut self, index: usize, now: Moment) {
        let session = self.tables.get_mut(index).and_then(|table| table.playing());
        let fallen = session.and_then(|session| session.play.flag(now.clock));
        if let Some(outcome) = fallen {
            self.end(index, outcome, now);
        }
    }

    /// A game is over: both players hear so, and it is recorded.
    fn end(&mut self, index: usize, outcome: Outcome, now: Moment) {
        self.changes.tables.insert(index);
        let Some(table) = self.tables.get_mut(index) else {
            return;
        };
        let (number, seats) = (table.number, table.seats);
        let Some(session) = table.session.as_mut() else {
            return;
        };
        session.phase = Phase::Over(outcome);
        let message = session.play.end_message(outcome, now.clock);
        let finished = finished(session, number, Some(outcome), now.date);
        let (game, paired, score) = (session.id, session.paired, session.play.score());
        self.journal(Entry::Ended {
            game,
            reason: outcome.reason,
            winner: outcome.winner.into(),
            at: seconds(now.date),
        });
        for client in [seats.black, seats.white].into_iter().flatten() {
            self.send(client, message.clone());
        }
        self.tell(News::Ended {
            table: number,
            game,
            reason: outcome.reason,
            winner: Side::from(outcome.winner),
            scores: Both {
                black: score.black.to_string(),
                white: score.white.to_string(),
            },
        });
        self.await_late_answer(&finished, seats, now);
        self.take_result(&finished);
        self.effects.push(Effect::Record(Box::new(finished)));
        if paired {
            self.free_seats(index);
            self.pair(now);
        }
    }

    /// Breaks off the game at a table, if one is played; it may go on.
    pub(super) fn stop(&mut self, index: usize, reason: Reason, why: &str, now: Moment) {
        self.changes.tables.insert(index);
        let Some(table) = self.tables.get_mut(index) else {
            return;
        };
        let (number, seats) = (table.number, table.seats);
        let Some(session) = table.playing() else {
            return;
        };
        session.play.stop(now.clock);
        session.phase = Phase::Stopped(reason);
        let game = session.id;
        let idle = session.play.idle(now.clock);
        let outcome = Outcome {
            reason,
            winner: None,
        };
        let message = session.play.end_message(outcome, now.clock);
        self.journal(Entry::Stopped { game, reason, idle });
        self.show_tournament();
        for client in [seats.black, seats.white].into_iter().flatten() {
            self.send(client, message.clone());
        }
        self.tell(News::Stopped {
            table: number,
            game,
            why: why.to_owned(),
        });
    }
}

/// What is recorded of a game.
pub(super) fn finished(
    session: &Session,
    table: u16,
    outcome: Option<Outcome>,
    ended: SystemTime,
) -> Finished {
    Finished {
        game: session.id,
        table,
        names: session.names.clone(),
        play: session.play.clone(),
        outcome,
        fixture: session.fixture.clone(),
        began: session.began,
        ended,
    }
}

/// Seconds since 1970.
pub(super) fn seconds(date: SystemTime) -> u64 {
    let since = date.duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
