//! What the page shows of a tournament.

use itertools::Itertools;

use crate::tournament::{Color, FixtureView, Kind, RoundView, Standing, Tournament};
use crate::web::{self, Grid, Round};

/// The tournament as it stands, and what holds it up.
pub(super) fn tournament_view(held: &Tournament, waits: Vec<String>) -> web::Tournament {
    let view = held.view();
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
        waits,
        standings: standings_view(&view.standings),
        rounds: view.rounds.iter().map(round_view).collect(),
    }
}

fn standings_view(standings: &[Standing]) -> Grid {
    let swiss = standings
        .iter()
        .any(|row| row.tie_breaks.buchholz.is_some());
    let mut head = vec![
        "", "Player", "Points", "Won", "Tied", "Lost", "Forfeits", "Byes",
    ];
    head.extend(swiss.then_some("Buchholz"));
    head.push("Sonneborn-Berger");
    head.push("Black-White");
    let rows = standings.iter().map(|row| {
        let rank = row.rank.map_or_else(|| "-".into(), |rank| rank.to_string());
        let left = if row.withdrawn { " (left)" } else { "" };
        let ties = &row.tie_breaks;
        let mut cells = vec![
            rank,
            format!("{}{left}", row.player),
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

fn round_view(round: &RoundView) -> Round {
    let mut rows: Vec<Vec<String>> = round.fixtures.iter().map(fixture_view).collect();
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
        games: Grid {
            head: head.map(str::to_owned).to_vec(),
            rows,
        },
    }
}

fn fixture_view(view: &FixtureView) -> Vec<String> {
    let (result, how) = match &view.result {
        None => (String::new(), String::new()),
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
