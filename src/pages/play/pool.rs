//! The searches of visitors, and how they share the machine.
//!
//! Each visitor has at most one search about a position and one review. What is known without a
//! search is told at once. A number of searches run at the same time, and a bounded number of others
//! wait at the [`Gate`]; the solver's table keeps what a search has proven when it makes room for
//! another one. Moves of the engine take a bounded time and wait only for each other, so that nobody's
//! analysis holds up a game.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::{AbortHandle, spawn_blocking};

use super::gate::Gate;
use super::searcher::{MoveChoice, Report, Searcher};
use super::wire::{Content, Response, Search};

/// The time after which a search makes room for one that waits.
const SLICE: Duration = Duration::from_secs(2);

/// The time after which a search makes room for one that has not run yet.
const FIRST_SLICE: Duration = Duration::from_millis(200);

/// The machine's searches for all visitors.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

struct Shared {
    analyses: Gate,
    moves: Gate,
    /// The number of threads that all searches together should have.
    threads: usize,
    searcher: Searcher,
}

impl Pool {
    /// Creates a pool that runs at most `searches` analyses, and as many searches for moves, at
    /// the same time, on this number of threads together.
    pub fn new(searcher: Searcher, searches: usize, threads: usize) -> Pool {
        Pool(Arc::new(Shared {
            analyses: Gate::new(searches, FIRST_SLICE, SLICE),
            moves: Gate::new(searches, SLICE, SLICE),
            threads,
            searcher,
        }))
    }

    /// Starts a search in the current runtime. It stops when the value that is returned is
    /// dropped.
    pub(super) fn start(&self, id: u64, search: Search) -> Running {
        let (sender, states) = watch::channel(None);
        let send = move |content| {
            let id = Some(id);
            sender.send_replace(Some(Response { id, content }));
        };
        let task = tokio::spawn(run(Arc::clone(&self.0), search, Arc::new(send)));
        Running {
            states,
            task: task.abort_handle(),
        }
    }
}

impl Shared {
    /// Returns the number of threads for one of the searches that run now.
    fn threads_of_one(&self) -> usize {
        let running = (self.analyses.running() + self.moves.running()).max(1);
        self.threads / running
    }
}

/// A visitor's search. It stops when this is dropped.
pub(super) struct Running {
    /// The last report to be sent about it. The channel is closed when the search ends.
    pub(super) states: watch::Receiver<Option<Response>>,
    task: AbortHandle,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Runs a search, which may wait several times.
async fn run(shared: Arc<Shared>, search: Search, send: Arc<dyn Fn(Content) + Send + Sync>) {
    let asked = Instant::now();
    let search = Arc::new(search);
    let work = |stop: &Arc<AtomicBool>| {
        let (search, shared) = (Arc::clone(&search), Arc::clone(&shared));
        let (stop, send) = (Arc::clone(stop), Arc::clone(&send));
        move || {
            let report = Report::new(&stop, None, &*send);
            let threads = shared.threads_of_one();
            // Without a deadline in the report, moves are chosen at once.
            let choice = &mut MoveChoice::default();
            search.run(&shared.searcher, threads, asked.elapsed(), choice, &report)
        }
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
        let on_wait = || send(Content::Waiting);
        let Some(permit) = gate.enter(has_run, on_wait).await else {
            send(Content::Busy);
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
            Err(_) => return send(Content::error("the search failed")),
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
