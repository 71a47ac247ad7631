//! The hall: clients, tables, and who plays. Pure: what comes in and the time go
//! in, and what is to be done comes out, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::breaks::BreakLimits;
use super::client::{Client, ClientId, Seat};
use super::contest::Plan;
use super::effects::Effect;
use super::entry::{Entry, GameId};
use super::name::Name;
use super::news::News;
use super::request::Fault;
use super::table::{Phase, Session, Table};
use super::terms::Terms;
use super::wire::{ClientMessage, Protocol, Reason, ServerMessage};
use crate::go::{ByColor, Color};
use crate::tournament::Tournament;
use crate::web::is_logged;

/// So many frames that are no messages close a connection.
pub const MOST_MALFORMED: u32 = 10;

/// So many messages that are passed over do.
pub const MOST_REFUSED: u32 = 1_000;

/// How often a client is asked whether it is still there, because others come under its
/// name, at most.
const PROBE: Duration = Duration::from_secs(2);

/// A moment, by the server's own clock and by the calendar.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Since the server started: never goes back.
    pub clock: Duration,
    /// For records.
    pub date: SystemTime,
}

/// Everybody and everything in a contest.
#[derive(Debug)]
pub struct Hall {
    pub(super) clients: BTreeMap<ClientId, Client>,
    pub(super) tables: Vec<Table>,
    /// Games that go on another day.
    pub(super) adjourned: Vec<Session>,
    pub(super) next: GameId,
    /// Whether clients are paired as they arrive.
    pub(super) auto: bool,
    /// Who may still answer the last move of a game that is over, and until when
    /// that is waited for.
    pub(super) resting: BTreeMap<ClientId, Duration>,
    /// The tournament that begins by itself.
    pub(super) plan: Option<Plan>,
    /// The tournament that is held, or was.
    pub(super) tournament: Option<Tournament>,
    /// What keeps it from going on, if the organiser has been told.
    pub(super) complaint: Option<String>,
    /// How often and how long players may be away.
    pub(super) limits: BreakLimits,
    pub(super) effects: Vec<Effect>,
    pub(super) changes: Changes,
}

/// What of the hall looks different than when this was last asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Tables, by their index.
    pub tables: BTreeSet<usize>,
    /// Clients, who may be gone.
    pub clients: BTreeSet<ClientId>,
    /// Whether the list of adjourned games does.
    pub adjourned: bool,
    /// Whether the tournament does.
    pub tournament: bool,
}

impl Hall {
    /// An empty hall with a table for each of the terms.
    pub fn new(terms: Vec<Arc<Terms>>, auto: bool) -> Hall {
        let tables = (1..).zip(terms);
        let tables: Vec<Table> = tables
            .map(|(number, terms)| Table::new(number, terms))
            .collect();
        Hall {
            changes: Changes {
                tables: (0..tables.len()).collect(),
                ..Changes::default()
            },
            clients: BTreeMap::new(),
            tables,
            adjourned: Vec::new(),
            next: GameId(1),
            auto,
            resting: BTreeMap::new(),
            plan: None,
            tournament: None,
            complaint: None,
            limits: BreakLimits::default(),
            effects: Vec::new(),
        }
    }

    /// Plans a tournament.
    pub fn plan(&mut self, plan: Plan) {
        self.plan = Some(plan);
    }

    /// Goes on with a tournament.
    pub fn hold(&mut self, tournament: Tournament) {
        self.tournament = Some(tournament);
        self.changes.tournament = true;
    }

    /// Whether a tournament was held, and is over.
    pub fn is_tournament_over(&self) -> bool {
        self.tournament.as_ref().is_some_and(Tournament::is_over)
    }

    /// How many clients have told their names.
    pub fn named_clients(&self) -> usize {
        let clients = self.clients.values();
        clients.filter(|client| client.name.is_some()).count()
    }

    /// What is to be done, in order.
    pub fn effects(&mut self) -> Vec<Effect> {
        mem::take(&mut self.effects)
    }

    /// What looks different.
    pub fn changes(&mut self) -> Changes {
        mem::take(&mut self.changes)
    }

    /// A client has connected: it is asked for its name.
    pub fn connected(&mut self, client: ClientId, address: IpAddr) {
        self.clients.insert(client, Client::new(address));
        self.changes.clients.insert(client);
        self.tell(News::Connected {
            client,
            address: address.to_string(),
        });
        self.send(client, ServerMessage::Name);
    }

