//! Batches of positions in one call. An array is the bytes of its elements, in the order of the machine:
//! `gothello/arrays.py` makes NumPy arrays of them.

use std::collections::TryReserveError;

use gothello::base::rng::Rng;
use gothello::dataset::{UNKNOWN, play_game, random_move};
use gothello::{Color, Move, Next, PointSet, Position, Symmetry};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::arguments::each;
use crate::moves::invalid;

/// The number of moves.
pub const MOVES: usize = Move::COUNT;

/// The number of planes of a position.
const PLANES: usize = 4;

/// The number of points.
const POINTS: usize = 25;

/// The number of bytes of a key.
const KEY_BYTES: usize = 8;

/// No game of random moves is longer: 24 placements, and a pass before and after each.
const LONGEST_GAME: usize = 50;

/// The number of random games between two looks for signals: some milliseconds.
const GAMES_AT_ONCE: usize = 1_000;

/// The number of bits of a set of points in a key.
const SET_BITS: u32 = 30;

/// Returns the position with a key and this player to move; `None` if it is not the key of a legal one.
pub fn position_with_key(key: u64, to_move: Color) -> Option<Position> {
    let set = |bits: u64| {
        let bits = bits & ((1 << SET_BITS) - 1);
        PointSet::from_bits(u32::try_from(bits).ok()?)
    };
    let (mover, opponent) = (set(key)?, set(key >> SET_BITS)?);
    let after_pass = match key >> (2 * SET_BITS) {
        0 => false,
        1 => true,
        _ => return None,
    };
    let (black, white) = match to_move {
        Color::Black => (mover, opponent),
        Color::White => (opponent, mover),
    };
    Position::new(black, white, to_move, after_pass).ok()
}

/// Returns the results for all keys in the bytes of an array.
///
/// # Errors
/// There is none for one of them.
pub fn each_key<T>(keys: &[u8], mut result: impl FnMut(u64) -> Option<T>) -> PyResult<Vec<T>> {
    let (keys, _) = keys.as_chunks::<KEY_BYTES>();
    let mut results = room(keys.len())?;
    for (row, &bytes) in keys.iter().enumerate() {
        let key = u64::from_ne_bytes(bytes);
        results.push(result(key).ok_or_else(|| no_key(row, key))?);
    }
    Ok(results)
}

/// Returns the positions with the keys in the bytes of an array, all with Black to move.
pub fn positions(keys: &[u8]) -> PyResult<Vec<Position>> {
    each_key(keys, |key| position_with_key(key, Color::Black))
}

/// Returns an array with a row of `width` bytes, at first zeros, for each key in the bytes of an array.
fn rows<'py>(
    py: Python<'py>,
    keys: &[u8],
    width: usize,
    fill: impl Fn(&Position, &mut [u8]) + Sync,
) -> PyResult<Bound<'py, PyByteArray>> {
    let (keys, _) = keys.as_chunks::<KEY_BYTES>();
    let length = keys.len().checked_mul(width).ok_or_else(no_memory)?;
    PyByteArray::new_with(py, length, |bytes| {
        py.detach(|| {
            let rows = bytes.chunks_exact_mut(width);
            for (number, (&key, row)) in keys.iter().zip(rows).enumerate() {
                let key = u64::from_ne_bytes(key);
                let position = position_with_key(key, Color::Black);
                fill(&position.ok_or_else(|| no_key(number, key))?, row);
            }
            Ok(())
        })
    })
}

/// Returns an array with these bytes.
///
/// # Errors
/// The system refuses the memory.
pub fn byte_array<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, bytes.len(), |array| {
        array.copy_from_slice(bytes);
        Ok(())
    })
}

/// Returns an empty vector with room for `length` elements.
///
/// # Errors
/// The system refuses the memory.
pub fn room<T>(length: usize) -> PyResult<Vec<T>> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(length).map_err(|_| no_memory())?;
    Ok(vector)
}

fn no_memory() -> PyErr {
    PyMemoryError::new_err("the result does not fit the memory")
}

fn no_key(row: usize, key: u64) -> PyErr {
    invalid(format!(
        "row {row}: {key} is not the key of a legal position"
    ))
}

/// Returns the keys after a move of each position, and the leads, as bytes.
fn play_all(keys: &[u8], moves: &[u8]) -> PyResult<(Vec<u8>, Vec<u8>)> {
    let positions = positions(keys)?;
    if positions.len() != moves.len() {
        let (keys, moves) = (positions.len(), moves.len());
        return Err(invalid(format!("{keys} keys, but {moves} moves")));
    }
    let mut after = room(keys.len())?;
    let mut leads = room(moves.len())?;
    for (row, (position, &index)) in positions.iter().zip(moves).enumerate() {
        let wrong = |why: String| invalid(format!("row {row}: {why}"));
        let mv = Move::with_index(index.into());
        let mv = mv.ok_or_else(|| wrong(format!("invalid index of a move {index}")))?;
        let next = position.play(mv);
        let (key, lead) = match next.map_err(|error| wrong(error.to_string()))? {
            Next::Continues(next) => (next.key(), UNKNOWN),
            Next::Ends(outcome) => (position.key(), outcome.lead_of(position.to_move())),
        };
        after.extend(key.to_ne_bytes());
        leads.push(lead.cast_unsigned());
    }
    Ok((after, leads))
}

/// Functions of arrays of keys, as bytes.
#[pymodule]
pub mod arrays {
    use super::*;

