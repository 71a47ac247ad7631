//! The seats of a game: players of all kinds behind one trait.

mod agent;
mod client;
mod engine;

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::game::MatchGame;
use super::record::{GameRecord, LastLines, ProgramIdentity, Verdict};
use super::time::MatchClock;
use crate::base::color::{ByColor, Color};
use crate::base::server_clock::ServerClock;
use crate::gtp::process::{EngineError, Exhausted};

pub use agent::{AgentMaker, AgentSeat};
pub use client::{ClientSeat, ClientSettings};
pub(crate) use client::{accept, fill_placeholders, is_timeout, listen, listen_at};
pub use engine::{EngineSeat, EngineSettings};

/// Receives notes for people while the match waits for a player.
pub type Notify = dyn Fn(&str) + Send;

/// A player at a seat. It stays from game to game, and may change its color.
///
/// A wait ends with [`SeatError::Stopped`] soon after the flag `stop` is set.
pub trait Seat<G: MatchGame>: Send {
    /// Prepares a game, which may have begun with moves of an opening. The player must be ready to
    /// move when this returns, so that none of this is on its clock.
    ///
    /// # Errors
    /// The player fails.
    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), SeatError>;

    /// Asks for a move.
    ///
    /// # Errors
    /// The player fails, or its flag falls.
    fn choose(&mut self, turn: &SeatTurn<'_, G>) -> Result<Choice<G::Move>, SeatError>;

    /// Sends a move of the opponent in the position of `game`, which is before the move, and the
    /// time that it `used`.
    ///
    /// # Errors
    /// The player fails.
    fn notify_move(
        &mut self,
        game: &G,
        mv: G::Move,
        used: Duration,
        stop: &AtomicBool,
    ) -> Result<(), SeatError> {
        let _ = (game, mv, used, stop);
        Ok(())
    }

    /// Returns whether the player can name dead stones. This is known when a game has begun.
    fn names_dead_stones(&self) -> bool {
        false
    }

    /// Returns the stones that the player considers dead in a finished game of Go, or why it names
    /// none, which is no reason to lose.
    ///
    /// # Errors
    /// The game is broken off.
    fn dead_stones(&mut self, stop: &AtomicBool) -> Result<DeadStones, NotPlayed> {
        let _ = stop;
        Ok(Err("it names no dead stones".to_owned()))
    }

    /// Tells the player how the game ended.
    fn end(&mut self, record: &GameRecord) {
        let _ = record;
    }

    /// Returns the player's comment during its last move, if comments are kept.
    fn take_comment(&mut self) -> String {
        String::new()
    }

    /// Returns the identity of the player's program, as far as known.
    fn identity(&self) -> Option<ProgramIdentity> {
        None
    }

    /// Returns the last lines that the player has written, and forgets them.
    fn last_lines(&mut self) -> LastLines {
        LastLines::default()
    }

    /// Returns the player's standard error since the last call.
    fn take_errors(&mut self) -> String {
        String::new()
    }
}

/// A game that begins, for the player of one color.
#[derive(Debug)]
pub struct GameStart<'a, G: MatchGame> {
    /// The game at its start.
    pub start: &'a G,
    /// Whether the stones on the board are a handicap for White.
    pub handicap: bool,
    /// The game after the opening.
    pub game: &'a G,
    /// The player's color.
    pub color: Color,
    /// The seed of the player's random choices, another one for each game and color.
    pub seed: u64,
    /// The clocks of both players.
    pub clocks: ByColor<Option<MatchClock>>,
    /// Ends every wait.
    pub stop: &'a AtomicBool,
}

impl<'a, G: MatchGame> GameStart<'a, G> {
    /// Returns how a game begins for an engine that is not to play in it.
    pub(super) fn for_scorer(start: &'a G, game: &'a G, stop: &'a AtomicBool) -> Self {
        GameStart {
            start,
            handicap: false,
            game,
            color: game.to_move(),
            seed: 0,
            clocks: ByColor::default(),
            stop,
        }
    }
}

