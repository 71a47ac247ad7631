//! Ratings of all players of an event from the results of its games.

use std::collections::BTreeMap;

use thiserror::Error;

use super::counts::normal_distribution;
use super::{ELO_PER_LOGIT, Estimate, NORMAL_95};
use crate::base::color::{ByColor, Color};

/// A game between two players, who are known by their numbers, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayedGame {
    /// The players by their colors.
    pub players: ByColor<usize>,
    /// The winner; `None` is a draw.
    pub winner: Option<Color>,
}

/// The rating of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rating {
    /// The rating in Elo; the mean of a group is 0.
    pub elo: Estimate,
    /// The group that the player belongs to, from 0. Groups have played no games with each other,
    /// so that their ratings cannot be compared.
    pub group: usize,
    /// The number of games that the player played.
    pub games: u64,
}

/// The ratings of all players of an event, from all its games at once.
///
/// # Model
/// The probabilities of the result of a game are those of Rao and Kupper (*Ties in
/// Paired-Comparison Experiments: A Generalization of the Bradley-Terry Model*, JASA 62, 1967)
/// with an advantage of the first move, as in Rémi Coulom's
/// [bayeselo](https://www.remi-coulom.fr/Bayesian-Elo/), version 0057. With the logistic function σ, the strengths
/// b of Black and w of White, the advantage a of Black, who moves first, and the parameter d of
/// draws:
///
/// - Black wins with the probability σ(b - w + a - d),
/// - White wins with the probability σ(w - b - a - d),
/// - and else the game is drawn.
///
/// The strengths, a and d are those that make all results most likely. As the logarithm of the
/// likelihood is concave, Newton's method finds them (Hunter, *MM Algorithms for Generalized
/// Bradley-Terry Models*, Annals of Statistics 32, 2004, has the model and another method). The
/// errors are those of the normal approximation, from the second derivatives at the maximum; they
/// are for 95 % confidence intervals.
///
/// Ratings are in Elo, 400 / ln 10 times the strength, times 4σ(d)σ(-d). So the expected score of
/// players of about the same rating is that of the logistic model of Elo, as bayeselo does it.
///
/// # Virtual results
/// A player who won all games would have an infinite rating. Therefore virtual results, which do
/// not depend on the games, are added, each a draw that counts as half a win and half a loss:
///
/// - for each player two, divided among the opponents by the number of games with each: a pair of
///   players with g games has g/G of each, if G is the number of the player's games. They say
///   nothing of a and d.
/// - one between equal players that informs only a,
/// - and half a draw and half a game that was won, between equal players, that say something of d
///   alone.
///
/// bayeselo divides as many virtual draws among the same opponents, but takes them for draws that
/// were played, half of them with each color. They say up to twice as much of the strengths, and
/// bring a nearer to 0 and make d larger: of few games, and of games with few draws, its ratings are
/// nearer to each other than these. Its intervals take a and d as known, and are narrower.
///
/// # Groups
/// Players are in a group if games connect them, directly or through others. The mean of the
/// ratings of a group is 0; a and d are the same for all groups.
///
/// ```
/// use gothello::statistics::{PlayedGame, Ratings};
/// use gothello::{ByColor, Color};
///
/// let game = |black, white, winner| PlayedGame { players: ByColor::new(black, white), winner };
/// let games = [
///     game(0, 1, Some(Color::Black)),
///     game(1, 0, Some(Color::White)),
///     game(1, 2, None),
///     game(2, 1, Some(Color::White)),
/// ];
/// let ratings = Ratings::new(4, &games)?;
/// let elo = |player| ratings.get(player).map(|rating| rating.elo.value.round());
/// assert_eq!([0, 1, 2, 3].map(elo), [Some(223.0), Some(-53.0), Some(-170.0), None]);
/// # Ok::<(), gothello::statistics::RatingsError>(())
/// ```
#[derive(Debug)]
pub struct Ratings {
    players: Vec<Option<Rating>>,
    fit: Fit,
}

impl Ratings {
    /// Computes the ratings of this many players from their games.
    ///
    /// The time grows with the third power of the number of players: a hundred take milliseconds,
    /// a thousand take seconds.
    ///
    /// # Errors
    /// If a game has a player with too high a number, or who plays both colors.
    pub fn new(players: usize, games: &[PlayedGame]) -> Result<Ratings, RatingsError> {
        Ratings::weighted(players, &independent(games))
    }

