//! Ratings of many players.

use gothello::statistics::{Estimate, PlayedGame, Ratings, WinDrawLoss};
use gothello::{ByColor, Color};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::cases;

const BLACK: Option<Color> = Some(Color::Black);
const WHITE: Option<Color> = Some(Color::White);

fn game(black: usize, white: usize, winner: Option<Color>) -> PlayedGame {
    PlayedGame {
        players: ByColor::new(black, white),
        winner,
    }
}

fn rate(players: usize, games: &[PlayedGame]) -> Ratings {
    Ratings::new(players, games).unwrap()
}

fn elo(ratings: &Ratings, player: usize) -> Estimate {
    ratings.get(player).unwrap().elo
}

/// The strengths, the advantage of the first move, and the parameter of draws.
#[derive(Clone, Debug)]
struct Parameters {
    strengths: Vec<f64>,
    advantage: f64,
    draws: f64,
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Parameters {
    /// The probabilities of a win of Black, a draw, and a win of White.
    fn probabilities(&self, black: usize, white: usize) -> [f64; 3] {
        let difference = self.strengths[black] - self.strengths[white] + self.advantage;
        let wins = logistic(difference - self.draws);
        let losses = logistic(-difference - self.draws);
        [wins, 1.0 - wins - losses, losses]
    }

    /// The logarithm of the likelihood with the virtual results, word by word from the
    /// documentation.
    fn log_likelihood(&self, games: &[PlayedGame]) -> f64 {
        let mut sum = 0.0;
        let played = |player: usize| {
            let of = |game: &&PlayedGame| game.players.iter().any(|&other| other == player);
            games.iter().filter(of).count() as f64
        };
        for game in games {
            let ByColor { black, white } = game.players;
            let [wins, draws, losses] = self.probabilities(black, white);
            sum += match game.winner {
                Some(Color::Black) => wins.ln(),
                None => draws.ln(),
                Some(Color::White) => losses.ln(),
            };
            // Each game has its share of the virtual draws of both players, each of which is half
            // a win and half a loss.
            let virtual_draws = 1.0 / played(black) + 1.0 / played(white);
            let difference = self.strengths[black] - self.strengths[white];
            let draw = (logistic(difference).ln() + logistic(-difference).ln()) / 2.0;
            sum += virtual_draws * draw;
        }
        sum += (logistic(self.advantage).ln() + logistic(-self.advantage).ln()) / 2.0;
        let lost = logistic(-self.draws);
        sum + ((1.0 - 2.0 * lost).ln() + lost.ln()) / 2.0
    }

    fn with(&self, index: usize, value: f64) -> Parameters {
        let mut changed = self.clone();
        match index.checked_sub(self.strengths.len()) {
            None => changed.strengths[index] = value,
            Some(0) => changed.advantage = value,
            Some(_) => changed.draws = value,
        }
        changed
    }

    /// The maximum-likelihood parameters, by numerical search in one parameter at a time. The
    /// first strength is 0.
    fn likeliest(players: usize, games: &[PlayedGame]) -> Parameters {
        let mut found = Parameters {
            strengths: vec![0.0; players],
            advantage: 0.0,
            draws: 1.0,
        };
        let mut last = f64::NEG_INFINITY;
        loop {
            for index in 1..players + 2 {
                let (mut low, mut high) = match index > players {
                    true => (1e-9, 20.0),
                    false => (-20.0, 20.0),
                };
                for _ in 0..100 {
                    let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                    let value = |value| found.with(index, value).log_likelihood(games);
                    if value(left) < value(right) {
                        low = left;
                    } else {
                        high = right;
                    }
                }
                found = found.with(index, (low + high) / 2.0);
            }
            let value = found.log_likelihood(games);
            if value - last < 1e-11 {
                return found;
            }
            last = value;
        }
    }

    /// The strength in Elo on the scale of the ratings.
    fn elo(&self, strength: f64) -> f64 {
        let scale = 4.0 * logistic(self.draws) * logistic(-self.draws);
        400.0 / 10.0_f64.ln() * scale * strength
    }
}

/// Games among this many players, in which every player has at least one.
fn connected_games(players: usize) -> impl Strategy<Value = Vec<PlayedGame>> {
    let one = (0..players, 1..players, 0..3_usize).prop_map(move |(black, step, result)| {
        let winner = [BLACK, None, WHITE][result];
        game(black, (black + step) % players, winner)
    });
    let chain = prop::collection::vec(0..3_usize, players - 1);
    (chain, prop::collection::vec(one, 0..30)).prop_map(|(chain, mut games)| {
        for (player, result) in chain.into_iter().enumerate() {
            games.push(game(player, player + 1, [BLACK, None, WHITE][result]));
        }
        games
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases::cases(60)))]

