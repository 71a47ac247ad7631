//! `gothello gtp`, which is also `gothello` alone.

use std::io::{self, IsTerminal, Write, stderr, stdin, stdout};

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use tracing::level_filters::LevelFilter;

use super::Run;
use super::game_options::{BuiltInArguments, ChosenGame, GameArguments, MoveLimitArguments};
use super::output::{stop_when_unread, unless_closed};
use crate::games::awari;
use crate::games::gothello;
use crate::gtp::server::{GothelloEngine, GtpGame, Session, run as serve};

/// Speak GTP on standard input and output, as without a command
///
/// The engine plays Gothello or Awari, and explains the rules to GoGui: attach it there
/// as a program, as a ruler, or as both. The command `list_commands` lists its commands.
#[derive(Debug, Default, Args)]
#[command(after_help = "Example:\n  \
    printf 'play b c3\\ngenmove w\\nshowboard\\n' | gothello gtp --move-time 0.5\n\n\
    In GoGui, give `gothello` with its full path as the command of a program or a ruler;\n\
    `gothello --game awari` is engine and ruler for Awari.")]
pub struct Arguments {
    #[command(flatten)]
    built_in: BuiltInArguments,
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    limits: MoveLimitArguments,
    /// Level of the log on standard error: off, error, warn, info (each move that is
    /// found), debug (each command), or trace [default: off]
    #[arg(
        long,
        value_name = "LEVEL",
        value_parser = PossibleValuesParser::new(["off", "error", "warn", "info", "debug", "trace"])
            .try_map(|level| level.parse::<LevelFilter>()),
        hide_possible_values = true
    )]
    log: Option<LevelFilter>,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        if let Some(level) = self.log {
            tracing_subscriber::fmt()
                .with_max_level(level)
                .with_writer(io::stderr)
                .log_internal_errors(false)
                .with_ansi(io::stderr().is_terminal())
                .init();
        }
        let limits = self.limits.limits();
        match self.game.choose()? {
            ChosenGame::Gothello => {
                let (player, prover) = self.built_in.gothello()?;
                let engine = GothelloEngine::new(player, prover);
                let engine = match self.built_in.random_best() {
                    true => engine.with_random_best(),
                    false => engine,
                };
                let game = gothello::Game::new();
                speak(Session::new(game, engine, limits))
            }
            ChosenGame::Awari(variant) => {
                let engine = Box::new(self.built_in.awari(variant)?);
                let game = awari::Game::new(awari::Position::START, variant);
                speak(Session::new(game, engine, limits))
            }
        }
    }
}

/// Answers commands until the end of the input, or quit.
fn speak<G: GtpGame>(mut session: Session<G>) -> Result<()> {
    if stdin().is_terminal() {
        greet(G::NAME);
    }
    // For GoGui; in a terminal it would only scroll away the answers.
    if !stderr().is_terminal() {
        session = session.with_live(Box::new(stderr()));
    }
    let session = session.with_watch(stop_when_unread);
    Ok(unless_closed(serve(session, stdin(), stdout().lock()))?)
}

/// Tells a person at a terminal what this is, what to type, and what else there is. The
/// moves are legal in any game.
fn greet(game: &str) {
    let version = env!("CARGO_PKG_VERSION");
    // Play even if the greeting cannot be written.
    let _ = writeln!(
        io::stderr(),
        "gothello {version} plays {game} and speaks GTP, the protocol of GoGui and other programs.\n\
         Type showboard, play b c3, genmove w, or quit; list_commands lists all commands.\n\
         It also solves positions and runs matches and contests: see gothello --help."
    );
}
