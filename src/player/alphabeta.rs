//! Alpha-beta search with iterative deepening.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;
use std::time::Instant;

use itertools::Itertools;

use super::evaluation::{INFINITY, STONE, evaluate, final_value};
use super::table::{Bound, Entry, SOLVED, Table};
use super::{ALWAYS_SOLVED, Choice, Limits, Player};
use crate::gothello::{Color, Move, Next, Point, PointSet, Position};

/// No game is longer: 24 stones, a pass before each, and two at the end.
const MAX_DEPTH: u8 = 50;

/// A table of 2^20 entries, 16 MiB.
const TABLE_BITS: u32 = 20;

/// How many positions are searched between two looks at the clock.
const CLOCK_INTERVAL: u64 = 1024;

/// A player that searches as deep as its time allows, and to the end of the
/// game once 12 or fewer points are empty.
pub struct AlphaBeta {
    table: Table,
}

impl AlphaBeta {
    /// A player that knows nothing yet. It takes no memory until it is asked.
    pub const fn new() -> AlphaBeta {
        AlphaBeta {
            table: Table::new(TABLE_BITS),
        }
    }
}

impl AlphaBeta {
    /// The value of each legal move for the player to move, in stones, if so
    /// many plies are looked at, the move itself among them; `None` if the
    /// limits are reached before, which a depth of 1 is too quick for.
    pub(super) fn values(
        &mut self,
        position: &Position,
        depth: u8,
        limits: &Limits<'_>,
    ) -> Option<Vec<(Move, f32)>> {
        let mut search = Search::new(&mut self.table, limits, true);
        let value = |mv| {
            let value = match position.play(mv).ok()? {
                Next::Ends(_) => final_value(position),
                Next::Continues(child) => {
                    let rest = depth.saturating_sub(1);
                    let found = search.search(&child, rest, -INFINITY, INFINITY).ok()?;
                    -found.value
                }
            };
            Some((mv, f32::from(value) / f32::from(STONE)))
        };
        position.legal_moves().map(value).collect()
    }

