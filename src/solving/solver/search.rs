//! The null-window search: is the value of a position at least beta?
//!
//! # The value that is searched
//!
//! Let V be the value of a position for the player to move if the preceding move was
//! not a pass. After a pass, that player may also end the game, so the value is the
//! larger of V and the player's lead (own stones minus the opponent's). So V is all that
//! needs to be searched and stored, and a preceding pass need not be remembered.
//!
//! **Lemma.** To decide whether V >= beta, a pass of the player to move matters only if
//! the player's lead is at least beta, and then the opponent need not consider a pass in
//! reply.
//!
//! *Proof.* If the lead is less than beta, a pass does not help: the opponent can end
//! the game with that lead. If it is at least beta and the player passes, the opponent
//! can end the game, which gives the player the lead, or must place a stone. ∎
//!
//! So no line of the search has two passes in a row, and every line ends.

use std::hint::black_box;

use arrayvec::ArrayVec;

use super::bounds::Bounds;
use super::parallel::{Abort, MAX_PLIES, SearchPath, SharedSearch};
use super::symmetry::Key;
use super::table::{Entry, SharedTable};
use super::territory::Territory;
use crate::games::gothello::{Move, Placements, Point, PointSet, Stones, Symmetry};

/// The minimum number of empty points for looking a position up in the table. With fewer,
/// searching is faster.
const MIN_TABLE_EMPTY: u32 = 3;

/// The minimum number of empty points for looking up all children of a position before any
/// of them is searched.
const MIN_CHILD_PROBE_EMPTY: u32 = 7;

/// The number of positions searched between two checks of the clock and of the other
/// threads' results.
const CHECK_INTERVAL: u64 = 1024;

/// The moves of a position: at most 25 placements and the pass.
type Children = ArrayVec<Child, 26>;

/// A position as the player to move sees it, with the data that is updated move by
/// move. It does not record whether the preceding move was a pass.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub placements: Placements,
    /// The territory of the player to move.
    mover: Territory,
    /// The territory of the opponent.
    opponent: Territory,
}

impl Node {
    pub fn new(stones: Stones) -> Node {
        let empty = !(stones.mover | stones.opponent);
        Node {
            placements: Placements::new(stones, empty),
            mover: Territory::new(stones.mover, empty),
            opponent: Territory::new(stones.opponent, empty),
        }
    }

    /// Returns the player's stones minus the opponent's on the board.
    #[inline]
    fn lead(&self) -> i8 {
        self.placements.stones().lead()
    }

    /// Returns the bounds on the value that follow from the territories.
    #[inline]
    pub fn bounds(&self) -> Bounds {
        Bounds {
            low: self.mover.lower_bound(),
            high: -self.opponent.lower_bound(),
        }
    }

    /// Returns bounds refined by considering replies, where that decides whether the value
    /// is at least `beta`; else the plain bounds.
    #[inline]
    pub fn bounds_with_replies(&self, beta: i8) -> Bounds {
        let empty = self.placements.empty();
        let low = (self.mover).lower_bound_with_replies(empty, true, beta);
        let high = -(self.opponent).lower_bound_with_replies(empty, false, 1 - beta);
        Bounds { low, high }
    }

    /// Returns an estimate of the value.
    ///
    /// The weights are a least-squares fit on random positions with 8 to 11 stones, rounded;
    /// half of the errors are 4 or less.
    pub fn estimate(&self) -> i8 {
        let count = |set: PointSet| set.len() as i32;
        let empty = self.placements.empty();
        let Stones { mover, opponent } = self.placements.stones();
        let legal = count(self.placements.legal()) - count(self.placements.swapped().legal());
        let liberties = count(mover.neighbors() & empty) - count(opponent.neighbors() & empty);
        let estimate = (3 * i32::from(self.lead()) + 4 * legal + 4 * liberties + 9) / 2;
        estimate.clamp(-24, 24) as i8
    }

