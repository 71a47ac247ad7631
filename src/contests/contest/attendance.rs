//! Attendance: the players that can start a game of the tournament, and those that it waits for.

use std::collections::{BTreeMap, BTreeSet};

use super::breaks::WaitsFor;
use super::clients::{Clients, NamedClient};
use super::live_game::{GamePhase, LiveGame};
use super::names::Name;
use super::protocol::Protocol;
use super::table::Table;
use super::tables::Tables;
use crate::base::color::Color;
use crate::tournament::{self, Attendance, GameNumber, Need, Presence};

/// Returns the clients that are in no game, by name. Of clients with the same name, it returns the
/// one that connected first.
pub fn free_clients<'a, P: Protocol>(
    clients: &'a Clients<P>,
    tables: &Tables<P>,
) -> BTreeMap<&'a str, &'a NamedClient<P>> {
    let in_games: BTreeSet<&Name> = tables
        .unfinished()
        .flat_map(|game| game.names().iter())
        .collect();
    let mut free = BTreeMap::new();
    for client in clients.named() {
        if !in_games.contains(&client.name) && !tables.is_in_grace(client.client) {
            free.entry(client.name.as_ref()).or_insert(client);
        }
    }
    free
}

/// Where the players of a tournament and its games are.
pub struct ContestAttendance<'a, P: Protocol> {
    clients: &'a Clients<P>,
    free: BTreeMap<&'a str, &'a NamedClient<P>>,
    has_free_table: bool,
    /// The games that have begun.
    begun: BTreeMap<GameNumber, &'a LiveGame<P>>,
}

impl<'a, P: Protocol> ContestAttendance<'a, P> {
    pub fn new(clients: &'a Clients<P>, tables: &'a Tables<P>) -> ContestAttendance<'a, P> {
        let at_tables = tables.iter().filter_map(Table::unfinished_game);
        let begun = at_tables.chain(tables.adjourned());
        ContestAttendance {
            clients,
            free: free_clients(clients, tables),
            has_free_table: tables.first_free(0).is_some(),
            begun: begun
                .filter_map(|game| Some((game.place()?, game)))
                .collect(),
        }
    }
}

impl<P: Protocol> Attendance for ContestAttendance<'_, P> {
    /// Everybody plays both colors.
    fn presence(&self, player: &tournament::Name, _: Color) -> Presence {
        let name = player.as_str();
        match (
            self.free.contains_key(name),
            self.clients.is_connected(name),
        ) {
            (true, _) => Presence::Free,
            (false, true) => Presence::Busy,
            (false, false) => Presence::Absent,
        }
    }

    fn is_present(&self, player: &tournament::Name) -> bool {
        self.clients.is_connected(player.as_str())
    }

    fn need(&self, game: GameNumber) -> Need {
        match self.begun.get(&game) {
            None => Need::Start,
            // A break of a player has a limit of its own.
            Some(game) => match game.interruption() {
                Some(WaitsFor::Players) if !game.is_in_break() => Need::Players,
                _ => Need::Nothing,
            },
        }
    }

    fn has_free_table(&self) -> bool {
        self.has_free_table
    }

    fn has_game_in_play(&self) -> bool {
        let mut games = self.begun.values();
        games.any(|game| game.phase() == GamePhase::Playing)
    }
}
