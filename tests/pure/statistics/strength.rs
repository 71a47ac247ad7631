//! The strength of two players.

use gothello::Color;
use gothello::statistics::{Estimate, GameScore, Pentanomial, Strength, WinDrawLoss};
use proptest::prelude::*;

use crate::cases;

/// Rounds as the figures are printed.
fn rounded(estimate: Option<Estimate>) -> Option<(String, String)> {
    let Estimate { value, error } = estimate?;
    Some((format!("{value:.2}"), format!("{:.2}", error?)))
}

fn shown(strength: Option<Strength>) -> String {
    let strength = strength.unwrap();
    let two = |estimate| match rounded(estimate) {
        Some((value, error)) => format!("{value} +/- {error}"),
        None => "-".to_owned(),
    };
    let los = strength.los.map(|los| format!("{:.2} %", 100.0 * los));
    format!(
        "score {:.3}, Elo {}, nElo {}, LOS {}",
        strength.score,
        two(strength.elo),
        two(strength.nelo),
        los.unwrap_or_else(|| "-".to_owned())
    )
}

/// The figures are from `app/tests/elo_test.cpp` of <https://github.com/Disservin/fastchess>,
/// which checks them to 1 %, and prints LOS with two decimals. Where it has no difference in Elo,
/// there is none here.
#[test]
fn the_figures_of_fastchess_for_games() {
    // Wins, draws and losses; score; nElo and its error; Elo and its error; LOS.
    type Figures = (
        [u64; 3],
        f64,
        (f64, f64),
        Option<(f64, f64)>,
        Option<&'static str>,
    );
    let figures: [Figures; 3] = [
        ([76, 123, 89], 0.477, (-20.76, 40.13), None, Some("15.53 %")),
        (
            [136, 111, 96],
            0.558,
            (49.77, 36.77),
            Some((40.70, 30.43)),
            Some("99.60 %"),
        ),
        ([34, 0, 356], 0.087, (-508.44, 34.48), None, None),
    ];
    for ([wins, draws, losses], score, nelo, elo, los) in figures {
        let counts = WinDrawLoss {
            wins,
            draws,
            losses,
        };
        check(counts.strength(), score, nelo, elo, los);
    }
}

/// As above. fastchess counts LL, LD, WL, DD, WD, WW.
#[test]
fn the_figures_of_fastchess_for_pairs() {
    for (pairs, score, nelo, elo, los) in [
        (
            "34,54,31,32,64,75",
            0.579,
            (57.94, 28.28),
            (55.58, 27.65),
            "100.00 %",
        ),
        (
            "332,433,457,41,333,334",
            0.488,
            (-9.17, 10.96),
            (-8.64, 10.33),
            "5.05 %",
        ),
        (
            "7895,8757,5485,200,568,9999",
            0.470,
            (-19.01, 2.65),
            (-21.04, 2.95),
            "0.00 %",
        ),
    ] {
        let counts: Pentanomial = pairs.parse().unwrap();
        check(counts.strength(), score, nelo, Some(elo), Some(los));
    }
}

/// Compares to all printed digits, which is more than 1 %.
fn check(
    strength: Option<Strength>,
    score: f64,
    nelo: (f64, f64),
    elo: Option<(f64, f64)>,
    los: Option<&str>,
) {
    let strength = strength.unwrap();
    let same = |found: Option<Estimate>, (value, error): (f64, f64)| {
        let found = found.unwrap();
        assert!((found.value - value).abs() < 0.0051, "{found:?}, {value}");
        let found = found.error.unwrap();
        assert!((found - error).abs() < 0.0051, "{found:?}, {error}");
    };
    assert!((strength.score - score).abs() < 0.00051, "{strength:?}");
    same(strength.nelo, nelo);
    if let Some(elo) = elo {
        same(strength.elo, elo);
    }
    if let Some(los) = los {
        let found = format!("{:.2} %", strength.los.unwrap() * 100.0);
        assert_eq!(found, los);
    }
}

