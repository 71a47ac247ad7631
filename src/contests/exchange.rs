//! The end of the exchange with a program, which a result shows if the player has lost by a fault.

use std::collections::VecDeque;

/// The maximum number of lines that a result shows.
const MAX_LINES: usize = 6;

/// The maximum number of characters of a line.
pub const MAX_LINE: usize = 200;

/// The last entries of the exchange with a program, at most `MAX`: lines, or what lines are written
/// from.
#[derive(Clone, Debug)]
pub struct Exchange<T = String, const MAX: usize = MAX_LINES>(VecDeque<T>);

impl<T, const MAX: usize> Default for Exchange<T, MAX> {
    fn default() -> Exchange<T, MAX> {
        Exchange(VecDeque::new())
    }
}

impl<T, const MAX: usize> Exchange<T, MAX> {
    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        self.make_room();
        self.0.push_back(entry);
    }

    /// Removes the first entry if no other one can be added.
    fn make_room(&mut self) -> Option<T> {
        (self.0.len() >= MAX).then(|| self.0.pop_front())?
    }

    /// Returns the entries, the first one first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.iter()
    }
}

impl Exchange {
    /// Adds lines that the player has sent (`>`) or was sent (`<`). They must have no secrets.
    pub fn add(&mut self, mark: char, text: &str) {
        for line in text.lines().filter(|line| !line.is_empty()) {
            let mut entry = self.make_room().unwrap_or_default();
            entry.clear();
            mark_line(&mut entry, mark, line);
            self.0.push_back(entry);
        }
    }
}

/// Returns the beginning of a line after its mark and a space.
pub fn marked(mark: char, line: &str) -> String {
    let mut shown = String::new();
    mark_line(&mut shown, mark, line);
    shown
}

fn mark_line(shown: &mut String, mark: char, line: &str) {
    let end = match line.len() {
        // As most lines: no character need be counted.
        ..=MAX_LINE => None,
        _ => line.char_indices().nth(MAX_LINE),
    };
    let beginning = end.and_then(|(end, _)| line.get(..end));
    let line = beginning.unwrap_or(line);
    shown.reserve(mark.len_utf8() + " ".len() + line.len());
    shown.push(mark);
    shown.push(' ');
    shown.push_str(line);
    if beginning.is_some() {
        shown.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_each_up_to_a_limit() {
        let mut exchange = Exchange::default();
        exchange.add('>', "1 a1\r\n\r\n2 b1");
        for number in 3..=6 {
            exchange.add('<', &format!("line {number}"));
        }
        let long = "é".repeat(MAX_LINE);
        exchange.add('>', &long);
        exchange.add('>', &format!("{long}!"));
        let lines: Vec<&String> = exchange.entries().collect();
        assert_eq!(lines[..4], ["< line 3", "< line 4", "< line 5", "< line 6"]);
        assert_eq!(*lines[4], format!("> {long}"));
        assert_eq!(*lines[5], format!("> {long}…"));
    }
}
