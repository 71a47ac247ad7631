//! The evidence of an event's games about the strength of its players.
//!
//! # What is estimated
//! The expected score of two players who play the openings of the event, each as often as it was
//! played. A unit is a pair of games with the same opening and colors reversed, or, if the number of games
//! of two players is odd, a single game of an opening and color. All units count. How certain the score
//! is depends on how many of them are independent trials:
//!
//! - If two units of an opening differ, in moves or result, a player chooses at random, and each
//!   unit is a trial.
//! - If they have always been the same, the players may be deterministic, and all units together
//!   are one trial. So are openings that lead to the same games.
//!
//! No unit is left out of the score because of its winner, so the score has no bias. The effective number
//! of trials is that of Kish (*Survey Sampling*, 1965, section 11.7): (Σw)² / Σw², where the weight
//! w of a trial is its number of units. Differences between openings count as random noise, so
//! errors are overestimated rather than underestimated.
//!
//! # Openings as a sample
//! With [`EventSettings::population`] the expected score is that of all openings of which those of the
//! event are a sample. The effective number is then chosen so that the variance of the mean is the one
//! estimated between openings, with the correction of Student's t for their number; it is at most that
//! of the openings as a list.

use std::collections::{BTreeMap, HashMap};

use itertools::Itertools;
use serde::Serialize;

use super::record::GameRecord;
use super::settings::{EventSettings, MIN_SAMPLE};
use crate::base::color::{ByColor, Color};
use crate::statistics::{GameScore, Pentanomial, Sprt, Strength, WinDrawLoss, squared_t_ratio};
use crate::tournament::Name;

/// The evidence of two players' games, from the point of view of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PairingEvidence {
    /// All games.
    pub games: WinDrawLoss,
    /// The number of games that add no trial: all but the first of those that were always the same.
    pub repeated: u64,
    /// The complete pairs of games, by their points: LL, LD, DD or WL, WD, WW.
    pub pairs: Pentanomial,
    /// Whether the statistics are those of the pairs of games; else they are those of the games,
    /// because the number of games of two players in a round is odd.
    pub by_pairs: bool,
    /// The number of openings of these games or pairs; the start position is one.
    pub openings: usize,
    /// The effective number of independent pairs, or of games: at most their number. `None` if there
    /// are none, or if the openings are a sample and fewer than [`MIN_SAMPLE`].
    pub effective: Option<f64>,
}

impl PairingEvidence {
    /// Returns how much stronger the player is than the opponent; `None` without games, or
    /// with too few openings.
    pub fn strength(&self) -> Option<Strength> {
        let weight = self.weight()?;
        match self.by_pairs {
            true => self.pairs.weighted_strength(weight),
            false => self.games.weighted_strength(weight),
        }
    }

    /// Returns the log-likelihood ratio of a test, of the games if its model knows no pairs; 0
    /// without games, or with too few openings.
    pub fn llr(&self, sprt: &Sprt) -> f64 {
        let Some(weight) = self.weight() else {
            return 0.0;
        };
        let of_pairs = self
            .by_pairs
            .then(|| sprt.weighted_llr_of_pairs(&self.pairs, weight));
        of_pairs
            .flatten()
            .unwrap_or_else(|| sprt.weighted_llr_of_games(&self.games, weight))
    }

    /// Returns the number of independent trials that each pair, or each game, counts as.
    fn weight(&self) -> Option<f64> {
        Some(self.effective? / self.units() as f64)
    }

    /// Returns the number of complete pairs, or of games, of which the statistics are.
    pub fn units(&self) -> u64 {
        match self.by_pairs {
            true => self.pairs.pairs(),
            false => self.games.games(),
        }
    }

    /// Returns the same evidence from the point of view of the other player.
    #[must_use]
    pub fn reversed(self) -> PairingEvidence {
        PairingEvidence {
            games: self.games.reversed(),
            pairs: self.pairs.reversed(),
            ..self
        }
    }
}

