//! A player who proves what he plays, if the time suffices.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use itertools::Itertools;

use super::prover::{Proof, Prover, is_over};
use super::{ALWAYS_SOLVED, AlphaBeta, Choice, Limits, Player};
use crate::gothello::{Move, Position};
use crate::solver::{Bounds, Control, MoveBounds, Objective, ReplyDifficulty};

/// The time is spent in so many parts.
const PARTS: u32 = 8;

/// How many of them the first attempt at a proof takes, and then, if it fails, the
/// search for a move without a proof.
#[derive(Clone, Copy)]
struct Plan {
    attempt: u32,
    estimate: u32,
}

impl Plan {
    /// The time is enough for almost every proof.
    const LIKELY: Plan = Plan {
        attempt: 7,
        estimate: 1,
    };
    /// It may be enough, and most often is for who wins.
    const UNSURE: Plan = Plan {
        attempt: 4,
        estimate: 2,
    };

    /// The plan for a position with so many empty points and so much time.
    fn new(empty: u32, time: Duration) -> Plan {
        if 2 * expected(empty) <= time {
            Plan::LIKELY
        } else {
            Plan::UNSURE
        }
    }
}

/// The most time for the choice between best moves once one is known; without any
/// limit of time, also for an estimate.
const CHOOSING: Duration = Duration::from_secs(2);

/// A player who makes an optimal move if he can prove in time that it is one, else a
/// move that is proven to win and does not end the game, and else the one that
/// alpha-beta thinks best.
///
/// # How the time is spent
///
/// A move that is known, from a book, is made at once. Else:
///
/// 1. It is proven who wins, which is some ten times faster than by how much; then
///    the value of the position, and a move that keeps it.
/// 2. If that does not succeed at the first attempt, and no move is proven to win,
///    alpha-beta looks for a move; the rest goes to the proof. The attempt takes half
///    of the time, and alpha-beta a quarter. If a proof is likely, it is seven
///    eighths and one eighth.
/// 3. Once the value is proven, half of what is left, at most two seconds, goes
///    to the choice between several moves that keep it.
///
/// # Without a proof of the value
///
/// A move that is proven to win is made, of several the one that is proven to win by
/// most. Else it is alpha-beta's move if that hopes for more than any other is proven
/// to be worth; alpha-beta is not asked about moves that are proven to be worth no
/// more. A pass that ends the game is never alpha-beta's: it is worth the stones as
/// they stand, and is made if no other move is proven to be worth as much, and
/// alpha-beta hopes for no more from any.
///
/// # Which of several best moves
///
/// The one after which the opponent has the most [`ReplyDifficulty`]. So a player who is
/// behind makes the other find the only moves for as long as he can. If these are
/// equal, a player who wins passes if that keeps the value; else the first in the
/// order of [`Position::legal_moves`] is made.
pub struct Perfect {
    prover: Arc<Prover>,
    fallback: AlphaBeta,
}

/// When a choice is to be made.
struct Schedule<'a> {
    started: Instant,
    limits: &'a Limits<'a>,
}

impl Perfect {
    /// A player who asks this prover.
    pub const fn new(prover: Arc<Prover>) -> Perfect {
        Perfect {
            prover,
            fallback: AlphaBeta::new(),
        }
    }

    /// What is proven of the value in time. If that is not the value itself, also what
    /// alpha-beta thinks, unless it was not asked.
    fn prove(
        &mut self,
        proof: Proof<'_>,
        position: &Position,
        schedule: &Schedule<'_>,
    ) -> (Bounds, Option<Choice>) {
        if position.empty().len() <= ALWAYS_SOLVED {
            let value = proof.value(position, Objective::Value, &WITHOUT_LIMITS);
            return (value, None);
        }
        let time = schedule.limits.time;
        let plan = time.map_or(Plan::UNSURE, |time| Plan::new(position.empty().len(), time));
        let bounds = winner_and_value(proof, position, &schedule.control(plan.attempt));
        if bounds.value().is_some() {
            return (bounds, None);
        }
        let known = KnownMoves::of(proof, position);
        let estimate = match known.is_won() {
            true => None,
            false => {
                let time = time.map_or(CHOOSING, |time| time / PARTS * plan.estimate);
                self.estimate(position, &known, schedule.within(time))
            }
        };
        if let Some(estimate) = &estimate
            && known.ends(known.held.mv)
            && known.held.bounds.low > 0
        {
            // The game is won if it ends here. It is first seen whether the move that
            // hopes for more wins as surely.
            let wanted = Objective::AtLeast(known.held.bounds.low);
            proof.after(position, estimate.mv, wanted, &schedule.control(PARTS - 1));
        }
        let rest = schedule.proving();
        let bounds = winner_and_value(proof, position, &rest).and(bounds);
        (bounds, estimate)
    }

