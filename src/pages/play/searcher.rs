//! A search on the thread that calls it: the same for the server and for a page without one.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use itertools::Itertools;

use super::line::Line;
use super::wire::{Content, ReviewView, Search};
use crate::base::rng::Rng;
use crate::base::timer::{self, Moment};
use crate::games::awari;
use crate::games::gothello::{self, Move, Position};
use crate::player::{
    AnalysisControl, Analyzer, AwariChoice, AwariSearch, Choice, Level, LeveledPlayer, Limits,
    MAX_CHOICE_TIME, PerfectPlayer, Player, Prover, Skill, awari_moves_to_go, moves_to_go,
    share_of_clock,
};
use crate::solving::review::Review;
use crate::solving::solver::{Bounds, Control, MoveBounds, Objective};

/// The shortest time between two messages about a search.
const INTERVAL: Duration = Duration::from_millis(50);

/// The longest time for a move of the engine in Gothello. Weak levels take a few milliseconds, and
/// so do most proofs; the page says what the perfect player does then.
const MOVE_TIME: Duration = Duration::from_secs(10);

/// The part of the clock that is kept back because messages take time.
const RESERVE: Duration = Duration::from_millis(200);

/// What searches for visitors share: tables of what is proven, and players.
pub struct Searcher {
    prover: Prover,
    seed: Option<u64>,
    random_best: bool,
    /// Returns a random number, for choices without a seed.
    random: fn() -> u64,
    /// The players of Awari that do not search now: never more than searches for moves.
    awari_players: Mutex<Vec<AwariSearch>>,
    /// The number of positions searched so far.
    positions: AtomicU64,
}

impl Searcher {
    /// Creates a searcher.
    ///
    /// The engine's random choices, at levels and with `random_best` between best moves, follow from the
    /// seed and the position; without a seed, from what `random` returns.
    pub fn new(
        prover: Prover,
        seed: Option<u64>,
        random_best: bool,
        random: fn() -> u64,
    ) -> Searcher {
        Searcher {
            prover,
            seed,
            random_best,
            random,
            awari_players: Mutex::default(),
            positions: AtomicU64::new(0),
        }
    }

    /// Returns the number of positions searched so far.
    pub fn positions(&self) -> u64 {
        self.positions.load(Ordering::Relaxed)
    }

    fn count(&self, positions: u64) {
        self.positions.fetch_add(positions, Ordering::Relaxed);
    }

    /// Returns the player of a level for the move in a position, of which each visitor gets the same one
    /// if there is a seed.
    fn player(&self, prover: Prover, level: Level, position: &Position) -> LeveledPlayer {
        let of_position = |seed| {
            let text = position.to_string();
            text.bytes()
                .fold(seed, |seed, byte| Rng::new(seed ^ u64::from(byte)).next())
        };
        let seed = self.seed.map_or_else(self.random, of_position);
        let mut perfect = Box::new(PerfectPlayer::new(Arc::new(prover)));
        if self.random_best {
            perfect.vary(seed);
        }
        LeveledPlayer::new(perfect, Skill::new(level, seed))
    }
}

/// Tells of a search, not too often, and says when it has to stop.
pub struct Report<'a> {
    stop: &'a AtomicBool,
    /// When the search has to stop, if nobody else sets the flag.
    end: Option<Moment>,
    send: &'a (dyn Fn(Content) + Sync),
    /// What was last shown as progress, and when.
    last: Mutex<Option<(Content, Option<Moment>)>>,
}

impl<'a> Report<'a> {
    /// Creates the report of a search that ends soon after the flag is set, and at a time if one is given.
    /// `send` is called with the latest state, by one thread at a time.
    pub fn new(
        stop: &'a AtomicBool,
        end: Option<Moment>,
        send: &'a (dyn Fn(Content) + Sync),
    ) -> Report<'a> {
        Report {
            stop,
            end,
            send,
            last: Mutex::default(),
        }
    }

    fn send(&self, content: Content) {
        (self.send)(content);
    }

    /// Returns the control of a search without progress.
    fn control(&self) -> Control<'a> {
        Control::until(self.stop)
    }

    /// Stops the search if its time is over.
    fn check(&self) {
        if self.end.is_some_and(timer::has_passed) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Reports the bounds proven so far, unless that is the last report, or the last report was
    /// just now.
    fn progress(&self, content: impl FnOnce() -> Content) {
        self.check();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let at = last.as_ref().and_then(|&(_, at)| at);
        if at.is_some_and(|at| at.elapsed() < INTERVAL) {
            return;
        }
        let content = content();
        if last.as_ref().is_none_or(|(last, _)| *last != content) {
            *last = Some((content.clone(), timer::now()));
            self.send(content);
        }
    }
}