    /// Returns the unconditionally alive stones of the opponent.
    #[inline]
    pub fn opponent_alive(&self) -> PointSet {
        self.opponent.alive()
    }

    /// Returns the node after a pass.
    #[inline]
    pub fn passed(&self) -> Node {
        Node {
            placements: self.placements.swapped(),
            mover: self.opponent,
            opponent: self.mover,
        }
    }

    /// Returns the node after a legal placement.
    #[inline]
    pub fn after(&self, point: Point) -> Node {
        let at = PointSet::from(point);
        let placed = self.placements.after(point);
        let Stones { mover, opponent } = placed.next.stones();
        let empty = placed.next.empty();
        Node {
            placements: placed.next,
            mover: self.opponent.after_enemy_stone(at, mover, empty),
            opponent: (self.mover).after_own_stone(at, placed.group, opponent, empty),
        }
    }
}

/// Returns the move ordering score of a placement at `point` that leads from `before` to
/// `after`; higher scores are searched first.
///
/// The weights minimize the number of positions searched on random positions with 7 to
/// 11 stones; they were tuned one at a time.
#[inline]
fn ordering_score(before: &Node, point: Point, after: &Node) -> i32 {
    let at = PointSet::from(point);
    let count = |set: PointSet| set.len() as i32;
    let next = &after.placements;
    let own = next.stones().opponent;
    let in_atari = next.in_atari();
    let beside = at.neighbors();
    let stones = before.placements.stones();
    let captured = stones.opponent.without(next.stones().mover);
    23 * count(captured) - 19 * count(in_atari.opponent)
        + 7 * count(in_atari.mover)
        + 8 * count(after.opponent_alive())
        - 4 * count(own.neighbors() & next.empty())
        - 7 * squared_distance(point)
        - 60 * count(next.legal())
        - 8 * count(beside & stones.mover)
        + 18 * count(beside & stones.opponent)
        + 24 * count(beside & before.placements.empty())
}

/// Returns the squared distance from the center.
#[inline]
fn squared_distance(point: Point) -> i32 {
    let column = i32::from(point.column()) - 2;
    let row = i32::from(point.row()) - 2;
    column * column + row * row
}

/// A move and the position after it.
struct Child {
    mv: Move,
    node: Node,
    /// Whether the table proves that the move fails low.
    fails_low: bool,
    ordering_score: i32,
    /// The key of the position, if it was computed.
    key: Option<(Key, Symmetry)>,
}

/// The state of the null-window search of one position.
struct Frame<'n> {
    node: &'n Node,
    beta: i8,
    /// Whether the result is expected to be at least beta, so that one child is enough.
    is_cut_node: bool,
    /// The key; `None` if the position is not looked up in the table.
    key: Option<(Key, Symmetry)>,
    /// The bounds known so far.
    bounds: Bounds,
    /// Whether they decide the search, which then only looks for a move.
    is_decided: bool,
    /// The best move of an earlier search.
    best: Option<Move>,
    /// The maximum of the lower bound and the upper bounds of all pruned moves.
    pruned_bound: i8,
}

/// What a search puts into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The bound on the value.
    Bound,
    /// The bound and, if the value is at least beta, a move that proves it, even if the bound is known.
    Move,
}

/// The search of one thread.
pub struct Search<'a> {
    table: &'a SharedTable,
    shared: &'a SharedSearch<'a>,
    path: SearchPath,
    /// The number of positions searched by this thread.
    positions: u64,
    /// The part of `positions` that has been added to the shared count.
    counted: u64,
    /// Whether this thread reports the progress.
    reports: bool,
    /// The goal at the root.
    goal: Goal,
    /// For each ply, the last placement that caused a cutoff without a search.
    killers: [PointSet; MAX_PLIES],
    history: History,
}