    /// What alpha-beta thinks of the moves that may be worth more than the best one
    /// that is known; `None` if there are none.
    fn estimate(
        &mut self,
        position: &Position,
        known: &KnownMoves,
        limits: Limits<'_>,
    ) -> Option<Choice> {
        let open = known.open().collect_vec();
        if open.is_empty() {
            return None;
        }
        Some(self.fallback.choose_among(position, &open, &limits))
    }

    /// A move when the time was not enough to prove the value.
    fn unproven(
        &mut self,
        proof: Proof<'_>,
        position: &Position,
        estimate: Option<Choice>,
        schedule: &Schedule<'_>,
    ) -> Choice {
        let known = KnownMoves::of(proof, position);
        let held = Choice {
            mv: known.held.mv,
            margin: f32::from(known.held.bounds.low),
            proven: false,
            depth: 0,
            positions: estimate.map_or(0, |estimate| estimate.positions),
        };
        if known.is_won() {
            return held;
        }
        let is_open = |choice: &Choice| known.open().any(|mv| mv == choice.mv);
        let estimate = estimate.filter(is_open).or_else(|| {
            // Alpha-beta remembers what it has seen of the others: a moment is enough.
            self.estimate(position, &known, schedule.within(schedule.left()))
        });
        match estimate {
            Some(estimate) if estimate.margin > held.margin => Choice {
                proven: false,
                ..estimate
            },
            _ => held,
        }
    }
}

/// What is known of the moves of a position.
struct KnownMoves {
    moves: Vec<MoveBounds>,
    /// The move that is proven to be worth most; a pass that ends the game only if no
    /// other is proven to be worth as much.
    held: MoveBounds,
    /// Whether a pass ends the game.
    after_pass: bool,
}

impl KnownMoves {
    fn of(proof: Proof<'_>, position: &Position) -> KnownMoves {
        let mut known = KnownMoves {
            moves: proof.recall(position),
            held: MoveBounds {
                mv: Move::Pass,
                bounds: Bounds::UNKNOWN,
            },
            after_pass: position.after_pass(),
        };
        let worth = |judged: &&MoveBounds| (judged.bounds.low, !known.ends(judged.mv));
        if let Some(&held) = known.moves.iter().max_by_key(worth) {
            known.held = held;
        }
        known
    }

    /// Whether a move ends the game.
    fn ends(&self, mv: Move) -> bool {
        self.after_pass && mv == Move::Pass
    }

    /// Whether a move that does not end the game is proven to win.
    fn is_won(&self) -> bool {
        self.held.bounds.low > 0 && !self.ends(self.held.mv)
    }

    /// The moves that may be worth more than the one that is held.
    fn open(&self) -> impl Iterator<Item = Move> {
        let is_open = |judged: &&MoveBounds| {
            judged.bounds.high > self.held.bounds.low && !self.ends(judged.mv)
        };
        self.moves.iter().filter(is_open).map(|judged| judged.mv)
    }
}

/// Who wins, then the value, as far as it can be proven.
fn winner_and_value(proof: Proof<'_>, position: &Position, control: &Control<'_>) -> Bounds {
    let bounds = proof.value(position, Objective::Winner, control);
    if bounds.sign().is_none() {
        return bounds;
    }
    proof.value(position, Objective::Value, control).and(bounds)
}

/// A player who asks a prover of its own.
impl Default for Perfect {
    fn default() -> Perfect {
        Perfect::new(Arc::new(Prover::default()))
    }
}

