//! The thread that writes to the disk. Writes pass through its queue together with the deliveries
//! behind them, which come back in order when the writes are on the disk.
//!
//! All games share one journal: entries that arrive while the disk is busy are written and synced
//! together.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::{io, mem};

use tokio::sync::mpsc;

use super::effects::{Delivery, OrderedEffect, TournamentEffect, Write};
use super::game::FinishedGame;
use super::journal::Entry;
use super::log::LogEvent;
use super::record::Records;
use crate::base::journal::Journal;
use crate::tournament::{ResultsFiles, Tournament};

/// The maximum number of batches in the queue. The contest's task waits when there are more;
/// players wait for their answers, so that only a flood of messages gets there.
const MAX_QUEUED: usize = 1_024;

/// A task for the thread.
#[derive(Debug)]
enum Task {
    /// Perform the writes, and return the deliveries.
    Write(Vec<OrderedEffect>),
    /// Replace the journal by a shorter one.
    Rewrite(Vec<Entry>),
    /// Continue after a failure that the contest's task knows of.
    GoOn,
}

/// A report of the thread.
#[derive(Debug)]
pub enum Report {
    /// Perform these deliveries now, in order: what precedes them is on the disk.
    Deliver(Vec<Delivery>),
    /// Tasks are done.
    Done(usize),
    /// An event is to be logged.
    Log(LogEvent),
    /// The disk cannot be written. All later tasks are dropped until [`Disk::go_on`].
    Failed {
        why: String,
        /// The entries of the journal.
        entries: Vec<Entry>,
        /// The tournament of the results file.
        tournament: Option<Tournament>,
    },
}

/// A handle to the thread.
#[derive(Debug)]
pub struct Disk {
    tasks: SyncSender<Task>,
    /// The number of unfinished tasks.
    waiting: usize,
    thread: JoinHandle<()>,
}

impl Disk {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(
        journal: Journal<Entry>,
        records: Records,
        results: ResultsFiles,
        reports: mpsc::UnboundedSender<Report>,
    ) -> io::Result<Disk> {
        let (tasks, queue) = sync_channel(MAX_QUEUED);
        let writer = Writer {
            journal,
            records,
            results,
            reports,
            failed: false,
            must_keep_journal: false,
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
    pub fn is_needed(&self, effects: &[OrderedEffect]) -> bool {
        let is_write = |effect: &OrderedEffect| matches!(effect, OrderedEffect::Write(_));
        self.waiting > 0 || effects.iter().any(is_write)
    }

    /// Hands over effects. The deliveries come back in a [`Report::Deliver`].
    pub fn write(&mut self, effects: Vec<OrderedEffect>) {
        self.send(Task::Write(effects));
    }

    /// Replaces the journal by a shorter one.
    pub fn rewrite(&mut self, entries: Vec<Entry>) {
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

    fn send(&mut self, task: Task) {
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
struct Writer {
    journal: Journal<Entry>,
    records: Records,
    results: ResultsFiles,
    /// Without a bound, so that this thread and the contest's task never wait for each other. Each
    /// task has a few reports at most, and the number of tasks is limited.
    reports: mpsc::UnboundedSender<Report>,
    /// Whether a failure was reported, and the contest's task does not know of it yet.
    failed: bool,
    /// Whether the journal must not be rewritten: it has the only copy of a finished game, or it
    /// could not be read.
    must_keep_journal: bool,
}

impl Writer {
    fn run(mut self, queue: &Receiver<Task>) {
        while let Ok(first) = queue.recv() {
            let mut effects = Vec::new();
            let tasks = [first].into_iter().chain(queue.try_iter().take(MAX_QUEUED));
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
    }

    /// Appends all journal entries at once. Then it records games and writes results, each with
    /// a wait of its own for the disk, and returns the deliveries between them, all in order.
    fn write(&mut self, effects: Vec<OrderedEffect>) {
        if self.failed || effects.is_empty() {
            return;
        }
        let entries = effects.iter().filter_map(|effect| match effect {
            OrderedEffect::Write(Write::Journal(entry)) => Some(entry),
            _ => None,
        });
        let entries: Vec<&Entry> = entries.collect();
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
                    self.record(&finished);
                }
                Write::Tournament(effect) => {
                    self.report(Report::Deliver(mem::take(&mut written)));
                    if let Err(error) = self.write_result(&effect) {
                        failed.get_or_insert(error);
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

    fn rewrite(&mut self, entries: &[Entry]) {
        if self.failed || self.must_keep_journal {
            return;
        }
        if let Err(error) = self.journal.rewrite(entries) {
            self.fail(&format!("{}: {error}", self.journal.path().display()));
        }
    }

    /// Records a game. If that fails, the journal holds the game until the next start.
    fn record(&mut self, finished: &FinishedGame) {
        let game = finished.game;
        let recorded = self
            .records
            .add(finished)
            .and_then(|()| self.results.add_result(finished.event().as_ref()))
            .and_then(|refused| {
                let entry = Entry::Recorded { game };
                self.journal.append(&[&entry]).map(|()| refused)
            });
        let what = match recorded {
            Ok(None) => return,
            Ok(Some(why)) => format!("the result of game {game} does not count: {why}"),
            Err(error) => {
                self.must_keep_journal = true;
                format!("game {game} could not be recorded: {error}")
            }
        };
        self.report(Report::Log(LogEvent::Failed { what }));
    }

    fn write_result(&mut self, effect: &TournamentEffect) -> io::Result<()> {
        match effect {
            TournamentEffect::Begin { settings, entrants } => {
                self.results.begin(settings, entrants)
            }
            TournamentEffect::Event(event) => self.results.add(event),
        }
    }

    fn fail(&mut self, why: &str) {
        self.failed = true;
        let entries = self.journal.entries().unwrap_or_else(|_| {
            // This process has lost a journal that it cannot read, but the next one may not: the
            // journal is no longer rewritten.
            self.must_keep_journal = true;
            Vec::new()
        });
        self.report(Report::Failed {
            why: why.to_owned(),
            entries,
            tournament: self.results.tournament().cloned(),
        });
    }

    fn report(&self, report: Report) {
        // The contest's task ends only when the server stops.
        let _ = self.reports.send(report);
    }
}
