//! Swiss pairing: in each round those meet who have about the same points and
//! have not met.
//!
//! In the spirit of FIDE's Dutch system (C.04.3), of which the absolute criteria,
//! the color preferences and the color allocation are taken over. There a score
//! group is paired after the other, which needs pages of rules on what to try
//! next; here all players are paired at once, by a matching of the highest weight.
//! What counts, the first thing that differs deciding:
//!
//! 1. Nobody meets the same opponent twice, or one whom he may not meet; nobody
//!    has a second bye. If that cannot be done, there is no pairing.
//! 2. As few as possible meet of whom both must have the same color.
//! 3. Whoever has the bye has as few points as possible.
//! 4. As few as possible from the highest score group meet others; then as few
//!    as possible from the highest two groups meet others; and so on.
//! 5. The sum of the squares of the differences of points is as small as possible.
//! 6. As few as possible do not get the color they should have; then as few as
//!    possible of those who had the other color more often.
//! 7. As few as possible float down who did so in the last round; then up; then
//!    the same for the round before.
//! 8. In a score group the first of the upper half meets the first of the lower
//!    half, and so on. From a group the last ones float down, to meet the first
//!    ones of the group below.
//!
//! If two players meet in two games, each has both colors, and 2 and 6 say nothing.

use integer_blossom::{Weight, max_weight_matching};

use super::colors::{Strength, allocate};
use super::quality::{NUMBERS, Quality};
use super::record::{Float, Record, records};
use super::refusal::NoPairing;
use super::round::Id;
use super::settings::Games;
use super::state::{Tournament, count};
use crate::color::Color;
use crate::rng::Rng;

/// A round as it is paired: who has Black in the first game comes first.
#[derive(Clone, Debug, Default)]
pub(super) struct Paired {
    pub(super) pairings: Vec<[Id; 2]>,
    pub(super) bye: Option<Id>,
}

/// A player to be paired.
struct Contender {
    id: Id,
    number: usize,
    may_have_bye: bool,
    record: Record,
    /// The number of his score group from 0, which is the highest.
    group: usize,
    /// His place in the group, from 0, and how many are in it.
    place: i64,
    size: i64,
}

/// How many of the numbers of a [`Quality`] tell of players who leave their score
/// group, and how many bits each has.
const FLOAT_NUMBERS: usize = 4;
const FLOAT_BITS: u32 = 48;

/// How many bits a count of players needs.
const COUNT_BITS: u32 = 10;

/// The next round.
pub(super) fn round(tournament: &Tournament) -> Result<Paired, NoPairing> {
    let contenders = ranked(tournament);
    let scale = Scale::new(tournament, &contenders);
    // Whoever is matched with the place after the last has the bye.
    let vertices = contenders.len() + contenders.len() % 2;
    let mut weights = Vec::with_capacity(vertices * vertices);
    for one in 0..vertices {
        for other in 0..vertices {
            let weight = match (contenders.get(one), contenders.get(other)) {
                (Some(higher), Some(lower)) if one < other => scale.pair(higher, lower),
                (Some(player), None) => scale.bye(player),
                _ => None,
            };
            weights.push(weight.unwrap_or(Quality::ZERO));
        }
    }
    let mates = max_weight_matching(&weights, vertices);
    let mut paired = Paired::default();
    for (player, mate) in contenders.iter().zip(&mates) {
        let mate = mate.ok_or(NoPairing {
            round: count(tournament.rounds_paired() + 1),
            players: contenders.len(),
        })?;
        match contenders.get(mate) {
            None => paired.bye = Some(player.id),
            Some(opponent) if player.is_above(opponent) => {
                paired.pairings.push(scale.seats(player, opponent));
            }
            Some(_) => {}
        }
    }
    if paired.pairings.is_empty() {
        // Whoever is alone has nobody to win against.
        return Err(NoPairing {
            round: count(tournament.rounds_paired() + 1),
            players: contenders.len(),
        });
    }
    Ok(paired)
}

/// Those who are to be paired, the highest first: by points, then by number.
fn ranked(tournament: &Tournament) -> Vec<Contender> {
    let all = tournament.ids().zip(records(tournament));
    let present = all.filter(|(id, _)| tournament.entrant(*id).left.is_none());
    let mut ranked: Vec<Contender> = present
        .map(|(id, record)| Contender {
            id,
            number: tournament.entrant(id).number,
            may_have_bye: tournament.may_have_bye(id),
            record,
            group: 0,
            place: 0,
            size: 0,
        })
        .collect();
    ranked.sort_by_key(|player| (std::cmp::Reverse(player.record.points), player.number));
    let groups = ranked.chunk_by_mut(|one, other| one.record.points == other.record.points);
    for (group, players) in groups.enumerate() {
        let size = i64::from(count(players.len()));
        for (place, player) in (0..).zip(players) {
            (player.group, player.place, player.size) = (group, place, size);
        }
    }
    ranked
}

impl Contender {
    fn is_above(&self, other: &Contender) -> bool {
        (self.group, self.place) < (other.group, other.place)
    }

    /// Whether he floated so in the last round, and in the one before.
    fn floated(&self, float: Float) -> [i64; 2] {
        self.record
            .floats
            .map(|before| i64::from(before == Some(float)))
    }
}

