//! `gothello completions`.

use std::io::Write;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Command, ValueEnum};
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
    #[arg(value_parser = PossibleValuesParser::new(["bash", "zsh", "fish", "powershell"])
        .try_map(|name| Shell::from_str(&name, true)))]
    shell: Shell,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        // The generator panics if it cannot write, so it writes into memory.
        let mut script = Vec::new();
        let mut command = without_hidden(&all_options());
        generate(
            self.shell,
            &mut command,
            env!("CARGO_PKG_NAME"),
            &mut script,
        );
        script.extend(after_dashes(self.shell).bytes());
        Ok(Output::lock().write_all(&script)?)
    }
}

/// Returns what is completed of a command: all but the arguments that its help leaves out, which the
/// generators would offer.
fn without_hidden(command: &Command) -> Command {
    let name: &str = command.get_name().to_owned().leak();
    let arguments = command.get_arguments();
    Command::new(name)
        .about(command.get_about().cloned().unwrap_or_default())
        .args(
            arguments
                .filter(|argument| !argument.is_hide_set())
                .cloned(),
        )
        .subcommands(command.get_subcommands().map(without_hidden))
}

/// Returns what the generated script lacks: after `--`, a command of the system and its arguments.
fn after_dashes(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => AFTER_DASHES_IN_BASH,
        Shell::Fish => AFTER_DASHES_IN_FISH,
        // The generator knows it for zsh, and PowerShell offers files.
        _ => "",
    }
}

const AFTER_DASHES_IN_BASH: &str = r#"
_gothello_or_command() {
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            if declare -F _command_offset >/dev/null; then
                _command_offset $((i + 1))
            elif ((COMP_CWORD == i + 1)); then
                COMPREPLY=($(compgen -c -- "$2"))
            fi
            return
        fi
    done
    _gothello "$@"
}
complete -F _gothello_or_command -o bashdefault -o default gothello
"#;

const AFTER_DASHES_IN_FISH: &str = r#"
function __gothello_command
    set -l words (commandline -opc)
    set -l dashes (contains -i -- -- $words)
    set -l command (string escape -- $words[(math $dashes + 1)..-1]) (commandline -ct)
    complete -C (string join " " -- $command)
end
complete -c gothello -n "contains -- -- (commandline -opc)" -x -a "(__gothello_command)"
"#;
