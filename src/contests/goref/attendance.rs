//! Attendance: the players that can start a game of the tournament, and those that it waits for.

use std::collections::{BTreeMap, BTreeSet};

use super::clients::{Clients, Name, NamedClient};
use super::game::{GamePhase, LiveGame};
use super::table::Table;
use super::tables::Tables;
use super::wire::WireReason;
use crate::games::go::Color;
use crate::tournament::{self, Attendance, GameNumber, Need, Presence};

/// Returns the clients that are in no game, by name. Of clients with the same name, it returns the
/// one that connected first.
pub fn free_clients<'a>(
    clients: &'a Clients,
    tables: &Tables,
) -> BTreeMap<&'a str, &'a NamedClient> {
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
pub struct ContestAttendance<'a> {
    clients: &'a Clients,
    free: BTreeMap<&'a str, &'a NamedClient>,
    has_free_table: bool,
    /// The games that have begun.
    begun: BTreeMap<GameNumber, &'a LiveGame>,
}

impl<'a> ContestAttendance<'a> {
    pub fn new(clients: &'a Clients, tables: &'a Tables) -> ContestAttendance<'a> {
        let at_tables = tables.iter().filter_map(Table::unfinished_game);
        let begun = at_tables.chain(tables.adjourned());
        ContestAttendance {
            clients,
            free: free_clients(clients, tables),
            has_free_table: tables.first_free(0).is_some(),
            begun: begun
                .filter_map(|game| Some((game.scheduled()?.number, game)))
                .collect(),
        }
    }
}

impl Attendance for ContestAttendance<'_> {
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
                Some(WireReason::Error) if !game.is_in_break() => Need::Players,
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
