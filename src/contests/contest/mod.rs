//! A contest: clients, tables, and the tournament desk, and how an input goes from one to the
//! other. Pure: inputs and the time go in, effects come out.
//!
//! ```text
//! request → Contest → Effects → disk → messages, records, log
//! ```
//!
//! A contest knows neither the rules of its game nor the form of its messages: its [`Protocol`] does.
//! [`Effects`] are what the caller must do after an input: some at once, like logging, the others in
//! order, so that nothing is sent before the journal entries ahead of it are on the disk.
//!
//! A module imports only from those before it in this list: `rules` (what a contest needs of a game),
//! `timed_game` (a game with clocks), `names` (numbers and names of clients, and numbers of games),
//! `finished_game`, `teams` (those that have secrets), `breaks` (how long players may be away),
//! `tournament_command` (of the organizer), `ordered` (what is written, and what waits for it),
//! `protocol`, `clients`, `live_game` (a timed game with its players and their breaks); `time` (as
//! text), `log`, `journal`, `desk` (the tournament that is planned or running), `effects`, `organizer`
//! (all commands), `deadlines`; `table`, `tables` and `attendance` (which players are present), the
//! parts of the contest; `pairing` (which games begin), `commands` (of the organizer, carried out),
//! and `recovery` (from crashes and failures of the disk).

mod attendance;
mod breaks;
mod clients;
mod commands;
mod deadlines;
mod desk;
mod effects;
mod finished_game;
mod journal;
mod live_game;
mod log;
mod names;
mod ordered;
mod organizer;
mod pairing;
mod protocol;
mod recovery;
mod rules;
mod table;
mod tables;
mod teams;
pub mod time;
mod timed_game;
mod tournament_command;

use std::mem;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

pub use breaks::BreakLimits;
pub use breaks::WaitsFor;
pub use clients::{MAX_MALFORMED, Ping};
pub use desk::{DECIDED_ALREADY, DeskError, DeskOutput, TournamentDesk};
pub use effects::{Changes, Delivery, Effects, ImmediateEffect, Timestamp};
pub use finished_game::FinishedGame;
pub use journal::{Entry, EntryError, RestoreError};
pub use live_game::GamePhase;
pub use log::LogEvent;
pub use names::{ClientId, GameId, Name};
pub use ordered::{GameReport, Kept, OrderedEffect, TournamentEffect, Write};
pub use organizer::{CommandError, OrganizerCommand, ParseCommandError};
pub use protocol::{
    Fault, IllegalOf, Misplaced, MoveOf, Notice, Protocol, ReasonOf, Recipient, Request, RequestOf,
    SetupOf,
};
pub use recovery::DISK_RETRY;
pub use rules::Outcome;
pub use rules::{ContestGame, EndReason, JournaledMove, LogEntry, Millis, Settings};
pub use teams::{NotOfTheTeam, TeamError, Teams};
pub use timed_game::TimedGame;
pub use tournament_command::{
    Attending, PageCommandError, ParseTournamentCommandError, RulingRequest, TournamentCommand,
};

pub(super) use deadlines::Deadlines;
pub(super) use live_game::LiveGame;
pub(super) use names::in_tournament;
pub(super) use table::Table;
pub(crate) use tables::GRACE_PERIOD;
pub(super) use tables::Tables;

use clients::{Clients, NamedClient};
use effects::Output;
use live_game::Said;
use recovery::DiskFailure;
use table::MoveRefusal;
use tables::Seat;

use super::limits::{Limits, Usage};
use crate::base::color::ByColor;
use crate::pages::web::is_logged;

/// Lists at most this many other connections of a name in the log.
const MAX_LISTED: usize = 5;

/// At least as many ordered effects as a move has.
const USUAL_EFFECTS: usize = 6;

/// A contest.
///
/// After each input, the caller performs the effects that [`Contest::take_effects`] returns.
#[derive(Debug)]
pub struct Contest<P: Protocol> {
    clients: Clients<P>,
    tables: Tables<P>,
    desk: TournamentDesk,
    teams: Teams,
    /// The connections and messages from each address.
    addresses: Usage<IpAddr>,
    /// The connections and messages of each team with a secret.
    members: Usage<Name>,
    /// The number of connections that were turned away.
    turned_away: u32,
    /// Whether clients are paired as they arrive.
    auto: bool,
    /// The failure of the disk, as long as nothing can be written.
    failure: Option<DiskFailure>,
    out: Output<P>,
}