impl<'a> Search<'a> {
    pub fn new(table: &'a SharedTable, shared: &'a SharedSearch<'a>, reports: bool) -> Search<'a> {
        Search {
            table,
            shared,
            path: SearchPath::new(),
            positions: 0,
            counted: 0,
            reports,
            goal: Goal::Bound,
            killers: [PointSet::EMPTY; MAX_PLIES],
            history: History::new(),
        }
    }

    /// Searches a position with the null window at `beta` and returns the fail-soft
    /// result: a lower bound on the value if it is at least `beta`, else an upper bound.
    pub fn run(&mut self, root: &Node, beta: i8, goal: Goal) -> Result<i8, Abort> {
        self.path.clear();
        self.goal = goal;
        let result = self.search(root, beta, None, true);
        self.flush_count();
        result
    }

    /// Adds the positions searched since the last call to the shared count.
    fn flush_count(&mut self) {
        self.shared.count(self.positions - self.counted);
        self.counted = self.positions;
    }

    fn search(
        &mut self,
        node: &Node,
        beta: i8,
        key: Option<(Key, Symmetry)>,
        is_cut_node: bool,
    ) -> Result<i8, Abort> {
        self.positions += 1;
        if self.positions - self.counted >= CHECK_INTERVAL {
            self.flush_count();
            if self.reports {
                self.shared.report();
            }
            self.shared.check(self.table, &self.path)?;
        }
        let mut frame = Frame {
            node,
            beta,
            is_cut_node,
            key: None,
            bounds: node.bounds(),
            is_decided: false,
            best: None,
            pruned_bound: 0,
        };
        if let Some(bound) = frame.bounds.cutoff(beta) {
            return Ok(bound);
        }
        if node.placements.empty().len() >= MIN_TABLE_EMPTY {
            let key = key.unwrap_or_else(|| Key::of(node.placements.stones()));
            frame.key = Some(key);
            if let Some(bound) = self.probe(&mut frame) {
                let has_move = bound < beta || frame.best.is_some();
                if has_move || self.goal == Goal::Bound || !self.path.is_empty() {
                    return Ok(bound);
                }
                frame.is_decided = true;
            }
        }
        let mut children = Children::new();
        frame.pruned_bound = frame.bounds.low;
        let cutoff = self
            .expand(&mut frame, &mut children)
            .or_else(|| self.probe_children(&frame, &mut children));
        if let Some((mv, bound)) = cutoff {
            self.store(&frame, bound, Some(mv), 1);
            return Ok(bound);
        }
        self.score(&frame, &mut children);
        self.search_children(frame, &children)
    }

    /// Looks the position up in the table and returns the result of the search if the
    /// entry decides it.
    #[inline]
    fn probe(&self, frame: &mut Frame<'_>) -> Option<i8> {
        let (key, symmetry) = frame.key?;
        let entry = self.table.get(key)?;
        frame.bounds = frame.bounds.intersect(entry.bounds);
        frame.best = entry.best.map(|mv| symmetry.undo_from(mv));
        frame.bounds.cutoff(frame.beta)
    }

    /// Stores the result of a search, the move that caused the cutoff if there was one,
    /// and the number of positions searched.
    #[inline]
    fn store(&self, frame: &Frame<'_>, result: i8, best: Option<Move>, positions: u64) {
        let Some((key, symmetry)) = frame.key else {
            return;
        };
        let Bounds { low, high } = frame.bounds;
        let bounds = if result >= frame.beta {
            Bounds { low: result, high }
        } else {
            Bounds { low, high: result }
        };
        let best = best.map(|mv| symmetry.apply_to(mv));
        let effort = positions.ilog2() as u8;
        self.table.put(
            key,
            Entry {
                bounds,
                best,
                effort,
            },
        );
    }

    /// Adds the moves that must be searched to `children`. If the territories prove that
    /// a move causes a cutoff, returns it with its lower bound.
    fn expand(&mut self, frame: &mut Frame<'_>, children: &mut Children) -> Option<(Move, i8)> {
        let (node, beta) = (frame.node, frame.beta);
        let ply = self.path.len() % MAX_PLIES;
        let legal = node.placements.legal();
        let first = legal & self.killers[ply];
        for point in first.iter().chain(legal.without(first).iter()) {
            let mv = Move::Place(point);
            let after = node.after(point);
            let bounds = after.bounds_with_replies(1 - beta).negated();
            if bounds.low >= beta {
                self.killers[ply] = point.into();
                return Some((mv, bounds.low));
            }
            if bounds.high < beta {
                frame.pruned_bound = frame.pruned_bound.max(bounds.high);
                continue;
            }
            children.push(Child {
                mv,
                node: after,
                fails_low: false,
                ordering_score: 0,
                key: None,
            });
        }
        if node.lead() < beta {
            frame.pruned_bound = frame.pruned_bound.max(node.lead());
        } else {
            children.push(Child {
                mv: Move::Pass,
                node: node.passed(),
                fails_low: false,
                ordering_score: 0,
                key: None,
            });
        }
        None
    }

    /// Computes the move ordering scores of the children.
    #[inline]
    fn score(&self, frame: &Frame<'_>, children: &mut Children) {
        let ply = self.path.len();
        for child in children {
            child.ordering_score = match child.mv {
                _ if child.fails_low => i32::MIN,
                mv if frame.best == Some(mv) => i32::MAX,
                // The pass comes last: proving a cutoff with a placement takes fewer
                // positions.
                Move::Pass => i32::MIN + 1,
                Move::Place(point) => {
                    ordering_score(frame.node, point, &child.node) + self.history.score(ply, point)
                }
            };
        }
    }

    /// Looks every child up in the table (enhanced transposition cutoff). If a move
    /// causes a cutoff, returns it with its lower bound.
    #[inline]
    fn probe_children(&self, frame: &Frame<'_>, children: &mut Children) -> Option<(Move, i8)> {
        if frame.node.placements.empty().len() < MIN_CHILD_PROBE_EMPTY {
            return None;
        }
        for child in children.iter_mut() {
            child.key = Some(Key::of(child.node.placements.stones()));
        }
        // Memory has a high latency but serves many requests at once, so all of them
        // are sent first.
        let keys = children.iter().filter_map(|child| child.key);
        black_box(keys.fold(0, |sum, (key, _)| sum ^ self.table.prefetch(key)));
        for child in children {
            let Some(entry) = child.key.and_then(|(key, _)| self.table.get(key)) else {
                continue;
            };
            let bounds = entry.bounds.negated();
            if bounds.low >= frame.beta {
                return Some((child.mv, bounds.low));
            }
            child.fails_low = bounds.high < frame.beta;
        }
        None
    }

    /// Searches the children in order until one causes a cutoff.
    fn search_children(&mut self, mut frame: Frame<'_>, children: &Children) -> Result<i8, Abort> {
        let (moves, started, ply) = (children.len(), self.positions, self.path.len());
        let is_open = !frame.is_decided;
        let divided = frame
            .key
            .filter(|_| is_open && self.shared.divides(frame.node.placements.empty().len()));
        // If the table decides a position on the path, the search ends.
        let key = frame.key.filter(|_| is_open).map(|(key, _)| key);
        self.path.push((key, frame.beta));
        let _busy = divided.map(|(key, _)| self.shared.mark(key));
        // One bit for each child that has not been searched, and one for each that is
        // deferred because another thread is searching it.
        let (mut rest, mut deferred) = ((1_u32 << moves) - 1, 0_u32);
        let mut result = frame.pruned_bound;
        let (mut best, mut failed) = (None, PointSet::EMPTY);
        // At a cut node, all threads search the first child together; else each takes
        // one of its own.
        let mut together = frame.is_cut_node;
        while rest | deferred != 0 {
            let from = if rest != 0 { &mut rest } else { &mut deferred };
            let Some((bit, child)) = next_child(children, *from) else {
                break;
            };
            *from &= !bit;
            // A child that another thread is searching is deferred while others are left.
            if rest != 0 && !together && divided.is_some() && self.is_busy(child) {
                deferred |= bit;
                continue;
            }
            let is_cut_node = !together;
            together = false;
            match self.search(&child.node, 1 - frame.beta, child.key, is_cut_node) {
                Ok(bound) => result = result.max(-bound),
                Err(Abort::Decided(at)) if at == ply => {
                    // If the entry has been replaced since, the search goes on.
                    self.path.truncate(ply + 1);
                    deferred |= bit;
                    if let Some(bound) = self.probe(&mut frame) {
                        self.path.truncate(ply);
                        return Ok(bound);
                    }
                    continue;
                }
                Err(abort) => return Err(abort),
            }
            if result >= frame.beta {
                best = Some(child.mv);
                let empty = frame.node.placements.empty().len();
                self.history.record(ply, empty, child.mv.point(), failed);
                break;
            }
            if let Some(point) = child.mv.point() {
                failed |= point.into();
            }
            // Another thread may have found the result in the meantime.
            if divided.is_some()
                && let Some(bound) = self.probe(&mut frame)
            {
                self.path.truncate(ply);
                return Ok(bound);
            }
        }
        self.path.truncate(ply);
        let result = result.max(frame.bounds.low).min(frame.bounds.high);
        self.store(&frame, result, best, self.positions - started + 1);
        Ok(result)
    }

    /// Returns whether another thread is searching a child.
    fn is_busy(&self, child: &Child) -> bool {
        child.key.is_some_and(|(key, _)| self.shared.is_busy(key))
    }
}

/// Returns the first child with the highest ordering score among those whose bits are set,
/// and its bit.
#[inline]
fn next_child(children: &Children, mut bits: u32) -> Option<(u32, &Child)> {
    let mut best: Option<(u32, &Child)> = None;
    while bits != 0 {
        let child = children.get(bits.trailing_zeros() as usize)?;
        if best.is_none_or(|(_, best)| child.ordering_score > best.ordering_score) {
            best = Some((bits & bits.wrapping_neg(), child));
        }
        bits &= bits - 1;
    }
    best
}

/// The largest absolute value of an entry.
const MAX: i32 = 8192;

/// An entry divided by this is added to the move ordering score.
const SCALE: i32 = 64;

/// For each player and point, how well placements there did in the search so far.
struct History {
    /// From `-MAX` to `MAX`, in the order of [`Point::ALL`].
    entries: [[i32; Point::ALL.len()]; 2],
}

impl History {
    pub fn new() -> History {
        History {
            entries: [[0; Point::ALL.len()]; 2],
        }
    }

    /// Returns what to add to the move ordering score of a placement by the player to move
    /// at this ply, -128 to 128.
    #[inline]
    pub fn score(&self, ply: usize, point: Point) -> i32 {
        self.entries[ply % 2][point.index() % Point::ALL.len()] / SCALE
    }

    /// Records a cutoff at this ply of a position with this many empty points: by a
    /// placement at `best`, or by a pass, after placements at `failed` had been searched.
    ///
    /// Cutoffs with more empty points count more, since their subtrees are larger. Each
    /// step moves an entry a part of the way to its limit, so that old cutoffs fade.
    pub fn record(&mut self, ply: usize, empty: u32, best: Option<Point>, failed: PointSet) {
        let entries = &mut self.entries[ply % 2];
        let weight = (4 * empty * empty) as i32;
        let mut update = |point: Point, limit: i32| {
            let entry = &mut entries[point.index() % Point::ALL.len()];
            *entry += (limit - *entry) * weight / MAX;
        };
        for point in failed.iter() {
            update(point, -MAX);
        }
        if let Some(point) = best {
            update(point, MAX);
        }
    }
}
