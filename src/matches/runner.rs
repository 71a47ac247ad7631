//! The runner of an event: games side by side, and results in a file.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::game::MatchGame;
use super::live::LiveGames;
use super::progress::Progress;
use super::record::{GameRecord, LastLines, PlannedGame, Verdict};
use super::referee::{self, GameToPlay, PlayedGame};
use super::results::{GameStore, ResultsError, event_id};
use super::seat::{GameStart, NotPlayed, Seat, SeatError};
use super::settings::{EventSettings, PlayerSettings, SettingsError};
use crate::base::color::{ByColor, Color};
use crate::base::rng::Rng;
use crate::base::server_clock::ServerClock;
use crate::base::shard::Shard;
use crate::gtp::process::{Exhausted, Resource, pauses};
use crate::solving::solver::Solver;
use crate::tournament::{Name, PairingError};

/// The pause between two checks of the flag that stops the event.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long a retiring worker pauses. The time doubles with each failed attempt to return.
const FIRST_ABSENCE: Duration = Duration::from_secs(2);

/// The longest pause of a worker.
const MAX_ABSENCE: Duration = Duration::from_secs(60);

/// How long the last worker tries to play before the event ends.
const LAST_PATIENCE: Duration = Duration::from_secs(30);

/// The pause between two attempts of the last worker.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// Seats a player. The number is that of the thread that plays its games, from 0.
pub type SeatMaker<G> =
    dyn Fn(&PlayerSettings, usize) -> Result<Box<dyn Seat<G>>, SeatingError> + Send + Sync;

/// Why a player cannot be seated: for example because it could not be started, with its last lines.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SeatingError(pub String);

/// An event of a run besides the end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// A game begins.
    Begins(PlannedGame),
    /// This machine lacks a resource for a game that has begun. The game does not count, and is
    /// replayed later.
    Postponed(PlannedGame, Exhausted),
    /// The runner was stalled for too long during a game, which is played again.
    Repeats(PlannedGame),
    /// This machine lacks a resource for more than this many concurrent games.
    Limited(usize, Exhausted),
    /// More games are played concurrently than before: this many.
    Recovered(usize),
    /// The runner was stalled for this time, which counts for nobody.
    Stalled(Duration),
}

/// Receives the events of a run.
pub trait Watcher {
    /// Something has happened besides the end of a game.
    fn notice(&mut self, event: &RunEvent);

    /// Games have ended, and are about to be recorded: anything written now exists for each
    /// recorded game, however this program ends.
    ///
    /// # Errors
    /// They cannot be handled, for example because a disk is full. The event ends.
    fn ends(&mut self, games: &[PlayedGame]) -> Result<(), WatchError>;

    /// Games have ended and are recorded.
    ///
    /// # Errors
    /// They cannot be handled, for example because a disk is full. The event ends.
    fn ended(&mut self, games: &[PlayedGame], progress: &Progress) -> Result<(), WatchError>;

    /// No event has occurred for a moment.
    fn idle(&mut self, progress: &Progress);
}

/// Why a watcher gives up.
pub type WatchError = Box<dyn std::error::Error + Send + Sync>;

/// An event to be run.
pub struct Runner<'a, G: MatchGame> {
    /// The settings, which have been checked.
    pub settings: &'a EventSettings,
    /// The game at its start.
    pub start: G,
    /// Seats players.
    pub seat_maker: Box<SeatMaker<G>>,
    /// The number of concurrent games.
    pub concurrency: usize,
    /// The part of the schedule that is played; all of it if `None`.
    pub shard: Option<Shard>,
    /// Receives the games for spectators.
    pub live: Option<Arc<LiveGames>>,
    /// Whether the event ends when a player fails.
    pub stop_on_failure: bool,
    /// Ends the event.
    pub stop: Arc<AtomicBool>,
}

/// How an event ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All games have been played, or the test has decided.
    Complete,
    /// The players repeated [`MAX_REPEATS`](super::MAX_REPEATS) games in a row, so that the test will not decide.
    Repeating,
    /// It was stopped.
    Stopped,
    /// A player failed, and the event ends on failures.
    Failed,
}