/// The evidence of a game: its result, and its moves.
#[derive(Clone, Copy, Debug)]
pub struct CountedGame {
    winner: Option<Color>,
    /// The number of the opening; `None` for the start position.
    opening: Option<u32>,
    /// See [`code`].
    code: u128,
}

impl From<&GameRecord> for CountedGame {
    fn from(game: &GameRecord) -> CountedGame {
        CountedGame {
            winner: game.winner,
            opening: game.planned.opening,
            code: code(game),
        }
    }
}

/// The evidence of all games of an event.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Whether the units are pairs of games, because all games are in pairs.
    by_pairs: bool,
    /// Whether the openings are a sample.
    population: bool,
    /// The games of players that have met, the one whose name is less first.
    pairings: BTreeMap<(Name, Name), Pairing>,
}

/// The games of two players, from the point of view of the first.
#[derive(Clone, Debug, Default)]
struct Pairing {
    games: WinDrawLoss,
    pairs: Pentanomial,
    /// The units by their opening, and single games also by the first player's color.
    units: BTreeMap<(Option<u32>, Option<Color>), Units>,
    trials: Trials,
}

/// Games of an opening and color, or pairs of games of an opening.
#[derive(Clone, Copy, Debug, Default)]
struct Units {
    number: u64,
    /// The code of the first one.
    first: u128,
    /// Whether two of them differ.
    have_varied: bool,
    /// The sum of their scores in half points, for the first player.
    half_points: u64,
}

/// The trials of all openings.
#[derive(Clone, Debug, Default)]
struct Trials {
    /// The sum of their squared weights.
    squares: u64,
    /// The units that have not varied, by their codes: openings that lead to the same game are one
    /// trial.
    constant: HashMap<u128, u64>,
    /// The number of these units.
    constant_units: u64,
}

impl Trials {
    /// Adds a unit to those of its opening and color. Returns whether it is a separate trial.
    fn add(&mut self, units: &mut Units, code: u128, half_points: u64) -> bool {
        self.change(units, false);
        match units.number {
            0 => units.first = code,
            _ => units.have_varied |= code != units.first,
        }
        units.number = units.number.saturating_add(1);
        units.half_points = units.half_points.saturating_add(half_points);
        self.change(units, true);
        let is_first = self.constant.get(&code) == Some(&1);
        units.have_varied || is_first
    }

    /// Adds or subtracts units.
    fn change(&mut self, units: &Units, are_added: bool) {
        let changed = |number: u64, by: u64| match are_added {
            true => number.saturating_add(by),
            false => number.saturating_sub(by),
        };
        if units.have_varied {
            self.squares = changed(self.squares, units.number);
        } else {
            let weight = self.constant.entry(units.first).or_default();
            let others = self.squares.saturating_sub(weight.saturating_mul(*weight));
            *weight = changed(*weight, units.number);
            self.squares = others.saturating_add(weight.saturating_mul(*weight));
            self.constant_units = changed(self.constant_units, units.number);
            if *weight == 0 {
                self.constant.remove(&units.first);
            }
        }
    }

    /// Returns the number of units that are not separate trials.
    fn repeated(&self) -> u64 {
        self.constant_units
            .saturating_sub(self.constant.len() as u64)
    }
}

impl Pairing {
    /// Adds the games of a pair, with the colors of the first player. Returns whether they are a
    /// separate trial. A game of an incomplete pair is not.
    fn add(&mut self, games: &[(Color, CountedGame)], by_pairs: bool) -> bool {
        let scored = games
            .iter()
            .map(|(color, game)| (*color, game, GameScore::of(*color, game.winner)));
        let scored = Vec::from_iter(scored);
        for (_, _, score) in &scored {
            self.games.add(*score);
        }
        if !by_pairs {
            let mut is_trial = false;
            for (color, game, score) in &scored {
                let units = self.units.entry((game.opening, Some(*color))).or_default();
                is_trial |= self.trials.add(units, game.code, score.half_points());
            }
            return is_trial;
        }
        let [(color, one, first), (_, other, second)] = *scored else {
            return false;
        };
        self.pairs.add(first, second);
        // The codes in the order of the colors.
        let codes = match color {
            Color::Black => [one.code, other.code],
            Color::White => [other.code, one.code],
        };
        let code = codes
            .iter()
            .fold(BASIS, |code, next| hash(code, &next.to_le_bytes()));
        let half_points = first.half_points().saturating_add(second.half_points());
        let units = self.units.entry((one.opening, None)).or_default();
        self.trials.add(units, code, half_points)
    }

