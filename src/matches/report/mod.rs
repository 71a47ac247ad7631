//! The report on an event: everything that its results file tells.

mod page;
mod replay;
mod text;

use std::collections::BTreeMap;

use serde::Serialize;

use super::evidence::{Evidence, PairingEvidence};
use super::progress::{PlayerStanding, Progress};
use super::record::{GameRecord, LastLines, ScoredBy, UtcTime, Verdict};
use super::results::{Header, Results};
use super::settings::{EventSettings, MIN_SAMPLE};
use super::setup::{self, Opening, Setup};
use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::statistics::{
    Decision, Estimate, GameScore, PlayedGame, Rating, Ratings, Sprt, Strength, WinDrawLoss,
};
use crate::tournament::{Name, Standing};

pub use page::page;

/// The maximum number of failures in a report.
const MAX_FAILURES: usize = 1_000;

/// The report on an event.
///
/// All games count for scores, strengths, tests and ratings; their certainty depends on how many
/// games are independent: see [`Evidence`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The name of the game.
    pub game: &'static str,
    /// The names of its sides.
    pub sides: ByColor<&'static str>,
    /// When the event began.
    pub began: UtcTime,
    /// The number of games.
    pub games: u64,
    /// The total number of games of the event; `None` if it depends on results.
    pub scheduled: Option<u64>,
    /// The number of games that are not separate trials, because all games of their opening and
    /// color were the same.
    pub repeated: u64,
    /// The players: in a Swiss tournament in the order of the standings, else by ratings, and with
    /// two players by scores, the best first.
    pub players: Vec<PlayerReport>,
    /// The players who have met.
    pub pairings: Vec<PairingReport>,
    /// The results of all games for Black, who moves first.
    pub black: WinDrawLoss,
    /// The advantage of Black in Elo, and the share of draws between equal players, if there are
    /// more than two players and games between them.
    pub first_move: Option<FirstMove>,
    /// The openings that were played, in their order.
    pub openings: Vec<OpeningReport>,
    /// The sequential probability ratio test of the event, in its text form.
    pub sprt: Option<String>,
    /// Whether the test ended undecided because the players repeated their games.
    pub repeating: bool,
    /// The games that were lost by a failure, the latest last.
    pub failures: Vec<Failure>,
    /// In Go, the sources of dead stones, each with the number of games.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub scored_by: BTreeMap<ScoredBy, u64>,
}

/// A player of an event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerReport {
    /// The name.
    pub name: Name,
    /// The games.
    pub games: WinDrawLoss,
    /// The points: 1 for each win, 1/2 for each draw, and in a Swiss tournament those of byes.
    pub points: f64,
    /// The row in the standings of a Swiss tournament.
    pub standing: Option<Standing>,
    /// The mean score of a game; `None` without games.
    pub score: Option<f64>,
    /// The rating in Elo, if there are more than two players and this one has games. The mean rating of
    /// a group is 0.
    pub rating: Option<f64>,
    /// Half the width of its 95 % confidence interval, in Elo.
    pub rating_error: Option<f64>,
    /// The group, from 0: players of different groups have not met, not even by way of others.
    pub group: Option<usize>,
    /// The games with Black.
    pub black: WinDrawLoss,
    /// The games with White.
    pub white: WinDrawLoss,
    /// The number of games that were lost in each way.
    pub lost_by: BTreeMap<Verdict, u64>,
    /// The mean time of a move in seconds.
    pub seconds_per_move: Option<f64>,
}

/// Two players who have met, from the point of view of the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairingReport {
    /// The players.
    pub players: [Name; 2],
    /// Their games.
    #[serde(flatten)]
    pub evidence: PairingEvidence,
    /// The strength of the first player against the second.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// Notes: the number of independent pairs or games, if it is smaller, and why figures are
    /// missing.
    pub notes: Vec<String>,
}

