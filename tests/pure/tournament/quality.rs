//! The quality of a Swiss pairing, recomputed only from the events, criterion by criterion as in
//! the documentation of the pairing.

use std::collections::{BTreeMap, BTreeSet};

use gothello::Color;
use gothello::tournament::{Event, Name, Settings};

use crate::tournament::naive::{Log, Seen};

/// A tournament so far.
pub struct State {
    single: bool,
    /// The players of the next round, in the order of their starting numbers.
    pub players: Vec<Name>,
    pub past: BTreeMap<Name, Past>,
    forbidden: BTreeSet<(Name, Name)>,
}

/// The relevant history of a player.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// The points in quarters.
    pub quarters: i64,
    pub met: BTreeSet<Name>,
    pub colors: Vec<Color>,
    /// Whether the player had a bye, or won a round without playing.
    pub free_win: bool,
    /// 1 for up, -1 for down, 0 for neither; the latest round last.
    pub floats: Vec<i32>,
}

/// The pairs, and the player with the bye.
pub type Paired = (Vec<(Name, Name)>, Option<Name>);

/// The place of a player in the score group; all numbers count from 0.
struct Rank {
    group: usize,
    place: i64,
    size: i64,
}

impl State {
    /// The state after the events.
    pub fn new(settings: &Settings, entrants: &[Name], events: &[Event]) -> State {
        let mut log = Log::new(settings, entrants);
        for event in events {
            log.add(event);
        }
        State::of(&log)
    }

    /// The state after the events of a log.
    pub fn of(log: &Log) -> State {
        let past = log.players.iter();
        let past = past.map(|player| (player.clone(), Past::default()));
        let mut state = State {
            single: log.games == 1,
            players: log.available(),
            past: past.collect(),
            forbidden: log.forbidden.clone(),
        };
        for round in 0..log.rounds.len() {
            state.round(log, round);
        }
        state
    }

    fn round(&mut self, log: &Log, round: usize) {
        let all = 4 * log.games;
        let before = self.past.iter();
        let before: BTreeMap<Name, i64> = before
            .map(|(name, past)| (name.clone(), past.quarters))
            .collect();
        for (player, past) in &mut self.past {
            let points = log.points_in(round, player);
            past.quarters += i64::from(points);
            let games = log.games(round, player);
            if !games.iter().any(Seen::is_played) {
                past.free_win |= points >= all;
                past.floats.push(if points > 0 { -1 } else { 0 });
                continue;
            }
            let opponent = &games[0].opponent;
            past.met.insert(opponent.clone());
            past.colors.push(games[0].color);
            let float = before[opponent].cmp(&before[player]);
            past.floats.push(float as i32);
        }
    }

    /// Whether two players may be paired.
    pub fn may_meet(&self, one: &Name, other: &Name) -> bool {
        let is_forbidden = self.forbidden.contains(&(one.clone(), other.clone()));
        !is_forbidden && !self.past[one].met.contains(other)
    }

    /// Whether a pairing keeps the rules without exception.
    pub fn is_legal(&self, (pairs, bye): &Paired) -> bool {
        let mut players: Vec<&Name> = pairs.iter().flat_map(|(one, other)| [one, other]).collect();
        players.extend(bye);
        players.sort();
        let mut all: Vec<&Name> = self.players.iter().collect();
        all.sort();
        players == all
            && pairs.iter().all(|(one, other)| self.may_meet(one, other))
            && bye.iter().all(|player| !self.past[player].free_win)
    }

    /// Whether the colors of a pair, Black first, are those that the two should have; of two who
    /// should have the same, the one who needs it more has it.
    pub fn colors_are_due(&self, (black, white): &(Name, Name)) -> bool {
        match (self.preference(black), self.preference(white)) {
            (None, None) => true,
            (Some((color, _)), None) => color == Color::Black,
            (None, Some((color, _))) => color == Color::White,
            (Some((one, how)), Some((other, how_other))) => match one == other {
                false => one == Color::Black,
                true if how == how_other => true,
                true => (how > how_other) == (one == Color::Black),
            },
        }
    }

