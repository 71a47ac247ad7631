//! The tables: who sits where, the games, and what each table waits for.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use super::clients::{ClientId, Name, Player};
use super::effects::{Effect, Output, Timestamp};
use super::game::{
    BreakLimits, FinishedGame, GameId, LiveGame, NewGame, Outcome, Phase, unix_seconds,
};
use super::journal::{Entry, JournaledGame};
use super::log::LogEvent;
use super::organizer::ActionError;
use super::setup::GameSetup;
use super::wire::{Millis, Reason, ServerMessage};
use crate::go::{ByColor, Color, Illegal, Move};
use crate::tournament::Fixture;

/// How long a client's next game is delayed to wait for a stale move.
const GRACE_PERIOD: Duration = Duration::from_secs(2);

/// A color at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The index of the table.
    pub table: usize,
    pub color: Color,
}

/// A table: two seats, and a game or none.
#[derive(Debug)]
pub struct Table {
    /// From 1.
    number: u16,
    /// The settings of its next game.
    setup: Arc<GameSetup>,
    players: ByColor<Option<Player>>,
    /// The current game; after its end it stays until the next one begins.
    game: Option<LiveGame>,
}

impl Table {
    pub fn number(&self) -> u16 {
        self.number
    }

    /// Returns the settings of its next game.
    pub fn setup(&self) -> &Arc<GameSetup> {
        &self.setup
    }

    /// Returns who sits on a seat.
    pub fn player(&self, color: Color) -> Option<&Player> {
        self.players[color].as_ref()
    }

    /// Returns the current game, or the last one.
    pub fn game(&self) -> Option<&LiveGame> {
        self.game.as_ref()
    }

    pub fn phase(&self) -> Option<Phase> {
        Some(self.game.as_ref()?.phase())
    }

    /// Returns the interrupted game, and why it is interrupted; `None` if there is none.
    pub fn interrupted(&self) -> Option<(&LiveGame, Reason)> {
        let game = self.game.as_ref()?;
        Some((game, game.interruption()?))
    }

    /// Returns whether a game is being played or is interrupted.
    pub fn has_unfinished_game(&self) -> bool {
        self.game.as_ref().is_some_and(|game| !game.is_over())
    }

    fn is_empty(&self) -> bool {
        !self.has_unfinished_game() && self.players.iter().all(Option::is_none)
    }

    fn is_playing(&self) -> bool {
        self.game.as_ref().is_some_and(LiveGame::is_playing)
    }

    fn is_seated(&self) -> ByColor<bool> {
        self.players.as_ref().map(|player| player.is_some())
    }

    /// Returns the names of the players, if both seats are taken.
    fn names(&self) -> Result<ByColor<Name>, ActionError> {
        let name = |color| self.player(color).map(|player| player.name.clone());
        match (name(Color::Black), name(Color::White)) {
            (Some(black), Some(white)) => Ok(ByColor::new(black, white)),
            _ => Err(ActionError::SeatEmpty),
        }
    }

    /// Sends a message to both players.
    fn send_to_both(&self, message: &ServerMessage, out: &mut Output) {
        for player in self.players.iter().flatten() {
            out.send(player.client, message.clone());
        }
    }

    /// Formats a move for people.
    pub fn move_text(&self, played: Move) -> String {
        let game = self.game.as_ref();
        let size = game.map(|game| game.timed().game().board().size());
        match played {
            Move::Pass => "passes".into(),
            Move::Resign => "resigns".into(),
            Move::Place(point) => size
                .and_then(|size| point.vertex(size))
                .unwrap_or_else(|| point.to_string()),
        }
    }

    /// Checks whether a game can start here. Returns the names of its players.
    ///
    /// # Errors
    /// A game is being played or interrupted, or a seat is empty.
    fn check_start(&self) -> Result<ByColor<Name>, ActionError> {
        if self.is_playing() {
            return Err(ActionError::AlreadyPlaying);
        }
        if self.has_unfinished_game() {
            return Err(ActionError::GameWaits);
        }
        self.names()
    }

    /// Checks whether the interrupted game can go on. Returns the names of its players.
    ///
    /// # Errors
    /// No game is interrupted, a seat is empty, or the game is one of the tournament and
    /// other players have its seats.
    fn check_resume(&self) -> Result<ByColor<Name>, ActionError> {
        let (game, _) = self.interrupted().ok_or(ActionError::NothingToResume)?;
        let names = self.names()?;
        // The result belongs to the players who were paired.
        if let Some(Fixture { black, white, .. }) = game.fixture()
            && (names.black.as_ref(), names.white.as_ref()) != (black.as_str(), white.as_str())
        {
            return Err(ActionError::OtherPlayers {
                black: black.to_string(),
                white: white.to_string(),
            });
        }
        Ok(names)
    }

