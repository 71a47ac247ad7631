//! Commands that set up or show a position.

use itertools::Itertools;

use super::StoneStatus;
use crate::gothello::{Color, Game, Outcome, Point, PointSet, Position, SIZE};
use crate::gtp::failure::Failure;
use crate::gtp::response::Response;

/// Sets stones on a board that is otherwise empty, with Black to move.
pub(super) fn setup(game: &mut Game, stones: &[(Color, Point)]) -> Result<(), Failure> {
    let [black, white] = Color::ALL.map(|color| {
        stones
            .iter()
            .filter(|&&(other, _)| other == color)
            .map(|&(_, point)| point)
            .collect::<PointSet>()
    });
    let position = Position::new(black, white, Color::Black, false)?;
    game.set_up(position);
    Ok(())
}

/// Says whose turn it is.
pub(super) fn setup_player(game: &mut Game, color: Color) {
    let position = game.board().with_to_move(color);
    game.set_up(position);
}

/// The board for people.
pub(super) fn show(game: &Game, out: &mut Response<'_>) {
    const LETTERS: &str = "  A B C D E";
    let captured = game.captured();
    let (black, white) = (captured.black, captured.white);
    out.words(match (game.is_over(), game.to_move()) {
        (true, _) => "The game is over",
        (false, Color::Black) => "Black (X) to move",
        (false, Color::White) => "White (O) to move",
    });
    out.text(format_args!("\n{LETTERS}\n"));
    for row in (0..SIZE).rev() {
        let (stones, digit) = (stones_of_row(game, row), row + 1);
        out.text(format_args!("{digit} {stones} {digit}\n"));
    }
    out.text(format_args!(
        "{LETTERS}\nCaptured by Black {black}, by White {white}"
    ));
}

/// The points of a row from the left, in the letters of GoGui's boards: `X` is
/// Black, `O` is White.
pub(super) fn stones_of_row(game: &Game, row: u8) -> String {
    let points = (0..SIZE).filter_map(|column| Point::new(column, row));
    let stones = points.map(|point| game.stone_at(point).map_or('.', Color::mark));
    stones.format(" ").to_string()
}

/// The score if both players passed now; what it is when they have.
pub(super) fn score(game: &Game, out: &mut Response<'_>) {
    out.text(format_args!("{}", Outcome::from_scores(game.count())));
}

/// All stones count at the end, wherever they stand: a line for each group.
pub(super) fn final_status_list(game: &Game, status: StoneStatus, out: &mut Response<'_>) {
    if status != StoneStatus::Alive {
        return;
    }
    for (i, group) in game.board().groups().enumerate() {
        if i > 0 {
            out.words("\n");
        }
        for (i, point) in group.iter().enumerate() {
            if i > 0 {
                out.words(" ");
            }
            out.point(point);
        }
    }
}
