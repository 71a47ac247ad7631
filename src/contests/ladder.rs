//! The ladder: ratings of the players in a table of results, or in the list of the finished games of a
//! contest.
//!
//! A match counts if it has a result and two players with different names: teams, known by their
//! ports or their names, other clients that gave a name, and the house. Tournament matches count
//! like free ones. Players are identified only by name.
//!
//! [`Ladder::read`] reads the rows appended since the last call, so that a server can follow a
//! table that it or another server appends to. [`Ladder::of`] reads a whole table, also from a
//! pipe. Memory and time are bounded: only the last [`MAX_MATCHES`] matches count, and of their
//! players the [`MAX_PLAYERS`] with the most matches.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use itertools::Itertools;
use serde::Deserialize;
use thiserror::Error;

use super::codes::WinnerCode;
use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::statistics::{Estimate, GameScore, PlayedGame, Rating, Ratings, WinDrawLoss};

/// The maximum number of matches that count: the latest ones.
pub const MAX_MATCHES: usize = 100_000;

/// The maximum number of players that are rated: the time grows with its third power.
pub const MAX_PLAYERS: usize = 300;

/// The maximum length of a row in bytes. The longest that a server writes has some hundreds.
const MAX_ROW: u64 = 4_096;

/// The ladder of a table of results.
#[derive(Debug, Default)]
pub struct Ladder {
    /// The form of the rows, from the first line; `None` before it is read.
    form: Option<Form>,
    /// The number of the only tournament whose matches count; all matches count if `None`.
    tournament: Option<u32>,
    /// The number of bytes and lines read, including the header.
    offset: u64,
    lines: usize,
    /// The number of lines that are rows: neither a header nor empty.
    rows: usize,
    /// The matches that count, in order.
    matches: VecDeque<RatedMatch>,
    /// The maximum length of that list.
    limit: Limit,
}

/// The limits of a ladder.
#[derive(Clone, Copy, Debug)]
struct Limit {
    matches: usize,
    players: usize,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit {
            matches: MAX_MATCHES,
            players: MAX_PLAYERS,
        }
    }
}

/// The form of the rows of a table.
#[derive(Debug)]
enum Form {
    /// Columns with tabs between them, as `netref` writes them after a header.
    Columns {
        /// The names of the sides.
        sides: ByColor<String>,
        /// The column with the number of the tournament, if the table has it.
        tournament: Option<usize>,
    },
    /// Objects of JSON, as `goref` writes them, without a header.
    Objects,
}

/// A match that counts: who played, and who won; `None` is a draw.
type RatedMatch = (ByColor<String>, Option<Color>);

/// A player in the ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderRow {
    /// The rank among the players of the same group, from 1.
    pub place: usize,
    /// The name.
    pub name: String,
    /// The results of the matches with other rated players.
    pub results: WinDrawLoss,
    /// The mean score of a match, in 0..=1.
    pub score: f64,
    /// The rating in Elo, with its 95 % interval; the mean of a group is 0.
    pub elo: Estimate,
    /// The number of the group, from 1. Players of different groups are not connected by any chain
    /// of matches, so their ratings cannot be compared.
    pub group: usize,
}

/// The players in their order: group by group, the strongest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LadderTable {
    /// The players.
    pub rows: Vec<LadderRow>,
    /// The number of matches that the ratings are computed from.
    pub matches: usize,
    /// The number of players who are left out, because there are too many.
    pub left_out: usize,
}

/// Why a table of results cannot be read.
#[derive(Debug, Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Its first line is not the header of a table of results.
    #[error(
        "{}: this is no table of results, because its first line does not begin with the columns \
         match, date, black, white, winner (Awari: south and north)",
        .0.display()
    )]
    NotATable(PathBuf),
}

/// A row that is not a match.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {why}")]
pub struct BadRow {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: RowError,
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RowError {
    /// It is too long.
    #[error("it has more than {MAX_ROW} bytes, and is not a match")]
    TooLong,
    /// It is not a finished game of a contest.
    #[error("it is not a finished game of a contest: {0}")]
    NoGame(String),
    /// A column is missing.
    #[error(
        "it has {}, and is not a match: match, date, the two names, and the winner are needed, with \
         tabs between them",
        counted(*.0, "column")
    )]
    Columns(usize),
    /// The winner is unknown.
    #[error("the winner is {found:?}: write {black}, {white}, draw, or none")]
    Winner {
        /// The text of the column.
        found: String,
        /// The name of the first side.
        black: String,
        /// The name of the second side.
        white: String,
    },
}