    /// Checks that no game is being played here.
    ///
    /// # Errors
    /// A game is being played.
    pub fn check_not_playing(&self) -> Result<(), ActionError> {
        match self.is_playing() {
            true => Err(ActionError::Playing(self.number)),
            false => Ok(()),
        }
    }

    fn check_pause(&self) -> Result<(), ActionError> {
        match self.is_playing() {
            true => Ok(()),
            false => Err(ActionError::NotPlaying(self.number)),
        }
    }

    fn check_clear(&self) -> Result<(), ActionError> {
        self.check_not_playing()?;
        match self.game {
            Some(_) => Ok(()),
            None => Err(ActionError::NoGame(self.number)),
        }
    }

    fn check_adjourn(&self) -> Result<(), ActionError> {
        match self.has_unfinished_game() {
            true => Ok(()),
            false => Err(ActionError::NoGameWaits(self.number)),
        }
    }

    fn check_recall(&self) -> Result<(), ActionError> {
        match self.has_unfinished_game() {
            true => Err(ActionError::TableTaken(self.number)),
            false => Ok(()),
        }
    }

    /// Returns the orders for this table by their names on the page, each with the reason
    /// why it would be refused now; `None` if it would be carried out.
    pub fn orders(&self) -> [(&'static str, Option<ActionError>); 8] {
        let seats = || self.check_not_playing().err();
        [
            ("start", self.check_start().err()),
            ("pause", self.check_pause().err()),
            ("resume", self.check_resume().err()),
            ("assign", seats()),
            ("swap", seats()),
            ("adjourn", self.check_adjourn().err()),
            ("clear", self.check_clear().err()),
            ("recall", self.check_recall().err()),
        ]
    }
}

/// Why a move of a client is refused.
#[derive(Debug)]
pub enum MoveRefusal {
    /// The client plays no game.
    NoGame,
    /// The opponent is to move.
    OutOfTurn,
    /// The move is illegal.
    Illegal(Illegal, ByColor<Millis>),
}

/// All tables, and the adjourned games.
#[derive(Debug)]
pub struct Tables {
    tables: Vec<Table>,
    seats: BTreeMap<ClientId, Seat>,
    /// In order of their numbers.
    adjourned: Vec<LiveGame>,
    /// The number of the next game.
    next: GameId,
    limits: BreakLimits,
    /// When each table needs attention.
    deadlines: Deadlines<usize>,
    /// The tables that have changed since the last call of [`Tables::update_touched`].
    touched: BTreeSet<usize>,
    /// The clients that may still send a stale move, and the end of each grace period.
    ///
    /// A client that follows the protocol's document thinks about every MOVE, and only then
    /// reads that it was the last one (END). Its answer must neither count as a move of its
    /// next game nor as a fault.
    grace: Deadlines<ClientId>,
}

impl Tables {
    /// Makes a table for each of the settings.
    pub fn new(setups: Vec<Arc<GameSetup>>) -> Tables {
        let tables = (1..).zip(setups).map(|(number, setup)| Table {
            number,
            setup,
            players: ByColor::default(),
            game: None,
        });
        Tables {
            tables: tables.collect(),
            seats: BTreeMap::new(),
            adjourned: Vec::new(),
            next: GameId(1),
            limits: BreakLimits::default(),
            deadlines: Deadlines::default(),
            touched: BTreeSet::new(),
            grace: Deadlines::default(),
        }
    }

    /// Sets the limits on how often and how long players may be away.
    pub fn set_break_limits(&mut self, limits: BreakLimits) {
        self.limits = limits;
        for index in 0..self.tables.len() {
            self.update_deadline(index);
        }
    }

    /// Sets the settings of the next game of a table.
    pub fn configure(&mut self, index: usize, setup: Arc<GameSetup>, out: &mut Output) {
        if let Some(table) = self.tables.get_mut(index) {
            table.setup = setup;
            out.changes.tables.insert(index);
        }
    }

    pub fn len(&self) -> usize {
        self.tables.len()
    }

    pub fn get(&self, index: usize) -> Option<&Table> {
        self.tables.get(index)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter()
    }

    /// Returns the adjourned games, in order of their numbers.
    pub fn adjourned(&self) -> &[LiveGame] {
        &self.adjourned
    }

    /// Returns the index of a table.
    ///
    /// # Errors
    /// No table has this number.
    pub fn index(&self, number: u16) -> Result<usize, ActionError> {
        let found = self.tables.iter().position(|table| table.number == number);
        found.ok_or(ActionError::NoTable(number.into()))
    }

