//! The task that drives a referee: it passes on the inputs of all connections, the reports of the
//! disk, and the time, and performs the effects in their order.

use std::io;
use std::time::{Duration, SystemTime};

use tokio::sync::{mpsc, oneshot};
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::{Instant, sleep_until, timeout};

use super::disk::{Disk, Report};
use super::organizer::{Answer, Asked, Commands, ServerCommand};
use super::state_folder::StateFolder;
use crate::base::server_clock::{ServerClock, beat};
use crate::contests::contest::{DeskError, Kept, OrderedEffect, RulingRequest, Timestamp, Write};
use crate::contests::results::ResultLine;

/// The capacity of the queue of inputs.
pub const MAX_QUEUED: usize = 1_024;

/// The length at which the journal is rewritten, in moves.
const MAX_JOURNAL: usize = 40_000;

/// How long to wait for what is being written before the server stops.
const LAST_CHANCE: Duration = Duration::from_secs(1);

/// Returns this time of the server's clock, with the calendar time of now.
pub fn timestamp(clock: Duration) -> Timestamp {
    Timestamp {
        clock,
        date: SystemTime::now(),
    }
}

/// What surrounds a pure referee: it passes on what happens, and performs what follows.
pub trait Shell {
    /// What is written, and what waits for it.
    type Kept: Kept;
    /// An input of a connection.
    type Input;
    /// A command of the organizer.
    type Command: ServerCommand;

    /// The shortest time between two updates of the page.
    const REFRESH: Duration;
    /// How long to wait for the disk when the server stops.
    const LAST_WRITES: Duration;

    /// Handles an input.
    fn handle(&mut self, input: Self::Input, now: Timestamp);

    /// Carries out a command of the organizer. The answer is given when what the command has changed is
    /// on the disk.
    ///
    /// # Errors
    /// The command is refused.
    fn run_command(&mut self, command: Self::Command, now: Timestamp) -> Answer;

    /// Returns the decision that a command asks for, if it may be about a free game.
    fn free_ruling(&self, command: &Self::Command) -> Option<RulingRequest>;

    /// Returns the answer to a command whose changes cannot be written, for this reason.
    fn disk_failure(why: &str) -> String;

    /// Handles a report of the disk that is neither [`Report::Deliver`] nor [`Report::Done`].
    fn handle_report(&mut self, report: Report<Self::Kept>, now: Timestamp);

    /// Notes that the server was stalled.
    fn note_stall(&mut self, stall: Duration, now: Timestamp);

    /// Returns when [`Shell::tick`] is due.
    fn next_deadline(&self) -> Option<Duration>;

    /// Handles the deadlines that have come.
    fn tick(&mut self, now: Timestamp);

    /// Performs the effects that wait for nothing, and returns the others.
    fn take_effects(&mut self) -> Vec<OrderedEffect<Self::Kept>>;

    /// Performs deliveries: what they wait for is on the disk, or is not kept.
    fn deliver(&mut self, deliveries: impl IntoIterator<Item = <Self::Kept as Kept>::Delivery>);

    /// Performs what can wait until the clients have been sent their messages.
    fn deliver_later(&mut self) {}

    /// Returns whether there is something for [`Shell::deliver_later`].
    fn has_later(&self) -> bool {
        false
    }

    /// Lists a game that is over on the page, with its record if that is kept.
    fn list(&mut self, result: &ResultLine, is_kept: bool);

    /// Returns the shortest journal from which the referee can be restored; `None` while the disk
    /// cannot be written.
    fn snapshot(&self, clock: Duration) -> Option<Vec<<Self::Kept as Kept>::Entry>>;

    /// Returns whether the page is out of date.
    fn is_page_stale(&self) -> bool;

    /// Brings the page up to date.
    fn refresh_page(&mut self, clock: Duration);

    /// Returns why the server stops by itself, if it does now.
    fn stop_reason(&self) -> Option<String>;

    /// Stops: tells all clients why.
    fn stop(&mut self, why: String, now: Timestamp);
}

