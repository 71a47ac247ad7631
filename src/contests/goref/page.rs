//! What the page shows of a contest.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;

use super::clients::{ClientId, Name};
use super::contest::Contest;
use super::effects::Changes;
use super::game::{GameId, GamePhase, LiveGame, Outcome, TimedGame};
use super::log::LogEvent;
use super::table::Table;
use super::tables::Tables;
use super::wire::{Protocol, WireReason};
use crate::base::counted::counted;
use crate::base::server_clock::ServerClock;
use crate::games::go::{
    ByColor, Color, Move, Ownership, Point, Position, Rules, Score, Scoring, Size,
};
use crate::pages::web::{self, BoardKind, Feed, OpenGames, Ply, SeatView};
use crate::tournament::{self, GameNumber, Tournament, View};

/// Keeps the feed of the page up to date.
#[derive(Debug)]
pub struct Page {
    feed: Feed,
    clock: ServerClock,
    changes: Changes,
    /// The game that each table shows, and the number of its positions.
    shown: Vec<Option<(GameId, usize)>>,
    /// The rounds and standings of the tournament. They take long to compute, and change
    /// only with a result or a round.
    tournament: Option<View>,
}

impl Page {
    /// Creates a page that has published nothing yet.
    pub fn new(feed: Feed, clock: ServerClock) -> Page {
        Page {
            feed,
            clock,
            changes: Changes::default(),
            shown: Vec::new(),
            tournament: None,
        }
    }

    /// Adds changes to be shown at the next [`Page::refresh`].
    pub fn note(&mut self, changes: Changes) {
        self.changes.merge(changes);
    }

    /// Returns whether the page is out of date.
    pub fn is_stale(&self) -> bool {
        self.changes != Changes::default()
    }

    /// Publishes all changes.
    pub fn refresh(&mut self, contest: &Contest, clock: Duration) {
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
        if changes.tournament {
            self.tournament = contest.desk().tournament().map(Tournament::view);
        }
        if changes.tournament || changes.games {
            let view = self.tournament.as_ref();
            let view = view.map(|view| {
                let states = self.open_games(contest);
                let sides = ByColor::new("Black", "White");
                web::Tournament::new(view, &states, waits(contest), sides)
            });
            self.feed.set_tournament(view);
        }
    }

    fn show_table(&mut self, index: usize, table: &Table, contest: &Contest, clock: Duration) {
        if self.shown.len() <= index {
            self.shown.resize(index + 1, None);
        }
        let Some(shown) = self.shown.get_mut(index) else {
            return;
        };
        let view = table_view(table, contest, clock);
        let Some(game) = table.game() else {
            let start = first_ply(table.setup().position(), table.setup().rules());
            *shown = None;
            self.feed.set_plies(view, 0, vec![start]);
            return;
        };
        let play = game.timed();
        let count = play.game().positions().len();
        let from = match shown {
            // When the disk fails, moves are taken back.
            Some((shown, plies)) if *shown == game.id() => count.min(*plies),
            _ => 0,
        };
        *shown = Some((game.id(), count));
        let plies = (from..count).filter_map(|index| ply(play, index));
        self.feed.set_plies(view, from, plies.collect());
    }

