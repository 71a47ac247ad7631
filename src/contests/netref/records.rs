//! The records of finished matches in a folder.
//!
//! The folder has a record for each match, and a table of results, `results.tsv`, with a row
//! for each match and tabs between fields. Python's `csv` reads it with `delimiter="\t"`: a
//! field with a double quote stands in double quotes, and each one in it is doubled. Names
//! are the clients' own: one that begins with `=`, `+`, `-`, `@` or `'` is written after a
//! `'`, so that no spreadsheet takes it for a formula. The page lists the last rows.
//!
//! Beside it is `results.jsonl` with the same matches, each as a JSON object in a line of its
//! own. A match is written there first: its row in the table says that it is recorded.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::net::SocketAddr;
use std::ops::Not;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use itertools::Itertools;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::{Deserialize, Serialize};

use super::client::{ConnId, Name};
use super::game::NetrefGame;
use super::summary::{MatchEnding, MatchReason, Summary};
use crate::base::color::{ByColor, Color};
use crate::base::journal::{LineFile, LineFileError, make_writable, write_whole};
use crate::contests::ladder::{TOURNAMENT, plain, tournament_column, tournament_of};
use crate::pages::web;

/// The file with a line for each match.
pub const RESULTS: &str = "results.tsv";

/// The file with a JSON object for each match.
const JSON_RESULTS: &str = "results.jsonl";

/// How long to wait for another process that writes the table. It needs milliseconds, and moves wait
/// meanwhile.
const LOCK_WAIT: Duration = Duration::from_millis(100);

/// The maximum number of bytes read from a record; no record is longer.
const MAX_RECORD: u64 = 1024 * 1024;

/// A folder in which matches are recorded.
#[derive(Clone, Debug)]
pub struct Records {
    folder: PathBuf,
}

impl Records {
    /// Opens a folder, which is created if necessary.
    ///
    /// # Errors
    /// If the folder cannot be created or written to, or holds the results of another game or version.
    pub fn new<G: NetrefGame>(folder: &Path) -> io::Result<Records> {
        make_writable(folder)?;
        let records = Records {
            folder: folder.to_owned(),
        };
        records.check_header::<G>()?;
        Ok(records)
    }

    /// Checks whether the table, if there is one, is one of this game and version.
    fn check_header<G: NetrefGame>(&self) -> io::Result<()> {
        let mut first = String::new();
        // It must be writable, too.
        self.open(JSON_RESULTS)?;
        let results = self.open(RESULTS)?;
        results.reader()?.take(1_024).read_line(&mut first)?;
        let header = header::<G>();
        if first.is_empty() || first == header {
            return Ok(());
        }
        let game = G::NAME;
        Err(io::Error::other(format!(
            "{RESULTS} is not a table of {game} with the columns of this version: choose another folder"
        )))
    }

    /// Opens a file of results with an exclusive lock, which is released when it is dropped.
    fn open(&self, name: &str) -> io::Result<LineFile> {
        let opened = LineFile::open_or_create(&self.folder.join(name), LOCK_WAIT);
        let unchecked = opened.map_err(|error| match error {
            LineFileError::Locked => {
                io::Error::other(format!("another process keeps {name} locked"))
            }
            other => other.into(),
        })?;
        Ok(unchecked.keep_whole_lines()?.file)
    }

