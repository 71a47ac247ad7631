//! Game records in the Smart Game Format (SGF), which GoGui and most Go programs
//! read (<https://www.red-bean.com/sgf/>, version FF\[4\]).
//!
//! [`write()`] and [`read()`] are for Gothello, and a [`GameTree`] is a game with its variations.
//! [`Writer`] writes the records of any game on a board of points; a [`MainLine`] adds notes to an
//! existing text.
//!
//! Gothello has no game number of its own in SGF. Its records are written as Go (`GM[1]`) on a
//! board of five (`SZ[5]`) under the rules `RU[Gothello]`: programs then show the board and the
//! moves, and only one that knows Gothello captures as in Gothello.
//!
//! ```
//! use gothello::{Color, Game};
//! use gothello::sgf;
//!
//! let mut game = Game::new();
//! game.play(Color::Black, "c3".parse()?)?;
//! let record = sgf::write(&game);
//! assert!(record.ends_with(";B[cc])"));
//! assert_eq!(sgf::read(&record, usize::MAX)?, game);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotate;
#[cfg(feature = "encoding")]
mod encoding;
mod tree;
#[cfg(feature = "encoding")]
pub use encoding::decode;

use std::fmt::{Display, Write as _};
use std::time::Duration;

use sgf_parse::go::{self, Prop};
use sgf_parse::{SgfNode, SgfProp};
use thiserror::Error;

use crate::base::color::{ByColor, Color};
use crate::games::gothello::{
    Board, Game, IllegalPosition, Move, Outcome, PlayError, Point, PointSet, Position, SIZE, Step,
};

pub use annotate::{MainLine, Note, SetUpError, SetUpStones, games};
pub use tree::{AddError, GameTree, LeftOut};

/// The greatest number of nodes that a file may have. A game has at most 50 moves; the
/// rest is for variations. (The tree is nested as deep as it has nodes, and must not
/// exhaust the stack.)
pub const MAX_NODES: usize = 5_000;

/// The reason why an SGF text is not a record of Gothello.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The syntax is invalid.
    #[error("not an SGF file: {0}")]
    Format(String),
    /// It has more than [`MAX_NODES`] nodes.
    #[error("more than {MAX_NODES} nodes")]
    TooLarge,
    /// It is a record of another game than Go, as which Gothello is recorded.
    #[error("wrong game: Gothello is recorded as GM[1]")]
    OtherGame,
    /// The board is not 5x5.
    #[error("wrong board size {0}x{1}: Gothello is recorded with SZ[5]{hint}", hint = awari_hint(.0, .1))]
    Size(u8, u8),
    /// A point or a move that is not on the board.
    #[error("{property} in node {node} is not on the 5x5 board")]
    OffBoard {
        /// The property with its value, as in `B[zz]`.
        property: String,
        /// The number of the node on the main line, from 0 for the root.
        node: usize,
    },
    /// A setup that is not a legal position.
    #[error("illegal position set up in node {node}: {why}")]
    SetUp {
        /// The number of the node.
        node: usize,
        /// The reason.
        why: IllegalPosition,
    },
    /// A move that the rules refuse.
    #[error("move {number} ({color} {mv}) is illegal: {why}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The player.
        color: Color,
        /// The move.
        mv: Move,
        /// The reason.
        why: PlayError,
    },
}

/// Explains how to open games of Awari, if the board has the size at which GoGui shows them.
fn awari_hint(columns: &u8, rows: &u8) -> &'static str {
    match (columns, rows) {
        (6, 6) => "; Awari is opened from a record or from its moves, not from SGF",
        _ => "",
    }
}

/// The properties of a record besides its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Headers {
    /// The names of Black and White.
    pub players: ByColor<Option<String>>,
    /// The day of the game, as in `2026-11-20`.
    pub date: Option<String>,
    /// The time of each player at the start, in seconds. It is not serialized.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub seconds: Option<u64>,
    /// The event that the game was part of, or a name of the game.
    pub event: Option<String>,
    /// The result, if it is not the count of the stones: `W+R`, `B+T`.
    pub result: Option<String>,
    /// A comment on the game.
    pub comment: Option<String>,
}

/// The properties of a move in a record.
#[derive(Clone, Debug, Default)]
pub struct MoveNotes {
    /// The time left on the player's clock after the move.
    pub left: Option<Duration>,
    /// A comment on the move.
    pub comment: Option<String>,
}

/// Writes a game, with its result if it is over.
pub fn write(game: &Game) -> String {
    write_with(game, &Headers::default(), [])
}

