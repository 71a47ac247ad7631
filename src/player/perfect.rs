//! A player that proves its moves if time permits.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use itertools::Itertools;

use super::prover::Prover;
use super::{ALWAYS_SOLVED, AlphaBeta, Choice, Limits, Player};
use crate::base::rng::Rng;
use crate::base::timer::{self, Moment, Timer};
use crate::games::gothello::{Move, Position};
use crate::solving::solver::{
    Bounds, Control, MoveBounds, Objective, PositionBudget, ReplyDifficulty, Solver,
};

/// The time and the positions for a move are shared out in 32nds.
const PARTS: u32 = 32;

/// The proofs end after this many 32nds. The rest is for the choice of a move.
const PROOF_PARTS: u32 = PARTS - 1;

/// An estimate takes at most this many 32nds.
const ESTIMATE_PARTS: u32 = 2;

/// An estimate takes at most this many positions. More hardly improve it.
const ESTIMATE_POSITIONS: u64 = 4096;

/// The longest time for the choice between best moves once one is known.
pub(crate) const MAX_CHOICE_TIME: Duration = Duration::from_secs(2);

/// A player that makes a proven optimal move if time permits. Otherwise the result comes first,
/// then the margin.
///
/// # The search
///
/// If the tablebase has the position and those after each move, the move is made at once.
/// Otherwise:
///
/// 1. Alpha-beta estimates the moves, which takes a few milliseconds. In the order of the
///    estimates, the player searches for a move that is proven to win, or else for one that is
///    proven to draw. A value of the position that the tablebase has says which of them exists.
/// 2. Then it proves the value of the position, and a move that keeps it.
/// 3. Half of the time that is left, at most two seconds, goes to the choice between several
///    moves that keep the value.
///
/// # Without a proof of the value
///
/// The player makes the move that is proven to win and has the highest lower bound. If no move
/// is proven to win, it makes alpha-beta's choice among the moves that may still reach the best
/// possible result, provided that its estimate exceeds the highest proven lower bound, or that the
/// position is proven to be won. Otherwise it makes the move with that lower bound.
///
/// # The choice between best moves
///
/// The player makes the move with the greatest [`ReplyDifficulty`]. So a player who is
/// behind makes the opponent find the only moves for as long as possible. If these are
/// equal, a player who wins passes if that keeps the value; else the player makes the
/// first move in the order of [`Position::legal_moves`]. [`PerfectPlayer::varied`] makes a random
/// one of the moves that are proven to keep the value.
///
/// ```
/// use std::time::Duration;
///
/// use gothello::Position;
/// use gothello::player::{Limits, PerfectPlayer, Player};
///
/// let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?;
/// let limits = Limits::within(Duration::from_secs(10));
/// let choice = PerfectPlayer::default().choose(&position, &limits);
/// assert_eq!(choice.mv.to_string(), "c2");
/// assert!(choice.proven);
/// # Ok::<(), gothello::ParsePositionError>(())
/// ```
#[derive(Debug)]
pub struct PerfectPlayer {
    prover: Arc<Prover>,
    alphabeta: AlphaBeta,
    /// Chooses between moves that keep the value, if that is random.
    rng: Option<Rng>,
    /// The estimate of the last position, if the search for its move was stopped: the next one may go on with
    /// it.
    stopped: Option<(Position, Estimate)>,
}

impl PerfectPlayer {
    /// Creates a player that uses this prover.
    pub const fn new(prover: Arc<Prover>) -> PerfectPlayer {
        PerfectPlayer {
            prover,
            alphabeta: AlphaBeta::new(),
            rng: None,
            stopped: None,
        }
    }

    /// Makes a random one of the moves that are proven to keep the value, in place of the one
    /// that is hardest to answer. The same seed leads to the same moves in the same games, unless
    /// time ends the search for such moves.
    ///
    /// ```
    /// use gothello::Position;
    /// use gothello::player::{Limits, PerfectPlayer, Player};
    ///
    /// let first_move = |seed| {
    ///     let mut player = PerfectPlayer::default().varied(seed);
    ///     player.choose(&Position::START, &Limits::default()).mv
    /// };
    /// assert_eq!(first_move(1), first_move(1));
    /// assert!((2..20).any(|seed| first_move(seed) != first_move(1)));
    /// ```
    #[must_use]
    pub fn varied(mut self, seed: u64) -> PerfectPlayer {
        self.vary(seed);
        self
    }
}

