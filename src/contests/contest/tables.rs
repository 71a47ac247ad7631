//! All tables, the adjourned games, and the deadlines of each table.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::breaks::{BreakLimits, WaitsFor};
use super::clients::NamedClient;
use super::deadlines::Deadlines;
use super::effects::{Output, Timestamp};
use super::finished_game::FinishedGame;
use super::journal::{Entry, JournaledGame};
use super::live_game::{LiveGame, Said, unix_seconds};
use super::log::LogEvent;
use super::names::{ClientId, GameId, Name};
use super::organizer::CommandError;
use super::protocol::{MoveOf, Protocol, SetupOf};
use super::table::{Ended, MoveRefusal, Table, record_void};
use crate::base::color::{ByColor, Color};
use crate::tournament::NumberedGame;

/// How long a client's next game is delayed to wait for a stale move.
pub const GRACE_PERIOD: Duration = Duration::from_secs(2);

/// A color at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The index of the table.
    pub table: usize,
    pub color: Color,
}

/// All tables, and the adjourned games.
#[derive(Debug)]
pub struct Tables<P: Protocol> {
    tables: Vec<Table<P>>,
    seats: BTreeMap<ClientId, Seat>,
    /// In order of their numbers.
    adjourned: Vec<LiveGame<P>>,
    /// The number of the next game.
    next: GameId,
    limits: BreakLimits,
    /// When the flag falls at each table, or its wait for an absent player is over.
    deadlines: Deadlines<usize>,
    /// The tables that have changed since the last call of [`Tables::update_changed`]; some may be
    /// listed twice.
    changed: Vec<usize>,
    /// The clients that may still send a stale move, and the end of each grace period.
    ///
    /// A client may think about every move, and only then read that it was the last one. Its
    /// answer must neither count as a move of its next game nor as a fault.
    grace: Deadlines<ClientId>,
}

