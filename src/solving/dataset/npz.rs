//! Datasets as NumPy archives.

use std::io::{self, Write};

use rawzip::{CompressionMethod, ZipArchiveWriter};

use super::record::Record;
use crate::games::gothello::Move;

/// The multiple of bytes that the header of an array has.
const HEADER_UNIT: usize = 64;

/// Writes records as a NumPy archive (`.npz`), whose bytes depend on nothing but the records. Its arrays
/// are `keys` (uint64), `stones` (uint8), `values` (int8), and `move_values` (int8, a row of 26 for
/// each record, by the index of the move), where -128 stands for a move that is not legal.
///
/// # Errors
/// `out` cannot be written.
pub fn npz(records: &[Record], out: impl Write) -> io::Result<()> {
    let count = records.len();
    let mut archive = ZipArchiveWriter::new(out);
    // Its files have no date.
    let mut add = |name: &str, kind: &str, shape: String, bytes: Vec<u8>| {
        let name = format!("{name}.npy");
        let file = archive.new_file(&*name);
        let stored = file.compression_method(CompressionMethod::STORE);
        let (mut entry, config) = stored.start().map_err(io::Error::other)?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(&header(kind, &shape))?;
        writer.write_all(&bytes)?;
        let (_, sums) = writer.finish().map_err(io::Error::other)?;
        entry.finish(sums).map_err(io::Error::other)?;
        io::Result::Ok(())
    };
    let column = format!("({count},)");
    let keys = records
        .iter()
        .flat_map(|record| record.position().key().to_le_bytes());
    add("keys", "<u8", column.clone(), keys.collect())?;
    let stones = records.iter().map(Record::stones);
    add("stones", "|u1", column.clone(), stones.collect())?;
    let values = records.iter().map(|record| record.value().cast_unsigned());
    add("values", "|i1", column, values.collect())?;
    let rows = records.iter().flat_map(Record::values);
    let rows = rows.map(|value| value.cast_unsigned()).collect();
    add(
        "move_values",
        "|i1",
        format!("({count}, {})", Move::COUNT),
        rows,
    )?;
    archive.finish().map_err(io::Error::other)?;
    Ok(())
}

/// Returns what precedes the numbers of an array in a file of the NPY format, version 1.0.
fn header(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // The magic, the version, the length of the text, and its line end.
    let length = (10 + text.len() + 1).next_multiple_of(HEADER_UNIT) - 10;
    text.extend(std::iter::repeat_n(' ', length - text.len() - 1));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    // It is far below 65,536.
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_the_length_that_it_says_and_ends_a_unit() {
        for shape in ["(0,)", "(1000000,)", "(12, 26)"] {
            let bytes = header("|i1", shape);
            let length = u16::from_le_bytes([bytes[8], bytes[9]]);
            assert_eq!(bytes.len(), 10 + usize::from(length));
            assert_eq!(bytes.len() % HEADER_UNIT, 0);
            assert_eq!(bytes.last(), Some(&b'\n'));
        }
    }
}
