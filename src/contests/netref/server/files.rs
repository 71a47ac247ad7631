//! The files of a referee: its journal, and the records of its matches.

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use itertools::Itertools;
use thiserror::Error;

use super::LogSink;
use crate::base::journal::{FolderLock, Found, Journal, OpenError, write_whole};
use crate::contests::netref::entry::MatchEntry;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::journal::{JournalError, JournaledMatch, replay};
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::records::Records;
use crate::contests::netref::referee::{MatchToRecord, Matches};
use crate::contests::netref::table::LiveMatch;
use crate::contests::shell::{LadderThread, RecordKeeper};

/// The name of the journal in its folder.
const JOURNAL: &str = "matches.journal";

/// The journal of a referee, and the matches that it holds. The folder belongs to this process until
/// this value is dropped.
pub struct MatchJournal<G: NetrefGame> {
    pub(super) journal: Journal<MatchEntry>,
    pub(super) matches: Vec<JournaledMatch<G>>,
    /// The length of the journal, in entries.
    pub(super) length: usize,
    /// How many bytes of a torn line were cut off.
    pub(super) cut: u64,
    pub(super) lock: FolderLock,
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum MatchJournalError {
    /// The folder cannot be read or written, or another process uses it.
    #[error("{}: {error}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The journal cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The journal holds no matches of this game.
    #[error("{}, {error}", path.display())]
    Matches {
        /// The journal.
        path: PathBuf,
        /// The error.
        error: JournalError,
    },
    /// The folder has a journal of an earlier version.
    #[error("{}: this is a journal of an earlier version: finish its match there, or move it away", .0.display())]
    Earlier(PathBuf),
    /// Two matches are interrupted at one table.
    #[error("{}: there are two interrupted matches of table {server}", path.display())]
    SameServer {
        /// The journal.
        path: PathBuf,
        /// The server number.
        server: u16,
    },
}

impl<G: NetrefGame> MatchJournal<G> {
    /// Opens the journal of a folder, and creates it if there is none.
    ///
    /// # Errors
    /// It cannot be read or written, is damaged before its end, or holds no matches of this game; or
    /// another process uses the folder.
    pub fn open(folder: &Path) -> Result<MatchJournal<G>, MatchJournalError> {
        let named = |error| MatchJournalError::Io {
            path: folder.to_owned(),
            error,
        };
        let lock = FolderLock::take(folder).map_err(named)?;
        let path = folder.join(JOURNAL);
        if let Some(earlier) = earlier_journal(folder, &path).map_err(named)? {
            return Err(MatchJournalError::Earlier(earlier));
        }
        let Found {
            journal,
            entries,
            cut,
        } = Journal::open_or_create(&path)?;
        let length = entries.len();
        let matches = replay::<G>(entries).map_err(|error| MatchJournalError::Matches {
            path: path.clone(),
            error,
        })?;
        let opened = MatchJournal {
            journal,
            matches,
            length,
            cut,
            lock,
        };
        let servers = opened.interrupted().map(LiveMatch::server);
        let same = servers.duplicates().next();
        match same {
            Some(server) => Err(MatchJournalError::SameServer { path, server }),
            None => Ok(opened),
        }
    }

    /// Returns the matches that are neither over nor adjourned, and that both players can resume.
    pub fn interrupted(&self) -> impl Iterator<Item = &LiveMatch<G>> {
        let at_tables = self.matches.iter().filter(|found| !found.is_adjourned);
        let live = at_tables.map(|found| &found.live);
        live.filter(|live| live.finished().is_none() && live.can_resume())
    }

    /// Returns whether there is nothing to resume or to record, besides adjourned matches.
    pub fn is_settled(&self) -> bool {
        self.matches.iter().all(|found| found.is_adjourned)
    }

    /// Returns the path of the journal.
    pub fn path(&self) -> &Path {
        self.journal.path()
    }
}

/// Returns a file of an earlier version, which had a journal for each match.
fn earlier_journal(folder: &Path, own: &Path) -> io::Result<Option<PathBuf>> {
    for file in std::fs::read_dir(folder)? {
        let path = file?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path != own && matches!(ending, Some("journal" | "adjourned")) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Records matches.
pub(super) struct Recorder<G> {
    /// The folder of the records, if they are kept.
    pub records: Option<Records>,
    /// The folder of the journal, if there is one.
    pub journals: Option<PathBuf>,
    /// Is notified of new results.
    pub ladder: Option<LadderThread>,
    pub sink: LogSink,
    /// Whether the last attempt failed: the row of a match may have been written all the same.
    pub had_failed: bool,
    /// The match that was added last. Its result may not be written yet, and then it comes again.
    pub last: Option<String>,
    pub game: PhantomData<fn(G)>,
}

impl<G: NetrefGame> RecordKeeper<Matches> for Recorder<G> {
    fn add(&mut self, finished: &MatchToRecord) -> io::Result<()> {
        let id = &finished.summary.id;
        if self.last.as_ref() == Some(id) {
            return Ok(());
        }
        let may_be_recorded = self.had_failed || finished.may_be_recorded;
        let written = self.write(finished, may_be_recorded);
        self.had_failed = written.is_err();
        if written.is_ok() {
            self.last = Some(id.clone());
        }
        if let (Ok(()), Some(ladder)) = (&written, &self.ladder) {
            ladder.notify();
        }
        written
    }
}

impl<G: NetrefGame> Recorder<G> {
    fn write(&self, finished: &MatchToRecord, may_be_recorded: bool) -> io::Result<()> {
        let (summary, record) = (&finished.summary, &finished.record);
        match (&self.records, &self.journals) {
            (Some(records), _) if may_be_recorded => records.write_once::<G>(summary, record),
            (Some(records), _) => records.write::<G>(summary, record),
            (None, Some(folder)) if summary.ending.is_void() => {
                let path = folder.join(format!("{}.{}", summary.id, G::RECORD_EXTENSION));
                write_whole(&path, record.as_bytes())?;
                let event = LogEvent::Kept {
                    id: summary.id.clone(),
                    record: path.display().to_string(),
                };
                (self.sink)(summary.server, event);
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }
}
