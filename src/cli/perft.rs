//! `gothello perft`.

use std::fmt::Display;
use std::io::Write;
use std::time::Instant;

use anyhow::Result;
use clap::Args;

use super::Run;
use super::game_options::{ChosenGame, GameArguments};
use super::output::Output;
use super::position::PositionArguments;
use super::values::number;
use crate::games::awari;
use crate::games::gothello;

/// Count the leaves of the game tree: a check and a timing of the rules
///
/// A pass counts as a move. A game that ends counts one leaf at the depth where it ends
/// and none deeper. A position of Awari is written as the stones in a to f with commas
/// between them, / and those in A to F, the stones that North and South have captured,
/// and the side to move, s or n.
#[derive(Debug, Args)]
#[command(
    override_usage = "gothello perft [OPTIONS] <DEPTH> [POSITION]",
    mut_arg("moves", |arg| {
        arg.help("Moves to make first: points or pass (Awari: pits) with spaces between them, in quotes")
    }),
    after_help = "Examples:\n  \
    gothello perft 6\n  \
    gothello perft 4 --moves \"c3 d3 pass\" --divide\n  \
    gothello perft 3 \"...../.w.../wb.../.b.../..... w\"\n  \
    gothello perft 7 --game awari"
)]
pub struct Arguments {
    /// Depth to count to: the leaves after 1, 2, ... moves are printed
    #[arg(value_parser = number(1..=MAX_DEPTH))]
    depth: u32,
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    position: PositionArguments,
    /// Also count the leaves below each move
    #[arg(long)]
    divide: bool,
}

/// The greatest depth; far smaller ones take years.
const MAX_DEPTH: u32 = 50;

/// A position whose game tree is counted.
trait Tree {
    fn leaves(&mut self, depth: u32) -> u64;

    /// Counts the leaves below each move.
    fn divided(&mut self, depth: u32) -> Vec<(String, u64)>;
}

impl Tree for gothello::Position {
    fn leaves(&mut self, depth: u32) -> u64 {
        gothello::perft(self, depth)
    }

    fn divided(&mut self, depth: u32) -> Vec<(String, u64)> {
        named(gothello::divide(self, depth))
    }
}

impl Tree for awari::Game {
    fn leaves(&mut self, depth: u32) -> u64 {
        awari::perft(self, depth)
    }

    fn divided(&mut self, depth: u32) -> Vec<(String, u64)> {
        named(awari::divide(self, depth))
    }
}

fn named(parts: Vec<(impl Display, u64)>) -> Vec<(String, u64)> {
    let name = |(mv, leaves): (_, u64)| (format!("{mv}"), leaves);
    parts.into_iter().map(name).collect()
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        match self.game.choose()? {
            ChosenGame::Gothello => self.count(&mut self.position.gothello()?),
            ChosenGame::Awari(variant) => self.count(&mut self.position.awari(variant)?),
        }
    }
}

impl Arguments {
    /// Counts, and prints the counts.
    fn count(&self, tree: &mut impl Tree) -> Result<()> {
        let mut out = Output::lock();
        let started = Instant::now();
        let mut leaves = 0;
        for depth in 1..=self.depth {
            let sum = if self.divide && depth == self.depth {
                let parts = tree.divided(depth);
                for (mv, leaves) in &parts {
                    writeln!(out, "{mv} {leaves}")?;
                }
                parts.iter().map(|&(_, leaves)| leaves).sum()
            } else {
                tree.leaves(depth)
            };
            writeln!(out, "perft {depth} {sum}")?;
            out.flush()?;
            if out.is_closed() {
                return Ok(());
            }
            leaves += sum;
        }
        let seconds = started.elapsed().as_secs_f64();
        let speed = leaves as f64 / seconds / 1e6;
        writeln!(out, "{seconds:.3} s, {speed:.1} million leaves/s")?;
        Ok(())
    }
}
