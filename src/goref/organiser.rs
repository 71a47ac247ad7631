//! What the organiser may do.

use std::mem;

use super::client::ClientId;
use super::effects::Effect;
use super::entry::{Entry, GameId};
use super::hall::{Hall, Moment};
use super::name::Name;
use super::news::News;
use super::play::{finished, seconds};
use super::table::{Phase, Session, Table};
use super::wire::{Reason, Side};
use crate::go::{ByColor, Color};
use crate::tournament::Settings;

/// An action of the organiser; tables have numbers from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Gives a color to a client, or to nobody.
    Assign {
        /// The table.
        table: u16,
        /// The color.
        color: Color,
        /// The client.
        client: Option<ClientId>,
    },
    /// Swaps the colors.
    Swap {
        /// The table.
        table: u16,
    },
    /// Starts a new game.
    Start {
        /// The table.
        table: u16,
    },
    /// Breaks off a game, which may go on.
    Pause {
        /// The table.
        table: u16,
    },
    /// Goes on with a game.
    Resume {
        /// The table.
        table: u16,
    },
    /// Gives up a game, or puts away one that is over.
    Clear {
        /// The table.
        table: u16,
    },
    /// Puts a game aside for another day.
    Adjourn {
        /// The table.
        table: u16,
    },
    /// Puts an adjourned game on a table.
    Recall {
        /// The table.
        table: u16,
        /// The game.
        game: GameId,
    },
    /// Closes a client's connection.
    Disconnect {
        /// The client.
        client: ClientId,
    },
    /// Begins a tournament of all who are there.
    Tournament(Settings),
    /// Takes a player out of the tournament.
    Withdraw {
        /// His name.
        name: String,
    },
    /// Ends the tournament before its time.
    EndTournament,
}

impl Hall {
    /// Does what the organiser wants.
    ///
    /// # Errors
    /// It cannot be done now; the sentence says why.
    pub fn act(&mut self, action: &Action, now: Moment) -> Result<(), String> {
        // Whoever has lost on time has lost before this.
        self.flags(now);
        let done = match *action {
            Action::Tournament(ref settings) => self.begin_tournament(settings.clone()),
            Action::Withdraw { ref name } => self.withdraw(name, now),
            Action::EndTournament => self.end_tournament(),
            Action::Assign {
                table,
                color,
                client,
            } => self.assign(table, color, client),
            Action::Swap { table } => self.swap(table),
            Action::Start { table } => self.start(self.index(table)?, None, false, now),
            Action::Pause { table } => self.pause(table, now),
            Action::Resume { table } => self.resume(self.index(table)?, now),
            Action::Clear { table } => self.clear(table, now),
            Action::Adjourn { table } => self.adjourn(table, now),
            Action::Recall { table, game } => self.recall(table, game),
            Action::Disconnect { client } => self.disconnect(client, now),
        };
        for index in 0..self.tables.len() {
            self.count_wait(index, now);
        }
        self.pair(now);
        done
    }

    /// The index of a table.
    fn index(&self, number: u16) -> Result<usize, String> {
        let found = self.tables.iter().position(|table| table.number == number);
        found.ok_or_else(|| format!("there is no table {number}"))
    }

    fn assign(
        &mut self,
        number: u16,
        color: Color,
        client: Option<ClientId>,
    ) -> Result<(), String> {
        let index = self.index(number)?;
        let side = Side::from(color);
        self.must_not_play(index)?;
        let Some(client) = client else {
            self.seat(index, color, None);
            self.tell(News::Unseated {
                table: number,
                side,
            });
            return Ok(());
        };
        let found = self.clients.get(&client);
        let found = found.ok_or_else(|| format!("client {client} is gone"))?;
        let name = found.name.as_ref();
        let name = name.ok_or_else(|| format!("client {client} has not told its name"))?;
        let name = name.to_string();
        if let Some(seat) = found.seat {
            self.must_not_play(seat.table)?;
        }
        self.seat(index, color, Some(client));
        self.tell(News::Seated {
            table: number,
            side,
            name,
        });
        Ok(())
    }

    fn swap(&mut self, number: u16) -> Result<(), String> {
        let index = self.index(number)?;
        self.must_not_play(index)?;
        let seats = self.tables.get(index).map(|table| table.seats);
        let seats = seats.ok_or("there is no such table")?;
        self.free_seats(index);
        for color in Color::ALL {
            self.seat(index, color, seats[color.opponent()]);
        }
        for color in Color::ALL {
            let client = seats[color.opponent()];
            if let Some(name) = client.and_then(|client| self.called(client)) {
                self.tell(News::Seated {
                    table: number,
                    side: color.into(),
                    name,
                });
            }
        }
        Ok(())
    }

    fn must_not_play(&self, index: usize) -> Result<(), String> {
        match self.phase(index) {
            Some(Phase::Playing) => Err(format!(
                "a game is played at table {}: pause it first",
                index + 1
            )),
            _ => Ok(()),
        }
    }

