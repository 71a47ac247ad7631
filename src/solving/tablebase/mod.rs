//! A tablebase: the values of all positions, by retrograde analysis.
//!
//! A placement adds one stone and a pass none, so the positions with n stones, a *layer*, depend
//! only on those with n + 1 stones. Layers are computed from the full board down to the empty one.
//! Within a layer, the positions with the same occupied points are a *block* of at most 16 MiB,
//! which depends on at most 25 blocks of the next layer. Only one block of each symmetry class is
//! stored. The files of a layer are *chunks*, each of consecutive blocks.
//!
//! With the feature `tablebase`, `build` writes layers to files, block by block, with several
//! threads or on several machines that share a folder, and `Tablebase` looks positions up in
//! these files. A [`PackedTablebase`], which needs no feature, has the positions with few stones,
//! compressed: the openings, as stones never leave the board.

#[cfg(feature = "tablebase")]
mod block;
#[cfg(feature = "tablebase")]
mod build;
#[cfg(feature = "tablebase")]
mod chunk;
#[cfg(feature = "tablebase")]
mod error;
#[cfg(feature = "tablebase")]
mod files;
mod grid;
#[cfg(feature = "tablebase")]
mod kept;
#[cfg(feature = "tablebase")]
mod layer;
mod lookup;
mod packed;
#[cfg(feature = "tablebase")]
mod survey;
#[cfg(feature = "tablebase")]
mod verify;

#[cfg(feature = "tablebase")]
pub use build::{BuildEnd, BuildPlan, BuildProgress, LayerEvent, build, peak_bytes};
#[cfg(feature = "tablebase")]
pub use chunk::{Counts, Distribution};
#[cfg(feature = "tablebase")]
pub use error::TablebaseError;
#[cfg(feature = "tablebase")]
pub use files::{Tablebase, move_values};
pub use grid::Grid;
#[cfg(feature = "dataset")]
pub(in crate::solving) use grid::deposit;
#[cfg(feature = "tablebase")]
pub use kept::KeptLayers;
#[cfg(feature = "tablebase")]
pub use layer::Summary;
pub use lookup::AnyTablebase;
#[cfg(feature = "tablebase")]
pub use packed::MAX_PACKED_STONES;
pub use packed::{PackedError, PackedTablebase};
#[cfg(feature = "tablebase")]
pub use survey::{Extreme, LayerSurvey, Tally, position_of};
#[cfg(feature = "tablebase")]
pub use verify::{
    BlockFiles, Finding, MAX_STONES, Verified, VerifyError, VerifyPlan, VerifyProgress, VerifyStep,
    verify,
};

#[cfg(feature = "tablebase")]
pub use crate::base::shard::{ParseShardError, Shard};

/// The number that is added to a value in an entry.
const BIAS: u8 = 64;

/// The largest value that the file formats can hold. No position has it: the last empty point can
/// never be filled, so the values are -24 to 24.
const MAX_VALUE: i8 = 25;

/// The entry of a coloring that cannot arise because the last placement would have been
/// illegal. As a value it is larger than any other, so no minimum has it.
const ILLEGAL: u8 = u8::MAX;