/// Creates a player with a prover of its own.
impl Default for PerfectPlayer {
    fn default() -> PerfectPlayer {
        PerfectPlayer::new(Arc::new(Prover::default()))
    }
}

impl Player for PerfectPlayer {
    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Choice {
        let timer = Timer::start(limits.time);
        let budget = limits.budget.map(|whole| whole.part(whole.left()));
        let limits = Limits {
            budget: budget.as_ref(),
            ..*limits
        };
        let solver = self.prover.solver(&limits);
        let before = solver.positions();
        let stopped = self.stopped.take().filter(|(at, _)| at == position);
        let mut search = MoveSearch {
            solver: &solver,
            position,
            limits: DividedLimits {
                timer,
                limits,
                limit_proofs: position.empty().len() > ALWAYS_SOLVED,
            },
            moves: KnownMoves::new(&solver, position),
            alphabeta: &mut self.alphabeta,
            estimate: stopped.map(|(_, estimate)| estimate),
            estimated_positions: 0,
        };
        search.prove_result();
        let mut choice = match search.prove_best_move(self.rng.as_mut()) {
            Some((mv, value)) => Choice::new(mv).proven_lead(value),
            None => search.unproven_choice(),
        };
        choice.positions = search.estimated_positions + solver.positions() - before;
        if limits.are_stopped() {
            self.stopped = search.estimate.take().map(|estimate| (*position, estimate));
        }
        if !choice.proven {
            let bounds = search.moves.value.seen_by(position.to_move());
            tracing::warn!(%choice, %bounds, "the search ended before the best move was proven");
        }
        choice
    }

    fn vary(&mut self, seed: u64) {
        self.rng = Some(Rng::new(seed));
    }
}

/// The proven bounds of a position and its moves. Of several moves that lead to symmetric
/// positions, only one is included.
struct KnownMoves {
    /// The bounds on the value of the position.
    value: Bounds,
    moves: Vec<MoveBounds>,
    /// Whether a pass ends the game.
    after_pass: bool,
}

impl KnownMoves {
    /// Returns the bounds that are known without a search.
    fn new(solver: &Solver, position: &Position) -> KnownMoves {
        let mut known = KnownMoves {
            value: solver.known_bounds(position),
            moves: solver.known_moves(position),
            after_pass: position.after_pass(),
        };
        known.narrow();
        known
    }

    /// Tightens the bounds on the value by those of the moves.
    fn narrow(&mut self) {
        self.value = self.value.intersect(super::value_of(&self.moves));
    }

    /// Records bounds on the value of a move.
    fn record(&mut self, mv: Move, bounds: Bounds) {
        if let Some(entry) = self.moves.iter_mut().find(|entry| entry.mv == mv) {
            entry.bounds = entry.bounds.intersect(bounds);
        }
        self.narrow();
    }

    /// Returns the value to prove next: 1 (a win) or 0 (a draw), the best result that is not yet
    /// ruled out. `None` if a move is proven to reach it, or if the position is lost.
    fn wanted(&self) -> Option<i8> {
        let best = self.best().bounds.low;
        [1, 0]
            .into_iter()
            .find(|&wanted| self.value.high >= wanted)
            .filter(|&wanted| best < wanted)
    }

    /// Returns whether a move ends the game.
    fn ends(&self, mv: Move) -> bool {
        self.after_pass && mv == Move::Pass
    }

    /// Returns the move with the highest lower bound; a pass that ends the game only if no
    /// other move has a lower bound as high.
    fn best(&self) -> MoveBounds {
        let rank = |entry: &&MoveBounds| (entry.bounds.low, !self.ends(entry.mv));
        let best = self.moves.iter().max_by_key(rank);
        best.copied().unwrap_or(MoveBounds {
            mv: Move::Pass,
            bounds: Bounds::UNKNOWN,
        })
    }

    /// Returns the moves, except a pass that ends the game, whose upper bound exceeds the best
    /// lower bound of all moves, and reaches the lower bound on the value of the position and the
    /// wanted result, if there is one.
    fn candidates(&self) -> impl Iterator<Item = Move> {
        let more = self.best().bounds.low.saturating_add(1);
        let least = more.max(self.value.low).max(self.wanted().unwrap_or(more));
        let is_candidate =
            move |entry: &&MoveBounds| entry.bounds.high >= least && !self.ends(entry.mv);
        self.moves.iter().filter(is_candidate).map(|entry| entry.mv)
    }
}

