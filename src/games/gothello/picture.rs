//! Boards as drawings.

use std::fmt::Write;
use std::ops::RangeInclusive;

use super::{Board, Color, Game, Move, Outcome, Point, PointSet, Position, SIZE, Step};

/// A board as an SVG document: squares with discs, the letters and digits of columns and rows, and what
/// is written on points and below the board.
///
/// It has no fonts or files of its own, scales to any size, and prints well in black and white: a value
/// that wins is in a dark box, one that loses in a box with an edge, and the best moves have a second edge.
///
/// ```
/// use gothello::{Game, Picture, Position};
///
/// let game = Game::from("bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse::<Position>()?);
/// let picture = Picture::of_game(&game)
///     .value("c1".parse()?, 24..=24, true)
///     .value("e3".parse()?, -6..=-6, false)
///     .caption("White wins by 24");
/// let svg = picture.to_svg();
/// assert_eq!(svg.matches("<circle").count(), 23);
/// assert!(svg.contains(">+24</text>") && svg.contains(">White to move</text>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    board: Board,
    last: Option<Point>,
    marks: Vec<Mark>,
    has_liberties: bool,
    values: Vec<Value>,
    caption: Vec<String>,
}

/// What a move is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Value {
    mv: Move,
    bounds: RangeInclusive<i8>,
    is_best: bool,
}

/// A mark on a point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mark {
    /// The point.
    pub point: Point,
    /// Its kind.
    pub kind: MarkKind,
    /// The text of a label.
    #[cfg_attr(feature = "serde", serde(default))]
    pub label: String,
}

/// The kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum MarkKind {
    /// A text.
    Label,
    /// A circle.
    Circle,
    /// A cross.
    Cross,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A selected point.
    Selected,
}

impl Board {
    /// Returns the board as an SVG document, without anything on its points but the stones; a [`Picture`]
    /// has more.
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
        Picture::new(*self).to_svg()
    }
}

impl Picture {
    /// Creates the picture of a board.
    pub fn new(board: Board) -> Picture {
        Picture {
            board,
            last: None,
            marks: Vec::new(),
            has_liberties: false,
            values: Vec::new(),
            caption: Vec::new(),
        }
    }

    /// Creates the picture of the present of a game: with a ring on the last stone, and below the board the
    /// player to move or the result.
    pub fn of_game(game: &Game) -> Picture {
        let turn = match (game.outcome(), game.position().map(Position::after_pass)) {
            (Some(Outcome::Drawn), _) => "The game is drawn".to_owned(),
            (Some(Outcome::Won { winner, margin }), _) => format!("{winner} wins by {margin}"),
            (None, Some(true)) => format!("{} to move after a pass", game.to_move()),
            (None, _) => format!("{} to move", game.to_move()),
        };
        let last = match game.last_step() {
            Some(Step::Played { mv, .. }) => mv.point(),
            Some(Step::SetUp(_)) | None => None,
        };
        Picture {
            last,
            ..Picture::new(game.board()).caption(turn)
        }
    }

    /// Adds a mark. Where there is something else on a point, it is small and in a corner.
    #[must_use]
    pub fn mark(mut self, mark: Mark) -> Picture {
        self.marks.push(mark);
        self
    }

    /// Adds to each stone the number of its group's liberties; a single one is underlined.
    #[must_use]
    pub fn liberties(mut self) -> Picture {
        self.has_liberties = true;
        self
    }

    /// Adds the bounds on the value of a move. That of a pass is below the board.
    #[must_use]
    pub fn value(mut self, mv: Move, bounds: RangeInclusive<i8>, is_best: bool) -> Picture {
        self.values.push(Value {
            mv,
            bounds,
            is_best,
        });
        self
    }

    /// Adds a line below the board.
    #[must_use]
    pub fn caption(mut self, line: impl Into<String>) -> Picture {
        self.caption.push(line.into());
        self
    }

    /// Returns the SVG document. Values are in groups of the class `value`, and of `win`, `loss`, `draw` or
    /// `open`.
    pub fn to_svg(&self) -> String {
        let pass = self.values.iter().find(|value| value.mv == Move::Pass);
        let lines = self.caption.len().max(usize::from(pass.is_some()));
        let mut drawing = Drawing::new(lines, &self.caption.join(". "));
        drawing.board();
        for point in Point::ALL {
            let (x, y) = center(point);
            let stone = self.board.stone_at(point);
            if let Some(color) = stone {
                drawing.stone((x, y), color);
            }
            if self.last == Some(point) {
                drawing.shape(&format!(
                    r#"<circle cx="{x}" cy="{y}" r="4.8" fill="none" stroke="{}" stroke-width="1.2"/>"#,
                    ink_on(stone),
                ));
            }
            let value = self
                .values
                .iter()
                .find(|value| value.mv == Move::Place(point));
            if let Some(value) = value {
                drawing.value((x, y), "", value);
            }
            let has_liberties = self.has_liberties && stone.is_some();
            if has_liberties {
                drawing.liberties((x, y), stone, self.liberties_of(point));
            }
            let is_free = value.is_none() && !has_liberties;
            for mark in self.marks.iter().filter(|mark| mark.point == point) {
                drawing.mark((x, y), is_free, stone, mark);
            }
        }
        for (number, line) in self.caption.iter().enumerate() {
            let style = r#" text-anchor="start""#;
            drawing.text((LEFT + 2.0, caption_y(number)), CAPTION, style, line);
        }
        if let Some(value) = pass {
            drawing.value((RIGHT - 16.0, caption_y(0) - 2.0), "pass ", value);
        }
        drawing.finish()
    }

