//! The review of a game: what each move cost.
//!
//! The value of a position is its [`Outcome`] under best play by both players. A move that
//! keeps the value is [perfect](Judgment::Perfect); any other loses stones, as many as the
//! value falls for the player who makes it.
//!
//! A [`Review`] is a pure value. It says which values are missing ([`Review::without_value`])
//! and takes them in any order ([`Review::set_value`]); what follows from those that it has
//! can be read at any time. Everything else is `None`. An [`Evaluator`], which has a solver,
//! completes it.
//!
//! ```
//! use gothello::review::{Judgment, Review};
//! use gothello::{Color, Game, Position, Solver};
//!
//! let mut game = Game::from("bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse::<Position>()?);
//! game.play(Color::White, "e3".parse()?)?;
//!
//! let solver = Solver::builder().memory_mib(1).build();
//! let mut review = Review::new(&game);
//! review.fill(|position| Some(solver.solve(position)));
//! let ply = review.plies().next().unwrap();
//! assert_eq!(ply.before.unwrap().to_string(), "W+24");
//! assert_eq!(ply.after.unwrap().to_string(), "B+6");
//! assert_eq!(ply.lost, Some(30));
//! assert_eq!(ply.judgment, Some(Judgment::Blunder));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The sum
//!
//! For Black, the value at the start, less what Black's moves lost, plus what White's moves
//! lost, is the value at the end: each move changes the value by what it loses and nothing
//! else. At the end of a game that is over, this is the score. A game that is not over, or
//! whose players agreed on another result (resignation, a flag that fell), has the value of
//! its last position in the place of the score.
//!
//! A record may set up another position between two moves. No player answers for the change
//! of the value that this makes: [`Review::changed_by_set_up`] is one more summand.

mod evaluator;
mod players;

use crate::base::color::Color;
use crate::games::gothello::{Game, Move, Next, Outcome, Position, Step};

pub use evaluator::{BestMoves, Evaluator, Known};
pub use players::{PlayerReview, Tally};

/// A game with the known values of its positions.
///
/// ```
/// use gothello::review::Review;
/// use gothello::{Color, Game, Position, Solver};
///
/// let mut game = Game::from("bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse::<Position>()?);
/// game.play(Color::White, "e3".parse()?)?;
/// let mut review = Review::new(&game);
/// assert_eq!(review.player(Color::White).moves, 0); // no value is known
///
/// let solver = Solver::builder().memory_mib(1).build();
/// for position in review.without_value().collect::<Vec<_>>() {
///     review.set_value(&position, solver.solve(&position));
/// }
/// assert!(review.is_complete());
/// assert_eq!(review.player(Color::White).lost, 30);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Review {
    /// The distinct positions, in the order in which they occur first.
    positions: Vec<Reviewed>,
    moves: Vec<Played>,
    end: Place,
}

/// A position with its known results.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reviewed {
    position: Position,
    value: Option<Outcome>,
    best_moves: Option<Vec<Move>>,
}

/// A move of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Played {
    color: Color,
    mv: Move,
    /// The index of the position before the move.
    before: usize,
    after: Place,
}

/// The state of the game after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the position with this index.
    At(usize),
    /// At the end.
    Over(Outcome),
}

/// A move of the game, and what it cost. What is not known yet is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Ply {
    /// The number of the move, from 1.
    pub ply: usize,
    /// The player who made it.
    pub color: Color,
    /// The move.
    #[cfg_attr(feature = "serde", serde(rename = "move"))]
    pub mv: Move,
    /// The position before the move.
    pub position: Position,
    /// The value before the move.
    pub before: Option<Outcome>,
    /// The value after it; after the last pass, the score.
    pub after: Option<Outcome>,
    /// The stones that the move lost: how much better the value before is for the player.
    pub lost: Option<u8>,
    /// The kind of the move.
    pub judgment: Option<Judgment>,
    /// Every move that would have kept the value.
    pub best_moves: Option<Vec<Move>>,
}

/// The kind of a move, by what it lost.
///
/// ```
/// use gothello::review::{Judgment, Review};
/// use gothello::{Color, Game, Position, Solver};
///
/// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
/// let solver = Solver::builder().memory_mib(1).build();
/// let judge = |mv: &str| {
///     let mut game = Game::from(position);
///     game.play(Color::White, mv.parse().unwrap()).unwrap();
///     let mut review = Review::new(&game);
///     review.fill(|position| Some(solver.solve(position)));
///     review.plies().next().unwrap().judgment
/// };
/// assert_eq!(judge("c1"), Some(Judgment::Perfect));
/// assert_eq!(judge("e3"), Some(Judgment::Blunder));
/// # Ok::<(), gothello::ParsePositionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Judgment {
    /// It lost nothing.
    Perfect,
    /// It lost stones, and kept the result.
    Mistake,
    /// It lost the result: a won game is no longer won, or a draw is lost.
    Blunder,
}

/// How a review ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The game is over: its score.
    Score(Outcome),
    /// The game is not over: the value of its last position, if it is known.
    Value(Option<Outcome>),
}

impl End {
    /// Returns the score, or the value in its place.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            End::Score(outcome) => Some(outcome),
            End::Value(value) => value,
        }
    }
}

