//! The endgame database of Awari: comparison of its bounds with a second, plain
//! implementation and with exhaustive play, and its files.

mod files;
mod naive;
mod truth;

use std::sync::atomic::AtomicBool;

use gothello::awari::Variant;
use gothello::endgame::Database;

/// Computes a database with up to this many stones.
fn database(variant: Variant, stones: u8) -> Database {
    Database::build(variant, stones, 2, &AtomicBool::new(false)).unwrap()
}