/// Describes the bounds on the value of a position and on those of its moves.
fn values(value: Bounds, moves: &[MoveBounds], done: bool, hardest: Option<Move>) -> Content {
    let entry = |entry: &MoveBounds| (entry.mv, entry.bounds.low, entry.bounds.high);
    Content::Values {
        value: (value.low, value.high),
        moves: moves.iter().map(entry).collect(),
        done,
        hardest,
    }
}

impl Search {
    /// Searches with so many threads until it is done or stopped. Returns whether it is done. A clock
    /// has run for `elapsed` since the search was asked for. `choice` is what an earlier part of this search
    /// for a move has found.
    pub fn run(
        &self,
        searcher: &Searcher,
        threads: usize,
        elapsed: Duration,
        choice: &mut MoveChoice,
        report: &Report<'_>,
    ) -> bool {
        let prover = searcher.prover.sharing_table(threads);
        let within = |longest: Duration, left: Option<Duration>, moves| {
            let left = left.map(|left| left.saturating_sub(elapsed));
            let share = left.map(|left| share_of_clock(left, RESERVE, moves));
            share.map_or(longest, |share| share.min(longest))
        };
        let counted = |is_done| {
            searcher.count(prover.positions());
            is_done
        };
        match self {
            Search::Values(position) => counted(find_values(&prover, position, report)),
            Search::BestLine(position) => counted(find_best_line(&prover, position, report)),
            Search::Review(line) => counted(review(&prover, line, report)),
            Search::Move(position, level, left) => {
                let time = within(MOVE_TIME, *left, moves_to_go(position.empty().len()));
                let mut limits = choice.limits(time, report);
                // The moves of weak levels are found at once.
                let is_weak = *level != Level::Perfect;
                if is_weak {
                    limits = limits.ending_at(None);
                }
                let player = choice.player.get_or_insert_with(|| {
                    let player = searcher.player(prover, *level, position);
                    Box::new(player)
                });
                let chosen = player.choose(position, &limits);
                searcher.count(chosen.positions);
                choice.keep(chosen);
                if !is_weak && choice.is_interrupted(report) {
                    return false;
                }
                let chosen = choice.proven.unwrap_or(chosen);
                report.send(Content::Move {
                    mv: chosen.mv.to_string(),
                    is_estimate: !is_weak && !chosen.proven,
                });
                true
            }
            Search::AwariMove(game, time, left) => {
                let time = within(*time, *left, awari_moves_to_go(game));
                let limits = choice.limits(time, report);
                let chosen = choose_pit(&searcher.awari_players, game, &limits);
                searcher.count(chosen.positions);
                // What begins anew may not get as deep.
                let deepest = choice.deepest.filter(|last| last.depth > chosen.depth);
                let chosen = deepest.unwrap_or(chosen);
                choice.deepest = Some(chosen);
                if !chosen.proven && choice.is_interrupted(report) {
                    return false;
                }
                report.send(Content::Move {
                    mv: chosen.pit.to_string(),
                    is_estimate: false,
                });
                true
            }
        }
    }
}

/// A search for a move that may be interrupted, and goes on later.
#[derive(Debug, Default)]
pub struct MoveChoice {
    /// When it has to be done.
    end: Option<Moment>,
    /// The player of Gothello.
    player: Option<Box<LeveledPlayer>>,
    /// The last choice in Gothello that is proven.
    proven: Option<Choice>,
    /// The choice of the deepest search in Awari so far.
    deepest: Option<AwariChoice>,
}

impl MoveChoice {
    /// Returns the limits of a search that may take this much time when it begins, and less when it goes on.
    /// It is interrupted when the report says so.
    fn limits<'a>(&mut self, time: Duration, report: &Report<'a>) -> Limits<'a> {
        if self.end.is_none() {
            self.end = timer::deadline_in(time);
        }
        let left = match (self.end, timer::now()) {
            (Some(end), Some(now)) => end.since(now),
            _ => time,
        };
        let limits = Limits::within(left).stopped_by(report.stop);
        limits.ending_at(report.end)
    }

    /// Keeps a choice if it is proven. From the first one on, what is left is the choice between best moves,
    /// which takes no longer than without interruptions.
    fn keep(&mut self, chosen: Choice) {
        if !chosen.proven {
            return;
        }
        if self.proven.is_none() {
            let latest = timer::deadline_in(MAX_CHOICE_TIME);
            self.end = self.end.into_iter().chain(latest).min();
        }
        self.proven = Some(chosen);
    }

    /// Returns whether the search that just ended was interrupted.
    fn is_interrupted(&self, report: &Report<'_>) -> bool {
        let is_over = self.end.is_none_or(timer::has_passed);
        !is_over && report.end.is_some_and(timer::has_passed)
    }
}

