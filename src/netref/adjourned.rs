//! Matches that the operator has put aside.
//!
//! The journal of such a match stays in the folder of journals under another
//! ending, where no start looks for interrupted matches, until the operator resumes
//! the match.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::entry::Entry;
use super::game::NetrefGame;
use super::host::JOURNAL;
use super::playing::Playing;
use crate::journal::{Journal, sync_folder};
use crate::web;

/// How the files end that are journals of adjourned matches.
const ADJOURNED: &str = "adjourned";

/// An adjourned match.
#[derive(Debug)]
pub(super) struct Adjourned {
    /// Its name.
    pub(super) id: String,
    /// The number of its server.
    pub(super) server: u16,
    /// Its journal.
    pub(super) path: PathBuf,
    /// Who plays whom, and how far it is.
    pub(super) title: String,
}

/// The adjourned matches of a folder.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// Those that can be resumed, in the order of their starts.
    pub(super) matches: Vec<Adjourned>,
    /// Which files hold none that can be read, and why.
    pub(super) damaged: Vec<String>,
}

impl Adjourned {
    /// The adjourned matches of a folder.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(super) fn list<G: NetrefGame>(folder: &Path) -> io::Result<Listed> {
        let mut listed = Listed::default();
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            if path.extension().is_none_or(|ending| ending != ADJOURNED) {
                continue;
            }
            match open::<G>(&path) {
                Ok((playing, _)) => listed.matches.push(Adjourned {
                    id: playing.id().to_owned(),
                    server: playing.server(),
                    title: playing.title(),
                    path,
                }),
                Err(why) => listed.damaged.push(why),
            }
        }
        listed.matches.sort_by(|one, other| one.id.cmp(&other.id));
        listed.damaged.sort();
        Ok(listed)
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

/// Opens the journal of a match.
///
/// # Errors
/// Which file it is, and why it holds none.
fn open<G: NetrefGame>(path: &Path) -> Result<(Playing<G>, Journal<Entry>), String> {
    let found = Journal::open(path).map_err(|error| error.to_string())?;
    let playing = Playing::restore(found.entries);
    let playing = playing.map_err(|why| format!("{}: {why}", path.display()))?;
    Ok((playing, found.journal))
}

/// Adjourns a match: appends this last entry to its journal, renames it, and closes it.
///
/// # Errors
/// If the system refuses to. The journal is then returned, and the match can go on:
/// an entry without an adjournment does no harm, because each move tells anew what
/// is left.
pub(super) fn put_aside(
    mut journal: Journal<Entry>,
    entry: Entry,
) -> Result<Renamed, (io::Error, Journal<Entry>)> {
    let appended = journal.append(&[entry]);
    match appended.and_then(|()| rename(journal.path(), ADJOURNED)) {
        Ok(renamed) => Ok(renamed),
        Err(error) => Err((error, journal)),
    }
}

/// Takes up a match that was put aside.
///
/// # Errors
/// Why it cannot be; it then stays where it is.
pub(super) fn take_up<G: NetrefGame>(
    path: &Path,
) -> Result<(Playing<G>, Journal<Entry>, Renamed), String> {
    let named = |error: io::Error| format!("{}: {error}", path.display());
    let renamed = rename(path, JOURNAL).map_err(named)?;
    match open(&renamed.path) {
        Ok((playing, journal)) => Ok((playing, journal, renamed)),
        Err(why) => {
            let _ = rename(&renamed.path, ADJOURNED);
            Err(why)
        }
    }
}

/// A file that has another ending now.
#[derive(Debug)]
pub(super) struct Renamed {
    /// Its new name.
    pub(super) path: PathBuf,
    /// Whether a power cut leaves it that name.
    synced: io::Result<()>,
}

impl Renamed {
    /// What the log ought to say of it, if anything.
    pub(super) fn warning(&self) -> Option<String> {
        let error = self.synced.as_ref().err()?;
        let path = self.path.display();
        Some(format!("{path}: a power cut may undo this name: {error}"))
    }
}

/// Gives a file another ending.
///
/// # Errors
/// It keeps its name.
pub(super) fn rename(path: &Path, ending: &str) -> io::Result<Renamed> {
    let new = path.with_extension(ending);
    if new.exists() {
        return Err(io::Error::other(format!(
            "{} exists already",
            new.display()
        )));
    }
    fs::rename(path, &new)?;
    let synced = sync_folder(&new);
    Ok(Renamed { path: new, synced })
}
