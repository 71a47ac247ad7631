//! The built-in players.

use std::sync::{Mutex, TryLockError};

use gothello::player::{LeveledPlayer, Limits, PerfectPlayer, Player as _, Skill};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::arguments::{Integer, Time};
use crate::moves::{Move, invalid};
use crate::position::Position;
use crate::waiting::wait;

/// A built-in player: "perfect", or a level from "1", the weakest, to "9". The moves of a weak player
/// follow from its level, its seed, 0 to 2**64 - 1, and the positions that it has been given. Raises ValueError
/// for other levels and seeds.
///
/// A player is for one thread. A copy, or one that has been pickled, has the same level and seed, and its
/// random numbers start again.
///
/// >>> Player("perfect").choose(Position())
/// Move('c2')
#[pyclass(module = "gothello", frozen)]
pub struct Player {
    player: Mutex<LeveledPlayer>,
    level: String,
    seed: u64,
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(
        signature = (level = LevelName("perfect".into()), seed = Integer::Number(0)),
        text_signature = "(level='perfect', seed=0)"
    )]
    fn new(level: LevelName, seed: Integer) -> PyResult<Player> {
        let parsed = level.0.parse().map_err(invalid)?;
        let seed = seed.within("seed", 0..=u64::MAX)?;
        let skill = Skill::new(parsed, seed);
        Ok(Player {
            player: Mutex::new(LeveledPlayer::new(
                Box::new(PerfectPlayer::default()),
                skill,
            )),
            level: level.0,
            seed,
        })
    }

    /// Chooses a legal move, within `time` seconds if that is given; there always is one, because a pass
    /// is legal. Releases the GIL; Ctrl-C interrupts it. Raises RuntimeError while another thread is in this
    /// method.
    #[pyo3(signature = (position, time = None))]
    fn choose(&self, py: Python<'_>, position: Position, time: Option<Time>) -> PyResult<Move> {
        let chosen = wait(py, |stop| {
            let mut limits = Limits::default().stopped_by(stop);
            limits.time = time.as_ref().map(|time| time.0);
            unless_busy(&self.player, |player| {
                player.choose(&position.0, &limits).mv
            })
            .transpose()
        })?;
        Ok(Move(chosen?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&str, u64)) {
        (py.get_type::<Player>(), (&self.level, self.seed))
    }

    fn __repr__(&self) -> String {
        format!("Player({:?}, seed={})", self.level, self.seed)
    }
}

/// Does work with what is in a mutex; `None` if a panic has left it as it is.
///
/// # Errors
/// Another thread uses it.
pub fn unless_busy<P, T>(
    player: &Mutex<P>,
    work: impl FnOnce(&mut P) -> T,
) -> Result<Option<T>, Busy> {
    match player.try_lock() {
        Ok(mut player) => Ok(Some(work(&mut player))),
        Err(TryLockError::WouldBlock) => Err(Busy),
        Err(TryLockError::Poisoned(_)) => Ok(None),
    }
}

/// A player is at work in another thread.
pub struct Busy;

impl From<Busy> for PyErr {
    fn from(_: Busy) -> PyErr {
        PyRuntimeError::new_err("the player is choosing a move in another thread: use one for each")
    }
}

/// The name of a level, or its number.
pub struct LevelName(String);

impl<'py> FromPyObject<'_, 'py> for LevelName {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<LevelName> {
        if object.is_instance_of::<PyString>() {
            return object.extract().map(LevelName);
        }
        match object.extract()? {
            Integer::Other(shown) => Err(PyTypeError::new_err(format!(
                "level is 'perfect' or an integer from 1 to 9, not {shown}"
            ))),
            number => Ok(LevelName(number.to_string())),
        }
    }
}
