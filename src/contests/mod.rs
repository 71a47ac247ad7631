//! The referees of contests: [`netref`] of Gothello and Awari, [`goref`] of Go.

#[cfg(feature = "goref")]
#[doc(hidden)]
pub mod goref;
#[cfg(feature = "netref")]
#[doc(hidden)]
pub mod netref;