impl<P: Protocol> Contest<P> {
    /// Creates a contest without clients, with one table for each of the settings. With
    /// `auto`, clients are paired as they arrive.
    pub fn new(setups: Vec<Arc<SetupOf<P>>>, auto: bool) -> Contest<P> {
        let tables = Tables::new(setups);
        let mut out = Output::default();
        out.changes.tables = (0..tables.len()).collect();
        Contest {
            clients: Clients::default(),
            tables,
            desk: TournamentDesk::default(),
            teams: Teams::default(),
            addresses: Usage::new(Limits::default()),
            members: Usage::new(Limits::default()),
            turned_away: 0,
            auto,
            failure: None,
            out,
        }
    }

    /// Sets the tournament that is planned, which begins when enough players are connected, or that
    /// goes on, and logs which.
    pub fn set_desk(&mut self, desk: TournamentDesk) {
        self.desk = desk;
        self.desk.tell_held(&mut self.out);
        self.out.changes.tournament = true;
    }

    /// Sets the limits on how often and how long players may be away.
    pub fn set_break_limits(&mut self, limits: BreakLimits) {
        self.tables.set_break_limits(limits);
    }

    /// Limits the clients of each address, and those of each team with a secret.
    pub fn set_limits(&mut self, addresses: Limits, teams: Limits) {
        self.addresses = Usage::new(addresses);
        self.members = Usage::new(teams);
    }

    /// Sets the teams that have secrets.
    pub fn set_teams(&mut self, teams: Teams) {
        self.teams = teams;
    }

    /// Returns whether a tournament that was running since the start is over, and none of its games is
    /// still being played.
    pub fn is_tournament_over(&self) -> bool {
        let mut games = self.tables.iter().filter_map(Table::unfinished_game);
        self.desk.is_over()
            && !games
                .any(|game| game.scheduled().is_some() && (game.is_playing() || game.is_in_break()))
    }

    /// Returns the phase of the current or last game of a table, given its index.
    pub fn phase(&self, table: usize) -> Option<GamePhase<ReasonOf<P>>> {
        self.tables.get(table)?.phase()
    }

    /// Takes the effects since the last call.
    pub fn take_effects(&mut self) -> Effects<P> {
        let next = Effects {
            immediate: Vec::new(),
            ordered: Vec::with_capacity(USUAL_EFFECTS),
        };
        let effects = mem::replace(&mut self.out.effects, next);
        for effect in &effects.ordered {
            if let OrderedEffect::Deliver(Delivery::Send(client, message)) = effect {
                self.tables.note_said(*client, || Said::To(message.clone()));
            }
        }
        effects
    }

    /// Takes the changes of the page since the last call.
    pub fn take_changes(&mut self) -> Changes {
        let mut changes = mem::take(&mut self.out.changes);
        // Only a running tournament shows them.
        changes.games &= self.desk.running().is_some();
        changes
    }

    /// Returns whether the disk cannot be written.
    pub(super) fn is_disk_failing(&self) -> bool {
        self.failure.is_some()
    }

    pub(super) fn clients(&self) -> &Clients<P> {
        &self.clients
    }

    pub(super) fn tables(&self) -> &Tables<P> {
        &self.tables
    }

    pub(super) fn desk(&self) -> &TournamentDesk {
        &self.desk
    }

    // Clients.

    /// Adds a client that has connected: it is asked for its name, or turned away.
    pub fn connect(&mut self, client: ClientId, address: IpAddr, now: Timestamp) {
        if self.addresses.connect(&address, now.clock).is_err() {
            let why = "there are too many connections from its address";
            self.turned_away = self.turned_away.saturating_add(1);
            if is_logged(self.turned_away) {
                self.out.log_now(LogEvent::Rejected {
                    address: address.to_string(),
                    why: why.into(),
                });
            }
            self.out.deliver(Delivery::Close(client, why));
            return;
        }
        self.clients.connect(client, address);
        self.out.changes.clients.insert(client);
        self.out.log_now(LogEvent::Connected {
            client,
            address: address.to_string(),
        });
        self.out.immediate(ImmediateEffect::AskName(client));
        self.count_message(client, now.clock);
    }

