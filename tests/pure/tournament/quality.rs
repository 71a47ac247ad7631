//! The quality of a Swiss pairing, recomputed only from the events, criterion by criterion as in
//! the documentation of the pairing.

use std::collections::{BTreeMap, BTreeSet};

use gothello::Color;
use gothello::tournament::{Event, Games, Name, Settings, Tournament};

/// A tournament so far.
pub struct State {
    pub settings: Settings,
    /// In the order of their starting numbers.
    pub players: Vec<Name>,
    pub past: BTreeMap<Name, Past>,
}

/// The relevant history of a player.
#[derive(Clone, Debug, Default)]
pub struct Past {
    pub points: f64,
    pub met: BTreeSet<Name>,
    pub colors: Vec<Color>,
    /// Whether the player had a bye, or won a round without playing.
    pub free_win: bool,
    /// 1 for up, -1 for down, 0 for neither; the latest round last.
    pub floats: Vec<i32>,
}

impl Past {
    fn quarters(&self) -> i64 {
        (self.points * 4.0) as i64
    }
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
    /// The state after the events; no player enters or leaves.
    pub fn new(settings: &Settings, entrants: &[Name], events: &[Event]) -> State {
        // Before the first round all are tied, in the order of their numbers.
        let fresh = Tournament::new(settings.clone(), entrants).unwrap();
        let players: Vec<Name> = fresh
            .standings()
            .into_iter()
            .map(|row| row.player)
            .collect();
        let past = players
            .iter()
            .map(|player| (player.clone(), Past::default()));
        let mut state = State {
            settings: settings.clone(),
            past: past.collect(),
            players,
        };
        for (index, event) in events.iter().enumerate() {
            if let Event::Paired { bye, .. } = event {
                let games = events[index + 1..].iter();
                let games = games.take_while(|event| matches!(event, Event::Game { .. }));
                state.round(games, bye.as_ref());
            }
        }
        state
    }

    fn round<'a>(&mut self, games: impl Iterator<Item = &'a Event>, bye: Option<&Name>) {
        let before: BTreeMap<Name, f64> = self
            .past
            .iter()
            .map(|(name, past)| (name.clone(), past.points))
            .collect();
        let all = f64::from(self.settings.games.number());
        let mut floats = BTreeMap::new();
        let mut free = BTreeMap::new();
        for event in games {
            let Event::Game { scheduled, result } = event else {
                continue;
            };
            for (one, other, color) in [
                (&scheduled.black, &scheduled.white, Color::Black),
                (&scheduled.white, &scheduled.black, Color::White),
            ] {
                let past = self.past.get_mut(one).unwrap();
                let points = result.points(color).as_f64();
                past.points += points;
                if result.forfeit {
                    *free.entry(one.clone()).or_insert(0.0) += points;
                    continue;
                }
                past.met.insert(other.clone());
                floats.insert(one.clone(), (before[other] - before[one]).partial_cmp(&0.0));
                if scheduled.number.game == 1 {
                    past.colors.push(color);
                }
            }
        }
        for (player, past) in &mut self.past {
            let free = if bye == Some(player) {
                past.points += all;
                all
            } else {
                *free.get(player).unwrap_or(&0.0)
            };
            past.free_win |= free >= all;
            past.floats.push(match floats.get(player) {
                Some(order) => order.unwrap() as i32,
                None if free > 0.0 => -1,
                None => 0,
            });
        }
    }

    /// Whether two players may be paired.
    pub fn may_meet(&self, one: &Name, other: &Name) -> bool {
        let apart = self.settings.forbidden.iter();
        let mut apart = apart.filter(|pair| pair.contains(one) && pair.contains(other));
        apart.next().is_none() && !self.past[one].met.contains(other)
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
        let points: BTreeSet<i64> = self.past.values().map(Past::quarters).collect();
        let mut ranks = BTreeMap::new();
        for (group, points) in points.into_iter().rev().enumerate() {
            let all = self.players.iter();
            let members = all.filter(|player| self.past[*player].quarters() == points);
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
        let points = |player: &Name| self.past[player].quarters();
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
                && self.settings.games == Games::Single
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
