//! Gothello, a game on a 5x5 board between Go and Othello: its rules and a solver that
//! finds the exact value of a position. Likewise the rules of Awari and of Go, endgame
//! databases, players, and records.
//!
//! ```
//! use gothello::{Color, Game, Move};
//!
//! let mut game = Game::new();
//! game.play(Color::Black, "c3".parse()?)?;
//! game.play(Color::White, Move::Pass)?;
//! game.play(Color::Black, Move::Pass)?;
//! assert!(game.is_over());
//! assert_eq!(game.outcome().map(|outcome| outcome.to_string()), Some("B+1".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```
//! use gothello::{Position, Solver};
//!
//! let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?;
//! let solver = Solver::builder().memory_mib(16).threads(1).build();
//! assert_eq!(solver.solve(&position).to_string(), "B+3");
//! assert_eq!(solver.best_moves(&position), ["c2".parse()?]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A position as text is its rows from the top, then the player to move.
//!
//! | | |
//! |---|---|
//! | [`Position`], [`Game`], [`Move`], [`Outcome`] | Gothello: [`games::gothello`] has the rules, and a table of all its types |
//! | [`Solver`], [`solver`] | the value of a position, its best moves, best play to the end |
//! | [`tablebase`] | the values of all openings, built in, for the solver to look up |
//! | [`awari`], [`endgame`] | the rules of Awari, and a database of its endgames |
//! | [`go`] | the rules of Go, with their choices |
//! | [`game`] | the trait of games with players who move in turn |
//! | [`Color`], [`ByColor`] | the two players of every game, and a value for each |
//! | [`sgf`] | games as SGF files |
//! | [`clock`] | a game clock without a source of time |
#![cfg_attr(
    feature = "player",
    doc = "| [`player`] | feature `player`: perfect players, weaker ones, and alpha-beta search |"
)]
#![cfg_attr(
    feature = "dataset",
    doc = "| [`dataset`] | feature `dataset`: positions with the exact value of every move, drawn at random |"
)]
#![cfg_attr(
    feature = "review",
    doc = "| [`review`] | feature `review`: what each move of a game cost |"
)]
#![cfg_attr(
    feature = "statistics",
    doc = "| [`statistics`] | feature `statistics`: Elo, the SPRT, and ratings from the results of games |"
)]
#![cfg_attr(
    feature = "tournament",
    doc = "| [`tournament`] | feature `tournament`: pairings and standings, round robin and Swiss |"
)]
//!
//! # Features
//! - `cli` (default): everything, and the program `gothello`.
//! - `dataset`, `player`, `review`, `statistics`, `tournament`: the modules of these names.
//! - `tablebase`: building, querying and checking the files of a tablebase, in [`tablebase`].
//! - `encoding`: [`sgf`] decodes files that are not UTF-8.
//! - `serde`: `Serialize` and `Deserialize` for positions, moves, and outcomes in their text form,
//!   for [`Color`] and [`ByColor`], and for the results of the other features; the section *Types
//!   with serde* of `docs/src/library.md` lists them all.
//!
//! With `default-features = false` there are the rules, the solver, the endgame database
//! and records, which bring a dozen small crates and no runtime.
#![deny(unnameable_types)]
// docs.rs shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// No single part uses everything that parts share.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

// From the ground up: a module uses only those before it. Hidden are those of the program, which
// are public for its binary, its tests and its benchmarks only: they need no `Debug`.

#[doc(hidden)]
pub mod base;
pub mod games;
pub mod solving;

#[cfg(feature = "player")]
pub mod player;

#[cfg(any(feature = "gtp", feature = "engine"))]
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub mod gtp;

#[cfg(feature = "statistics")]
pub mod statistics;

#[cfg(feature = "tournament")]
pub mod tournament;

#[cfg(any(feature = "web", feature = "analysis"))]
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub mod pages;

#[cfg(any(feature = "netref", feature = "goref"))]
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub mod contests;

#[cfg(any(feature = "netplay", feature = "goplay", feature = "match"))]
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub mod clients;

#[cfg(feature = "match")]
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub mod matches;

#[cfg(feature = "check")]
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub mod check;

#[cfg(feature = "cli")]
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub mod cli;

pub use base::clock;
pub use base::color::{ByColor, Color, ParseColorError};
#[doc(inline)]
pub use games::gothello::{
    Board, Game, IllegalMove, IllegalPosition, Move, Next, Outcome, ParseMoveError,
    ParseOutcomeError, ParsePointError, ParsePositionError, Picture, Placed, Placements, PlayError,
    Point, PointSet, Points, Position, Status, Step, Stones, Symmetry,
};
pub use games::{awari, game, go, sgf};
#[cfg(feature = "dataset")]
pub use solving::dataset;
#[cfg(feature = "review")]
pub use solving::review;
#[doc(inline)]
pub use solving::solver::Solver;
pub use solving::{endgame, solver, tablebase};

/// The examples of the README and of the guide.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/src/library.md")]
struct Readme;
