//! A player of this program as an agent.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{Agent, AgentError, Decision, Task, Turn};
use crate::games::awari::{self, Pit};
use crate::games::gothello::{self, Move};
use crate::player::{
    AwariPlayer, MoveLimits, Player, awari_moves_to_go, moves_to_go, share_of_clock,
};

/// The part of the clock that is kept back because messages take time.
///
/// The referee sends whole seconds, rounded down, so half a second more is left on average.
const RESERVE: Duration = Duration::from_millis(200);

/// A player of this program: a [`Player`] of Gothello, or an
/// [`AwariPlayer`] of Awari.
pub struct BuiltIn<P> {
    player: P,
    limits: MoveLimits,
}

impl<P> BuiltIn<P> {
    /// Lets `player` search within these limits and the time that the clock allows.
    pub fn new(player: P, limits: MoveLimits) -> BuiltIn<P> {
        BuiltIn { player, limits }
    }
}

impl Agent<gothello::Game> for BuiltIn<Box<dyn Player>> {
    fn choose(
        &mut self,
        turn: &Turn<gothello::Game>,
        stop: &AtomicBool,
    ) -> Result<Decision<Move>, AgentError> {
        if !turn.refused.is_empty() {
            return Ok(Decision::Resign);
        }
        // No move is requested after the game has ended.
        let Some(position) = turn.game.position() else {
            return Ok(Decision::Resign);
        };
        let share = share_of(turn.left, moves_to_go(position.empty().len()));
        let player = &mut self.player;
        let chosen = (self.limits).search(share, stop, |limits| player.choose(position, limits));
        Ok(Decision::Move(chosen.mv))
    }
}

impl Agent<awari::Game> for BuiltIn<Box<dyn AwariPlayer>> {
    /// Accepts a draw only if the opponent, who is to move, seems to be ahead, or if it
    /// is proven that neither is.
    fn choose(
        &mut self,
        turn: &Turn<awari::Game>,
        stop: &AtomicBool,
    ) -> Result<Decision<Pit>, AgentError> {
        if !turn.refused.is_empty() {
            return Ok(Decision::Resign);
        }
        let game = &turn.game;
        let share = match turn.task {
            Task::Move => share_of(turn.left, awari_moves_to_go(game)),
            // The opponent's clock runs.
            Task::Answer => None,
        };
        let player = &mut self.player;
        let chosen = (self.limits).search(share, stop, |limits| player.choose(game, limits));
        Ok(match turn.task {
            Task::Move => Decision::Move(chosen.pit),
            Task::Answer if chosen.lead > 0 => Decision::AcceptDraw,
            Task::Answer if chosen.lead == 0 && chosen.proven => Decision::AcceptDraw,
            Task::Answer => Decision::RefuseDraw,
        })
    }
}

/// Returns the share of a move in the time left, if there is a clock, when it is divided among
/// `moves`.
fn share_of(left: Option<Duration>, moves: u32) -> Option<Duration> {
    left.map(|left| share_of_clock(left, RESERVE, moves))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::color::Color;
    use crate::player::{AwariChoice, Limits};

    /// A player that claims this lead for the player to move, proven or not.
    struct FixedJudgment(i32, bool);

    impl AwariPlayer for FixedJudgment {
        fn choose(&mut self, game: &crate::games::awari::Game, limits: &Limits<'_>) -> AwariChoice {
            assert!(limits.time.is_some());
            AwariChoice {
                pit: game.legal_moves().next().unwrap(),
                lead: self.0,
                proven: self.1,
                depth: 1,
                positions: 1,
            }
        }
    }

    #[test]
    fn a_draw_is_accepted_if_the_opponent_is_ahead() {
        for (lead, proven, answer) in [
            (-1, true, Decision::RefuseDraw),
            (0, false, Decision::RefuseDraw),
            (0, true, Decision::AcceptDraw),
            (3, false, Decision::AcceptDraw),
        ] {
            let mover: Box<dyn AwariPlayer> = Box::new(FixedJudgment(lead, proven));
            let mut agent = BuiltIn::new(mover, MoveLimits::default());
            let turn = |task| Turn {
                start: 1,
                task,
                refused: Vec::new(),
                color: Color::White,
                game: awari::Game::default(),
                left: None,
            };
            let never_stop = AtomicBool::new(false);
            let answered = agent.choose(&turn(Task::Answer), &never_stop).unwrap();
            assert_eq!(answered, answer, "{lead} {proven}");
            let moved = agent.choose(&turn(Task::Move), &never_stop).unwrap();
            assert!(matches!(moved, Decision::Move(_)), "{lead} {proven}");
        }
    }

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn a_clock_is_shared_among_the_moves_to_come_but_for_the_reserve() {
        for (left, empty, expected) in [
            (Some(seconds(90) + RESERVE), 25, Some(seconds(10))),
            (Some(seconds(6) + RESERVE), 1, Some(seconds(3))),
            (Some(seconds(0)), 25, Some(seconds(0))),
            (None, 25, None),
        ] {
            assert_eq!(share_of(left, moves_to_go(empty)), expected, "{left:?}");
        }
    }

    #[test]
    fn no_game_takes_the_reserve() {
        for whole in [1, 2, 5, 60, 3_600] {
            let mut left = seconds(whole);
            for empty in (0..=25).rev() {
                // As the referee sends it.
                let told = seconds(left.as_secs());
                left -= share_of(Some(told), moves_to_go(empty)).unwrap();
            }
            assert!(left >= RESERVE, "{left:?}");
        }
    }
}
