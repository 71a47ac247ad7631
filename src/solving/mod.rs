//! What is proven about positions: exact values, by search and by retrograde analysis.

pub mod endgame;
#[cfg(feature = "review")]
pub mod review;
pub mod solver;
pub mod tablebase;