/// The statistics of the games of two players. Values that the results do not determine are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// The difference in Elo.
    pub elo: Option<f64>,
    /// Half the width of its 95 % confidence interval.
    pub elo_error: Option<f64>,
    /// The difference in normalized Elo.
    pub nelo: Option<f64>,
    /// Half the width of its 95 % confidence interval.
    pub nelo_error: Option<f64>,
    /// The mean score of a game.
    pub score: Option<f64>,
    /// The likelihood of superiority, from 0 to 1: the probability that the first player is the
    /// stronger one.
    pub los: Option<f64>,
    /// The log-likelihood ratio of the test, a natural logarithm.
    pub llr: Option<f64>,
    /// The bounds of the test, and its decision.
    #[serde(flatten)]
    pub test: Option<Test>,
}

/// A test and its decision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Test {
    /// The log-likelihood ratio at which the test ends with H0.
    pub llr_lower: f64,
    /// The log-likelihood ratio at which the test ends with H1.
    pub llr_upper: f64,
    /// The decision.
    pub decision: Decision,
}

impl Test {
    fn new(sprt: &Sprt, llr: f64) -> Test {
        Test {
            llr_lower: sprt.lower_bound(),
            llr_upper: sprt.upper_bound(),
            decision: sprt.decision(llr),
        }
    }
}

impl Statistics {
    /// Returns the statistics of a strength, and of a test with its log-likelihood ratio.
    pub fn new(strength: Option<&Strength>, test: Option<(&Sprt, f64)>) -> Statistics {
        let elo = strength.and_then(|strength| strength.elo);
        let nelo = strength.and_then(|strength| strength.nelo);
        Statistics {
            elo: elo.map(|elo| elo.value),
            elo_error: elo.and_then(|elo| elo.error),
            nelo: nelo.map(|nelo| nelo.value),
            nelo_error: nelo.and_then(|nelo| nelo.error),
            score: strength.map(|strength| strength.score),
            los: strength.and_then(|strength| strength.los),
            llr: test.map(|(_, llr)| llr),
            test: test.map(|(sprt, llr)| Test::new(sprt, llr)),
        }
    }

    /// Returns the statistics of the games of two players.
    fn of(evidence: &PairingEvidence, sprt: Option<&Sprt>) -> Statistics {
        let test = sprt.map(|sprt| (sprt, evidence.llr(sprt)));
        Statistics::new(evidence.strength().as_ref(), test)
    }

    /// Returns the difference in Elo, to be printed.
    fn elo(&self) -> Option<Estimate> {
        let error = self.elo_error;
        self.elo.map(|value| Estimate { value, error })
    }

    /// Returns the difference in normalized Elo, to be printed.
    fn nelo(&self) -> Option<Estimate> {
        let error = self.nelo_error;
        self.nelo.map(|value| Estimate { value, error })
    }
}

/// The value of the first move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FirstMove {
    /// The advantage of Black in Elo.
    pub elo: f64,
    /// Half the width of its 95 % confidence interval.
    pub elo_error: Option<f64>,
    /// The share of draws between equal players.
    pub draw_rate: f64,
}

/// An opening.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningReport {
    /// Its number, from 1.
    pub number: u32,
    /// The position that it begins with; `None` for the start of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<Setup>,
    /// Its moves.
    pub moves: Vec<String>,
    /// The results for Black.
    pub black: WinDrawLoss,
}

impl OpeningReport {
    /// Returns the opening as a table shows it.
    fn shown(&self) -> String {
        setup::shown(self.setup.as_ref(), &self.moves)
    }
}

/// A game that was lost by a failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The game.
    pub id: String,
    /// The player that failed.
    pub player: Name,
    /// How.
    pub verdict: Verdict,
    /// The details.
    pub detail: Option<String>,
    /// The last output of the player.
    pub last_lines: Option<LastLines>,
}

impl Report {
    /// Returns the report on an event, with the statistics of a test: that of the event, if
    /// `sprt` is `None` and it has one.
    pub fn new(results: &Results, sprt: Option<&Sprt>) -> Report {
        Report::of(&Analysis::new(results), sprt)
    }

