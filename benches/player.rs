//! How many results the engine's moves throw away: `cargo bench --bench player`.
//!
//! The positions are those of games by weak players, beginners' levels and players that
//! move at random, with a pass now and then; each number of stones from 6 to 10 comes
//! equally often, and a third of the positions after a pass. None of them is lost. The
//! engine chooses a move in each of them, with a new table each time. A result is lost if
//! a won position is no longer won after the move, or a drawn position is lost. This is
//! found without a limit, which takes half an hour for the default positions: `--values
//! FILE` keeps the values for the next time, and a packed tablebase of 9 or 10 stones
//! (`--tablebase FILE`) finds most of them at once. The engine is measured with each given tablebase,
//! too.
//!
//! The search is limited by the number of positions, so that neither the machine nor its
//! load matters; or, with `--move-time`, by time.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use gothello::player::{
    Analyzer, Choice, Level, LeveledPlayer, Limits, PerfectPlayer, Player, Prover, Skill,
};
use gothello::solver::{Control, Objective, PositionBudget};
use gothello::tablebase::PackedTablebase;
use gothello::{Move, Next, Position};
use itertools::Itertools;

#[path = "../tests/common/positions.rs"]
#[allow(dead_code)]
mod positions;

use positions::RandomPlayer;

/// The numbers of stones that the positions have.
const STONES: std::ops::RangeInclusive<u32> = 6..=10;

/// Measure how many results the engine's moves throw away
#[derive(Parser)]
struct Arguments {
    /// The number of positions
    #[arg(long, default_value_t = 500)]
    positions: usize,
    /// Positions that may be searched for a move; may be given more than once
    #[arg(long, default_values_t = [20_000, 50_000, 120_000, 300_000, 1_000_000])]
    budget: Vec<u64>,
    /// Seconds for a move, in place of budgets; may be given more than once
    #[arg(long)]
    move_time: Vec<f64>,
    /// The file that keeps values for the next time
    #[arg(long)]
    values: Option<PathBuf>,
    /// A packed tablebase to measure, too; may be given more than once, and the last one finds results
    #[arg(long)]
    tablebase: Vec<PathBuf>,
    /// The table for the values, in MiB
    #[arg(long, default_value_t = 2048)]
    hash: usize,
    /// Print each move that loses a result
    #[arg(long)]
    shown: bool,
    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

/// What limits the search for a move.
#[derive(Clone, Copy)]
enum Limit {
    Positions(u64),
    Time(Duration),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Positions(positions) => write!(f, "{positions} positions"),
            Limit::Time(time) => write!(f, "{} s", time.as_secs_f64()),
        }
    }
}

fn main() {
    let arguments = Arguments::parse();
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).expect("the tablebase can be read");
        let tablebase = PackedTablebase::from_bytes(bytes).expect("it is a packed tablebase");
        (tablebase.stones().to_string(), Some(Arc::new(tablebase)))
    };
    let mut tablebases = vec![
        ("none".to_owned(), None),
        ("built in".to_owned(), Some(PackedTablebase::built_in())),
    ];
    tablebases.extend(arguments.tablebase.iter().map(read));
    let largest = tablebases
        .iter()
        .rev()
        .find_map(|(_, tablebase)| tablebase.clone());
    let largest = largest.expect("one is built in");
    let mut judge = Judge::new(arguments.hash, largest, arguments.values);
    let reached = sample(arguments.positions, &mut judge);
    let limits = match arguments.move_time[..] {
        [] => arguments
            .budget
            .into_iter()
            .map(Limit::Positions)
            .collect_vec(),
        ref times => {
            let times = times.iter().copied().map(Duration::from_secs_f64);
            times.map(Limit::Time).collect()
        }
    };
    println!("| limit | tablebase | results lost | by stones | unproven | positions | time |");
    println!("|---|---|---|---|---|---|---|");
    for (name, tablebase) in &tablebases {
        for &limit in &limits {
            let mut sum = Sum::default();
            for Reached { moves, position } in &reached {
                let started = Instant::now();
                let choice = choose(position, limit, tablebase.clone());
                sum.time += started.elapsed();
                let (before, after) = (judge.result(position), judge.after(position, choice.mv));
                sum.add(position, after < before, choice);
                if arguments.shown && after < before {
                    let moves = moves.iter().join(" ");
                    println!("{limit}: {position} ({moves}) {choice}: {after} instead of {before}");
                }
            }
            println!("| {limit} | {name} | {sum} |");
        }
    }
}

/// Returns the choice of an engine that has not searched before.
fn choose(position: &Position, limit: Limit, tablebase: Option<Arc<PackedTablebase>>) -> Choice {
    let prover = match tablebase {
        Some(tablebase) => Prover::new().with_tablebase(|| tablebase),
        None => Prover::new(),
    };
    let mut player = PerfectPlayer::new(Arc::new(prover));
    match limit {
        Limit::Time(time) => player.choose(position, &Limits::within(time)),
        Limit::Positions(positions) => {
            let budget = PositionBudget::new(positions);
            player.choose(position, &Limits::default().spending(&budget))
        }
    }
}