    /// Records a match, and waits until it is on the disk.
    ///
    /// # Errors
    /// If the match could not be written.
    pub fn write<G: NetrefGame>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        let named = |error| io::Error::other(format!("{}: {error}", self.folder.display()));
        self.write_files::<G>(summary, record, false).map_err(named)
    }

    /// Writes the record of a match, and a line to each file of results. `is_again` says whether an
    /// earlier attempt failed, so that parts may be on the disk.
    fn write_files<G: NetrefGame>(
        &self,
        summary: &Summary,
        record: &str,
        is_again: bool,
    ) -> io::Result<()> {
        let name = record_name::<G>(&summary.id);
        write_whole(&self.folder.join(name), record.as_bytes())?;

        let mut lines = self.open(JSON_RESULTS)?;
        if !is_again || !has_json_line(&mut lines, &summary.id)? {
            lines.append(&json_line::<G>(summary)?)?;
        }

        let mut results = self.open(RESULTS)?;
        let mut text = String::new();
        if results.is_empty() {
            text.push_str(&header::<G>());
        }
        text.push_str(&row::<G>(summary));
        results.append(&text)
    }

    /// Records a match unless it is recorded already.
    ///
    /// # Errors
    /// If the match could not be written.
    pub fn write_once<G: NetrefGame>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        let named = |error| io::Error::other(format!("{}: {error}", self.folder.display()));
        if self.has_row(&summary.id)? {
            return Ok(());
        }
        self.write_files::<G>(summary, record, true).map_err(named)
    }

    /// Returns the path of the table.
    pub(super) fn table(&self) -> PathBuf {
        self.folder.join(RESULTS)
    }

    /// Returns the record of a match, if it is there and `gothello review` reads it.
    pub(super) fn reviewable<G: NetrefGame>(&self, id: &str) -> Option<PathBuf> {
        let path = self.folder.join(record_name::<G>(id));
        (G::RECORD_EXTENSION == "sgf" && path.exists()).then_some(path)
    }

    /// Reads the record with this file name for a spectator, without the addresses of the players;
    /// `None` if there is none, or it is not one of this game.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn read_public<G: NetrefGame>(&self, name: &str) -> io::Result<Option<String>> {
        let id = name.strip_suffix(G::RECORD_EXTENSION);
        let id = id.and_then(|id| id.strip_suffix('.'));
        // No other file, in the folder or outside of it, has such a name.
        if id.and_then(began).is_none() {
            return Ok(None);
        }
        let file = match File::open(self.folder.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut record = Vec::new();
        file.take(MAX_RECORD).read_to_end(&mut record)?;
        Ok(Some(without_addresses(&String::from_utf8_lossy(&record))))
    }

    /// Returns whether a match has a row in the table already.
    fn has_row(&self, id: &str) -> io::Result<bool> {
        for line in self.open(RESULTS)?.reader()?.lines() {
            if line?.split('\t').next() == Some(id) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Replaces a player's address in a record that spectators see.
const HIDDEN: &str = "address not shown";

/// Returns a record in which each IP address with a port, as in `127.0.0.1:40123`, is replaced.
fn without_addresses(record: &str) -> String {
    let mut shown = String::with_capacity(record.len());
    let mut rest = record;
    let mut previous = ' ';
    while let Some(first) = rest.chars().next() {
        // Text that begins within a number or a word is not an address.
        let length = (!previous.is_ascii_alphanumeric() && previous != '.')
            .then(|| address_length(rest))
            .flatten();
        let (taken, left) = rest.split_at(length.unwrap_or(first.len_utf8()));
        shown.push_str(if length.is_some() { HIDDEN } else { taken });
        previous = first;
        rest = left;
    }
    shown
}

/// Returns the length of the IP address with a port at the start of a text, if there is one. SGF
/// has a backslash before the closing bracket of an IPv6 address.
fn address_length(text: &str) -> Option<usize> {
    let is_digit = |c: char| c.is_ascii_digit();
    let host = match text.strip_prefix('[') {
        Some(inner) => 1 + inner.find("]:")? + 1,
        None => text.find(|c: char| !is_digit(c) && c != '.')?,
    };
    let port = text.get(host..)?.strip_prefix(':')?;
    let digits = port.find(|c: char| !is_digit(c)).unwrap_or(port.len());
    let length = host + 1 + digits;
    let address = text.get(..length)?.replace('\\', "");
    address.parse::<SocketAddr>().ok().map(|_| length)
}

/// Returns the name of the file with the record of a match.
fn record_name<G: NetrefGame>(id: &str) -> String {
    format!("{id}.{}", G::RECORD_EXTENSION)
}

/// Returns the names of the records, which are in the folder of the table, of all rows of a table
/// of results, each with the number of its line, from 2; in place of the name `None` if the row
/// does not begin with the name of a match. With `tournament`, only the rows of matches that began
/// in that tournament and have a result count: the others were replayed. `None` if the text is not
/// a table of this game. A text without lines is one.
pub fn records_of_table<G: NetrefGame>(
    table: &str,
    tournament: Option<u32>,
) -> Option<Vec<(usize, Option<String>)>> {
    let mut lines = (1..).zip(table.lines());
    let mut column = None;
    if let Some((_, first)) = lines.next() {
        let header = header::<G>();
        let mut columns = first.split('\t');
        let mut wanted = header.split('\t').take(FIRST_COLUMNS);
        if !wanted.all(|column| columns.next() == Some(column)) {
            return None;
        }
        column = tournament_column(first);
    }
    let rows = lines.filter(|(_, row)| {
        let has_result = row.split('\t').nth(WINNER) != Some("none");
        tournament.is_none_or(|wanted| has_result && tournament_of(row, column) == Some(wanted))
    });
    let rows = rows.map(|(number, row)| {
        let id = row.split('\t').next().filter(|id| began(id).is_some());
        (number, id.map(record_name::<G>))
    });
    Some(rows.collect())
}

/// Returns whether a match has a line in the file of JSON lines already.
fn has_json_line(lines: &mut LineFile, id: &str) -> io::Result<bool> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(rename = "match")]
        id: String,
    }
    for line in lines.reader()?.lines() {
        let line: Option<Line> = serde_json::from_str(&line?).ok();
        if line.is_some_and(|line| line.id == id) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The number of columns of a table that its records are found by.
const FIRST_COLUMNS: usize = 10;

/// The column of the winner; `none` is in it if a match has no result.
const WINNER: usize = 4;

/// Returns the first line of the table, with the names of the columns.
fn header<G: NetrefGame>() -> String {
    let [first, second] = Color::ALL.map(|side| G::SIDES[side]);
    let columns = [
        "match", "date", first, second, "winner", "reason", "score", "plies",
    ];
    let more = ["seconds", "client", "address", "team", "clock"]
        .into_iter()
        .flat_map(|what| [first, second].map(|side| format!("{side}_{what}")));
    let columns = columns.map(str::to_owned).into_iter().chain(more);
    let mut columns = columns.chain(["server", TOURNAMENT].map(str::to_owned));
    columns.join("\t") + "\n"
}

/// Returns the row of a match.
pub(super) fn row<G: NetrefGame>(summary: &Summary) -> String {
    let player = |side: Color| &summary.players[side];
    let name = |side| {
        let name = player(side).called();
        name.map_or_else(String::new, |name| field(name.as_str()))
    };
    let ending = &summary.ending;
    let seconds = |side| format!("{:.3}", summary.spent[side].as_secs_f64());
    let client = |side| Some(player(side).client.as_ref()?.conn.to_string());
    let address = |side| Some(player(side).client.as_ref()?.address?.to_string());
    let team = |side| Some(field(player(side).team()?.as_str()));
    let clock = |side| Some(summary.times?[side].as_secs_f64().to_string());
    let columns = [
        summary.id.clone(),
        summary.date(),
        name(Color::Black),
        name(Color::White),
        winner::<G>(ending).to_owned(),
        ending.reason.word().to_owned(),
        ending.score.clone().unwrap_or_default(),
        summary.plies.to_string(),
        seconds(Color::Black),
        seconds(Color::White),
        client(Color::Black).unwrap_or_default(),
        client(Color::White).unwrap_or_default(),
        address(Color::Black).unwrap_or_default(),
        address(Color::White).unwrap_or_default(),
        team(Color::Black).unwrap_or_default(),
        team(Color::White).unwrap_or_default(),
        clock(Color::Black).unwrap_or_default(),
        clock(Color::White).unwrap_or_default(),
        summary.server.to_string(),
        tournament(summary).map_or_else(String::new, |number| number.to_string()),
    ];
    columns.join("\t") + "\n"
}

/// Returns the number of the tournament in which a match began, if it is one of a tournament.
fn tournament(summary: &Summary) -> Option<u32> {
    summary.scheduled.as_ref().map(|game| game.tournament)
}

/// Returns the winner as results have it.
fn winner<G: NetrefGame>(ending: &MatchEnding) -> &'static str {
    match (ending.winner, ending.reason) {
        (Some(winner), _) => G::SIDES[winner],
        (None, MatchReason::Play | MatchReason::Agreement) => "draw",
        (None, _) => "none",
    }
}