    fn of(analysis: &Analysis<'_>, sprt: Option<&Sprt>) -> Report {
        let Header {
            event: settings,
            began,
            ..
        } = analysis.header;
        let games = &analysis.games;
        let of_event = match sprt {
            None => analysis.progress.as_ref().and_then(Progress::test),
            Some(_) => None,
        };
        let sprt = analysis.sprt(sprt);
        let mut evidence = Evidence::new(settings);
        evidence.add(games);
        let mut pairings = pairings(&analysis.meetings, &evidence, sprt.as_ref());
        if let (Some(standing), Some(sprt), [pairing]) = (of_event, sprt, &mut *pairings) {
            // Games after the decision do not count for the test of the event.
            pairing.statistics.llr = Some(standing.llr);
            pairing.statistics.test = Some(Test::new(&sprt, standing.llr));
        }
        let ratings = (settings.players.len() > 2)
            .then(|| rate(&analysis.numbers, &analysis.meetings, &evidence))
            .flatten();
        let failures: Vec<Failure> = games.iter().filter_map(|game| failure(game)).collect();
        let first = failures.len().saturating_sub(MAX_FAILURES);
        Report {
            game: settings.game.title(),
            sides: settings.game.sides(),
            began: *began,
            games: games.len() as u64,
            scheduled: analysis.progress.as_ref().and_then(scheduled),
            repeated: evidence.repeated(),
            players: players(analysis, ratings.as_ref()),
            pairings,
            black: games.iter().map(|game| of_black(game)).collect(),
            first_move: ratings.as_ref().and_then(first_move),
            openings: openings(settings, games),
            sprt: sprt.map(|sprt| sprt.to_string()),
            repeating: of_event.is_some_and(|standing| standing.decision == Decision::Continue)
                && analysis
                    .progress
                    .as_ref()
                    .is_some_and(Progress::is_repeating),
            failures: failures.into_iter().skip(first).collect(),
            scored_by: scored_by(games),
        }
    }
}

impl Report {
    /// Returns a note about games of Go in which those asked for dead stones did not agree.
    fn scoring_notice(&self) -> Option<String> {
        let number = |by: ScoredBy| self.scored_by.get(&by).copied().unwrap_or(0);
        let alone = number(ScoredBy::Black) + number(ScoredBy::White);
        let nobody = number(ScoredBy::Nobody);
        let alone = (alone > 0).then(|| {
            format!(
                "in {} only one player named the dead stones",
                counted(alone, "game")
            )
        });
        let nobody = (nobody > 0).then(|| {
            let games = counted(nobody, "game");
            format!(
                "in {games} all stones counted as alive, because no player named dead ones, or they \
                 named different ones"
            )
        });
        let found: Vec<String> = alone.into_iter().chain(nobody).collect();
        (!found.is_empty()).then(|| {
            let found = found.join("; ");
            format!("Dead stones: {found}. --scorer COMMAND asks an engine for them.")
        })
    }
}

/// Counts the games of Go by the source of their dead stones.
fn scored_by(games: &[&GameRecord]) -> BTreeMap<ScoredBy, u64> {
    let mut numbers = BTreeMap::new();
    for scoring in games.iter().filter_map(|game| game.scoring.as_ref()) {
        let number: &mut u64 = numbers.entry(scoring.by).or_default();
        *number = number.saturating_add(1);
    }
    numbers
}

/// The games of an event, arranged.
struct Analysis<'a> {
    header: &'a Header,
    /// The games in the order of the schedule.
    games: Vec<&'a GameRecord>,
    /// The index of each player in the settings.
    numbers: BTreeMap<&'a Name, usize>,
    /// The players who have met, in the order of the settings.
    meetings: Vec<Meeting<'a>>,
    /// The progress of the event; `None` if its settings are impossible.
    progress: Option<Progress>,
}

/// The games of two players.
struct Meeting<'a> {
    players: [&'a Name; 2],
    /// The games in the order of the schedule.
    games: Vec<&'a GameRecord>,
}

