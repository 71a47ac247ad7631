//! The page of `gothello play`: its port, its address, and the browser.

use std::io::{self, Write};

use anyhow::Result;
use itertools::Itertools;
use tokio::runtime::Builder;

use super::{GameFile, Side};
use crate::base::color::Color;
use crate::cli::game_options::RandomArguments;
use crate::cli::listen::{allow_connections, listen, reachable_addresses, stop_signal};
use crate::cli::output::Output;
use crate::cli::page_options::PageArguments;
use crate::games::awari::{self, Variant};
use crate::games::gothello::{Game, Position};
use crate::games::sgf::GameTree;
use crate::pages::play::{Line, MAX_VISITORS, Pool, Searcher, routes};
use crate::pages::web::{Limits, Origin, serve};
use crate::player::{Level, Prover};

/// How many connections there may be for each visitor: a browser has several until it has
/// loaded the page.
const CONNECTIONS_PER_VISITOR: usize = 2;

/// The number of open files besides connections.
const OTHER_FILES: u64 = 50;

/// The settings of the page.
pub struct Page {
    pub prover: Prover,
    /// The most searches at once.
    pub searches: usize,
    /// The threads that they share.
    pub threads: usize,
    pub random: RandomArguments,
    pub opens_browser: bool,
    pub hosts: PageArguments,
    /// The pages that may show this one in a frame.
    pub embedders: Vec<Origin>,
}

impl Page {
    /// Serves the page until a signal stops the program.
    ///
    /// # Errors
    /// The port cannot be used.
    pub fn serve(self, host: &str, port: u16, shown: Shown) -> Result<()> {
        let listener = listen(host, port, "choose another --port")?;
        let addresses = reachable_addresses(&listener)?;
        let connections = u32::try_from(MAX_VISITORS * CONNECTIONS_PER_VISITOR)?;
        let connections = allow_connections(connections, OTHER_FILES, |warning| {
            // A warning that cannot be written changes nothing.
            let _ = writeln!(io::stderr(), "warning: {warning}");
        });
        let limits = Limits {
            connections,
            ..Limits::default()
        };
        let Shown { fragment, game } = shown;
        let access = self.hosts.access(host, &addresses, None);
        let access = access.embedded_in(&self.embedders);
        let RandomArguments { seed, random_best } = self.random;
        let searcher = Searcher::new(self.prover, seed, random_best, rand::random);
        let pool = Pool::new(searcher, self.searches, self.threads);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            // Ctrl-C counts from here on.
            let stop = stop_signal();
            let url = |address| format!("http://{address}/{fragment}");
            let mut output = Output::lock();
            for address in addresses.all() {
                writeln!(output, "{}", url(address))?;
            }
            output.flush()?;
            // A hint that cannot be written changes nothing.
            let _ = writeln!(io::stderr(), "Ctrl-C ends the program.");
            if self.opens_browser {
                // The address is printed: without a browser, people open it themselves.
                let _ = open::that_detached(url(addresses.here));
            }
            let stop = async {
                stop.await;
            };
            anyhow::Ok(serve(listener, routes(pool, game, access), limits, stop).await?)
        })?;
        // Searches that still run end soon, and need not be waited for.
        runtime.shutdown_background();
        Ok(())
    }
}

/// The first content of the page.
#[derive(Default)]
pub struct Shown {
    /// The part of the address after the path.
    fragment: String,
    /// The SGF file that the page opens.
    game: Option<Vec<u8>>,
}

/// Who plays on the page, as the parts of its address say it. Without any, that is as the page has it.
pub struct Players(Vec<String>);

impl Players {
    /// Reads the options `--side` and `--level`.
    pub fn new(side: Option<Side>, level: Option<Level>) -> Players {
        if side.is_none() && level.is_none() {
            return Players(Vec::new());
        }
        let side = side.unwrap_or_default();
        // The page knows how strong the engine is by default.
        let engine = level.map_or_else(|| "engine".to_owned(), |level| level.to_string());
        let player = |color| match side.has(color) {
            true => "person",
            false => &engine,
        };
        Players(vec![
            format!("black={}", player(Color::Black)),
            format!("white={}", player(Color::White)),
        ])
    }
}

/// Returns how the page shows the game of Gothello in a file, for review or for these players to go on
/// with, or else a new game. Warns of what is left out.
///
/// # Errors
/// The file is no game of Gothello.
pub fn show_gothello(file: Option<GameFile>, Players(players): Players) -> Result<Shown> {
    let view = match (&file, players.is_empty()) {
        (None, true) => return Ok(Shown::default()),
        (Some(_), true) => "#review",
        (_, false) => "#play",
    };
    let mut parts = vec![view.to_owned()];
    if let Some(file) = &file {
        let (tree, left_out) = file.explained(GameTree::read(&file.text))?;
        if file.games > 1 {
            let games = file.games;
            file.say(format_args!(
                "of {games} games in the file, this is the first"
            ));
        }
        file.warn(left_out);
        parts.push("from=file".to_owned());
        let line = Line::<Game>::new(tree.start(), tree.main_line())?;
        if line.start() != Position::START {
            let start = line.start().to_string().replace(' ', "_");
            parts.push(format!("start={start}"));
        }
        if !line.steps().is_empty() {
            let steps = line.steps().iter().join(",").replace(' ', "_");
            parts.push(format!("moves={steps}"));
        }
    }
    parts.extend(players);
    Ok(Shown {
        fragment: parts.join("&"),
        game: file.map(|file| file.bytes),
    })
}

/// Returns how the page shows the game of Awari in a file, or else a new one under these rules.
///
/// # Errors
/// The file is no game of Awari, or is too long.
pub fn show_awari(
    variant: Variant,
    file: Option<GameFile>,
    Players(players): Players,
) -> Result<Shown> {
    let game = match file {
        Some(file) => file.explained(awari::read(&file.text, variant))?,
        None => awari::Game::from(variant),
    };
    let mut parts = vec!["#play&game=awari".to_owned()];
    if game.variant() != Variant::default() {
        let rules = game.variant().to_string().replace(' ', "_");
        parts.push(format!("rules={rules}"));
    }
    if game.last_move().is_some() {
        parts.push(format!("moves={}", game.moves().join(",")));
    }
    parts.extend(players);
    Ok(Shown {
        fragment: parts.join("&"),
        game: None,
    })
}
