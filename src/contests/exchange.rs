//! The end of the exchange with a player, which a result shows if the player has lost by a fault.

use std::collections::VecDeque;

/// The maximum number of lines.
const MAX_LINES: usize = 6;

/// The maximum number of characters of a line.
pub const MAX_LINE: usize = 200;

/// The last lines that a player has sent and was sent.
#[derive(Clone, Debug, Default)]
pub struct Exchange(VecDeque<String>);

impl Exchange {
    /// Adds lines that the player has sent (`>`) or was sent (`<`). They must have no secrets.
    pub fn add(&mut self, mark: char, text: &str) {
        let lines = text.split(['\r', '\n']).filter(|line| !line.is_empty());
        for line in lines {
            if self.0.len() >= MAX_LINES {
                self.0.pop_front();
            }
            let mut shown = format!("{mark} ");
            shown.extend(line.chars().take(MAX_LINE));
            if line.chars().nth(MAX_LINE).is_some() {
                shown.push('…');
            }
            self.0.push_back(shown);
        }
    }

    /// Returns the lines, each after its mark and a space, the first one first.
    pub fn lines(&self) -> Vec<String> {
        self.0.iter().cloned().collect()
    }
}
