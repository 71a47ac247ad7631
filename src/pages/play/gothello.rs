//! Gothello on the page.

use std::collections::BTreeMap;

use serde::Serialize;

use super::line::{GroupView, Line, PageGame, PlyView, play};
use crate::base::color::{ByColor, Color};
use crate::games::gothello::{Game, IllegalPosition, Outcome, PointSet, Position, Step};
use crate::games::sgf::TreeStep;
use crate::pages::DrawnGame as _;

impl PageGame for Game {
    type Start = Position;
    type Step = TreeStep;

    /// A game has at most 50 moves, but a record may set up any number of positions.
    const MAX_STEPS: usize = 1_000;

    fn start_from(start: Position) -> Game {
        Game::from(start)
    }

    fn step(&mut self, step: TreeStep) -> Result<(), String> {
        match step {
            TreeStep::Move(mv) => play(self, mv),
            TreeStep::SetUp(position) => {
                self.set_up(position);
                Ok(())
            }
        }
    }

    fn view(&self) -> PlyView {
        view(self)
    }
}

impl Line<Game> {
    /// Returns the position at the end of the line; `None` if the game is over.
    pub fn position(&self) -> Option<Position> {
        self.game().position().copied()
    }
}

/// Describes the present of a game.
fn view(game: &Game) -> PlyView {
    let board = game.board();
    let empty = board.empty();
    let (by, step, at) = match game.last_step() {
        Some(Step::Played { color, mv }) => (Some(color), Some(mv.to_string()), Game::place(mv)),
        Some(Step::SetUp(position)) => (None, Some(position.to_string()), None),
        None => (None, None, None),
    };
    let position = game.position();
    let mut legal = BTreeMap::new();
    let mut illegal = BTreeMap::new();
    if let Some(position) = position {
        let placements = position.placements();
        for point in empty.iter() {
            match (placements.captures(point), position.place(point)) {
                (Some(captures), Ok(_)) => {
                    legal.insert(point.to_string(), names(captures));
                }
                (_, Err(why)) => {
                    illegal.insert(point.to_string(), why.to_string());
                }
                (None, Ok(_)) => {}
            }
        }
    }
    PlyView {
        board: game.ply().board,
        text: position.map(Position::to_string),
        mv: step,
        at,
        by,
        flipped: names(game.last_captured()),
        turn: position.map(Position::to_move),
        last_pass: position.is_some_and(Position::after_pass),
        count: game.count(),
        legal,
        illegal,
        groups: board
            .groups()
            .map(|group| GroupView {
                stones: names(group),
                liberties: names(group.neighbors() & empty),
            })
            .collect(),
        result: game.outcome().map(describe),
        ..PlyView::default()
    }
}

fn names(points: PointSet) -> Vec<String> {
    points.iter().map(|point| point.to_string()).collect()
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
        stones: Vec<String>,
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
                stones: names(about),
            }
        }
    }
}
