//! Who gets a seat: at a table, or by waiting in the lobby.

use std::iter;
use std::time::Duration;

use super::effects::Delivery;
use super::{Referee, Whereabouts};
use crate::base::color::{ByColor, Color};
use crate::base::names::isolated;
use crate::contests::contest::Timestamp;
use crate::contests::netref::client::{Client, ConnId};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::lobby::Entrant;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::table::{Seeker, Table, with_address};
use crate::contests::netref::tournament::check_entrant;
use crate::contests::netref::wire::{Opening, Response, Role};
use crate::tournament::{NumberedGame, Tournament};

/// The text for a client that waits at a table when a tournament begins.
const TOURNAMENT: &str = "A tournament of teams is being played here: ask again";

/// The time in the lobby after which a client that nobody can play is a warning.
const LONG_WAIT: Duration = Duration::from_secs(120);

/// The port through which a client came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// That of a table, by its index.
    Table(usize),
    /// That of a team, by its server number.
    Team(u16),
}

impl<G: NetrefGame> Referee<G> {
    /// Handles a client that asks for a role.
    pub fn open(&mut self, client: Client, opening: Opening, entrance: Entrance, now: Timestamp) {
        match entrance {
            Entrance::Table(index) if opening.role == Role::Observer => {
                let coin = self.coin();
                self.change(index, |table| {
                    table.open(client, opening, now.clock, now.date, coin)
                });
            }
            _ => self.admit(Seeker::new(client, opening), entrance, now),
        }
        self.settle(now);
    }

    fn admit(&mut self, seeker: Seeker, entrance: Entrance, now: Timestamp) {
        // Clients may play the house during a tournament, too.
        let plays_house = |index: usize| self.table(index).is_some_and(|t| t.house().is_some());
        match entrance {
            Entrance::Table(index)
                if !self.is_disk_failing && (plays_house(index) || !self.is_tournament_held()) =>
            {
                let index = self.find_seat(index, &seeker, now);
                self.open_at(index, seeker, now);
            }
            _ => self.enter_lobby(seeker, entrance, now),
        }
    }

    /// Hands a client to a table, which gives it a seat or refuses it.
    fn open_at(&mut self, index: usize, seeker: Seeker, now: Timestamp) {
        self.clients.insert(seeker.conn, Whereabouts::Table(index));
        let coin = self.coin();
        self.change(index, |table| table.take(seeker, now.clock, now.date, coin));
    }

    /// Returns the table that has a seat for a player: one that it had in an interrupted match, or
    /// one in a new match, at its own table before others with the same house. If none has one, its
    /// own table refuses it.
    fn find_seat(&self, own: usize, seeker: &Seeker, now: Timestamp) -> usize {
        let house = self.table(own).and_then(Table::house);
        let others = self.places.iter().enumerate().filter(|&(index, place)| {
            index != own && house.is_some() && place.table.house() == house
        });
        let tables = iter::once(own).chain(others.map(|(index, _)| index));
        let find = |fits: &dyn Fn(&Table<G>) -> bool| {
            let mut tables = tables.clone();
            tables.find(|&index| self.table(index).is_some_and(fits))
        };
        let found = find(&|table| table.has_seat_for(seeker, now.clock));
        found.or_else(|| find(&Table::is_free)).unwrap_or(own)
    }

    /// Lets a client wait in the lobby.
    fn enter_lobby(&mut self, seeker: Seeker, entrance: Entrance, now: Timestamp) {
        let conn = seeker.conn;
        let (number, table) = match entrance {
            Entrance::Team(number) => (number, None),
            Entrance::Table(index) => {
                let table = self.table(index);
                let has_house = table.is_some_and(|table| table.house().is_some());
                let waits_here = has_house || !self.is_tournament_held();
                (
                    table.map_or(0, |table| table.number()),
                    waits_here.then_some(index),
                )
            }
        };
        let who = with_address(seeker.who::<G>(), &seeker.player);
        let event = LogEvent::Waiting { who };
        self.out.at_once(Delivery::Log(number, event));
        // A player of an interrupted match returns to it, even of one that is not of the tournament.
        let returns = self
            .places
            .iter()
            .map(|place| &place.table)
            .any(|table| table.has_match() && table.has_seat_for(&seeker, now.clock));
        let entrant = Entrant {
            seeker,
            since: now.clock,
            number,
            table,
        };
        let running = self.running().filter(|_| !returns);
        let refusal = running.and_then(|running| refusal_of::<G>(running, &entrant));
        self.lobby.enter(entrant);
        self.clients.insert(conn, Whereabouts::Lobby);
        self.note_lobby();
        if let Some(refusal) = refusal {
            self.refuse(conn, refusal);
        }
    }

    /// Removes a client from the lobby.
    pub(super) fn remove_from_lobby(&mut self, conn: ConnId) -> Option<Entrant> {
        let removed = self.lobby.remove(conn)?;
        self.note_lobby();
        Some(removed)
    }

    /// Notes that the clients in the lobby have changed.
    fn note_lobby(&mut self) {
        self.out.changes.lobby = true;
        (self.must_seat, self.must_step) = (true, true);
    }

