//! Moves, outcomes and colors.

use std::hash::{DefaultHasher, Hash, Hasher};

use gothello::Color;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyType};

use crate::arguments::{text, wrong_type};

/// The largest lead at the end of a game.
const MAX_LEAD: u8 = 25;

/// A move: a stone on a point, or a pass.
///
/// `Move("c3")` and `Move("pass")` read a move in upper or lower case; `Move(12)` has an index: 0 is
/// a1, 1 is b1, 5 is a2, 24 is e5, and 25 is the pass. Functions that take a move take such a text
/// or index as well. Raises ValueError if it is not that of a move, and TypeError if it is neither a text
/// nor an index.
///
/// >>> Move("c3").index, str(Move(25))
/// (12, 'pass')
#[pyclass(module = "gothello", frozen, eq, ord, hash, from_py_object)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(pub gothello::Move);

/// A move as users give it: itself, its text, or its index.
pub struct MoveLike(pub gothello::Move);

impl<'py> FromPyObject<'_, 'py> for MoveLike {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<MoveLike> {
        let wrong = || {
            wrong_type(
                "a move is a Move, a text such as 'c3', or an index from 0 to 25",
                &object,
            )
        };
        if let Ok(mv) = object.cast::<Move>() {
            return Ok(MoveLike(mv.get().0));
        }
        if object.is_instance_of::<PyString>() {
            let text: String = object.extract()?;
            return text.parse().map(MoveLike).map_err(invalid);
        }
        if object.is_instance_of::<PyBool>() {
            return Err(wrong());
        }
        let index = match object.extract::<i64>() {
            Ok(index) => usize::try_from(index).ok(),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => None,
            Err(_) => return Err(wrong()),
        };
        let mv = index.and_then(gothello::Move::with_index);
        mv.map(MoveLike)
            .ok_or_else(|| invalid(format!("invalid index of a move {}: use 0 to 25", &*object)))
    }
}

#[pymethods]
impl Move {
    #[new]
    fn new(text_or_index: MoveLike) -> Move {
        Move(text_or_index.0)
    }

    /// The index of the move: column + 5 * row from a1, or 25 for the pass.
    #[getter]
    fn index(&self) -> usize {
        self.0.index()
    }

    /// Whether the move is a pass.
    #[getter]
    fn is_pass(&self) -> bool {
        self.0 == gothello::Move::Pass
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Move('{}')", self.0)
    }

    fn __index__(&self) -> usize {
        self.index()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Move>(), (self.0.to_string(),))
    }
}

/// How a game ended: who won, and by how many stones.
///
/// `Outcome("B+3")`, `Outcome("W+1")` and `Outcome("0")`, a draw. Raises ValueError for other texts, and for
/// more than 25 stones.
///
/// >>> Outcome("W+2").lead("black")
/// -2
#[pyclass(module = "gothello", frozen, eq)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome(pub gothello::Outcome);

#[pymethods]
impl Outcome {
    #[new]
    #[pyo3(text_signature = "(text)")]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<Outcome> {
        let text = self::text(
            text,
            "an outcome is a text such as 'B+3', or '0' for a draw",
        )?;
        let outcome = text.parse().ok().filter(|outcome: &gothello::Outcome| {
            outcome.lead_of(Color::Black).unsigned_abs() <= MAX_LEAD
        });
        outcome.map(Outcome).ok_or_else(|| {
            invalid(format!(
                "invalid outcome {text:?}: use B+ or W+ and a number from 1 to {MAX_LEAD}, or 0 for a draw"
            ))
        })
    }

    /// The winner, "black" or "white"; None if the game is drawn.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        self.0.winner().map(color_name)
    }

    /// Returns how many stones more the player of this color has at the end, -25 to 25.
    fn lead(&self, color: ColorName) -> i8 {
        self.0.lead_of(color.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Outcome('{}')", self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Outcome>(), (self.0.to_string(),))
    }
}

/// A color as users give it: "black" or "white".
pub struct ColorName(pub Color);

impl<'py> FromPyObject<'_, 'py> for ColorName {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<ColorName> {
        let name = text(&object, "a color is \"black\" or \"white\"")?;
        let color = Color::ALL
            .into_iter()
            .find(|&color| color_name(color) == name);
        color.map(ColorName).ok_or_else(|| {
            invalid(format!(
                "invalid color {name:?}: use \"black\" or \"white\""
            ))
        })
    }
}

/// Returns the name of a color.
pub fn color_name(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// Returns the ValueError with a message of the library.
pub fn invalid(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}
