//! The solver and tablebases.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;

use gothello::dataset::UNKNOWN;
use gothello::solver::{Control, Objective, SolverBuilder};
use gothello::tablebase::{
    AnyTablebase, BuildEnd, BuildPlan, Grid, KeptLayers, MAX_STONES, PackedTablebase, Shard,
    TablebaseError, build,
};
use pyo3::exceptions::{PyMemoryError, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyEllipsis};

use crate::arguments::{Integer, each, instance};
use crate::arrays::{MOVES, byte_array, positions, room};
use crate::files::{io_error, read_file};
use crate::moves::{Move, invalid};
use crate::position::Position;
use crate::waiting::{all_cores, interruptible, wait};

/// The number of positions that are looked up between two looks for signals: some tenths of a second.
const LOOK_UPS_AT_ONCE: usize = 1 << 18;

/// A tablebase: the exact values of all positions with few stones.
///
/// `Tablebase()` is the built-in one, with at most 7 stones; `Tablebase(path)` reads a packed file that
/// `gothello tablebase pack` has written, or looks positions up in the layers that `gothello tablebase
/// build` has kept in a folder, and others in the built-in one. Raises ValueError if the path is neither,
/// OSError if it cannot be read. If a file in a folder turns out to be damaged, there is a RuntimeWarning, and
/// it is not used.
///
/// >>> Tablebase().probe(Position())
/// 3
#[pyclass(module = "gothello", frozen)]
pub struct Tablebase {
    positions: AnyTablebase,
    /// The largest number of stones.
    stones: u32,
    path: Option<PathBuf>,
}

#[pymethods]
impl Tablebase {
    #[new]
    #[pyo3(signature = (path = None))]
    fn new(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Tablebase> {
        let packed = match &path {
            None => PackedTablebase::built_in(),
            Some(folder) if folder.is_dir() => {
                let layers = Arc::new(KeptLayers::open(folder, warn).map_err(invalid)?);
                return Ok(Tablebase {
                    stones: layers
                        .stones()
                        .fold(PackedTablebase::built_in().stones(), u32::max),
                    positions: layers.into(),
                    path,
                });
            }
            Some(path) => {
                let bytes = read_file(py, path)?;
                let read = PackedTablebase::from_bytes(bytes);
                Arc::new(read.map_err(|error| invalid(format!("{}: {error}", path.display())))?)
            }
        };
        Ok(Tablebase {
            stones: packed.stones(),
            positions: packed.into(),
            path,
        })
    }

    /// Builds the layers with `most` to `fewest` stones of a tablebase in a folder, or continues to build
    /// them, as `gothello tablebase build` does: the layers with the numbers of stones in `keep` are kept.
    /// `shard=(2, 8)` computes the second of eight parts of each layer; `threads` is all cores by default.
    /// Returns whether the layers are complete: not if files of other shards are missing.
    ///
    /// Releases the GIL; Ctrl-C interrupts it, and the next call continues. Raises OSError if a file cannot
    /// be read or written, and ValueError if a number is out of range, a file is damaged, or the layer
    /// with one stone more than `most` is not there.
    #[staticmethod]
    #[pyo3(
        signature = (
            folder,
            most = Integer::Number(24),
            fewest = Integer::Number(0),
            *,
            keep = None,
            shard = (Integer::Number(1), Integer::Number(1)),
            threads = None,
        ),
        text_signature = "(folder, most=24, fewest=0, *, keep=None, shard=(1, 1), threads=None)"
    )]
    fn build(
        py: Python<'_>,
        folder: PathBuf,
        most: Integer,
        fewest: Integer,
        keep: Option<Bound<'_, PyAny>>,
        shard: (Integer, Integer),
        threads: Option<Integer>,
    ) -> PyResult<bool> {
        let most = most.within("most", 0..=MAX_STONES)?;
        let fewest = fewest.within("fewest", 0..=most)?;
        let keep = match keep {
            None => (0..=9).collect(),
            Some(numbers) => {
                let right = "keep is an iterable of integers such as {8, 12}";
                each(&numbers, right, |number| {
                    let number = number.extract::<Integer>()?;
                    number.within("each number in keep", 0..=MAX_STONES)
                })?
            }
        };
        let count = shard.1.within("the number of shards", 1..=u32::MAX)?;
        let number = shard.0.within("the number of the shard", 1..=count)?;
        let shard = Shard::new(number, count);
        let plan = BuildPlan {
            grid: Grid::gothello(),
            stones: fewest..=most,
            keep,
            threads: thread_count(threads)?.unwrap_or_else(all_cores),
            shard: shard
                .ok_or_else(|| invalid("a shard is its number, from 1, and how many there are"))?,
        };
        let built = wait(py, |stop| {
            let built = build(&folder, &plan, stop, &|_| (), |_| ());
            (!matches!(built, Ok(BuildEnd::Stopped))).then_some(built)
        })?;
        match built {
            Ok(end) => Ok(end == BuildEnd::Complete),
            Err(TablebaseError::Read { path, error } | TablebaseError::Write { path, error }) => {
                Err(io_error(&path, &error))
            }
            Err(error) => Err(invalid(error)),
        }
    }

    /// The largest number of stones of its positions.
    #[getter]
    fn stones(&self) -> u32 {
        self.stones
    }

    /// Returns the value of a position, -25 to 25 stones for the player to move; None if the tablebase
    /// does not have it.
    fn probe(&self, position: Position) -> Option<i8> {
        self.positions.value(&position.0)
    }

    fn _probe_keys<'py>(&self, py: Python<'py>, keys: &[u8]) -> PyResult<Bound<'py, PyByteArray>> {
        let positions = positions(keys)?;
        let mut values = room(positions.len())?;
        for some in positions.chunks(LOOK_UPS_AT_ONCE) {
            py.check_signals()?;
            let found = py.detach(|| self.positions.values(some));
            let found = found.into_iter().map(|value| value.unwrap_or(UNKNOWN));
            values.extend(found.map(i8::cast_unsigned));
        }
        byte_array(py, &values)
    }

    fn __repr__(&self) -> String {
        match &self.path {
            None => "Tablebase()".into(),
            Some(path) => format!("Tablebase({:?})", path.display().to_string()),
        }
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, pyo3::types::PyType>, (Option<PathBuf>,)) {
        (py.get_type::<Tablebase>(), (self.path.clone(),))
    }
}