/// The task of a server.
pub struct Task<S: Shell> {
    pub shell: S,
    /// Writes journals and records; `None` without files.
    disk: Option<Disk<S::Kept>>,
    /// What the disk reports.
    reports: mpsc::UnboundedReceiver<Report<S::Kept>>,
    /// The length of the journal since it was rewritten, in moves.
    journal_length: usize,
    /// The number of lines of tournaments that the disk has, or is to write.
    lines: u64,
    /// The answers to commands that wait for the disk.
    answers: Vec<WaitingAnswer>,
    /// The server's clock.
    clock: ServerClock,
}

/// An answer that is given when the disk has done what was handed to it before.
#[derive(Debug)]
struct WaitingAnswer {
    /// The number of tasks of the disk to wait for.
    tasks: usize,
    answer: Answer,
    kept: KeptBy,
    reply: oneshot::Sender<Answer>,
}

/// What must be on the disk so that a command has happened, even if the disk fails after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeptBy {
    /// All tasks that the answer waits for.
    Tasks,
    /// The line of the tournament with this number.
    Line(u64),
    /// The decision on a free game, of which only the disk knows.
    Ruling,
    /// Nothing more: the disk has answered.
    Nothing,
}

impl WaitingAnswer {
    /// Gives the answer, unless the organizer is gone.
    fn give(self) {
        let _ = self.reply.send(self.answer);
    }
}

impl<S: Shell> Task<S> {
    /// Creates a task that keeps nothing.
    pub fn new(shell: S, clock: ServerClock) -> Task<S> {
        Task {
            shell,
            disk: None,
            reports: mpsc::unbounded_channel().1,
            journal_length: 0,
            lines: 0,
            answers: Vec::new(),
            clock,
        }
    }

    /// Keeps everything in a folder, whose journal has this length, in moves.
    ///
    /// # Errors
    /// The system has no thread for the disk.
    pub fn keep(&mut self, folder: StateFolder<S::Kept>, journal_length: usize) -> io::Result<()> {
        let (reports, reported) = mpsc::unbounded_channel();
        self.disk = Some(Disk::start(folder, reports)?);
        self.reports = reported;
        self.journal_length = journal_length;
        Ok(())
    }

    /// Performs what the referee wants done before the first input, and waits until it is on the
    /// disk.
    pub async fn begin(&mut self) {
        let now = self.now();
        self.shell.tick(now);
        self.apply();
        self.deliver_later();
        self.catch_up().await;
    }

    /// Runs until the server stops, by itself or for the reason that `stop` returns.
    ///
    /// # Errors
    /// It has panicked.
    pub async fn run(
        self,
        inputs: mpsc::Receiver<S::Input>,
        commands: Commands<S::Command>,
        stop: impl Future<Output = String>,
    ) -> io::Result<S>
    where
        Self: Send + 'static,
        S: Send,
        S::Input: Send,
        S::Command: Send,
    {
        let (stopping, stopped) = oneshot::channel();
        // A task of its own, so that moves do not poll the listener, the signals, and the system.
        let mut task = tokio::spawn(self.run_until(inputs, commands, stopped));
        let ended = tokio::select! {
            ended = &mut task => ended,
            why = stop => {
                // It may have stopped by itself.
                let _ = stopping.send(why);
                task.await
            }
        };
        ended.map_err(io::Error::other)
    }

    async fn run_until(
        mut self,
        mut inputs: mpsc::Receiver<S::Input>,
        mut commands: Commands<S::Command>,
        stop: oneshot::Receiver<String>,
    ) -> S {
        let why = tokio::select! {
            Ok(why) = stop => why,
            why = self.work(&mut inputs, &mut commands) => why,
        };
        // What is being written is told before the end.
        let _ = timeout(LAST_CHANCE, self.catch_up()).await;
        self.shell.refresh_page(self.clock.now());
        let now = self.now();
        self.shell.stop(why, now);
        self.apply();
        self.shell.refresh_page(self.clock.now());
        self.deliver_later();
        // Late requests must not wait for this task.
        drop((inputs, commands));
        if let Some(disk) = self.disk.take() {
            let _ = spawn_blocking(|| disk.finish(S::LAST_WRITES)).await;
        }
        while let Ok(report) = self.reports.try_recv() {
            self.handle_report(report);
            self.deliver_later();
        }
        self.shell
    }

