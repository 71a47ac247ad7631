//! What can be proven about a position: its exact value.

pub mod book;
mod bounds;
mod crew;
mod line;
mod moves;
mod node;
mod pitfalls;
mod promise;
mod search;
mod solve;
mod symmetry;
mod table;
mod territory;
#[cfg(test)]
mod tests;

pub use bounds::Bounds;
pub use crew::{Control, Progress};
pub use line::Line;
pub use moves::{Judged, after};
pub use pitfalls::Pitfalls;
pub use solve::{Question, Solver};
pub use symmetry::Key;
pub use table::{OutOfMemory, Table};
pub use territory::safe_stones;
