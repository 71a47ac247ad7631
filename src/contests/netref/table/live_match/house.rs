//! The seat of the house in a match.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::house::HouseTurn;
use super::{Dialect, Effects, LiveMatch};
use crate::base::color::Color;
use crate::contests::netref::client::{ConnId, Name};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::wire::Status;

impl<G: NetrefGame> LiveMatch<G> {
    /// Returns the side of the house, if it plays.
    fn house_side(&self) -> Option<Color> {
        let mut sides = Color::ALL.into_iter();
        sides.find(|&side| self.seats[side].player.is_house())
    }

    /// Returns the name of the house, if it plays.
    pub fn house(&self) -> Option<&Name> {
        self.seats[self.house_side()?].player.name.as_ref()
    }

    /// Returns the side of the house, if its seat is empty.
    pub(in super::super) fn side_without_house(&self) -> Option<Color> {
        let side = self.house_side()?;
        self.seats[side].conn.is_none().then_some(side)
    }

    /// Seats the house again in an interrupted match, which goes on when both players are there.
    pub(in super::super) fn seat_house(
        &mut self,
        conn: ConnId,
        observers: &BTreeMap<ConnId, Option<Name>>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let Some(side) = self.side_without_house() else {
            return;
        };
        let seat = &mut self.seats[side];
        seat.conn = Some(conn);
        seat.dialect = Dialect::Paper;
        if self.is_complete() {
            self.begin(observers, now, effects);
        }
    }

    /// Returns the decision that the house has to make now, if any.
    pub(in super::super) fn house_turn(&self, now: Duration) -> Option<HouseTurn<G>> {
        if !self.is_running {
            return None;
        }
        let side = self.house_side()?;
        let conn = self.seats[side].conn?;
        let mover = self.referee.to_move()?;
        let offered = Status::DrawOffered(side.opponent());
        let is_draw_offered = self.referee.draw_status() == Some(offered);
        let is_to_move = mover == side && self.referee.is_clock_started();
        (is_to_move || is_draw_offered).then(|| HouseTurn {
            conn,
            color: side,
            game: self.referee.game().clone(),
            is_draw_offered,
            left: self.remaining(now).map(|left| left[side]),
        })
    }
}
