//! The one text form of a position.
//!
//! Rows 5 to 1 separated by `/`, each of five of `b`, `w` and `.`; a space; the
//! side to move, `b` or `w`; and a space and `pass` when the move before was a
//! pass: `...../...../..b../...../..... w`. Nothing else is read, and what is
//! read is printed back identically.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Color, IllegalPosition, Point, PointSet, Position, SIZE};

/// What is wrong with the text of a position, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParsePositionError {
    /// Not five rows.
    #[error("the board has {found} {}: rows 5 to 1 with / between them are expected, \
             as in ...../...../..b../...../..... w", if *.found == 1 { "row" } else { "rows" })]
    Rows {
        /// How many rows there are.
        found: usize,
    },
    /// A row that has not five points.
    #[error("row {row} ({text:?}) has {found} {}: 5 are expected", if *.found == 1 { "point" } else { "points" })]
    RowLength {
        /// The row's number, 5 (the first in the text) to 1.
        row: usize,
        /// The row as it was given.
        text: String,
        /// How many characters it has.
        found: usize,
    },
    /// A character that is neither a stone nor an empty point.
    #[error("{found:?} at {point} is no stone: b, w or . is expected")]
    Stone {
        /// The point that it stands for.
        point: Point,
        /// The character.
        found: char,
    },
    /// The text ends after the board.
    #[error("the side to move is missing: a space and b or w are expected after the board")]
    NoSide,
    /// The side to move is neither `b` nor `w`.
    #[error("{found:?} is no side to move: b or w is expected after the board and one space")]
    Side {
        /// The word in its place.
        found: String,
    },
    /// More text after the side to move.
    #[error("{found:?} after the side to move: nothing or one space and pass is expected")]
    Tail {
        /// Everything after the side to move and a space.
        found: String,
    },
    /// The stones are no legal position.
    #[error(transparent)]
    Illegal(#[from] IllegalPosition),
}

impl FromStr for Position {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Position, ParsePositionError> {
        let (board, rest) = match text.split_once(' ') {
            Some((board, rest)) => (board, Some(rest)),
            None => (text, None),
        };
        let (black, white) = parse_board(board)?;
        let rest = rest.ok_or(ParsePositionError::NoSide)?;
        let (side, tail) = match rest.split_once(' ') {
            Some((side, tail)) => (side, Some(tail)),
            None => (rest, None),
        };
        let to_move = match side {
            "b" => Color::Black,
            "w" => Color::White,
            _ => return Err(ParsePositionError::Side { found: side.into() }),
        };
        let after_pass = match tail {
            None => false,
            Some("pass") => true,
            Some(found) => {
                return Err(ParsePositionError::Tail {
                    found: found.into(),
                });
            }
        };
        Ok(Position::new(black, white, to_move, after_pass)?)
    }
}

/// Reads the five rows: the black stones and the white ones.
fn parse_board(board: &str) -> Result<(PointSet, PointSet), ParsePositionError> {
    let found = board.split('/').count();
    if found != usize::from(SIZE) {
        return Err(ParsePositionError::Rows { found });
    }
    let (mut black, mut white) = (PointSet::EMPTY, PointSet::EMPTY);
    for (row, text) in (0..SIZE).rev().zip(board.split('/')) {
        let found = text.chars().count();
        if found != usize::from(SIZE) {
            return Err(ParsePositionError::RowLength {
                row: usize::from(row) + 1,
                text: text.into(),
                found,
            });
        }
        let points = (0..SIZE).filter_map(|column| Point::new(column, row));
        for (point, found) in points.zip(text.chars()) {
            match found {
                '.' => {}
                'b' => black |= point.into(),
                'w' => white |= point.into(),
                _ => return Err(ParsePositionError::Stone { point, found }),
            }
        }
    }
    Ok((black, white))
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..SIZE).rev() {
            for point in (0..SIZE).filter_map(|column| Point::new(column, row)) {
                let stone = self.stone_at(point).map_or('.', Color::letter);
                write!(f, "{stone}")?;
            }
            f.write_str(if row > 0 { "/" } else { " " })?;
        }
        write!(f, "{}", self.to_move().letter())?;
        if self.after_pass() {
            f.write_str(" pass")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a text that is no position.
    fn error(text: &str) -> String {
        text.parse::<Position>().unwrap_err().to_string()
    }

    #[test]
    fn the_start_is_an_empty_board() {
        let text = "...../...../...../...../..... b";
        assert_eq!(text.parse(), Ok(Position::START));
        assert_eq!(Position::START.to_string(), text);
    }

    #[test]
    fn every_error_says_what_and_where() {
        insta::assert_snapshot!(error(""), @"the board has 1 row: rows 5 to 1 with / between them are expected, as in ...../...../..b../...../..... w");
        insta::assert_snapshot!(error("...../...../...../...../...../..... b"), @"the board has 6 rows: rows 5 to 1 with / between them are expected, as in ...../...../..b../...../..... w");
        insta::assert_snapshot!(error("...../..../...../...../..... b"), @r#"row 4 ("....") has 4 points: 5 are expected"#);
        insta::assert_snapshot!(error("...../...../...../...../......... b"), @r#"row 1 (".........") has 9 points: 5 are expected"#);
        insta::assert_snapshot!(error("...../...../.B.../...../..... b"), @"'B' at b3 is no stone: b, w or . is expected");
        insta::assert_snapshot!(error("...../...../...é./...../..... b"), @"'é' at d3 is no stone: b, w or . is expected");
        insta::assert_snapshot!(error("...../...../...../...../....."), @"the side to move is missing: a space and b or w are expected after the board");
        insta::assert_snapshot!(error("...../...../...../...../..... x"), @r#""x" is no side to move: b or w is expected after the board and one space"#);
        insta::assert_snapshot!(error("...../...../...../...../.....  b"), @r#""" is no side to move: b or w is expected after the board and one space"#);
        insta::assert_snapshot!(error("...../...../...../...../..... b pas"), @r#""pas" after the side to move: nothing or one space and pass is expected"#);
        insta::assert_snapshot!(error("...../...../...../...../..... b "), @r#""" after the side to move: nothing or one space and pass is expected"#);
        insta::assert_snapshot!(error("wb.../b..../...../...../..... b"), @"the group at a5 has no liberty");
    }
}
