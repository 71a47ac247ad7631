//! Long work without the GIL, which Ctrl-C interrupts.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{self, available_parallelism};
use std::time::Duration;

use gothello::solver::{Control, PositionBudget};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals are looked for.
const BEAT: Duration = Duration::from_millis(50);

/// The positions that are searched before signals are looked for: some milliseconds.
const SHORT: u64 = 20_000;

/// Returns the number of threads that this machine runs at a time.
pub fn all_cores() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Does work that ends early, with `None`, when it is stopped by its control: first a short part on
/// this thread, then the rest on another one, while this one handles signals. The work is done twice if
/// the first time was too short; a solver finds then what it had found.
///
/// # Errors
/// A signal handler has raised an exception, as Ctrl-C does.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl Fn(&Control<'_>) -> Option<T> + Sync,
) -> PyResult<T> {
    let budget = PositionBudget::new(SHORT);
    let quick = py.detach(|| work(&Control::default().spending(&budget)));
    match quick {
        Some(done) => Ok(done),
        None => wait(py, |stop| work(&Control::until(stop))),
    }
}

/// Does work on another thread until it is done or a signal sets the flag.
///
/// # Errors
/// A signal handler has raised an exception.
pub fn wait<T: Send>(
    py: Python<'_>,
    work: impl Fn(&AtomicBool) -> Option<T> + Sync,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, mut receiver) = channel();
        let (work, stop) = (&work, &stop);
        scope.spawn(move || {
            // The receiver waits.
            let _ = sender.send(work(stop));
        });
        loop {
            // A receiver belongs to one thread at a time.
            let received;
            (receiver, received) = py.detach(move || {
                let received = receiver.recv_timeout(BEAT);
                (receiver, received)
            });
            match received {
                Ok(Some(done)) => return Ok(done),
                Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the search has failed"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(raised) = py.check_signals() {
                        stop.store(true, Ordering::Relaxed);
                        // It stops within a millisecond.
                        let _ = py.detach(move || receiver.recv());
                        return Err(raised);
                    }
                }
            }
        }
    })
}
