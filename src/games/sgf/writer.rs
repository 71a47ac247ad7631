//! Writing records.

use std::fmt::Display;

use super::record::{Property, Record, letters};
use crate::base::color::Color;

/// Writes one game: a root node with properties, then a node for each move.
///
/// ```
/// use gothello::Color;
/// use gothello::sgf::Writer;
///
/// let mut writer = Writer::new();
/// writer.property("PB", "Lee [9p]");
/// writer.play(Color::Black, Some((2, 2)));
/// assert!(writer.finish().ends_with("PB[Lee [9p\\]]\n;B[cc])"));
/// ```
#[derive(Clone, Debug)]
pub struct Writer {
    pub(super) record: Record,
    /// The index of the present node.
    node: usize,
    moves: usize,
}

impl Writer {
    /// The number of moves on a line.
    const MOVES_PER_LINE: usize = 10;

    /// Returns the white space before a move after this many others.
    pub(super) fn before(moves: usize) -> &'static str {
        match moves.is_multiple_of(Writer::MOVES_PER_LINE) {
            true => "\n",
            false => "",
        }
    }

    /// Begins a record with the properties that name the format and this program. The
    /// game is Go (`GM[1]`): programs that do not know the game then at least show the
    /// board and the moves.
    pub fn new() -> Writer {
        let program = concat!("gothello:", env!("CARGO_PKG_VERSION"));
        let root = [("FF", "4"), ("GM", "1"), ("CA", "UTF-8"), ("AP", program)];
        let root = root.map(|(name, value)| Property::new(name, value));
        Writer {
            record: Record::new(root.into()),
            node: 0,
            moves: 0,
        }
    }

    /// Writes a property of the current node; `]` and `\` in its value are escaped.
    pub fn property(&mut self, name: &str, value: impl Display) {
        self.record
            .push(self.node, Property::new(name, &value.to_string()));
    }

    /// Writes properties of the current node.
    pub(super) fn properties(&mut self, properties: impl IntoIterator<Item = Property>) {
        for property in properties {
            self.record.push(self.node, property);
        }
    }

    /// Writes a property whose value is a list of points, if there are any. A point is
    /// its column from the left and its row from the top, from 0.
    pub fn points(&mut self, name: &str, points: impl IntoIterator<Item = (u8, u8)>) {
        let mut points = points.into_iter().map(letters).peekable();
        if points.peek().is_some() {
            self.record
                .push(self.node, Property::of_values(name, points));
        }
    }

    /// Begins a new node on a line of its own.
    pub fn node(&mut self) {
        self.node = self.record.add(self.node, "\n");
    }

    /// Begins the node of the next move. Ten moves share a line.
    pub fn move_node(&mut self) {
        let before = Writer::before(self.moves);
        self.moves += 1;
        self.node = self.record.add(self.node, before);
    }

    /// Begins the node of the next move and writes the move; `None` is a pass.
    pub fn play(&mut self, color: Color, point: Option<(u8, u8)>) {
        self.move_node();
        self.record.push(self.node, move_property(color, point));
    }

    /// Ends the record and returns its text, without a line feed at the end.
    pub fn finish(self) -> String {
        self.record.to_string()
    }
}

impl Default for Writer {
    fn default() -> Writer {
        Writer::new()
    }
}

/// Returns the property of a move; `None` is a pass.
pub(super) fn move_property(color: Color, point: Option<(u8, u8)>) -> Property {
    let point = point.map(letters).unwrap_or_default();
    Property::of_values(&color.capital().to_string(), [point])
}
