//! Principal variation search for one move, its transposition table, and the scores of positions.
//!
//! A score is an integer from the point of view of the player to move. Undecided positions are
//! scored in units of 1/16 stone; a won game adds [`WON`].
//!
//! # Repetitions, the transposition table and the database
//!
//! The value of a position depends on the positions before it. The search keeps the
//! *line*: the positions since the last capture of the game, followed by those on the
//! way to the current node. A move to a position on the line ends the game as the
//! variant says.
//!
//! - SearchTable entries do not know the line. So a value that depends on the repetition of
//!   a position higher on the line is not stored, as it does not hold on other lines.
//!   The converse is not detected: the best play from a stored position may repeat a
//!   position of the current line. This affects estimates only. A value that rests on
//!   a repetition of the line never counts as proven, and a win that is proven through
//!   only captures repeats no position.
//! - Bounds of the database are proven for every position after a capture, not only
//!   for the first one: they are a fixed point, so a value that a search derives from
//!   them lies within the bounds of that first position. Before a capture, the bounds
//!   say what the players could guarantee from the first position with that many
//!   stones, and the moves since may have barred the way. Such bounds are scored
//!   slightly lower than captured stones, so that the winner makes progress, and a
//!   search that uses them proves nothing, unless the root is itself the first such
//!   position.

use arrayvec::ArrayVec;

use super::AwariChoice;
use crate::base::rng::Rng;
use crate::base::timer::Timer;
use crate::games::awari::{
    AwariOutcome, EndReason, Game, MAJORITY, Next, Pit, Player, Position, STONES, Scores, Variant,
};
use crate::player::Limits;
use crate::player::table::{self, Bound, Entry};
use crate::solving::endgame::{Bounds, Database};

/// The number of positions searched between two checks of the limits.
const CHECK_INTERVAL: u64 = 1024;

/// An alpha-beta window: scores of at most `alpha` or at least `beta` need not be
/// exact.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl Window {
    /// Returns the window of the other player.
    fn negated(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

/// The result of searching a position.
#[derive(Clone, Copy)]
struct Value {
    score: i32,
    /// Whether it is proven who wins, or that the game is drawn.
    proven: bool,
    /// The index on the line of the first position whose repetition affects the score;
    /// [`NEVER`] if there is none.
    repeats: usize,
}

/// The score depends on no repetition.
const NEVER: usize = usize::MAX;

impl Value {
    const fn new(score: i32, proven: bool) -> Value {
        Value {
            score,
            proven,
            repeats: NEVER,
        }
    }

    /// Returns the value for the other player.
    fn negated(self) -> Value {
        Value {
            score: -self.score,
            ..self
        }
    }

    /// Returns the value that a table entry gives, if its depth and bound suffice.
    fn from_entry(entry: Entry<i32, Pit>, depth: u8, window: Window) -> Option<Value> {
        entry
            .suffices(depth, window.alpha, window.beta)
            .then_some(Value::new(entry.score, entry.proven))
    }

    /// Returns the value that the database gives, if its bounds suffice.
    fn from_lead_bounds(lead_bounds: LeadBounds, window: Window, probe: Probe) -> Option<Value> {
        let (low, high) = lead_bounds.scores(probe);
        let score = if low >= window.beta || low == high {
            low
        } else if high <= window.alpha {
            high
        } else {
            return None;
        };
        Some(Value::new(score, probe.proven))
    }
}

/// The limits are reached.
struct Stopped;

/// A legal move with its result.
struct Child {
    pit: Pit,
    next: Next,
    ordering_score: u32,
}

/// A search for one move.
pub struct Search<'a> {
    variant: Variant,
    database: Option<&'a Database>,
    table: &'a mut SearchTable,
    limits: &'a Limits<'a>,
    timer: Timer,
    /// The number of positions searched.
    positions: u64,
    /// The positions since the last capture of the game, then those from the root to
    /// the current node, without that one.
    line: Vec<Position>,
    /// The index of the root on the line.
    root: usize,
    /// The player whose move is searched for.
    root_player: Player,
    /// The best move of the last search of the root.
    best: Option<Pit>,
    /// The history heuristic: how often each pit caused a cutoff, weighted by depth.
    history: [u32; 12],
}

