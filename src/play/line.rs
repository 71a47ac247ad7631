//! A line of play, and what the page is told of each of its positions.

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

use crate::color::{ByColor, Color};
use crate::gothello::{
    Game, IllegalPosition, Move, Outcome, PlayError, Point, PointSet, Position, SIZE, Step,
};

/// The most moves of a line. A game has at most 50.
pub const MAX_MOVES: usize = 200;

/// A position and the legal moves that are played from there.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    start: Position,
    moves: Vec<Move>,
    game: Game,
}

/// Why moves are no line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalLine {
    /// There are too many.
    #[error("a line has at most {MAX_MOVES} moves, and this has {0}")]
    TooLong(usize),
    /// A move is illegal.
    #[error("move {number} ({color} {mv}) is illegal: {why}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The player to move.
        color: Color,
        /// The move.
        mv: Move,
        /// The reason.
        why: PlayError,
    },
}

impl Line {
    /// Plays moves from a position.
    ///
    /// # Errors
    /// There are more than [`MAX_MOVES`], one is illegal, or one follows the end of the game.
    pub fn new(start: Position, moves: Vec<Move>) -> Result<Line, IllegalLine> {
        if moves.len() > MAX_MOVES {
            return Err(IllegalLine::TooLong(moves.len()));
        }
        let mut game = Game::from(start);
        for (&mv, number) in moves.iter().zip(1..) {
            let color = game.to_move();
            let result = match game.is_over() {
                true => Err(crate::gothello::IllegalMove::GameOver.into()),
                false => game.play(color, mv),
            };
            result.map_err(|why| IllegalLine::Move {
                number,
                color,
                mv,
                why,
            })?;
        }
        Ok(Line { start, moves, game })
    }

    /// Returns the position from which the line starts.
    pub fn start(&self) -> Position {
        self.start
    }

    /// Returns the moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns the game at the end of the line.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the position at the end of the line; `None` if the game is over.
    pub fn position(&self) -> Option<Position> {
        self.game.position().copied()
    }
}

/// The line that ends as a game does. It starts from the last position that was set up.
impl From<Game> for Line {
    fn from(game: Game) -> Line {
        let mut start = Position::START;
        let mut moves = Vec::new();
        for (step, _) in game.steps() {
            match step {
                Step::SetUp(position) => {
                    start = position;
                    moves.clear();
                }
                Step::Played { mv, .. } => moves.push(mv),
            }
        }
        // The game has played the same moves, but knows of earlier positions.
        let mut line = Game::from(start);
        for &mv in &moves {
            let legal = line.play(line.to_move(), mv);
            debug_assert_eq!(legal, Ok(()), "{mv}");
        }
        Line {
            start,
            moves,
            game: line,
        }
    }
}

/// A position of a line as the page draws it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlyView {
    /// The 25 points, row by row from the top: `B`, `W` or `.`.
    pub board: String,
    /// The position in its text form; `None` if the game is over.
    pub text: Option<String>,
    /// The move that led here; `None` at the start.
    #[serde(rename = "move")]
    pub mv: Option<Move>,
    /// The row from the top and the column of that move, from 0.
    pub at: Option<[u8; 2]>,
    /// The player who made it.
    pub by: Option<Color>,
    /// The stones that it captured.
    pub flipped: Vec<Point>,
    /// The player to move; `None` if the game is over.
    pub turn: Option<Color>,
    /// Whether a pass ends the game.
    pub last_pass: bool,
    /// The stones on the board.
    pub count: ByColor<u8>,
    /// For each legal point, the stones that a stone there captures.
    pub legal: BTreeMap<Point, Vec<Point>>,
    /// For each empty point that is not legal, why.
    pub illegal: BTreeMap<Point, String>,
    /// The groups of stones.
    pub groups: Vec<GroupView>,
    /// The result of the game as a sentence, if it is over.
    pub result: Option<String>,
    /// Black's stones minus White's at the end, if the game is over.
    pub lead: Option<i8>,
}

