//! Threads that take their work from a shared place.

use std::convert::Infallible;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// Calls `work` for each item, on several threads. Each thread has a state of its own, which
/// `begin` creates.
pub fn for_each<T: Sync, S>(
    threads: usize,
    items: &[T],
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) + Sync,
) {
    let work = |state: &mut S, item: &T| {
        work(state, item);
        Ok::<_, Infallible>(())
    };
    let Ok(()) = try_for_each(threads, items, begin, work);
}

/// Calls `work` for each item, as [`for_each`] does, until it fails.
///
/// # Errors
/// The first error. The threads end the items that they have begun.
pub fn try_for_each<T: Sync, S, E: Send + Sync>(
    threads: usize,
    items: &[T],
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let (taken, failed) = (AtomicUsize::new(0), OnceLock::new());
    let run = || {
        let mut state = begin();
        while failed.get().is_none()
            && let Some(item) = items.get(taken.fetch_add(1, Ordering::Relaxed))
        {
            if let Err(error) = work(&mut state, item) {
                // Another thread may have failed before.
                let _ = failed.set(error);
            }
        }
    };
    run_on(threads.min(items.len()), run);
    failed.into_inner().map_or(Ok(()), Err)
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
