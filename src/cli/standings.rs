//! `gothello standings`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;

use super::Run;
use crate::names::isolated;
use crate::netref::{RESULTS, RatedMatch, rated_matches};
use crate::statistics::{PlayedGame, Rating, Ratings};
use crate::tournament::{ResultsFile, ResultsFileError};

/// Print the standings of a tournament, or ratings
///
/// They are computed from the results file that `gothello goref` or `gothello netref` writes, also
/// while the tournament is still being played.
///
/// Of a table of results (results.tsv) that `gothello netref` writes, the ratings of all players
/// are printed, from all matches with a result: in Elo, with the 95 % interval, as `gothello match
/// report` computes them. The mean of players who are connected by matches is 0.
///
/// Players with the same points are ordered by Buchholz (the points of all opponents; in a Swiss
/// tournament), then by S-Berger, Sonneborn-Berger (the points of the opponents that were
/// defeated, and half of the points of those tied with), then by the games between them, then by
/// wins.
///
/// A column of a Swiss tournament is a round: 3b1 is the game against the player in line 3, with
/// Black (w: with White), won; 3:10 is two games, the first one won and the second one lost. A
/// column of a round robin is the player in that line. A game is 1 won, = tied, 0 lost, + won by
/// forfeit, - lost by forfeit, . not yet played.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello standings contest/tournament-0001.jsonl  the standings\n  \
    gothello standings matches/results.tsv            ratings")]
pub(super) struct Arguments {
    /// Results file, such as contest/tournament-0001.jsonl, or results.tsv
    file: PathBuf,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        if self.file.file_name() == Some(OsStr::new(RESULTS)) {
            let table = fs::read_to_string(&self.file)
                .map_err(|error| anyhow!("{}: {error}", self.file.display()))?;
            if let Some(matches) = rated_matches(&table) {
                write!(io::stdout(), "{}", ratings_table(&matches)?)?;
                return Ok(());
            }
        }
        let tournament = ResultsFile::read(&self.file).map_err(|error| match error {
            ResultsFileError::NotResults(file) if file.ends_with("games.jsonl") => anyhow!(
                "{}: this is the list of finished games; the standings are computed from a results \
                 file such as {}",
                file.display(),
                file.with_file_name("tournament-0001.jsonl").display()
            ),
            error if self.file.file_name() == Some(OsStr::new(RESULTS)) => anyhow!(
                "{error}; {RESULTS} is the table of results that `gothello netref` writes, and has no \
                 tournament: `gothello standings` reads the results files of `gothello goref`, such \
                 as tournament-0001.jsonl"
            ),
            error => error.into(),
        })?;
        write!(io::stdout(), "{}", tournament.standings_table())?;
        Ok(())
    }
}

/// Returns a line for each player, the strongest first in each group of players who are connected
/// by matches.
fn ratings_table(matches: &[RatedMatch]) -> Result<String> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for name in matches.iter().flat_map(|(players, _)| players.iter()) {
        let next = numbers.len();
        numbers.entry(name).or_insert(next);
    }
    let games: Vec<PlayedGame> = matches
        .iter()
        .map(|(players, winner)| PlayedGame {
            players: players.as_ref().map(|name| numbers[name.as_str()]),
            winner: *winner,
        })
        .collect();
    let ratings = Ratings::new(numbers.len(), &games)?;
    let rated = numbers.into_iter();
    let mut rows: Vec<(&str, &Rating)> = rated
        .filter_map(|(name, number)| Some((name, ratings.get(number)?)))
        .collect();
    rows.sort_by(|(_, one), (_, other)| {
        let by_rating = other.elo.value.total_cmp(&one.elo.value);
        one.group.cmp(&other.group).then(by_rating)
    });
    let mut text = String::from("Group  Elo    95 %  Matches  Name\n");
    for (name, Rating { elo, group, games }) in rows {
        let error = elo
            .error
            .map_or_else(|| "-".into(), |error| format!("±{error:.0}"));
        let (group, name) = (group + 1, isolated(name));
        writeln!(
            text,
            "{group:>5} {:>4.0} {error:>7} {games:>8}  {name}",
            elo.value
        )?;
    }
    Ok(text)
}
