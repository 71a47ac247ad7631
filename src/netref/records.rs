//! Finished matches: what is known of them, and their records in a folder.
//!
//! The folder has a record for each match, and a table of results, `results.tsv`, with a row
//! for each match and tabs between fields. Python's `csv` reads it with `delimiter="\t"`: a
//! field with a double quote stands in double quotes, and each one in it is doubled. Names
//! are the clients' own: one that begins with `=`, `+`, `-`, `@` or `'` is written after a
//! `'`, so that no spreadsheet takes it for a formula. The page lists the last rows.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use itertools::Itertools;
use serde::Deserialize;
use serde::de::value::{Error as ValueError, StrDeserializer};

use super::client::Client;
use super::game::NetrefGame;
use super::page::outcome;
use super::wire::Name;
use crate::color::{ByColor, Color};
use crate::journal::{LineFile, LineFileError, make_writable, write_whole};
use crate::web;

/// A finished match.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The unique ID of the match: the time of its start and the number of its server.
    pub id: String,
    /// The time of the start.
    pub started: SystemTime,
    /// The players.
    pub players: ByColor<Player>,
    /// The time on each clock at the start; `None` without time controls.
    pub times: Option<ByColor<Duration>>,
    /// The number of moves of both players.
    pub plies: usize,
    /// The time that each player thought in all.
    pub spent: ByColor<Duration>,
    /// How the match ended.
    pub ending: Ending,
}

/// A player of a match, as it was when the match began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The name that the client gave.
    pub name: Option<Name>,
    /// The connection; unknown in journals of earlier versions.
    pub client: Option<Client>,
}

/// A move of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played<M> {
    /// The side that made it.
    pub side: Color,
    /// The move.
    pub mv: M,
    /// How long the player thought, from the time when they were told that it was their
    /// turn.
    pub spent: Duration,
    /// The time left afterwards; `None` without time controls.
    pub left: Option<Duration>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The winner, if there is one.
    pub winner: Option<Color>,
    /// The reason.
    pub reason: Reason,
    /// The score of a game that was played to its end, as in `B+3`.
    pub score: Option<String>,
}

impl Ending {
    /// Returns whether the match ended without a result. A draw is a result.
    pub fn is_void(&self) -> bool {
        let is_draw = matches!(self.reason, Reason::Play | Reason::Agreement);
        self.winner.is_none() && !is_draw
    }
}

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// By the rules of the game.
    Play,
    /// Both players agreed on a draw.
    Agreement,
    /// One player resigned.
    Resignation,
    /// One player's flag fell.
    Time,
    /// One player left, or did not come back to an interrupted match.
    Disconnection,
    /// Neither player came back to an interrupted match.
    Abandonment,
    /// One player sent too many malformed requests.
    Protocol,
    /// The server was interrupted, and a player cannot resume the match.
    Interruption,
    /// The operator ended it.
    Void,
}

impl Reason {
    /// Returns the reason in a word, for tables.
    pub const fn word(self) -> &'static str {
        match self {
            Reason::Play => "play",
            Reason::Agreement => "agreement",
            Reason::Resignation => "resignation",
            Reason::Time => "time",
            Reason::Disconnection => "disconnection",
            Reason::Abandonment => "abandonment",
            Reason::Protocol => "protocol",
            Reason::Interruption => "interruption",
            Reason::Void => "void",
        }
    }

    /// Returns the reason in a sentence, after `by`.
    pub(super) const fn phrase(self) -> &'static str {
        match self {
            Reason::Protocol => "protocol errors",
            Reason::Void => "order of the operator",
            other => other.word(),
        }
    }
}

impl Summary {
    /// Returns the address and the connection of a player for a record:
    /// `127.0.0.1:40123, client mwq2x8k1-4`.
    pub(super) fn whereabouts(&self, side: Color) -> Option<String> {
        let Client { conn, address } = self.players[side].client?;
        Some(match address {
            Some(address) => format!("{address}, client {conn}"),
            None => format!("client {conn}"),
        })
    }

    /// Returns the day of the start in UTC, as in `2026-11-20`.
    pub fn date(&self) -> String {
        let mut date = humantime::format_rfc3339_seconds(self.started).to_string();
        date.truncate(10);
        date
    }
}

/// The file with a line for each match.
pub const RESULTS: &str = "results.tsv";

/// How long to wait for another process that writes the table. It needs milliseconds.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// A folder in which matches are recorded.
#[derive(Clone, Debug)]
pub struct Records {
    folder: PathBuf,
}

impl Records {
    /// Opens a folder, which is created if necessary.
    ///
    /// # Errors
    /// If the folder cannot be created or written to, or holds the results of another game.
    pub fn new<G: NetrefGame>(folder: &Path) -> io::Result<Records> {
        make_writable(folder)?;
        let records = Records {
            folder: folder.to_owned(),
        };
        records.check_header::<G>()?;
        Ok(records)
    }

