//! The journals of matches: their entries, and the files of a folder of journals.
//!
//! A match that a crash interrupted has a file with the extension `journal`, which the next
//! start resumes. An adjourned match has one with the extension `adjourned`, which no start
//! resumes, until the operator does.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use itertools::Itertools;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::client::Client;
use super::game::NetrefGame;
use super::live_match::{LiveMatch, RestoreError};
use super::log::LogEvent;
use super::recorder::MatchToRecord;
use super::records::Reason;
use super::table_task::JOURNAL;
use crate::color::{ByColor, Color};
use crate::journal::{Found, Journal, OpenError, sync_folder};
use crate::web;

/// An accepted action of a match, as it is journaled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "entry")]
pub enum Entry {
    /// The start, which is the first entry of each journal.
    Start {
        /// The game's name.
        game: String,
        /// The unique ID of the match.
        id: String,
        /// The number of the match's server.
        server: u16,
        /// The time of the start, in milliseconds since 1970.
        started_ms: u64,
        /// The players' names.
        #[serde(with = "by_side")]
        names: ByColor<Option<String>>,
        /// The players' connections, which earlier versions did not write.
        #[serde(default, with = "by_side")]
        clients: ByColor<Option<Client>>,
        /// The time on each clock in milliseconds, with time controls.
        #[serde(default, with = "by_side::option")]
        times_ms: Option<ByColor<u64>>,
        /// The rules, if the game has variants.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rules: Option<String>,
    },
    /// A move.
    Move {
        /// The move as it is written on the wire.
        mv: String,
        /// How long the player thought, in milliseconds.
        spent_ms: u64,
        /// The time left afterwards in milliseconds, with time controls.
        left_ms: Option<u64>,
    },
    /// The side to move offers a draw.
    DrawOffer,
    /// The opponent refuses the draw.
    DrawRefusal,
    /// The match is adjourned in the middle of a move.
    Adjourned {
        /// How long the side to move has thought about it, in milliseconds.
        spent_ms: u64,
        /// The time that it has left in milliseconds, with time controls.
        left_ms: Option<u64>,
    },
    /// The match ends without a move.
    End {
        /// The winner, if there is one.
        #[serde(default, with = "side")]
        winner: Option<Color>,
        /// The reason.
        reason: Reason,
    },
}

/// Spells a player as journals do: `first` or `second`.
mod side {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::color::Color;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Side {
        First,
        Second,
    }

    pub(super) fn serialize<S: Serializer>(
        color: &Option<Color>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let side = color.map(|color| match color {
            Color::Black => Side::First,
            Color::White => Side::Second,
        });
        side.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Color>, D::Error> {
        let side = Option::deserialize(deserializer)?;
        Ok(side.map(|side| match side {
            Side::First => Color::Black,
            Side::Second => Color::White,
        }))
    }
}

/// Spells a pair as journals do: with the keys `first` and `second`.
mod by_side {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::color::ByColor;

    #[derive(Serialize, Deserialize)]
    struct BySide<T> {
        first: T,
        second: T,
    }

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        values: &ByColor<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let ByColor { black, white } = values.as_ref();
        let (first, second) = (black, white);
        BySide { first, second }.serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<ByColor<T>, D::Error> {
        let BySide { first, second } = BySide::deserialize(deserializer)?;
        Ok(ByColor::new(first, second))
    }

    /// The same for a pair that may be missing.
    pub(super) mod option {
        use super::{ByColor, BySide, Deserialize, Deserializer, Serialize, Serializer};

        pub(in super::super) fn serialize<T: Serialize, S: Serializer>(
            values: &Option<ByColor<T>>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            let values = values.as_ref().map(|values| {
                let ByColor { black, white } = values.as_ref();
                let (first, second) = (black, white);
                BySide { first, second }
            });
            values.serialize(serializer)
        }

        pub(in super::super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<ByColor<T>>, D::Error> {
            let values: Option<BySide<T>> = Option::deserialize(deserializer)?;
            Ok(values.map(|BySide { first, second }| ByColor::new(first, second)))
        }
    }
}

/// Returns whole milliseconds, at most 2⁶⁴-1.
pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns milliseconds since 1970; 0 for an earlier time.
pub(super) fn unix_millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, millis)
}

/// Returns the time of milliseconds since 1970; 1970 itself if there is no such time.
pub(super) fn from_unix_millis(ms: u64) -> SystemTime {
    UNIX_EPOCH
        .checked_add(Duration::from_millis(ms))
        .unwrap_or(UNIX_EPOCH)
}

