//! Speed of the solver: `cargo bench --bench solver`.
//!
//! For each number of stones: the median and the worst time for both values of a position
//! (without and with a preceding pass), with one thread and a new table for each position;
//! the positions searched, and their ratio to those of the solver that computed `tests/solver/values.txt`.
//!
//! `cargo bench --bench solver -- empty` solves the empty board instead, with
//! one thread and with two, which takes minutes.
//!
//! `cargo bench --bench solver -- answers` answers all questions about positions with 0 to 12
//! stones, each with one thread, a new table and the built-in tablebase: the value, best play
//! to the end, and the value of every move. There are 100 positions of each number of stones,
//! drawn evenly from all legal ones, half of them after a pass, and 100 from games between a
//! random player and one that takes as many stones as it can. For each: the median and the
//! worst processor time, and the positions searched. `answers FILE` takes a packed tablebase.
//!
//! `cargo bench --bench solver -- moves` finds the values of all moves as the page of `gothello
//! play` does, in positions with 8 to 13 stones, with one thread and with one for each core, one
//! after the other. For each: the median, the 95th percentile and the worst time.
//!
//! `values`, `empty`, `moves` and `answers` name the parts; `answers` comes last.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use gothello::player::{AnalysisControl, Analyzer, Prover};
use gothello::solver::{Control, Objective, Solver};
use gothello::tablebase::PackedTablebase;
use gothello::{Color, Move, Next, Outcome, Point, PointSet, Position};
use itertools::Itertools;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

/// The table for a position of the file, in MiB.
const SMALL_TABLE: usize = 16;

/// The table for the empty board, in MiB.
const LARGE_TABLE: usize = 1024;

fn main() {
    let parts = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect_vec();
    let is_named = |part: &str| parts.iter().any(|named| named == part);
    if parts.is_empty() || is_named("values") {
        values();
    }
    if is_named("empty") {
        empty_board();
    }
    if is_named("moves") {
        values_of_all_moves();
    }
    let place = parts.iter().position(|named| named == "answers");
    if let Some(place) = place {
        answers(match parts.get(place + 1) {
            None => PackedTablebase::built_in(),
            Some(file) => {
                let bytes = std::fs::read(file).expect("a file");
                Arc::new(PackedTablebase::from_bytes(bytes).expect("a packed tablebase"))
            }
        });
    }
}

/// A line of the file.
struct Known {
    stones: u32,
    position: Position,
    /// Without and with a pass before, as Black sees it.
    values: [String; 2],
    /// Positions that the other solver searched for both.
    positions: u64,
}

impl Known {
    fn read(line: &str) -> Option<Known> {
        let (stones, position, value, after_pass, positions) = line.split(" | ").collect_tuple()?;
        Some(Known {
            stones: stones.trim().parse().ok()?,
            position: position.parse().ok()?,
            values: [value.to_owned(), after_pass.to_owned()],
            positions: positions.trim().parse().ok()?,
        })
    }
}

/// What one position took.
struct Measured {
    time: Duration,
    positions: u64,
    /// Positions searched for each one of the other solver.
    ratio: f64,
}

fn values() {
    let known = include_str!("../tests/common/values.txt")
        .lines()
        .filter_map(Known::read)
        .into_group_map_by(|known| known.stones);
    println!(
        "| stones | median time | worst time | median positions | of the file's | million positions/s |"
    );
    println!("|---|---|---|---|---|---|");
    for (stones, known) in known.into_iter().sorted_by_key(|&(stones, _)| stones) {
        let measured = known.iter().map(measure).collect_vec();
        let worst = measured
            .iter()
            .map(|one| one.time)
            .max()
            .unwrap_or_default();
        let time: Duration = measured.iter().map(|one| one.time).sum();
        let positions: u64 = measured.iter().map(|one| one.positions).sum();
        println!(
            "| {stones} | {} | {} | {} | {:.3} | {:.1} |",
            milliseconds(median(measured.iter().map(|one| one.time))),
            milliseconds(worst),
            median(measured.iter().map(|one| one.positions)),
            median(measured.iter().map(|one| one.ratio)),
            positions as f64 / time.as_secs_f64() / 1e6,
        );
    }
}

/// Solves one position, and checks the values.
fn measure(known: &Known) -> Measured {
    let position = &known.position;
    let after_pass = format!("{position} pass").parse().expect("a position");
    let builder = Solver::builder().memory_mib(SMALL_TABLE).threads(1);
    let solver = builder.tablebase(None).build();
    let started = Instant::now();
    let found = [*position, after_pass].map(|position| solve(&solver, &position));
    let time = started.elapsed();
    assert_eq!(
        found.map(|value| value.to_string()),
        known.values,
        "{position}"
    );
    Measured {
        time,
        positions: solver.positions(),
        ratio: solver.positions() as f64 / known.positions as f64,
    }
}

/// The value as Black sees it.
fn solve(solver: &Solver, position: &Position) -> Outcome {
    solver.solve(position)
}

fn empty_board() {
    println!(
        "| threads | value of the empty board | time | million positions | million positions/s |"
    );
    println!("|---|---|---|---|---|");
    for threads in [1, 2] {
        let solver = Solver::builder()
            .memory_mib(LARGE_TABLE)
            .threads(threads)
            .tablebase(None)
            .build();
        let started = Instant::now();
        let value = solve(&solver, &Position::START);
        let seconds = started.elapsed().as_secs_f64();
        let positions = solver.positions() as f64 / 1e6;
        println!(
            "| {threads} | {value} | {seconds:.1} s | {positions:.1} | {:.1} |",
            positions / seconds
        );
    }
}

/// What all answers about one position took.
struct Answered {
    time: Duration,
    positions: u64,
}

