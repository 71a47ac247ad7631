//! The controller's time control, and how long to think about a move under it.
//!
//! Source: Specification of the Go Text Protocol, version 2, draft 2, section 4.2. `time_settings`
//! gives the main time of each player and then Canadian overtime (byo-yomi): a number of moves in
//! each period, in any division of its time.
//!
//! | `time_settings` | |
//! |---|---|
//! | `300 0 0` | five minutes for all moves |
//! | `300 30 5` | five minutes, then 30 seconds for every five moves |
//! | `0 30 5` | 30 seconds for every five moves |
//! | `300 30 0` | no limit, whatever the main time: a period without moves |
//! | `0 0 0` | no time at all: every move is made at once |
//!
//! As in GoGui, the move during which the main time ends is the first one of the
//! overtime. So a player who has overtime may always think for an equal share of a
//! period, however little is left of the main time.

use std::time::Duration;

use crate::base::color::{ByColor, Color};

/// The part of a long move's time that is reserved for overhead, because a busy machine is late.
const RESERVE: Duration = Duration::from_millis(60);

/// The part of a short move's time that is reserved.
const LEAST_RESERVE: Duration = Duration::from_millis(20);

/// A time control: main time, then Canadian overtime (GTP draft, section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSettings {
    /// The time for all moves before the overtime.
    pub main: Duration,
    /// The length of an overtime period; 0 without overtime.
    pub period: Duration,
    /// The moves to be made in each period. 0, with a period that is not 0, means that
    /// there is no time limit.
    pub stones: u32,
}

/// The time that a player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// The time.
    pub time: Duration,
    /// The moves to be made in this time; 0 in the main time, which is for all moves.
    pub stones: u32,
}

/// The clocks of both players, as far as the controller reports them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    settings: Option<TimeSettings>,
    left: ByColor<Option<TimeLeft>>,
}

impl Clocks {
    /// Sets a new time control and both clocks to its full time.
    pub fn set(&mut self, settings: TimeSettings) {
        let unlimited = settings.stones == 0 && !settings.period.is_zero();
        self.settings = (!unlimited).then_some(settings);
        self.reset();
    }

    /// Resets both clocks to the full time, as at the start of a game.
    pub fn reset(&mut self) {
        let full = self.settings.map(TimeSettings::full);
        self.left = ByColor::new(full, full);
    }

    /// Sets a player's time left, as the controller reports it.
    pub fn set_left(&mut self, color: Color, time: Duration, stones: u32) {
        self.left[color] = Some(TimeLeft { time, stones });
    }

    /// Returns how long a player may think about the next of `moves_to_go` moves;
    /// `None` without a time control.
    pub fn budget(&self, color: Color, moves_to_go: u32) -> Option<Duration> {
        let TimeLeft { time, stones } = self.left[color]?;
        let share = match stones {
            0 => {
                let overtime = self.settings.map(TimeSettings::overtime);
                let floor = overtime.map_or(Duration::ZERO, TimeLeft::share);
                (time / moves_to_go.max(1)).max(floor)
            }
            _ => TimeLeft { time, stones }.share(),
        };
        let reserve = (share / 16).clamp(LEAST_RESERVE, RESERVE);
        Some(share.saturating_sub(reserve.min(share / 4)))
    }

    /// Takes the time of a move from a player's clock.
    pub fn spend(&mut self, color: Color, spent: Duration) {
        let Some(settings) = self.settings else {
            return;
        };
        if let Some(left) = &mut self.left[color] {
            *left = left.after(spent, settings);
        }
    }
}

impl TimeSettings {
    /// Returns a player's time at the start of a game.
    pub fn full(self) -> TimeLeft {
        if self.main.is_zero() {
            self.overtime()
        } else {
            TimeLeft {
                time: self.main,
                stones: 0,
            }
        }
    }

    /// Returns a player's time at the start of a period.
    fn overtime(self) -> TimeLeft {
        TimeLeft {
            time: self.period,
            stones: self.stones,
        }
    }
}

impl TimeLeft {
    /// Returns an equal share of the time for each of the moves to be made in it.
    fn share(self) -> Duration {
        self.time.checked_div(self.stones).unwrap_or_default()
    }

