//! `gothello perft`.

use std::io::{Write, stdout};
use std::time::Instant;

use anyhow::Result;
use clap::Args;

use super::moves::MovesArgument;
use crate::gothello::{Position, divide, perft};

/// Count the leaves of the game tree: a check and a timing of the rules
///
/// A pass counts as a move. A game that ends counts one leaf at the depth where
/// it ends and none deeper.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello perft 6\n  \
    gothello perft 4 --moves \"c3 d3 pass\" --divide\n  \
    gothello perft 3 --position \"...../.w.../wb.../.b.../..... w\"")]
pub(super) struct Arguments {
    /// Count after 1, 2, ... up to so many moves
    #[arg(value_parser = parse_depth, allow_negative_numbers = true)]
    depth: u32,
    /// Start here: rows 5 to 1 with / between them, each of b, w and dots; the
    /// side to move, b or w; and pass if the move before was one
    #[arg(long, value_name = "POS", default_value_t = Position::START)]
    position: Position,
    #[command(flatten)]
    moves: MovesArgument,
    /// Count the leaves below each move, too
    #[arg(long)]
    divide: bool,
}

/// No game is longer than 50 moves.
fn parse_depth(text: &str) -> Result<u32, String> {
    let depth = text.parse().ok();
    depth
        .filter(|depth| (1..=50).contains(depth))
        .ok_or_else(|| "a number from 1 to 50 is expected".into())
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    let position = arguments.moves.play("perft", arguments.position);
    let mut out = stdout().lock();
    let started = Instant::now();
    let mut leaves = 0;
    for depth in 1..=arguments.depth {
        let sum = if arguments.divide && depth == arguments.depth {
            let parts = divide(&position, depth);
            for (mv, leaves) in &parts {
                writeln!(out, "{mv} {leaves}")?;
            }
            parts.iter().map(|&(_, leaves)| leaves).sum()
        } else {
            perft(&position, depth)
        };
        writeln!(out, "perft {depth} {sum}")?;
        out.flush()?;
        leaves += sum;
    }
    let seconds = started.elapsed().as_secs_f64();
    let speed = leaves as f64 / seconds / 1e6;
    writeln!(out, "{seconds:.3} s, {speed:.1} million leaves/s")?;
    Ok(())
}
