//! A whole contest: clients, tables, and the tournament desk, and how an input goes from
//! one to the other. Pure: inputs and the time go in, effects come out.

use std::collections::BTreeSet;
use std::mem;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::attendance::{ContestAttendance, free_clients};
use super::clients::{ClientId, Clients, Name, NamedClient};
use super::desk::TournamentDesk;
use super::effects::{Changes, Delivery, Effects, ImmediateEffect, Output, Timestamp, Write};
use super::game::{BreakLimits, FinishedGame, GameId, GamePhase, LiveGame};
use super::journal::{Entry, RestoreError, replay, unfinished};
use super::log::LogEvent;
use super::organizer::{CommandError, OrganizerCommand};
use super::setup::GameSetup;
use super::table::{MoveRefusal, Table};
use super::tables::{Seat, Tables};
use super::teams::Teams;
use super::wire::{ClientMessage, Fault, Protocol, ServerMessage, WireReason};
use crate::contests::limits::{Limits, Usage};
use crate::games::go::{ByColor, Color, Move};
use crate::pages::web::is_logged;
use crate::tournament::{
    self, Event, Forfeit, ForfeitClocks, GameNumber, Plan, Settings, Tournament,
};

/// Lists at most this many other connections of a name in the log.
const MAX_LISTED: usize = 5;

/// The time between two attempts to write to a disk that has failed.
pub const DISK_RETRY: Duration = Duration::from_secs(2);

/// At least as many ordered effects as a move has.
const USUAL_EFFECTS: usize = 6;

/// A contest.
///
/// After each input, the caller performs the effects that [`Contest::take_effects`] returns.
#[derive(Debug)]
pub struct Contest {
    clients: Clients,
    tables: Tables,
    desk: TournamentDesk,
    teams: Teams,
    /// The connections from each address, and those of each team with a secret.
    addresses: Usage<IpAddr>,
    members: Usage<Name>,
    /// The number of connections that were turned away.
    turned_away: u32,
    /// Whether clients are paired as they arrive.
    auto: bool,
    /// The failure of the disk, as long as nothing can be written.
    failure: Option<DiskFailure>,
    /// How long the games of the tournament have waited for absent players; `None` if they wait
    /// without limit.
    forfeits: Option<ForfeitClocks>,
    out: Output,
}

/// A failure of the disk.
#[derive(Debug)]
struct DiskFailure {
    why: String,
    since: Duration,
    /// The games that go on when the disk can be written again. Others are paused by the organizer.
    waiting: BTreeSet<GameId>,
}

