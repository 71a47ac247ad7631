//! Positions from standard input, solved side by side and answered in order.
//!
//! A thread reads lines and puts each into two queues: that of the threads that solve,
//! and that of the answers, which keeps their order. Both are bounded, so that no more is
//! read than is soon answered.

use std::io::{self, BufRead, Read, Write, stdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;

use super::answer::SolveJob;
use super::{Format, Goal};
use crate::base::counted::counted;
use crate::cli::output::{Output, stop_when_unread};
use crate::cli::position::parse_position;
use crate::cli::search::{ProgressLine, interrupt_flag};
use crate::games::gothello::Position;
use crate::solving::solver::Solver;

/// The longest line, in bytes, far longer than a position.
const MAX_LINE: u64 = 1_024;

/// The most lines for each thread that are read before the first of them is answered.
const AHEAD: usize = 64;

/// The time between two checks for Ctrl-C while there is no line.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A line that is to be answered.
struct Job {
    number: u64,
    text: Result<String>,
    answer: SyncSender<Solved>,
}

/// The answer to a line.
struct Solved {
    number: u64,
    /// The text to print, or why there is no answer.
    printed: Result<Vec<u8>>,
    is_complete: bool,
}

/// The state that all solving threads share.
struct Task {
    goal: Goal,
    format: Format,
    stop: Arc<AtomicBool>,
    solver: Solver,
}

/// Answers all lines of standard input.
pub fn run(solver: Solver, threads: usize, goal: Goal, format: Format) -> Result<()> {
    let stop = interrupt_flag()?;
    stop_when_unread(&stop)?;
    let task = Arc::new(Task {
        goal,
        format,
        stop: Arc::clone(&stop),
        solver,
    });
    let (jobs, work) = sync_channel::<Job>(threads);
    let (order, answers) = sync_channel(AHEAD * threads);
    let work = Arc::new(Mutex::new(work));
    // These threads are not joined: one may be reading without end.
    for _ in 0..threads {
        let (work, task) = (Arc::clone(&work), Arc::clone(&task));
        thread::Builder::new()
            .name("solver".into())
            .spawn(move || solve_all(&work, &task))?;
    }
    drop(work);
    let reader = thread::Builder::new()
        .name("reader".into())
        .spawn(move || read_all(&jobs, &order))?;
    let unanswered = print_all(&answers, format, &stop)?;
    // It has closed the queue of answers.
    if let Ok(read) = reader.join() {
        read.context("standard input cannot be read")?;
    }
    match unanswered {
        0 => Ok(()),
        1 => bail!("1 line could not be answered"),
        lines => bail!("{lines} lines could not be answered"),
    }
}

/// Puts lines into both queues until the input ends, or the queues are closed.
fn read_all(jobs: &SyncSender<Job>, order: &SyncSender<Receiver<Solved>>) -> io::Result<()> {
    let mut input = stdin().lock();
    for number in 1.. {
        let Some(text) = read_line(&mut input)? else {
            break;
        };
        if let Ok(text) = &text
            && (text.is_empty() || text.starts_with('#'))
        {
            continue;
        }
        let (answer, solved) = sync_channel(1);
        let job = Job {
            number,
            text,
            answer,
        };
        if order.send(solved).is_err() || jobs.send(job).is_err() {
            break;
        }
    }
    Ok(())
}

/// Reads a line, or returns `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Result<String>>> {
    let mut line = Vec::new();
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 == MAX_LINE && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(anyhow!(
            "it has more than {MAX_LINE} bytes: give one position a line"
        ))));
    }
    let text = String::from_utf8_lossy(&line);
    let text = text.trim_start_matches('\u{feff}').trim();
    Ok(Some(Ok(text.to_owned())))
}

/// Solves lines from the queue until it is closed.
fn solve_all(work: &Mutex<Receiver<Job>>, task: &Task) {
    loop {
        // The lock is held only while waiting for a line.
        let job = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job {
            number,
            text,
            answer,
        }) = job
        else {
            return;
        };
        let position = text.and_then(|text| parse_position(&text));
        let (printed, is_complete) = match position {
            Ok(position) => task.solve(position, number),
            Err(why) => (Err(why), true),
        };
        // The queue is closed if the command is ending.
        let _ = answer.send(Solved {
            number,
            printed,
            is_complete,
        });
    }
}

impl Task {
    fn solve(&self, position: Position, number: u64) -> (Result<Vec<u8>>, bool) {
        let work = SolveJob {
            position,
            goal: self.goal,
            solver: self.solver.sharing_table(1),
            stop: Arc::clone(&self.stop),
            progress: ProgressLine::silent(),
            started: Instant::now(),
        };
        let mut printed = Vec::new();
        match work.answer(&mut printed, self.format, Some(number)) {
            Ok(answer) => (Ok(printed), answer.is_complete),
            Err(error) => (Err(error.into()), true),
        }
    }
}

/// Prints answers in order, each as soon as it is there. Returns the number of lines
/// without an answer.
fn print_all(
    answers: &Receiver<Receiver<Solved>>,
    format: Format,
    stop: &AtomicBool,
) -> Result<u64> {
    let mut out = Output::lock();
    let (mut answered, mut unanswered) = (0_u64, 0);
    loop {
        let answer = match answers.recv_timeout(POLL_INTERVAL) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Disconnected) => return Ok(unanswered),
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) && !out.is_closed() => {
                return Err(interrupted_after(answered));
            }
            Err(RecvTimeoutError::Timeout) => continue,
        };
        let Solved {
            number,
            printed,
            is_complete,
        } = answer.recv().context("a thread that solves has failed")?;
        if out.is_closed() {
            unanswered += u64::from(printed.is_err());
            continue;
        }
        if !is_complete || stop.load(Ordering::Relaxed) {
            if is_complete && let Ok(printed) = &printed {
                out.write_all(printed)?;
                answered += 1;
            }
            out.flush()?;
            return Err(interrupted_after(answered));
        }
        match (printed, format) {
            (Ok(printed), _) => {
                out.write_all(&printed)?;
                answered += 1;
            }
            (Err(error), Format::Json) => {
                let json = JsonError {
                    line: number,
                    error: error.to_string(),
                };
                writeln!(out, "{}", serde_json::to_string(&json)?)?;
                unanswered += 1;
            }
            (Err(error), Format::Text | Format::Tsv) => {
                writeln!(out, "error: line {number}: {error}")?;
                unanswered += 1;
            }
        }
        out.flush()?;
        if out.is_closed() {
            // Nobody reads the answers to the other lines: whether they have one decides the exit
            // code, and no position is searched for that.
            stop.store(true, Ordering::Relaxed);
        }
    }
}

fn interrupted_after(answers: u64) -> anyhow::Error {
    anyhow!("interrupted after {}", counted(answers, "answer"))
}

/// A line without an answer.
#[derive(Serialize)]
struct JsonError {
    line: u64,
    error: String,
}
