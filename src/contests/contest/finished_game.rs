//! A game that is over.

use std::time::SystemTime;

use super::names::{GameId, Name};
use super::rules::{ContestGame, Outcome};
use super::timed_game::TimedGame;
use crate::base::color::ByColor;
use crate::tournament::{Event, GameResult, NumberedGame};

/// A game that is over, or void.
#[derive(Clone, Debug)]
pub struct FinishedGame<G: ContestGame> {
    /// Its number.
    pub game: GameId,
    /// The number of its table.
    pub table: u16,
    /// The players.
    pub names: ByColor<Name>,
    /// Its moves and clocks.
    pub play: TimedGame<G>,
    /// How it ended; `None` if it is void.
    pub outcome: Option<Outcome<G::Reason>>,
    /// Why it is void; empty if it is not.
    pub void: String,
    /// The last lines that the player has sent (`>`) and was sent (`<`) who has lost on time, or who was
    /// away from a game that is void.
    pub exchange: Vec<String>,
    /// Its place in the tournament.
    pub scheduled: Option<NumberedGame>,
    /// When it began.
    pub began: SystemTime,
    /// When it ended.
    pub ended: SystemTime,
}

impl<G: ContestGame> FinishedGame<G> {
    /// Returns the event of the tournament; `None` if the game does not belong to one or
    /// is void, so that it is played again.
    pub fn event(&self) -> Option<Event> {
        let (scheduled, outcome) = (self.scheduled.clone()?.scheduled, self.outcome?);
        let score = self.play.score();
        let result = GameResult {
            scores: Some(score.map(G::points)),
            id: Some(self.file_name().into()),
            ..GameResult::played(outcome.winner, outcome.reason.to_string())
        };
        Some(Event::Game { scheduled, result })
    }

    /// Returns the name of its record, without an extension.
    pub(in crate::contests) fn file_name(&self) -> String {
        let ByColor { black, white } = self.names.as_ref().map(|name| plain(name.as_ref()));
        format!("{}-{black}-{white}", self.game)
    }
}

/// Returns a name as a part of a file name.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(plain).take(24).collect()
}
