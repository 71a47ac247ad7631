//! Players of contests: `netplay` and `goplay` speak the protocols, an `agent` chooses
//! the moves.

#[cfg(any(feature = "netplay", feature = "goplay", feature = "match"))]
pub mod agent;
#[cfg(feature = "goplay")]
pub mod goplay;
#[cfg(feature = "netplay")]
pub mod netplay;
