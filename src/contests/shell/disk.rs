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
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::state_folder::StateFolder;
use crate::contests::contest::{
    DISK_RETRY, DeskError, Kept, OrderedEffect, TournamentEffect, Write,
};
use crate::contests::results::ResultLine;
use crate::tournament::{Event, LastTournament, Tournament};

/// The maximum number of batches in the queue. The task waits when there are more; players wait for
/// their answers, so that only a flood of messages gets there.
const MAX_QUEUED: usize = 1_024;

/// The number of bytes that a disk that has failed must have room for, so that it does not fail
/// again with the next moves.
const ROOM: usize = 64 * 1024;

/// The maximum number of games that wait to be recorded. If there are more, the oldest is
/// abandoned until the next start.
const MAX_UNRECORDED: usize = 10_000;

/// A task for the thread.
#[derive(Debug)]
enum Task<K: Kept> {
    /// Perform the writes, and return the deliveries.
    Write(Vec<OrderedEffect<K>>),
    /// Replace the journal by a shorter one.
    Rewrite(Vec<K::Entry>),
    /// Continue after a failure that the task knows of.
    GoOn,
}

/// A report of the thread.
#[derive(Debug)]
pub enum Report<K: Kept> {
    /// Perform these deliveries now, in order: what precedes them is on the disk.
    Deliver(Vec<K::Delivery>),
    /// Tasks are done.
    Done(usize),
    /// A game could not be recorded. It is tried again every [`DISK_RETRY`].
    Unrecorded {
        /// The name of the game.
        name: String,
        why: String,
        /// The number of games that wait to be recorded.
        waiting: usize,
    },
    /// Games are recorded.
    Recorded {
        /// Their names.
        names: Vec<String>,
        /// Their results.
        results: Vec<ResultLine>,
        /// Whether they had waited for the disk.
        had_waited: bool,
    },
    /// The organizer has decided about games, which have these results.
    Ruled(Vec<ResultLine>),
    /// The organizer has decided about a free game, or cannot: its line, and the decision as a
    /// sentence.
    Decided(Box<Result<(ResultLine, String), DeskError>>),
    /// An event does not count for the tournament, for this reason.
    Refused(String),
    /// Too many games wait to be recorded: this one does not any more.
    Abandoned(String),
    /// The result of a game does not count for the tournament.
    NotCounted {
        /// The name of the game.
        name: String,
        why: String,
    },
    /// The disk cannot be written. All later tasks are dropped until [`Disk::go_on`]. From then on
    /// it is tried again.
    Failed {
        why: String,
        /// The entries of the journal.
        entries: Vec<K::Entry>,
        /// The tournament of the results file.
        tournament: LastTournament,
        /// The number of lines of tournaments that have been written since the start.
        lines: u64,
    },
    /// After a failure the disk can be written again.
    Healed,
}

/// A handle to the thread.
#[derive(Debug)]
pub struct Disk<K: Kept> {
    tasks: SyncSender<Task<K>>,
    /// The number of unfinished tasks.
    waiting: usize,
    /// Disconnected when the thread ends.
    end: Receiver<()>,
}

impl<K: Kept> Disk<K> {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(
        mut state: StateFolder<K>,
        reports: mpsc::UnboundedSender<Report<K>>,
    ) -> io::Result<Disk<K>> {
        // They have been read.
        state.entries = Vec::new();
        let (tasks, queue) = sync_channel(MAX_QUEUED);
        let (ended, end) = sync_channel(0);
        let writer = Writer::new(state, reports);
        thread::Builder::new().name("disk".into()).spawn(move || {
            let _ended: SyncSender<()> = ended;
            writer.run(&queue);
        })?;
        Ok(Disk {
            tasks,
            waiting: 0,
            end,
        })
    }

    /// Returns whether effects must go through the thread: they include a write, or earlier effects
    /// are not done yet.
    pub fn is_needed(&self, effects: &[OrderedEffect<K>]) -> bool {
        let is_write = |effect: &OrderedEffect<K>| matches!(effect, OrderedEffect::Write(_));
        self.waiting > 0 || effects.iter().any(is_write)
    }

