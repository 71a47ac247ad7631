//! The page for spectators of the tables.
//!
//! The referee's task notes what has changed, and shows it up to fifty times a second, when it has
//! time. A move may be shown before it is on the disk; if it does not get there, it is taken back.
//! Intermediate states of a table are left out, but no moves are.

use std::collections::BTreeMap;
use std::mem;

use axum::Router;
use axum::routing::get;

use super::{LogSink, Shared};
use crate::base::color::{ByColor, Color};
use crate::base::names::isolated;
use crate::contests::contest::TournamentDesk;
use crate::contests::netref::client::{ConnId, Name};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::referee::{Changes, CommandError, Output, Referee, RefereeCommand};
use crate::contests::netref::summary::Played;
use crate::contests::netref::table::{FinishedMatch, Seeker, SnapshotStage, Table, TableSnapshot};
use crate::contests::netref::tournament::GamePlace;
use crate::contests::shell::{
    OrganizerHandle, Records, TournamentPage, command_route, record_routes,
};
use crate::pages::web::{self, AccessPolicy, Feed, Ply, RejectedRequest, SeatView, guarded};
use crate::tournament;

/// The page of a referee.
pub struct RefereePage<G: NetrefGame> {
    feed: Feed,
    /// The game at its start, shown at empty tables.
    start: G,
    /// The port of each table.
    ports: Vec<u16>,
    tables: BTreeMap<usize, ShownTable<G>>,
    /// The clients in the lobby.
    lobby: ShownClients,
    tournament: TournamentPage,
    /// The teams that would take part in a tournament, as the page shows them; `None` before it
    /// does.
    entrants: Option<Vec<tournament::Name>>,
    /// What has changed since the page was last brought up to date.
    changed: Changes,
    shared: Shared,
}

/// A table as the page shows it.
struct ShownTable<G: NetrefGame> {
    snapshot: TableSnapshot,
    game: G,
    /// The number of boards that are shown: that of the start, and one for each move.
    plies: usize,
    clients: ShownClients,
    commands: TableCommands,
}

/// The organizer's commands for a table, each with the reason why it would be refused now.
type TableCommands = BTreeMap<&'static str, Option<String>>;

/// The players that the page shows.
type ShownClients = BTreeMap<ConnId, web::Client>;

/// Shows a log event on the page of a server with this many tables, if spectators may read it.
pub fn log_event(feed: &Feed, (number, tables): (u16, &[u16]), event: &LogEvent) {
    let is_of_server = match event {
        LogEvent::Seated { .. }
        | LogEvent::Started { .. }
        | LogEvent::Restored(_)
        | LogEvent::Resumed(_)
        | LogEvent::Adjourned(_)
        | LogEvent::DrawOffered { .. }
        | LogEvent::DrawRefused { .. }
        | LogEvent::Ended { .. } => false,
        LogEvent::Tournament { .. } | LogEvent::Stopping { .. } => true,
        _ => return,
    };
    let is_told_apart = tables.len() > 1 && tables.contains(&number);
    let whom = match is_told_apart && !is_of_server {
        true => format!("Table {number}"),
        false => String::new(),
    };
    feed.log(whom, event.to_string());
}

/// Creates the routes of the page. All visitors can watch; `access` knows the organizer. The records
/// of matches are served from this folder. Rejected requests are logged for the table with this
/// server number.
pub fn site(
    feed: Feed,
    organizer: OrganizerHandle<RefereeCommand>,
    access: AccessPolicy,
    records: Option<Records>,
    (number, sink): (u16, LogSink),
) -> Router {
    let routes = web::feed_routes(feed)
        .route("/", get(web::feed_page))
        .merge(command_route(organizer))
        .merge(record_routes(records));
    let tell = move |RejectedRequest { address, why }| {
        let address = address.map_or_else(|| "nowhere".into(), |address| address.to_string());
        sink(number, LogEvent::Rejected { address, why });
    };
    guarded(routes, access.on_rejected(tell))
}

