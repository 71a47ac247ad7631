//! The foundation of all other modules: no module here knows a game.

pub mod clock;
pub(crate) mod color;
pub(crate) mod counted;
#[cfg(feature = "tournament")]
pub(crate) mod csv;
#[cfg(any(feature = "cli", feature = "match"))]
pub(crate) mod duration;
#[cfg(feature = "journal")]
#[doc(hidden)]
pub mod journal;
#[cfg(any(feature = "netref", feature = "tournament"))]
pub(crate) mod names;
#[cfg(feature = "web")]
pub(crate) mod net;
pub mod rng;
#[cfg(any(feature = "goref", feature = "netref"))]
pub(crate) mod server_clock;
#[cfg(any(feature = "tablebase", feature = "match"))]
pub(crate) mod shard;
#[cfg(feature = "serde")]
pub(crate) mod text_serde;
pub(crate) mod threads;
pub(crate) mod timer;