impl<'a> Search<'a> {
    pub fn new(
        game: &Game,
        database: Option<&'a Database>,
        table: &'a mut SearchTable,
        limits: &'a Limits<'a>,
        timer: Timer,
    ) -> Search<'a> {
        table.start_search();
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
            timer,
            positions: 0,
            root: line.len(),
            line,
            root_player: game.position().to_move(),
            best: None,
            history: [0; 12],
        }
    }

    /// Deepens the search one ply at a time until the winner is proven or a limit is
    /// reached.
    pub fn deepen(&mut self, root: &Position, max_depth: u8) -> AwariChoice {
        let lead_bounds = self.lead_bounds(root);
        let probe = Probe {
            proven: true,
            root_player: true,
        };
        let score = match lead_bounds {
            Some(lead_bounds) => lead_bounds.at_horizon(evaluate(root), probe),
            None => evaluate(root),
        };
        // The bounds are proven for the first position with this many stones.
        let decided = self.root == 0 && lead_bounds.is_some_and(LeadBounds::decides);
        let first = self.children(root, None, true).into_iter().next();
        // A position has at least one legal move.
        let pit = first.map_or(Pit::ALL[0], |child| child.pit);
        let mut choice = AwariChoice::new(pit).with_lead(lead_of_score(score));
        choice.proven = decided;
        let full = Window {
            alpha: -INFINITY,
            beta: INFINITY,
        };
        for depth in 1..=max_depth {
            let Ok(value) = self.search(root, depth, full, 0) else {
                break;
            };
            let Some(best) = self.best else { break };
            choice.pit = best;
            choice.depth = depth;
            choice.proven = decided || value.proven;
            if !decided || value.proven {
                choice.lead = lead_of_score(value.score);
            }
            // If the database knows the exact value, stop at a move that realizes it.
            let exact = lead_bounds.filter(|lead_bounds| lead_bounds.is_exact());
            let is_best = match exact.map(|lead_bounds| lead_bounds.scores(probe)) {
                Some((best, _)) => value.score == best,
                None => value.proven,
            };
            if is_best {
                break;
            }
        }
        choice.positions = self.positions;
        self.limits.spend(self.positions % CHECK_INTERVAL);
        choice
    }

    /// Returns the value of a position for the player to move if it lies in the window,
    /// else a bound on the same side of the window. `layer_start` is the index on the
    /// line of the first position with as many stones.
    fn search(
        &mut self,
        position: &Position,
        depth: u8,
        window: Window,
        layer_start: usize,
    ) -> Result<Value, Stopped> {
        self.count()?;
        let is_root = self.line.len() == self.root;
        let lead_bounds = if is_root {
            None
        } else {
            self.lead_bounds(position)
        };
        let probe = self.probe(position, layer_start);
        if let Some(value) =
            lead_bounds.and_then(|lead_bounds| Value::from_lead_bounds(lead_bounds, window, probe))
        {
            return Ok(value);
        }
        let entry = self.table.get(position);
        if !is_root
            && let Some(value) = entry.and_then(|entry| Value::from_entry(entry, depth, window))
        {
            return Ok(value);
        }
        let Some(child_depth) = depth.checked_sub(1) else {
            return self.quiescence(position, window, lead_bounds, probe);
        };
        let here = self.line.len();
        self.line.push(*position);
        let children = self.children(position, entry.map(|entry| entry.best), true);
        let searched = self.search_children(position, children, child_depth, window, layer_start);
        self.line.truncate(here);
        let (mut value, best) = searched?;
        if is_root {
            self.best = Some(best);
        }
        if value.repeats < here {
            // The value holds on this line only.
            return Ok(value);
        }
        value.repeats = NEVER;
        let entry = Entry {
            score: value.score,
            bound: Bound::new(value.score, window.alpha, window.beta),
            depth,
            proven: value.proven,
            best,
        };
        self.table.put(position, entry);
        Ok(value)
    }

    /// Returns the best value of some moves with the move, or the first that causes a
    /// beta cutoff.
    fn search_children(
        &mut self,
        position: &Position,
        children: ArrayVec<Child, 6>,
        depth: u8,
        window: Window,
        layer_start: usize,
    ) -> Result<(Value, Pit), Stopped> {
        let Window { mut alpha, beta } = window;
        let mut best: Option<(Value, Pit)> = None;
        let mut all_proven = true;
        let mut repeats = NEVER;
        for child in children {
            let pit = child.pit;
            let window = Window { alpha, beta };
            let is_first = best.is_none();
            let value = self.search_child(position, child, depth, window, layer_start, is_first)?;
            all_proven &= value.proven;
            repeats = repeats.min(value.repeats);
            if best.is_none_or(|(best, _)| value.score > best.score) {
                best = Some((value, pit));
            }
            alpha = alpha.max(value.score);
            if alpha >= beta {
                let count = &mut self.history[pit.index()];
                *count = count.saturating_add(u32::from(depth).pow(2));
                break;
            }
        }
        // A position has at least one legal move.
        let (mut value, pit) = best.ok_or(Stopped)?;
        // One winning move proves a win; any other value depends on all moves.
        if value.score < beta && value.score < WON {
            value.proven = all_proven;
        }
        value.repeats = repeats;
        Ok((value, pit))
    }

    /// Returns the value of a move for the player who makes it.
    ///
    /// Moves after the first are searched with a null window, and again with the full
    /// one if they turn out to be better.
    fn search_child(
        &mut self,
        position: &Position,
        child: Child,
        depth: u8,
        window: Window,
        layer_start: usize,
        is_first: bool,
    ) -> Result<Value, Stopped> {
        let next = match child.next {
            Next::Ends(outcome) => return Ok(self.terminal_value(position, child.pit, outcome)),
            Next::Continues(next) => next,
        };
        let layer_start = if next.scores() == position.scores() {
            layer_start
        } else {
            self.line.len()
        };
        if let Some(value) = self.repetition_value(&next, layer_start) {
            return Ok(value.negated());
        }
        let Window { alpha, beta } = window;
        if !is_first && beta - alpha > 1 {
            let null = Window {
                alpha: -alpha - 1,
                beta: -alpha,
            };
            let value = self.search(&next, depth, null, layer_start)?.negated();
            if value.score <= alpha || value.score >= beta {
                return Ok(value);
            }
        }
        let value = self.search(&next, depth, window.negated(), layer_start)?;
        Ok(value.negated())
    }

    /// Returns the legal moves in the order of the search: the best move of an earlier
    /// search, then by the stones captured, then by the history heuristic. Without
    /// `quiet` moves, only those that capture or end the game.
    fn children(&self, position: &Position, best: Option<Pit>, quiet: bool) -> ArrayVec<Child, 6> {
        let mover = position.to_move();
        let score = position.scores().of(mover);
        let mut children = ArrayVec::<Child, 6>::new();
        for &pit in Pit::of(mover) {
            let Ok(next) = position.sow(pit, self.variant) else {
                continue;
            };
            let scores = match next {
                Next::Ends(outcome) => outcome.scores,
                Next::Continues(next) if !quiet && next.scores() == position.scores() => continue,
                Next::Continues(next) => next.scores(),
            };
            let captured = u32::from(scores.of(mover) - score);
            let ordering_score = if Some(pit) == best {
                u32::MAX
            } else {
                let history = self.history[pit.index()].min((1 << 24) - 1);
                captured << 24 | history
            };
            let child = Child {
                pit,
                next,
                ordering_score,
            };
            let mut place = children.len();
            while place > 0 && children[place - 1].ordering_score < ordering_score {
                place -= 1;
            }
            children.insert(place, child);
        }
        children
    }

    /// Returns the value of a move that ends the game, for the player who makes it.
    fn terminal_value(&self, position: &Position, pit: Pit, result: AwariOutcome) -> Value {
        let lead = match result.ending {
            EndReason::Majority => self.lead_if_continued(position, pit),
            _ => None,
        };
        let score = match lead {
            Some(lead) => score_of_lead(lead),
            None => score_of_result(result, position.to_move()),
        };
        Value::new(score, true)
    }

    /// Returns the lead that a player whose move reaches 25 stones could guarantee if
    /// play went on, if the database knows it.
    fn lead_if_continued(&self, position: &Position, pit: Pit) -> Option<i32> {
        let mover = position.to_move();
        let half = STONES / 2;
        let stones = position.pits().iter().sum();
        // With fewer captured stones, the same move does not end the game.
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

    /// Returns the value, for the player to move, of a position that repeats one on the
    /// line, which ends the game.
    fn repetition_value(&self, position: &Position, layer_start: usize) -> Option<Value> {
        let line = self.line.get(layer_start..)?;
        let index = layer_start + line.iter().position(|other| other == position)?;
        let outcome = position.repeated(self.variant.repetition);
        let score = score_of_result(outcome, position.to_move());
        Some(if index <= self.root {
            // The position occurred in the game.
            Value::new(score, true)
        } else {
            Value {
                score,
                proven: false,
                repeats: index,
            }
        })
    }

    /// Returns the value of a position at the horizon: its static evaluation, or better
    /// if a capture improves on it.
    fn quiescence(
        &mut self,
        position: &Position,
        window: Window,
        lead_bounds: Option<LeadBounds>,
        probe: Probe,
    ) -> Result<Value, Stopped> {
        let evaluation = evaluate(position);
        let mut best = match lead_bounds {
            Some(lead_bounds) => Value::new(
                lead_bounds.at_horizon(evaluation, probe),
                probe.proven && lead_bounds.decides(),
            ),
            None => Value::new(evaluation, false),
        };
        if best.proven || lead_bounds.is_some() || best.score >= window.beta {
            return Ok(best);
        }
        for child in self.children(position, None, false) {
            let value = match child.next {
                Next::Ends(outcome) => {
                    let value = self.terminal_value(position, child.pit, outcome);
                    // The player may choose another move, so only a win counts.
                    value.score.ge(&WON).then_some(value)
                }
                Next::Continues(next) => {
                    let window = Window {
                        alpha: window.alpha.max(best.score),
                        beta: window.beta,
                    };
                    let value = self.quiescence_after_capture(&next, window.negated())?;
                    Some(value.negated())
                }
            };
            if let Some(value) = value
                && value.score > best.score
            {
                best = value;
                best.proven &= value.score >= WON;
            }
            if best.score >= window.beta {
                break;
            }
        }
        Ok(best)
    }

    /// Returns the value of a position below the horizon that a capture led to.
    fn quiescence_after_capture(
        &mut self,
        position: &Position,
        window: Window,
    ) -> Result<Value, Stopped> {
        self.count()?;
        let lead_bounds = self.lead_bounds(position);
        // A capture precedes the position, so the database's bounds are proven.
        let probe = self.probe(position, usize::MAX);
        match lead_bounds
            .and_then(|lead_bounds| Value::from_lead_bounds(lead_bounds, window, probe))
        {
            Some(value) => Ok(value),
            None => self.quiescence(position, window, lead_bounds, probe),
        }
    }

    /// Returns how the database is probed at a position; `layer_start` as in
    /// [`Search::search`].
    fn probe(&self, position: &Position, layer_start: usize) -> Probe {
        Probe {
            proven: layer_start > 0,
            root_player: position.to_move() == self.root_player,
        }
    }

    /// Returns the database's bounds on the lead of a position.
    fn lead_bounds(&self, position: &Position) -> Option<LeadBounds> {
        let bounds = self.database?.look_up(position)?;
        Some(LeadBounds::new(position, bounds))
    }

    /// Counts a position, and checks the limits now and then.
    fn count(&mut self) -> Result<(), Stopped> {
        self.positions += 1;
        if !self.positions.is_multiple_of(CHECK_INTERVAL) {
            return Ok(());
        }
        self.limits.spend(CHECK_INTERVAL);
        match self.limits.are_reached(&self.timer) {
            true => Err(Stopped),
            false => Ok(()),
        }
    }
}

