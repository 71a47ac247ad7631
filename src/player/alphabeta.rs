//! Alpha-beta search with iterative deepening.

use std::cmp::Reverse;

use itertools::Itertools;

use super::evaluation::{MAX_SCORE, STONE, evaluate};
use super::table::{Bound, Entry, TranspositionTable};
use super::{ALWAYS_SOLVED, Choice, Limits, Player};
use crate::base::color::{ByColor, Color};
use crate::base::timer::Timer;
use crate::games::gothello::{Move, Next, Point, PointSet, Position};

/// The length of the longest game, in plies: 24 stones, a pass before each, and two at
/// the end.
const MAX_DEPTH: u8 = 50;

/// The size of the transposition table: 2^20 entries, 16 MiB.
const TABLE_BITS: u32 = 20;

/// The number of positions searched between two checks of the limits.
const CHECK_INTERVAL: u64 = 1024;

/// A player that searches as deep as its limits allow.
///
/// With 12 or fewer empty points it ignores the limits, both the time and the stop flag, when it
/// chooses a move, and searches to the end of the game: that takes tens of milliseconds at most.
///
/// ```
/// use gothello::Position;
/// use gothello::player::{AlphaBeta, Limits, Player};
///
/// let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?;
/// let choice = AlphaBeta::new().choose(&position, &Limits::default());
/// assert_eq!((choice.lead, choice.proven), (3.0, true)); // nine points are empty
/// # Ok::<(), gothello::ParsePositionError>(())
/// ```
#[derive(Debug)]
pub struct AlphaBeta {
    table: TranspositionTable<i16, Move>,
}

impl AlphaBeta {
    /// Creates a player. It takes no memory until it chooses its first move.
    pub const fn new() -> AlphaBeta {
        AlphaBeta {
            table: TranspositionTable::new(TABLE_BITS),
        }
    }
}

impl AlphaBeta {
    /// Returns the score of each legal move for the player to move, in stones, by a
    /// search of `depth` plies, which include the move. Returns `None` if the limits are
    /// reached before; a depth of 1 is too quick for that. The limits always apply.
    pub fn move_scores(
        &mut self,
        position: &Position,
        depth: u8,
        limits: &Limits<'_>,
    ) -> Option<Vec<(Move, f32)>> {
        let mut search = Search::new(&mut self.table, limits, true);
        let score = |mv| {
            let score = match position.play(mv).ok()? {
                Next::Ends(_) => final_score(position),
                Next::Continues(child) => {
                    let rest = depth.saturating_sub(1);
                    let value = search.search(&child, rest, -INFINITY, INFINITY).ok()?;
                    -value.score
                }
            };
            Some((mv, f32::from(score) / f32::from(STONE)))
        };
        let scores = position.legal_moves().map(score).collect();
        limits.spend(search.positions % CHECK_INTERVAL);
        scores
    }

    /// Chooses the best of some legal moves, within the limits if more than 12 points are empty.
    pub fn choose_among(
        &mut self,
        position: &Position,
        moves: &[Move],
        limits: &Limits<'_>,
    ) -> Choice {
        self.rank(position, moves, limits).0
    }

    /// Chooses the best of some legal moves as [`AlphaBeta::choose_among`] does. Also returns all
    /// of them: first the best one, then those that were best in less deep searches, then the
    /// others.
    pub fn rank(
        &mut self,
        position: &Position,
        moves: &[Move],
        limits: &Limits<'_>,
    ) -> (Choice, Vec<Move>) {
        let may_stop = position.empty().len() > ALWAYS_SOLVED;
        Search::new(&mut self.table, limits, may_stop).deepen(position, moves)
    }
}

impl Default for AlphaBeta {
    fn default() -> AlphaBeta {
        AlphaBeta::new()
    }
}

impl Player for AlphaBeta {
    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Choice {
        self.choose_among(position, &position.legal_moves().collect_vec(), limits)
    }
}

/// A search for one move.
struct Search<'a> {
    table: &'a mut TranspositionTable<i16, Move>,
    limits: &'a Limits<'a>,
    timer: Timer,
    positions: u64,
    /// Whether the limits apply.
    may_stop: bool,
    /// The history heuristic: how often each placement caused a beta cutoff, weighted by
    /// depth.
    history: ByColor<[u32; 25]>,
}