impl<P: Protocol> Tables<P> {
    /// Makes a table for each of the settings.
    pub fn new(setups: Vec<Arc<SetupOf<P>>>) -> Tables<P> {
        let numbered = (1..).zip(setups).enumerate();
        let tables = numbered.map(|(index, (number, setup))| Table::new(index, number, setup));
        Tables {
            tables: tables.collect(),
            seats: BTreeMap::new(),
            adjourned: Vec::new(),
            next: GameId(1),
            limits: BreakLimits::default(),
            deadlines: Deadlines::default(),
            changed: Vec::new(),
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

    pub fn len(&self) -> usize {
        self.tables.len()
    }

    pub fn get(&self, index: usize) -> Option<&Table<P>> {
        self.tables.get(index)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Table<P>> {
        self.tables.iter()
    }

    /// Returns the adjourned games, in order of their numbers.
    pub fn adjourned(&self) -> &[LiveGame<P>] {
        &self.adjourned
    }

    /// Returns the index of a table.
    ///
    /// # Errors
    /// No table has this number.
    pub fn index(&self, number: u16) -> Result<usize, CommandError> {
        let found = self
            .tables
            .iter()
            .position(|table| table.number() == number);
        found.ok_or(CommandError::NoTable(number.into()))
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
    pub fn unfinished(&self) -> impl Iterator<Item = &LiveGame<P>> {
        let at_tables = self.tables.iter().filter_map(Table::unfinished_game);
        at_tables.chain(&self.adjourned)
    }

    /// Returns a table to change it. [`Tables::update_changed`] then updates its deadline and
    /// the player that it waits for.
    pub fn touch_mut(&mut self, index: usize) -> Option<&mut Table<P>> {
        let table = self.tables.get_mut(index)?;
        self.changed.push(index);
        Some(table)
    }

    /// Returns a table to change it for a command, as [`Tables::touch_mut`] does.
    ///
    /// # Errors
    /// There is no such table.
    pub fn try_touch_mut(&mut self, index: usize) -> Result<&mut Table<P>, CommandError> {
        let number = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        self.touch_mut(index).ok_or(CommandError::NoTable(number))
    }

    fn update_deadline(&mut self, index: usize) {
        let table = self.tables.get(index);
        let deadline = table.and_then(|table| table.deadline(self.limits));
        self.deadlines.set(index, deadline);
    }

    // Seats.

    /// Gives a seat to a player, who leaves their old one; with `None`, frees the seat.
    pub fn seat(
        &mut self,
        index: usize,
        color: Color,
        player: Option<NamedClient<P>>,
        out: &mut Output<P>,
    ) {
        if let Some(player) = &player {
            self.vacate(player.client, out);
        }
        if index >= self.tables.len() {
            return;
        }
        let client = player.as_ref().map(|player| player.client);
        let table = self.touch_mut(index);
        let before = table.and_then(|table| table.replace_player(color, player, out));
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
    pub fn vacate(&mut self, client: ClientId, out: &mut Output<P>) -> Option<Seat> {
        let seat = self.seats.remove(&client)?;
        if let Some(table) = self.touch_mut(seat.table) {
            table.replace_player(seat.color, None, out);
        }
        Some(seat)
    }

    /// Frees both seats.
    pub fn vacate_both(&mut self, index: usize, out: &mut Output<P>) {
        for color in Color::ALL {
            self.seat(index, color, None, out);
        }
    }

    /// Swaps the players.
    ///
    /// # Errors
    /// A game is being played.
    pub fn swap(&mut self, index: usize, out: &mut Output<P>) -> Result<(), CommandError> {
        let Some(table) = self.tables.get(index) else {
            return Ok(());
        };
        table.check_not_playing()?;
        let (number, players) = (table.number(), table.players().clone().swapped());
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
        scheduled: Option<NumberedGame>,
        paired_by_server: bool,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Result<(), CommandError> {
        let id = self.next;
        let table = self.try_touch_mut(index)?;
        table.start(id, scheduled, paired_by_server, now, out)?;
        self.next = id.next();
        self.end_graces_at(index);
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
        out: &mut Output<P>,
    ) -> Result<(), CommandError> {
        let table = self.try_touch_mut(index)?;
        table.resume(now, out)?;
        self.end_graces_at(index);
        Ok(())
    }

    /// Starts the clock of the player to move, after they were told of their turn. This way, the
    /// time of writing to the disk counts for neither player.
    pub fn start_clock_at(&mut self, index: usize, id: GameId, moves: usize, clock: Duration) {
        if let Some(table) = self.tables.get_mut(index) {
            table.start_clock_of(id, moves, clock);
            self.update_deadline(index);
        }
    }

    /// Plays a move of a client. Returns the game if it is over.
    ///
    /// # Errors
    /// The client plays no game, it is not the client's turn, or the move is illegal.
    pub fn play_at(
        &mut self,
        seat: Seat,
        played: MoveOf<P>,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Result<Option<FinishedGame<P::Game>>, MoveRefusal> {
        let table = self.tables.get_mut(seat.table);
        let table = table.ok_or(MoveRefusal::NoGame)?;
        let ended = table.play_as(seat.color, played, now, out)?;
        self.changed.push(seat.table);
        Ok(ended.map(|ended| self.begin_grace(ended, now)))
    }

    /// Ends a game if its flag has fallen. Returns the game if it is over.
    pub fn check_flag_at(
        &mut self,
        index: usize,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Option<FinishedGame<P::Game>> {
        let ended = self.tables.get_mut(index)?.end_on_time(now, out)?;
        self.changed.push(index);
        Some(self.begin_grace(ended, now))
    }

    /// Counts a stall of the server in all games that are being played.
    pub fn count_stall(&mut self, stall: Duration, now: Timestamp, out: &mut Output<P>) {
        for index in 0..self.tables.len() {
            if let Some(table) = self.touch_mut(index) {
                table.count_stall(stall, now, out);
            }
        }
    }

    /// Clears a table: voids its interrupted game for this reason, or removes its finished one.
    ///
    /// # Errors
    /// There is no game, or it is being played.
    pub fn clear(
        &mut self,
        index: usize,
        why: &str,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Result<(), CommandError> {
        let table = self.try_touch_mut(index)?;
        let void = table.clear(why, now, out)?;
        if void.is_some_and(|game| game.is_paired()) {
            self.vacate_both(index, out);
        }
        Ok(())
    }

    /// Voids all interrupted and adjourned games for which there is a reason.
    pub fn void_all(
        &mut self,
        why: impl Fn(&LiveGame<P>) -> Option<String>,
        now: Timestamp,
        out: &mut Output<P>,
    ) {
        for index in 0..self.tables.len() {
            let table = self.tables.get(index);
            let interrupted = table.and_then(Table::interrupted);
            if let Some(why) = interrupted.and_then(|(game, _)| why(game)) {
                // It can be voided: it is interrupted.
                let _ = self.clear(index, &why, now, out);
            }
        }
        for game in mem::take(&mut self.adjourned) {
            match why(&game) {
                Some(why) => record_void(&game, 0, (&why, Vec::new()), now, out),
                None => self.adjourned.push(game),
            }
        }
        out.changes.adjourned = true;
    }

    /// Takes a game off its table, to be resumed another day. Returns the game.
    ///
    /// # Errors
    /// No game at the table is being played or interrupted.
    pub fn adjourn(
        &mut self,
        index: usize,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Result<Option<&LiveGame<P>>, CommandError> {
        let limits = self.limits;
        let table = self.try_touch_mut(index)?;
        let game = table.adjourn(limits, now, out)?;
        let id = game.id();
        if game.is_paired() {
            self.vacate_both(index, out);
        }
        self.insert_adjourned(game);
        Ok(self.adjourned.iter().find(|game| game.id() == id))
    }

    fn insert_adjourned(&mut self, game: LiveGame<P>) {
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
        out: &mut Output<P>,
    ) -> Result<ByColor<Name>, CommandError> {
        let found = self.adjourned.iter().position(|game| game.id() == id);
        let found = found.ok_or(CommandError::NotAdjourned(id))?;
        let table = self.tables.get_mut(index);
        let table = table.ok_or(CommandError::NotAdjourned(id))?;
        table.check_recall()?;
        let game = self.adjourned.remove(found);
        let names = game.names().clone();
        table.recall(game, out);
        self.changed.push(index);
        self.vacate_both(index, out);
        Ok(names)
    }

    /// Adds what a player has sent or was sent to the exchange of its game. Clients without a seat
    /// have none.
    pub fn note_said(&mut self, client: ClientId, said: impl FnOnce() -> Said<P::Message>) {
        if let Some(Seat { table, color }) = self.seat_of(client)
            && let Some(table) = self.tables.get_mut(table)
        {
            table.note_said(color, said);
        }
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

    /// Begins the grace period of the client that may still send a move. Returns the game.
    fn begin_grace(&mut self, ended: Ended<P>, now: Timestamp) -> FinishedGame<P::Game> {
        if let Some(client) = ended.thinking {
            let until = now.clock.saturating_add(GRACE_PERIOD);
            self.grace.set(client, Some(until));
        }
        ended.finished
    }

    /// Ends the grace periods of the players at a table: they were told that a game begins.
    fn end_graces_at(&mut self, index: usize) {
        if let Some(table) = self.tables.get(index) {
            for player in table.players().iter().flatten() {
                self.grace.set(player.client, None);
            }
        }
    }

    /// Ends the grace periods that are over.
    pub fn end_graces(&mut self, now: Duration) {
        for client in self.grace.passed(now) {
            self.grace.set(client, None);
        }
    }

    // Breaks.

    /// Begins a break of a player who has left their seat and was last heard from at `heard`.
    /// Interrupts the game, unless it is interrupted already or the player has no break
    /// left.
    pub fn begin_break(
        &mut self,
        seat: Seat,
        heard: Duration,
        now: Timestamp,
        out: &mut Output<P>,
    ) {
        let limits = self.limits;
        let Some(table) = self.touch_mut(seat.table) else {
            return;
        };
        if table.begin_break(seat.color, heard, limits, now, out) {
            self.update_wait(seat.table, now, out);
        }
    }

    /// Updates which absent player a table waits for. If that player has no break left, the
    /// game goes on without them.
    pub fn update_wait(&mut self, index: usize, now: Timestamp, out: &mut Output<P>) {
        let table = self.tables.get_mut(index);
        if table.is_some_and(|table| table.update_wait(self.limits, now, out)) {
            self.changed.push(index);
            self.end_graces_at(index);
        }
    }

    /// Returns the empty seats of a returning player: in games that are interrupted or go on
    /// without them. Each comes with the address that it is kept for; `None` for any.
    pub fn seats_of_absent(&self, name: &Name) -> impl Iterator<Item = (Seat, Option<IpAddr>)> {
        let tables = self.tables.iter().enumerate();
        tables.flat_map(move |(table, found)| {
            let seats = found.seats_of_absent(name);
            seats.map(move |(color, address)| (Seat { table, color }, address))
        })
    }

    /// Returns the empty seat of a returning player that is kept for the player's address, or
    /// for any. A player who has proved to be of the team may come from everywhere.
    pub fn seat_to_return_to(&self, player: &NamedClient<P>) -> Option<Seat> {
        let mut seats = self.seats_of_absent(&player.name);
        let is_theirs = |address: Option<IpAddr>| {
            player.is_proved || address.is_none_or(|kept| kept == player.address)
        };
        let seat = seats.find(|&(_, address)| is_theirs(address));
        seat.map(|(seat, _)| seat)
    }

    /// Tells a player who returns to a game that went on without them.
    pub fn rejoin(&mut self, seat: Seat, now: Timestamp, out: &mut Output<P>) {
        if let Some(table) = self.tables.get_mut(seat.table) {
            table.rejoin(seat.color, now, out);
            if let Some(player) = table.player(seat.color) {
                self.grace.set(player.client, None);
            }
        }
    }

    // Deadlines.

    /// Updates the awaited players and the deadlines of all tables that have changed. Must be
    /// called after every input.
    pub fn update_changed(&mut self, now: Timestamp, out: &mut Output<P>) {
        let mut changed = Vec::new();
        while !self.changed.is_empty() {
            mem::swap(&mut changed, &mut self.changed);
            changed.sort_unstable();
            changed.dedup();
            for index in changed.drain(..) {
                self.update_wait(index, now, out);
                self.update_deadline(index);
            }
        }
        // Its memory serves the next changes.
        self.changed = changed;
    }

    /// Returns when the next flag falls, or the next wait or grace period ends.
    pub fn next_deadline(&self) -> Option<Duration> {
        let next = [self.deadlines.next(), self.grace.next()];
        next.into_iter().flatten().min()
    }

    /// Returns the indices of the tables whose deadlines have come.
    pub fn with_passed_deadlines(&self, now: Duration) -> Vec<usize> {
        self.deadlines.passed(now)
    }

    /// Marks a table for [`Tables::update_changed`].
    pub fn mark_changed(&mut self, index: usize) {
        self.changed.push(index);
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
        mut restored: JournaledGame<P>,
        now: Timestamp,
        out: &mut Output<P>,
    ) -> Option<FinishedGame<P::Game>> {
        if let Some(outcome) = restored.game.timed().outcome()
            && restored.finished.is_none()
        {
            // The power failed between the last move and its consequences.
            out.journal(Entry::Ended {
                game: restored.game.id(),
                reason: outcome.reason,
                winner: outcome.winner,
                at: unix_seconds(now.date),
                exchange: Vec::new(),
            });
            restored.finish(Some(outcome), now.date);
        }
        if restored.finished.is_some() {
            return restored.finished;
        }
        let mut game = restored.game;
        let is_meant =
            |table: &Table<P>| Some(table.number()) == restored.table && table.game().is_none();
        let Some(index) = self.tables.iter().position(is_meant) else {
            out.log(LogEvent::Adjourned {
                game: game.id(),
                place: game.place(),
            });
            game.set_interrupted(WaitsFor::Organizer);
            self.insert_adjourned(game);
            out.changes.adjourned = true;
            return None;
        };
        if let Some(table) = self.touch_mut(index) {
            table.restore(game, out);
        }
        None
    }

    /// Returns the shortest journal from which the games can be restored.
    pub fn snapshot(&self, clock: Duration) -> Vec<Entry<P>> {
        let mut entries = vec![Entry::Numbered { next: self.next }];
        for table in &self.tables {
            table.append_entries(clock, &mut entries);
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
        out: &mut Output<P>,
    ) -> Vec<usize> {
        let mut lost = Vec::new();
        for index in 0..self.tables.len() {
            let Some(table) = self.touch_mut(index) else {
                break;
            };
            let why = "it cannot be written to the disk";
            table.interrupt(WaitsFor::Players, why, now, out);
            let Some(game) = table.take_unfinished(unfinished_on_disk) else {
                continue;
            };
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
}
