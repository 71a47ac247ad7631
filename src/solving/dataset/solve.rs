//! The values of all moves of many positions.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::channel;
use std::thread;

use thiserror::Error;

use super::record::Record;
use crate::base::threads::try_for_each;
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
    let numbered: Vec<_> = positions.iter().enumerate().collect();
    let (sender, solved) = channel();
    let work = move || {
        let begin = || solver.sharing_table(1);
        // The first position without a record ends the work.
        let _ = try_for_each(threads, &numbered, begin, |solver, &(number, position)| {
            // A short search does not look at the flag.
            let is_over = control.is_over();
            let record = (!is_over).then(|| solve_one(position, solver, control));
            // The receiver is there until the sender is gone.
            let _ = sender.send((number, record.flatten().ok_or(())?));
            Ok::<_, ()>(())
        });
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("solver".into());
        thread.spawn_scoped(scope, work)?;
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