    /// Counts the liberties of the group at a point.
    fn liberties_of(&self, point: Point) -> u32 {
        let group = self.board.groups().find(|group| group.contains(point));
        let group = group.unwrap_or(PointSet::EMPTY);
        (group.neighbors() & self.board.empty()).len()
    }
}

/// The width of a point's square, in units of the drawing; and that of the board.
const SQUARE: f32 = 20.0;
const BOARD: f32 = SQUARE * SIZE as f32;

/// The edges of the drawing. The left upper corner of the board is at 0.
const LEFT: f32 = -14.0;
const RIGHT: f32 = BOARD + 4.0;
const TOP: f32 = -4.0;

/// The heights of the letters below the board, and of a line of the caption.
const LETTERS: f32 = 14.0;
const LINE: f32 = 9.0;

/// The size of the caption's letters.
const CAPTION: f32 = 5.6;

/// How large a unit is where nothing else says it, in pixels.
const SCALE: f32 = 4.0;

const BLACK: &str = "#111";
const WHITE: &str = "#fff";

/// The longest label, in characters.
const MAX_LABEL: usize = 8;

/// Returns the center of a point's square.
fn center(point: Point) -> (f32, f32) {
    let at = |index: u8| SQUARE * (f32::from(index) + 0.5);
    (at(point.column()), at(SIZE - 1 - point.row()))
}

/// Returns where the letters of a line of the caption stand.
fn caption_y(number: usize) -> f32 {
    BOARD + LETTERS + LINE * (number as f32 + 0.6)
}

/// Returns the color of lines on a stone, or on the board.
fn ink_on(stone: Option<Color>) -> &'static str {
    match stone {
        Some(Color::Black) => WHITE,
        Some(Color::White) | None => BLACK,
    }
}

/// Returns a number with its sign, as it is set in type.
fn signed(number: i8) -> String {
    match number {
        0 => "0".into(),
        1.. => format!("+{number}"),
        _ => format!("−{}", number.unsigned_abs()),
    }
}

impl Value {
    /// Returns the bounds as text: `+3`, `≥+1`, `−5…+2`; a question mark if little is known.
    fn text(&self) -> String {
        /// Bounds that are further apart say little.
        const WIDE: u8 = 12;
        let (low, high) = (*self.bounds.start(), *self.bounds.end());
        match (low, high) {
            _ if low == high => signed(low),
            (1.., _) if high.unsigned_abs() > WIDE => format!("≥{}", signed(low)),
            (_, ..=-1) if low.unsigned_abs() > WIDE => format!("≤{}", signed(high)),
            (..=0, 0..) if low.abs_diff(high) > WIDE => "?".into(),
            _ => format!("{}…{}", signed(low), signed(high)),
        }
    }

    /// Returns the class, and the colors of the box, its edge, and the text.
    fn style(&self) -> (&'static str, [&'static str; 3]) {
        match (*self.bounds.start(), *self.bounds.end()) {
            (1.., _) => ("win", ["#0a4d8f", "#0a4d8f", WHITE]),
            (_, ..=-1) => ("loss", [WHITE, "#a33c00", "#a33c00"]),
            (0, 0) => ("draw", [WHITE, WHITE, BLACK]),
            _ => ("open", ["none", "none", BLACK]),
        }
    }
}

/// The part of a document that is written. Writing to a string cannot fail.
struct Drawing(String);

