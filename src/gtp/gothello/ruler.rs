//! What GoGui asks about a game of Gothello.

use itertools::Itertools;

use super::board::stones_of_row;
use crate::gothello::{ByColor, Game, Outcome, Point, SIZE, Status};
use crate::gtp::response::Response;

/// The rows from the top.
pub(super) fn board(game: &Game, out: &mut Response<'_>) {
    let rows = (0..SIZE).rev().map(|row| stones_of_row(game, row));
    out.text(format_args!("{}", rows.format("\n")));
}

/// Draws what the board alone does not show: the stones that the last move
/// turned over, the empty points where the player to move may not place a
/// stone, and at the end who has won.
///
/// The result is written across the middle row, for without an engine GoGui says
/// nothing of it. As a `TEXT` it is soon gone from the status bar: GoGui clears
/// that after each move. So there is none before the end, where GoGui would only
/// show it instead of saying that the engine is thinking.
pub(super) fn board_gfx(game: &Game, out: &mut Response<'_>) {
    let mut end_of_line = "";
    if !game.last_captured().is_empty() {
        out.words("SQUARE");
        out.points(game.last_captured());
        end_of_line = "\n";
    }
    if let Status::Over(outcome) = game.status() {
        let points = (0..SIZE).filter_map(|column| Point::new(column, SIZE / 2));
        out.text(format_args!("{end_of_line}LABEL"));
        for (point, word) in points.zip(in_five_words(outcome)) {
            out.words(" ");
            out.point(point);
            out.text(format_args!(" {word}"));
        }
        out.words("\nTEXT ");
        return final_result(game, out);
    }
    let forbidden = game.board().empty().without(game.legal_points());
    if !forbidden.is_empty() {
        out.text(format_args!("{end_of_line}MARK"));
        out.points(forbidden);
    }
}

/// How a game ended, a word for each point of a row.
fn in_five_words(outcome: Outcome) -> [String; SIZE as usize] {
    match outcome {
        Outcome::Drawn => ["The", "game", "is", "a", "draw"].map(String::from),
        Outcome::Won { winner, margin } => [
            winner.to_string(),
            "wins".to_owned(),
            "by".to_owned(),
            margin.to_string(),
            unit(margin.get()).to_owned(),
        ],
    }
}

/// Every legal move; nothing at all when the game is over, which is how GoGui
/// learns of it.
pub(super) fn legal_moves(game: &Game, out: &mut Response<'_>) {
    if game.is_over() {
        return;
    }
    for point in game.legal_points() {
        out.point(point);
        out.words(" ");
    }
    out.words("pass");
}

/// The stones that Black and that White has turned over.
pub(super) fn captured_count(game: &Game, out: &mut Response<'_>) {
    let captured = game.captured();
    out.text(format_args!("{} {}", captured.black, captured.white));
}

/// The result for people; before the end, how things stand.
pub(super) fn final_result(game: &Game, out: &mut Response<'_>) {
    let ByColor { black, white } = game.count();
    let (over, outcome) = match game.status() {
        Status::Over(outcome) => (true, outcome),
        Status::Undecided => (false, Outcome::from_scores(game.count())),
    };
    match (over, outcome) {
        (true, Outcome::Drawn) => out.words("The game is drawn."),
        (false, Outcome::Drawn) => out.words("The game is not over. Nobody leads."),
        (true, Outcome::Won { winner, margin }) => {
            let points = points(margin.get());
            out.text(format_args!("{winner} wins by {points}."));
        }
        (false, Outcome::Won { winner, margin }) => {
            let points = points(margin.get());
            out.text(format_args!(
                "The game is not over. {winner} leads by {points}."
            ));
        }
    }
    let score = if over { "Final score" } else { "The score" };
    out.text(format_args!(" {score} is B {black} and W {white}."));
}

fn points(n: u8) -> String {
    format!("{n} {}", unit(n))
}

fn unit(n: u8) -> &'static str {
    if n == 1 { "point" } else { "points" }
}
