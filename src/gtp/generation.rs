//! Commands that ask the player for a move.

use std::time::{Duration, Instant};

use super::failure::Failure;
use super::response::Response;
use super::session::Session;
use crate::gothello::{Color, Move, PlayError};
use crate::player::{DEFAULT_MOVE_TIME, Limits};

/// The player's move, which is then played. In a game that is over it is a
/// pass, which changes nothing.
pub(super) fn genmove(
    session: &mut Session,
    color: Color,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    let started = Instant::now();
    let mv = choose(session, color)?;
    session.game.play(color, mv)?;
    session.clocks.spend(color, started.elapsed());
    out.mv(mv);
    Ok(())
}

/// The player's move, which is not played.
pub(super) fn reg_genmove(
    session: &mut Session,
    color: Color,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    let mv = choose(session, color)?;
    out.mv(mv);
    Ok(())
}

fn choose(session: &mut Session, color: Color) -> Result<Move, Failure> {
    if session.game.is_over() {
        return Ok(Move::Pass);
    }
    let position = session.game.position();
    if color != position.to_move() {
        return Err(PlayError::OutOfTurn(position.to_move()).into());
    }
    let limits = Limits {
        time: Some(time(session, color)),
        stop: &session.stop,
    };
    let choice = session.player.choose(position, &limits);
    session.last_choice = Some((color, choice));
    tracing::info!(%color, %choice, "move chosen");
    Ok(choice.mv)
}

/// What the clock and the longest time for a move allow.
fn time(session: &Session, color: Color) -> Duration {
    let empty = session.game.position().empty().len();
    let budget = session.clocks.budget(color, empty);
    match (budget, session.move_time) {
        (Some(budget), Some(most)) => budget.min(most),
        (Some(time), None) | (None, Some(time)) => time,
        (None, None) => DEFAULT_MOVE_TIME,
    }
}