    /// Counts a message of a client. If there are too many from its address or its team, the next
    /// ones are read later.
    fn count_message(&mut self, client: ClientId, now: Duration) {
        if !self.addresses.limits_messages() && !self.members.limits_messages() {
            return;
        }
        let of_address = self.clients.address(client);
        let of_address = of_address.map(|address| self.addresses.count_message(&address, now));
        let member = self.clients.get_named(client);
        let member = member.filter(|member| member.is_proved);
        let of_team = member.map(|member| self.members.count_message(&member.name, now));
        let wait = of_address.max(of_team).unwrap_or_default();
        // Messages may have been read before the client is made to wait: they count, too.
        if !wait.is_zero() && self.clients.make_wait(client, wait, now) {
            self.out.immediate(ImmediateEffect::Wait(client, wait));
        }
    }

    /// Notes what a client has sent, as a line for people. Must be called before
    /// [`Contest::receive`].
    pub fn hear(&mut self, client: ClientId, line: &str) {
        if !line.is_empty() {
            let said = || Said::By(self.teams.without_secrets(line));
            self.tables.note_said(client, said);
        }
    }

    /// Handles a request of a client.
    pub fn receive(
        &mut self,
        client: ClientId,
        request: Result<impl Into<RequestOf<P>>, Fault>,
        now: Timestamp,
    ) {
        if !self.clients.contains(client) {
            return;
        }
        self.count_message(client, now.clock);
        match request.map(Into::into) {
            Ok(Request::Move { played, outside }) => {
                self.play(client, played, outside, now);
            }
            Ok(Request::Name {
                name,
                dialect,
                secret,
            }) => self.introduce(client, name, secret, dialect, now),
            Err(fault) => {
                match &fault {
                    Fault::Malformed(_) => self.clients.count_malformed(client),
                    Fault::Move { why, .. } => self.reject_move(client, why, now),
                    Fault::Unknown(_) => {}
                }
                self.ignore(client, fault.to_string());
            }
        }
        if let Some(why) = self.clients.reason_to_close(client) {
            self.disconnect_for(client, why, now);
        }
        self.tables.update_changed(now, &mut self.out);
    }

    /// Closes the connection of a client, which reads why in the close frame.
    fn disconnect_for(&mut self, client: ClientId, why: &'static str, now: Timestamp) {
        self.out.deliver(Delivery::Close(client, why));
        self.remove(client, why, now.clock, now);
    }

    /// Removes a client that has left. Its game is interrupted, and may go on when the
    /// player is back.
    pub fn disconnect(&mut self, client: ClientId, why: &str, now: Timestamp) {
        self.disconnect_silent(client, why, now.clock, now);
    }

    /// Removes a client that was last heard from at `heard`. If it was to move, the time since
    /// then is given back to its clock.
    pub fn disconnect_silent(
        &mut self,
        client: ClientId,
        why: &str,
        heard: Duration,
        now: Timestamp,
    ) {
        self.remove(client, why, heard, now);
        self.tables.update_changed(now, &mut self.out);
    }

    fn ignore_misplaced(&mut self, client: ClientId, request: Misplaced) {
        self.ignore(client, P::describe(request).to_owned());
    }

    /// Counts and logs an ignored message. The client gets no answer, because some clients
    /// disconnect when they receive a message that they do not know.
    fn ignore(&mut self, client: ClientId, why: String) {
        let Some(count) = self.clients.count_ignored(client) else {
            return;
        };
        if is_logged(count) {
            let name = self.clients.name(client);
            let why = match count {
                ..=20 => why,
                _ => format!("{why} ({count} ignored so far)"),
            };
            self.out.log_now(LogEvent::Refused { client, name, why });
        }
    }