/// Why an event cannot go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// Results cannot be recorded.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A player cannot be seated.
    #[error("{name}: {why}")]
    Player {
        /// The player.
        name: Name,
        /// The reason.
        why: SeatingError,
    },
    /// The event is impossible.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A round cannot be paired.
    #[error(transparent)]
    Pairing(#[from] PairingError),
    /// A thread of a game has ended.
    #[error("a thread that played games has ended")]
    Thread,
    /// This machine lacks a resource, and not even one game can be played.
    #[error(transparent)]
    Exhausted(Exhausted),
    /// The watcher gave up.
    #[error(transparent)]
    Watcher(WatchError),
}

/// A message of a worker, a thread that plays games.
enum WorkerMessage {
    Event(RunEvent),
    /// A game has ended.
    Ended(Box<PlayedGame>),
    /// The worker ends the event: its game was stopped, or it cannot play.
    End(Result<Finish, RunError>),
}

/// Sends a message when the worker panics; otherwise the others would wait for games forever.
struct PanicGuard<'a>(&'a Sender<WorkerMessage>);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(WorkerMessage::End(Err(RunError::Thread)));
        }
    }
}

/// The players that have been started in this run, and whether the scorer has.
#[derive(Default)]
struct StartedPlayers {
    players: Mutex<BTreeSet<Name>>,
    scorer: AtomicBool,
}

impl StartedPlayers {
    /// Notes the players that have started, and returns the message about a game. A player that
    /// cannot even be started once is a mistake in the event, which ends then.
    fn check(&self, game: PlayedGame) -> WorkerMessage {
        let mut started = self.players.lock().unwrap_or_else(PoisonError::into_inner);
        let record = &game.record;
        let not_started = match record.verdict {
            Verdict::NotStarted => record.failed(),
            _ => None,
        };
        for color in Color::ALL {
            if not_started.is_none() {
                started.insert(record.planned.players[color].clone());
            }
        }
        if let Some(color) = not_started
            && !started.contains(&record.planned.players[color])
        {
            let why = record.detail.as_deref().unwrap_or_default();
            let lines = record.last_lines.clone().unwrap_or_default();
            let why = SeatingError(with_lines(why, &lines));
            let name = record.planned.players[color].clone();
            return WorkerMessage::End(Err(RunError::Player { name, why }));
        }
        WorkerMessage::Ended(Box::new(game))
    }
}

/// Returns why a player cannot be started, with the last lines that it has written.
fn with_lines(why: &str, LastLines { output, errors }: &LastLines) -> String {
    let lines = output.iter().chain(errors);
    lines.fold(why.to_owned(), |why, line| format!("{why}\n  {line}"))
}

/// The seats that a thread has made.
struct Seats<G: MatchGame> {
    /// The number of the thread.
    thread: usize,
    players: BTreeMap<Name, Box<dyn Seat<G>>>,
    scorer: Option<Box<dyn Seat<G>>>,
}

/// Why a game is not played.
enum NoGame {
    /// There is a mistake in the event: in how a player is started.
    Mistake(RunError),
    NotPlayed(NotPlayed),
}

/// The games that wait for a thread.
#[derive(Default)]
struct Queue {
    planned: VecDeque<PlannedGame>,
    is_closed: bool,
}

/// A queue of games, and the flag that wakes the threads waiting for it.
#[derive(Default)]
struct SharedQueue {
    queue: Mutex<Queue>,
    changed: std::sync::Condvar,
}