    /// Returns who has waited in the lobby for long although others are there, because nobody plays the
    /// other side, a sentence each. During a tournament such clients are refused.
    pub fn vain_waits(&self, now: Duration) -> Vec<String> {
        if self.is_tournament_held() {
            return Vec::new();
        }
        let is_late = |waiting: &&Entrant| now.saturating_sub(waiting.since) >= LONG_WAIT;
        let late = self.lobby.iter().filter(is_late).filter_map(|waiting| {
            let seeker = &waiting.seeker;
            let side = seeker.side.filter(|_| waiting.table.is_none())?;
            let with_either = Seeker {
                side: None,
                ..seeker.clone()
            };
            let others = || {
                let others = self.lobby.iter().map(|other| &other.seeker);
                others.filter(|other| other.conn != seeker.conn)
            };
            let in_vain = others().any(|other| with_either.may_meet(other))
                && !others().any(|other| seeker.may_meet(other));
            let who = match seeker.player.called() {
                Some(name) => isolated(name.as_str()),
                None => format!("#{}", seeker.conn).into(),
            };
            in_vain.then(|| {
                format!(
                    "{who} has waited as {} for more than {} minutes, and nobody there plays {}",
                    G::PLAYERS[side],
                    LONG_WAIT.as_secs() / 60,
                    G::PLAYERS[side.opponent()]
                )
            })
        });
        late.collect()
    }

    /// Gives seats to clients from the lobby, at the first tables first, so that spectators find
    /// matches there, and to houses whose opponents wait.
    pub(super) fn seat_waiting(&mut self, now: Timestamp) {
        for index in 0..self.places.len() {
            while self.seat_at(index, now) {
                self.note_changed();
            }
            self.seat_house(index, now);
        }
    }

    /// Seats clients from the lobby at a table that has seats for them: a client that returns to an
    /// interrupted match or whose opponent waits there, or two that may meet. During a tournament,
    /// no client waits there for an opponent. Returns whether any were seated.
    fn seat_at(&mut self, index: usize, now: Timestamp) -> bool {
        let Some(table) = self.table(index) else {
            return false;
        };
        let is_held = self.is_tournament_held();
        let has_house = table.house().is_some();
        if is_held && !has_house && !table.is_empty() && !table.has_match() {
            // It came before, or its opponent in a game of the tournament has just left.
            self.change(index, |table| table.dismiss(TOURNAMENT));
        }
        if self.is_disk_failing || self.lobby.count() == 0 {
            return false;
        }
        let (lobby, may_begin) = (&mut self.lobby, self.is_open);
        let Some(place) = self.places.get(index) else {
            return false;
        };
        let table = &place.table;
        let is_free = may_begin && table.is_free();
        let may_have_seat = table.has_match() || may_begin && !is_held;
        let fits =
            |entrant: &Entrant| may_have_seat && table.has_seat_for(&entrant.seeker, now.clock);
        let mut scheduled = None;
        let entrants: Vec<Entrant> = match lobby.take_first(fits) {
            Some(entrant) => vec![entrant],
            None if has_house => {
                let has_seat = is_free && !is_held && self.settings.house_plays_lobby;
                lobby.take_first(|_| has_seat).into_iter().collect()
            }
            None if !is_free => Vec::new(),
            None if !is_held => {
                let pair = lobby.take_pair();
                pair.into_iter().flatten().collect()
            }
            None => {
                let (begins, players) = self.next_game().unzip();
                scheduled = begins;
                players.into_iter().flat_map(with_sides).collect()
            }
        };
        if entrants.is_empty() {
            return false;
        }
        self.note_lobby();
        self.begin_at(index, entrants, scheduled, now);
        true
    }

    /// Seats clients that were in the lobby. With two of them, a match begins, which may be one of
    /// the tournament.
    fn begin_at(
        &mut self,
        index: usize,
        entrants: Vec<Entrant>,
        scheduled: Option<NumberedGame>,
        now: Timestamp,
    ) {
        let limit = self.forfeit_after().filter(|_| self.is_tournament_held());
        if let Some(place) = self.places.get_mut(index) {
            place.table.set_scheduled(scheduled, limit);
        }
        for entrant in entrants {
            self.open_at(index, entrant.seeker.anew(), now);
        }
        if let Some(place) = self.places.get_mut(index) {
            place.table.set_scheduled(None, None);
        }
    }

    /// Seats the house if a client waits for it.
    fn seat_house(&mut self, index: usize, now: Timestamp) {
        let Some(table) = self.table(index) else {
            return;
        };
        let may_sit = table.has_match() || self.is_open;
        if table.lacks_house() && may_sit && !self.is_disk_failing {
            let conn = self.settings.conns.next();
            let coin = self.coin();
            self.clients.insert(conn, Whereabouts::Table(index));
            self.change(index, |table| {
                table.seat_house(conn, now.clock, now.date, coin)
            });
        }
    }

    /// Lets the clients that waited for the disk ask for their seats again.
    pub(super) fn admit_waiting(&mut self, now: Timestamp) {
        while let Some(waiting) = self.lobby.take_first(|waiting| waiting.table.is_some()) {
            self.note_lobby();
            if let Some(index) = waiting.table {
                self.admit(waiting.seeker.anew(), Entrance::Table(index), now);
            }
        }
    }
}

/// Returns the players of a game, Black first, each with the side that it has in this game.
fn with_sides(ByColor { black, white }: ByColor<Entrant>) -> [Entrant; 2] {
    let seat = |mut entrant: Entrant, side| {
        entrant.seeker.side = Some(side);
        entrant
    };
    [seat(black, Color::Black), seat(white, Color::White)]
}

/// Returns the refusal of a client that would wait in the lobby in vain while a tournament is held.
pub(super) fn refusal_of<G: NetrefGame>(
    running: &Tournament,
    waiting: &Entrant,
) -> Option<Response<G>> {
    // One that waits for its own table, until the disk can be written, does not wait in vain.
    let entrant = waiting.table.is_none().then_some(&waiting.seeker)?;
    check_entrant(running, entrant).err()
}
