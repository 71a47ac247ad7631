//! What spectators see of a table, but for the moves.

use super::client::ConnId;
use super::game::NetrefGame;
use super::playing::Playing;
use super::record::Ending;
use super::table::{Phase, Table};
use super::wire::Name;
use crate::clock::Clock;
use crate::color::{ByColor, Color};

/// A table at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scene {
    pub(super) stage: Stage,
    /// Who plays which side.
    pub(super) players: ByColor<Option<Guest>>,
    /// A player who waits and would play either side.
    pub(super) either: Option<Guest>,
    /// The clocks, with time controls.
    pub(super) clocks: Option<ByColor<Clock>>,
    /// The side to move, if a match goes on.
    pub(super) turn: Option<Color>,
}

/// What goes on at a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// A player is missing, or both are.
    Open,
    /// A match was interrupted and waits for its players.
    Interrupted,
    /// A match is played.
    Playing,
    /// A match is over, and nobody has come since.
    Over(Ending),
}

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guest {
    /// `None` while he has not come back to an interrupted match.
    pub(super) conn: Option<ConnId>,
    pub(super) name: Option<Name>,
}

impl Scene {
    /// A table with nobody.
    fn empty(clocks: Option<ByColor<Clock>>) -> Scene {
        Scene {
            stage: Stage::Open,
            players: ByColor::default(),
            either: None,
            clocks,
            turn: None,
        }
    }

    /// Whether nobody is there, and no match.
    pub(super) fn is_empty(&self) -> bool {
        self.stage == Stage::Open && self.guests().next().is_none()
    }

    /// Whether it shows the end of a match.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over(_))
    }

    /// All players who are connected, with their sides.
    pub(super) fn guests(&self) -> impl Iterator<Item = (ConnId, &Guest, Option<Color>)> {
        let seated = Color::ALL
            .into_iter()
            .filter_map(|side| Some((self.players[side].as_ref()?, Some(side))));
        let either = self.either.iter().map(|guest| (guest, None));
        seated
            .chain(either)
            .filter(|_| !self.is_over())
            .filter_map(|(guest, side)| Some((guest.conn?, guest, side)))
    }
}

impl<G: NetrefGame> Table<G> {
    /// What spectators see now.
    pub(super) fn scene(&self) -> Scene {
        let times = self.settings.times;
        let clocks = times.map(|times| ByColor::from_fn(|side| Clock::new(times[side])));
        let mut scene = Scene::empty(clocks);
        match &self.phase {
            Phase::Empty => {}
            Phase::Waiting(seated) => {
                let guest = Some(Guest {
                    conn: Some(seated.client.conn),
                    name: seated.name.clone(),
                });
                match seated.side {
                    Some(side) => scene.players[side] = guest,
                    None => scene.either = guest,
                }
            }
            Phase::Playing(playing) => return playing.scene(),
        }
        scene
    }

    /// The match that is played or waits for its players.
    pub(super) fn playing(&self) -> Option<&Playing<G>> {
        match &self.phase {
            Phase::Playing(playing) => Some(playing),
            _ => None,
        }
    }
}

impl<G: NetrefGame> Playing<G> {
    /// What spectators see now.
    pub(super) fn scene(&self) -> Scene {
        Scene {
            stage: match self.referee.ending() {
                Some(ending) => Stage::Over(ending.clone()),
                None if self.begun => Stage::Playing,
                None => Stage::Interrupted,
            },
            players: ByColor::from_fn(|side| {
                let chair = &self.chairs[side];
                Some(Guest {
                    conn: chair.conn,
                    name: chair.name().cloned(),
                })
            }),
            either: None,
            clocks: self.referee.clocks(),
            turn: self.referee.to_move(),
        }
    }
}
