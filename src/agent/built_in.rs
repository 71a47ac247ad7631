//! A player of this program as an agent.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{Agent, AgentError, Decision, Task, Turn};
use crate::awari::{self, Pit};
use crate::gothello::{self, Move};
use crate::player::{
    AwariPlayer, DEFAULT_MOVE_TIME, Limits, Player, awari_moves_to_go, moves_to_go, share_of_clock,
};

/// The part of the clock that is kept back because messages take time.
///
/// The referee sends whole seconds, rounded down, so half a second more is left on average.
const RESERVE: Duration = Duration::from_millis(200);

/// A player of this program: a [`Player`] of Gothello, or an
/// [`AwariPlayer`] of Awari.
pub struct BuiltIn<P> {
    player: P,
    move_time: Option<Duration>,
}

impl<P> BuiltIn<P> {
    /// Lets `player` think at most `move_time` about a move, even if the clock allows
    /// more. Without a clock and `move_time` it thinks for
    /// [`DEFAULT_MOVE_TIME`].
    pub fn new(player: P, move_time: Option<Duration>) -> BuiltIn<P> {
        BuiltIn { player, move_time }
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
        let moves = moves_to_go(position.empty().len());
        let time = budget(turn.left, self.move_time, moves);
        let limits = Limits::within(time).stopped_by(stop);
        Ok(Decision::Move(self.player.choose(position, &limits).mv))
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
        let time = match turn.task {
            Task::Move => budget(turn.left, self.move_time, awari_moves_to_go(game)),
            // The opponent's clock runs.
            Task::Answer => budget(None, self.move_time, 1),
        };
        let limits = Limits::within(time).stopped_by(stop);
        let chosen = self.player.choose(game, &limits);
        Ok(match turn.task {
            Task::Move => Decision::Move(chosen.pit),
            Task::Answer if chosen.lead > 0 => Decision::AcceptDraw,
            Task::Answer if chosen.lead == 0 && chosen.proven => Decision::AcceptDraw,
            Task::Answer => Decision::RefuseDraw,
        })
    }
}

/// Returns how long to think about a move when the time left is divided among
/// `moves`.
fn budget(left: Option<Duration>, move_time: Option<Duration>, moves: u32) -> Duration {
    let Some(left) = left else {
        return move_time.unwrap_or(DEFAULT_MOVE_TIME);
    };
    let share = share_of_clock(left, RESERVE, moves);
    move_time.map_or(share, |move_time| move_time.min(share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::player::AwariChoice;

    /// A player that claims this lead for the player to move, proven or not.
    struct FixedJudgment(i32, bool);

    impl AwariPlayer for FixedJudgment {
        fn choose(&mut self, game: &crate::awari::Game, limits: &Limits<'_>) -> AwariChoice {
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
            let mut agent = BuiltIn::new(mover, None);
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
            assert_eq!(answered, answer);
            let moved = agent.choose(&turn(Task::Move), &never_stop).unwrap();
            assert!(matches!(moved, Decision::Move(_)));
        }
    }

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn without_a_clock_the_move_time_counts() {
        assert_eq!(budget(None, None, moves_to_go(25)), seconds(1));
        assert_eq!(budget(None, Some(seconds(5)), moves_to_go(25)), seconds(5));
    }

    #[test]
    fn a_clock_is_shared_among_the_moves_to_come_but_for_the_reserve() {
        let left = Some(seconds(90) + RESERVE);
        assert_eq!(budget(left, None, moves_to_go(25)), seconds(10));
        assert_eq!(budget(left, Some(seconds(3)), moves_to_go(25)), seconds(3));
        assert_eq!(
            budget(left, Some(seconds(60)), moves_to_go(25)),
            seconds(10)
        );
        assert_eq!(
            budget(Some(seconds(6) + RESERVE), None, moves_to_go(1)),
            seconds(3)
        );
        assert_eq!(
            budget(Some(seconds(0)), None, moves_to_go(25)),
            Duration::ZERO
        );
    }

    #[test]
    fn no_game_takes_the_reserve() {
        for whole in [1, 2, 5, 60, 3_600] {
            let mut left = seconds(whole);
            for empty in (0..=25).rev() {
                // As the referee sends it.
                let told = seconds(left.as_secs());
                left -= budget(Some(told), None, moves_to_go(empty));
            }
            assert!(left >= RESERVE, "{left:?}");
        }
    }
}
