//! A compressed tablebase of the openings: all positions with at most some number of stones.
//!
//! # Compression
//!
//! The entries of a block are coded one by one, with a probability that depends on the
//! *context*: the minimum and the maximum of the values over the colorings in which one of the
//! mover's stones is the opponent's. These come before. That takes 2.5 to 2.8 bits an entry,
//! where the values by themselves have 4.8. The coder is the range variant of asymmetric numeral systems (Duda, 2013).
//! Blocks are coded in units of some thousand entries, so that a value is found in
//! microseconds.
//!
//! # File format, version 1
//!
//! All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | `gothpack` |
//! | 8 to 11 | the version, 1 |
//! | 12 to 15 | the largest number of stones |
//! | 16 to 19 | the CRC-32 of everything after |
//! | 20 to 23 | the number of contexts |
//! | then | the contexts: the number of symbols in 2 bytes, the symbols of the minimum and the maximum in one each, and for each symbol its number in one byte and its frequency out of 4096 in two |
//! | then | for each number of stones from 0 on, the length of each unit in 2 bytes |
//! | then | the units in the same order |
//!
//! A unit begins with 4 bytes of the coder's state.

#[cfg(feature = "tablebase")]
mod pack;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use thiserror::Error;

use super::grid::{Grid, extract, from_point_set};
use super::{BIAS, ILLEGAL, MAX_VALUE};
use crate::games::gothello::{Position, Stones};

#[cfg(feature = "tablebase")]
pub use pack::MAX_PACKED_STONES;

const MAGIC: &[u8; 8] = b"gothpack";
const VERSION: u32 = 1;

/// The built-in tablebase's file.
static BUILT_IN: &[u8] = include_bytes!("gothello.tablebase");

/// The length of the header, in bytes.
const HEADER: usize = 20;

/// The number of entries of a unit, unless a block has more.
const UNIT: usize = 1 << 10;

/// The number of bits of a frequency.
const FREQUENCY_BITS: u32 = 12;

/// The least state of the coder between two symbols.
const LEAST_STATE: u32 = 1 << 23;

/// The symbol of an entry that is no value.
const NO_VALUE: u8 = 2 * MAX_VALUE as u8 + 1;

/// The symbol in place of a context's minimum and maximum if there are no values.
const NONE: u8 = NO_VALUE + 1;

/// The number of symbols that a context's minimum or maximum can be.
const SYMBOLS: usize = NONE as usize + 1;

/// Why a file is not a usable tablebase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackedError {
    /// The file does not begin as a tablebase does.
    #[error("this is not a packed tablebase: it does not begin with \"gothpack\"")]
    WrongMagic,
    /// The format has another version.
    #[error("the format has version {0}: this program reads version {VERSION}")]
    Version(u32),
    /// The content has another checksum than the header says.
    #[error("its checksum is wrong: copy or pack it again")]
    Checksum,
    /// The parts do not fit together: something is missing or too much, or not valid.
    #[error("the file is damaged, or was not written or copied completely")]
    Damaged,
}

/// The symbols that occur in a context.
#[derive(Clone, Debug, Default)]
struct Context {
    /// The symbols with their frequencies out of 4096, the most frequent first.
    pub symbols: Vec<(u8, u16)>,
}

/// Returns the key of the context of a coloring, given the symbols of all smaller ones: the symbols
/// of the minimum and the maximum.
#[inline]
fn context_key(coloring: usize, symbols: &[u8]) -> [u8; 2] {
    let (mut least, mut greatest) = (NONE, 0);
    let mut rest = coloring;
    while rest != 0 {
        let symbol = symbols[coloring & !(rest & rest.wrapping_neg())];
        rest &= rest - 1;
        if symbol != NO_VALUE {
            least = least.min(symbol);
            greatest = greatest.max(symbol);
        }
    }
    let greatest = if least == NONE { NONE } else { greatest };
    [least, greatest]
}

/// Returns the place of the context with this key.
#[inline]
fn context_index([least, greatest]: [u8; 2]) -> usize {
    usize::from(least) * SYMBOLS + usize::from(greatest)
}

/// Returns the symbol of an entry.
fn symbol(entry: u8) -> u8 {
    match entry {
        ILLEGAL => NO_VALUE,
        _ => entry.wrapping_sub(BIAS - MAX_VALUE as u8).min(NO_VALUE),
    }
}

/// Returns the number of blocks of a unit.
fn blocks_per_unit(stones: u32) -> usize {
    (UNIT >> stones).max(1)
}

