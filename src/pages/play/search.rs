//! The searches of visitors, and how they share the machine.
//!
//! Each visitor has at most one search about a position and one review. What is known without a
//! search is told at once. A number of searches run at the same time, and a bounded number of others
//! wait at the [`Gate`]; the solver's table keeps what a search has proven when it makes room for
//! another one. Moves of the engine take a bounded time and wait only for each other, so that nobody's
//! analysis holds up a game.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use itertools::Itertools;
use tokio::sync::watch;
use tokio::task::{AbortHandle, spawn_blocking};

use super::gate::Gate;
use super::line::Line;
use super::wire::{Content, Response, ReviewView, Search};
use crate::base::color::Color;
use crate::base::rng::Rng;
use crate::games::awari;
use crate::games::gothello::{self, Move, Position};
use crate::player::{
    AnalysisControl, Analyzer, AwariSearch, Level, LeveledPlayer, Limits, PerfectPlayer, Player,
    Prover, Skill, awari_moves_to_go, moves_to_go, share_of_clock,
};
use crate::solving::review::Review;
use crate::solving::solver::{Bounds, Control, MoveBounds, Objective};

/// The time after which a search makes room for one that waits.
const SLICE: Duration = Duration::from_secs(2);

/// The time after which a search makes room for one that has not run yet.
const FIRST_SLICE: Duration = Duration::from_millis(200);

/// The shortest time between two messages about a search.
const INTERVAL: Duration = Duration::from_millis(50);

/// The longest time for a move of the engine in Gothello. Weak levels take a few milliseconds, and
/// so do most proofs; the page says what the perfect player does then.
const MOVE_TIME: Duration = Duration::from_secs(10);

/// The part of the clock that is kept back because messages take time.
const RESERVE: Duration = Duration::from_millis(200);

/// The machine's searches for all visitors.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

struct Shared {
    analyses: Gate,
    moves: Gate,
    /// The number of threads that all searches together should have.
    threads: usize,
    /// The seed of the engine's random choices, if it is given.
    seed: Option<u64>,
    /// Whether the engine's choices between best moves are random.
    random_best: bool,
    prover: Prover,
    /// The players of Awari that do not search now: never more than searches for moves.
    awari_players: Mutex<Vec<AwariSearch>>,
}

impl Pool {
    /// Creates a pool that runs at most `searches` analyses, and as many searches for moves, at
    /// the same time, on this number of threads together.
    ///
    /// The engine's random choices, at levels and with `random_best` between best moves, follow from the
    /// seed and the position; without a seed, from nothing.
    pub fn new(
        prover: Prover,
        searches: usize,
        threads: usize,
        seed: Option<u64>,
        random_best: bool,
    ) -> Pool {
        Pool(Arc::new(Shared {
            analyses: Gate::new(searches, FIRST_SLICE, SLICE),
            moves: Gate::new(searches, SLICE, SLICE),
            threads,
            seed,
            random_best,
            prover,
            awari_players: Mutex::default(),
        }))
    }

    /// Starts a search in the current runtime. It stops when the value that is returned is
    /// dropped.
    pub(super) fn start(&self, id: u64, search: Search) -> Running {
        let (sender, states) = watch::channel(None);
        let report = Report::new(id, sender);
        let task = tokio::spawn(run(Arc::clone(&self.0), search, report));
        Running {
            states,
            task: task.abort_handle(),
        }
    }
}

impl Shared {
    /// Returns a prover for one of the searches that run now.
    fn prover(&self) -> Prover {
        let running = (self.analyses.running() + self.moves.running()).max(1);
        self.prover.sharing_table(self.threads / running)
    }

    /// Returns the player of a level for the move in a position, of which each visitor gets the same one
    /// if there is a seed.
    fn player(&self, level: Level, position: &Position) -> LeveledPlayer {
        let of_position = |seed| {
            let text = position.to_string();
            text.bytes()
                .fold(seed, |seed, byte| Rng::new(seed ^ u64::from(byte)).next())
        };
        let seed = self.seed.map_or_else(rand::random, of_position);
        let mut perfect = Box::new(PerfectPlayer::new(Arc::new(self.prover())));
        if self.random_best {
            perfect.vary(seed);
        }
        LeveledPlayer::new(perfect, Skill::new(level, seed))
    }
}