/// The search for one move.
struct MoveSearch<'a> {
    solver: &'a Solver,
    position: &'a Position,
    limits: DividedLimits<'a>,
    moves: KnownMoves,
    alphabeta: &'a mut AlphaBeta,
    /// The last estimate.
    estimate: Option<Estimate>,
    /// The number of positions searched for estimates.
    estimated_positions: u64,
}

/// The candidates in the order of alpha-beta, and its evaluation of the first one.
#[derive(Debug)]
struct Estimate {
    order: Vec<Move>,
    best: Choice,
}

impl MoveSearch<'_> {
    /// Estimates the candidates, unless the best one of the last estimate still is one.
    fn estimate(&mut self) {
        let candidates = self.moves.candidates().collect_vec();
        let is_one = |last: &Estimate| candidates.contains(&last.best.mv);
        if candidates.is_empty() || self.estimate.as_ref().is_some_and(is_one) {
            return;
        }
        let rank = |limits: &Limits<'_>| self.alphabeta.rank(self.position, &candidates, limits);
        let (best, order) = self.limits.estimate(rank);
        self.estimated_positions += best.positions;
        self.estimate = Some(Estimate { order, best });
    }

    /// Searches for a move that is proven to win, or else to draw.
    fn prove_result(&mut self) {
        if self.moves.wanted().is_none() || !self.limits.limit_proofs {
            return;
        }
        self.estimate();
        let order = self.estimate.iter().flat_map(|estimate| &estimate.order);
        let order = order.copied().collect_vec();
        self.limits.proof(|control| {
            while let Some(wanted) = self.moves.wanted() {
                let objective = Objective::AtLeast(wanted);
                let candidates = self.moves.candidates().collect_vec();
                // If a win was wanted at first, the order lacks the moves that cannot win.
                let next = order.iter().find(|mv| candidates.contains(mv));
                let Some(&mv) = next.or(candidates.first()) else {
                    return;
                };
                let found = (self.solver).search_move(self.position, mv, objective, control);
                self.moves.record(mv, found);
                if !objective.is_decided_by(found) {
                    return;
                }
            }
        });
    }

    /// Proves the value of the position, and finds a move that is proven to keep it. Returns
    /// both; `None` if the limits do not suffice.
    fn prove_best_move(&mut self, rng: Option<&mut Rng>) -> Option<(Move, i8)> {
        let (solver, position) = (self.solver, self.position);
        let (value, first) = self.limits.proof(|control| {
            let known = self.moves.value;
            let found = solver.search_within(position, Objective::Value, known, control);
            self.moves.value = found.intersect(known);
            let value = self.moves.value.value()?;
            // The value may be known from the tablebase, without a move that keeps it.
            Some((
                value,
                solver.search_move_at_least(position, value, control)?,
            ))
        })?;
        let best = self.limits.best_moves(|control| {
            let moves = solver.prove_at_least(position, value, control, &|_| ());
            let best = moves.iter().filter(|entry| entry.bounds.low >= value);
            best.map(|entry| entry.mv).collect_vec()
        });
        let mv = match (&best[..], rng) {
            ([], _) => first,
            (&[only], _) => only,
            (_, Some(rng)) => rng.pick(&best).unwrap_or(first),
            (_, None) => self
                .limits
                .choice(|control| self.hardest_move(value, &best, control)),
        };
        Some((mv, value))
    }

    /// Chooses the one of several moves that keep the value which is hardest to answer.
    fn hardest_move(&self, value: i8, best: &[Move], limited: &Control<'_>) -> Move {
        let (solver, position) = (self.solver, self.position);
        let first = best.first().copied().unwrap_or(Move::Pass);
        let is_known = |&mv: &Move| solver.known_value(position, mv).is_some();
        let are_known = best.iter().all(is_known);
        let value_of_reply = |after: &Position, reply| {
            if are_known {
                // These positions have few stones: searching their replies would take long.
                return solver.known_value(after, reply);
            }
            if limited.is_over() {
                return None;
            }
            let bounds = solver.search_move(after, reply, Objective::Value, limited);
            bounds.value()
        };
        let can_pass = best.contains(&Move::Pass);
        let mut choice: Option<(Move, ReplyDifficulty)> = None;
        for &mv in best {
            let Some(difficulty) = ReplyDifficulty::of_move(position, mv, value_of_reply) else {
                if are_known {
                    let passes = value > 0 && can_pass;
                    return if passes { Move::Pass } else { first };
                }
                break;
            };
            let is_better = choice.is_none_or(|(_, most)| match difficulty.partial_cmp(&most) {
                Some(Ordering::Equal) => mv == Move::Pass && value > 0,
                order => order == Some(Ordering::Greater),
            });
            if is_better {
                choice = Some((mv, difficulty));
            }
        }
        choice.map_or(first, |(mv, _)| mv)
    }

    /// Returns a move if the value, or a move that keeps it, was not proven in time.
    fn unproven_choice(&mut self) -> Choice {
        for MoveBounds { mv, bounds } in self.solver.known_moves(self.position) {
            self.moves.record(mv, bounds);
        }
        let best = self.moves.best();
        let fallback = Choice::new(best.mv).with_lead(f32::from(best.bounds.low));
        if fallback.lead > 0.0 {
            return fallback;
        }
        self.estimate();
        let mut candidates = self.moves.candidates();
        let estimated = self.estimate.as_ref().map(|estimate| estimate.best);
        let estimated = estimated.filter(|choice| candidates.any(|mv| mv == choice.mv));
        match estimated {
            Some(choice) if self.moves.value.low > 0 || choice.lead > fallback.lead => {
                choice.with_lead(choice.lead)
            }
            _ => fallback,
        }
    }
}

