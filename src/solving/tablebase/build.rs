//! Building a tablebase layer by layer, from many stones to few.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::block::BlockSolver;
use super::chunk::ChunkWriter;
use super::error::TablebaseError;
use super::grid::Grid;
use super::layer::{Layer, Summary};
use crate::base::shard::Shard;
use crate::base::threads::try_for_each;

/// A plan of a build.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    /// The board.
    pub grid: Grid,
    /// The numbers of stones to build, at most one less than the board has points.
    pub stones: RangeInclusive<u8>,
    /// The layers whose blocks are kept when they are no longer needed.
    pub keep: Vec<u8>,
    /// The number of threads, at least one.
    pub threads: usize,
    /// The part of the chunks of each layer to compute.
    pub shard: Shard,
}

/// The progress of a layer.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BuildProgress {
    /// The number of stones.
    pub stones: u8,
    /// The number of blocks that were computed since the start.
    pub done: u64,
    /// The number of blocks that were to be computed.
    pub total: u64,
}

/// The result of building a layer.
#[derive(Clone, Debug)]
pub enum LayerEvent {
    /// It was complete before.
    Before(Summary),
    /// It is complete now.
    Now(Summary),
    /// Its blocks are deleted: nothing needs them.
    Deleted {
        /// The number of stones.
        stones: u8,
    },
    /// The shard is complete; this number of chunks of other shards are not.
    Shard {
        /// The number of stones.
        stones: u8,
        /// The number of chunks that are missing.
        missing: usize,
    },
}

/// The result of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildEnd {
    /// All layers of the plan are complete.
    Complete,
    /// Other shards of a layer are missing: the layers below it cannot be built yet.
    OtherShardsMissing,
    /// It was stopped.
    Stopped,
}

/// Builds the layers of a plan in a folder, from many stones to few.
///
/// Existing blocks are not computed again. Deleted blocks are, if they are to be kept or a layer
/// below needs them.
///
/// A build deletes only blocks that it computed, or needed for a layer that was not complete
/// before, and only if they are not to be kept. Blocks that an earlier build kept stay.
///
/// Calls `built` after each layer, and `progress` now and then from several threads. If
/// other shards of a layer are missing, the layers below it cannot be built, and the
/// build ends.
///
/// # Errors
/// If a file cannot be read or written or is damaged, or the plan needs blocks that are not
/// there and that it does not compute.
pub fn build(
    folder: &Path,
    plan: &BuildPlan,
    stop: &AtomicBool,
    progress: &(dyn Fn(BuildProgress) + Sync),
    mut built: impl FnMut(LayerEvent),
) -> Result<BuildEnd, TablebaseError> {
    let mut layers = layers_to_build(folder, plan)?;
    let mut next: Option<Layer> = None;
    let mut is_next_new = false;
    while let Some(LayerPlan {
        layer,
        needs_blocks,
    }) = layers.pop()
    {
        let stones = layer.stones();
        let (mut is_new, mut is_first) = (false, false);
        if plan.stones.contains(&stones) {
            match layer.read_summary()? {
                Some(summary) if !needs_blocks || layer.has_blocks() => {
                    built(LayerEvent::Before(summary));
                }
                found => {
                    (is_new, is_first) = (true, found.is_none());
                    if !compute(&layer, next.as_ref(), plan, stop, progress)? {
                        return Ok(BuildEnd::Stopped);
                    }
                    let missing = layer.missing_chunk_count();
                    if missing > 0 {
                        built(LayerEvent::Shard { stones, missing });
                        return Ok(BuildEnd::OtherShardsMissing);
                    }
                    built(LayerEvent::Now(layer.write_summary()?));
                }
            }
        }
        if let Some(next) = next.filter(|next| !plan.keep.contains(&next.stones()))
            && plan.stones.contains(&stones)
            && (is_next_new || is_first)
        {
            // Another shard may have completed it without noticing.
            if next.has_blocks() && next.read_summary()?.is_none() {
                next.write_summary()?;
            }
            let had_blocks = next.has_any_chunk();
            next.delete_blocks()?;
            if had_blocks {
                built(LayerEvent::Deleted {
                    stones: next.stones(),
                });
            }
        }
        (next, is_next_new) = (Some(layer), is_new);
    }
    Ok(BuildEnd::Complete)
}

/// A layer, and whether it is useful without blocks.
struct LayerPlan {
    layer: Layer,
    needs_blocks: bool,
}

impl LayerPlan {
    /// Returns whether blocks are missing that are needed or were never complete.
    fn will_be_computed(&self) -> Result<bool, TablebaseError> {
        let LayerPlan {
            layer,
            needs_blocks,
        } = self;
        Ok(!layer.has_blocks() && (*needs_blocks || layer.read_summary()?.is_none()))
    }
}

