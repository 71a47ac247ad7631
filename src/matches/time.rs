//! Time controls, and the clock of a player under one.

use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::base::duration;
use crate::base::text_serde::as_text;
use crate::gtp::server::{TimeLeft, TimeSettings};

/// The longest time that a control may have: more than eleven days.
const MAX_TIME: Duration = Duration::from_secs(1_000_000);

/// The maximum number of moves in a period of overtime.
const MAX_MOVES: u32 = 10_000;

/// A time control: a main time, and an increment or overtime.
///
/// | text | |
/// |---|---|
/// | `60` | 60 seconds for the whole game |
/// | `60+0.6` | 60 seconds, and 0.6 more after each move |
/// | `60+30/25` | 60 seconds, then 30 for every 25 moves (Canadian byo-yomi, as in GTP) |
/// | `2/move` | 2 seconds for each move |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    main: Duration,
    extra: Extra,
}

/// The part of a time control besides the main time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extra {
    /// No increment or overtime.
    None,
    /// This much after each move.
    Increment(Duration),
    /// Canadian byo-yomi: this long for a number of moves.
    Overtime {
        period: Duration,
        /// At least 1.
        moves: u32,
    },
}

/// A text that is not a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "give seconds: 60 for the whole game, 60+0.6 with 0.6 more after each move, 60+30/25 with 30 \
     for every 25 moves after that, or 2/move; 60 is also 1:00 or 1m"
)]
pub struct ParseTimeControlError;

impl TimeControl {
    /// Returns the main time.
    pub const fn main(self) -> Duration {
        self.main
    }

    /// Returns the time that is added after each move, if the control has an increment.
    pub const fn increment(self) -> Option<Duration> {
        match self.extra {
            Extra::Increment(increment) => Some(increment),
            Extra::None | Extra::Overtime { .. } => None,
        }
    }

    /// Returns the control as GTP's `time_settings` has it, which knows no increments.
    pub const fn gtp_settings(self) -> TimeSettings {
        let (period, stones) = match self.extra {
            Extra::Overtime { period, moves } => (period, moves),
            Extra::None | Extra::Increment(_) => (Duration::ZERO, 0),
        };
        TimeSettings {
            main: self.main,
            period,
            stones,
        }
    }
}

/// Parses a time that is not 0.
fn seconds(text: &str) -> Option<Duration> {
    let time = duration::parse(text)?;
    (!time.is_zero() && time <= MAX_TIME).then_some(time)
}

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, ParseTimeControlError> {
        let parse = || {
            if let Some(period) = text.strip_suffix("/move") {
                let period = seconds(period)?;
                let extra = Extra::Overtime { period, moves: 1 };
                let main = Duration::ZERO;
                return Some(TimeControl { main, extra });
            }
            let (main, extra) = match text.split_once('+') {
                None => (text, Extra::None),
                Some((main, extra)) => {
                    let extra = match extra.split_once('/') {
                        None => Extra::Increment(seconds(extra)?),
                        Some((period, moves)) => {
                            let moves = moves.parse().ok();
                            let moves = moves.filter(|moves| (1..=MAX_MOVES).contains(moves))?;
                            let period = seconds(period)?;
                            Extra::Overtime { period, moves }
                        }
                    };
                    (main, extra)
                }
            };
            let main = match (main, extra) {
                ("0", Extra::Overtime { .. }) => Duration::ZERO,
                _ => seconds(main)?,
            };
            Some(TimeControl { main, extra })
        };
        parse().ok_or(ParseTimeControlError)
    }
}

/// Writes the text form.
impl Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let main = self.main.as_secs_f64();
        match self.extra {
            Extra::None => write!(f, "{main}"),
            Extra::Increment(increment) => write!(f, "{main}+{}", increment.as_secs_f64()),
            Extra::Overtime { period, moves: 1 } if self.main.is_zero() => {
                write!(f, "{}/move", period.as_secs_f64())
            }
            Extra::Overtime { period, moves } => {
                write!(f, "{main}+{}/{moves}", period.as_secs_f64())
            }
        }
    }
}

as_text! {
    TimeControl: "a time control such as 60+0.6",
}

/// The clock of a player.
///
/// As in GoGui, the move during which the main time ends is the first one of the overtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchClock {
    control: TimeControl,
    left: TimeLeft,
}

/// A flag that has fallen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("it used {:.3} s and had {:.3} s", .used.as_secs_f64(), .allowed.as_secs_f64())]
pub struct FlagFallen {
    /// The time that the player used for the move.
    pub used: Duration,
    /// The time that the player had for it.
    pub allowed: Duration,
}