    /// A client has sent something.
    pub fn received(&mut self, client: ClientId, frame: Result<ClientMessage, Fault>, now: Moment) {
        let Some(sender) = self.clients.get(&client) else {
            return;
        };
        match frame {
            Ok(ClientMessage::Move { played }) => self.play(client, played, now),
            Ok(ClientMessage::Name { name, protocol }) if sender.name.is_none() => {
                self.named(client, Name::from(name), protocol, now);
            }
            Ok(ClientMessage::Name { .. }) => self.refuse(client, "a second NAME".into()),
            Err(fault) => {
                if let Some(sender) = self.clients.get_mut(&client) {
                    sender.malformed += u32::from(matches!(fault, Fault::Malformed(_)));
                }
                self.refuse(client, fault.to_string());
            }
        }
        let sender = self.clients.get(&client);
        let why = match sender.map(|sender| (sender.malformed, sender.refused)) {
            Some((MOST_MALFORMED.., _)) => "ten frames were no JSON objects",
            Some((_, MOST_REFUSED..)) => "a thousand messages were not understood or not expected",
            _ => return,
        };
        self.effects.push(Effect::Close(client, why));
        self.left(client, why, now);
    }

    /// Passes over what a client sent: it is not answered, since some clients
    /// leave when they hear what they do not expect.
    pub(super) fn refuse(&mut self, client: ClientId, why: String) {
        let Some(sender) = self.clients.get_mut(&client) else {
            return;
        };
        sender.refused = sender.refused.saturating_add(1);
        let count = sender.refused;
        if is_logged(count) {
            let name = self.called(client);
            let why = match count {
                ..=20 => why,
                _ => format!("{why} ({count} refusals so far)"),
            };
            self.tell(News::Refused { client, name, why });
        }
    }

    fn named(&mut self, client: ClientId, name: Name, protocol: Protocol, now: Moment) {
        if let Some(sender) = self.clients.get_mut(&client) {
            sender.name = Some(name.clone());
            sender.protocol = protocol;
        }
        self.changes.clients.insert(client);
        self.show_presence(&name);
        self.probe(client, &name, now);
        self.tell(News::Named {
            client,
            name: name.to_string(),
            protocol: protocol.to_string(),
        });
        self.welcome_back(client, &name, now);
        self.pair(now);
    }

    /// Pings the other clients of this name: one of them may be dead, and the newcomer may
    /// be its return. A newcomer on another machine may be a stranger, so then the others
    /// have the usual time for the answer.
    fn probe(&mut self, newcomer: ClientId, name: &Name, now: Moment) {
        let address = self.clients.get(&newcomer).map(|client| client.address);
        for (&id, client) in &mut self.clients {
            let since = client.probed.map(|at| now.clock.saturating_sub(at));
            if id != newcomer
                && client.name.as_ref() == Some(name)
                && since.is_none_or(|since| since >= PROBE)
            {
                client.probed = Some(now.clock);
                let is_near = Some(client.address) == address;
                self.effects.push(Effect::Probe {
                    client: id,
                    is_near,
                });
            }
        }
    }

    /// Gives a client the seat of the same name at a game that was broken off, or that
    /// goes on without it. A game that was broken off goes on if it was not the organiser
    /// who did so.
    fn welcome_back(&mut self, client: ClientId, name: &Name, now: Moment) {
        for index in 0..self.tables.len() {
            let Some(table) = self.tables.get(index) else {
                return;
            };
            let Some(session) = table.session.as_ref().filter(|_| table.is_taken()) else {
                continue;
            };
            let phase = session.phase;
            let mine = |color: &Color| {
                table.seats.get(*color).is_none() && session.names.get(*color) == name
            };
            let Some(color) = Color::ALL.into_iter().find(mine) else {
                continue;
            };
            let paired = session.paired;
            self.seat(index, color, Some(client));
            if paired {
                self.mark(client);
            }
            match phase {
                Phase::Playing => self.rejoin(index, color, now),
                Phase::Stopped(Reason::Error) => {
                    self.count_wait(index, now);
                    // Where only one player is back, the game waits.
                    let _ = self.resume(index, now);
                }
                _ => {}
            }
            return;
        }
    }

    /// A client is gone. Its game is broken off, and may go on when it is back.
    pub fn left(&mut self, client: ClientId, why: &str, now: Moment) {
        self.fell_silent(client, why, now.clock, now);
    }

    /// A client is gone, and there was no sign of it since it was last heard. In its turn,
    /// the time since then is not the player's.
    pub fn fell_silent(&mut self, client: ClientId, why: &str, heard: Duration, now: Moment) {
        // Whoever has lost on time has lost before this.
        if let Some(seat) = self.clients.get(&client).and_then(|client| client.seat) {
            self.flag(seat.table, now);
        }
        let name = self.called(client);
        let Some(gone) = self.clients.remove(&client) else {
            return;
        };
        self.resting.remove(&client);
        self.changes.clients.insert(client);
        if let Some(name) = &gone.name {
            self.show_presence(name);
        }
        self.tell(News::Left {
            client,
            name,
            why: why.to_owned(),
        });
        if let Some(Seat { table, color }) = gone.seat {
            self.change_seat(table, color, None);
            self.begin_break(table, color, heard, now);
            // It may be back already, before it was known that it had gone.
            if let Some(name) = &gone.name
                && let Some(again) = self.free(name)
            {
                self.welcome_back(again, name, now);
            }
        }
        self.pair(now);
    }

