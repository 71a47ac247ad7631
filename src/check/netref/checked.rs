//! What a game must tell the check of its clients.

use std::error::Error;

use crate::base::color::Color;
use crate::base::rng::Rng;

/// A game with a client, and what the client must notice in it.
pub(crate) trait CheckedGame: Clone {
    /// What there is to notice.
    type Topic: 'static;
    /// A move.
    type Move: Copy;
    /// Why a move is illegal, as a clause.
    type MoveError: Error;

    /// Those topics that come up in a game, or do not, before its end.
    const SITUATIONS: &'static [Self::Topic];

    /// The number of random games that are tried for a move, over all moves.
    const ROLLOUTS: usize;

    /// The number of moves after which a game that is tried out is given up.
    const MAX_PLIES: usize;

    /// Returns the start of a game in which the client has this color. Where there are several
    /// ways not to know what a topic says, the games of rounds 0, 1, 2 look for one after the other.
    fn new(client: Color, round: usize) -> Self;

    /// Returns the player to move.
    fn to_move(&self) -> Color;

    /// Returns the number of the next move. Both players' moves share numbers: 1, 1, 2, 2.
    fn number(&self) -> u64;

    /// Returns every legal move.
    fn legal_moves(&self) -> Vec<Self::Move>;

    /// Returns a random move, as in games that are played to their end.
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move>;

    /// Plays a move of the player to move.
    ///
    /// # Errors
    /// It is illegal.
    fn play_move(&mut self, mv: Self::Move) -> Result<(), Self::MoveError>;

    /// Returns how likely a client that does not know what `topic` says is to show it in
    /// this position, from 0 to 1: 0 if the situation has not come up.
    fn exposure(&self, topic: Self::Topic) -> f64;

    /// Returns what the end of the game is about; nothing if it goes on.
    fn endings(&self) -> Vec<Self::Topic>;

    /// Returns how much the board of a client that does not know what `topic` says differs from the
    /// right one, from 0 to 1.
    fn difference(&self, topic: Self::Topic) -> f64;

    /// Returns what the client seems not to know that makes an illegal move: if there are several
    /// possibilities, that which the game is about.
    fn faults(&self, mv: Self::Move, wanted: Option<Self::Topic>) -> Vec<Self::Topic>;

    /// Returns what is special in the position: what a client that does not answer there seems
    /// not to know. If there are several possibilities, that which the game is about.
    fn special(&self, wanted: Option<Self::Topic>) -> Option<Self::Topic>;

    /// Returns what a legal move of the client shows of wrong boards that it may have.
    fn signs(&self, mv: Self::Move) -> Vec<Sign<Self::Topic>>;

    /// Returns whether there are several ways not to know what a topic says.
    fn has_ways(topic: Self::Topic) -> bool;
}

/// What a turn shows of a client that may have a wrong board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sign<T> {
    /// The number of the way in which the board is wrong.
    pub way: usize,
    /// What the client does not know then.
    pub topic: T,
    /// What the client has done as one would that takes all legal moves for illegal; `None` if it
    /// has done what this one would not do.
    pub missed: Option<&'static str>,
}
