//! GoGui's commands for a program that knows the rules of a game
//! (`gogui-rules_*`; GoGui's manual, chapter 12), as far as they are the same in
//! every game.

use super::game::Played;
use super::response::Response;
use crate::gothello::Color;

pub(super) fn game_id<G: Played>(out: &mut Response<'_>) {
    out.words(G::NAME);
}

pub(super) fn board_size<G: Played>(out: &mut Response<'_>) {
    out.text(format_args!("{}", G::SIZE));
}

pub(super) fn side_to_move(game: &impl Played, out: &mut Response<'_>) {
    out.words(match game.to_move() {
        Color::Black => "black",
        Color::White => "white",
    });
}
