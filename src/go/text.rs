//! Reading pictures of boards.

use std::str::FromStr;

use thiserror::Error;

use super::{Board, Color, IllegalBoard};

/// What is wrong with the picture of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseBoardError {
    /// A character that is neither a stone nor an empty point.
    #[error("{found:?} in row {row} is no stone: B, W or . is expected")]
    Letter {
        /// The row, counted from 0 at the top.
        row: usize,
        /// The character.
        found: char,
    },
    /// The stones are no board.
    #[error(transparent)]
    Illegal(#[from] IllegalBoard),
}

/// Reads a picture: a line for each row from the top, and in it `B`, `W` or
/// `.` for each point. Spaces and empty lines mean nothing.
impl FromStr for Board {
    type Err = ParseBoardError;

    fn from_str(picture: &str) -> Result<Board, ParseBoardError> {
        let lines = picture
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        let rows: Vec<Vec<Option<Color>>> = lines
            .enumerate()
            .map(|(row, line)| {
                let letters = line.chars().filter(|letter| !letter.is_whitespace());
                letters.map(|letter| stone(row, letter)).collect()
            })
            .collect::<Result<_, _>>()?;
        Ok(Board::from_rows(&rows)?)
    }
}

fn stone(row: usize, found: char) -> Result<Option<Color>, ParseBoardError> {
    match found {
        'B' => Ok(Some(Color::Black)),
        'W' => Ok(Some(Color::White)),
        '.' => Ok(None),
        _ => Err(ParseBoardError::Letter { row, found }),
    }
}
