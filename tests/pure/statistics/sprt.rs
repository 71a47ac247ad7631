//! The sequential probability ratio test.

use gothello::statistics::{Decision, Model, Pentanomial, Sprt, WinDrawLoss};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::cases;

fn sprt(elo0: f64, elo1: f64, model: Model) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
}

fn wdl([wins, draws, losses]: [u64; 3]) -> WinDrawLoss {
    WinDrawLoss {
        wins,
        draws,
        losses,
    }
}

/// The figures are from `app/tests/sprt_test.cpp` of <https://github.com/Disservin/fastchess>,
/// which checks them to 1 %.
#[test]
fn the_figures_of_fastchess_for_games() {
    use Model::{Bayesian, Logistic, Normalized};
    for (games, elo0, elo1, model, llr) in [
        ([36433, 68692, 36027], 0.0, 2.0, Normalized, 0.92),
        ([10871, 20431, 10650], -1.75, 0.25, Normalized, 2.30),
        ([4250, 0, 0], 0.0, 10.0, Normalized, 120.56),
        ([21404, 40708, 21184], 0.5, 2.5, Logistic, -1.57),
        ([57433, 106593, 57030], 0.0, 2.0, Logistic, -2.59),
        ([68965, 128429, 68526], 0.0, 2.0, Bayesian, -1.26),
        ([21629, 41111, 21484], 0.5, 2.5, Bayesian, -1.13),
    ] {
        let found = sprt(elo0, elo1, model).llr_of_games(&wdl(games));
        assert!((found - llr).abs() < 0.013, "{model}: {found}, not {llr}");
    }
}

/// As above.
#[test]
fn the_figures_of_fastchess_for_pairs() {
    use Model::{Logistic, Normalized};
    for (pairs, elo0, elo1, model, llr) in [
        ("365,16618,36029,200,16974,390", 0.0, 2.0, Normalized, 2.25),
        ("127,4883,10311,401,5150,104", -1.75, 0.25, Normalized, 3.01),
        ("0,0,0,0,0,5550", 0.0, 5.0, Normalized, 111.82),
        ("223,9863,20279,1000,10037,246", 0.5, 2.5, Logistic, -3.07),
        ("871,26175,55003,980,26678,821", 0.0, 2.0, Logistic, -4.98),
    ] {
        let counts = pairs.parse().unwrap();
        let found = sprt(elo0, elo1, model).llr_of_pairs(&counts).unwrap();
        assert!((found / llr - 1.0).abs() < 0.003, "{found}, not {llr}");
    }
}

#[test]
fn the_bounds_are_those_of_wald() {
    let sprt = Sprt::new(0.0, 10.0, 0.05, 0.1, Model::Logistic).unwrap();
    assert_eq!(format!("{:.3}", sprt.lower_bound()), "-2.251");
    assert_eq!(format!("{:.3}", sprt.upper_bound()), "2.890");
    for (llr, decision) in [
        (-2.26, Decision::H0),
        (-2.25, Decision::Continue),
        (0.0, Decision::Continue),
        (2.89, Decision::Continue),
        (2.9, Decision::H1),
    ] {
        assert_eq!(sprt.decision(llr), decision, "{llr}");
    }
}

#[test]
fn without_results_nothing_is_decided() {
    for model in [Model::Normalized, Model::Logistic, Model::Bayesian] {
        let sprt = sprt(0.0, 10.0, model);
        assert_eq!(sprt.llr_of_games(&WinDrawLoss::default()), 0.0);
        let pairs = sprt.llr_of_pairs(&Pentanomial::default());
        assert_eq!(pairs, (model != Model::Bayesian).then_some(0.0));
    }
    let bayesian = sprt(0.0, 10.0, Model::Bayesian);
    assert_eq!(bayesian.llr_of_games(&wdl([50, 20, 0])), 0.0);
}