    /// Returns the seat of a client.
    pub fn seat_of(&self, client: ClientId) -> Option<Seat> {
        self.seats.get(&client).copied()
    }

    /// Returns the first table from an index on where a game can start, with players or
    /// without.
    pub fn first_free(&self, from: usize) -> Option<usize> {
        let mut tables = self.tables.iter().enumerate().skip(from);
        tables
            .find(|(_, table)| !table.has_unfinished_game())
            .map(|(index, _)| index)
    }

    /// Returns the first table from an index on that has neither players nor an unfinished
    /// game.
    pub fn first_empty(&self, from: usize) -> Option<usize> {
        let mut tables = self.tables.iter().enumerate().skip(from);
        tables
            .find(|(_, table)| table.is_empty())
            .map(|(index, _)| index)
    }

    /// Returns the games that are being played, interrupted, or adjourned.
    pub fn unfinished(&self) -> impl Iterator<Item = &LiveGame> {
        let at_tables = self.tables.iter().filter_map(|table| table.game.as_ref());
        at_tables
            .filter(|game| !game.is_over())
            .chain(&self.adjourned)
    }

    /// Returns a table to change it. [`Tables::update_touched`] then updates its deadline and
    /// the player that it waits for.
    fn touch_mut(&mut self, index: usize) -> Option<&mut Table> {
        let table = self.tables.get_mut(index)?;
        self.touched.insert(index);
        Some(table)
    }

    fn game_mut(&mut self, index: usize) -> Option<&mut LiveGame> {
        self.touch_mut(index)?.game.as_mut()
    }

    fn update_deadline(&mut self, index: usize) {
        let game = self.tables.get(index).and_then(|table| table.game.as_ref());
        let deadline = game.and_then(|game| game.deadline(self.limits));
        self.deadlines.set(index, deadline);
    }

    // Seats.

    /// Gives a seat to a player, who leaves their old one; with `None`, frees the seat.
    pub fn seat(&mut self, index: usize, color: Color, player: Option<Player>, out: &mut Output) {
        if let Some(player) = &player {
            self.vacate(player.client, out);
        }
        if index >= self.tables.len() {
            return;
        }
        let client = player.as_ref().map(|player| player.client);
        let before = self.exchange(index, color, player, out);
        if let Some(before) = before {
            self.seats.remove(&before.client);
            out.changes.clients.insert(before.client);
        }
        if let Some(client) = client {
            self.seats.insert(
                client,
                Seat {
                    table: index,
                    color,
                },
            );
            out.changes.clients.insert(client);
        }
    }

    /// Frees the seat of a client, if it has one. Returns the seat.
    pub fn vacate(&mut self, client: ClientId, out: &mut Output) -> Option<Seat> {
        let seat = self.seats.remove(&client)?;
        self.exchange(seat.table, seat.color, None, out);
        Some(seat)
    }

    /// Replaces the player on a seat. Returns the one who sat there before.
    fn exchange(
        &mut self,
        index: usize,
        color: Color,
        player: Option<Player>,
        out: &mut Output,
    ) -> Option<Player> {
        out.changes.tables.insert(index);
        mem::replace(self.touch_mut(index)?.players.get_mut(color), player)
    }

    /// Frees both seats.
    pub fn vacate_both(&mut self, index: usize, out: &mut Output) {
        for color in Color::ALL {
            self.seat(index, color, None, out);
        }
    }

    /// Swaps the players.
    ///
    /// # Errors
    /// A game is being played.
    pub fn swap(&mut self, index: usize, out: &mut Output) -> Result<(), ActionError> {
        let Some(table) = self.tables.get(index) else {
            return Ok(());
        };
        table.check_not_playing()?;
        let (number, players) = (table.number, table.players.clone().swapped());
        self.vacate_both(index, out);
        for color in Color::ALL {
            self.seat(index, color, players[color].clone(), out);
        }
        for color in Color::ALL {
            if let Some(player) = &players[color] {
                out.log(LogEvent::Seated {
                    table: number,
                    side: color,
                    name: player.name.to_string(),
                });
            }
        }
        Ok(())
    }

    // Games.

    /// Starts a new game. If the server paired the players (`paired_by_server`), it frees
    /// their seats after the game.
    ///
    /// # Errors
    /// A game is being played or interrupted, or a seat is empty.
    pub fn start(
        &mut self,
        index: usize,
        fixture: Option<Fixture>,
        paired_by_server: bool,
        now: Timestamp,
        out: &mut Output,
    ) -> Result<(), ActionError> {
        let id = self.next;
        let Some(table) = self.touch_mut(index) else {
            return Ok(());
        };
        let names = table.check_start()?;
        let game = LiveGame::new(NewGame {
            id,
            names,
            setup: Arc::clone(&table.setup),
            began: now.date,
            fixture,
            paired: paired_by_server,
        });
        out.journal(game.opened_entry(table.number));
        out.log(LogEvent::Started {
            table: table.number,
            game: id,
            black: game.names().black.to_string(),
            white: game.names().white.to_string(),
        });
        table.game = Some(game);
        self.next = id.next();
        self.announce_start(index, now, out);
        Ok(())
    }

