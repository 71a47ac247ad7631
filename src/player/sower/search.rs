//! One search for one move.
//!
//! # Repetitions, the table and the database
//!
//! What a position is worth depends on what was there before. The line from the
//! last capture of the game to the position that is searched is kept, and a move
//! to a position on it ends the game as the rules say.
//!
//! - The table knows positions without the lines that led there. What came from a
//!   repetition of a position on the line above is therefore not stored, as it is
//!   not true elsewhere. That a position in the table may be reached on a line
//!   that its best play would run into is not seen; but nothing that rests on a
//!   repetition of the line counts as proven, and a win that is proven by captures
//!   alone needs no position twice.
//! - The bounds of a database are proven after a capture, also of later boards with
//!   as many stones: they are a fixpoint, so that whatever a search proves from
//!   them is in those of the first such board already. Before a capture they are
//!   what best play promised from the first such position on, and the way there
//!   may be barred by what has been played since. So they are worth a little less
//!   than what has been captured, which makes the winner go on, and a search that
//!   uses them proves nothing; unless the root itself is the first.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;
use std::time::Instant;

use arrayvec::ArrayVec;

use super::Sowing;
use super::found::{Found, Stopped, Window, bound, cut_off, usable};
use super::table::{Entry, Table};
use super::value::{INFINITY, Margins, Sureness, WON, estimate, margin};
use crate::awari::{Game, Next, Pit, Player, Position, Variant};
use crate::endgame::Database;
use crate::player::Limits;

/// The most plies that are looked ahead.
pub(super) const MAX_DEPTH: u8 = 100;

/// How many positions are searched between two looks at the clock.
const CLOCK_INTERVAL: u64 = 1024;

pub(super) struct Search<'a> {
    pub(super) variant: Variant,
    pub(super) database: Option<&'a Database>,
    table: &'a mut Table,
    limits: &'a Limits<'a>,
    started: Instant,
    positions: u64,
    /// The positions since the last capture of the game, and on from there to the
    /// one that is searched, without it.
    pub(super) line: Vec<Position>,
    /// Whose move is searched for.
    mover: Player,
    /// The place of the position on the board in the line.
    pub(super) root: usize,
    /// The best move there.
    best: Option<Pit>,
    /// How often a move was too good for the opponent to allow; deep searches
    /// count more.
    history: [u32; 12],
}

