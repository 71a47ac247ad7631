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
    let choice = choose(session, color)?;
    let mv = choice.map_or(G::PASS, G::chosen);
    session.played.play(color, mv)?;
    if let Some(choice) = choice {
        session.played.remember(color, choice);
    }
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
    let choice = choose(session, color)?;
    G::write_move(choice.map_or(G::PASS, G::chosen), out);
    Ok(())
}

/// The player's choice; `None` in a game that is over.
pub(super) fn choose<G: Played>(
    session: &mut Session<G>,
    color: Color,
) -> Result<Option<G::Choice>, Failure> {
    if session.played.is_over() {
        return Ok(None);
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
