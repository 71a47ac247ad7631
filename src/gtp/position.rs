//! Commands that change the position by moves, the same in every game.

use super::failure::Failure;
use super::game::Played;
use super::session::Session;
use crate::gothello::Color;

/// There is only one size. The draft leaves open what becomes of the position;
/// the game starts anew.
pub(super) fn boardsize<G: Played>(session: &mut Session<G>, size: i64) -> Result<(), Failure> {
    if size != i64::from(G::SIZE) {
        return Err(Failure::UnacceptableSize);
    }
    clear_board(session);
    Ok(())
}

pub(super) fn clear_board<G: Played>(session: &mut Session<G>) {
    session.played.clear();
    session.clocks.fill();
}

/// Plays all the moves or none.
pub(super) fn play_sequence<G: Played>(
    game: &mut G,
    moves: &[(Color, G::Move)],
) -> Result<(), Failure> {
    let start = game.undoable();
    for (number, &(color, mv)) in (1..).zip(moves) {
        if let Err(failure) = game.play(color, mv) {
            while game.undoable() > start && game.undo() {}
            return Err(failure.in_sequence(number, format_args!("{color} {mv}")));
        }
    }
    Ok(())
}

/// Takes back so many moves or none.
pub(super) fn undo<G: Played>(game: &mut G, moves: u32) -> Result<(), Failure> {
    if game.undoable() < moves as usize {
        return Err(Failure::CannotUndo);
    }
    for _ in 0..moves {
        game.undo();
    }
    Ok(())
}
