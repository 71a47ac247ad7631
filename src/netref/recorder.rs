//! The thread that records finished matches, one after the other.
//!
//! A match that cannot be recorded, because the disk is full or gone, waits in memory. It is
//! tried again every second and before each other match, so that the rows of the table of
//! results stay in the order of the matches' ends. This is logged, and other matches go on. A
//! match with a journal keeps it until it is recorded. If a match
//! without a journal cannot be recorded before the server stops, its row is logged. This works
//! even if the disk does not respond, because the list of waiting matches is shared with
//! other threads.

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

/// The pause before waiting matches are tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// The extension of the journals of matches without a result, if no records are kept.
const VOID: &str = "void";

/// The maximum number of matches that wait to be recorded.
const MAX_WAITING: usize = 10_000;

/// A match to record, and its journal.
#[derive(Debug)]
pub struct MatchToRecord {
    /// The number of the match's server.
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

/// A match in the thread's queue.
struct Job {
    finished: MatchToRecord,
    /// The sink of the log.
    shared: Shared,
    /// Notified when the match is recorded, or has to wait.
    done: oneshot::Sender<()>,
}

/// A handle to the thread, which ends when all handles are dropped.
#[derive(Clone)]
pub(super) struct Recorder {
    jobs: Sender<Job>,
    unrecorded: Unrecorded,
}

/// Resolves when the thread has recorded all matches that it can.
type Done = oneshot::Receiver<()>;

impl Recorder {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(super) fn start<G: NetrefGame>(records: Option<Records>) -> io::Result<(Recorder, Done)> {
        let (sender, jobs) = channel();
        let (done, is_done) = oneshot::channel();
        let unrecorded = Unrecorded::default();
        let thread = RecorderThread {
            records,
            waiting: VecDeque::new(),
            trouble: false,
            unrecorded: unrecorded.clone(),
        };
        thread::Builder::new()
            .name("records".into())
            .spawn(move || {
                thread.run::<G>(&jobs);
                // Nobody may be waiting any more.
                let _ = done.send(());
            })?;
        let recorder = Recorder {
            jobs: sender,
            unrecorded,
        };
        Ok((recorder, is_done))
    }

    /// Records a match. Returns when it is on the disk, or has to wait for the disk.
    pub(super) async fn record<G: NetrefGame>(&self, finished: MatchToRecord, shared: Shared) {
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

    /// Returns the matches that are not recorded yet.
    pub(super) fn unrecorded(&self) -> Unrecorded {
        self.unrecorded.clone()
    }
}

/// The matches that are not recorded yet, in the order of their ends.
#[derive(Clone, Default)]
pub(super) struct Unrecorded(Arc<Mutex<PendingMatches>>);

#[derive(Default)]
struct PendingMatches {
    matches: VecDeque<UnrecordedMatch>,
    /// The number of matches without a journal that were abandoned.
    lost: usize,
}

/// The data of a waiting match that are logged if it is abandoned.
struct UnrecordedMatch {
    id: String,
    row: String,
    /// The journal, from which the match is recorded at the next start.
    journal: Option<PathBuf>,
    shared: Shared,
}

impl Unrecorded {
    fn lock(&self) -> MutexGuard<'_, PendingMatches> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note<G: NetrefGame>(&self, finished: &MatchToRecord, shared: &Shared) {
        self.lock().matches.push_back(UnrecordedMatch {
            id: finished.summary.id.clone(),
            row: row::<G>(&finished.summary).trim_end().to_owned(),
            journal: finished
                .journal
                .as_ref()
                .map(|journal| journal.path().to_owned()),
            shared: shared.clone(),
        });
    }

    /// Removes and returns a match.
    fn take(&self, id: &str) -> Option<UnrecordedMatch> {
        let matches = &mut self.lock().matches;
        let at = matches.iter().position(|note| note.id == id)?;
        matches.remove(at)
    }

    /// Abandons a match.
    fn abandon(&self, id: &str) {
        if let Some(note) = self.take(id) {
            self.log_abandoned(note);
        }
    }

    /// Abandons all remaining matches. Returns the total number of abandoned matches without a
    /// journal.
    pub(super) fn abandon_all(&self) -> usize {
        let left = std::mem::take(&mut self.lock().matches);
        left.into_iter().for_each(|note| self.log_abandoned(note));
        self.lock().lost
    }

    /// Logs a match that is abandoned. With a journal it is recorded at the next start.
    fn log_abandoned(&self, note: UnrecordedMatch) {
        let UnrecordedMatch {
            id,
            row,
            journal,
            shared,
        } = note;
        match journal {
            Some(path) => {
                let path = path.display();
                let what = format!("{path}: the match is over, and is recorded at the next start");
                shared.log(LogEvent::Failed { what });
            }
            None => {
                self.lock().lost += 1;
                shared.log(LogEvent::Lost { id, row });
            }
        }
    }
}

/// The state of the thread.
struct RecorderThread {
    records: Option<Records>,
    waiting: VecDeque<(MatchToRecord, Shared)>,
    /// Whether the last attempt failed.
    trouble: bool,
    unrecorded: Unrecorded,
}

impl RecorderThread {
    /// Records matches until all handles are dropped, and then tries the waiting ones once
    /// more.
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

    /// Records a match after the waiting ones, or adds it to them.
    fn take<G: NetrefGame>(&mut self, finished: MatchToRecord, shared: Shared) {
        let id = finished.summary.id.clone();
        let teller = shared.clone();
        self.waiting.push_back((finished, shared));
        if let Err(error) = self.try_all::<G>() {
            teller.log(LogEvent::Unrecorded {
                id,
                why: error.to_string(),
                waiting: self.waiting.len(),
            });
        }
        if self.waiting.len() > MAX_WAITING
            && let Some((oldest, _)) = self.waiting.pop_front()
        {
            self.unrecorded.abandon(&oldest.summary.id);
        }
    }

    /// Records the waiting matches in their order, until one fails.
    fn try_all<G: NetrefGame>(&mut self) -> io::Result<()> {
        let mut count = 0;
        let mut last = None;
        while let Some((finished, shared)) = self.waiting.front_mut() {
            if let Some(records) = &self.records {
                let (summary, record) = (&finished.summary, &finished.record);
                // The row of a match that failed may have been written all the same.
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
                    Ok(Some(path)) => shared.log(LogEvent::Kept {
                        id: finished.summary.id.clone(),
                        journal: path.display().to_string(),
                    }),
                    Err(error) => {
                        let what = format!("{}: {error}", path.display());
                        shared.log(LogEvent::Failed { what });
                    }
                }
            }
            self.unrecorded.take(&finished.summary.id);
            last = Some(shared.clone());
            count += 1;
            self.waiting.pop_front();
        }
        if let (true, Some(shared)) = (self.trouble, last) {
            shared.log(LogEvent::Recorded { count });
        }
        self.trouble = false;
        Ok(())
    }
}

/// Keeps the journal of a match without a result that is recorded nowhere else, under an
/// extension that no start reads; returns its new name.
fn keep(journal: Journal<Entry>) -> io::Result<PathBuf> {
    // Under its old name the next start would end it again.
    Ok(rename(journal.path(), VOID)?.path)
}