/// A visitor's search. It stops when this is dropped.
pub struct Running {
    /// The last report to be sent about it. The channel is closed when the search ends.
    pub states: watch::Receiver<Option<Response>>,
    task: AbortHandle,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Runs a search, which may wait several times.
async fn run(shared: Arc<Shared>, search: Search, report: Arc<Report>) {
    let asked = Instant::now();
    let search = Arc::new(search);
    let work = |stop: &Arc<AtomicBool>| {
        let (search, shared) = (Arc::clone(&search), Arc::clone(&shared));
        let (stop, report) = (Arc::clone(stop), Arc::clone(&report));
        move || search.work(asked, &shared, &stop, &report)
    };
    let gate = match *search {
        Search::Move(..) | Search::AwariMove(..) => &shared.moves,
        Search::Values(_) | Search::BestLine(_) | Search::Review(_) => {
            // A search that is stopped before it begins tells what is known.
            let stopped = Arc::new(AtomicBool::new(true));
            if let Ok(true) = spawn_blocking(work(&stopped)).await {
                return;
            }
            &shared.analyses
        }
    };
    let mut has_run = false;
    loop {
        let on_wait = || report.send(Content::Waiting);
        let Some(permit) = gate.enter(has_run, on_wait).await else {
            report.send(Content::Busy);
            return;
        };
        let stop = StopWhenDropped(Arc::new(AtomicBool::new(false)));
        let work = work(&stop.0);
        let mut work = spawn_blocking(move || {
            let is_done = work();
            drop(permit);
            is_done
        });
        let result = tokio::select! {
            result = &mut work => result,
            () = gate.until_preempted() => {
                stop.0.store(true, Ordering::Relaxed);
                work.await
            }
        };
        match result {
            Ok(true) => return,
            Ok(false) => has_run = true,
            Err(_) => return report.send(Content::error("the search failed")),
        }
    }
}

/// Stops a search when it is dropped.
struct StopWhenDropped(Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Tells a visitor of a search: always the latest, and not too often.
struct Report {
    id: u64,
    states: watch::Sender<Option<Response>>,
    /// What was last shown as progress, and when.
    last: Mutex<Option<(Content, Instant)>>,
}

impl Report {
    fn new(id: u64, states: watch::Sender<Option<Response>>) -> Arc<Report> {
        let last = Mutex::new(None);
        Arc::new(Report { id, states, last })
    }

    fn send(&self, content: Content) {
        let id = Some(self.id);
        self.states.send_replace(Some(Response { id, content }));
    }

    /// Reports the bounds proven so far, unless that is the last report, or the last report was
    /// just now.
    fn progress(&self, content: impl FnOnce() -> Content) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_some_and(|(_, at)| at.elapsed() < INTERVAL) {
            return;
        }
        let content = content();
        if last.as_ref().is_none_or(|(last, _)| *last != content) {
            *last = Some((content.clone(), Instant::now()));
            self.send(content);
        }
    }
}

/// Describes the bounds on the value of a position and on those of its moves.
fn values(value: Bounds, moves: &[MoveBounds], done: bool, hardest: Option<Move>) -> Content {
    let entry = |entry: &MoveBounds| (entry.mv, entry.bounds.low, entry.bounds.high);
    Content::Values {
        value: (value.low, value.high),
        moves: moves.iter().map(entry).collect(),
        done,
        hardest,
    }
}

impl Search {
    /// Searches until it is done or stopped. Returns whether it is done. The clock runs since it
    /// was `asked`.
    fn work(&self, asked: Instant, shared: &Shared, stop: &AtomicBool, report: &Report) -> bool {
        let within = |longest: Duration, left: Option<Duration>, moves| {
            let left = left.map(|left| left.saturating_sub(asked.elapsed()));
            let share = left.map(|left| share_of_clock(left, RESERVE, moves));
            Limits::within(share.map_or(longest, |share| share.min(longest))).stopped_by(stop)
        };
        match self {
            Search::Values(position) => find_values(&shared.prover(), position, stop, report),
            Search::BestLine(position) => find_best_line(&shared.prover(), position, stop, report),
            Search::Move(position, level, left) => {
                let limits = within(MOVE_TIME, *left, moves_to_go(position.empty().len()));
                let player = shared.player(*level, position);
                choose_move(player, *level, position, &limits, report);
                true
            }
            Search::AwariMove(game, time, left) => {
                let limits = within(*time, *left, awari_moves_to_go(game));
                choose_pit(&shared.awari_players, game, &limits, report);
                true
            }
            Search::Review(line) => review(&shared.prover(), line, stop, report),
        }
    }
}

/// Finds the value of the position, then that of each move, then which of the best ones is hardest to
/// answer.
fn find_values(prover: &Prover, position: &Position, stop: &AtomicBool, report: &Report) -> bool {
    // The value is known sooner than those of all moves, and bounds them.
    let none = position.legal_moves().map(|mv| MoveBounds {
        mv,
        bounds: Bounds::UNKNOWN,
    });
    let none = none.collect_vec();
    let control = Control {
        on_progress: &|now| report.progress(|| values(now.bounds, &none, false, None)),
        ..Control::until(stop)
    };
    let value = prover.value(position, Objective::Value, &control);
    let control = AnalysisControl {
        stop,
        on_progress: &|moves| report.progress(|| values(value, moves, false, None)),
    };
    let moves = prover.moves(position, &control);
    let is_open = |entry: &MoveBounds| entry.bounds.value().is_none();
    let Some(value) = value.value().filter(|_| !moves.iter().any(is_open)) else {
        report.send(values(value, &moves, false, None));
        return false;
    };
    let values = |done, hardest| values(Bounds::exactly(value), &moves, done, hardest);
    report.send(values(false, None));
    let best = moves.iter().filter(|entry| entry.bounds.low == value);
    let best = best.map(|entry| entry.mv).collect_vec();
    let hardest = prover.hardest_to_answer(position, &best, value, &Control::until(stop));
    let is_done = hardest.is_some();
    if is_done {
        report.send(values(true, hardest));
    }
    is_done
}

fn find_best_line(
    prover: &Prover,
    position: &Position,
    stop: &AtomicBool,
    report: &Report,
) -> bool {
    let control = AnalysisControl {
        stop,
        ..AnalysisControl::default()
    };
    let line = prover.principal_variation(position, &control);
    match line.outcome {
        Some(outcome) => {
            report.send(Content::BestLine {
                moves: line.moves,
                lead: outcome.lead_of(Color::Black),
            });
            true
        }
        None => false,
    }
}

/// Finds what each move of a line cost, and for those that lost stones the best moves.
fn review(
    prover: &Prover,
    line: &Line<gothello::Game>,
    stop: &AtomicBool,
    report: &Report,
) -> bool {
    let mut review = Review::new(line.game());
    let unknown = review.without_value().collect_vec();
    for position in unknown {
        let control = Control {
            on_progress: &|_| report.progress(|| reviewed(&review, false)),
            ..Control::until(stop)
        };
        let bounds = prover.value(&position, Objective::Value, &control);
        let Some(value) = bounds.seen_by(position.to_move()).outcome() else {
            report.send(reviewed(&review, false));
            return false;
        };
        review.set_value(&position, value);
    }
    let losing = review.plies().filter(|ply| ply.lost > Some(0));
    let losing = losing.map(|ply| ply.position).collect_vec();
    for position in losing {
        let control = AnalysisControl {
            stop,
            on_progress: &|_| report.progress(|| reviewed(&review, false)),
        };
        let best = prover.best_moves(&position, &control);
        if !best.complete {
            report.send(reviewed(&review, false));
            return false;
        }
        review.set_best_moves(&position, best.moves);
    }
    report.send(reviewed(&review, true));
    true
}

fn reviewed(review: &Review, done: bool) -> Content {
    Content::Review(ReviewView::new(review, done))
}

fn choose_move(
    mut player: LeveledPlayer,
    level: Level,
    position: &Position,
    limits: &Limits<'_>,
    report: &Report,
) {
    let choice = player.choose(position, limits);
    report.send(Content::Move {
        mv: choice.mv.to_string(),
        is_estimate: level == Level::Perfect && !choice.proven,
    });
}

/// Chooses a move of Awari with a player that is free, or else a new one.
fn choose_pit(
    players: &Mutex<Vec<AwariSearch>>,
    game: &awari::Game,
    limits: &Limits<'_>,
    report: &Report,
) {
    let lock = || players.lock().unwrap_or_else(PoisonError::into_inner);
    let free = lock().pop();
    let mut player = free.unwrap_or_else(|| AwariSearch::new(None));
    let choice = player.choose(game, limits);
    lock().push(player);
    report.send(Content::Move {
        mv: choice.pit.to_string(),
        is_estimate: false,
    });
}