impl Contest {
    /// Creates a contest without clients, with one table for each of the settings. With
    /// `auto`, clients are paired as they arrive.
    pub fn new(setups: Vec<Arc<GameSetup>>, auto: bool) -> Contest {
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
            forfeits: None,
            out,
        }
    }

    /// Plans a tournament, which begins when enough players are connected.
    pub fn plan(&mut self, plan: Plan) {
        self.desk.plan(plan);
    }

    /// Continues a tournament, and logs it. One that is over is only shown.
    pub fn continue_tournament(&mut self, tournament: Tournament) {
        self.desk.resume(tournament, &mut self.out);
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

    /// Sets the time after which a player who is absent forfeits a game of the tournament.
    pub fn set_forfeit_after(&mut self, time: Duration) {
        self.forfeits = Some(ForfeitClocks::new(time));
    }

    /// Treats the last tournament as the one that this run was started for.
    pub fn count_last_tournament(&mut self) {
        self.desk.count_last();
    }

    /// Returns whether a tournament that was running since the start is over.
    pub fn is_tournament_over(&self) -> bool {
        self.desk.is_over()
    }

    /// Returns the phase of the current or last game of a table, given its index.
    pub fn phase(&self, table: usize) -> Option<GamePhase> {
        self.tables.get(table)?.phase()
    }

    /// Takes the effects since the last call.
    pub fn take_effects(&mut self) -> Effects {
        let next = Effects {
            immediate: Vec::new(),
            ordered: Vec::with_capacity(USUAL_EFFECTS),
        };
        mem::replace(&mut self.out.effects, next)
    }

    /// Takes the changes of the page since the last call.
    pub fn take_changes(&mut self) -> Changes {
        let mut changes = mem::take(&mut self.out.changes);
        changes.games &= self.desk.running().is_some();
        changes
    }

    /// Returns whether the disk cannot be written.
    pub(super) fn is_disk_failing(&self) -> bool {
        self.failure.is_some()
    }

    pub(super) fn clients(&self) -> &Clients {
        &self.clients
    }

    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }

    pub(super) fn desk(&self) -> &TournamentDesk {
        &self.desk
    }

    /// Returns the time after which a player who is absent forfeits a game of the tournament.
    pub(super) fn forfeit_after(&self) -> Option<Duration> {
        self.forfeits.as_ref().map(ForfeitClocks::limit)
    }

    /// Returns the games that are forfeited if nothing changes, as [`ForfeitClocks::deadlines`] does.
    pub(super) fn deadlines(
        &self,
    ) -> impl Iterator<Item = (GameNumber, ByColor<Option<Duration>>)> {
        self.forfeits.iter().flat_map(ForfeitClocks::deadlines)
    }

    // Clients.

    /// Adds a client that has connected: it is asked for its name, or turned away.
    pub fn connect(&mut self, client: ClientId, address: IpAddr, now: Timestamp) {
        if self.addresses.connect(&address, now.clock).is_err() {
            let why = "there are too many connections from its address";
            self.turned_away = self.turned_away.saturating_add(1);
            if is_logged(self.turned_away) {
                self.out.log(LogEvent::TurnedAway {
                    address: address.to_string(),
                    why: why.into(),
                });
            }
            self.out.deliver(Delivery::Close(client, why));
            return;
        }
        self.clients.connect(client, address);
        self.out.changes.clients.insert(client);
        self.out.log(LogEvent::Connected {
            client,
            address: address.to_string(),
        });
        self.out.immediate(ImmediateEffect::AskName(client));
    }

    /// Handles a message of a client.
    pub fn receive(
        &mut self,
        client: ClientId,
        frame: Result<ClientMessage, Fault>,
        now: Timestamp,
    ) {
        if !self.clients.contains(client) {
            return;
        }
        match frame {
            Ok(ClientMessage::Move { played, outside }) => {
                self.play(client, played, outside, now);
            }
            Ok(ClientMessage::Name {
                name,
                protocol,
                secret,
            }) => self.introduce(client, name, secret, protocol, now),
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
            self.out.log(LogEvent::Refused { client, name, why });
        }
    }

    fn introduce(
        &mut self,
        client: ClientId,
        name: String,
        secret: Option<String>,
        protocol: Protocol,
        now: Timestamp,
    ) {
        if self.clients.get_named(client).is_some() {
            self.ignore(client, "a second NAME".into());
            return;
        }
        let given = Name::from(name);
        let (name, is_proved) = match self.teams.identify(given, secret.as_deref()) {
            Ok(identified) => identified,
            Err(error) => {
                // The name may be a secret, or have one in it.
                self.ignore(
                    client,
                    format!("a NAME that is rejected: {}", error.reason()),
                );
                self.out.deliver(Delivery::Reject(client, error.reason()));
                self.remove(client, error.reason(), now.clock, now);
                return;
            }
        };
        if is_proved && self.members.connect(&name, now.clock).is_err() {
            // One of the others may be dead.
            self.ping_others(client, &name, now);
            self.disconnect_for(client, "the team has too many connections", now);
            return;
        }
        self.clients
            .introduce(client, name.clone(), is_proved, protocol);
        self.out.changes.clients.insert(client);
        self.show_presence(&name);
        self.ping_others(client, &name, now);
        self.out.log(LogEvent::Named {
            client,
            name: name.to_string(),
            protocol: protocol.to_string(),
        });
        let others = self.clients.with_name(&name).map(|other| other.client);
        let others = others.filter(|&other| other != client);
        let others: Vec<ClientId> = others.take(MAX_LISTED).collect();
        if !others.is_empty() {
            self.out.log(LogEvent::SameName {
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
            GamePhase::Interrupted(WireReason::Error) => {
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
        self.out.log(LogEvent::Left {
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
    fn unseated(&self, name: &Name) -> impl Iterator<Item = &NamedClient> {
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
        let shows = |game: &LiveGame| game.has_player(name);
        for (index, table) in self.tables.iter().enumerate() {
            if table.game().is_some_and(shows) {
                self.out.changes.tables.insert(index);
            }
        }
        self.out.changes.games = true;
    }

    /// Plays a move of a client. A point that is outside of every board is logged as it came
    /// (`outside`).
    fn play(&mut self, client: ClientId, played: Move, outside: Option<String>, now: Timestamp) {
        let Some(seat) = self.tables.seat_of(client) else {
            return self.move_without_game(client, now);
        };
        let index = seat.table;
        // A move that comes after the flag has fallen is too late. The next game of the
        // table may have begun, with other players.
        if self.check_flag(index, now) {
            return self.move_without_game(client, now);
        }
        match self.tables.play(seat, played, now, &mut self.out) {
            Ok(finished) => {
                self.clients.reset_illegal(client);
                if let Some(finished) = finished {
                    self.finish(index, finished, now);
                }
            }
            Err(MoveRefusal::NoGame) => self.move_without_game(client, now),
            Err(MoveRefusal::OutOfTurn) => self.ignore(client, "a MOVE out of turn".into()),
            Err(MoveRefusal::Illegal(why, remaining_time)) => {
                if is_logged(self.clients.count_illegal(client))
                    && let Some(table) = self.tables.get(index)
                {
                    self.out.log(LogEvent::Invalid {
                        table: table.number(),
                        side: seat.color,
                        played: outside.unwrap_or_else(|| table.move_text(played)),
                        why: why.to_string(),
                    });
                }
                let message = ServerMessage::Invalid {
                    message: why.to_string(),
                    remaining_time,
                };
                self.out.send(client, message);
            }
        }
    }

    /// Answers a MOVE whose move cannot be read with INVALID, if it is the client's turn.
    fn reject_move(&mut self, client: ClientId, why: &str, now: Timestamp) {
        let Some(Seat { table, color }) = self.tables.seat_of(client) else {
            return;
        };
        // After the flag has fallen, the next game of the table may have begun.
        if self.check_flag(table, now) {
            return;
        }
        let table = self.tables.get(table);
        if let Some(remaining_time) = table.and_then(|table| table.clocks_in_turn(color, now)) {
            let message = ServerMessage::Invalid {
                message: why.to_owned(),
                remaining_time,
            };
            self.out.send(client, message);
        }
    }

    /// Handles a move of a client that plays no game: a stale move in its grace period, or a
    /// fault.
    fn move_without_game(&mut self, client: ClientId, now: Timestamp) {
        if self.tables.end_grace(client) {
            self.pair(now);
        } else {
            self.ignore(client, "a MOVE without a game".into());
        }
    }

    // Time.

    /// Returns when [`Contest::tick`] is due: a flag falls, a grace period ends, the wait
    /// for a player ends, or an absent player forfeits a game.
    pub fn next_deadline(&self) -> Option<Duration> {
        let forfeit = self
            .forfeits
            .as_ref()
            .and_then(ForfeitClocks::next_deadline);
        let next = [self.tables.next_deadline(), forfeit];
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
        self.out.log(LogEvent::Stalled { stall_ms });
        self.tables.note_stall(stall, now, &mut self.out);
        self.tables.update_changed(now, &mut self.out);
    }

    /// Ends the game at a table if its flag has fallen. Returns whether it has.
    fn check_flag(&mut self, index: usize, now: Timestamp) -> bool {
        let Some(finished) = self.tables.check_flag(index, now, &mut self.out) else {
            return false;
        };
        self.finish(index, finished, now);
        true
    }

    /// Starts the clock of the player to move. Must be called for each
    /// [`Delivery::StartClock`].
    pub fn start_clock(&mut self, table: usize, game: GameId, moves: usize, clock: Duration) {
        self.tables.start_clock(table, game, moves, clock);
    }

    /// Hands a finished game to the tournament and to the records.
    fn finish(&mut self, index: usize, finished: FinishedGame, now: Timestamp) {
        self.desk.take_result(&finished, &mut self.out);
        self.out.write(Write::Record(Box::new(finished)));
        let game = self.tables.get(index).and_then(Table::game);
        if game.is_some_and(LiveGame::is_paired) {
            self.tables.vacate_both(index, &mut self.out);
            self.pair(now);
        }
    }

    // Pairing.

    /// Starts the games that can start: of the tournament, or with `auto` of the clients that wait,
    /// two by two in order of arrival. Each connection gets one game, so that the last two do not
    /// play each other forever. Then forfeits the games whose players have been absent for too
    /// long.
    fn pair(&mut self, now: Timestamp) {
        if self.failure.is_some() {
            return;
        }
        self.start_games(now);
        // A forfeit may end a round, so that the games of the next one start.
        while self.forfeit_games(now) {
            self.start_games(now);
        }
    }

    fn start_games(&mut self, now: Timestamp) {
        if let Some(settings) = self.desk.due_plan(self.clients.named_count()) {
            match self.begin_tournament(settings) {
                Ok(()) => self.desk.end_plan(),
                Err(why) => {
                    let what = format!("the tournament does not begin: {why}");
                    self.desk.complain(what, &mut self.out);
                }
            }
        }
        if self.desk.running().is_some() {
            self.pair_tournament(now);
        } else if self.auto {
            self.pair_waiting(now);
        }
    }

    fn pair_waiting(&mut self, now: Timestamp) {
        let mut from = 0;
        while let Some(index) = self.tables.first_empty(from) {
            let is_waiting = |player: &&NamedClient| self.tables.seat_of(player.client).is_none();
            let mut waiting = self.clients.unpaired().filter(is_waiting);
            let (Some(first), Some(second)) = (waiting.next(), waiting.next()) else {
                return;
            };
            let players = ByColor::new(first.clone(), second.clone());
            drop(waiting);
            for color in Color::ALL {
                let player = players[color].clone();
                self.clients.set_paired(player.client, true);
                self.tables.seat(index, color, Some(player), &mut self.out);
            }
            // Both players are there, and the table is free.
            let _ = self.tables.start(index, None, true, now, &mut self.out);
            from = index;
        }
    }

    fn pair_tournament(&mut self, now: Timestamp) {
        self.desk.pair_rounds(&mut self.out);
        let Some(mut index) = self.tables.first_free(0) else {
            return;
        };
        let mut free = free_clients(&self.clients, &self.tables);
        let games = self.desk.startable(|name| free.contains_key(name));
        for scheduled in games {
            let players =
                [&scheduled.black, &scheduled.white].map(|name| free.remove(name.as_str()));
            let [Some(black), Some(white)] = players else {
                continue;
            };
            self.tables.vacate_both(index, &mut self.out);
            for (color, player) in [(Color::Black, black), (Color::White, white)] {
                self.tables
                    .seat(index, color, Some(player.clone()), &mut self.out);
            }
            let started = self
                .tables
                .start(index, Some(scheduled), true, now, &mut self.out);
            if let Err(why) = started {
                self.desk.complain(why.to_string(), &mut self.out);
            }
            match self.tables.first_free(index) {
                Some(next) => index = next,
                None => return,
            }
        }
    }

    /// Forfeits the games whose players have been absent for too long. Returns whether there is
    /// one.
    fn forfeit_games(&mut self, now: Timestamp) -> bool {
        let Some(clocks) = self.forfeits.as_mut() else {
            return false;
        };
        let Some(running) = self.desk.running() else {
            clocks.clear();
            return false;
        };
        let attendance = ContestAttendance::new(&self.clients, &self.tables);
        let before: Vec<_> = clocks.deadlines().collect();
        let forfeits = clocks.update(running, &attendance, now.clock);
        // The page counts down to them.
        self.out.changes.games |= !clocks.deadlines().eq(before);
        let mut is_changed = false;
        for forfeit in &forfeits {
            is_changed |= self.forfeit_game(forfeit, now);
        }
        is_changed
    }

    /// Forfeits a game. It is void if it has begun. Returns whether the tournament has changed.
    fn forfeit_game(&mut self, forfeit: &Forfeit, now: Timestamp) -> bool {
        self.out.log(LogEvent::Tournament {
            what: forfeit.to_string(),
        });
        if let Err(why) = self.desk.apply(forfeit.event(), &mut self.out) {
            self.desk.complain(why.to_string(), &mut self.out);
            return false;
        }
        let is_meant = |game: &LiveGame| game.scheduled() == Some(&forfeit.scheduled);
        self.tables.void_all(is_meant, now, &mut self.out);
        true
    }

    // Commands of the organizer.

    /// Carries out a command of the organizer.
    ///
    /// # Errors
    /// It cannot be carried out now.
    pub fn run_command(
        &mut self,
        command: &OrganizerCommand,
        now: Timestamp,
    ) -> Result<(), CommandError> {
        // If a flag has fallen, the player has lost before this.
        self.tick(now);
        if let Some(failure) = &self.failure
            && !matches!(command, OrganizerCommand::Disconnect { .. })
        {
            return Err(CommandError::DiskFails(failure.why.clone()));
        }
        let done = self.dispatch(command, now);
        self.tables.update_changed(now, &mut self.out);
        self.pair(now);
        self.tables.update_changed(now, &mut self.out);
        done
    }

    /// Passes a command to the part of the contest that it is for.
    fn dispatch(&mut self, command: &OrganizerCommand, now: Timestamp) -> Result<(), CommandError> {
        let (tables, out) = (&mut self.tables, &mut self.out);
        match *command {
            OrganizerCommand::Tournament(ref settings) => self.begin_tournament(settings.clone()),
            OrganizerCommand::Withdraw { ref name } => self.withdraw(name, now),
            OrganizerCommand::EndTournament => self.desk.apply(
                Event::Ended {
                    reason: "the organizer ended it".into(),
                },
                out,
            ),
            OrganizerCommand::Assign {
                table,
                color,
                client,
            } => self.assign(table, color, client),
            OrganizerCommand::Swap { table } => tables.swap(tables.index(table)?, out),
            OrganizerCommand::Start { table } => {
                tables.start(tables.index(table)?, None, false, now, out)
            }
            OrganizerCommand::Pause { table } => tables.pause(tables.index(table)?, now, out),
            OrganizerCommand::Resume { table } => tables.resume(tables.index(table)?, now, out),
            OrganizerCommand::Clear { table } => tables.clear(tables.index(table)?, now, out),
            OrganizerCommand::Adjourn { table } => self.adjourn(table, now),
            OrganizerCommand::Free { table, color } => self.free(table, color, now),
            OrganizerCommand::Recall { table, game } => self.recall(table, game),
            OrganizerCommand::Disconnect { client } => self.close_connection(client, now),
        }
    }

    fn assign(
        &mut self,
        number: u16,
        color: Color,
        client: Option<ClientId>,
    ) -> Result<(), CommandError> {
        let index = self.tables.index(number)?;
        let check_not_playing = |index| {
            self.tables
                .get(index)
                .map_or(Ok(()), Table::check_not_playing)
        };
        check_not_playing(index)?;
        let Some(client) = client else {
            self.tables.seat(index, color, None, &mut self.out);
            self.out.log(LogEvent::Unseated {
                table: number,
                side: color,
            });
            return Ok(());
        };
        if !self.clients.contains(client) {
            return Err(CommandError::ClientGone(client));
        }
        let player = self.clients.get_named(client);
        let player = player.ok_or(CommandError::ClientNameless(client))?.clone();
        if let Some(seat) = self.tables.seat_of(client) {
            check_not_playing(seat.table)?;
        }
        let name = player.name.to_string();
        self.tables.seat(index, color, Some(player), &mut self.out);
        self.out.log(LogEvent::Seated {
            table: number,
            side: color,
            name,
        });
        Ok(())
    }

    fn adjourn(&mut self, number: u16, now: Timestamp) -> Result<(), CommandError> {
        let index = self.tables.index(number)?;
        let adjourned = self.tables.adjourn(index, now, &mut self.out)?;
        if let Some(game) = adjourned
            && game.scheduled().is_some()
            && self.desk.running().is_some()
        {
            let ByColor { black, white } = game.names().as_ref().map(Name::isolated);
            let what = format!(
                "the tournament waits for game {}, {black} - {white}: recall it to a table, \
                 so that the rounds go on",
                game.id()
            );
            self.out.changes.games = true;
            self.out.log(LogEvent::Tournament { what });
        }
        Ok(())
    }

    /// Frees the seat of an absent player, and gives it to a client of that name, if there is
    /// one.
    fn free(&mut self, number: u16, color: Color, now: Timestamp) -> Result<(), CommandError> {
        let table = self.tables.index(number)?;
        let name = self.tables.free(Seat { table, color }, &mut self.out)?;
        if let Some((client, _)) = name.and_then(|name| self.returned(&name)) {
            self.welcome_back(client, now);
        }
        Ok(())
    }

    fn recall(&mut self, number: u16, game: GameId) -> Result<(), CommandError> {
        let index = self.tables.index(number)?;
        let names = self.tables.recall(index, game, &mut self.out)?;
        for color in Color::ALL {
            self.seat_by_name(index, color, &names[color]);
        }
        Ok(())
    }

    /// Gives a seat to a client of a name, if one has no seat: to one with the address that the
    /// seat is kept for, if there is one.
    fn seat_by_name(&mut self, index: usize, color: Color, name: &Name) {
        let kept = self.tables.get(index).and_then(Table::game);
        let kept = kept.and_then(|game| game.address(color));
        let players = self.unseated(name);
        if let Some(player) = players.min_by_key(|player| Some(player.address) != kept) {
            let player = player.clone();
            self.tables.seat(index, color, Some(player), &mut self.out);
        }
    }

    fn close_connection(&mut self, client: ClientId, now: Timestamp) -> Result<(), CommandError> {
        if !self.clients.contains(client) {
            return Err(CommandError::ClientGone(client));
        }
        self.disconnect_for(client, "the organizer disconnected it", now);
        Ok(())
    }

    /// Begins a tournament of all clients that have sent their names.
    fn begin_tournament(&mut self, settings: Settings) -> Result<(), CommandError> {
        let mut unfinished = self.tables.unfinished();
        if self.desk.running().is_none()
            && let Some(game) = unfinished.find(|game| game.scheduled().is_some())
        {
            return Err(CommandError::LastTournamentGame(game.id()));
        }
        drop(unfinished);
        let players = self.clients.named().map(|client| &client.name);
        self.desk.begin(settings, players, &mut self.out)
    }

    /// Withdraws a player from the tournament: the player forfeits all games that have no
    /// result, and those that were interrupted are void.
    fn withdraw(&mut self, name: &str, now: Timestamp) -> Result<(), CommandError> {
        let player: tournament::Name = name.parse().map_err(|why| CommandError::BadName {
            name: name.to_owned(),
            why,
        })?;
        let is_theirs = |game: &LiveGame| {
            let scheduled = game.scheduled();
            scheduled.is_some_and(|scheduled| scheduled.has(&player))
        };
        let mut games = self.tables.unfinished().filter(|game| is_theirs(game));
        if let Some(game) = games.find(|game| game.is_playing()) {
            return Err(CommandError::InGame {
                name: name.to_owned(),
                game: game.id(),
            });
        }
        drop(games);
        let withdrawal = Event::Withdrawal {
            player: player.clone(),
            reason: "the organizer withdrew the player".into(),
        };
        self.desk.apply(withdrawal, &mut self.out)?;
        self.tables.void_all(is_theirs, now, &mut self.out);
        Ok(())
    }

    // The life of the server.

    /// Sets the settings of the next game of a table, given its index.
    pub fn configure(&mut self, table: usize, setup: Arc<GameSetup>) {
        self.tables.configure(table, setup, &mut self.out);
    }

    /// Interrupts all games because the server stops. They go on when it is back.
    pub fn close(&mut self, now: Timestamp) {
        self.tick(now);
        // Free clients are not paired any more.
        self.auto = false;
        self.desk = TournamentDesk::default();
        for index in 0..self.tables.len() {
            self.tables.interrupt(
                index,
                WireReason::Error,
                "the server stops",
                now,
                &mut self.out,
            );
        }
        self.tables.update_changed(now, &mut self.out);
    }

    /// Puts the games of a journal back on their tables, where they wait for their players.
    /// Games that are over are recorded. Numbers below `next` are taken by other games.
    ///
    /// # Errors
    /// An entry does not fit those before it.
    pub fn restore(
        &mut self,
        entries: Vec<Entry>,
        next: GameId,
        now: Timestamp,
    ) -> Result<(), RestoreError> {
        self.tables.reserve_ids(next);
        let (games, next) = replay(entries)?;
        self.tables.reserve_ids(next);
        for game in games {
            if let Some(finished) = self.tables.restore(game, now, &mut self.out) {
                // The results file may have the result already.
                self.desk.take_result(&finished, &mut self.out);
                self.out.write(Write::Record(Box::new(finished)));
            }
        }
        self.tables.update_changed(now, &mut self.out);
        Ok(())
    }

    /// Returns the shortest journal from which this contest can be restored.
    pub fn snapshot(&self, clock: Duration) -> Vec<Entry> {
        self.tables.snapshot(clock)
    }

    /// Goes back to what is on the disk, because the journal or a results file cannot be
    /// written any more: `entries` of the journal, and the tournament. All games wait until
    /// [`Contest::disk_healed`].
    pub fn disk_failed(
        &mut self,
        why: &str,
        entries: Vec<Entry>,
        tournament: Option<Tournament>,
        now: Timestamp,
    ) {
        let what = format!(
            "{why}: all games wait until the disk can be written again, which is tried every {} \
             seconds",
            DISK_RETRY.as_secs()
        );
        self.out.log(LogEvent::Failed { what });
        self.failure.get_or_insert(DiskFailure {
            why: why.into(),
            since: now.clock,
            waiting: BTreeSet::new(),
        });
        // Nobody can come and play meanwhile: absent players are waited for anew.
        if let Some(forfeits) = &mut self.forfeits {
            forfeits.clear();
        }
        self.desk.take_back(tournament, &mut self.out);
        let mut notified = BTreeSet::new();
        let unfinished = unfinished(&entries);
        let lost = self
            .tables
            .roll_back(&unfinished, &mut notified, now, &mut self.out);
        for index in lost {
            self.unpair(index);
        }
        if let Err(error) = self.restore(entries, GameId(1), now) {
            self.out.log(LogEvent::Failed {
                what: error.to_string(),
            });
        }
        for index in 0..self.tables.len() {
            self.pause_restored(index, &notified, now);
        }
        self.tables.update_changed(now, &mut self.out);
    }

    /// Continues the games whose players are there: the disk can be written again. The others wait
    /// for their players.
    pub fn disk_healed(&mut self, now: Timestamp) {
        let Some(failure) = self.failure.take() else {
            return;
        };
        let time = now.clock.saturating_sub(failure.since);
        self.out.log(LogEvent::Healed {
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        });
        for index in 0..self.tables.len() {
            if self.tables.end_pause(index, &failure.waiting) {
                self.tables.update_wait(index, now, &mut self.out);
                // If only one player is there, the game waits.
                let _ = self.tables.resume(index, now, &mut self.out);
            }
        }
        self.tables.update_changed(now, &mut self.out);
        self.pair(now);
        self.tables.update_changed(now, &mut self.out);
    }

    /// Frees the seats of two players who were paired and have not played yet.
    fn unpair(&mut self, index: usize) {
        let Some(table) = self.tables.get(index) else {
            return;
        };
        for color in Color::ALL {
            if let Some(player) = table.player(color) {
                self.clients.set_paired(player.client, false);
            }
        }
        self.tables.vacate_both(index, &mut self.out);
    }

    /// Pauses a game that was restored after a disk failure, and gives its players their
    /// seats. Sends END to the players of games that are not in `notified`: those were over or
    /// adjourned, and nothing was sent when the others were interrupted.
    fn pause_restored(&mut self, index: usize, notified: &BTreeSet<GameId>, now: Timestamp) {
        let interrupted = self.tables.get(index).and_then(Table::interrupted);
        if let (Some((game, WireReason::Error)), Some(failure)) = (interrupted, &mut self.failure) {
            failure.waiting.insert(game.id());
        }
        let Some((game, names, message)) = self.tables.pause_restored(index, now) else {
            return;
        };
        for color in Color::ALL {
            let seat = |contest: &Contest| {
                let table = contest.tables.get(index)?;
                table.player(color).map(|player| player.client)
            };
            if seat(self).is_none()
                && let Some((client, seat)) = self.returned(&names[color])
                && seat
                    == (Seat {
                        table: index,
                        color,
                    })
            {
                let player = self.clients.get_named(client).cloned();
                self.tables.seat(index, color, player, &mut self.out);
            }
            if let Some(client) = seat(self)
                && !notified.contains(&game)
            {
                self.out.send(client, message.clone());
            }
        }
    }
}
