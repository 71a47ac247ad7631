//! The rules of a game with clocks, between two players of whom it knows only the colors.

use std::sync::Arc;
use std::time::Duration;

use super::rules::{ContestGame, EndReason, LogEntry, Millis, Outcome, Settings};
use crate::base::clock::Clock;
use crate::base::color::{ByColor, Color};

/// The maximum number of moves in a game. Some games, like Go without superko, need not end, and
/// clocks hardly limit clients that answer within a microsecond.
const MAX_MOVES: usize = 20_000;

/// A game with clocks, between two players of which it knows only the colors.
///
/// The clocks count exactly. They show milliseconds, rounded up. A move takes the
/// difference of what its clock shows before and after it, so that a client that adds up
/// the log gets what the clocks show.
#[derive(Clone, Debug)]
pub struct TimedGame<G: ContestGame> {
    setup: Arc<G::Setup>,
    game: G,
    log: Vec<LogEntry<G::Move>>,
    clocks: ByColor<Clock>,
    /// The clocks after the last move.
    shown: ByColor<Millis>,
    /// The clocks before the last move.
    shown_before: ByColor<Millis>,
    outcome: Option<Outcome<G::Reason>>,
}

impl<G: ContestGame> TimedGame<G> {
    /// Sets up a game; its clocks are stopped.
    pub fn new(setup: Arc<G::Setup>) -> TimedGame<G> {
        let mut new = TimedGame {
            game: G::begin(&setup),
            log: Vec::new(),
            clocks: setup
                .times()
                .map(|time| Clock::new(Duration::from_millis(time))),
            shown: setup.times(),
            shown_before: setup.times(),
            outcome: None,
            setup: Arc::clone(&setup),
        };
        for &entry in setup.log() {
            // The moves of a setup are legal.
            let _ = new.replay(entry);
        }
        new.set_idle(setup.idle());
        new
    }

    /// Returns the settings with which it began.
    pub fn setup(&self) -> &Arc<G::Setup> {
        &self.setup
    }

    /// Returns the game so far, without the clocks.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Returns all moves, those of the setup included.
    pub fn log(&self) -> &[LogEntry<G::Move>] {
        &self.log
    }

    /// Returns what the clocks showed before the last move.
    pub fn shown_before(&self) -> ByColor<Millis> {
        self.shown_before
    }

    /// Returns what the clocks showed after the last move.
    pub fn shown(&self) -> ByColor<Millis> {
        self.shown
    }

    /// Returns the player to move.
    pub fn turn(&self) -> Color {
        self.game.to_move()
    }

    /// Returns how the game ended; `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome<G::Reason>> {
        self.outcome
    }

    /// Starts the clock of the player to move.
    pub fn start(&mut self, now: Duration) {
        if self.outcome.is_none() {
            self.clocks.get_mut(self.game.to_move()).start(now);
        }
    }

    /// Stops the clocks.
    pub fn stop(&mut self, now: Duration) {
        self.clocks.black.stop(now);
        self.clocks.white.stop(now);
    }

    /// Returns when the flag of the player to move falls; `None` while the clocks are stopped.
    pub fn flag_deadline(&self) -> Option<Duration> {
        self.clocks.get(self.game.to_move()).flag_deadline()
    }

    /// Ends the game if the flag of the player to move has fallen; the opponent wins.
    pub fn check_flag(&mut self, now: Duration) -> Option<Outcome<G::Reason>> {
        let mover = self.game.to_move();
        if self.outcome.is_some() || !self.clocks.get(mover).has_fallen(now) {
            return None;
        }
        self.stop(now);
        self.outcome = Some(Outcome {
            reason: G::Reason::TIMEOUT,
            winner: Some(mover.opponent()),
        });
        self.outcome
    }

    /// Plays a move of the player to move, and stops the clock. [`TimedGame::start`] starts
    /// the opponent's clock when the move has been sent.
    ///
    /// # Errors
    /// The move is illegal; the game is unchanged.
    pub fn play(
        &mut self,
        played: G::Move,
        now: Duration,
    ) -> Result<LogEntry<G::Move>, G::Illegal> {
        let mover = self.game.to_move();
        let left = millis(self.clocks.get(mover).remaining(now));
        let delta_time = self.shown.get(mover).saturating_sub(left);
        let entry = LogEntry { played, delta_time };
        self.push(entry)?;
        self.stop(now);
        Ok(entry)
    }

    /// Plays a move of a log again.
    ///
    /// # Errors
    /// The move is illegal.
    pub fn replay(&mut self, entry: LogEntry<G::Move>) -> Result<(), G::Illegal> {
        let mover = self.game.to_move();
        self.push(entry)?;
        let left = Duration::from_millis(self.shown[mover]);
        *self.clocks.get_mut(mover) = Clock::new(left);
        Ok(())
    }

    /// Sets the time that the player to move has used since the last move.
    pub fn set_idle(&mut self, idle: Millis) {
        let mover = self.game.to_move();
        let left = self.shown.get(mover).saturating_sub(idle);
        *self.clocks.get_mut(mover) = Clock::new(Duration::from_millis(left));
    }

    /// Returns the time that the player to move has used since the last move
    /// (idleDeltaTime).
    pub fn idle(&self, now: Duration) -> Millis {
        let mover = self.game.to_move();
        let left = millis(self.clocks.get(mover).remaining(now));
        self.shown.get(mover).saturating_sub(left)
    }

    /// Returns what the clocks show (RemainingTime).
    pub fn remaining(&self, now: Duration) -> ByColor<Millis> {
        self.clocks.map(|clock| millis(clock.remaining(now)))
    }

    /// Returns whether the game has reached the maximum number of moves.
    pub fn is_too_long(&self) -> bool {
        self.log.len() >= MAX_MOVES
    }

    /// Returns the current scores.
    pub fn score(&self) -> ByColor<G::Score> {
        self.game.scores()
    }

    fn push(&mut self, entry: LogEntry<G::Move>) -> Result<(), G::Illegal> {
        let mover = self.game.to_move();
        let outcome = self.game.advance(entry.played)?;
        self.shown_before = self.shown;
        let shown = self.shown.get_mut(mover);
        *shown = shown.saturating_sub(entry.delta_time);
        self.log.push(entry);
        self.outcome = outcome;
        Ok(())
    }
}

/// Returns what a clock shows: milliseconds, rounded up, so that only a fallen flag shows
/// zero.
pub(super) fn millis(left: Duration) -> Millis {
    let whole = left.as_nanos().div_ceil(1_000_000);
    Millis::try_from(whole).unwrap_or(Millis::MAX)
}