/// Returns whether this is the first line of a table of results, of any game.
pub fn is_table_header(line: &str) -> bool {
    matches!(Form::of(line), Some(Form::Columns { .. }))
}

impl Form {
    /// Returns the form of a table with this first line; `None` if it is no table.
    fn of(first: &str) -> Option<Form> {
        if first.starts_with("{\"v\":1,\"game\":") {
            return Some(Form::Objects);
        }
        let columns: Vec<&str> = first.split('\t').collect();
        match columns[..] {
            ["match", "date", black, white, "winner", ..] => Some(Form::Columns {
                sides: ByColor::new(black, white).map(str::to_owned),
                tournament: tournament_column(first),
            }),
            _ => None,
        }
    }

    /// Returns whether a line is a header of a table of the same game.
    fn is_header_of(&self, other: &Form) -> bool {
        match (self, other) {
            (Form::Columns { sides, .. }, Form::Columns { sides: others, .. }) => sides == others,
            _ => false,
        }
    }

    /// Returns the match of a row, if it counts.
    fn rated(&self, row: &str) -> Result<Option<RatedMatch>, RowError> {
        match self {
            Form::Columns { sides, .. } => rated(row, sides),
            Form::Objects => rated_game(row),
        }
    }

    /// Returns the number of the tournament in which the match of a row began, if it is known.
    fn tournament_of(&self, row: &str) -> Option<u32> {
        match self {
            Form::Columns { tournament, .. } => tournament_of(row, *tournament),
            Form::Objects => None,
        }
    }
}

/// The column with the number of the tournament, which is empty for free matches.
pub(super) const TOURNAMENT: &str = "tournament";

/// Returns the index of the column with the number of the tournament, if the table has it.
pub(super) fn tournament_column(header: &str) -> Option<usize> {
    header.split('\t').position(|name| name == TOURNAMENT)
}

/// Returns the number of the tournament in which the match of a row began; `None` if it is a free
/// one, or the table does not have this column.
pub(super) fn tournament_of(row: &str, column: Option<usize>) -> Option<u32> {
    row.split('\t').nth(column?)?.trim_end().parse().ok()
}

impl Ladder {
    /// Reads the rows appended to a table since the last call. If no line ends at the last
    /// position, the file has been replaced, and all rows are read. A row that is just being
    /// written is left for the next time, and a file without a whole line has no rows yet. Calls
    /// `bad` for each row that is not a match.
    ///
    /// Returns whether there are more matches that count.
    ///
    /// # Errors
    /// The file cannot be read, or is no table of results.
    pub fn read(&mut self, table: &Path, bad: impl FnMut(BadRow)) -> Result<bool, TableError> {
        let read = self.read_rows(table, bad);
        match read {
            Ok(Some(is_new)) => Ok(is_new),
            Ok(None) => Err(TableError::NotATable(table.to_owned())),
            Err(error) => Err(TableError::Io {
                path: table.to_owned(),
                error,
            }),
        }
    }

    /// Reads a whole table, which errors call `path`. The last row need not end with a line feed.
    /// With `tournament`, only the matches that began in the tournament with this number count.
    /// Calls `bad` for each row that is not a match.
    ///
    /// # Errors
    /// The table cannot be read, or is no table of results.
    pub fn of(
        path: &Path,
        table: impl BufRead,
        tournament: Option<u32>,
        bad: impl FnMut(BadRow),
    ) -> Result<Ladder, TableError> {
        let mut ladder = Ladder {
            tournament,
            ..Ladder::default()
        };
        // After a line feed, this adds only an empty line.
        match ladder.read_lines(&mut table.chain(&b"\n"[..]), bad) {
            Ok(Some(_)) => Ok(ladder),
            Ok(None) => Err(TableError::NotATable(path.to_owned())),
            Err(error) => Err(TableError::Io {
                path: path.to_owned(),
                error,
            }),
        }
    }

