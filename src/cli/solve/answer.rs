//! The answer to one position, and the forms in which it is written.

use std::cmp::{Ordering, Reverse};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use itertools::Itertools;
use serde::Serialize;

use super::{Format, Goal};
use crate::cli::search::ProgressLine;
use crate::games::gothello::{Color, Game, Move, Outcome, Picture, Position};
use crate::solving::solver::{
    Bounds, Control, MoveBounds, Objective, OutcomeRange, PrincipalVariation, Progress, Solver,
};

/// A position to solve, with the solver and its settings.
pub struct SolveJob {
    pub position: Position,
    pub goal: Goal,
    pub solver: Solver,
    pub stop: Arc<AtomicBool>,
    pub progress: ProgressLine,
    pub started: Instant,
}

/// The proven outcome, moves and principal variation of a position.
pub struct Answer {
    position: Position,
    goal: Goal,
    range: OutcomeRange,
    /// The legal moves that were searched, the best first if all were; empty before the
    /// outcome is known.
    moves: Vec<MoveBounds>,
    pv: PrincipalVariation,
    /// Whether everything that was asked for is proven.
    pub is_complete: bool,
    positions: u64,
    seconds: f64,
    /// Whether any of this is from the tablebase.
    has_used_tablebase: bool,
}

impl SolveJob {
    /// Finds and writes the answer. Text is written as soon as it is known. `line_number` is
    /// the number of the input line with the position.
    pub fn answer(
        &self,
        out: &mut impl Write,
        format: Format,
        line_number: Option<u64>,
    ) -> io::Result<Answer> {
        let mut answer = self.solve_outcome();
        if format == Format::Text {
            answer.write_outcome(out)?;
            out.flush()?;
        }
        self.solve_moves(&mut answer);
        match format {
            Format::Text => answer.write_rest(out)?,
            Format::Tsv => answer.write_tsv(out)?,
            Format::Json => answer.write_json(out, line_number)?,
        }
        Ok(answer)
    }

    /// Finds the answer, and writes the picture of a game in this position with it.
    pub fn draw(&self, out: &mut impl Write, game: &Game) -> io::Result<Answer> {
        let mut answer = self.solve_outcome();
        self.solve_moves(&mut answer);
        let to_move = self.position.to_move();
        let value = answer.range.bounds_for(to_move);
        let picture = Picture::of_game(game).values(&self.position, to_move, value, &answer.moves);
        writeln!(out, "{}", picture.to_svg())?;
        Ok(answer)
    }

    /// Proves the outcome as far as possible.
    fn solve_outcome(&self) -> Answer {
        let objective = match self.goal {
            Goal::Winner => Objective::Winner,
            Goal::BestMoves | Goal::EveryMove => Objective::Value,
        };
        let to_move = self.position.to_move();
        let text = |progress: &Progress| {
            format!(
                "{} | {} for {to_move}? | {}",
                progress.bounds.seen_by(to_move),
                Outcome::from_lead(to_move, progress.beta),
                self.stats(progress),
            )
        };
        let bounds = self.with_progress(text, |control| {
            self.solver.search(&self.position, objective, control)
        });
        Answer {
            position: self.position,
            goal: self.goal,
            range: bounds.seen_by(to_move),
            moves: Vec::new(),
            pv: PrincipalVariation::default(),
            is_complete: self.goal == Goal::Winner && objective.is_decided_by(bounds),
            positions: self.solver.positions(),
            seconds: self.started.elapsed().as_secs_f64(),
            has_used_tablebase: self.solver.has_used_tablebase(),
        }
    }

