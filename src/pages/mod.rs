//! The pages for people: `web` shows contests and events, `play` a game to play.

#[cfg(any(feature = "web", feature = "analysis"))]
mod drawn;
#[cfg(feature = "analysis")]
pub mod play;
#[cfg(any(feature = "web", feature = "analysis"))]
pub mod view;
#[cfg(feature = "web")]
pub mod web;

#[cfg(any(feature = "web", feature = "analysis"))]
pub use drawn::DrawnGame;
