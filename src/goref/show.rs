//! What the page shows of the hall.

use std::collections::BTreeMap;
use std::time::Duration;

use super::client::{Client, ClientId};
use super::entry::GameId;
use super::hall::{Changes, Hall};
use super::name::Name;
use super::news::News;
use super::referee::{Match, Outcome};
use super::show_tournament::tournament_view;
use super::table::{Phase, Session, Table};
use super::wire::Reason;
use crate::go::{ByColor, Color, Move, Point, Position, Rules, Score, Scoring, Size, Territory};
use crate::web::{self, BoardKind, Feed, Ply, Seat};

/// Keeps the page's feed up to date.
#[derive(Debug)]
pub(super) struct Show {
    feed: Feed,
    changes: Changes,
    /// Which game each table shows, and how many positions of it.
    shown: Vec<Option<(GameId, usize)>>,
}

impl Show {
    pub(super) fn new(feed: Feed) -> Show {
        Show {
            feed,
            changes: Changes::default(),
            shown: Vec::new(),
        }
    }

    /// Notes what looks different.
    pub(super) fn note(&mut self, changes: Changes) {
        self.changes.tables.extend(changes.tables);
        self.changes.clients.extend(changes.clients);
        self.changes.adjourned |= changes.adjourned;
        self.changes.tournament |= changes.tournament;
    }

    /// Whether something looks different than on the page.
    pub(super) fn is_stale(&self) -> bool {
        self.changes != Changes::default()
    }

    /// Shows it.
    pub(super) fn refresh(&mut self, hall: &Hall, clock: Duration) {
        let changes = std::mem::take(&mut self.changes);
        for index in changes.tables {
            if let Some(table) = hall.tables.get(index) {
                self.show_table(index, table, hall, clock);
            }
        }
        for id in changes.clients {
            match hall.clients.get(&id) {
                Some(client) => self.feed.client(client_view(id, client, hall)),
                None => self.feed.client_gone(id.0),
            }
        }
        if changes.adjourned {
            let games = hall.adjourned.iter().map(adjourned_view);
            self.feed.adjourned(games.collect());
        }
        if changes.tournament {
            let held = hall.tournament.as_ref();
            let view = held.map(|held| tournament_view(held, hall));
            self.feed.tournament(view);
        }
    }

    fn show_table(&mut self, index: usize, table: &Table, hall: &Hall, clock: Duration) {
        if self.shown.len() <= index {
            self.shown.resize(index + 1, None);
        }
        let Some(shown) = self.shown.get_mut(index) else {
            return;
        };
        let view = table_view(index, table, hall, clock);
        let Some(session) = &table.session else {
            let start = first_ply(table.terms.position(), table.terms.rules());
            *shown = None;
            self.feed.play(view, 0, vec![start]);
            return;
        };
        let play = &session.play;
        let count = play.game().positions().len();
        let from = match shown {
            // A failing disk takes moves back.
            Some((game, plies)) if *game == session.id => count.min(*plies),
            _ => 0,
        };
        *shown = Some((session.id, count));
        let plies = (from..count).filter_map(|index| ply(play, index));
        self.feed.play(view, from, plies.collect());
    }

    /// Shows what the organiser should know. Moves are on the boards.
    pub(super) fn log(&self, news: &News) {
        let whom = match news {
            News::Moved { .. } | News::Connected { .. } | News::Token { .. } => return,
            News::Refused { client, name, .. } | News::Left { client, name, .. } => {
                name.clone().unwrap_or_else(|| client.to_string())
            }
            News::Named { name, .. } => name.clone(),
            _ => String::new(),
        };
        self.feed.log(whom, news.to_string());
    }
}

