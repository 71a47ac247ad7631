//! Requests that are refused, and players who are dropped because none of theirs is accepted.
//!
//! A client that sends such requests forever would keep a match without clocks alive, and a seat
//! taken.

use super::effects::Effects;
use super::referee::Refusal;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::{LogEvent, Who};
use crate::contests::netref::summary::MatchReason;
use crate::contests::netref::wire::{Forfeit, Response};

/// The number of malformed requests in a row after which a client is dropped.
pub const MAX_MALFORMED: u32 = 10;

/// The reason given to such a client.
pub const TOO_MANY_MALFORMED: &str = "Ten requests in a row were not understood";

/// The number of illegal requests, without an accepted one between them, after which a player is
/// dropped. A client that tries all points in each turn, even several times, stays far below it.
pub const MAX_ILLEGAL: u32 = 1_000;

/// The reason given to such a player.
const TOO_MANY_ILLEGAL: &str = "A thousand requests in a row were illegal";

/// Why a player is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// It sent [`MAX_MALFORMED`] malformed requests in a row.
    Malformed,
    /// It sent [`MAX_ILLEGAL`] illegal requests in a row.
    Illegal,
}

impl DropReason {
    /// Returns the reason given to the player, and to the log.
    pub const fn text(self) -> &'static str {
        match self {
            DropReason::Malformed => TOO_MANY_MALFORMED,
            DropReason::Illegal => TOO_MANY_ILLEGAL,
        }
    }

    /// Returns the reason for which the match ends.
    pub const fn match_reason(self) -> MatchReason {
        match self {
            DropReason::Malformed => MatchReason::Protocol,
            DropReason::Illegal => MatchReason::IllegalRequests,
        }
    }

    /// Returns the reason after a substitute move.
    pub const fn forfeit(self) -> Forfeit {
        match self {
            DropReason::Malformed => Forfeit::Protocol,
            DropReason::Illegal => Forfeit::IllegalRequests,
        }
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
) -> Option<DropReason> {
    match refusal {
        Refusal::Illegal(_) => {
            row.malformed = 0;
            row.illegal = row.illegal.saturating_add(1);
        }
        Refusal::Misunderstood(_) => row.malformed = row.malformed.saturating_add(1),
    }
    effects.refuse(who.clone(), &Response::<G>::from(refusal));
    let reason = match (row.malformed, row.illegal) {
        (MAX_MALFORMED.., _) => DropReason::Malformed,
        (_, MAX_ILLEGAL..) => DropReason::Illegal,
        _ => return None,
    };
    effects.push(LogEvent::Dropped {
        who,
        why: reason.text().into(),
    });
    Some(reason)
}