/// A match in the file of JSON lines.
#[derive(Serialize)]
struct JsonResult<'a> {
    #[serde(rename = "match")]
    id: &'a str,
    game: &'static str,
    server: u16,
    started: String,
    /// The players by the names of their sides.
    players: BTreeMap<&'static str, JsonPlayer<'a>>,
    winner: &'static str,
    reason: MatchReason,
    score: Option<&'a str>,
    plies: usize,
    /// The name of the record.
    record: String,
    /// The number of the tournament in which it began; `None` for a free match.
    tournament: Option<u32>,
}

/// A player in the file of JSON lines.
#[derive(Serialize)]
struct JsonPlayer<'a> {
    /// The name that the client gave.
    name: Option<&'a Name>,
    team: Option<&'a Name>,
    /// Whether it is the house.
    #[serde(skip_serializing_if = "Not::not")]
    house: bool,
    client: Option<ConnId>,
    address: Option<SocketAddr>,
    /// The time that the player thought.
    seconds: f64,
    /// The time on the clock at the start, in seconds.
    clock: Option<f64>,
}

/// Returns the line of a match in the file of JSON lines.
fn json_line<G: NetrefGame>(summary: &Summary) -> io::Result<String> {
    let player = |side: Color| {
        let player = &summary.players[side];
        let client = player.client.as_ref();
        let described = JsonPlayer {
            name: player.name.as_ref(),
            team: player.team(),
            house: player.is_house(),
            client: client.map(|client| client.conn),
            address: client.and_then(|client| client.address),
            seconds: summary.spent[side].as_secs_f64(),
            clock: summary.times.map(|times| times[side].as_secs_f64()),
        };
        (G::SIDES[side], described)
    };
    let result = JsonResult {
        id: &summary.id,
        game: G::NAME,
        server: summary.server,
        started: humantime::format_rfc3339_millis(summary.started).to_string(),
        players: Color::ALL.map(player).into(),
        winner: winner::<G>(&summary.ending),
        reason: summary.ending.reason,
        score: summary.ending.score.as_deref(),
        plies: summary.plies,
        record: record_name::<G>(&summary.id),
        tournament: tournament(summary),
    };
    Ok(serde_json::to_string(&result)? + "\n")
}

