//! The thread that writes to the disk. What has to be on the disk before it is
//! told goes through its queue, and everything else behind it, so that the order
//! stays.
//!
//! All games share one journal: whatever has come while the disk was busy is
//! written together, and waits for the disk once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::{io, mem};

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::client::ClientId;
use super::effects::{Finished, Note};
use super::entry::{Entry, GameId};
use super::host::{Input, Out, Outbox};
use super::ledgers::Ledgers;
use super::news::News;
use super::records::Records;
use crate::journal::Journal;

/// How many groups of jobs may wait. The host waits when there are more: players
/// await their answers, so that only somebody who floods the server gets there.
const WAITING: usize = 1_024;

/// Something to be done, in order.
#[derive(Debug)]
pub(super) enum Job {
    /// To be written to the journal.
    Journal(Entry),
    /// To be sent.
    Deliver(ClientId, Outbox, Out),
    /// To be told when all before it is sent.
    Sent(GameId, usize),
    /// To be recorded.
    Record(Box<Finished>),
    /// To be written to the results file.
    Note(Note),
    /// The whole journal, anew and shorter.
    Rewrite(Vec<Entry>),
    /// After a failure: the host knows of it.
    GoOn,
}

/// The way to the thread.
#[derive(Debug)]
pub(super) struct Disk {
    queue: SyncSender<Vec<Job>>,
    /// How many groups are not done yet.
    waiting: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

/// What the thread works with.
struct Writer {
    journal: Journal<Entry>,
    records: Records,
    ledgers: Ledgers,
    /// Never full, so that this thread and the host do not wait for each other.
    /// Each job is told of once at most, and there are only so many jobs.
    inputs: mpsc::UnboundedSender<Input>,
    origin: Instant,
    /// Whether a failure has been told, and nothing is done until the host knows.
    failed: bool,
    /// Whether only the journal holds some game that is over.
    unrecorded: bool,
}

impl Disk {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub(super) fn start(
        journal: Journal<Entry>,
        records: Records,
        ledgers: Ledgers,
        inputs: mpsc::UnboundedSender<Input>,
        origin: Instant,
    ) -> io::Result<Disk> {
        let (queue, jobs) = sync_channel(WAITING);
        let waiting = Arc::new(AtomicUsize::new(0));
        let writer = Writer {
            journal,
            records,
            ledgers,
            inputs,
            origin,
            failed: false,
            unrecorded: false,
        };
        let counter = Arc::clone(&waiting);
        let thread = thread::Builder::new()
            .name("disk".into())
            .spawn(move || writer.run(&jobs, &counter))?;
        Ok(Disk {
            queue,
            waiting,
            thread,
        })
    }

    /// Whether these must go through the thread: something is to be written, or
    /// something before them is not done yet.
    pub(super) fn is_needed(&self, jobs: &[Job]) -> bool {
        let writes = |job: &Job| !matches!(job, Job::Deliver(..) | Job::Sent(..));
        self.waiting.load(SeqCst) > 0 || jobs.iter().any(writes)
    }

    /// Hands over jobs that belong together.
    pub(super) fn hand_over(&self, jobs: Vec<Job>) {
        self.waiting.fetch_add(1, SeqCst);
        // The thread lives as long as this.
        let _ = self.queue.send(jobs);
    }

    /// Waits until everything is done.
    pub(super) fn finish(self) {
        drop(self.queue);
        // Whatever it panicked with has been printed.
        let _ = self.thread.join();
    }
}

impl Writer {
    fn run(mut self, queue: &Receiver<Vec<Job>>, waiting: &AtomicUsize) {
        while let Ok(first) = queue.recv() {
            let mut groups = vec![first];
            groups.extend(queue.try_iter().take(WAITING));
            let count = groups.len();
            self.work(groups.into_iter().flatten().collect());
            waiting.fetch_sub(count, SeqCst);
        }
    }

    fn work(&mut self, mut jobs: Vec<Job>) {
        if self.failed {
            let known = jobs.iter().position(|job| matches!(job, Job::GoOn));
            let Some(known) = known else { return };
            jobs.drain(..=known);
            self.failed = false;
        }
        while !jobs.is_empty() {
            // What stands before a journal that is written anew is in it.
            let rewrite = jobs.iter().position(|job| matches!(job, Job::Rewrite(_)));
            let rest = jobs.split_off(rewrite.map_or(jobs.len(), |at| at.max(1)));
            let now = mem::replace(&mut jobs, rest);
            if let Err(error) = self.write(&now) {
                self.fail(&format!("{}: {error}", self.journal.path().display()));
                return;
            }
            let mut failed = None;
            for job in now {
                if let Err(error) = self.perform(job) {
                    failed.get_or_insert(error);
                }
            }
            // What stands in the journal has been told by now.
            if let Some(error) = failed {
                self.fail(&format!("the results file: {error}"));
                return;
            }
        }
    }

    /// Writes the entries of these jobs, and waits for the disk once.
    fn write(&mut self, jobs: &[Job]) -> io::Result<()> {
        if let [Job::Rewrite(entries), ..] = jobs
            && !self.unrecorded
        {
            self.journal.rewrite(entries)?;
        }
        let entries = jobs.iter().filter_map(|job| match job {
            Job::Journal(entry) => Some(entry),
            _ => None,
        });
        let entries: Vec<&Entry> = entries.collect();
        if entries.is_empty() {
            return Ok(());
        }
        self.journal.append(&entries)
    }

    /// # Errors
    /// Something could not be written to the results file.
    fn perform(&mut self, job: Job) -> io::Result<()> {
        match job {
            Job::Deliver(client, outbox, out) => {
                if outbox.try_send(out).is_err() {
                    self.tell(Input::Stuck { client });
                }
            }
            Job::Sent(game, moves) => {
                let at = self.origin.elapsed();
                self.tell(Input::Sent { game, moves, at });
            }
            Job::Record(finished) => self.record(&finished),
            Job::Note(note) => return self.note(&note),
            Job::Journal(_) | Job::Rewrite(_) | Job::GoOn => {}
        }
        Ok(())
    }

    /// Records a game. Where it fails, the journal holds it until the next start.
    fn record(&mut self, finished: &Finished) {
        let game = finished.game;
        let recorded = self
            .records
            .add(finished)
            .and_then(|()| self.ledgers.take(finished.event().as_ref()))
            .and_then(|refused| {
                let entry = Entry::Recorded { game };
                self.journal.append(&[&entry]).map(|()| refused)
            });
        let what = match recorded {
            Ok(None) => return,
            Ok(Some(why)) => format!("the result of game {game} does not count: {why}"),
            Err(error) => {
                self.unrecorded = true;
                format!("game {game} could not be recorded: {error}")
            }
        };
        self.tell(Input::Told(News::Failed { what }));
    }

    fn note(&mut self, note: &Note) -> io::Result<()> {
        match note {
            Note::Begin { settings, entrants } => self.ledgers.begin(settings, entrants),
            Note::Event(event) => self.ledgers.add(Some(event)),
        }
    }

    fn fail(&mut self, why: &str) {
        self.failed = true;
        let entries = self.journal.entries().unwrap_or_else(|_| {
            // What cannot be read either is lost to this process, not to the next:
            // the journal is not written anew any more.
            self.unrecorded = true;
            Vec::new()
        });
        self.tell(Input::DiskFailed {
            why: why.to_owned(),
            entries,
            held: self.ledgers.tournament().cloned(),
        });
    }

    fn tell(&self, input: Input) {
        // The host is gone only when everything stops.
        let _ = self.inputs.send(input);
    }
}