    /// Reads the new rows; returns `None` if the file is no table.
    fn read_rows(&mut self, table: &Path, bad: impl FnMut(BadRow)) -> io::Result<Option<bool>> {
        let mut file = File::open(table)?;
        if !self.is_continued(&mut file)? {
            *self = Ladder {
                limit: self.limit,
                tournament: self.tournament,
                ..Ladder::default()
            };
        }
        file.seek(SeekFrom::Start(self.offset))?;
        self.read_lines(&mut BufReader::new(file), bad)
    }

    /// Reads whole lines to the end of a file. Skips repeated headers, as in concatenated tables.
    /// Returns whether there are more matches that count; `None` if the file is no table.
    fn read_lines(
        &mut self,
        file: &mut impl BufRead,
        mut bad: impl FnMut(BadRow),
    ) -> io::Result<Option<bool>> {
        let mut is_new = false;
        let mut line = Vec::new();
        while let Some(length) = next_line(file, &mut line)? {
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r']);
            let is_whole = length == line.len() as u64;
            let header = Form::of(text);
            let is_header = match (&self.form, &header) {
                (None, None) => return Ok(None),
                (None, Some(first)) => matches!(first, Form::Columns { .. }),
                (Some(known), Some(found)) => found.is_header_of(known),
                (Some(_), None) => false,
            };
            // The next table may be of another version.
            if is_header || self.form.is_none() {
                self.form = header;
            }
            match &self.form {
                _ if is_header || is_whole && text.is_empty() => {}
                None => {}
                Some(form) => {
                    self.rows = self.rows.saturating_add(1);
                    let row = match is_whole {
                        true => form.rated(text),
                        false => Err(RowError::TooLong),
                    };
                    let own = || form.tournament_of(text);
                    let is_meant = self.tournament.is_none_or(|number| own() == Some(number));
                    match row {
                        Ok(None) => {}
                        Ok(Some(_)) if !is_meant => {}
                        Ok(Some(rated)) => {
                            is_new = true;
                            if self.matches.len() >= self.limit.matches {
                                self.matches.pop_front();
                            }
                            self.matches.push_back(rated);
                        }
                        Err(why) => bad(BadRow {
                            line: self.lines.saturating_add(1),
                            why,
                        }),
                    }
                }
            }
            self.offset = self.offset.saturating_add(length);
            self.lines = self.lines.saturating_add(1);
        }
        Ok(Some(is_new))
    }

    /// Returns whether a file still has what was read of it: a line ends at the last position.
    fn is_continued(&self, file: &mut File) -> io::Result<bool> {
        let Some(last) = self.offset.checked_sub(1) else {
            return Ok(true);
        };
        file.seek(SeekFrom::Start(last))?;
        let mut end = Vec::new();
        file.take(1).read_to_end(&mut end)?;
        Ok(end == b"\n")
    }