    /// Returns the places of the unfinished tournament games, and when games are forfeited.
    fn open_games(&self, contest: &Contest) -> OpenGames {
        let mut states = OpenGames::new();
        for (number, place) in places(contest.tables()) {
            states.entry(number).or_default().place = Some(place);
        }
        let clock = |at| self.feed.clock_at(self.clock.moment(at));
        for (number, deadlines) in contest.deadlines() {
            states.entry(number).or_default().deadlines = deadlines.map(|at| at.map(clock));
        }
        states
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

fn table_view(table: &Table, contest: &Contest, clock: Duration) -> web::TableView {
    let game = table.game();
    let setup = game.map_or(table.setup(), |game| game.timed().setup());
    let size = setup.position().board.size();
    let playing = game.filter(|game| game.is_playing());
    let turn = match game {
        Some(game) => (!game.is_over()).then(|| game.timed().turn()),
        None => Some(setup.position().turn),
    };
    let number = table.number();
    let commands = table.commands().into_iter();
    web::TableView {
        id: number.into(),
        kind: BoardKind::Go,
        title: match game {
            Some(game) => format!("Table {number}, game {}", game.id()),
            None => format!("Table {number}"),
        },
        port: None,
        rules: rules_view(setup.rules(), size),
        rows: size.rows().into(),
        columns: size.columns().into(),
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
        round: game
            .and_then(LiveGame::scheduled)
            .map(|scheduled| scheduled.number.round),
        commands: commands
            .map(|(command, why)| (command, why.map(|why| why.to_string())))
            .collect(),
    }
}

fn seat_view(table: &Table, color: Color, contest: &Contest, clock: Duration) -> SeatView {
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
        Some(game) => *game.timed().remaining(clock).get(color),
        None => *table.setup().times().get(color),
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

fn result_view(game: &LiveGame) -> Option<String> {
    match game.phase() {
        GamePhase::Playing | GamePhase::Interrupted(WireReason::Pause) => None,
        GamePhase::Interrupted(_) => Some("it goes on when both players are back".into()),
        GamePhase::Over(outcome) => Some(outcome_view(outcome, game.timed())),
    }
}

/// Returns a sentence that says how a game ended.
fn outcome_view(outcome: Outcome, play: &TimedGame) -> String {
    let score = play.score();
    let Some(winner) = outcome.winner else {
        let ByColor { black, white } = score;
        return format!("Drawn ({black}-{white})");
    };
    let result = outcome.result(score);
    match outcome.reason {
        WireReason::Resign => format!("{winner} wins by resignation"),
        WireReason::Timeout => format!("{winner} wins on time"),
        WireReason::Mercy => format!("{winner} wins by mercy ({result})"),
        WireReason::Pass | WireReason::Pause | WireReason::Error => {
            format!("{winner} wins ({result})")
        }
    }
}

fn rules_view(rules: &Rules, size: Size) -> String {
    let mut words = vec![size.to_string(), format!("komi {}", rules.komi)];
    words.extend(rules.ko.then(|| "ko".into()));
    words.extend(rules.superko.then(|| "superko".into()));
    words.push(match rules.scoring {
        Scoring::Area => "area scoring".into(),
        Scoring::Territory => "territory scoring".into(),
    });
    let (margin, start) = (rules.mercy.margin(), rules.mercy.start());
    if margin > Score::ZERO {
        words.push(format!("mercy {margin} after {}", counted(start, "move")));
    }
    if rules.prisoner_score != 1 {
        words.push(format!("prisoners count {}", rules.prisoner_score));
    }
    words.join(", ")
}

fn client_view(id: ClientId, address: IpAddr, contest: &Contest) -> web::Client {
    let player = contest.clients().get_named(id);
    let protocol = player.map_or_else(Protocol::default, |player| player.protocol);
    let seat = contest.tables().seat_of(id).and_then(|seat| {
        let table = contest.tables().get(seat.table)?;
        Some(format!("Table {}, {}", table.number(), seat.color))
    });
    web::Client {
        log_label: None,
        id: id.0,
        name: player.map(|player| player.name.to_string()),
        address: address.to_string(),
        protocol: protocol.to_string(),
        seat,
    }
}

fn adjourned_view(game: &LiveGame) -> web::Adjourned {
    let ByColor { black, white } = game.names().as_ref().map(Name::isolated);
    let moves = counted(game.timed().log().len(), "move");
    web::Adjourned {
        id: game.id().to_string(),
        title: format!("game {}, {black} - {white}, {moves}", game.id()),
        table: None,
    }
}

/// Returns the view of a position without a move.
fn first_ply(position: &Position, rules: &Rules) -> Ply {
    let ownership = Ownership::of(&position.board);
    let scores = ownership.score(position.prisoners, rules);
    Ply {
        board: ownership.letters(position.board.size()),
        text: String::new(),
        at: None,
        by: None,
        used: None,
        prisoners: Some(position.prisoners),
        scores: Some(scores.map(Score::to_f64)),
    }
}

/// Returns the view of the position after a number of moves.
fn ply(play: &TimedGame, index: usize) -> Option<Ply> {
    let game = play.game();
    let mut ply = first_ply(game.positions().get(index)?, game.rules());
    let Some(before) = index.checked_sub(1) else {
        return Some(ply);
    };
    let entry = play.log().get(before)?;
    let size = game.board().size();
    ply.text = match entry.played {
        Move::Pass => "pass".into(),
        Move::Resign => "resign".into(),
        Move::Place(point) => point.vertex(size).unwrap_or_default(),
    };
    if let Move::Place(Point { row, column }) = entry.played {
        ply.at = Some([row.into(), column.into()]);
    }
    ply.by = Some(game.positions().get(before)?.turn);
    ply.used = Some(Duration::from_millis(entry.delta_time));
    Some(ply)
}

/// Returns the places of the unfinished tournament games.
fn places(tables: &Tables) -> impl Iterator<Item = (GameNumber, String)> {
    let at_tables = tables.iter().filter_map(|table| {
        let game = table.game()?;
        let number = table.number();
        let place = match game.phase() {
            GamePhase::Playing => format!("at table {number}"),
            GamePhase::Interrupted(WireReason::Pause) => format!("paused at table {number}"),
            GamePhase::Interrupted(_) => format!("interrupted at table {number}"),
            GamePhase::Over(_) => return None,
        };
        Some((game.scheduled()?.number, place))
    });
    let adjourned = tables.adjourned().iter().filter_map(|game| {
        let scheduled = game.scheduled()?;
        Some((scheduled.number, "adjourned".to_owned()))
    });
    at_tables.chain(adjourned)
}

/// Returns the reasons why the tournament waits, one sentence each.
fn waits(contest: &Contest) -> Vec<String> {
    let Some(running) = contest.desk().running() else {
        return Vec::new();
    };
    let called = |game: &LiveGame| {
        let ByColor { black, white } = game.names().as_ref().map(Name::isolated);
        format!("game {}, {black} - {white},", game.id())
    };
    let is_scheduled = |game: &&LiveGame| game.scheduled().is_some();
    let adjourned = contest.tables().adjourned().iter().filter(is_scheduled);
    let adjourned = adjourned.map(|game| {
        let game = called(game);
        format!("{game} is adjourned: recall it to a table, so that the rounds go on")
    });
    let interrupted = contest.tables().iter().filter_map(|table| {
        let (game, reason) = table.interrupted()?;
        is_scheduled(&game).then_some(())?;
        let (game, number) = (called(game), table.number());
        Some(match reason {
            WireReason::Pause => format!("{game} is paused at table {number}"),
            _ => format!("{game} is interrupted at table {number}"),
        })
    });
    let due = running.pending_games();
    let players = due.iter().flat_map(|game| [&game.black, &game.white]);
    let absent: BTreeSet<&str> = players
        .map(tournament::Name::as_str)
        .filter(|name| !contest.clients().is_connected(name))
        .collect();
    let absent = web::absence(absent, "not connected", contest.forfeit_after());
    adjourned.chain(interrupted).chain(absent).collect()
}