    /// Continues an interrupted game with the players who have the seats now.
    ///
    /// # Errors
    /// No game is interrupted, a seat is empty, or the game is one of the tournament and
    /// other players have its seats.
    pub fn resume(
        &mut self,
        index: usize,
        now: Timestamp,
        out: &mut Output,
    ) -> Result<(), ActionError> {
        let Some(table) = self.touch_mut(index) else {
            return Ok(());
        };
        let names = table.check_resume()?;
        let number = table.number;
        let game = table.game.as_mut().ok_or(ActionError::NothingToResume)?;
        game.set_names(names.clone());
        game.resume();
        let (id, moves) = (game.id(), game.timed().log().len());
        out.journal(Entry::Resumed {
            game: id,
            table: number,
            names,
        });
        out.log(LogEvent::Resumed {
            table: number,
            game: id,
            moves,
        });
        self.announce_start(index, now, out);
        Ok(())
    }

    /// Sends START to the players who are there, Black first.
    fn announce_start(&mut self, index: usize, now: Timestamp, out: &mut Output) {
        out.changes.tables.insert(index);
        out.changes.games = true;
        let Some((table, game)) = self
            .tables
            .get(index)
            .and_then(|table| Some((table, table.game.as_ref()?)))
        else {
            return;
        };
        for color in Color::ALL {
            if let Some(player) = table.player(color) {
                self.grace.set(player.client, None);
                let start = game
                    .timed()
                    .start_message(color, player.protocol, now.clock);
                out.send(player.client, start);
            }
        }
        out.effects.push(start_clock(index, game));
    }

    /// Starts the clock of the player to move, after START or MOVE was sent to them. So the
    /// time of writing to the disk counts for neither player.
    pub fn start_clock(&mut self, index: usize, id: GameId, moves: usize, clock: Duration) {
        let game = self
            .tables
            .get_mut(index)
            .and_then(|table| table.game.as_mut());
        if let Some(game) = game.filter(|game| game.id() == id) {
            game.start_clock(moves, clock);
            self.update_deadline(index);
        }
    }

    /// Plays a move of a client. Returns the game if it is over.
    ///
    /// # Errors
    /// The client plays no game, it is not the client's turn, or the move is illegal.
    pub fn play(
        &mut self,
        seat: Seat,
        played: Move,
        now: Timestamp,
        out: &mut Output,
    ) -> Result<Option<FinishedGame>, MoveRefusal> {
        let Seat {
            table: index,
            color,
        } = seat;
        let table = self.tables.get_mut(index).ok_or(MoveRefusal::NoGame)?;
        let game = table.game.as_mut().filter(|game| game.is_playing());
        let game = game.ok_or(MoveRefusal::NoGame)?;
        if game.timed().turn() != color {
            return Err(MoveRefusal::OutOfTurn);
        }
        let result = game.play(played, now.clock);
        let remaining_time = game.timed().remaining(now.clock);
        let entry = result.map_err(|why| MoveRefusal::Illegal(why, remaining_time))?;
        self.touched.insert(index);
        out.changes.tables.insert(index);
        let moves = game.timed().log().len();
        let (outcome, is_too_long) = (game.timed().outcome(), game.timed().is_too_long());
        let sent = start_clock(index, game);
        out.journal(Entry::Played {
            game: game.id(),
            entry,
        });
        out.log(LogEvent::Moved {
            table: table.number,
            number: moves,
            side: color,
            played: table.move_text(played),
            delta_ms: entry.delta_time,
        });
        if let Some(player) = table.player(color) {
            out.send(player.client, ServerMessage::Valid { remaining_time });
        }
        if let Some(opponent) = table.player(color.opponent()) {
            let message = ServerMessage::Move {
                played,
                remaining_time,
            };
            out.send(opponent.client, message);
        }
        match outcome {
            Some(outcome) => Ok(self.end(index, outcome, now, out)),
            None if is_too_long => {
                self.interrupt(index, Reason::Error, "it has too many moves", now, out);
                Ok(None)
            }
            None => {
                out.effects.push(sent);
                Ok(None)
            }
        }
    }