    /// Handles the reports of the disk until nothing waits for it.
    async fn catch_up(&mut self) {
        while self.disk.as_ref().is_some_and(|disk| disk.waiting() > 0)
            && let Some(report) = self.reports.recv().await
        {
            self.handle_report(report);
            self.deliver_later();
        }
    }

    /// Handles inputs until the server stops by itself. Returns why.
    async fn work(
        &mut self,
        inputs: &mut mpsc::Receiver<S::Input>,
        commands: &mut Commands<S::Command>,
    ) -> String {
        self.apply();
        let mut refresh = Instant::now();
        let mut beat = beat();
        loop {
            while self.shell.has_later() {
                // The players first.
                yield_now().await;
                self.deliver_later();
            }
            // What waits for the disk may be taken back.
            if let Some(why) = self.shell.stop_reason()
                && self.disk.as_ref().is_none_or(|disk| disk.waiting() == 0)
            {
                return why;
            }
            let deadline = self.shell.next_deadline();
            let deadline = deadline.map(|at| self.clock.moment(at).into());
            tokio::select! {
                // Requests that came before a flag fell are handled before it falls.
                biased;
                Some(report) = self.reports.recv() => self.handle_report(report),
                Some(input) = inputs.recv() => self.handle(input),
                Some(asked) = commands.next() => self.run_command(asked),
                () = sleep_until(deadline.unwrap_or(refresh)), if deadline.is_some() => {}
                // The clock is read below.
                _ = beat.tick() => {}
                () = sleep_until(refresh), if self.shell.is_page_stale() => {
                    self.shell.refresh_page(self.clock.now());
                    refresh = Instant::now() + S::REFRESH;
                }
            }
            let now = self.now();
            self.check_stall();
            for _ in 0..inputs.len() {
                let Ok(input) = inputs.try_recv() else { break };
                self.handle(input);
            }
            // The organizer is heard during a flood.
            if let Some(asked) = commands.try_next() {
                self.run_command(asked);
            }
            let deadline = self.shell.next_deadline();
            if deadline.is_some_and(|deadline| deadline <= now.clock) {
                self.shell.tick(now);
                self.apply();
            }
        }
    }

    fn now(&self) -> Timestamp {
        timestamp(self.clock.now())
    }

    /// Notes that the server was stalled, if it was.
    fn check_stall(&mut self) {
        if let Some(stall) = self.clock.take_stall() {
            let now = self.now();
            self.shell.note_stall(stall, now);
            self.apply();
        }
    }

    fn handle(&mut self, input: S::Input) {
        let now = self.now();
        // What begins now was not stalled.
        self.check_stall();
        self.shell.handle(input, now);
        self.apply();
    }

    fn run_command(&mut self, Asked { command, reply }: Asked<S::Command>) {
        let now = self.now();
        self.check_stall();
        // Only the disk knows whether there is such a game.
        let is_kept = self.disk.is_some();
        let ruling = self.shell.free_ruling(&command).filter(|_| is_kept);
        let next_line = self.lines.saturating_add(1);
        let (answer, mut kept) = match ruling {
            None => (self.shell.run_command(command, now), KeptBy::Tasks),
            Some(request) => {
                self.schedule(vec![OrderedEffect::Write(Write::Ruling(request))]);
                (Ok(String::new()), KeptBy::Ruling)
            }
        };
        self.apply();
        if kept == KeptBy::Tasks && self.lines >= next_line {
            kept = KeptBy::Line(next_line);
        }
        let tasks = self.disk.as_ref().map_or(0, Disk::waiting);
        self.answers.push(WaitingAnswer {
            tasks,
            answer,
            kept,
            reply,
        });
        self.note_done(0);
    }

    /// Notes that the disk has done tasks, and gives the answers that have waited for them.
    fn note_done(&mut self, tasks: usize) {
        if let Some(disk) = &mut self.disk {
            disk.note_done(tasks);
        }
        for waiting in &mut self.answers {
            waiting.tasks = waiting.tasks.saturating_sub(tasks);
        }
        let due = self.answers.extract_if(.., |waiting| waiting.tasks == 0);
        due.for_each(WaitingAnswer::give);
    }