/// Returns a name as a field of the table. Names are printable ASCII, without tabs and
/// line ends.
fn field(name: &str) -> String {
    let is_formula = name.starts_with(['=', '+', '-', '@', '\'']);
    let text = format!("{}{name}", if is_formula { "'" } else { "" });
    if text.contains('"') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// The number of bytes read from the end of the table; a row has about 200.
const TAIL: u64 = 64 * 1024;

/// Returns a match as the page lists it. `server` is the server number of its table.
pub(super) fn listed<G: NetrefGame>(
    server: u16,
    summary: &Summary,
    is_recorded: bool,
) -> web::Finished {
    let players = ByColor::from_fn(|side| {
        let player = &summary.players[side];
        match (player.called(), &player.client) {
            (Some(name), _) => name.as_str().to_owned(),
            (None, Some(client)) => format!("#{}", client.conn),
            (None, None) => NAMELESS.into(),
        }
    });
    let record = is_recorded.then(|| record_name::<G>(&summary.id));
    finished::<G>(summary.started, server, players, &summary.ending, record)
}

/// Parses a row of the table, whose fields come with the names of their columns; returns
/// `None` if it is not a match.
fn parse_row<G: NetrefGame>(row: &HashMap<&str, &str>) -> Option<web::Finished> {
    let id = row.get("match")?;
    let (began, server) = began(id)?;
    let reason = StrDeserializer::<ValueError>::new(row.get("reason")?);
    let winner = row.get("winner")?;
    let score = row.get("score").filter(|score| !score.is_empty());
    let players = ByColor::from_fn(|side| {
        let side = G::SIDES[side];
        let filled = |column: &str| row.get(column).filter(|field| !field.is_empty());
        match (filled(side), filled(&format!("{side}_client"))) {
            (Some(name), _) => plain(name),
            (None, Some(client)) => format!("#{client}"),
            (None, None) => NAMELESS.into(),
        }
    });
    let ending = MatchEnding {
        winner: Color::ALL
            .into_iter()
            .find(|&side| G::SIDES[side] == *winner),
        reason: MatchReason::deserialize(reason).ok()?,
        score: score.map(|&score| score.to_owned()),
    };
    let record = Some(record_name::<G>(id));
    Some(finished::<G>(began, server, players, &ending, record))
}

fn finished<G: NetrefGame>(
    began: SystemTime,
    server: u16,
    players: ByColor<String>,
    ending: &MatchEnding,
    record: Option<String>,
) -> web::Finished {
    web::Finished {
        record,
        began,
        table: format!("Table {server}"),
        sides: G::PLAYERS.map(str::to_owned),
        players,
        result: ending.describe(G::PLAYERS),
    }
}

/// The name in records of a player who sent none.
const NAMELESS: &str = "no name";

impl Records {
    /// Returns the last matches of the table, in order.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub(super) fn past<G: NetrefGame>(&self) -> io::Result<Vec<web::Finished>> {
        let mut table = File::open(self.folder.join(RESULTS))?;
        let mut head = Vec::new();
        (&mut table).take(1_024).read_to_end(&mut head)?;
        let head = String::from_utf8_lossy(&head);
        let header = head.lines().next().unwrap_or_default();
        let length = table.metadata()?.len();
        table.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        table.take(TAIL).read_to_end(&mut tail)?;
        // The first line of the tail may be torn, and is then not parsed as a match.
        let tail = String::from_utf8_lossy(&tail);
        let row = |line| header.split('\t').zip(str::split(line, '\t')).collect();
        let matches = tail.lines().filter_map(|line| parse_row::<G>(&row(line)));
        Ok(matches.collect())
    }
}

