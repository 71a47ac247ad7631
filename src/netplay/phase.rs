//! How far a player's match is.

use crate::color::Color;
use crate::netref::{Action, Times};

/// How far a match is.
#[derive(Debug)]
pub(super) enum Phase<M> {
    /// The greeting is waited for.
    New,
    /// The answer to our first request is waited for.
    Asked,
    /// The opponent is waited for.
    Seated {
        /// The times on the clocks.
        times: Option<Times>,
    },
    /// The match is on.
    Playing {
        side: Color,
        sent: Option<Action<M>>,
    },
    /// The referee has said who wins (`None`: nobody), but not yet why.
    Decided { winner: Option<Color> },
    /// Nothing more matters.
    Over,
}

impl<M> Phase<M> {
    /// What the referee may say.
    pub(super) fn expected(&self) -> &'static str {
        match self {
            Phase::New => "a greeting (000) is expected",
            Phase::Asked => "the answer to the first request (1xx) is expected",
            Phase::Seated { .. } => "the start of the match (351, 352) is expected",
            Phase::Playing { .. } => "a response (2xx) or a status (3xx) is expected",
            Phase::Decided { .. } | Phase::Over => "the end of the match (3xx) is expected",
        }
    }
}
