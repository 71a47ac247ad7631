//! The database of Awari's endgames: its bounds against a second, plain
//! implementation and against all of the game tree, and its files.

mod files;
mod naive;
mod truth;

use std::sync::atomic::AtomicBool;

use gothello::awari::Variant;
use gothello::endgame::Database;

/// A database of the boards with up to so many stones.
fn database(variant: Variant, stones: u8) -> Database {
    Database::build(variant, stones, 2, &AtomicBool::new(false)).unwrap()
}
