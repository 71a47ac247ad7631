//! The rules of the games, and their records.
//!
//! [`game::Game`] is the trait of all games.

pub mod awari;
pub mod game;
pub mod go;
pub mod gothello;
pub mod sgf;
