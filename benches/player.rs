//! How many stones the engine's moves lose: `cargo bench --bench player`.
//!
//! The positions are those of games by weak players, beginners' levels and players who
//! move at random, with a pass now and then; each number of stones from 2 to 9 comes
//! equally often, and a third of the positions after a pass. The engine is asked for its
//! move in each of them, by GTP and in a new process each time. Then the exact values of
//! the position and of the move are found, without a limit of time, which takes hours for
//! a thousand positions: `--values FILE` keeps them for the next time.
//!
//! `--program PATH` asks another version of the engine; `--shown` prints each move that
//! loses something.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Parser;
use gothello::gtp_engine::{GtpEngine, Launch};
use gothello::player::{Analyzer, Level, LeveledPlayer, Limits, Player, Prover, Skill};
use gothello::solver::{Control, Objective};
use gothello::tablebase::PackedTablebase;
use gothello::{Move, Next, Position};
use itertools::Itertools;

#[path = "../tests/common/positions.rs"]
#[allow(dead_code)]
mod positions;

use positions::RandomPlayer;

/// How many stones the positions have.
const STONES: std::ops::RangeInclusive<u32> = 2..=9;

/// Measure how many stones the engine's moves lose
#[derive(Parser)]
struct Arguments {
    /// How many positions
    #[arg(long, default_value_t = 40)]
    positions: usize,
    /// Leave out so many positions first
    #[arg(long, default_value_t = 0)]
    skip: usize,
    /// Leave out positions with fewer stones
    #[arg(long, default_value_t = *STONES.start())]
    stones: u32,
    /// Seconds for a move; may be given more than once
    #[arg(long, default_values_t = [0.1, 1.0])]
    move_time: Vec<f64>,
    /// The engine
    #[arg(long, default_value = env!("CARGO_BIN_EXE_gothello"))]
    program: String,
    /// Where exact values are kept
    #[arg(long)]
    values: Option<PathBuf>,
    /// The table for exact values, in MiB
    #[arg(long, default_value_t = 2048)]
    hash: usize,
    /// Print each move that loses something
    #[arg(long)]
    shown: bool,
    /// Only find the exact values of the positions
    #[arg(long)]
    solve: bool,
    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    let reached = sample(arguments.skip + arguments.positions);
    let mut reached = reached.into_iter().skip(arguments.skip).collect_vec();
    reached.retain(|reached| reached.position.stones().count() >= arguments.stones);
    let mut judge = Judge::new(arguments.hash, arguments.values);
    if arguments.solve {
        // The later ones help with the earlier ones.
        reached.sort_by_key(|reached| std::cmp::Reverse(reached.position.stones().count()));
        for reached in &reached {
            judge.value(&reached.position);
        }
        return;
    }
    println!(
        "| seconds a move | positions | moves that lose the result | moves that lose stones | stones lost | longest time |"
    );
    println!("|---|---|---|---|---|---|");
    for seconds in arguments.move_time {
        let chosen = reached
            .iter()
            .map(|reached| reached.ask(&arguments.program, seconds))
            .collect_vec();
        let mut sum = Sum::default();
        for (reached, (mv, time)) in reached.iter().zip(chosen) {
            let loss = judge.loss(&reached.position, mv);
            sum.add(loss, time);
            if arguments.shown && loss.after < loss.value {
                println!("{seconds}: {reached} {mv}: {loss}");
            }
        }
        println!("| {seconds} | {} | {sum} |", reached.len());
    }
}

/// A position, and how it came about.
struct Reached {
    moves: Vec<(&'static str, Move)>,
    position: Position,
}

/// Positions of games by weak players, always the same.
fn sample(count: usize) -> Vec<Reached> {
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
            reached.iter().all(is_new)
        }));
    }
    reached
}

/// The first position with so many stones of a game of weak players, unless the game
/// ends before.
fn game(stones: u32, seed: u64, rng: &mut RandomPlayer) -> Option<Reached> {
    let mut players = [0, 1].map(|side| player(2 * seed + side, rng));
    let mut moves = Vec::new();
    let mut position = Position::START;
    let stop = AtomicBool::new(false);
    let limits = Limits {
        time: None,
        stop: &stop,
    };
    let passes_at_the_end = rng.below(3) == 0;
    for ply in 0.. {
        let is_there = position.stones().count() == stones;
        if is_there && (position.after_pass() || !passes_at_the_end) {
            return Some(Reached { moves, position });
        }
        let mv = if is_there || rng.below(8) == 0 {
            Move::Pass
        } else {
            players[ply % 2].choose(&position, &limits).mv
        };
        let color = if ply.is_multiple_of(2) { "b" } else { "w" };
        moves.push((color, mv));
        match position.play(mv).expect("a legal move") {
            Next::Continues(next) => position = next,
            Next::Ends(_) => break,
        }
    }
    None
}

