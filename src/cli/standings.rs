//! `gothello standings`.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;

use super::Run;
use crate::netref::RESULTS;
use crate::tournament::{ResultsFile, ResultsFileError};

/// Print the standings of a tournament
///
/// They are computed from the results file that `gothello goref` writes, also while the
/// tournament is still being played.
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
#[command(after_help = "Example:\n  gothello standings contest/tournament-0001.jsonl")]
pub(super) struct Arguments {
    /// Results file, such as contest/tournament-0001.jsonl
    file: PathBuf,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
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
