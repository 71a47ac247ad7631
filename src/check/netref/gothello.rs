//! Gothello, for the check of clients.

use super::steps::{ClientStep, ClientTopic, RefereeStep, RequestStep};
use crate::check::gothello::{CheckedGothello, Topic};
use crate::check::step::Rule;
use crate::games::gothello::Game;

impl ClientTopic for Topic {
    type Game = Game;
    type Checked = CheckedGothello;

    const DOCUMENT: &'static str = Rule::DOCUMENT;

    fn start() -> Game {
        Game::new()
    }

    fn rule(step: ClientStep<Topic>) -> Option<Rule> {
        let (text, source) = match step {
            ClientStep::Request(RequestStep::Connect) => (
                "the server listens at port 29068 plus the server number",
                "section 2",
            ),
            ClientStep::Request(RequestStep::Opening) => (
                "the first request is <version> player white or black, with at most a name of 31 \
                 characters in double quotes, and a version of at most 0.9.2",
                "section 2, table 2",
            ),
            ClientStep::Request(RequestStep::MoveSyntax) => (
                "a move is <move number> <ellipses if white> <move>, as in 1 c3 or 1 ... d3; \
                 instead of one there may be pass or resign",
                "section 2, tables 6 and 7",
            ),
            ClientStep::Referee(RefereeStep::OpponentResigns) => (
                "327 or 328; to a client without a name, the referee sends 322 or 324 with a pass \
                 instead",
                "section 2, tables 7 and 9",
            ),
            ClientStep::Referee(RefereeStep::OpponentLeaves) => (
                "391 or 392; to a client without a name, the referee sends 322 or 324 with a pass \
                 instead",
                "section 2, table 9",
            ),
            ClientStep::Referee(RefereeStep::OpponentLeavesInTurn) => (
                "391 or 392; to a client without a name, the referee sends 201, and 322 or 324 \
                 with a pass",
                "section 2, tables 8 and 9",
            ),
            ClientStep::Referee(RefereeStep::OpponentFlag) => (
                "361: Black wins by White time expiring; 362: White wins by Black time expiring",
                "section 2, table 9",
            ),
            ClientStep::Referee(RefereeStep::Clocks) => (
                "101 <secs> <opp-secs>, 207 <secs>, 313 <move-number> <move> <secs>, 314 and 317, \
                 318",
                "section 2, tables 3, 8 and 9",
            ),
            _ => return None,
        };
        Some(Rule { text, source })
    }
}