impl<'a> Analysis<'a> {
    fn new(Results { header, games }: &'a Results) -> Analysis<'a> {
        let settings = &header.event;
        let mut games: Vec<&GameRecord> = games.iter().collect();
        games.sort_by_key(|game| game.planned.number);
        let names = settings.players.iter().map(|player| &player.name);
        let numbers: BTreeMap<&Name, usize> = names.zip(0..).collect();
        let mut meetings: BTreeMap<[usize; 2], Meeting<'_>> = BTreeMap::new();
        for game in &games {
            let ByColor { black, white } = game.planned.players.as_ref();
            let (Some(&one), Some(&other)) = (numbers.get(black), numbers.get(white)) else {
                continue;
            };
            let (key, players) = match one < other {
                true => ([one, other], [black, white]),
                false => ([other, one], [white, black]),
            };
            let meeting = meetings.entry(key).or_insert_with(|| Meeting {
                players,
                games: Vec::new(),
            });
            meeting.games.push(game);
        }
        let mut progress = Progress::new(settings, None).ok();
        for game in &games {
            if let Some(progress) = &mut progress {
                // A round that cannot be paired has no games.
                let _ = progress.add(game);
            }
        }
        Analysis {
            header,
            games,
            numbers,
            meetings: meetings.into_values().collect(),
            progress,
        }
    }

    /// Returns the test to show: the given one, or that of the event.
    fn sprt(&self, given: Option<&Sprt>) -> Option<Sprt> {
        given.copied().or(self.header.event.sprt)
    }
}

/// Returns the number of games of an event, if it is known before they are played.
fn scheduled(progress: &Progress) -> Option<u64> {
    let schedule = progress.schedule();
    let is_known = !schedule.may_grow();
    is_known.then(|| schedule.games().len() as u64)
}

/// Returns the result of a game from Black's point of view.
fn of_black(game: &GameRecord) -> GameScore {
    GameScore::of(Color::Black, game.winner)
}

/// Rates the players by their weighted games.
fn rate(
    numbers: &BTreeMap<&Name, usize>,
    meetings: &[Meeting<'_>],
    evidence: &Evidence,
) -> Option<Ratings> {
    let played = meetings.iter().flat_map(|meeting| {
        let [one, other] = meeting.players;
        let weight = evidence.weight(one, other);
        let games = meeting.games.iter();
        games.filter_map(move |game| {
            let ByColor { black, white } = game.planned.players.as_ref();
            let players = ByColor::new(*numbers.get(black)?, *numbers.get(white)?);
            let winner = game.winner;
            Some((PlayedGame { players, winner }, weight))
        })
    });
    Ratings::weighted(numbers.len(), &Vec::from_iter(played)).ok()
}

fn first_move(ratings: &Ratings) -> Option<FirstMove> {
    let Estimate { value, error } = ratings.first_move_advantage()?;
    Some(FirstMove {
        elo: value,
        elo_error: error,
        draw_rate: ratings.draw_rate()?,
    })
}

/// The tally of a player.
#[derive(Clone, Debug, Default)]
struct Tally {
    games: ByColor<WinDrawLoss>,
    lost_by: BTreeMap<Verdict, u64>,
    moves: u64,
    micros: u64,
}

impl Tally {
    /// Returns the tallies of all players with games.
    fn of<'a>(games: &[&'a GameRecord]) -> BTreeMap<&'a Name, Tally> {
        let mut tallies = BTreeMap::<&Name, Tally>::new();
        for game in games {
            for color in Color::ALL {
                let tally = tallies.entry(&game.planned.players[color]).or_default();
                tally.add(game, color);
            }
        }
        tallies
    }

    fn add(&mut self, game: &GameRecord, color: Color) {
        self.games[color].add(GameScore::of(color, game.winner));
        if game.loser() == Some(color) {
            let count = self.lost_by.entry(game.verdict).or_default();
            *count = count.saturating_add(1);
        }
        // Black has the even plies.
        let parity = usize::from(color == Color::White);
        let times = (game.opening_moves..).zip(&game.times);
        for (_, &time) in times.filter(|(ply, _)| ply % 2 == parity) {
            self.moves = self.moves.saturating_add(1);
            self.micros = self.micros.saturating_add(time);
        }
    }
}

