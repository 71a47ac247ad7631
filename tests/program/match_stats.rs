//! `gothello match stats`.

use std::path::Path;

use serde_json::Value;

use crate::subcommand::Subcommand;

const MATCH: Subcommand = Subcommand("match");

/// The output of `gothello match stats`.
fn stats(arguments: &[&str]) -> Value {
    let printed = MATCH.stdout(Path::new("."), &[&["stats"], arguments].concat());
    assert_eq!(printed.lines().count(), 1, "{printed}");
    serde_json::from_str(&printed).unwrap()
}

/// The numbers to three decimals, in alphabetical order of the keys.
fn shown(stats: &Value) -> String {
    let entries = stats.as_object().unwrap().iter();
    let entries = entries.map(|(key, value)| match value.as_f64() {
        Some(number) => format!("{key} {number:.3}"),
        None => format!("{key} {value}"),
    });
    entries.collect::<Vec<_>>().join(", ")
}

/// The figures are those of fastchess: see `tests/pure/statistics`.
#[test]
fn games_and_pairs_have_their_statistics() {
    let games = stats(&["--wdl", "136,111,96"]);
    insta::assert_snapshot!(shown(&games), @r#"elo 40.702, elo_error 30.427, llr null, los 0.996, nelo 49.768, nelo_error 36.768, score 0.558"#);
    let sprt = "elo0=0,elo1=2,alpha=0.05,beta=0.05";
    let pairs = ["--pairs", "365,16618,36229,16974,390", "--sprt", sprt];
    insta::assert_snapshot!(shown(&stats(&pairs)), @r#"decision "continue", elo 0.999, elo_error 0.923, llr 2.250, llr_lower -2.944, llr_upper 2.944, los 0.983, nelo 1.962, nelo_error 1.813, score 0.501"#);
    // The same, with the counts of fastchess.
    let six = ["--pairs", "365,16618,36029,200,16974,390", "--sprt", sprt];
    assert_eq!(stats(&pairs), stats(&six));
    let logistic = format!("{sprt},model=logistic");
    let decided = stats(&["--pairs", "871,26175,55983,26678,821", "--sprt", &logistic]);
    assert_eq!(decided["decision"], "H0");
    let bayesian = format!("{sprt},model=bayesian");
    let games = stats(&["--wdl", "68965,128429,68526", "--sprt", &bayesian]);
    assert_eq!(games["decision"], "continue");
    assert!((games["llr"].as_f64().unwrap() + 1.26).abs() < 0.01);
}

#[test]
fn an_unknown_value_is_null() {
    insta::assert_snapshot!(shown(&stats(&["--wdl", "0,0,0"])), @r#"elo null, elo_error null, llr null, los null, nelo null, nelo_error null, score null"#);
    insta::assert_snapshot!(shown(&stats(&["--wdl", "5,0,0"])), @r#"elo null, elo_error null, llr null, los null, nelo null, nelo_error null, score 1.000"#);
    insta::assert_snapshot!(shown(&stats(&["--pairs", "0,0,3,0,0"])), @r#"elo null, elo_error null, llr null, los null, nelo null, nelo_error null, score 0.500"#);
    insta::assert_snapshot!(shown(&stats(&["--wdl=3,0,1"])), @r#"elo 190.849, elo_error null, llr null, los 0.876, nelo 200.592, nelo_error 340.481, score 0.750"#);
}

#[test]
fn wrong_usage_is_reported() {
    let error = |arguments: &[&str]| {
        let arguments = [&["stats"], arguments].concat();
        MATCH.error(Path::new("."), &arguments, 2)
    };
    let sprt = "elo0=0,elo1=2,alpha=0.05,beta=0.05,model=bayesian";
    insta::assert_snapshot!(
        [
            error(&[]),
            error(&["--wdl", "1,2"]),
            error(&["--wdl=-1,2,3"]),
            error(&["--wdl", "1,2,3", "--pairs", "1,2,3,4,5"]),
            error(&["--pairs", "1,2,3"]),
            error(&["--pairs", "1,2,3,4,5", "--sprt", sprt]),
            error(&["--wdl", "1,2,3", "--sprt", "elo0=2,elo1=0,alpha=0.05,beta=0.05"]),
        ]
        .join("\n"),
        @r#"
error: the following required arguments were not provided:
error: invalid value '1,2' for '--wdl <W,D,L>': give three counts, wins, draws and losses, such as 34,20,16, not 2
error: invalid value '-1,2,3' for '--wdl <W,D,L>': "-1" is not a count: give whole numbers from 0 to 18446744073709551615, with commas between them
error: the argument '--wdl <W,D,L>' cannot be used with '--pairs <LL,LD,DD_or_WL,WD,WW>'
error: invalid value '1,2,3' for '--pairs <LL,LD,DD_or_WL,WD,WW>': give the counts of pairs LL,LD,DD_or_WL,WD,WW, such as 34,54,63,64,75, or six, LL,LD,WL,DD,WD,WW, not 3
error: --sprt with model=bayesian takes --wdl: it knows no pairs of games
error: invalid value 'elo0=2,elo1=0,alpha=0.05,beta=0.05' for '--sprt <SETTINGS>': elo0=2 is not less than elo1=0
"#
    );
    let nothing = MATCH.run(Path::new("."), &[]);
    assert_eq!(nothing.status.code(), Some(2));
}