    /// Computes the ratings from games with weights: the number of independent games that each
    /// counts as.
    ///
    /// # Errors
    /// Those of [`Ratings::new`], and if a weight is not a positive number.
    pub fn weighted(players: usize, games: &[(PlayedGame, f64)]) -> Result<Ratings, RatingsError> {
        let counts = count_pairs(players, games)?;
        let mut played = vec![0_u64; players];
        let mut weights = vec![0.0; players];
        for (game, weight) in games {
            for &player in game.players.iter() {
                played[player] = played[player].saturating_add(1);
                weights[player] += weight;
            }
        }
        let groups = groups(players, &counts);
        let virtual_results = VirtualResults::default();
        let fit = Fit::new(
            &Likelihood::new(&counts, &weights, &virtual_results),
            &groups,
        );
        let players = played.iter().zip(&groups).enumerate();
        let players = players.map(|(player, (&games, &group))| {
            (games > 0).then(|| Rating {
                elo: fit.elo(&[(player, 1.0)]),
                group,
                games,
            })
        });
        Ok(Ratings {
            players: players.collect(),
            fit,
        })
    }

    /// Returns the rating of a player; `None` if the player has played no game.
    pub fn get(&self, player: usize) -> Option<&Rating> {
        self.players.get(player)?.as_ref()
    }

    /// Returns by how much the first player's rating is higher than the second's. The error is
    /// not the sum of their errors, because the ratings of two players depend on each other.
    /// `None` if they are not in the same group.
    pub fn difference(&self, first: usize, second: usize) -> Option<Estimate> {
        self.are_comparable(first, second)
            .then(|| self.fit.elo(&[(first, 1.0), (second, -1.0)]))
    }

    /// Returns the likelihood of superiority: the probability in 0..=1 that the first player is
    /// stronger than the second. `None` if they are not in the same group.
    pub fn superiority(&self, first: usize, second: usize) -> Option<f64> {
        let comparable = self.are_comparable(first, second);
        comparable.then(|| self.fit.superiority(first, second))
    }

    /// Returns the advantage of Black, who moves first, in Elo; `None` without games.
    pub fn first_move_advantage(&self) -> Option<Estimate> {
        let advantage = self.fit.advantage_index();
        self.has_games().then(|| self.fit.elo(&[(advantage, 1.0)]))
    }

    /// Returns the probability in 0..1 that a game is drawn between players who are equal when
    /// the advantage of the first move is counted; `None` without games.
    pub fn draw_rate(&self) -> Option<f64> {
        self.has_games().then(|| (self.fit.draws() / 2.0).tanh())
    }

    fn has_games(&self) -> bool {
        self.players.iter().any(Option::is_some)
    }

    fn are_comparable(&self, first: usize, second: usize) -> bool {
        let group = |player| self.get(player).map(|rating| rating.group);
        first != second && group(first).is_some() && group(first) == group(second)
    }
}

/// Why a game is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct RatingsError(String);

/// Gives each game the weight of an independent one.
fn independent(games: &[PlayedGame]) -> Vec<(PlayedGame, f64)> {
    games.iter().map(|&game| (game, 1.0)).collect()
}

/// Black's wins, draws, and White's wins of all pairs of Black and White who have met.
type PairCounts = BTreeMap<(usize, usize), [f64; 3]>;

fn count_pairs(players: usize, games: &[(PlayedGame, f64)]) -> Result<PairCounts, RatingsError> {
    let mut counts = PairCounts::new();
    for (index, &(game, weight)) in games.iter().enumerate() {
        let ByColor { black, white } = game.players;
        let player = black.max(white);
        let why = if player >= players {
            format!("has player {player}, but there are {players} players, from 0")
        } else if black == white {
            format!("has player {player} with both colors: two players are needed")
        } else if weight > 0.0 && weight.is_finite() {
            let [wins, draws, losses] = counts.entry((black, white)).or_default();
            *match game.winner {
                Some(Color::Black) => wins,
                None => draws,
                Some(Color::White) => losses,
            } += weight;
            continue;
        } else {
            format!("has the weight {weight}: it must be a positive number")
        };
        return Err(RatingsError(format!("game {index} {why}")));
    }
    Ok(counts)
}

