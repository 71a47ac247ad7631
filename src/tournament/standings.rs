//! The standings, computed from the results.

use std::cmp::Reverse;

use itertools::Itertools;
use serde::Serialize;

use super::name::Name;
use super::points::Points;
use super::round::{Id, Pairing};
use super::settings::Kind;
use super::state::{Tournament, count};
use crate::color::Color;

/// A player's line in the standings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// His rank from 1, which he shares with all who are tied in everything.
    /// `None` if his results do not count.
    pub rank: Option<u32>,
    /// Who.
    pub player: Name,
    /// A point for each game that he won, half a point for each tie, and what a
    /// bye gave him.
    pub points: Points,
    /// What decides between players with the same points.
    pub tie_breaks: TieBreaks,
    /// Games that he played and won.
    pub wins: u32,
    /// Games that he played to a tie.
    pub ties: u32,
    /// Games that he played and lost.
    pub losses: u32,
    /// Games that were forfeited, by him or by his opponent.
    pub forfeits: u32,
    /// Rounds in which he had no opponent.
    pub byes: u32,
    /// How often he had Black in a game that was played.
    pub blacks: u32,
    /// How often he had White.
    pub whites: u32,
    /// Whether he has left.
    pub withdrawn: bool,
}

/// What decides between players with the same points; the first that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TieBreaks {
    /// Buchholz: the points of all opponents. Only in a Swiss tournament: in a
    /// round robin all have the same opponents.
    pub buchholz: Option<Points>,
    /// Sonneborn-Berger: the points of those he won against, and half of the points
    /// of those he tied with, for each game.
    pub sonneborn_berger: Points,
    /// Direct encounter: his points against those who are tied with him so far;
    /// `None` if they have not all met.
    pub direct: Option<Points>,
    /// Games that he played and won.
    pub wins: u32,
}