/// Returns the players in their order.
fn players(analysis: &Analysis<'_>, ratings: Option<&Ratings>) -> Vec<PlayerReport> {
    let mut tallies = Tally::of(&analysis.games);
    let standings = analysis.progress.as_ref().map(Progress::standings);
    let standings = standings.unwrap_or_default();
    let is_swiss = standings.iter().any(|row| row.swiss.is_some());
    let players = standings.into_iter().map(|row| {
        let tally = tallies.remove(&row.player).unwrap_or_default();
        let number = analysis.numbers.get(&row.player);
        let rating = ratings
            .zip(number)
            .and_then(|(ratings, &number)| ratings.get(number));
        player_report(row, tally, rating)
    });
    let mut players: Vec<PlayerReport> = players.collect();
    if is_swiss {
        return players;
    }
    // Players without a rating come last, and those of different groups are not compared.
    let strength = |player: &PlayerReport| player.rating.or(player.score);
    players.sort_by(|one, other| {
        let groups = [one, other].map(|player| (player.group.is_none(), player.group));
        let [one, other] = [one, other].map(|player| strength(player).unwrap_or(f64::NEG_INFINITY));
        groups[0].cmp(&groups[1]).then(other.total_cmp(&one))
    });
    players
}

fn player_report(row: PlayerStanding, tally: Tally, rating: Option<&Rating>) -> PlayerReport {
    let ByColor { black, white } = tally.games;
    PlayerReport {
        name: row.player,
        games: row.results,
        points: row.points,
        standing: row.swiss,
        score: row.results.strength().map(|strength| strength.score),
        rating: rating.map(|rating| rating.elo.value),
        rating_error: rating.and_then(|rating| rating.elo.error),
        group: rating.map(|rating| rating.group),
        black,
        white,
        lost_by: tally.lost_by,
        seconds_per_move: (tally.moves > 0).then(|| tally.micros as f64 / 1e6 / tally.moves as f64),
    }
}

/// Returns the statistics of the players who have met.
fn pairings(
    meetings: &[Meeting<'_>],
    evidence: &Evidence,
    sprt: Option<&Sprt>,
) -> Vec<PairingReport> {
    let pairings = meetings.iter().map(|meeting| {
        let [one, other] = meeting.players;
        let evidence = evidence.between(one, other);
        let statistics = Statistics::of(&evidence, sprt);
        PairingReport {
            players: meeting.players.map(Name::clone),
            notes: notes(&evidence, &statistics),
            evidence,
            statistics,
        }
    });
    pairings.collect()
}

/// Returns notes on the statistics of two players.
fn notes(evidence: &PairingEvidence, statistics: &Statistics) -> Vec<String> {
    let mut notes = Vec::new();
    let units = evidence.units();
    if let Some(effective) = evidence.effective
        && effective < units as f64
    {
        let units = counted(units, if evidence.by_pairs { "pair" } else { "game" });
        notes.push(format!("{units} count as {effective:.1} independent ones"));
    }
    let alike = match (
        evidence.effective,
        evidence.by_pairs,
        evidence.pairs.counts(),
    ) {
        _ if units == 0 => return notes,
        (None, ..) => {
            let openings = counted(evidence.openings, "opening");
            notes.push(format!(
                "{openings} cannot be a sample of all: play at least {MIN_SAMPLE}, or leave out --population"
            ));
            return notes;
        }
        _ if statistics.los.is_some() => return notes,
        (_, true, [0, 0, _, 0, 0]) => "every pair was split",
        (_, true, _) => "all pairs ended alike",
        (_, false, _) => "all games ended alike",
    };
    notes.push(format!(
        "{alike}, so there is no spread from which to compute Elo and its error; play more games from \
         other openings"
    ));
    notes
}

fn openings(settings: &EventSettings, games: &[&GameRecord]) -> Vec<OpeningReport> {
    let mut results: BTreeMap<u32, WinDrawLoss> = BTreeMap::new();
    for game in games {
        if let Some(number) = game.planned.opening {
            results.entry(number).or_default().add(of_black(game));
        }
    }
    let openings = results.into_iter().map(|(number, black)| {
        let Opening { setup, moves } = settings.opening(number).cloned().unwrap_or_default();
        OpeningReport {
            number,
            setup,
            moves,
            black,
        }
    });
    openings.collect()
}

fn failure(game: &GameRecord) -> Option<Failure> {
    let failed = game.failed()?;
    Some(Failure {
        id: game.id.clone(),
        player: game.planned.players[failed].clone(),
        verdict: game.verdict,
        detail: game.detail.clone(),
        last_lines: game.last_lines.clone(),
    })
}