/// A group and its liberties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupView {
    /// Its stones.
    pub stones: Vec<Point>,
    /// The empty points beside it.
    pub liberties: Vec<Point>,
}

/// Describes the positions of a line, from the one after `from` moves on.
pub fn plies(line: &Line, from: usize) -> Vec<PlyView> {
    let mut game = Game::from(line.start);
    let mut views = Vec::new();
    for played in 0..=line.moves.len() {
        if played >= from {
            views.push(view(&game));
        }
        if let Some(&mv) = line.moves.get(played) {
            let legal = game.play(game.to_move(), mv);
            debug_assert_eq!(legal, Ok(()), "{mv}");
        }
    }
    views
}

/// Describes the present of a game.
fn view(game: &Game) -> PlyView {
    let board = game.board();
    let empty = board.empty();
    let (by, mv) = match game.last_step() {
        Some(Step::Played { color, mv }) => (Some(color), Some(mv)),
        Some(Step::SetUp(_)) | None => (None, None),
    };
    let position = game.position();
    let mut legal = BTreeMap::new();
    let mut illegal = BTreeMap::new();
    if let Some(position) = position {
        let placements = position.placements();
        for point in empty.iter() {
            match (placements.captures(point), position.place(point)) {
                (Some(captures), Ok(_)) => {
                    legal.insert(point, points(captures));
                }
                (_, Err(why)) => {
                    illegal.insert(point, why.to_string());
                }
                (None, Ok(_)) => {}
            }
        }
    }
    PlyView {
        board: rows()
            .map(|point| board.stone_at(point).map_or('.', Color::capital))
            .collect(),
        text: position.map(Position::to_string),
        mv,
        at: mv
            .and_then(Move::point)
            .map(|point| [SIZE - 1 - point.row(), point.column()]),
        by,
        flipped: points(game.last_captured()),
        turn: position.map(Position::to_move),
        last_pass: position.is_some_and(Position::after_pass),
        count: game.count(),
        legal,
        illegal,
        groups: board
            .groups()
            .map(|group| GroupView {
                stones: points(group),
                liberties: points(group.neighbors() & empty),
            })
            .collect(),
        result: game.outcome().map(describe),
        lead: game.outcome().map(|outcome| outcome.lead_of(Color::Black)),
    }
}

/// Returns the points of the board, row by row from the top.
fn rows() -> impl Iterator<Item = Point> {
    let row = |row| (0..SIZE).filter_map(move |column| Point::new(column, row));
    (0..SIZE).rev().flat_map(row)
}

fn points(set: PointSet) -> Vec<Point> {
    set.iter().collect()
}

/// Describes the outcome of a game.
fn describe(outcome: Outcome) -> String {
    match outcome {
        Outcome::Drawn => "The game is drawn".into(),
        Outcome::Won { winner, margin } => format!("{winner} wins by {margin}"),
    }
}

/// What is said of stones that were set up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub enum SetUp {
    /// They are a position.
    Legal {
        /// Its text form.
        text: String,
    },
    /// They are not.
    Illegal {
        /// The reason.
        why: String,
        /// The stones that it is about.
        stones: Vec<Point>,
    },
}

/// Checks stones that were set up.
pub fn set_up(stones: ByColor<PointSet>, to_move: Color) -> SetUp {
    match Position::new(stones.black, stones.white, to_move, false) {
        Ok(position) => SetUp::Legal {
            text: position.to_string(),
        },
        Err(why) => {
            let about = match why {
                IllegalPosition::TwoStones(point) => point.into(),
                IllegalPosition::NoLiberty(point) => {
                    let is_there = |color: &&Color| stones[**color].contains(point);
                    let color = Color::ALL.iter().find(is_there);
                    color.map_or(PointSet::EMPTY, |&color| {
                        PointSet::from(point).flood(stones[color])
                    })
                }
            };
            SetUp::Illegal {
                why: why.to_string(),
                stones: points(about),
            }
        }
    }
}