impl SharedQueue {
    fn change(&self, change: impl FnOnce(&mut Queue)) {
        change(&mut self.queue.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    /// Puts a game that could not be played back at the front.
    fn put_back(&self, planned: PlannedGame) {
        self.change(|queue| queue.planned.push_front(planned));
    }

    /// Takes the next game; `None` when there will be no more.
    fn next(&self) -> Option<PlannedGame> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(planned) = queue.planned.pop_front() {
                return Some(planned);
            }
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The workers that play games.
#[derive(Default)]
struct Workers {
    counts: Mutex<WorkerCounts>,
    /// Ends their games.
    end_games: AtomicBool,
}

/// The number of workers, and their states.
#[derive(Default)]
struct WorkerCounts {
    all: usize,
    /// The workers that are not paused.
    present: usize,
    /// The workers that have retired, and have not played a game since.
    retired: usize,
    /// The number of times that a worker has retired.
    retirements: u64,
    /// When the current shortage began; reset when a game ends or a worker retires.
    lacking: Option<Instant>,
}

impl WorkerCounts {
    /// Returns the number of concurrent games.
    const fn games(&self) -> usize {
        self.all.saturating_sub(self.retired)
    }
}

/// The attempts of a worker since its last game.
struct Attempts {
    failed: usize,
    /// The number of retirements before these attempts.
    retirements: u64,
    is_retired: bool,
    /// The length of its next pause.
    absence: Duration,
}

impl Attempts {
    const fn new(retirements: u64) -> Attempts {
        Attempts {
            failed: 0,
            retirements,
            is_retired: false,
            absence: FIRST_ABSENCE,
        }
    }
}

impl Workers {
    fn counts(&self) -> MutexGuard<'_, WorkerCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_number(&self, number: usize) {
        let mut counts = self.counts();
        (counts.all, counts.present) = (number, number);
    }

    /// Lets a worker wait until this machine may have again what it lacked for the worker's game.
    /// Returns whether the worker goes on: not if it is the last one, and has tried for long enough.
    ///
    /// During a shortage, one worker at a time retires: the others get its resources, and restart
    /// their attempts.
    fn wait_after(
        &self,
        why: Exhausted,
        attempts: &mut Attempts,
        messages: &Sender<WorkerMessage>,
    ) -> bool {
        let mut counts = self.counts();
        let since = *counts.lacking.get_or_insert_with(Instant::now);
        if attempts.retirements != counts.retirements {
            attempts.retirements = counts.retirements;
            attempts.failed = 0;
        }
        // A returning worker tries once.
        if !attempts.is_retired
            && let Some(pause) = pauses().nth(attempts.failed)
        {
            attempts.failed = attempts.failed.saturating_add(1);
            drop(counts);
            self.rest(pause);
            return true;
        }
        if counts.present <= 1 {
            drop(counts);
            let goes_on = since.elapsed() < LAST_PATIENCE;
            match goes_on {
                true => self.rest(LAST_PAUSE),
                false => drop(messages.send(WorkerMessage::End(Err(RunError::Exhausted(why))))),
            }
            return goes_on;
        }
        counts.present = counts.present.saturating_sub(1);
        let absence = attempts.absence;
        attempts.absence = absence.saturating_mul(2).min(MAX_ABSENCE);
        if !attempts.is_retired {
            attempts.is_retired = true;
            counts.retired = counts.retired.saturating_add(1);
            counts.retirements = counts.retirements.wrapping_add(1);
            counts.lacking = Some(Instant::now());
            let games = counts.games();
            if games > 0 {
                let _ = messages.send(WorkerMessage::Event(RunEvent::Limited(games, why)));
            }
        }
        drop(counts);
        self.rest(absence);
        let mut counts = self.counts();
        counts.present = counts.present.saturating_add(1);
        true
    }

    /// Notes that a worker has played a game. If it had retired, returns the number of concurrent
    /// games.
    fn plays(&self, attempts: &mut Attempts) -> Option<usize> {
        let mut counts = self.counts();
        counts.lacking = None;
        let before = std::mem::replace(attempts, Attempts::new(counts.retirements));
        before.is_retired.then(|| {
            counts.retired = counts.retired.saturating_sub(1);
            counts.games()
        })
    }

    /// Waits, but not after the last game.
    fn rest(&self, pause: Duration) {
        let mut left = pause;
        while !left.is_zero() && !self.end_games.load(Ordering::Relaxed) {
            let part = left.min(POLL_INTERVAL);
            thread::sleep(part);
            left = left.saturating_sub(part);
        }
    }
}

impl<G: MatchGame + Sync> Runner<'_, G> {
    /// Plays all games of the event that are not in `played` yet, and records each. Returns how the
    /// event ended, and its progress.
    ///
    /// # Errors
    /// The event cannot continue. Recorded games stay.
    pub fn run(
        &self,
        played: Vec<GameRecord>,
        store: &mut GameStore,
        watcher: &mut dyn Watcher,
    ) -> Result<(Finish, Progress), RunError> {
        let mut progress = Progress::new(self.settings, self.shard)?;
        for game in &played {
            progress.add(game)?;
        }
        progress.forget_repeats();
        let done = played.iter().map(|game| game.planned.number).collect();
        drop(played);
        let queue = SharedQueue::default();
        let started = StartedPlayers::default();
        let workers = Workers::default();
        let clock = ServerClock::start();
        let _ticker = clock
            .tick_on_thread()
            .map_err(|error| RunError::Exhausted(no_thread(&error)))?;
        let (sender, messages) = channel();
        thread::scope(|scope| {
            let mut coordinator = Coordinator {
                runner: self,
                progress,
                queued: 0,
                done,
                open: 0,
                queue: &queue,
                store,
                watcher,
                clock: &clock,
            };
            coordinator.hand_out();
            if coordinator.open == 0 {
                return Ok((Finish::Complete, coordinator.progress));
            }
            // Later rounds of a Swiss tournament may have more games than are open now.
            let most = match coordinator.progress.schedule().may_grow() {
                true => usize::MAX,
                false => coordinator.open,
            };
            let number = self.concurrency.clamp(1, most);
            workers.set_number(number);
            for worker in 0..number {
                let sender = sender.clone();
                let (queue, started, workers, clock) = (&queue, &started, &workers, &clock);
                let play = move || self.play_games(worker, queue, started, workers, clock, &sender);
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, play) {
                    let why = no_thread(&error);
                    if worker == 0 {
                        return Err(RunError::Exhausted(why));
                    }
                    coordinator.watcher.notice(&RunEvent::Limited(worker, why));
                    workers.set_number(worker);
                    break;
                }
            }
            drop(sender);
            let finish = coordinator.run(&messages);
            coordinator.tell_stall();
            workers.end_games.store(true, Ordering::Relaxed);
            queue.change(|queue| queue.is_closed = true);
            Ok((finish?, coordinator.progress))
        })
    }

