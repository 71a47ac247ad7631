//! Writing a compressed tablebase.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{
    Context, Encoder, FREQUENCY_BITS, HEADER, MAGIC, SYMBOLS, VERSION, blocks_per_unit,
    context_index, context_key, symbol,
};
use crate::solving::tablebase::error::TablebaseError;
use crate::solving::tablebase::files::Tablebase;

/// The largest number of stones of the positions in a compressed tablebase. An entry takes at
/// most 12 bits, so the length of a unit of 2^15 entries fits into 2 bytes.
pub const MAX_PACKED_STONES: u8 = 15;

impl Tablebase {
    /// Returns the file of a compressed tablebase of all positions with at most this number
    /// of stones; `None` if `stop` was set before it was complete.
    ///
    /// # Errors
    /// If a layer is missing or damaged, or there are more than [`MAX_PACKED_STONES`].
    pub fn pack(&self, stones: u8, stop: &AtomicBool) -> Result<Option<Vec<u8>>, TablebaseError> {
        if stones > MAX_PACKED_STONES {
            let most = MAX_PACKED_STONES;
            return Err(TablebaseError::TooManyStones { stones, most });
        }
        let mut counts = vec![[0u64; SYMBOLS]; SYMBOLS * SYMBOLS];
        for stones in 0..=stones {
            let is_done = self.each_block(stones, stop, |symbols| {
                for (coloring, &symbol) in symbols.iter().enumerate() {
                    let index = context_index(context_key(coloring, symbols));
                    counts[index][usize::from(symbol)] += 1;
                }
            })?;
            if !is_done {
                return Ok(None);
            }
        }
        let model: Vec<Context> = counts.iter().map(quantized).collect();
        let mut units = Vec::new();
        let mut lengths = Vec::new();
        for stones in 0..=stones {
            let mut unit: Vec<Vec<u8>> = Vec::new();
            let mut close = |unit: &mut Vec<Vec<u8>>| {
                let mut encoder = Encoder::new();
                for symbols in unit.iter().rev() {
                    for (coloring, &symbol) in symbols.iter().enumerate().rev() {
                        let index = context_index(context_key(coloring, symbols));
                        encoder.push(symbol, &model[index]);
                    }
                }
                unit.clear();
                let bytes = encoder.finish();
                // See `MAX_PACKED_STONES`.
                lengths.extend((bytes.len() as u16).to_le_bytes());
                units.extend(bytes);
            };
            let is_done = self.each_block(stones, stop, |symbols| {
                unit.push(symbols.to_vec());
                if unit.len() == blocks_per_unit(stones.into()) {
                    close(&mut unit);
                }
            })?;
            if !is_done {
                return Ok(None);
            }
            if !unit.is_empty() {
                close(&mut unit);
            }
        }
        let used = || {
            (0..)
                .zip(&model)
                .filter(|(_, context)| !context.symbols.is_empty())
        };
        let mut content = (used().count() as u32).to_le_bytes().to_vec();
        for (index, context) in used() {
            let index: usize = index;
            content.extend((context.symbols.len() as u16).to_le_bytes());
            content.extend([(index / SYMBOLS) as u8, (index % SYMBOLS) as u8]);
            for &(symbol, frequency) in &context.symbols {
                content.push(symbol);
                content.extend(frequency.to_le_bytes());
            }
        }
        content.extend(lengths);
        content.extend(units);
        let mut bytes = Vec::with_capacity(HEADER + content.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(u32::from(stones).to_le_bytes());
        bytes.extend(crc32fast::hash(&content).to_le_bytes());
        bytes.extend(content);
        Ok(Some(bytes))
    }

    /// Calls `visit` with the symbols of each block with this number of stones. Returns `false`
    /// if that was stopped.
    fn each_block(
        &self,
        stones: u8,
        stop: &AtomicBool,
        mut visit: impl FnMut(&[u8]),
    ) -> Result<bool, TablebaseError> {
        let layer = self.layer(stones)?;
        if !layer.has_any_chunk() {
            return Err(TablebaseError::Missing(stones));
        }
        let mut block = Vec::new();
        for chunk in 0..layer.chunk_count() {
            for &set in layer.chunk_sets(chunk) {
                if stop.load(Ordering::Relaxed) {
                    return Ok(false);
                }
                layer.read(set, &mut block)?;
                for entry in &mut block {
                    *entry = symbol(*entry);
                }
                visit(&block);
            }
        }
        Ok(true)
    }
}

/// Returns a context with the frequencies of symbols that occur so often: each at least
/// 1, with the sum 4096.
fn quantized(counts: &[u64; SYMBOLS]) -> Context {
    let all: u64 = counts.iter().sum();
    let mut symbols: Vec<(u8, u16)> = (0u8..)
        .zip(counts)
        .filter(|&(_, &count)| count > 0)
        .map(|(symbol, &count)| (symbol, ((count << FREQUENCY_BITS) / all).max(1) as u16))
        .collect();
    symbols.sort_by_key(|&(symbol, frequency)| (std::cmp::Reverse(frequency), symbol));
    let mut sum: i32 = symbols.iter().map(|&(_, n)| i32::from(n)).sum();
    // The most frequent ones absorb the rounding error.
    while sum != 1 << FREQUENCY_BITS && !symbols.is_empty() {
        for (_, frequency) in &mut symbols {
            if sum < 1 << FREQUENCY_BITS {
                *frequency += 1;
                sum += 1;
            } else if sum > 1 << FREQUENCY_BITS && *frequency > 1 {
                *frequency -= 1;
                sum -= 1;
            }
        }
    }
    Context { symbols }
}