    /// Adds the moves and the principal variation if the outcome is known.
    fn solve_moves(&self, answer: &mut Answer) {
        let Some(value) = answer.value().filter(|_| self.goal != Goal::Winner) else {
            return;
        };
        let stats = |progress: &Progress| self.stats(progress);
        // The principal variation has been in the table since the search of the outcome.
        answer.pv = self.with_progress(stats, |control| {
            self.solver
                .search_principal_variation(&self.position, value, control)
        });
        let objective = match self.goal {
            Goal::EveryMove => Objective::Value,
            Goal::BestMoves | Goal::Winner => Objective::AtLeast(value),
        };
        answer.moves = self.with_progress(stats, |control| {
            self.solver.search_moves(&self.position, objective, control)
        });
        if self.goal == Goal::EveryMove {
            let rank = |judged: &MoveBounds| Reverse((judged.bounds.low, judged.bounds.high));
            answer.moves.sort_by_key(rank);
        }
        let is_known = |judged: &MoveBounds| objective.is_decided_by(judged.bounds);
        answer.is_complete = answer.pv.outcome.is_some() && answer.moves.iter().all(is_known);
        answer.positions = self.solver.positions();
        answer.seconds = self.started.elapsed().as_secs_f64();
        answer.has_used_tablebase = self.solver.has_used_tablebase();
    }

    /// Runs a search while the progress line shows `text`.
    fn with_progress<T>(
        &self,
        text: impl Fn(&Progress) -> String + Sync,
        work: impl FnOnce(&Control<'_>) -> T,
    ) -> T {
        let watch = |progress: &Progress| self.progress.show(|| text(progress));
        let done = work(&Control::until(&self.stop).reporting_to(&watch));
        self.progress.clear();
        done
    }

    /// Returns the number of positions and the speed, as text.
    fn stats(&self, progress: &Progress) -> String {
        let millions = progress.positions as f64 / 1e6;
        let speed = millions / self.started.elapsed().as_secs_f64();
        format!("{millions:.1} million | {speed:.1} million/s")
    }
}

impl Answer {
    /// Returns the value for the player to move, if it is known.
    fn value(&self) -> Option<i8> {
        self.range.bounds_for(self.position.to_move()).value()
    }

    /// Returns the moves that are proven to keep the value, and the moves that may keep it.
    fn optimal_moves(&self) -> (Vec<Move>, Vec<Move>) {
        let Some(value) = self.value() else {
            return Default::default();
        };
        let those = |is_wanted: &dyn Fn(Bounds) -> bool| {
            let wanted = self.moves.iter().filter(|judged| is_wanted(judged.bounds));
            wanted.map(|judged| judged.mv).collect_vec()
        };
        let best = those(&|bounds| bounds.low >= value);
        let unknown = those(&|bounds| !Objective::AtLeast(value).is_decided_by(bounds));
        (best, unknown)
    }

    /// Returns who wins and the minimum margin, as text.
    fn winner(&self) -> (String, Option<String>) {
        let won = |winner: Color, least: Outcome| {
            let least = format!("at least {least}");
            (format!("{winner} wins"), Some(least))
        };
        match self.range.sign() {
            Some(Ordering::Equal) => ("drawn".to_owned(), None),
            Some(Ordering::Greater) => won(Color::Black, self.range.low()),
            Some(Ordering::Less) => won(Color::White, self.range.high()),
            None => (self.range.to_string(), None),
        }
    }

    fn write_outcome(&self, out: &mut impl Write) -> io::Result<()> {
        if self.goal != Goal::Winner {
            return writeln!(out, "{}", self.range);
        }
        let (winner, least) = self.winner();
        writeln!(out, "{winner}")?;
        least.map_or(Ok(()), |least| writeln!(out, "{least}"))
    }

    fn write_rest(&self, out: &mut impl Write) -> io::Result<()> {
        if !self.moves.is_empty() {
            writeln!(out, "best moves: {}", self.best_moves())?;
            writeln!(out, "principal variation: {}", self.principal_variation())?;
        }
        if self.goal == Goal::EveryMove {
            let to_move = self.position.to_move();
            for MoveBounds { mv, bounds } in &self.moves {
                writeln!(out, "  {:<4}  {}", mv.to_string(), bounds.seen_by(to_move))?;
            }
        }
        let (positions, seconds) = (self.positions, self.seconds);
        let speed = positions as f64 / seconds / 1e6;
        let tablebase = match self.has_used_tablebase {
            true => "; the rest is from the tablebase",
            false => "",
        };
        writeln!(
            out,
            "{positions} positions, {seconds:.3} s, {speed:.1} million positions/s{tablebase}"
        )
    }

