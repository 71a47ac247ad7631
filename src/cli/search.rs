//! The parts shared by commands that search for seconds or hours: threads and memory,
//! Ctrl-C, and a line that shows the progress.

use std::future::{Future, poll_fn};
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::Poll;
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use tokio::runtime;
use tokio::signal::ctrl_c;

use super::values::number;
use crate::solving::solver::{Solver, SolverBuilder};
use crate::solving::tablebase::AnyTablebase;

/// The exit code of a program that was interrupted, as shells have it: 128 and
/// the number of the signal.
const INTERRUPTED: i32 = 130;

/// The shortest time between two texts of the progress line, and before the first.
const INTERVAL: Duration = Duration::from_millis(200);

const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(SolverBuilder::MAX_THREADS).unwrap();

const MAX_MEBIBYTES: NonZeroUsize = NonZeroUsize::new(SolverBuilder::MAX_MEMORY_MIB).unwrap();

/// Parses a number of threads.
pub fn thread_count(text: &str) -> Result<NonZeroUsize, String> {
    number(NonZeroUsize::MIN..=MAX_THREADS)(text)
}

/// Parses the size of a table in MiB.
pub fn mebibytes(text: &str) -> Result<NonZeroUsize, String> {
    number(NonZeroUsize::MIN..=MAX_MEBIBYTES)(text)
}

/// Returns the number of threads that is given, or else the number of cores.
pub fn threads_or_all_cores(given: Option<NonZeroUsize>) -> usize {
    match given {
        Some(threads) => threads.get(),
        None => available_parallelism().map_or(1, |cores| cores.min(MAX_THREADS).get()),
    }
}

/// Makes a solver whose table has this many MiB.
///
/// # Errors
/// The memory cannot be allocated.
pub fn solver(mebibytes: usize, threads: usize, tablebase: Option<AnyTablebase>) -> Result<Solver> {
    let builder = Solver::builder().memory_mib(mebibytes).threads(threads);
    let solver = builder.any_tablebase(tablebase).try_build();
    solver.map_err(|error| anyhow!("{error}: try a smaller --hash"))
}

/// Returns a flag that the first Ctrl-C from now on sets. The second one ends the program at once.
///
/// # Errors
/// The thread that waits for it cannot be started.
pub fn interrupt_flag() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&flag);
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (catches, is_caught) = mpsc::channel();
    let listen = async move {
        let mut interrupt = Box::pin(ctrl_c());
        // From its first poll on, the signal is caught, and does not end the program.
        let first = poll_fn(|context| Poll::Ready(interrupt.as_mut().poll(context))).await;
        let _ = catches.send(());
        let mut signal = match first {
            Poll::Ready(signal) => signal,
            Poll::Pending => interrupt.await,
        };
        while signal.is_ok() {
            if shared.swap(true, Ordering::Relaxed) {
                process::exit(INTERRUPTED);
            }
            signal = ctrl_c().await;
        }
    };
    thread::Builder::new()
        .name("interrupt".into())
        .spawn(move || runtime.block_on(listen))?;
    let _ = is_caught.recv();
    Ok(flag)
}

/// A line on standard error that is written again and again in the same place, if that
/// is a terminal; else it is never written.
pub struct ProgressLine(Option<Mutex<Shown>>);

/// The content of the line.
struct Shown {
    since: Instant,
    /// Its length in characters.
    length: usize,
}

impl ProgressLine {
    /// Returns a line that is still empty.
    pub fn new() -> ProgressLine {
        let shown = Shown {
            since: Instant::now(),
            length: 0,
        };
        ProgressLine(io::stderr().is_terminal().then(|| Mutex::new(shown)))
    }

    /// Returns a line that is never written.
    pub fn silent() -> ProgressLine {
        ProgressLine(None)
    }

    /// Shows a text of one line, unless the last one is still new.
    pub fn show(&self, text: impl FnOnce() -> String) {
        let Some(mut shown) = self.0.as_ref().and_then(|shown| shown.try_lock().ok()) else {
            return;
        };
        if shown.since.elapsed() >= INTERVAL {
            let text = text();
            shown.write(&text);
        }
    }

    /// Leaves the line empty.
    pub fn clear(&self) {
        if let Some(Ok(mut shown)) = self.0.as_ref().map(Mutex::lock)
            && shown.length > 0
        {
            shown.write("");
        }
    }
}

impl Shown {
    /// Writes over the last text, with spaces where it was longer, which every
    /// terminal understands.
    fn write(&mut self, text: &str) {
        let mut error = io::stderr();
        // The search continues if the progress line cannot be shown.
        let _ = write!(error, "\r{text:length$}\r{text}", length = self.length);
        let _ = error.flush();
        self.length = text.chars().count();
        self.since = Instant::now();
    }
}