/// Parses the start and the server number of a match from its name:
/// `20261120-093000-123456-0`.
fn began(id: &str) -> Option<(SystemTime, u16)> {
    if !id.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return None;
    }
    let mut parts = id.split('-');
    let (day, time) = (parts.next()?, parts.next()?);
    let server = parts.nth(1)?.parse().ok()?;
    let (year, month, day) = (day.get(..4)?, day.get(4..6)?, day.get(6..)?);
    let (hour, minute, second) = (time.get(..2)?, time.get(2..4)?, time.get(4..)?);
    let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    Some((humantime::parse_rfc3339(&text).ok()?, server))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contests::netref::{Awari, Gothello};

    proptest! {
        #[test]
        fn no_record_keeps_an_address(
            before in "[^0-9A-Za-z.]{0,9}",
            address in any::<SocketAddr>(),
            after in "[^0-9]\\PC{0,9}",
        ) {
            let record = format!("{before}{address}{after}");
            prop_assert!(!without_addresses(&record).contains(&address.to_string()), "{}", record);
            let _ = without_addresses(&after);
        }
    }

    #[test]
    fn rows_of_the_table_are_read_by_the_names_of_their_columns() {
        let read = |header: &str, line: &str| {
            let row = header.split('\t').zip(line.split('\t')).collect();
            parse_row::<Gothello>(&row)
        };
        let header = "match\tdate\tblack\twhite\twinner\treason\tscore\tplies\tblack_client";
        let row = "20261120-093000-123456-3\t2026-11-20\t\t\tblack\tplay\tB+3\t4\tk7-1";
        assert_eq!(
            read(header, row).unwrap().players,
            ByColor::new("#k7-1", "no name").map(str::to_owned)
        );
        let row = "20261120-093000-123456-3\t2026-11-20\t\"\"\"x\"\t\tblack\tplay\tB+3\t4\t";
        let seen = read(header, row).unwrap();
        assert_eq!(
            seen.players,
            ByColor::new("\"x", "no name").map(str::to_owned)
        );
        assert_eq!(
            seen.sides,
            ByColor::new("Black", "White").map(str::to_owned)
        );
        assert_eq!(seen.table, "Table 3");
        assert_eq!(seen.result, "Black wins (B+3)");
        let began = humantime::format_rfc3339(seen.began).to_string();
        assert_eq!(began, "2026-11-20T09:30:00Z");

        let row = "20261120-093000-123456-0\t2026-11-20\t'=1+1\tBob\tnone\tabandonment\t0\t0";
        let seen = read(header, row).unwrap();
        assert_eq!(seen.players, ByColor::new("=1+1", "Bob").map(str::to_owned));
        assert!(seen.result.starts_with("No result"), "{}", seen.result);

        for line in [
            header,
            "",
            "0-123456-0\t2026-11-20\tAnn\tBob\tblack\tplay\tB+3\t4",
            "20261120-093000-123456-0\t2026-11-20\tAnn\tBob\tblack\tmagic\tB+3\t4",
        ] {
            assert_eq!(read(header, line), None, "{line}");
        }
    }

    #[test]
    fn addresses_are_replaced_in_what_spectators_see() {
        for (record, shown) in [
            ("PB[127.0.0.1:40123]PW[Ann]", "PB[address not shown]PW[Ann]"),
            // As SGF escapes it.
            ("PW[[::1\\]:40123]RE[B+R]", "PW[address not shown]RE[B+R]"),
            ("PW[[fe80::1%2\\]:9]", "PW[address not shown]"),
            (
                "C[Black: 192.0.2.7:1, client k7-1\nWhite: [::ffff:192.0.2.8\\]:65535, client k7-2",
                "C[Black: address not shown, client k7-1\nWhite: address not shown, client k7-2",
            ),
            ("South at: [2001:db8::1]:5", "South at: address not shown"),
            ("North at: 192.0.2.7:5", "North at: address not shown"),
        ] {
            assert_eq!(without_addresses(record), shown);
        }
        for other in [
            "Seconds: 300 300",
            ";B[cc]BL[299.5]C[0.250 s]",
            "EV[20261120-093000-123456-3]",
            "PB[12:30]PW[1.2.3:4]",
            "PB[\u{e4}nn]",
        ] {
            assert_eq!(without_addresses(other), other);
        }
    }

    #[test]
    fn a_table_names_the_records_of_its_matches() {
        let names = |table: &str| records_of_table::<Gothello>(table, None);
        assert_eq!(names(""), Some(Vec::new()));
        let table = header::<Gothello>();
        assert_eq!(names(&table), Some(Vec::new()));
        let first_version = "match\tdate\tblack\twhite\twinner\treason\tscore\tplies\t\
            black_seconds\twhite_seconds\n";
        for table in [&table, first_version] {
            let rows = "20261120-093000-123456-3\t2026-11-20\t\"\"\"x\"\n\
                ../20261120-093000-123456-3\n20261120-093000-../x-3\n\n20261120-093000-123456-4";
            assert_eq!(
                names(&format!("{table}{rows}")),
                Some(vec![
                    (2, Some("20261120-093000-123456-3.sgf".into())),
                    (3, None),
                    (4, None),
                    (5, None),
                    (6, Some("20261120-093000-123456-4.sgf".into())),
                ])
            );
        }
        for other in ["match\n", "hello", &header::<Awari>()] {
            assert_eq!(names(other), None, "{other}");
        }
    }

    #[test]
    fn a_table_tells_the_matches_of_a_tournament_from_others() {
        let row = |id: &str, tournament: &str| {
            let columns = header::<Gothello>().split('\t').count();
            let empty = "\t".repeat(columns - 1);
            format!("20261120-093000-123456-{id}{empty}{tournament}\n")
        };
        // The fifth one has been played again.
        let void = row("5", "1").replacen("\t\t\t\t\t", "\t\t\t\tnone\t", 1);
        let rows = [
            row("1", "1"),
            row("2", ""),
            row("3", "2"),
            row("4", "1"),
            void,
        ]
        .concat();
        let lines = |table: &str, tournament| {
            let rows = records_of_table::<Gothello>(table, tournament).unwrap();
            rows.into_iter().map(|(line, _)| line).collect::<Vec<_>>()
        };
        let table = header::<Gothello>() + &rows;
        assert_eq!(lines(&table, None), [2, 3, 4, 5, 6]);
        assert_eq!(lines(&table, Some(1)), [2, 5]);
        assert_eq!(lines(&table, Some(3)), [0; 0]);
        // Tables of earlier versions lack it.
        let without = header::<Gothello>().replace("\ttournament", "");
        assert_eq!(lines(&format!("{without}{rows}"), Some(1)), [0; 0]);
    }
}
