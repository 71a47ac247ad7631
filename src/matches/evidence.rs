//! What the games of an event tell about the strength of its players.
//!
//! Players that always make the same moves repeat their games. A game is repeated if the same
//! players have made the same moves with the same colors before it in the schedule. It counts for
//! the points of an event, but tells nothing new: it is not evidence.

use std::collections::{BTreeMap, HashSet};

use super::record::GameRecord;
use super::settings::EventSettings;
use crate::color::{ByColor, Color};
use crate::statistics::{GameScore, Pentanomial, Sprt, Strength, WinDrawLoss};
use crate::tournament::Name;

/// The evidence of two players' games, from the point of view of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairingEvidence {
    /// The games that are not repeated.
    pub games: WinDrawLoss,
    /// The pairs of games of which neither is repeated; none if some games have no pair, because
    /// the number of games of two players in a round is odd.
    pub pairs: Pentanomial,
    /// The number of repeated games.
    pub repeated: u64,
}

impl PairingEvidence {
    /// Returns whether the statistics are those of the pairs of games; else they are those of the
    /// games.
    pub fn is_by_pairs(&self) -> bool {
        self.pairs.pairs() > 0
    }

    /// Returns how much stronger the player is than the opponent; `None` without games.
    pub fn strength(&self) -> Option<Strength> {
        match self.is_by_pairs() {
            true => self.pairs.strength(),
            false => self.games.strength(),
        }
    }

    /// Returns the log-likelihood ratio of a test, of the games if its model knows no pairs.
    pub fn llr(&self, sprt: &Sprt) -> f64 {
        let of_pairs = self.is_by_pairs().then(|| sprt.llr_of_pairs(&self.pairs));
        of_pairs
            .flatten()
            .unwrap_or_else(|| sprt.llr_of_games(&self.games))
    }

    /// Returns the same evidence from the point of view of the other player.
    #[must_use]
    pub fn reversed(self) -> PairingEvidence {
        PairingEvidence {
            games: self.games.reversed(),
            pairs: self.pairs.reversed(),
            repeated: self.repeated,
        }
    }
}

/// What a game tells: its result, and whether it is repeated.
#[derive(Clone, Copy, Debug)]
pub struct CountedGame {
    winner: Option<Color>,
    /// See [`code`].
    code: u128,
}

impl From<&GameRecord> for CountedGame {
    fn from(game: &GameRecord) -> CountedGame {
        CountedGame {
            winner: game.winner,
            code: code(game),
        }
    }
}

/// The evidence of all games of an event.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Whether all games are in pairs.
    is_paired: bool,
    /// Hash codes of the games so far. Two different games have the same code with a probability
    /// of 2^-128.
    seen: HashSet<u128>,
    /// The evidence of players that have met, the one whose name is less first.
    pairings: BTreeMap<(Name, Name), PairingEvidence>,
}

impl Evidence {
    /// Returns the evidence of an event without games.
    pub fn new(settings: &EventSettings) -> Evidence {
        Evidence {
            is_paired: settings.games.is_multiple_of(2),
            seen: HashSet::new(),
            pairings: BTreeMap::new(),
        }
    }

    /// Adds games in the order of the schedule. Returns those that are not repeated.
    pub fn add<'a>(&mut self, games: &[&'a GameRecord]) -> Vec<&'a GameRecord> {
        let pairs = games.chunk_by(|one, other| one.planned.pair == other.planned.pair);
        pairs.flat_map(|pair| self.add_pair(pair)).collect()
    }

    /// Adds the games of a pair. Pairs are added in the order of the schedule. Returns the games
    /// that are not repeated.
    pub fn add_pair<'a>(&mut self, games: &[&'a GameRecord]) -> Vec<&'a GameRecord> {
        let counted = games.iter();
        let counted = counted.map(|&game| (&game.planned.players, CountedGame::from(game)));
        let is_new = self.count_pair(&Vec::from_iter(counted));
        let new = games.iter().zip(is_new).filter(|&(_, is_new)| is_new);
        new.map(|(&game, _)| game).collect()
    }

    /// Adds the games of a pair, as [`Evidence::add_pair`] does. Returns of each game whether it is
    /// not repeated.
    pub(super) fn count_pair(&mut self, games: &[(&ByColor<Name>, CountedGame)]) -> Vec<bool> {
        let Some((players, _)) = games.first() else {
            return Vec::new();
        };
        let (one, other) = match players.black <= players.white {
            true => (&players.black, &players.white),
            false => (&players.white, &players.black),
        };
        let key = (one.clone(), other.clone());
        let evidence = self.pairings.entry(key).or_default();
        let mut is_new = Vec::new();
        let mut scores = Vec::new();
        for (players, game) in games {
            let color = match players.black == *one {
                true => Color::Black,
                false => Color::White,
            };
            let score = GameScore::of(color, game.winner);
            let is_first = self.seen.insert(game.code);
            is_new.push(is_first);
            if is_first {
                evidence.games.add(score);
                scores.push(score);
            } else {
                evidence.repeated = evidence.repeated.saturating_add(1);
            }
        }
        if let [first, second] = *scores
            && self.is_paired
        {
            evidence.pairs.add(first, second);
        }
        is_new
    }

    /// Returns the evidence of two players' games, from the point of view of `one`.
    pub fn between(&self, one: &Name, other: &Name) -> PairingEvidence {
        let found = |one: &Name, other: &Name| self.pairings.get(&(one.clone(), other.clone()));
        match (found(one, other), found(other, one)) {
            (Some(evidence), _) => *evidence,
            (None, Some(evidence)) => evidence.reversed(),
            (None, None) => PairingEvidence::default(),
        }
    }

    /// Returns the players that have met, and the evidence from the first one's point of view.
    pub fn pairings(&self) -> impl Iterator<Item = (&Name, &Name, &PairingEvidence)> {
        let pairings = self.pairings.iter();
        pairings.map(|((one, other), evidence)| (one, other, evidence))
    }

    /// Returns the number of repeated games.
    pub fn repeated(&self) -> u64 {
        let pairings = self.pairings.values();
        pairings.fold(0, |sum, pairing| sum.saturating_add(pairing.repeated))
    }
}

/// Returns a hash code of the players, the moves and the result of a game (FNV-1a with 128 bits).
fn code(game: &GameRecord) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let players = game.planned.players.iter().map(Name::as_str);
    let words = players.chain(game.moves.iter());
    let words = words.chain([game.result.as_str()]);
    let bytes = words.flat_map(|word| word.bytes().chain([b'\n']));
    bytes.fold(BASIS, |code, byte| {
        (code ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}