impl Tournament {
    /// The standings, the leader first. Those who share a rank are in the order of
    /// their starting numbers.
    ///
    /// Sources of the tie-breaks: FIDE, C.07, articles 6 to 9. For a Buchholz or
    /// Sonneborn-Berger score in a Swiss tournament, a round that a player did
    /// not play counts as if he had met somebody with his own points, and an
    /// opponent who left as if he had tied the rounds after that (article 16).
    ///
    /// A player who leaves a round robin before he has played half of his games
    /// loses his rank, and all his games count for nobody; otherwise his remaining
    /// games are forfeited (FIDE, C.05, annex 1).
    pub fn standings(&self) -> Vec<Standing> {
        let tallies: Vec<Tally> = self.ids().map(|id| self.tally(id)).collect();
        let mut rows: Vec<(Id, Standing)> = self
            .ids()
            .zip(&tallies)
            .map(|(id, tally)| (id, self.row(id, tally, &tallies)))
            .collect();
        rows.sort_by_key(|(id, row)| (order(row), self.entrant(*id).number));
        for tied in rows.chunk_by_mut(|(_, one), (_, other)| first_order(one) == first_order(other))
        {
            self.settle_directly(tied);
        }
        rows.sort_by_key(|(id, row)| (order(row), self.entrant(*id).number));
        let mut rank = 1;
        for tied in rows.chunk_by_mut(|(_, one), (_, other)| order(one) == order(other)) {
            let next = rank + count(tied.len());
            for (_, row) in tied {
                row.rank = row.rank.map(|_| rank);
            }
            rank = next;
        }
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn row(&self, id: Id, tally: &Tally, tallies: &[Tally]) -> Standing {
        let swiss = matches!(self.settings().kind, Kind::Swiss { .. });
        let sums = self.sums(id, tallies);
        Standing {
            rank: tally.counts.then_some(1),
            player: self.name(id).clone(),
            points: tally.points,
            tie_breaks: TieBreaks {
                buchholz: swiss.then_some(sums.buchholz),
                sonneborn_berger: sums.sonneborn_berger,
                direct: None,
                wins: tally.wins,
            },
            wins: tally.wins,
            ties: tally.ties,
            losses: tally.losses,
            forfeits: tally.forfeits,
            byes: tally.byes,
            blacks: tally.blacks,
            whites: tally.whites,
            withdrawn: self.entrant(id).left.is_some(),
        }
    }

    /// Whether a player's results count: not if he left a round robin before he had
    /// played half of his games.
    fn counts(&self, id: Id) -> bool {
        if self.entrant(id).left.is_none() || self.settings().kind != Kind::RoundRobin {
            return true;
        }
        let pairings = self
            .rounds()
            .iter()
            .filter_map(|round| round.pairing_of(id));
        let (mut all, mut played) = (0_usize, 0_usize);
        for pairing in pairings {
            all += pairing.games.len();
            played += pairing
                .results()
                .filter(|(_, result)| !result.forfeit)
                .count();
        }
        2 * played >= all
    }

    /// A player's own results.
    fn tally(&self, id: Id) -> Tally {
        let mut tally = Tally {
            counts: self.counts(id),
            ..Tally::default()
        };
        for round in self.rounds() {
            if round.bye == Some(id) {
                tally.byes += 1;
                tally.points += self.bye_points();
            }
            let pairing = round.pairing_of(id);
            if let Some(pairing) = pairing.filter(|pairing| self.counts(pairing.opponent(id))) {
                tally.add(id, pairing);
            }
        }
        let after = self
            .entrant(id)
            .left
            .map_or(0, |left| self.rounds().len().saturating_sub(left));
        let ties = (0..after).map(|_| self.bye_points().times(Points::HALF));
        tally.as_opponent = tally.points + ties.sum();
        tally
    }

    /// What a player's opponents give him.
    fn sums(&self, id: Id, tallies: &[Tally]) -> Sums {
        let swiss = matches!(self.settings().kind, Kind::Swiss { .. });
        let tally = |Id(player): Id| tallies.get(player);
        let own = tally(id).map_or(Points::ZERO, |tally| tally.points);
        let mut sums = Sums::default();
        for round in self.rounds() {
            let Some(pairing) = round.pairing_of(id) else {
                sums.buchholz += own;
                if round.bye == Some(id) {
                    sums.sonneborn_berger += own.times(self.bye_points());
                }
                continue;
            };
            let Some(opponent) = tally(pairing.opponent(id)).filter(|one| one.counts) else {
                continue;
            };
            if pairing.results().next().is_none() {
                continue;
            }
            // In a round robin forfeited games count like others.
            let points = if pairing.was_played() || !swiss {
                opponent.as_opponent
            } else {
                own
            };
            sums.buchholz += points;
            sums.sonneborn_berger += points.times(pairing.points(id));
        }
        sums
    }

    /// Between those who are tied, their games with each other decide if all of
    /// them have met.
    fn settle_directly(&self, tied: &mut [(Id, Standing)]) {
        let ids: Vec<Id> = tied.iter().map(|(id, _)| *id).collect();
        let pairs = || ids.iter().copied().array_combinations();
        if ids.len() < 2 || !pairs().all(|[one, other]| self.meeting(one, other).is_some()) {
            return;
        }
        for (id, row) in tied {
            let others = ids.iter().filter(|other| *other != id);
            let meetings = others.filter_map(|other| self.meeting(*id, *other));
            row.tie_breaks.direct = Some(meetings.map(|pairing| pairing.points(*id)).sum());
        }
    }

    /// The pairing in which two players met, if it is over and was played.
    fn meeting(&self, one: Id, other: Id) -> Option<&Pairing> {
        let meetings = self
            .rounds()
            .iter()
            .filter_map(|round| round.pairing_of(one));
        let mut played = meetings.filter(|pairing| pairing.is_over() && pairing.was_played());
        played.find(|pairing| pairing.opponent(one) == other)
    }
}

/// What decides before the games of those with each other do.
fn first_order(row: &Standing) -> impl Ord + use<> {
    let ties = row.tie_breaks;
    let points = (row.points, ties.buchholz, ties.sonneborn_berger);
    (row.rank.is_none(), Reverse(points))
}

/// What a line is ordered by: those whose results do not count come last.
fn order(row: &Standing) -> impl Ord + use<> {
    (row.rank.is_none(), Reverse((row.points, row.tie_breaks)))
}

/// A player's own results.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    counts: bool,
    points: Points,
    /// What he counts as an opponent.
    as_opponent: Points,
    wins: u32,
    ties: u32,
    losses: u32,
    forfeits: u32,
    byes: u32,
    blacks: u32,
    whites: u32,
}

impl Tally {
    fn add(&mut self, id: Id, pairing: &Pairing) {
        self.points += pairing.points(id);
        for (game, result) in pairing.results() {
            let color = pairing.color(game, id);
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
                None => self.ties += 1,
            }
        }
    }
}

/// What a player's opponents give him.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    buchholz: Points,
    sonneborn_berger: Points,
}