/// A transposition table whose entries belong to one search for one move: the next
/// search has another game behind it, and uses other keys.
#[derive(Debug)]
pub struct SearchTable {
    entries: table::TranspositionTable<i32, Pit>,
    /// The number of the search.
    search: u64,
}

impl SearchTable {
    /// Creates a table of 2^`bits` entries.
    pub const fn new(bits: u32) -> SearchTable {
        SearchTable {
            entries: table::TranspositionTable::new(bits),
            search: 0,
        }
    }

    /// Begins a new search: forgets everything.
    pub fn start_search(&mut self) {
        self.search += 1;
    }

    /// Returns the entry of a position.
    #[inline]
    pub fn get(&self, position: &Position) -> Option<Entry<i32, Pit>> {
        self.entries.get(self.key(position))
    }

    /// Stores the entry of a position.
    #[inline]
    pub fn put(&mut self, position: &Position, entry: Entry<i32, Pit>) {
        self.entries.put(self.key(position), entry);
    }

    /// Returns the position and the search, scrambled into 64 bits. Among as many
    /// positions as are searched in an hour, two with the same key have a probability of
    /// one in a million.
    #[inline]
    fn key(&self, position: &Position) -> u64 {
        let &[a, b, c, d, e, f, g, h, i, j, k, l] = position.pits();
        // The other player has captured the rest.
        let south = position.scores().south;
        let first = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let second = u64::from_le_bytes([i, j, k, l, south, position.to_move() as u8, 0, 0]);
        // The number of the search must not be mixed up with a number of stones.
        scrambled(scrambled(first ^ scrambled(self.search)) ^ second)
    }
}