    /// Ends a game if its flag has fallen. Returns the game if it is over.
    pub fn check_flag(
        &mut self,
        index: usize,
        now: Timestamp,
        out: &mut Output,
    ) -> Option<FinishedGame> {
        let table = self.tables.get_mut(index)?;
        let outcome = table.game.as_mut()?.check_flag(now.clock)?;
        self.end(index, outcome, now, out)
    }

    /// Ends a game and sends END to both players. Returns the game for its record.
    fn end(
        &mut self,
        index: usize,
        outcome: Outcome,
        now: Timestamp,
        out: &mut Output,
    ) -> Option<FinishedGame> {
        out.changes.tables.insert(index);
        let table = self.touch_mut(index)?;
        let number = table.number;
        let game = table.game.as_mut()?;
        game.end(outcome);
        let message = game.timed().end_message(outcome, now.clock);
        let finished = game.finished(number, Some(outcome), now.date);
        let score = game.timed().score();
        out.journal(Entry::Ended {
            game: game.id(),
            reason: outcome.reason,
            winner: outcome.winner,
            at: unix_seconds(now.date),
        });
        table.send_to_both(&message, out);
        out.log(LogEvent::Ended {
            table: number,
            game: finished.game,
            reason: outcome.reason,
            winner: outcome.winner,
            scores: score.map(|score| score.to_string()),
        });
        // The player to whom the last move was sent, or who was thinking when the flag fell.
        let turn = finished.play.turn();
        let thinks = match outcome.reason {
            Reason::Resign => turn.opponent(),
            _ => turn,
        };
        if let Some(client) = table.player(thinks).map(|player| player.client) {
            let until = now.clock.saturating_add(GRACE_PERIOD);
            self.grace.set(client, Some(until));
        }
        Some(finished)
    }

    /// Interrupts the game at a table, if one is being played. It can be resumed.
    pub fn interrupt(
        &mut self,
        index: usize,
        reason: Reason,
        why: &str,
        now: Timestamp,
        out: &mut Output,
    ) {
        out.changes.tables.insert(index);
        let Some(table) = self.touch_mut(index).filter(|table| table.is_playing()) else {
            return;
        };
        let number = table.number;
        let Some(game) = table.game.as_mut() else {
            return;
        };
        let (id, idle) = (game.id(), game.interrupt(reason, now.clock));
        let message = interrupted_message(game, reason, now);
        out.journal(Entry::Interrupted {
            game: id,
            reason,
            idle,
        });
        out.changes.games = true;
        table.send_to_both(&message, out);
        out.log(LogEvent::Interrupted {
            table: number,
            game: id,
            why: why.to_owned(),
        });
    }

    /// Interrupts a game until the organizer resumes it.
    ///
    /// # Errors
    /// No game is being played.
    pub fn pause(
        &mut self,
        index: usize,
        now: Timestamp,
        out: &mut Output,
    ) -> Result<(), ActionError> {
        if let Some(table) = self.tables.get(index) {
            table.check_pause()?;
        }
        self.interrupt(index, Reason::Pause, "the organizer paused it", now, out);
        Ok(())
    }

    /// Clears a table: voids its interrupted game, or removes its finished one.
    ///
    /// # Errors
    /// There is no game, or it is being played.
    pub fn clear(
        &mut self,
        index: usize,
        now: Timestamp,
        out: &mut Output,
    ) -> Result<(), ActionError> {
        let Some(table) = self.touch_mut(index) else {
            return Ok(());
        };
        table.check_clear()?;
        out.changes.tables.insert(index);
        let number = table.number;
        if let Some(game) = table.game.take().filter(|game| !game.is_over()) {
            self.record_void(&game, number, now, out);
            if game.is_paired() {
                self.vacate_both(index, out);
            }
        }
        Ok(())
    }

    /// Voids all interrupted and adjourned games that `is_meant` selects.
    pub fn void_all(
        &mut self,
        is_meant: impl Fn(&LiveGame) -> bool,
        now: Timestamp,
        out: &mut Output,
    ) {
        for index in 0..self.tables.len() {
            let table = self.tables.get(index);
            let interrupted = table.and_then(Table::interrupted);
            if interrupted.is_some_and(|(game, _)| is_meant(game)) {
                // It can be voided: it is interrupted.
                let _ = self.clear(index, now, out);
            }
        }
        let (gone, kept) = mem::take(&mut self.adjourned)
            .into_iter()
            .partition(is_meant);
        self.adjourned = kept;
        out.changes.adjourned = true;
        let gone: Vec<LiveGame> = gone;
        for game in gone {
            self.record_void(&game, 0, now, out);
        }
    }

    fn record_void(&self, game: &LiveGame, number: u16, now: Timestamp, out: &mut Output) {
        out.changes.games = true;
        out.journal(Entry::Voided {
            game: game.id(),
            at: unix_seconds(now.date),
        });
        out.log(LogEvent::Voided {
            table: number,
            game: game.id(),
        });
        let finished = game.finished(number, None, now.date);
        out.effects.push(Effect::Record(Box::new(finished)));
    }

