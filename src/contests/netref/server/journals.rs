//! The journals of matches: the files of a folder of journals.
//!
//! A match that a crash interrupted has a file with the extension `journal`, which the next
//! start resumes. An adjourned match has one with the extension `adjourned`, which no start
//! resumes, until the organizer does.

use std::path::{Path, PathBuf};
use std::{fs, io};

use itertools::Itertools;
use thiserror::Error;

use crate::base::journal::{Found, Journal, OpenError, sync_folder};
use crate::contests::netref::client::Name;
use crate::contests::netref::entry::Entry;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::summary::Summary;
use crate::contests::netref::table::{FinishedMatch, LiveMatch, RestoreError};
use crate::tournament::NumberedGame;

/// The extension of the journals of running and interrupted matches.
const JOURNAL: &str = "journal";

/// The extension of the journals of adjourned matches.
pub const ADJOURNED: &str = "adjourned";

/// The extension of the journals of matches without a result, if no records are kept.
const VOID: &str = "void";

/// A match to record, and its journal.
#[derive(Debug)]
pub struct MatchToRecord {
    /// The server number of the match's table.
    pub server: u16,
    /// The match for the table of results.
    pub summary: Summary,
    /// The text of its record.
    pub record: String,
    /// The journal. It is removed when the match is recorded.
    pub journal: Option<Journal<Entry>>,
    /// Whether the match may be recorded already, because a crash came before its journal
    /// was removed.
    pub may_be_recorded: bool,
}

/// A match that was restored from its journal, and the journal.
type Restored<G> = (LiveMatch<G>, Journal<Entry>);

/// The interrupted matches of a folder.
pub struct Interrupted<G: NetrefGame> {
    /// The matches that are resumed, each with its journal.
    pub matches: Vec<Restored<G>>,
    /// The matches that are over: the crash came before they were recorded, or a player
    /// cannot resume them.
    pub finished: Vec<MatchToRecord>,
    /// Other messages for the log, with the server number of the table.
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
        /// The error.
        error: RestoreError,
    },
    /// A match against a house that does not play at its table.
    #[error(
        "{}: this is a match against {house}, and it does not play at this table: start the \
         referee with the same --house", path.display()
    )]
    House {
        /// The journal.
        path: PathBuf,
        /// The house.
        house: Name,
    },
    /// A match that a player cannot resume.
    #[error(
        "{}: a player cannot resume this match: its client has not said so before the match", .0.display()
    )]
    NotResumable(PathBuf),
    /// Two journals hold matches of one table.
    #[error("{}: there are two interrupted matches of table {server}", folder.display())]
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
    /// Reads the journals of a folder. A match that a player cannot resume ends without a result:
    /// see [`Player::can_resume`].
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
                Some(FinishedMatch {
                    summary, record, ..
                }) => {
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
    pub fn take(&mut self, server: u16) -> Option<Restored<G>> {
        let of_server = |(live, _): &(LiveMatch<G>, _)| live.server() == server;
        let at = self.matches.iter().position(of_server)?;
        Some(self.matches.swap_remove(at))
    }
}

/// Creates the journal of a new match.
///
/// # Errors
/// If the file exists or cannot be created.
pub fn create(folder: &Path, id: &str) -> io::Result<Journal<Entry>> {
    Journal::create(&folder.join(format!("{id}.{JOURNAL}")))
}

/// Reads a journal again, and restores its match; returns `None` if that is not possible.
pub fn reopen<G: NetrefGame>(journal: Journal<Entry>) -> Option<Restored<G>> {
    let path = journal.path().to_owned();
    // The journal must be unlocked before it is opened again.
    drop(journal);
    open(&path).ok()
}

/// An adjourned match.
#[derive(Debug)]
pub struct Adjourned {
    /// The name of the match.
    pub id: String,
    /// The server number of the match's table.
    pub server: u16,
    /// Its journal.
    pub path: PathBuf,
    /// A description: the players and the number of moves.
    pub title: String,
    /// The teams that play it.
    pub teams: Vec<Name>,
    /// Its place in the tournament, if it is a match of one.
    pub scheduled: Option<NumberedGame>,
}

