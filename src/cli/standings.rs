//! `gothello standings`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use itertools::Itertools;

use super::Run;
use super::output::Output;
use super::values::number;
use crate::base::counted::counted;
use crate::contests::goref::GAMES;
use crate::contests::ladder::{
    Ladder, LadderRow, LadderTable, MAX_MATCHES, MAX_PLAYERS, is_table_header,
};
use crate::contests::netref::RESULTS;
use crate::matches::{Column, TextTable};
use crate::tournament::{ResultsFile, Tournament};

/// The number of bytes of the first line that say what a file is.
const MAX_HEAD: u64 = 4_096;

/// Why a table of results without rows has no ratings.
const NO_MATCH: &str = "no match is recorded here yet";

/// Print the standings of a tournament, or ratings
///
/// They are computed from the results file that `gothello goref` or `gothello netref` writes, also
/// while the tournament is still being played.
///
/// Of a table of results (results.tsv) that `gothello netref` writes, or of the list of games
/// (games.jsonl) that `gothello goref` writes, the ratings of all players are printed: in Elo, with the 95 % interval, as `gothello match report` computes them. The mean
/// of a group of players who are connected by matches is 0. A match counts if it has a result and
/// two players with different names, whether it was a free one or of a tournament: teams, other
/// clients that gave a name, and the house. With --tournament, only the matches of this one count.
/// At most the last 100000 matches count, and the 300 players with the most matches.
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
    gothello standings contest/tournament-0001.jsonl  the standings\n  \
    gothello standings matches/results.tsv            ratings\n  \
    gothello standings contest/games.jsonl            ratings\n  \
    gothello standings --csv games contest/tournament-0001.jsonl > games.csv\n                                                    \
    all games, for a spreadsheet\n  \
    gothello standings --trf contest/tournament-0001.jsonl > report.trf\n                                                    \
    FIDE's report file\n  \
    gothello standings --tournament 1 matches/results.tsv\n                                                    \
    ratings from its matches only")]
pub(super) struct Arguments {
    /// Results file, such as contest/tournament-0001.jsonl, or results.tsv, or games.jsonl
    file: PathBuf,
    /// Of a table of results, count only the matches of the tournament with this number, which is
    /// that of its results file: 1 is tournament-0001.jsonl
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX))]
    tournament: Option<u32>,
    /// Print a table of a tournament as comma-separated values, for spreadsheets and scripts: a
    /// text that begins with =, +, - or @ is written after a ', so that it is not a formula
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["trf", "tournament"])]
    csv: Option<Table>,
    /// Print FIDE's report file (TRF16) of a Swiss tournament with single games, which programs for
    /// pairing such as bbpPairings and JaVaFo read
    #[arg(long, conflicts_with = "tournament")]
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
    /// Returns the option for tournaments only that was given.
    fn tournament_option(&self) -> Option<&'static str> {
        match (self.csv, self.trf) {
            (Some(_), _) => Some("--csv"),
            (None, true) => Some("--trf"),
            (None, false) => None,
        }
    }

    /// Returns what is printed of a tournament.
    fn print(&self, tournament: &Tournament) -> Result<String> {
        let named = self.file.display();
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
}

/// The kind of a file, by its first line.
enum Content {
    Nothing,
    /// A table of results.
    Table,
    /// The list of finished games of a contest.
    Games,
    /// The list of finished matches.
    Matches,
    /// The results of an event of programs.
    Event,
    /// Perhaps the results of a tournament.
    Other,
}

