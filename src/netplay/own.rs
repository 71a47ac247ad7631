//! Our own player at a referee's table.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::agent::{Agent, AgentError, Decision, Turn};
use crate::gothello::Move;
use crate::netref::Gothello;
use crate::player::{DEFAULT_MOVE_TIME, Limits, Player, moves_to_come};

/// What is never planned with: the lines take time. The referee tells whole
/// seconds, rounded down, so that there is half a second more on average.
const RESERVE: Duration = Duration::from_millis(200);

/// A player of this program.
pub struct Own {
    player: Box<dyn Player>,
    move_time: Option<Duration>,
}

impl Own {
    /// Lets `player` think at most `move_time` about a move, whatever the
    /// clock allows; 1 second if there is neither.
    pub fn new(player: Box<dyn Player>, move_time: Option<Duration>) -> Own {
        Own { player, move_time }
    }
}

impl Agent<Gothello> for Own {
    fn choose(
        &mut self,
        turn: &Turn<Gothello>,
        stop: &AtomicBool,
    ) -> Result<Decision<Move>, AgentError> {
        let position = turn.game.game().position();
        let time = budget(turn.left, self.move_time, position.empty().len());
        let limits = Limits {
            time: Some(time),
            stop,
        };
        Ok(Decision::Move(self.player.choose(position, &limits).mv))
    }
}

/// How long to think about a move with so many empty points on the board.
fn budget(left: Option<Duration>, move_time: Option<Duration>, empty: u32) -> Duration {
    let Some(left) = left else {
        return move_time.unwrap_or(DEFAULT_MOVE_TIME);
    };
    let share = left.saturating_sub(RESERVE) / moves_to_come(empty);
    move_time.map_or(share, |move_time| move_time.min(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn without_a_clock_the_move_time_counts() {
        assert_eq!(budget(None, None, 25), seconds(1));
        assert_eq!(budget(None, Some(seconds(5)), 25), seconds(5));
    }

    #[test]
    fn a_clock_is_shared_among_the_moves_to_come_but_for_the_reserve() {
        let left = Some(seconds(90) + RESERVE);
        assert_eq!(budget(left, None, 25), seconds(10));
        assert_eq!(budget(left, Some(seconds(3)), 25), seconds(3));
        assert_eq!(budget(left, Some(seconds(60)), 25), seconds(10));
        assert_eq!(budget(Some(seconds(6) + RESERVE), None, 1), seconds(3));
        assert_eq!(budget(Some(seconds(0)), None, 25), Duration::ZERO);
    }

    #[test]
    fn no_game_takes_the_reserve() {
        for whole in [1, 2, 5, 60, 3_600] {
            let mut left = seconds(whole);
            for empty in (0..=25).rev() {
                // As the referee tells it.
                let told = seconds(left.as_secs());
                left -= budget(Some(told), None, empty);
            }
            assert!(left >= RESERVE, "{left:?}");
        }
    }
}