    /// Returns the number of rows that are read, without headers and empty lines.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Computes the ratings.
    pub fn table(&self) -> LadderTable {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        let mut games: Vec<PlayedGame> = Vec::new();
        for (players, winner) in &self.matches {
            let players = players.as_ref().map(|name| {
                *numbers.entry(name).or_insert_with(|| {
                    names.push(name);
                    names.len() - 1
                })
            });
            games.push(PlayedGame {
                players,
                winner: *winner,
            });
        }
        let left_out = names.len().saturating_sub(self.limit.players);
        let mut counts = vec![0_usize; names.len()];
        for &player in games.iter().flat_map(|game| game.players.iter()) {
            counts[player] += 1;
        }
        // Rated players are renumbered, because the time and memory of the ratings grow with the
        // highest number, even if that player has no game.
        let by_matches = (0..names.len()).sorted_by_key(|&player| Reverse(counts[player]));
        let rated: Vec<usize> = by_matches.take(self.limit.players).sorted().collect();
        let mut numbers = vec![None; names.len()];
        for (number, &player) in rated.iter().enumerate() {
            numbers[player] = Some(number);
        }
        let names: Vec<&str> = rated.iter().map(|&player| names[player]).collect();
        let games: Vec<PlayedGame> = games
            .into_iter()
            .filter_map(|PlayedGame { players, winner }| {
                let players = ByColor::new(numbers[players.black]?, numbers[players.white]?);
                Some(PlayedGame { players, winner })
            })
            .collect();
        let mut results = vec![WinDrawLoss::default(); names.len()];
        for game in &games {
            for color in Color::ALL {
                let score = GameScore::of(color, game.winner);
                results[game.players[color]].add(score);
            }
        }
        let mut table = LadderTable {
            rows: Vec::new(),
            matches: games.len(),
            left_out,
        };
        // This cannot fail: all numbers are those of names, and the two of a match differ.
        let Ok(ratings) = Ratings::new(names.len(), &games) else {
            return table;
        };
        let rated = names.iter().zip(results).enumerate();
        table
            .rows
            .extend(rated.filter_map(|(player, (&name, results))| {
                let &Rating { elo, group, .. } = ratings.get(player)?;
                Some(LadderRow {
                    place: 0,
                    name: name.to_owned(),
                    results,
                    score: results.strength()?.score,
                    elo,
                    group,
                })
            }));
        table.rows.sort_by(|one, other| {
            let by_rating = other.elo.value.total_cmp(&one.elo.value);
            one.group.cmp(&other.group).then(by_rating)
        });
        let groups = table
            .rows
            .chunk_by_mut(|one, other| one.group == other.group);
        for (number, group) in (1..).zip(groups) {
            for (place, row) in (1..).zip(group) {
                row.place = place;
                // Players who are left out are in groups, too.
                row.group = number;
            }
        }
        table
    }
}

impl LadderRow {
    /// Returns the rating as it is shown, such as `58 ± 170`.
    pub fn rating(&self) -> String {
        let Estimate { value, error } = self.elo;
        // Without the sign of a negative zero.
        let value = value.round() + 0.0;
        format!("{:.0}", Estimate { value, error })
    }

    /// Returns the mean score of a match as it is shown, such as `62.5 %`.
    pub fn percentage(&self) -> String {
        format!("{:.1} %", 100.0 * self.score)
    }
}

impl LadderTable {
    /// Returns whether some players are connected by no chain of matches, so that their ratings
    /// cannot be compared.
    pub fn has_separate_groups(&self) -> bool {
        self.rows.iter().any(|row| row.group > 1)
    }
}

/// Reads a line into `line`, truncated if it is long. Returns its length in bytes, including its
/// end; `None` if there is no whole line.
fn next_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<u64>> {
    line.clear();
    let mut length = 0_u64;
    let mut rest = Vec::new();
    loop {
        rest.clear();
        let part = if length == 0 { &mut *line } else { &mut rest };
        let read = file.take(MAX_ROW).read_until(b'\n', part)?;
        length = length.saturating_add(read as u64);
        if part.ends_with(b"\n") {
            return Ok(Some(length));
        }
        if read == 0 {
            return Ok(None);
        }
    }
}

/// Returns the match of a row, if it counts.
fn rated(row: &str, sides: &ByColor<String>) -> Result<Option<RatedMatch>, RowError> {
    let columns: Vec<&str> = row.split('\t').collect();
    let [_, _, one, other, winner, ..] = columns[..] else {
        return Err(RowError::Columns(columns.len()));
    };
    let winner = match winner {
        "none" => return Ok(None),
        "draw" => None,
        side if *side == sides.black => Some(Color::Black),
        side if *side == sides.white => Some(Color::White),
        found => {
            return Err(RowError::Winner {
                found: found.to_owned(),
                black: sides.black.clone(),
                white: sides.white.clone(),
            });
        }
    };
    let players = ByColor::new(plain(one), plain(other));
    let are_named = players.iter().all(|name| !name.trim().is_empty());
    Ok((are_named && players.black != players.white).then_some((players, winner)))
}

/// Returns the match of an object, if it counts: a game that is void has no winner, and a drawn one
/// has nobody as the winner.
fn rated_game(row: &str) -> Result<Option<RatedMatch>, RowError> {
    #[derive(Deserialize)]
    struct Game {
        black: String,
        white: String,
        winner: Option<WinnerCode>,
    }
    let game: Game =
        serde_json::from_str(row).map_err(|error| RowError::NoGame(error.to_string()))?;
    let Game {
        black,
        white,
        winner,
    } = game;
    let counts = black != white;
    let players = ByColor::new(black, white);
    Ok(winner
        .filter(|_| counts)
        .map(|winner| (players, winner.into())))
}

