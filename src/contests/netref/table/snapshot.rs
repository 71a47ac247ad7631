//! The state of a table for spectators.

use crate::base::clock::Clock;
use crate::base::color::{ByColor, Color};
use crate::contests::netref::client::{ConnId, Name};
use crate::contests::netref::summary::{MatchEnding, Player};

/// The state of a table for spectators, without the moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSnapshot {
    /// The match, if there is one.
    pub label: Option<MatchLabel>,
    /// The stage.
    pub stage: SnapshotStage,
    /// The player of each side.
    pub players: ByColor<Option<SeatedClient>>,
    /// A player who waits for an opponent and asked for either side.
    pub either: Option<SeatedClient>,
    /// The clocks, with time controls.
    pub clocks: Option<ByColor<Clock>>,
    /// The side to move, if a match is on.
    pub turn: Option<Color>,
}

/// What the page needs to know of a match besides its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchLabel {
    /// The unique ID of the match.
    pub id: String,
    /// Its rules, as returned by [`NetrefGame::rules`](crate::contests::netref::NetrefGame::rules).
    pub rules: Option<String>,
    /// The round of the tournament, if it is a match of one.
    pub round: Option<u32>,
}

/// The stage of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotStage {
    /// A player or both are missing.
    Open,
    /// An interrupted match waits for its players.
    Interrupted,
    /// A match is on.
    Playing,
    /// A match is over, and no player has been seated since.
    Over(MatchEnding),
}

/// A player who has a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatedClient {
    /// The connection; `None` while the player of an interrupted match is absent.
    pub conn: Option<ConnId>,
    /// The name of the player.
    pub name: Option<Name>,
}

impl SeatedClient {
    pub(super) fn new(conn: Option<ConnId>, player: &Player) -> SeatedClient {
        SeatedClient {
            conn,
            name: player.called().cloned(),
        }
    }
}

impl TableSnapshot {
    /// Returns whether there is neither a player nor a match.
    pub fn is_empty(&self) -> bool {
        self.stage == SnapshotStage::Open && self.clients().next().is_none()
    }

    /// Returns whether it shows the end of a match.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, SnapshotStage::Over(_))
    }

    /// Returns all connected players, with their sides.
    pub fn clients(&self) -> impl Iterator<Item = (ConnId, &SeatedClient, Option<Color>)> {
        let seated = Color::ALL
            .into_iter()
            .filter_map(|side| Some((self.players[side].as_ref()?, Some(side))));
        let either = self.either.iter().map(|client| (client, None));
        seated
            .chain(either)
            .filter(|_| !self.is_over())
            .filter_map(|(client, side)| Some((client.conn?, client, side)))
    }
}
