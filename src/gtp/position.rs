//! Commands that change or show the position.

use itertools::Itertools;

use super::command::StoneStatus;
use super::failure::Failure;
use super::response::Response;
use super::session::Session;
use crate::gothello::{Color, Game, Move, PlayError, Point, PointSet, Position, SIZE};

/// The only size is 5. The draft leaves open what becomes of the position; the
/// game starts anew.
pub(super) fn boardsize(session: &mut Session, size: i64) -> Result<(), Failure> {
    if size != i64::from(SIZE) {
        return Err(Failure::UnacceptableSize);
    }
    clear_board(session);
    Ok(())
}

pub(super) fn clear_board(session: &mut Session) {
    session.game.clear();
    session.clocks.fill();
}

pub(super) fn play(session: &mut Session, color: Color, mv: Move) -> Result<(), Failure> {
    Ok(session.game.play(color, mv)?)
}

/// Plays all the moves or none.
pub(super) fn play_sequence(session: &mut Session, moves: &[(Color, Move)]) -> Result<(), Failure> {
    let start = session.game.undoable();
    for (number, &(color, mv)) in moves.iter().enumerate() {
        if let Err(error) = session.game.play(color, mv) {
            while session.game.undoable() > start && session.game.undo() {}
            return Err(in_sequence(number, color, mv, error));
        }
    }
    Ok(())
}

fn in_sequence(number: usize, color: Color, mv: Move, error: PlayError) -> Failure {
    let number = number + 1;
    Failure::IllegalMove(format!("move {number} ({color} {mv}): {error}"))
}

/// Takes back so many moves or none.
pub(super) fn undo(session: &mut Session, moves: u32) -> Result<(), Failure> {
    if session.game.undoable() < moves as usize {
        return Err(Failure::CannotUndo);
    }
    for _ in 0..moves {
        session.game.undo();
    }
    Ok(())
}

/// Sets stones on a board that is otherwise empty, with Black to move.
pub(super) fn setup(session: &mut Session, stones: &[(Color, Point)]) -> Result<(), Failure> {
    let [black, white] = Color::ALL.map(|color| {
        stones
            .iter()
            .filter(|&&(other, _)| other == color)
            .map(|&(_, point)| point)
            .collect::<PointSet>()
    });
    let position = Position::new(black, white, Color::Black, false)?;
    session.game.set_up(position);
    Ok(())
}

/// Says whose turn it is.
pub(super) fn setup_player(session: &mut Session, color: Color) {
    let position = session.game.position().with_to_move(color);
    session.game.set_up(position);
}

/// The board for people.
pub(super) fn showboard(game: &Game, out: &mut Response<'_>) {
    const LETTERS: &str = "  A B C D E";
    let captured = game.captured();
    let (black, white) = (captured.by_black, captured.by_white);
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
pub(super) fn final_score(game: &Game, out: &mut Response<'_>) {
    out.text(format_args!("{}", game.count().outcome()));
}

/// All stones count at the end, wherever they stand: a line for each group.
pub(super) fn final_status_list(game: &Game, status: StoneStatus, out: &mut Response<'_>) {
    if status != StoneStatus::Alive {
        return;
    }
    for (i, group) in game.position().groups().enumerate() {
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
