//! What the page shows of a contest.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use itertools::Itertools;

use super::clients::{ClientId, Name};
use super::contest::Contest;
use super::effects::Changes;
use super::game::{GameId, LiveGame, Outcome, Phase, TimedGame};
use super::log::LogEvent;
use super::table::Table;
use super::tables::Tables;
use super::wire::{Protocol, Reason};
use crate::counted::counted;
use crate::go::{ByColor, Color, Move, Ownership, Point, Position, Rules, Score, Scoring, Size};
use crate::names::isolated;
use crate::tournament::{
    self, FixtureNumber, FixtureView, PairingSystem, RoundView, Standing, Tournament, View,
};
use crate::web::{self, BoardKind, Feed, Grid, Ply, Round, RoundStage, Seat};

/// Keeps the feed of the page up to date.
#[derive(Debug)]
pub struct Page {
    feed: Feed,
    changes: Changes,
    /// The game that each table shows, and the number of its positions.
    shown: Vec<Option<(GameId, usize)>>,
    /// The rounds and standings of the tournament. They take long to compute, and change
    /// only with a result or a round.
    tournament: Option<View>,
}

impl Page {
    pub fn new(feed: Feed) -> Page {
        Page {
            feed,
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
            let view = view.map(|view| tournament_view(view, contest));
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

fn table_view(table: &Table, contest: &Contest, clock: Duration) -> web::Table {
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
    web::Table {
        id: number.into(),
        kind: BoardKind::Go,
        title: match game {
            Some(game) => format!("Table {number}, game {}", game.id()),
            None => format!("Table {number}"),
        },
        rules: rules_view(setup.rules(), size),
        rows: size.rows().into(),
        columns: size.columns().into(),
        seats: ByColor::from_fn(|color| seat_view(table, color, contest, clock)),
        phase: match table.phase() {
            None => web::Phase::Waiting,
            Some(Phase::Playing) => web::Phase::Playing,
            Some(Phase::Interrupted(_)) => web::Phase::Paused,
            Some(Phase::Over(_)) => web::Phase::Over,
        },
        result: game.and_then(result_view),
        turn,
        running_clock: playing.map(|game| game.timed().turn()),
        round: game
            .and_then(LiveGame::fixture)
            .map(|fixture| fixture.number.round),
        commands: commands
            .map(|(command, why)| (command, why.map(|why| why.to_string())))
            .collect(),
    }
}

fn seat_view(table: &Table, color: Color, contest: &Contest, clock: Duration) -> Seat {
    let player = table.player(color);
    let game = table.game();
    // A player who has left is still awaited, and one who has played is still shown.
    let awaited = game.map(|game| game.names().get(color));
    let opponent = table.player(color.opponent()).map(|player| player.client);
    let is_elsewhere = |name: &Name| {
        let mut clients = contest.clients().with_name(name);
        clients.any(|player| Some(player.client) != opponent)
    };
    let connected = player.is_some() || awaited.is_some_and(is_elsewhere);
    let name = player.map(|player| &player.name).or(awaited);
    let left = match game {
        Some(game) => *game.timed().remaining(clock).get(color),
        None => *table.setup().times().get(color),
    };
    Seat {
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
        Phase::Playing | Phase::Interrupted(Reason::Pause) => None,
        Phase::Interrupted(_) => Some("it goes on when both players are back".into()),
        Phase::Over(outcome) => Some(outcome_view(outcome, game.timed())),
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
        Reason::Resign => format!("{winner} wins by resignation"),
        Reason::Timeout => format!("{winner} wins on time"),
        Reason::Mercy => format!("{winner} wins by mercy ({result})"),
        Reason::Pass | Reason::Pause | Reason::Error => format!("{winner} wins ({result})"),
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
        board: board_letters(position, &ownership),
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

/// Returns a letter for each point, row by row: the stones, and the owners of the empty
/// points.
fn board_letters(position: &Position, ownership: &Ownership) -> String {
    let board = &position.board;
    let letter = |point| match (board.get(point), ownership.owner(point)) {
        (Some(color), _) => color.capital(),
        (None, Some(owner)) => owner.letter(),
        (None, None) => '.',
    };
    board.size().points().map(letter).collect()
}

/// Where the games of the tournament are that have begun and are not over.
type Places = BTreeMap<FixtureNumber, String>;

/// Returns the view of a tournament, with the reasons why it waits.
fn tournament_view(view: &View, contest: &Contest) -> web::Tournament {
    let places = places(contest.tables());
    let first_open = view.rounds.iter().position(RoundView::is_open);
    let system = match view.system {
        PairingSystem::RoundRobin => "Round robin",
        PairingSystem::Swiss { .. } => "Swiss system",
    };
    let rounds = view.rounds_planned;
    let paired = view.rounds.len();
    let stage = match (view.over, view.system) {
        (true, _) => "over".to_owned(),
        (false, PairingSystem::RoundRobin) => format!("{rounds} rounds"),
        (false, PairingSystem::Swiss { .. }) => format!("round {paired} of {rounds}"),
    };
    let standings = view.standings.iter();
    let stay = standings.filter(|row| !row.withdrawn && !view.over);
    web::Tournament {
        title: format!("{system}, {stage}, seed {}", view.seed),
        is_running: !view.over,
        withdrawable: stay.map(|row| row.player.to_string()).sorted().collect(),
        waits: waits(contest),
        standings: standings_view(&view.standings),
        rounds: view
            .rounds
            .iter()
            .enumerate()
            .map(|(index, round)| {
                let is_current = Some(index) == first_open || round.is_played(&places);
                let stage = match (round.is_open(), view.over, is_current) {
                    (false, _, _) => RoundStage::Over,
                    (true, true, _) => RoundStage::Dropped,
                    (true, false, true) => RoundStage::Current,
                    (true, false, false) => RoundStage::Coming,
                };
                round_view(round, stage, &places)
            })
            .collect(),
    }
}

fn standings_view(standings: &[Standing]) -> Grid {
    let swiss = standings
        .iter()
        .any(|row| row.tie_breaks.buchholz.is_some());
    let mut head = vec![
        "Rank", "Player", "Points", "Won", "Tied", "Lost", "Forfeits", "Byes",
    ];
    head.extend(swiss.then_some("Buchholz"));
    head.push("Sonneborn-Berger");
    head.push("Black-White");
    let rows = standings.iter().map(|row| {
        let rank = row.rank.map_or_else(|| "-".into(), |rank| rank.to_string());
        let ties = &row.tie_breaks;
        let mut cells = vec![
            rank,
            match row.withdrawn {
                true => format!("{} (left)", isolated(row.player.as_str())),
                false => row.player.to_string(),
            },
            row.points.to_string(),
            row.wins.to_string(),
            row.ties.to_string(),
            row.losses.to_string(),
            row.forfeits.to_string(),
            row.byes.to_string(),
        ];
        cells.extend(ties.buchholz.map(|points| points.to_string()));
        cells.push(ties.sonneborn_berger.to_string());
        cells.push(format!("{}-{}", row.blacks, row.whites));
        cells
    });
    Grid {
        head: head.into_iter().map(str::to_owned).collect(),
        rows: rows.collect(),
    }
}

impl RoundView {
    /// Returns whether one of its games has no result yet.
    fn is_open(&self) -> bool {
        self.fixtures.iter().any(|view| view.result.is_none())
    }

    /// Returns whether one of its games has begun and is not over.
    fn is_played(&self, places: &Places) -> bool {
        let mut games = self.fixtures.iter();
        games.any(|view| places.contains_key(&view.fixture.number))
    }
}

/// Returns where the games of the tournament are that have begun and are not over.
fn places(tables: &Tables) -> Places {
    let at_tables = tables.iter().filter_map(|table| {
        let game = table.game()?;
        let number = table.number();
        let place = match game.phase() {
            Phase::Playing => format!("at table {number}"),
            Phase::Interrupted(Reason::Pause) => format!("paused at table {number}"),
            Phase::Interrupted(_) => format!("interrupted at table {number}"),
            Phase::Over(_) => return None,
        };
        Some((game.fixture()?.number, place))
    });
    let adjourned = tables.adjourned().iter().filter_map(|game| {
        let fixture = game.fixture()?;
        Some((fixture.number, "adjourned".to_owned()))
    });
    at_tables.chain(adjourned).collect()
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
    let is_fixture = |game: &&LiveGame| game.fixture().is_some();
    let adjourned = contest.tables().adjourned().iter().filter(is_fixture);
    let adjourned = adjourned.map(|game| {
        let game = called(game);
        format!("{game} is adjourned: recall it to a table, so that the rounds go on")
    });
    let interrupted = contest.tables().iter().filter_map(|table| {
        let (game, reason) = table.interrupted()?;
        is_fixture(&game).then_some(())?;
        let (game, number) = (called(game), table.number());
        Some(match reason {
            Reason::Pause => format!("{game} is paused at table {number}"),
            _ => format!("{game} is interrupted at table {number}"),
        })
    });
    let due = running.due();
    let players = due.iter().flat_map(|game| [&game.black, &game.white]);
    let absent: BTreeSet<&str> = players
        .map(tournament::Name::as_str)
        .filter(|name| !contest.clients().is_connected(name))
        .collect();
    let limit = contest.forfeit_after().map_or_else(String::new, |limit| {
        let limit = humantime::format_duration(limit);
        format!(", and forfeits a game that has waited {limit} for it")
    });
    let absent = absent.into_iter();
    let absent = absent.map(|name| format!("{} is not connected{limit}", isolated(name)));
    adjourned.chain(interrupted).chain(absent).collect()
}

fn round_view(round: &RoundView, stage: RoundStage, places: &Places) -> Round {
    let games = round.fixtures.iter();
    let mut rows: Vec<Vec<String>> = games.map(|view| fixture_view(view, places)).collect();
    if let Some(bye) = &round.bye {
        rows.push(vec![
            bye.to_string(),
            String::new(),
            "bye".into(),
            String::new(),
        ]);
    }
    let head = ["Black", "White", "Result", "By"];
    Round {
        title: format!("Round {}", round.round),
        stage,
        games: Grid {
            head: head.map(str::to_owned).to_vec(),
            rows,
        },
    }
}

/// Returns the cells of a game: the players and the result, or where it is played.
fn fixture_view(view: &FixtureView, places: &Places) -> Vec<String> {
    let (result, how) = match &view.result {
        None => {
            let place = places.get(&view.fixture.number);
            (place.cloned().unwrap_or_default(), String::new())
        }
        Some(result) => {
            let points = match (result.winner, result.forfeit) {
                (Some(Color::Black), _) => "1-0",
                (Some(Color::White), _) => "0-1",
                (None, true) => "0-0",
                (None, false) => "½-½",
            };
            let how = match result.forfeit {
                true => format!("forfeit ({})", result.reason),
                false => result.reason.to_string(),
            };
            (points.to_owned(), how)
        }
    };
    vec![
        view.fixture.black.to_string(),
        view.fixture.white.to_string(),
        result,
        how,
    ]
}
