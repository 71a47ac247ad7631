//! A position with the values of its moves, and its line of JSON.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::games::gothello::{Move, Position};

/// The value of a move that is not legal.
pub const UNKNOWN: i8 = i8::MIN;

/// A position with the value of every move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    position: Position,
    values: [i8; Move::COUNT],
}

impl Record {
    /// Creates a record from the values of the legal moves, of which the pass is always one.
    pub fn new(position: Position, moves: impl IntoIterator<Item = (Move, i8)>) -> Record {
        let mut values = [UNKNOWN; Move::COUNT];
        for (mv, value) in moves {
            values[mv.index()] = value;
        }
        Record { position, values }
    }

    /// Returns the position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the number of stones on the board.
    pub fn stones(&self) -> u8 {
        // There are at most 24.
        self.position.stones().count() as u8
    }

    /// Returns the value of the position for the player to move.
    pub fn value(&self) -> i8 {
        self.values.iter().copied().max().unwrap_or(UNKNOWN)
    }

    /// Returns the value of each move by its [index](Move::index) for the player who makes it;
    /// [`UNKNOWN`] if it is not legal.
    pub fn values(&self) -> &[i8; Move::COUNT] {
        &self.values
    }

    /// Returns the legal moves with their values, in the order of their indexes.
    pub fn moves(&self) -> impl Iterator<Item = (Move, i8)> {
        let moves = self.values.iter().enumerate();
        let legal = moves.filter(|&(_, &value)| value != UNKNOWN);
        legal.filter_map(|(index, &value)| Some((Move::with_index(index)?, value)))
    }

    /// Returns the best moves, in the order of their indexes.
    pub fn best_moves(&self) -> impl Iterator<Item = Move> {
        let best = self.value();
        let moves = self.moves().filter(move |&(_, value)| value == best);
        moves.map(|(mv, _)| mv)
    }
}

/// A record as JSON.
#[derive(Serialize)]
struct Json {
    position: Position,
    key: u64,
    stones: u8,
    value: i8,
    best_moves: Vec<Move>,
    moves: JsonMoves,
}

/// The moves of a record, each with its value.
struct JsonMoves(Record);

impl Serialize for JsonMoves {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (mv, value) in self.0.moves() {
            map.serialize_entry(&mv, &value)?;
        }
        map.end()
    }
}

/// Returns a record as an object of JSON on one line, without the line end.
///
/// ```
/// use gothello::{Position, dataset, solver::Control};
///
/// let position = "bbb.b/bw.b./.wbbw/ww.bw/wwbww b".parse::<Position>()?;
/// let records = dataset::solve(&[position], &Default::default(), 1, &Control::UNLIMITED, |_| ())?;
/// assert_eq!(
///     dataset::json_line(&records[0]),
///     concat!(
///         r#"{"position":"bbb.b/bw.b./.wbbw/ww.bw/wwbww b","key":643449839993348,"stones":20,"#,
///         r#""value":24,"best_moves":["c2","a3","c4","e4"],"#,
///         r#""moves":{"c2":24,"a3":24,"c4":24,"e4":24,"d5":-2,"pass":0}}"#,
///     )
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn json_line(record: &Record) -> String {
    let json = Json {
        position: *record.position(),
        key: record.position().key(),
        stones: record.stones(),
        value: record.value(),
        best_moves: record.best_moves().collect(),
        moves: JsonMoves(*record),
    };
    // Nothing of it can fail.
    serde_json::to_string(&json).unwrap_or_default()
}