    /// Lists a free game that the organizer has decided, and sets the answer to the first command that
    /// waits for such a decision.
    fn note_decided(&mut self, decided: &Result<(ResultLine, String), DeskError>) {
        let mut waiting = self.answers.iter_mut();
        if let Some(first) = waiting.find(|waiting| waiting.kept == KeptBy::Ruling) {
            first.kept = KeptBy::Nothing;
            let answer = decided.as_ref().map(|(_, told)| told.clone());
            first.answer = answer.map_err(ToString::to_string);
        }
        if let Ok((line, _)) = decided {
            self.shell.list(line, true);
        }
    }

    fn handle_report(&mut self, report: Report<S::Kept>) {
        match report {
            Report::Deliver(deliveries) => self.shell.deliver(deliveries),
            Report::Done(tasks) => self.note_done(tasks),
            Report::Failed { ref why, lines, .. } => {
                self.lines = lines;
                for mut waiting in self.answers.drain(..) {
                    // What is on the disk has happened, even if what follows from it is not there.
                    let is_kept = match waiting.kept {
                        KeptBy::Line(line) => line <= lines,
                        KeptBy::Nothing => true,
                        KeptBy::Tasks | KeptBy::Ruling => false,
                    };
                    if !is_kept {
                        waiting.answer = Err(S::disk_failure(why));
                    }
                    waiting.give();
                }
                let now = self.now();
                self.shell.handle_report(report, now);
                if let Some(disk) = &mut self.disk {
                    disk.go_on();
                }
                let mut effects = self.shell.take_effects();
                // The referee is as it is in the journal: nothing must be written there.
                effects.retain(|effect| !matches!(effect, OrderedEffect::Write(Write::Journal(_))));
                self.schedule(effects);
            }
            other => {
                match &other {
                    Report::Recorded { results, .. } | Report::Ruled(results) => {
                        for result in results {
                            self.shell.list(result, true);
                        }
                    }
                    Report::Decided(decided) => self.note_decided(decided),
                    _ => {}
                }
                let now = self.now();
                self.shell.handle_report(other, now);
            }
        }
        self.apply();
    }

    /// Performs what comes after the players, and what follows from it.
    fn deliver_later(&mut self) {
        self.shell.deliver_later();
        self.apply();
    }

    /// Performs the effects of the referee, and what follows from performing them.
    fn apply(&mut self) {
        loop {
            let effects = self.shell.take_effects();
            if effects.is_empty() {
                break;
            }
            self.schedule(effects);
        }
        if let Some(disk) = &mut self.disk
            && self.journal_length > MAX_JOURNAL
            && let Some(entries) = self.shell.snapshot(self.clock.now())
        {
            self.journal_length = 0;
            disk.rewrite(entries);
        }
    }

    /// Performs ordered effects. If they need the disk, hands them to its thread, which returns the
    /// deliveries among them.
    fn schedule(&mut self, effects: Vec<OrderedEffect<S::Kept>>) {
        for effect in &effects {
            match effect {
                OrderedEffect::Write(Write::Journal(entry)) => {
                    self.journal_length += S::Kept::weight(entry);
                }
                OrderedEffect::Write(Write::Tournament(_)) => {
                    self.lines = self.lines.saturating_add(1);
                }
                _ => {}
            }
        }
        match &mut self.disk {
            Some(disk) if disk.is_needed(&effects) => disk.write(effects),
            // Nothing is to be written, or nothing is kept.
            _ => {
                for effect in &effects {
                    if let OrderedEffect::Write(Write::Record(finished)) = effect
                        && let Ok(report) = S::Kept::report(finished)
                    {
                        self.shell.list(&report.result, false);
                    }
                }
                let deliveries = effects.into_iter().filter_map(|effect| match effect {
                    OrderedEffect::Deliver(delivery) => Some(delivery),
                    OrderedEffect::Write(_) => None,
                });
                self.shell.deliver(deliveries);
            }
        }
    }
}