/// The interrupted matches of a folder.
pub struct Interrupted<G: NetrefGame> {
    /// The matches that are resumed, each with its journal.
    pub matches: Vec<(LiveMatch<G>, Journal<Entry>)>,
    /// The matches that are over: the crash came before they were recorded, or a player
    /// cannot resume them.
    pub finished: Vec<MatchToRecord>,
    /// Other findings for the log, with the number of the server.
    pub events: Vec<(u16, LogEvent)>,
}

/// Why matches cannot be resumed.
#[derive(Debug, Error)]
pub enum InterruptedError {
    /// The folder cannot be read, or a file in it cannot be written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// A journal cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A journal that holds no match of this game.
    #[error("{}: {error}", path.display())]
    Match {
        /// The journal.
        path: PathBuf,
        /// What is wrong with it.
        error: RestoreError,
    },
    /// Two journals hold matches of one server number.
    #[error("{}: there are two interrupted matches of server number {server}", folder.display())]
    SameServer {
        /// The folder.
        folder: PathBuf,
        /// The server number.
        server: u16,
    },
}

/// Returns the journals in a folder, in the order of their names and so of the matches'
/// starts.
///
/// # Errors
/// If the folder cannot be read.
pub fn journals(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == JOURNAL)
        {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

impl<G: NetrefGame> Interrupted<G> {
    /// Reads the journals of a folder. A match with a nameless player ends without a result:
    /// nobody could tell that player from a stranger, and the client libraries, which give no
    /// name, cannot resume a match.
    ///
    /// # Errors
    /// If a journal cannot be read, is damaged before its end, or holds no match of this
    /// game.
    pub fn read(folder: &Path) -> Result<Interrupted<G>, InterruptedError> {
        let io_error = |path: &Path, error| InterruptedError::Io {
            path: path.to_owned(),
            error,
        };
        let mut interrupted = Interrupted {
            matches: Vec::new(),
            finished: Vec::new(),
            events: Vec::new(),
        };
        for path in journals(folder).map_err(|error| io_error(folder, error))? {
            let Found {
                journal,
                entries,
                cut,
            } = Journal::open(&path)?;
            let cut = (cut > 0).then(|| LogEvent::Cut {
                journal: path.display().to_string(),
                bytes: cut,
            });
            if entries.is_empty() {
                // Not even the start was announced.
                interrupted.events.extend(cut.map(|event| (0, event)));
                journal.remove().map_err(|error| io_error(&path, error))?;
                continue;
            }
            let mut live =
                LiveMatch::<G>::restore(entries).map_err(|error| InterruptedError::Match {
                    path: path.clone(),
                    error,
                })?;
            let server = live.server();
            interrupted.events.extend(cut.map(|event| (server, event)));
            let over = match live.finished() {
                Some(finished) => Some(finished),
                None if live.can_resume() => None,
                None => live.end_interrupted(),
            };
            match over {
                None => interrupted.matches.push((live, journal)),
                Some((summary, record)) => {
                    interrupted
                        .events
                        .push((server, LogEvent::ended::<G>(&summary)));
                    interrupted.finished.push(MatchToRecord {
                        server,
                        summary,
                        record,
                        journal: Some(journal),
                        may_be_recorded: true,
                    });
                }
            }
        }
        let servers = interrupted.matches.iter().map(|(live, _)| live.server());
        if let Some(server) = servers.duplicates().next() {
            let folder = folder.to_owned();
            return Err(InterruptedError::SameServer { folder, server });
        }
        Ok(interrupted)
    }

    /// Removes and returns the match of a server.
    pub fn take(&mut self, server: u16) -> Option<(LiveMatch<G>, Journal<Entry>)> {
        let of_server = |(live, _): &(LiveMatch<G>, _)| live.server() == server;
        let at = self.matches.iter().position(of_server)?;
        Some(self.matches.swap_remove(at))
    }
}

/// The extension of the journals of adjourned matches.
const ADJOURNED: &str = "adjourned";

/// An adjourned match.
#[derive(Debug)]
pub(super) struct Adjourned {
    /// The name of the match.
    pub(super) id: String,
    /// The number of the match's server.
    pub(super) server: u16,
    /// Its journal.
    pub(super) path: PathBuf,
    /// A description: the players and the number of moves.
    pub(super) title: String,
}

/// The adjourned matches of a folder.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// The matches that can be resumed, in the order of their starts.
    pub(super) matches: Vec<Adjourned>,
    /// Descriptions of files that hold no match.
    pub(super) damaged: Vec<String>,
}