#[test]
fn an_unknown_estimate_is_not_a_number() {
    let games = |text: &str| shown(text.parse::<WinDrawLoss>().unwrap().strength());
    let pairs = |text: &str| shown(text.parse::<Pentanomial>().unwrap().strength());
    assert_eq!(WinDrawLoss::default().strength(), None);
    assert_eq!(Pentanomial::default().strength(), None);
    insta::assert_snapshot!(
        [
            // All won, lost, and drawn.
            games("7,0,0"),
            games("0,0,7"),
            games("0,7,0"),
            // The interval of the score reaches 1, so that Elo has no error.
            games("3,0,1"),
            games("30,0,10"),
            pairs("0,0,0,0,3"),
            pairs("0,0,0,3,0"),
            pairs("0,3,0,0,0"),
            pairs("0,0,3,0,0"),
            pairs("1,0,0,0,1"),
        ]
        .join("\n"),
        @r#"
score 1.000, Elo -, nElo -, LOS -
score 0.000, Elo -, nElo -, LOS -
score 0.500, Elo -, nElo -, LOS -
score 0.750, Elo -, nElo 200.59 +/- 340.48, LOS 87.59 %
score 0.750, Elo 190.85 +/- 135.58, nElo 200.59 +/- 107.67, LOS 99.99 %
score 1.000, Elo -, nElo -, LOS -
score 0.750, Elo -, nElo -, LOS -
score 0.250, Elo -, nElo -, LOS -
score 0.500, Elo -, nElo -, LOS -
score 0.500, Elo -, nElo 0.00 +/- 340.48, LOS 50.00 %
"#
    );
    let elo = |text: &str| text.parse::<WinDrawLoss>().unwrap().strength().unwrap().elo;
    assert_eq!(elo("7,0,0"), None);
    assert_eq!(elo("0,7,0"), None);
    assert_eq!(elo("3,0,1").unwrap().error, None);
}

#[test]
fn an_estimate_is_printed_with_its_error() {
    let elo = Estimate {
        value: 40.704,
        error: Some(30.43),
    };
    assert_eq!(elo.to_string(), "40.7 ± 30.4");
    assert_eq!(format!("{elo:.2}"), "40.70 ± 30.43");
    assert_eq!(format!("{elo:>13.0}|"), "      41 ± 30|");
    assert_eq!(Estimate { error: None, ..elo }.to_string(), "40.7 ± -");
}

#[test]
fn games_and_pairs_are_counted_one_by_one() {
    use GameScore::{Draw, Loss, Win};
    let mut games = WinDrawLoss::default();
    let mut pairs = Pentanomial::default();
    for (first, second, points) in [
        (Loss, Loss, 0),
        (Loss, Draw, 1),
        (Draw, Loss, 1),
        (Win, Loss, 2),
        (Loss, Win, 2),
        (Draw, Draw, 2),
        (Win, Draw, 3),
        (Draw, Win, 3),
        (Win, Win, 4),
    ] {
        games.add(first);
        games.add(second);
        let before = pairs.counts();
        pairs.add(first, second);
        let after = pairs.counts();
        let changed = (0..5).filter(|&index| before[index] != after[index]);
        assert_eq!(changed.collect::<Vec<_>>(), [points]);
    }
    assert_eq!(pairs, Pentanomial::new([1, 2, 3, 2, 1]));
    assert_eq!(pairs.pairs(), 9);
    assert_eq!(games.games(), 18);
    assert_eq!((games.wins, games.draws, games.losses), (6, 6, 6));
    // Black has won.
    let of = |color| GameScore::of(color, Some(Color::Black));
    assert_eq!([Color::Black, Color::White].map(of), [Win, Loss]);
    assert_eq!(GameScore::of(Color::White, None), Draw);
}