impl MatchClock {
    /// Returns the clock at the start of a game.
    pub fn new(control: TimeControl) -> MatchClock {
        let left = control.gtp_settings().full();
        MatchClock { control, left }
    }

    /// Returns the time control.
    pub const fn control(&self) -> TimeControl {
        self.control
    }

    /// Returns the time left.
    pub const fn left(&self) -> TimeLeft {
        self.left
    }

    /// Returns how long the player may think about the next move before the flag falls.
    pub const fn allowed(&self) -> Duration {
        match self.control.extra {
            Extra::Overtime { period, .. } if self.left.stones == 0 => {
                self.left.time.saturating_add(period)
            }
            _ => self.left.time,
        }
    }

    /// Takes the time of a move from the clock. A player who exceeds the time by no more than
    /// `margin` has used all of it.
    ///
    /// # Errors
    /// The flag has fallen. The clock is unchanged.
    pub fn spend(&mut self, used: Duration, margin: Duration) -> Result<(), FlagFallen> {
        let allowed = self.allowed();
        if used > allowed.saturating_add(margin) {
            return Err(FlagFallen { used, allowed });
        }
        let used = used.min(allowed);
        self.left = self.left.after(used, self.control.gtp_settings());
        if let Extra::Increment(increment) = self.control.extra {
            self.left.time = self.left.time.saturating_add(increment);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clock(control: &str) -> MatchClock {
        MatchClock::new(control.parse().unwrap())
    }

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    /// Spends these times and returns what is left after each.
    fn after(control: &str, moves: &[f64]) -> Vec<(f64, u32)> {
        let mut clock = clock(control);
        let spend = |&used: &f64| {
            clock.spend(seconds(used), Duration::ZERO).unwrap();
            let left = clock.left();
            (left.time.as_secs_f64(), left.stones)
        };
        moves.iter().map(spend).collect()
    }

    #[test]
    fn texts_are_parsed_and_printed() {
        for text in ["60", "0.5", "60+0.6", "60+30/25", "2/move", "0+30/5"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for (text, seconds) in [("1:00+0:00.6", "60+0.6"), ("5m+30s/25", "300+30/25")] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), seconds);
        }
        for text in [
            "", "0", "-1", "60+", "60+0", "60/25", "0/move", "60+30/0", "nan", "inf", "1e9",
        ] {
            assert_eq!(
                text.parse::<TimeControl>(),
                Err(ParseTimeControlError),
                "{text}"
            );
        }
    }

    #[test]
    fn an_increment_is_added_after_each_move() {
        assert_eq!(
            after("10+2", &[3.0, 9.0, 0.5]),
            [(9.0, 0), (2.0, 0), (3.5, 0)]
        );
    }

    #[test]
    fn the_move_in_which_the_main_time_ends_is_the_first_of_the_overtime() {
        assert_eq!(
            after("10+6/3", &[4.0, 8.0, 1.0, 2.5, 5.0]),
            [(6.0, 0), (4.0, 2), (3.0, 1), (6.0, 3), (1.0, 2)]
        );
        assert_eq!(after("2/move", &[1.5, 0.1]), [(2.0, 1), (2.0, 1)]);
    }

    #[test]
    fn a_flag_falls_when_the_margin_is_exceeded_too() {
        let margin = seconds(0.1);
        let mut short = clock("1");
        assert_eq!(short.spend(seconds(1.1), margin), Ok(()));
        assert_eq!(short.left().time, Duration::ZERO);
        let fallen = short.spend(seconds(0.25), margin).unwrap_err();
        assert_eq!(fallen.to_string(), "it used 0.250 s and had 0.000 s");
        assert_eq!(clock("1+5/2").allowed(), seconds(6.0));
    }

    proptest! {
        #[test]
        fn no_clock_gives_more_than_its_control(
            main in 1..100_u32, period in 1..100_u32, moves in 1..5_u32,
            used in proptest::collection::vec(0..120_u32, 1..40),
        ) {
            let mut clock = clock(&format!("{main}+{period}/{moves}"));
            let mut total = 0;
            let mut number = 0;
            for used in used {
                if clock.spend(Duration::from_secs(used.into()), Duration::ZERO).is_err() {
                    break;
                }
                total += used;
                number += 1;
                // Every period but the current one has made all its moves.
                let periods = number / moves + 1;
                prop_assert!(total <= main + periods * period);
            }
        }
    }
}