/// What pairs are weighed with.
struct Scale<'a> {
    tournament: &'a Tournament,
    single: bool,
    /// What the player with the first number gets in the first round.
    initial: Color,
    /// The lowest score group.
    lowest: usize,
    /// For each score group what it costs to leave it downwards: which number of
    /// the quality, and how much of it.
    borders: Vec<(usize, i64)>,
}

impl<'a> Scale<'a> {
    fn new(tournament: &'a Tournament, contenders: &[Contender]) -> Scale<'a> {
        let settings = tournament.settings();
        let heads = Rng::new(!settings.seed).coin();
        Scale {
            tournament,
            single: settings.games == Games::Single,
            initial: if heads { Color::Black } else { Color::White },
            lowest: contenders.last().map_or(0, |player| player.group),
            borders: borders(contenders),
        }
    }

    /// The weight of a pair; `None` if the two may not meet.
    fn pair(&self, higher: &Contender, lower: &Contender) -> Option<Quality> {
        if higher.record.met.contains(&lower.id) || self.tournament.are_apart(higher.id, lower.id) {
            return None;
        }
        let [clash, ungranted, strong] = self.color_costs(higher, lower);
        let floats = higher.group != lower.group;
        let off = if floats {
            square(higher.size - 1 - higher.place) + square(lower.place)
        } else {
            square(lower.place - higher.place - higher.size / 2)
        };
        let again = match floats {
            true => float_costs(higher.floated(Float::Down), lower.floated(Float::Up)),
            false => 0,
        };
        let apart = square(higher.record.points.halves_above(lower.record.points));
        let near = (apart << COUNT_BITS | ungranted) << COUNT_BITS | strong;
        let leaving = self.leaving(higher.group, lower.group);
        Some(quality(clash << COUNT_BITS, leaving, [near, again, off]))
    }

    /// The weight of a bye; `None` if the player may not have it.
    fn bye(&self, player: &Contender) -> Option<Quality> {
        if !player.may_have_bye {
            return None;
        }
        let height = i64::from(count(self.lowest - player.group));
        let again = float_costs(player.floated(Float::Down), [0, 0]);
        let off = square(player.size - 1 - player.place);
        let leaving = self.leaving(player.group, self.lowest);
        Some(quality(height, leaving, [0, again, off]))
    }

    /// What it costs that players of these groups meet.
    fn leaving(&self, from: usize, to: usize) -> [i64; FLOAT_NUMBERS] {
        let mut costs = [0; FLOAT_NUMBERS];
        for &(number, cost) in self.borders.iter().take(to).skip(from) {
            if let Some(place) = costs.get_mut(number) {
                *place += cost;
            }
        }
        costs
    }

    /// Whether both must have the same color; whether one does not get the color
    /// he should have; and whether it is one who had the other color more often.
    fn color_costs(&self, higher: &Contender, lower: &Contender) -> [i64; 3] {
        let preferences = [higher, lower].map(|player| player.record.colors.preference());
        let [Some(one), Some(other)] = preferences else {
            return [0; 3];
        };
        if !self.single || one.color != other.color {
            return [0; 3];
        }
        let weaker = one.strength.min(other.strength);
        let clash = weaker == Strength::Absolute;
        let strong = weaker >= Strength::Strong;
        [i64::from(clash), 1, i64::from(strong)]
    }

    /// Who has Black, and who White.
    fn seats(&self, higher: &Contender, lower: &Contender) -> [Id; 2] {
        let initial = match higher.number % 2 {
            1 => self.initial,
            _ => self.initial.opponent(),
        };
        match allocate(&higher.record.colors, &lower.record.colors, initial) {
            Color::Black => [higher.id, lower.id],
            Color::White => [lower.id, higher.id],
        }
    }
}

/// Where the costs of leaving each score group stand: the highest groups first,
/// each with as many bits as a count of those who cross its lower border needs.
/// Should there be too many groups, the lowest are counted together.
fn borders(contenders: &[Contender]) -> Vec<(usize, i64)> {
    let mut borders = Vec::new();
    let (mut number, mut left) = (0, FLOAT_BITS);
    let mut above = 0;
    let groups = contenders.chunk_by(|one, other| one.group == other.group);
    for group in groups {
        above += group.len();
        let most = above.min(contenders.len() - above);
        let bits = usize::BITS - most.leading_zeros();
        if bits > left && number + 1 < FLOAT_NUMBERS {
            (number, left) = (number + 1, FLOAT_BITS);
        }
        left = left.saturating_sub(bits);
        borders.push((number, 1 << left));
    }
    borders
}

/// What it costs that players float again: those who floated down in the last
/// round, then up, then the same for the round before.
fn float_costs(down: [i64; 2], up: [i64; 2]) -> i64 {
    let [down_last, down_before] = down;
    let [up_last, up_before] = up;
    let counts = [down_last, up_last, down_before, up_before];
    counts
        .into_iter()
        .fold(0, |costs, count| costs << COUNT_BITS | count)
}

/// The weight of a pair with these costs. That as many as possible are paired
/// counts most.
fn quality(first: i64, leaving: [i64; FLOAT_NUMBERS], rest: [i64; 3]) -> Quality {
    let costs = std::iter::once(first).chain(leaving).chain(rest);
    let mut numbers = [1; NUMBERS];
    for (number, cost) in numbers.iter_mut().skip(1).zip(costs) {
        *number = -cost;
    }
    Quality(numbers)
}

const fn square(number: i64) -> i64 {
    number * number
}
