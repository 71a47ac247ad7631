//! What can be proven about a position: its exact value.
//!
//! [`Position::solve`](crate::gothello::Position::solve) is the short way, and a
//! [`Solver`] answers more:
//!
//! ```
//! use gothello::gothello::{Color, Position};
//! use gothello::solver::Solver;
//!
//! let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
//! assert_eq!(position.solve().to_string(), "W+24");
//!
//! let solver = Solver::default();
//! assert_eq!(solver.winner(&position), Some(Color::White));
//! assert_eq!(solver.best_moves(&position), ["c1".parse()?]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Methods whose name begins with `search` are for players: what they ask and answer
//! is the value for the player to move, as [`Bounds`].

pub mod book;
mod bounds;
mod builder;
mod crew;
mod line;
mod moves;
mod node;
mod outcome;
mod pitfalls;
mod promise;
mod search;
mod solve;
mod symmetry;
mod table;
mod territory;
#[cfg(test)]
mod tests;

pub use bounds::{Bounds, OutcomeRange};
pub use builder::SolverBuilder;
pub(crate) use crew::NEVER_SET;
pub use crew::{Control, Progress};
pub use line::Line;
pub use moves::MoveBounds;
pub(crate) use moves::{bounds_after, distinct_moves};
pub use pitfalls::ReplyDifficulty;
pub use solve::{Objective, Solver};
pub use symmetry::Key;
pub use table::OutOfMemory;
#[cfg(test)]
use table::Table;
pub use territory::unconditionally_alive;
