//! Gothello, a game on a 5x5 board between Go and Othello.
//!
//! The `gothello` program is this library behind a command line. The rooms,
//! each of which knows only those above it:
//!
//! - [`gothello`]: the rules; pure values.
//! - [`awari`]: the rules of Awari; likewise.
//! - [`go`]: the rules of Go; likewise.
//! - [`endgame`]: how the last stones of Awari are divided.
//! - [`sgf`]: games as files.
//! - [`solver`]: what can be proven about a position.
//! - [`player`]: whoever chooses moves.
//! - [`clock`]: a game clock.
//! - [`journal`]: a record that survives a crash.
//! - [`web`]: the page for people.
//! - [`netref`]: the networked referee.
//! - [`gtp_engine`]: a GTP engine as a child process.
//! - [`netplay`]: the client of the networked referee.
//! - [`tournament`]: who meets whom, and the standings.
//! - [`goref`]: the referee of Go contests.
//! - [`goplay`]: the client of Go contests.
//! - [`gtp`]: the Go Text Protocol, for GoGui and other controllers.
//! - [`cli`]: the command line.
//!
//! ```
//! use gothello::gothello::{Color, Game, Move};
//!
//! let mut game = Game::new();
//! game.play(Color::Black, "c3".parse()?)?;
//! game.play(Color::White, Move::Pass)?;
//! game.play(Color::Black, Move::Pass)?;
//! assert!(game.is_over());
//! assert_eq!(game.outcome().map(|outcome| outcome.to_string()), Some("B+1".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
// A part alone does not use everything that parts share.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

#[cfg(feature = "engine")]
pub mod agent;
pub mod awari;
#[cfg(feature = "cli")]
pub mod cli;
pub mod clock;
mod color;
pub mod endgame;
pub mod game;
pub mod go;
#[cfg(feature = "goplay")]
pub mod goplay;
#[cfg(feature = "goref")]
pub mod goref;
pub mod gothello;
#[cfg(feature = "gtp")]
pub mod gtp;
#[cfg(feature = "engine")]
pub mod gtp_engine;
#[cfg(feature = "journal")]
pub mod journal;
#[cfg(any(feature = "netref", feature = "tournament"))]
mod names;
#[cfg(feature = "web")]
mod net;
#[cfg(feature = "netplay")]
pub mod netplay;
#[cfg(feature = "netref")]
pub mod netref;
#[cfg(feature = "player")]
pub mod player;
mod rng;
pub mod sgf;
pub mod solver;
#[cfg(feature = "tournament")]
pub mod tournament;
#[cfg(feature = "engine")]
mod typed;
#[cfg(feature = "web")]
pub mod web;

pub use color::{ByColor, Color, ParseColorError};

/// The examples of the README and of the guide.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/src/library.md")]
struct Readme;