    /// Returns the number of tasks that were handed over and are not done.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Hands over effects. The deliveries come back in a [`Report::Deliver`].
    pub fn write(&mut self, effects: Vec<OrderedEffect<K>>) {
        self.send(Task::Write(effects));
    }

    /// Replaces the journal by a shorter one.
    pub fn rewrite(&mut self, entries: Vec<K::Entry>) {
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

    fn send(&mut self, task: Task<K>) {
        self.waiting = self.waiting.saturating_add(1);
        // The thread ends when this is dropped.
        let _ = self.tasks.send(task);
    }

    /// Waits until everything is done, but not longer than `limit`.
    pub fn finish(self, limit: Duration) {
        drop(self.tasks);
        let _ = self.end.recv_timeout(limit);
    }
}

/// The state of the thread.
struct Writer<K: Kept> {
    state: StateFolder<K>,
    /// Without a bound, so that this thread and the task never wait for each other. Each task has a
    /// few reports at most, and the number of tasks is limited.
    reports: mpsc::UnboundedSender<Report<K>>,
    /// Whether a failure was reported, and the task does not know of it yet.
    failed: bool,
    /// Whether the disk has not been written since a failure.
    is_failing: bool,
    /// The games that could not be recorded yet, in the order of their ends.
    waiting: VecDeque<K::Finished>,
    /// Whether a game could not be recorded since the last that could.
    has_waited: bool,
    /// When it is tried again to write what could not be written.
    retry_at: Option<Instant>,
    /// Whether decisions are not in the results yet.
    must_rule: bool,
    /// The number of lines of tournaments that have been written.
    lines: u64,
    /// Whether the journal must not be rewritten: it could not be read, or has a game that is abandoned
    /// until the next start.
    must_keep: bool,
}

impl<K: Kept> Writer<K> {
    /// Creates a writer for which nothing waits.
    fn new(state: StateFolder<K>, reports: mpsc::UnboundedSender<Report<K>>) -> Writer<K> {
        Writer {
            state,
            reports,
            failed: false,
            is_failing: false,
            waiting: VecDeque::new(),
            has_waited: false,
            retry_at: None,
            must_rule: false,
            lines: 0,
            must_keep: false,
        }
    }

