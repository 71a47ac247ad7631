//! The standings: ranks and tie-breaks, as a table of text, and as data for a web page.

use std::cmp::Reverse;

use itertools::Itertools;
use serde::Serialize;

use super::crosstable::{CrossCell, Crosstable};
use super::{Encounter, PlayerId, Status, Tournament};
use crate::base::color::Color;
use crate::base::names::isolated;
use crate::tournament::event::{GameResult, Points, ScheduledGame};
use crate::tournament::settings::{Games, Name, PairingSystem};

/// A player's row in the standings.
///
/// ```
/// use gothello::Color;
/// use gothello::tournament::{Event, GameResult, Games, PairingSystem, Settings, Tournament};
///
/// let system = PairingSystem::Swiss { rounds: 1 };
/// let settings = Settings { system, games: Games::Single, seed: 1, forbidden: vec![] };
/// let names = ["Ann".parse()?, "Bob".parse()?, "Eve".parse()?];
/// let mut tournament = Tournament::new(settings, &names)?;
/// let paired = tournament.next_round()?.unwrap();
/// tournament.apply(&paired)?;
/// let scheduled = tournament.pending_games().remove(0);
/// let result = GameResult::played(None, "pass");
/// tournament.apply(&Event::Game { scheduled, result })?;
///
/// let standings = tournament.standings();
/// let points = standings.iter().map(|row| row.points.to_string());
/// assert_eq!(points.collect::<Vec<_>>(), ["1", "0.5", "0.5"]); // a bye, and a draw
/// assert_eq!((standings[0].byes, standings[1].draws), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Standing {
    /// The rank, from 1. Players who are tied in everything share it. `None` if the player's
    /// results do not count.
    pub rank: Option<u32>,
    /// The player.
    pub player: Name,
    /// The points: 1 for each win, a half for each draw, and those of a bye.
    pub points: Points,
    /// The tie-breaks, which order players with the same points.
    pub tie_breaks: TieBreaks,
    /// Games played and won.
    pub wins: u32,
    /// Games played and drawn.
    pub draws: u32,
    /// Games played and lost.
    pub losses: u32,
    /// Games forfeited by the player or by an opponent.
    pub forfeits: u32,
    /// Rounds without an opponent.
    pub byes: u32,
    /// Rounds missed while the player was absent. They give no points.
    pub missed: u32,
    /// Games played with Black.
    pub blacks: u32,
    /// Games played with White.
    pub whites: u32,
    /// Whether the player has left.
    pub withdrawn: bool,
    /// Whether the player is absent, and misses the next round unless they return.
    pub absent: bool,
}

/// The tie-breaks between players with the same points, in the order in which they count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct TieBreaks {
    /// Buchholz: the points of all opponents. `None` in a round robin, in which all players
    /// have the same opponents.
    pub buchholz: Option<Points>,
    /// Sonneborn-Berger: the points of each opponent that the player defeated, and half of
    /// the points of each opponent in a drawn game, for each game.
    pub sonneborn_berger: Points,
    /// Direct encounter: the points in games between the players who are tied so far; `None`
    /// if they have not all met.
    pub direct: Option<Points>,
    /// Games played and won.
    pub wins: u32,
}

