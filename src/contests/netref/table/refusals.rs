//! Requests that are refused, and players who are dropped because none of theirs is accepted.
//!
//! A client that sends such requests forever would keep a match without clocks alive, and a seat
//! taken.

use super::effects::Effects;
use super::referee::Refusal;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::{LogEvent, Who};
use crate::contests::netref::summary::MatchReason;
use crate::contests::netref::wire::Response;

/// The number of malformed requests in a row after which a client is dropped.
pub const MAX_MALFORMED: u32 = 10;

/// The reason given to such a client.
pub const TOO_MANY_MALFORMED: &str = "Ten requests in a row were not understood";

/// The number of illegal requests, without an accepted one between them, after which a player is
/// dropped. A client that tries all points in each turn, even several times, stays far below it.
pub const MAX_ILLEGAL: u32 = 1_000;

/// The reason given to such a player.
const TOO_MANY_ILLEGAL: &str = "A thousand requests in a row were illegal";

/// Returns the reason given to a player that is dropped for malformed or illegal requests, and to the
/// log.
pub const fn drop_text(reason: MatchReason) -> &'static str {
    match reason {
        MatchReason::IllegalRequests => TOO_MANY_ILLEGAL,
        _ => TOO_MANY_MALFORMED,
    }
}

/// The requests of a client that were refused in a row. An illegal request ends a row of malformed
/// ones, since it was understood; only an accepted request ends a row of illegal ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefusedRow {
    malformed: u32,
    illegal: u32,
}

/// Refuses a request, and returns why its client is dropped, if it has sent too many malformed or
/// illegal ones in a row.
pub fn refuse<G: NetrefGame>(
    row: &mut RefusedRow,
    who: Who,
    refusal: Refusal,
    effects: &mut Effects<G::Move>,
) -> Option<MatchReason> {
    match refusal {
        Refusal::Illegal(_) => {
            row.malformed = 0;
            row.illegal = row.illegal.saturating_add(1);
        }
        Refusal::Misunderstood(_) => row.malformed = row.malformed.saturating_add(1),
    }
    effects.refuse(who.clone(), &Response::<G>::from(refusal));
    let reason = match (row.malformed, row.illegal) {
        (MAX_MALFORMED.., _) => MatchReason::Protocol,
        (_, MAX_ILLEGAL..) => MatchReason::IllegalRequests,
        _ => return None,
    };
    effects.push(LogEvent::Dropped {
        who,
        why: drop_text(reason).into(),
    });
    Some(reason)
}
