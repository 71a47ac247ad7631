//! The thread that writes to the disk. Writes pass through its queue together with the deliveries
//! behind them, which come back in order when the writes are on the disk.
//!
//! All games share one journal: entries that arrive while the disk is busy are written and synced
//! together.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::mem;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use tokio::sync::mpsc;

use super::hosted::{Hosted, RecordKeeper};
use crate::base::journal::Journal;
use crate::contests::contest::{
    DISK_RETRY, Delivery, Entry, FinishedGame, GameId, LogEvent, OrderedEffect, TournamentEffect,
    Write,
};
use crate::tournament::{ResultsFiles, Tournament};

/// The maximum number of batches in the queue. The contest's task waits when there are more;
/// players wait for their answers, so that only a flood of messages gets there.
const MAX_QUEUED: usize = 1_024;

/// The number of bytes that a disk that has failed must have room for, so that it does not fail
/// again with the next moves.
const ROOM: usize = 64 * 1024;

/// A task for the thread.
#[derive(Debug)]
enum Task<P: Hosted> {
    /// Perform the writes, and return the deliveries.
    Write(Vec<OrderedEffect<P>>),
    /// Replace the journal by a shorter one.
    Rewrite(Vec<Entry<P>>),
    /// Continue after a failure that the contest's task knows of.
    GoOn,
}

/// A report of the thread.
#[derive(Debug)]
pub enum Report<P: Hosted> {
    /// Perform these deliveries now, in order: what precedes them is on the disk.
    Deliver(Vec<Delivery<P>>),
    /// Tasks are done.
    Done(usize),
    /// An event is to be logged.
    Log(LogEvent),
    /// The disk cannot be written. All later tasks are dropped until [`Disk::go_on`]. From then on
    /// it is tried again.
    Failed {
        why: String,
        /// The entries of the journal.
        entries: Vec<Entry<P>>,
        /// The tournament of the results file.
        tournament: Option<Tournament>,
    },
    /// After a failure the disk can be written again.
    Healed,
}

/// A handle to the thread.
#[derive(Debug)]
pub struct Disk<P: Hosted> {
    tasks: SyncSender<Task<P>>,
    /// The number of unfinished tasks.
    waiting: usize,
    thread: JoinHandle<()>,
}

impl<P: Hosted> Disk<P> {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(
        journal: Journal<Entry<P>>,
        records: P::Records,
        results: ResultsFiles,
        reports: mpsc::UnboundedSender<Report<P>>,
    ) -> io::Result<Disk<P>> {
        let (tasks, queue) = sync_channel(MAX_QUEUED);
        let writer = Writer {
            journal,
            records,
            results,
            reports,
            failed: false,
            is_failing: false,
            unrecorded: VecDeque::new(),
            retry_at: None,
            is_unreadable: false,
        };
        let thread = thread::Builder::new()
            .name("disk".into())
            .spawn(move || writer.run(&queue))?;
        Ok(Disk {
            tasks,
            waiting: 0,
            thread,
        })
    }

    /// Returns whether effects must go through the thread: they include a write, or earlier effects
    /// are not done yet.
    pub fn is_needed(&self, effects: &[OrderedEffect<P>]) -> bool {
        let is_write = |effect: &OrderedEffect<P>| matches!(effect, OrderedEffect::Write(_));
        self.waiting > 0 || effects.iter().any(is_write)
    }

    /// Hands over effects. The deliveries come back in a [`Report::Deliver`].
    pub fn write(&mut self, effects: Vec<OrderedEffect<P>>) {
        self.send(Task::Write(effects));
    }

    /// Replaces the journal by a shorter one.
    pub fn rewrite(&mut self, entries: Vec<Entry<P>>) {
        self.send(Task::Rewrite(entries));
    }

    /// Continues after a [`Report::Failed`].
    pub fn go_on(&mut self) {
        self.send(Task::GoOn);
    }

    /// Notes a [`Report::Done`] of this many tasks.
    pub fn note_done(&mut self, tasks: usize) {
        self.waiting = self.waiting.saturating_sub(tasks);
    }

    fn send(&mut self, task: Task<P>) {
        self.waiting = self.waiting.saturating_add(1);
        // The thread ends when this is dropped.
        let _ = self.tasks.send(task);
    }

    /// Waits until everything is done.
    pub fn finish(self) {
        drop(self.tasks);
        // If it panicked, that has been printed.
        let _ = self.thread.join();
    }
}

/// The state of the thread.
struct Writer<P: Hosted> {
    journal: Journal<Entry<P>>,
    records: P::Records,
    results: ResultsFiles,
    /// Without a bound, so that this thread and the contest's task never wait for each other. Each
    /// task has a few reports at most, and the number of tasks is limited.
    reports: mpsc::UnboundedSender<Report<P>>,
    /// Whether a failure was reported, and the contest's task does not know of it yet.
    failed: bool,
    /// Whether the disk has not been written since a failure.
    is_failing: bool,
    /// The finished games that could not be recorded yet. The journal has the only copy of them.
    unrecorded: VecDeque<FinishedGame<P>>,
    /// When it is tried again to write what could not be written.
    retry_at: Option<Instant>,
    /// Whether the journal could not be read: it must not be rewritten.
    is_unreadable: bool,
}

