//! How long `gothello review` takes for many games: `cargo bench --bench review`.
//!
//! The games are those of two players of the same kind: random moves, or the best of a search
//! of a few plies, a random one if there are several. They are written as SGF files into a
//! folder, and the program reviews the folder, first without a cache and then with the one
//! that the first run has written.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Parser;
use gothello::player::{AlphaBeta, Limits};
use gothello::{Game, Move, sgf};

#[path = "../tests/common/positions.rs"]
#[allow(dead_code)]
mod positions;

use positions::RandomPlayer;

/// Measure how long the review of many games takes
#[derive(Parser)]
struct Arguments {
    /// The number of games
    #[arg(long, default_value_t = 100)]
    games: u64,
    /// Plies that the players search; 0 for random moves
    #[arg(long, default_value_t = 3)]
    depth: u8,
    /// Where to write the games
    #[arg(long)]
    folder: Option<PathBuf>,
    /// More options of gothello review, such as --summary
    #[arg(last = true)]
    options: Vec<String>,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// Plays a game.
fn play(random: &mut RandomPlayer, search: &mut AlphaBeta, depth: u8) -> Game {
    let mut game = Game::new();
    while let Some(position) = game.position() {
        let moves: Vec<Move> = match depth {
            0 => position.legal_moves().collect(),
            _ => {
                let scores = search.move_scores(position, depth, &Limits::default());
                let scores = scores.expect("no limit");
                let best = scores
                    .iter()
                    .map(|&(_, score)| score)
                    .fold(f32::MIN, f32::max);
                let best = scores.iter().filter(|&&(_, score)| score >= best);
                best.map(|&(mv, _)| mv).collect()
            }
        };
        let mv = moves[random.below(moves.len())];
        game.play(game.to_move(), mv).expect("a legal move");
    }
    game
}

fn main() {
    let arguments = Arguments::parse();
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = arguments.folder.as_deref().unwrap_or(temporary.path());
    fs::create_dir_all(folder).expect("a folder");
    let mut random = RandomPlayer::new(1);
    let mut search = AlphaBeta::new();
    let mut plies = 0;
    for number in 1..=arguments.games {
        let game = play(&mut random, &mut search, arguments.depth);
        plies += game.undoable();
        let path = folder.join(format!("{number:06}.sgf"));
        fs::write(path, sgf::write(&game)).expect("a file");
    }
    println!("{} games with {plies} plies", arguments.games);
    let cache = temporary.path().join("values.cache");
    for run in ["without a cache", "with the cache"] {
        let started = Instant::now();
        let status = Command::new(env!("CARGO_BIN_EXE_gothello"))
            .arg("review")
            .args(&arguments.options)
            .arg("--cache")
            .arg(&cache)
            .arg(folder)
            .stdout(Stdio::null())
            .status()
            .expect("the program");
        assert!(status.success());
        let seconds = started.elapsed().as_secs_f64();
        let each = 1000.0 * seconds / arguments.games.max(1) as f64;
        println!("{run}: {seconds:.1} s, {each:.0} ms a game");
    }
}