    /// Checks whether the table, if there is one, is one of this game.
    fn check_header<G: NetrefGame>(&self) -> io::Result<()> {
        let mut first = String::new();
        let mut results = self.open_results()?;
        results.reader()?.take(1_024).read_line(&mut first)?;
        let header = header::<G>();
        if first.is_empty() || first == header {
            return Ok(());
        }
        let old = first.trim_end_matches('\n');
        if let Some(new) = header.strip_prefix(old)
            && new.starts_with('\t')
            && old.split('\t').count() == FIRST_COLUMNS
        {
            return add_columns(&mut results, new.trim_end_matches('\n'));
        }
        let game = G::NAME;
        Err(io::Error::other(format!(
            "{RESULTS} is no table of {game}: give each game a folder of its own"
        )))
    }

    /// Opens the table of results, for this process alone until it is dropped.
    fn open_results(&self) -> io::Result<LineFile> {
        let opened = LineFile::open_or_create(&self.folder.join(RESULTS), LOCK_WAIT);
        let unchecked = opened.map_err(|error| match error {
            LineFileError::Locked => {
                io::Error::other(format!("another process keeps {RESULTS} locked"))
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
        self.write_files::<G>(summary, record).map_err(named)
    }

    fn write_files<G: NetrefGame>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        let name = format!("{}.{}", summary.id, G::RECORD_EXTENSION);
        write_whole(&self.folder.join(name), record.as_bytes())?;

        let mut results = self.open_results()?;
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
        if self.has_line(&summary.id)? {
            return Ok(());
        }
        self.write::<G>(summary, record)
    }

    /// Returns whether a match has a row in the table already.
    fn has_line(&self, id: &str) -> io::Result<bool> {
        for line in self.open_results()?.reader()?.lines() {
            if line?.split('\t').next() == Some(id) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Adds columns to the table of an earlier version, which are empty in its rows. That
/// version wrote names as they are. Now they are quoted as in all other rows, or a single
/// quote would swallow the rows after it.
fn add_columns(results: &mut LineFile, columns: &str) -> io::Result<()> {
    let mut text = String::new();
    results.reader()?.read_to_string(&mut text)?;
    let empty: String = columns.chars().filter(|&c| c == '\t').collect();
    let mut lines = text.lines();
    let header = lines.next().map(|header| format!("{header}{columns}\n"));
    let rows = lines.map(|row| {
        let fields = row.split('\t').enumerate();
        let mut fields = fields.map(|(at, text)| match at {
            _ if NAMES.contains(&at) => field(text),
            _ => text.to_owned(),
        });
        let row = fields.join("\t");
        format!("{row}{empty}\n")
    });
    let text: String = header.into_iter().chain(rows).collect();
    results.replace(&text)
}

/// The number of columns of the first version's table.
const FIRST_COLUMNS: usize = 10;

/// The columns of the players' names.
const NAMES: [usize; 2] = [2, 3];

/// Returns the first line of the table, with the names of the columns.
fn header<G: NetrefGame>() -> String {
    let [first, second] = Color::ALL.map(|side| G::SIDES[side]);
    let columns = [
        "match", "date", first, second, "winner", "reason", "score", "plies",
    ];
    let more = ["seconds", "client", "address"]
        .into_iter()
        .flat_map(|what| [first, second].map(|side| format!("{side}_{what}")));
    let mut columns = columns.map(str::to_owned).into_iter().chain(more);
    columns.join("\t") + "\n"
}

/// Returns the row of a match.
pub(super) fn row<G: NetrefGame>(summary: &Summary) -> String {
    let player = |side: Color| &summary.players[side];
    let name = |side| {
        let name = player(side).name.as_ref();
        name.map_or_else(String::new, |name| field(name.as_str()))
    };
    let ending = &summary.ending;
    let winner = match (ending.winner, ending.reason) {
        (Some(winner), _) => G::SIDES[winner],
        (None, Reason::Play | Reason::Agreement) => "draw",
        (None, _) => "none",
    };
    let seconds = |side| format!("{:.3}", summary.spent[side].as_secs_f64());
    let client = |side| player(side).client.map(|client| client.conn.to_string());
    let address = |side| Some(player(side).client?.address?.to_string());
    let columns = [
        summary.id.clone(),
        summary.date(),
        name(Color::Black),
        name(Color::White),
        winner.to_owned(),
        ending.reason.word().to_owned(),
        ending.score.clone().unwrap_or_default(),
        summary.plies.to_string(),
        seconds(Color::Black),
        seconds(Color::White),
        client(Color::Black).unwrap_or_default(),
        client(Color::White).unwrap_or_default(),
        address(Color::Black).unwrap_or_default(),
        address(Color::White).unwrap_or_default(),
    ];
    columns.join("\t") + "\n"
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

/// The number of bytes that are read from the end of the table; a row has some 200.
const TAIL: u64 = 64 * 1024;

/// A match that is over, as the page lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PastMatch {
    /// The number of its server.
    server: u16,
    began: SystemTime,
    players: ByColor<String>,
    ending: Ending,
}

impl PastMatch {
    /// Creates the entry of a match that has just ended.
    pub(super) fn new(server: u16, summary: &Summary) -> PastMatch {
        PastMatch {
            server,
            began: summary.started,
            players: ByColor::from_fn(|side| {
                let Player { name, client } = &summary.players[side];
                match (name, client) {
                    (Some(name), _) => name.as_str().to_owned(),
                    (None, Some(client)) => format!("#{}", client.conn),
                    (None, None) => NAMELESS.into(),
                }
            }),
            ending: summary.ending.clone(),
        }
    }

    /// Parses a row of the table, whose fields come with the names of their columns; returns
    /// `None` if it is not a match.
    fn from_row<G: NetrefGame>(row: &HashMap<&str, &str>) -> Option<PastMatch> {
        let (began, server) = began(row.get("match")?)?;
        let reason = StrDeserializer::<ValueError>::new(row.get("reason")?);
        let winner = row.get("winner")?;
        let score = row.get("score").filter(|score| !score.is_empty());
        Some(PastMatch {
            server,
            began,
            players: ByColor::from_fn(|side| {
                let side = G::SIDES[side];
                let filled = |column: &str| row.get(column).filter(|field| !field.is_empty());
                match (filled(side), filled(&format!("{side}_client"))) {
                    (Some(name), _) => plain(name),
                    (None, Some(client)) => format!("#{client}"),
                    (None, None) => NAMELESS.into(),
                }
            }),
            ending: Ending {
                winner: Color::ALL
                    .into_iter()
                    .find(|&side| G::SIDES[side] == *winner),
                reason: Reason::deserialize(reason).ok()?,
                score: score.map(|&score| score.to_owned()),
            },
        })
    }

    /// Returns the match as the page shows it.
    pub(super) fn view<G: NetrefGame>(self) -> web::Finished {
        let result = outcome::<G>(&self.ending);
        web::Finished {
            began: self.began,
            table: format!("Table {}", self.server),
            sides: G::PLAYERS.map(str::to_owned),
            players: self.players,
            result,
        }
    }
}

/// The name in records of a player who sent none.
const NAMELESS: &str = "no name";

impl Records {
    /// Returns the last matches of the table, the last one last.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub(super) fn past<G: NetrefGame>(&self) -> io::Result<Vec<PastMatch>> {
        let mut table = File::open(self.folder.join(RESULTS))?;
        let mut head = Vec::new();
        (&mut table).take(1_024).read_to_end(&mut head)?;
        let head = String::from_utf8_lossy(&head);
        let header = head.lines().next().unwrap_or_default();
        let length = table.metadata()?.len();
        table.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        table.take(TAIL).read_to_end(&mut tail)?;
        // The first line of the tail may be torn. It is then no match, or none that can be
        // parsed.
        let tail = String::from_utf8_lossy(&tail);
        let row = |line| header.split('\t').zip(str::split(line, '\t')).collect();
        let matches = tail
            .lines()
            .filter_map(|line| PastMatch::from_row::<G>(&row(line)));
        Ok(matches.collect())
    }
}

/// Parses the start and the server number of a match from its name:
/// `20261120-093000-123456-0`.
fn began(id: &str) -> Option<(SystemTime, u16)> {
    let mut parts = id.split('-');
    let (day, time) = (parts.next()?, parts.next()?);
    let server = parts.nth(1)?.parse().ok()?;
    let (year, month, day) = (day.get(..4)?, day.get(4..6)?, day.get(6..)?);
    let (hour, minute, second) = (time.get(..2)?, time.get(2..4)?, time.get(4..)?);
    let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    Some((humantime::parse_rfc3339(&text).ok()?, server))
}

/// Returns the text of a field, which may stand in quotes, and after an apostrophe if it
/// would otherwise be a formula.
fn plain(field: &str) -> String {
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
    use super::*;
    use crate::netref::Gothello;

    #[test]
    fn rows_of_the_table_are_read_by_the_names_of_their_columns() {
        let read = |header: &str, line: &str| {
            let row = header.split('\t').zip(line.split('\t')).collect();
            PastMatch::from_row::<Gothello>(&row).map(PastMatch::view::<Gothello>)
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
}