impl<P: Hosted> Writer<P> {
    fn run(mut self, queue: &Receiver<Task<P>>) {
        loop {
            let received = match self.retry_at.filter(|_| !self.failed) {
                None => queue.recv().map_err(RecvTimeoutError::from),
                Some(at) => queue.recv_timeout(at.saturating_duration_since(Instant::now())),
            };
            match received {
                Ok(first) => {
                    let others = queue.try_iter().take(MAX_QUEUED);
                    self.perform([first].into_iter().chain(others));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.retry_at.is_some_and(|at| at <= Instant::now()) && !self.failed {
                self.retry();
            }
        }
    }

    /// Performs tasks, and reports that they are done.
    fn perform(&mut self, tasks: impl Iterator<Item = Task<P>>) {
        let mut effects = Vec::new();
        let mut count = 0;
        for task in tasks {
            count += 1;
            match task {
                Task::GoOn => self.failed = false,
                _ if self.failed => {}
                Task::Write(more) => effects.extend(more),
                Task::Rewrite(entries) => {
                    self.write(mem::take(&mut effects));
                    self.rewrite(&entries);
                }
            }
        }
        self.write(effects);
        self.report(Report::Done(count));
    }

    /// Tries again to write what could not be written.
    fn retry(&mut self) {
        let is_healed = self.record_waiting().is_ok() && (!self.is_failing || self.has_room());
        self.retry_at = (!is_healed).then(|| Instant::now() + DISK_RETRY);
        if is_healed && mem::take(&mut self.is_failing) {
            self.report(Report::Healed);
        }
    }

    /// Returns whether the journal can be written, and a file beside it.
    fn has_room(&mut self) -> bool {
        let path = self.journal.path().with_extension("room");
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&[0; ROOM])?;
            file.sync_all()
        });
        // It may not be there.
        let _ = fs::remove_file(path);
        let entry = Entry::Numbered { next: GameId(1) };
        written.is_ok() && self.journal.append(&[&entry]).is_ok()
    }

    /// Appends all journal entries at once. Then it records games and writes results, each with
    /// a wait of its own for the disk, and returns the deliveries between them, all in order.
    fn write(&mut self, effects: Vec<OrderedEffect<P>>) {
        if self.failed || effects.is_empty() {
            return;
        }
        let entries = effects.iter().filter_map(|effect| match effect {
            OrderedEffect::Write(Write::Journal(entry)) => Some(entry),
            _ => None,
        });
        let entries: Vec<&Entry<P>> = entries.collect();
        if !entries.is_empty()
            && let Err(error) = self.journal.append(&entries)
        {
            self.fail(&format!("{}: {error}", self.journal.path().display()));
            return;
        }
        let mut failed = None;
        let mut written = Vec::new();
        for effect in effects {
            let write = match effect {
                OrderedEffect::Deliver(delivery) => {
                    written.push(delivery);
                    continue;
                }
                OrderedEffect::Write(write) => write,
            };
            match write {
                // It has been written.
                Write::Journal(_) => {}
                Write::Record(finished) => {
                    // Recording takes time: earlier deliveries do not wait for it.
                    self.report(Report::Deliver(mem::take(&mut written)));
                    self.record(*finished);
                }
                Write::Tournament(effect) => {
                    self.report(Report::Deliver(mem::take(&mut written)));
                    if failed.is_none() {
                        failed = self.write_result(&effect).err();
                    }
                }
            }
        }
        self.report(Report::Deliver(written));
        // The messages about these entries have been sent by now.
        if let Some(error) = failed {
            self.fail(&format!("the results file: {error}"));
        }
    }

    fn rewrite(&mut self, entries: &[Entry<P>]) {
        if self.failed || self.is_unreadable || !self.unrecorded.is_empty() {
            return;
        }
        if let Err(error) = self.journal.rewrite(entries) {
            self.fail(&format!("{}: {error}", self.journal.path().display()));
        }
    }

    /// Records a game. If that fails, it is tried again later, and the journal holds the game.
    fn record(&mut self, finished: FinishedGame<P>) {
        let game = finished.game;
        self.unrecorded.push_back(finished);
        if let Err(error) = self.record_waiting() {
            self.retry_at
                .get_or_insert_with(|| Instant::now() + DISK_RETRY);
            let what = format!(
                "game {game} could not be recorded: {error}; this is tried again every {} seconds",
                DISK_RETRY.as_secs()
            );
            self.report(Report::Log(LogEvent::Failed { what }));
        }
    }

    /// Records the games that are not recorded yet, in order.
    fn record_waiting(&mut self) -> io::Result<()> {
        while let Some(finished) = self.unrecorded.front() {
            let game = finished.game;
            self.records.add(finished)?;
            let refused = self.results.add_result(finished.event().as_ref())?;
            self.journal.append(&[&Entry::Recorded { game }])?;
            self.unrecorded.pop_front();
            if let Some(why) = refused {
                let what = format!("the result of game {game} does not count: {why}");
                self.report(Report::Log(LogEvent::Failed { what }));
            }
        }
        Ok(())
    }

    /// Writes a line of the results file, after those of the games that are over.
    fn write_result(&mut self, effect: &TournamentEffect) -> io::Result<()> {
        self.record_waiting()?;
        match effect {
            TournamentEffect::Begin { settings, entrants } => {
                self.results.begin(settings, entrants)
            }
            TournamentEffect::Event(event) => self.results.add(event),
        }
    }

    fn fail(&mut self, why: &str) {
        self.failed = true;
        self.is_failing = true;
        self.retry_at = Some(Instant::now() + DISK_RETRY);
        // The journal has them, so that the contest asks for their records again.
        self.unrecorded.clear();
        let entries = self.journal.entries().unwrap_or_else(|_| {
            // This process has lost a journal that it cannot read, but the next one may not: the
            // journal is no longer rewritten.
            self.is_unreadable = true;
            Vec::new()
        });
        self.report(Report::Failed {
            why: why.to_owned(),
            entries,
            tournament: self.results.tournament().cloned(),
        });
    }

    fn report(&self, report: Report<P>) {
        // The contest's task ends only when the server stops.
        let _ = self.reports.send(report);
    }
}
