//! How the page shows a tournament, and what it asks for to begin one.

use std::collections::BTreeMap;
use std::time::Duration;

use itertools::Itertools;
use thiserror::Error;

use super::command::{PairingKind, TournamentRequest};
use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::base::names::{enumerated, isolated};
use crate::pages::view::{Crosstable, CrosstableRow, Grid, Round, RoundStage, Tournament};
use crate::tournament::{
    CrossCell, GameNumber, GameView, Games, NameError, PairingSystem, Points, RoundView,
    ScheduledGame, Settings, SetupError, Standing, View,
};

/// The state of the tournament games without a result.
pub type OpenGames = BTreeMap<GameNumber, OpenGame>;

/// The state of a game without a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenGame {
    /// Where it is, if it has begun, such as `at table 2`.
    pub place: Option<String>,
    /// When each player forfeits it unless they come, in milliseconds of the
    /// [feed's clock](super::Feed::clock_at).
    pub deadlines: ByColor<Option<u64>>,
}

impl Tournament {
    /// Returns a tournament as the page shows it. `open` is what is known of its games without a
    /// result, and `waits` says why it waits. `sides` are the names of the sides.
    pub fn new(
        view: &View,
        open: &OpenGames,
        waits: Vec<String>,
        sides: ByColor<&str>,
    ) -> Tournament {
        let first_open = view.rounds.iter().position(RoundView::is_open);
        let system = match view.system {
            PairingSystem::RoundRobin => "Round robin",
            PairingSystem::Swiss { .. } => "Swiss system",
        };
        let rounds = view.rounds_planned;
        let paired = view.rounds.len();
        let stage = match (view.over, view.system) {
            (true, _) => "over".to_owned(),
            (false, PairingSystem::RoundRobin) => {
                let played: usize = view.rounds.iter().map(RoundView::played).sum();
                let planned: usize = view.rounds.iter().map(|round| round.games.len()).sum();
                format!("{played} of {} played", counted(planned, "game"))
            }
            (false, PairingSystem::Swiss { .. }) => format!("round {paired} of {rounds}"),
        };
        let can_miss = matches!(view.system, PairingSystem::Swiss { .. });
        let standings = view.standings.iter();
        let stay = standings.filter(|row| !row.withdrawn && !view.over);
        Tournament {
            title: format!("{system}, {stage}"),
            outcome: view.over.then(|| outcome(&view.standings)).flatten(),
            seed: Some(view.seed.clone()),
            sides: sides.map(str::to_owned),
            is_running: !view.over,
            withdrawable: stay.map(|row| row.player.to_string()).sorted().collect(),
            absent: (can_miss && !view.over).then(|| {
                let absent = view.standings.iter().filter(|row| row.absent);
                absent.map(|row| row.player.to_string()).sorted().collect()
            }),
            waits,
            standings: standings_view(&view.standings, sides),
            crosstable: crosstable_view(view),
            rounds: view
                .rounds
                .iter()
                .enumerate()
                .map(|(index, round)| {
                    let has_begun = round.has_begun(open);
                    let is_current = Some(index) == first_open || has_begun;
                    let stage = match (round.is_open(), view.over) {
                        (false, _) => RoundStage::Over,
                        (true, true) if round.played() > 0 => RoundStage::Over,
                        (true, true) => RoundStage::Dropped,
                        (true, false) if is_current => RoundStage::Current,
                        (true, false) => RoundStage::Coming,
                    };
                    round_view(round, stage, open, sides)
                })
                .collect(),
            rulings: view.rulings.clone(),
        }
    }
}

/// Returns who has won; `None` if nobody has a point.
fn outcome(standings: &[Standing]) -> Option<String> {
    let leaders = standings.iter().filter(|row| row.rank == Some(1));
    let leaders: Vec<&Standing> = leaders.collect();
    let points = match leaders.first()?.points {
        Points::ZERO => return None,
        Points::ONE => "1 point".to_owned(),
        points => format!("{points} points"),
    };
    let names = enumerated(leaders.iter().map(|row| row.player.as_str()));
    Some(match leaders.len() {
        1 => format!("{names} wins with {points}"),
        _ => format!("{names} share first place with {points}"),
    })
}