/// The values of all positions with at most [`stones`](PackedTablebase::stones) stones: openings,
/// as stones never leave the board.
///
/// ```
/// use gothello::Position;
/// use gothello::tablebase::PackedTablebase;
///
/// let tablebase = PackedTablebase::built_in();
/// assert_eq!(tablebase.value(&Position::START), Some(3));
/// ```
#[derive(Debug)]
pub struct PackedTablebase {
    grid: Grid,
    bytes: Cow<'static, [u8]>,
    /// The contexts, each at the place of its key.
    model: Vec<Context>,
    layers: Vec<PackedLayer>,
}

/// The positions with the same number of stones.
#[derive(Debug)]
struct PackedLayer {
    stones: u32,
    /// The sets of the blocks, found when they are first needed.
    sets: OnceLock<Vec<u32>>,
    /// Where each unit begins in the file, and where the last one ends.
    starts: Vec<usize>,
}

/// Where the value of a position is: in the order of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    stones: u32,
    /// The number of the block in the layer.
    block: usize,
    coloring: usize,
}

impl Place {
    /// Returns the layer, and the number of the unit in it.
    fn unit(self) -> (u32, usize) {
        (self.stones, self.block / blocks_per_unit(self.stones))
    }
}

/// A unit, decoded up to some block.
struct OpenUnit<'a> {
    decoder: Decoder<'a>,
    /// The symbols of the last block that has been decoded.
    symbols: Vec<u8>,
    /// The number of blocks that have been decoded.
    decoded: usize,
}

impl PackedLayer {
    /// Returns the sets of the blocks.
    fn sets(&self, grid: &Grid) -> &[u32] {
        self.sets.get_or_init(|| grid.canonical_sets(self.stones))
    }
}

impl PackedTablebase {
    /// Returns the built-in tablebase of all positions with at most 7 stones. It is read on
    /// the first call.
    pub fn built_in() -> Arc<PackedTablebase> {
        static TABLEBASE: OnceLock<Arc<PackedTablebase>> = OnceLock::new();
        let read = || {
            // The tests check that it is valid.
            let read = PackedTablebase::from_bytes(BUILT_IN);
            Arc::new(read.unwrap_or_else(|_| PackedTablebase::empty()))
        };
        Arc::clone(TABLEBASE.get_or_init(read))
    }

    /// Returns a tablebase without positions.
    fn empty() -> PackedTablebase {
        PackedTablebase {
            grid: Grid::gothello(),
            bytes: Cow::Borrowed(&[]),
            model: vec![Context::default(); SYMBOLS * SYMBOLS],
            layers: Vec::new(),
        }
    }

    /// Reads a tablebase from the bytes of its file.
    ///
    /// # Errors
    /// If the bytes are not a complete tablebase of this version.
    pub fn from_bytes(
        bytes: impl Into<Cow<'static, [u8]>>,
    ) -> Result<PackedTablebase, PackedError> {
        let bytes = bytes.into();
        if !PackedTablebase::has_magic(&bytes) {
            return Err(PackedError::WrongMagic);
        }
        let mut reader = Reader {
            bytes: &bytes,
            place: MAGIC.len(),
        };
        let version = reader.u32()?;
        if version != VERSION {
            return Err(PackedError::Version(version));
        }
        let stones = reader.u32()?;
        let checksum = reader.u32()?;
        let mut model = vec![Context::default(); SYMBOLS * SYMBOLS];
        for _ in 0..reader.u32()? {
            let count = reader.u16()?;
            let key = [reader.u8()?.min(NONE), reader.u8()?.min(NONE)];
            let context = &mut model[context_index(key)];
            for _ in 0..count {
                context.symbols.push((reader.u8()?, reader.u16()?));
            }
            let sum: u32 = context.symbols.iter().map(|&(_, n)| u32::from(n)).sum();
            let are_symbols = context
                .symbols
                .iter()
                .all(|&(symbol, _)| symbol <= NO_VALUE);
            if sum != 1 << FREQUENCY_BITS || !are_symbols {
                return Err(PackedError::Damaged);
            }
        }
        let grid = Grid::gothello();
        let mut layers = Vec::new();
        for stones in 0..=stones {
            if stones >= grid.points() {
                return Err(PackedError::Damaged);
            }
            let units = grid.canonical_set_count(stones);
            let units = units.div_ceil(blocks_per_unit(stones));
            let mut starts = vec![0];
            let mut end = 0;
            for _ in 0..units {
                end += usize::from(reader.u16()?);
                starts.push(end);
            }
            layers.push(PackedLayer {
                stones,
                sets: OnceLock::new(),
                starts,
            });
        }
        let mut first = reader.place;
        for layer in &mut layers {
            for start in &mut layer.starts {
                *start += first;
            }
            first = layer.starts.last().copied().unwrap_or(first);
        }
        if first != bytes.len() {
            return Err(PackedError::Damaged);
        }
        // Not before the length is known to be right: a part of a file has a wrong checksum too.
        if checksum != crc32fast::hash(bytes.get(HEADER..).unwrap_or_default()) {
            return Err(PackedError::Checksum);
        }
        Ok(PackedTablebase {
            grid,
            bytes,
            model,
            layers,
        })
    }

