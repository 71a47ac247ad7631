//! Times as text, as the files of the existing server have them.

use super::rules::Millis;

/// The longest time of a file: ten days.
pub const MAX: Millis = 10 * 24 * 60 * 60 * 1000;

/// Parses `[MM:]SS[.fff]`: minutes, seconds, and a fraction of a second, which is
/// truncated to milliseconds. `15` is fifteen seconds. Returns `None` if the text is not
/// such a time or the time is longer than [`MAX`].
pub fn parse(text: &str) -> Option<Millis> {
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
    (time <= MAX).then_some(time)
}

/// Writes a time as `MM:SS.fff`.
pub fn format(time: Millis) -> String {
    let (seconds, fraction) = (time / 1000, time % 1000);
    format!("{:02}:{:02}.{fraction:03}", seconds / 60, seconds % 60)
}

/// Parses a number of digits only; `str::parse` would accept a sign.
fn number(digits: &str) -> Option<u64> {
    let all = digits.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| digits.parse().ok()).flatten()
}

/// Parses the digits after the point, as thousandths.
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
    fn minutes_are_optional() {
        assert_eq!(parse("15:00"), Some(900_000));
        assert_eq!(parse("15"), Some(15_000));
        assert_eq!(parse(" 0:03 "), Some(3_000));
        assert_eq!(parse("90:00.5"), Some(5_400_500));
        assert_eq!(parse("1.0019"), Some(1_001));
    }

    #[test]
    fn other_texts_are_rejected() {
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
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn formatted_times_are_parsed(time in 0..=MAX) {
            prop_assert_eq!(parse(&format(time)), Some(time));
        }

        #[test]
        fn any_text_is_read_without_harm(text in ".{0,30}") {
            let _ = parse(&text);
        }
    }
}