    /// Takes a game off its table, to be resumed another day. Returns the game.
    ///
    /// # Errors
    /// No game at the table is being played or interrupted.
    pub fn adjourn(
        &mut self,
        index: usize,
        now: Timestamp,
        out: &mut Output,
    ) -> Result<Option<&LiveGame>, ActionError> {
        let Some(table) = self.tables.get(index) else {
            return Ok(None);
        };
        table.check_adjourn()?;
        if table.is_playing() {
            self.interrupt(index, Reason::Pause, "the organizer adjourned it", now, out);
        }
        out.changes.tables.insert(index);
        if let Some(game) = self.game_mut(index) {
            // It goes on only when the organizer says so.
            game.set_interrupted(Reason::Pause);
        }
        self.update_wait(index, now, out);
        let Some(game) = self.touch_mut(index).and_then(|table| table.game.take()) else {
            return Ok(None);
        };
        let id = game.id();
        out.journal(Entry::Adjourned { game: id });
        out.log(LogEvent::Adjourned { game: id });
        out.changes.adjourned = true;
        if game.is_paired() {
            self.vacate_both(index, out);
        }
        self.insert_adjourned(game);
        Ok(self.adjourned.iter().find(|game| game.id() == id))
    }

    fn insert_adjourned(&mut self, game: LiveGame) {
        let place = self
            .adjourned
            .partition_point(|other| other.id() < game.id());
        self.adjourned.insert(place, game);
    }

    /// Puts an adjourned game back on a table with empty seats, where it is paused. Returns
    /// the names of its players.
    ///
    /// # Errors
    /// There is no such game, or the table is taken.
    pub fn recall(
        &mut self,
        index: usize,
        id: GameId,
        out: &mut Output,
    ) -> Result<ByColor<Name>, ActionError> {
        let found = self.adjourned.iter().position(|game| game.id() == id);
        let found = found.ok_or(ActionError::NotAdjourned(id))?;
        let table = self.tables.get_mut(index);
        let table = table.ok_or(ActionError::NotAdjourned(id))?;
        table.check_recall()?;
        let game = self.adjourned.remove(found);
        let names = game.names().clone();
        let number = table.number;
        table.game = Some(game);
        self.touched.insert(index);
        out.changes.tables.insert(index);
        out.changes.adjourned = true;
        out.changes.games = true;
        out.journal(Entry::Recalled {
            game: id,
            table: number,
        });
        out.log(LogEvent::Recalled {
            game: id,
            table: number,
        });
        self.vacate_both(index, out);
        Ok(names)
    }

    // Stale moves.

    /// Returns whether a stale move of a client is waited for.
    pub fn is_in_grace(&self, client: ClientId) -> bool {
        self.grace.contains(&client)
    }

    /// Ends the grace period of a client. Returns whether it had one.
    pub fn end_grace(&mut self, client: ClientId) -> bool {
        self.grace.set(client, None)
    }

    /// Ends the grace periods that are over.
    pub fn end_graces(&mut self, now: Duration) {
        for client in self.grace.due(now) {
            self.grace.set(client, None);
        }
    }

    // Breaks.

    /// Begins a break of a player who has left their seat and was last heard from at `heard`.
    /// Interrupts the game, unless it is interrupted already or the player has no break
    /// left.
    pub fn begin_break(&mut self, seat: Seat, heard: Duration, now: Timestamp, out: &mut Output) {
        let Seat {
            table: index,
            color,
        } = seat;
        let limits = self.limits;
        let Some(table) = self.touch_mut(index) else {
            return;
        };
        let number = table.number;
        let Some(game) = table.game.as_mut() else {
            return;
        };
        let is_playing = game.is_playing();
        let Some(stops) = game.begin_break(color, heard, now.clock, limits) else {
            return;
        };
        let breaks = game.breaks(color);
        out.journal(game.breaks_entry(color));
        out.log(LogEvent::Break {
            table: number,
            game: game.id(),
            side: color,
            name: game.names()[color].to_string(),
            number: breaks.number,
            most: limits.number,
            used_ms: breaks.used,
            most_ms: Millis::try_from(limits.time.as_millis()).unwrap_or(Millis::MAX),
        });
        if stops {
            self.interrupt(index, Reason::Error, &format!("{color} left"), now, out);
        } else if is_playing {
            self.log_alone(index, color, out);
        }
        self.update_wait(index, now, out);
    }