/// A move, what it leads to, and how promising it is.
pub(super) struct Candidate {
    pub pit: Pit,
    pub next: Next,
    promise: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        game: &Game,
        database: Option<&'a Database>,
        table: &'a mut Table,
        limits: &'a Limits<'a>,
        started: Instant,
    ) -> Search<'a> {
        table.begin();
        let mut line = vec![*game.position()];
        let mut past = game.clone();
        while past.undo() && past.position().scores() == game.position().scores() {
            line.push(*past.position());
        }
        line.reverse();
        line.pop();
        Search {
            variant: game.variant(),
            database,
            table,
            limits,
            started,
            positions: 0,
            mover: game.position().to_move(),
            root: line.len(),
            line,
            best: None,
            history: [0; 12],
        }
    }

    /// Searches one ply deeper again and again until it is proven who wins or a
    /// limit is reached.
    pub(super) fn deepen(&mut self, root: &Position, deepest: u8) -> Sowing {
        let promised = self.margins(root);
        let sure = Sureness {
            proven: true,
            ours: true,
        };
        let value = match promised {
            Some(margins) => margins.at_horizon(estimate(root), sure),
            None => estimate(root),
        };
        // If it is the first position with so many stones it is proven as well.
        let decided = self.root == 0 && promised.is_some_and(Margins::decides);
        let first = self.candidates(root, None).into_iter().next();
        let mut sowing = Sowing {
            // There always is a move.
            pit: first.map_or(Pit::ALL[0], |candidate| candidate.pit),
            margin: margin(value),
            proven: decided,
            depth: 0,
            positions: 0,
        };
        let all = Window {
            alpha: -INFINITY,
            beta: INFINITY,
        };
        for depth in 1..=deepest {
            let Ok(found) = self.search(root, depth, all, 0) else {
                break;
            };
            let Some(best) = self.best else { break };
            sowing.pit = best;
            sowing.depth = depth;
            sowing.proven = decided || found.solid;
            if !decided || found.solid {
                sowing.margin = margin(found.value);
            }
            // More than what is promised is not to be had; less is not enough.
            let promised = promised.filter(|margins| margins.is_exact());
            let is_best = match promised.map(|margins| margins.values(sure)) {
                Some((best, _)) => found.value == best,
                None => found.solid,
            };
            if is_best {
                break;
            }
        }
        sowing.positions = self.positions;
        sowing
    }

    /// The value of a position for the player to move, if it lies in the window;
    /// else a bound on that side of it. `since` is the place on the line of the
    /// first position with as many stones.
    fn search(
        &mut self,
        position: &Position,
        depth: u8,
        window: Window,
        since: usize,
    ) -> Result<Found, Stopped> {
        self.count()?;
        let is_root = self.line.len() == self.root;
        let margins = if is_root {
            None
        } else {
            self.margins(position)
        };
        let sureness = self.sureness(position, since);
        if let Some(found) = margins.and_then(|margins| cut_off(margins, window, sureness)) {
            return Ok(found);
        }
        let known = self.table.get(position);
        if !is_root && let Some(found) = known.and_then(|entry| usable(entry, depth, window)) {
            return Ok(found);
        }
        let Some(rest) = depth.checked_sub(1) else {
            return self.capture(position, window, margins, sureness);
        };
        let here = self.line.len();
        self.line.push(*position);
        let candidates = self.candidates(position, known.map(|entry| entry.best));
        let searched = self.best_of(position, candidates, rest, window, since);
        self.line.truncate(here);
        let (mut found, best) = searched?;
        if is_root {
            self.best = Some(best);
        }
        if found.repeats < here {
            // It is true on this line only.
            return Ok(found);
        }
        found.repeats = usize::MAX;
        let entry = Entry {
            value: found.value,
            bound: bound(found.value, window),
            depth,
            solid: found.solid,
            best,
        };
        self.table.put(position, entry);
        Ok(found)
    }

    /// The best value of some moves, and the move; or the first that is too good.
    fn best_of(
        &mut self,
        position: &Position,
        candidates: ArrayVec<Candidate, 6>,
        depth: u8,
        window: Window,
        since: usize,
    ) -> Result<(Found, Pit), Stopped> {
        let Window { mut alpha, beta } = window;
        let mut best: Option<(Found, Pit)> = None;
        let mut all_solid = true;
        let mut repeats = usize::MAX;
        for candidate in candidates {
            let pit = candidate.pit;
            let window = Window { alpha, beta };
            let found = self.after(position, candidate, depth, window, since, best.is_none())?;
            all_solid &= found.solid;
            repeats = repeats.min(found.repeats);
            if best.is_none_or(|(best, _)| found.value > best.value) {
                best = Some((found, pit));
            }
            alpha = alpha.max(found.value);
            if alpha >= beta {
                let count = &mut self.history[pit.index()];
                *count = count.saturating_add(u32::from(depth).pow(2));
                break;
            }
        }
        // There always is a move.
        let (mut found, pit) = best.ok_or(Stopped)?;
        // One move is enough to win; any other value depends on all.
        if found.value < beta && found.value < WON {
            found.solid = all_solid;
        }
        found.repeats = repeats;
        Ok((found, pit))
    }

    /// The value of what a move leads to, for the player who made it.
    ///
    /// Only the first move is expected to be the best. For the others it is
    /// enough to show that they are not, with no room in the window.
    fn after(
        &mut self,
        position: &Position,
        candidate: Candidate,
        depth: u8,
        window: Window,
        since: usize,
        is_first: bool,
    ) -> Result<Found, Stopped> {
        let child = match candidate.next {
            Next::Ends(outcome) => return Ok(self.ended(position, candidate.pit, outcome)),
            Next::Continues(child) => child,
        };
        let since = if child.scores() == position.scores() {
            since
        } else {
            self.line.len()
        };
        if let Some(found) = self.repeated(&child, since) {
            return Ok(found.negated());
        }
        let Window { alpha, beta } = window;
        if !is_first && beta - alpha > 1 {
            let null = Window {
                alpha: -alpha - 1,
                beta: -alpha,
            };
            let found = self.search(&child, depth, null, since)?.negated();
            if found.value <= alpha || found.value >= beta {
                return Ok(found);
            }
        }
        let turned = Window {
            alpha: -beta,
            beta: -alpha,
        };
        Ok(self.search(&child, depth, turned, since)?.negated())
    }

    /// Every legal move, the most promising first: the best of an earlier search,
    /// then what captures most, then what was often good.
    pub(super) fn candidates(
        &self,
        position: &Position,
        best: Option<Pit>,
    ) -> ArrayVec<Candidate, 6> {
        let mover = position.to_move();
        let score = position.scores().of(mover);
        let mut candidates = ArrayVec::new();
        for &pit in Pit::of(mover) {
            let Ok(next) = position.sow(pit, self.variant) else {
                continue;
            };
            let scores = match next {
                Next::Ends(outcome) => outcome.scores,
                Next::Continues(child) => child.scores(),
            };
            let captured = u32::from(scores.of(mover) - score);
            let promise = if Some(pit) == best {
                u32::MAX
            } else {
                let history = self.history[pit.index()].min((1 << 24) - 1);
                captured << 24 | history
            };
            candidates.push(Candidate { pit, next, promise });
        }
        candidates.sort_by_key(|candidate| Reverse(candidate.promise));
        candidates
    }

    /// How sure the database is of a position; `since` as in [`Search::search`].
    pub(super) fn sureness(&self, position: &Position, since: usize) -> Sureness {
        Sureness {
            proven: since > 0,
            ours: position.to_move() == self.mover,
        }
    }

    /// What the database says of a position.
    pub(super) fn margins(&self, position: &Position) -> Option<Margins> {
        let bounds = self.database?.look_up(position)?;
        Some(Margins::new(position, bounds))
    }

    /// Counts a position, and looks at the limits now and then.
    pub(super) fn count(&mut self) -> Result<(), Stopped> {
        self.positions += 1;
        if !self.positions.is_multiple_of(CLOCK_INTERVAL) {
            return Ok(());
        }
        let is_late = |time| self.started.elapsed() >= time;
        let is_stopped = self.limits.stop.load(Ordering::Relaxed);
        match is_stopped || self.limits.time.is_some_and(is_late) {
            true => Err(Stopped),
            false => Ok(()),
        }
    }
}