    /// Returns whether these bytes, the first 8 or more of a file, begin as a tablebase does.
    pub fn has_magic(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Returns the largest number of stones in a file that begins with these bytes, 20 or
    /// more; `None` if it is not a packed tablebase of this version.
    pub fn stones_in_header(bytes: &[u8]) -> Option<u32> {
        let mut reader = Reader {
            bytes: bytes.strip_prefix(MAGIC)?,
            place: 0,
        };
        let version = reader.u32().ok()?;
        let stones = reader.u32().ok()?;
        (version == VERSION).then_some(stones)
    }

    /// Returns the largest number of stones of its positions.
    pub fn stones(&self) -> u32 {
        self.layers.last().map_or(0, |layer| layer.stones)
    }

    /// Returns the length of its file in bytes.
    pub fn file_len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the CRC-32 of what follows the header of its file.
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(self.bytes.get(HEADER..).unwrap_or_default())
    }

    /// Decodes everything and returns the number of legal positions, not counting the color to
    /// move or a preceding pass; `None` if a part cannot be decoded.
    pub fn count_positions(&self) -> Option<u64> {
        let mut count = 0;
        for layer in &self.layers {
            let mut symbols = vec![0; 1 << layer.stones];
            let units = layer.sets(&self.grid);
            for (unit, sets) in units.chunks(blocks_per_unit(layer.stones)).enumerate() {
                let mut decoder = self.decoder(layer, unit)?;
                for &set in sets {
                    self.decode_block(&mut decoder, &mut symbols)?;
                    // Both players have a value if all groups have liberties.
                    let pairs = symbols.iter().zip(symbols.iter().rev());
                    let legal = pairs.filter(|&(&own, &other)| own.max(other) < NO_VALUE);
                    // The stabilizer comes without the identity.
                    let same = 1 + self.grid.stabilizer(set).count();
                    count += (legal.count() * (self.grid.symmetry_count() / same)) as u64;
                }
            }
        }
        Some(count)
    }

    /// Returns the value of a position for the player to move; `None` if it has too many
    /// stones.
    pub fn value(&self, position: &Position) -> Option<i8> {
        let value = self.value_without_pass(position.stones())?;
        Some(position.with_game_end(value))
    }

    /// Returns the value of each position, as [`value`](PackedTablebase::value) does. What several have in
    /// common is decoded once, so that a large batch is faster than the same positions one by one.
    pub fn values(&self, positions: &[Position]) -> Vec<Option<i8>> {
        let mut values = vec![None; positions.len()];
        let places = positions.iter().zip(&mut values);
        let mut places: Vec<_> = places
            .filter_map(|(position, value)| Some((self.place(position.stones())?, position, value)))
            .collect();
        places.sort_unstable_by_key(|&(place, ..)| place);
        for of_unit in places.chunk_by_mut(|(one, ..), (next, ..)| one.unit() == next.unit()) {
            let mut opened = None;
            for (place, position, value) in of_unit {
                if opened.is_none() {
                    opened = self.open(*place);
                }
                let found = opened.as_mut().and_then(|unit| self.value_in(unit, *place));
                **value = found.map(|found| position.with_game_end(found));
            }
        }
        values
    }

    /// Returns the value if the preceding move was not a pass.
    fn value_without_pass(&self, stones: Stones) -> Option<i8> {
        let place = self.place(stones)?;
        self.value_in(&mut self.open(place)?, place)
    }

    /// Returns where the value of a position is; `None` if it has too many stones.
    fn place(&self, stones: Stones) -> Option<Place> {
        let layer = self.layers.get(stones.count() as usize)?;
        let mover = from_point_set(stones.mover);
        let occupied = mover | from_point_set(stones.opponent);
        let (set, symmetry) = self.grid.canonical(occupied);
        Some(Place {
            stones: layer.stones,
            block: layer.sets(&self.grid).binary_search(&set).ok()?,
            coloring: extract(symmetry.set_image(mover), set) as usize,
        })
    }