#[test]
fn settings_are_printed_as_they_are_parsed() {
    let settings = "elo0=-1.75,elo1=0.25,alpha=0.05,beta=0.1,model=bayesian";
    let sprt: Sprt = settings.parse().unwrap();
    assert_eq!(sprt.to_string(), settings);
    assert_eq!((sprt.elo0(), sprt.elo1()), (-1.75, 0.25));
    let short: Sprt = " beta=0.05, alpha=0.05 ,elo1=10,elo0=0".parse().unwrap();
    assert_eq!(short.model(), Model::Normalized);
    assert_eq!(short.to_string().parse(), Ok(short));
}

#[test]
fn errors_about_wrong_settings_say_what_would_be_right() {
    let refused = |text: &str| text.parse::<Sprt>().unwrap_err().to_string();
    insta::assert_snapshot!(
        [
            "",
            "elo0=0,elo1",
            "elo0=0,elo1=10,alpha=0.05,beta=0.05,draws=3",
            "elo0=0,elo1=10,alpha=0.05",
            "elo0=0,elo0=0,elo1=10,alpha=0.05,beta=0.05",
            "elo0=zero,elo1=10,alpha=0.05,beta=0.05",
            "elo0=0,elo1=10,alpha=0.05,beta=0.05,model=elo",
            "elo0=5,elo1=5,alpha=0.05,beta=0.05",
            "elo0=0,elo1=1001,alpha=0.05,beta=0.05",
            "elo0=nan,elo1=10,alpha=0.05,beta=0.05",
            "elo0=0,elo1=10,alpha=0.5,beta=0.05",
            "elo0=0,elo1=10,alpha=0.05,beta=0",
        ]
        .map(refused)
        .join("\n"),
        @r#"
"" is no setting: give elo0, elo1, alpha, beta, and perhaps model, as in elo0=0,elo1=10,alpha=0.05,beta=0.05,model=normalized
"elo1" is no setting: give elo0, elo1, alpha, beta, and perhaps model, as in elo0=0,elo1=10,alpha=0.05,beta=0.05,model=normalized
"draws=3" is no setting: give elo0, elo1, alpha, beta, and perhaps model, as in elo0=0,elo1=10,alpha=0.05,beta=0.05,model=normalized
beta is missing: give all of elo0=0,elo1=10,alpha=0.05,beta=0.05
elo0 is given twice
elo0=zero is not a number
"elo" is no model: give model=normalized, model=logistic or model=bayesian
elo0=5 is not less than elo1=5
elo1 is out of range: give a difference from -1000 to 1000
elo0 is out of range: give a difference from -1000 to 1000
alpha is a rate of wrong decisions: give a number between 0 and 0.5, such as 0.05
beta is a rate of wrong decisions: give a number between 0 and 0.5, such as 0.05
"#
    );
    let nan = Sprt::new(0.0, f64::NAN, 0.05, 0.05, Model::Logistic);
    assert!(
        nan.unwrap_err()
            .to_string()
            .starts_with("elo1 is out of range")
    );
}

/// The maximum of a concave function between two numbers.
fn maximum(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..300 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if f(left) < f(right) {
            low = left;
        } else {
            high = right;
        }
    }
    f((low + high) / 2.0)
}

/// The log-likelihood ratio of games: distributions of three scores with a given mean, or a given
/// mean in standard deviations above 1/2, differ in only one number, the share of games that were
/// not drawn. So a numerical search finds the likeliest ones.
fn naive_llr(games: [u64; 3], elo0: f64, elo1: f64, model: Model) -> f64 {
    let counts = games.map(|count| if count == 0 { 1e-3 } else { count as f64 });
    let log_likelihood = |wins: f64, decided: f64| {
        let shares = [wins, 1.0 - decided, decided - wins];
        let is_distribution = shares.iter().all(|&share| share > 0.0);
        let terms = counts.iter().zip(shares).map(|(n, p)| n * p.ln());
        match is_distribution {
            true => terms.sum(),
            false => f64::NEG_INFINITY,
        }
    };
    let likeliest = |elo: f64| match model {
        Model::Normalized => {
            let ratio = elo / 800.0 * 10.0_f64.ln();
            let square = ratio * ratio;
            maximum(square / (1.0 + square), 1.0, |decided| {
                let surplus = (decided / 4.0 / (1.0 + square)).sqrt() * ratio;
                log_likelihood(decided / 2.0 + surplus, decided)
            })
        }
        _ => {
            let score = 1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0));
            maximum((2.0 * score - 1.0).abs(), 1.0, |decided| {
                log_likelihood(decided / 2.0 + score - 0.5, decided)
            })
        }
    };
    likeliest(elo1) - likeliest(elo0)
}

