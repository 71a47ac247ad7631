//! `gothello gtp`, which is also `gothello` alone.

use std::io::{self, IsTerminal, Write, stderr, stdin, stdout};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use tracing::level_filters::LevelFilter;

use super::parse_seconds;
use super::player::PlayerArguments;
use crate::gtp::{Session, run as serve};

/// Speak GTP on standard input and output; the same as no command at all
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    printf 'play b c3\\ngenmove w\\nshowboard\\n' | gothello gtp --move-time 0.5\n\n\
    In GoGui, give `gothello` with its full path as the command of a program or a ruler.")]
pub(super) struct Arguments {
    /// Think at most so long about a move, whatever the clock allows; 1 second
    /// if there is neither this option nor a clock
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    move_time: Option<Duration>,
    /// What to log on standard error: error, warn, info (each move that is
    /// found), debug (each command) or trace
    #[arg(long, value_name = "LEVEL", default_value = "off")]
    log: LevelFilter,
    #[command(flatten)]
    player: PlayerArguments,
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    if arguments.log != LevelFilter::OFF {
        tracing_subscriber::fmt()
            .with_max_level(arguments.log)
            .with_writer(io::stderr)
            .log_internal_errors(false)
            .with_ansi(io::stderr().is_terminal())
            .init();
    }
    if stdin().is_terminal() {
        greet();
    }
    let prover = arguments.player.prover()?;
    let player = arguments.player.player(&prover);
    let mut session = Session::new(player, prover, arguments.move_time);
    // For GoGui; a person would only see his terminal fill up.
    if !stderr().is_terminal() {
        session = session.with_live(Box::new(stderr()));
    }
    serve(session, stdin(), stdout().lock())?;
    Ok(())
}

/// Tells a person what this is and what to type first.
fn greet() {
    let version = env!("CARGO_PKG_VERSION");
    // Not being able to greet is no reason not to play.
    let _ = writeln!(
        io::stderr(),
        "gothello {version} plays Gothello over GTP, for GoGui and other programs.\n\
         Type showboard, play b c3, genmove w or quit; list_commands lists all."
    );
}
