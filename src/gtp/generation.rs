//! Commands that ask the player for a move.

use std::time::{Duration, Instant};

use super::failure::Failure;
use super::game::Played;
use super::response::Response;
use super::session::Session;
use crate::gothello::Color;
use crate::player::{DEFAULT_MOVE_TIME, Limits};

/// The player's move, which is then played. In a game that is over it is a
/// pass, which changes nothing on the board.
pub(super) fn genmove<G: Played>(
    session: &mut Session<G>,
    color: Color,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    let started = Instant::now();
    let mv = choose(session, color)?;
    session.played.play(color, mv)?;
    session.clocks.spend(color, started.elapsed());
    G::write_move(mv, out);
    Ok(())
}

/// The player's move, which is not played.
pub(super) fn reg_genmove<G: Played>(
    session: &mut Session<G>,
    color: Color,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    let mv = choose(session, color)?;
    G::write_move(mv, out);
    Ok(())
}

fn choose<G: Played>(session: &mut Session<G>, color: Color) -> Result<G::Move, Failure> {
    if session.played.is_over() {
        return Ok(G::PASS);
    }
    if color != session.played.to_move() {
        return Err(session.played.out_of_turn());
    }
    let limits = Limits {
        time: Some(time(session, color)),
        stop: &session.stop,
    };
    Ok(session.played.choose(&limits))
}

/// What the clock and the longest time for a move allow.
fn time<G: Played>(session: &Session<G>, color: Color) -> Duration {
    let budget = session.clocks.budget(color, session.played.moves_to_come());
    match (budget, session.move_time) {
        (Some(budget), Some(most)) => budget.min(most),
        (Some(time), None) | (None, Some(time)) => time,
        (None, None) => DEFAULT_MOVE_TIME,
    }
}
