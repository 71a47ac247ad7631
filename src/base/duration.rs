//! Durations as people type them: `90`, `0.5`, `1:30`, or `1m30s`.

use std::time::Duration;

/// The longest duration in seconds, about 31 years.
pub const MAX_SECONDS: u32 = 1_000_000_000;

/// The units, from the largest one, and their seconds. The longer of two names that begin alike
/// stands first.
const UNITS: [(&str, f64); 5] = [
    ("h", 3_600.0),
    ("min", 60.0),
    ("ms", 0.001),
    ("m", 60.0),
    ("s", 1.0),
];

/// Parses a duration: seconds (`90`, `0.5`), minutes and seconds (`1:30`), hours, minutes, and
/// seconds (`1:30:00`), or numbers with the units h, m, min, s, and ms, the largest first
/// (`1h30m`). Returns `None` if it is none of these, or longer than [`MAX_SECONDS`].
pub fn parse(text: &str) -> Option<Duration> {
    let text = text.trim();
    let seconds = if text.contains(':') {
        with_colons(text)?
    } else if text.ends_with(|last: char| last.is_ascii_alphabetic()) {
        with_units(text)?
    } else {
        text.parse().ok()?
    };
    let is_valid = (0.0..=f64::from(MAX_SECONDS)).contains(&seconds);
    is_valid.then(|| Duration::try_from_secs_f64(seconds).ok())?
}

/// Parses `[H:]MM:SS[.fff]`.
fn with_colons(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split(':').collect();
    let (&first, others) = parts.split_first()?;
    if others.len() > 2 {
        return None;
    }
    let mut seconds = f64::from(first.parse::<u32>().ok().filter(|_| is_decimal(first))?);
    for (left, part) in (0..others.len()).rev().zip(others) {
        // Only the last one may have a fraction.
        let number = match left {
            0 => decimal(part)?,
            _ => f64::from(part.parse::<u32>().ok()?),
        };
        // As in 1:90, a minute and a half and more, but not in 1:90:00.
        if number >= 60.0 && others.len() > 1 {
            return None;
        }
        seconds = 60.0 * seconds + number;
    }
    Some(seconds)
}

/// Parses numbers with units, such as `1h 30m`.
fn with_units(text: &str) -> Option<f64> {
    let mut rest = text;
    let mut seconds = 0.0;
    let mut last = f64::INFINITY;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, unit) = rest.split_at_checked(end)?;
        let unit = unit.trim_start();
        let mut units = UNITS.iter();
        let &(name, factor) = units.find(|(name, _)| unit.starts_with(name))?;
        if factor >= last {
            return None;
        }
        last = factor;
        seconds += factor * decimal(number)?;
        rest = unit.strip_prefix(name)?.trim_start();
    }
    Some(seconds)
}

/// Parses a number of digits and perhaps a point; `str::parse` accepts more.
fn decimal(text: &str) -> Option<f64> {
    text.parse().ok().filter(|_| is_decimal(text))
}

fn is_decimal(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    text.contains(|c: char| c.is_ascii_digit()) && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seconds_minutes_and_units_mean_the_same() {
        for (texts, seconds) in [
            (
                &[
                    "90", "90.0", "1:30", "0:01:30", "1m30s", "1m 30s", "1.5m", "1.5 min", "90s",
                ][..],
                90.0,
            ),
            (
                &["0.5", ".5", "0:00.5", "500ms", "0.5s", ".5s", "0s500ms"],
                0.5,
            ),
            (
                &["5400", "90:00", "1:30:00", "1h30m", "1.5h", " 90m "],
                5_400.0,
            ),
            (&["0", "0:00", "0s"], 0.0),
            (&["1:90", "150"], 150.0),
            (&["1e3", "1000"], 1_000.0),
        ] {
            for text in texts {
                assert_eq!(
                    parse(text),
                    Some(Duration::from_secs_f64(seconds)),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in [
            "",
            "soon",
            "-1",
            "nan",
            "inf",
            "1e10",
            "1:60:00",
            "1:00:60",
            "1:2:3:4",
            ":30",
            "1:",
            "1.5:00",
            "1:-1",
            "+1:00",
            "10x",
            "m",
            "1m1h",
            "1m1m",
            "1s30",
            "1..5m",
            "1000000001s",
            "300000h",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "[0-9.: hmins]{0,12}|\\PC{0,12}") {
            let _ = parse(&text);
        }

        #[test]
        fn both_notations_of_a_time_are_read(seconds in 0..=MAX_SECONDS) {
            let expected = Some(Duration::from_secs(seconds.into()));
            let (minutes, rest) = (seconds / 60, seconds % 60);
            prop_assert_eq!(parse(&format!("{minutes}:{rest:02}")), expected);
            prop_assert_eq!(parse(&format!("{minutes}m{rest}s")), expected);
        }
    }
}