    /// Plays games on one thread until there are no more.
    fn play_games(
        &self,
        number: usize,
        queue: &SharedQueue,
        started: &StartedPlayers,
        workers: &Workers,
        clock: &ServerClock,
        messages: &Sender<WorkerMessage>,
    ) {
        let _guard = PanicGuard(messages);
        let event = event_id(self.settings);
        let solver = self
            .settings
            .exact_empty
            .map(|_| Solver::builder().memory_mib(16).tablebase(None).build());
        let rules = referee::Rules {
            margin: self.settings.margin(),
            move_limit: self.settings.move_limit,
            exact: solver.as_ref().zip(self.settings.exact_empty),
            live: self.live.as_ref().and_then(|games| games.get(number)),
            time: clock,
        };
        let mut seats = Seats {
            thread: number,
            players: BTreeMap::new(),
            scorer: None,
        };
        let mut attempts = Attempts::new(0);
        // The receiver is gone only after the event.
        let tell = |event| drop(messages.send(WorkerMessage::Event(event)));
        while let Some(planned) = queue.next() {
            let played = self.seat_players(&mut seats, &planned).and_then(|()| {
                tell(RunEvent::Begins(planned.clone()));
                let to_play = self.game_to_play(&event, planned.clone());
                self.play_game(to_play, &mut seats, &rules, started, &workers.end_games)
            });
            let why = match played {
                Ok(game) => {
                    if messages.send(started.check(game)).is_err() {
                        return;
                    }
                    if let Some(games) = workers.plays(&mut attempts) {
                        tell(RunEvent::Recovered(games));
                    }
                    continue;
                }
                Err(NoGame::Mistake(error)) => {
                    let _ = messages.send(WorkerMessage::End(Err(error)));
                    return;
                }
                Err(NoGame::NotPlayed(NotPlayed::Stopped)) => {
                    let _ = messages.send(WorkerMessage::End(Ok(Finish::Stopped)));
                    return;
                }
                Err(NoGame::NotPlayed(NotPlayed::Stalled)) => None,
                Err(NoGame::NotPlayed(NotPlayed::Exhausted(why))) => Some(why),
            };
            if let Some(noted) = rules.live {
                noted.is_postponed();
            }
            tell(match why.clone() {
                Some(why) => RunEvent::Postponed(planned.clone(), why),
                None => RunEvent::Repeats(planned.clone()),
            });
            seats.players.clear();
            if why.is_some() {
                // No resource is kept that another worker may need.
                seats.scorer = None;
            }
            queue.put_back(planned);
            if let Some(why) = why
                && !workers.wait_after(why, &mut attempts, messages)
            {
                return;
            }
        }
    }

