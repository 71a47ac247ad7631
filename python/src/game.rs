//! Games: the moves that have been played.

use gothello::game::Game as _;
use gothello::{Step, sgf};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes, PyType};

use crate::arguments::{each, text};
use crate::moves::{Move, MoveLike, Outcome, color_name, invalid};
use crate::position::Position;

/// A game with its moves, from the empty board or a position.
///
/// >>> game = Game()
/// >>> for move in ["c3", "pass", "pass"]:
/// ...     game.play(move)
/// >>> str(game.outcome)
/// 'B+1'
#[pyclass(module = "gothello", eq)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game(pub gothello::Game);

#[pymethods]
impl Game {
    #[new]
    #[pyo3(
        signature = (position = None, moves = None),
        text_signature = "(position=None, moves=())"
    )]
    fn new(position: Option<Position>, moves: Option<&Bound<'_, PyAny>>) -> PyResult<Game> {
        let start = position.map_or(gothello::Position::START, |position| position.0);
        let mut game = Game(gothello::Game::from(start));
        if let Some(moves) = moves {
            let right = "moves are an iterable such as ['c3', 'pass']";
            each(moves, right, |mv| game.play(mv.extract()?))?;
        }
        Ok(game)
    }

    /// Plays a move of the player to move. Raises ValueError if it is illegal or the game is over;
    /// the game is then unchanged.
    fn play(&mut self, r#move: MoveLike) -> PyResult<()> {
        if self.0.is_over() {
            return Err(invalid("the game is over"));
        }
        self.0.play(self.0.to_move(), r#move.0).map_err(invalid)
    }

    /// Takes back the last move. Returns False if there is none.
    fn undo(&mut self) -> bool {
        self.0.undo()
    }

    /// The position; None if the game is over.
    #[getter]
    fn position(&self) -> Option<Position> {
        self.0.position().copied().map(Position)
    }

    /// The position from which the game started.
    #[getter]
    fn start(&self) -> Position {
        let first = self.0.steps().next();
        Position(match first {
            Some((Step::SetUp(position), _)) => position,
            _ => gothello::Position::START,
        })
    }

    /// The moves, the first one first.
    #[getter]
    fn moves(&self) -> Vec<Move> {
        self.0.moves().map(|(_, mv)| Move(mv)).collect()
    }

    /// The player to move, "black" or "white"; in a game that is over, who would be.
    #[getter]
    fn to_move(&self) -> &'static str {
        color_name(self.0.to_move())
    }

    /// Whether both players have passed in succession.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// The Outcome; None if the game is not over.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome().map(Outcome)
    }

    /// Returns the game as an SGF file. Where the last move before the start was a pass, the file has it as
    /// the first move.
    fn to_sgf(&self) -> String {
        sgf::write(&self.0)
    }

    /// Reads the main line of the first game of an SGF file, a str or the bytes of a file in any
    /// encoding. If positions are set up in it, the game starts from the last one. Raises ValueError if there
    /// is none, or if a move is illegal.
    #[staticmethod]
    fn from_sgf(file: SgfFile) -> PyResult<Game> {
        let text = match file {
            SgfFile::Text(text) => text,
            SgfFile::Bytes(bytes) => sgf::decode(&bytes),
        };
        let read = sgf::read(&text, usize::MAX).map_err(invalid)?;
        let mut game = gothello::Game::new();
        for (step, _) in read.steps() {
            match step {
                Step::SetUp(position) => game = position.into(),
                Step::Played { color, mv } => game.play(color, mv).map_err(invalid)?,
            }
        }
        Ok(Game(game))
    }

    /// Returns the board as an SVG picture.
    fn svg(&self) -> String {
        self.0.board().to_svg()
    }

    fn _repr_svg_(&self) -> String {
        self.svg().replacen("<svg ", "<svg width=\"200\" ", 1)
    }

    fn __len__(&self) -> usize {
        self.moves().len()
    }

    fn __repr__(&self) -> String {
        let moves: Vec<String> = self.moves().iter().map(|mv| mv.0.to_string()).collect();
        format!("<Game from {}: {}>", self.start().0, moves.join(" "))
    }

    fn __copy__(&self) -> Game {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Game {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Position, Vec<Move>)) {
        (py.get_type::<Game>(), (self.start(), self.moves()))
    }
}

/// An SGF file as users give it.
pub enum SgfFile {
    Text(String),
    Bytes(Vec<u8>),
}

impl FromPyObject<'_, '_> for SgfFile {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<SgfFile> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(SgfFile::Bytes(bytes.as_bytes().to_vec()));
        }
        let right = "file is the content of a file as a text or as bytes, such as \
                     Path('a.sgf').read_bytes()";
        text(&object, right).map(SgfFile::Text)
    }
}
