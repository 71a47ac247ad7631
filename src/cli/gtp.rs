//! `gothello gtp`, which is also `gothello` alone.

use std::io::{self, IsTerminal, Write, stderr, stdin, stdout};
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use itertools::Itertools;
use tracing::level_filters::LevelFilter;

use super::awari_player::AwariPlayerArguments;
use super::game::GameName;
use super::player::PlayerArguments;
use super::values::seconds;
use super::variant::VariantArguments;
use super::wrong_usage;
use crate::gtp::{GothelloEngine, GtpGame, Session, run as serve};
use crate::{awari, gothello};

/// Speak GTP on standard input and output; the same as no command at all
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    printf 'play b c3\\ngenmove w\\nshowboard\\n' | gothello gtp --move-time 0.5\n\n\
    In GoGui, give `gothello` with its full path as the command of a program or a ruler;\n\
    `gothello --game awari` is engine and ruler for Awari.")]
pub(super) struct Arguments {
    /// The game: gothello, or awari, whose player has none of the options of
    /// Gothello's
    #[arg(
        long,
        default_value = "gothello",
        hide_possible_values = true,
        value_name = "GAME"
    )]
    game: GameName,
    /// Think at most so long about a move, whatever the clock allows; 1 second
    /// if there is neither this option nor a clock
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    move_time: Option<Duration>,
    /// What to log on standard error: off, error, warn, info (each move that is
    /// found), debug (each command) or trace
    #[arg(
        long,
        value_name = "LEVEL",
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    log: LogLevel,
    #[command(flatten)]
    player: PlayerArguments,
    #[command(flatten)]
    variant: VariantArguments,
    #[command(flatten)]
    awari: AwariPlayerArguments,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogLevel {
    #[default]
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl LogLevel {
    fn filter(self) -> LevelFilter {
        match self {
            LogLevel::Off => LevelFilter::OFF,
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
            LogLevel::Trace => LevelFilter::TRACE,
        }
    }
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    if arguments.log != LogLevel::Off {
        tracing_subscriber::fmt()
            .with_max_level(arguments.log.filter())
            .with_writer(io::stderr)
            .log_internal_errors(false)
            .with_ansi(io::stderr().is_terminal())
            .init();
    }
    match arguments.game {
        GameName::Gothello => {
            let of_awari = arguments.variant.given().chain(arguments.awari.given());
            refuse(of_awari, "awari")?;
            let prover = arguments.player.prover()?;
            let player = arguments.player.player(&prover);
            let engine = GothelloEngine::new(player, prover);
            let game = gothello::Game::new();
            speak(Session::new(game, engine, arguments.move_time))
        }
        GameName::Awari => {
            refuse(arguments.player.given(), "gothello")?;
            let variant = arguments.variant.variant();
            let engine = Box::new(arguments.awari.player(variant)?);
            let game = awari::Game::new(awari::Position::START, variant);
            speak(Session::new(game, engine, arguments.move_time))
        }
    }
}

/// Refuses options that only mean something in another game.
fn refuse(given: impl Iterator<Item = &'static str>, other: &str) -> Result<()> {
    let options = given.map(|option| format!("--{option}")).collect_vec();
    let verb = if options.len() == 1 { "is" } else { "are" };
    match options.is_empty() {
        true => Ok(()),
        false => {
            let options = options.join(", ");
            Err(wrong_usage(format!("{options} {verb} for --game {other}")))
        }
    }
}

/// Answers until the end.
fn speak<G: GtpGame>(mut session: Session<G>) -> Result<()> {
    if stdin().is_terminal() {
        greet(G::NAME);
    }
    // For GoGui; a person would only see his terminal fill up.
    if !stderr().is_terminal() {
        session = session.with_live(Box::new(stderr()));
    }
    serve(session, stdin(), stdout().lock())?;
    Ok(())
}

/// Tells a person what this is and what to type first, which is legal in any
/// game.
fn greet(game: &str) {
    let version = env!("CARGO_PKG_VERSION");
    // Not being able to greet is no reason not to play.
    let _ = writeln!(
        io::stderr(),
        "gothello {version} plays {game} over GTP, for GoGui and other programs.\n\
         Type showboard, play b c3, genmove w or quit; list_commands lists all."
    );
}