/// A position in which a player is to move.
#[derive(Debug)]
pub struct SeatTurn<'a, G: MatchGame> {
    /// The game so far.
    pub game: &'a G,
    /// The clocks of both players.
    pub clocks: ByColor<Option<MatchClock>>,
    /// How much longer than its time the player may take.
    pub margin: Duration,
    /// The clock by which the player's time is measured.
    pub time: &'a ServerClock,
    /// Ends every wait.
    pub stop: &'a AtomicBool,
}

impl<G: MatchGame> SeatTurn<'_, G> {
    /// Returns the player's clock.
    pub fn clock(&self) -> Option<&MatchClock> {
        self.clocks[self.game.to_move()].as_ref()
    }

    /// Returns how long to wait for the move: until the flag falls, and the margin has passed.
    pub fn limit(&self) -> Option<Duration> {
        let clock = self.clock()?;
        Some(clock.allowed().saturating_add(self.margin))
    }
}

/// The choice of a player, and how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move or resignation.
    pub action: SeatAction<M>,
    /// The time.
    pub used: Duration,
}

/// The action of a player in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatAction<M> {
    /// Plays this move.
    Move(M),
    /// Resigns.
    Resign,
}

/// Why a player does not continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatError {
    /// The player has lost.
    Lost {
        /// The way in which it lost.
        verdict: Verdict,
        /// The details.
        detail: String,
    },
    /// The wait was ended.
    Stopped,
    /// This machine lacks a resource that the game needs, which is no player's fault.
    Exhausted(Exhausted),
}

/// The maximum number of characters of a text that says what happened in a game.
const MAX_DETAIL: usize = 1_000;

impl SeatError {
    /// Returns the error of a player that has lost.
    pub fn lost(verdict: Verdict, detail: impl Into<String>) -> SeatError {
        let detail = detail_text(&detail.into());
        SeatError::Lost { verdict, detail }
    }

    /// Returns how the player has lost, with the details.
    ///
    /// # Errors
    /// It has not: the game does not count.
    pub(super) fn into_loss(self) -> Result<(Verdict, String), NotPlayed> {
        match self {
            SeatError::Lost { verdict, detail } => Ok((verdict, detail)),
            SeatError::Exhausted(exhausted) => Err(NotPlayed::Exhausted(exhausted)),
            SeatError::Stopped => Err(NotPlayed::Stopped),
        }
    }

    /// Returns the error of a program that could not be started, or does not speak its protocol.
    fn not_started(error: &EngineError) -> SeatError {
        match error.exhausted() {
            Some(exhausted) => SeatError::Exhausted(exhausted),
            None => SeatError::lost(Verdict::NotStarted, error.to_string()),
        }
    }
}

/// Why a game was broken off. It does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotPlayed {
    /// The wait for a player was ended.
    Stopped,
    /// This machine lacks something that the game needs.
    Exhausted(Exhausted),
    /// The runner was stalled for too long: the players thought while no clock counted.
    Stalled,
}

/// The stones that a player names as dead, or why it names none: it cannot, or it fails.
pub type DeadStones = Result<BTreeSet<String>, String>;

/// Returns a text about a game as it is kept: of bounded length, and without characters that may
/// change how a terminal shows others.
pub(super) fn detail_text(text: &str) -> String {
    let mut kept: String = text.chars().take(MAX_DETAIL).collect();
    kept = kept.replace(char::is_control, "\u{fffd}");
    if text.chars().nth(MAX_DETAIL).is_some() {
        kept.push_str("...");
    }
    kept
}

/// Replaces the characters of a text, which may have lines, that may change how a terminal shows
/// others.
fn printable(text: &str) -> String {
    text.replace(
        |c: char| c.is_control() && !matches!(c, '\t' | '\n'),
        "\u{fffd}",
    )
}
