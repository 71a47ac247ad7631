//! What the page shows of a contest.

use std::marker::PhantomData;
use std::net::IpAddr;
use std::time::Duration;

use super::hosted::Hosted;
use super::tournament::TournamentPage;
use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::base::server_clock::ServerClock;
use crate::contests::contest::{
    Changes, ClientId, Contest, GameId, GamePhase, LiveGame, LogEvent, Name, Settings, Table,
    Tables, WaitsFor,
};
use crate::pages::web::{self, Feed, SeatView};
use crate::tournament::{self, GameNumber};

/// Keeps the feed of the page up to date.
#[derive(Debug)]
pub struct Page<P: Hosted> {
    feed: Feed,
    changes: Changes,
    /// The game that each table shows, and the number of its positions.
    shown: Vec<Option<(GameId, usize)>>,
    tournament: TournamentPage,
    protocol: PhantomData<P>,
}

impl<P: Hosted> Page<P> {
    /// Creates a page that has published nothing yet.
    pub fn new(feed: Feed, clock: ServerClock) -> Page<P> {
        let sides = ByColor::new("Black", "White");
        Page {
            tournament: TournamentPage::new(feed.clone(), clock, sides, "not connected"),
            feed,
            changes: Changes::default(),
            shown: Vec::new(),
            protocol: PhantomData,
        }
    }

    /// Adds changes to be shown at the next [`Page::refresh`].
    pub fn note(&mut self, changes: Changes) {
        self.changes.merge(changes);
    }

    /// Lists a game that is over.
    pub fn list(&self, finished: web::Finished) {
        self.feed.add_finished(finished);
    }

    /// Returns whether the page is out of date.
    pub fn is_stale(&self) -> bool {
        self.changes != Changes::default()
    }

    /// Publishes all changes.
    pub fn refresh(&mut self, contest: &Contest<P>, clock: Duration) {
        let changes = std::mem::take(&mut self.changes);
        for index in changes.tables {
            if let Some(table) = contest.tables().get(index) {
                self.show_table(index, table, contest, clock);
            }
        }
        for id in changes.clients {
            match contest.clients().address(id) {
                Some(address) => self.feed.set_client(client_view(id, address, contest)),
                None => self.feed.remove_client(id.0),
            }
        }
        if changes.adjourned {
            let games = contest.tables().adjourned().iter().map(adjourned_view);
            self.feed.set_adjourned(games.collect());
        }
        let desk = contest.desk();
        if changes.tournament {
            self.tournament.update_view(desk);
        }
        if changes.tournament || changes.games {
            let is_absent =
                |name: &tournament::Name| !contest.clients().is_connected(name.as_str());
            let (places, waits) = (places(contest.tables()), waits(contest.tables()));
            self.tournament.show(desk, places, waits, is_absent);
        }
    }

    fn show_table(
        &mut self,
        index: usize,
        table: &Table<P>,
        contest: &Contest<P>,
        clock: Duration,
    ) {
        if self.shown.len() <= index {
            self.shown.resize(index + 1, None);
        }
        let Some(shown) = self.shown.get_mut(index) else {
            return;
        };
        let view = table_view(table, contest, clock);
        let Some(game) = table.game() else {
            let start = P::start(table.setup());
            *shown = None;
            self.feed.set_plies(view, 0, vec![start]);
            return;
        };
        let timed = game.timed();
        let count = timed.log().len() + 1;
        let from = match shown {
            // When the disk fails, moves are taken back.
            Some((shown, plies)) if *shown == game.id() => count.min(*plies),
            _ => 0,
        };
        *shown = Some((game.id(), count));
        let plies = (from..count).filter_map(|moves| P::ply(timed, moves));
        self.feed.set_plies(view, from, plies.collect());
    }

    /// Shows an event in the log of the page. Moves are on the boards.
    pub fn log(&self, event: &LogEvent) {
        let whom = match event {
            LogEvent::Moved { .. } | LogEvent::Connected { .. } | LogEvent::Token { .. } => return,
            LogEvent::Refused { client, name, .. } | LogEvent::Left { client, name, .. } => {
                name.clone().unwrap_or_else(|| client.to_string())
            }
            LogEvent::Named { name, .. } => name.clone(),
            _ => String::new(),
        };
        self.feed.log(whom, event.to_string());
    }
}