    /// Plays a game whose players have their seats.
    fn play_game(
        &self,
        to_play: GameToPlay<'_, G>,
        seats: &mut Seats<G>,
        rules: &referee::Rules<'_>,
        started: &StartedPlayers,
        stop: &AtomicBool,
    ) -> Result<PlayedGame, NoGame> {
        self.seat_scorer(seats, started, stop)?;
        let ByColor { black, white } = to_play.planned.players.clone();
        let Seats {
            players, scorer, ..
        } = seats;
        let (Some(mut black_seat), Some(mut white_seat)) =
            (players.remove(&black), players.remove(&white))
        else {
            return Err(NoGame::NotPlayed(NotPlayed::Stopped));
        };
        let pair = ByColor::new(&mut *black_seat, &mut *white_seat);
        let played = referee::play(to_play, pair, scorer.as_deref_mut(), rules, stop);
        players.extend([(black, black_seat), (white, white_seat)]);
        played.map_err(NoGame::NotPlayed)
    }

    /// Makes the seats that the players of a game do not have yet, and removes those of others: idle
    /// processes are not kept.
    fn seat_players(&self, seats: &mut Seats<G>, planned: &PlannedGame) -> Result<(), NoGame> {
        let players = &planned.players;
        let thread = seats.thread;
        let seats = &mut seats.players;
        seats.retain(|name, _| players.iter().any(|player| player == name));
        for name in players.iter() {
            if !seats.contains_key(name) {
                let player = self.settings.player(name);
                let made = player.ok_or_else(|| SeatingError("there is no such player".into()));
                let made = made.and_then(|player| (self.seat_maker)(player, thread));
                seats.insert(name.clone(), made.map_err(|why| mistake(name, why))?);
            }
        }
        Ok(())
    }

    /// Starts the engine that names dead stones, if the event has one and it is not running. If it
    /// cannot be started, or cannot name them, the event is wrong, unless it has worked before:
    /// then the game is played, and the engine is started again at the end.
    fn seat_scorer(
        &self,
        seats: &mut Seats<G>,
        started: &StartedPlayers,
        stop: &AtomicBool,
    ) -> Result<(), NoGame> {
        let missing = self.settings.scorer().filter(|_| seats.scorer.is_none());
        let Some(player) = missing else {
            return Ok(());
        };
        let mistake = |why| mistake(&player.name, why);
        let mut seat = (self.seat_maker)(&player, seats.thread).map_err(mistake)?;
        let begun = seat.begin(&GameStart::for_scorer(&self.start, &self.start, stop));
        let why = match begun.map_err(SeatError::into_loss) {
            Ok(()) if seat.names_dead_stones() => {
                started.scorer.store(true, Ordering::Relaxed);
                None
            }
            Ok(()) => {
                Some("the engine does not list final_status_list among its commands".to_owned())
            }
            Err(Ok((_, detail))) => Some(with_lines(&detail, &seat.last_lines())),
            Err(Err(why)) => return Err(NoGame::NotPlayed(why)),
        };
        match why {
            Some(why) if !started.scorer.load(Ordering::Relaxed) => Err(mistake(SeatingError(why))),
            _ => {
                seats.scorer = Some(seat);
                Ok(())
            }
        }
    }

    fn game_to_play(&self, event: &str, planned: PlannedGame) -> GameToPlay<'_, G> {
        let opening = planned.opening;
        let opening = opening.and_then(|number| self.settings.opening(number));
        let time = |name| {
            let player = self.settings.player(name)?;
            self.settings.time_of(player)
        };
        let mut random = Rng::new(self.settings.seed.wrapping_add(planned.number.into()));
        GameToPlay {
            seeds: ByColor::from_fn(|_| random.next()),
            id: format!("{event}-{}", planned.number),
            start: &self.start,
            opening,
            times: planned.players.as_ref().map(time),
            planned,
        }
    }
}

