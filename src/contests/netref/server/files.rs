//! The state folder of a referee, with the matches of its journal.

use std::mem;
use std::path::{Path, PathBuf};

use itertools::Itertools;
use thiserror::Error;

use crate::contests::contest::TournamentDesk;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::journal::{JournaledMatch, replay};
use crate::contests::netref::referee::Matches;
use crate::contests::netref::table::{LiveMatch, RestoreError};
use crate::contests::shell::{StateError, StateFolder};

/// An open state folder, and the matches that are in its journal.
#[derive(Debug)]
pub struct RefereeState<G: NetrefGame> {
    /// The folder.
    pub folder: StateFolder<Matches>,
    /// The matches.
    pub(super) matches: Vec<JournaledMatch<G>>,
    /// The length of the journal, in entries.
    pub(super) length: usize,
}

/// Why a state folder cannot be used.
#[derive(Debug, Error)]
pub enum RefereeStateError {
    /// It cannot be opened.
    #[error(transparent)]
    Folder(#[from] StateError),
    /// The journal holds no matches of this game.
    #[error("{}, {error}", path.display())]
    Matches {
        /// The journal.
        path: PathBuf,
        /// The error.
        error: RestoreError,
    },
    /// Two matches are interrupted at one table.
    #[error("{}: there are two interrupted matches of table {server}", path.display())]
    SameServer {
        /// The journal.
        path: PathBuf,
        /// The server number.
        server: u16,
    },
}

impl<G: NetrefGame> RefereeState<G> {
    /// Opens a state folder, and creates it if there is none.
    ///
    /// # Errors
    /// It cannot be opened, or its journal holds no matches of this game.
    pub fn open(folder: &Path) -> Result<RefereeState<G>, RefereeStateError> {
        let mut folder = StateFolder::<Matches>::open(folder, G::NAME, G::NAME)?;
        let path = folder.journal_path().to_owned();
        let length = folder.entries.len();
        let matches = match replay::<G>(mem::take(&mut folder.entries)) {
            Ok(matches) => matches,
            Err(error) => return Err(RefereeStateError::Matches { path, error }),
        };
        let opened = RefereeState {
            folder,
            matches,
            length,
        };
        let servers = opened.interrupted().map(LiveMatch::server);
        let same = servers.duplicates().next();
        match same {
            Some(server) => Err(RefereeStateError::SameServer { path, server }),
            None => Ok(opened),
        }
    }

    /// Returns a match that can be resumed, at its table or adjourned, and whose result the last
    /// tournament lacks.
    pub fn open_game(&self) -> Option<&LiveMatch<G>> {
        let mut desk = TournamentDesk::default();
        desk.resume(self.folder.tournaments.last());
        let mut live = self.matches.iter().map(|found| &found.live);
        live.find(|live| {
            let is_open = live.scheduled().is_some_and(|game| desk.is_open(game));
            is_open && live.finished().is_none() && live.can_resume()
        })
    }

    /// Returns the matches that are neither over nor adjourned, and that both players can resume.
    pub fn interrupted(&self) -> impl Iterator<Item = &LiveMatch<G>> {
        let at_tables = self.matches.iter().filter(|found| !found.is_adjourned);
        let live = at_tables.map(|found| &found.live);
        live.filter(|live| live.finished().is_none() && live.can_resume())
    }
}
