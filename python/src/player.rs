//! The built-in players.

use std::sync::Mutex;
use std::time::Duration;

use gothello::player::{LeveledPlayer, Limits, PerfectPlayer, Player as _, Skill};
use pyo3::prelude::*;

use crate::moves::{Move, invalid};
use crate::position::Position;
use crate::waiting::wait;

/// A built-in player: "perfect", or a level from "1", the weakest, to "9". The moves of a weak player
/// follow from its level, its seed, and the positions that it has been given. Raises ValueError for other
/// levels.
///
/// >>> Player("perfect").choose(Position())
/// Move('c2')
#[pyclass(module = "gothello", frozen)]
pub struct Player {
    player: Mutex<LeveledPlayer>,
    level: String,
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(
        signature = (level = LevelName("perfect".into()), seed = 0),
        text_signature = "(level='perfect', seed=0)"
    )]
    fn new(level: LevelName, seed: u64) -> PyResult<Player> {
        let parsed = level.0.parse().map_err(invalid)?;
        let skill = Skill::new(parsed, seed);
        Ok(Player {
            player: Mutex::new(LeveledPlayer::new(
                Box::new(PerfectPlayer::default()),
                skill,
            )),
            level: level.0,
        })
    }

    /// Chooses a legal move, within `time` seconds if that is given; there always is one, because a pass
    /// is legal. Releases the GIL; Ctrl-C interrupts it.
    #[pyo3(signature = (position, time = None))]
    fn choose(&self, py: Python<'_>, position: Position, time: Option<f64>) -> PyResult<Move> {
        let time = match time {
            None => None,
            Some(seconds) => Some(Duration::try_from_secs_f64(seconds).map_err(invalid)?),
        };
        wait(py, |stop| {
            let mut limits = Limits::default().stopped_by(stop);
            limits.time = time;
            // A panic of the player is a panic of this program.
            let mut player = self.player.lock().ok()?;
            Some(Move(player.choose(&position.0, &limits).mv))
        })
    }

    fn __repr__(&self) -> String {
        format!("Player({:?})", self.level)
    }
}

/// The name of a level, or its number.
pub struct LevelName(String);

impl<'py> FromPyObject<'_, 'py> for LevelName {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<LevelName> {
        let name = match object.extract::<i64>() {
            Ok(number) => number.to_string(),
            Err(_) => object.extract()?,
        };
        Ok(LevelName(name))
    }
}
