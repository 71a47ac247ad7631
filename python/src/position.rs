//! Positions.

use gothello::{Next, Symmetry};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyType};

use crate::arguments::{Integer, instance, text};
use crate::moves::{ColorName, Move, MoveLike, Outcome, color_name, invalid};

/// A position: the stones, the player to move, and whether the last move was a pass.
///
/// Its text is the rows from the top, `b`, `w` or `.` for each point, then the player to move, and
/// `pass` if the last move was one. `Position()` is the empty board with Black to move. Positions
/// are immutable and hashable. Raises ValueError if the text is not a legal position.
///
/// >>> position = Position("w.bb./b.bw./.bwww/b..ww/w..ww b")
/// >>> [str(move) for move in position.legal_moves()][:3]
/// ['b1', 'c1', 'b2']
#[pyclass(module = "gothello", frozen, eq, ord, hash)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub gothello::Position);

impl FromPyObject<'_, '_> for Position {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Position> {
        let right = "a position is a Position, such as Position(text) or game.position";
        Ok(*instance::<Position>(object, right)?.get())
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (text = None))]
    fn new(text: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
        let Some(given) = text else {
            return Ok(Position(gothello::Position::START));
        };
        let right = "a position is a text such as '...../...../..b../...../..... w'";
        let text = self::text(given, right)?;
        text.parse().map(Position).map_err(invalid)
    }

    /// The player to move, "black" or "white".
    #[getter]
    fn get_to_move(&self) -> &'static str {
        color_name(self.0.to_move())
    }

    /// Whether the last move was a pass, so that another pass ends the game.
    #[getter]
    fn after_pass(&self) -> bool {
        self.0.after_pass()
    }

    /// The number of stones on the board, 0 to 24.
    #[getter]
    fn stones(&self) -> u32 {
        25 - self.0.empty().len()
    }

    /// Returns the number of stones of a color, 0 to 24.
    fn count(&self, color: ColorName) -> u32 {
        self.0.stones_of(color.0).len()
    }

    /// Returns the color of the stone on a point such as "c3"; None if the point is empty. Raises
    /// ValueError if it is not a point.
    fn stone_at(&self, point: MoveLike) -> PyResult<Option<&'static str>> {
        let point = point.0.point();
        let point = point.ok_or_else(|| invalid("a pass is not a point"))?;
        Ok(self.0.stone_at(point).map(color_name))
    }

    /// Returns every legal move: the placements from a1 to e5, then the pass, which is always legal.
    fn legal_moves(&self) -> Vec<Move> {
        self.0.legal_moves().map(Move).collect()
    }

    /// Returns whether a move is legal. Raises ValueError if it is not a move.
    fn is_legal(&self, r#move: MoveLike) -> bool {
        self.0.play(r#move.0).is_ok()
    }

    /// Returns the position after a move, or the Outcome if the move ends the game: a pass after a
    /// pass does. Raises ValueError if the move is illegal, with the reason.
    fn play<'py>(&self, py: Python<'py>, r#move: MoveLike) -> PyResult<Bound<'py, PyAny>> {
        match self.0.play(r#move.0).map_err(invalid)? {
            Next::Continues(position) => Ok(Bound::new(py, Position(position))?.into_any()),
            Next::Ends(outcome) => Ok(Bound::new(py, Outcome(outcome))?.into_any()),
        }
    }

    /// The key of the position, below 2**61: the stones of the player to move, those of the opponent,
    /// and whether the last move was a pass. Only the position with all colors exchanged has the same
    /// key. The functions of `gothello.arrays` take such keys.
    #[getter]
    fn key(&self) -> u64 {
        self.0.key()
    }

    /// Returns the position with a key; `to_move` says whose stones are the first ones. Raises
    /// ValueError if it is not the key of a legal position.
    #[staticmethod]
    #[pyo3(
        signature = (key, to_move = ColorName(gothello::Color::Black)),
        text_signature = "(key, to_move='black')"
    )]
    fn from_key(key: Integer, to_move: ColorName) -> PyResult<Position> {
        let number = match &key {
            Integer::Number(number) => u64::try_from(*number).ok(),
            Integer::Huge(_) => None,
            Integer::Other(shown) => {
                let wrong = format!("a key is an integer such as position.key, not {shown}");
                return Err(PyTypeError::new_err(wrong));
            }
        };
        number
            .and_then(|number| crate::arrays::position_with_key(number, to_move.0))
            .map(Position)
            .ok_or_else(|| invalid(format!("{key} is not the key of a legal position")))
    }

    /// Returns the eight images of the position under the symmetries of the board, itself first.
    fn images(&self) -> Vec<Position> {
        let images = Symmetry::ALL.iter();
        images
            .map(|&symmetry| Position(self.0.image(symmetry)))
            .collect()
    }

    /// Returns the image with the smallest key: the same one for all eight images.
    fn canonical(&self) -> Position {
        Position(self.0.canonical())
    }

    /// Returns the board as an SVG picture.
    fn svg(&self) -> String {
        self.0.board().to_svg()
    }

    fn _repr_svg_(&self) -> String {
        // Notebooks show a picture without a size as wide as the page.
        self.svg().replacen("<svg ", "<svg width=\"200\" ", 1)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.0)
    }

    fn __copy__(&self) -> Position {
        *self
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Position {
        *self
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Position>(), (self.0.to_string(),))
    }
}
