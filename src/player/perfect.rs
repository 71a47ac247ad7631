//! A player who proves what he plays, if the time suffices.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use itertools::Itertools;

use super::prover::{Proof, Prover, is_over};
use super::{ALWAYS_SOLVED, AlphaBeta, Choice, Limits, Player};
use crate::gothello::{Move, Position};
use crate::solver::{Bounds, Control, Pitfalls, Question};

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
    /// It may be enough.
    const UNSURE: Plan = Plan {
        attempt: 1,
        estimate: 2,
    };
    /// It is hardly enough.
    const HOPELESS: Plan = Plan {
        attempt: 1,
        estimate: 6,
    };

    /// The plan for a position with so many empty points and so much time.
    fn new(empty: u32, time: Duration) -> Plan {
        match expected(empty) {
            expected if 2 * expected <= time => Plan::LIKELY,
            expected if expected <= time => Plan::UNSURE,
            _ => Plan::HOPELESS,
        }
    }
}

/// Longer than this there is no choosing between best moves once one is known;
/// without any limit of time, no estimate takes longer either.
const CHOOSING: Duration = Duration::from_secs(2);

/// A player who makes an optimal move if he can prove in time that it is one,
/// and else the one that alpha-beta thinks best.
///
/// # How the time is spent
///
/// A move that is known, from a book, is made at once. Else:
///
/// 1. The value of the position is proven, and a move that keeps it.
/// 2. If that does not succeed at the first attempt, alpha-beta looks for a move,
///    so that there is one; the rest goes to the proof. The attempt takes an
///    eighth of the time and alpha-beta a quarter, or three quarters if a proof is
///    hardly to be expected. If it is likely, it is seven eighths and one.
/// 3. Once the value is proven, half of what is left, at most two seconds, goes
///    to the choice between several moves that keep it.
///
/// If there is no proof in the end, alpha-beta's move is made, unless another
/// is proven to be worth as much as alpha-beta hopes for, or to win.
///
/// # Which of several best moves
///
/// The one after which the opponent has the most [`Pitfalls`]. So a player who is
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

    /// What is proven of the value in time. If that is not the value itself,
    /// also what alpha-beta thinks.
    fn prove(
        &mut self,
        proof: Proof<'_>,
        position: &Position,
        schedule: &Schedule<'_>,
    ) -> (Bounds, Option<Choice>) {
        if position.empty().len() <= ALWAYS_SOLVED {
            let value = proof.value(position, Question::Value, &WITHOUT_LIMITS);
            return (value, None);
        }
        let time = schedule.limits.time;
        let plan = time.map_or(Plan::UNSURE, |time| Plan::new(position.empty().len(), time));
        let attempt = schedule.control(plan.attempt);
        let bounds = proof.value(position, Question::Value, &attempt);
        if bounds.value().is_some() {
            return (bounds, None);
        }
        let limits = Limits {
            time: Some(time.map_or(CHOOSING, |time| time / PARTS * plan.estimate)),
            stop: schedule.limits.stop,
        };
        let estimate = self.fallback.choose(position, &limits);
        let rest = schedule.control(PARTS);
        let bounds = proof.value(position, Question::Value, &rest).and(bounds);
        (bounds, Some(estimate))
    }
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
        let mut choice = choice
            .or_else(|| promised(proof, position, bounds, estimate, &schedule))
            .or(estimate)
            .unwrap_or_else(|| self.fallback.choose(position, &schedule.rest()));
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
    let worth = |after: &Position, reply| {
        if is_over(&limited) {
            return None;
        }
        let bounds = proof.after(after, reply, Question::Value, &limited);
        bounds.value()
    };
    let mut choice: Option<(Move, Pitfalls)> = None;
    for mv in best {
        let Some(pitfalls) = Pitfalls::after(position, mv, worth) else {
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

/// Without the value, a move that is proven to be worth what alpha-beta hopes
/// for, or to win.
fn promised(
    proof: Proof<'_>,
    position: &Position,
    bounds: Bounds,
    estimate: Option<Choice>,
    schedule: &Schedule<'_>,
) -> Option<Choice> {
    let estimate = estimate.filter(|estimate| !estimate.proven)?;
    let margin = f32::from(bounds.low);
    if bounds.low <= 0 && margin < estimate.margin {
        return None;
    }
    let control = schedule.control(PARTS);
    let moves = proof.at_least(position, bounds.low, &control, &|_| ());
    let good = moves
        .iter()
        .filter(|judged| judged.bounds.low >= bounds.low);
    let good = good.map(|judged| judged.mv).collect_vec();
    // Alpha-beta's own, if it is one of them.
    let own = good.iter().find(|&&mv| mv == estimate.mv);
    Some(Choice {
        mv: *own.or(good.first())?,
        margin: margin.max(estimate.margin),
        ..estimate
    })
}

/// A search that goes on until it is done.
const WITHOUT_LIMITS: Control<'static> = Control::UNLIMITED;

impl<'a> Schedule<'a> {
    /// What ends a search when so many of the eight parts of the time are over.
    fn control(&self, parts: u32) -> Control<'a> {
        let time = self.limits.time.map(|time| time / PARTS * parts);
        Control {
            stop: self.limits.stop,
            deadline: time.and_then(|time| self.started.checked_add(time)),
            watch: &|_| (),
        }
    }

    /// What is left of the time.
    fn rest(&self) -> Limits<'a> {
        let elapsed = self.started.elapsed();
        Limits {
            time: self.limits.time.map(|time| time.saturating_sub(elapsed)),
            stop: self.limits.stop,
        }
    }

    /// What ends the choice between moves that begins now.
    fn choosing(&self) -> Control<'a> {
        let now = Instant::now();
        let left = match self.limits.time {
            Some(time) => time.saturating_sub(now - self.started) / 2,
            None => CHOOSING,
        };
        Control {
            stop: self.limits.stop,
            deadline: Some(now + left.min(CHOOSING)),
            watch: &|_| (),
        }
    }
}
