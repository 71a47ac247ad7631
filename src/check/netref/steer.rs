//! The opponent, which leads the client into a situation.

use super::checked::CheckedGame;
use crate::rng::Rng;

/// How much a board that differs from the right one in all points counts.
const DIFFERENCE: f64 = 0.1;

/// Returns the move after which random play brings the client into the wanted situation best; `None`
/// if there is no legal move.
pub(super) fn choose<G: CheckedGame<Topic: Copy>>(
    game: &G,
    wanted: Option<G::Topic>,
    rng: &mut Rng,
) -> Option<G::Move> {
    let mut moves = game.legal_moves();
    rng.shuffle(&mut moves);
    let Some(wanted) = wanted else {
        return moves.first().copied();
    };
    let rollouts = G::ROLLOUTS.div_ceil(moves.len().max(1));
    let mut best = None;
    let mut most = -1.0;
    for mv in moves {
        let mut next = game.clone();
        // The moves are legal.
        if next.play_move(mv).is_err() {
            continue;
        }
        let values = (0..rollouts).map(|_| rollout(next.clone(), wanted, rng));
        let value: f64 = values.sum();
        if value > most {
            (best, most) = (Some(mv), value);
        }
    }
    best
}

/// Plays a random game, in which both place stones while they can, and returns the most that the
/// client shows of what is wanted, and a little for a board that makes it likely.
fn rollout<G: CheckedGame<Topic: Copy>>(mut game: G, wanted: G::Topic, rng: &mut Rng) -> f64 {
    let mut most = game.exposure(wanted);
    let mut difference = game.difference(wanted);
    for _ in 0..G::MAX_PLIES {
        if most >= 1.0 || !game.endings().is_empty() {
            break;
        }
        let mv = game.random_move(rng);
        if mv.is_none_or(|mv| game.play_move(mv).is_err()) {
            break;
        }
        most = most.max(game.exposure(wanted));
        difference = difference.max(game.difference(wanted));
    }
    most + DIFFERENCE * difference
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::netref::awari::{AwariSituation, AwariTopic};
    use crate::check::situation::{Situation, Topic};
    use crate::color::Color;

    /// Lets a client that plays at random meet the opponent, and returns in how many of ten games
    /// the situation came up.
    fn reached<G: CheckedGame<Topic: Copy>>(wanted: G::Topic, client: Color) -> usize {
        let mut rng = Rng::new(1);
        let games = (0..10).filter(|_| {
            let mut game = G::new(client, 0);
            let mut most = 0.0_f64;
            while game.endings().is_empty() {
                let mv = if game.to_move() == client {
                    most = most.max(game.exposure(wanted));
                    game.random_move(&mut rng)
                } else {
                    choose(&game, Some(wanted), &mut rng)
                };
                game.play_move(mv.unwrap()).unwrap();
            }
            most.max(game.exposure(wanted)) > 0.0
        });
        games.count()
    }

    #[test]
    fn the_opponent_leads_a_random_client_into_most_situations() {
        for client in Color::ALL {
            for wanted in [Topic::ForcedPass, Topic::OpponentPass] {
                let reached = reached::<Situation>(wanted, client);
                assert!(reached >= 6, "{wanted:?} {client:?} {reached}");
            }
            for wanted in [AwariTopic::OnlyMove, AwariTopic::EmptySide] {
                let reached = reached::<AwariSituation>(wanted, client);
                assert!(reached >= 4, "{wanted:?} {client:?} {reached}");
            }
        }
    }
}