    #[test]
    fn ratings_are_the_likeliest_ones(games in (2..5_usize).prop_flat_map(connected_games)) {
        let numbers = games.iter().flat_map(|game| game.players.iter().copied());
        let players = numbers.max().unwrap() + 1;
        let ratings = rate(players, &games);
        let naive = Parameters::likeliest(players, &games);
        let near = |found: f64, naive: f64| (found - naive).abs() < 0.05;
        let base = elo(&ratings, 0).value;
        for player in 1..players {
            let found = elo(&ratings, player).value - base;
            let naive = naive.elo(naive.strengths[player]);
            prop_assert!(near(found, naive), "{player}: {found}, not {naive}");
        }
        let advantage = ratings.first_move_advantage().unwrap().value;
        prop_assert!(near(advantage, naive.elo(naive.advantage)));
        let drawn = 1.0 - 2.0 * logistic(-naive.draws);
        prop_assert!((ratings.draw_rate().unwrap() - drawn).abs() < 1e-4);
    }
}

#[test]
fn the_mean_is_0_and_differences_are_consistent() {
    let games = [
        game(0, 1, BLACK),
        game(1, 2, BLACK),
        game(2, 0, WHITE),
        game(1, 0, None),
        game(2, 1, BLACK),
    ];
    let ratings = rate(3, &games);
    let [a, b, c] = [0, 1, 2].map(|player| elo(&ratings, player).value);
    assert!((a + b + c).abs() < 1e-9);
    assert!(a > b && b > c);
    let difference = ratings.difference(0, 1).unwrap();
    assert!((difference.value - (a - b)).abs() < 1e-9);
    let other = ratings.difference(1, 0).unwrap();
    assert!((other.value + difference.value).abs() < 1e-9);
    assert_eq!(ratings.difference(0, 0), None);
    let superiority = ratings.superiority(0, 2).unwrap();
    assert!((0.5..1.0).contains(&superiority));
    assert!((superiority + ratings.superiority(2, 0).unwrap() - 1.0).abs() < 1e-9);
}

/// With many games between two players, the virtual results hardly matter: ratings and errors are
/// those of the logistic model.
#[test]
fn two_players_are_rated_by_their_results_only() {
    let (mut games, mut results) = (Vec::new(), WinDrawLoss::default());
    for round in 0..4_000 {
        // 60 % won, 25 % lost, 15 % drawn, with either color.
        let (own, other) = match round % 2 {
            0 => (Color::Black, ByColor::new(0, 1)),
            _ => (Color::White, ByColor::new(1, 0)),
        };
        let winner = match round / 2 % 20 {
            0..12 => Some(own),
            12..17 => Some(own.opponent()),
            _ => None,
        };
        results.add(gothello::statistics::GameScore::of(own, winner));
        games.push(PlayedGame {
            players: other,
            winner,
        });
    }
    let ratings = rate(2, &games);
    let found = ratings.difference(0, 1).unwrap();
    let strength = results.strength().unwrap().elo.unwrap();
    // The logistic model is an approximation of this one for players so different.
    assert!(
        (found.value / strength.value - 1.0).abs() < 0.02,
        "{found}, {strength}"
    );
    let (error, naive) = (found.error.unwrap(), strength.error.unwrap());
    assert!((error / naive - 1.0).abs() < 0.05, "{found}, {strength}");
    let advantage = ratings.first_move_advantage().unwrap();
    assert!(advantage.value.abs() < 0.01, "{advantage}");
    let drawn = ratings.draw_rate().unwrap();
    assert!((0.15..0.18).contains(&drawn), "{drawn}");
}

#[test]
fn a_player_who_wins_or_loses_all_games_has_a_wide_interval() {
    let mut games = Vec::new();
    for opponent in [1, 2] {
        games.extend([game(0, opponent, BLACK), game(opponent, 0, WHITE)]);
        games.extend([game(3, opponent, WHITE), game(opponent, 3, BLACK)]);
    }
    games.extend([game(1, 2, BLACK), game(2, 1, BLACK)]);
    let ratings = rate(4, &games);
    let [best, first, second, worst] = [0, 1, 2, 3].map(|player| elo(&ratings, player));
    assert!((first.value - second.value).abs() < 1e-6);
    assert!((best.value + worst.value).abs() < 1e-6);
    assert!((200.0..600.0).contains(&best.value), "{best}");
    assert!(best.error.unwrap() > 200.0, "{best}");
    // More such games raise the rating.
    let more: Vec<_> = games
        .iter()
        .cycle()
        .take(10 * games.len())
        .copied()
        .collect();
    assert!(elo(&rate(4, &more), 0).value > best.value + 100.0);
}

#[test]
fn all_draws_make_all_equal_and_all_wins_of_black_an_advantage() {
    let players = [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)];
    let drawn = players.map(|(black, white)| game(black, white, None));
    let ratings = rate(3, &drawn);
    assert!((0..3).all(|player| elo(&ratings, player).value.abs() < 1e-9));
    assert!(ratings.draw_rate().unwrap() > 0.9);
    let won = players.map(|(black, white)| game(black, white, BLACK));
    let ratings = rate(3, &won);
    assert!((0..3).all(|player| elo(&ratings, player).value.abs() < 1e-9));
    let advantage = ratings.first_move_advantage().unwrap();
    assert!(advantage.value > 200.0, "{advantage}");
    // No game was drawn.
    let decided =
        players.map(|(black, white)| [game(black, white, BLACK), game(black, white, WHITE)]);
    assert!(rate(3, &decided.concat()).draw_rate().unwrap() < 0.1);
}

