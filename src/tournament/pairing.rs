//! Rounds and who meets whom in them; round robins by Berger's tables.

use std::collections::BTreeSet;

use super::event::{GameResult, Points};
use super::settings::Games;
use crate::color::{ByColor, Color};

/// A player, by the order of entry from 0. Only a tournament creates one, so that the
/// player exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PlayerId(pub(super) usize);

/// Pairs of players who may not meet.
#[derive(Clone, Debug, Default)]
pub(super) struct ForbiddenPairs(BTreeSet<(PlayerId, PlayerId)>);

impl ForbiddenPairs {
    pub(super) fn insert(&mut self, one: PlayerId, other: PlayerId) {
        self.0.insert((one.min(other), one.max(other)));
    }

    pub(super) fn contains(&self, one: PlayerId, other: PlayerId) -> bool {
        self.0.contains(&(one.min(other), one.max(other)))
    }
}

/// A pairing of all players for the next round.
#[derive(Clone, Debug, Default)]
pub(super) struct PairedRound {
    /// The pairs of opponents, by their colors in the first game.
    pub(super) pairings: Vec<ByColor<PlayerId>>,
    /// The player without an opponent.
    pub(super) bye: Option<PlayerId>,
}

/// A round that has been paired, with its results so far.
#[derive(Clone, Debug)]
pub(super) struct Round {
    encounters: Vec<Encounter>,
    bye: Option<PlayerId>,
    /// The index of each player's encounter, by the order of entry. It ends with the last
    /// player who is paired.
    places: Vec<Option<usize>>,
}

/// Two players who meet in a round, in one game or in two.
#[derive(Clone, Debug)]
pub(super) struct Encounter {
    /// The players by their colors in the first game.
    players: ByColor<PlayerId>,
    /// The results of the games in order; `None` if a game has none yet.
    games: Vec<Option<GameResult>>,
}

impl Round {
    /// Creates a round without results.
    pub(super) fn new(paired: PairedRound, games: Games) -> Round {
        let encounters: Vec<Encounter> = paired
            .pairings
            .into_iter()
            .map(|players| Encounter {
                players,
                games: (0..games.number()).map(|_| None).collect(),
            })
            .collect();
        let mut places = Vec::new();
        for (place, encounter) in encounters.iter().enumerate() {
            for PlayerId(player) in [encounter.players.black, encounter.players.white] {
                if places.len() <= player {
                    places.resize(player + 1, None);
                }
                places[player] = Some(place);
            }
        }
        Round {
            places,
            bye: paired.bye,
            encounters,
        }
    }

    pub(super) fn encounters(&self) -> &[Encounter] {
        &self.encounters
    }

    /// Returns the player without an opponent.
    pub(super) fn bye(&self) -> Option<PlayerId> {
        self.bye
    }

    /// Returns whether every game has a result.
    pub(super) fn is_over(&self) -> bool {
        self.encounters.iter().all(Encounter::is_over)
    }

    /// Returns the encounter of this player, if they are paired.
    pub(super) fn encounter_of(&self, player: PlayerId) -> Option<&Encounter> {
        let place = *self.places.get(player.0)?;
        self.encounters.get(place?)
    }

    /// Sets or deletes the result of a game; both indices count from 0.
    pub(super) fn set_result(&mut self, pairing: usize, game: usize, result: Option<GameResult>) {
        let encounter = self.encounters.get_mut(pairing);
        if let Some(place) = encounter.and_then(|encounter| encounter.games.get_mut(game)) {
            *place = result;
        }
    }

    /// Forfeits the games without a result of all players who have left.
    pub(super) fn forfeit_games(&mut self, has_left: impl Fn(PlayerId) -> bool) {
        for encounter in &mut self.encounters {
            let winner = match encounter.players.map(&has_left) {
                ByColor {
                    black: false,
                    white: false,
                } => continue,
                ByColor {
                    black: true,
                    white: true,
                } => None,
                ByColor { black: false, .. } => Some(encounter.players.black),
                ByColor { white: false, .. } => Some(encounter.players.white),
            };
            for game in 0..encounter.games.len() {
                let winner = winner.map(|player| encounter.color(game, player));
                if let Some(place) = encounter.games.get_mut(game) {
                    place.get_or_insert_with(|| GameResult::forfeit(winner, "withdrawal"));
                }
            }
        }
    }
}

