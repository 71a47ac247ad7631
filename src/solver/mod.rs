//! What can be proven about a position.

mod safety;

pub use safety::safe_stones;