/// Writes a game with headers and with notes on its moves, in the order of the moves.
pub fn write_with(
    game: &Game,
    headers: &Headers,
    notes: impl IntoIterator<Item = MoveNotes>,
) -> String {
    let mut writer = Writer::new();
    writer.property("SZ", SIZE);
    writer.property("RU", "Gothello");
    write_headers(&mut writer, game.outcome(), headers);
    // The meaning of a record without any node.
    let mut before = (Position::START.board(), Color::Black, true);
    let mut notes = notes.into_iter();
    // Everything that is set up before the first move is in the root of the record.
    for (number, (step, board)) in without_superseded(game).enumerate() {
        let to_move = match step {
            Step::SetUp(position) => {
                if number > 0 {
                    writer.node();
                }
                write_set_up(&mut writer, before, &position);
                position.to_move()
            }
            Step::Played { color, mv } => {
                writer.play(color, mv.point().map(coordinates));
                write_notes(&mut writer, color, &notes.next().unwrap_or_default());
                color.opponent()
            }
        };
        before = (board, to_move, step == Step::SetUp(Position::START));
    }
    writer.finish()
}

/// Writes headers. `outcome` is the result of the game on the board.
fn write_headers(writer: &mut Writer, outcome: Option<Outcome>, headers: &Headers) {
    let of_board = || outcome.map(|outcome| outcome.to_string());
    let result = headers.result.clone().or_else(of_board);
    let seconds = headers.seconds.map(|seconds| seconds.to_string());
    let properties = [
        ("PB", &headers.players.black),
        ("PW", &headers.players.white),
        ("DT", &headers.date),
        ("EV", &headers.event),
        ("TM", &seconds),
        ("RE", &result),
        ("GC", &headers.comment),
    ];
    for (name, value) in properties {
        if let Some(value) = value {
            writer.property(name, value);
        }
    }
}

fn write_notes(writer: &mut Writer, color: Color, notes: &MoveNotes) {
    if let Some(left) = notes.left {
        // Rounded down, as clocks are read.
        let (secs, millis) = (left.as_secs(), left.subsec_millis());
        let name = format!("{}L", color.capital());
        writer.property(&name, format_args!("{secs}.{millis:03}"));
    }
    if let Some(comment) = &notes.comment {
        writer.property("C", comment);
    }
}

/// Returns the steps of a game without the set-ups that the next step replaces.
fn without_superseded(game: &Game) -> impl Iterator<Item = (Step, Board)> {
    let next = game.steps().skip(1).map(Some).chain([None]);
    let is_set_up = |step| matches!(step, Step::SetUp(_));
    let superseded = move |step, next: Option<_>| {
        is_set_up(step) && next.is_some_and(|(next, _)| is_set_up(next))
    };
    game.steps()
        .zip(next)
        .filter(move |&((step, _), next)| !superseded(step, next))
        .map(|(now, _)| now)
}

/// Writes the difference between a position and what was before it: the stones, the
/// player to move, and whether it was the start of a game.
fn write_set_up(writer: &mut Writer, before: (Board, Color, bool), after: &Position) {
    let (before, to_move, is_start) = before;
    let sets = [
        ("AB", Color::Black.into()),
        ("AW", Color::White.into()),
        ("AE", None),
    ];
    for (name, stone) in sets {
        let changed = Point::ALL
            .into_iter()
            .filter(|&point| after.stone_at(point) == stone && before.stone_at(point) != stone);
        writer.points(name, changed.map(coordinates));
    }
    // Also if the player to move stays the same: a set-up makes a pass before it
    // forgotten.
    if !is_start || after.to_move() != to_move {
        writer.property("PL", after.to_move().capital());
    }
}

/// Returns the column and the row of a point in SGF, whose rows count from the top.
fn coordinates(point: Point) -> (u8, u8) {
    (point.column(), SIZE - 1 - point.row())
}

/// Reads the first `max_moves` moves of the main line of the first game in an SGF text.
///
/// # Errors
/// If the text is not SGF, has another board, or contains a set-up or a move that is
/// illegal.
pub fn read(text: &str, max_moves: usize) -> Result<Game, ReadError> {
    replay(first_game(&parse(text)?)?, max_moves, |_, _, _| {})
}

/// What is wrong with a text without a game.
const EMPTY: &str = "it is empty";

/// Parses all games of a text.
fn parse(text: &str) -> Result<Vec<sgf_parse::GameTree>, ReadError> {
    if text.bytes().filter(|&byte| byte == b';').count() > MAX_NODES {
        return Err(ReadError::TooLarge);
    }
    // Some editors begin a text with this mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().chars().next() {
        Some('(') => {}
        Some(_) => return Err(ReadError::Format("it does not begin with (;".into())),
        None => return Err(ReadError::Format(EMPTY.into())),
    }
    sgf_parse::parse(text).map_err(|error| ReadError::Format(error.to_string()))
}

/// Returns the root of the first game, which must be one of Gothello.
fn first_game(trees: &[sgf_parse::GameTree]) -> Result<&SgfNode<Prop>, ReadError> {
    let root = trees
        .first()
        .ok_or_else(|| ReadError::Format(EMPTY.into()))?
        .as_go_node()
        .map_err(|_| ReadError::OtherGame)?;
    match root.get_property("SZ") {
        Some(&Prop::SZ((SIZE, SIZE))) => Ok(root),
        Some(&Prop::SZ((columns, rows))) => Err(ReadError::Size(columns, rows)),
        // The format's default.
        _ => Err(ReadError::Size(19, 19)),
    }
}

