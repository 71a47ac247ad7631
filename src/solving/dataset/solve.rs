//! The values of all moves of many positions.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use thiserror::Error;

use super::record::Record;
use crate::games::gothello::Position;
use crate::solving::solver::{Control, Objective, Solver};

/// Why positions are not solved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The control has stopped it.
    #[error("interrupted")]
    Stopped,
    /// The system refuses threads.
    #[error("no thread can be started: {0}")]
    Thread(#[from] io::Error),
}

/// Finds the values of all moves of each position, and returns the records in the order of the positions.
///
/// Each thread searches a position of its own; all share the solver's table. `done` is called in the
/// same order for each record, as soon as those before it are there.
///
/// # Errors
/// `control` has stopped it, or the system refuses threads.
pub fn solve(
    positions: &[Position],
    solver: &Solver,
    threads: usize,
    control: &Control<'_>,
    mut done: impl FnMut(&Record),
) -> Result<Vec<Record>, SolveError> {
    let taken = AtomicUsize::new(0);
    let (sender, solved) = channel();
    thread::scope(|scope| {
        for number in 0..threads.clamp(1, positions.len().max(1)) {
            let (sender, taken) = (sender.clone(), &taken);
            let solver = solver.sharing_table(1);
            let work = move || {
                loop {
                    let number = taken.fetch_add(1, Ordering::Relaxed);
                    let Some(position) = positions.get(number) else {
                        return;
                    };
                    // A short search does not look at the flag.
                    if control.is_over() {
                        return;
                    }
                    let Some(record) = solve_one(position, &solver, control) else {
                        return;
                    };
                    // The receiver is there until all senders are gone.
                    let _ = sender.send((number, record));
                }
            };
            let thread = thread::Builder::new().name("solver".into());
            match thread.spawn_scoped(scope, work) {
                Ok(_) => {}
                Err(error) if number == 0 => return Err(error.into()),
                // The others do its work.
                Err(_) => break,
            }
        }
        drop(sender);
        let (mut records, mut early) = (Vec::new(), BTreeMap::new());
        for (number, record) in solved {
            early.insert(number, record);
            while let Some(record) = early.remove(&records.len()) {
                done(&record);
                records.push(record);
            }
        }
        match records.len() == positions.len() {
            true => Ok(records),
            false => Err(SolveError::Stopped),
        }
    })
}

/// Finds the values of all moves; `None` if it is stopped.
fn solve_one(position: &Position, solver: &Solver, control: &Control<'_>) -> Option<Record> {
    let moves = solver.search_moves(position, Objective::Value, control);
    let moves = moves
        .iter()
        .map(|judged| Some((judged.mv, judged.bounds.value()?)));
    Some(Record::new(*position, moves.collect::<Option<Vec<_>>>()?))
}