/// The result of searching a position.
#[derive(Clone, Copy)]
struct Value {
    /// The score for the player to move, in units of 1/[`STONE`].
    score: i16,
    /// Whether no estimate went into `score`: it is exact, or a proven bound.
    proven: bool,
}

/// The limits are reached.
struct Stopped;

/// A legal move with its result.
struct Child {
    mv: Move,
    next: Next,
    ordering_score: u32,
}

impl<'a> Search<'a> {
    fn new(
        table: &'a mut TranspositionTable<i16, Move>,
        limits: &'a Limits<'a>,
        may_stop: bool,
    ) -> Search<'a> {
        Search {
            table,
            limits,
            timer: Timer::start(limits.time),
            positions: 0,
            may_stop,
            history: ByColor::new([0; 25], [0; 25]),
        }
    }

    /// Deepens the search one ply at a time until these moves are solved or a limit is
    /// reached. Returns the best move, and all of them in the order of the search.
    fn deepen(&mut self, root: &Position, moves: &[Move]) -> (Choice, Vec<Move>) {
        let mut children = self.children(root, None);
        children.retain(|child| moves.contains(&child.mv));
        let mut choice = Choice::new(children.first().map_or(Move::Pass, |child| child.mv))
            .with_lead(f32::from(evaluate(root)) / f32::from(STONE));
        let first = if self.may_stop { 1 } else { MAX_DEPTH };
        for depth in first..=MAX_DEPTH {
            let Some((value, best)) = self.best_of(root, &children, depth) else {
                break;
            };
            choice.mv = children[best].mv;
            choice.lead = f32::from(value.score) / f32::from(STONE);
            choice.proven = value.proven;
            choice.depth = depth;
            if value.proven {
                break;
            }
            // The best move comes first next time, the others in their order.
            children[..=best].rotate_right(1);
        }
        choice.positions = self.positions;
        self.limits.spend(self.positions % CHECK_INTERVAL);
        (choice, children.iter().map(|child| child.mv).collect())
    }

    /// Returns the value and the index of the best child by a search of `depth` plies;
    /// `None` if the limits are reached before.
    fn best_of(
        &mut self,
        root: &Position,
        children: &[Child],
        depth: u8,
    ) -> Option<(Value, usize)> {
        let mut best: Option<(Value, usize)> = None;
        let mut all_proven = true;
        for (index, child) in children.iter().enumerate() {
            let alpha = best.map_or(-INFINITY, |(best, _)| best.score);
            let value = match child.next {
                Next::Ends(_) => Value {
                    score: final_score(root),
                    proven: true,
                },
                Next::Continues(child) => {
                    let rest = depth.saturating_sub(1);
                    let is_first = best.is_none();
                    let value = self.search_child(&child, rest, alpha, INFINITY, is_first);
                    value.ok()?
                }
            };
            all_proven &= value.proven;
            if best.is_none_or(|(best, _)| value.score > best.score) {
                best = Some((value, index));
            }
        }
        // The score depends on every move.
        let (mut value, index) = best?;
        value.proven = all_proven;
        Some((value, index))
    }

    /// Returns the value of a position for the player to move if its score lies between
    /// `alpha` and `beta`, else a bound on the same side of the window.
    fn search(
        &mut self,
        position: &Position,
        depth: u8,
        mut alpha: i16,
        beta: i16,
    ) -> Result<Value, Stopped> {
        self.positions += 1;
        if self.positions.is_multiple_of(CHECK_INTERVAL) {
            self.limits.spend(CHECK_INTERVAL);
            if self.may_stop && self.limits.are_reached(&self.timer) {
                return Err(Stopped);
            }
        }
        let known = self.table.get(position.key());
        if let Some(entry) = known
            && entry.suffices(depth, alpha, beta)
        {
            return Ok(Value {
                score: entry.score,
                proven: entry.proven,
            });
        }
        let Some(rest) = depth.checked_sub(1) else {
            return Ok(Value {
                score: evaluate(position),
                proven: false,
            });
        };
        let original_alpha = alpha;
        let mut best: Option<(Value, Move)> = None;
        let mut all_proven = true;
        for child in self.children(position, known.map(|entry| entry.best)) {
            let value = match child.next {
                Next::Ends(_) => Value {
                    score: final_score(position),
                    proven: true,
                },
                Next::Continues(child) => {
                    self.search_child(&child, rest, alpha, beta, best.is_none())?
                }
            };
            all_proven &= value.proven;
            if best.is_none_or(|(best, _)| value.score > best.score) {
                best = Some((value, child.mv));
            }
            alpha = alpha.max(value.score);
            if alpha >= beta {
                self.record_cutoff(position.to_move(), child.mv, depth);
                break;
            }
        }
        // There is always a legal move: the pass.
        let (mut value, mv) = best.ok_or(Stopped)?;
        // A score that causes a beta cutoff depends on one move only, any other score on
        // every move.
        if value.score < beta {
            value.proven = all_proven;
        }
        let entry = Entry {
            score: value.score,
            bound: Bound::new(value.score, original_alpha, beta),
            depth,
            proven: value.proven,
            best: mv,
        };
        self.table.put(position.key(), entry);
        Ok(value)
    }

    /// Returns the value of a child for the player who moved to it.
    ///
    /// This is principal variation search: the first move is probably the best. Each of
    /// the others is first searched with a null window, to show that it is not better.
    fn search_child(
        &mut self,
        child: &Position,
        depth: u8,
        alpha: i16,
        beta: i16,
        is_first: bool,
    ) -> Result<Value, Stopped> {
        if !is_first && beta - alpha > 1 {
            let value = self.search(child, depth, -alpha - 1, -alpha)?.negated();
            if value.score <= alpha || value.score >= beta {
                return Ok(value);
            }
        }
        Ok(self.search(child, depth, -beta, -alpha)?.negated())
    }

    /// Returns every legal move in the order in which they are searched: the best move of
    /// an earlier search, then placements by their static ordering score plus their history,
    /// then the pass.
    fn children(&self, position: &Position, best: Option<Move>) -> Vec<Child> {
        let history = self.history[position.to_move()];
        let placements = position.children().map(|(point, child)| Child {
            mv: Move::Place(point),
            next: Next::Continues(child),
            ordering_score: static_ordering_score(position, point, &child)
                .saturating_add(history[point.index()]),
        });
        let pass = Child {
            mv: Move::Pass,
            next: position.pass(),
            ordering_score: 0,
        };
        let mut children = placements.chain([pass]).collect_vec();
        for child in &mut children {
            if Some(child.mv) == best {
                child.ordering_score = u32::MAX;
            }
        }
        children.sort_by_key(|child| Reverse(child.ordering_score));
        children
    }

    /// Records in the history that a move caused a beta cutoff.
    fn record_cutoff(&mut self, color: Color, mv: Move, depth: u8) {
        if let Move::Place(point) = mv {
            // All searches to the end of the game have the same weight.
            let weight = u32::from(depth.min(24)).pow(2);
            let count = &mut self.history[color][point.index()];
            *count = count.saturating_add(weight);
        }
    }
}

impl Value {
    /// Returns the value for the other player.
    fn negated(self) -> Value {
        Value {
            score: -self.score,
            ..self
        }
    }
}

/// Returns the static part of a placement's ordering score, to which
/// [`children`](Search::children) adds the history: first the number of captures, then the
/// difference of the players' liberties, then the empty points adjacent to the placement.
fn static_ordering_score(before: &Position, point: Point, after: &Position) -> u32 {
    let captured = before.stones().opponent.len() - after.stones().mover.len();
    let empty = after.empty();
    let liberties = |stones: PointSet| (stones.neighbors() & empty).len();
    // Never negative.
    let freedom = 25 + liberties(after.stones().opponent) - liberties(after.stones().mover);
    let adjacent_empty = (PointSet::from(point).neighbors() & empty).len();
    1 + captured * 1000 + freedom * 10 + adjacent_empty
}

/// More than any score.
const INFINITY: i16 = MAX_SCORE + 1;

/// Returns the score of a game that ends in this position, for the player to move: the
/// player's stones minus the opponent's.
fn final_score(position: &Position) -> i16 {
    i16::from(position.stones().lead()) * STONE
}