impl Tournament {
    /// Computes the standings, the leader first. Players who share a rank are in the order of
    /// their starting numbers.
    ///
    /// The tie-breaks follow FIDE, C.07, articles 6 to 9. For a Buchholz or Sonneborn-Berger
    /// score in a Swiss tournament, a round that a player did not play counts as if they had
    /// met an opponent with their own points: a bye as a win, a round that they missed as a loss.
    /// An opponent who left counts as if they had drawn the rounds after that; so does one who has
    /// missed the last rounds and has not returned to play another (article 16). Games that an opponent
    /// forfeited are lost, also in the last rounds.
    ///
    /// A player who leaves a round robin before having played half of their games loses the
    /// rank, and their games do not count for anybody. Otherwise the remaining games are
    /// forfeited (FIDE, C.05, annex 1).
    pub fn standings(&self) -> Vec<Standing> {
        let tallies = self.ids().map(|id| (id, self.tally(id)));
        let mut rows: Vec<(PlayerId, Standing)> = tallies.collect();
        let as_opponents = rows.iter().map(|(id, row)| self.as_opponent(*id, row));
        let as_opponents: Vec<Option<Points>> = as_opponents.collect();
        for (id, row) in &mut rows {
            row.tie_breaks = self.tie_breaks(*id, row, &as_opponents);
        }
        rows.sort_by_key(|(id, row)| (order(row), self.starting_number(*id)));
        for tied in rows.chunk_by_mut(|(_, one), (_, other)| first_order(one) == first_order(other))
        {
            self.settle_directly(tied);
        }
        rows.sort_by_key(|(id, row)| (order(row), self.starting_number(*id)));
        let mut rank = 1;
        for tied in rows.chunk_by_mut(|(_, one), (_, other)| order(one) == order(other)) {
            let next = rank + u32::try_from(tied.len()).unwrap_or(u32::MAX);
            for (_, row) in tied {
                row.rank = row.rank.map(|_| rank);
            }
            rank = next;
        }
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// Returns whether a player's results count: not if they left a round robin before having
    /// played half of their games.
    fn counts(&self, id: PlayerId) -> bool {
        if self.status(id) != Status::Left || self.is_swiss() {
            return true;
        }
        let (mut all, mut played) = (0_usize, 0_usize);
        for encounter in self.encounters_of(id) {
            all += encounter.games.len();
            let results = encounter.results();
            played += results.filter(|(_, result)| !result.forfeit).count();
        }
        2 * played >= all
    }

    /// Counts a player's own results, for a row without a rank or tie-breaks. Those who have a rank
    /// share the first one.
    fn tally(&self, id: PlayerId) -> Standing {
        let mut row = Standing {
            rank: self.counts(id).then_some(1),
            player: self.name(id).clone(),
            points: Points::ZERO,
            tie_breaks: TieBreaks::default(),
            wins: 0,
            draws: 0,
            losses: 0,
            forfeits: 0,
            byes: 0,
            missed: 0,
            blacks: 0,
            whites: 0,
            withdrawn: self.status(id) == Status::Left,
            absent: self.status(id) == Status::Absent,
        };
        for round in &self.rounds {
            if round.bye == Some(id) {
                row.byes += 1;
                row.points += self.bye_points();
            }
            row.missed += u32::from(round.was_missed_by(id));
            let encounter = round.encounter_of(id);
            if let Some(encounter) =
                encounter.filter(|encounter| self.counts(encounter.opponent(id)))
            {
                row.add(id, encounter);
            }
        }
        row
    }

    /// Returns the points of a player that count for opponents; `None` if the player's results do
    /// not count.
    fn as_opponent(&self, id: PlayerId, row: &Standing) -> Option<Points> {
        let rounds = self.rounds.iter().rev();
        let after = rounds.take_while(|round| !round.has(id));
        let draws = after.map(|_| self.bye_points().times(Points::HALF));
        row.rank.map(|_| row.points + draws.sum())
    }

    /// Computes the tie-breaks of a player, without the direct encounter.
    fn tie_breaks(
        &self,
        id: PlayerId,
        row: &Standing,
        as_opponents: &[Option<Points>],
    ) -> TieBreaks {
        let swiss = self.is_swiss();
        let (mut buchholz, mut sonneborn_berger) = (Points::ZERO, Points::ZERO);
        for round in &self.rounds {
            let Some(encounter) = round.encounter_of(id) else {
                buchholz += row.points;
                if round.bye == Some(id) {
                    sonneborn_berger += row.points.times(self.bye_points());
                }
                continue;
            };
            let PlayerId(opponent) = encounter.opponent(id);
            let Some(&Some(as_opponent)) = as_opponents.get(opponent) else {
                continue;
            };
            if encounter.results().next().is_none() {
                continue;
            }
            // In a round robin forfeited games count like others.
            let points = if encounter.was_played() || !swiss {
                as_opponent
            } else {
                row.points
            };
            buchholz += points;
            sonneborn_berger += points.times(encounter.points(id));
        }
        TieBreaks {
            buchholz: swiss.then_some(buchholz),
            sonneborn_berger,
            direct: None,
            wins: row.wins,
        }
    }

    /// Returns the players in the order of the standings.
    pub(super) fn ids_of(&self, standings: &[Standing]) -> Vec<PlayerId> {
        let ids = standings.iter().filter_map(|row| self.find(&row.player));
        ids.collect()
    }

    /// Computes the direct encounter of tied players, if all of them have met.
    fn settle_directly(&self, tied: &mut [(PlayerId, Standing)]) {
        let ids: Vec<PlayerId> = tied.iter().map(|(id, _)| *id).collect();
        let pairs = || ids.iter().copied().array_combinations();
        if ids.len() < 2 || !pairs().all(|[one, other]| self.meeting(one, other).is_some()) {
            return;
        }
        for (id, row) in tied {
            let others = ids.iter().filter(|other| *other != id);
            let meetings = others.filter_map(|other| self.meeting(*id, *other));
            row.tie_breaks.direct = Some(meetings.map(|encounter| encounter.points(*id)).sum());
        }
    }

    /// Returns the encounter of two players, if it is over and was played.
    fn meeting(&self, one: PlayerId, other: PlayerId) -> Option<&Encounter> {
        let meetings = self.encounters_of(one);
        let mut played = meetings.filter(|encounter| encounter.is_over() && encounter.was_played());
        played.find(|encounter| encounter.opponent(one) == other)
    }
}

/// Returns the sort key of a row before the direct encounter.
fn first_order(row: &Standing) -> impl Ord + use<> {
    let ties = row.tie_breaks;
    let points = (row.points, ties.buchholz, ties.sonneborn_berger);
    (row.rank.is_none(), Reverse(points))
}

/// Returns the sort key of a row. Players whose results do not count come last.
fn order(row: &Standing) -> impl Ord + use<> {
    (row.rank.is_none(), Reverse((row.points, row.tie_breaks)))
}

impl Standing {
    /// Counts the results of an encounter.
    fn add(&mut self, id: PlayerId, encounter: &Encounter) {
        self.points += encounter.points(id);
        for (game, result) in encounter.results() {
            let color = encounter.color(game, id);
            if result.forfeit {
                self.forfeits += 1;
                continue;
            }
            match color {
                Color::Black => self.blacks += 1,
                Color::White => self.whites += 1,
            }
            match result.winner {
                Some(winner) if winner == color => self.wins += 1,
                Some(_) => self.losses += 1,
                None => self.draws += 1,
            }
        }
    }
}

impl Tournament {
    /// Formats the standings as a table of text, a line for each player.
    ///
    /// A round robin is a crosstable: the column of a number has the games against the
    /// player in that line. A Swiss tournament has a column for each round, with the line of
    /// the opponent, the color of the first game, and the games; `bye` is a round without an
    /// opponent, and `absent` one that the player missed. A game is `1` won, `=` drawn, `0` lost,
    /// `+` won or `-` lost by forfeit, `.` not yet played.
    pub fn standings_table(&self) -> String {
        let standings = self.standings();
        let Crosstable { rows } = self.crosstable(&self.ids_of(&standings));
        let mut head = vec!["", "Rank", "Name", "Points"];
        head.extend(self.is_swiss().then_some("Buchholz"));
        head.extend(["S-Berger", "Wins"]);
        let columns = (1..=rows.first().map_or(0, Vec::len)).map(|column| column.to_string());
        let head = head.into_iter().map(str::to_owned).chain(columns);
        let mut table: Vec<Vec<String>> = vec![head.collect()];
        for (line, (row, cells)) in (1_usize..).zip(standings.iter().zip(&rows)) {
            let rank = row.rank.map_or("-".to_owned(), |rank| rank.to_string());
            let player = row.player.to_string();
            let mut fields = vec![line.to_string(), rank, player, row.points.to_string()];
            fields.extend(row.tie_breaks.buchholz.map(|points| points.to_string()));
            fields.push(row.tie_breaks.sonneborn_berger.to_string());
            fields.push(row.wins.to_string());
            fields.extend(cells.iter().map(|cell| self.cross_cell(cell)));
            table.push(fields);
        }
        format_table(&table)
    }