/// A player of level 1, 2 or 3, or one who moves at random.
fn player(seed: u64, rng: &mut RandomPlayer) -> Box<dyn Player> {
    match rng.below(4) {
        0 => Box::new(RandomPlayer::new(seed)),
        level => {
            let level = Level::all().nth(level - 1).expect("a level");
            // Never asked: it plays at the highest level only.
            let strong = Box::new(RandomPlayer::new(seed));
            Box::new(LeveledPlayer::new(strong, Skill::new(level, seed)))
        }
    }
}

impl Reached {
    /// The engine's move, and how long it took.
    fn ask(&self, program: &str, seconds: f64) -> (Move, Duration) {
        let stop = AtomicBool::new(false);
        let arguments = ["gtp".into(), "--move-time".into(), seconds.to_string()];
        let mut engine =
            GtpEngine::start(&Launch::new(program, arguments)).expect("the engine starts");
        for (color, mv) in &self.moves {
            let command = format!("play {color} {mv}");
            engine.command(&command, &stop, None).expect("it is legal");
        }
        let color = if self.moves.len().is_multiple_of(2) {
            "b"
        } else {
            "w"
        };
        let started = Instant::now();
        let mv = engine.command(&format!("reg_genmove {color}"), &stop, None);
        let time = started.elapsed();
        (mv.expect("a move").parse().expect("a move"), time)
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves = self.moves.iter().map(|(_, mv)| mv).join(" ");
        write!(f, "{} ({moves})", self.position)
    }
}

/// What a move is worth, for the player who makes it.
#[derive(Clone, Copy)]
struct Loss {
    /// The value of the position.
    value: i8,
    /// That of the move.
    after: i8,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+} instead of {:+}", self.after, self.value)
    }
}

/// Finds exact values, and keeps them.
struct Judge {
    prover: Prover,
    known: HashMap<String, i8>,
    file: Option<File>,
}

impl Judge {
    fn new(megabytes: usize, path: Option<PathBuf>) -> Judge {
        let text = path.as_ref().and_then(|path| fs::read_to_string(path).ok());
        let known = text.unwrap_or_default();
        let known = known.lines().filter_map(|line| {
            let (position, value) = line.split_once(": ")?;
            Some((position.to_owned(), value.parse().ok()?))
        });
        let open = |path| OpenOptions::new().create(true).append(true).open(path);
        Judge {
            prover: Prover::new()
                .memory_mib(megabytes)
                .with_tablebase(PackedTablebase::built_in),
            known: known.collect(),
            file: path.map(|path| open(path).expect("the file of values can be written")),
        }
    }

    /// The value for the player to move.
    fn value(&mut self, position: &Position) -> i8 {
        let name = position.to_string();
        if let Some(&value) = self.known.get(&name) {
            return value;
        }
        let stop = AtomicBool::new(false);
        let control = Control::until(&stop);
        let bounds = self.prover.value(position, Objective::Value, &control);
        let value = bounds.value().expect("nothing stops it");
        if let Some(file) = &mut self.file {
            writeln!(file, "{name}: {value}").expect("there is room for values");
        }
        self.known.insert(name, value);
        value
    }

    fn loss(&mut self, position: &Position, mv: Move) -> Loss {
        let value = self.value(position);
        let after = match position.play(mv).expect("the engine's moves are legal") {
            Next::Continues(child) => -self.value(&child),
            Next::Ends(_) => position.stones().lead(),
        };
        Loss { value, after }
    }
}

/// What many moves lose together.
#[derive(Default)]
struct Sum {
    results: u32,
    moves: u32,
    stones: i32,
    longest: Duration,
}

impl Sum {
    fn add(&mut self, loss: Loss, time: Duration) {
        let Loss { value, after } = loss;
        assert!(after <= value, "{loss}");
        self.results += u32::from(after.signum() < value.signum());
        self.moves += u32::from(after < value);
        self.stones += i32::from(value) - i32::from(after);
        self.longest = self.longest.max(time);
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} | {} | {} | {:.2} s",
            self.results,
            self.moves,
            self.stones,
            self.longest.as_secs_f64()
        )
    }
}
