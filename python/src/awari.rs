//! Awari: its rules, endgame databases, and the built-in player.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use gothello::awari::{self, Pit, Variant};
use gothello::endgame::{self, MAX_STONES};
use gothello::player::{AwariSearch, Limits};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyType};

use crate::arguments::{Integer, Time, each, instance, text};
use crate::files::read_file;
use crate::moves::invalid;
use crate::player::unless_busy;
use crate::waiting::wait;

/// A game of Awari with its moves, from the usual start or a position.
///
/// Pits are "A" to "F", South's, and "a" to "f", North's. The text of a position has the stones in the
/// pits, those that North and South have captured, and the player to move. `variant` has the letter of a
/// grand slam, "a" to "e", and "claim" or "discard" for repetitions. Raises ValueError for other texts.
///
/// >>> game = Game()
/// >>> game.play("F")
/// >>> game.position
/// '5,5,5,5,4,4/4,4,4,4,4,0 0 0 n'
#[pyclass(module = "gothello.awari", eq)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    game: awari::Game,
    start: awari::Position,
}

impl FromPyObject<'_, '_> for Game {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Game> {
        let right = "a game is an awari.Game, such as awari.Game(position, moves)";
        Ok(instance::<Game>(object, right)?.try_borrow()?.clone())
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(
        signature = (position = None, moves = None, *, variant = None),
        text_signature = "(position=None, moves=(), *, variant=None)"
    )]
    fn new(
        position: Option<&Bound<'_, PyAny>>,
        moves: Option<&Bound<'_, PyAny>>,
        variant: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Game> {
        let right = "a position is a text such as '4,4,4,4,4,4/4,4,4,4,4,4 0 0 s'";
        let start = match position {
            None => awari::Position::START,
            Some(given) => text(given, right)?.parse().map_err(invalid)?,
        };
        let mut game = Game {
            game: awari::Game::new(start, read_variant(variant)?),
            start,
        };
        if let Some(moves) = moves {
            let right = "moves are an iterable of pits such as ['F', 'a']";
            each(moves, right, |pit| game.play(&pit))?;
        }
        Ok(game)
    }

    /// Sows the stones of a pit of the player to move. Raises ValueError if that is illegal or the game is
    /// over; the game is then unchanged.
    fn play(&mut self, pit: &Bound<'_, PyAny>) -> PyResult<()> {
        let pit = text(pit, "a pit is a letter from 'A' to 'F' or 'a' to 'f'")?;
        let pit: Pit = pit.parse().map_err(invalid)?;
        self.game.play(self.game.to_move(), pit).map_err(invalid)
    }

    /// Takes back the last move. Returns False if there is none.
    fn undo(&mut self) -> bool {
        self.game.undo()
    }

    /// Returns the legal moves; none if the game is over.
    fn legal_moves(&self) -> Vec<String> {
        self.game.legal_moves().map(|pit| pit.to_string()).collect()
    }

    /// The position as text; after the end of the game, the last one.
    #[getter]
    fn position(&self) -> String {
        self.game.position().to_string()
    }

    /// The stones in the pits a to f, then A to F: twelve numbers.
    #[getter]
    fn pits(&self) -> Vec<u32> {
        // A vector of bytes would be `bytes`.
        self.game.pits().iter().copied().map(u32::from).collect()
    }

    /// The captured stones of South and of North; after the end, their final scores.
    #[getter]
    fn scores(&self) -> (u8, u8) {
        let scores = self.game.scores();
        (scores.south, scores.north)
    }

    /// The player to move, "south" or "north"; in a game that is over, who would be.
    #[getter]
    fn to_move(&self) -> &'static str {
        player_name(self.game.to_move())
    }

    /// The moves, the first one first.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.game.moves().map(|pit| pit.to_string()).collect()
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.game.is_over()
    }

    /// The winner, "south" or "north"; None in a draw, and while the game goes on.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        match self.game.status() {
            awari::Status::Undecided => None,
            awari::Status::Over(outcome) => outcome.winner().map(player_name),
        }
    }

    /// Why the game is over: "25 stones", "no move", "repetition", or "grand slam"; None if it is not.
    #[getter]
    fn end_reason(&self) -> Option<String> {
        match self.game.status() {
            awari::Status::Undecided => None,
            awari::Status::Over(outcome) => Some(outcome.ending.to_string()),
        }
    }

    /// The variant of the rules, as in "e claim".
    #[getter]
    fn variant(&self) -> String {
        self.game.variant().to_string()
    }

    fn __len__(&self) -> usize {
        self.game.moves().count()
    }

    fn __repr__(&self) -> String {
        let moves = self.moves().join(" ");
        format!("<Game from {}: {moves}>", self.start)
    }

    fn __copy__(&self) -> Game {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Game {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Restored)> {
        let restore = py.get_type::<Game>().getattr("_restored")?;
        Ok((
            restore,
            (self.start.to_string(), self.moves(), self.variant()),
        ))
    }

    #[classmethod]
    fn _restored(
        _class: &Bound<'_, PyType>,
        position: &Bound<'_, PyAny>,
        moves: &Bound<'_, PyAny>,
        variant: &Bound<'_, PyAny>,
    ) -> PyResult<Game> {
        Game::new(Some(position), Some(moves), Some(variant))
    }
}