impl Review {
    /// Creates the review of a game. Only its score is known, if it is over.
    pub fn new(game: &Game) -> Review {
        let mut review = Review {
            positions: Vec::new(),
            moves: Vec::new(),
            end: Place::At(0),
        };
        let mut now = Next::Continues(Position::START);
        for (step, _) in game.steps() {
            match (step, now) {
                (Step::SetUp(position), _) => now = Next::Continues(position),
                (Step::Played { color, mv }, Next::Continues(position)) => {
                    // The game has accepted the move.
                    let Ok(next) = position.play(mv) else { break };
                    let (before, after) = (review.index(position), review.place(next));
                    review.moves.push(Played {
                        color,
                        mv,
                        before,
                        after,
                    });
                    now = next;
                }
                // A game that is over accepts no more moves.
                (Step::Played { .. }, Next::Ends(_)) => break,
            }
        }
        review.end = review.place(now);
        review
    }

    /// Returns the state of the game, and adds the position if it is new.
    fn place(&mut self, next: Next) -> Place {
        match next {
            Next::Continues(position) => Place::At(self.index(position)),
            Next::Ends(outcome) => Place::Over(outcome),
        }
    }

    /// Returns the index of a position, which is added if it is new.
    fn index(&mut self, position: Position) -> usize {
        let known = self.find(&position);
        known.unwrap_or_else(|| {
            self.positions.push(Reviewed {
                position,
                value: None,
                best_moves: None,
            });
            self.positions.len() - 1
        })
    }

    fn find(&self, position: &Position) -> Option<usize> {
        let mut positions = self.positions.iter();
        positions.position(|reviewed| reviewed.position == *position)
    }

    /// Returns the positions whose value is not known, the last one first: in this order,
    /// the value after a move bounds the value before it.
    pub fn without_value(&self) -> impl Iterator<Item = Position> {
        let positions = self.positions.iter().rev();
        let unknown = positions.filter(|reviewed| reviewed.value.is_none());
        unknown.map(|reviewed| reviewed.position)
    }

    /// Sets the value of a position of the game: its outcome under best play. Other
    /// positions are ignored.
    pub fn set_value(&mut self, position: &Position, value: Outcome) {
        if let Some(reviewed) = self.reviewed_mut(position) {
            reviewed.value = Some(value);
        }
    }

    /// Sets the moves that keep the value of a position of the game. Other positions are
    /// ignored.
    pub fn set_best_moves(&mut self, position: &Position, moves: Vec<Move>) {
        if let Some(reviewed) = self.reviewed_mut(position) {
            reviewed.best_moves = Some(moves);
        }
    }

    fn reviewed_mut(&mut self, position: &Position) -> Option<&mut Reviewed> {
        let index = self.find(position)?;
        self.positions.get_mut(index)
    }

    /// Sets every missing value that `value_of` knows, the last position's first.
    pub fn fill(&mut self, mut value_of: impl FnMut(&Position) -> Option<Outcome>) {
        let unknown = self.positions.iter_mut().rev();
        for reviewed in unknown.filter(|reviewed| reviewed.value.is_none()) {
            reviewed.value = value_of(&reviewed.position);
        }
    }

    /// Returns the moves of the game with what they cost.
    pub fn plies(&self) -> impl Iterator<Item = Ply> {
        (1..).zip(&self.moves).filter_map(|(number, played)| {
            let reviewed = self.positions.get(played.before)?;
            let (before, after) = (reviewed.value, self.value_at(played.after));
            let lost = before.zip(after).and_then(|(before, after)| {
                let leads = [before, after].map(|value| i16::from(value.lead_of(played.color)));
                // Exact values never rise by a player's own move.
                u8::try_from(leads[0] - leads[1]).ok()
            });
            let judgment = lost.zip(before.zip(after)).map(|(lost, (before, after))| {
                let results = [before, after].map(|value| value.lead_of(played.color).signum());
                match lost {
                    0 => Judgment::Perfect,
                    _ if results[0] == results[1] => Judgment::Mistake,
                    _ => Judgment::Blunder,
                }
            });
            Some(Ply {
                ply: number,
                color: played.color,
                mv: played.mv,
                position: reviewed.position,
                before,
                after,
                lost,
                judgment,
                best_moves: reviewed.best_moves.clone(),
            })
        })
    }

    fn value_at(&self, place: Place) -> Option<Outcome> {
        match place {
            Place::At(index) => self.positions.get(index)?.value,
            Place::Over(outcome) => Some(outcome),
        }
    }

    /// Returns the value of the first position, if it is known.
    pub fn start(&self) -> Option<Outcome> {
        let start = match self.moves.first() {
            Some(first) => Place::At(first.before),
            None => self.end,
        };
        self.value_at(start)
    }

    /// Returns the score if the game is over, else the value of the last position.
    pub fn end(&self) -> End {
        match self.end {
            Place::At(_) => End::Value(self.value_at(self.end)),
            Place::Over(outcome) => End::Score(outcome),
        }
    }

    /// Returns by how much positions that were set up after a move changed the value for
    /// Black; `None` if a value is not known. It is 0 in a game that was played from start
    /// to end.
    pub fn changed_by_set_up(&self) -> Option<i32> {
        let next = self.moves.iter().skip(1);
        let next = next
            .map(|played| Place::At(played.before))
            .chain([self.end]);
        let changes = self
            .moves
            .iter()
            .zip(next)
            .filter(|(played, next)| played.after != *next);
        let lead = |place| Some(i32::from(self.value_at(place)?.lead_of(Color::Black)));
        changes
            .map(|(played, next)| Some(lead(next)? - lead(played.after)?))
            .sum()
    }

    /// Returns the statistics of a player's moves with known values.
    pub fn player(&self, color: Color) -> PlayerReview {
        self.plies().filter(|ply| ply.color == color).collect()
    }

    /// Returns whether all values are known.
    pub fn is_complete(&self) -> bool {
        self.without_value().next().is_none()
    }
}
