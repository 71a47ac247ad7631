//! Boards as drawings.

use std::fmt::Write;

use super::{Board, Color, Point, SIZE};

/// The width of a point's square, in units of the drawing.
const SQUARE: u8 = 20;

impl Board {
    /// Returns the board as an SVG document, which scales to any size: squares with discs, and
    /// the letters and digits of columns and rows at the left and the bottom.
    ///
    /// ```
    /// use gothello::Position;
    ///
    /// let position: Position = "...../b..../w..../wb.../b.... b".parse()?;
    /// let svg = position.board().to_svg();
    /// assert!(svg.starts_with("<svg xmlns="));
    /// assert_eq!(svg.matches("<circle").count(), 5);
    /// # Ok::<(), gothello::ParsePositionError>(())
    /// ```
    pub fn to_svg(&self) -> String {
        let (edge, half) = (SQUARE * SIZE, SQUARE / 2);
        let mut svg = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-14 -2 {0} {0}" font-family="sans-serif" font-size="9" text-anchor="middle"><path fill="#2f7d4f" stroke="#123" d="M0 0h{edge}v{edge}h-{edge}z"##,
            edge + 16
        );
        for line in (1..SIZE).map(|line| line * SQUARE) {
            // Writing to a string cannot fail, here and below.
            let _ = write!(svg, "M0 {line}h{edge}M{line} 0v{edge}");
        }
        svg.push_str("\"/>");
        for point in Point::ALL {
            let x = point.column() * SQUARE + half;
            let y = (SIZE - 1 - point.row()) * SQUARE + half;
            if let Some(color) = self.stone_at(point) {
                let fill = match color {
                    Color::Black => "#111",
                    Color::White => "#fff",
                };
                let _ = write!(svg, r#"<circle cx="{x}" cy="{y}" r="8" fill="{fill}"/>"#);
            }
            if point.column() == 0 {
                let digit = point.digit();
                let _ = write!(svg, r#"<text x="-7" y="{}">{digit}</text>"#, y + 3);
            }
            if point.row() == 0 {
                let letter = point.letter();
                let _ = write!(svg, r#"<text x="{x}" y="{}">{letter}</text>"#, edge + 10);
            }
        }
        svg.push_str("</svg>");
        svg
    }
}