    fn introduce(
        &mut self,
        client: ClientId,
        name: String,
        secret: Option<String>,
        dialect: P::Dialect,
        now: Timestamp,
    ) {
        if self.clients.get_named(client).is_some() {
            self.ignore_misplaced(client, Misplaced::SecondName);
            return;
        }
        let given = Name::from(name);
        let (name, is_proved) = match self.teams.identify(given, secret.as_deref()) {
            Ok(identified) => identified,
            Err(error) => {
                let why = P::rejection(&error);
                let address = self.clients.address(client);
                let from = address.map_or_else(String::new, |address| format!(" from {address}"));
                self.ignore(client, format!("a NAME{from} {error}: it is rejected"));
                self.out.deliver(Delivery::Reject(client, why));
                self.remove(client, why, now.clock, now);
                return;
            }
        };
        if is_proved && self.members.connect(&name, now.clock).is_err() {
            // One of the others may be dead.
            self.ping_others(client, &name, now);
            self.disconnect_for(client, "the team has too many connections", now);
            return;
        }
        if is_proved {
            let joined = ImmediateEffect::Joined(client, name.clone());
            self.out.immediate(joined);
        }
        self.clients
            .introduce(client, name.clone(), is_proved, dialect);
        self.out.changes.clients.insert(client);
        self.show_presence(&name);
        self.ping_others(client, &name, now);
        self.out.log_now(LogEvent::Named {
            client,
            name: name.to_string(),
            protocol: dialect.to_string(),
        });
        let others = self.clients.with_name(&name).map(|other| other.client);
        let others = others.filter(|&other| other != client);
        let others: Vec<ClientId> = others.take(MAX_LISTED).collect();
        if !others.is_empty() {
            self.out.log_now(LogEvent::SameName {
                client,
                name: name.to_string(),
                others,
            });
        }
        if self.tables.seats_of_absent(&name).next().is_some() {
            self.welcome_back(client, now);
            self.log_kept_seat(&name);
        }
        self.pair(now);
    }

    /// Pings the other clients of a name: their connections may be dead.
    fn ping_others(&mut self, newcomer: ClientId, name: &Name, now: Timestamp) {
        for ping in self.clients.ping_others(newcomer, name, now.clock) {
            self.out.immediate(ImmediateEffect::Ping(ping));
        }
    }

    /// Gives a returning client the empty seat of its name, in a game that is interrupted or
    /// goes on without the player. Resumes an interrupted game, unless the organizer paused it.
    /// Returns the seat.
    fn welcome_back(&mut self, client: ClientId, now: Timestamp) -> Option<Seat> {
        let player = self.clients.get_named(client)?.clone();
        let seat = self.tables.seat_to_return_to(&player)?;
        let index = seat.table;
        self.tables
            .seat(index, seat.color, Some(player), &mut self.out);
        let game = self.tables.get(index).and_then(Table::game)?;
        if game.is_paired() {
            self.clients.set_paired(client, true);
        }
        match game.phase() {
            GamePhase::Playing => self.tables.rejoin(seat, now, &mut self.out),
            GamePhase::Interrupted(WaitsFor::Players) => {
                self.tables.update_wait(index, now, &mut self.out);
                // If only one player is back, the game waits.
                let _ = self.tables.resume(index, now, &mut self.out);
            }
            _ => {}
        }
        Some(seat)
    }

    fn remove(&mut self, client: ClientId, why: &str, heard: Duration, now: Timestamp) {
        // If the flag has fallen, the player has lost before this.
        if let Some(seat) = self.tables.seat_of(client) {
            self.check_flag(seat.table, now);
        }
        if !self.clients.contains(client) {
            return;
        }
        if let Some(address) = self.clients.address(client) {
            self.addresses.disconnect(&address, now.clock);
        }
        let named = self.clients.get_named(client);
        if let Some(member) = named.filter(|named| named.is_proved) {
            self.members.disconnect(&member.name, now.clock);
        }
        let name = self.clients.remove(client);
        self.tables.end_grace(client);
        self.out.changes.clients.insert(client);
        if let Some(name) = &name {
            self.show_presence(name);
        }
        self.out.log_now(LogEvent::Left {
            client,
            name: name.as_ref().map(ToString::to_string),
            why: why.to_owned(),
        });
        if let Some(seat) = self.tables.vacate(client, &mut self.out) {
            self.tables.begin_break(seat, heard, now, &mut self.out);
            // The player may be back already, before the old connection was found dead.
            if let Some(name) = &name
                && let Some((again, Seat { table, color })) = self.returned(name)
            {
                let number = self.tables.get(table).map_or(0, Table::number);
                self.out.log(LogEvent::TakenOver {
                    table: number,
                    side: color,
                    name: name.to_string(),
                    client: again,
                    before: client,
                });
                self.welcome_back(again, now);
            }
            if let Some(name) = &name {
                self.log_kept_seat(name);
            }
        }
        self.pair(now);
    }