/// Returns the number of the group of each player, in the order of their first players.
fn groups(players: usize, counts: &PairCounts) -> Vec<usize> {
    let mut neighbors = vec![Vec::new(); players];
    for &(black, white) in counts.keys() {
        neighbors[black].push(white);
        neighbors[white].push(black);
    }
    let mut groups = vec![None; players];
    let mut next = 0;
    for first in 0..players {
        let mut found = vec![first];
        let is_new = groups[first].is_none();
        while let Some(player) = found.pop() {
            if groups[player].is_none() {
                groups[player] = Some(next);
                found.extend(&neighbors[player]);
            }
        }
        next += usize::from(is_new);
    }
    groups.into_iter().flatten().collect()
}

/// The weights of the virtual results.
struct VirtualResults {
    /// The draws of each player.
    draws: f64,
    /// The draws that say something of the advantage of the first move.
    advantage: f64,
    /// The games that say something of draws.
    draw_rate: f64,
}

impl Default for VirtualResults {
    fn default() -> VirtualResults {
        VirtualResults {
            draws: 2.0,
            advantage: 1.0,
            draw_rate: 1.0,
        }
    }
}

/// A summand `weight` · ln σ(Σ factor · parameter) of the logarithm of the likelihood.
struct Term {
    weight: f64,
    form: Vec<(usize, f64)>,
}

impl Term {
    /// Returns the argument of σ.
    fn argument(&self, parameters: &[f64]) -> f64 {
        let terms = self.form.iter();
        terms.map(|&(at, factor)| factor * parameters[at]).sum()
    }
}

/// The logarithm of the likelihood, a concave function of the parameters: the strength of each
/// player, the advantage of Black, and the parameter of draws, which is positive.
struct Likelihood {
    /// The number of players; the other two parameters have this index and the next.
    players: usize,
    terms: Vec<Term>,
    /// The number of draws, each of which adds ln(e^2d - 1).
    drawn: f64,
    /// The weight of ln tanh(d/2), the logarithm of the probability of a draw between equals.
    virtual_drawn: f64,
}

impl Likelihood {
    fn new(counts: &PairCounts, played: &[f64], virtual_results: &VirtualResults) -> Likelihood {
        let players = played.len();
        let (advantage, draws) = (players, players + 1);
        let mut terms = Vec::new();
        let mut drawn = 0.0;
        let mut add = |weight: f64, form: &[(usize, f64)]| {
            if weight > 0.0 {
                let form = form.to_vec();
                terms.push(Term { weight, form });
            }
        };
        for (&(black, white), &[black_wins, even, white_wins]) in counts {
            // The probability of a draw is the product of those of the two wins and e^2d - 1.
            add(
                black_wins + even,
                &[(black, 1.0), (white, -1.0), (advantage, 1.0), (draws, -1.0)],
            );
            add(
                white_wins + even,
                &[
                    (black, -1.0),
                    (white, 1.0),
                    (advantage, -1.0),
                    (draws, -1.0),
                ],
            );
            drawn += even;
            let games = black_wins + even + white_wins;
            let of_each = [black, white].map(|player| games / played[player]);
            let weight = virtual_results.draws / 2.0 * of_each.iter().sum::<f64>();
            add(weight / 2.0, &[(black, 1.0), (white, -1.0)]);
            add(weight / 2.0, &[(black, -1.0), (white, 1.0)]);
        }
        let virtual_drawn = virtual_results.draw_rate / 2.0;
        for sign in [1.0, -1.0] {
            add(virtual_results.advantage / 2.0, &[(advantage, sign)]);
        }
        add(virtual_drawn, &[(draws, -1.0)]);
        Likelihood {
            players,
            terms,
            drawn,
            virtual_drawn,
        }
    }

    /// Returns the number of parameters.
    fn size(&self) -> usize {
        self.players + 2
    }

    fn value(&self, parameters: &[f64]) -> f64 {
        let terms = self.terms.iter();
        let terms = terms.map(|term| term.weight * ln_logistic(term.argument(parameters)));
        let draws = parameters[self.players + 1];
        // ln(e^2d - 1), for large d, too.
        let drawn = 2.0 * draws + (-(-2.0 * draws).exp_m1()).ln();
        let virtual_drawn = (draws / 2.0).tanh().ln();
        terms.sum::<f64>() + self.drawn * drawn + self.virtual_drawn * virtual_drawn
    }

