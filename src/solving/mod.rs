//! Exact values of positions, proven by search and by retrograde analysis.

#[cfg(feature = "dataset")]
pub mod dataset;
pub mod endgame;
#[cfg(feature = "review")]
pub mod review;
pub mod solver;
pub mod tablebase;