#[test]
fn errors_about_wrong_counts_say_what_would_be_right() {
    let games = |text: &str| text.parse::<WinDrawLoss>().unwrap_err().to_string();
    let pairs = |text: &str| text.parse::<Pentanomial>().unwrap_err().to_string();
    insta::assert_snapshot!(
        [
            games("1,2"),
            games(""),
            games("1,-2,3"),
            games("1,+2,3"),
            games("1,2,99999999999999999999"),
            pairs("1,2,3,4"),
            pairs("1,2,3,4,5,6,7"),
            pairs("1,2,x,4,5"),
            pairs("1,2,18446744073709551615,4,5,6"),
        ]
        .join("\n"),
        @r#"
give three counts, wins, draws and losses, such as 34,20,16, not 2
"" is not a count: give whole numbers from 0 to 18446744073709551615, with commas between them
"-2" is not a count: give whole numbers from 0 to 18446744073709551615, with commas between them
"+2" is not a count: give whole numbers from 0 to 18446744073709551615, with commas between them
"99999999999999999999" is not a count: give whole numbers from 0 to 18446744073709551615, with commas between them
give the counts of pairs LL,LD,DD_or_WL,WD,WW, such as 34,54,63,64,75, or six, LL,LD,WL,DD,WD,WW, not 4
give the counts of pairs LL,LD,DD_or_WL,WD,WW, such as 34,54,63,64,75, or six, LL,LD,WL,DD,WD,WW, not 7
"x" is not a count: give whole numbers from 0 to 18446744073709551615, with commas between them
WL and DD together are more than 18446744073709551615
"#
    );
    assert_eq!(
        " 1, 2,3".parse(),
        Ok(WinDrawLoss {
            wins: 1,
            draws: 2,
            losses: 3
        })
    );
}

/// The mean and the variance of a list of scores.
fn moments(scores: &[f64]) -> (f64, f64) {
    let size = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / size;
    let squares = scores.iter().map(|score| (score - mean) * (score - mean));
    (mean, squares.sum::<f64>() / size)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases::cases(2_000)))]

    /// Computed from the lists of all scores, with two-step formulas.
    #[test]
    fn strengths_agree_with_those_of_lists_of_scores(counts in prop::array::uniform5(0_u64..40)) {
        let scores: Vec<f64> = counts
            .iter()
            .enumerate()
            .flat_map(|(index, &count)| (0..count).map(move |_| index as f64 / 4.0))
            .collect();
        let found = Pentanomial::new(counts).strength();
        prop_assert_eq!(found.is_some(), !scores.is_empty());
        let Some(found) = found else { return Ok(()) };
        let (mean, variance) = moments(&scores);
        prop_assert!((found.score - mean).abs() < 1e-12);
        let elo = |score: f64| -400.0 * (1.0 / score - 1.0).log10();
        if let Some(Estimate { value, error }) = found.elo {
            prop_assert!((value - elo(mean)).abs() < 1e-8);
            let margin = 1.959_963_984_540_054 * (variance / scores.len() as f64).sqrt();
            let naive = (elo(mean + margin) - elo(mean - margin)) / 2.0;
            match error {
                Some(error) => prop_assert!((error - naive).abs() < 1e-8),
                None => prop_assert!(!naive.is_finite() || variance < 1e-12),
            }
        } else {
            prop_assert!(mean == 0.0 || mean == 1.0);
        }
        match found.nelo {
            None => prop_assert!(variance < 1e-12),
            Some(Estimate { value, error }) => {
                let per_game = (2.0 * variance).sqrt();
                let naive = (mean - 0.5) / per_game * 800.0 / 10.0_f64.ln();
                prop_assert!((value - naive).abs() < 1e-8);
                prop_assert!(error.is_some());
            }
        }
    }

    /// The opponent's strength is the negative, and nothing is infinite or not a number.
    #[test]
    fn the_opponent_is_weaker_by_as_much(counts in prop::array::uniform3(any::<u64>())) {
        let [wins, draws, losses] = counts;
        let games = WinDrawLoss { wins, draws, losses };
        let pairs = Pentanomial::new([wins, draws, losses, wins / 2, draws / 3]);
        for (own, other) in [
            (games.strength(), games.reversed().strength()),
            (pairs.strength(), pairs.reversed().strength()),
        ] {
            let (Some(own), Some(other)) = (own, other) else { continue };
            let near = |x: f64, y: f64| (x - y).abs() <= 1e-6 * (1.0 + x.abs());
            prop_assert!(near(own.score, 1.0 - other.score));
            prop_assert!(near(own.los.unwrap_or(0.5), 1.0 - other.los.unwrap_or(0.5)));
            for (own, other) in [(own.elo, other.elo), (own.nelo, other.nelo)] {
                let (Some(own), Some(other)) = (own, other) else { continue };
                prop_assert!(own.value.is_finite() && own.error.is_none_or(f64::is_finite));
                prop_assert!(near(own.value, -other.value));
            }
        }
    }
}
