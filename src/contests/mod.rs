//! The referees of contests: `netref` of Gothello and Awari, `goref` of Go.

pub(crate) mod color_codes;
pub mod contest;
pub(crate) mod exchange;
#[cfg(feature = "goref")]
pub mod goref;
pub mod ladder;
mod limits;
#[cfg(feature = "netref")]
pub mod netref;
pub mod results;
mod secret;
mod shell;
pub mod warnings;

pub use shell::{Records, StateError, StateFolder};

pub use limits::Limits;
