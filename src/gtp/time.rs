//! How long to think about a move under the controller's time control.

use std::time::Duration;

use crate::gothello::Color;

/// What is kept back from a long move for everything but thinking: a busy machine
/// is late.
const RESERVE: Duration = Duration::from_millis(60);

/// What is kept back from a short one.
const LEAST_RESERVE: Duration = Duration::from_millis(20);

/// A time control: main time, then Canadian overtime (GTP draft, section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSettings {
    /// The time for all moves before the overtime.
    pub main: Duration,
    /// The length of an overtime period; none if 0.
    pub period: Duration,
    /// The moves to be made in each period. None, with a period that is not 0,
    /// means that there is no time limit.
    pub stones: u32,
}

/// What a player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimeLeft {
    time: Duration,
    /// The moves to be made in the time; in the main time 0, for all that
    /// follow.
    stones: u32,
}

/// The clocks of both players as far as the controller tells of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    settings: Option<TimeSettings>,
    left: [Option<TimeLeft>; 2],
}

impl Clocks {
    /// A new time control: both clocks are full.
    pub fn set(&mut self, settings: TimeSettings) {
        let unlimited = settings.stones == 0 && !settings.period.is_zero();
        self.settings = (!unlimited).then_some(settings);
        self.fill();
    }

    /// Both clocks are full again, as at the start of a game.
    pub fn fill(&mut self) {
        self.left = [self.settings.map(TimeSettings::full); 2];
    }

    /// The controller says what a player has left.
    pub fn set_left(&mut self, color: Color, time: Duration, stones: u32) {
        self.left[color as usize] = Some(TimeLeft { time, stones });
    }

    /// How long a player may think about his move, with so many still to come
    /// in the game; `None` without a time control.
    pub fn budget(&self, color: Color, to_come: u32) -> Option<Duration> {
        let TimeLeft { time, stones } = self.left[color as usize]?;
        let moves = match stones {
            0 => to_come.max(1),
            stones => stones,
        };
        let share = time / moves;
        let reserve = (share / 16).clamp(LEAST_RESERVE, RESERVE);
        Some(share.saturating_sub(reserve.min(share / 4)))
    }

    /// A player has thought about his move for so long.
    pub fn spend(&mut self, color: Color, spent: Duration) {
        let Some(settings) = self.settings else {
            return;
        };
        if let Some(left) = &mut self.left[color as usize] {
            *left = left.after(spent, settings);
        }
    }
}

impl TimeSettings {
    /// What a player has at the start.
    fn full(self) -> TimeLeft {
        if self.main.is_zero() {
            self.overtime()
        } else {
            TimeLeft {
                time: self.main,
                stones: 0,
            }
        }
    }

    /// What a player has at the start of a period.
    fn overtime(self) -> TimeLeft {
        TimeLeft {
            time: self.period,
            stones: self.stones,
        }
    }
}

impl TimeLeft {
    /// What is left after a move.
    fn after(self, spent: Duration, settings: TimeSettings) -> TimeLeft {
        let time = self.time.saturating_sub(spent);
        match self.stones {
            0 if time.is_zero() => settings.overtime(),
            0 => TimeLeft { time, stones: 0 },
            1 => settings.overtime(),
            stones => TimeLeft {
                time,
                stones: stones - 1,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::moves_to_come;

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn clocks(main: u64, period: u64, stones: u32) -> Clocks {
        let mut clocks = Clocks::default();
        clocks.set(TimeSettings {
            main: seconds(main),
            period: seconds(period),
            stones,
        });
        clocks
    }

    #[test]
    fn without_a_control_there_is_no_budget() {
        assert_eq!(Clocks::default().budget(Color::Black, 25), None);
        assert_eq!(clocks(0, 1, 0).budget(Color::Black, 25), None);
    }

    #[test]
    fn main_time_is_shared_among_the_moves_to_come() {
        let clocks = clocks(90, 0, 0);
        assert_eq!(clocks.budget(Color::Black, 9), Some(seconds(10) - RESERVE));
        assert_eq!(clocks.budget(Color::White, 2), Some(seconds(45) - RESERVE));
    }

    #[test]
    fn a_game_is_played_within_its_main_time() {
        let mut clocks = clocks(60, 0, 0);
        let mut spent = Duration::ZERO;
        for empty in (0..=25).rev() {
            let to_come = moves_to_come(empty);
            let budget = clocks.budget(Color::Black, to_come).unwrap();
            clocks.spend(Color::Black, budget);
            spent += budget;
        }
        assert!(spent < seconds(60), "{spent:?}");
    }

    #[test]
    fn overtime_follows_main_time_and_starts_again() {
        let mut clocks = clocks(10, 30, 3);
        clocks.spend(Color::Black, seconds(11));
        for _ in 0..2 {
            for left in [30, 20, 10] {
                let stones = left / 10;
                let share = seconds(left) / stones as u32 - RESERVE;
                assert_eq!(clocks.budget(Color::Black, 25), Some(share));
                clocks.spend(Color::Black, seconds(10));
            }
        }
        assert_eq!(clocks.budget(Color::White, 9).unwrap().as_secs(), 1);
    }

    #[test]
    fn what_the_controller_says_counts() {
        let mut clocks = Clocks::default();
        clocks.set_left(Color::White, seconds(8), 2);
        assert_eq!(clocks.budget(Color::White, 25), Some(seconds(4) - RESERVE));
        assert_eq!(clocks.budget(Color::Black, 25), None);
        clocks.set_left(Color::White, Duration::ZERO, 0);
        assert_eq!(clocks.budget(Color::White, 25), Some(Duration::ZERO));
    }
}
