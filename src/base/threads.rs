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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_function_runs_on_as_many_threads_as_were_asked_for() {
        for threads in 1..=4 {
            let ran = Mutex::new(Vec::new());
            run_on(threads, || ran.lock().unwrap().push(thread::current().id()));
            let ran = ran.into_inner().unwrap();
            assert_eq!(ran.len(), threads, "{threads} threads");
            assert!(ran.contains(&thread::current().id()), "{threads} threads");
            assert_eq!(
                HashSet::<_>::from_iter(ran).len(),
                threads,
                "{threads} threads"
            );
        }
    }
}
