//! The pages for people: `web` shows contests and events, `play` a game to play.

#[cfg(feature = "play")]
pub mod play;
#[cfg(feature = "web")]
pub mod web;
