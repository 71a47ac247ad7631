//! The end of the exchange with a player, which a result shows if the player has lost by a fault.

use std::collections::VecDeque;

/// The maximum number of lines.
const MAX_LINES: usize = 6;

/// The maximum number of characters of a line.
pub const MAX_LINE: usize = 200;

/// The last entries of the exchange with a player: lines, or what lines are written from.
#[derive(Clone, Debug)]
pub struct Exchange<T = String>(VecDeque<T>);

impl<T> Default for Exchange<T> {
    fn default() -> Exchange<T> {
        Exchange(VecDeque::new())
    }
}

impl<T> Exchange<T> {
    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        if self.0.len() >= MAX_LINES {
            self.0.pop_front();
        }
        self.0.push_back(entry);
    }

    /// Returns the entries, the first one first.
    pub fn entries(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl Exchange {
    /// Adds lines that the player has sent (`>`) or was sent (`<`). They must have no secrets.
    pub fn add(&mut self, mark: char, text: &str) {
        let lines = text.split(['\r', '\n']).filter(|line| !line.is_empty());
        lines.for_each(|line| self.push(marked(mark, line)));
    }
}

/// Returns the beginning of a line after its mark and a space.
pub fn marked(mark: char, line: &str) -> String {
    let mut shown = format!("{mark} ");
    shown.extend(line.chars().take(MAX_LINE));
    if line.chars().nth(MAX_LINE).is_some() {
        shown.push('…');
    }
    shown
}
