//! The log of the servers: what happens, a line each, on standard output.

use std::fmt::Display;
use std::io::{self, BufWriter, Write, stdout};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use clap::ValueEnum;
use serde::{Serialize, Serializer};

/// How many lines may wait for standard output. Those that find no room are
/// counted and not printed: a full pipe must not stop a match.
const WAITING: usize = 65_536;

/// How long the printer rests after each print.
const PAUSE: Duration = Duration::from_millis(5);

/// How long the last lines may take.
const LAST_LINES: Duration = Duration::from_secs(1);

/// What a log looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// A sentence each
    #[default]
    Text,
    /// A JSON object each
    Json,
}

/// One line.
#[derive(Serialize)]
struct Entry<N> {
    #[serde(serialize_with = "serialize_time")]
    time: SystemTime,
    #[serde(flatten)]
    news: N,
}

/// A thread that prints, so that nobody waits for standard output.
pub(super) struct NewsLog<N> {
    queue: SyncSender<Entry<N>>,
    lost: Arc<AtomicU64>,
    thread: JoinHandle<()>,
}

impl<N: Serialize + Display + Send + 'static> NewsLog<N> {
    /// Starts printing.
    pub(super) fn start(format: LogFormat) -> io::Result<NewsLog<N>> {
        let (queue, waiting) = sync_channel(WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&lost);
        let thread = thread::Builder::new()
            .name("log".into())
            .spawn(move || print(waiting, &counter, format))?;
        Ok(NewsLog {
            queue,
            lost,
            thread,
        })
    }

    /// Where news are told.
    pub(super) fn sink(&self) -> Arc<dyn Fn(N) + Send + Sync> {
        let (queue, lost) = (self.queue.clone(), Arc::clone(&self.lost));
        Arc::new(move |news| {
            let entry = Entry {
                time: SystemTime::now(),
                news,
            };
            if queue.try_send(entry).is_err() {
                lost.fetch_add(1, Relaxed);
            }
        })
    }

    /// Waits until everything is printed, but not for ever: a full pipe must
    /// not keep the program. All sinks must be gone.
    pub(super) fn finish(self) {
        drop(self.queue);
        let start = Instant::now();
        while !self.thread.is_finished() && start.elapsed() < LAST_LINES {
            thread::sleep(PAUSE);
        }
    }
}

/// Prints until all senders are gone. Where nobody reads any more, it goes on
/// without printing.
fn print<N: Serialize + Display>(waiting: Receiver<Entry<N>>, lost: &AtomicU64, format: LogFormat) {
    let mut out = BufWriter::new(stdout().lock());
    while let Ok(first) = waiting.recv() {
        for entry in iter::once(first).chain(waiting.try_iter()) {
            let _ = print_entry(&mut out, &entry, format);
        }
        let _ = out.flush();
        let count = lost.swap(0, Relaxed);
        if count > 0 {
            let _ = writeln!(io::stderr(), "{count} lines of the log are lost");
        }
        // Whoever tells the next news need not wake this thread for it: that
        // would take longer than a move.
        thread::sleep(PAUSE);
    }
}

fn print_entry<N: Serialize + Display>(
    out: &mut impl Write,
    entry: &Entry<N>,
    format: LogFormat,
) -> io::Result<()> {
    let time = humantime::format_rfc3339_millis(entry.time);
    match format {
        LogFormat::Json => writeln!(out, "{}", serde_json::to_string(entry)?),
        LogFormat::Text => writeln!(out, "{time} {}", entry.news),
    }
}

fn serialize_time<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&humantime::format_rfc3339_millis(*time))
}
