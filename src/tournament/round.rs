//! Rounds and pairings as the tournament keeps them.

use std::collections::BTreeMap;

use super::event::GameResult;
use super::points::Points;
use crate::color::Color;

/// A player: his place in the order of entry. Only the tournament makes one, so
/// that there always is such a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id(pub(super) usize);

/// A round.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) pairings: Vec<Pairing>,
    /// Who has no opponent.
    pub(super) bye: Option<Id>,
    /// Where the pairing of each player stands.
    places: BTreeMap<Id, usize>,
}

/// Two players who meet in a round.
#[derive(Clone, Debug)]
pub(super) struct Pairing {
    /// Who has Black in the first game, and his opponent.
    pub(super) players: [Id; 2],
    /// How the games ended, in their order.
    pub(super) games: Vec<Option<GameResult>>,
}

impl Round {
    pub(super) fn new(pairings: Vec<Pairing>, bye: Option<Id>) -> Round {
        let places = pairings.iter().enumerate();
        let places = places.flat_map(|(place, pairing)| pairing.players.map(|id| (id, place)));
        Round {
            places: places.collect(),
            pairings,
            bye,
        }
    }

    /// Whether every game has a result.
    pub(super) fn is_over(&self) -> bool {
        self.pairings.iter().all(Pairing::is_over)
    }

    /// The pairing of this player.
    pub(super) fn pairing_of(&self, player: Id) -> Option<&Pairing> {
        self.pairings.get(*self.places.get(&player)?)
    }
}

impl Pairing {
    /// Whether every game has a result.
    pub(super) fn is_over(&self) -> bool {
        self.games.iter().all(Option::is_some)
    }

    /// Whether a game of it was played.
    pub(super) fn was_played(&self) -> bool {
        self.results().any(|(_, result)| !result.forfeit)
    }

    /// Who has Black and White in a game, which counts from 0.
    pub(super) fn seats(&self, game: usize) -> [Id; 2] {
        let [first, second] = self.players;
        if game.is_multiple_of(2) {
            [first, second]
        } else {
            [second, first]
        }
    }

    /// The color of one of its players in a game, which counts from 0.
    pub(super) fn color(&self, game: usize, player: Id) -> Color {
        let [black, _] = self.seats(game);
        if player == black {
            Color::Black
        } else {
            Color::White
        }
    }

    /// The opponent of one of its players.
    pub(super) fn opponent(&self, player: Id) -> Id {
        let [first, second] = self.players;
        if player == first { second } else { first }
    }

    /// The games that have a result, which count from 0.
    pub(super) fn results(&self) -> impl Iterator<Item = (usize, &GameResult)> {
        let games = self.games.iter().enumerate();
        games.filter_map(|(game, result)| Some((game, result.as_ref()?)))
    }

    /// What one of its players got for its games.
    pub(super) fn points(&self, player: Id) -> Points {
        self.results()
            .map(|(game, result)| result.points(self.color(game, player)))
            .sum()
    }
}
