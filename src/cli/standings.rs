//! `gothello standings`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};

use super::Run;
use super::output::Output;
use super::values::number;
use crate::base::counted::counted;
use crate::contests::ladder::{Ladder, LadderTable, MAX_MATCHES, MAX_PLAYERS};
use crate::contests::results::{RESULTS, latest, read_lines, results_csv};
use crate::matches::TextTable;
use crate::tournament::{ResultsFile, ResultsFiles, Tournament};

/// The number of bytes of the first line that say what a file is.
const MAX_HEAD: u64 = 4_096;

/// Why results without lines have no ratings.
const NO_MATCH: &str = "no match is recorded here yet";

/// Print the standings of a tournament, or ratings
///
/// FILE is the folder --state of `gothello netref` or `gothello goref`, or a file in it; it may be
/// read while games are played. Of a folder, and of the file of a tournament, the standings are
/// printed. Of a folder without tournaments, and of results.jsonl, the ratings of all players are: in
/// Elo, with the 95 % interval, as `gothello match report` computes them. The mean of a group of
/// players who are connected by matches is 0. A match counts if it has a result and two players with
/// different names, whether it was a free one or of a tournament: teams, other clients that gave a
/// name, and the house. At most the last 100000 matches count, and the 300 players with the most
/// matches.
///
/// Players with the same points are ordered by Buchholz (the points of all opponents; in a Swiss
/// tournament), then by S-Berger, Sonneborn-Berger (the points of the opponents that were
/// defeated, and half of the points of those drawn with), then by the games between them, then by
/// wins.
///
/// A column of a Swiss tournament is a round: 3b1 is the game against the player in line 3, with
/// Black (w: with White), won; 3:10 is two games, the first one won and the second one lost. A
/// column of a round robin is the player in that line. A game is 1 won, = drawn, 0 lost, + won by
/// forfeit, - lost by forfeit, . not yet played; absent is a round that the player missed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello standings contest                        of the last tournament\n  \
    gothello standings --tournament 1 contest         of the first one\n  \
    gothello standings contest/results.jsonl          ratings\n  \
    gothello standings --tournament 1 contest/results.jsonl\n                                                    \
    ratings from its matches only\n  \
    gothello standings --csv games contest > games.csv\n                                                    \
    its games, for a spreadsheet\n  \
    gothello standings --trf contest > report.trf     FIDE's report file")]
pub(super) struct Arguments {
    /// Folder of a referee, its results.jsonl, or the file of a tournament
    file: PathBuf,
    /// The tournament with this number, which is that of its file: 1 is tournament-0001.jsonl. Of
    /// results.jsonl, count only its matches
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX))]
    tournament: Option<u32>,
    /// Print a table of a tournament as comma-separated values, for spreadsheets and scripts: a
    /// text that begins with =, +, - or @ is written after a ', so that it is not a formula. Of
    /// results.jsonl, print its games
    #[arg(long, value_name = "TABLE", conflicts_with = "trf")]
    csv: Option<Table>,
    /// Print FIDE's report file (TRF16) of a Swiss tournament with single games, which programs for
    /// pairing such as bbpPairings and JaVaFo read
    #[arg(long)]
    trf: bool,
}

/// A table of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Table {
    /// A row for each player, with points and tie-breaks
    Standings,
    /// A row for each player: the games against each opponent, or in each round
    Crosstable,
    /// A row for each game, with its present result
    Games,
}

impl Arguments {
    /// Returns what is printed of a tournament.
    fn print(&self, file: &Path, tournament: &Tournament) -> Result<String> {
        let named = file.display();
        Ok(match (self.csv, self.trf) {
            (Some(Table::Standings), _) => tournament.standings_csv(),
            (Some(Table::Crosstable), _) => tournament.crosstable_csv(),
            (Some(Table::Games), _) => tournament.games_csv(),
            (None, true) => tournament
                .trf()
                .map_err(|error| anyhow!("{named}: {error}; --csv prints its tables"))?,
            (None, false) => tournament.standings_table(),
        })
    }

