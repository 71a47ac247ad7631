//! Games as SGF files, the Smart Game Format that GoGui and most Go programs
//! read (<https://www.red-bean.com/sgf/>, version FF\[4\]).
//!
//! Gothello has no game number of its own in SGF. Its records are written as
//! Go (`GM[1]`) on a board of five (`SZ[5]`) under the rules `RU[Gothello]`:
//! programs then show board and moves, and only one that knows Gothello turns
//! stones over.

use std::fmt::Write as _;
use std::time::Duration;

use sgf_parse::SgfProp;
use sgf_parse::go::{self, Prop};
use thiserror::Error;

use crate::gothello::{
    Board, Color, Game, IllegalPosition, Move, PlayError, Point, PointSet, Position, SIZE, Status,
    Step,
};

/// The most nodes that a file may have. A game has fewer than a hundred moves;
/// the rest is room for variations. (The tree is nested as deep as it has
/// nodes, and must not exhaust the stack.)
pub const MAX_NODES: usize = 5_000;

/// What is wrong with an SGF text.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It is no SGF.
    #[error("it is no SGF file: {0}")]
    Format(String),
    /// It has more than [`MAX_NODES`] nodes.
    #[error("it has more than {MAX_NODES} nodes")]
    TooLarge,
    /// It holds another game than Go, as which Gothello is recorded.
    #[error("it holds another game: GM[1] is expected")]
    OtherGame,
    /// The board is not 5x5.
    #[error("its board is {0}x{1}: SZ[5] is expected")]
    Size(u8, u8),
    /// A point or a move that is not on the board.
    #[error("{property} in node {node} is no point of a 5x5 board")]
    OffBoard {
        /// The property with its value, as in `B[zz]`.
        property: String,
        /// The number of the node on the main line, from 0 for the root.
        node: usize,
    },
    /// A set-up that is no legal position.
    #[error("the stones set up in node {node} are no position: {why}")]
    SetUp {
        /// The number of the node.
        node: usize,
        /// What is wrong with them.
        why: IllegalPosition,
    },
    /// A move that the rules refuse.
    #[error("move {number} ({color} {mv}) is illegal: {why}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// Whose move it is.
        color: Color,
        /// The move.
        mv: Move,
        /// Why it is refused.
        why: PlayError,
    },
}

/// What a record says besides the moves.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    /// The names of Black and White.
    pub players: [Option<String>; 2],
    /// The day of the game, as in `2026-11-20`.
    pub date: Option<String>,
    /// What each player had on his clock, in seconds.
    pub seconds: Option<u64>,
    /// What the game was part of, or which one it was.
    pub event: Option<String>,
    /// The result, where it is not the count of the stones: `W+R`, `B+T`.
    pub result: Option<String>,
    /// What else people should know of it.
    pub comment: Option<String>,
}

/// What a record says of one move.
#[derive(Clone, Debug, Default)]
pub struct MoveNotes {
    /// What the player's clock showed after it.
    pub left: Option<Duration>,
    /// What people should know of it.
    pub comment: Option<String>,
}

/// Writes a game, with its result if it is over.
pub fn write(game: &Game) -> String {
    write_with(game, &Headers::default(), [])
}

/// Writes a game with headers and with notes on its moves, the first ones
/// first.
pub fn write_with(
    game: &Game,
    headers: &Headers,
    notes: impl IntoIterator<Item = MoveNotes>,
) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("(;FF[4]GM[1]CA[UTF-8]AP[gothello:{version}]SZ[{SIZE}]RU[Gothello]");
    write_headers(&mut text, game, headers);
    // What the record of a game without any node means.
    let mut before = (Position::START.board(), Color::Black, true);
    let mut notes = notes.into_iter();
    let mut moves = 0;
    // All that was set up before the first move is the root of the record.
    for (number, (step, board)) in without_superseded(game).enumerate() {
        let to_move = match step {
            Step::SetUp(position) => {
                if number > 0 {
                    text.push_str("\n;");
                }
                write_set_up(&mut text, before, &position);
                position.to_move()
            }
            Step::Played { color, mv } => {
                if moves % 10 == 0 {
                    text.push('\n');
                }
                moves += 1;
                let letter = color.capital();
                push(&mut text, format_args!(";{letter}[{}]", move_text(mv)));
                write_notes(&mut text, letter, &notes.next().unwrap_or_default());
                color.opponent()
            }
        };
        before = (board, to_move, step == Step::SetUp(Position::START));
    }
    text.push(')');
    text
}

