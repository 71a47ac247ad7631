//! The syntax of SGF files.

use std::fmt::{Display, Write as _};

use crate::color::Color;

/// The number of moves on a line.
const MOVES_PER_LINE: usize = 10;

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
    text: String,
    moves: usize,
}

impl Writer {
    /// Begins a record with the properties that name the format and this program. The
    /// game is Go (`GM[1]`): programs that do not know the game then at least show the
    /// board and the moves.
    pub fn new() -> Writer {
        let version = env!("CARGO_PKG_VERSION");
        Writer {
            text: format!("(;FF[4]GM[1]CA[UTF-8]AP[gothello:{version}]"),
            moves: 0,
        }
    }

    /// Writes a property of the current node; `]` and `\` in its value are escaped.
    pub fn property(&mut self, name: &str, value: impl Display) {
        let value = escaped(&value.to_string());
        // Writing to memory cannot fail.
        let _ = write!(self.text, "{name}[{value}]");
    }

    /// Writes a property whose value is a list of points, if there are any. A point is
    /// its column from the left and its row from the top, from 0.
    pub fn points(&mut self, name: &str, points: impl IntoIterator<Item = (u8, u8)>) {
        for (i, point) in points.into_iter().enumerate() {
            if i == 0 {
                self.text.push_str(name);
            }
            let _ = write!(self.text, "[{}]", coordinates(point));
        }
    }

    /// Begins a new node on a line of its own.
    pub fn node(&mut self) {
        self.text.push_str("\n;");
    }

    /// Begins the node of the next move. Ten moves share a line.
    pub fn move_node(&mut self) {
        if self.moves.is_multiple_of(MOVES_PER_LINE) {
            self.text.push('\n');
        }
        self.moves += 1;
        self.text.push(';');
    }

    /// Begins the node of the next move and writes the move; `None` is a pass.
    pub fn play(&mut self, color: Color, point: Option<(u8, u8)>) {
        self.move_node();
        let letter = color.capital();
        let point = point.map(coordinates).unwrap_or_default();
        let _ = write!(self.text, "{letter}[{point}]");
    }

    /// Begins a variation on a line of its own: the next node follows the one before it, as
    /// that of each other variation here.
    pub fn begin_variation(&mut self) {
        self.text.push_str("\n(");
        self.moves = 1;
    }

    /// Ends a variation.
    pub fn end_variation(&mut self) {
        self.text.push(')');
    }

    /// Ends the record and returns its text, without a line feed at the end.
    pub fn finish(mut self) -> String {
        self.text.push(')');
        self.text
    }
}

impl Default for Writer {
    fn default() -> Writer {
        Writer::new()
    }
}

/// Returns a text as a value has it.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// Returns the letters of a column and a row.
pub(super) fn coordinates((column, row): (u8, u8)) -> String {
    let letter = |index: u8| char::from(b'a'.saturating_add(index));
    [letter(column), letter(row)].iter().collect()
}
