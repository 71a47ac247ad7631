//! Positions from standard input, solved side by side and answered in order.
//!
//! A thread reads lines and puts each into two queues: that of the threads that solve,
//! and that of the answers, which has their order. Both have an end, so that no more is
//! read than is soon answered.

use std::io::{self, BufRead, Read, Write, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;

use super::Goal;
use super::answer::{Format, Work};
use crate::cli::interrupt::interrupted;
use crate::cli::meter::Meter;
use crate::cli::position::parse_position;
use crate::gothello::Position;
use crate::solver::Solver;

/// The longest line, in bytes: no position comes near.
const MAX_LINE: u64 = 1_024;

/// How many lines for each thread may be read before the first of them is answered.
const AHEAD: usize = 64;

/// How often is looked whether it was interrupted while there is no line.
const PATIENCE: Duration = Duration::from_millis(50);

/// A line that is to be answered.
struct Job {
    number: u64,
    text: Result<String, String>,
    answer: SyncSender<Solved>,
}

/// The answer to a line.
struct Solved {
    number: u64,
    /// What is printed, or why there is nothing.
    told: Result<Vec<u8>, String>,
    is_complete: bool,
}

/// What every solving thread knows.
struct Task {
    goal: Goal,
    format: Format,
    stop: Arc<AtomicBool>,
    solver: Solver,
}

/// Answers all lines of standard input.
pub(super) fn run(solver: Solver, threads: usize, goal: Goal, format: Format) -> Result<()> {
    let stop = interrupted()?;
    let task = Arc::new(Task {
        goal,
        format,
        stop: Arc::clone(&stop),
        solver,
    });
    let (jobs, work) = sync_channel::<Job>(threads);
    let (order, answers) = sync_channel(AHEAD * threads);
    let work = Arc::new(Mutex::new(work));
    // Nobody waits for these threads: one may be reading for ever.
    for _ in 0..threads {
        let (work, task) = (Arc::clone(&work), Arc::clone(&task));
        thread::Builder::new()
            .name("solver".into())
            .spawn(move || solve_all(&work, &task))?;
    }
    drop(work);
    let failed = Arc::new(Mutex::new(None));
    let failure = Arc::clone(&failed);
    thread::Builder::new()
        .name("reader".into())
        .spawn(move || {
            if let Err(error) = read_all(&jobs, &order) {
                *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        })?;
    let unanswered = print_all(&answers, format, &stop)?;
    let error = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(error) = error {
        return Err(error).context("standard input cannot be read");
    }
    match unanswered {
        0 => Ok(()),
        1 => bail!("1 line is no position"),
        lines => bail!("{lines} lines are no positions"),
    }
}

/// Puts lines into both queues until the input ends, or nobody wants them.
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

/// Reads a line; `None` at the end, and an error if it is too long.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, String>>> {
    let mut line = Vec::new();
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 == MAX_LINE && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        let why = format!("it has more than {MAX_LINE} bytes: give one position a line");
        return Ok(Some(Err(why)));
    }
    let text = String::from_utf8_lossy(&line);
    let text = text.trim_start_matches('\u{feff}').trim();
    Ok(Some(Ok(text.to_owned())))
}

/// Solves one line after the other.
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
        let (told, is_complete) = match position {
            Ok(position) => task.solve(position, number),
            Err(why) => (Err(why), true),
        };
        // Nobody may want it any longer.
        let _ = answer.send(Solved {
            number,
            told,
            is_complete,
        });
    }
}

impl Task {
    fn solve(&self, position: Position, number: u64) -> (Result<Vec<u8>, String>, bool) {
        let work = Work {
            position,
            goal: self.goal,
            solver: self.solver.sharing_table(1),
            stop: Arc::clone(&self.stop),
            meter: Meter::silent(),
            started: Instant::now(),
        };
        let mut told = Vec::new();
        match work.answer(&mut told, self.format, Some(number)) {
            Ok(answer) => (Ok(told), answer.is_complete),
            Err(error) => (Err(error.to_string()), true),
        }
    }
}

/// Prints answers in order, each as soon as it is there; how many lines had none.
fn print_all(
    answers: &Receiver<Receiver<Solved>>,
    format: Format,
    stop: &AtomicBool,
) -> Result<u64> {
    let (mut answered, mut unanswered) = (0_u64, 0);
    loop {
        let answer = match answers.recv_timeout(PATIENCE) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Disconnected) => return Ok(unanswered),
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                return Err(interrupted_after(answered));
            }
            Err(RecvTimeoutError::Timeout) => continue,
        };
        let Solved {
            number,
            told,
            is_complete,
        } = answer.recv().context("a thread that solves has failed")?;
        let mut out = stdout().lock();
        if !is_complete || stop.load(Ordering::Relaxed) {
            if is_complete && let Ok(told) = &told {
                out.write_all(told)?;
                answered += 1;
            }
            out.flush()?;
            return Err(interrupted_after(answered));
        }
        match (told, format) {
            (Ok(told), _) => {
                out.write_all(&told)?;
                answered += 1;
            }
            (Err(error), Format::Json) => {
                let json = JsonError {
                    line: number,
                    error: &error,
                };
                writeln!(out, "{}", serde_json::to_string(&json)?)?;
                unanswered += 1;
            }
            (Err(error), Format::Text | Format::Row) => {
                writeln!(out, "error: line {number}: {error}")?;
                unanswered += 1;
            }
        }
        out.flush()?;
    }
}

fn interrupted_after(answers: u64) -> anyhow::Error {
    let plural = if answers == 1 { "" } else { "s" };
    anyhow!("interrupted after {answers} answer{plural}")
}

/// A line without an answer.
#[derive(Serialize)]
struct JsonError<'a> {
    line: u64,
    error: &'a str,
}