fn table_view<P: Hosted>(
    table: &Table<P>,
    contest: &Contest<P>,
    clock: Duration,
) -> web::TableView {
    let game = table.game();
    let setup = game.map_or(table.setup(), |game| game.timed().setup());
    let board = P::board(setup);
    let playing = game.filter(|game| game.is_playing());
    let turn = match game {
        Some(game) => (!game.is_over()).then(|| game.timed().turn()),
        None => Some(board.first),
    };
    let number = table.number();
    let commands = table.commands().into_iter();
    web::TableView {
        id: number.into(),
        kind: board.kind,
        title: match game {
            Some(game) => format!("Table {number}, game {}", game.id()),
            None => format!("Table {number}"),
        },
        port: None,
        rules: board.rules,
        rows: board.rows,
        columns: board.columns,
        numbered: true,
        seats: ByColor::from_fn(|color| seat_view(table, color, contest, clock)),
        phase: match table.phase() {
            None => web::TableStatus::Waiting,
            Some(GamePhase::Playing) => web::TableStatus::Playing,
            Some(GamePhase::Interrupted(_)) => web::TableStatus::Paused,
            Some(GamePhase::Over(_)) => web::TableStatus::Over,
        },
        result: game.and_then(result_view),
        turn,
        running_clock: playing.map(|game| game.timed().turn()),
        round: game.and_then(LiveGame::place).map(|place| place.round),
        commands: commands
            .map(|(command, why)| (command, why.map(|why| why.to_string())))
            .collect(),
    }
}

fn seat_view<P: Hosted>(
    table: &Table<P>,
    color: Color,
    contest: &Contest<P>,
    clock: Duration,
) -> SeatView {
    let player = table.player(color);
    let game = table.game();
    // A player who has left is still awaited, and one who has played is still shown.
    let awaited = game.map(|game| game.names().get(color));
    let opponent = table.player(color.opponent()).map(|player| player.client);
    // A client at another address does not get the seat.
    let unfinished = table.unfinished_game();
    let kept = unfinished.and_then(|game| game.address(color));
    let is_elsewhere = |name: &Name| {
        let mut clients = contest.clients().with_name(name);
        clients.any(|player| {
            Some(player.client) != opponent && kept.is_none_or(|kept| kept == player.address)
        })
    };
    let connected = player.is_some() || awaited.is_some_and(is_elsewhere);
    let name = player.map(|player| &player.name).or(awaited);
    let left = match game {
        Some(game) => game.timed().remaining(clock)[color],
        None => table.setup().times()[color],
    };
    SeatView {
        code: color.capital().to_string(),
        title: color.to_string(),
        name: name.map(ToString::to_string),
        client: player.map(|player| player.client.0),
        connected,
        left: Some(Duration::from_millis(left)),
    }
}

fn result_view<P: Hosted>(game: &LiveGame<P>) -> Option<String> {
    match game.phase() {
        GamePhase::Playing | GamePhase::Interrupted(WaitsFor::Organizer) => None,
        GamePhase::Interrupted(_) => Some("it goes on when both players are back".into()),
        GamePhase::Over(outcome) => Some(P::ending(outcome, game.timed())),
    }
}

fn client_view<P: Hosted>(id: ClientId, address: IpAddr, contest: &Contest<P>) -> web::Client {
    let player = contest.clients().get_named(id);
    let dialect = player.map_or_else(P::Dialect::default, |player| player.dialect);
    let seat = contest.tables().seat_of(id).and_then(|seat| {
        let table = contest.tables().get(seat.table)?;
        Some(format!("Table {}, {}", table.number(), seat.color))
    });
    web::Client {
        log_label: None,
        id: id.0,
        name: player.map(|player| player.name.to_string()),
        address: address.to_string(),
        protocol: dialect.to_string(),
        seat,
    }
}

fn adjourned_view<P: Hosted>(game: &LiveGame<P>) -> web::Adjourned {
    let moves = counted(game.timed().log().len(), "move");
    web::Adjourned {
        id: game.id().to_string(),
        title: format!("{}, {moves}", game.listed()),
        table: None,
    }
}

/// Returns the places of the unfinished tournament games.
fn places<P: Hosted>(tables: &Tables<P>) -> impl Iterator<Item = (GameNumber, String)> {
    let at_tables = tables.iter().filter_map(|table| {
        let game = table.game()?;
        let number = table.number();
        let place = match game.phase() {
            GamePhase::Playing => format!("at table {number}"),
            GamePhase::Interrupted(WaitsFor::Organizer) => format!("paused at table {number}"),
            GamePhase::Interrupted(_) => format!("interrupted at table {number}"),
            GamePhase::Over(_) => return None,
        };
        Some((game.place()?, place))
    });
    let adjourned = tables
        .adjourned()
        .iter()
        .filter_map(|game| Some((game.place()?, "adjourned".to_owned())));
    at_tables.chain(adjourned)
}

/// Returns why the tournament waits for games that have begun, one sentence each.
fn waits<P: Hosted>(tables: &Tables<P>) -> Vec<String> {
    let is_scheduled = |game: &&LiveGame<P>| game.scheduled().is_some();
    let adjourned = tables.adjourned().iter().filter(is_scheduled);
    let adjourned = adjourned.map(|game| {
        let game = game.listed();
        format!("{game}, is adjourned: move it to a table, so that the rounds go on")
    });
    let interrupted = tables.iter().filter_map(|table| {
        let (game, reason) = table.interrupted()?;
        is_scheduled(&game).then_some(())?;
        let (game, number) = (game.listed(), table.number());
        Some(match reason {
            WaitsFor::Organizer => format!("{game}, is paused at table {number}"),
            _ => format!("{game}, is interrupted at table {number}"),
        })
    });
    adjourned.chain(interrupted).collect()
}