/// Scrambles 64 bits so that each affects all, with a step of the generator, which is a
/// bijection.
#[inline]
fn scrambled(bits: u64) -> u64 {
    Rng::new(bits).next()
}

/// The score of one stone.
const STONE: i32 = 16;

/// The score of a won game, without the lead; greater than any static evaluation.
const WON: i32 = 10_000;

/// Greater than any score.
const INFINITY: i32 = 20_000;

/// The penalty for stones that the database grants but that have not been captured,
/// so that the winner makes progress.
const UNREALIZED_PENALTY: i32 = 4;

/// Returns the score of a game that ends with this lead in stones.
fn score_of_lead(lead: i32) -> i32 {
    lead.signum() * WON + lead * STONE
}

/// Returns the lead in stones that a score stands for, rounded.
fn lead_of_score(score: i32) -> i32 {
    // Scores of decided games are all close to WON.
    let decided = if score.abs() > WON / 2 { WON } else { 0 };
    let stones = score.abs() - decided;
    (stones + STONE / 2) / STONE * score.signum()
}

/// Returns the score of a finished game for `player`.
fn score_of_result(result: AwariOutcome, player: Player) -> i32 {
    let stones = |player| i32::from(result.scores.of(player));
    let (own, other) = (stones(player), stones(player.opponent()));
    score_of_lead(match result.ending {
        // If play went on, the winner would finish with at least as many stones, and
        // the loser with at most the rest.
        EndReason::Majority if own >= i32::from(MAJORITY) => 2 * own - i32::from(STONES),
        EndReason::Majority => i32::from(STONES) - 2 * other,
        _ => own - other,
    })
}

