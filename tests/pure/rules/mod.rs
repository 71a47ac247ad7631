//! The rules: the examples of the rules page, counts of the game tree, and comparison with a
//! second implementation.

mod agreement;
mod examples;
mod game;
mod naive;
mod perft;
mod picture;
mod safety;
mod sgf;
mod text;

use gothello::{Color, Point, PointSet};
use proptest::prelude::*;

/// A set of points from the low 25 bits of a number.
fn points(bits: u32) -> PointSet {
    let chosen = |point: &Point| bits >> point.index() & 1 == 1;
    Point::ALL.into_iter().filter(chosen).collect()
}

/// Any color.
fn any_color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::Black), Just(Color::White)]
}

/// Any stones with at most one on each point, from sparse boards to full ones.
fn any_stones() -> impl Strategy<Value = (PointSet, PointSet)> {
    (any::<u32>(), any::<u32>(), any::<u32>(), 0..4_u8).prop_map(|(a, b, c, density)| {
        let occupied = match density {
            0 => a & b,
            1 => a,
            2 => a | b,
            _ => a | b | !c,
        };
        (points(occupied & c), points(occupied & !c))
    })
}