    /// Returns the gradient, and the matrix of the second derivatives with the opposite sign.
    fn derivatives(&self, parameters: &[f64]) -> (Vec<f64>, Symmetric) {
        let mut gradient = vec![0.0; self.size()];
        let mut curvature = Symmetric::zeros(self.size());
        for term in &self.terms {
            let argument = term.argument(parameters);
            let (below, above) = (logistic(argument), logistic(-argument));
            for &(at, factor) in &term.form {
                gradient[at] += term.weight * above * factor;
            }
            curvature.add_square(&term.form, term.weight * below * above);
        }
        let at = self.players + 1;
        let draws = parameters[at];
        // Of ln(e^2d - 1) and of ln tanh(d/2).
        let slope = -2.0 / (-2.0 * draws).exp_m1();
        gradient[at] += self.drawn * slope + self.virtual_drawn / draws.sinh();
        let bend = 1.0 / draws.sinh().powi(2);
        let virtual_bend = draws.cosh() * bend;
        curvature.add(
            at,
            at,
            self.drawn * bend + self.virtual_drawn * virtual_bend,
        );
        (gradient, curvature)
    }
}

/// The likeliest parameters, and how exact they are.
#[derive(Debug)]
struct Fit {
    /// The parameters in the order of [`Likelihood`].
    parameters: Vec<f64>,
    covariance: Symmetric,
}

impl Fit {
    /// Maximizes a likelihood by Newton's method. The strengths of each group have the mean 0.
    fn new(likelihood: &Likelihood, groups: &[usize]) -> Fit {
        let draws = likelihood.players + 1;
        let mut members = BTreeMap::<usize, Vec<(usize, f64)>>::new();
        for (player, &group) in groups.iter().enumerate() {
            members.entry(group).or_default().push((player, 1.0));
        }
        // Nothing depends on the sum of a group's strengths: these squares hold it at 0.
        let add_anchors = |matrix: &mut Symmetric, sign: f64| {
            for group in members.values() {
                matrix.add_square(group, sign / group.len() as f64);
            }
        };
        let mut parameters = vec![0.0; likelihood.size()];
        parameters[draws] = 1.0;
        let mut value = likelihood.value(&parameters);
        loop {
            let (gradient, mut curvature) = likelihood.derivatives(&parameters);
            add_anchors(&mut curvature, 1.0);
            let factors = curvature.cholesky();
            let step = factors.solve(&gradient);
            let gain: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            // The parameter of draws stays positive.
            let mut length = match parameters[draws] + step[draws] > parameters[draws] / 10.0 {
                true => 1.0,
                false => -0.9 * parameters[draws] / step[draws],
            };
            let next = loop {
                let moved = parameters.iter().zip(&step);
                let moved: Vec<f64> = moved.map(|(at, step)| at + length * step).collect();
                let moved_value = likelihood.value(&moved);
                if moved_value > value + length * gain / 10.0 {
                    break Some((moved, moved_value));
                }
                length /= 2.0;
                // So near to the maximum rounding hides all gains.
                if length * gain < 1e-13 * value.abs() {
                    break None;
                }
            };
            let Some((moved, moved_value)) = next else {
                let mut covariance = factors.inverse();
                add_anchors(&mut covariance, -1.0);
                return Fit {
                    parameters,
                    covariance,
                };
            };
            (parameters, value) = (moved, moved_value);
        }
    }

    fn advantage_index(&self) -> usize {
        self.parameters.len().saturating_sub(2)
    }

    fn draws_index(&self) -> usize {
        self.parameters.len().saturating_sub(1)
    }

    /// Returns the parameter of draws.
    fn draws(&self) -> f64 {
        self.parameters[self.draws_index()]
    }

    /// Returns a linear function of the parameters, converted to Elo.
    fn elo(&self, form: &[(usize, f64)]) -> Estimate {
        let terms = form.iter();
        let value: f64 = terms
            .map(|&(at, factor)| factor * self.parameters[at])
            .sum();
        let draws = self.draws();
        let scale = ELO_PER_LOGIT * 4.0 * logistic(draws) * logistic(-draws);
        // The scale is an estimate, too: this is the gradient of their product, by the scale.
        let by_draws = (self.draws_index(), -value * (draws / 2.0).tanh());
        let form: Vec<_> = form.iter().copied().chain([by_draws]).collect();
        Estimate {
            value: scale * value,
            error: Some(scale * NORMAL_95 * self.deviation(&form)),
        }
    }

    /// Returns the probability that the first player is stronger than the second.
    fn superiority(&self, first: usize, second: usize) -> f64 {
        let difference = self.parameters[first] - self.parameters[second];
        let deviation = self.deviation(&[(first, 1.0), (second, -1.0)]);
        normal_distribution(difference / deviation)
    }