/// Returns a sentence about the players that a tournament waits for, such as `Ann and Bob are not
/// there`, and that they forfeit games after a time, if they do; `None` if there is no such player.
pub fn absence<'a>(
    absent: impl IntoIterator<Item = &'a str>,
    state: &str,
    limit: Option<Duration>,
) -> Option<String> {
    let absent: Vec<&str> = absent.into_iter().collect();
    let [are, forfeit, them] = match absent.len() {
        0 => return None,
        1 => ["is", "forfeits", "it"],
        _ => ["are", "forfeit", "them"],
    };
    let names = enumerated(absent);
    Some(match limit {
        None => format!("{names} {are} {state}"),
        Some(limit) => format!(
            "{names} {are} {state}, and {forfeit} a game that has waited {} for {them}",
            humantime::format_duration(limit)
        ),
    })
}

/// Returns the standings. Forfeits and byes are left out where nobody has any, and the byes of a
/// round robin, which all players have alike.
fn standings_view(standings: &[Standing], sides: ByColor<&str>) -> Grid {
    let has = |count: fn(&Standing) -> bool| standings.iter().any(count);
    let swiss = has(|row| row.tie_breaks.buchholz.is_some());
    let has_forfeits = has(|row| row.forfeits > 0);
    let has_byes = swiss && has(|row| row.byes > 0);
    let mut head = vec!["Rank", "Player", "Points", "Won", "Drawn", "Lost"];
    head.extend(has_forfeits.then_some("Forfeits"));
    head.extend(has_byes.then_some("Byes"));
    head.extend(swiss.then_some("Buchholz"));
    head.push("Sonneborn-Berger");
    let colors = format!("{}-{}", sides.black, sides.white);
    head.push(&colors);
    let rows = standings.iter().map(|row| {
        let rank = row.rank.map_or_else(|| "-".into(), |rank| rank.to_string());
        let ties = &row.tie_breaks;
        let mut cells = vec![
            rank,
            match (row.withdrawn, row.absent) {
                (true, _) => format!("{} (left)", isolated(row.player.as_str())),
                (_, true) => format!("{} (absent)", isolated(row.player.as_str())),
                (false, false) => row.player.to_string(),
            },
            row.points.to_string(),
            row.wins.to_string(),
            row.draws.to_string(),
            row.losses.to_string(),
        ];
        cells.extend(has_forfeits.then(|| row.forfeits.to_string()));
        cells.extend(has_byes.then(|| row.byes.to_string()));
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
    let cell = |cell: &CrossCell| match cell {
        CrossCell::Games { opponent, games } => {
            let games = games
                .iter()
                .map(|game| format!("{}{}", game.color.letter(), game.mark.symbol()));
            format!("{}:{}", opponent + 1, games.format(""))
        }
        other => other.word().to_owned(),
    };
    let row = |(row, cells): (&Standing, &Vec<CrossCell>)| CrosstableRow {
        player: row.player.to_string(),
        cells: cells.iter().map(cell).collect(),
        // The standings have the tie-breaks.
        sums: vec![row.points.to_string()],
    };
    Some(Crosstable {
        swiss,
        head: vec!["Points".into()],
        rows: view.standings.iter().zip(rows).map(row).collect(),
    })
}

impl RoundView {
    /// Returns whether one of its games has no result yet.
    fn is_open(&self) -> bool {
        self.games.iter().any(|view| view.result.is_none())
    }

    /// Returns the number of its games that have a result.
    fn played(&self) -> usize {
        let games = self.games.iter();
        games.filter(|view| view.result.is_some()).count()
    }

    /// Returns whether one of its games is over, has begun, or waits for its players.
    fn has_begun(&self, open: &OpenGames) -> bool {
        let mut games = self.games.iter();
        games.any(|view| view.result.is_some() || open.contains_key(&view.scheduled.number))
    }
}

fn round_view(
    round: &RoundView,
    stage: RoundStage,
    open: &OpenGames,
    sides: ByColor<&str>,
) -> Round {
    let unplayed = round.games.iter().enumerate();
    let unplayed = unplayed.filter(|(_, view)| view.result.is_none());
    let deadlines = unplayed.filter_map(|(row, view)| {
        let deadlines = open.get(&view.scheduled.number)?.deadlines;
        let first = deadlines.iter().flatten().min()?;
        Some((row, *first))
    });
    let games = round.games.iter();
    let mut rows: Vec<Vec<String>> = games.map(|view| game_view(view, open)).collect();
    let byes = round.bye.iter().map(|player| (player, "bye"));
    let absent = round.absent.iter().map(|player| (player, "absent"));
    rows.extend(byes.chain(absent).map(|(player, why)| {
        let empty = String::new;
        vec![player.to_string(), empty(), why.into(), empty()]
    }));
    let head = [sides.black, sides.white, "Result", "By"];
    Round {
        title: format!("Round {}", round.round),
        stage,
        played: round.played(),
        planned: round.games.len(),
        games: Grid {
            head: head.map(str::to_owned).to_vec(),
            rows,
        },
        numbers: round
            .games
            .iter()
            .map(|view| view.scheduled.number.short())
            .collect(),
        deadlines: deadlines.collect(),
    }
}

/// Returns the cells of a game: the players and the result, or where it is played, and who forfeits
/// it soon.
fn game_view(view: &GameView, open: &OpenGames) -> Vec<String> {
    let (result, how) = match &view.result {
        None => {
            let state = open.get(&view.scheduled.number);
            let place = state.and_then(|state| state.place.clone());
            let forfeit = state.and_then(|state| forfeit_view(view, state));
            (place.unwrap_or_default(), forfeit.unwrap_or_default())
        }
        Some(result) => {
            let points = match (result.winner, result.forfeit) {
                (Some(Color::Black), _) => "1-0",
                (Some(Color::White), _) => "0-1",
                (None, true) => "0-0",
                (None, false) => "½-½",
            };
            let how = match (result.forfeit, result.reason.as_str()) {
                (true, reason) => format!("forfeit ({reason})"),
                // The text of a result by itself.
                (false, "play") => String::new(),
                (false, reason) => reason.to_owned(),
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

/// Returns who forfeits a game at its next deadline, so that the time that is left can follow.
fn forfeit_view(view: &GameView, state: &OpenGame) -> Option<String> {
    let ByColor { black, white } = state.deadlines;
    black.or(white)?;
    if black == white {
        return Some("both forfeit in".into());
    }
    let is_black = black.is_some_and(|black| white.is_none_or(|white| black < white));
    let ScheduledGame { black, white, .. } = &view.scheduled;
    let first = if is_black { black } else { white };
    Some(format!("{} forfeits in", isolated(first.as_str())))
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

impl TournamentRequest {
    /// Returns the settings of the tournament, with a random seed.
    ///
    /// # Errors
    /// No tournament can be made of them.
    pub fn settings(&self) -> Result<Settings, RequestedSettingsError> {
        let system = match (self.system, self.rounds) {
            (PairingKind::RoundRobin, _) => PairingSystem::RoundRobin,
            (PairingKind::Swiss, Some(rounds)) => PairingSystem::Swiss {
                rounds: rounds.into(),
            },
            (PairingKind::Swiss, None) => return Err(RequestedSettingsError::NoRounds),
        };
        let games = u8::try_from(self.games).unwrap_or(u8::MAX);
        let name = |name: &String| {
            name.parse().map_err(|why| RequestedSettingsError::BadName {
                name: name.clone(),
                why,
            })
        };
        let pair = |[one, other]: &[String; 2]| Ok([name(one)?, name(other)?]);
        let avoided = self.avoid.iter().map(pair);
        Ok(Settings {
            system,
            games: Games::try_from(games)?,
            seed: rand::random(),
            forbidden: avoided.collect::<Result<_, RequestedSettingsError>>()?,
        })
    }
}
