//! The last bytes of a stream.

/// The last bytes of a stream.
#[derive(Debug)]
pub struct Tail {
    bytes: Vec<u8>,
    max: usize,
}

impl Tail {
    /// Returns a tail that keeps this many bytes.
    pub fn new(max: usize) -> Tail {
        let bytes = Vec::new();
        Tail { bytes, max }
    }

    /// Adds bytes, and forgets the first ones if there are more than twice as many as are kept.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > self.max.saturating_mul(2) {
            let surplus = self.bytes.len().saturating_sub(self.max);
            self.bytes.drain(..surplus);
        }
    }

    /// Returns the last bytes as text.
    pub fn text(&self) -> String {
        let first = self.bytes.len().saturating_sub(self.max);
        String::from_utf8_lossy(self.bytes.get(first..).unwrap_or_default()).into_owned()
    }

    /// Returns the last bytes as text, and forgets them.
    pub fn take(&mut self) -> String {
        let text = self.text();
        self.bytes.clear();
        text
    }
}
