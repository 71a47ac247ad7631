//! The page of `gothello play`: its port, its address, and the browser.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use itertools::Itertools;
use tokio::runtime::Builder;

use crate::cli::listen::{allow_connections, listen, reach, stop_signal};
use crate::cli::search::unless_closed;
use crate::gothello::Position;
use crate::play::{Line, MAX_MESSAGE, MAX_MOVES, MAX_VISITORS, Pool, routes};
use crate::player::Prover;
use crate::sgf;
use crate::web::{Limits, serve};

/// How many connections there may be for each visitor: a browser has several until it has
/// loaded the page.
const CONNECTIONS_PER_VISITOR: usize = 2;

/// The number of open files besides connections.
const OTHER_FILES: u64 = 50;

/// The settings of the page.
pub(super) struct Page {
    pub prover: Prover,
    /// The most searches at once.
    pub searches: usize,
    /// The threads that they share.
    pub threads: usize,
    pub opens_browser: bool,
}

impl Page {
    /// Serves the page until a signal stops the program. The page shows the game in the file.
    ///
    /// # Errors
    /// The file is no game, or the port cannot be used.
    pub fn serve(self, host: &str, port: u16, file: Option<&Path>) -> Result<()> {
        let fragment = match file {
            Some(path) => review_fragment(&read_line(path)?),
            None => String::new(),
        };
        let listener = listen(host, port, "choose another --port")?;
        let reach = reach(&listener)?;
        let connections = u32::try_from(MAX_VISITORS * CONNECTIONS_PER_VISITOR)?;
        let connections = allow_connections(connections, OTHER_FILES, |warning| {
            // A warning that cannot be written changes nothing.
            let _ = writeln!(io::stderr(), "warning: {warning}");
        });
        let limits = Limits {
            connections,
            ..Limits::default()
        };
        let pool = Pool::new(self.prover, self.searches, self.threads);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            // Ctrl-C counts from here on.
            let stop = stop_signal();
            let own = format!("http://{}/{fragment}", reach.here);
            let others = reach.elsewhere.iter().filter(|other| **other != reach.here);
            let others = others.map(|address| format!("http://{address}/{fragment}"));
            let mut output = io::stdout();
            for url in [own.clone()].into_iter().chain(others) {
                unless_closed(writeln!(output, "{url}"))?;
            }
            unless_closed(output.flush())?;
            if self.opens_browser {
                // The address is printed: without a browser, people open it themselves.
                let _ = open::that_detached(&own);
            }
            let stop = async {
                stop.await;
            };
            anyhow::Ok(serve(listener, routes(pool), limits, stop).await?)
        })?;
        // Searches that still run end soon, and need not be waited for.
        runtime.shutdown_background();
        Ok(())
    }
}

/// Reads the main line of a game.
///
/// # Errors
/// The file cannot be read, is too long, or is no game of Gothello.
fn read_line(path: &Path) -> Result<Line> {
    let name = path.display();
    let mut text = Vec::new();
    let most = u64::try_from(MAX_MESSAGE)?;
    let file = File::open(path).with_context(|| format!("{name} cannot be read"))?;
    let read = file.take(most + 1).read_to_end(&mut text);
    read.with_context(|| format!("{name} cannot be read"))?;
    if text.len() > MAX_MESSAGE {
        bail!("{name} is longer than {MAX_MESSAGE} bytes, the most of a game");
    }
    let text = String::from_utf8_lossy(&text);
    let game = sgf::read(&text, MAX_MOVES).with_context(|| format!("{name} is no game"))?;
    Ok(Line::from(game))
}

/// Returns the part of the page's address that shows a line for review.
fn review_fragment(line: &Line) -> String {
    let mut parts = vec!["#review".to_owned()];
    if line.start() != Position::START {
        parts.push(format!(
            "start={}",
            line.start().to_string().replace(' ', "_")
        ));
    }
    if !line.moves().is_empty() {
        parts.push(format!("moves={}", line.moves().iter().join(",")));
    }
    parts.join("&")
}