/// Plays the main line of a game. `on_set_up` is called for each set-up with the number of its
/// node, the number of moves before it, and its position.
fn replay(
    root: &SgfNode<Prop>,
    max_moves: usize,
    mut on_set_up: impl FnMut(usize, usize, Position),
) -> Result<Game, ReadError> {
    let mut game = None;
    let mut moves = 0;
    for (number, node) in root.main_variation().enumerate() {
        let properties: Vec<_> = node.properties().collect();
        if let Some(position) = set_up(&properties, game.as_ref(), number)? {
            on_set_up(number, moves, position);
            match &mut game {
                None => game = Some(Game::from(position)),
                Some(game) => game.set_up(position),
            }
        }
        for property in properties {
            let Some((color, mv)) = played(property, number)? else {
                continue;
            };
            if moves == max_moves {
                return Ok(game.unwrap_or_default());
            }
            moves += 1;
            game.get_or_insert_default()
                .play(color, mv)
                .map_err(|why| ReadError::Move {
                    number: moves,
                    color,
                    mv,
                    why,
                })?;
        }
    }
    Ok(game.unwrap_or_default())
}

/// Applies the set-up properties of a node to the position before it; returns `None` if
/// there are none.
fn set_up(
    properties: &[&Prop],
    game: Option<&Game>,
    node: usize,
) -> Result<Option<Position>, ReadError> {
    // GoGui writes the player to move with every move. It follows from the rules.
    let has_move = properties
        .iter()
        .any(|property| matches!(property, Prop::B(_) | Prop::W(_)));
    let (before, mut to_move) = match game {
        None => (Position::START.board(), Color::Black),
        Some(game) => (game.board(), game.to_move()),
    };
    let [mut black, mut white] = Color::ALL.map(|color| before.stones_of(color));
    let mut changed = false;
    for property in properties {
        let points = match property {
            Prop::AB(points) | Prop::AW(points) | Prop::AE(points) => points,
            Prop::PL(_) if has_move => continue,
            Prop::PL(color) => {
                to_move = match color {
                    sgf_parse::Color::Black => Color::Black,
                    sgf_parse::Color::White => Color::White,
                };
                changed = true;
                continue;
            }
            Prop::Invalid(name, values) if ["AB", "AW", "AE"].contains(&name.as_str()) => {
                return Err(off_board(name, values.first(), node));
            }
            _ => continue,
        };
        let points = points
            .iter()
            .map(|&at| point(at).ok_or_else(|| off_board(&property.identifier(), None, node)))
            .collect::<Result<PointSet, _>>()?;
        black = black.without(points);
        white = white.without(points);
        match property {
            Prop::AB(_) => black |= points,
            Prop::AW(_) => white |= points,
            _ => {}
        }
        changed = true;
    }
    if !changed {
        return Ok(None);
    }
    Position::new(black, white, to_move, false)
        .map(Some)
        .map_err(|why| ReadError::SetUp { node, why })
}

/// Returns the move of a property, if it is one.
fn played(property: &Prop, node: usize) -> Result<Option<(Color, Move)>, ReadError> {
    let (color, mv) = match property {
        Prop::B(mv) => (Color::Black, mv),
        Prop::W(mv) => (Color::White, mv),
        Prop::Invalid(name, values) if ["B", "W"].contains(&name.as_str()) => {
            return Err(off_board(name, values.first(), node));
        }
        _ => return Ok(None),
    };
    let mv = match *mv {
        go::Move::Pass => Move::Pass,
        // The pass of the format's third version.
        go::Move::Move(go::Point { x: 19, y: 19 }) => Move::Pass,
        go::Move::Move(at) => {
            Move::Place(point(at).ok_or_else(|| off_board(&property.to_string(), None, node))?)
        }
    };
    Ok(Some((color, mv)))
}

fn off_board(property: &str, value: Option<&String>, node: usize) -> ReadError {
    let value = value.map(|value| format!("[{value}]")).unwrap_or_default();
    ReadError::OffBoard {
        property: format!("{property}{value}"),
        node,
    }
}

/// Returns the point of an SGF point, whose row counts from the top.
fn point(at: go::Point) -> Option<Point> {
    Point::new(at.x, (SIZE - 1).checked_sub(at.y)?)
}

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
            let _ = write!(self.text, "[{}]", letters(point));
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
        let point = point.map(letters).unwrap_or_default();
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
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// Returns the letters of a column and a row.
fn letters((column, row): (u8, u8)) -> String {
    let letter = |index: u8| char::from(b'a'.saturating_add(index));
    [letter(column), letter(row)].iter().collect()
}
