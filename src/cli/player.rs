//! The options of our own player, which several subcommands have.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use super::book;
use super::values::{at_least, mebibytes, thread_count};
use crate::player::{AlphaBeta, Level, Perfect, Player, Prover, Skill, Weakened};
use crate::solver::book::{BuiltInBook, Oracle};

/// How many seeds there are to choose from if none is given: people read them
/// in GoGui's dialog of levels, and type them again.
const SEEDS: u64 = 1_000_000;

/// How our own player plays.
#[derive(Debug, Args)]
pub(super) struct PlayerArguments {
    /// How well to play: 1, for beginners, to 9, or max, which is the default
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
    /// Let chance start from this number, so that the levels 1 to 9 make the
    /// same moves again in the same game
    #[arg(long, value_name = "N", value_parser = at_least(0))]
    seed: Option<u64>,
    /// Remember proofs in so much memory at most, by default 256; none is taken
    /// before a move or a proof is asked for
    #[arg(long, value_name = "MB", value_parser = mebibytes)]
    hash: Option<NonZeroUsize>,
    /// Prove with so many threads, by default 1
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
    /// Look into this book (see gothello book build) instead of the built-in one
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Who plays at the level max, by default perfect
    #[arg(long, value_enum, value_name = "PLAYER")]
    player: Option<Kind>,
}

/// The names of these options, for those that conflict with them.
pub(super) const OPTIONS: [&str; 6] = ["level", "seed", "hash", "threads", "book", "player"];

/// The kinds of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Proves what he plays if the time suffices
    Perfect,
    /// Searches as deep as the time allows, and never more than that
    AlphaBeta,
}

impl PlayerArguments {
    /// A prover, which has no memory yet.
    ///
    /// # Errors
    /// The book cannot be used.
    pub(super) fn prover(&self) -> Result<Arc<Prover>> {
        let mut prover = Prover::new();
        if let Some(memory) = self.hash {
            prover = prover.memory_mib(memory.get());
        }
        if let Some(threads) = self.threads {
            prover = prover.threads(threads.get());
        }
        let book: Arc<dyn Oracle> = match &self.book {
            None => Arc::new(BuiltInBook),
            Some(path) => Arc::new(book::read(path).context("--book")?),
        };
        Ok(Arc::new(prover.with_book(book)))
    }

    /// The player, who asks this prover.
    pub(super) fn player(&self, prover: &Arc<Prover>) -> Box<dyn Player> {
        let strong: Box<dyn Player> = match self.player.unwrap_or(Kind::Perfect) {
            Kind::Perfect => Box::new(Perfect::new(Arc::clone(prover))),
            Kind::AlphaBeta => Box::new(AlphaBeta::new()),
        };
        let level = self.level.unwrap_or_default();
        let seed = self.seed.unwrap_or_else(|| rand::random_range(0..SEEDS));
        Box::new(Weakened::new(strong, Skill::new(level, seed)))
    }

    /// The options that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            self.level.is_some(),
            self.seed.is_some(),
            self.hash.is_some(),
            self.threads.is_some(),
            self.book.is_some(),
            self.player.is_some(),
        ];
        OPTIONS
            .into_iter()
            .zip(given)
            .filter(|(_, is_given)| *is_given)
            .map(|(option, _)| option)
    }
}