impl Content {
    /// Returns what a file with this first line holds.
    fn of(first: &[u8]) -> Content {
        let first = String::from_utf8_lossy(first);
        let first = first.trim_end();
        match first {
            "" => Content::Nothing,
            _ if is_table_header(first) => Content::Table,
            _ if first.starts_with("{\"match\":") => Content::Matches,
            _ if first.starts_with("{\"v\":1,\"game\":") => Content::Games,
            _ if first.starts_with("{\"gothello_match\":") => Content::Event,
            _ => Content::Other,
        }
    }
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let file = self.file.as_path();
        if file.is_dir() {
            bail!(
                "{}: this is a folder: name {}",
                file.display(),
                standings_in(file)
            );
        }
        let unread = |error| anyhow!("{}: {error}", file.display());
        let is_table = file.extension().is_some_and(|end| end == "tsv");
        // It is opened once, because a pipe cannot be read a second time.
        let mut rest = BufReader::new(File::open(file).map_err(unread)?);
        let mut first = Vec::new();
        let mut head = rest.by_ref().take(MAX_HEAD);
        head.read_until(b'\n', &mut first).map_err(unread)?;
        let whole = first.as_slice().chain(rest);
        let named = file.display();
        let results = file.with_file_name("tournament-0001.jsonl");
        let results = results.display();
        let text = match Content::of(&first) {
            Content::Nothing if is_table => bail!("{named}: {NO_MATCH}"),
            Content::Games if self.tournament.is_some() => bail!(
                "--tournament is for a table of results such as {RESULTS}, which {named} is not"
            ),
            Content::Table | Content::Games => match self.tournament_option() {
                Some(option) => bail!(
                    "{option} is for the results file of a tournament such as {results}, which \
                     {named} is not"
                ),
                None => ratings(file, whole, self.tournament)?,
            },
            Content::Matches => bail!(
                "{named}: this is the list of finished matches in JSON; the ratings are computed \
                 from the table of the same matches, {}, and the standings of a tournament from its \
                 results file, such as {results}",
                file.with_file_name(RESULTS).display()
            ),
            Content::Event => bail!(
                "{named}: this is the results file of gothello match: see gothello match report"
            ),
            Content::Other if self.tournament.is_some() => bail!(
                "--tournament is for a table of results such as {RESULTS}, which {named} is not"
            ),
            Content::Nothing | Content::Other => {
                self.print(&ResultsFile::read_from(file, whole)?)?
            }
        };
        Ok(Output::lock().write_all(text.as_bytes())?)
    }
}

/// Returns what can be named of a folder.
fn standings_in(folder: &Path) -> String {
    let files = folder.read_dir().into_iter().flatten().flatten();
    let paths = files.map(|file| file.path()).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| {
            let is_tournament = name.starts_with("tournament-") && name.ends_with(".jsonl");
            [RESULTS, GAMES].contains(&name) || is_tournament
        })
    });
    let found = paths
        .sorted()
        .map(|path| path.display().to_string())
        .join(" or ");
    match found.as_str() {
        "" => "a results file; it has none".to_owned(),
        _ => found,
    }
}

/// Returns the ratings of a table of results, as text: from all matches, or those of a tournament.
fn ratings(file: &Path, table: impl BufRead, tournament: Option<u32>) -> Result<String> {
    let mut first_bad = None;
    let ladder = Ladder::of(file, table, tournament, |bad| {
        first_bad.get_or_insert(bad);
    })?;
    let file = file.display();
    if let Some(bad) = first_bad {
        bail!("{file}, {bad}");
    }
    let rated = ladder.table();
    match (ladder.rows(), rated.rows.is_empty(), tournament) {
        (0, ..) => bail!("{file}: {NO_MATCH}"),
        (_, true, Some(tournament)) => bail!(
            "{file}: no match of tournament {tournament} counts here: a match has the number of its \
             tournament in the column tournament"
        ),
        (matches, true, None) => bail!(
            "{file}: of its {} none counts: a match counts if it has a result and two players with \
             different names",
            counted(matches, "match")
        ),
        (_, false, _) => Ok(ratings_table(&rated)),
    }
}

/// Returns a line for each player.
fn ratings_table(rated: &LadderTable) -> String {
    let columns: [Column<LadderRow>; 7] = [
        ("Matches", true, |row| row.results.games().to_string()),
        ("Won", true, |row| row.results.wins.to_string()),
        ("Drawn", true, |row| row.results.draws.to_string()),
        ("Lost", true, |row| row.results.losses.to_string()),
        ("Score", true, LadderRow::percentage),
        ("Rating", true, LadderRow::rating),
        ("Group", rated.has_separate_groups(), |row| {
            row.group.to_string()
        }),
    ];
    let rows = rated.rows.iter();
    let rows = rows.map(|row| ([row.place.to_string(), row.name.clone()], row));
    let mut text = TextTable::of_columns(["", "Name"], &columns, rows).to_string();
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