/// The circumstances in which the database was probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probe {
    /// Whether its bounds are proven in this game: true after a capture in the
    /// search. Before one, an earlier position of the game may have cost the player
    /// what the bounds grant.
    pub proven: bool,
    /// Whether the player to move is the one whose move is searched for.
    pub root_player: bool,
}

impl Probe {
    /// Returns the score with the penalty for unrealized stones, unless it is proven:
    /// the winner prefers captured stones, and in a drawn game so does the player whose
    /// move is searched for.
    fn adjust(self, score: i32) -> i32 {
        match score.signum() {
            _ if self.proven => score,
            0 if self.root_player => -UNREALIZED_PENALTY,
            0 => UNREALIZED_PENALTY,
            sign => score - sign * UNREALIZED_PENALTY,
        }
    }
}

/// The bounds of the database on the final lead, in stones.
#[derive(Clone, Copy, Debug)]
struct LeadBounds {
    low: i32,
    high: i32,
}

impl LeadBounds {
    pub fn new(position: &Position, bounds: Bounds) -> LeadBounds {
        let captured = position.scores().of(position.to_move());
        let lead = |stones: u8| 2 * i32::from(captured + stones) - i32::from(STONES);
        LeadBounds {
            low: lead(bounds.low),
            high: lead(bounds.high),
        }
    }