    /// Returns the number of units.
    fn number(&self, by_pairs: bool) -> u64 {
        match by_pairs {
            true => self.pairs.pairs(),
            false => self.games.games(),
        }
    }

    /// Returns the counts of the units by their half points, from 0.
    fn counts(&self, by_pairs: bool) -> Vec<u64> {
        let WinDrawLoss {
            wins,
            draws,
            losses,
        } = self.games;
        match by_pairs {
            true => self.pairs.counts().to_vec(),
            false => vec![losses, draws, wins],
        }
    }

    /// Returns the number of games that are not separate trials.
    fn repeated(&self, by_pairs: bool) -> u64 {
        let games = if by_pairs { 2 } else { 1 };
        self.trials.repeated().saturating_mul(games)
    }

    /// Returns the effective number of trials for the openings of the event; `None` without units.
    fn effective(&self, by_pairs: bool) -> Option<f64> {
        let number = self.number(by_pairs) as f64;
        (number > 0.0).then(|| number.powi(2) / self.trials.squares as f64)
    }

    /// Returns the effective number of trials for all openings of which those of the event are a
    /// sample; `None` if they are too few.
    fn effective_of_sample(&self, by_pairs: bool) -> Option<f64> {
        let openings = self.openings(by_pairs);
        let of_list = self
            .effective(by_pairs)
            .filter(|_| openings >= MIN_SAMPLE)?;
        let (number, mean, variance) = moments(&self.counts(by_pairs));
        // The mean is a ratio of two sums over the openings.
        let units = self.units.iter().chunk_by(|((opening, _), _)| *opening);
        let deviations = units.into_iter().map(|(_, units)| {
            let deviation = |units: &Units| units.half_points as f64 - units.number as f64 * mean;
            units.map(|(_, units)| deviation(units)).sum::<f64>()
        });
        let squares: f64 = deviations.map(|deviation| deviation.powi(2)).sum();
        let degrees = openings as f64 - 1.0;
        let variance_of_mean = openings as f64 / degrees * squares / number.powi(2);
        let effective = variance / variance_of_mean / squared_t_ratio(degrees);
        // The variance between openings is itself an estimate, and may be 0 by chance.
        Some(effective.min(of_list))
    }

    /// Returns the number of openings. For pairs it is precomputed, because tests need it after
    /// each trial.
    fn openings(&self, by_pairs: bool) -> usize {
        let openings = self.units.keys().map(|(opening, _)| opening);
        match by_pairs {
            true => self.units.len(),
            false => openings.dedup().count(),
        }
    }
}

/// Returns the number, the mean and the variance of units, given how many have 0, 1, 2, … half
/// points.
fn moments(counts: &[u64]) -> (f64, f64, f64) {
    let weighted = counts.iter().map(|&count| count as f64).zip(0_u8..);
    let weighted = weighted.map(|(count, score)| (count, f64::from(score)));
    let number: f64 = weighted.clone().map(|(count, _)| count).sum();
    let mean = weighted
        .clone()
        .map(|(count, score)| count * score)
        .sum::<f64>()
        / number;
    let squares = weighted.map(|(count, score)| count * (score - mean).powi(2));
    (number, mean, squares.sum::<f64>() / number)
}