/// A position, and the moves that led to it.
struct Reached {
    moves: Vec<Move>,
    position: Position,
}

/// Returns positions of games by weak players, always the same, none of which is lost.
fn sample(count: usize, judge: &mut Judge) -> Vec<Reached> {
    let mut rng = RandomPlayer::new(15);
    let mut reached: Vec<Reached> = Vec::with_capacity(count);
    let mut seed = 0;
    while reached.len() < count {
        seed += 1;
        let stones = STONES.start() + reached.len() as u32 % STONES.clone().count() as u32;
        let found = game(stones, seed, &mut rng);
        // No position twice.
        reached.extend(found.filter(|found| {
            let is_new = |old: &Reached| old.position != found.position;
            reached.iter().all(is_new) && judge.result(&found.position) >= 0
        }));
    }
    reached
}

/// Returns the first position with this many stones of a game of weak players, unless the
/// game ends before.
fn game(stones: u32, seed: u64, rng: &mut RandomPlayer) -> Option<Reached> {
    let mut players = [0, 1].map(|side| player(2 * seed + side, rng));
    let mut moves = Vec::new();
    let mut position = Position::START;
    let passes_at_the_end = rng.below(3) == 0;
    for ply in 0.. {
        let is_there = position.stones().count() == stones;
        if is_there && (position.after_pass() || !passes_at_the_end) {
            return Some(Reached { moves, position });
        }
        let mv = if is_there || rng.below(8) == 0 {
            Move::Pass
        } else {
            players[ply % 2].choose(&position, &Limits::default()).mv
        };
        moves.push(mv);
        match position.play(mv).expect("a legal move") {
            Next::Continues(next) => position = next,
            Next::Ends(_) => break,
        }
    }
    None
}

/// Returns a player of level 1, 2 or 3, or one that makes random moves.
fn player(seed: u64, rng: &mut RandomPlayer) -> Box<dyn Player> {
    match rng.below(4) {
        0 => Box::new(RandomPlayer::new(seed)),
        level => {
            let level = Level::all().nth(level - 1).expect("a level");
            // It is never asked for a move, because the level is weak.
            let strong = Box::new(RandomPlayer::new(seed));
            Box::new(LeveledPlayer::new(strong, Skill::new(level, seed)))
        }
    }
}

/// Finds results under best play, and keeps them.
struct Judge {
    prover: Prover,
    known: HashMap<Position, i8>,
    file: Option<File>,
}

impl Judge {
    fn new(megabytes: usize, tablebase: Arc<PackedTablebase>, path: Option<PathBuf>) -> Judge {
        let text = path.as_ref().and_then(|path| fs::read_to_string(path).ok());
        let known = text.unwrap_or_default();
        let known = known.lines().filter_map(|line| {
            let (position, value) = line.split_once(": ")?;
            Some((position.parse().ok()?, value.parse().ok()?))
        });
        let open = |path| OpenOptions::new().create(true).append(true).open(path);
        Judge {
            prover: Prover::new()
                .memory_mib(megabytes)
                .with_tablebase(|| tablebase),
            known: known.collect(),
            file: path.map(|path| open(path).expect("the file of values can be written")),
        }
    }

    /// Returns the result for the player to move: 1 for a win, 0 for a draw, -1 for a loss.
    fn result(&mut self, position: &Position) -> i8 {
        if let Some(&result) = self.known.get(position) {
            return result;
        }
        let bounds = self
            .prover
            .value(position, Objective::Winner, &Control::UNLIMITED);
        let result = bounds.low.signum();
        if let Some(file) = &mut self.file {
            writeln!(file, "{position}: {result}").expect("there is room for values");
        }
        self.known.insert(*position, result);
        result
    }

    /// Returns the result after a legal move for the player who makes it.
    fn after(&mut self, position: &Position, mv: Move) -> i8 {
        match position.play(mv).expect("the engine's moves are legal") {
            Next::Continues(child) => -self.result(&child),
            Next::Ends(_) => position.stones().lead().signum(),
        }
    }
}

/// What many moves lose together.
#[derive(Default)]
struct Sum {
    lost: u32,
    /// The results lost with each number of stones.
    by_stones: [u32; STONES.end().abs_diff(*STONES.start()) as usize + 1],
    unproven: u32,
    positions: u64,
    time: Duration,
}

impl Sum {
    fn add(&mut self, position: &Position, is_lost: bool, choice: Choice) {
        let lost = u32::from(is_lost);
        self.lost += lost;
        self.by_stones[(position.stones().count() - STONES.start()) as usize] += lost;
        self.unproven += u32::from(!choice.proven);
        self.positions += choice.positions;
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_stones = STONES.zip(self.by_stones);
        let by_stones = by_stones.map(|(stones, lost)| format!("{stones}: {lost}"));
        let Sum {
            lost,
            unproven,
            positions,
            time,
            ..
        } = self;
        let by_stones = by_stones.format(", ");
        write!(
            f,
            "{lost} | {by_stones} | {unproven} | {positions} | {:.1} s",
            time.as_secs_f64()
        )
    }
}