    /// The color that a player should have, and how much: 1 to 3.
    fn preference(&self, player: &Name) -> Option<(Color, i32)> {
        let colors = &self.past[player].colors;
        let last = *colors.last()?;
        let count = |color| colors.iter().filter(|&&one| one == color).count() as i32;
        let more = count(Color::Black) - count(Color::White);
        let twice = colors.len() > 1 && colors[colors.len() - 2] == last;
        Some(match more {
            2.. => (Color::White, 3),
            ..=-2 => (Color::Black, 3),
            _ if twice => (last.opponent(), 3),
            1 => (Color::White, 2),
            -1 => (Color::Black, 2),
            _ => (last.opponent(), 1),
        })
    }

    /// The number of each player's score group, the place in it, and its size.
    fn ranks(&self) -> BTreeMap<&Name, Rank> {
        let quarters = |player: &Name| self.past[player].quarters;
        let points: BTreeSet<i64> = self.players.iter().map(quarters).collect();
        let mut ranks = BTreeMap::new();
        for (group, points) in points.into_iter().rev().enumerate() {
            let all = self.players.iter();
            let members = all.filter(|player| quarters(player) == points);
            let members: Vec<&Name> = members.collect();
            let size = members.len() as i64;
            for (place, player) in members.into_iter().enumerate() {
                let place = place as i64;
                ranks.insert(player, Rank { group, place, size });
            }
        }
        ranks
    }

    /// The costs of each of these pairings, compared lexicographically.
    pub fn all_costs(&self, pairings: &[Paired]) -> Vec<Vec<i64>> {
        let ranks = self.ranks();
        let pairings = pairings.iter();
        pairings
            .map(|(pairs, bye)| self.costs_with(&ranks, pairs, bye.as_ref()))
            .collect()
    }

    /// The costs of a pairing, compared lexicographically.
    pub fn costs(&self, paired: &Paired) -> Vec<i64> {
        self.costs_with(&self.ranks(), &paired.0, paired.1.as_ref())
    }

    fn costs_with(
        &self,
        ranks: &BTreeMap<&Name, Rank>,
        pairs: &[(Name, Name)],
        bye: Option<&Name>,
    ) -> Vec<i64> {
        let points = |player: &Name| self.past[player].quarters;
        let group = |player: &Name| ranks[player].group;
        let place = |player: &Name| ranks[player].place;
        let size = |player: &Name| ranks[player].size;
        let groups = 1 + ranks.values().map(|rank| rank.group).max().unwrap();
        let floated = |player: &Name, back: usize, float: i32| {
            let floats = &self.past[player].floats;
            i64::from(floats.len() >= back && floats[floats.len() - back] == float)
        };

        let mut crossing = vec![0; groups];
        let (mut clash, mut ungranted, mut strong, mut fold) = (0, 0, 0, 0);
        let mut again = [0; 4];
        let mut squares = 0;
        let mut height = 0;
        for (one, other) in pairs {
            let above = (group(one), place(one)) < (group(other), place(other));
            let (high, low) = if above { (one, other) } else { (other, one) };
            crossing[group(high)..group(low)]
                .iter_mut()
                .for_each(|count| *count += 1);
            if let (Some(high), Some(low)) = (self.preference(high), self.preference(low))
                && high.0 == low.0
                && self.single
            {
                clash += i64::from(high.1 == 3 && low.1 == 3);
                ungranted += 1;
                strong += i64::from(high.1 >= 2 && low.1 >= 2);
            }
            squares += ((points(high) - points(low)) / 2).pow(2);
            if group(high) == group(low) {
                fold += (place(low) - place(high) - size(high) / 2).pow(2);
            } else {
                again[0] += floated(high, 1, -1);
                again[1] += floated(low, 1, 1);
                again[2] += floated(high, 2, -1);
                again[3] += floated(low, 2, 1);
                fold += (size(high) - 1 - place(high)).pow(2) + place(low).pow(2);
            }
        }
        if let Some(player) = bye {
            height = (groups - 1 - group(player)) as i64;
            crossing[group(player)..groups - 1]
                .iter_mut()
                .for_each(|count| *count += 1);
            again[0] += floated(player, 1, -1);
            again[2] += floated(player, 2, -1);
            fold += (size(player) - 1 - place(player)).pow(2);
        }
        let first = [clash, height].into_iter().chain(crossing);
        let colors = [squares, ungranted, strong].into_iter();
        first.chain(colors).chain(again).chain([fold]).collect()
    }
}
