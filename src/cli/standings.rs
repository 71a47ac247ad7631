//! `gothello standings`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::tournament::ResultsFile;

/// Print the standings of a tournament
///
/// They are computed from the results file that `gothello goref` writes, also while the
/// tournament is still being played.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello standings contest/tournament-0001.jsonl")]
pub(super) struct Arguments {
    /// Results file, such as contest/tournament-0001.jsonl
    file: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let tournament = ResultsFile::read(&arguments.file)?;
    write!(io::stdout(), "{}", tournament.standings_table())?;
    Ok(())
}
