//! `gothello play`.

mod computer;
mod file;
mod page;
mod terminal;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use self::computer::{AwariComputer, Computer, GothelloComputer};
use self::file::GameFile;
use self::page::{Page, show_awari, show_gothello};
use self::terminal::{MAX_FILE, Side, Table};
use super::files::is_stdin;
use super::game_options::{ChosenGame, GameArguments, prover, refuse};
use super::search::{mebibytes, thread_count, threads_or_all_cores};
use super::tablebase_options::TablebaseArguments;
use super::values::{at_least, number};
use super::{Run, wrong_usage};
use crate::play::MAX_MESSAGE;
use crate::player::{Level, Prover, Skill};
use crate::web::TrustedProxy;
use crate::{awari, gothello};

/// Play, explore and review games on a page in the browser
///
/// The address of the page is printed, and opened in the browser if there is one. Play
/// against the engine at levels 1 to 9 or the perfect player, or two people at one screen;
/// look up the exact value of every move; set up positions; go through a game with what
/// each move cost. Ctrl-C ends the program.
///
/// Awari is played on the same page (--game awari), without values and reviews.
///
/// Only this machine can open the page, unless --host says otherwise.
///
/// With --terminal there is no page: the board is drawn in the terminal, moves are typed,
/// and `help` lists the commands, such as hint, values, undo, level, save, and quit. Ctrl-C
/// while the computer thinks lets it move at once; at the prompt it ends the program.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello play                          the page, in the browser\n  \
    gothello play game.sgf                 a game to review\n  \
    gothello play --game awari             Awari, in the browser\n  \
    gothello play --terminal --level 5     a game in the terminal\n  \
    gothello play --host 0.0.0.0 --port 8080 --no-browser\n                                         \
    for a class room")]
pub(super) struct Arguments {
    /// Game to review, or with --terminal or of Awari to go on with: an SGF file, or of Awari a
    /// record or the moves; `-` is standard input, for the page
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
    /// Trust the reverse proxy at this address, or in a network such as 10.0.0.0/8, to tell the
    /// addresses of its visitors in X-Forwarded-For, and the URL in X-Forwarded-Proto and -Host;
    /// repeat it for several
    #[arg(
        long = "trusted-proxy",
        value_name = "ADDRESS",
        help_heading = "Network"
    )]
    trusted_proxies: Vec<TrustedProxy>,
    /// Maximum number of visitors' searches at the same time; others wait for their turn
    /// [default: one for each core]
    #[arg(long, value_name = "N", value_parser = thread_count, help_heading = "Search")]
    searches: Option<NonZeroUsize>,
    /// Search threads that all searches share [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count, help_heading = "Search")]
    threads: Option<NonZeroUsize>,
    /// Memory for proofs in MiB, allocated when the first proof begins [default: 256]
    #[arg(long, value_name = "MiB", value_parser = mebibytes, help_heading = "Search")]
    hash: Option<NonZeroUsize>,
    #[command(flatten, next_help_heading = "Search")]
    tablebase: TablebaseArguments,
    /// Play in the terminal, without a page
    #[arg(long, conflicts_with_all = ["no_browser", "host", "port", "trusted_proxies", "searches"], help_heading = "Terminal")]
    terminal: bool,
    /// Side that you play: black, white, both or none [default: black]
    #[arg(
        long,
        value_name = "SIDE",
        requires = "terminal",
        hide_possible_values = true,
        help_heading = "Terminal"
    )]
    side: Option<Side>,
    /// Playing level: 1, for beginners, to 9, or perfect [default: 3]
    #[arg(
        long,
        value_name = "LEVEL",
        requires = "terminal",
        help_heading = "Terminal"
    )]
    level: Option<Level>,
    /// Seed of the random choices at levels 1 to 9: with the same seed the engine
    /// makes the same moves in the same game [default: random]
    #[arg(long, value_name = "N", value_parser = at_least(0), requires = "terminal", help_heading = "Terminal")]
    seed: Option<u64>,
    #[command(flatten, next_help_heading = None::<&str>)]
    game: GameArguments,
}

impl Arguments {
    /// Makes a prover, which allocates its memory later.
    ///
    /// # Errors
    /// The tablebase cannot be used.
    fn prover(&self) -> Result<Prover> {
        prover(self.hash, &self.tablebase)
    }
}

impl Arguments {
    /// Plays in the terminal.
    ///
    /// # Errors
    /// The options do not fit together, or the file is no game.
    fn play_in_terminal(&self, game: ChosenGame, file: Option<&GameFile>) -> Result<()> {
        match game {
            ChosenGame::Gothello => {
                let level = self.level.unwrap_or(DEFAULT_LEVEL.parse()?);
                let seed = self.seed.unwrap_or_else(rand::random);
                let computer = GothelloComputer::new(self.prover()?, Skill::new(level, seed));
                self.play_with(computer, gothello::Game::new(), file)
            }
            ChosenGame::Awari(variant) => {
                let given = [
                    ("level", self.level.is_some()),
                    ("seed", self.seed.is_some()),
                    ("threads", self.threads.is_some()),
                    ("hash", self.hash.is_some()),
                ];
                let given = given.into_iter().filter(|&(_, is_given)| is_given);
                let given = given.map(|(option, _)| option);
                refuse(given.chain(self.tablebase.given()).next(), "gothello")?;
                let game = awari::Game::new(awari::Position::START, variant);
                self.play_with(AwariComputer::new(variant), game, file)
            }
        }
    }

    fn play_with<C: Computer>(
        &self,
        computer: C,
        game: C::Game,
        file: Option<&GameFile>,
    ) -> Result<()> {
        let side = self.side.unwrap_or(Side::Black);
        Table::new(computer, game, side).play(file)
    }
}

/// The level that the computer plays at in the terminal.
const DEFAULT_LEVEL: &str = "3";

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let most = match self.terminal {
            true => MAX_FILE,
            false => MAX_MESSAGE,
        };
        let game = self.game.choose()?;
        let path = self.file.as_deref();
        if self.terminal && path.is_some_and(is_stdin) {
            return Err(wrong_usage(
                "with --terminal, moves are read from standard input: name a file",
            ));
        }
        let file = path.map(|path| GameFile::read(path, most)).transpose()?;
        let game = match file.as_ref().is_some_and(GameFile::is_awari) {
            true => game.or_awari(),
            false => game,
        };
        if self.terminal {
            return self.play_in_terminal(game, file.as_ref());
        }
        let shown = match game {
            ChosenGame::Gothello => show_gothello(file)?,
            ChosenGame::Awari(variant) => show_awari(variant, file)?,
        };
        let page = Page {
            prover: self.prover()?,
            searches: threads_or_all_cores(self.searches),
            threads: threads_or_all_cores(self.threads),
            opens_browser: !self.no_browser,
            proxies: self.trusted_proxies.into_iter().collect(),
        };
        page.serve(&self.host, self.port, shown)
    }
}
