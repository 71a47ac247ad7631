//! The pages for people: [`web`] shows contests and events, [`play`] a game to play.

#[cfg(feature = "play")]
#[doc(hidden)]
pub mod play;
#[cfg(feature = "web")]
#[doc(hidden)]
pub mod web;