impl Adjourned {
    /// The adjourned matches of a folder.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(super) fn list<G: NetrefGame>(folder: &Path) -> io::Result<Listed> {
        let mut listed = Listed::default();
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            if path.extension().is_none_or(|ending| ending != ADJOURNED) {
                continue;
            }
            match open::<G>(&path) {
                Ok((live, _)) => listed.matches.push(Adjourned {
                    id: live.id().to_owned(),
                    server: live.server(),
                    title: live.title(),
                    path,
                }),
                Err(error) => listed.damaged.push(error.to_string()),
            }
        }
        listed.matches.sort_by(|one, other| one.id.cmp(&other.id));
        listed.damaged.sort();
        Ok(listed)
    }

    /// Returns the match as the page shows it.
    pub(super) fn view(&self) -> web::Adjourned {
        web::Adjourned {
            id: self.id.clone(),
            title: format!("Table {}: {}", self.server, self.title),
            table: Some(self.server.into()),
        }
    }
}

/// Opens the journal of a match.
///
/// # Errors
/// If the file is not a journal of a match of this game.
fn open<G: NetrefGame>(path: &Path) -> Result<(LiveMatch<G>, Journal<Entry>), InterruptedError> {
    let found = Journal::open(path)?;
    let restored = LiveMatch::restore(found.entries);
    let live = restored.map_err(|error| InterruptedError::Match {
        path: path.to_owned(),
        error,
    })?;
    Ok((live, found.journal))
}

/// Adjourns a match: appends this last entry to its journal, renames it, and closes it.
///
/// # Errors
/// If the system refuses to. The journal is then returned, and the match can go on:
/// an entry without an adjournment does no harm, because each move stores the
/// time that is left.
pub(super) fn adjourn(
    mut journal: Journal<Entry>,
    entry: Entry,
) -> Result<RenamedFile, (io::Error, Journal<Entry>)> {
    let appended = journal.append(&[entry]);
    match appended.and_then(|()| rename(journal.path(), ADJOURNED)) {
        Ok(renamed) => Ok(renamed),
        Err(error) => Err((error, journal)),
    }
}

/// Resumes an adjourned match: renames its journal and opens it.
///
/// # Errors
/// If the match cannot be resumed. Its journal then keeps its name.
pub(super) fn resume_adjourned<G: NetrefGame>(
    path: &Path,
) -> Result<(LiveMatch<G>, Journal<Entry>, RenamedFile), InterruptedError> {
    let named = |error| InterruptedError::Io {
        path: path.to_owned(),
        error,
    };
    let renamed = rename(path, JOURNAL).map_err(named)?;
    match open(&renamed.path) {
        Ok((live, journal)) => Ok((live, journal, renamed)),
        Err(why) => {
            let _ = rename(&renamed.path, ADJOURNED);
            Err(why)
        }
    }
}

/// A file with a new extension.
#[derive(Debug)]
pub(super) struct RenamedFile {
    /// Its new name.
    pub(super) path: PathBuf,
    /// Whether a power failure leaves it that name.
    synced: io::Result<()>,
}

impl RenamedFile {
    /// What the log ought to say of it, if anything.
    pub(super) fn warning(&self) -> Option<String> {
        let error = self.synced.as_ref().err()?;
        let path = self.path.display();
        Some(format!("{path}: a power cut may undo this name: {error}"))
    }
}

/// Changes the extension of a file.
///
/// # Errors
/// It keeps its name.
pub(super) fn rename(path: &Path, ending: &str) -> io::Result<RenamedFile> {
    let new = path.with_extension(ending);
    if new.exists() {
        return Err(io::Error::other(format!(
            "{} exists already",
            new.display()
        )));
    }
    fs::rename(path, &new)?;
    let synced = sync_folder(&new);
    Ok(RenamedFile { path: new, synced })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netref::ConnId;

    #[test]
    fn journals_call_the_players_first_and_second() {
        let start = Entry::Start {
            game: "Gothello".into(),
            id: "20261120-120000-000000-0".into(),
            server: 0,
            started_ms: 5,
            names: ByColor::new(Some("Ann".into()), None),
            clients: ByColor::new(None, Some(ConnId(1).into())),
            times_ms: Some(ByColor::new(1, 2)),
            rules: None,
        };
        let end = Entry::End {
            winner: Some(Color::White),
            reason: Reason::Time,
        };
        for (entry, json) in [
            (
                start,
                r#"{"entry":"start","game":"Gothello","id":"20261120-120000-000000-0","server":0,"started_ms":5,"names":{"first":"Ann","second":null},"clients":{"first":null,"second":{"conn":"0-1"}},"times_ms":{"first":1,"second":2}}"#,
            ),
            (end, r#"{"entry":"end","winner":"second","reason":"time"}"#),
        ] {
            assert_eq!(serde_json::to_string(&entry).unwrap(), json);
            assert_eq!(serde_json::from_str::<Entry>(json).unwrap(), entry);
        }
    }
}