impl Player for Perfect {
    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Choice {
        if let Some((value, mv)) = self.prover.look_up(position) {
            return proven(mv, value);
        }
        let schedule = Schedule {
            started: Instant::now(),
            limits,
        };
        let prover = Arc::clone(&self.prover);
        let solver = prover.solver(limits.time);
        let proof = prover.with(&solver);
        let before = solver.positions();
        let (bounds, estimate) = self.prove(proof, position, &schedule);
        let mut choice = None;
        if let Some(value) = bounds.value() {
            choice = best_move(proof, position, value, &schedule).map(|mv| proven(mv, value));
        }
        let mut choice =
            choice.unwrap_or_else(|| self.unproven(proof, position, estimate, &schedule));
        choice.positions += solver.positions() - before;
        if !choice.proven {
            tracing::warn!(%choice, bounds = %bounds.seen_by(position.to_move()), "the time did not suffice for a proof");
        }
        choice
    }
}

/// A move that is proven to keep the value.
fn proven(mv: Move, value: i8) -> Choice {
    Choice {
        mv,
        margin: f32::from(value),
        proven: true,
        depth: 0,
        positions: 0,
    }
}

/// Roughly how long a proof takes with so many empty points: a tenth of a second
/// with 16, and three times as long with each more.
fn expected(empty: u32) -> Duration {
    Duration::from_millis(100) * 3_u32.pow(empty.saturating_sub(16))
}

/// One of the moves that keep the value, chosen as long as there is time.
fn best_move(
    proof: Proof<'_>,
    position: &Position,
    value: i8,
    schedule: &Schedule<'_>,
) -> Option<Move> {
    let limited = schedule.choosing();
    let control = if position.empty().len() <= ALWAYS_SOLVED {
        WITHOUT_LIMITS
    } else {
        limited
    };
    let moves = proof.at_least(position, value, &control, &|_| ());
    let best = moves
        .into_iter()
        .filter(|judged| judged.bounds.low >= value);
    let best = best.map(|judged| judged.mv).collect_vec();
    let first = *best.first()?;
    if best.len() == 1 {
        return Some(first);
    }
    if best.iter().all(|&mv| proof.is_in_book(position, mv)) {
        // The book tells it at once. How hard the replies are would take long to find
        // out with so few stones.
        let passes = value > 0 && best.contains(&Move::Pass);
        return Some(if passes { Move::Pass } else { first });
    }
    let worth = |after: &Position, reply| {
        if is_over(&limited) {
            return None;
        }
        let bounds = proof.after(after, reply, Objective::Value, &limited);
        bounds.value()
    };
    let mut choice: Option<(Move, ReplyDifficulty)> = None;
    for mv in best {
        let Some(pitfalls) = ReplyDifficulty::of_move(position, mv, worth) else {
            break;
        };
        let is_better = choice.is_none_or(|(_, most)| match pitfalls.partial_cmp(&most) {
            Some(Ordering::Equal) => mv == Move::Pass && value > 0,
            order => order == Some(Ordering::Greater),
        });
        if is_better {
            choice = Some((mv, pitfalls));
        }
    }
    Some(choice.map_or(first, |(mv, _)| mv))
}

/// A search that goes on until it is done.
const WITHOUT_LIMITS: Control<'static> = Control::UNLIMITED;

impl<'a> Schedule<'a> {
    /// What ends a search when so many of the eight parts of the time are over.
    fn control(&self, parts: u32) -> Control<'a> {
        self.until(self.limits.time.map(|time| time / PARTS * parts))
    }

    /// What ends the last search for a proof: a thirty-second of the time is kept for
    /// what follows.
    fn proving(&self) -> Control<'a> {
        self.until(self.limits.time.map(|time| time - time / (4 * PARTS)))
    }

    /// What ends a search so long after the start; nothing but the flag if `None`.
    fn until(&self, time: Option<Duration>) -> Control<'a> {
        Control {
            stop: self.limits.stop,
            deadline: time.and_then(|time| self.started.checked_add(time)),
            on_progress: &|_| (),
        }
    }

    /// So much time from now on.
    fn within(&self, time: Duration) -> Limits<'a> {
        Limits {
            time: Some(time),
            stop: self.limits.stop,
        }
    }

    /// What is left of the time; without a limit, what a choice may take.
    fn left(&self) -> Duration {
        let time = self.limits.time;
        time.map_or(CHOOSING, |time| time.saturating_sub(self.started.elapsed()))
    }

    /// What ends the choice between moves that begins now.
    fn choosing(&self) -> Control<'a> {
        let time = match self.limits.time {
            Some(_) => self.left() / 2,
            None => CHOOSING,
        };
        self.until(Some(self.started.elapsed() + time.min(CHOOSING)))
    }
}