impl Drawing {
    /// Begins a document with room for so many lines below the board.
    fn new(lines: usize, title: &str) -> Drawing {
        let width = RIGHT - LEFT;
        let height = BOARD + LETTERS + LINE * lines as f32 - TOP;
        let mut drawing = Drawing(String::new());
        drawing.shape(&format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="{LEFT} {TOP} {width} {height}" font-family="Helvetica,Arial,sans-serif" text-anchor="middle" stroke-width="0.9">"#,
            width * SCALE,
            height * SCALE,
        ));
        if !title.is_empty() {
            drawing.shape(&format!("<title>{}</title>", escaped(title)));
        }
        drawing.shape(&format!(
            r#"<path fill="{WHITE}" d="M{LEFT} {TOP}h{width}v{height}h-{width}z"/>"#
        ));
        drawing
    }

    fn finish(mut self) -> String {
        self.0.push_str("</svg>");
        self.0
    }

    /// Adds an element.
    fn shape(&mut self, element: &str) {
        self.0.push_str(element);
        self.0.push('\n');
    }

    /// Adds a text whose lower edge is at `y`.
    fn text(&mut self, (x, y): (f32, f32), size: f32, style: &str, text: &str) {
        let text = escaped(text);
        self.shape(&format!(
            r#"<text x="{x}" y="{y:.1}" font-size="{size:.1}"{style}>{text}</text>"#
        ));
    }

    /// Adds squares, and the letters and digits beside them.
    fn board(&mut self) {
        let mut lines = format!("M0 0h{BOARD}v{BOARD}h-{BOARD}z");
        for number in 1..SIZE {
            let at = SQUARE * f32::from(number);
            let _ = write!(lines, "M0 {at}h{BOARD}M{at} 0v{BOARD}");
        }
        self.shape(&format!(
            r##"<path fill="#efe6cf" stroke="#555" d="{lines}"/>"##
        ));
        for point in Point::ALL {
            let (x, y) = center(point);
            if point.column() == 0 {
                self.text((LEFT / 2.0, y + 3.0), 8.5, "", &point.digit().to_string());
            }
            if point.row() == 0 {
                self.text((x, BOARD + 10.0), 8.5, "", &point.letter().to_string());
            }
        }
    }

    fn stone(&mut self, (x, y): (f32, f32), color: Color) {
        let fill = match color {
            Color::Black => BLACK,
            Color::White => WHITE,
        };
        self.shape(&format!(
            r#"<circle cx="{x}" cy="{y}" r="8" fill="{fill}" stroke="{BLACK}"/>"#
        ));
    }

    /// Adds what a move is worth, in a box.
    fn value(&mut self, (x, y): (f32, f32), before: &str, value: &Value) {
        let text = format!("{before}{}", value.text());
        let most = if before.is_empty() { 15.0 } else { 26.0 };
        let size = size_of(&text, 6.4, most);
        let (kind, [fill, edge, ink]) = value.style();
        let (half, height) = (width_of(&text, size) / 2.0 + 1.2, 9.0);
        let rect = |more: f32, fill: &str, edge: &str| {
            format!(
                r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="1.5" fill="{fill}" stroke="{edge}"/>"#,
                x - half - more,
                y - height / 2.0 - more,
                2.0 * (half + more),
                height + 2.0 * more,
            )
        };
        let best = if value.is_best { " best" } else { "" };
        self.shape(&format!(r#"<g class="value {kind}{best}">"#));
        if value.is_best {
            self.shape(&rect(1.6, WHITE, BLACK));
        }
        self.shape(&rect(0.0, fill, edge));
        let style = format!(r#" font-weight="bold" fill="{ink}""#);
        self.text((x, y + size * 0.36), size, &style, &text);
        self.shape("</g>");
    }

    /// Adds the number of a group's liberties to a stone.
    fn liberties(&mut self, (x, y): (f32, f32), stone: Option<Color>, number: u32) {
        let line = if number == 1 {
            r#" text-decoration="underline""#
        } else {
            ""
        };
        let style = format!(r#" font-weight="bold" fill="{}"{line}"#, ink_on(stone));
        self.text((x, y + 2.5), 7.0, &style, &number.to_string());
    }

    /// Adds a mark: in the middle of a square if that is free, or else small in a corner, beside a stone.
    fn mark(&mut self, (x, y): (f32, f32), is_free: bool, stone: Option<Color>, mark: &Mark) {
        let (x, y, scale, ink) = match is_free {
            true => (x, y, 1.0, ink_on(stone)),
            false => (x + 7.2, y - 7.0, 0.5, BLACK),
        };
        let path = match mark.kind {
            MarkKind::Label => {
                let text: String = mark.label.chars().take(MAX_LABEL).collect();
                let size = size_of(&text, 8.0 * scale, 13.0 * scale);
                // In a corner it ends at the edge of the square.
                let (x, anchor) = match is_free {
                    true => (x, "middle"),
                    false => (x + 2.0, "end"),
                };
                let style = format!(r#" font-weight="bold" fill="{ink}" text-anchor="{anchor}""#);
                return self.text((x, y + size * 0.36), size, &style, &text);
            }
            MarkKind::Circle => "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
            MarkKind::Cross => "M-3 -3L3 3M-3 3L3 -3",
            MarkKind::Square | MarkKind::Selected => "M-3.2 -3.2h6.4v6.4h-6.4z",
            MarkKind::Triangle => "M0 -4.2L3.7 2.2H-3.7z",
        };
        let fill = match mark.kind {
            MarkKind::Selected => ink,
            _ => "none",
        };
        self.shape(&format!(
            r#"<path transform="translate({x} {y}) scale({scale})" fill="{fill}" stroke="{ink}" stroke-width="1.4" d="{path}"/>"#
        ));
    }
}

/// Returns about how wide a text is in letters of this size.
fn width_of(text: &str, size: f32) -> f32 {
    0.68 * size * text.chars().count() as f32
}

/// Returns the size of letters, at most `size`, with which a text is at most so wide.
fn size_of(text: &str, size: f32, most: f32) -> f32 {
    size.min(most / width_of(text, 1.0).max(1.0))
}

/// Returns a text as XML has it, without the characters that it cannot have.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => {}
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}
