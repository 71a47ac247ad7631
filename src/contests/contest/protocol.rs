//! The protocol that the clients of a contest speak.

use std::fmt::{Debug, Display};
use std::io;
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

use super::breaks::WaitsFor;
use super::finished_game::FinishedGame;
use super::ordered::GameReport;
use super::rules::{ContestGame, Millis, Outcome};
use super::teams::NotOfTheTeam;
use super::timed_game::TimedGame;
use crate::base::color::{ByColor, Color};
use crate::games::game::Game;

/// A protocol between a contest and its clients.
pub trait Protocol: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The game.
    type Game: ContestGame;
    /// A form of the protocol, which a client chooses.
    type Dialect: Copy + Debug + Default + Display + Eq + Send + Sync + 'static;
    /// A message to a client.
    type Message: Clone + Debug + PartialEq + Serialize + Send + 'static;

    /// The reason for which a client is disconnected after
    /// [`MAX_MALFORMED`](super::MAX_MALFORMED) malformed frames.
    const TOO_MANY_MALFORMED: &'static str;

    /// Returns the message that tells a player something. The contest asks for it within the change
    /// that it is about, so that boards and clocks are those of that moment, and keeps it until the
    /// change is on the disk.
    fn say(notice: Notice<'_, Self::Game>, to: Recipient<Self::Dialect>) -> Self::Message;

    /// Returns what a client sent at a wrong time, for the log.
    fn describe(misplaced: Misplaced) -> &'static str;

    /// Returns the reason, sent to the client, for disconnecting it when it may not have its name.
    fn rejection(why: &NotOfTheTeam) -> &'static str;

    /// Returns what is kept of a game.
    ///
    /// # Errors
    /// It cannot be written.
    fn report(finished: &FinishedGame<Self::Game>) -> io::Result<GameReport>;
}

/// The move of a protocol's game.
pub type MoveOf<P> = <<P as Protocol>::Game as Game>::Move;

/// The settings of a protocol's game.
pub type SetupOf<P> = <<P as Protocol>::Game as ContestGame>::Setup;

/// Why a move of a protocol's game is illegal.
pub type IllegalOf<P> = <<P as Protocol>::Game as ContestGame>::Illegal;

/// Why a game of a protocol ended.
pub type ReasonOf<P> = <<P as Protocol>::Game as ContestGame>::Reason;

/// A player who is sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipient<D> {
    /// The player's color.
    pub color: Color,
    /// The form of the protocol.
    pub dialect: D,
}

/// Something that a player is told. A `Duration` is the current time of the server's clock, from
/// which the times on the game's clocks are computed.
#[derive(Debug)]
pub enum Notice<'a, G: ContestGame> {
    /// The game begins or goes on, or the player is back in it.
    Begun(&'a TimedGame<G>, Duration),
    /// The player's move is accepted; after it the clocks show this.
    Accepted(ByColor<Millis>),
    /// The opponent has moved; after the move the clocks show this.
    Moved(G::Move, ByColor<Millis>),
    /// The player's move is refused, for this reason; the clocks show this now.
    Refused(&'a str, ByColor<Millis>),
    /// The game is over.
    Over(&'a TimedGame<G>, Outcome<G::Reason>, Duration),
    /// The game is interrupted.
    Interrupted(&'a TimedGame<G>, WaitsFor, Duration),
}

impl<G: ContestGame> Clone for Notice<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: ContestGame> Copy for Notice<'_, G> {}

/// A request that comes at a wrong time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// The client has a name already.
    SecondName,
    /// The client plays no game.
    MoveWithoutGame,
    /// The opponent is to move.
    MoveOutOfTurn,
}

/// A request of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request<M, D> {
    /// The client gives its name.
    Name {
        /// The name, as it came.
        name: String,
        /// The form of the protocol.
        dialect: D,
        /// The secret of its team, which not all teams have.
        secret: Option<String>,
    },
    /// The client plays a move.
    Move {
        /// The move.
        played: M,
        /// The point as it came, for the log, if it is outside of every board: then the move is
        /// illegal.
        outside: Option<String>,
    },
}

/// The request of a protocol's client.
pub type RequestOf<P> = Request<MoveOf<P>, <P as Protocol>::Dialect>;

/// Why what a client sent is no request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// It cannot be read at all.
    #[error("{0}")]
    Malformed(String),
    /// It can be read, but is no request of the protocol.
    #[error("{0}")]
    Unknown(String),
    /// It is a move that cannot be read.
    #[error("{fault}")]
    Move {
        /// The whole fault, with what came, for the log.
        fault: String,
        /// What is wrong with the move, for the client.
        why: String,
    },
}