impl<G: NetrefGame> RefereePage<G> {
    /// Creates a page that shows nothing yet. `ports` are those of the tables, and `start` is shown
    /// at empty ones.
    pub fn new(feed: Feed, start: G, ports: Vec<u16>, shared: Shared) -> RefereePage<G> {
        let clock = shared.clock.clone();
        RefereePage {
            tournament: TournamentPage::new(feed.clone(), clock, G::PLAYERS, "not there"),
            entrants: None,
            feed,
            start,
            changed: Changes {
                tables: (0..ports.len()).collect(),
                adjourned: true,
                tournament: true,
                standings: true,
                lobby: false,
            },
            ports,
            tables: BTreeMap::new(),
            lobby: ShownClients::new(),
            shared,
        }
    }

    /// Notes what an input has changed. The end of a match is shown at once: its table may have
    /// another match before the page is brought up to date.
    pub fn note(&mut self, output: &mut Output<G>, referee: &Referee<G>) {
        for (index, finished) in mem::take(&mut output.ended) {
            let FinishedMatch {
                snapshot, moves, ..
            } = *finished;
            self.show(index, referee, snapshot, moves.iter());
        }
        self.changed.merge(mem::take(&mut output.changes));
    }

    /// Returns whether the page is out of date.
    pub fn is_stale(&self) -> bool {
        self.changed != Changes::default()
    }

    /// Brings the page up to date.
    pub fn refresh(&mut self, referee: &Referee<G>) {
        let changed = mem::take(&mut self.changed);
        // Before the tables: a client that is seated has left the lobby before.
        if changed.lobby {
            let clients = referee.lobby().iter().map(|waiting| {
                let Seeker {
                    conn, player, side, ..
                } = &waiting.seeker;
                let name = called(player.called(), Some(*conn));
                (*conn, client_view::<G>(*conn, name, "Waiting", *side))
            });
            publish_clients(&self.feed, clients.collect(), &mut self.lobby);
        }
        for index in changed.tables {
            self.show_table(index, referee);
        }
        if changed.adjourned {
            let adjourned = referee.adjourned().map(|live| web::Adjourned {
                id: live.id().to_owned(),
                title: format!("Table {}: {}", live.server(), live.listed()),
                table: Some(live.server().into()),
            });
            self.feed.set_adjourned(adjourned.collect());
        }
        let Some(desk) = referee.desk() else {
            return;
        };
        if changed.standings {
            self.tournament.update_view(desk);
        }
        if changed.tournament || changed.lobby || changed.adjourned {
            self.show_tournament(referee, desk);
        }
    }

    /// Shows the tournament, and the teams that would take part in the next one.
    fn show_tournament(&mut self, referee: &Referee<G>, desk: &TournamentDesk) {
        let (games, present) = (referee.begun_games(), referee.teams_present());
        let waits = games.values().filter_map(|(scheduled, place)| {
            let (number, black, white) = (
                scheduled.number.short(),
                isolated(scheduled.black.as_str()),
                isolated(scheduled.white.as_str()),
            );
            (*place == GamePlace::Adjourned).then(|| {
                format!(
                    "game {number}, {black} - {white}, is adjourned: resume it, so that the rounds \
                     go on"
                )
            })
        });
        let places = games
            .iter()
            .map(|(&number, (_, place))| (number, place.to_string()));
        let is_absent = |name: &tournament::Name| {
            let mut games = games.values();
            let plays = games.any(|(scheduled, place)| {
                matches!(place, GamePlace::Table(_)) && scheduled.has(name)
            });
            !plays && !present.contains(name)
        };
        self.tournament
            .show(desk, places, waits.collect(), is_absent);
        let entrants = referee.tournament_entrants();
        if self.entrants.as_ref() != Some(&entrants) {
            let names = entrants.iter().map(ToString::to_string);
            self.feed.set_entrants(names.collect());
            self.entrants = Some(entrants);
        }
    }

