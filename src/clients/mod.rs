//! Players of contests: [`netplay`] and [`goplay`] speak the protocols, an [`agent`] chooses
//! the moves.

#[cfg(any(feature = "netplay", feature = "goplay", feature = "match"))]
#[doc(hidden)]
pub mod agent;
#[cfg(feature = "goplay")]
#[doc(hidden)]
pub mod goplay;
#[cfg(feature = "netplay")]
#[doc(hidden)]
pub mod netplay;
