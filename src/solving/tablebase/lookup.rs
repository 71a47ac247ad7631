//! What a solver looks positions up in.

use std::sync::Arc;

#[cfg(feature = "tablebase")]
use super::kept::KeptLayers;
use super::packed::PackedTablebase;
use crate::games::gothello::Position;

/// A tablebase for a solver to look positions up in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyTablebase {
    /// A packed one.
    Packed(Arc<PackedTablebase>),
    /// The layers in a folder, and the built-in one for what they lack.
    #[cfg(feature = "tablebase")]
    Kept(Arc<KeptLayers>),
}

impl AnyTablebase {
    /// Returns the value of a position for the player to move; `None` if it is not there.
    pub fn value(&self, position: &Position) -> Option<i8> {
        match self {
            AnyTablebase::Packed(packed) => packed.value(position),
            #[cfg(feature = "tablebase")]
            AnyTablebase::Kept(layers) => {
                let built_in = || PackedTablebase::built_in().value(position);
                layers.value(position).or_else(built_in)
            }
        }
    }

    /// Returns the value of each position, as [`value`](AnyTablebase::value) does; a large batch is faster
    /// than the same positions one by one where they are packed.
    pub fn values(&self, positions: &[Position]) -> Vec<Option<i8>> {
        match self {
            AnyTablebase::Packed(packed) => packed.values(positions),
            #[cfg(feature = "tablebase")]
            AnyTablebase::Kept(_) => positions
                .iter()
                .map(|position| self.value(position))
                .collect(),
        }
    }

    /// Returns the smallest number of stones whose positions are not there.
    pub fn fewest_missing_stones(&self) -> u32 {
        match self {
            AnyTablebase::Packed(packed) => packed.stones() + 1,
            #[cfg(feature = "tablebase")]
            AnyTablebase::Kept(layers) => {
                let built_in = PackedTablebase::built_in().stones() + 1;
                layers.fewest_missing_stones().max(built_in)
            }
        }
    }
}

impl From<Arc<PackedTablebase>> for AnyTablebase {
    fn from(packed: Arc<PackedTablebase>) -> AnyTablebase {
        AnyTablebase::Packed(packed)
    }
}

#[cfg(feature = "tablebase")]
impl From<Arc<KeptLayers>> for AnyTablebase {
    fn from(layers: Arc<KeptLayers>) -> AnyTablebase {
        AnyTablebase::Kept(layers)
    }
}