    /// Shows a table. The page goes on showing the last match of an empty one.
    fn show_table(&mut self, index: usize, referee: &Referee<G>) {
        let Some(table) = referee.table(index) else {
            return;
        };
        let snapshot = table.snapshot();
        let Some(live) = table.live_match() else {
            let shown = self.tables.get(&index);
            let was_over = shown.is_some_and(|shown| shown.snapshot.is_over());
            if !(was_over && snapshot.is_empty()) {
                self.show(index, referee, snapshot, [].into_iter());
            }
            return;
        };
        self.show(index, referee, snapshot, live.moves());
    }

    /// Shows all tables anew: they have gone back to what is on the disk.
    pub fn forget(&mut self) {
        for shown in self.tables.values_mut() {
            shown.snapshot.label = None;
        }
        self.changed.tables.extend(0..self.ports.len());
    }

    /// Shows the state of a table, and the moves of its game that are new.
    fn show<'a>(
        &mut self,
        index: usize,
        referee: &Referee<G>,
        snapshot: TableSnapshot,
        moves: impl Iterator<Item = &'a Played<G::Move>>,
    ) where
        G::Move: 'a,
    {
        let Some(table) = referee.table(index) else {
            return;
        };
        let known = self.tables.remove(&index);
        let mut shown = match known {
            Some(shown) if shown.snapshot.label == snapshot.label => shown,
            other => {
                let label = snapshot.label.as_ref();
                let rules = label.map(|label| label.rules.as_deref());
                let game = rules.and_then(G::with_rules);
                ShownTable {
                    snapshot: snapshot.clone(),
                    game: game.unwrap_or_else(|| self.start.clone()),
                    plies: 0,
                    clients: other.map_or_else(ShownClients::new, |other| other.clients),
                    commands: TableCommands::new(),
                }
            }
        };
        let from = shown.plies;
        let start = (from == 0).then(|| shown.game.ply());
        // Each move has been played once by the same rules.
        let new = moves.skip(from.saturating_sub(1));
        let new = new.map_while(|played| ply(&mut shown.game, played));
        let plies: Vec<Ply> = start.into_iter().chain(new).collect();
        shown.plies += plies.len();
        let commands = Self::commands(referee, index);
        if shown.snapshot != snapshot || shown.commands != commands || !plies.is_empty() {
            let seated = snapshot.clients().map(|(conn, client, side)| {
                let name = called(client.name.as_ref(), client.conn);
                let place = format!("Table {}", table.number());
                (conn, client_view::<G>(conn, name, &place, side))
            });
            publish_clients(&self.feed, seated.collect(), &mut shown.clients);
            let rules = match snapshot.label {
                Some(_) => shown.game.rules_description(),
                None => self.start.rules_description(),
            };
            let port = self.ports.get(index).copied();
            let view = self.table_view((table, port), &snapshot, rules, commands.clone());
            self.feed.set_plies(view, from, plies);
        }
        (shown.snapshot, shown.commands) = (snapshot, commands);
        self.tables.insert(index, shown);
    }

    fn table_view(
        &self,
        (table, port): (&Table<G>, Option<u16>),
        snapshot: &TableSnapshot,
        rules: Option<String>,
        commands: TableCommands,
    ) -> web::TableView {
        let [rows, columns] = G::default().size();
        let number = table.number();
        let now = self.shared.now();
        let clocks = snapshot.clocks;
        let running =
            |&side: &Color| clocks.is_some_and(|clocks| clocks[side].flag_deadline().is_some());
        web::TableView {
            id: number.into(),
            kind: G::KIND,
            title: format!("Table {number}"),
            port,
            rules: match rules {
                Some(rules) => format!("{}: {rules}", G::NAME),
                None => G::NAME.into(),
            },
            rows,
            columns,
            numbered: false,
            seats: ByColor::from_fn(|side| {
                let player = snapshot.players[side].as_ref();
                let client = player.and_then(|client| Some(page_id(client.conn?)));
                SeatView {
                    code: G::LETTERS[side].to_ascii_uppercase().to_string(),
                    title: G::PLAYERS[side].into(),
                    name: player.map(|client| called(client.name.as_ref(), client.conn)),
                    client,
                    connected: client.is_some(),
                    left: clocks.map(|clocks| clocks[side].remaining(now)),
                }
            }),
            phase: match snapshot.stage {
                SnapshotStage::Open => web::TableStatus::Waiting,
                SnapshotStage::Interrupted => web::TableStatus::Paused,
                SnapshotStage::Playing => web::TableStatus::Playing,
                SnapshotStage::Over(_) => web::TableStatus::Over,
            },
            result: status_text::<G>(snapshot),
            turn: snapshot.turn,
            running_clock: Color::ALL.into_iter().find(running),
            round: snapshot.label.as_ref().and_then(|label| label.round),
            commands,
        }
    }

    /// Returns the organizer's commands for a table, each with the reason why it would be
    /// refused now.
    fn commands(referee: &Referee<G>, index: usize) -> TableCommands {
        let live = referee.table(index).and_then(Table::live_match);
        let void = live.is_none().then_some(CommandError::NoMatch);
        let adjourn = referee.check_adjourn(index).err();
        let recall = referee.check_resume(index).err();
        let named = [("adjourn", adjourn), ("void", void), ("recall", recall)];
        let told = named.map(|(name, why)| {
            let why = why.map(|why| match why {
                // Who holds it is shown, and its address is not for spectators.
                CommandError::NotFree { .. } => "the table is not free".to_owned(),
                why => why.to_string(),
            });
            (name, why)
        });
        BTreeMap::from(told)
    }
}

