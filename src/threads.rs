//! Threads that take their work from a shared place.

use std::thread;

/// Runs the same function on several threads, one of them the caller's, and waits for all.
///
/// The system may refuse threads, so the function must take its share of the work from a
/// shared counter or queue.
pub fn run_on(threads: usize, run: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 1..threads {
            // If the system refuses a thread, the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, &run);
        }
        run();
    });
}
