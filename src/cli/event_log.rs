//! The log of the servers on standard output: a line for each event.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::output::Output;
use crate::contests::results::rfc3339;

/// The maximum number of lines that wait for standard output. Further ones are counted and not
/// printed: a full pipe must not stop a match.
const WAITING: usize = 65_536;

/// The pause of the printing thread after each print.
const PAUSE: Duration = Duration::from_millis(5);

/// The longest time that the last lines may take.
const LAST_LINES: Duration = Duration::from_secs(1);

/// The format of the log.
#[derive(Clone, Copy, Debug, Args)]
pub struct LogArguments {
    /// Format of the log
    #[arg(
        long = "log-format",
        alias = "log",
        value_name = "FORMAT",
        value_enum,
        default_value_t
    )]
    format: LogFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// A sentence for each event
    #[default]
    Text,
    /// A JSON object for each event
    Json,
}

/// A line of the log.
#[derive(Serialize)]
struct Entry<E> {
    #[serde(serialize_with = "rfc3339::serialize")]
    time: SystemTime,
    #[serde(flatten)]
    event: E,
}

/// The function that logs an event.
pub type Sink<E> = Arc<dyn Fn(E) + Send + Sync>;

impl LogArguments {
    /// Runs `work`, which logs with the function it is given, and then prints what is
    /// not printed yet. When `work` returns, it must have dropped that function.
    ///
    /// A thread prints the log, so that no match waits for standard output.
    ///
    /// # Errors
    /// The system has no thread for the log, or `work` failed.
    pub fn log_during<E>(self, work: impl FnOnce(Sink<E>) -> Result<()>) -> Result<()>
    where
        E: Serialize + Display + Send + 'static,
    {
        // Of boxes, because the queue has room for all from the start.
        let (queue, waiting) = sync_channel::<Box<Entry<E>>>(WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&lost);
        let thread = thread::Builder::new()
            .name("log".into())
            .spawn(move || print(waiting, &counter, self.format))?;
        let result = work(Arc::new(move |event| {
            let time = SystemTime::now();
            if queue.try_send(Box::new(Entry { time, event })).is_err() {
                lost.fetch_add(1, Relaxed);
            }
        }));
        // A full pipe must not keep the program.
        let start = Instant::now();
        while !thread.is_finished() && start.elapsed() < LAST_LINES {
            thread::sleep(PAUSE);
        }
        result
    }
}

/// Prints until all senders are dropped. If standard output is closed, it goes on
/// without printing.
fn print<E: Serialize + Display>(
    waiting: Receiver<Box<Entry<E>>>,
    lost: &AtomicU64,
    format: LogFormat,
) {
    let mut out = BufWriter::new(Output::lock());
    while let Ok(first) = waiting.recv() {
        for entry in iter::once(first).chain(waiting.try_iter()) {
            let _ = print_entry(&mut out, &entry, format);
        }
        let _ = out.flush();
        let count = lost.swap(0, Relaxed);
        if count > 0 {
            let _ = writeln!(io::stderr(), "{count} lines of the log are lost");
        }
        // The next event need not wake this thread: that would take longer than a
        // move.
        thread::sleep(PAUSE);
    }
}

fn print_entry<E: Serialize + Display>(
    out: &mut impl Write,
    entry: &Entry<E>,
    format: LogFormat,
) -> io::Result<()> {
    let time = humantime::format_rfc3339_millis(entry.time);
    match format {
        LogFormat::Json => writeln!(out, "{}", serde_json::to_string(entry)?),
        LogFormat::Text => writeln!(out, "{time} {}", entry.event),
    }
}