/// Returns a player as the page shows it. `place` is where it is.
fn client_view<G: NetrefGame>(
    conn: ConnId,
    name: String,
    place: &str,
    side: Option<Color>,
) -> web::Client {
    let side = side.map_or("either side", |side| G::PLAYERS[side]);
    web::Client {
        id: page_id(conn),
        log_label: Some(format!("#{conn}")),
        name: Some(name),
        // Spectators must not see addresses.
        address: String::new(),
        protocol: String::new(),
        seat: Some(format!("{place}, {side}")),
    }
}

/// Publishes the players of a table or the lobby, and removes those who have left.
fn publish_clients(feed: &Feed, clients: ShownClients, shown: &mut ShownClients) {
    for gone in shown.keys().filter(|conn| !clients.contains_key(conn)) {
        feed.remove_client(page_id(*gone));
    }
    for (conn, view) in &clients {
        if shown.get(conn) != Some(view) {
            feed.set_client(view.clone());
        }
    }
    *shown = clients;
}

/// Returns the number of a connection on the page, where numbers have 53 bits. Numbers
/// that differ within a hundred days differ there, too.
fn page_id(conn: ConnId) -> u64 {
    conn.0 & ((1 << 53) - 1)
}

/// Returns a player's name, or the number that the log has.
fn called(name: Option<&Name>, conn: Option<ConnId>) -> String {
    match (name, conn) {
        (Some(name), _) => name.as_str().to_owned(),
        (None, Some(conn)) => format!("#{conn}"),
        (None, None) => "no name".into(),
    }
}

/// Describes how a match ended, or what a table waits for.
fn status_text<G: NetrefGame>(snapshot: &TableSnapshot) -> Option<String> {
    match (&snapshot.stage, &snapshot.either) {
        (SnapshotStage::Over(ending), _) => Some(ending.describe(G::PLAYERS)),
        (SnapshotStage::Interrupted, _) => {
            Some("interrupted: waits for its players to come back".into())
        }
        (_, Some(client)) => Some(format!(
            "{} waits to play either side",
            isolated(&called(client.name.as_ref(), client.conn))
        )),
        _ => None,
    }
}

/// Plays a move, and returns the board after it.
fn ply<G: NetrefGame>(game: &mut G, played: &Played<G::Move>) -> Option<Ply> {
    game.play(played.side, played.mv).ok()?;
    Some(Ply {
        text: played.mv.to_string(),
        at: G::place(played.mv),
        by: Some(played.side),
        used: Some(played.spent),
        ..game.ply()
    })
}
