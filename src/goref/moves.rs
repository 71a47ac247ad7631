//! How moves are written (the document, "Move" and "Point").

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::go::{Move, Point};

/// A row or column. Where a client writes a number that is none, below zero, with
/// a fraction or huge, it becomes one that is outside of every board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
struct Coordinate(u8);

impl Coordinate {
    /// Outside of every board.
    const OUTSIDE: Coordinate = Coordinate(u8::MAX);
}

impl<'de> Deserialize<'de> for Coordinate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Coordinate, D::Error> {
        struct Number;

        impl Visitor<'_> for Number {
            type Value = Coordinate;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Coordinate, E> {
                Ok(u8::try_from(number).map_or(Coordinate::OUTSIDE, Coordinate))
            }

            fn visit_i64<E: de::Error>(self, _: i64) -> Result<Coordinate, E> {
                // A number that is not below zero is visited as `u64`.
                Ok(Coordinate::OUTSIDE)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Coordinate, E> {
                // Some clients write 3 as 3.0.
                let whole = (0..u8::MAX).find(|&whole| f64::from(whole) == number);
                Ok(whole.map_or(Coordinate::OUTSIDE, Coordinate))
            }
        }

        deserializer.deserialize_any(Number)
    }
}

/// A point as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct WirePoint {
    row: Coordinate,
    column: Coordinate,
}

/// An object: what serde derives would take a list, too.
impl<'de> Deserialize<'de> for WirePoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WirePoint, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = WirePoint;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object with \"row\" and \"column\"")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WirePoint, A::Error> {
                #[derive(Deserialize)]
                struct Fields {
                    row: Coordinate,
                    column: Coordinate,
                }

                let Fields { row, column } =
                    Deserialize::deserialize(MapAccessDeserializer::new(map))?;
                Ok(WirePoint { row, column })
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// A move as it is written (Move).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum WireMove {
    Pass,
    Resign,
    Place { point: WirePoint },
}

impl From<WireMove> for Move {
    fn from(played: WireMove) -> Move {
        match played {
            WireMove::Pass => Move::Pass,
            WireMove::Resign => Move::Resign,
            WireMove::Place { point } => Move::Place(Point {
                row: point.row.0,
                column: point.column.0,
            }),
        }
    }
}

impl From<Move> for WireMove {
    fn from(played: Move) -> WireMove {
        match played {
            Move::Pass => WireMove::Pass,
            Move::Resign => WireMove::Resign,
            Move::Place(Point { row, column }) => WireMove::Place {
                point: WirePoint {
                    row: Coordinate(row),
                    column: Coordinate(column),
                },
            },
        }
    }
}

/// Reading and writing a [`Move`], for serde's `with`.
pub(crate) mod a_move {
    use super::{Deserialize, Deserializer, Move, Serialize, Serializer, WireMove};

    pub(crate) fn serialize<S: Serializer>(
        played: &Move,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        WireMove::from(*played).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Move, D::Error> {
        WireMove::deserialize(deserializer).map(Move::from)
    }
}