/// Returns the adjourned matches of a folder in the order of their starts, and the reasons why
/// others cannot be resumed.
///
/// # Errors
/// If the folder cannot be read.
pub fn list_adjourned<G: NetrefGame>(folder: &Path) -> io::Result<(Vec<Adjourned>, Vec<String>)> {
    let mut matches = Vec::new();
    let mut damaged = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_none_or(|ending| ending != ADJOURNED) {
            continue;
        }
        match open::<G>(&path) {
            Ok((live, _)) => matches.push(Adjourned {
                id: live.id().to_owned(),
                server: live.server(),
                title: live.title(),
                teams: live.both_teams().cloned().collect(),
                scheduled: live.scheduled().cloned(),
                path,
            }),
            Err(error) => damaged.push(error.to_string()),
        }
    }
    matches.sort_by(|one, other| one.id.cmp(&other.id));
    damaged.sort();
    Ok((matches, damaged))
}

/// Opens the journal of a match.
///
/// # Errors
/// If the file is not a journal of a match of this game.
fn open<G: NetrefGame>(path: &Path) -> Result<Restored<G>, InterruptedError> {
    let found = Journal::open(path)?;
    let restored = LiveMatch::restore(found.entries);
    let live = restored.map_err(|error| InterruptedError::Match {
        path: path.to_owned(),
        error,
    })?;
    Ok((live, found.journal))
}

/// Adjourns a match: appends this last entry to its journal, renames it, and closes it.
/// Returns a warning for the log if a power failure may undo that.
///
/// # Errors
/// If the system refuses to. The journal is then returned, and the match can go on:
/// an entry without an adjournment does no harm, because each move stores the
/// time that is left.
pub fn adjourn(
    mut journal: Journal<Entry>,
    entry: Entry,
) -> Result<Option<String>, (io::Error, Journal<Entry>)> {
    let appended = journal.append(&[entry]);
    match appended.and_then(|()| rename(journal.path(), ADJOURNED)) {
        Ok(renamed) => Ok(renamed.warning()),
        Err(error) => Err((error, journal)),
    }
}

/// Resumes an adjourned match: renames its journal and opens it. Returns a warning for the log
/// if a power failure may undo that.
///
/// # Errors
/// If the match cannot be resumed, or is one against another house than that of its table. Its
/// journal then keeps its name.
pub fn resume_adjourned<G: NetrefGame>(
    path: &Path,
    house: Option<&Name>,
) -> Result<(Restored<G>, Option<String>), InterruptedError> {
    let named = |error| InterruptedError::Io {
        path: path.to_owned(),
        error,
    };
    let renamed = rename(path, JOURNAL).map_err(named)?;
    let opened = open(&renamed.path);
    let checked = opened.and_then(|restored| {
        check_house(&restored, house)?;
        match restored.0.can_resume() {
            true => Ok(restored),
            false => Err(InterruptedError::NotResumable(path.to_owned())),
        }
    });
    match checked {
        Ok(restored) => Ok((restored, renamed.warning())),
        Err(why) => {
            let _ = rename(&renamed.path, ADJOURNED);
            Err(why)
        }
    }
}

/// Checks that a resumed match against a house is against the one that plays at its table.
///
/// # Errors
/// If another house or none plays there.
pub fn check_house<G: NetrefGame>(
    (live, journal): &(LiveMatch<G>, Journal<Entry>),
    at_table: Option<&Name>,
) -> Result<(), InterruptedError> {
    match live.house() {
        Some(house) if at_table != Some(house) => Err(InterruptedError::House {
            path: journal.path().to_owned(),
            house: house.clone(),
        }),
        _ => Ok(()),
    }
}

/// Keeps the journal of a match without a result that is not recorded elsewhere, under an extension
/// that no start reads; returns its new name.
///
/// # Errors
/// If it cannot be renamed.
pub fn keep_void(journal: Journal<Entry>) -> io::Result<PathBuf> {
    // Under its old name the next start would end it again.
    Ok(rename(journal.path(), VOID)?.path)
}

/// A file with a new extension.
#[derive(Debug)]
struct RenamedFile {
    /// Its new name.
    path: PathBuf,
    /// Whether the name survives a power failure.
    synced: io::Result<()>,
}

impl RenamedFile {
    /// Returns the warning for the log that a power failure may undo this, if it may.
    fn warning(&self) -> Option<String> {
        let error = self.synced.as_ref().err()?;
        let path = self.path.display();
        Some(format!(
            "{path}: a power failure may undo this name: {error}"
        ))
    }
}

/// Changes the extension of a file.
///
/// # Errors
/// If it cannot be renamed. It then keeps its name.
fn rename(path: &Path, ending: &str) -> io::Result<RenamedFile> {
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