fn write_headers(text: &mut String, game: &Game, headers: &Headers) {
    let [black, white] = &headers.players;
    let result = match (&headers.result, game.status()) {
        (Some(result), _) => Some(result.clone()),
        (None, Status::Over(outcome)) => Some(outcome.to_string()),
        (None, Status::Undecided) => None,
    };
    let seconds = headers.seconds.map(|seconds| seconds.to_string());
    let properties = [
        ("PB", black),
        ("PW", white),
        ("DT", &headers.date),
        ("EV", &headers.event),
        ("TM", &seconds),
        ("RE", &result),
        ("GC", &headers.comment),
    ];
    for (name, value) in properties {
        if let Some(value) = value {
            push(text, format_args!("{name}[{}]", escape(value)));
        }
    }
}

fn write_notes(text: &mut String, letter: char, notes: &MoveNotes) {
    if let Some(left) = notes.left {
        // Rounded down, as clocks are read.
        let (secs, millis) = (left.as_secs(), left.subsec_millis());
        push(text, format_args!("{letter}L[{secs}.{millis:03}]"));
    }
    if let Some(comment) = &notes.comment {
        push(text, format_args!("C[{}]", escape(comment)));
    }
}

/// Text as the value of a property.
pub(crate) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// The steps of a game without set-ups that the next step replaces.
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

/// Writes to a string, which cannot fail.
fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}

/// Writes how a position differs from the stones and the side to move before it, and
/// from the start if that was before.
fn write_set_up(text: &mut String, before: (Board, Color, bool), after: &Position) {
    let (before, to_move, is_start) = before;
    let sets = [
        ("AB", Color::Black.into()),
        ("AW", Color::White.into()),
        ("AE", None),
    ];
    for (name, stone) in sets {
        let mut points = Point::ALL
            .into_iter()
            .filter(|&point| after.stone_at(point) == stone && before.stone_at(point) != stone)
            .peekable();
        if points.peek().is_some() {
            text.push_str(name);
        }
        for point in points {
            push(text, format_args!("[{}]", move_text(Move::Place(point))));
        }
    }
    // Also where the side stays: a set-up makes a pass before it forgotten.
    if !is_start || after.to_move() != to_move {
        let letter = after.to_move().capital();
        push(text, format_args!("PL[{letter}]"));
    }
}

/// A move in SGF: column and row as letters, the row from the top; nothing for
/// a pass.
fn move_text(mv: Move) -> String {
    match mv {
        Move::Pass => String::new(),
        Move::Place(point) => {
            let row = SIZE - 1 - point.row();
            [point.letter(), char::from(b'a' + row)].iter().collect()
        }
    }
}

/// Reads the main line of the first game of an SGF text, the first
/// `max_moves` moves of it.
///
/// # Errors
/// If it is no SGF, has another board, or a set-up or a move that the rules
/// refuse.
pub fn read(text: &str, max_moves: usize) -> Result<Game, ReadError> {
    if text.bytes().filter(|&byte| byte == b';').count() > MAX_NODES {
        return Err(ReadError::TooLarge);
    }
    // Some editors begin a text with this mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let trees = sgf_parse::parse(text).map_err(|error| ReadError::Format(error.to_string()))?;
    let root = trees
        .first()
        .ok_or_else(|| ReadError::Format("it is empty".into()))?
        .as_go_node()
        .map_err(|_| ReadError::OtherGame)?;
    match root.get_property("SZ") {
        Some(&Prop::SZ((SIZE, SIZE))) => {}
        Some(&Prop::SZ((columns, rows))) => return Err(ReadError::Size(columns, rows)),
        // What the format says of a record without a size.
        _ => return Err(ReadError::Size(19, 19)),
    }
    let mut game = None;
    let mut moves = 0;
    for (number, node) in root.main_variation().enumerate() {
        let properties: Vec<_> = node.properties().collect();
        if let Some(position) = set_up(&properties, game.as_ref(), number)? {
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

/// The position that a node's set-up properties make of the one before, if it
/// has any.
fn set_up(
    properties: &[&Prop],
    game: Option<&Game>,
    node: usize,
) -> Result<Option<Position>, ReadError> {
    // GoGui writes with every move whose turn is next, which the rules know.
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

/// The move of a property, if it is one.
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

/// The point of an SGF point, whose row counts from the top.
fn point(at: go::Point) -> Option<Point> {
    Point::new(at.x, (SIZE - 1).checked_sub(at.y)?)
}