/// Finds the value of the position, then that of each move, then which of the best ones is hardest to
/// answer.
fn find_values(prover: &Prover, position: &Position, report: &Report<'_>) -> bool {
    // The value is known sooner than those of all moves, and bounds them.
    let none = position.legal_moves().map(|mv| MoveBounds {
        mv,
        bounds: Bounds::UNKNOWN,
    });
    let none = none.collect_vec();
    let control = Control {
        on_progress: &|now| report.progress(|| values(now.bounds, &none, false, None)),
        ..report.control()
    };
    let value = prover.value(position, Objective::Value, &control);
    let control = AnalysisControl {
        stop: report.stop,
        on_progress: &|moves| report.progress(|| values(value, moves, false, None)),
    };
    let moves = prover.moves(position, &control);
    let is_open = |entry: &MoveBounds| entry.bounds.value().is_none();
    let Some(value) = value.value().filter(|_| !moves.iter().any(is_open)) else {
        report.send(values(value, &moves, false, None));
        return false;
    };
    let values = |done, hardest| values(Bounds::exactly(value), &moves, done, hardest);
    report.send(values(false, None));
    let best = moves.iter().filter(|entry| entry.bounds.low == value);
    let best = best.map(|entry| entry.mv).collect_vec();
    let hardest = prover.hardest_to_answer(
        position,
        &best,
        value,
        &Control {
            on_progress: &|_| report.check(),
            ..report.control()
        },
    );
    let is_done = hardest.is_some();
    if is_done {
        report.send(values(true, hardest));
    }
    is_done
}

fn find_best_line(prover: &Prover, position: &Position, report: &Report<'_>) -> bool {
    let control = AnalysisControl {
        stop: report.stop,
        on_progress: &|_| report.check(),
    };
    let line = prover.principal_variation(position, &control);
    let is_whole = line.outcome.is_some();
    if is_whole {
        report.send(Content::BestLine { moves: line.moves });
    }
    is_whole
}

/// Finds what each move of a line cost, and for those that lost stones the best moves.
fn review(prover: &Prover, line: &Line<gothello::Game>, report: &Report<'_>) -> bool {
    let mut review = Review::new(line.game());
    let reviewed =
        |review: &Review, done| Content::Review(ReviewView::new(line.game(), review, done));
    let unknown = review.without_value().collect_vec();
    for position in unknown {
        let control = Control {
            on_progress: &|_| report.progress(|| reviewed(&review, false)),
            ..report.control()
        };
        let bounds = prover.value(&position, Objective::Value, &control);
        let Some(value) = bounds.seen_by(position.to_move()).outcome() else {
            report.send(reviewed(&review, false));
            return false;
        };
        review.set_value(&position, value);
    }
    let losing = review.plies().filter(|ply| ply.lost > Some(0));
    let losing = losing.map(|ply| ply.position).collect_vec();
    for position in losing {
        let control = AnalysisControl {
            stop: report.stop,
            on_progress: &|_| report.progress(|| reviewed(&review, false)),
        };
        let best = prover.best_moves(&position, &control);
        if !best.complete {
            report.send(reviewed(&review, false));
            return false;
        }
        review.set_best_moves(&position, best.moves);
    }
    report.send(reviewed(&review, true));
    true
}

/// Chooses a move of Awari with a player that is free, or else a new one.
fn choose_pit(
    players: &Mutex<Vec<AwariSearch>>,
    game: &awari::Game,
    limits: &Limits<'_>,
) -> AwariChoice {
    let lock = || players.lock().unwrap_or_else(PoisonError::into_inner);
    let free = lock().pop();
    let mut player = free.unwrap_or_else(|| AwariSearch::new(None));
    let choice = player.choose(game, limits);
    lock().push(player);
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_do_not_prolong_the_choice_between_best_moves() {
        let stop = AtomicBool::new(false);
        let report = Report::new(&stop, None, &|_| ());
        let mut choice = MoveChoice::default();
        let time = Duration::from_secs(3_600);
        assert!(choice.limits(time, &report).time.unwrap() > MAX_CHOICE_TIME * 2);
        let (first, later) = (Choice::new(Move::Pass), Choice::new("c3".parse().unwrap()));
        choice.keep(first);
        assert!(choice.limits(time, &report).time.unwrap() > MAX_CHOICE_TIME * 2);
        choice.keep(first.proven_lead(3));
        let end = choice.end;
        assert!(choice.limits(time, &report).time.unwrap() <= MAX_CHOICE_TIME);
        // Further choices have the same end, and estimates replace no proof.
        choice.keep(later.proven_lead(3));
        choice.keep(first);
        assert_eq!(choice.end, end);
        assert_eq!(choice.proven.map(|choice| choice.mv), Some(later.mv));
    }
}
