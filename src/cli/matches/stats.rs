//! `gothello match stats`.

use std::io::Write;

use anyhow::Result;
use clap::Args;

use crate::cli::output::Output;
use crate::cli::{Run, wrong_usage};
use crate::matches::Statistics;
use crate::statistics::{Model, Pentanomial, Sprt, WinDrawLoss};

/// Compute Elo, its error, and tests from the results of any match
///
/// Takes the results of one player against another: either of all games, or of pairs of games
/// with the same opening and both colors, whose error is smaller if openings favor a color.
///
/// Prints a JSON object: "score", the mean score of a game, 0 to 1; "elo" and "nelo", by how much
/// the player is stronger, in Elo and in normalized Elo, with "elo_error" and "nelo_error", half
/// the widths of their 95 % confidence intervals; "los", the likelihood of superiority, 0 to 1;
/// and "llr", the log-likelihood ratio of the test that --sprt describes. What the
/// results do not determine is null: "llr" without --sprt, all but "score" and "llr" if all scores are the
/// same, "elo_error" of few games. All numbers are those of fastchess, which has some for results
/// that are all the same.
///
/// With --sprt there are also "llr_lower" and "llr_upper", the bounds at which the test ends, and
/// "decision": H0 if the player is not stronger than elo0, H1 if the player is at least elo1
/// stronger, or continue.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello match stats --wdl 136,111,96\n  \
    gothello match stats --pairs 34,54,63,64,75 --sprt elo0=0,elo1=10,alpha=0.05,beta=0.05")]
pub struct Arguments {
    #[command(flatten)]
    results: Results,
    /// Sequential probability ratio test, such as elo0=0,elo1=10,alpha=0.05,beta=0.05: whether the
    /// player is stronger by elo0 or by elo1, with the rates of wrong decisions alpha (for H1) and
    /// beta (for H0). Add model=normalized (in normalized Elo, the default), model=logistic (in
    /// Elo), or model=bayesian (for --wdl)
    #[arg(long, value_name = "SETTINGS")]
    sprt: Option<Sprt>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Results {
    /// Games won, drawn and lost, such as 136,111,96
    #[arg(long, value_name = "W,D,L")]
    wdl: Option<WinDrawLoss>,
    /// Pairs of games by the points of both: both lost; one lost and one drawn; both drawn, or one
    /// won and one lost; one won and one drawn; both won. Six numbers are those of fastchess:
    /// LL,LD,WL,DD,WD,WW
    #[arg(long, value_name = "LL,LD,DD_or_WL,WD,WW")]
    pairs: Option<Pentanomial>,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let (strength, llr) = match (self.results.wdl, self.results.pairs) {
            (_, Some(pairs)) => {
                let llr = self.sprt.map(|sprt| {
                    let llr = sprt.llr_of_pairs(&pairs);
                    llr.ok_or_else(|| {
                        wrong_usage(format!(
                            "--sprt with model={} takes --wdl: it knows no pairs of games",
                            Model::Bayesian
                        ))
                    })
                });
                (pairs.strength(), llr.transpose()?)
            }
            (games, None) => {
                let games = games.unwrap_or_default();
                let llr = self.sprt.map(|sprt| sprt.llr_of_games(&games));
                (games.strength(), llr)
            }
        };
        let test = self.sprt.as_ref().zip(llr);
        let statistics = Statistics::new(strength.as_ref(), test);
        writeln!(Output::lock(), "{}", serde_json::to_string(&statistics)?)?;
        Ok(())
    }
}
