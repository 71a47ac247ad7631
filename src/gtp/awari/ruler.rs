//! What GoGui asks about a game of Awari.

use itertools::Itertools;

use super::board::{color_of, reason};
use super::turn::{SIZE, Turn, pits, row};
use crate::awari::{Ending, Game, Pit, Player, Status};
use crate::gtp::response::Response;
use crate::gtp::ruler::beside_the_dot;

/// The colour of the pits that may be sown.
const LEGAL: &str = "#60b060";

/// A stone in each pit that is not empty, in the colour of its owner. GoGui asks
/// only whether a move is legal, not whether the point is taken.
pub(super) fn board(game: &Game, out: &mut Response<'_>) {
    let stones = game.pits();
    let rows = (1..=SIZE).rev().map(|number| {
        let owner = Player::ALL.into_iter().find(|&p| row(p) == number);
        let Some(player) = owner else {
            return [". "; SIZE as usize].concat();
        };
        let mark = |pit: Pit| match stones[pit.index()] {
            0 => '.',
            _ => color_of(player).mark(),
        };
        pits(player).iter().map(|&pit| mark(pit)).join(" ")
    });
    let rows = rows.map(|row| row.trim_end().to_owned());
    out.text(format_args!("{}", rows.format("\n")));
}

/// Draws the stones in each pit, also where there are none, the scores beyond
/// them, in colour the pits that may be sown, and squares around those from which
/// the last move captured. A `TEXT` says how the game ended; before, GoGui
/// would only show it instead of saying that the engine is thinking.
pub(super) fn board_gfx(game: &Game, out: &mut Response<'_>) {
    if !game.is_over() {
        let legal = game.legal_moves().map(Turn::Sow).format(" ");
        out.text(format_args!("COLOR {LEGAL} {legal}\n"));
    }
    let stones = game.pits();
    let label = |pit: Pit| {
        let number = match stones[pit.index()] {
            stones if game.last_move() == Some(pit) => beside_the_dot(stones),
            stones => stones.to_string(),
        };
        format!("{} {number}", Turn::Sow(pit))
    };
    out.text(format_args!("LABEL {}", Pit::ALL.map(label).join(" ")));
    let captured = game.captured_from().map(Turn::Sow).join(" ");
    if !captured.is_empty() {
        out.text(format_args!("\nSQUARE {captured}"));
    }
    for player in Player::ALL {
        let row = match player {
            Player::South => 1,
            Player::North => SIZE,
        };
        let (score, remark) = (game.scores().of(player), remark(game, player));
        out.text(format_args!(
            "\nLABEL C{row} {player} D{row} {score} E{row} \"{remark}\""
        ));
    }
    if game.is_over() {
        out.words("\nTEXT ");
        final_result(game, out);
    }
}

/// What is said beside a player's score: what he has captured with the last
/// move, or at the end how the game went for him.
fn remark(game: &Game, player: Player) -> String {
    match game.status() {
        Status::Over(outcome) => match outcome.winner() {
            Some(winner) if winner == player => "wins".to_owned(),
            Some(_) => "loses".to_owned(),
            None => "drawn".to_owned(),
        },
        Status::Undecided => match game.captured() {
            captured @ 1.. if player != game.to_move() => format!("+{captured}"),
            _ => String::new(),
        },
    }
}

/// Every legal move; nothing when the game is over.
pub(super) fn legal_moves(game: &Game, out: &mut Response<'_>) {
    let moves = game.legal_moves().map(Turn::Sow).format(" ");
    out.text(format_args!("{moves}"));
}

/// The stones of South and of North.
pub(super) fn captured_count(game: &Game, out: &mut Response<'_>) {
    let scores = game.scores();
    out.text(format_args!("{} {}", scores.south, scores.north));
}

/// The result for people; before the end, how things stand.
pub(super) fn final_result(game: &Game, out: &mut Response<'_>) {
    let scores = game.scores();
    let score = |player| scores.of(player);
    match game.status() {
        Status::Undecided => {
            let [south, north] = Player::ALL.map(score);
            out.text(format_args!(
                "The game is not over. South has {south} and North {north} stones."
            ));
        }
        Status::Over(outcome) => {
            match outcome.winner() {
                Some(winner) => {
                    let (won, lost) = (score(winner), score(winner.opponent()));
                    let color = color_of(winner);
                    out.text(format_args!(
                        "{winner} ({color}) wins with {won} stones to {lost}"
                    ));
                }
                None => out.words("The game is drawn"),
            }
            match outcome.ending {
                // The numbers say it.
                Ending::Enough => out.words("."),
                _ => out.text(format_args!(": {}.", reason(game, outcome))),
            }
        }
    }
}
