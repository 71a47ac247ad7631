//! `gothello play`.

mod page;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use self::page::Page;
use super::Run;
use super::search::{mebibytes, thread_count, threads_or_all_cores};
use super::tablebase_options::TablebaseArguments;
use super::values::number;
use crate::player::Prover;

/// Play, explore and review games on a page in the browser
///
/// The address of the page is printed, and opened in the browser if there is one. Play
/// against the engine at levels 1 to 9 or at full strength, or two people at one screen;
/// look up the exact value of every move; set up positions; go through a game with what
/// each move cost. Ctrl-C ends the program.
///
/// Only this machine can open the page, unless --host says otherwise.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello play                          the page, in the browser\n  \
    gothello play game.sgf                 a game to review\n  \
    gothello play --host 0.0.0.0 --port 8080 --no-browser\n                                         \
    for a class room")]
pub(super) struct Arguments {
    /// Game to review: an SGF file
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print the address of the page, and open no browser
    #[arg(long)]
    no_browser: bool,
    /// Address to listen at; 0.0.0.0 is every address of this machine
    #[arg(long, default_value = "127.0.0.1", help_heading = "Network")]
    host: String,
    /// Port to listen at; 0 picks a free one
    #[arg(long, default_value_t = 0, value_parser = number(0..=u16::MAX), help_heading = "Network")]
    port: u16,
    /// Maximum number of visitors' searches at the same time; others wait for their turn
    /// [default: one for each core]
    #[arg(long, value_name = "N", value_parser = thread_count, help_heading = "Search")]
    searches: Option<NonZeroUsize>,
    /// Search threads, that all searches share [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count, help_heading = "Search")]
    threads: Option<NonZeroUsize>,
    /// Memory for proofs in MiB, allocated when the first proof begins [default: 256]
    #[arg(long, value_name = "MiB", value_parser = mebibytes, help_heading = "Search")]
    hash: Option<NonZeroUsize>,
    #[command(flatten, next_help_heading = "Search")]
    tablebase: TablebaseArguments,
}

impl Arguments {
    /// Makes a prover, which allocates its memory later.
    ///
    /// # Errors
    /// The tablebase cannot be used.
    fn prover(&self) -> Result<Prover> {
        let mut prover = Prover::new();
        if let Some(memory) = self.hash {
            prover = prover.memory_mib(memory.get());
        }
        if let Some(read) = self.tablebase.choose()? {
            prover = prover.with_tablebase(read);
        }
        Ok(prover)
    }
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let page = Page {
            prover: self.prover()?,
            searches: threads_or_all_cores(self.searches),
            threads: threads_or_all_cores(self.threads),
            opens_browser: !self.no_browser,
        };
        page.serve(&self.host, self.port, self.file.as_deref())
    }
}
