//! GoGui's commands for a program that knows the rules of a game
//! (`gogui-rules_*`; GoGui's manual, chapter 12), as far as they are the same in
//! every game.

use std::fmt::Display;

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

/// A short label for the point of the last move. GoGui marks that with a dot in the
/// middle, where it has labels, too: spaces put the text to the left of the dot.
pub(super) fn beside_the_dot(label: impl Display) -> String {
    format!("\"{label}        \"")
}
