//! A player that proves its moves if time permits.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use itertools::Itertools;

use super::prover::{ProofSearch, Prover, is_over};
use super::{ALWAYS_SOLVED, AlphaBeta, Choice, Limits, Player};
use crate::gothello::{Move, Position};
use crate::solver::{Bounds, Control, MoveBounds, Objective, ReplyDifficulty};

/// The number of parts into which the time is divided.
const PARTS: u32 = 8;

/// How the parts of the time are spent.
#[derive(Clone, Copy)]
struct TimePlan {
    /// The parts for the first attempt at a proof.
    attempt_parts: u32,
    /// The parts for alpha-beta if the attempt fails.
    estimate_parts: u32,
}

impl TimePlan {
    /// The plan if the time is enough for almost every proof.
    const LIKELY: TimePlan = TimePlan {
        attempt_parts: 7,
        estimate_parts: 1,
    };
    /// The plan if the time may be enough for the value, and mostly is for the winner.
    const UNSURE: TimePlan = TimePlan {
        attempt_parts: 4,
        estimate_parts: 2,
    };

    /// Returns the plan for a position with `empty` empty points.
    fn new(empty: u32, time: Duration) -> TimePlan {
        if 2 * expected_time(empty) <= time {
            TimePlan::LIKELY
        } else {
            TimePlan::UNSURE
        }
    }
}

/// The longest time for the choice between best moves once one is known; without a
/// time limit, also for an estimate.
const MAX_CHOICE_TIME: Duration = Duration::from_secs(2);

/// A player that makes a proven optimal move if time permits. Otherwise it makes a move
/// that is proven to win and does not end the game, or, if it knows none, the move that
/// alpha-beta considers best.
///
/// # Time management
///
/// If the tablebase has the position and those after each move, the move is made at once.
/// Otherwise:
///
/// 1. The player proves who wins, which is about ten times faster than proving the value.
///    Then it proves the value of the position, and a move that keeps it.
/// 2. If the first attempt at this fails, and no move is proven to win, alpha-beta
///    chooses a move; the rest of the time goes to the proof. The attempt takes half of
///    the time and alpha-beta a quarter; if a proof is likely, seven eighths and one
///    eighth.
/// 3. Once the value is proven, half of the time left, at most two seconds, goes to the
///    choice between several moves that keep it.
///
/// # Without a proof of the value
///
/// The player makes the move that is proven to win and has the highest lower bound. If no
/// move is proven to win, it makes alpha-beta's move if the estimate of that move is higher
/// than every lower bound. Alpha-beta considers only moves whose upper bound is higher, and
/// it does not consider a pass that ends the game. The value of such a pass is the current
/// lead: the player passes if every other lower bound is less and alpha-beta's estimate is
/// not higher.
///
/// # The choice between best moves
///
/// The player makes the move with the greatest [`ReplyDifficulty`]. So a player who is
/// behind makes the opponent find the only moves for as long as possible. If these are
/// equal, a player who wins passes if that keeps the value; else the player makes the
/// first move in the order of [`Position::legal_moves`].
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
pub struct PerfectPlayer {
    prover: Arc<Prover>,
    alphabeta: AlphaBeta,
}

/// The time for one move.
struct TimeManager<'a> {
    started: Instant,
    limits: &'a Limits<'a>,
}

impl PerfectPlayer {
    /// Creates a player that uses this prover.
    pub const fn new(prover: Arc<Prover>) -> PerfectPlayer {
        PerfectPlayer {
            prover,
            alphabeta: AlphaBeta::new(),
        }
    }

    /// Returns the bounds on the value that are proven in time. If they do not meet, also
    /// returns alpha-beta's choice, unless no choice was needed.
    fn prove(
        &mut self,
        proof: ProofSearch<'_>,
        position: &Position,
        manager: &TimeManager<'_>,
    ) -> (Bounds, Option<Choice>) {
        if position.empty().len() <= ALWAYS_SOLVED {
            let value = proof.value(position, Objective::Value, &Control::UNLIMITED);
            return (value, None);
        }
        let time = manager.limits.time;
        let plan = time.map_or(TimePlan::UNSURE, |time| {
            TimePlan::new(position.empty().len(), time)
        });
        let bounds = winner_and_value(proof, position, &manager.control(plan.attempt_parts));
        if bounds.value().is_some() {
            return (bounds, None);
        }
        let known = KnownMoves::new(proof, position, bounds);
        let heuristic = match known.has_winning_continuation() {
            true => None,
            false => {
                let time = time.map_or(MAX_CHOICE_TIME, |time| time / PARTS * plan.estimate_parts);
                self.heuristic_choice(position, &known, manager.within(time))
            }
        };
        if let Some(heuristic) = &heuristic
            && known.ends(known.fallback.mv)
            && known.fallback.bounds.low > 0
        {
            // Ending the game wins. First find out whether the move with the higher
            // estimate wins by at least as much.
            let objective = Objective::AtLeast(known.fallback.bounds.low);
            proof.move_value(
                position,
                heuristic.mv,
                objective,
                &manager.control(PARTS - 1),
            );
        }
        let control = manager.last_proof_control();
        let bounds = winner_and_value(proof, position, &control).intersect(bounds);
        (bounds, heuristic)
    }