    /// Begins to decode the unit of a place.
    fn open(&self, place: Place) -> Option<OpenUnit<'_>> {
        let layer = self.layers.get(place.stones as usize)?;
        Some(OpenUnit {
            decoder: self.decoder(layer, place.unit().1)?,
            symbols: vec![0; 1 << layer.stones],
            decoded: 0,
        })
    }

    /// Returns the value at a place of a unit, from which no later block has been decoded.
    fn value_in(&self, unit: &mut OpenUnit<'_>, place: Place) -> Option<i8> {
        while unit.decoded <= place.block % blocks_per_unit(place.stones) {
            self.decode_block(&mut unit.decoder, &mut unit.symbols)?;
            unit.decoded += 1;
        }
        let symbol = *unit.symbols.get(place.coloring)?;
        (symbol < NO_VALUE).then(|| symbol as i8 - MAX_VALUE)
    }

    /// Returns a decoder of a unit; `None` if there is no such unit.
    fn decoder(&self, layer: &PackedLayer, unit: usize) -> Option<Decoder<'_>> {
        let (start, end) = (*layer.starts.get(unit)?, *layer.starts.get(unit + 1)?);
        Decoder::new(self.bytes.get(start..end)?)
    }

    /// Decodes the symbols of the next block; `None` if the bytes are not those of a unit.
    fn decode_block(&self, decoder: &mut Decoder<'_>, symbols: &mut [u8]) -> Option<()> {
        for coloring in 0..symbols.len() {
            let context = &self.model[context_index(context_key(coloring, symbols))];
            symbols[coloring] = decoder.next(context)?;
        }
        Some(())
    }
}

/// Reads numbers from the beginning of a file.
struct Reader<'a> {
    bytes: &'a [u8],
    place: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], PackedError> {
        let rest = self.bytes.get(self.place..).unwrap_or_default();
        let found = rest.first_chunk().copied().ok_or(PackedError::Damaged)?;
        self.place += N;
        Ok(found)
    }

    fn u8(&mut self) -> Result<u8, PackedError> {
        self.take().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, PackedError> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, PackedError> {
        self.take().map(u32::from_le_bytes)
    }
}

/// Decodes the symbols of a unit.
struct Decoder<'a> {
    state: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    fn new(bytes: &'a [u8]) -> Option<Decoder<'a>> {
        let (state, bytes) = bytes.split_first_chunk()?;
        Some(Decoder {
            state: u32::from_le_bytes(*state),
            bytes: bytes.iter(),
        })
    }

    /// Returns the next symbol; `None` if the bytes are not those of a unit.
    #[inline]
    fn next(&mut self, context: &Context) -> Option<u8> {
        let slot = self.state & ((1 << FREQUENCY_BITS) - 1);
        let mut start = 0;
        for &(symbol, frequency) in &context.symbols {
            let frequency = u32::from(frequency);
            if slot < start + frequency {
                self.state = frequency * (self.state >> FREQUENCY_BITS) + slot - start;
                while self.state < LEAST_STATE {
                    self.state = self.state << 8 | u32::from(*self.bytes.next()?);
                }
                return Some(symbol);
            }
            start += frequency;
        }
        None
    }
}

/// Encodes symbols, the last of which must be given first.
#[derive(Debug)]
struct Encoder {
    state: u32,
    /// The bytes in reverse order.
    bytes: Vec<u8>,
}

impl Encoder {
    pub fn new() -> Encoder {
        Encoder {
            state: LEAST_STATE,
            bytes: Vec::new(),
        }
    }

    /// Encodes a symbol of a context.
    pub fn push(&mut self, symbol: u8, context: &Context) {
        let mut start = 0;
        for &(other, frequency) in &context.symbols {
            let frequency = u32::from(frequency);
            if other == symbol {
                let limit = u64::from(LEAST_STATE >> FREQUENCY_BITS << 8) * u64::from(frequency);
                while u64::from(self.state) >= limit {
                    self.bytes.push(self.state as u8);
                    self.state >>= 8;
                }
                self.state =
                    ((self.state / frequency) << FREQUENCY_BITS) + self.state % frequency + start;
                return;
            }
            start += frequency;
        }
    }

    /// Returns the unit.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend(self.state.to_be_bytes());
        self.bytes.reverse();
        self.bytes
    }
}
