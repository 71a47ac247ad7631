//! Tables of text.

use std::fmt::{self, Display, Formatter};

use unicode_width::UnicodeWidthStr;

use crate::base::names::isolated;

/// Returns the width of a text in terminal columns.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Truncates a text to this many terminal columns.
pub(crate) fn cut(text: &str, columns: usize) -> &str {
    let ends = text.char_indices().map(|(start, c)| start + c.len_utf8());
    let beginnings = ends.filter_map(|end| text.get(..end));
    let mut fitting = beginnings.filter(|beginning| width(beginning) <= columns);
    fitting.next_back().unwrap_or_default()
}

/// A column of numbers: its heading, whether it is shown, and the number in the row of an `R`.
pub(crate) type Column<R> = (&'static str, bool, fn(&R) -> String);

/// A table of text: names at the left, numbers at the right.
pub(crate) struct TextTable {
    rows: Vec<Vec<String>>,
    /// The number of columns with names.
    names: usize,
}

impl TextTable {
    /// Returns a table with these headings, whose first columns are names.
    pub(crate) fn new<H: Into<String>>(
        names: usize,
        headings: impl IntoIterator<Item = H>,
    ) -> TextTable {
        TextTable {
            rows: vec![headings.into_iter().map(Into::into).collect()],
            names,
        }
    }

    /// Returns a table with the columns of `columns` that are shown behind those with names. Each
    /// row has its names.
    pub(crate) fn of_columns<'a, R: 'a, const N: usize>(
        names: [&str; N],
        columns: &[Column<R>],
        rows: impl IntoIterator<Item = ([String; N], &'a R)>,
    ) -> TextTable {
        let shown = columns.iter().filter(|(_, is_shown, _)| *is_shown);
        let headings = shown.clone().map(|(heading, ..)| *heading);
        let mut table = TextTable::new(N, names.into_iter().chain(headings));
        for (names, row) in rows {
            let cells = shown.clone().map(|(.., cell)| cell(row));
            table.add(names.into_iter().chain(cells));
        }
        table
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }
}

impl Display for TextTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let columns = self.rows.first().map_or(0, Vec::len);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| width(cell)).max().unwrap_or(0)
            })
            .collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, full)) in row.iter().zip(&widths).enumerate() {
                let rest = full.saturating_sub(width(cell));
                let cell = isolated(cell);
                line += &match column < self.names {
                    true => format!("{cell}{:rest$}  ", ""),
                    false => format!("{:rest$}{cell}  ", ""),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