/// Returns the layers from the fewest stones of a plan to the most on the board.
///
/// A layer needs its blocks if they are to be kept, or the layer below is to be computed.
///
/// # Errors
/// If the plan needs blocks that are not there, and that it does not compute.
fn layers_to_build(folder: &Path, plan: &BuildPlan) -> Result<Vec<LayerPlan>, TablebaseError> {
    let top = (plan.grid.points() - 1) as u8;
    let mut layers: Vec<LayerPlan> = Vec::new();
    let mut is_computed = false;
    for stones in *plan.stones.start()..=top {
        let layer = Layer::new(folder, &plan.grid, stones);
        let needs_blocks = is_computed || plan.keep.contains(&stones);
        let planned = LayerPlan {
            layer,
            needs_blocks,
        };
        if plan.stones.contains(&stones) {
            is_computed = planned.will_be_computed()?;
        } else {
            // Another shard may just have completed the layer below, and deleted this one.
            if is_computed
                && !planned.layer.has_blocks()
                && let Some(below) = layers.last()
                && below.will_be_computed()?
            {
                return Err(TablebaseError::Missing(stones));
            }
            is_computed = false;
        }
        layers.push(planned);
    }
    Ok(layers)
}

/// Returns how many bytes a build adds to a folder at its peak: of the blocks alone, which
/// is nearly all.
///
/// # Errors
/// If the plan needs blocks that are not there, and that it does not compute, or a summary
/// cannot be read.
pub fn peak_bytes(folder: &Path, plan: &BuildPlan) -> Result<u64, TablebaseError> {
    let (mut held, mut peak) = (0_u64, 0_u64);
    // The bytes that are deleted when the layer below is complete.
    let mut temporary = 0;
    for planned in layers_to_build(folder, plan)?.iter().rev() {
        let layer = &planned.layer;
        let mut added = 0;
        if plan.stones.contains(&layer.stones()) && planned.will_be_computed()? {
            let own = missing_chunks(layer, plan.shard);
            let blocks: usize = own.map(|chunk| layer.chunk_range(chunk).len()).sum();
            added = (blocks as u64) << layer.stones();
        }
        held += added;
        peak = peak.max(held);
        held -= temporary;
        temporary = match plan.keep.contains(&layer.stones()) {
            true => 0,
            false => added,
        };
    }
    Ok(peak)
}

/// Returns the missing chunks of a shard of a layer.
fn missing_chunks(layer: &Layer, shard: Shard) -> impl Iterator<Item = usize> {
    let chunks = 0..layer.chunk_count();
    chunks.filter(move |&chunk| shard.contains(chunk as u64) && !layer.has_chunk(chunk))
}

/// Computes the missing chunks of a shard of a layer from the blocks of the next one.
/// Returns `false` if it was stopped.
fn compute(
    layer: &Layer,
    next: Option<&Layer>,
    plan: &BuildPlan,
    stop: &AtomicBool,
    progress: &(dyn Fn(BuildProgress) + Sync),
) -> Result<bool, TablebaseError> {
    let chunks: Vec<usize> = missing_chunks(layer, plan.shard).collect();
    let blocks = chunks.iter().map(|&chunk| layer.chunk_range(chunk).len());
    let (total, done) = (blocks.sum::<usize>() as u64, AtomicU64::new(0));
    let is_stopped = || stop.load(Ordering::Relaxed);
    let read_next = |child, block: &mut Vec<u8>| match next {
        Some(next) => next.read(child, block),
        None => Err(TablebaseError::Missing(layer.stones() + 1)),
    };
    // Computes the blocks of a chunk; returns `false` if that was stopped.
    let fill = |solver: &mut BlockSolver<'_>, writer: &mut ChunkWriter, chunk| {
        for &set in layer.chunk_sets(chunk) {
            if is_stopped() {
                return Ok(false);
            }
            let (block, counts) = solver.solve(set, read_next)?;
            writer.push(block, &counts)?;
            progress(BuildProgress {
                stones: layer.stones(),
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total,
            });
        }
        Ok(true)
    };
    let begin = || BlockSolver::new(&plan.grid);
    try_for_each(plan.threads, &chunks, begin, |solver, &chunk| {
        if is_stopped() {
            return Ok(());
        }
        let Some(mut writer) = layer.create_chunk(chunk)? else {
            return Ok(());
        };
        match fill(solver, &mut writer, chunk) {
            Ok(true) => writer.finish(),
            stopped => {
                writer.discard();
                stopped.map(|_| ())
            }
        }
    })?;
    Ok(!is_stopped())
}
