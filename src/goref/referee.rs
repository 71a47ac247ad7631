//! One game with its clocks: what each player may do, and what it comes to.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::go::{self, ByColor, Color, Ending, Game, Illegal, Move, Score};

use super::terms::{Terms, state};
use super::wire::{
    Both, Configuration, Decimal, GameState, LogEntry, Millis, Protocol, Reason, ScoreAndTime,
    ServerMessage,
};

/// The most moves of a game. Without superko a game need not end, and clocks
/// hardly stop clients that answer within a microsecond.
const MOST_MOVES: usize = 20_000;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why.
    pub reason: Reason,
    /// Who has won; nobody in a tie.
    pub winner: Option<Color>,
}

impl Outcome {
    /// The result as SGF writes it: `B+6.5`, `W+R`, `B+T`, `Draw`.
    pub(super) fn result(&self, score: ByColor<Score>) -> String {
        let Some(winner) = self.winner else {
            return "Draw".into();
        };
        let how = match self.reason {
            Reason::Resign => "R".into(),
            Reason::Timeout => "T".into(),
            _ => (score[winner] - score[winner.opponent()]).to_string(),
        };
        format!("{}+{how}", winner.capital())
    }
}

/// A game between two players, of which it knows the colors only.
///
/// The clocks count exactly. They show milliseconds, a begun one as a whole one;
/// what a move takes is the difference of what is shown before and after it. So a
/// client that adds up the log gets what the clocks show.
#[derive(Clone, Debug)]
pub struct Match {
    terms: Arc<Terms>,
    game: Game,
    log: Vec<LogEntry>,
    clocks: ByColor<Clock>,
    /// What the clocks showed after the last move.
    shown: ByColor<Millis>,
    /// What they showed before it.
    shown_before: ByColor<Millis>,
    outcome: Option<Outcome>,
}

impl Match {
    /// A match whose clocks stand.
    pub fn new(terms: Arc<Terms>) -> Match {
        let mut new = Match {
            game: terms.new_game(),
            log: Vec::new(),
            clocks: terms
                .times()
                .map(|time| Clock::new(Duration::from_millis(time))),
            shown: terms.times(),
            shown_before: terms.times(),
            outcome: None,
            terms: Arc::clone(&terms),
        };
        for &entry in terms.log() {
            // The terms hold no moves but legal ones.
            let _ = new.replay(entry);
        }
        new.set_idle(terms.idle());
        new
    }

    /// The terms that it began with.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Every move, those before this match among them.
    pub fn log(&self) -> &[LogEntry] {
        &self.log
    }

    /// What the clocks showed after the last move.
    pub fn shown(&self) -> ByColor<Millis> {
        self.shown
    }