impl Evidence {
    /// Returns the evidence of an event without games.
    pub fn new(settings: &EventSettings) -> Evidence {
        Evidence {
            by_pairs: settings.games.is_multiple_of(2),
            population: settings.population,
            pairings: BTreeMap::new(),
        }
    }

    /// Adds games in the order of the schedule.
    pub fn add(&mut self, games: &[&GameRecord]) {
        for pair in games.chunk_by(|one, other| one.planned.pair == other.planned.pair) {
            self.add_pair(pair);
        }
    }

    /// Adds the games of a pair. Pairs are added in the order of the schedule.
    pub fn add_pair(&mut self, games: &[&GameRecord]) {
        let counted = games.iter();
        let counted = counted.map(|&game| (&game.planned.players, CountedGame::from(game)));
        self.count_pair(&Vec::from_iter(counted));
    }

    /// Adds the games of a pair, as [`Evidence::add_pair`] does. Returns whether they are a
    /// separate trial.
    pub(super) fn count_pair(&mut self, games: &[(&ByColor<Name>, CountedGame)]) -> bool {
        let Some((players, _)) = games.first() else {
            return false;
        };
        let (one, other) = match players.black <= players.white {
            true => (&players.black, &players.white),
            false => (&players.white, &players.black),
        };
        let key = (one.clone(), other.clone());
        let colored = games
            .iter()
            .map(|(players, game)| match players.black == *one {
                true => (Color::Black, *game),
                false => (Color::White, *game),
            });
        let colored = Vec::from_iter(colored);
        self.pairings
            .entry(key)
            .or_default()
            .add(&colored, self.by_pairs)
    }

    /// Returns the evidence of two players' games, from the point of view of `one`.
    pub fn between(&self, one: &Name, other: &Name) -> PairingEvidence {
        let by_pairs = self.by_pairs;
        let evidence = |pairing: &Pairing| PairingEvidence {
            by_pairs,
            games: pairing.games,
            pairs: pairing.pairs,
            repeated: pairing.repeated(by_pairs),
            openings: pairing.openings(by_pairs),
            effective: match self.population {
                true => pairing.effective_of_sample(by_pairs),
                false => pairing.effective(by_pairs),
            },
        };
        match self.pairing(one, other) {
            Some((pairing, false)) => evidence(pairing),
            Some((pairing, true)) => evidence(pairing).reversed(),
            None => PairingEvidence::default(),
        }
    }

    /// Returns the number of independent games that each game of two players counts as with the
    /// openings of the event, from 0 to 1; 1 without games.
    pub fn weight(&self, one: &Name, other: &Name) -> f64 {
        let pairing = self.pairing(one, other).map(|(pairing, _)| pairing);
        let weight = pairing.and_then(|pairing| {
            let number = pairing.number(self.by_pairs) as f64;
            Some(pairing.effective(self.by_pairs)? / number)
        });
        weight.unwrap_or(1.0)
    }

    /// Returns the games of two players, and whether `other` is the first of them.
    fn pairing(&self, one: &Name, other: &Name) -> Option<(&Pairing, bool)> {
        let found = |one: &Name, other: &Name| self.pairings.get(&(one.clone(), other.clone()));
        let reversed = || found(other, one).map(|pairing| (pairing, true));
        found(one, other)
            .map(|pairing| (pairing, false))
            .or_else(reversed)
    }

    /// Returns the number of repeated games.
    pub fn repeated(&self) -> u64 {
        let pairings = self.pairings.values();
        let repeated = pairings.map(|pairing| pairing.repeated(self.by_pairs));
        repeated.fold(0, u64::saturating_add)
    }
}

/// Returns a hash code of the moves and the result of a game, with 128 bits. Two different games have the same
/// code with a probability of about 2^-128.
fn code(game: &GameRecord) -> u128 {
    let words = game.moves.iter().chain([game.result.as_str()]);
    words.fold(BASIS, |code, word| hash(hash(code, word.as_bytes()), b"\n"))
}

/// The first code of [`hash`].
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;

