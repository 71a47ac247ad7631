//! Datasets. `gothello/dataset.py` has the functions for users.

use std::path::PathBuf;

use gothello::base::journal;
use gothello::dataset::{
    DrawError, Format, Plan, Record, SolveError, Source, StoneCounts, UNKNOWN, card, card_path,
    draw, json_line, solve,
};
use gothello::solver::Control;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::arrays::{MOVES, byte_array, positions, room};
use crate::files::io_error;
use crate::moves::invalid;
use crate::solver::Solver;
use crate::waiting::{all_cores, wait};

/// A plan as Python gives it: the source, the probability of a mistake if one is given, the number of
/// positions, their numbers of stones, and the seed.
#[derive(FromPyObject)]
pub struct GivenPlan(String, Option<f64>, usize, Vec<u8>, u64);

impl GivenPlan {
    fn plan(&self) -> PyResult<Plan> {
        let &GivenPlan(ref source, errors, positions, ref stones, seed) = self;
        let source = match &**source {
            "games-with-errors" => Source::GamesWithErrors {
                errors: errors.unwrap_or(Source::DEFAULT_ERRORS),
            },
            "uniform" | "random-games" if errors.is_some() => {
                return Err(invalid(format!(
                    "errors is for source='games-with-errors', not {source:?}"
                )));
            }
            "uniform" => Source::Uniform,
            "random-games" => Source::RandomGames,
            _ => {
                return Err(invalid(format!(
                    "invalid source {source:?}: use 'uniform', 'random-games' or 'games-with-errors'"
                )));
            }
        };
        let stones = StoneCounts::new(stones.iter().copied());
        let stones =
            stones.ok_or_else(|| invalid("stones are one or more numbers from 0 to 24"))?;
        Ok(Plan {
            source,
            positions,
            stones,
            seed,
        })
    }
}

/// Returns the records of positions, from arrays of keys and of values of moves.
fn records(keys: &[u8], move_values: &[u8]) -> PyResult<Vec<Record>> {
    let rows = move_values.as_chunks::<MOVES>().0;
    let records = positions(keys)?
        .into_iter()
        .zip(rows)
        .map(|(position, row)| {
            let moves = row.iter().enumerate().filter_map(|(index, value)| {
                let value = value.cast_signed();
                Some((gothello::Move::with_index(index)?, value)).filter(|_| value != UNKNOWN)
            });
            Record::new(position, moves)
        });
    Ok(records.collect())
}

/// Functions of datasets, with arrays as bytes.
#[pymodule]
pub mod dataset {
    use super::*;

    /// The largest number of positions of a plan.
    #[pymodule_export]
    const MAX_POSITIONS: usize = Plan::MAX_POSITIONS;

    /// The keys of the positions of a plan.
    #[pyfunction]
    fn draw_positions<'py>(
        py: Python<'py>,
        plan: GivenPlan,
        solver: &Solver,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let plan = plan.plan()?;
        let drawn = wait(py, |stop| {
            match draw(&plan, &solver.0, all_cores(), &Control::until(stop)) {
                Err(DrawError::Stopped) => None,
                drawn => Some(drawn),
            }
        })?;
        let keys = drawn.map_err(invalid)?;
        let keys = keys
            .iter()
            .flat_map(|position| position.key().to_ne_bytes());
        byte_array(py, &keys.collect::<Vec<_>>())
    }

    /// The values of the 26 moves of each position, which are searched side by side, without a number of
    /// threads on all cores.
    #[pyfunction]
    #[pyo3(signature = (keys, solver, threads = None))]
    fn move_values<'py>(
        py: Python<'py>,
        keys: &[u8],
        solver: &Solver,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let threads = threads.unwrap_or_else(all_cores);
        let positions = positions(keys)?;
        let mut values = room(MOVES.saturating_mul(positions.len()))?;
        let solved = wait(py, |stop| {
            match solve(
                &positions,
                &solver.0,
                threads,
                &Control::until(stop),
                |_| (),
            ) {
                Err(SolveError::Stopped) => None,
                solved => Some(solved),
            }
        })?;
        let records = solved.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let rows = records.iter().flat_map(Record::values);
        values.extend(rows.map(|value| value.cast_unsigned()));
        byte_array(py, &values)
    }

    /// Checks that a file and the data card beside it can be written.
    #[pyfunction]
    fn check_writable(path: PathBuf) -> PyResult<()> {
        let card = card_path(&path);
        for file in [path, card] {
            journal::check_writable(&file).map_err(|error| io_error(&file, &error))?;
        }
        Ok(())
    }

    /// The lines of positions in a file of JSON lines.
    #[pyfunction]
    fn json_lines(keys: &[u8], move_values: &[u8]) -> PyResult<Vec<String>> {
        Ok(records(keys, move_values)?.iter().map(json_line).collect())
    }

    /// Writes a file, and the data card beside it.
    #[pyfunction]
    fn write(
        py: Python<'_>,
        path: PathBuf,
        plan: GivenPlan,
        keys: &[u8],
        move_values: &[u8],
    ) -> PyResult<()> {
        let plan = plan.plan()?;
        let format = Format::of(&path);
        let format =
            format.ok_or_else(|| invalid("give a file whose name ends with .jsonl or .npz"))?;
        let records = records(keys, move_values)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let written = py.detach(|| format.write(&records, &path));
        written.map_err(|error| io_error(&path, &error))?;
        let card_path = card_path(&path);
        let written =
            py.detach(|| journal::write_whole(&card_path, card(&plan, &records, &name).as_bytes()));
        written.map_err(|error| io_error(&card_path, &error))
    }
}
