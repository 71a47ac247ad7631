//! How the page shows a tournament, and what it asks for to begin one.

use std::collections::BTreeMap;

use itertools::Itertools;
use thiserror::Error;

use super::command;
use super::view::{Crosstable, CrosstableRow, Grid, Round, RoundStage, Tournament};
use crate::color::Color;
use crate::names::isolated;
use crate::tournament::{
    CrossCell, GameNumber, GameView, Games, NameError, PairingSystem, RoundView, Settings,
    SetupError, Standing, View,
};

/// Where the games of a tournament are that have begun and are not over, such as `at table 2`.
pub type PlaceTexts = BTreeMap<GameNumber, String>;

impl Tournament {
    /// Returns a tournament as the page shows it. `places` says where its unfinished games are, and
    /// `waits` why it waits.
    pub fn new(view: &View, places: &PlaceTexts, waits: Vec<String>) -> Tournament {
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
        Tournament {
            title: format!("{system}, {stage}, seed {}", view.seed),
            is_running: !view.over,
            withdrawable: stay.map(|row| row.player.to_string()).sorted().collect(),
            waits,
            standings: standings_view(&view.standings),
            crosstable: crosstable_view(view),
            rounds: view
                .rounds
                .iter()
                .enumerate()
                .map(|(index, round)| {
                    let is_current = Some(index) == first_open || round.is_played(places);
                    let stage = match (round.is_open(), view.over, is_current) {
                        (false, _, _) => RoundStage::Over,
                        (true, true, _) => RoundStage::Dropped,
                        (true, false, true) => RoundStage::Current,
                        (true, false, false) => RoundStage::Coming,
                    };
                    round_view(round, stage, places)
                })
                .collect(),
        }
    }
}

fn standings_view(standings: &[Standing]) -> Grid {
    let swiss = standings
        .iter()
        .any(|row| row.tie_breaks.buchholz.is_some());
    let mut head = vec![
        "Rank", "Player", "Points", "Won", "Drawn", "Lost", "Forfeits", "Byes",
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
            row.draws.to_string(),
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

/// Returns the crosstable, unless it is too wide.
fn crosstable_view(view: &View) -> Option<Crosstable> {
    let rows = &view.crosstable.as_ref()?.rows;
    let swiss = matches!(view.system, PairingSystem::Swiss { .. });
    let mut head = vec!["Points"];
    head.extend(swiss.then_some("Buchholz"));
    head.push("Sonneborn-Berger");
    let cell = |cell: &CrossCell| match cell {
        CrossCell::Empty => String::new(),
        CrossCell::Own => "x".into(),
        CrossCell::Bye => "bye".into(),
        CrossCell::Games { opponent, games } => {
            let games = games.iter().map(|game| {
                let color = match game.color {
                    Color::Black => 'b',
                    Color::White => 'w',
                };
                format!("{color}{}", game.mark.symbol())
            });
            format!("{}:{}", opponent + 1, games.format(""))
        }
    };
    let row = |(row, cells): (&Standing, &Vec<CrossCell>)| {
        let ties = &row.tie_breaks;
        let mut sums = vec![row.points.to_string()];
        sums.extend(ties.buchholz.map(|points| points.to_string()));
        sums.push(ties.sonneborn_berger.to_string());
        CrosstableRow {
            player: row.player.to_string(),
            cells: cells.iter().map(cell).collect(),
            sums,
        }
    };
    Some(Crosstable {
        swiss,
        head: head.into_iter().map(str::to_owned).collect(),
        rows: view.standings.iter().zip(rows).map(row).collect(),
    })
}

impl RoundView {
    /// Returns whether one of its games has no result yet.
    fn is_open(&self) -> bool {
        self.games.iter().any(|view| view.result.is_none())
    }

    /// Returns whether one of its games has begun and is not over.
    fn is_played(&self, places: &PlaceTexts) -> bool {
        let mut games = self.games.iter();
        games.any(|view| places.contains_key(&view.scheduled.number))
    }
}

fn round_view(round: &RoundView, stage: RoundStage, places: &PlaceTexts) -> Round {
    let games = round.games.iter();
    let mut rows: Vec<Vec<String>> = games.map(|view| game_row(view, places)).collect();
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
fn game_row(view: &GameView, places: &PlaceTexts) -> Vec<String> {
    let (result, how) = match &view.result {
        None => {
            let place = places.get(&view.scheduled.number);
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
        view.scheduled.black.to_string(),
        view.scheduled.white.to_string(),
        result,
        how,
    ]
}

/// Why no tournament can be made of what the page asks for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestedSettingsError {
    /// A Swiss tournament without a number of rounds.
    #[error("how many rounds?")]
    NoRounds,
    /// A text is not a valid player name.
    #[error("{name:?}: {why}")]
    BadName {
        /// The text.
        name: String,
        /// The error in the name.
        why: NameError,
    },
    /// The number of games.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Returns the settings of a tournament that the page asks for with
/// [`Command::Tournament`](super::Command::Tournament), with a random seed.
///
/// # Errors
/// No tournament can be made of them.
pub fn requested_settings(
    kind: command::PairingKind,
    rounds: Option<u16>,
    games: u16,
    apart: &[[String; 2]],
) -> Result<Settings, RequestedSettingsError> {
    let system = match (kind, rounds) {
        (command::PairingKind::RoundRobin, _) => PairingSystem::RoundRobin,
        (command::PairingKind::Swiss, Some(rounds)) => PairingSystem::Swiss {
            rounds: rounds.into(),
        },
        (command::PairingKind::Swiss, None) => return Err(RequestedSettingsError::NoRounds),
    };
    let games = u8::try_from(games).unwrap_or(u8::MAX);
    let name = |name: &String| {
        name.parse().map_err(|why| RequestedSettingsError::BadName {
            name: name.clone(),
            why,
        })
    };
    let pair = |[one, other]: &[String; 2]| Ok([name(one)?, name(other)?]);
    Ok(Settings {
        system,
        games: Games::try_from(games)?,
        seed: rand::random(),
        forbidden: apart
            .iter()
            .map(pair)
            .collect::<Result<_, RequestedSettingsError>>()?,
    })
}