fn values_of_all_moves() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let provers = [1, cores].map(|threads| (threads, Prover::default().sharing_table(threads)));
    println!("| stones | threads | median | 95 % | worst |");
    println!("|---|---|---|---|---|");
    for stones in 8..=13 {
        let mut times = [Vec::new(), Vec::new()];
        let mut random = StdRng::seed_from_u64(stones as u64);
        for _ in 0..DRAWN {
            let position = uniform_position(stones, &mut random);
            for ((_, prover), times) in provers.iter().zip(&mut times) {
                let started = Instant::now();
                let moves = prover.moves(&position, &AnalysisControl::default());
                times.push(started.elapsed());
                assert!(moves.iter().all(|of_move| of_move.bounds.value().is_some()));
            }
        }
        for ((threads, _), times) in provers.iter().zip(times) {
            let times = times.into_iter().sorted().collect_vec();
            println!(
                "| {stones} | {threads} | {} | {} | {} |",
                milliseconds(times[times.len() / 2]),
                milliseconds(times[times.len() * 95 / 100]),
                milliseconds(times[times.len() - 1]),
            );
        }
    }
}

/// The number of positions of each kind.
const DRAWN: usize = 100;

/// The most stones of the positions whose answers are timed.
const MAX_STONES: usize = 12;

fn answers(tablebase: Arc<PackedTablebase>) {
    println!("| stones | median time | worst time | median positions | worst |");
    println!("|---|---|---|---|---|");
    for stones in 0..=MAX_STONES {
        let mut random = StdRng::seed_from_u64(stones as u64);
        let drawn = (0..DRAWN).map(|_| uniform_position(stones, &mut random));
        print_answers(&stones.to_string(), drawn, &tablebase);
    }
    let mut random = StdRng::seed_from_u64(1);
    let drawn = (0..DRAWN).map(|_| position_of_a_weak_game(&mut random));
    print_answers("weak games", drawn, &tablebase);
}

fn print_answers(
    name: &str,
    positions: impl Iterator<Item = Position>,
    tablebase: &Arc<PackedTablebase>,
) {
    let answered = positions
        .map(|position| answer(&position, tablebase))
        .collect_vec();
    let times = || answered.iter().map(|one| one.time);
    let searched = || answered.iter().map(|one| one.positions);
    println!(
        "| {name} | {} | {} | {} | {} |",
        milliseconds(median(times())),
        milliseconds(times().max().unwrap_or_default()),
        median(searched()),
        searched().max().unwrap_or_default(),
    );
}

/// Answers all questions about a position.
fn answer(position: &Position, tablebase: &Arc<PackedTablebase>) -> Answered {
    let control = Control::default();
    let started = ProcessTime::now();
    // As much as `gothello solve` takes for the same position.
    let searched = position.stones().count().max(tablebase.stones() + 1);
    let memory_mib = 1 << 25_u32.saturating_sub(searched + 12).min(10);
    let builder = Solver::builder().memory_mib(memory_mib).threads(1);
    let solver = builder.tablebase(Some(Arc::clone(tablebase))).build();
    let bounds = solver.search(position, Objective::Value, &control);
    let value = bounds.value().expect("an unlimited search");
    let line = solver.search_principal_variation(position, value, &control);
    let moves = solver.search_moves(position, Objective::Value, &control);
    let time = started.elapsed();
    let outcome = Outcome::from_lead(position.to_move(), value);
    assert_eq!(line.outcome, Some(outcome), "{position}");
    let best = moves.iter().map(|of_move| of_move.bounds.low).max();
    assert_eq!(best, Some(value), "{position}");
    Answered {
        time,
        positions: solver.positions(),
    }
}

/// Draws a position with this many stones, each as likely as any other.
fn uniform_position(stones: usize, random: &mut StdRng) -> Position {
    loop {
        let mut points = Point::ALL;
        points.shuffle(random);
        let (mut black, mut white) = (PointSet::EMPTY, PointSet::EMPTY);
        for &point in points.iter().take(stones) {
            let color = if random.random() {
                &mut black
            } else {
                &mut white
            };
            *color |= point.into();
        }
        let to_move = if random.random() {
            Color::Black
        } else {
            Color::White
        };
        // A coloring in which a group has no liberty is drawn again.
        if let Ok(position) = Position::new(black, white, to_move, random.random()) {
            return position;
        }
    }
}

/// Plays a game between a random player and one that takes as many stones as it can, and
/// returns one of its positions with at most [`MAX_STONES`] stones.
fn position_of_a_weak_game(random: &mut StdRng) -> Position {
    let mut position = Position::START;
    let mut seen = vec![position];
    let random_side = if random.random() {
        Color::Black
    } else {
        Color::White
    };
    loop {
        let moves = position.legal_moves().collect_vec();
        let random_move = *moves.choose(random).expect("a pass is legal");
        let mv = if position.to_move() == random_side {
            random_move
        } else {
            let taken = |mv: &Move| match position.play(*mv) {
                Ok(Next::Continues(next)) => -i32::from(next.stones().lead()),
                _ => i32::from(position.stones().lead()),
            };
            moves
                .iter()
                .copied()
                .max_by_key(taken)
                .unwrap_or(random_move)
        };
        match position.play(mv) {
            Ok(Next::Continues(next)) if next.stones().count() as usize <= MAX_STONES => {
                position = next;
                seen.push(position);
            }
            _ => return *seen.choose(random).expect("the start is in it"),
        }
    }
}

/// The value in the middle; of an even number the larger of both.
fn median<T: PartialOrd + Copy + Default>(values: impl Iterator<Item = T>) -> T {
    let sorted = values
        .sorted_by(|one, other| one.partial_cmp(other).expect("no NaN"))
        .collect_vec();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
