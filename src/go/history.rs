//! The positions that a game has been in.

use hashbrown::HashTable;

use super::{Board, Color, Position};

/// The positions of a game from the first one on, and a way to find one.
#[derive(Clone)]
pub(super) struct History {
    positions: Vec<Position>,
    /// Of each position its hash code.
    hashes: Vec<u64>,
    /// The places of the positions by their hash codes.
    places: HashTable<usize>,
}

impl History {
    /// The history of a game that has just begun.
    pub(super) fn new(first: Position, hash: u64) -> History {
        let mut history = History {
            positions: Vec::new(),
            hashes: Vec::new(),
            places: HashTable::new(),
        };
        history.push(first, hash);
        history
    }

    /// All positions, the first one first.
    pub(super) fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The hash code of the last position.
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

    /// Whether a board with a player to move has been there. Its hash code
    /// only tells where to look; the boards decide, and this one is asked for
    /// only if there is one to compare with.
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

    /// Whether a board is the one before the last move. The hash code and the
    /// board as for [`History::contains`].
    #[inline]
    pub(super) fn is_before_last(&self, hash: u64, board: impl Fn() -> Board) -> bool {
        let before = self.positions.iter().zip(&self.hashes).rev().nth(1);
        before.is_some_and(|(before, &other)| other == hash && before.board == board())
    }
}