    /// Returns the standard deviation of a linear function of the parameters.
    fn deviation(&self, form: &[(usize, f64)]) -> f64 {
        self.covariance.product(form, form).max(0.0).sqrt()
    }
}

/// Returns 1 / (1 + e^-x).
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns the logarithm of [`logistic`], for large numbers, too.
fn ln_logistic(x: f64) -> f64 {
    x.min(0.0) - (-x.abs()).exp().ln_1p()
}

/// A symmetric matrix.
#[derive(Debug)]
struct Symmetric {
    size: usize,
    /// The entries, row by row.
    entries: Vec<f64>,
}

impl Symmetric {
    /// Creates a matrix of zeros.
    fn zeros(size: usize) -> Symmetric {
        Symmetric {
            size,
            entries: vec![0.0; size * size],
        }
    }

    /// Returns an entry.
    fn get(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    /// Adds to an entry. What is added to one side of the diagonal must be added to the other.
    fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.size + column] += value;
    }

    /// Adds the product of a vector with itself, times a factor. The vector is given by the
    /// entries that are not 0.
    fn add_square(&mut self, vector: &[(usize, f64)], factor: f64) {
        for &(row, left) in vector {
            for &(column, right) in vector {
                self.add(row, column, factor * left * right);
            }
        }
    }

    /// Returns xᵀAy of this matrix A and two vectors, which are given by their entries that are
    /// not 0.
    fn product(&self, x: &[(usize, f64)], y: &[(usize, f64)]) -> f64 {
        let row = |row: usize| -> f64 {
            y.iter()
                .map(|&(column, right)| self.get(row, column) * right)
                .sum()
        };
        x.iter().map(|&(at, left)| left * row(at)).sum()
    }

    /// Returns the Cholesky decomposition of a positive definite matrix.
    fn cholesky(mut self) -> Cholesky {
        let size = self.size;
        for column in 0..size {
            for row in column..size {
                let (left, right) = (row * size, column * size);
                let dot: f64 = self.entries[left..left + column]
                    .iter()
                    .zip(&self.entries[right..right + column])
                    .map(|(x, y)| x * y)
                    .sum();
                let rest = self.get(row, column) - dot;
                self.entries[left + column] = match row == column {
                    true => rest.sqrt(),
                    false => rest / self.get(column, column),
                };
            }
        }
        Cholesky(self)
    }
}

/// The lower triangle L of a matrix A = LLᵀ.
struct Cholesky(Symmetric);