    /// Formats a cell of the crosstable.
    fn cross_cell(&self, cell: &CrossCell) -> String {
        let CrossCell::Games { opponent, games } = cell else {
            return cell.word().to_owned();
        };
        let marks: String = games.iter().map(|game| game.mark.symbol()).collect();
        let color = match games.first().map(|game| game.color) {
            _ if self.settings().games != Games::Single => ":",
            Some(Color::White) => "w",
            _ => "b",
        };
        match self.is_swiss() {
            true => format!("{}{color}{marks}", opponent + 1),
            false => marks,
        }
    }
}

/// The column with the names of the players.
const NAMES: usize = 2;

/// Formats a table. Names are aligned to the left, the other columns to the right.
fn format_table(table: &[Vec<String>]) -> String {
    // In columns of a terminal, one for each character.
    let width_of = |cell: &String| cell.chars().count();
    let width = |column| {
        table
            .iter()
            .filter_map(move |line| line.get(column))
            .map(width_of)
    };
    let columns = table.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .filter_map(|column| width(column).max())
        .collect();
    let mut text = String::new();
    for line in table {
        let cells = widths.iter().zip(line).enumerate();
        let padded = cells.map(|(column, (width, cell))| {
            let rest = width - width_of(cell);
            match column {
                NAMES => format!("{}{:rest$}", isolated(cell), ""),
                _ => format!("{:rest$}{cell}", ""),
            }
        });
        text.push_str(padded.format("  ").to_string().trim_end());
        text.push('\n');
    }
    text
}

/// A snapshot of a tournament as data for a web page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// The pairing system.
    pub system: PairingSystem,
    /// The number of games in each pairing.
    pub games: Games,
    /// The seed, as text: it may be too large for a number in JavaScript.
    pub seed: String,
    /// The number of planned rounds.
    pub rounds_planned: usize,
    /// Whether nothing is left to be paired or played.
    pub over: bool,
    /// The standings, the leader first.
    pub standings: Vec<Standing>,
    /// The crosstable, its rows in the same order; `None` if it would be too wide to be read.
    pub crosstable: Option<Crosstable>,
    /// The rounds that have been paired, the first one first.
    pub rounds: Vec<RoundView>,
    /// What the organizer has decided about results, a sentence each, the first one first.
    pub rulings: Vec<String>,
}