/// Returns the text of a field, which may be quoted, and has an apostrophe before it if it would
/// otherwise be a formula.
pub(super) fn plain(field: &str) -> String {
    let quoted = field
        .strip_prefix('"')
        .and_then(|field| field.strip_suffix('"'));
    let text = quoted.map_or_else(|| field.to_owned(), |text| text.replace("\"\"", "\""));
    match text.strip_prefix('\'') {
        Some(formula) if formula.starts_with(['=', '+', '-', '@', '\'']) => formula.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const HEAD: &str = "match\tdate\tblack\twhite\twinner\treason\n";

    /// A table that grows.
    struct GrowingTable {
        file: tempfile::NamedTempFile,
        text: String,
    }

    impl GrowingTable {
        fn new() -> GrowingTable {
            GrowingTable {
                file: tempfile::NamedTempFile::new().unwrap(),
                text: String::new(),
            }
        }

        fn append(&mut self, text: &str) {
            self.text += text;
            fs::write(self.file.path(), &self.text).unwrap();
        }

        /// Reads the new rows, and returns the names of the ladder and the invalid rows.
        fn read(&self, ladder: &mut Ladder) -> (bool, Vec<String>, Vec<String>) {
            let mut bad = Vec::new();
            let is_new = ladder.read(self.file.path(), |row| bad.push(row.to_string()));
            let rows = ladder.table().rows.into_iter();
            let named = rows.map(|row| format!("{} {}", row.name, row.results.games()));
            (is_new.unwrap(), named.collect(), bad)
        }
    }

    fn row(black: &str, white: &str, winner: &str) -> String {
        format!("x\t2026-11-20\t{black}\t{white}\t{winner}\tplay\n")
    }

    #[test]
    fn a_ladder_follows_its_table() {
        let (mut ladder, mut table) = (Ladder::default(), GrowingTable::new());
        assert_eq!(table.read(&mut ladder), (false, vec![], vec![]));
        table.append("match\tdate\tbl");
        assert_eq!(table.read(&mut ladder), (false, vec![], vec![]));
        table.text.clear();
        table.append(HEAD);
        assert_eq!(table.read(&mut ladder), (false, vec![], vec![]));
        table.append(&row("Ann", "Bob", "black"));
        let names = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let first = names(&["Ann 1", "Bob 1"]);
        assert_eq!(table.read(&mut ladder), (true, first.clone(), vec![]));
        // Nothing new, half a row, and the other half.
        assert_eq!(table.read(&mut ladder), (false, first.clone(), vec![]));
        let next = row("Bob", "Cleo", "draw");
        let (half, rest) = next.split_at(9);
        table.append(half);
        assert_eq!(table.read(&mut ladder), (false, first, vec![]));
        table.append(rest);
        let second = names(&["Ann 1", "Cleo 1", "Bob 2"]);
        assert_eq!(table.read(&mut ladder), (true, second, vec![]));
        // Rows that do not count, and invalid rows.
        table.append(&row("", "Bob", "black"));
        table.append(&row("Ann", "Ann", "black"));
        table.append(&row("Ann", "Bob", "none"));
        table.append(&format!("{}\n\nAnn\tBob\n", "x".repeat(10_000)));
        table.append(&row("Ann", "Bob", "Ann"));
        let (is_new, names_now, bad) = table.read(&mut ladder);
        assert!(!is_new);
        assert_eq!(names_now, ["Ann 1", "Cleo 1", "Bob 2"]);
        assert_eq!(
            bad,
            [
                "line 7: it has more than 4096 bytes, and is not a match",
                "line 9: it has 2 columns, and is not a match: match, date, the two names, and the \
                 winner are needed, with tabs between them",
                "line 10: the winner is \"Ann\": write black, white, draw, or none",
            ]
        );
        // The file is replaced.
        table.text = HEAD.into();
        table.append(&row("Dora", "Emil", "white"));
        let other = names(&["Emil 1", "Dora 1"]);
        assert_eq!(table.read(&mut ladder), (true, other, vec![]));
        table.text = "{}\n".into();
        table.append("");
        let error = Ladder::default().read(table.file.path(), |_| ());
        assert!(matches!(error, Err(TableError::NotATable(_))));
    }

    #[test]
    fn the_games_of_a_contest_count_if_they_have_a_result() {
        let (mut ladder, mut table) = (Ladder::default(), GrowingTable::new());
        let game = |black: &str, white: &str, winner: &str| {
            format!(
                "{{\"v\":1,\"game\":1,\"table\":1,\"black\":\"{black}\",\"white\":\"{white}\",\
                 \"winner\":{winner}}}\n"
            )
        };
        table.append(&game("Ann", "Équipe 1", "\"B\""));
        table.append(&game("Équipe 1", "Cleo", "\".\""));
        // A void game, and one of clients of the same name.
        table.append(&game("Ann", "Cleo", "null"));
        table.append(&game("Ann", "Ann", "\"W\""));
        table.append("{\"v\":1,\"game\":5}\n");
        let (is_new, names, bad) = table.read(&mut ladder);
        assert!(is_new);
        assert_eq!(names, ["Ann 1", "Cleo 1", "Équipe 1 2"]);
        let missing = "line 5: it is not a finished game of a contest: missing field `black` at line \
                       1 column 16";
        assert_eq!(bad, [missing]);
    }

    #[test]
    fn many_matches_and_many_players_have_limits() {
        let mut table = GrowingTable::new();
        table.append(HEAD);
        for _ in 0..3 {
            table.append(&row("Ann", "Bob", "black"));
            table.append(&row("Bob", "Cleo", "black"));
        }
        table.append(&row("Dora", "Ann", "black"));
        let ladder = |matches, players| {
            let mut ladder = Ladder {
                limit: Limit { matches, players },
                ..Ladder::default()
            };
            let (_, names, _) = table.read(&mut ladder);
            let LadderTable {
                matches, left_out, ..
            } = ladder.table();
            (names.join(", "), matches, left_out)
        };
        let all = "Dora 1, Ann 4, Bob 6, Cleo 3".to_owned();
        assert_eq!(ladder(7, 4), (all, 7, 0));
        assert_eq!(ladder(7, 2), ("Ann 3, Bob 3".into(), 3, 2));
        assert_eq!(ladder(1, 2), ("Dora 1, Ann 1".into(), 1, 0));
    }

    /// Each stranger's match is with the same player, so that all of them are connected. A fit of
    /// 20,000 players would need gigabytes.
    #[test]
    fn ever_new_names_cost_no_more_than_the_players_who_are_rated() {
        let mut table = GrowingTable::new();
        let strangers = (0..20_000).map(|number| row("Ann", &format!("S{number}"), "black"));
        let last = ["Dora", "Dora"].map(|name| row("Ann", name, "white"));
        let rows: String = strangers.chain(last).collect();
        table.append(&format!("{HEAD}{rows}"));
        let limit = Limit {
            players: 5,
            ..Limit::default()
        };
        let mut ladder = Ladder {
            limit,
            ..Ladder::default()
        };
        let (_, names, _) = table.read(&mut ladder);
        assert_eq!(names, ["Dora 2", "Ann 5", "S0 1", "S1 1", "S2 1"]);
        let LadderTable {
            matches, left_out, ..
        } = ladder.table();
        assert_eq!((matches, left_out), (5, 19_997));
    }

    /// Players that none of the others has met.
    #[test]
    fn places_are_those_within_a_group() {
        let mut table = GrowingTable::new();
        table.append(HEAD);
        for (black, white) in [("Ann", "Bob"), ("Cleo", "Dora"), ("Ann", "Emil")] {
            table.append(&row(black, white, "black"));
        }
        let mut ladder = Ladder::default();
        table.read(&mut ladder);
        let table = ladder.table();
        assert!(table.has_separate_groups());
        let rows = table.rows.iter();
        let placed = rows.map(|row| (row.group, row.place, row.name.as_str()));
        assert_eq!(
            placed.collect::<Vec<_>>(),
            [
                (1, 1, "Ann"),
                (1, 2, "Bob"),
                (1, 3, "Emil"),
                (2, 1, "Cleo"),
                (2, 2, "Dora")
            ]
        );
    }
}
