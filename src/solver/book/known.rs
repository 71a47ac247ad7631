//! Who can be asked for what is known already.

use std::fmt::Debug;

use super::Book;
use crate::gothello::{Move, Position};

/// What is known of positions without a search.
pub trait Oracle: Debug + Send + Sync {
    /// The value of a position for the player to move, and a move that keeps
    /// it.
    fn look_up(&self, position: &Position) -> Option<(i8, Move)>;
}

/// A book says what is in it.
impl Oracle for Book {
    fn look_up(&self, position: &Position) -> Option<(i8, Move)> {
        Book::look_up(self, position)
    }
}

/// The book that is built into the program, which is not read before something
/// is looked up.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInBook;

impl Oracle for BuiltInBook {
    fn look_up(&self, position: &Position) -> Option<(i8, Move)> {
        Book::built_in().look_up(position)
    }
}