    /// What can be ordered at a table, as the page names it, and why it would be
    /// refused now.
    pub(super) fn orders(&self, index: usize) -> [(&'static str, Option<String>); 8] {
        let seats = || self.must_not_play(index).err();
        [
            ("start", self.may_start(index).err()),
            ("pause", self.may_pause(index).err()),
            ("resume", self.may_resume(index).err()),
            ("assign", seats()),
            ("swap", seats()),
            ("adjourn", self.may_adjourn(index).err()),
            ("clear", self.may_clear(index).err()),
            ("recall", self.may_recall(index).err()),
        ]
    }

    fn may_pause(&self, index: usize) -> Result<(), String> {
        match self.phase(index) {
            Some(Phase::Playing) => Ok(()),
            _ => Err(format!("no game is played at table {}", index + 1)),
        }
    }

    fn may_clear(&self, index: usize) -> Result<(), String> {
        self.must_not_play(index)?;
        match self.phase(index) {
            Some(_) => Ok(()),
            None => Err(format!("there is no game at table {}", index + 1)),
        }
    }

    fn may_adjourn(&self, index: usize) -> Result<(), String> {
        match self.is_taken(index) {
            true => Ok(()),
            false => Err(format!("no game waits at table {}", index + 1)),
        }
    }

    fn may_recall(&self, index: usize) -> Result<(), String> {
        match self.is_taken(index) {
            true => Err(format!("table {} is taken", index + 1)),
            false => Ok(()),
        }
    }

    fn is_taken(&self, index: usize) -> bool {
        self.tables.get(index).is_some_and(Table::is_taken)
    }

    fn pause(&mut self, number: u16, now: Moment) -> Result<(), String> {
        let index = self.index(number)?;
        self.may_pause(index)?;
        self.stop(index, Reason::Pause, "the organiser paused it", now);
        Ok(())
    }

    fn clear(&mut self, number: u16, now: Moment) -> Result<(), String> {
        let index = self.index(number)?;
        self.may_clear(index)?;
        self.changes.tables.insert(index);
        let table = self.tables.get_mut(index).ok_or("there is no such table")?;
        let session = table.session.take().ok_or("there is no game")?;
        if !matches!(session.phase, Phase::Over(_)) {
            self.record_as_given_up(&session, number, now);
            if session.paired {
                self.free_seats(index);
            }
        }
        Ok(())
    }

    /// Gives up games that wait at tables or are adjourned.
    pub(super) fn give_up(&mut self, which: impl Fn(&Session) -> bool, now: Moment) {
        for index in 0..self.tables.len() {
            let Some(table) = self.tables.get_mut(index) else {
                return;
            };
            let number = table.number;
            if table.stopped().is_some_and(|(session, _)| which(session))
                && let Some(session) = table.session.take()
            {
                self.changes.tables.insert(index);
                self.record_as_given_up(&session, number, now);
                if session.paired {
                    self.free_seats(index);
                }
            }
        }
        let adjourned = mem::take(&mut self.adjourned).into_iter();
        let (gone, kept): (Vec<Session>, _) = adjourned.partition(which);
        self.adjourned = kept;
        self.changes.adjourned = true;
        for session in gone {
            self.record_as_given_up(&session, 0, now);
        }
    }

    fn record_as_given_up(&mut self, session: &Session, number: u16, now: Moment) {
        let game = session.id;
        self.show_tournament();
        self.journal(Entry::Cleared {
            game,
            at: seconds(now.date),
        });
        self.tell(News::Cleared {
            table: number,
            game,
        });
        let finished = finished(session, number, None, now.date);
        self.effects.push(Effect::Record(Box::new(finished)));
    }

    fn adjourn(&mut self, number: u16, now: Moment) -> Result<(), String> {
        let index = self.index(number)?;
        self.may_adjourn(index)?;
        if self.phase(index) == Some(Phase::Playing) {
            self.stop(index, Reason::Pause, "the organiser adjourned it", now);
        }
        self.changes.tables.insert(index);
        let table = self.tables.get_mut(index).ok_or("there is no such table")?;
        if let Some(session) = &mut table.session {
            // It goes on only when the organiser says so.
            session.phase = Phase::Stopped(Reason::Pause);
        }
        self.count_wait(index, now);
        let table = self.tables.get_mut(index);
        let Some(session) = table.and_then(|table| table.session.take()) else {
            return Ok(());
        };
        let (game, paired) = (session.id, session.paired);
        let waits = session.fixture.is_some() && self.is_tournament_held();
        let names = session.names.clone();
        // In the order in which they are after a new start.
        self.adjourned.push(session);
        self.adjourned.sort_by_key(|session| session.id);
        self.changes.adjourned = true;
        self.journal(Entry::Adjourned { game });
        self.tell(News::Adjourned { game });
        if waits {
            let ByColor { black, white } = names.as_ref().map(Name::isolated);
            self.show_tournament();
            self.tell(News::Tournament {
                what: format!(
                    "the tournament waits for game {game}, {black} - {white}: \
                     bring it back, so that the rounds go on"
                ),
            });
        }
        if paired {
            self.free_seats(index);
        }
        Ok(())
    }

    fn recall(&mut self, number: u16, game: GameId) -> Result<(), String> {
        let index = self.index(number)?;
        let found = self.adjourned.iter().position(|session| session.id == game);
        let found = found.ok_or_else(|| format!("there is no adjourned game {game}"))?;
        self.may_recall(index)?;
        let table = self.tables.get_mut(index).ok_or("there is no such table")?;
        let session = self.adjourned.remove(found);
        let names = session.names.clone();
        table.session = Some(session);
        self.changes.tables.insert(index);
        self.changes.adjourned = true;
        self.show_tournament();
        self.journal(Entry::Recalled {
            game,
            table: number,
        });
        self.tell(News::Recalled {
            game,
            table: number,
        });
        self.free_seats(index);
        for color in Color::ALL {
            self.seat_by_name(index, color, names.get(color));
        }
        Ok(())
    }

    fn disconnect(&mut self, client: ClientId, now: Moment) -> Result<(), String> {
        if !self.clients.contains_key(&client) {
            return Err(format!("client {client} is gone"));
        }
        let why = "the organiser disconnected it";
        self.effects.push(Effect::Close(client, why));
        self.left(client, why, now);
        Ok(())
    }
}
