//! Datasets: positions with the exact value of every move.
//!
//! [`draw()`] chooses positions, [`solve()`] finds the values of their moves, and [`json_line`], [`npz()`]
//! and [`card()`] write both down. All of it follows from the [`Plan`]: neither the number of threads
//! nor the tablebase changes a byte.
//!
//! ```
//! use gothello::Solver;
//! use gothello::dataset::{self, Plan, Source};
//! use gothello::solver::Control;
//!
//! let plan = Plan {
//!     source: Source::Uniform,
//!     positions: 10,
//!     stones: "18..20".parse()?,
//!     seed: 1,
//! };
//! let solver = Solver::builder().memory_mib(16).build();
//! let positions = dataset::draw(&plan, &solver, 1, &Control::UNLIMITED)?;
//! let records = dataset::solve(&positions, &solver, 1, &Control::UNLIMITED, |_| ())?;
//! assert_eq!(records[0].best_moves().collect::<Vec<_>>(), solver.best_moves(&positions[0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which positions
//!
//! Images of each other under the symmetries of the board, and positions with all colors exchanged,
//! are one position here. It is drawn at most once, and written as its
//! [canonical](Position::canonical) image with Black to move.
//!
//! - [`Source::Uniform`]: every legal position with one of the numbers of stones is equally likely,
//!   whether a game leads to it or not, and never after a pass. So in a range most positions have
//!   the numbers of stones that most positions have.
//! - [`Source::RandomGames`]: games of random placements, in which a player passes only without a legal
//!   one, up to the first position with the largest of the numbers. Each game has one of its positions
//!   with these numbers of stones, every one equally likely; it is left out if an earlier game had it.
//! - [`Source::GamesWithErrors`]: the same with games of best play, in which each move is, with some
//!   probability, a mistake: a random placement among those that are not best, if there is one. Of
//!   several best moves, passes among them, every one is equally likely.

mod card;
mod draw;
mod files;
mod games;
mod npz;
mod plan;
mod record;
mod solve;
mod stones;
mod uniform;

pub use card::card;
pub use draw::draw;
pub use files::{Format, card_path};
pub use games::{play_game, random_move};
pub use npz::npz;
pub use plan::{DrawError, Plan, Source};
pub use record::{Record, UNKNOWN, json_line};
pub use solve::{SolveError, solve};
pub use stones::{ParseStoneCountsError, StoneCounts};
pub use uniform::position_count;

#[cfg(doc)]
use crate::games::gothello::Position;