/// Checks a number of threads, if one is given.
fn thread_count(threads: Option<Integer>) -> PyResult<Option<usize>> {
    let checked = |threads: Integer| threads.within("threads", 1..=SolverBuilder::MAX_THREADS);
    threads.map(checked).transpose()
}

/// Finds exact values. It keeps what it has proven in a table of `memory_mib` MiB, and searches on
/// `threads` threads (None: one for each core). It looks positions up in a tablebase, the built-in one
/// by default; with None, everything is proven by search.
///
/// All values are for the player to move: the stones of that player minus those of the opponent at the
/// end of the game under best play, -25 to 25. Searches release the GIL, and Ctrl-C interrupts them.
/// Positions with 7 to 12 stones can take seconds, others less. Raises ValueError if a number is out of
/// range, and MemoryError if the system refuses the memory.
///
/// >>> solver = Solver(memory_mib=16)
/// >>> position = Position("w.bb./b.bw./.bwww/b..ww/w..ww b")
/// >>> solver.solve(position), [str(move) for move in solver.best_moves(position)]
/// (3, ['c2'])
#[pyclass(module = "gothello", frozen)]
pub struct Solver(pub gothello::Solver);

#[pymethods]
impl Solver {
    #[new]
    #[pyo3(
        signature = (
            memory_mib = Integer::Number(256),
            threads = None,
            *,
            tablebase = Some(TablebaseChoice::BuiltIn),
        ),
        text_signature = "(memory_mib=256, threads=None, *, tablebase=...)"
    )]
    fn new(
        memory_mib: Integer,
        threads: Option<Integer>,
        tablebase: Option<TablebaseChoice>,
    ) -> PyResult<Solver> {
        let memory_mib = memory_mib.within("memory_mib", 1..=SolverBuilder::MAX_MEMORY_MIB)?;
        let mut builder = gothello::Solver::builder().memory_mib(memory_mib);
        if let Some(threads) = thread_count(threads)? {
            builder = builder.threads(threads);
        }
        let tablebase = tablebase.map(|choice| match choice {
            TablebaseChoice::BuiltIn => PackedTablebase::built_in().into(),
            TablebaseChoice::Given(positions) => positions,
        });
        let solver = builder.any_tablebase(tablebase).try_build();
        solver
            .map(Solver)
            .map_err(|error| PyMemoryError::new_err(error.to_string()))
    }

    /// Returns the value of a position.
    fn solve(&self, py: Python<'_>, position: Position) -> PyResult<i8> {
        interruptible(py, |control| self.value(&position.0, control))
    }

    /// Returns the best moves: those that keep the value of the position.
    fn best_moves(&self, py: Python<'_>, position: Position) -> PyResult<Vec<Move>> {
        interruptible(py, |control| {
            let moves = self.0.search_best_moves(&position.0, control)?;
            let best = moves.into_iter().filter(|&(_, is_best)| is_best);
            Some(best.map(|(mv, _)| Move(mv)).collect())
        })
    }

    /// Returns the value of every legal move for the player who makes it, as pairs in the order of
    /// `Position.legal_moves`: `dict` makes a dict of them, whose keys are `Move` objects.
    fn move_values(&self, py: Python<'_>, position: Position) -> PyResult<Vec<(Move, i8)>> {
        interruptible(py, |control| {
            let moves = self.0.search_moves(&position.0, Objective::Value, control);
            let values = moves.into_iter();
            values
                .map(|of_move| Some((Move(of_move.mv), of_move.bounds.value()?)))
                .collect()
        })
    }

    /// Returns best play by both players to the end of the game.
    fn line(&self, py: Python<'_>, position: Position) -> PyResult<Vec<Move>> {
        interruptible(py, |control| {
            let value = self.value(&position.0, control)?;
            let line = self
                .0
                .search_principal_variation(&position.0, value, control);
            line.outcome?;
            Some(line.moves.into_iter().map(Move).collect())
        })
    }

    /// Returns the value of a position that the tablebase or the table has; None otherwise. Nothing is
    /// searched.
    fn probe(&self, position: Position) -> Option<i8> {
        self.0.known_bounds(&position.0).value()
    }

    /// The number of positions that have been searched so far.
    #[getter]
    fn positions(&self) -> u64 {
        self.0.positions()
    }

    fn _solve_keys<'py>(&self, py: Python<'py>, keys: &[u8]) -> PyResult<Bound<'py, PyByteArray>> {
        let positions = positions(keys)?;
        let mut values = room(positions.len())?;
        for position in &positions {
            py.check_signals()?;
            let value = interruptible(py, |control| self.value(position, control))?;
            values.push(value.cast_unsigned());
        }
        byte_array(py, &values)
    }

    /// The values of the 26 moves of each position; `UNKNOWN` for those that are illegal.
    fn _move_values_keys<'py>(
        &self,
        py: Python<'py>,
        keys: &[u8],
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let positions = positions(keys)?;
        let mut values = room(MOVES.saturating_mul(positions.len()))?;
        for position in positions {
            py.check_signals()?;
            let mut row = [UNKNOWN.cast_unsigned(); MOVES];
            for (mv, value) in self.move_values(py, Position(position))? {
                if let Some(place) = row.get_mut(mv.0.index()) {
                    *place = value.cast_unsigned();
                }
            }
            values.extend(row);
        }
        byte_array(py, &values)
    }
}

impl Solver {
    /// Returns the value of a position; `None` if the control has stopped the search.
    fn value(&self, position: &gothello::Position, control: &Control<'_>) -> Option<i8> {
        self.0.search(position, Objective::Value, control).value()
    }
}

/// Warns of a damaged file.
fn warn(error: &TablebaseError) {
    Python::attach(|py| {
        let text = CString::new(error.to_string()).unwrap_or_default();
        let kind = py.get_type::<PyRuntimeWarning>();
        // Nobody can handle a warning that has become an exception here.
        let _ = PyErr::warn(py, &kind, &text, 1);
    });
}

/// The tablebase of a solver.
pub enum TablebaseChoice {
    BuiltIn,
    Given(AnyTablebase),
}

impl<'py> FromPyObject<'_, 'py> for TablebaseChoice {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<TablebaseChoice> {
        if object.is_instance_of::<PyEllipsis>() {
            return Ok(TablebaseChoice::BuiltIn);
        }
        let right = "tablebase is a Tablebase, such as Tablebase(path), or None";
        let tablebase = instance::<Tablebase>(object, right)?;
        Ok(TablebaseChoice::Given(tablebase.get().positions.clone()))
    }
}
