//! Matches that the operator has put aside.
//!
//! The journal of such a match stays in the folder of journals under another
//! ending, where no start looks for interrupted matches, until the operator resumes
//! the match.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::entry::Entry;
use super::game::Game;
use super::host::JOURNAL;
use super::playing::Playing;
use crate::journal::{Journal, sync_folder};
use crate::web;

/// How the files end that are journals of adjourned matches.
const ADJOURNED: &str = "adjourned";

/// An adjourned match.
#[derive(Debug)]
pub struct Adjourned {
    /// Its name.
    pub id: String,
    /// The number of its server.
    pub server: u16,
    /// Its journal.
    pub path: PathBuf,
    /// Who plays whom, and how far it is.
    pub title: String,
}

impl Adjourned {
    /// The adjourned matches of a folder, in the order of their starts. Files that
    /// hold none are left out.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn list<G: Game>(folder: &Path) -> io::Result<Vec<Adjourned>> {
        let mut matches = Vec::new();
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            if path.extension().is_none_or(|ending| ending != ADJOURNED) {
                continue;
            }
            let Ok(found) = Journal::<Entry>::open(&path) else {
                continue;
            };
            if let Ok(playing) = Playing::<G>::restore(found.entries) {
                matches.push(Adjourned {
                    id: playing.id().to_owned(),
                    server: playing.server(),
                    title: playing.title(),
                    path,
                });
            }
        }
        matches.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(matches)
    }

    /// The match as the page shows it.
    pub(super) fn view(&self) -> web::Adjourned {
        web::Adjourned {
            id: self.id.clone(),
            title: format!("Table {}: {}", self.server, self.title),
            table: Some(self.server.into()),
        }
    }
}

/// Puts a match aside. Its journal is closed with that.
///
/// # Errors
/// The system refuses to; the journal is then returned.
pub(super) fn put_aside(journal: Journal<Entry>) -> Result<(), (io::Error, Journal<Entry>)> {
    match rename(journal.path(), ADJOURNED) {
        Ok(_) => Ok(()),
        Err(error) => Err((error, journal)),
    }
}

/// Takes up a match that was put aside.
///
/// # Errors
/// Why it cannot be; it then stays where it is.
pub(super) fn take_up<G: Game>(path: &Path) -> Result<(Playing<G>, Journal<Entry>), String> {
    let named = |why: String| format!("{}: {why}", path.display());
    let back = rename(path, JOURNAL).map_err(|error| named(error.to_string()))?;
    let found = Journal::open(&back).map_err(|error| error.to_string());
    let taken = found.and_then(|found| {
        let playing = Playing::restore(found.entries).map_err(named)?;
        Ok((playing, found.journal))
    });
    if taken.is_err() {
        let _ = rename(&back, ADJOURNED);
    }
    taken
}

/// Gives a file another ending; its new name.
fn rename(path: &Path, ending: &str) -> io::Result<PathBuf> {
    let new = path.with_extension(ending);
    if new.exists() {
        return Err(io::Error::other(format!(
            "{} exists already",
            new.display()
        )));
    }
    fs::rename(path, &new)?;
    sync_folder(&new)?;
    Ok(new)
}