    /// The keys of positions.
    #[pyfunction]
    fn keys<'py>(positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyByteArray>> {
        let right = "positions are an iterable such as [Position()]";
        let mut row = 0;
        let keys = each(positions, right, |object| {
            let position = object.extract::<crate::position::Position>();
            let position = position.map_err(|error| {
                let why = error.value(object.py());
                PyTypeError::new_err(format!("row {row}: {why}"))
            })?;
            row += 1;
            Ok(position.0.key().to_ne_bytes())
        })?;
        byte_array(positions.py(), keys.as_flattened())
    }

    /// The number of stones on the board of each position.
    #[pyfunction]
    fn stones<'py>(py: Python<'py>, keys: &[u8]) -> PyResult<Bound<'py, PyByteArray>> {
        rows(py, keys, 1, |position, row| {
            row.fill((POINTS as u32 - position.empty().len()) as u8);
        })
    }

    /// 1 for each legal move, 0 for the others: 26 bytes for each position.
    #[pyfunction]
    fn legal_moves<'py>(py: Python<'py>, keys: &[u8]) -> PyResult<Bound<'py, PyByteArray>> {
        rows(py, keys, MOVES, |position, row| {
            let legal = position.legal_moves().map(Move::index);
            for index in legal {
                if let Some(place) = row.get_mut(index) {
                    *place = 1;
                }
            }
        })
    }

    /// The keys after a move of each position, and the lead of the player who has made it where it ends
    /// the game, `UNKNOWN` elsewhere.
    #[pyfunction]
    fn play<'py>(
        py: Python<'py>,
        keys: &[u8],
        moves: &[u8],
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let (after, leads) = py.detach(|| play_all(keys, moves))?;
        Ok((byte_array(py, &after)?, byte_array(py, &leads)?))
    }

    /// Four planes of 5x5 bytes for each position.
    #[pyfunction]
    fn planes<'py>(py: Python<'py>, keys: &[u8]) -> PyResult<Bound<'py, PyByteArray>> {
        rows(py, keys, PLANES * POINTS, |position, row| {
            let stones = position.stones();
            let legal = stones.legal(position.empty());
            let planes = row.as_chunks_mut::<POINTS>().0;
            for (points, plane) in [stones.mover, stones.opponent, legal]
                .iter()
                .zip(&mut *planes)
            {
                for point in points.iter() {
                    if let Some(place) = plane.get_mut(Move::Place(point).index()) {
                        *place = 1;
                    }
                }
            }
            if let Some(passed) = planes.last_mut() {
                passed.fill(position.after_pass().into());
            }
        })
    }

    /// The keys of the eight images of each position under the symmetries of the board.
    #[pyfunction]
    fn images<'py>(py: Python<'py>, keys: &[u8]) -> PyResult<Bound<'py, PyByteArray>> {
        rows(
            py,
            keys,
            Symmetry::ALL.len() * KEY_BYTES,
            |position, row| {
                let images = row.as_chunks_mut::<KEY_BYTES>().0;
                for (symmetry, image) in Symmetry::ALL.into_iter().zip(images) {
                    *image = position.image(symmetry).key().to_ne_bytes();
                }
            },
        )
    }

    /// The index of the image of each of the 26 moves under each symmetry.
    #[pyfunction]
    fn move_images(py: Python<'_>) -> PyResult<Bound<'_, PyByteArray>> {
        let moves = (0..MOVES).filter_map(Move::with_index);
        let images = Symmetry::ALL.into_iter().flat_map(|symmetry| {
            let moves = moves.clone();
            moves.map(move |mv| symmetry.apply_to(mv).index() as u8)
        });
        byte_array(py, &images.collect::<Vec<_>>())
    }

    /// The length, keys, moves, and Black's lead of random games: bytes.
    #[pyfunction]
    fn random_games<'py>(
        py: Python<'py>,
        games: usize,
        seed: u64,
    ) -> PyResult<[Bound<'py, PyByteArray>; 4]> {
        let mut rng = Rng::new(seed);
        let mut lengths: Vec<u8> = room(games.saturating_mul(size_of::<u32>()))?;
        let mut leads: Vec<u8> = room(games)?;
        let (mut keys, mut moves) = (Vec::<u8>::new(), Vec::<u8>::new());
        let mut left = games;
        while left > 0 {
            py.check_signals()?;
            let now = left.min(GAMES_AT_ONCE);
            left -= now;
            py.detach(|| -> Result<(), TryReserveError> {
                keys.try_reserve(now * LONGEST_GAME * KEY_BYTES)?;
                moves.try_reserve(now * LONGEST_GAME)?;
                for _ in 0..now {
                    let begin = moves.len();
                    let outcome = play_game(|position| {
                        let mv = random_move(position, &mut rng);
                        keys.extend(position.key().to_ne_bytes());
                        moves.push(mv.index() as u8);
                        Some(mv)
                    });
                    // Only legal moves were made.
                    let lead = outcome.map_or(0, |outcome| outcome.lead_of(Color::Black));
                    leads.push(lead.cast_unsigned());
                    let length = u32::try_from(moves.len() - begin).unwrap_or(u32::MAX);
                    lengths.extend(length.to_ne_bytes());
                }
                Ok(())
            })
            .map_err(|_| no_memory())?;
        }
        Ok([
            byte_array(py, &lengths)?,
            byte_array(py, &keys)?,
            byte_array(py, &moves)?,
            byte_array(py, &leads)?,
        ])
    }
}