    /// Returns whether the bounds determine the winner, or a draw.
    pub fn decides(self) -> bool {
        self.low > 0 || self.high < 0 || self.low == 0 && self.high == 0
    }

    /// Returns whether the bounds are equal.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// Returns the minimum and the maximum score. The range includes both the scores
    /// with and without the penalty, since the stones may be captured deeper in the
    /// search, or not yet.
    pub fn scores(self, probe: Probe) -> (i32, i32) {
        let (low, high) = (score_of_lead(self.low), score_of_lead(self.high));
        (low.min(probe.adjust(low)), high.max(probe.adjust(high)))
    }

    /// Returns the score of a position at the horizon with this static evaluation.
    ///
    /// If the bounds decide the game, this is the bound that is safe for the player
    /// whose move is searched for.
    pub fn at_horizon(self, evaluation: i32, probe: Probe) -> i32 {
        if self.decides() {
            let safe = if probe.root_player {
                self.low
            } else {
                self.high
            };
            return probe.adjust(score_of_lead(safe));
        }
        // A guaranteed draw is better than a position that can only be worse.
        let low = match self.low {
            0 => UNREALIZED_PENALTY + 1,
            low => low * STONE,
        };
        let high = match self.high {
            0 => -UNREALIZED_PENALTY - 1,
            high => high * STONE,
        };
        evaluation.clamp(low, high)
    }
}

/// Returns the static evaluation: an estimate of the final lead for the player to
/// move.
fn evaluate(position: &Position) -> i32 {
    let mover = position.to_move();
    let side = |player: Player| {
        let mut value = i32::from(position.scores().of(player)) * STONE;
        for &pit in Pit::of(player) {
            value += pit_value(position.stones(pit));
        }
        value
    };
    let max = i32::from(STONES) * STONE;
    (side(mover) - side(mover.opponent())).clamp(-max, max)
}

