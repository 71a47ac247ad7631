//! The files of a tablebase as a whole.

use std::path::{Path, PathBuf};

use super::error::TablebaseError;
use super::grid::{Grid, extract, from_point_set};
use super::layer::{Layer, Summary};
use super::{BIAS, MAX_VALUE};
use crate::games::gothello::{Move, Next, Position};

/// The files of a tablebase, for looking positions up.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use gothello::tablebase::{BuildPlan, Grid, Shard, Tablebase, build};
///
/// // All positions of a board of 3x3 points.
/// let folder = tempfile::tempdir()?;
/// let grid = Grid::new(3, 3).unwrap();
/// let plan = BuildPlan {
///     grid: grid.clone(),
///     stones: 0..=8,
///     keep: (0..=8).collect(),
///     threads: 1,
///     shard: Shard::ALL,
/// };
/// build(folder.path(), &plan, &AtomicBool::new(false), &|_| (), |_| ())?;
///
/// let tablebase = Tablebase::open(folder.path(), grid);
/// assert_eq!(tablebase.value(0, 0)?, Some(1)); // the empty board
/// assert_eq!(tablebase.value(0b000_000_111, 0b000_000_001)?, None); // two stones on a point
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tablebase {
    folder: PathBuf,
    pub(super) grid: Grid,
    pub(super) layers: Vec<Layer>,
}

impl Tablebase {
    /// Opens the tablebase of a board in a folder; missing layers matter only when one of their
    /// positions is looked up.
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
            let number = layer.number(set)?;
            return Err(layer.wrong_block(number, "a legal position has no value"));
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