    /// Updates which absent player a table waits for. If that player has no break left, the
    /// game goes on without them.
    pub fn update_wait(&mut self, index: usize, now: Timestamp, out: &mut Output) {
        let limits = self.limits;
        let Some(table) = self.tables.get_mut(index) else {
            return;
        };
        let is_seated = table.is_seated();
        let Some(game) = table.game.as_mut() else {
            return;
        };
        let change = game.update_wait(is_seated, now.clock, limits);
        if let Some(color) = change.counted {
            out.journal(game.breaks_entry(color));
        }
        if let Some(color) = change.goes_on_without {
            game.resume();
            out.journal(Entry::Resumed {
                game: game.id(),
                table: table.number,
                names: game.names().clone(),
            });
            self.touched.insert(index);
            self.log_alone(index, color, out);
            self.announce_start(index, now, out);
        }
    }

    /// Logs that the clock of an absent player runs.
    fn log_alone(&self, index: usize, absent: Color, out: &mut Output) {
        let Some(table) = self.tables.get(index) else {
            return;
        };
        if let Some(game) = &table.game {
            out.log(LogEvent::Alone {
                table: table.number,
                game: game.id(),
                side: absent,
                name: game.names()[absent].to_string(),
            });
        }
    }

    /// Returns the empty seat of a returning player: in a game that is interrupted or goes on
    /// without them.
    pub fn seat_of_absent(&self, name: &Name) -> Option<Seat> {
        let tables = self.tables.iter().enumerate();
        let mut seats = tables.filter_map(|(index, table)| {
            let game = table.game.as_ref().filter(|game| !game.is_over())?;
            let mine =
                |&color: &Color| table.player(color).is_none() && game.names().get(color) == name;
            let color = Color::ALL.into_iter().find(mine)?;
            Some(Seat {
                table: index,
                color,
            })
        });
        seats.next()
    }

    /// Sends START to a player who returns to a game that went on without them.
    pub fn rejoin(&mut self, seat: Seat, now: Timestamp, out: &mut Output) {
        let Seat {
            table: index,
            color,
        } = seat;
        let Some(table) = self.tables.get(index) else {
            return;
        };
        let (Some(game), Some(player)) = (&table.game, table.player(color)) else {
            return;
        };
        let start = game
            .timed()
            .start_message(color, player.protocol, now.clock);
        self.grace.set(player.client, None);
        out.log(LogEvent::Rejoined {
            table: table.number,
            game: game.id(),
            side: color,
            name: game.names()[color].to_string(),
        });
        out.send(player.client, start);
    }

    // Deadlines.

    /// Updates the awaited players and the deadlines of all tables that have changed. Must be
    /// called after every input.
    pub fn update_touched(&mut self, now: Timestamp, out: &mut Output) {
        while let Some(index) = self.touched.pop_first() {
            self.update_wait(index, now, out);
            self.update_deadline(index);
        }
    }

    /// Returns when the next table needs attention or grace period ends.
    pub fn next_deadline(&self) -> Option<Duration> {
        let next = [self.deadlines.next(), self.grace.next()];
        next.into_iter().flatten().min()
    }

    /// Returns the tables that need attention.
    pub fn due(&self, now: Duration) -> Vec<usize> {
        self.deadlines.due(now)
    }

    /// Marks a table for [`Tables::update_touched`].
    pub fn touch(&mut self, index: usize) {
        self.touched.insert(index);
    }

    // The journal.

    /// Raises the next game number to at least `next`.
    pub fn reserve_ids(&mut self, next: GameId) {
        self.next = self.next.max(next);
    }

    /// Puts a game of the journal on its table, or among the adjourned games. Returns its
    /// record if it is over.
    pub fn restore(
        &mut self,
        mut restored: JournaledGame,
        now: Timestamp,
        out: &mut Output,
    ) -> Option<FinishedGame> {
        if let Some(outcome) = restored.game.timed().outcome()
            && restored.finished.is_none()
        {
            // The power failed between the last move and its consequences.
            out.journal(Entry::Ended {
                game: restored.game.id(),
                reason: outcome.reason,
                winner: outcome.winner,
                at: unix_seconds(now.date),
            });
            restored.finish(Some(outcome), now.date);
        }
        if restored.finished.is_some() {
            return restored.finished;
        }
        let mut game = restored.game;
        let is_meant = |table: &Table| Some(table.number) == restored.table && table.game.is_none();
        let Some(index) = self.tables.iter().position(is_meant) else {
            out.log(LogEvent::Adjourned { game: game.id() });
            game.set_interrupted(Reason::Pause);
            self.insert_adjourned(game);
            out.changes.adjourned = true;
            return None;
        };
        out.log(LogEvent::Waiting {
            table: restored.table.unwrap_or_default(),
            game: game.id(),
            moves: game.timed().log().len(),
            black: game.names().black.to_string(),
            white: game.names().white.to_string(),
        });
        if let Some(table) = self.touch_mut(index) {
            table.game = Some(game);
        }
        None
    }

