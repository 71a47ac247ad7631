//! The thread that records finished matches, one after the other.
//!
//! Without `--records` it only removes the journals of finished matches.
//!
//! A match that cannot be recorded, because the disk is full or gone, waits in memory, and keeps
//! its journal if it has one. The waiting matches are tried again every second and before each
//! other match, so that the rows of the table of results stay in the order of the matches' ends.
//! This is logged, and other matches go on.
//!
//! If too many matches wait ([`MAX_WAITING`]), the oldest is abandoned, and when the server stops,
//! all of them are. An abandoned match with a journal is recorded at the next start. Of one
//! without a journal, the row is logged. This works even if the disk does not respond, because
//! the list of waiting matches is shared with other threads.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::Shared;
use super::journals::{MatchToRecord, keep_void};
use super::ladder::LadderThread;
use super::tournament::TournamentHub;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::records::{Records, row};

/// The time after which waiting matches are tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// The maximum number of waiting matches. If there are more, the oldest is abandoned.
const MAX_WAITING: usize = 10_000;

/// A match in the thread's queue.
struct Job {
    finished: MatchToRecord,
    /// Logs the outcome of recording the match.
    shared: Shared,
    /// Notified when the match is recorded, or waits because it cannot be recorded now.
    done: oneshot::Sender<()>,
}

/// A handle to the thread, which ends when all handles are dropped.
#[derive(Clone)]
pub struct Recorder {
    jobs: Sender<Job>,
    waiting: WaitingMatches,
}

/// Resolves when the thread ends. It has then recorded all matches that it can.
type Ended = oneshot::Receiver<()>;

impl Recorder {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn start<G: NetrefGame>(
        records: Option<Records>,
        tournament: Option<Arc<TournamentHub>>,
        ladder: Option<LadderThread>,
    ) -> io::Result<(Recorder, Ended)> {
        let (sender, jobs) = channel();
        let (end, ended) = oneshot::channel();
        let waiting = WaitingMatches::default();
        let thread = RecorderThread {
            records,
            tournament,
            ladder,
            queue: VecDeque::new(),
            has_failed: false,
            waiting: waiting.clone(),
        };
        thread::Builder::new()
            .name("records".into())
            .spawn(move || {
                thread.run::<G>(&jobs);
                // The server may have stopped waiting for it.
                let _ = end.send(());
            })?;
        let recorder = Recorder {
            jobs: sender,
            waiting,
        };
        Ok((recorder, ended))
    }

    /// Records a match. Returns when it is on the disk, or waits because it cannot be recorded now.
    pub async fn record<G: NetrefGame>(&self, finished: MatchToRecord, shared: Shared) {
        let (done, is_done) = oneshot::channel();
        self.waiting.add::<G>(&finished, &shared);
        let job = Job {
            finished,
            shared,
            done,
        };
        if self.jobs.send(job).is_ok() {
            let _ = is_done.await;
        }
    }

    /// Drops this handle, and waits until all matches are recorded, but not longer than `limit`: an
    /// unresponsive disk must not keep the program alive. Abandons the others. Returns the number
    /// of matches that were lost since the start: abandoned, and without a journal.
    pub async fn finish(self, ended: Ended, limit: Duration) -> usize {
        let Recorder { jobs, waiting } = self;
        drop(jobs);
        let _ = timeout(limit, ended).await;
        waiting.abandon_all()
    }
}

/// The matches that wait to be recorded, including the next one, with what is logged if they are
/// abandoned. Shared with other threads.
#[derive(Clone, Default)]
struct WaitingMatches(Arc<Mutex<WaitingList>>);

#[derive(Default)]
struct WaitingList {
    /// In the order of their ends.
    matches: VecDeque<WaitingMatch>,
    /// The number of matches without a journal that were abandoned.
    lost: usize,
}

/// What is logged if a waiting match is abandoned.
struct WaitingMatch {
    id: String,
    row: String,
    /// The journal, from which the match is recorded at the next start.
    journal: Option<PathBuf>,
    shared: Shared,
}

impl WaitingMatches {
    fn lock(&self) -> MutexGuard<'_, WaitingList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a match that is to be recorded.
    fn add<G: NetrefGame>(&self, finished: &MatchToRecord, shared: &Shared) {
        self.lock().matches.push_back(WaitingMatch {
            id: finished.summary.id.clone(),
            row: row::<G>(&finished.summary)
                .trim_end_matches('\n')
                .to_owned(),
            journal: finished
                .journal
                .as_ref()
                .map(|journal| journal.path().to_owned()),
            shared: shared.clone(),
        });
    }

    /// Removes and returns a match.
    fn remove(&self, id: &str) -> Option<WaitingMatch> {
        let matches = &mut self.lock().matches;
        let at = matches.iter().position(|waiting| waiting.id == id)?;
        matches.remove(at)
    }

