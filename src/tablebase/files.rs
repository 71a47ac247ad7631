//! The files of a tablebase as a whole.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::grid::{Grid, extract, from_point_set};
use super::layer::{Layer, Summary};
use super::packed::MAX_PACKED_STONES;
use super::{BIAS, MAX_VALUE};
use crate::counted::counted;
use crate::gothello::{Move, Next, Position};

/// Why a tablebase cannot be built or used.
#[derive(Debug, Error)]
pub enum TablebaseError {
    /// A file or folder cannot be read.
    #[error("{path} cannot be read: {error}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// A file or folder cannot be written or deleted.
    #[error("{path} cannot be written: {error}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// A file is not what it should be.
    #[error("{path} is damaged: {what}; delete it and run gothello tablebase build again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file of a complete layer is not there.
    #[error("{0} is missing; run gothello tablebase build again")]
    Lost(PathBuf),
    /// The blocks of a layer are not there.
    #[error("the positions with {} are not there: build them, and keep them", counted(*.0, "stone"))]
    Missing(u8),
    /// No position of the board has so many stones.
    #[error("no position of this board has {}", counted(*.0, "stone"))]
    NoLayer(u8),
    /// A layer has no block with this number.
    #[error("the positions with {} have no block {number}", counted(*stones, "stone"))]
    NoBlock {
        /// The number of stones.
        stones: u8,
        /// The number of the block.
        number: usize,
    },
    /// The tablebase is of a smaller board than a position.
    #[error("the tablebase is of another board")]
    OtherBoard,
    /// No layer is there together with the next one.
    #[error(
        "a survey needs the positions with n stones and those with n + 1, and no two such \
             layers are there: build them, and keep them"
    )]
    NoNeighbors,
    /// A compressed tablebase would have positions with too many stones.
    #[error("positions with up to {MAX_PACKED_STONES} stones can be packed, not {0}")]
    TooManyStones(u8),
}

impl TablebaseError {
    pub(super) fn read(path: &Path, error: io::Error) -> TablebaseError {
        let path = path.to_owned();
        TablebaseError::Read { path, error }
    }

    pub(super) fn write(path: &Path, error: io::Error) -> TablebaseError {
        let path = path.to_owned();
        TablebaseError::Write { path, error }
    }

    pub(super) fn damaged(path: &Path, what: String) -> TablebaseError {
        let path = path.to_owned();
        TablebaseError::Damaged { path, what }
    }
}

/// The files of a tablebase, for looking positions up.
#[derive(Debug)]
pub struct Tablebase {
    folder: PathBuf,
    pub(super) grid: Grid,
    pub(super) layers: Vec<Layer>,
}

impl Tablebase {
    /// Opens the tablebase of a board in a folder; layers that are missing matter only when
    /// a position of theirs is looked up.
    pub fn open(folder: &Path, grid: Grid) -> Tablebase {
        let layers = 0..grid.points() as u8;
        let layers = layers.map(|stones| Layer::new(folder, &grid, stones));
        Tablebase {
            folder: folder.to_owned(),
            layers: layers.collect(),
            grid,
        }
    }

    /// Closes the files of a layer. They are opened again when they are needed.
    pub fn close(&mut self, stones: u8) {
        if let Some(layer) = self.layers.get_mut(usize::from(stones)) {
            *layer = Layer::new(&self.folder, &self.grid, stones);
        }
    }

    /// Returns a layer.
    ///
    /// # Errors
    /// If there are no positions with so many stones.
    pub(super) fn layer(&self, stones: u8) -> Result<&Layer, TablebaseError> {
        let layer = self.layers.get(usize::from(stones));
        layer.ok_or(TablebaseError::NoLayer(stones))
    }

    /// Returns the value of a legal position for the player to move, if the preceding move
    /// was not a pass; `None` if the position is not legal. The sets have a bit for each
    /// point: its row times the width of the board, plus its column.
    ///
    /// # Errors
    /// If the layer is missing or damaged.
    pub fn value(&self, mover: u32, opponent: u32) -> Result<Option<i8>, TablebaseError> {
        let occupied = mover | opponent;
        let is_board = occupied & !self.grid.all() == 0 && mover & opponent == 0;
        if !is_board || !self.is_legal(mover, opponent) {
            return Ok(None);
        }
        let layer = self.layer(occupied.count_ones() as u8)?;
        if !layer.has_any_chunk() {
            return Err(TablebaseError::Missing(layer.stones()));
        }
        let (set, symmetry) = self.grid.canonical(occupied);
        let entry = layer.entry(set, extract(symmetry.set_image(mover), set))?;
        let value = entry.wrapping_sub(BIAS) as i8;
        if value.abs() > MAX_VALUE {
            return Err(layer.wrong_block(set, "a legal position has no value"));
        }
        Ok(Some(value))
    }

    /// Returns whether every group has a liberty.
    fn is_legal(&self, mover: u32, opponent: u32) -> bool {
        let empty = self.grid.all() & !(mover | opponent);
        [mover, opponent].into_iter().all(|stones| {
            let mut alive = self.grid.neighbors(empty) & stones;
            loop {
                let grown = alive | self.grid.neighbors(alive) & stones;
                if grown == alive {
                    return alive == stones;
                }
                alive = grown;
            }
        })
    }

    /// Returns what is known of a layer; `None` if it was never complete.
    ///
    /// # Errors
    /// If its summary cannot be read.
    pub fn summary(&self, stones: u8) -> Result<Option<Summary>, TablebaseError> {
        self.layer(stones)?.read_summary()
    }

    /// Returns what is known of each complete layer, from the empty board on.
    ///
    /// # Errors
    /// If a summary cannot be read.
    pub fn summaries(&self) -> Result<Vec<Summary>, TablebaseError> {
        let mut summaries = Vec::new();
        for layer in &self.layers {
            summaries.extend(layer.read_summary()?);
        }
        Ok(summaries)
    }
}

impl Tablebase {
    /// Returns the value of a position of Gothello for the player to move.
    ///
    /// # Errors
    /// If the layer is missing or damaged.
    pub fn position_value(&self, position: &Position) -> Result<i8, TablebaseError> {
        let stones = position.stones();
        let value = self.value(
            from_point_set(stones.mover),
            from_point_set(stones.opponent),
        )?;
        // Only the tablebase of a smaller board lacks legal positions.
        let value = value.ok_or(TablebaseError::OtherBoard)?;
        Ok(position.with_game_end(value))
    }

    /// Returns the legal moves of a position of Gothello, each with its value for the
    /// player to move. A placement is looked up among the positions with one stone more.
    ///
    /// # Errors
    /// If a layer is missing or damaged.
    pub fn move_values(&self, position: &Position) -> Result<Vec<(Move, i8)>, TablebaseError> {
        move_values(position, |next| self.position_value(next))
    }
}

/// Returns the legal moves of a position, each with its value for the player to move, given
/// `value_of`, which returns the value of the position after a move for its player to move.
///
/// # Errors
/// Those of `value_of`.
pub fn move_values<E>(
    position: &Position,
    value_of: impl Fn(&Position) -> Result<i8, E>,
) -> Result<Vec<(Move, i8)>, E> {
    let mut values = Vec::new();
    for mv in position.legal_moves() {
        let value = match position.play(mv) {
            Ok(Next::Continues(next)) => -value_of(&next)?,
            Ok(Next::Ends(_)) => position.stones().lead(),
            Err(_) => continue,
        };
        values.push((mv, value));
    }
    Ok(values)
}
