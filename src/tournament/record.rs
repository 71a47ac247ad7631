//! What a Swiss pairing looks at in a player's past.

use std::collections::BTreeSet;

use super::colors::Colors;
use super::points::Points;
use super::round::{Id, Pairing};
use super::state::Tournament;

/// A player's past.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub(super) points: Points,
    /// Whom he played.
    pub(super) met: BTreeSet<Id>,
    /// Which colors he had in the first game of each pairing.
    pub(super) colors: Colors,
    /// Whether his opponents had more or fewer points than he: in the last round,
    /// and in the one before.
    pub(super) floats: [Option<Float>; 2],
}

/// That two players met who did not have the same points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Float {
    /// The opponent had fewer, or there was none and he got points for it.
    Down,
    /// The opponent had more.
    Up,
}

/// The past of all players, in the order of their ids.
pub(super) fn records(tournament: &Tournament) -> Vec<Record> {
    let mut records = vec![Record::default(); tournament.players().len()];
    for round in tournament.rounds() {
        let before: Vec<Points> = records.iter().map(|record| record.points).collect();
        let points = |Id(player): Id| before.get(player).copied().unwrap_or_default();
        for (id, record) in tournament.ids().zip(&mut records) {
            let float = match round.pairing_of(id) {
                Some(pairing) => {
                    record.add(id, pairing);
                    float(id, pairing, points(id), points(pairing.opponent(id)))
                }
                None if round.bye == Some(id) => {
                    record.points += tournament.bye_points();
                    Some(Float::Down)
                }
                None => None,
            };
            let [last, _] = record.floats;
            record.floats = [float, last];
        }
    }
    records
}

impl Record {
    fn add(&mut self, id: Id, pairing: &Pairing) {
        self.points += pairing.points(id);
        if pairing.was_played() {
            self.met.insert(pairing.opponent(id));
            self.colors.push(pairing.color(0, id));
        }
    }
}

/// How a player floated in a round; the points are those before it.
fn float(id: Id, pairing: &Pairing, own: Points, opponent: Points) -> Option<Float> {
    if !pairing.was_played() {
        let won = pairing.points(id) > Points::ZERO;
        return won.then_some(Float::Down);
    }
    match own.cmp(&opponent) {
        std::cmp::Ordering::Greater => Some(Float::Down),
        std::cmp::Ordering::Less => Some(Float::Up),
        std::cmp::Ordering::Equal => None,
    }
}