#[test]
fn groups_that_have_not_met_are_not_compared() {
    // 0 and 2 have met, 1 and 4 and 5, and 3 nobody.
    let games = [
        game(0, 2, BLACK),
        game(1, 4, BLACK),
        game(4, 5, None),
        game(5, 4, WHITE),
    ];
    let ratings = rate(6, &games);
    let groups = [0, 1, 2, 3, 4, 5].map(|player| ratings.get(player).map(|found| found.group));
    assert_eq!(groups, [Some(0), Some(1), Some(0), None, Some(1), Some(1)]);
    let played = [0, 4].map(|player| ratings.get(player).map(|found| found.games));
    assert_eq!(played, [Some(1), Some(3)]);
    assert_eq!(ratings.difference(0, 1), None);
    assert_eq!(ratings.superiority(0, 3), None);
    assert!(ratings.difference(1, 5).is_some());
    for group in [&[0, 2][..], &[1, 4, 5]] {
        let sum: f64 = group
            .iter()
            .map(|&player| elo(&ratings, player).value)
            .sum();
        assert!(sum.abs() < 1e-9, "{group:?}: {sum}");
    }
    assert!(ratings.get(6).is_none());
}

#[test]
fn without_games_nobody_has_a_rating() {
    for players in [0, 3] {
        let ratings = rate(players, &[]);
        assert!(ratings.get(0).is_none(), "{players} players");
        assert!(
            ratings.first_move_advantage().is_none(),
            "{players} players"
        );
        assert!(ratings.draw_rate().is_none(), "{players} players");
    }
}

#[test]
fn games_of_unknown_players_are_refused() {
    let refused = |games: &[PlayedGame]| Ratings::new(2, games).err().unwrap();
    let unknown = refused(&[game(0, 1, None), game(0, 2, None)]);
    assert_eq!(
        unknown.to_string(),
        "game 1 has player 2, but there are 2 players, from 0"
    );
    let same = refused(&[game(1, 1, None)]);
    assert_eq!(
        same.to_string(),
        "game 0 has player 1 with both colors: two players are needed"
    );
}

/// A round robin of this many rounds among players with these parameters.
fn simulated(truth: &Parameters, rounds: usize, rng: &mut StdRng) -> Vec<PlayedGame> {
    let players = truth.strengths.len();
    let mut games = Vec::new();
    for _ in 0..rounds {
        for black in 0..players {
            for white in (0..players).filter(|&white| white != black) {
                let [wins, draws, _] = truth.probabilities(black, white);
                let chance = (rng.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64;
                let winner = match chance {
                    chance if chance < wins => BLACK,
                    chance if chance < wins + draws => None,
                    _ => WHITE,
                };
                games.push(game(black, white, winner));
            }
        }
    }
    games
}

fn truth() -> Parameters {
    Parameters {
        strengths: vec![1.2, 0.5, 0.1, -0.2, -0.6, -1.0],
        advantage: 0.3,
        draws: 0.4,
    }
}

#[test]
fn the_strengths_of_simulated_players_are_found() {
    let truth = truth();
    let games = simulated(&truth, 200, &mut StdRng::seed_from_u64(7));
    let ratings = rate(6, &games);
    for (player, &strength) in truth.strengths.iter().enumerate() {
        let found = elo(&ratings, player);
        let error = found.error.unwrap();
        assert!((5.0..20.0).contains(&error), "{found}");
        // Three times the standard deviation.
        let distance = (found.value - truth.elo(strength)).abs();
        assert!(distance < 1.5 * error, "{player}: {found}");
    }
    let advantage = ratings.first_move_advantage().unwrap();
    let distance = (advantage.value - truth.elo(truth.advantage)).abs();
    assert!(distance < 1.5 * advantage.error.unwrap(), "{advantage}");
}

/// In many simulated events, the intervals contain the true ratings as often as they claim.
#[test]
#[ignore = "computes a thousand events"]
fn intervals_contain_the_true_strength_in_95_percent() {
    let truth = truth();
    let mut rng = StdRng::seed_from_u64(11);
    let (mut inside, mut all) = (0, 0);
    let mut advantages = 0;
    let events = 1_000;
    for _ in 0..events {
        let ratings = rate(6, &simulated(&truth, 10, &mut rng));
        let holds = |found: Estimate, strength: f64| {
            (found.value - truth.elo(strength)).abs() < found.error.unwrap()
        };
        for (player, &strength) in truth.strengths.iter().enumerate() {
            inside += usize::from(holds(elo(&ratings, player), strength));
            all += 1;
        }
        let advantage = ratings.first_move_advantage().unwrap();
        advantages += usize::from(holds(advantage, truth.advantage));
    }
    let shares = [
        inside as f64 / f64::from(all),
        advantages as f64 / f64::from(events),
    ];
    // Three standard deviations of the share of a thousand.
    assert!(
        shares.iter().all(|share| (share - 0.95).abs() < 0.021),
        "{shares:?}"
    );
}
