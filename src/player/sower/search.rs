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
//! - The bounds of a database are proven after a capture. Before one, they are
//!   what best play promised from the first such position on, and the way there
//!   may be barred by what has been played since. So they are worth a little less
//!   than what has been captured, which makes the winner go on, and a search that
//!   uses them proves nothing; unless the root itself is the first.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;
use std::time::Instant;

use arrayvec::ArrayVec;

use super::Sowing;
use super::table::{Bound, Entry, Table};
use super::value::{INFINITY, Margins, Sureness, WON, estimate, margin, of_margin, of_outcome};
use crate::awari::{
    Ending, Game, Next, Outcome, Pit, Position, Repetition, STONES, Scores, Variant,
};
use crate::endgame::Database;
use crate::player::Limits;

/// The most plies that are looked ahead.
pub(super) const MAX_DEPTH: u8 = 100;

/// How many positions are searched between two looks at the clock.
const CLOCK_INTERVAL: u64 = 1024;

pub(super) struct Search<'a> {
    variant: Variant,
    database: Option<&'a Database>,
    table: &'a mut Table,
    limits: &'a Limits<'a>,
    started: Instant,
    positions: u64,
    /// The positions since the last capture of the game, and on from there to the
    /// one that is searched, without it.
    line: Vec<Position>,
    /// The place of the position on the board in the line.
    root: usize,
    /// The best move there.
    best: Option<Pit>,
    /// How often a move was too good for the opponent to allow; deep searches
    /// count more.
    history: [u32; 12],
}

/// A value, and what it rests on.
#[derive(Clone, Copy)]
struct Found {
    value: i32,
    /// Whether it is proven who wins: of a won game, by this value at least.
    solid: bool,
    /// The first position on the line whose repetition has to do with it.
    repeats: usize,
}

/// The limits are reached.
struct Stopped;

/// A move, what it leads to, and how promising it is.
struct Candidate {
    pit: Pit,
    next: Next,
    promise: u32,
}

/// Where a search stands.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
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
        let value = match promised {
            Some(margins) => margins.at_horizon(estimate(root), Sureness::Proven),
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
            let is_best = match promised.map(|margins| margins.values(Sureness::Proven)) {
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
        let sureness = self.sureness(since);
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

    /// The value of a game that a move has ended, for the player who made it.
    fn ended(&self, position: &Position, pit: Pit, outcome: Outcome) -> Found {
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
    fn repeated(&self, position: &Position, since: usize) -> Option<Found> {
        let line = self.line.get(since..)?;
        let place = since + line.iter().position(|other| other == position)?;
        let outcome = Outcome {
            scores: match self.variant.repetition {
                Repetition::Claim => position.claimed(),
                Repetition::Discard => position.scores(),
            },
            ending: Ending::Repetition,
        };
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
    fn capture(
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
                solid: sureness == Sureness::Proven && margins.decides(),
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
        match margins.and_then(|margins| cut_off(margins, window, Sureness::Proven)) {
            Some(found) => Ok(found),
            None => self.capture(position, window, margins, Sureness::Proven),
        }
    }

    /// Every legal move, the most promising first: the best of an earlier search,
    /// then what captures most, then what was often good.
    fn candidates(&self, position: &Position, best: Option<Pit>) -> ArrayVec<Candidate, 6> {
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

    /// How sure the database is of a position at the end of the line; `since` as in
    /// [`Search::search`].
    fn sureness(&self, since: usize) -> Sureness {
        if since > 0 {
            Sureness::Proven
        } else if (self.line.len() - self.root).is_multiple_of(2) {
            Sureness::Ours
        } else {
            Sureness::Theirs
        }
    }

    /// What the database says of a position.
    fn margins(&self, position: &Position) -> Option<Margins> {
        let bounds = self.database?.look_up(position)?;
        Some(Margins::new(position, bounds))
    }

    /// Counts a position, and looks at the limits now and then.
    fn count(&mut self) -> Result<(), Stopped> {
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

impl Found {
    /// What has happened, or is proven.
    fn proven(value: i32) -> Found {
        Found {
            value,
            solid: true,
            repeats: usize::MAX,
        }
    }

    /// The same for the other player.
    fn negated(self) -> Found {
        Found {
            value: -self.value,
            ..self
        }
    }
}

/// What a database says of a position, if that is enough for the window.
fn cut_off(margins: Margins, window: Window, sureness: Sureness) -> Option<Found> {
    let (low, high) = margins.values(sureness);
    let value = if low >= window.beta || low == high {
        low
    } else if high <= window.alpha {
        high
    } else {
        return None;
    };
    Some(Found {
        value,
        solid: sureness == Sureness::Proven,
        repeats: usize::MAX,
    })
}

/// What a value in or outside a window says.
fn bound(value: i32, window: Window) -> Bound {
    if value >= window.beta {
        Bound::AtLeast
    } else if value <= window.alpha {
        Bound::AtMost
    } else {
        Bound::Exact
    }
}

/// What an entry says of a search of this depth and window.
fn usable(entry: Entry, depth: u8, window: Window) -> Option<Found> {
    let decides = match entry.bound {
        Bound::Exact => true,
        Bound::AtLeast => entry.value >= window.beta,
        Bound::AtMost => entry.value <= window.alpha,
    };
    let is_deep = entry.solid || entry.depth >= depth;
    (is_deep && decides).then_some(Found {
        value: entry.value,
        solid: entry.solid,
        repeats: usize::MAX,
    })
}