/// A round of a [`View`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundView {
    /// Its number, from 1.
    pub round: u32,
    /// The player without an opponent.
    pub bye: Option<Name>,
    /// The players who missed it because they were absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<Name>,
    /// Its games in order.
    pub games: Vec<GameView>,
}

/// A game of a [`View`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameView {
    /// The players and the place in the tournament.
    #[serde(flatten)]
    pub scheduled: ScheduledGame,
    /// The result; `None` if the game is still to be played.
    pub result: Option<GameResult>,
}

impl Tournament {
    /// Returns a snapshot for a web page.
    #[doc(hidden)]
    pub fn view(&self) -> View {
        let rounds = (1..).zip(&self.rounds).map(|(round, paired)| RoundView {
            round,
            bye: paired.bye.map(|player| self.name(player).clone()),
            absent: paired
                .absent
                .iter()
                .map(|&player| self.name(player).clone())
                .collect(),
            games: self
                .games_of(round, paired)
                .map(|(scheduled, result)| GameView {
                    scheduled,
                    result: result.cloned(),
                })
                .collect(),
        });
        let settings = self.settings();
        let standings = self.standings();
        let crosstable = self.narrow_crosstable(&self.ids_of(&standings));
        View {
            system: settings.system,
            games: settings.games,
            seed: settings.seed.to_string(),
            rounds_planned: self.rounds_planned(),
            over: self.is_over(),
            standings,
            crosstable,
            rounds: rounds.collect(),
            rulings: self.rulings().iter().map(ToString::to_string).collect(),
        }
    }
}
