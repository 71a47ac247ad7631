//! The positions of a game, found by their Zobrist hash codes.

use hashbrown::HashTable;

use super::chains::{SPOTS, Spot};
use super::{Board, ByColor, Color, Position};
use crate::rng::Rng;

/// Zobrist keys: a random number for each color on each point, and one for White to
/// move. The XOR of the keys that apply is the hash code of a position.
///
/// The keys are the same in every build and on every machine.
pub(super) struct Keys {
    stones: ByColor<[u64; SPOTS]>,
    white_to_move: u64,
}

impl Keys {
    /// The keys of every game.
    pub(super) const STANDARD: &Keys = &Keys::new(0);

    /// Keys that give every position the same hash code.
    #[cfg(test)]
    pub(super) const ALL_COLLIDE: &Keys = &Keys {
        stones: ByColor::new([0; SPOTS], [0; SPOTS]),
        white_to_move: 0,
    };

    const fn new(seed: u64) -> Keys {
        let mut rng = Rng::new(seed);
        Keys {
            stones: ByColor::new(random_array(&mut rng), random_array(&mut rng)),
            white_to_move: rng.next(),
        }
    }

    /// Returns the key of a stone.
    #[inline]
    pub(super) const fn stone(&self, spot: Spot, color: Color) -> u64 {
        self.stones.get(color)[spot.index()]
    }

    /// Returns the key to XOR into a hash code when the turn changes.
    #[inline]
    pub(super) const fn side_to_move(&self) -> u64 {
        self.white_to_move
    }

    /// Returns the hash code of a board with a player to move.
    pub(super) fn hash(&self, board: &Board, turn: Color) -> u64 {
        let turn = match turn {
            Color::Black => 0,
            Color::White => self.white_to_move,
        };
        let stones = board.stones();
        stones.fold(turn, |hash, (point, color)| {
            hash ^ self.stone(Spot::from(point), color)
        })
    }
}

/// Fills an array with random numbers.
const fn random_array<const N: usize>(rng: &mut Rng) -> [u64; N] {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N {
        numbers[i] = rng.next();
        i += 1;
    }
    numbers
}

/// The positions of a game from the first one on, with an index by hash code.
#[derive(Clone)]
pub(super) struct History {
    positions: Vec<Position>,
    /// The hash code of each position.
    hashes: Vec<u64>,
    /// Indices into `positions`, by hash code.
    places: HashTable<usize>,
}

impl History {
    /// Returns the history of a game that has just begun.
    pub(super) fn new(first: Position, hash: u64) -> History {
        let mut history = History {
            positions: Vec::new(),
            hashes: Vec::new(),
            places: HashTable::new(),
        };
        history.push(first, hash);
        history
    }

    /// Returns all positions, the first one first.
    pub(super) fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Returns the hash code of the last position.
    #[inline]
    pub(super) fn last_hash(&self) -> u64 {
        self.hashes.last().copied().unwrap_or(0)
    }

    /// Adds a position.
    #[inline]
    pub(super) fn push(&mut self, position: Position, hash: u64) {
        let place = self.positions.len();
        self.positions.push(position);
        self.hashes.push(hash);
        let hash_of = |&place: &usize| self.hashes.get(place).copied().unwrap_or(0);
        self.places.insert_unique(hash, place, hash_of);
    }

    /// Returns whether a board has occurred with this player to move (situational superko).
    /// Positions with the same hash code are candidates. `board` is called only to compare
    /// the board with a candidate.
    #[inline]
    pub(super) fn contains(&self, turn: Color, hash: u64, board: impl Fn() -> Board) -> bool {
        let same = |&place: &usize| {
            self.hashes.get(place) == Some(&hash)
                && self
                    .positions
                    .get(place)
                    .is_some_and(|position| position.turn == turn && position.board == board())
        };
        self.places.find(hash, same).is_some()
    }

    /// Returns whether a board is the one before the last move, whoever is to move (simple
    /// ko). `hash` and `board` are as for [`History::contains`].
    #[inline]
    pub(super) fn is_simple_ko(&self, hash: u64, board: impl Fn() -> Board) -> bool {
        let [.., other, _] = self.hashes[..] else {
            return false;
        };
        let before = self.positions.iter().nth_back(1);
        other == hash && before.is_some_and(|before| before.board == board())
    }
}
