//! Numbers of points: read, added, compared and written.

use gothello::go::{ByColor, Mercy, Rules, Score};
use proptest::prelude::*;

fn score(text: &str) -> Score {
    text.parse().unwrap()
}

#[test]
fn scores_are_written_as_short_as_they_can_be() {
    for (text, written) in [
        ("2", "2"),
        ("2.0", "2"),
        ("007.50", "7.5"),
        ("6.5", "6.5"),
        ("-0.25", "-0.25"),
        ("-0", "0"),
        ("0.000000000000000001", "0.000000000000000001"),
        ("999999999999999999.5", "999999999999999999.5"),
    ] {
        assert_eq!(score(text).to_string(), written);
    }
    assert_eq!(
        format!("{:>6}|{:<6}|", score("6.5"), score("-7")),
        "   6.5|-7    |"
    );
}

#[test]
fn invalid_decimals_are_refused() {
    for text in [
        "",
        "-",
        ".",
        ".5",
        "5.",
        "+5",
        "1e3",
        "0x1",
        "1,5",
        " 1",
        "1.-5",
        "1.5.5",
        "NaN",
        "inf",
        "٣",
        "1000000000000000000",
        "0.0000000000000000001",
    ] {
        assert!(text.parse::<Score>().is_err(), "{text}");
    }
    assert_eq!(
        "1,5".parse::<Score>().unwrap_err().to_string(),
        "\"1,5\" is not a score: use a decimal like 6.5, below 10^18 and with at most 18 digits after \
         the point"
    );
    for number in [
        f64::NAN,
        f64::INFINITY,
        -f64::INFINITY,
        1e18,
        1e-19,
        f64::MAX,
    ] {
        assert!(Score::try_from(number).is_err(), "{number}");
    }
}

#[test]
fn decimals_add_up_as_on_paper() {
    assert_eq!(score("0.1") + score("0.2"), score("0.3"));
    assert_eq!(score("50") - score("0.1"), score("49.9"));
    assert_eq!(score("8") + score("1.1") + score("2.2"), score("11.3"));
}

#[test]
fn scores_know_whether_they_are_whole() {
    assert_eq!(score("25").whole(), Some(25));
    assert_eq!(score("-25").whole(), Some(-25));
    assert_eq!(score("6.5").whole(), None);
    assert_eq!(score("6.5").to_f64(), 6.5);
    assert_eq!(score("36.1").to_f64(), 36.1);
}

#[test]
fn the_largest_numbers_have_room() {
    let most = u64::from(u32::MAX) * u64::from(u32::MAX);
    let sum = Score::from(most) + Score::from(625_u64) + score("999999999999999999.5");
    assert_eq!(sum.to_string(), "19446744065119617649.5");
    assert_eq!((-sum - sum).to_string(), "-38893488130239235299");
    // More than a game can reach: the sum saturates instead of overflowing.
    let mut much = sum;
    for _ in 0..20 {
        assert!(much + much >= much, "{much}");
        much = much + much;
    }
    assert_eq!((-much).abs(), much);
}

#[test]
fn mercy_takes_no_negative_margin() {
    assert_eq!(Mercy::new(score("-0.5"), 0), None);
    assert_eq!(Mercy::new(Score::ZERO, 0), Some(Mercy::OFF));
    assert_ne!(Rules::default().mercy, Mercy::OFF);
}

proptest! {
    /// Thousandths are integers: the sums of integers are right.
    #[test]
    fn scores_agree_with_integers(pair in any::<(i32, i32)>()) {
        let ByColor { black, white } = ByColor::new(pair.0, pair.1).map(thousandths);
        let sum = i64::from(pair.0) + i64::from(pair.1);
        prop_assert_eq!(black.cmp(&white), pair.0.cmp(&pair.1));
        prop_assert_eq!((black + white).to_string(), written(sum));
        prop_assert_eq!(black + white - white, black);
        prop_assert_eq!(-(black - white), white - black);
    }

    #[test]
    fn written_text_is_read_back(number in any::<i32>(), digits in 0..9) {
        let read = thousandths(number);
        prop_assert_eq!(read.to_string().parse(), Ok(read));
        let number = f64::from(number) / 10_f64.powi(digits);
        let read = Score::try_from(number).unwrap();
        prop_assert_eq!(read.to_f64(), number);
        prop_assert_eq!(read.to_string(), (number + 0.0).to_string());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[-+.0-9eE]{0,45}|.*") {
        if let Ok(score) = text.parse::<Score>() {
            prop_assert_eq!(score.to_string().parse(), Ok(score));
        }
    }
}

fn thousandths(number: i32) -> Score {
    let sign = if number < 0 { "-" } else { "" };
    let magnitude = number.unsigned_abs();
    score(&format!(
        "{sign}{}.{:03}",
        magnitude / 1000,
        magnitude % 1000
    ))
}

/// A number of thousandths without zeros at the end.
fn written(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let magnitude = number.unsigned_abs();
    let text = format!("{sign}{}.{:03}", magnitude / 1000, magnitude % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