impl Encounter {
    /// Returns the results of the games in order; `None` if a game has none yet.
    pub(super) fn games(&self) -> &[Option<GameResult>] {
        &self.games
    }

    /// Returns whether every game has a result.
    pub(super) fn is_over(&self) -> bool {
        self.games.iter().all(Option::is_some)
    }

    /// Returns whether at least one game was played rather than forfeited.
    pub(super) fn was_played(&self) -> bool {
        self.results().any(|(_, result)| !result.forfeit)
    }

    /// Returns the players by their colors in a game, which counts from 0.
    pub(super) fn players(&self, game: usize) -> ByColor<PlayerId> {
        if game.is_multiple_of(2) {
            self.players
        } else {
            self.players.swapped()
        }
    }

    /// Returns the color of one of the players in a game, which counts from 0.
    pub(super) fn color(&self, game: usize, player: PlayerId) -> Color {
        if player == self.players(game).black {
            Color::Black
        } else {
            Color::White
        }
    }

    /// Returns the opponent of one of the players.
    pub(super) fn opponent(&self, player: PlayerId) -> PlayerId {
        let ByColor { black, white } = self.players;
        if player == black { white } else { black }
    }

    /// Returns the results so far, each with the number of its game from 0.
    pub(super) fn results(&self) -> impl Iterator<Item = (usize, &GameResult)> {
        let games = self.games.iter().enumerate();
        games.filter_map(|(game, result)| Some((game, result.as_ref()?)))
    }

    /// Returns the points of one of the players in all games.
    pub(super) fn points(&self, player: PlayerId) -> Points {
        self.results()
            .map(|(game, result)| result.points(self.color(game, player)))
            .sum()
    }
}

/// Returns the number of rounds of a round robin.
pub(super) const fn round_robin_rounds(players: usize) -> usize {
    if players < 2 {
        return 0;
    }
    players - 1 + players % 2
}

/// Pairs a round of a round robin, which counts from 0, by Berger's tables (FIDE, C.05,
/// annex 1).
///
/// `players` are in the order of their starting numbers. If their number is odd, the
/// opponent of the last player in the table has a bye. Forbidden pairs are left out.
pub(super) fn pair_round_robin(
    players: &[PlayerId],
    round: usize,
    forbidden: &ForbiddenPairs,
) -> PairedRound {
    let player = |place: usize| players.get(place).copied();
    let mut paired = PairedRound::default();
    for (first, second) in berger_table(players.len(), round) {
        match (player(first), player(second)) {
            (Some(one), Some(other)) if forbidden.contains(one, other) => {}
            (Some(black), Some(white)) => paired.pairings.push(ByColor { black, white }),
            (one, other) => paired.bye = one.or(other),
        }
    }
    paired
}

/// Returns the pairs of a round of Berger's table. Players and rounds count from 0, and the
/// first player of each pair moves first. With an odd number of players, the table has one
/// more, who does not exist.
fn berger_table(players: usize, round: usize) -> impl Iterator<Item = (usize, usize)> {
    let circle = round_robin_rounds(players).max(1);
    let half = circle.div_ceil(2);
    // The last player keeps the seat, all others move on by half of the circle.
    let turn = round * half % circle;
    let last = if round.is_multiple_of(2) {
        (turn, circle)
    } else {
        (circle, turn)
    };
    let others = (1..half).map(move |step| {
        let first = (turn + step) % circle;
        let second = (turn + circle - step) % circle;
        (first, second)
    });
    std::iter::once(last).chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_for_six_players_is_the_published_one() {
        let written = |round| {
            let pairs =
                berger_table(6, round).map(|(one, other)| format!("{}-{}", one + 1, other + 1));
            pairs.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(written(0), "1-6 2-5 3-4");
        assert_eq!(written(1), "6-4 5-3 1-2");
        assert_eq!(written(2), "2-6 3-1 4-5");
        assert_eq!(written(3), "6-5 1-4 2-3");
        assert_eq!(written(4), "3-6 4-2 5-1");
    }
}
