//! The opponent, which leads the client into a situation.

use crate::check::situation::{Situation, Topic};
use crate::gothello::Move;
use crate::rng::Rng;

/// How much a board that differs from the right one in all points counts.
const DIFFERENCE: f64 = 0.1;

/// The number of random games that are tried for a move, over all moves.
const ROLLOUTS: usize = 64;

/// The number of moves after which a random game is given up.
const MAX_PLIES: usize = 80;

/// Returns the move after which random play brings the client into the wanted situation best.
pub(super) fn choose(situation: &Situation, wanted: Option<Topic>, rng: &mut Rng) -> Move {
    let mut moves: Vec<Move> = situation.position().legal_moves().collect();
    rng.shuffle(&mut moves);
    let rollouts = ROLLOUTS.div_ceil(moves.len().max(1));
    let mut best = (Move::Pass, -1.0);
    for mv in moves {
        let mut next = *situation;
        // The moves are legal.
        if next.play(mv).is_err() {
            continue;
        }
        let values = (0..rollouts).map(|_| rollout(next, wanted, rng));
        let value: f64 = values.sum();
        if value > best.1 {
            best = (mv, value);
        }
    }
    best.0
}

/// Plays a random game, in which both place stones while they can, and returns the most that the
/// client shows of what is wanted, and a little for a board that makes it likely.
fn rollout(mut situation: Situation, wanted: Option<Topic>, rng: &mut Rng) -> f64 {
    let exposure = |situation: &Situation| wanted.map_or(0.0, |topic| situation.exposure(topic));
    let mut most = exposure(&situation);
    let difference =
        |situation: &Situation| wanted.map_or(0.0, |topic| situation.difference(topic));
    let mut different = difference(&situation);
    for _ in 0..MAX_PLIES {
        if situation.is_over() || most >= 1.0 {
            break;
        }
        let mv = random_move(&situation, rng);
        if situation.play(mv).is_err() {
            break;
        }
        most = most.max(exposure(&situation));
        different = different.max(difference(&situation));
    }
    most + DIFFERENCE * different
}

/// Returns a random move that places a stone, or a pass if there is none.
fn random_move(situation: &Situation, rng: &mut Rng) -> Move {
    let legal = situation.position().placements().legal();
    let points: Vec<_> = legal.iter().map(|point| (point, 1.0)).collect();
    rng.draw(&points).map_or(Move::Pass, Move::Place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;

    /// Lets a client that plays at random meet the opponent, and returns in how many of ten games
    /// the situation came up.
    fn reached(wanted: Topic, client: Color) -> usize {
        let mut rng = Rng::new(1);
        let games = (0..10).filter(|_| {
            let mut game = Situation::new(client, 0);
            let mut most = 0.0_f64;
            while !game.is_over() {
                let mv = if game.position().to_move() == client {
                    most = most.max(game.exposure(wanted));
                    random_move(&game, &mut rng)
                } else {
                    choose(&game, Some(wanted), &mut rng)
                };
                game.play(mv).unwrap();
            }
            most.max(game.exposure(wanted)) > 0.0
        });
        games.count()
    }

    #[test]
    fn the_opponent_leads_a_random_client_into_most_situations() {
        for client in Color::ALL {
            for wanted in [Topic::ForcedPass, Topic::OpponentPass] {
                let reached = reached(wanted, client);
                assert!(reached >= 6, "{wanted:?} {client:?} {reached}");
            }
        }
    }
}