fn table_view(index: usize, table: &Table, hall: &Hall, clock: Duration) -> web::Table {
    let session = table.session.as_ref();
    let terms = session.map_or(&table.terms, |session| session.play.terms());
    let size = terms.position().board.size();
    let playing = session.filter(|session| session.phase == Phase::Playing);
    let turn = match session {
        Some(session) => (!matches!(session.phase, Phase::Over(_))).then(|| session.play.turn()),
        None => Some(terms.position().turn),
    };
    web::Table {
        id: table.number.into(),
        kind: BoardKind::Go,
        title: match session {
            Some(session) => format!("Table {}, game {}", table.number, session.id),
            None => format!("Table {}", table.number),
        },
        rules: rules_view(terms.rules(), size),
        rows: size.rows().into(),
        columns: size.columns().into(),
        seats: ByColor::from_fn(|color| seat_view(table, color, hall, clock)),
        phase: match session.map(|session| session.phase) {
            None => web::Phase::Waiting,
            Some(Phase::Playing) => web::Phase::Playing,
            Some(Phase::Stopped(_)) => web::Phase::Paused,
            Some(Phase::Over(_)) => web::Phase::Over,
        },
        result: session.and_then(result_view),
        turn,
        running: playing.map(|session| session.play.turn()),
        round: session
            .and_then(|session| session.fixture.as_ref())
            .map(|fixture| fixture.number.round),
        commands: BTreeMap::from(hall.orders(index)),
    }
}

fn seat_view(table: &Table, color: Color, hall: &Hall, clock: Duration) -> Seat {
    let client = table.seats[color];
    let session = table.session.as_ref();
    let seated = client.and_then(|client| hall.called(client));
    // Who has left is still awaited, and who has played is still shown.
    let awaited = session.map(|session| session.names.get(color));
    let opponent = table.seats[color.opponent()];
    let is_elsewhere = || awaited.is_some_and(|name| hall.is_connected(name, opponent));
    let connected = client.is_some() || is_elsewhere();
    let name = seated.or_else(|| awaited.map(ToString::to_string));
    let left = match session {
        Some(session) => *session.play.left(clock).get(color),
        None => *table.terms.times().get(color),
    };
    Seat {
        code: color.letter().to_string(),
        title: color.to_string(),
        name,
        client: client.map(|client| client.0),
        connected,
        left: Some(Duration::from_millis(left)),
    }
}

fn result_view(session: &Session) -> Option<String> {
    match session.phase {
        Phase::Playing | Phase::Stopped(Reason::Pause) => None,
        Phase::Stopped(_) => Some("it goes on when both players are back".into()),
        Phase::Over(outcome) => Some(outcome_view(outcome, &session.play)),
    }
}

/// How a game ended, as a sentence.
fn outcome_view(outcome: Outcome, play: &Match) -> String {
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
        Scoring::Area => "area".into(),
        Scoring::Territory => "territory".into(),
    });
    let (margin, start) = (rules.mercy.margin(), rules.mercy.start());
    if margin > Score::ZERO {
        words.push(format!("mercy {margin} after {start} moves"));
    }
    if rules.prisoner_score != 1 {
        words.push(format!("prisoners count {}", rules.prisoner_score));
    }
    words.join(", ")
}

fn client_view(id: ClientId, client: &Client, hall: &Hall) -> web::Client {
    let seat = client.seat.and_then(|seat| {
        let table = hall.tables.get(seat.table)?;
        Some(format!("Table {}, {}", table.number, seat.color))
    });
    web::Client {
        number: None,
        id: id.0,
        name: client.name.as_ref().map(ToString::to_string),
        address: client.address.to_string(),
        protocol: client.protocol.to_string(),
        seat,
    }
}

fn adjourned_view(session: &Session) -> web::Adjourned {
    let ByColor { black, white } = session.names.as_ref().map(Name::isolated);
    let moves = session.play.log().len();
    web::Adjourned {
        id: session.id.to_string(),
        title: format!("game {}, {black} - {white}, {moves} moves", session.id),
        table: None,
    }
}

/// The board before the first move.
fn first_ply(position: &Position, rules: &Rules) -> Ply {
    let territory = Territory::of(&position.board);
    let scores = territory.score(position.prisoners, rules);
    Ply {
        board: picture(position, &territory),
        text: String::new(),
        at: None,
        by: None,
        used: None,
        prisoners: Some(position.prisoners),
        scores: Some(scores.map(|score| score.to_f64())),
    }
}

/// The board after so many moves.
fn ply(play: &Match, index: usize) -> Option<Ply> {
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

/// The points row by row: stones, and whose the empty ones are.
fn picture(position: &Position, territory: &Territory) -> String {
    let board = &position.board;
    let letter = |point| match (board.get(point), territory.owner(point)) {
        (Some(color), _) => color.capital(),
        (None, Some(owner)) => owner.letter(),
        (None, None) => '.',
    };
    board.size().points().map(letter).collect()
}