    /// Returns what is printed of the results of a referee.
    fn print_results(&self, file: &Path, results: impl BufRead) -> Result<String> {
        let option = match (self.csv, self.trf) {
            (None, false) => return ratings(file, results, self.tournament),
            (Some(Table::Games), _) => return games_csv(file, results, self.tournament),
            (Some(_), _) => "of the tables of --csv, only games is for",
            (None, true) => "--trf is not for",
        };
        let named = file.display();
        bail!("{option} {named}, which has the games of all tournaments")
    }
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let file = match self.file.is_dir() {
            true => file_in(&self.file, self.tournament)?,
            false => self.file.clone(),
        };
        let named = file.display();
        let unread = |error| anyhow!("{named}: {error}");
        // It is opened once, because a pipe cannot be read a second time.
        let mut rest = BufReader::new(File::open(&file).map_err(unread)?);
        let mut first = Vec::new();
        let mut head = rest.by_ref().take(MAX_HEAD);
        head.read_until(b'\n', &mut first).map_err(unread)?;
        let whole = first.as_slice().chain(rest);
        let is_empty = first.is_empty() && file.ends_with(RESULTS);
        let text = if is_result(&first) || is_empty {
            self.print_results(&file, whole)?
        } else if first.starts_with(b"{\"gothello_match\":") {
            bail!("{named}: this is the results file of gothello match: see gothello match report")
        } else if self.tournament.is_some() && !self.file.is_dir() {
            bail!("--tournament is for a folder, or for its {RESULTS}, and {named} is neither")
        } else {
            self.print(&file, &ResultsFile::read_from(&file, whole)?)?
        };
        Ok(Output::lock().write_all(text.as_bytes())?)
    }
}

/// Returns whether this is a line of the results of a referee, perhaps a damaged one.
fn is_result(line: &[u8]) -> bool {
    let parsed: Option<serde_json::Value> = serde_json::from_slice(line).ok();
    match parsed {
        Some(line) => ["id", "players"].iter().any(|key| line.get(key).is_some()),
        None => line.starts_with(b"{\"v\":1,\"id\":"),
    }
}

/// Returns the file of the tournament with this number in a folder, or of the last one; if there is
/// none, the results of all matches.
fn file_in(folder: &Path, tournament: Option<u32>) -> Result<PathBuf> {
    let named = folder.display();
    let path = match tournament.or_else(|| ResultsFiles::last_number(folder)) {
        Some(number) => ResultsFiles::path(folder, number),
        None => folder.join(RESULTS),
    };
    match (path.exists(), tournament) {
        (true, _) => Ok(path),
        (false, Some(number)) => bail!("{named}: this folder has no tournament {number}"),
        (false, None) => bail!(
            "{named}: this folder has neither tournaments nor a {RESULTS}: name the folder --state of \
             gothello netref or gothello goref"
        ),
    }
}

/// Returns the ratings from results, as text: from all matches, or those of a tournament.
fn ratings(file: &Path, results: impl BufRead, tournament: Option<u32>) -> Result<String> {
    let file = file.display();
    let mut first_bad = None;
    let ladder = Ladder::of(results, tournament, |bad| {
        first_bad.get_or_insert(bad);
    });
    let ladder = ladder.map_err(|error| anyhow!("{file}: {error}"))?;
    if let Some(bad) = first_bad {
        bail!("{file}, {bad}");
    }
    let rated = ladder.table();
    match (ladder.results(), rated.rows.is_empty(), tournament) {
        (0, ..) => bail!("{file}: {NO_MATCH}"),
        (_, true, Some(tournament)) => {
            bail!("{file}: no match of tournament {tournament} counts here")
        }
        (matches, true, None) => bail!(
            "{file}: of its {} none counts: a match counts if it has a result, which is no decided \
             forfeit, and two players with different names",
            counted(matches, "match")
        ),
        (_, false, _) => Ok(ratings_table(&rated)),
    }
}

/// Returns the games of results as CSV: all, or those of a tournament, each with its present result.
fn games_csv(file: &Path, results: impl BufRead, tournament: Option<u32>) -> Result<String> {
    let named = file.display();
    let mut lines = Vec::new();
    for read in read_lines(results) {
        let read = read.map_err(|error| anyhow!("{named}: {error}"))?;
        let read = read.map_err(|bad| anyhow!("{named}, {bad}"))?;
        if tournament.is_none() || read.tournament == tournament {
            lines.push(read);
        }
    }
    match lines.is_empty() {
        true => bail!("{named}: {NO_MATCH}"),
        false => Ok(results_csv(latest(lines))),
    }
}

/// Returns a line for each player.
fn ratings_table(rated: &LadderTable) -> String {
    let mut table = TextTable::new(2, ["", "Name"].into_iter().chain(rated.headings()));
    rated.cells().for_each(|row| table.add(row));
    let mut text = table.to_string();
    if rated.left_out > 0 {
        let left_out = counted(rated.left_out, "player");
        let _ = writeln!(
            text,
            "\n{left_out} with fewer matches than these {MAX_PLAYERS} left out."
        );
    }
    if rated.matches == MAX_MATCHES {
        let _ = writeln!(text, "\nThe last {MAX_MATCHES} matches count.");
    }
    text
}
