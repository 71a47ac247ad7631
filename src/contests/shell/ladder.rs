//! The ladder on the page, computed by a thread of its own from the results.
//!
//! The thread that writes them only sends a notice that there are more, and at most one notice waits.
//! After each reading this thread pauses nine times as long as the reading took, so that it uses at
//! most a tenth of the time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use crate::base::counted::counted;
use crate::contests::ladder::{Ladder, LadderTable, MAX_MATCHES};
use crate::pages::web::{self, Feed, Grid};

/// The number of wrong lines that are logged after each reading.
const MAX_LOGGED: usize = 10;

/// A handle to the thread, which ends when all handles are dropped.
#[derive(Clone, Debug)]
pub struct LadderThread(SyncSender<()>);

impl LadderThread {
    /// Starts the thread, which shows the ladder of a file of results at once. Errors are passed to `log`.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn start(
        results: PathBuf,
        feed: Feed,
        log: impl Fn(String) + Send + 'static,
    ) -> io::Result<LadderThread> {
        let (sender, notices) = sync_channel(1);
        let ladder = LadderThread(sender);
        ladder.notify();
        thread::Builder::new()
            .name("ladder".into())
            .spawn(move || run(&results, &feed, &log, &notices))?;
        Ok(ladder)
    }

    /// Says that there may be more results.
    pub fn notify(&self) {
        // If a notice waits already, it covers the new results.
        let _ = self.0.try_send(());
    }
}

/// Follows the results until all handles are dropped.
fn run(results: &Path, feed: &Feed, fail: &impl Fn(String), notices: &Receiver<()>) {
    let mut ladder = Ladder::default();
    let mut complaint = None;
    let mut is_shown = false;
    while notices.recv().is_ok() {
        let begin = Instant::now();
        let mut wrong = 0_usize;
        let read = ladder.read(results, |bad| {
            wrong = wrong.saturating_add(1);
            if wrong <= MAX_LOGGED {
                fail(format!(
                    "the ladder leaves out {}, {bad}",
                    results.display()
                ));
            }
        });
        if let Some(more) = wrong.checked_sub(MAX_LOGGED).filter(|&more| more > 0) {
            let more = counted(more, "more line");
            fail(format!(
                "the ladder leaves out {more} of {}",
                results.display()
            ));
        }
        match read {
            Ok(is_new) => {
                complaint = None;
                if is_new || !is_shown {
                    feed.set_ladder(view(&ladder.table()));
                    is_shown = true;
                }
            }
            Err(error) => {
                let what = format!("the ladder: {error}");
                if complaint.as_ref() != Some(&what) {
                    complaint = Some(what.clone());
                    fail(what);
                }
            }
        }
        thread::sleep(begin.elapsed().saturating_mul(9));
    }
}

/// Returns the ladder as the page shows it.
fn view(table: &LadderTable) -> web::Ladder {
    let mut note = match table.matches {
        0 => "No match counts yet: it needs a result, and two players with names.".to_owned(),
        MAX_MATCHES => format!("Elo with 95 % intervals, from the last {MAX_MATCHES} matches."),
        matches => format!(
            "Elo with 95 % intervals, from {}.",
            counted(matches, "match")
        ),
    };
    if table.has_separate_groups() {
        note += " Players of different groups have not met: their ratings cannot be compared.";
    }
    if table.left_out > 0 {
        let players = counted(table.left_out, "player");
        note += &format!(" {players} with fewer matches left out.");
    }
    let head = ["Rank", "Player"].into_iter().chain(table.headings());
    web::Ladder {
        note,
        players: Grid {
            head: head.map(str::to_owned).collect(),
            rows: table.cells().collect(),
        },
    }
}
