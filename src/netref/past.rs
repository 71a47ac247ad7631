//! Matches that are over, as the page lists them: those of this run as they end,
//! and before them the last ones of the table of results.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::time::SystemTime;

use serde::Deserialize;
use serde::de::value::{Error as ValueError, StrDeserializer};

use super::game::NetrefGame;
use super::painter::outcome;
use super::record::{Ending, Player, Reason, Summary};
use super::results::{RESULTS, Records};
use crate::color::{ByColor, Color};
use crate::web;

/// How much of the end of the table of results is read: a row has some 200 bytes.
const TAIL: u64 = 64 * 1024;

/// A match that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Past {
    /// The number of its server.
    server: u16,
    began: SystemTime,
    players: ByColor<String>,
    ending: Ending,
}

impl Past {
    /// A match that has just ended.
    pub(super) fn new(server: u16, summary: &Summary) -> Past {
        Past {
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

    /// A row of the table of results, by the names of its columns; `None` if it is
    /// none of a match.
    fn from_row<G: NetrefGame>(row: &HashMap<&str, &str>) -> Option<Past> {
        let (began, server) = began(row.get("match")?)?;
        let reason = StrDeserializer::<ValueError>::new(row.get("reason")?);
        let winner = row.get("winner")?;
        let score = row.get("score").filter(|score| !score.is_empty());
        Some(Past {
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

    /// As the page shows it.
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

/// What a player without a name is called.
const NAMELESS: &str = "no name";

impl Records {
    /// The last matches of the table of results, the last one last.
    ///
    /// # Errors
    /// The table cannot be read.
    pub(super) fn past<G: NetrefGame>(&self) -> io::Result<Vec<Past>> {
        let mut table = File::open(self.folder.join(RESULTS))?;
        let mut head = Vec::new();
        (&mut table).take(1_024).read_to_end(&mut head)?;
        let head = String::from_utf8_lossy(&head);
        let header = head.lines().next().unwrap_or_default();
        let length = table.metadata()?.len();
        table.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        table.take(TAIL).read_to_end(&mut tail)?;
        // The first line of the tail may be torn; such a row has no match, or none
        // that can be read.
        let tail = String::from_utf8_lossy(&tail);
        let row = |line| header.split('\t').zip(str::split(line, '\t')).collect();
        let matches = tail
            .lines()
            .filter_map(|line| Past::from_row::<G>(&row(line)));
        Ok(matches.collect())
    }
}

/// When a match began, and at which server, by its name:
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

/// The text of a field, which may stand in quotes, and after an apostrophe if it
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
            Past::from_row::<Gothello>(&row).map(Past::view::<Gothello>)
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