    /// Returns the clients with a name that have no seat.
    fn unseated(&self, name: &Name) -> impl Iterator<Item = &NamedClient<P>> {
        let clients = self.clients.with_name(name);
        clients.filter(|player| self.tables.seat_of(player.client).is_none())
    }

    /// Returns a client with the name of an absent player that may have the player's seat.
    fn returned(&self, name: &Name) -> Option<(ClientId, Seat)> {
        let mut clients = self.unseated(name);
        clients.find_map(|player| Some((player.client, self.tables.seat_to_return_to(player)?)))
    }

    /// Logs that the seat of an absent player is kept for another address than that of a client
    /// with the player's name, if there is one.
    fn log_kept_seat(&mut self, name: &Name) {
        let client = self.unseated(name).last().map(|player| player.client);
        let Some(client) = client else {
            return;
        };
        let kept = self
            .tables
            .seats_of_absent(name)
            .find_map(|(seat, address)| {
                Some((self.tables.get(seat.table)?.number(), seat.color, address?))
            });
        if let Some((table, side, address)) = kept {
            self.out.log(LogEvent::Kept {
                table,
                side,
                name: name.to_string(),
                client,
                address: address.to_string(),
            });
        }
    }

    /// Marks what the page shows differently when a client with a name connects or
    /// disconnects: the tables that still show the name, and the tournament.
    fn show_presence(&mut self, name: &Name) {
        let shows = |game: &LiveGame<P>| game.has_player(name);
        for (index, table) in self.tables.iter().enumerate() {
            if table.game().is_some_and(shows) {
                self.out.changes.tables.insert(index);
            }
        }
        self.out.changes.games = true;
    }

    /// Plays a move of a client. A point that is outside of every board is logged as it came
    /// (`outside`).
    fn play(
        &mut self,
        client: ClientId,
        played: MoveOf<P>,
        outside: Option<String>,
        now: Timestamp,
    ) {
        let Some(seat) = self.tables.seat_of(client) else {
            return self.move_without_game(client, now);
        };
        let index = seat.table;
        // A move that comes after the flag has fallen is too late. The next game of the
        // table may have begun, with other players.
        if self.check_flag(index, now) {
            return self.move_without_game(client, now);
        }
        match self.tables.play_at(seat, played, now, &mut self.out) {
            Ok(finished) => {
                self.clients.reset_illegal(client);
                if let Some(finished) = finished {
                    self.finish(index, finished, now);
                }
            }
            Err(MoveRefusal::NoGame) => self.move_without_game(client, now),
            Err(MoveRefusal::OutOfTurn) => {
                self.ignore_misplaced(client, Misplaced::MoveOutOfTurn);
            }
            Err(MoveRefusal::Illegal(why, remaining_time)) => {
                if is_logged(self.clients.count_illegal(client))
                    && let Some(table) = self.tables.get(index)
                    && let Some(game) = table.game()
                {
                    self.out.log_now(LogEvent::Invalid {
                        table: table.number(),
                        game: game.id(),
                        side: seat.color,
                        played: outside.unwrap_or_else(|| table.move_text(played)),
                        why: why.clone(),
                    });
                }
                self.refuse(seat, &why, remaining_time);
            }
        }
    }

    /// Refuses a move that cannot be read, if it is the client's turn.
    fn reject_move(&mut self, client: ClientId, why: &str, now: Timestamp) {
        let Some(seat) = self.tables.seat_of(client) else {
            return;
        };
        // After the flag has fallen, the next game of the table may have begun.
        if self.check_flag(seat.table, now) {
            return;
        }
        let table = self.tables.get(seat.table);
        if let Some(left) = table.and_then(|table| table.clocks_in_turn(seat.color, now)) {
            self.refuse(seat, why, left);
        }
    }

    /// Tells a player why a move is refused.
    fn refuse(&mut self, seat: Seat, why: &str, left: ByColor<Millis>) {
        if let Some(table) = self.tables.get(seat.table) {
            let notice = Notice::Refused(why, left);
            table.say(seat.color, notice, &mut self.out);
        }
    }