    fn run(mut self, queue: &Receiver<Task<K>>) {
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
                Err(RecvTimeoutError::Disconnected) => {
                    let _ = self.record_waiting();
                    return;
                }
            }
            if self.retry_at.is_some_and(|at| at <= Instant::now()) && !self.failed {
                self.retry();
            }
        }
    }

    /// Performs tasks, and reports that they are done.
    fn perform(&mut self, tasks: impl Iterator<Item = Task<K>>) {
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
        let must_rule = self.is_failing || self.must_rule;
        let is_healed = self.record_waiting().is_ok()
            && (!self.is_failing || self.has_room())
            && (!must_rule || self.write_rulings().is_ok());
        self.must_rule &= !is_healed;
        self.retry_at = (!is_healed).then(|| Instant::now() + DISK_RETRY);
        if is_healed && mem::take(&mut self.is_failing) {
            self.report(Report::Healed);
        }
    }

    /// Writes the lines of results that a decision replaces. If that fails, it is tried again later: the
    /// decision is in the file of the tournament.
    fn rule_now(&mut self) {
        if let Err(why) = self.write_rulings() {
            if !mem::replace(&mut self.must_rule, true) {
                let why = format!("the results do not have a decision yet: {why}");
                self.report(Report::Refused(why));
            }
            self.retry_at
                .get_or_insert_with(|| Instant::now() + DISK_RETRY);
        }
    }

    /// Writes the lines of results that rulings of the tournament replace, if there are new ones.
    fn write_rulings(&mut self) -> io::Result<()> {
        let tournament = self.state.tournaments.tournament();
        let rulings = tournament.map_or(&[][..], Tournament::rulings);
        let results = self.state.games.rule(rulings)?;
        self.report(Report::Ruled(results));
        Ok(())
    }

    /// Returns whether the journal can be written, and a file beside it.
    fn has_room(&mut self) -> bool {
        let journal = &mut self.state.journal;
        let path = journal.path().with_extension("room");
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&[0; ROOM])?;
            file.sync_all()
        });
        // It may not be there.
        let _ = fs::remove_file(path);
        written.is_ok() && journal.append(&[K::no_change()]).is_ok()
    }

    /// Writes effects. What happens in the tournament is on the disk before the journal has what
    /// follows from it, such as the start of a game of a round.
    fn write(&mut self, mut effects: Vec<OrderedEffect<K>>) {
        loop {
            let mut has_tournament = false;
            let follows = effects.iter().position(|effect| match effect {
                OrderedEffect::Write(Write::Tournament(_)) => {
                    has_tournament = true;
                    false
                }
                OrderedEffect::Write(Write::Journal(_)) => has_tournament,
                _ => false,
            });
            let Some(at) = follows else {
                return self.write_part(effects);
            };
            let rest = effects.split_off(at);
            self.write_part(mem::replace(&mut effects, rest));
        }
    }

    /// Appends all journal entries at once. Then it records games and writes results, each with
    /// a wait of its own for the disk, and returns the deliveries between them, all in order.
    fn write_part(&mut self, effects: Vec<OrderedEffect<K>>) {
        if self.failed || effects.is_empty() {
            return;
        }
        if let Err(why) = self.append(&effects) {
            self.fail(&why);
            return;
        }
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
                    self.add(*finished);
                }
                Write::Ruling(request) => {
                    self.report(Report::Deliver(mem::take(&mut written)));
                    let decided = self.state.games.rule_free(&request);
                    self.report(Report::Decided(Box::new(decided)));
                }
                Write::Tournament(effect) => {
                    self.report(Report::Deliver(mem::take(&mut written)));
                    if let Err(error) = self.write_line(&effect) {
                        // Nobody is told what follows; what the journal has of it comes back.
                        return self.fail(&format!("the file of the tournament: {error}"));
                    }
                    self.lines = self.lines.saturating_add(1);
                }
            }
        }
        self.report(Report::Deliver(written));
    }

    /// Appends the entries of the journal among these effects.
    ///
    /// # Errors
    /// They could not be written.
    fn append(&mut self, effects: &[OrderedEffect<K>]) -> Result<(), String> {
        let journal = &mut self.state.journal;
        let entries = effects.iter().filter_map(|effect| match effect {
            OrderedEffect::Write(Write::Journal(entry)) => Some(entry),
            _ => None,
        });
        let entries: Vec<&K::Entry> = entries.collect();
        if entries.is_empty() {
            return Ok(());
        }
        let appended = journal.append(&entries);
        appended.map_err(|error| format!("{}: {error}", journal.path().display()))
    }

    fn rewrite(&mut self, entries: &[K::Entry]) {
        if self.failed || self.must_keep || !self.waiting.is_empty() {
            return;
        }
        let journal = &mut self.state.journal;
        if let Err(error) = journal.rewrite(entries) {
            let why = format!("{}: {error}", journal.path().display());
            self.fail(&why);
        }
    }

    /// Records a game. If that fails, it is tried again later: the journal has the game.
    fn add(&mut self, finished: K::Finished) {
        let name = K::name(&finished);
        self.waiting.push_back(finished);
        if let Err(error) = self.record_waiting() {
            self.retry_at
                .get_or_insert_with(|| Instant::now() + DISK_RETRY);
            let (why, waiting) = (error.to_string(), self.waiting.len());
            self.report(Report::Unrecorded { name, why, waiting });
        }
        if self.waiting.len() > MAX_UNRECORDED
            && let Some(oldest) = self.waiting.pop_front()
        {
            self.must_keep = true;
            self.report(Report::Abandoned(K::name(&oldest)));
        }
    }

    /// Records the games that wait, in order.
    fn record_waiting(&mut self) -> io::Result<()> {
        let (mut names, mut results) = (Vec::new(), Vec::new());
        let mut result = Ok(());
        while let Some(first) = self.waiting.pop_front() {
            match self.record_now(&first) {
                Ok(recorded) => results.extend(recorded),
                Err(error) => {
                    result = Err(error);
                    self.waiting.push_front(first);
                    break;
                }
            }
            names.push(K::name(&first));
        }
        let had_waited = mem::replace(&mut self.has_waited, result.is_err());
        if !names.is_empty() {
            self.report(Report::Recorded {
                names,
                results,
                had_waited,
            });
        }
        result
    }

    /// Records a game, its result, and that it is recorded. Returns the lines of results that are
    /// new.
    fn record_now(&mut self, finished: &K::Finished) -> io::Result<Vec<ResultLine>> {
        let report = K::report(finished)?;
        let is_new = self.state.games.add(&report)?;
        let id = report.result.id.clone();
        let mut results = Vec::from_iter(is_new.then_some(report.result));
        let tournament = self.state.tournaments.tournament();
        let rulings = tournament.map_or(&[][..], Tournament::rulings).iter();
        // The organizer may have decided about it while it waited.
        let rulings = rulings.filter(|ruling| ruling.id() == Some(&id));
        results.extend(self.state.games.rule(rulings)?);
        let refused = self.add_result(finished)?;
        self.state.journal.append(&[K::recorded(finished)])?;
        if let Some(why) = refused {
            let name = K::name(finished);
            self.report(Report::NotCounted { name, why });
        }
        Ok(results)
    }

    /// Writes the result of a game to the results file, which may have it already. Returns why it does
    /// not count, if it does not.
    fn add_result(&mut self, finished: &K::Finished) -> io::Result<Option<String>> {
        let Some(event) = K::event(finished) else {
            return Ok(None);
        };
        let tournaments = &mut self.state.tournaments;
        let number = tournaments.number();
        match K::place(finished).filter(|place| place.tournament != number) {
            Some(place) => Ok(Some(format!(
                "it is a game of tournament {}, and the one here has number {number}",
                place.tournament
            ))),
            None => tournaments.add(&event),
        }
    }

    /// Writes a line of the results file, after the results of the games that are over. Their records
    /// may have to wait.
    fn write_line(&mut self, effect: &TournamentEffect) -> io::Result<()> {
        let waiting = mem::take(&mut self.waiting);
        let mut games = waiting.iter();
        // What does not count is reported when it is recorded.
        let added = games.try_for_each(|finished| self.add_result(finished).map(|_| ()));
        self.waiting = waiting;
        added.and_then(|()| self.write_result(effect))
    }

    fn write_result(&mut self, effect: &TournamentEffect) -> io::Result<()> {
        let tournaments = &mut self.state.tournaments;
        match effect {
            TournamentEffect::Begin { settings, entrants } => tournaments.begin(settings, entrants),
            TournamentEffect::Event(event) => {
                if let Some(why) = tournaments.add(event)? {
                    self.report(Report::Refused(why));
                    return Ok(());
                }
                match event {
                    Event::Correction { .. } | Event::Replay { .. } => self.rule_now(),
                    _ => {}
                }
                Ok(())
            }
        }
    }

    fn fail(&mut self, why: &str) {
        self.failed = true;
        self.is_failing = true;
        self.retry_at = Some(Instant::now() + DISK_RETRY);
        // The journal has them, so that their records are asked for again.
        self.waiting.clear();
        let entries = self.state.journal.entries();
        // This process has lost a journal that it cannot read, but the next one may not.
        self.must_keep = entries.is_err();
        let entries = entries.unwrap_or_default();
        self.report(Report::Failed {
            why: why.to_owned(),
            entries,
            tournament: self.state.tournaments.last(),
            lines: self.lines,
        });
    }

    fn report(&self, report: Report<K>) {
        // The task ends only when the server stops.
        let _ = self.reports.send(report);
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;
    use crate::base::color::ByColor;
    use crate::contests::contest::GameReport;
    use crate::contests::results::{GameOver, ResultPlayer};
    use crate::tournament::{Games, NumberedGame, PairingSystem, Settings};

    /// Games that have only a name.
    #[derive(Debug)]
    struct Names;

    impl Kept for Names {
        type Entry = String;
        type Finished = String;
        type Delivery = ();

        fn no_change() -> String {
            String::new()
        }

        fn recorded(name: &String) -> String {
            format!("{name} is recorded")
        }

        fn name(name: &String) -> String {
            name.clone()
        }

        fn report(name: &String) -> io::Result<GameReport> {
            let over = GameOver {
                id: name.clone(),
                game: "Go",
                table: 1,
                began: std::time::SystemTime::UNIX_EPOCH,
                outcome: Some(None),
                reason: "pass".into(),
                result: "Drawn".into(),
                exchange: Vec::new(),
                score: None,
                moves: 2,
                extension: "sgf",
                scheduled: None,
            };
            Ok(GameReport {
                result: ResultLine::new(over, ByColor::<ResultPlayer>::default()),
                records: vec![("sgf", "(;)".into())],
            })
        }

        fn event(_: &String) -> Option<Event> {
            None
        }

        fn place(_: &String) -> Option<&NumberedGame> {
            None
        }
    }

    /// Writes the beginning of a tournament, and entries of the journal before and after it.
    fn begin(writer: &mut Writer<Names>) {
        let journal = |entry: &str| OrderedEffect::Write(Write::Journal(entry.to_owned()));
        let settings = Settings {
            system: PairingSystem::RoundRobin,
            games: Games::Single,
            seed: 1,
            forbidden: Vec::new(),
        };
        let entrants = ["Ann", "Bob"].map(|name| name.parse().unwrap()).to_vec();
        let begin = TournamentEffect::Begin { settings, entrants };
        writer.write(vec![
            journal("before"),
            OrderedEffect::Write(Write::Tournament(begin)),
            journal("its first game"),
        ]);
    }

    #[test]
    fn no_game_is_in_the_journal_whose_tournament_is_not_on_the_disk() {
        for can_begin in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let (reports, mut reported) = mpsc::unbounded_channel();
            let state = StateFolder::<Names>::open(folder.path(), "Go", "Go 9x9").unwrap();
            let mut writer = Writer::new(state, reports);
            if !can_begin {
                fs::create_dir(folder.path().join("tournament-0001.jsonl")).unwrap();
            }
            begin(&mut writer);
            let journal = writer.state.journal.entries().unwrap();
            match can_begin {
                true => assert_eq!(journal, ["before", "its first game"]),
                false => assert_eq!(journal, ["before"]),
            }
            assert_eq!(writer.lines, u64::from(can_begin));
            let reports = iter::from_fn(|| reported.try_recv().ok());
            let failures = reports.filter(|report| matches!(report, Report::Failed { .. }));
            assert_eq!(failures.count(), usize::from(!can_begin));
        }
    }

    #[test]
    fn a_journal_with_an_abandoned_game_is_not_shortened() {
        let folder = tempfile::tempdir().unwrap();
        let (reports, mut reported) = mpsc::unbounded_channel();
        let state = StateFolder::<Names>::open(folder.path(), "Go", "Go 9x9").unwrap();
        let mut writer = Writer::new(state, reports);
        let journal = |writer: &Writer<Names>| writer.state.journal.entries().unwrap();
        writer.state.journal.append(&["all".to_owned()]).unwrap();
        writer.add("first".to_owned());
        writer.rewrite(&[]);
        assert_eq!(journal(&writer), [""; 0]);
        // No record can be written.
        let games = folder.path().join("games");
        fs::remove_dir_all(&games).unwrap();
        writer.state.journal.append(&["all".to_owned()]).unwrap();
        for number in 0..=MAX_UNRECORDED {
            writer.add(number.to_string());
        }
        let mut abandoned = Vec::new();
        while let Ok(report) = reported.try_recv() {
            if let Report::Abandoned(name) = report {
                abandoned.push(name);
            }
        }
        assert_eq!(abandoned, ["0"]);
        // The others have been recorded, but for the last one.
        writer.waiting.drain(1..);
        fs::create_dir(&games).unwrap();
        writer.record_waiting().unwrap();
        writer.rewrite(&[]);
        assert_eq!(journal(&writer), ["all", "1 is recorded"]);
    }
}