/// Returns the mistake that a player cannot be seated.
fn mistake(name: &Name, why: SeatingError) -> NoGame {
    let name = name.clone();
    NoGame::Mistake(RunError::Player { name, why })
}

/// Returns what this machine lacks if it has no thread.
fn no_thread(error: &io::Error) -> Exhausted {
    Exhausted {
        resource: Resource::exhausted(error).unwrap_or(Resource::Processes),
        detail: format!("cannot start a thread: {error}"),
    }
}

/// Hands games out to the workers, and records their results.
struct Coordinator<'a, 'b, G: MatchGame> {
    runner: &'a Runner<'b, G>,
    progress: Progress,
    /// The number of games of the schedule that have been queued, or belong to other shards.
    queued: usize,
    /// The numbers of the games that have been played.
    done: BTreeSet<u32>,
    /// The number of games that have been queued and are not over.
    open: usize,
    queue: &'a SharedQueue,
    store: &'a mut GameStore,
    watcher: &'a mut dyn Watcher,
    clock: &'a ServerClock,
}

impl<G: MatchGame> Coordinator<'_, '_, G> {
    fn run(&mut self, messages: &Receiver<WorkerMessage>) -> Result<Finish, RunError> {
        while self.open > 0 && !self.progress.is_decided() {
            if self.runner.stop.load(Ordering::Relaxed) {
                return Ok(Finish::Stopped);
            }
            self.tell_stall();
            let first = match messages.recv_timeout(POLL_INTERVAL) {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) => {
                    self.watcher.idle(&self.progress);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Err(RunError::Thread),
            };
            // All games that have ended meanwhile are synced together.
            let mut ended = Vec::new();
            let mut end = None;
            for message in std::iter::once(first).chain(messages.try_iter()) {
                match message {
                    WorkerMessage::Event(event) => self.watcher.notice(&event),
                    WorkerMessage::Ended(game) => ended.push(*game),
                    WorkerMessage::End(why) => end = Some(why),
                }
            }
            let finish = self.record(&ended)?;
            if let Some(end) = end.or(finish.map(Ok)) {
                return end;
            }
            let is_test = self.progress.test().is_some();
            if is_test && !self.progress.is_decided() && self.progress.is_repeating() {
                return Ok(Finish::Repeating);
            }
            self.hand_out();
        }
        Ok(Finish::Complete)
    }

    /// Tells of the time for which the runner has been stalled since the last call.
    fn tell_stall(&mut self) {
        if let Some(stall) = self.clock.take_stall() {
            self.watcher.notice(&RunEvent::Stalled(stall));
        }
    }

    /// Records games that have ended. Returns how the event ended, if it did so.
    fn record(&mut self, ended: &[PlayedGame]) -> Result<Option<Finish>, RunError> {
        if ended.is_empty() {
            return Ok(None);
        }
        self.watcher.ends(ended).map_err(RunError::Watcher)?;
        self.store.record(ended)?;
        for game in ended {
            self.open = self.open.saturating_sub(1);
            self.done.insert(game.record.planned.number);
            self.progress.add(&game.record)?;
        }
        let handled = self.watcher.ended(ended, &self.progress);
        handled.map_err(RunError::Watcher)?;
        let has_failed = ended.iter().any(|game| game.record.verdict.is_failure());
        Ok((has_failed && self.runner.stop_on_failure).then_some(Finish::Failed))
    }

    /// Queues the games that are known and not played yet.
    fn hand_out(&mut self) {
        let planned = self.progress.schedule().games();
        let new = planned.get(self.queued..).unwrap_or_default();
        let ours = new.iter();
        let ours =
            ours.filter(|planned| self.runner.shard.is_none_or(|shard| planned.is_in(shard)));
        let new = ours.filter(|planned| !self.done.contains(&planned.number));
        let new: Vec<PlannedGame> = new.cloned().collect();
        self.queued = planned.len();
        // The threads are woken only if there is something for them.
        if new.is_empty() || self.progress.is_decided() {
            return;
        }
        self.open = self.open.saturating_add(new.len());
        self.queue.change(|queue| queue.planned.extend(new));
    }
}
