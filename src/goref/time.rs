//! Times as they stand in the files of the server that exists.

use super::wire::Millis;

/// The longest time that a file may name: ten days.
pub const LONGEST: Millis = 10 * 24 * 60 * 60 * 1000;

/// Reads `[MM:]SS[.fff]`: minutes, seconds and a fraction of a second; what is
/// finer than a millisecond is left out. `15` is fifteen seconds. `None` where it
/// is not that, or longer than [`LONGEST`].
pub fn read(text: &str) -> Option<Millis> {
    let text = text.trim();
    let (minutes, rest) = match text.split_once(':') {
        Some((minutes, rest)) => (number(minutes)?, rest),
        None => (0, text),
    };
    let (seconds, fraction) = match rest.split_once('.') {
        Some((seconds, fraction)) => (number(seconds)?, thousandths(fraction)?),
        None => (number(rest)?, 0),
    };
    let seconds = minutes.checked_mul(60)?.checked_add(seconds)?;
    let time = seconds.checked_mul(1000)?.checked_add(fraction)?;
    (time <= LONGEST).then_some(time)
}

/// Writes a time as `MM:SS.fff`.
pub fn written(time: Millis) -> String {
    let (seconds, fraction) = (time / 1000, time % 1000);
    format!("{:02}:{:02}.{fraction:03}", seconds / 60, seconds % 60)
}

/// A number of digits only: `parse` would take a sign.
fn number(digits: &str) -> Option<u64> {
    let all = digits.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| digits.parse().ok()).flatten()
}

/// The digits behind the point, as thousandths.
fn thousandths(digits: &str) -> Option<u64> {
    number(digits.get(..digits.len().min(15))?)?;
    let digits = digits.chars().chain("000".chars()).take(3);
    number(&digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn minutes_may_be_left_out() {
        assert_eq!(read("15:00"), Some(900_000));
        assert_eq!(read("15"), Some(15_000));
        assert_eq!(read(" 0:03 "), Some(3_000));
        assert_eq!(read("90:00.5"), Some(5_400_500));
        assert_eq!(read("1.0019"), Some(1_001));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            ":",
            "1:",
            "-1",
            "+1",
            "1:2:3",
            "1.",
            "1e3",
            "x",
            "999999:00",
            "1.x",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(time in 0..=LONGEST) {
            prop_assert_eq!(read(&written(time)), Some(time));
        }

        #[test]
        fn any_text_is_read_without_harm(text in ".{0,30}") {
            let _ = read(&text);
        }
    }
}