/// What a pickled game is restored from: position, moves, variant.
type Restored = (String, Vec<String>, String);

/// An endgame database: bounds on the stones that the player to move can still win in all positions with
/// few stones on the board.
///
/// `Database.build(stones)` computes one with up to 21 stones: 12 take a second, 17 two minutes. A file of
/// `gothello awari-db` is read by `Database.load(path)`.
#[pyclass(module = "gothello.awari", frozen)]
#[derive(Clone)]
pub struct Database(Arc<endgame::Database>);

impl FromPyObject<'_, '_> for Database {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Database> {
        let right = "a database is a Database, such as Database.load(path)";
        Ok(instance::<Database>(object, right)?.get().clone())
    }
}

#[pymethods]
impl Database {
    /// Computes a database for the positions with up to `stones` stones on the board, on all cores. Releases
    /// the GIL; Ctrl-C interrupts it. Raises ValueError if that is not 0 to 21.
    #[staticmethod]
    #[pyo3(signature = (stones, *, variant = None))]
    fn build(
        py: Python<'_>,
        stones: Integer,
        variant: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Database> {
        let stones = stones.within("stones", 0..=MAX_STONES)?;
        let variant = read_variant(variant)?;
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let database = wait(py, |stop: &AtomicBool| {
            endgame::Database::build(variant, stones, threads, stop)
        })?;
        Ok(Database(Arc::new(database)))
    }

    /// Reads a file. Raises ValueError if it is not a database, OSError if it cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Database> {
        let read = endgame::Database::from_bytes(&read_file(py, &path)?);
        let database = read.map_err(|error| invalid(format!("{}: {error}", path.display())))?;
        Ok(Database(Arc::new(database)))
    }

    /// The largest number of stones on the board of its positions.
    #[getter]
    fn stones(&self) -> u8 {
        self.0.stones()
    }

    /// The variant of the rules that it is for.
    #[getter]
    fn variant(&self) -> String {
        self.0.variant().to_string()
    }

    /// Returns the lowest and the highest number of the stones on the board that the player to move wins
    /// under best play, equal where that is known; None if there are more stones on the board than in the
    /// database. They hold where no earlier position of the game occurs again.
    fn look_up(&self, game: Game) -> PyResult<Option<(u8, u8)>> {
        same_variant(&self.0, &game.game)?;
        let bounds = self.0.look_up(game.game.position());
        Ok(bounds.map(|bounds| (bounds.low, bounds.high)))
    }
}

/// The built-in player of Awari. With a database it plays the endgames that this has without a fault. A
/// player is for one thread.
#[pyclass(module = "gothello.awari", frozen)]
pub struct Player {
    search: Mutex<AwariSearch>,
    database: Option<Arc<endgame::Database>>,
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (database = None, depth = None))]
    fn new(database: Option<Database>, depth: Option<Integer>) -> PyResult<Player> {
        let database = database.map(|database| database.0);
        let search = AwariSearch::new(database.clone());
        let search = Mutex::new(match depth {
            None => search,
            Some(plies) => search.with_depth(plies.within("depth", 1..=AwariSearch::MAX_DEPTH)?),
        });
        Ok(Player { search, database })
    }

    /// Chooses a legal move within `time` seconds. Releases the GIL; Ctrl-C interrupts it. Raises ValueError
    /// if the game is over, or if the database is for another variant; RuntimeError while another thread is in
    /// this method.
    #[pyo3(signature = (game, time = Time(Duration::from_secs(1))), text_signature = "($self, game, time=1.0)")]
    fn choose(&self, py: Python<'_>, game: Game, time: Time) -> PyResult<String> {
        if game.game.is_over() {
            return Err(invalid("the game is over"));
        }
        if let Some(database) = &self.database {
            same_variant(database, &game.game)?;
        }
        let game = game.game;
        let chosen = wait(py, |stop| {
            let limits = Limits::within(time.0).stopped_by(stop);
            unless_busy(&self.search, |player| player.choose(&game, &limits).pit).transpose()
        })?;
        Ok(chosen?.to_string())
    }
}

/// Checks that a database is for the variant of a game.
fn same_variant(database: &endgame::Database, game: &awari::Game) -> PyResult<()> {
    let (own, other) = (database.variant(), game.variant());
    if own == other {
        return Ok(());
    }
    Err(invalid(format!(
        "the database is for the variant {own}, the game has {other}"
    )))
}

fn player_name(player: awari::Player) -> &'static str {
    match player {
        awari::Player::South => "south",
        awari::Player::North => "north",
    }
}

fn read_variant(given: Option<&Bound<'_, PyAny>>) -> PyResult<Variant> {
    let Some(given) = given else {
        return Ok(Variant::default());
    };
    let variant = text(given, "a variant is a text such as 'e claim'")?;
    variant.parse().map_err(invalid)
}

/// The classes of the module `gothello.awari`.
#[pymodule(name = "awari")]
pub mod module {
    #[pymodule_export]
    use super::{Database, Game, Player};
}