    /// Returns the time left after a move.
    pub fn after(self, spent: Duration, settings: TimeSettings) -> TimeLeft {
        let time = self.time.saturating_sub(spent);
        match self.stones {
            0 if spent > self.time && settings.stones > 0 => {
                // The first move of the overtime.
                settings.overtime().after(spent - self.time, settings)
            }
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
    use proptest::prelude::*;

    use super::*;
    use crate::player::moves_to_go;

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
            let to_come = moves_to_go(empty);
            let budget = clocks.budget(Color::Black, to_come).unwrap();
            clocks.spend(Color::Black, budget);
            spent += budget;
        }
        assert!(spent < seconds(60), "{spent:?}");
    }

    #[test]
    fn overtime_follows_main_time_and_starts_again() {
        let mut clocks = clocks(10, 30, 3);
        // The main time ends with the first move, which takes a third of a
        // period, too.
        clocks.spend(Color::Black, seconds(20));
        for _ in 0..2 {
            clocks.spend(Color::Black, seconds(10));
        }
        for _ in 0..2 {
            for left in [30, 20, 10] {
                let stones = left / 10;
                let share = seconds(left) / stones as u32 - RESERVE;
                assert_eq!(clocks.budget(Color::Black, 25), Some(share));
                clocks.spend(Color::Black, seconds(10));
            }
        }
    }

    #[test]
    fn a_share_of_the_overtime_is_always_there() {
        let share = |time: Duration| Some(time - RESERVE);
        // A second for all moves, but then ten for each.
        assert_eq!(clocks(1, 10, 1).budget(Color::Black, 9), share(seconds(10)));
        // More is left of the main time than the overtime gives.
        assert_eq!(
            clocks(90, 30, 5).budget(Color::White, 9),
            share(seconds(10))
        );
        assert_eq!(
            clocks(90, 30, 2).budget(Color::White, 9),
            share(seconds(15))
        );
        // The main time is over, which the controller says with no stones.
        let mut told = clocks(60, 30, 3);
        told.set_left(Color::Black, Duration::ZERO, 0);
        assert_eq!(told.budget(Color::Black, 9), share(seconds(10)));
        // No overtime.
        assert_eq!(clocks(90, 0, 3).budget(Color::Black, 9), share(seconds(10)));
        assert_eq!(
            clocks(0, 0, 0).budget(Color::Black, 9),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn the_first_move_of_the_overtime_counts() {
        let mut clocks = clocks(10, 30, 3);
        clocks.spend(Color::Black, seconds(4));
        clocks.spend(Color::Black, seconds(6));
        // All of the main time is used up, and nothing of the period.
        let third = Some(seconds(10) - RESERVE);
        assert_eq!(clocks.budget(Color::Black, 9), third);
        clocks.spend(Color::Black, seconds(4));
        let half = Some(seconds(13) - RESERVE);
        assert_eq!(clocks.budget(Color::Black, 9), half);
    }

    proptest! {
        /// A player who takes what it is given never exceeds a period, by the
        /// rules of GoGui's clock.
        #[test]
        fn no_period_is_exceeded(main in 0_u64..100, period in 1_u64..60, stones in 1_u32..8) {
            let mut clocks = clocks(main, period, stones);
            let (mut used, mut left) = (Duration::ZERO, 0);
            let (main, period) = (seconds(main), seconds(period));
            for empty in (0..=25).rev() {
                let budget = clocks.budget(Color::Black, moves_to_go(empty)).unwrap();
                clocks.spend(Color::Black, budget);
                used += budget;
                if left == 0 && used > main {
                    (used, left) = (used - main, stones);
                }
                if left > 0 {
                    prop_assert!(used <= period);
                    left -= 1;
                    if left == 0 {
                        (used, left) = (Duration::ZERO, stones);
                    }
                }
            }
        }
    }

    #[test]
    fn time_left_replaces_the_engines_clock() {
        let mut clocks = Clocks::default();
        clocks.set_left(Color::White, seconds(8), 2);
        assert_eq!(clocks.budget(Color::White, 25), Some(seconds(4) - RESERVE));
        assert_eq!(clocks.budget(Color::Black, 25), None);
        clocks.set_left(Color::White, Duration::ZERO, 0);
        assert_eq!(clocks.budget(Color::White, 25), Some(Duration::ZERO));
    }
}
