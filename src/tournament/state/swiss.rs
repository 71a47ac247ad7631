//! Swiss pairing: in each round, players meet new opponents with about the same points.
//!
//! The pairing follows FIDE's Dutch system (C.04.3) in its color preferences and its color
//! allocation. Of its absolute criteria, those on repeated opponents and byes are strict;
//! clashes of colors are minimized. The Dutch system pairs one score group after the other,
//! which needs pages of rules on what to try next. Here all players are paired at once, by a
//! matching of maximum weight. Pairings are compared by these criteria, in this order:
//!
//! 1. No player meets the same opponent twice, or a forbidden one. No player has a bye
//!    after a bye or a win by forfeit. If this is impossible, there is no pairing.
//! 2. The fewest pairs of players who both have an absolute preference for the same color.
//! 3. The bye goes to a player with the fewest points.
//! 4. The fewest players of the highest score group who meet players below it; then the
//!    fewest of the two highest groups who meet players below both; and so on. If there are
//!    very many groups, the lowest ones count together.
//! 5. The smallest sum of the squares of the differences in points.
//! 6. The fewest players who do not get the color that they should have; then the fewest of
//!    these whose preference is strong or absolute.
//! 7. The fewest players who floated down in the previous round and do so again; then up;
//!    then the same for the round before it.
//! 8. Within a score group, the first player of the upper half meets the first of the lower
//!    half, and so on. The last players of a group float down, to meet the first players of
//!    the group below.
//!
//! If a meeting has two games, each player has both colors, and criteria 2 and 6 do not apply.
//!
//! Players who have left or are absent are not paired. A round that a player missed is neither a
//! bye nor a float.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use integer_blossom::{Weight, max_weight_matching};

use super::{Encounter, ForbiddenPairs, PairedRound, PlayerId, Tournament};
use crate::base::color::{ByColor, Color};
use crate::base::rng::Rng;
use crate::tournament::event::Points;

use crate::tournament::settings::{Games, Settings};

/// Pairs the next round. Returns `None` if no pairing satisfies the absolute criteria.
pub fn pair_swiss(tournament: &Tournament) -> Option<PairedRound> {
    let ranked = rank(tournament);
    let weigher = PairWeigher::new(tournament, &ranked);
    // The player who is matched with the vertex after the last player has the bye.
    let vertices = ranked.len() + ranked.len() % 2;
    let mut weights = Vec::with_capacity(vertices * vertices);
    for one in 0..vertices {
        for other in 0..vertices {
            let weight = match (ranked.get(one), ranked.get(other)) {
                (Some(higher), Some(lower)) if one < other => weigher.weigh_pair(higher, lower),
                (Some(player), None) => weigher.weigh_bye(player),
                _ => None,
            };
            weights.push(weight.unwrap_or(PairingWeight::ZERO));
        }
    }
    let mates = max_weight_matching(&weights, vertices);
    let mut paired = PairedRound::default();
    for (player, mate) in ranked.iter().zip(&mates) {
        match ranked.get((*mate)?) {
            None => paired.bye = Some(player.id),
            Some(opponent) if player.is_above(opponent) => {
                paired.pairings.push(weigher.allocate(player, opponent));
            }
            Some(_) => {}
        }
    }
    // A single player has no opponent.
    (!paired.pairings.is_empty()).then_some(paired)
}

/// A player to be paired, with their score group and their place in it.
struct RankedPlayer {
    id: PlayerId,
    number: usize,
    may_have_bye: bool,
    history: PlayerHistory,
    /// The color preference, which every pair with the player asks for.
    preference: Option<Preference>,
    /// The number of the score group, from 0, which is the highest.
    group: usize,
    /// The place in the group, from 0, and the size of the group.
    place: i64,
    size: i64,
}

