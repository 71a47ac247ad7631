//! What the page shows of a tournament.

use std::collections::BTreeMap;

use itertools::Itertools;

use super::hall::Hall;
use super::table::Phase;
use super::wire::Reason;
use crate::color::Color;
use crate::names::isolated;
use crate::tournament::{FixtureNumber, FixtureView, Kind, RoundView, Standing, Tournament};
use crate::web::{self, Grid, Round, RoundStage};

/// Where the games are that have begun and are not over.
type Places = BTreeMap<FixtureNumber, String>;

/// The tournament as it stands, and what holds it up.
pub(super) fn tournament_view(held: &Tournament, hall: &Hall) -> web::Tournament {
    let view = held.view();
    let places = hall.places();
    let first_open = view.rounds.iter().position(RoundView::is_open);
    let system = match view.kind {
        Kind::RoundRobin => "Round robin",
        Kind::Swiss { .. } => "Swiss system",
    };
    let rounds = view.rounds_planned;
    let paired = view.rounds.len();
    let stage = match (view.over, view.kind) {
        (true, _) => "over".to_owned(),
        (false, Kind::RoundRobin) => format!("{rounds} rounds"),
        (false, Kind::Swiss { .. }) => format!("round {paired} of {rounds}"),
    };
    let standings = view.standings.iter();
    let stay = standings.filter(|row| !row.withdrawn && !view.over);
    web::Tournament {
        title: format!("{system}, {stage}, seed {}", view.seed),
        running: !view.over,
        participants: stay.map(|row| row.player.to_string()).sorted().collect(),
        waits: hall.waits(),
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
    /// Whether a game of it has no result yet.
    fn is_open(&self) -> bool {
        self.fixtures.iter().any(|view| view.result.is_none())
    }

    /// Whether a game of it has begun and is not over.
    fn is_played(&self, places: &Places) -> bool {
        let mut games = self.fixtures.iter();
        games.any(|view| places.contains_key(&view.fixture.number))
    }
}

impl Hall {
    fn places(&self) -> Places {
        let at_tables = self.tables.iter().filter_map(|table| {
            let session = table.session.as_ref()?;
            let number = table.number;
            let place = match session.phase {
                Phase::Playing => format!("at table {number}"),
                Phase::Stopped(Reason::Pause) => format!("paused at table {number}"),
                Phase::Stopped(_) => format!("broken off at table {number}"),
                Phase::Over(_) => return None,
            };
            Some((session.fixture.as_ref()?.number, place))
        });
        let put_away = self.adjourned.iter().filter_map(|session| {
            let fixture = session.fixture.as_ref()?;
            Some((fixture.number, "put away".to_owned()))
        });
        at_tables.chain(put_away).collect()
    }
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

/// Who plays and how it ended, or where it is played.
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
