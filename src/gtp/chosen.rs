//! What was thought of the last move.

use crate::gothello::Color;

/// What is said of a last move that was not chosen here.
pub(super) const NOT_CHOSEN: &str = "the engine did not choose the last move";

/// What was thought of a move that was chosen here, for as long as it is the
/// last move of the game.
///
/// The game is kept as it was right after the move. So nothing that changes the
/// game need know of this: while it is the same game, the move is its last.
pub(super) struct LastChoice<G, C>(Option<Chosen<G, C>>);

struct Chosen<G, C> {
    after: G,
    color: Color,
    choice: C,
}

impl<G: Clone + PartialEq, C: Copy> LastChoice<G, C> {
    /// No move was chosen yet.
    pub(super) const NONE: LastChoice<G, C> = LastChoice(None);

    /// A player has chosen the last move of this game.
    pub(super) fn set(&mut self, game: &G, color: Color, choice: C) {
        self.0 = Some(Chosen {
            after: game.clone(),
            color,
            choice,
        });
    }

    /// Who chose the last move of this game, and what was thought of it; `None`
    /// if it was not chosen here.
    pub(super) fn of(&self, game: &G) -> Option<(Color, C)> {
        let chosen = self.0.as_ref().filter(|chosen| chosen.after == *game)?;
        Some((chosen.color, chosen.choice))
    }
}