    /// Handles a move of a client that plays no game: a stale move in its grace period, or a
    /// fault.
    fn move_without_game(&mut self, client: ClientId, now: Timestamp) {
        if self.tables.end_grace(client) {
            self.pair(now);
        } else {
            self.ignore_misplaced(client, Misplaced::MoveWithoutGame);
        }
    }

    // Time.

    /// Returns when [`Contest::tick`] is due: a flag falls, a grace period ends, the wait
    /// for a player ends, or an absent player forfeits a game.
    pub fn next_deadline(&self) -> Option<Duration> {
        let next = [self.tables.next_deadline(), self.desk.next_deadline()];
        next.into_iter().flatten().min()
    }

    /// Ends the games whose flags have fallen, and continues those whose wait for a player
    /// is over.
    pub fn tick(&mut self, now: Timestamp) {
        for index in self.tables.with_passed_deadlines(now.clock) {
            self.check_flag(index, now);
            self.tables.update_wait(index, now, &mut self.out);
            self.tables.mark_changed(index);
        }
        self.tables.end_graces(now.clock);
        self.pair(now);
        self.tables.update_changed(now, &mut self.out);
    }

    /// Notes that the server was stalled for `stall`, which its clock left out. A game that gets
    /// back too much time by this is paused.
    pub fn note_stall(&mut self, stall: Duration, now: Timestamp) {
        let stall_ms = u64::try_from(stall.as_millis()).unwrap_or(u64::MAX);
        self.out.log_now(LogEvent::Stalled { stall_ms });
        self.tables.count_stall(stall, now, &mut self.out);
        self.tables.update_changed(now, &mut self.out);
    }

    /// Ends the game at a table if its flag has fallen. Returns whether it has.
    fn check_flag(&mut self, index: usize, now: Timestamp) -> bool {
        let Some(finished) = self.tables.check_flag_at(index, now, &mut self.out) else {
            return false;
        };
        self.finish(index, finished, now);
        true
    }

    /// Starts the clock of the player to move. Must be called for each
    /// [`Delivery::StartClock`].
    pub fn start_clock(&mut self, table: usize, game: GameId, moves: usize, clock: Duration) {
        self.tables.start_clock_at(table, game, moves, clock);
    }

    /// Hands a finished game to the tournament and to the records, and frees the seats of players
    /// who were paired.
    fn finish(&mut self, index: usize, finished: FinishedGame<P::Game>, now: Timestamp) {
        self.record(finished, true);
        let game = self.tables.get(index).and_then(Table::game);
        if game.is_some_and(LiveGame::is_paired) {
            self.tables.vacate_both(index, &mut self.out);
            self.pair(now);
        }
    }

    /// Hands a finished game to the records, and its result to the tournament, which may have it
    /// already. `is_news` is whether it was not over at the start of the server.
    fn record(&mut self, finished: FinishedGame<P::Game>, is_news: bool) {
        let result = finished.scheduled.clone().zip(finished.event());
        let over = Delivery::Over(finished.game);
        let has_result = finished.outcome.is_some();
        self.out.write(Write::Record(Box::new(finished)));
        if is_news && has_result {
            self.out.deliver(over);
        }
        if let Some((place, event)) = result {
            // The disk reports one that does not count.
            let _ = self.desk.take_result(&place, &event, &mut self.out);
        }
    }

    /// Sets the settings of the next game of a table, given its index.
    pub fn configure(&mut self, table: usize, setup: Arc<SetupOf<P>>) {
        if let Some(table) = self.tables.touch_mut(table) {
            table.configure(setup, &mut self.out);
        }
    }

    /// Interrupts all games because the server stops. They go on when it is back.
    pub fn close(&mut self, now: Timestamp) {
        self.tick(now);
        // Free clients are not paired any more.
        self.auto = false;
        self.desk = TournamentDesk::default();
        for index in 0..self.tables.len() {
            if let Some(table) = self.tables.touch_mut(index) {
                table.interrupt(WaitsFor::Players, "the server stops", now, &mut self.out);
            }
        }
        self.tables.update_changed(now, &mut self.out);
    }
}
