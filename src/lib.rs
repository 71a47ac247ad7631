//! Gothello
pub mod cli;
pub mod gothello;
pub mod gtp;
pub mod player;
pub mod sgf;
pub mod solver;
