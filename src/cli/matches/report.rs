//! `gothello match report`.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;

use crate::base::counted::counted;
use crate::cli::files::written;
use crate::cli::output::Output;
use crate::cli::{Run, bail_usage};
use crate::matches::{Report, Results, page};
use crate::statistics::Sprt;

/// Print the report on an event: standings, Elo, tests, and how games ended
///
/// Everything is computed from the results file, even while games are still being played.
/// Several files of the same event, such as those of several machines, count as one; a game
/// that is in more than one counts once.
///
/// Elo is the difference in strength of two players with its 95 % confidence interval, and nElo
/// the same in normalized Elo, which does not depend on the share of draws; LOS, the likelihood of
/// superiority, is the probability that the player is the stronger one. With an even number of
/// games of each opening they are computed from pairs of games: LL is a pair that was lost and
/// lost, WD one that was won and drawn. More than two players have ratings, computed from all
/// games at once; their mean is 0. Where all games of an opening and color were the same, they are no
/// more certain than one would make them.
///
/// With --json the report is an object with "game", "sides", "began", "games", "scheduled",
/// "repeated", "players", "pairings", "black", "first_move", "openings", "sprt" and "failures"; a
/// pairing has the keys of `gothello match stats`, and a player of a Swiss tournament a "standing"
/// with its tie-breaks.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello match report results.jsonl\n  \
    gothello match report --html report.html machine-1.jsonl machine-2.jsonl")]
pub struct Arguments {
    /// Results files of an event
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Sequential probability ratio test of each two players, such as
    /// elo0=0,elo1=10,alpha=0.05,beta=0.05 [default: that of the event]
    #[arg(long, value_name = "SETTINGS")]
    sprt: Option<Sprt>,
    /// Take the openings for a sample of all like them, as `gothello match --population` does
    #[arg(long)]
    population: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "html")]
    json: bool,
    /// Write a page with plots, and the last games to play through, which needs no other file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let mut results = read(&self.files)?;
        results.header.event.population |= self.population;
        let sprt = self.sprt.as_ref();
        if let Some(path) = &self.html {
            self.check_page(path)?;
            let page = page(&results, sprt)?;
            return written(path, fs::write(path, page));
        }
        let report = Report::new(&results, sprt);
        let mut out = Output::lock();
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string(&report)?)?,
            false => write!(out, "{report}")?,
        }
        Ok(())
    }
}

/// The beginning of a page.
const PAGE_START: &[u8] = b"<!doctype html>";

impl Arguments {
    /// Checks that a page takes the place of nothing but a page: not of results whose name was given
    /// as that of the page by mistake.
    fn check_page(&self, path: &Path) -> Result<()> {
        let Ok(file) = fs::File::open(path) else {
            return Ok(());
        };
        let mut start = Vec::new();
        let is_file = file.metadata().is_ok_and(|found| found.is_file());
        file.take(PAGE_START.len() as u64).read_to_end(&mut start)?;
        if is_file && !start.is_empty() && !start.eq_ignore_ascii_case(PAGE_START) {
            bail_usage!(
                "--html {}: this file is no page, and would be lost; give the name of another file for \
                 the page",
                path.display()
            );
        }
        Ok(())
    }
}

/// Reads results files, and merges them.
fn read(files: &[PathBuf]) -> Result<Results> {
    let mut files = files.iter();
    let first = files.next().map(PathBuf::as_path);
    let first = first.unwrap_or(Path::new(""));
    let mut results = Results::read(first)?;
    let mut doubled = 0_usize;
    for path in files {
        match results.merge(Results::read(path)?) {
            Ok(more) => doubled = doubled.saturating_add(more),
            Err(differences) => {
                let (first, other) = (first.display(), path.display());
                let lines = differences.iter().map(|found| {
                    let (ours, theirs) = (&found.ours, &found.theirs);
                    format!(
                        "\n  {}: {ours} in {first}, {theirs} in {other}",
                        found.setting
                    )
                });
                let lines: String = lines.collect();
                bail!(
                    "{other}: the event in this file has other settings than that in {first}:{lines}"
                )
            }
        }
    }
    if doubled > 0 {
        // An error that cannot be written changes nothing.
        let games = counted(doubled, "game");
        let _ = writeln!(io::stderr(), "{games} in more than one file: counted once");
    }
    Ok(results)
}
