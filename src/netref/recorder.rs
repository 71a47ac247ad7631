//! Records finished matches, one after the other, on a thread of its own.
//!
//! A match that cannot be recorded, because the disk is full or gone, waits in
//! memory, and is tried again every second and before each other match: so the rows
//! of the table of results stay in the order of the matches' ends. The operator is
//! told, and the matches go on. A match that has a journal keeps it until it is
//! recorded; one that has none and is given up in the end is told with its row. Even a
//! disk that does not answer cannot hide that: what is to be recorded is noted outside
//! of the thread that waits for the disk.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use super::game::NetrefGame;
use super::journal::Entry;
use super::journal::rename;
use super::log::LogEvent;
use super::records::Summary;
use super::records::{Records, row};
use super::server::Shared;
use crate::journal::Journal;

/// How long it is waited before matches that wait are tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// How the files end that are journals of matches without a result, if no records are
/// kept.
const VOID: &str = "void";

/// The most matches that wait to be recorded.
const MAX_WAITING: usize = 10_000;

/// A match that is over and to be recorded.
#[derive(Debug)]
pub struct Finished {
    /// The number of its server.
    pub server: u16,
    /// What is recorded.
    pub summary: Summary,
    /// The text of its record.
    pub record: String,
    /// Its journal, which is no longer needed when the match is recorded.
    pub journal: Option<Journal<Entry>>,
    /// Whether it may be on record already: a crash came before its journal was
    /// removed.
    pub may_be_recorded: bool,
}

/// A match to be recorded.
struct Job {
    finished: Finished,
    /// Where it is told what happens.
    shared: Shared,
    /// It is told when the match is recorded, or waits for that.
    done: oneshot::Sender<()>,
}

/// The way to the thread; it ends when all of these are gone.
#[derive(Clone)]
pub(super) struct Recorder {
    jobs: Sender<Job>,
    unrecorded: Unrecorded,
}

/// Tells that the thread has done all that it can.
pub(super) type Done = oneshot::Receiver<()>;

impl Recorder {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system gives none.
    pub(super) fn start<G: NetrefGame>(records: Option<Records>) -> io::Result<(Recorder, Done)> {
        let (sender, jobs) = channel();
        let (done, is_done) = oneshot::channel();
        let unrecorded = Unrecorded::default();
        let desk = Desk {
            records,
            waiting: VecDeque::new(),
            trouble: false,
            unrecorded: unrecorded.clone(),
        };
        thread::Builder::new()
            .name("records".into())
            .spawn(move || {
                desk.run::<G>(&jobs);
                // Nobody may wait for it any longer.
                let _ = done.send(());
            })?;
        let recorder = Recorder {
            jobs: sender,
            unrecorded,
        };
        Ok((recorder, is_done))
    }

    /// Records a match. Returns when it is on the disk, or when it has to wait
    /// for the disk.
    pub(super) async fn record<G: NetrefGame>(&self, finished: Finished, shared: Shared) {
        let (done, is_done) = oneshot::channel();
        self.unrecorded.note::<G>(&finished, &shared);
        let job = Job {
            finished,
            shared,
            done,
        };
        if self.jobs.send(job).is_ok() {
            let _ = is_done.await;
        }
    }

    /// The matches that are not recorded yet.
    pub(super) fn unrecorded(&self) -> Unrecorded {
        self.unrecorded.clone()
    }
}

/// The matches that are to be recorded and are not yet, in the order of their ends.
#[derive(Clone, Default)]
pub(super) struct Unrecorded(Arc<Mutex<Pending>>);

#[derive(Default)]
struct Pending {
    matches: VecDeque<Note>,
    /// How many matches without a journal were given up.
    lost: usize,
}

/// What is told of a match if it is given up.
struct Note {
    id: String,
    row: String,
    /// Its journal, with which it is recorded at the next start.
    journal: Option<PathBuf>,
    shared: Shared,
}

impl Unrecorded {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note<G: NetrefGame>(&self, finished: &Finished, shared: &Shared) {
        self.lock().matches.push_back(Note {
            id: finished.summary.id.clone(),
            row: row::<G>(&finished.summary).trim_end().to_owned(),
            journal: finished
                .journal
                .as_ref()
                .map(|journal| journal.path().to_owned()),
            shared: shared.clone(),
        });
    }

    /// Takes out a match.
    fn take(&self, id: &str) -> Option<Note> {
        let matches = &mut self.lock().matches;
        let at = matches.iter().position(|note| note.id == id)?;
        matches.remove(at)
    }