    /// Whose turn it is.
    pub fn turn(&self) -> Color {
        self.game.turn()
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Starts the clock of the player to move.
    pub fn start(&mut self, now: Duration) {
        if self.outcome.is_none() {
            self.clocks.get_mut(self.game.turn()).start(now);
        }
    }

    /// Stops the clocks.
    pub fn stop(&mut self, now: Duration) {
        self.clocks.black.stop(now);
        self.clocks.white.stop(now);
    }

    /// Whether a clock runs.
    pub fn is_running(&self) -> bool {
        self.falls_at().is_some()
    }

    /// When a flag falls, if nothing is played.
    pub fn falls_at(&self) -> Option<Duration> {
        self.clocks.get(self.game.turn()).falls_at()
    }

    /// Ends the game if the flag of the player to move has fallen; the opponent
    /// wins.
    pub fn flag(&mut self, now: Duration) -> Option<Outcome> {
        let mover = self.game.turn();
        if self.outcome.is_some() || !self.clocks.get(mover).has_fallen(now) {
            return None;
        }
        self.stop(now);
        self.outcome = Some(Outcome {
            reason: Reason::Timeout,
            winner: Some(mover.opponent()),
        });
        self.outcome
    }

    /// Plays a move of the player to move, and stops his clock; the opponent's is
    /// started by [`Match::start`] when he has been told of it.
    ///
    /// # Errors
    /// The rules forbid it; nothing has changed then.
    pub fn play(&mut self, played: Move, now: Duration) -> Result<LogEntry, Illegal> {
        let mover = self.game.turn();
        let left = millis(self.clocks.get(mover).left(now));
        let delta_time = self.shown.get(mover).saturating_sub(left);
        let entry = LogEntry { played, delta_time };
        self.push(entry)?;
        self.stop(now);
        Ok(entry)
    }

    /// Plays a move again that was played before.
    ///
    /// # Errors
    /// The rules forbid it.
    pub fn replay(&mut self, entry: LogEntry) -> Result<(), Illegal> {
        let mover = self.game.turn();
        self.push(entry)?;
        let left = Duration::from_millis(self.shown[mover]);
        *self.clocks.get_mut(mover) = Clock::new(left);
        Ok(())
    }

    /// Takes from the player to move what he used since the last move.
    pub fn set_idle(&mut self, idle: Millis) {
        let mover = self.game.turn();
        let left = self.shown.get(mover).saturating_sub(idle);
        *self.clocks.get_mut(mover) = Clock::new(Duration::from_millis(left));
    }

    /// What the player to move has used since the last move (idleDeltaTime).
    pub fn idle(&self, now: Duration) -> Millis {
        let mover = self.game.turn();
        let left = millis(self.clocks.get(mover).left(now));
        self.shown.get(mover).saturating_sub(left)
    }

    /// What the clocks show (RemainingTime).
    pub fn left(&self, now: Duration) -> ByColor<Millis> {
        ByColor {
            black: millis(self.clocks.black.left(now)),
            white: millis(self.clocks.white.left(now)),
        }
    }

    /// Whether it has become too long.
    pub fn is_too_long(&self) -> bool {
        self.log.len() >= MOST_MOVES
    }

    /// The score of both.
    pub fn score(&self) -> ByColor<Score> {
        self.game.score()
    }

    fn push(&mut self, entry: LogEntry) -> Result<(), Illegal> {
        let mover = self.game.turn();
        let ending = self.game.play(entry.played)?;
        self.shown_before = self.shown;
        let shown = self.shown.get_mut(mover);
        *shown = shown.saturating_sub(entry.delta_time);
        self.log.push(entry);
        self.outcome = ending.map(Outcome::from);
        Ok(())
    }
}

/// What the players are told.
impl Match {
    /// The message that starts or resumes the game for a player.
    pub fn start_message(&self, color: Color, protocol: Protocol, now: Duration) -> ServerMessage {
        let mut configuration = self.configuration(now);
        if protocol == Protocol::V2 {
            configuration.final_states = Some(self.final_states());
        }
        ServerMessage::Start {
            configuration: Box::new(configuration),
            color: color.into(),
        }
    }

    /// The message that ends or breaks off the game.
    pub fn end_message(&self, outcome: Outcome, now: Duration) -> ServerMessage {
        let (score, left) = (self.score(), self.left(now));
        let player = |color| ScoreAndTime {
            score: Decimal(score.get(color).to_f64()),
            remaining_time: left[color],
        };
        ServerMessage::End {
            reason: outcome.reason,
            winner: outcome.winner.into(),
            players: Both {
                black: player(Color::Black),
                white: player(Color::White),
            },
        }
    }

    /// The last two states, or the only one.
    fn final_states(&self) -> Vec<GameState> {
        let positions = self.game.positions();
        let before = match positions {
            [.., before, _] => Some(state(before, self.shown_before)),
            _ => None,
        };
        let last = state(self.game.position(), self.shown);
        before.into_iter().chain([last]).collect()
    }

    /// The game as a client gets it (GameConfiguration).
    pub fn configuration(&self, now: Duration) -> Configuration {
        self.terms.configuration(&self.log, self.idle(now))
    }
}

impl From<Ending> for Outcome {
    fn from(ending: Ending) -> Outcome {
        Outcome {
            reason: match ending.reason {
                go::Reason::Pass => Reason::Pass,
                go::Reason::Resign => Reason::Resign,
                go::Reason::Mercy => Reason::Mercy,
            },
            winner: ending.winner,
        }
    }
}

/// What a clock shows: a begun millisecond is a whole one, so that only a fallen
/// flag shows zero.
fn millis(left: Duration) -> Millis {
    let whole = left.as_nanos().div_ceil(1_000_000);
    Millis::try_from(whole).unwrap_or(Millis::MAX)
}