/// Ranks the players: the highest first, by points, then by starting number.
fn rank(tournament: &Tournament) -> Vec<RankedPlayer> {
    let mut histories = histories(tournament);
    let mut ranked: Vec<RankedPlayer> = tournament
        .available()
        .map(|id| {
            let history = histories.get_mut(id.0).map(std::mem::take);
            let history = history.unwrap_or_default();
            RankedPlayer {
                id,
                number: tournament.starting_number(id),
                may_have_bye: tournament.may_have_bye(id),
                preference: history.colors.preference(),
                history,
                group: 0,
                place: 0,
                size: 0,
            }
        })
        .collect();
    ranked.sort_by_key(|player| (Reverse(player.history.points), player.number));
    let groups = ranked.chunk_by_mut(|one, other| one.history.points == other.history.points);
    for (group, players) in groups.enumerate() {
        let size = to_i64(players.len());
        for (place, player) in (0..).zip(players) {
            (player.group, player.place, player.size) = (group, place, size);
        }
    }
    ranked
}

impl RankedPlayer {
    fn is_above(&self, other: &RankedPlayer) -> bool {
        (self.group, self.place) < (other.group, other.place)
    }

    /// Returns 1 or 0 for each of the last two rounds, the last one first: whether the player
    /// floated in this direction.
    fn floated(&self, float: Float) -> [i64; 2] {
        let [last, before] = self.history.floats;
        [
            i64::from(last == Some(float)),
            i64::from(before == Some(float)),
        ]
    }
}

/// The history of a player in the rounds so far.
#[derive(Clone, Debug, Default)]
struct PlayerHistory {
    points: Points,
    /// The opponents in games that were played.
    met: BTreeSet<PlayerId>,
    /// The color of the first game in each round that was played.
    colors: ColorHistory,
    /// The floats in the last round and in the one before.
    floats: [Option<Float>; 2],
}

/// A meeting with an opponent who had a different score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Float {
    /// The opponent had fewer points, or the player got points without an opponent.
    Down,
    /// The opponent had more points.
    Up,
}

/// Returns the history of every entrant, in the order of their ids.
fn histories(tournament: &Tournament) -> Vec<PlayerHistory> {
    let mut histories = vec![PlayerHistory::default(); tournament.entrants.len()];
    for round in &tournament.rounds {
        let before: Vec<Points> = histories.iter().map(|history| history.points).collect();
        let points = |PlayerId(player)| before.get(player).copied().unwrap_or_default();
        for (id, history) in (0..).map(PlayerId).zip(&mut histories) {
            let float = match round.encounter_of(id) {
                Some(encounter) => {
                    history.add(id, encounter);
                    float_in_round(id, encounter, points(id), points(encounter.opponent(id)))
                }
                None if round.bye == Some(id) => {
                    history.points += tournament.bye_points();
                    Some(Float::Down)
                }
                None => None,
            };
            let [last, _] = history.floats;
            history.floats = [float, last];
        }
    }
    histories
}

impl PlayerHistory {
    fn add(&mut self, id: PlayerId, encounter: &Encounter) {
        self.points += encounter.points(id);
        if encounter.was_played() {
            self.met.insert(encounter.opponent(id));
            self.colors.push(encounter.color(0, id));
        }
    }
}

/// Returns how a player floated in a round. The points are those before the round.
fn float_in_round(
    id: PlayerId,
    encounter: &Encounter,
    own: Points,
    opponent: Points,
) -> Option<Float> {
    if !encounter.was_played() {
        let won = encounter.points(id) > Points::ZERO;
        return won.then_some(Float::Down);
    }
    match own.cmp(&opponent) {
        Ordering::Greater => Some(Float::Down),
        Ordering::Less => Some(Float::Up),
        Ordering::Equal => None,
    }
}

/// Returns the color of the player with the first starting number in the first round.
pub fn initial_color(settings: &Settings) -> Color {
    match Rng::new(!settings.seed).coin() {
        true => Color::Black,
        false => Color::White,
    }
}

/// The number of entries of a [`PairingWeight`] that count the players who are paired outside
/// their score group.
const GROUP_ENTRIES: usize = 4;

/// The number of bits used in each of these entries.
const GROUP_ENTRY_BITS: u32 = 48;

/// The number of bits of a count of players.
const COUNT_BITS: u32 = 10;

/// Computes the weight of a pair or a bye.
struct PairWeigher<'a> {
    forbidden: &'a ForbiddenPairs,
    games: Games,
    /// The color of the player with the first starting number in the first round.
    initial: Color,
    /// The lowest score group.
    lowest: usize,
    /// For each score group, the cost of a pair that crosses its lower border: the index of an
    /// entry of the weight, and the amount.
    borders: Vec<(usize, i64)>,
}

