//! The crosstable: the games between all players.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Encounter, PlayerId, Round, Tournament};
use crate::base::color::Color;
use crate::tournament::event::{GameResult, Points};

/// The maximum number of columns of the crosstable of a web page: a wider one cannot be read.
const MAX_COLUMNS: usize = 100;

/// The results of all games, a row for each player in the order of the standings.
///
/// In a round robin the columns are the opponents in the same order, in a Swiss tournament the
/// rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Crosstable {
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<CrossCell>>,
}

/// A cell of a crosstable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CrossCell {
    /// The two do not meet, or the player is not paired.
    Empty,
    /// The player's own column.
    Own,
    /// A round without an opponent.
    Bye,
    /// A round that the player missed.
    Absent,
    /// An encounter.
    Games {
        /// The index of the opponent's row.
        opponent: usize,
        /// The games, from the point of view of the player of the row.
        games: Vec<CrossGame>,
    },
}

impl CrossCell {
    /// Returns the text of a cell without games in a table.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            CrossCell::Empty | CrossCell::Games { .. } => "",
            CrossCell::Own => "x",
            CrossCell::Bye => "bye",
            CrossCell::Absent => "absent",
        }
    }
}

/// A game of a crosstable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CrossGame {
    /// The color of the player of the row.
    pub color: Color,
    /// How it ended for this player.
    pub mark: Mark,
}

/// How a game ended for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It is not over.
    Open,
    /// It was played and won.
    Won,
    /// It was played and drawn.
    #[serde(rename = "tied")]
    Drawn,
    /// It was played and lost.
    Lost,
    /// The opponent forfeited it.
    WonByForfeit,
    /// The player forfeited it.
    LostByForfeit,
}

impl Mark {
    /// Returns the mark of a result for the player with a color.
    pub(super) fn new(result: Option<&GameResult>, color: Color) -> Mark {
        let Some(result) = result else {
            return Mark::Open;
        };
        match (result.points(color), result.forfeit) {
            (Points::ONE, false) => Mark::Won,
            (Points::ONE, true) => Mark::WonByForfeit,
            (Points::HALF, _) => Mark::Drawn,
            (_, false) => Mark::Lost,
            (_, true) => Mark::LostByForfeit,
        }
    }

    /// Returns the mark in a table of text.
    pub const fn symbol(self) -> char {
        match self {
            Mark::Open => '.',
            Mark::Won => '1',
            Mark::Drawn => '=',
            Mark::Lost => '0',
            Mark::WonByForfeit => '+',
            Mark::LostByForfeit => '-',
        }
    }
}

impl Tournament {
    /// Returns the crosstable, unless it is too wide for a web page. `ids` are the players in the
    /// order of the standings.
    pub(super) fn narrow_crosstable(&self, ids: &[PlayerId]) -> Option<Crosstable> {
        let columns = match self.is_swiss() {
            true => self.rounds.len(),
            false => ids.len(),
        };
        (columns <= MAX_COLUMNS).then(|| self.crosstable(ids))
    }

    /// Returns the crosstable. `ids` are the players in the order of the standings.
    pub(super) fn crosstable(&self, ids: &[PlayerId]) -> Crosstable {
        let rows: BTreeMap<PlayerId, usize> = ids.iter().copied().zip(0..).collect();
        let games = |encounter: &Encounter, id: PlayerId| {
            let Some(&opponent) = rows.get(&encounter.opponent(id)) else {
                return CrossCell::Empty;
            };
            let results = encounter.games.iter().enumerate();
            let game = |(game, result): (usize, &Option<GameResult>)| {
                let color = encounter.color(game, id);
                let mark = Mark::new(result.as_ref(), color);
                CrossGame { color, mark }
            };
            CrossCell::Games {
                opponent,
                games: results.map(game).collect(),
            }
        };
        let swiss = |id: PlayerId| {
            let cell = |round: &Round| match round.encounter_of(id) {
                Some(encounter) => games(encounter, id),
                None if round.bye == Some(id) => CrossCell::Bye,
                None if round.was_missed_by(id) => CrossCell::Absent,
                None => CrossCell::Empty,
            };
            self.rounds.iter().map(cell).collect()
        };
        let mut meetings: BTreeMap<(PlayerId, PlayerId), CrossCell> = BTreeMap::new();
        if !self.is_swiss() {
            for encounter in self.rounds.iter().flat_map(|round| &round.encounters) {
                for &id in encounter.players(0).iter() {
                    meetings.insert((id, encounter.opponent(id)), games(encounter, id));
                }
            }
        }
        let mut round_robin = |id: PlayerId| {
            let mut cell = |&other: &PlayerId| match meetings.remove(&(id, other)) {
                Some(cell) => cell,
                None if id == other => CrossCell::Own,
                None => CrossCell::Empty,
            };
            ids.iter().map(&mut cell).collect()
        };
        Crosstable {
            rows: match self.is_swiss() {
                true => ids.iter().copied().map(swiss).collect(),
                false => ids.iter().copied().map(&mut round_robin).collect(),
            },
        }
    }
}
