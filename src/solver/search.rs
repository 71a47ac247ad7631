//! The search: is a position worth at least so much?

use std::hint::black_box;

use arrayvec::ArrayVec;

use super::bounds::Bounds;
use super::crew::{Crew, Stopped};
use super::node::Node;
use super::promise::promise;
use super::symmetry::{Key, Symmetry};
use super::table::{Entry, Table};
use crate::gothello::{Move, PointSet};

/// With fewer empty points than this a position is not looked up in the table:
/// it is searched sooner.
const TABLE_EMPTY: u32 = 3;

/// With fewer empty points than this the children are not looked up.
const CHILDREN_EMPTY: u32 = 5;

/// How many positions are searched between two looks at the clock and at what
/// other threads have found.
const INTERVAL: u64 = 1024;

/// No line is longer: 25 placements, and a pass before each.
const MOST_PLIES: usize = 64;

/// 25 placements, and the pass.
type Children = ArrayVec<Child, 26>;

/// One thread's search.
///
/// # What is searched
///
/// Let V be the value of a position for the player to move if the move before
/// was no pass. After a pass the player may also end the game, so that the
/// value is the larger of V and the stones as they stand. So V is all that is
/// searched and remembered.
///
/// The question is always whether V is at least `wanted`. Let the mover's lead
/// be his stones less the opponent's.
///
/// - If his lead is at least `wanted`, he may pass: the opponent can either end
///   the game, which gives the mover what he wants, or must place a stone.
/// - If it is less, a pass is of no use: the opponent would end the game.
///
/// So whoever is behind must place a stone, no two passes follow each other,
/// and every line of the search has an end.
pub(super) struct Search<'a> {
    table: &'a Table,
    crew: &'a Crew<'a>,
    /// The questions on the way from the root to here.
    path: Path,
    /// Positions searched by this thread.
    positions: u64,
    /// Of these, how many the crew was told of.
    reported: u64,
    /// Whether this thread is the one that tells how it goes.
    leads: bool,
    /// For each ply the placement that needed no search last time there, if
    /// there was one: the next position is much like the last.
    killers: [PointSet; MOST_PLIES],
}

/// The questions on the way to a position: the key, unless it is not to be
/// looked up, and how much is wanted.
pub(super) type Path = ArrayVec<(Option<Key>, i8), MOST_PLIES>;

/// What a move leads to.
struct Child {
    mv: Move,
    node: Node,
    promise: i32,
    /// Unless it has not been looked up.
    key: Option<(Key, Symmetry)>,
}

/// A question, and what is known before any move is searched.
struct Question<'n> {
    node: &'n Node,
    wanted: i8,
    /// Whether the answer is expected to be yes.
    expects_yes: bool,
    /// Unless the position is not to be looked up.
    key: Option<(Key, Symmetry)>,
    bounds: Bounds,
    best: Option<Move>,
    /// No move that is not to be searched is worth more than this.
    most: i8,
}