impl Cholesky {
    /// Returns the vector x with Ax = b.
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (size, lower) = (self.0.size, &self.0);
        let mut x = b.to_vec();
        for row in 0..size {
            let start = row * size;
            let known = lower.entries[start..start + row].iter().zip(&x);
            let dot: f64 = known.map(|(l, x)| l * x).sum();
            x[row] = (x[row] - dot) / lower.get(row, row);
        }
        for row in (0..size).rev() {
            x[row] /= lower.get(row, row);
            let (before, value) = (row * size, x[row]);
            let above = lower.entries[before..before + row].iter();
            for (x, l) in x.iter_mut().zip(above) {
                *x -= l * value;
            }
        }
        x
    }

    /// Returns the inverse of A.
    fn inverse(&self) -> Symmetric {
        let size = self.0.size;
        let mut inverse = Symmetric::zeros(size);
        let mut unit = vec![0.0; size];
        for column in 0..size {
            unit[column] = 1.0;
            let solution = self.solve(&unit);
            inverse.entries[column * size..(column + 1) * size].copy_from_slice(&solution);
            unit[column] = 0.0;
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 273 games of seven baseball teams in 1987: for each home team the games won and lost
    /// at home against the others, in the order of the teams (Agresti, *Categorical Data Analysis*,
    /// 2nd edition, 2002, table 10.10; the home team has the first move here).
    const BASEBALL: [[(u32, u32); 7]; 7] = [
        [(0, 0), (4, 3), (4, 2), (4, 3), (6, 1), (4, 2), (6, 0)],
        [(3, 3), (0, 0), (4, 2), (4, 3), (6, 0), (6, 1), (4, 3)],
        [(2, 5), (4, 3), (0, 0), (2, 4), (4, 3), (4, 2), (6, 0)],
        [(3, 3), (5, 1), (2, 5), (0, 0), (4, 3), (4, 2), (6, 1)],
        [(5, 1), (2, 5), (3, 3), (4, 2), (0, 0), (5, 2), (6, 0)],
        [(2, 5), (3, 3), (3, 4), (4, 3), (4, 2), (0, 0), (2, 4)],
        [(2, 5), (1, 5), (1, 6), (2, 4), (1, 6), (3, 4), (0, 0)],
    ];

    #[test]
    fn the_published_analysis_of_baseball_games_is_found_again() {
        let mut games = Vec::new();
        for (home, row) in BASEBALL.iter().enumerate() {
            for (away, &(won, lost)) in row.iter().enumerate() {
                for (count, winner) in [(won, Color::Black), (lost, Color::White)] {
                    let game = PlayedGame {
                        players: ByColor::new(home, away),
                        winner: Some(winner),
                    };
                    games.extend((0..count).map(|_| game));
                }
            }
        }
        assert_eq!(games.len(), 273);
        let counts = count_pairs(7, &independent(&games)).unwrap();
        // The analysis has no virtual results; this few make no difference.
        let none = VirtualResults {
            draws: 1e-9,
            advantage: 1e-9,
            draw_rate: 1e-9,
        };
        let likelihood = Likelihood::new(&counts, &[78.0; 7], &none);
        let fit = Fit::new(&likelihood, &groups(7, &counts));
        // Table 10.11, column 5, and the advantage of the home team, with its standard error
        // (section 10.6.2).
        let odds = fit.parameters.iter().take(7).map(|strength| strength.exp());
        let sum: f64 = odds.clone().sum();
        let shares: Vec<String> = odds.map(|odds| format!("{:.3}", odds / sum)).collect();
        assert_eq!(
            shares,
            [
                "0.220", "0.190", "0.164", "0.157", "0.137", "0.088", "0.044"
            ]
        );
        let home = fit.advantage_index();
        assert_eq!(format!("{:.3}", fit.parameters[home]), "0.302");
        assert_eq!(format!("{:.3}", fit.deviation(&[(home, 1.0)])), "0.131");
    }

    #[test]
    fn derivatives_are_those_of_the_likelihood() {
        let game = |black, white, winner| PlayedGame {
            players: ByColor::new(black, white),
            winner,
        };
        let games = [
            game(0, 1, Some(Color::Black)),
            game(1, 2, None),
            game(2, 0, Some(Color::White)),
            game(1, 0, Some(Color::White)),
        ];
        let counts = count_pairs(3, &independent(&games)).unwrap();
        let likelihood = Likelihood::new(&counts, &[3.0, 3.0, 2.0], &VirtualResults::default());
        let at = [0.3, -0.5, 0.2, 0.1, 0.7];
        let moved = |index: usize, by: f64| {
            let mut moved = at;
            moved[index] += by;
            moved
        };
        let (gradient, curvature) = likelihood.derivatives(&at);
        let step = 1e-5;
        for (row, derivative) in gradient.iter().enumerate() {
            let [high, low] = [step, -step].map(|step| moved(row, step));
            let slope = (likelihood.value(&high) - likelihood.value(&low)) / (2.0 * step);
            let error = (slope - derivative).abs();
            assert!(error < 1e-8, "{row}: {derivative} is not {slope}");
            let [high, low] = [high, low].map(|at| likelihood.derivatives(&at).0);
            for column in 0..5 {
                let bend = (low[column] - high[column]) / (2.0 * step);
                let found = curvature.get(row, column);
                let error = (bend - found).abs();
                assert!(error < 1e-7, "{row}, {column}: {found} is not {bend}");
            }
        }
    }

    /// A tournament, and what bayeselo says of it.
    struct Rated {
        /// For each player with Black the games won/drawn/lost against each with White.
        table: &'static str,
        /// The strength of each player in Elo, not scaled, and half its interval.
        strengths: &'static [(f64, f64)],
        advantage: f64,
        draws: f64,
        scale: f64,
    }

    /// Random tournaments: one with few games, one of players who differ much, and one in which
    /// player 4 won all games. The numbers are those of Rémi Coulom's bayeselo, version 0057: its
    /// commands `mm 1 1`, `advantage`, `drawelo`, `scale`, `covariance`, and `ratings` after
    /// `scale 1000`, so that thousandths are shown. Its White, who moves first, is our Black.
    const RATED: [Rated; 3] = [
        Rated {
            table: "
                - 2/1/1 2/2/0
            0/1/0     - 2/0/1
            2/0/1 0/0/4     -",
            strengths: &[(25.324, 112.322), (81.828, 116.456), (-107.153, 110.520)],
            advantage: 19.6304,
            draws: 132.473,
            scale: 0.867631,
        },
        Rated {
            table: "
                 -  9/0/1  6/5/0  7/1/1  7/1/2 11/0/0
            0/0/10      -  3/2/7  4/1/3  3/2/4  5/2/1
             2/2/4  8/0/0      -  8/3/1  3/1/5  6/0/3
             1/3/6  8/1/0  3/4/3      -  3/3/6 10/1/0
             3/4/3  8/0/0  6/4/1  7/3/1      -  7/2/1
            0/1/10  3/5/4  1/3/5  0/2/6  1/2/5      -",
            strengths: &[
                (255.661, 65.558),
                (-183.884, 63.905),
                (62.422, 57.227),
                (-4.953, 56.478),
                (122.145, 59.473),
                (-251.391, 66.574),
            ],
            advantage: 89.413,
            draws: 115.362,
            scale: 0.897375,
        },
        Rated {
            table: "
                - 0/0/2     -     - 0/0/2 0/0/1 1/0/1 1/0/1 1/0/0 0/1/1 0/1/0 1/0/1
            1/0/0     -     - 1/0/0 0/0/2 1/0/0 0/0/1 2/0/0 1/0/0     - 0/0/1 2/0/0
            0/0/1 0/0/2     -     - 0/0/2 1/0/0 0/0/1 1/0/0     - 0/0/1     - 0/1/0
            0/0/1     - 2/0/0     - 0/0/2 1/0/0     - 1/0/0     - 1/0/1 1/0/0 1/0/0
                - 1/0/0     - 1/0/0     - 2/0/0 2/0/0 2/0/0 2/0/0 1/0/0 2/0/0 2/0/0
            1/0/1 0/1/1 1/0/0 0/0/1     -     - 1/0/1 1/0/0 1/0/0 0/2/0 0/0/1 1/0/1
                -     - 2/0/0 1/1/0     - 1/0/0     - 1/0/0     -     - 2/0/0     -
            0/0/1     -     - 0/0/1     - 2/0/0     -     -     - 1/0/1 2/0/0 1/1/0
            2/0/0 0/0/1 2/0/0 1/0/0 0/0/1     - 0/0/1 1/0/1     - 1/0/1 0/0/2 2/0/0
                - 1/0/1     -     -     - 2/0/0 0/0/1     - 0/1/0     -     - 1/1/0
            2/0/0 2/0/0 2/0/0 1/0/0     - 1/0/1     - 0/0/1     -     -     - 1/0/0
            1/0/0 0/1/0 2/0/0 0/1/0     -     -     -     -     -     -     -     -",
            strengths: &[
                (-141.396, 126.408),
                (99.347, 128.064),
                (-320.133, 168.576),
                (26.188, 145.838),
                (511.863, 234.629),
                (-142.938, 123.356),
                (198.663, 171.143),
                (-85.263, 137.669),
                (-99.133, 138.518),
                (4.539, 132.104),
                (61.742, 141.354),
                (-113.480, 131.038),
            ],
            advantage: 113.202,
            draws: 89.6755,
            scale: 0.936232,
        },
    ];

    /// The ratings of the players of the first two tournaments, and the advantage of the first
    /// move, as Miguel Ballicora's Ordo has them, version 1.2.6, with `-W -D -a 0 -z 200.2396 -N 3`:
    /// on the scale of Elo. It refuses the third, because a player won all games.
    const ORDO: [(&[f64], f64); 2] = [
        (&[22.700, 85.008, -107.708], 36.06),
        (
            &[244.269, -165.006, 47.073, -6.861, 119.588, -239.064],
            84.62,
        ),
    ];

    impl Rated {
        fn games(&self) -> Vec<PlayedGame> {
            let mut games = Vec::new();
            for (black, row) in self.table.trim().lines().enumerate() {
                for (white, counts) in row.split_whitespace().enumerate() {
                    let winners = [Some(Color::Black), None, Some(Color::White)];
                    for (count, winner) in counts.split('/').zip(winners) {
                        let game = PlayedGame {
                            players: ByColor::new(black, white),
                            winner,
                        };
                        games.extend((0..count.parse().unwrap_or(0)).map(|_| game));
                    }
                }
            }
            games
        }

        /// Returns the counts with bayeselo's virtual draws, which are like those that are
        /// played: as many of each player as with us, and half of them with each color.
        fn counts_of_bayeselo(&self) -> PairCounts {
            let games = self.games();
            let players = self.strengths.len();
            let mut counts = count_pairs(players, &independent(&games)).unwrap();
            let has = |game: &PlayedGame, player| game.players.iter().any(|&it| it == player);
            let played = |player| games.iter().filter(|game| has(game, player)).count() as f64;
            for game in &games {
                let ByColor { black, white } = game.players;
                let draws = 1.0 / played(black) + 1.0 / played(white);
                for pair in [(black, white), (white, black)] {
                    counts.entry(pair).or_default()[1] += draws / 2.0;
                }
            }
            counts
        }
    }

    #[test]
    fn with_the_virtual_draws_of_bayeselo_the_strengths_are_those_of_bayeselo() {
        let none = VirtualResults {
            draws: 0.0,
            advantage: 0.0,
            draw_rate: 0.0,
        };
        for rated in &RATED {
            let counts = rated.counts_of_bayeselo();
            let players = rated.strengths.len();
            let likelihood = Likelihood::new(&counts, &vec![1.0; players], &none);
            let fit = Fit::new(&likelihood, &groups(players, &counts));
            let parameter = |index: usize| ELO_PER_LOGIT * fit.parameters[index];
            let near = |found: f64, expected: f64| {
                assert!((found - expected).abs() < 0.1, "{found} {expected}");
            };
            near(parameter(fit.advantage_index()), rated.advantage);
            near(parameter(fit.draws_index()), rated.draws);
            let scale = fit.elo(&[(0, 1.0)]).value / parameter(0);
            assert!((scale - rated.scale).abs() < 1e-4, "{scale}");

            // bayeselo takes the advantage and the parameter of draws as known for its intervals.
            let (_, curvature) = likelihood.derivatives(&fit.parameters);
            let mut known = Symmetric::zeros(players);
            for row in 0..players {
                for column in 0..=row {
                    known.add(row, column, curvature.get(row, column));
                }
            }
            let anchor: Vec<_> = (0..players).map(|player| (player, 1.0)).collect();
            let share = 1.0 / players as f64;
            known.add_square(&anchor, share);
            let mut covariance = known.cholesky().inverse();
            covariance.add_square(&anchor, -share);
            for (player, &(strength, error)) in rated.strengths.iter().enumerate() {
                near(parameter(player), strength);
                let deviation = covariance.get(player, player).sqrt();
                near(ELO_PER_LOGIT * NORMAL_95 * deviation, error);
            }
        }
    }

    /// Ordo has no parameter of draws.
    #[test]
    fn with_halves_of_games_for_draws_the_strengths_are_those_of_ordo() {
        let none = VirtualResults {
            draws: 0.0,
            advantage: 0.0,
            draw_rate: 1e-9,
        };
        for (rated, (ordo, advantage)) in RATED.iter().zip(ORDO) {
            let players = rated.strengths.len();
            let mut counts = count_pairs(players, &independent(&rated.games())).unwrap();
            for [wins, draws, losses] in counts.values_mut() {
                *wins += *draws / 2.0;
                *losses += *draws / 2.0;
                *draws = 0.0;
            }
            let likelihood = Likelihood::new(&counts, &vec![1.0; players], &none);
            let fit = Fit::new(&likelihood, &groups(players, &counts));
            let advantage = (fit.advantage_index(), advantage);
            let strengths = ordo.iter().copied().enumerate();
            for (index, expected) in strengths.chain([advantage]) {
                let found = ELO_PER_LOGIT * fit.parameters[index];
                assert!((found - expected).abs() < 0.1, "{found} {expected}");
            }
        }
    }

    #[test]
    fn ratings_differ_from_those_of_bayeselo_by_the_virtual_results() {
        let largest = RATED.each_ref().map(|rated| {
            let ratings = Ratings::new(rated.strengths.len(), &rated.games()).unwrap();
            let apart = rated.strengths.iter().enumerate();
            let apart = apart.map(|(player, &(strength, error))| {
                let Estimate { value, error: ours } = ratings.get(player).unwrap().elo;
                let apart = (value - rated.scale * strength).abs();
                // The intervals are wider, because they do not take a and d as known, and because
                // the virtual results say less.
                assert!(ours.unwrap() > rated.scale * error, "{player}");
                assert!(apart < ours.unwrap() / 3.0, "{player}: {apart}");
                apart
            });
            apart.fold(0.0, f64::max).round()
        });
        assert_eq!(largest, [5.0, 4.0, 101.0]);
    }
}