    /// Abandons a match.
    fn abandon(&self, id: &str) {
        if let Some(abandoned) = self.remove(id) {
            self.log_abandoned(abandoned);
        }
    }

    /// Abandons all remaining matches. Returns the number of all abandoned matches without a
    /// journal.
    fn abandon_all(&self) -> usize {
        let left = std::mem::take(&mut self.lock().matches);
        for abandoned in left {
            self.log_abandoned(abandoned);
        }
        self.lock().lost
    }

    /// Logs a match that is abandoned. With a journal it is recorded at the next start.
    fn log_abandoned(&self, abandoned: WaitingMatch) {
        let WaitingMatch {
            id,
            row,
            journal,
            shared,
        } = abandoned;
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
    /// Receives the results of a tournament.
    tournament: Option<Arc<TournamentHub>>,
    /// Is notified of new results.
    ladder: Option<LadderThread>,
    /// The waiting matches, in the order of their ends.
    queue: VecDeque<(MatchToRecord, Shared)>,
    /// Whether the last attempt failed.
    has_failed: bool,
    /// The list of the same matches that is shared with other threads.
    waiting: WaitingMatches,
}

impl RecorderThread {
    /// Records matches until all handles are dropped, and then tries the waiting ones once
    /// more.
    fn run<G: NetrefGame>(mut self, jobs: &Receiver<Job>) {
        loop {
            let next = if self.queue.is_empty() {
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
                    self.accept::<G>(finished, shared);
                    let _ = done.send(());
                }
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.record_waiting::<G>();
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let _ = self.record_waiting::<G>();
    }

    /// Adds a match to the waiting ones, and records as many of them as possible.
    fn accept<G: NetrefGame>(&mut self, finished: MatchToRecord, shared: Shared) {
        let id = finished.summary.id.clone();
        self.queue.push_back((finished, shared.clone()));
        if let Err(error) = self.record_waiting::<G>() {
            shared.log(LogEvent::Unrecorded {
                id,
                why: error.to_string(),
                waiting: self.queue.len(),
            });
        }
        if self.queue.len() > MAX_WAITING
            && let Some((oldest, _)) = self.queue.pop_front()
        {
            self.waiting.abandon(&oldest.summary.id);
        }
    }

    /// Records the waiting matches in their order, until one fails. If the last attempt failed,
    /// logs how many are now recorded.
    fn record_waiting<G: NetrefGame>(&mut self) -> io::Result<()> {
        let had_failed = self.has_failed;
        let mut count = 0;
        let mut last = None;
        let mut result = Ok(());
        while let Some((finished, shared)) = self.queue.front_mut() {
            result = write::<G>(self.records.as_ref(), finished, had_failed)
                .and_then(|()| add_result(self.tournament.as_deref(), finished, shared));
            if result.is_err() {
                break;
            }
            close_journal(self.records.is_some(), finished, shared);
            self.waiting.remove(&finished.summary.id);
            count += 1;
            last = self.queue.pop_front();
        }
        self.has_failed = result.is_err();
        if let (1.., Some(ladder)) = (count, &self.ladder) {
            ladder.notify();
        }
        if let (true, Some((_, shared))) = (had_failed, last) {
            shared.log(LogEvent::Recorded { count });
        }
        result
    }
}

/// Writes a match, if records are kept. `had_failed` says whether the last attempt failed: the row
/// of the match may have been written all the same.
///
/// # Errors
/// The match cannot be written.
fn write<G: NetrefGame>(
    records: Option<&Records>,
    finished: &MatchToRecord,
    had_failed: bool,
) -> io::Result<()> {
    let (summary, record) = (&finished.summary, &finished.record);
    match records {
        None => Ok(()),
        Some(records) if had_failed || finished.may_be_recorded => {
            records.write_once::<G>(summary, record)
        }
        Some(records) => records.write::<G>(summary, record),
    }
}

/// Writes the result of a match to its tournament, if it has one. Logs a result that does not
/// count.
///
/// # Errors
/// The results file cannot be written.
fn add_result(
    tournament: Option<&TournamentHub>,
    finished: &MatchToRecord,
    shared: &Shared,
) -> io::Result<()> {
    let Some(tournament) = tournament else {
        return Ok(());
    };
    if let Some(why) = tournament.add_result(&finished.summary)? {
        let id = &finished.summary.id;
        let what = format!("the result of match {id} does not count for the tournament: {why}");
        shared.log(LogEvent::Failed { what });
    }
    Ok(())
}

/// Removes the journal of a match, or keeps it if the match is void and no records are kept. Logs
/// an error.
fn close_journal(are_records_kept: bool, finished: &mut MatchToRecord, shared: &Shared) {
    let Some(journal) = finished.journal.take() else {
        return;
    };
    let path = journal.path().to_owned();
    let closed = match are_records_kept {
        false if finished.summary.ending.is_void() => keep_void(journal).map(Some),
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
