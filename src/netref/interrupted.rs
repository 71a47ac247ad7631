//! Matches that a crash interrupted: what their journals say.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use itertools::Itertools;
use thiserror::Error;

use super::entry::Entry;
use super::game::NetrefGame;
use super::host::JOURNAL;
use super::news::News;
use super::playing::Playing;
use super::recorder::Finished;
use crate::journal::{Found, Journal, OpenError};

/// The interrupted matches of a folder.
pub struct Interrupted<G: NetrefGame> {
    /// Those that go on, each with its journal.
    pub matches: Vec<(Playing<G>, Journal<Entry>)>,
    /// Those that are over: the crash came before they were recorded, or a player
    /// cannot take them up.
    pub finished: Vec<Finished>,
    /// What was found besides, with the number of the server.
    pub news: Vec<(u16, News)>,
}

/// Why matches cannot be resumed.
#[derive(Debug, Error)]
pub enum InterruptedError {
    /// The folder cannot be read, or a file in it not be written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A journal cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A journal that makes no sense.
    #[error("{}: {why}", path.display())]
    Nonsense {
        /// The journal.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// The journals in a folder, in the order of their names, which is that of the
/// matches' starts.
///
/// # Errors
/// The folder cannot be read.
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
    /// Reads the journals of a folder. A match with a player who has no name ends
    /// without a result: nobody could tell that player from a stranger, and the
    /// client libraries, which give no name, cannot take up a match.
    ///
    /// # Errors
    /// A journal cannot be read, or is damaged before its end, or says what
    /// cannot be.
    pub fn read(folder: &Path) -> Result<Interrupted<G>, InterruptedError> {
        let io_error = |path: &Path, error| InterruptedError::Io {
            path: path.to_owned(),
            error,
        };
        let mut interrupted = Interrupted {
            matches: Vec::new(),
            finished: Vec::new(),
            news: Vec::new(),
        };
        for path in journals(folder).map_err(|error| io_error(folder, error))? {
            let Found {
                journal,
                entries,
                cut,
            } = Journal::open(&path)?;
            let cut = (cut > 0).then(|| News::Cut {
                journal: path.display().to_string(),
                bytes: cut,
            });
            if entries.is_empty() {
                // Not even the start was acknowledged.
                interrupted.news.extend(cut.map(|news| (0, news)));
                journal.remove().map_err(|error| io_error(&path, error))?;
                continue;
            }
            let mut playing =
                Playing::<G>::restore(entries).map_err(|why| InterruptedError::Nonsense {
                    path: path.clone(),
                    why,
                })?;
            let server = playing.server();
            interrupted.news.extend(cut.map(|news| (server, news)));
            let over = match playing.summary() {
                Some(summary) => {
                    let record = playing.game().record(&summary);
                    Some((summary, record))
                }
                None if playing.can_resume() => None,
                None => playing.give_up(),
            };
            match over {
                None => interrupted.matches.push((playing, journal)),
                Some((summary, record)) => {
                    interrupted.news.push((server, News::ended::<G>(&summary)));
                    interrupted.finished.push(Finished {
                        server,
                        summary,
                        record,
                        journal: Some(journal),
                        may_be_recorded: true,
                    });
                }
            }
        }
        let servers = interrupted
            .matches
            .iter()
            .map(|(playing, _)| playing.server());
        if let Some(server) = servers.duplicates().next() {
            return Err(InterruptedError::Nonsense {
                path: folder.to_owned(),
                why: format!("there are two interrupted matches of server number {server}"),
            });
        }
        Ok(interrupted)
    }

    /// Takes out the match of a server.
    pub fn take(&mut self, server: u16) -> Option<(Playing<G>, Journal<Entry>)> {
        let of_server = |(playing, _): &(Playing<G>, _)| playing.server() == server;
        let at = self.matches.iter().position(of_server)?;
        Some(self.matches.swap_remove(at))
    }
}
