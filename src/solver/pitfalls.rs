//! How hard a move is to answer.

use crate::gothello::{Move, Next, Position};

/// How likely the opponent is to go wrong after a move, seen from his legal
/// replies alone; more is better for the player who makes the move:
///
/// 1. where the larger share of them gives away the result (a won game, or a
///    draw);
/// 2. where the larger share gives away stones;
/// 3. where they give away more stones on average.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct ReplyDifficulty {
    blunders: f32,
    slips: f32,
    loss: f32,
}

impl ReplyDifficulty {
    /// Those after a legal move, where `worth` says what a reply to it, in the
    /// position that it leads to, is worth to the opponent.
    ///
    /// `None` as soon as `worth` gives none.
    pub fn after(
        position: &Position,
        mv: Move,
        mut worth: impl FnMut(&Position, Move) -> Option<i8>,
    ) -> Option<ReplyDifficulty> {
        let Ok(Next::Continues(after)) = position.play(mv) else {
            // The game is over: nobody can go wrong.
            return Some(ReplyDifficulty::default());
        };
        let values = after.legal_moves().map(|reply| worth(&after, reply));
        let values: Vec<i8> = values.collect::<Option<_>>()?;
        let best = *values.iter().max()?;
        let share = |is_wrong: &dyn Fn(i8) -> bool| {
            let wrong = values.iter().filter(|&&value| is_wrong(value));
            wrong.count() as f32 / values.len() as f32
        };
        let lost: i32 = values.iter().map(|&value| i32::from(best - value)).sum();
        Some(ReplyDifficulty {
            blunders: share(&|value| value.signum() < best.signum()),
            slips: share(&|value| value < best),
            loss: lost as f32 / values.len() as f32,
        })
    }
}