/// Returns the value of a pit to its owner. The weights are those that won most games
/// against neighboring ones.
fn pit_value(stones: u8) -> i32 {
    match stones {
        // An empty pit is one move fewer.
        0 => -STONE * 3 / 2,
        // A pit that sows a full lap may capture on its own way round.
        12.. => STONE / 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::player::table::Bound;

    /// The numbers are computed by hand, in stones, for the player to move.
    #[test]
    fn the_evaluation_is_the_lead_of_the_player_to_move() {
        for (text, stones) in [
            // North's pits, South's pits, their scores.
            ("4,4,4,4,4,4/4,4,4,4,4,4 0 0", 0.0),
            ("4,4,4,4,4,4/4,4,4,4,1,1 0 6", 6.0),
            ("4,4,4,4,1,1/4,4,4,4,4,4 6 0", -6.0),
            ("4,4,4,1,1,1/4,4,4,4,1,1 9 6", -3.0),
            // An empty pit of South, one of North's, and two.
            ("4,4,4,4,4,4/8,0,4,4,4,4 0 0", -1.5),
            ("8,0,4,4,4,4/4,4,4,4,4,4 0 0", 1.5),
            ("8,0,4,4,4,4/8,8,0,0,4,4 0 0", -1.5),
            // A pit of South with a full lap, and one of North's; 11 stones are none.
            ("4,4,4,4,4,4/12,2,4,2,2,2 0 0", 0.5),
            ("13,1,4,2,2,2/4,4,4,4,4,4 0 0", -0.5),
            ("4,4,4,4,4,4/11,3,4,2,2,2 0 0", 0.0),
            // All of it.
            ("4,4,1,0,1,4/14,1,0,0,1,2 10 6", -4.0 - 1.5 + 0.5),
        ] {
            let sixteenths = (stones * 16.0) as i32;
            for (to_move, expected) in [("s", sixteenths), ("n", -sixteenths)] {
                let text = format!("{text} {to_move}");
                let position = text.parse::<Position>().unwrap();
                assert_eq!(evaluate(&position), expected, "{text}");
            }
        }
    }

    fn probe(proven: bool, root_player: bool) -> Probe {
        Probe {
            proven,
            root_player,
        }
    }

    /// Stones that are not captured yet count a quarter of a stone less.
    #[test]
    fn the_scores_of_the_database_say_what_is_won_and_what_is_captured() {
        for (low, high, proven, root_player, scores) in [
            // A proven lead of 2 stones, and a proven deficit of 3.
            (2, 2, true, true, (WON + 32, WON + 32)),
            (-3, -3, true, false, (-WON - 48, -WON - 48)),
            (0, 0, true, true, (0, 0)),
            (-1, 4, true, true, (-WON - 16, WON + 64)),
            // The range has the scores with the penalty.
            (2, 2, false, true, (WON + 28, WON + 32)),
            (-3, -3, false, false, (-WON - 48, -WON - 44)),
            // In a drawn game it is the player whose move is searched for who prefers captures.
            (0, 0, false, true, (-4, 0)),
            (0, 0, false, false, (0, 4)),
            (-1, 4, false, true, (-WON - 16, WON + 64)),
        ] {
            let lead_bounds = LeadBounds { low, high };
            let found = lead_bounds.scores(probe(proven, root_player));
            assert_eq!(found, scores, "{low} to {high}, {proven} {root_player}");
        }
    }

    #[test]
    fn at_the_horizon_the_evaluation_lies_in_the_bounds() {
        for (low, high, root_player, evaluation, score) in [
            // The game is decided: the bound that is safe for the player whose move is searched for.
            (2, 6, true, 999, WON + 32),
            (2, 6, false, -999, WON + 96),
            (-6, -2, true, 0, -WON - 96),
            (-6, -2, false, 0, -WON - 32),
            (0, 0, true, 77, 0),
            // It is not.
            (-2, 3, true, 20, 20),
            (-2, 3, true, 999, 48),
            (-2, 3, false, -999, -32),
            // A draw that is certain is better than one that is not.
            (0, 3, true, -999, 5),
            (-2, 0, true, 999, -5),
        ] {
            let lead_bounds = LeadBounds { low, high };
            let found = lead_bounds.at_horizon(evaluation, probe(true, root_player));
            assert_eq!(found, score, "{low} to {high}, {root_player}, {evaluation}");
        }
        let lead_bounds = LeadBounds { low: 2, high: 6 };
        assert_eq!(lead_bounds.at_horizon(0, probe(false, true)), WON + 28);
    }

    #[test]
    fn scores_stand_for_stones() {
        for (score, lead) in [
            (0, 0),
            (7, 0),
            (8, 1),
            (-8, -1),
            (23, 1),
            (WON + 32, 2),
            (-WON - 44, -3),
        ] {
            assert_eq!(lead_of_score(score), lead, "{score}");
        }
        let result = |south, north, ending| AwariOutcome {
            scores: Scores { south, north },
            pits: [0; 12],
            ending,
        };
        for (outcome, lead) in [
            (result(25, 20, EndReason::Majority), 2),
            (result(27, 4, EndReason::Majority), 6),
            (result(26, 22, EndReason::NoMove), 4),
            (result(24, 24, EndReason::Repetition), 0),
        ] {
            for (player, lead) in [(Player::South, lead), (Player::North, -lead)] {
                let score = score_of_result(outcome, player);
                assert_eq!(score, score_of_lead(lead), "{outcome:?} {player}");
            }
        }
    }

    /// Calls a function with a search for a move of South's in a position.
    fn with_search(text: &str, stones: u8, test: impl FnOnce(&mut Search<'_>, &Position)) {
        let position = text.parse::<Position>().unwrap();
        let stop = AtomicBool::new(false);
        let limits = Limits::default().stopped_by(&stop);
        let database = Database::build(Variant::default(), stones, 1, &stop).unwrap();
        let game = Game::new(position, Variant::default());
        let mut table = SearchTable::new(4);
        let mut search = Search::new(
            &game,
            Some(&database),
            &mut table,
            &limits,
            Timer::start(None),
        );
        test(&mut search, &position);
    }

    /// F captures the two stones in a.
    #[test]
    fn a_win_by_25_stones_counts_what_play_would_bring() {
        for (text, lead) in [
            // North moves from d to e, and then South has no move: the stone is North's.
            ("1,0,0,1,0,0/0,0,0,0,0,1 21 24 s", 26 - 22),
            ("1,0,0,1,0,0/0,0,0,0,0,1 22 23 s", 25 - 23),
            // North must move from f to A, and has no move after South's: the stone is South's.
            ("1,0,0,0,0,1/0,0,0,0,0,1 21 24 s", 27 - 21),
            ("1,0,0,0,0,1/0,0,0,0,0,1 22 23 s", 26 - 22),
        ] {
            with_search(text, 3, |search, position| {
                let pit: Pit = "F".parse().unwrap();
                assert_eq!(
                    search.lead_if_continued(position, pit),
                    Some(lead),
                    "{text}"
                );
            });
        }
    }

    #[test]
    fn a_repetition_is_proven_if_the_position_was_in_the_game() {
        with_search("4,4,4,4,4,4/4,4,4,4,4,4 0 0 s", 0, |search, start| {
            let position = |text: &str| text.parse::<Position>().unwrap();
            let before = position("4,4,4,4,4,3/4,4,4,4,4,4 1 0 s");
            let below = position("4,4,4,4,4,3/4,4,4,4,4,4 0 1 s");
            search.line = vec![before, *start, below];
            search.root = 1;
            let found = |position, layer_start| {
                let value = search.repetition_value(position, layer_start);
                value.map(|value| (value.proven, value.repeats))
            };
            assert_eq!(found(&before, 0), Some((true, NEVER)));
            assert_eq!(found(start, 0), Some((true, NEVER)));
            assert_eq!(found(&below, 0), Some((false, 2)));
            // Positions before the last capture cannot recur.
            assert_eq!(found(&before, 1), None);
            assert_eq!(found(&position("4,4,4,4,4,2/4,4,4,4,4,4 1 1 s"), 0), None);
        });
    }

    #[test]
    fn a_new_search_has_forgotten_everything() {
        let position = |text: &str| text.parse::<Position>().unwrap();
        let entry = Entry {
            score: 1,
            bound: Bound::Exact,
            depth: 1,
            proven: true,
            best: Pit::ALL[0],
        };
        let mut table = SearchTable::new(12);
        for _ in 0..300 {
            table.start_search();
            for (stones, north) in (0..12).zip((0..12).rev()) {
                // North has the stones that are not in B.
                let text = format!("3,3,3,3,3,3/1,{stones},1,1,1,1 {north} 14 s");
                let position = position(&text);
                assert!(table.get(&position).is_none(), "{text}");
                table.put(&position, entry);
                assert!(table.get(&position).is_some(), "{text}");
            }
        }
    }
}
