//! Positions that are not searched further: ends of the game, repetitions, and the
//! horizon.

use super::found::{Found, Stopped, Window, cut_off};
use super::search::Search;
use super::value::{Margins, Sureness, WON, estimate, of_margin, of_outcome};
use crate::awari::{Ending, Next, Outcome, Pit, Position, STONES, Scores};

impl Search<'_> {
    /// The value of a game that a move has ended, for the player who made it.
    pub(super) fn ended(&self, position: &Position, pit: Pit, outcome: Outcome) -> Found {
        let rest = match outcome.ending {
            Ending::Enough => self.margin_if_they_went_on(position, pit),
            _ => None,
        };
        Found::proven(match rest {
            Some(margin) => of_margin(margin),
            None => of_outcome(outcome, position.to_move()),
        })
    }

    /// The margin that a player is sure of whose move gives him 25 stones, if they
    /// went on and the database knows how.
    fn margin_if_they_went_on(&self, position: &Position, pit: Pit) -> Option<i32> {
        let mover = position.to_move();
        let half = STONES / 2;
        let stones = position.pits().iter().sum();
        // With fewer stones captured the same move does not end the game.
        let scores = Scores::default().plus(mover, half.checked_sub(stones)?);
        let scores = scores.plus(mover.opponent(), half);
        let earlier = Position::new(*position.pits(), scores, mover).ok()?;
        let more = position.scores().of(mover) - earlier.scores().of(mover);
        let final_score = match earlier.sow(pit, self.variant).ok()? {
            Next::Ends(outcome) => outcome.scores.of(mover),
            Next::Continues(next) => {
                let rest = next.pits().iter().sum::<u8>();
                let bounds = self.database?.look_up(&next)?;
                next.scores().of(mover) + rest - bounds.high
            }
        };
        Some(2 * i32::from(final_score + more) - i32::from(STONES))
    }

    /// The value of a position for the player to move there if it was there
    /// before, which ends the game.
    pub(super) fn repeated(&self, position: &Position, since: usize) -> Option<Found> {
        let line = self.line.get(since..)?;
        let place = since + line.iter().position(|other| other == position)?;
        let outcome = position.repeated(self.variant.repetition);
        let value = of_outcome(outcome, position.to_move());
        Some(if place <= self.root {
            // It was on the board.
            Found::proven(value)
        } else {
            Found {
                value,
                solid: false,
                repeats: place,
            }
        })
    }

    /// The value of a position at the horizon: an estimate, if no capture makes it
    /// better.
    pub(super) fn capture(
        &mut self,
        position: &Position,
        window: Window,
        margins: Option<Margins>,
        sureness: Sureness,
    ) -> Result<Found, Stopped> {
        let estimate = estimate(position);
        let mut best = match margins {
            Some(margins) => Found {
                value: margins.at_horizon(estimate, sureness),
                solid: sureness.proven && margins.decides(),
                repeats: usize::MAX,
            },
            None => Found {
                value: estimate,
                solid: false,
                repeats: usize::MAX,
            },
        };
        if best.solid || margins.is_some() || best.value >= window.beta {
            return Ok(best);
        }
        for candidate in self.candidates(position, None) {
            let found = match candidate.next {
                Next::Ends(outcome) => {
                    let found = self.ended(position, candidate.pit, outcome);
                    // He need not play it, if there are other moves.
                    found.value.ge(&WON).then_some(found)
                }
                Next::Continues(child) if child.scores() != position.scores() => {
                    let turned = Window {
                        alpha: -window.beta,
                        beta: -window.alpha.max(best.value),
                    };
                    Some(self.after_capture(&child, turned)?.negated())
                }
                Next::Continues(_) => None,
            };
            if let Some(found) = found
                && found.value > best.value
            {
                best = found;
                best.solid &= found.value >= WON;
            }
            if best.value >= window.beta {
                break;
            }
        }
        Ok(best)
    }

    /// The value of a position at the horizon, after a capture.
    fn after_capture(&mut self, position: &Position, window: Window) -> Result<Found, Stopped> {
        self.count()?;
        let margins = self.margins(position);
        let sureness = self.sureness(position, usize::MAX);
        match margins.and_then(|margins| cut_off(margins, window, sureness)) {
            Some(found) => Ok(found),
            None => self.capture(position, window, margins, sureness),
        }
    }
}