    /// Puts a client, or nobody, on a seat. It leaves the seat that it had.
    pub(super) fn seat(&mut self, table: usize, color: Color, client: Option<ClientId>) {
        let old = client.and_then(|client| self.clients.get(&client)?.seat);
        if let Some(old) = old {
            self.change_seat(old.table, old.color, None);
        }
        let before = self.change_seat(table, color, client);
        for (client, seat) in [(before, None), (client, Some(Seat { table, color }))] {
            let Some(id) = client else { continue };
            if let Some(client) = self.clients.get_mut(&id) {
                client.seat = seat;
                self.changes.clients.insert(id);
            }
        }
    }

    /// Puts a client of this name on a seat, if there is one who has none.
    pub(super) fn seat_by_name(&mut self, table: usize, color: Color, name: &Name) {
        if let Some(client) = self.free(name) {
            self.seat(table, color, Some(client));
        }
    }

    /// A client of this name who has no seat.
    fn free(&self, name: &Name) -> Option<ClientId> {
        let free = |(_, client): &(&ClientId, &Client)| {
            client.seat.is_none() && client.name.as_ref() == Some(name)
        };
        self.clients.iter().find(free).map(|(&client, _)| client)
    }

    /// Whether a client of this name is connected, in a seat or not; another than
    /// this one.
    pub(super) fn is_connected(&self, name: &Name, except: Option<ClientId>) -> bool {
        let mut clients = self.clients.iter();
        clients.any(|(&id, client)| client.name.as_ref() == Some(name) && Some(id) != except)
    }

    /// Notes what looks different when a name has come or gone: tables that still
    /// show it, and the tournament.
    fn show_presence(&mut self, name: &Name) {
        let shows =
            |session: &Session| session.names.black == *name || session.names.white == *name;
        for (index, table) in self.tables.iter().enumerate() {
            if table.session.as_ref().is_some_and(shows) {
                self.changes.tables.insert(index);
            }
        }
        self.show_tournament();
    }

    /// Notes that what holds up the tournament may have changed.
    pub(super) fn show_tournament(&mut self) {
        self.changes.tournament |= self.is_tournament_held();
    }

    /// Who sat there before.
    fn change_seat(
        &mut self,
        table: usize,
        color: Color,
        client: Option<ClientId>,
    ) -> Option<ClientId> {
        self.changes.tables.insert(table);
        let seat = self.tables.get_mut(table)?.seats.get_mut(color);
        mem::replace(seat, client)
    }

    /// Frees both seats.
    pub(super) fn free_seats(&mut self, table: usize) {
        for color in Color::ALL {
            self.seat(table, color, None);
        }
    }

    /// The names of clients.
    pub(super) fn names(&self, clients: ByColor<ClientId>) -> Option<ByColor<Name>> {
        let name = |client| self.clients.get(&client)?.name.clone();
        Some(ByColor {
            black: name(clients.black)?,
            white: name(clients.white)?,
        })
    }

    pub(super) fn called(&self, client: ClientId) -> Option<String> {
        let name = self.clients.get(&client)?.name.as_ref()?;
        Some(name.to_string())
    }

    pub(super) fn tell(&mut self, news: News) {
        self.effects.push(Effect::Tell(news));
    }

    pub(super) fn send(&mut self, client: ClientId, message: ServerMessage) {
        self.effects.push(Effect::Send(client, message));
    }

    pub(super) fn journal(&mut self, entry: Entry) {
        self.effects.push(Effect::Journal(entry));
    }

    /// Takes over what a table plays by from its next game on.
    pub fn configure(&mut self, table: usize, terms: Arc<Terms>) {
        if let Some(table) = self.tables.get_mut(table) {
            table.terms = terms;
        }
        self.changes.tables.insert(table);
    }

    /// The server stops: what is played goes on when it is there again.
    pub fn close(&mut self, now: Moment) {
        self.flags(now);
        // Whoever is free is not paired any more.
        self.auto = false;
        self.tournament = None;
        for index in 0..self.tables.len() {
            self.stop(index, Reason::Error, "the server stops", now);
        }
    }

    /// How a table stands: its phase, if it has a game.
    pub fn phase(&self, table: usize) -> Option<Phase> {
        Some(self.tables.get(table)?.session.as_ref()?.phase)
    }

    /// How many games are played.
    pub fn playing(&self) -> usize {
        let phases = (0..self.tables.len()).map(|table| self.phase(table));
        phases
            .filter(|phase| *phase == Some(Phase::Playing))
            .count()
    }
}
