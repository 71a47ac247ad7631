//! A client that waits for an opponent, at a table or in the lobby.

use super::effects::{Effect, Effects};
use super::referee::Refusal;
use super::refusals::{RefusedRow, drop_text, refuse};
use crate::base::color::Color;
use crate::contests::netref::client::{Client, ConnId};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::Who;
use crate::contests::netref::summary::Player;
use crate::contests::netref::wire::{Action, Malformed, Opening, Response};

/// A client that asks to play.
#[derive(Clone, Debug)]
pub struct Seeker {
    /// Its connection.
    pub conn: ConnId,
    /// The client.
    pub player: Player,
    /// The side that it asks for; `None` for either.
    pub side: Option<Color>,
    /// The requests in a row that were refused.
    pub refused: RefusedRow,
}

impl Seeker {
    /// Creates a client with its first request.
    pub fn new(client: Client, opening: Opening) -> Seeker {
        Seeker {
            conn: client.conn,
            player: Player {
                name: opening.name,
                client: Some(client),
            },
            side: opening.role.side(),
            refused: RefusedRow::default(),
        }
    }

    /// Returns the client as if it had just come.
    pub fn anew(self) -> Seeker {
        Seeker {
            refused: RefusedRow::default(),
            ..self
        }
    }

    /// Returns whether two clients may play a free match: they can have different sides, and are not of
    /// the same team.
    pub fn may_meet(&self, other: &Seeker) -> bool {
        let have_sides = self.side.is_none() || self.side != other.side;
        let team = self.player.team();
        let is_same_team = team.is_some() && team == other.player.team();
        have_sides && !is_same_team
    }

    /// Names the client for the log.
    pub fn who<G: NetrefGame>(&self) -> Who {
        Who::seeking::<G>(&self.player, self.side)
    }

    /// Refuses a request, because no match has begun. Returns whether the client is dropped, because
    /// too many in a row were refused.
    pub fn refuse<G: NetrefGame>(
        &mut self,
        request: Result<Action<G::Move>, Malformed>,
        effects: &mut Effects<G::Move>,
    ) -> bool {
        let refusal = match request {
            Ok(_) => Refusal::Illegal("the match has not begun".into()),
            Err(malformed) => malformed.into(),
        };
        let who = self.who::<G>();
        let dropped = refuse::<G>(&mut self.refused, who, refusal, effects);
        if let Some(reason) = dropped {
            let why = drop_text(reason).to_owned();
            effects.send(self.conn, &Response::<G>::Problem(why));
            effects.push(Effect::Close(self.conn));
        }
        dropped.is_some()
    }
}