    /// Returns alpha-beta's choice among the candidates; `None` if there are none.
    fn heuristic_choice(
        &mut self,
        position: &Position,
        known: &KnownMoves,
        limits: Limits<'_>,
    ) -> Option<Choice> {
        let candidates = known.candidates().collect_vec();
        if candidates.is_empty() {
            return None;
        }
        Some(self.alphabeta.choose_among(position, &candidates, &limits))
    }

    /// Returns a move if the value was not proven in time.
    fn unproven_choice(
        &mut self,
        proof: ProofSearch<'_>,
        position: &Position,
        bounds: Bounds,
        heuristic: Option<Choice>,
        manager: &TimeManager<'_>,
    ) -> Choice {
        let known = KnownMoves::new(proof, position, bounds);
        let fallback = Choice {
            mv: known.fallback.mv,
            lead: f32::from(known.fallback.bounds.low),
            proven: false,
            depth: 0,
            positions: heuristic.map_or(0, |heuristic| heuristic.positions),
        };
        if known.has_winning_continuation() {
            return fallback;
        }
        let is_candidate = |choice: &Choice| known.candidates().any(|mv| mv == choice.mv);
        let heuristic = heuristic.filter(is_candidate).or_else(|| {
            // This is quick: alpha-beta's table has its earlier search of the other moves.
            self.heuristic_choice(position, &known, manager.within(manager.left()))
        });
        match heuristic {
            Some(heuristic) if heuristic.lead > fallback.lead => Choice {
                proven: false,
                ..heuristic
            },
            _ => fallback,
        }
    }
}

/// The proven bounds of the moves of a position, without those that are proven not to be
/// best.
struct KnownMoves {
    moves: Vec<MoveBounds>,
    /// The move with the highest lower bound; a pass that ends the game only if no other
    /// move has a lower bound as high.
    fallback: MoveBounds,
    /// Whether a pass ends the game.
    after_pass: bool,
}

impl KnownMoves {
    /// `bounds` are those on the value of the position.
    fn new(proof: ProofSearch<'_>, position: &Position, bounds: Bounds) -> KnownMoves {
        let mut moves = proof.known_moves(position);
        moves.retain(|entry| entry.bounds.high >= bounds.low);
        let mut known = KnownMoves {
            moves,
            fallback: MoveBounds {
                mv: Move::Pass,
                bounds: Bounds::UNKNOWN,
            },
            after_pass: position.after_pass(),
        };
        let rank = |entry: &&MoveBounds| (entry.bounds.low, !known.ends(entry.mv));
        if let Some(&fallback) = known.moves.iter().max_by_key(rank) {
            known.fallback = fallback;
        }
        known
    }

    /// Returns whether a move ends the game.
    fn ends(&self, mv: Move) -> bool {
        self.after_pass && mv == Move::Pass
    }

    /// Returns whether a move that does not end the game is proven to win.
    fn has_winning_continuation(&self) -> bool {
        self.fallback.bounds.low > 0 && !self.ends(self.fallback.mv)
    }

    /// Returns the moves that do not end the game and whose value may be higher than the
    /// lower bound of the fallback.
    fn candidates(&self) -> impl Iterator<Item = Move> {
        let is_candidate = |entry: &&MoveBounds| {
            entry.bounds.high > self.fallback.bounds.low && !self.ends(entry.mv)
        };
        self.moves.iter().filter(is_candidate).map(|entry| entry.mv)
    }
}

/// Proves who wins, then the value. Returns the proven bounds.
fn winner_and_value(proof: ProofSearch<'_>, position: &Position, control: &Control<'_>) -> Bounds {
    let bounds = proof.value(position, Objective::Winner, control);
    if bounds.sign().is_none() {
        return bounds;
    }
    proof
        .value(position, Objective::Value, control)
        .intersect(bounds)
}

/// Creates a player with a prover of its own.
impl Default for PerfectPlayer {
    fn default() -> PerfectPlayer {
        PerfectPlayer::new(Arc::new(Prover::default()))
    }
}

