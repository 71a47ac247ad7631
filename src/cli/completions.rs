//! `gothello completions`.

use std::io::Write;

use anyhow::Result;
use clap::{Args, ValueEnum};
use clap_complete::{Shell, generate};

use super::output::Output;
use super::{Run, all_options};

/// Print a script that completes commands and options in a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello completions bash > ~/.local/share/bash-completion/completions/gothello\n  \
    gothello completions zsh > \"${fpath[1]}/_gothello\"\n  \
    gothello completions fish > ~/.config/fish/completions/gothello.fish\n  \
    gothello completions powershell >> $PROFILE")]
pub struct Arguments {
    /// Shell that reads the script
    shell: ShellName,
}

/// A shell that can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ShellName {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let shell = match self.shell {
            ShellName::Bash => Shell::Bash,
            ShellName::Zsh => Shell::Zsh,
            ShellName::Fish => Shell::Fish,
            ShellName::Powershell => Shell::PowerShell,
        };
        // The generator panics if it cannot write, so it writes into memory.
        let mut script = Vec::new();
        generate(
            shell,
            &mut all_options(),
            env!("CARGO_PKG_NAME"),
            &mut script,
        );
        Ok(Output::lock().write_all(&script)?)
    }
}
