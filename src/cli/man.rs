//! `gothello man`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use clap_mangen::generate_to;

use super::{Run, command};

/// Write man pages, one for each command
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello man ~/.local/share/man/man1")]
pub struct Arguments {
    /// Folder to write gothello.1, gothello-solve.1, and the others to
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let folder = &self.folder;
        let written = fs::create_dir_all(folder).and_then(|()| generate_to(command(), folder));
        written.with_context(|| format!("{} cannot be written", folder.display()))
    }
}