    /// Returns the moves that keep the value and those that may, as text.
    fn best_moves(&self) -> String {
        let (best, unknown) = self.optimal_moves();
        let best = best.iter().join(" ");
        match unknown.is_empty() {
            true => best,
            false => format!("{best} (and perhaps {})", unknown.iter().join(" ")),
        }
    }

    fn principal_variation(&self) -> String {
        let moves = self.pv.moves.iter().join(" ");
        match self.pv.outcome {
            Some(_) => moves,
            None => format!("{moves} ..."),
        }
    }

    fn write_tsv(&self, out: &mut impl Write) -> io::Result<()> {
        let mut columns = match self.goal {
            Goal::Winner => {
                let (winner, least) = self.winner();
                [winner].into_iter().chain(least).collect_vec()
            }
            Goal::BestMoves | Goal::EveryMove => vec![self.range.to_string()],
        };
        if !self.moves.is_empty() {
            columns.extend([self.best_moves(), self.principal_variation()]);
        }
        if self.goal == Goal::EveryMove && !self.moves.is_empty() {
            let to_move = self.position.to_move();
            let value =
                |judged: &MoveBounds| format!("{} {}", judged.mv, judged.bounds.seen_by(to_move));
            columns.push(self.moves.iter().map(value).join(", "));
        }
        writeln!(out, "{}", columns.join("\t"))
    }

    fn write_json(&self, out: &mut impl Write, line_number: Option<u64>) -> io::Result<()> {
        let to_move = self.position.to_move();
        let (best, unknown) = self.optimal_moves();
        let is_asked = self.goal != Goal::Winner && !self.moves.is_empty();
        let moves = self.moves.iter().map(|judged| JsonMove {
            mv: judged.mv,
            proven: Proven::of(judged.bounds.seen_by(to_move)),
        });
        let json = Json {
            line: line_number,
            position: self.position,
            winner: self.range.sign().map(|sign| match sign {
                Ordering::Greater => "black",
                Ordering::Less => "white",
                Ordering::Equal => "draw",
            }),
            proven: Proven::of(self.range),
            best_moves: (is_asked && unknown.is_empty()).then_some(best),
            pv: self.pv.outcome.map(|_| &*self.pv.moves),
            moves: (self.goal == Goal::EveryMove && is_asked).then(|| moves.collect()),
            complete: self.is_complete,
            positions: self.positions,
            seconds: self.seconds,
            tablebase: self.has_used_tablebase,
        };
        writeln!(out, "{}", serde_json::to_string(&json)?)
    }
}

/// An answer as the help documents it.
#[derive(Serialize)]
struct Json<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    position: Position,
    winner: Option<&'static str>,
    #[serde(flatten)]
    proven: Proven,
    best_moves: Option<Vec<Move>>,
    pv: Option<&'a [Move]>,
    moves: Option<Vec<JsonMove>>,
    complete: bool,
    positions: u64,
    seconds: f64,
    tablebase: bool,
}

/// The value and bounds of an outcome.
#[derive(Serialize)]
struct Proven {
    value: Option<Outcome>,
    bounds: JsonBounds,
}

#[derive(Serialize)]
struct JsonBounds {
    low: Outcome,
    high: Outcome,
}

#[derive(Serialize)]
struct JsonMove {
    #[serde(rename = "move")]
    mv: Move,
    #[serde(flatten)]
    proven: Proven,
}

impl Proven {
    fn of(range: OutcomeRange) -> Proven {
        Proven {
            value: range.outcome(),
            bounds: JsonBounds {
                low: range.low(),
                high: range.high(),
            },
        }
    }
}
