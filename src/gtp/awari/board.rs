//! The board and the score for people.

use itertools::Itertools;

use super::turn::{COLUMNS, pits, row};
use crate::awari::{self, Ending, Game, Player, Scores, Status};
use crate::gothello::{ByColor, Color, Outcome};
use crate::gtp::response::Response;

/// The colour of a player in the protocol.
pub(super) fn color_of(player: Player) -> Color {
    match player {
        Player::South => Color::Black,
        Player::North => Color::White,
    }
}

/// The player whom the protocol calls by a colour.
pub(super) fn player_of(color: Color) -> Player {
    match color {
        Color::Black => Player::South,
        Color::White => Player::North,
    }
}

/// Writes the board: the stones in each pit, those that each player has, and
/// above and below the letters of the pits. South's are those of the columns.
pub(super) fn show(game: &Game, out: &mut Response<'_>) {
    match game.status() {
        Status::Over(outcome) => {
            out.text(format_args!(
                "The game is over: {}\n",
                reason(game, outcome)
            ));
        }
        Status::Undecided => {
            let player = game.to_move();
            let color = color_of(player);
            out.text(format_args!("{player} ({color}) to move\n"));
        }
    }
    let letters = pits(Player::North).into_iter().format("  ");
    out.text(format_args!("   {letters}\n"));
    let stones = game.pits();
    for player in [Player::North, Player::South] {
        let row = row(player);
        let counts = pits(player).map(|pit| stones[pit.index()]);
        let counts = counts
            .iter()
            .format_with(" ", |count, f| f(&format_args!("{count:2}")));
        let has = game.scores().of(player);
        out.text(format_args!("{row} {counts}  {player} has {has}\n"));
    }
    let columns = COLUMNS.into_iter().format("  ");
    out.text(format_args!("   {columns}"));
}

/// Why a game is over, in words that need no other.
pub(super) fn reason(game: &Game, outcome: awari::Outcome) -> String {
    match outcome.ending {
        Ending::NoMove => format!("{} has no stones to sow", game.to_move()),
        ending => ending.to_string(),
    }
}

/// Writes the score as GTP does: who has more stones, and how many more.
pub(super) fn score(game: &Game, out: &mut Response<'_>) {
    let Scores { south, north } = game.scores();
    let outcome = Outcome::from_scores(ByColor::new(south, north));
    out.text(format_args!("{outcome}"));
}
