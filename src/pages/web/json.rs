//! Messages as JSON text.

use std::io;

use serde::Serialize;
use tokio_tungstenite::tungstenite::{Bytes, Utf8Bytes};

/// Serializes a message, all of whose keys are texts or numbers, and whose values have no errors of
/// their own: so it cannot fail.
pub(crate) fn json_text(message: &impl Serialize) -> Utf8Bytes {
    let mut text = JsonText {
        end: [0; JsonText::SIZE],
        length: 0,
        start: Vec::new(),
    };
    match serde_json::to_writer(&mut text, message) {
        Ok(()) => Utf8Bytes::try_from(text.into_bytes()).unwrap_or_default(),
        Err(_) => Utf8Bytes::default(),
    }
}

/// A text whose end is on the stack. Serde writes a few bytes at a time, and each of these writes
/// to a vector would call several functions.
struct JsonText {
    start: Vec<u8>,
    end: [u8; JsonText::SIZE],
    /// The length of what is written of the end, in bytes.
    length: usize,
}

impl JsonText {
    /// The size of the end, in bytes. A message about a move is shorter.
    const SIZE: usize = 1024;

    /// Moves the end to the start, and appends a piece there.
    #[cold]
    fn spill(&mut self, piece: &[u8]) {
        let written = self.end.get(..self.length).unwrap_or_default();
        self.start.extend_from_slice(written);
        self.start.extend_from_slice(piece);
        self.length = 0;
    }

    fn into_bytes(mut self) -> Bytes {
        if self.start.is_empty() {
            let written = self.end.get(..self.length).unwrap_or_default();
            return Bytes::copy_from_slice(written);
        }
        self.spill(&[]);
        self.start.into()
    }
}

impl io::Write for JsonText {
    #[inline]
    fn write_all(&mut self, piece: &[u8]) -> io::Result<()> {
        let free = self.end.get_mut(self.length..).unwrap_or_default();
        match (piece, free) {
            ([byte], [first, ..]) => *first = *byte,
            (piece, free) => match free.get_mut(..piece.len()) {
                Some(free) => free.copy_from_slice(piece),
                None => {
                    self.spill(piece);
                    return Ok(());
                }
            },
        }
        self.length += piece.len();
        Ok(())
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.write_all(piece)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_of_any_length_is_that_of_serde_json(
            words in prop::collection::vec(("[ -~é\n]{0,9}", 0..9_u32), 0..60),
            long in 0..3_000_usize,
        ) {
            let message = (words, "x".repeat(long), 1.5, None::<()>);
            let text = json_text(&message);
            prop_assert_eq!(text.as_str(), serde_json::to_string(&message)?);
        }
    }
}