impl Player for PerfectPlayer {
    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Choice {
        let manager = TimeManager {
            started: Instant::now(),
            limits,
        };
        let prover = Arc::clone(&self.prover);
        let solver = prover.solver(limits.time);
        let proof = ProofSearch::new(&solver);
        let before = solver.positions();
        let (bounds, heuristic) = self.prove(proof, position, &manager);
        let mut choice = None;
        if let Some(value) = bounds.value() {
            choice = best_move(proof, position, value, &manager).map(|mv| proven_choice(mv, value));
        }
        let mut choice = choice
            .unwrap_or_else(|| self.unproven_choice(proof, position, bounds, heuristic, &manager));
        choice.positions += solver.positions() - before;
        if !choice.proven {
            tracing::warn!(%choice, bounds = %bounds.seen_by(position.to_move()), "the time was not enough for a proof");
        }
        choice
    }
}

/// Returns the choice of a move that is proven to keep the value.
fn proven_choice(mv: Move, value: i8) -> Choice {
    Choice {
        mv,
        lead: f32::from(value),
        proven: true,
        depth: 0,
        positions: 0,
    }
}

/// Returns roughly how long a proof takes: a tenth of a second with 16 empty points,
/// and three times as long with each more.
fn expected_time(empty: u32) -> Duration {
    Duration::from_millis(100) * 3_u32.pow(empty.saturating_sub(16))
}

/// Chooses one of the moves that keep the value within the time for the choice.
fn best_move(
    proof: ProofSearch<'_>,
    position: &Position,
    value: i8,
    manager: &TimeManager<'_>,
) -> Option<Move> {
    let is_limited = position.empty().len() > ALWAYS_SOLVED;
    let search = match is_limited {
        true => manager.last_proof_control(),
        false => Control::UNLIMITED,
    };
    // The value may be known from the tablebase, without a move that keeps it.
    let first = proof.move_at_least(position, value, &search)?;
    let limited = manager.choice_control();
    let control = if is_limited { limited } else { search };
    let moves = proof.at_least(position, value, &control, &|_| ());
    let best = moves.into_iter().filter(|entry| entry.bounds.low >= value);
    let best = best.map(|entry| entry.mv).collect_vec();
    let first = best.first().copied().unwrap_or(first);
    if best.len() <= 1 {
        return Some(first);
    }
    let is_known = |&mv: &Move| proof.known_value(position, mv).is_some();
    let are_known = best.iter().all(is_known);
    let value_of_reply = |after: &Position, reply| {
        if are_known {
            // With this few stones, searching the replies would take long.
            return proof.known_value(after, reply);
        }
        if is_over(&limited) {
            return None;
        }
        let bounds = proof.move_value(after, reply, Objective::Value, &limited);
        bounds.value()
    };
    let can_pass = best.contains(&Move::Pass);
    let mut choice: Option<(Move, ReplyDifficulty)> = None;
    for mv in best {
        let Some(difficulty) = ReplyDifficulty::of_move(position, mv, value_of_reply) else {
            if are_known {
                let passes = value > 0 && can_pass;
                return Some(if passes { Move::Pass } else { first });
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
    Some(choice.map_or(first, |(mv, _)| mv))
}

impl<'a> TimeManager<'a> {
    /// Returns the control of a search that ends after this many parts of the time.
    fn control(&self, parts: u32) -> Control<'a> {
        self.until(self.limits.time.map(|time| time / PARTS * parts))
    }

    /// Returns the control of the last search for a proof, which leaves 1/32 of the
    /// time for the choice of a move.
    fn last_proof_control(&self) -> Control<'a> {
        self.until(self.limits.time.map(|time| time - time / (4 * PARTS)))
    }

    /// Returns the control of a search that ends this long after the start; if `None`, only
    /// the stop flag ends it.
    fn until(&self, time: Option<Duration>) -> Control<'a> {
        Control {
            stop: self.limits.stop,
            deadline: time.and_then(|time| self.started.checked_add(time)),
            on_progress: &|_| (),
        }
    }

    /// Returns limits that allow this much time from now on.
    fn within(&self, time: Duration) -> Limits<'a> {
        Limits {
            time: Some(time),
            stop: self.limits.stop,
        }
    }

    /// Returns the time left; without a limit, the longest time for a choice.
    fn left(&self) -> Duration {
        let time = self.limits.time;
        time.map_or(MAX_CHOICE_TIME, |time| {
            time.saturating_sub(self.started.elapsed())
        })
    }

    /// Returns the control of a choice between moves that begins now.
    fn choice_control(&self) -> Control<'a> {
        let time = match self.limits.time {
            Some(_) => self.left() / 2,
            None => MAX_CHOICE_TIME,
        };
        self.until(Some(self.started.elapsed() + time.min(MAX_CHOICE_TIME)))
    }
}
