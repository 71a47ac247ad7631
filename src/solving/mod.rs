//! Exact values of positions, proven by search and by retrograde analysis.

pub mod endgame;
#[cfg(feature = "review")]
pub mod review;
pub mod solver;
pub mod tablebase;