    /// Gives a match up.
    fn give_up(&self, id: &str) {
        if let Some(note) = self.take(id) {
            self.lose(note);
        }
    }

    /// Gives up all that are left; how many matches are lost in the end, but for what
    /// the log says of them.
    pub(super) fn give_up_all(&self) -> usize {
        let left = std::mem::take(&mut self.lock().matches);
        left.into_iter().for_each(|note| self.lose(note));
        self.lock().lost
    }

    /// Tells of a match that is given up. With a journal it is recorded at the next
    /// start.
    fn lose(&self, note: Note) {
        let Note {
            id,
            row: line,
            journal,
            shared,
        } = note;
        match journal {
            Some(path) => {
                let path = path.display();
                let what = format!("{path}: the match is over, and is recorded at the next start");
                shared.say(LogEvent::Failed { what });
            }
            None => {
                self.lock().lost += 1;
                shared.say(LogEvent::Lost { id, line });
            }
        }
    }
}

/// What the thread has.
struct Desk {
    records: Option<Records>,
    waiting: VecDeque<(Finished, Shared)>,
    /// Whether the last attempt failed.
    trouble: bool,
    unrecorded: Unrecorded,
}

impl Desk {
    /// Records until nobody sends matches any more, and then tries the last time.
    fn run<G: NetrefGame>(mut self, jobs: &Receiver<Job>) {
        loop {
            let next = if self.waiting.is_empty() {
                jobs.recv().map_err(RecvTimeoutError::from)
            } else {
                jobs.recv_timeout(PAUSE)
            };
            match next {
                Ok(Job {
                    finished,
                    shared,
                    done,
                }) => {
                    self.take::<G>(finished, shared);
                    let _ = done.send(());
                }
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.try_all::<G>();
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let _ = self.try_all::<G>();
    }

    /// Records a match after all those that wait, or lets it wait, too.
    fn take<G: NetrefGame>(&mut self, finished: Finished, shared: Shared) {
        let id = finished.summary.id.clone();
        let teller = shared.clone();
        self.waiting.push_back((finished, shared));
        if let Err(error) = self.try_all::<G>() {
            teller.say(LogEvent::Unrecorded {
                id,
                why: error.to_string(),
                waiting: self.waiting.len(),
            });
        }
        if self.waiting.len() > MAX_WAITING
            && let Some((oldest, _)) = self.waiting.pop_front()
        {
            self.unrecorded.give_up(&oldest.summary.id);
        }
    }

    /// Records those that wait, in their order, until one fails.
    fn try_all<G: NetrefGame>(&mut self) -> io::Result<()> {
        let mut count = 0;
        let mut last = None;
        while let Some((finished, shared)) = self.waiting.front_mut() {
            if let Some(records) = &self.records {
                let (summary, record) = (&finished.summary, &finished.record);
                // The row of one that failed may have been written all the same.
                let written = if self.trouble || finished.may_be_recorded {
                    records.write_once::<G>(summary, record)
                } else {
                    records.write::<G>(summary, record)
                };
                if let Err(error) = written {
                    self.trouble = true;
                    return Err(error);
                }
            }
            if let Some(journal) = finished.journal.take() {
                let path = journal.path().to_owned();
                let closed = match self.records {
                    None if finished.summary.ending.is_void() => keep(journal).map(Some),
                    _ => journal.remove().map(|()| None),
                };
                match closed {
                    Ok(None) => {}
                    Ok(Some(path)) => shared.say(LogEvent::Kept {
                        id: finished.summary.id.clone(),
                        journal: path.display().to_string(),
                    }),
                    Err(error) => {
                        let what = format!("{}: {error}", path.display());
                        shared.say(LogEvent::Failed { what });
                    }
                }
            }
            self.unrecorded.take(&finished.summary.id);
            last = Some(shared.clone());
            count += 1;
            self.waiting.pop_front();
        }
        if let (true, Some(shared)) = (self.trouble, last) {
            shared.say(LogEvent::Recorded { count });
        }
        self.trouble = false;
        Ok(())
    }
}

/// Keeps the journal of a match without a result that is recorded nowhere else, under
/// an ending with which no start takes it up; its new name.
fn keep(journal: Journal<Entry>) -> io::Result<PathBuf> {
    // Under its old name, it would be ended again by the next start.
    Ok(rename(journal.path(), VOID)?.path)
}
