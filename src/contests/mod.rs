//! The referees of contests: `netref` of Gothello and Awari, `goref` of Go.

#[cfg(any(feature = "goref", feature = "netref"))]
pub(crate) mod codes;
#[cfg(any(feature = "goref", feature = "netref"))]
pub mod contest;
#[cfg(any(feature = "goref", feature = "netref"))]
pub(crate) mod exchange;
#[cfg(feature = "goref")]
pub mod goref;
#[cfg(any(feature = "goref", feature = "netref"))]
pub mod ladder;
#[cfg(any(feature = "goref", feature = "netref"))]
mod limits;
#[cfg(feature = "netref")]
pub mod netref;
#[cfg(any(feature = "goref", feature = "netref"))]
pub mod results;
#[cfg(any(feature = "goref", feature = "netref"))]
mod secret;
#[cfg(any(feature = "goref", feature = "netref"))]
mod shell;
#[cfg(any(feature = "goref", feature = "netref"))]
pub mod warnings;

#[cfg(any(feature = "goref", feature = "netref"))]
#[cfg(any(feature = "goref", feature = "netref"))]
pub use shell::{Records, StateError, StateFolder};

#[cfg(any(feature = "goref", feature = "netref"))]
pub use limits::{BURST, Limits, TooMany, Usage};
