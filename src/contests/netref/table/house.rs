//! A table whose opponent is the house: the server seats it opposite any client.

use std::time::{Duration, SystemTime};

use super::{Effects, RefusedRow, Seeker, Table, TablePhase};
use crate::base::color::Color;
use crate::contests::netref::client::{Client, ConnId, Name};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::summary::Player;
use crate::contests::netref::wire::{Response, RoleRefusal};

/// A decision for the house: its move, or the answer to a draw offer.
#[derive(Clone, Debug)]
pub struct HouseTurn<G> {
    /// The connection that stands for the house in this match, and in no other one.
    pub conn: ConnId,
    /// Its side.
    pub color: Color,
    /// The game so far.
    pub game: G,
    /// Whether it is offered a draw; otherwise it is to move.
    pub is_draw_offered: bool,
    /// The time left on its clock; `None` without time controls.
    pub left: Option<Duration>,
}

impl<G: NetrefGame> Table<G> {
    /// Lets the house play here under this name.
    pub fn set_house(&mut self, name: Name) {
        self.house = Some(name);
    }

    /// Returns the name of the house, if it plays here.
    pub fn house(&self) -> Option<&Name> {
        self.house.as_ref()
    }

    /// Returns whether a player waits for an opponent, or an interrupted match waits for the house.
    pub fn lacks_house(&self) -> bool {
        let lacks = match &self.phase {
            TablePhase::Empty => false,
            TablePhase::Waiting(..) => true,
            TablePhase::Playing(live) => live.side_without_house().is_some(),
        };
        lacks && self.house.is_some()
    }

    /// Seats the house, if [somebody waits for it](Table::lacks_house). `conn` stands for it in
    /// this match, and `coin` is as in [`Table::open`].
    pub fn seat_house(
        &mut self,
        conn: ConnId,
        now: Duration,
        wall: SystemTime,
        coin: bool,
    ) -> Effects<G::Move> {
        let mut effects = self.no_effects();
        let Some(name) = self.house.clone() else {
            return effects;
        };
        match &mut self.phase {
            TablePhase::Empty => {}
            TablePhase::Waiting(..) => {
                let house = Seeker {
                    conn,
                    player: Player {
                        name: Some(name),
                        client: Some(Client {
                            is_house: true,
                            resumes: true,
                            ..conn.into()
                        }),
                    },
                    side: None,
                    refused: RefusedRow::default(),
                };
                self.seat(house, wall, coin, now, &mut effects);
            }
            TablePhase::Playing(live) => live.seat_house(conn, &self.observers, now, &mut effects),
        }
        effects
    }

    /// Returns the decision that the house has to make now, if any.
    pub fn house_turn(&self, now: Duration) -> Option<HouseTurn<G>> {
        self.live_match()?.house_turn(now)
    }

    /// Returns the refusal of a client, if it has the name of the house.
    pub(super) fn refusal_of_house_name(&self, player: &Player) -> Option<Response<G>> {
        let (house, name) = (self.house.as_ref()?, player.called()?);
        let is_taken = name.as_str().eq_ignore_ascii_case(house.as_str());
        is_taken.then(|| {
            let why = format!("{house} is the name of the house: give another one");
            Response::Refused(RoleRefusal::NotUnderstood, why)
        })
    }
}
