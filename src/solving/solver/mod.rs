//! The solver: proves the exact value of positions.
//!
//! [`Position::solve`](crate::games::gothello::Position::solve) is the simplest way to use it;
//! a [`Solver`] offers more:
//!
//! ```
//! use gothello::{Color, Position};
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
//! The methods whose names begin with `search` are for engines: they take a [`Control`],
//! which stops them, and return [`Bounds`] for the player to move.
//!
//! # How it works
//!
//! A [`Solver`] runs null-window searches (`search.rs`) until the bounds decide the
//! [`Objective`]. A node of the search has, beside the position, the unconditionally
//! alive stones of both players and the lower bounds on the final score that follow from
//! them (`territory.rs`). The transposition table (`table.rs`) holds one entry for the
//! eight images of a position under the symmetries of the board (`symmetry.rs`). Threads
//! search the same position and share the table (`parallel.rs`). Openings, the positions
//! with few stones, take longest to search, and are looked up in a
//! [tablebase](crate::solving::tablebase::PackedTablebase).

mod analysis;
mod bounds;
mod control;
mod parallel;
mod picture;
mod search;
mod solve;
mod symmetry;
mod table;
mod territory;
#[cfg(test)]
mod tests;

pub use crate::base::timer::{Moment, set_clock};
pub use analysis::{PrincipalVariation, ReplyDifficulty};
pub(crate) use analysis::{bounds_after, distinct_moves};
pub use bounds::{Bounds, MoveBounds, OutcomeRange};
pub(crate) use control::NEVER_SET;
pub use control::{Control, PositionBudget, Progress};
pub use solve::{Objective, Solver, SolverBuilder};
pub(crate) use symmetry::canonical;
pub use table::OutOfMemory;
pub use territory::unconditionally_alive;
