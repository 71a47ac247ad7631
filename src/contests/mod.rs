//! The referees of contests: `netref` of Gothello and Awari, `goref` of Go.

#[cfg(feature = "goref")]
pub mod goref;
#[cfg(feature = "netref")]
pub mod netref;
#[cfg(any(feature = "goref", feature = "netref"))]
mod secret;