impl<'a> Search<'a> {
    pub fn new(table: &'a Table, crew: &'a Crew<'a>, leads: bool) -> Search<'a> {
        Search {
            table,
            crew,
            path: Path::new(),
            positions: 0,
            reported: 0,
            leads,
            killers: [PointSet::EMPTY; MOST_PLIES],
        }
    }

    /// Whether the value of a position is at least `wanted`: if the answer is,
    /// then the value is at least the answer, else at most.
    pub fn ask(&mut self, node: &Node, wanted: i8) -> Result<i8, Stopped> {
        self.path.clear();
        let result = self.search(node, wanted, None, true);
        self.report();
        result
    }

    /// Tells the crew of the positions searched since last time.
    fn report(&mut self) {
        self.crew.count(self.positions - self.reported);
        self.reported = self.positions;
    }

    fn search(
        &mut self,
        node: &Node,
        wanted: i8,
        key: Option<(Key, Symmetry)>,
        expects_yes: bool,
    ) -> Result<i8, Stopped> {
        self.positions += 1;
        if self.positions - self.reported >= INTERVAL {
            self.report();
            if self.leads {
                self.crew.show();
            }
            self.crew.check(self.table, &self.path)?;
        }
        let mut question = Question {
            node,
            wanted,
            expects_yes,
            key: None,
            bounds: node.bounds(),
            best: None,
            most: 0,
        };
        if let Some(bound) = question.bounds.answer(wanted) {
            return Ok(bound);
        }
        if node.placements.empty().len() >= TABLE_EMPTY {
            let key = key.unwrap_or_else(|| Key::of(node.placements.stones()));
            question.key = Some(key);
            if let Some(bound) = self.recall(&mut question) {
                return Ok(bound);
            }
        }
        let mut children = Children::new();
        question.most = question.bounds.low;
        let settled = self
            .expand(&mut question, &mut children)
            .or_else(|| self.look_up(&question, &mut children));
        if let Some((mv, bound)) = settled {
            self.learn(&question, bound, Some(mv), 1);
            return Ok(bound);
        }
        self.try_all(question, &children)
    }

    /// Looks the position up; gives the answer, if that is known.
    #[inline]
    fn recall(&self, question: &mut Question<'_>) -> Option<i8> {
        let (key, symmetry) = question.key?;
        let entry = self.table.get(key)?;
        question.bounds = question.bounds.and(entry.bounds);
        question.best = entry.best.map(|mv| symmetry.undo_from(mv));
        question.bounds.answer(question.wanted)
    }

    /// Remembers the answer, the move that gives it if it is yes, and the work
    /// that it took.
    #[inline]
    fn learn(&self, question: &Question<'_>, answer: i8, best: Option<Move>, positions: u64) {
        let Some((key, symmetry)) = question.key else {
            return;
        };
        let Bounds { low, high } = question.bounds;
        let bounds = if answer >= question.wanted {
            Bounds { low: answer, high }
        } else {
            Bounds { low, high: answer }
        };
        let best = best.map(|mv| symmetry.apply_to(mv));
        let work = positions.ilog2() as u8;
        self.table.put(key, Entry { bounds, best, work });
    }

    /// Adds every move to `children`, unless one of them needs no search: then
    /// it and a lower bound of the value are the answer. Moves that are known
    /// to be of no use are left out.
    fn expand(
        &mut self,
        question: &mut Question<'_>,
        children: &mut Children,
    ) -> Option<(Move, i8)> {
        let (node, wanted) = (question.node, question.wanted);
        let ply = self.path.len() % MOST_PLIES;
        let legal = node.placements.legal();
        let first = legal & self.killers[ply];
        for point in first.iter().chain(legal.without(first).iter()) {
            let mv = Move::Place(point);
            let (placed, after) = node.after(point);
            let bounds = after.bounds_near(1 - wanted).negated();
            if bounds.low >= wanted {
                self.killers[ply] = point.into();
                return Some((mv, bounds.low));
            }
            if bounds.high < wanted {
                question.most = question.most.max(bounds.high);
                continue;
            }
            let promise = if question.best == Some(mv) {
                i32::MAX
            } else {
                promise(node, point, &placed, &after)
            };
            children.push(Child {
                mv,
                node: after,
                promise,
                key: None,
            });
        }
        if node.lead() < wanted {
            question.most = question.most.max(node.lead());
        } else {
            // The pass comes last: a placement that is good enough is found
            // with fewer positions.
            let is_best = question.best == Some(Move::Pass);
            children.push(Child {
                mv: Move::Pass,
                node: node.passed(),
                promise: if is_best { i32::MAX } else { i32::MIN + 1 },
                key: None,
            });
        }
        None
    }

    /// Looks every child up in the table. If one is known to be good enough
    /// then it and a lower bound of the value are the answer; those that are
    /// known not to be come last.
    #[inline]
    fn look_up(&self, question: &Question<'_>, children: &mut Children) -> Option<(Move, i8)> {
        if question.node.placements.empty().len() < CHILDREN_EMPTY {
            return None;
        }
        for child in children.iter_mut() {
            child.key = Some(Key::of(child.node.placements.stones()));
        }
        // Memory is slow to answer, but answers many questions at once: first
        // all of them are put.
        let keys = children.iter().filter_map(|child| child.key);
        black_box(keys.fold(0, |sum, (key, _)| sum ^ self.table.touch(key)));
        for child in children {
            let Some(entry) = child.key.and_then(|(key, _)| self.table.get(key)) else {
                continue;
            };
            let bounds = entry.bounds.negated();
            if bounds.low >= question.wanted {
                return Some((child.mv, bounds.low));
            }
            if bounds.high < question.wanted {
                child.promise = i32::MIN;
            }
        }
        None
    }

    /// Searches the children, the most promising first, until one is good
    /// enough.
    fn try_all(&mut self, mut question: Question<'_>, children: &Children) -> Result<i8, Stopped> {
        let (moves, started, ply) = (children.len(), self.positions, self.path.len());
        let shared = question
            .key
            .filter(|_| self.crew.shares(question.node.placements.empty().len()));
        let key = question.key.map(|(key, _)| key);
        self.path.push((key, question.wanted));
        let _busy = shared.map(|(key, _)| self.crew.enter(key));
        // One bit for each child that has not been searched, and for those that
        // are put off.
        let (mut rest, mut later) = ((1_u32 << moves) - 1, 0_u32);
        let mut answer = question.most;
        let mut best = None;
        // If one move is expected to be enough, all threads search the first one
        // together; else each takes one of its own.
        let mut follows = question.expects_yes;
        while rest | later != 0 {
            let from = if rest != 0 { &mut rest } else { &mut later };
            let Some((bit, child)) = most_promising(children, *from) else {
                break;
            };
            *from &= !bit;
            // What another thread is searching is left to it as long as there
            // is something else to do.
            if rest != 0 && !follows && shared.is_some() && self.is_busy(child) {
                later |= bit;
                continue;
            }
            let expects_yes = !follows;
            follows = false;
            match self.search(&child.node, 1 - question.wanted, child.key, expects_yes) {
                Ok(bound) => answer = answer.max(-bound),
                Err(Stopped::Settled(at)) if at == ply => {
                    // If the answer is found no more, it must be found again.
                    self.path.truncate(ply + 1);
                    later |= bit;
                    if let Some(bound) = self.recall(&mut question) {
                        self.path.truncate(ply);
                        return Ok(bound);
                    }
                    continue;
                }
                Err(stopped) => return Err(stopped),
            }
            if answer >= question.wanted {
                best = Some(child.mv);
                break;
            }
            // Another thread may have found the answer in the meantime.
            if shared.is_some()
                && let Some(bound) = self.recall(&mut question)
            {
                self.path.truncate(ply);
                return Ok(bound);
            }
        }
        self.path.truncate(ply);
        let answer = answer.max(question.bounds.low).min(question.bounds.high);
        self.learn(&question, answer, best, self.positions - started + 1);
        Ok(answer)
    }

    fn is_busy(&self, child: &Child) -> bool {
        child.key.is_some_and(|(key, _)| self.crew.is_busy(key))
    }
}

/// The most promising of the children whose bits are set, of several the first,
/// and its bit.
#[inline]
fn most_promising(children: &Children, mut bits: u32) -> Option<(u32, &Child)> {
    let mut best: Option<(u32, &Child)> = None;
    while bits != 0 {
        let child = children.get(bits.trailing_zeros() as usize)?;
        if best.is_none_or(|(_, best)| child.promise > best.promise) {
            best = Some((bits & bits.wrapping_neg(), child));
        }
        bits &= bits - 1;
    }
    best
}