/// Counts of all sizes.
fn count() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 1_u64..10, 1_u64..1_000, Just(100_000)]
}

/// Tests decide wrongly about as often as they claim, even if most scores of pairs never occur.
#[test]
#[ignore = "simulates a thousand tests"]
fn wrong_decisions_are_as_rare_as_asked_for() {
    let sprt = sprt(0.0, 50.0, Model::Normalized);
    let mut rng = StdRng::seed_from_u64(3);
    let tests = 250;
    // The share of pairs in which one player wins both games; the others are split.
    for decided in [0.5, 0.1] {
        for (nelo, wrong) in [(0.0, Decision::H1), (50.0, Decision::H0)] {
            // By how many standard deviations the mean score is above 1/2.
            let ratio = std::f64::consts::SQRT_2 * nelo * std::f64::consts::LN_10 / 800.0;
            let surplus = ratio * (decided / 4.0 / (1.0 + ratio * ratio)).sqrt();
            let [lost, won] = [-surplus, surplus].map(|surplus| decided / 2.0 + surplus);
            let (mut wrong_ones, mut pairs) = (0, 0);
            for _ in 0..tests {
                let mut counts = [0; 5];
                let decision = loop {
                    let drawn = f64::from(rng.random_range(0..1_000_000)) / 1e6;
                    let score = match drawn {
                        drawn if drawn < lost => 0,
                        drawn if drawn < lost + won => 4,
                        _ => 2,
                    };
                    counts[score] += 1;
                    pairs += 1;
                    let llr = sprt.llr_of_pairs(&Pentanomial::new(counts)).unwrap();
                    match sprt.decision(llr) {
                        Decision::Continue => {}
                        decision => break decision,
                    }
                };
                wrong_ones += u32::from(decision == wrong);
            }
            let share = f64::from(wrong_ones) / f64::from(tests);
            let pairs = f64::from(pairs) / f64::from(tests);
            println!("{decided} decided, {nelo} nElo: {share} wrong after {pairs} pairs");
            // Two standard deviations above the requested rate.
            assert!(share < 0.08, "{share}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases::cases(1_000)))]

    #[test]
    fn ratios_of_games_agree_with_a_numerical_search(
        games in prop::array::uniform3(count()),
        (elo0, width) in (-1000.0_f64..900.0, 0.1_f64..100.0),
        model in prop_oneof![Just(Model::Normalized), Just(Model::Logistic)],
    ) {
        let size: u64 = games.iter().sum();
        prop_assume!(size > 0);
        let elo1 = elo0 + width;
        let found = sprt(elo0, elo1, model).llr_of_games(&wdl(games));
        let naive = naive_llr(games, elo0, elo1, model);
        prop_assert!((found - naive).abs() < 1e-6 * (1.0 + size as f64), "{found}, not {naive}");
    }

    /// Evidence for one player is evidence against the other.
    #[test]
    fn both_players_see_the_same_test(
        counts in prop::array::uniform5(count()),
        (elo0, width) in (-1000.0_f64..900.0, 0.1_f64..100.0),
        model in prop_oneof![Just(Model::Normalized), Just(Model::Logistic)],
    ) {
        let pairs = Pentanomial::new(counts);
        let own = sprt(elo0, elo0 + width, model).llr_of_pairs(&pairs).unwrap();
        let other = sprt(-elo0 - width, -elo0, model).llr_of_pairs(&pairs.reversed()).unwrap();
        prop_assert!(own.is_finite());
        let size = pairs.pairs() as f64;
        prop_assert!((own + other).abs() < 1e-6 * (1.0 + size), "{own}, {other}");
    }
}
