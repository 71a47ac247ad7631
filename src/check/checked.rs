//! A game in which a program is checked: what the program must know in each position.

use std::error::Error;

use super::Step;
use crate::base::color::Color;
use crate::base::rng::Rng;

/// A game with a client, and the topics that the client must know.
pub(crate) trait CheckedGame: Clone {
    /// A topic.
    type Topic: Step;
    /// A move.
    type Move: Copy;
    /// Why a move is illegal, as a clause.
    type MoveError: Error;

    /// The first topic about the end of a game.
    const FIRST_ENDING: Self::Topic;

    /// The number of random games that are tried for a move, over all moves.
    const ROLLOUTS: usize;

    /// The number of moves after which a game that is tried out is given up.
    const MAX_PLIES: usize;

    /// Returns the topics that come up in a game, or do not, before its end.
    fn situations() -> impl Iterator<Item = Self::Topic> {
        let topics = Self::Topic::all().into_iter();
        topics.take_while(|&topic| topic < Self::FIRST_ENDING)
    }

    /// Returns the start of a game in which the client has this color. If there are several ways
    /// not to know a topic, the games of rounds 0, 1, 2 look for one after the other.
    fn new(client: Color, round: usize) -> Self;

    /// Returns the game to try out moves in that are about one topic: what is known about others is
    /// no longer right.
    fn focused(&self, _topic: Self::Topic) -> Self {
        self.clone()
    }

    /// Returns the color of the client.
    fn client(&self) -> Color;

    /// Returns the player to move.
    fn to_move(&self) -> Color;

    /// Returns the number of the next move. Both players' moves share numbers: 1, 1, 2, 2.
    fn number(&self) -> u64;

    /// Returns every legal move.
    fn legal_moves(&self) -> Vec<Self::Move>;

    /// Returns a random move.
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move>;

    /// Plays a move of the player to move.
    ///
    /// # Errors
    /// It is illegal.
    fn play_move(&mut self, mv: Self::Move) -> Result<(), Self::MoveError>;

    /// Returns the probability, from 0 to 1, that a client that does not know `topic` shows it in
    /// this position: 0 if the situation has not come up.
    fn exposure(&self, topic: Self::Topic) -> f64;

    /// Returns the topics of the end of the game; nothing if it goes on.
    fn endings(&self) -> Vec<Self::Topic>;

    /// Returns how much the board of a client that does not know `topic` differs from the right
    /// one, from 0 to 1.
    fn difference(&self, topic: Self::Topic) -> f64;

    /// Returns the topic that a client with this illegal move seems not to know: if there are
    /// several possibilities, the one that the game is about.
    fn faults(&self, mv: Self::Move, wanted: Option<Self::Topic>) -> Vec<Self::Topic>;

    /// Returns the topic that a client that does not answer in the position seems not to know. If
    /// there are several possibilities, the one that the game is about.
    fn special(&self, wanted: Option<Self::Topic>) -> Option<Self::Topic>;

    /// Returns the evidence of a legal move about wrong boards that the client may have.
    fn signs(&self, mv: Self::Move) -> Vec<Sign<Self::Topic>>;

    /// Returns the number of ways not to know a topic.
    fn ways(topic: Self::Topic) -> usize;

    /// Returns what a client in its turn could do that does not know `topic` in the way that the
    /// game looks for.
    fn guess(&self, topic: Self::Topic, rng: &mut Rng) -> Guess<Self::Move>;

    /// Returns the probability that the last move shows a client that does not know `topic` in this
    /// way, because it takes the move for illegal.
    fn surprise(&self, topic: Self::Topic) -> f64;
}

/// What a client could do in its turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Guess<M> {
    /// It makes a legal move, if it has one.
    Plays(Option<M>),
    /// It shows with this probability what it does not know.
    Shows(f64),
}

/// The evidence of a turn about a client that may have a wrong board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sign<T> {
    /// The index of the way in which the board is wrong.
    pub way: usize,
    /// The topic that the client then does not know.
    pub topic: T,
    /// What the client has done as one would that takes all legal moves for illegal; `None` if it
    /// has done what this one would not do.
    pub missed: Option<&'static str>,
}
