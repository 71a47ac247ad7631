//! Draws by agreement.
//!
//! Source: *A Networked Awari Referee: Specification*, section 2 and tables 7 to
//! 9. The player to move may offer a draw. His opponent accepts or refuses it for
//! as long as the offer stands; a move withdraws it. After a refusal no other
//! offer may be made in the same turn. Meanwhile the clock of the player to move
//! runs.

use std::time::Duration;

use super::game::NetrefGame;
use super::record::Reason;
use super::referee::{Match, Refusal};
use super::wire::Status;
use crate::color::Color;

/// How the players stand about a draw in the turn that is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Draw {
    /// None was offered.
    #[default]
    NotOffered,
    /// The side to move has offered one, and can be answered.
    Offered,
    /// The offer was refused.
    Refused,
}

impl<G: NetrefGame> Match<G> {
    /// A side offers a draw.
    ///
    /// # Errors
    /// It is not its turn, or it has offered one in this turn already.
    pub fn offer_draw(&mut self, side: Color, now: Duration) -> Result<Status<G::Move>, Refusal> {
        self.check_turn(side, now)?;
        let why = match self.draw {
            Draw::NotOffered => {
                self.draw = Draw::Offered;
                return Ok(Status::DrawOffered(side));
            }
            Draw::Offered => "your offer stands already",
            Draw::Refused => "your offer was refused: no other one is possible before your move",
        };
        Err(Refusal::Illegal(why.into()))
    }

    /// A side does not accept the draw.
    ///
    /// # Errors
    /// It was offered none.
    pub fn refuse_draw(&mut self, side: Color) -> Result<Status<G::Move>, Refusal> {
        self.check_offered(side)?;
        self.draw = Draw::Refused;
        Ok(Status::DrawRefused(side))
    }

    /// A side accepts the draw, which ends the match.
    ///
    /// # Errors
    /// It was offered none.
    pub fn accept_draw(&mut self, side: Color, now: Duration) -> Result<Status<G::Move>, Refusal> {
        self.check_offered(side)?;
        self.end(None, Reason::Agreement, now);
        Ok(Status::DrawAgreed)
    }

    /// The status line that tells how the players stand about a draw, if there
    /// is anything to tell.
    pub fn draw_status(&self) -> Option<Status<G::Move>> {
        let side = self.to_move()?;
        match self.draw {
            Draw::NotOffered => None,
            Draw::Offered => Some(Status::DrawOffered(side)),
            Draw::Refused => Some(Status::DrawRefused(side.opponent())),
        }
    }

    /// Goes on to what was journaled.
    ///
    /// # Errors
    /// It cannot follow what was before.
    pub(super) fn replay_draw(&mut self, draw: Draw) -> Result<(), String> {
        match (self.draw, draw) {
            (Draw::NotOffered, Draw::Offered) | (Draw::Offered, Draw::Refused) if G::HAS_DRAWS => {
                self.draw = draw;
                Ok(())
            }
            _ => Err("a draw can be neither offered nor refused here".into()),
        }
    }

    /// Whether a side was offered a draw.
    fn check_offered(&self, side: Color) -> Result<(), Refusal> {
        let is_offered = self.to_move() == Some(side.opponent()) && self.draw == Draw::Offered;
        if is_offered {
            Ok(())
        } else {
            Err(Refusal::Illegal("you are offered no draw".into()))
        }
    }
}