/// The limits of the search for one move, and how they are divided.
struct DividedLimits<'a> {
    timer: Timer,
    /// The budget is only for this move.
    limits: Limits<'a>,
    /// Whether the limits apply to proofs.
    limit_proofs: bool,
}

impl DividedLimits<'_> {
    /// Runs a search with the limits for an estimate.
    fn estimate<T>(&self, search: impl FnOnce(&Limits<'_>) -> T) -> T {
        let part = |time: Duration| {
            let part = time / PARTS * ESTIMATE_PARTS;
            self.timer.left().map_or(part, |left| left.min(part))
        };
        let (mut positions, whole) = (ESTIMATE_POSITIONS, PositionBudget::new(ESTIMATE_POSITIONS));
        if let Some(budget) = self.limits.budget {
            let part = budget.size() / u64::from(PARTS) * u64::from(ESTIMATE_PARTS);
            positions = positions.min(part);
        }
        let budget = self.limits.budget.unwrap_or(&whole).part(positions);
        search(&Limits {
            time: self.limits.time.map(part),
            budget: Some(&budget),
            ..self.limits
        })
    }

    /// Runs a search that leaves the last part of the limits for the choice of a move.
    fn proof<T>(&self, search: impl FnOnce(&Control<'_>) -> T) -> T {
        if !self.limit_proofs {
            return search(&Control::UNLIMITED);
        }
        let end = |time: Duration| self.timer.deadline(time / PARTS * PROOF_PARTS);
        let positions = |budget: &PositionBudget<'_>| {
            let end = budget.size() / u64::from(PARTS) * u64::from(PROOF_PARTS);
            end.saturating_sub(budget.spent())
        };
        self.limited(self.limits.time.and_then(end), positions, search)
    }

    /// Runs a search for the best moves, among which one is then chosen.
    fn best_moves<T>(&self, search: impl FnOnce(&Control<'_>) -> T) -> T {
        match self.limit_proofs {
            true => self.choice(search),
            false => search(&Control::UNLIMITED),
        }
    }

    /// Runs a search with half of the remaining limits, for a choice that begins now.
    fn choice<T>(&self, search: impl FnOnce(&Control<'_>) -> T) -> T {
        // With only a budget, the clock does not matter.
        let time = match self.timer.left().map(|left| left / 2) {
            None if self.limits.budget.is_some() => None,
            left => Some(left.unwrap_or(MAX_CHOICE_TIME).min(MAX_CHOICE_TIME)),
        };
        let end = time.and_then(timer::deadline_in);
        self.limited(end, |budget| budget.left() / 2, search)
    }

    /// Runs a search with a deadline and a part of the budget.
    fn limited<T>(
        &self,
        deadline: Option<Moment>,
        positions: impl FnOnce(&PositionBudget<'_>) -> u64,
        search: impl FnOnce(&Control<'_>) -> T,
    ) -> T {
        let whole = self.limits.budget;
        let budget = whole.map(|whole| whole.part(positions(whole)));
        search(&Control {
            stop: self.limits.stop,
            deadline: deadline.into_iter().chain(self.limits.deadline).min(),
            budget: budget.as_ref(),
            on_progress: &|_| (),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The positions that an estimate, a proof and a choice may search, of a budget of which some
    /// have been searched; `None` without a limit.
    fn shares(size: u64, spent: u64, limit_proofs: bool) -> [Option<u64>; 3] {
        let budget = PositionBudget::new(size);
        budget.spend(spent);
        let limits = DividedLimits {
            timer: Timer::start(None),
            limits: Limits::default().spending(&budget),
            limit_proofs,
        };
        let left = |control: &Control<'_>| control.budget.map(PositionBudget::left);
        let estimate = |limits: &Limits<'_>| limits.budget.map(PositionBudget::left);
        [
            limits.estimate(estimate),
            limits.proof(left),
            limits.choice(left),
        ]
    }

    #[test]
    fn a_budget_is_shared_out_in_32nds() {
        // Of 32,000: 2,000 for an estimate, 31,000 for proofs, and half of the rest for a choice.
        assert_eq!(shares(32_000, 0, true), [2_000, 31_000, 16_000].map(Some));
        assert_eq!(
            shares(32_000, 2_000, true),
            [2_000, 29_000, 15_000].map(Some)
        );
        assert_eq!(shares(32_000, 30_990, true), [1_010, 10, 505].map(Some));
        assert_eq!(shares(32_000, 31_400, true), [600, 0, 300].map(Some));
        // An estimate takes at most 4,096 positions.
        assert_eq!(
            shares(320_000, 0, true),
            [4_096, 310_000, 160_000].map(Some)
        );
        // Proofs with few empty points have no limit, and take what they need.
        assert_eq!(shares(32_000, 0, false), [Some(2_000), None, Some(16_000)]);
    }

    /// Asserts when a proof and a choice end, in seconds from the start; `None` without a limit.
    fn assert_ends(
        seconds: Option<u64>,
        budget: Option<&PositionBudget<'_>>,
        expected: [Option<f64>; 2],
    ) {
        let (started, time) = (timer::now().unwrap(), seconds.map(Duration::from_secs));
        let limits = DividedLimits {
            timer: Timer::start(time),
            limits: Limits {
                time,
                budget,
                ..Limits::default()
            },
            limit_proofs: true,
        };
        let ends = [
            limits.proof(|control| control.deadline),
            limits.choice(|control| control.deadline),
        ];
        // A busy machine responds late.
        let late = started.elapsed().as_secs_f64();
        for (end, expected) in ends.into_iter().zip(expected) {
            let end = end.map(|end| end.since(started).as_secs_f64());
            let is_right = match (end, expected) {
                (Some(end), Some(expected)) => (end - expected).abs() <= late,
                (None, None) => true,
                _ => false,
            };
            assert!(is_right, "{seconds:?}: {end:?}, not {expected:?}");
        }
    }

    #[test]
    fn a_choice_takes_half_of_the_time_that_is_left_and_at_most_two_seconds() {
        assert_ends(Some(64), None, [Some(62.0), Some(2.0)]);
        assert_ends(Some(2), None, [Some(1.9375), Some(1.0)]);
        assert_ends(None, None, [None, Some(2.0)]);
        // With only a budget, the clock does not matter.
        let budget = PositionBudget::new(1_000);
        assert_ends(None, Some(&budget), [None, None]);
        assert_ends(Some(64), Some(&budget), [Some(62.0), Some(2.0)]);
    }

    #[test]
    fn an_estimate_takes_two_32nds_of_the_time_and_no_more_than_is_left() {
        let given = |time: u64, elapsed: u64| {
            let time = Duration::from_millis(time);
            let limits = DividedLimits {
                timer: Timer::started_ago(Duration::from_millis(elapsed), time),
                limits: Limits::within(time),
                limit_proofs: true,
            };
            limits.estimate(|limits| limits.time.unwrap().as_millis())
        };
        assert_eq!(given(64_000, 0), 4_000);
        assert_eq!(given(64_000, 1_000), 4_000);
        assert!(given(2_000, 1_920) <= 80);
        assert_eq!(given(2_000, 2_100), 0);
    }
}