impl<'a> PairWeigher<'a> {
    fn new(tournament: &'a Tournament, ranked: &[RankedPlayer]) -> PairWeigher<'a> {
        let settings = &tournament.settings;
        PairWeigher {
            forbidden: &tournament.forbidden,
            games: settings.games,
            initial: initial_color(settings),
            lowest: ranked.last().map_or(0, |player| player.group),
            borders: borders(ranked),
        }
    }

    /// Returns the weight of a pair; `None` if the two may not meet.
    fn weigh_pair(&self, higher: &RankedPlayer, lower: &RankedPlayer) -> Option<PairingWeight> {
        if higher.history.met.contains(&lower.id) || self.forbidden.contains(higher.id, lower.id) {
            return None;
        }
        let [clash, ungranted, strong] = self.color_costs(higher, lower);
        let floats = higher.group != lower.group;
        let from_ideal = if floats {
            square(higher.size - 1 - higher.place) + square(lower.place)
        } else {
            square(lower.place - higher.place - higher.size / 2)
        };
        let repeated_floats = match floats {
            true => float_costs(higher.floated(Float::Down), lower.floated(Float::Up)),
            false => 0,
        };
        let point_gap = square(higher.history.points.halves_above(lower.history.points));
        let gap_and_colors = (point_gap << COUNT_BITS | ungranted) << COUNT_BITS | strong;
        let crossings = self.border_costs(higher.group, lower.group);
        Some(weight(
            clash << COUNT_BITS,
            crossings,
            [gap_and_colors, repeated_floats, from_ideal],
        ))
    }

    /// Returns the weight of a bye; `None` if the player may not have it.
    fn weigh_bye(&self, player: &RankedPlayer) -> Option<PairingWeight> {
        if !player.may_have_bye {
            return None;
        }
        let height = to_i64(self.lowest - player.group);
        let repeated_floats = float_costs(player.floated(Float::Down), [0, 0]);
        let from_ideal = square(player.size - 1 - player.place);
        let crossings = self.border_costs(player.group, self.lowest);
        Some(weight(height, crossings, [0, repeated_floats, from_ideal]))
    }

    /// Returns the cost of crossing the borders between two score groups.
    fn border_costs(&self, from: usize, to: usize) -> [i64; GROUP_ENTRIES] {
        let mut costs = [0; GROUP_ENTRIES];
        for &(entry, cost) in self.borders.iter().take(to).skip(from) {
            if let Some(place) = costs.get_mut(entry) {
                *place += cost;
            }
        }
        costs
    }

    /// Returns 1 or 0 for each question: whether both players must have the same color;
    /// whether one of them does not get the color that they should have; whether that
    /// player's preference is strong or absolute.
    fn color_costs(&self, higher: &RankedPlayer, lower: &RankedPlayer) -> [i64; 3] {
        let (Some(one), Some(other)) = (higher.preference, lower.preference) else {
            return [0; 3];
        };
        if self.games != Games::Single || one.color != other.color {
            return [0; 3];
        }
        let weaker = one.strength.min(other.strength);
        let clash = weaker == Strength::Absolute;
        let strong = weaker >= Strength::Strong;
        [i64::from(clash), 1, i64::from(strong)]
    }

    /// Allocates the colors of the first game.
    fn allocate(&self, higher: &RankedPlayer, lower: &RankedPlayer) -> ByColor<PlayerId> {
        let initial = match higher.number % 2 {
            1 => self.initial,
            _ => self.initial.opponent(),
        };
        match allocate(&higher.history.colors, &lower.history.colors, initial) {
            Color::Black => ByColor::new(higher.id, lower.id),
            Color::White => ByColor::new(lower.id, higher.id),
        }
    }
}

/// Assigns each score group, from the highest, the bits in which the players who cross its
/// lower border are counted, as many as the maximum of that count needs. If there are too many
/// groups, the lowest ones share a bit field.
fn borders(ranked: &[RankedPlayer]) -> Vec<(usize, i64)> {
    let mut borders = Vec::new();
    let (mut number, mut left) = (0, GROUP_ENTRY_BITS);
    let mut above = 0;
    let groups = ranked.chunk_by(|one, other| one.group == other.group);
    for group in groups {
        above += group.len();
        let most = above.min(ranked.len() - above);
        let bits = usize::BITS - most.leading_zeros();
        if bits > left && number + 1 < GROUP_ENTRIES {
            (number, left) = (number + 1, GROUP_ENTRY_BITS);
        }
        left = left.saturating_sub(bits);
        borders.push((number, 1 << left));
    }
    borders
}

/// Returns the cost of repeated floats. Floating down in the last round costs most, then
/// floating up in the last round, then the same for the round before.
fn float_costs(down: [i64; 2], up: [i64; 2]) -> i64 {
    let [down_last, down_before] = down;
    let [up_last, up_before] = up;
    let counts = [down_last, up_last, down_before, up_before];
    counts
        .into_iter()
        .fold(0, |costs, count| costs << COUNT_BITS | count)
}

/// Returns the weight of a pair with these costs. The number of pairs counts most.
fn weight(first: i64, leaving: [i64; GROUP_ENTRIES], rest: [i64; 3]) -> PairingWeight {
    let costs = std::iter::once(first).chain(leaving).chain(rest);
    let mut numbers = [1; ENTRIES];
    for (number, cost) in numbers.iter_mut().skip(1).zip(costs) {
        *number = -cost;
    }
    PairingWeight(numbers)
}

const fn square(number: i64) -> i64 {
    number * number
}

fn to_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The number of entries of a [`PairingWeight`].
const ENTRIES: usize = 9;

/// The weight of a pair: a list of entries, compared in lexicographic order.
///
/// With addition entry by entry, weights are an ordered group, which is all that the matching
/// needs: no criterion has to be multiplied by a factor that outweighs all later ones. The
/// labels of the matching are sums along paths through the players. So an entry does not
/// overflow as long as it is less than 2^62 divided by four times the number of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PairingWeight([i64; ENTRIES]);

impl PairingWeight {
    #[inline]
    fn each(mut self, change: impl Fn(i64) -> i64) -> PairingWeight {
        for number in &mut self.0 {
            *number = change(*number);
        }
        self
    }
}

impl Add for PairingWeight {
    type Output = PairingWeight;

