//! The text form of a position.
//!
//! Rows 5 to 1 separated by `/`, each with five of `b`, `w` and `.`; a space; the player to move,
//! `b` or `w`; and a space and `pass` if the last move was a pass: `...../...../..b../...../.....
//! w`. Nothing else is valid, so parsed text is printed back identically.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Board, Color, IllegalPosition, Point, PointSet, Position, SIZE};

/// The reason why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParsePositionError {
    /// The board does not have five rows.
    #[error("the board has {found} {}: use rows 5 to 1 with / between them, \
             as in ...../...../..b../...../..... w", if *.found == 1 { "row" } else { "rows" })]
    Rows {
        /// The number of rows.
        found: usize,
    },
    /// A row does not have five points.
    #[error("row {row} ({text:?}) has {found} {} instead of 5", if *.found == 1 { "point" } else { "points" })]
    RowLength {
        /// The number of the row, 5 (the first in the text) to 1.
        row: usize,
        /// The text of the row.
        text: String,
        /// The number of characters.
        found: usize,
    },
    /// A character is neither a stone nor an empty point.
    #[error("invalid character {found:?} at {point}: use b, w or .")]
    Stone {
        /// The point.
        point: Point,
        /// The character.
        found: char,
    },
    /// The text ends after the board.
    #[error("the player to move is missing: add a space and b or w after the board")]
    NoSide,
    /// The player to move is neither `b` nor `w`.
    #[error("invalid player to move {found:?}: use b or w, after the board and one space")]
    Side {
        /// The word found instead.
        found: String,
    },
    /// There is more text after the player to move.
    #[error("invalid text {found:?} after the player to move: use nothing, or one space and pass")]
    Tail {
        /// Everything after the player to move and a space.
        found: String,
    },
    /// The position is illegal.
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

/// Parses the five rows into the black and the white stones.
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

/// Writes the rows from the top, as in the text form of a [`Position`].
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..SIZE).rev() {
            for point in (0..SIZE).filter_map(|column| Point::new(column, row)) {
                let stone = self.stone_at(point).map_or('.', Color::letter);
                write!(f, "{stone}")?;
            }
            if row > 0 {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.board(), self.to_move().letter())?;
        if self.after_pass() {
            f.write_str(" pass")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error of a text that is not a position.
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
        insta::assert_snapshot!(error(""), @"the board has 1 row: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w");
        insta::assert_snapshot!(error("...../...../...../...../...../..... b"), @"the board has 6 rows: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w");
        insta::assert_snapshot!(error("...../..../...../...../..... b"), @r#"row 4 ("....") has 4 points instead of 5"#);
        insta::assert_snapshot!(error("...../...../...../...../......... b"), @r#"row 1 (".........") has 9 points instead of 5"#);
        insta::assert_snapshot!(error("...../...../.B.../...../..... b"), @"invalid character 'B' at b3: use b, w or .");
        insta::assert_snapshot!(error("...../...../...é./...../..... b"), @"invalid character 'é' at d3: use b, w or .");
        insta::assert_snapshot!(error("...../...../...../...../....."), @"the player to move is missing: add a space and b or w after the board");
        insta::assert_snapshot!(error("...../...../...../...../..... x"), @r#"invalid player to move "x": use b or w, after the board and one space"#);
        insta::assert_snapshot!(error("...../...../...../...../.....  b"), @r#"invalid player to move "": use b or w, after the board and one space"#);
        insta::assert_snapshot!(error("...../...../...../...../..... b pas"), @r#"invalid text "pas" after the player to move: use nothing, or one space and pass"#);
        insta::assert_snapshot!(error("...../...../...../...../..... b "), @r#"invalid text "" after the player to move: use nothing, or one space and pass"#);
        insta::assert_snapshot!(error("wb.../b..../...../...../..... b"), @"the group at a5 has no liberty");
    }
}