    /// Returns the shortest journal from which the games can be restored.
    pub fn snapshot(&self, clock: Duration) -> Vec<Entry> {
        let mut entries = vec![Entry::Numbered { next: self.next }];
        for table in &self.tables {
            if let Some(game) = table.game.as_ref().filter(|game| !game.is_over()) {
                game.append_entries(table.number, clock, &mut entries);
            }
        }
        for game in &self.adjourned {
            game.append_entries(0, clock, &mut entries);
            entries.push(Entry::Adjourned { game: game.id() });
        }
        entries
    }

    /// Rolls back to the journal because the disk has failed: interrupts all games, and
    /// removes every game that is unfinished in memory or in the journal
    /// (`unfinished_on_disk`). Adds to `notified` the games whose players were sent the
    /// interruption. Returns the indices of the tables whose players were paired for a game
    /// that is not in the journal.
    pub fn roll_back(
        &mut self,
        unfinished_on_disk: &BTreeSet<GameId>,
        notified: &mut BTreeSet<GameId>,
        now: Timestamp,
        out: &mut Output,
    ) -> Vec<usize> {
        let mut lost = Vec::new();
        for index in 0..self.tables.len() {
            let why = "it cannot be written to the disk";
            self.interrupt(index, Reason::Error, why, now, out);
            let Some(table) = self.touch_mut(index) else {
                break;
            };
            // The end of a game that is not on the disk has not happened.
            let removed = table
                .game
                .take_if(|game| !game.is_over() || unfinished_on_disk.contains(&game.id()));
            let Some(game) = removed else { continue };
            if !game.is_over() {
                notified.insert(game.id());
            }
            if game.is_paired() && !unfinished_on_disk.contains(&game.id()) {
                lost.push(index);
            }
        }
        self.adjourned.clear();
        out.changes.adjourned = true;
        lost
    }

    /// Pauses a game that was restored after a disk failure: it waits for the organizer.
    /// Returns its number, its players, and the END message for them. The reason in the
    /// message is `Error`, not `Pause`, because the organizer has not paused the game.
    pub fn pause_restored(
        &mut self,
        index: usize,
        now: Timestamp,
    ) -> Option<(GameId, ByColor<Name>, ServerMessage)> {
        let game = self.game_mut(index).filter(|game| !game.is_over())?;
        game.set_interrupted(Reason::Pause);
        let message = interrupted_message(game, Reason::Error, now);
        Some((game.id(), game.names().clone(), message))
    }
}

/// Returns the END message of an interrupted game.
fn interrupted_message(game: &LiveGame, reason: Reason, now: Timestamp) -> ServerMessage {
    let outcome = Outcome {
        reason,
        winner: None,
    };
    game.timed().end_message(outcome, now.clock)
}

/// Returns the effect that starts the clock of the player to move.
fn start_clock(table: usize, game: &LiveGame) -> Effect {
    Effect::StartClock {
        table,
        game: game.id(),
        moves: game.timed().log().len(),
    }
}

/// Deadlines by key, with quick access to the earliest.
#[derive(Debug)]
struct Deadlines<K> {
    by_key: BTreeMap<K, Duration>,
    in_order: BTreeSet<(Duration, K)>,
}

impl<K> Default for Deadlines<K> {
    fn default() -> Deadlines<K> {
        Deadlines {
            by_key: BTreeMap::new(),
            in_order: BTreeSet::new(),
        }
    }
}

impl<K: Copy + Ord> Deadlines<K> {
    /// Sets or removes a deadline. Returns whether there was one before.
    fn set(&mut self, key: K, deadline: Option<Duration>) -> bool {
        let before = match deadline {
            Some(at) => self.by_key.insert(key, at),
            None => self.by_key.remove(&key),
        };
        if let Some(before) = before {
            self.in_order.remove(&(before, key));
        }
        if let Some(at) = deadline {
            self.in_order.insert((at, key));
        }
        before.is_some()
    }

    fn contains(&self, key: &K) -> bool {
        self.by_key.contains_key(key)
    }

    fn next(&self) -> Option<Duration> {
        self.in_order.first().map(|&(at, _)| at)
    }

    /// Returns the keys whose deadlines have come, in the order of the keys.
    fn due(&self, now: Duration) -> Vec<K> {
        let due = self.in_order.iter().take_while(|&&(at, _)| at <= now);
        let mut keys: Vec<K> = due.map(|&(_, key)| key).collect();
        keys.sort_unstable();
        keys
    }
}