    #[inline]
    fn add(mut self, other: PairingWeight) -> PairingWeight {
        self += other;
        self
    }
}

impl Sub for PairingWeight {
    type Output = PairingWeight;

    #[inline]
    fn sub(mut self, other: PairingWeight) -> PairingWeight {
        self -= other;
        self
    }
}

impl AddAssign for PairingWeight {
    #[inline]
    fn add_assign(&mut self, other: PairingWeight) {
        for place in 0..ENTRIES {
            self.0[place] += other.0[place];
        }
    }
}

impl SubAssign for PairingWeight {
    #[inline]
    fn sub_assign(&mut self, other: PairingWeight) {
        for place in 0..ENTRIES {
            self.0[place] -= other.0[place];
        }
    }
}

impl Weight for PairingWeight {
    const ZERO: PairingWeight = PairingWeight([0; ENTRIES]);
    const ONE: PairingWeight = {
        let mut one = [0; ENTRIES];
        one[ENTRIES - 1] = 1;
        PairingWeight(one)
    };

    fn inf() -> PairingWeight {
        let mut most = [0; ENTRIES];
        most[0] = i64::MAX / 4;
        PairingWeight(most)
    }

    #[inline]
    fn double(self) -> PairingWeight {
        self.each(|number| number * 2)
    }

    /// Only even entries are halved: all labels are equal at first and change together.
    #[inline]
    fn half(self) -> PairingWeight {
        self.each(|number| number / 2)
    }
}

/// The colors that a player had, the earliest first. Games that were not played do not count.
///
/// Preferences and allocation follow FIDE, C.04.3 (Dutch system), articles 1.7 (color
/// preferences) and 5 (color allocation), with the colors of Go: in chess White moves first,
/// here Black.
#[derive(Clone, Debug, Default)]
struct ColorHistory(Vec<Color>);

/// The color that a player should have next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Preference {
    color: Color,
    strength: Strength,
}