    /// The best of some legal moves.
    pub(super) fn choose_among(
        &mut self,
        position: &Position,
        moves: &[Move],
        limits: &Limits<'_>,
    ) -> Choice {
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

/// One search for one move.
struct Search<'a> {
    table: &'a mut Table,
    limits: &'a Limits<'a>,
    started: Instant,
    positions: u64,
    /// Whether the limits count.
    may_stop: bool,
    /// How often, by colour and point, a placement was too good for the
    /// opponent to allow; deep searches count more.
    history: [[u32; 25]; 2],
}

/// The value of a position, and whether every line was seen to its end.
#[derive(Clone, Copy)]
struct Found {
    value: i16,
    solved: bool,
}

/// The limits are reached.
struct Stopped;

/// A move, what it leads to, and how promising it is.
struct Candidate {
    mv: Move,
    next: Next,
    promise: u32,
}

impl<'a> Search<'a> {
    fn new(table: &'a mut Table, limits: &'a Limits<'a>, may_stop: bool) -> Search<'a> {
        Search {
            table,
            limits,
            started: Instant::now(),
            positions: 0,
            may_stop,
            history: [[0; 25]; 2],
        }
    }

    /// Searches one ply deeper again and again until these moves are solved or a
    /// limit is reached.
    fn deepen(&mut self, root: &Position, moves: &[Move]) -> Choice {
        let mut candidates = self.candidates(root, None);
        candidates.retain(|candidate| moves.contains(&candidate.mv));
        let mut choice = Choice {
            mv: candidates
                .first()
                .map_or(Move::Pass, |candidate| candidate.mv),
            margin: f32::from(evaluate(root)) / f32::from(STONE),
            proven: false,
            depth: 0,
            positions: 0,
        };
        let first = if self.may_stop { 1 } else { MAX_DEPTH };
        for depth in first..=MAX_DEPTH {
            let Some((found, best)) = self.best_of(root, &candidates, depth) else {
                break;
            };
            choice.mv = candidates[best].mv;
            choice.margin = f32::from(found.value) / f32::from(STONE);
            choice.proven = found.solved;
            choice.depth = depth;
            if found.solved {
                break;
            }
            // What is best now comes first next time, the others in their order.
            candidates[..=best].rotate_right(1);
        }
        choice.positions = self.positions;
        choice
    }

    /// The value of the best candidate if so many plies are looked at, and which it
    /// is; `None` if the limits are reached before.
    fn best_of(
        &mut self,
        root: &Position,
        candidates: &[Candidate],
        depth: u8,
    ) -> Option<(Found, usize)> {
        let mut best: Option<(Found, usize)> = None;
        let mut all_solved = true;
        for (index, candidate) in candidates.iter().enumerate() {
            let alpha = best.map_or(-INFINITY, |(best, _)| best.value);
            let found = match candidate.next {
                Next::Ends(_) => Found {
                    value: final_value(root),
                    solved: true,
                },
                Next::Continues(child) => {
                    let rest = depth.saturating_sub(1);
                    let is_first = best.is_none();
                    let found = self.search_child(&child, rest, alpha, INFINITY, is_first);
                    found.ok()?
                }
            };
            all_solved &= found.solved;
            if best.is_none_or(|(best, _)| found.value > best.value) {
                best = Some((found, index));
            }
        }
        // The value depends on every move.
        let (mut found, index) = best?;
        found.solved = all_solved;
        Some((found, index))
    }

    /// The value of a position for the player to move, if it lies between
    /// `alpha` and `beta`; else a bound on their side of it.
    fn search(
        &mut self,
        position: &Position,
        depth: u8,
        mut alpha: i16,
        beta: i16,
    ) -> Result<Found, Stopped> {
        self.positions += 1;
        if self.may_stop && self.positions.is_multiple_of(CLOCK_INTERVAL) && self.is_time() {
            return Err(Stopped);
        }
        let known = self.table.get(position);
        if let Some(entry) = known
            && let Some(found) = usable(entry, depth, alpha, beta)
        {
            return Ok(found);
        }
        let Some(rest) = depth.checked_sub(1) else {
            return Ok(Found {
                value: evaluate(position),
                solved: false,
            });
        };
        let floor = alpha;
        let mut best: Option<(Found, Move)> = None;
        let mut all_solved = true;
        for candidate in self.candidates(position, known.map(|entry| entry.best)) {
            let found = match candidate.next {
                Next::Ends(_) => Found {
                    value: final_value(position),
                    solved: true,
                },
                Next::Continues(child) => {
                    self.search_child(&child, rest, alpha, beta, best.is_none())?
                }
            };
            all_solved &= found.solved;
            if best.is_none_or(|(best, _)| found.value > best.value) {
                best = Some((found, candidate.mv));
            }
            alpha = alpha.max(found.value);
            if alpha >= beta {
                self.remember_good(position.to_move(), candidate.mv, depth);
                break;
            }
        }
        // There always is a move: the pass.
        let (mut found, mv) = best.ok_or(Stopped)?;
        // A move that is too good for the opponent to allow settles the
        // position by itself; any other value depends on every move.
        if found.value < beta {
            found.solved = all_solved;
        }
        let entry = Entry {
            value: found.value,
            bound: bound(found.value, floor, beta),
            depth: if found.solved { SOLVED } else { depth },
            best: mv,
        };
        self.table.put(position, entry);
        Ok(found)
    }

    /// The value, for the player who moved there, of a position that a move
    /// led to.
    ///
    /// Only the first move is expected to be the best. For the others it is
    /// enough to show that they are not, with no room between the bounds.
    fn search_child(
        &mut self,
        child: &Position,
        depth: u8,
        alpha: i16,
        beta: i16,
        is_first: bool,
    ) -> Result<Found, Stopped> {
        if !is_first && beta - alpha > 1 {
            let found = self.search(child, depth, -alpha - 1, -alpha)?.negated();
            if found.value <= alpha || found.value >= beta {
                return Ok(found);
            }
        }
        Ok(self.search(child, depth, -beta, -alpha)?.negated())
    }

    /// Every legal move, the most promising first; the pass last, unless it
    /// was the best move of an earlier search, which is always first.
    fn candidates(&self, position: &Position, best: Option<Move>) -> Vec<Candidate> {
        let history = self.history[position.to_move() as usize];
        let placements = position.children().map(|(point, child)| Candidate {
            mv: Move::Place(point),
            next: Next::Continues(child),
            promise: promise(position, point, &child).saturating_add(history[point.index()]),
        });
        let pass = Candidate {
            mv: Move::Pass,
            next: position.pass(),
            promise: 0,
        };
        let mut candidates = placements.chain([pass]).collect_vec();
        for candidate in &mut candidates {
            if Some(candidate.mv) == best {
                candidate.promise = u32::MAX;
            }
        }
        candidates.sort_by_key(|candidate| Reverse(candidate.promise));
        candidates
    }

    /// Remembers a move that was too good for the opponent to allow.
    fn remember_good(&mut self, color: Color, mv: Move, depth: u8) {
        if let Move::Place(point) = mv {
            // Every search to the end of the game counts the same.
            let weight = u32::from(depth.min(24)).pow(2);
            let count = &mut self.history[color as usize][point.index()];
            *count = count.saturating_add(weight);
        }
    }

    fn is_time(&self) -> bool {
        self.limits.stop.load(Ordering::Relaxed)
            || self
                .limits
                .time
                .is_some_and(|time| self.started.elapsed() >= time)
    }
}

impl Found {
    /// The same for the other player.
    fn negated(self) -> Found {
        Found {
            value: -self.value,
            ..self
        }
    }
}

/// What a value between or outside `alpha` and `beta` says.
fn bound(value: i16, alpha: i16, beta: i16) -> Bound {
    if value >= beta {
        Bound::AtLeast
    } else if value <= alpha {
        Bound::AtMost
    } else {
        Bound::Exact
    }
}

/// What an entry says of a search of this depth and window.
fn usable(entry: Entry, depth: u8, alpha: i16, beta: i16) -> Option<Found> {
    let decides = match entry.bound {
        Bound::Exact => true,
        Bound::AtLeast => entry.value >= beta,
        Bound::AtMost => entry.value <= alpha,
    };
    (entry.depth >= depth && decides).then_some(Found {
        value: entry.value,
        solved: entry.depth == SOLVED,
    })
}

/// How promising a placement is: what captures most comes first, then what
/// leaves the opponent fewest liberties.
fn promise(before: &Position, point: Point, after: &Position) -> u32 {
    let captured = before.stones().opponent.len() - after.stones().mover.len();
    let empty = after.empty();
    let liberties = |stones: PointSet| (stones.neighbours() & empty).len();
    let room = 25 + liberties(after.stones().opponent) - liberties(after.stones().mover);
    let in_a_row = (PointSet::from(point).neighbours() & empty).len();
    1 + captured * 1000 + room * 10 + in_a_row
}