/// Returns the hash code of some bytes after others (FNV-1a with 128 bits).
fn hash(code: u128, bytes: &[u8]) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(code, |code, &byte| {
        (code ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use itertools::Itertools;
    use proptest::prelude::*;
    use rand::rngs::StdRng;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::statistics::{Decision, Model};

    fn evidence(population: bool) -> Evidence {
        Evidence {
            by_pairs: true,
            population,
            pairings: BTreeMap::new(),
        }
    }

    fn names() -> [Name; 2] {
        ["a", "b"].map(|name| name.parse().unwrap())
    }

    /// A game: whether A won, and a number of its moves, which only games with the same moves share.
    type Played = (bool, u128);

    /// Adds a pair of games, the first of which A plays with Black.
    fn add(evidence: &mut Evidence, opening: u32, games: [Played; 2]) -> bool {
        let [a, b] = names();
        let players = [ByColor::new(a.clone(), b.clone()), ByColor::new(b, a)];
        let colors = [Color::Black, Color::White];
        let counted = games
            .iter()
            .zip(colors)
            .map(|((a_won, code), of_a)| CountedGame {
                winner: Some(if *a_won { of_a } else { of_a.opponent() }),
                opening: Some(opening),
                code: *code,
            });
        evidence.count_pair(&players.iter().zip(counted).collect_vec())
    }

    fn of_a(evidence: &Evidence) -> PairingEvidence {
        let [a, b] = names();
        evidence.between(&a, &b)
    }

    #[test]
    fn repeats_count_once_until_one_game_differs() {
        let mut evidence = evidence(false);
        let same = [(true, 1), (true, 2)];
        assert!(add(&mut evidence, 1, same));
        assert!(!add(&mut evidence, 1, same));
        assert!(!add(&mut evidence, 1, same));
        let found = of_a(&evidence);
        assert_eq!((found.repeated, found.effective), (4, Some(1.0)));
        assert_eq!((found.games.wins, found.pairs.pairs()), (6, 3));
        // Nothing is known of the spread.
        let strength = found.strength().unwrap();
        assert_eq!(
            (strength.elo, strength.nelo, strength.los),
            (None, None, None)
        );
        // One pair decides nothing, whichever side wins.
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, Model::Normalized).unwrap();
        assert_eq!(sprt.decision(found.llr(&sprt)), Decision::Continue);
        // Another opening that leads to the same games is not another trial.
        let mut twice = evidence.clone();
        assert!(!add(&mut twice, 2, same));
        let found = of_a(&twice);
        assert_eq!((found.repeated, found.effective), (6, Some(1.0)));
        assert_eq!(found.openings, 2);
        // A game of an incomplete pair does not count for Elo.
        let [a, b] = names();
        let lone = CountedGame {
            winner: Some(Color::Black),
            opening: Some(3),
            code: 7,
        };
        assert!(!twice.count_pair(&[(&ByColor::new(a, b), lone)]));
        assert_eq!(of_a(&twice).games.games(), 9);
        assert_eq!(of_a(&twice).effective, Some(1.0));
        // Now it is known that the players choose at random.
        assert!(add(&mut evidence, 1, [(true, 1), (false, 3)]));
        assert!(add(&mut evidence, 1, same));
        let found = of_a(&evidence);
        assert_eq!((found.repeated, found.effective), (0, Some(5.0)));
        // With two other openings, one of them twice, there are two more trials.
        for (opening, code) in [(2, 10), (3, 20), (3, 20)] {
            add(&mut evidence, opening, [(true, code), (true, code + 1)]);
        }
        assert_eq!(
            of_a(&evidence).effective,
            Some(8.0 * 8.0 / (5.0 + 1.0 + 4.0))
        );
    }

    #[test]
    fn openings_that_are_a_sample_are_the_trials() {
        let mut evidence = evidence(true);
        // Of each opening all pairs have the same points, in different games.
        let mut code = 0..;
        let mut games = |a_wins: bool| [(); 2].map(|()| (a_wins, code.next().unwrap()));
        for opening in 0..20 {
            if opening == 19 {
                assert_eq!(of_a(&evidence).effective, None);
                assert_eq!(of_a(&evidence).strength(), None);
            }
            for _ in 0..50 {
                add(&mut evidence, opening, games(opening % 2 == 0));
            }
        }
        let found = of_a(&evidence);
        assert_eq!(
            (found.openings, found.pairs.counts()),
            (20, [500, 0, 0, 0, 500])
        );
        // 1000 pairs, but 20 scores; Student's t for 19 degrees of freedom is 2.093.
        let (expected, effective) = (19.0 * (1.96_f64 / 2.093).powi(2), found.effective.unwrap());
        assert!(
            (effective - expected).abs() < 0.01,
            "{effective}, not {expected}"
        );
        let listed = Evidence {
            population: false,
            ..evidence
        };
        assert_eq!(of_a(&listed).effective, Some(1000.0));
    }

    /// The effective number, from its definition.
    fn naive_effective(pairs: &[(u32, [Played; 2])]) -> f64 {
        let mut by_opening = HashMap::<u32, Vec<[Played; 2]>>::new();
        for (opening, games) in pairs {
            by_opening.entry(*opening).or_default().push(*games);
        }
        let mut weights = Vec::new();
        // The openings from which the same pair of games was always played, by this pair.
        let mut constant = HashMap::<[u128; 2], f64>::new();
        for pairs in by_opening.values() {
            let codes = pairs.iter().map(|games| games.map(|(_, code)| code));
            match codes.clone().all_equal_value() {
                Ok(codes) => *constant.entry(codes).or_default() += pairs.len() as f64,
                Err(_) => weights.extend(codes.map(|_| 1.0)),
            }
        }
        weights.extend(constant.into_values());
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        weights.iter().sum::<f64>().powi(2) / squares
    }

    proptest! {
        #[test]
        fn the_sign_of_elo_is_that_of_the_score(
            pairs in prop::collection::vec((0_u32..5, [(any::<bool>(), 0_u128..3), (any::<bool>(), 0_u128..3)]), 1..60),
        ) {
            // The moves determine the winner.
            let pairs = pairs.iter().map(|&(opening, games)| {
                (opening, games.map(|(a_won, moves)| (a_won, 2 * moves + u128::from(a_won))))
            });
            let pairs = pairs.collect_vec();
            let mut evidence = evidence(false);
            for (opening, games) in &pairs {
                add(&mut evidence, *opening, *games);
            }
            let found = of_a(&evidence);
            let naive = naive_effective(&pairs);
            prop_assert!((found.effective.unwrap() - naive).abs() < 1e-9 * naive);
            prop_assert!(naive <= pairs.len() as f64);
            let won = pairs.iter().flat_map(|(_, games)| games).filter(|(a_won, _)| *a_won).count();
            prop_assert_eq!(found.games.wins, won as u64);
            if let Some(Strength { elo: Some(elo), los: Some(los), .. }) = found.strength() {
                let lead = won.cmp(&pairs.len());
                prop_assert_eq!(elo.value.total_cmp(&0.0), lead);
                prop_assert_eq!(los.total_cmp(&0.5), lead);
            }
            let openings = pairs.iter().map(|(opening, _)| opening).collect::<BTreeSet<_>>();
            prop_assert_eq!(found.openings, openings.len());
        }
    }

    /// Families of players, by how their games from an opening go.
    enum Family {
        /// They always play the same games.
        Deterministic { openings: u32 },
        /// In this share of the games a player makes a random move.
        EpsilonGreedy { openings: u32, epsilon: f64 },
        /// The wins of A are always the same game, those of B never.
        WinsRepeat,
        /// All games differ. A wins those of some openings more often than those of others.
        Random { openings: u32 },
    }

    /// Returns the decision of a test about two players of this family, who are expected to win
    /// equally many games over the whole list of openings.
    fn decision(family: &Family, sprt: &Sprt, rng: &mut StdRng) -> Decision {
        let openings = match *family {
            Family::Deterministic { openings }
            | Family::EpsilonGreedy { openings, .. }
            | Family::Random { openings } => openings,
            Family::WinsRepeat => 1,
        };
        // The scores of A with each color when no player chooses at random: as many wins as losses.
        let mut usual = (0..2 * openings).map(|game| game % 2 == 0).collect_vec();
        usual.shuffle(rng);
        let mut next_code = 1_000_000_u128;
        let mut evidence = evidence(false);
        for pair in 0..1_000 {
            let opening = pair % openings;
            let games = [0, 1].map(|color| {
                let index = 2 * opening + color;
                let usual = usual[index as usize];
                let a_wins = match family {
                    Family::Deterministic { .. } => usual,
                    Family::EpsilonGreedy { epsilon, .. } if !rng.random_bool(*epsilon) => usual,
                    Family::EpsilonGreedy { .. } | Family::WinsRepeat => rng.random_bool(0.5),
                    Family::Random { .. } => rng.random_bool(if usual { 0.8 } else { 0.2 }),
                };
                let is_usual = match family {
                    Family::Deterministic { .. } => true,
                    Family::EpsilonGreedy { .. } => a_wins == usual,
                    Family::WinsRepeat => a_wins,
                    Family::Random { .. } => false,
                };
                next_code += 1;
                (a_wins, if is_usual { index.into() } else { next_code })
            });
            if !add(&mut evidence, opening, games) {
                continue;
            }
            let decision = sprt.decision(of_a(&evidence).llr(sprt));
            if decision != Decision::Continue {
                return decision;
            }
        }
        Decision::Continue
    }

    /// Players of equal strength are called different at most as often as requested.
    #[test]
    #[ignore = "simulates thousands of tests"]
    fn wrong_decisions_are_as_rare_as_asked_for_whatever_repeats() {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, Model::Normalized).unwrap();
        let families = [
            (
                "deterministic, 1 opening",
                Family::Deterministic { openings: 1 },
            ),
            (
                "deterministic, 20 openings",
                Family::Deterministic { openings: 20 },
            ),
            (
                "deterministic, 1000 openings",
                Family::Deterministic { openings: 1_000 },
            ),
            (
                "epsilon 0.02",
                Family::EpsilonGreedy {
                    openings: 50,
                    epsilon: 0.02,
                },
            ),
            (
                "epsilon 0.1",
                Family::EpsilonGreedy {
                    openings: 50,
                    epsilon: 0.1,
                },
            ),
            (
                "epsilon 0.5",
                Family::EpsilonGreedy {
                    openings: 50,
                    epsilon: 0.5,
                },
            ),
            (
                "epsilon 0.5, start position",
                Family::EpsilonGreedy {
                    openings: 1,
                    epsilon: 0.5,
                },
            ),
            ("A's wins repeat", Family::WinsRepeat),
            ("10 openings", Family::Random { openings: 10 }),
        ];
        // 5 % of the tests, and 2.33 standard deviations.
        let (tests, allowed) = if cfg!(debug_assertions) {
            (100, 10)
        } else {
            (400, 30)
        };
        let mut rng = StdRng::seed_from_u64(5);
        let found = families.map(|(name, family)| {
            let mut ends = [0; 3];
            for _ in 0..tests {
                ends[decision(&family, &sprt, &mut rng) as usize] += 1;
            }
            println!(
                "{name}: H0 {}, H1 {}, undecided {}",
                ends[0], ends[1], ends[2]
            );
            (name, ends)
        });
        for (name, [_, wrong, undecided]) in found {
            assert!(wrong <= allowed, "{name}: {wrong} of {tests} wrong");
            assert!(!name.ends_with("1 opening") || undecided == tests, "{name}");
        }
    }
}