/// The strength of a color preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// The player had both colors equally often, the other one last.
    Mild,
    /// The player had the other color once more.
    Strong,
    /// The player had the other color at least twice more, or twice in a row.
    Absolute,
}

impl ColorHistory {
    fn push(&mut self, color: Color) {
        self.0.push(color);
    }

    /// Returns how many more times the color was Black than White.
    fn difference(&self) -> isize {
        let sign = |color: &Color| match color {
            Color::Black => 1,
            Color::White => -1,
        };
        self.0.iter().map(sign).sum()
    }

    /// Returns the color that the player should have next; `None` before the first game.
    fn preference(&self) -> Option<Preference> {
        let mut latest = self.0.iter().rev();
        let last = *latest.next()?;
        let twice = latest.next() == Some(&last);
        let difference = self.difference();
        let often = match difference.cmp(&0) {
            Ordering::Greater => Some(Color::Black),
            Ordering::Less => Some(Color::White),
            Ordering::Equal => None,
        };
        let wide = difference.abs() > 1;
        let had = if wide { often } else { None };
        let had = had.or(twice.then_some(last)).or(often).unwrap_or(last);
        Some(Preference {
            color: had.opponent(),
            strength: match difference {
                _ if twice || wide => Strength::Absolute,
                0 => Strength::Mild,
                _ => Strength::Strong,
            },
        })
    }
}

/// Returns the color of the higher-ranked of two players, which is `initial` if nothing else
/// decides.
fn allocate(higher: &ColorHistory, lower: &ColorHistory, initial: Color) -> Color {
    let (one, other) = match (higher.preference(), lower.preference()) {
        (None, None) => return initial,
        (Some(one), None) => return one.color,
        (None, Some(other)) => return other.color.opponent(),
        (Some(one), Some(other)) => (one, other),
    };
    if one.color != other.color {
        return one.color;
    }
    // Both should have the same color: the stronger preference gets it.
    let needs = |colors: &ColorHistory, preference: Preference| {
        let absolute = preference.strength == Strength::Absolute;
        let difference = if absolute {
            colors.difference().abs()
        } else {
            0
        };
        (preference.strength, difference)
    };
    match needs(higher, one).cmp(&needs(lower, other)) {
        Ordering::Greater => return one.color,
        Ordering::Less => return one.color.opponent(),
        Ordering::Equal => {}
    }
    // Otherwise, each gets the color that the other had when their colors last differed.
    let mut latest = higher.0.iter().rev().zip(lower.0.iter().rev());
    match latest.find(|(one, other)| one != other) {
        Some((had, _)) => had.opponent(),
        None => one.color,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colors(text: &str) -> ColorHistory {
        let color = |char| {
            if char == 'b' {
                Color::Black
            } else {
                Color::White
            }
        };
        ColorHistory(text.chars().map(color).collect())
    }

    #[test]
    fn preferences_follow_the_colors_that_a_player_had() {
        let preference = |text| {
            let Preference { color, strength } = colors(text).preference().unwrap();
            format!("{strength:?} {color:?}")
        };
        assert_eq!(colors("").preference(), None);
        assert_eq!(preference("b"), "Strong White");
        assert_eq!(preference("bw"), "Mild Black");
        assert_eq!(preference("bww"), "Absolute Black");
        assert_eq!(preference("wbb"), "Absolute White");
        assert_eq!(preference("bwb"), "Strong White");
        // Twice in a row outweighs the total.
        assert_eq!(preference("bbbww"), "Absolute Black");
        assert_eq!(preference("bwbwbb"), "Absolute White");
    }

    #[test]
    fn a_color_goes_to_the_player_it_is_due_to() {
        let color = |higher, lower| allocate(&colors(higher), &colors(lower), Color::Black);
        assert_eq!(color("", ""), Color::Black);
        assert_eq!(color("b", "w"), Color::White);
        // The stronger preference.
        assert_eq!(color("wb", "b"), Color::Black);
        assert_eq!(color("bwb", "wbb"), Color::Black);
        // The latest time when they had different colors.
        assert_eq!(color("wbwb", "bwwb"), Color::White);
        assert_eq!(color("bwwb", "wbwb"), Color::Black);
        // The higher player.
        assert_eq!(color("b", "b"), Color::White);
    }
}
