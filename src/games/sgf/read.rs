//! What a node of a record means in Gothello.

use super::fault::{Fault, LeftOut, ReadError};
use super::record::{
    Node, Property, Record, player_to_move, point_or_pass, quoted, rectangle, set_up_name, set_ups,
};
use crate::base::color::Color;
use crate::games::gothello::{Board, Move, Point, PointSet, Position, SIZE};

/// Parses the first game, which must be one of Gothello.
pub(super) fn parse(text: &str) -> Result<(Record, Vec<LeftOut>), ReadError> {
    let (record, left_out) = Record::parse(text)?;
    if record.header("GM").is_some_and(|game| game != "1") {
        return Err(ReadError::OtherGame);
    }
    // The format's default.
    let size = record.header("SZ").unwrap_or_else(|| "19".to_owned());
    let (columns, rows) = size.split_once(':').unwrap_or((&size, &size));
    let [columns, rows] = [columns, rows].map(str::trim);
    match [columns, rows].map(str::parse::<u8>) {
        [Ok(SIZE), Ok(SIZE)] => Ok((record, left_out)),
        _ => Err(ReadError::Size(quoted(&format!("{columns}x{rows}")))),
    }
}

/// Applies the set-up properties of a node to the position before it, which the root does not have;
/// returns `None` if there are none.
pub(super) fn set_up(
    record: &Record,
    index: usize,
    before: Option<(Board, Color)>,
) -> Result<Option<Position>, (usize, Fault)> {
    let Some(node) = record.node(index) else {
        return Ok(None);
    };
    // GoGui writes the player to move with every move. It follows from the rules.
    let player = player_to_move(node).filter(|_| !node.has_move());
    let (board, to_move) = before.unwrap_or((Position::START.board(), Color::Black));
    let [mut black, mut white] = Color::ALL.map(|color| board.stones_of(color));
    let mut at = player
        .and_then(|_| node.find("PL"))
        .map(|property| property.at);
    for (property, color) in set_ups(node) {
        at.get_or_insert(property.at);
        for value in property.values() {
            let points = rectangle(value).unwrap_or_default().into_iter();
            let points = points.map(point).collect::<Option<PointSet>>();
            let points = points.filter(|points| !points.is_empty()).ok_or_else(|| {
                let written = format!("{}[{value}]", set_up_name(color));
                (property.at, Fault::SetUpOffBoard(quoted(&written)))
            })?;
            black = black.without(points);
            white = white.without(points);
            match color {
                Some(Color::Black) => black |= points,
                Some(Color::White) => white |= points,
                None => {}
            }
        }
    }
    // Without set-ups, the first move of a game tells who is to move, too.
    let first = || first_mover(record, index);
    let Some(at) = at.or_else(|| match before {
        None if first() == Some(Color::White) => Some(0),
        _ => None,
    }) else {
        return Ok(None);
    };
    let has_handicap = || {
        let number = record.header("HA").and_then(|number| number.parse().ok());
        number.is_some_and(|number: u32| number > 1)
    };
    let is_handicap = before.is_none() && white.is_empty() && has_handicap();
    let to_move = player.or_else(first).unwrap_or(match is_handicap {
        true => Color::White,
        false => to_move,
    });
    Position::new(black, white, to_move, false)
        .map(Some)
        .map_err(|why| (at, Fault::SetUp(why)))
}

/// Returns who moves first at a node or in the main line after it, before another set-up.
fn first_mover(record: &Record, index: usize) -> Option<Color> {
    let line = record
        .line_from(index)
        .filter_map(|index| record.node(index));
    let is_set_up = |node: &&Node| set_ups(node).next().is_some();
    let mut line = (0..)
        .zip(line)
        .take_while(|(number, node)| *number == 0 || !is_set_up(node));
    line.find_map(|(_, node)| Some(node.moves().next()?.1))
}

/// Returns the move of a property.
pub(super) fn played(property: &Property, number: usize) -> Result<Move, Fault> {
    let mv = match point_or_pass(property) {
        Some(None) => Some(Move::Pass),
        Some(Some(at)) => point(at).map(Move::Place),
        None => None,
    };
    mv.ok_or_else(|| Fault::OffBoard {
        number,
        written: property.quoted(),
    })
}

/// Returns the point of an SGF point, whose row counts from the top.
pub(super) fn point((column, row): (u8, u8)) -> Option<Point> {
    Point::new(column, (SIZE - 1).checked_sub(row)?)
}
