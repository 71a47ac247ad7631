//! The values of a position of Gothello and of its moves.

use super::files::{Tablebase, TablebaseError};
use super::grid::from_point_set;
use crate::gothello::{Move, Next, Position};

impl Tablebase {
    /// Returns the value of a position of Gothello for the player to move.
    ///
    /// # Errors
    /// If the layer is missing or damaged.
    pub fn position_value(&self, position: &Position) -> Result<i8, TablebaseError> {
        let stones = position.stones();
        let value = self.value(
            from_point_set(stones.mover),
            from_point_set(stones.opponent),
        )?;
        // Only the tablebase of a smaller board lacks legal positions.
        let value = value.ok_or(TablebaseError::OtherBoard)?;
        Ok(position.with_game_end(value))
    }

    /// Returns the legal moves of a position of Gothello, each with its value for the
    /// player to move. A placement is looked up among the positions with one stone more.
    ///
    /// # Errors
    /// If a layer is missing or damaged.
    pub fn move_values(&self, position: &Position) -> Result<Vec<(Move, i8)>, TablebaseError> {
        move_values(position, |next| self.position_value(next))
    }
}

/// Returns the legal moves of a position, each with its value for the player to move, given
/// `value_of`, which returns the value of the position after a move for its player to move.
///
/// # Errors
/// Those of `value_of`.
pub fn move_values<E>(
    position: &Position,
    value_of: impl Fn(&Position) -> Result<i8, E>,
) -> Result<Vec<(Move, i8)>, E> {
    let mut values = Vec::new();
    for mv in position.legal_moves() {
        let value = match position.play(mv) {
            Ok(Next::Continues(next)) => -value_of(&next)?,
            Ok(Next::Ends(_)) => position.stones().lead(),
            Err(_) => continue,
        };
        values.push((mv, value));
    }
    Ok(values)
}
