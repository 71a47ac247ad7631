//! The layers of a tablebase that are on the disk, for a solver.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use derive_more::Debug;

use super::error::TablebaseError;
use super::files::Tablebase;
use super::grid::Grid;
use super::verify::MAX_STONES;
use crate::games::gothello::Position;

/// The number of layers, from that without stones.
const LAYERS: usize = MAX_STONES as usize + 1;

/// The layers of the tablebase in a folder whose positions are all there.
///
/// A file that turns out to be damaged is as good as one that is not there: its positions have no value
/// here.
#[derive(Debug)]
pub struct KeptLayers {
    #[debug(skip)]
    tablebase: Tablebase,
    is_kept: [bool; LAYERS],
    /// Whether an error was told.
    #[debug(skip)]
    told: AtomicBool,
    #[debug(skip)]
    tell: Box<dyn Fn(&TablebaseError) + Send + Sync>,
}

impl KeptLayers {
    /// Opens the tablebase of Gothello in a folder. `tell` is called with the first error of a later look-up.
    ///
    /// # Errors
    /// No layer is there.
    pub fn open(
        folder: &Path,
        tell: impl Fn(&TablebaseError) + Send + Sync + 'static,
    ) -> Result<KeptLayers, TablebaseError> {
        let tablebase = Tablebase::open(folder, Grid::gothello());
        let mut is_kept = [false; LAYERS];
        for (layer, is_kept) in tablebase.layers.iter().zip(&mut is_kept) {
            *is_kept = layer.has_blocks();
        }
        if !is_kept.contains(&true) {
            return Err(TablebaseError::NothingKept(folder.to_owned()));
        }
        Ok(KeptLayers {
            tablebase,
            is_kept,
            told: AtomicBool::new(false),
            tell: Box::new(tell),
        })
    }

    /// Returns the value of a position for the player to move; `None` if its layer is not there, or a
    /// file is damaged.
    pub fn value(&self, position: &Position) -> Option<i8> {
        let stones = position.stones().count() as usize;
        if !*self.is_kept.get(stones)? {
            return None;
        }
        match self.tablebase.position_value(position) {
            Ok(value) => Some(value),
            Err(error) => {
                if !self.told.swap(true, Ordering::Relaxed) {
                    (self.tell)(&error);
                }
                None
            }
        }
    }

    /// Returns the numbers of stones whose positions are there.
    pub fn stones(&self) -> impl Iterator<Item = u32> {
        (0..)
            .zip(self.is_kept)
            .filter_map(|(stones, is_kept)| is_kept.then_some(stones))
    }

    /// Returns the smallest number of stones whose positions are not there.
    pub fn fewest_missing_stones(&self) -> u32 {
        let kept = self.is_kept.iter().take_while(|&&is_kept| is_kept);
        kept.count() as u32
    }
}
