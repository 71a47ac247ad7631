//! The page on which spectators watch an event.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;

use crate::agent::note;
use crate::cli::page::Page;
use crate::color::ByColor;
use crate::matches::{GameRecord, LiveGames, LiveTables, MatchGame, Progress};
use crate::statistics::WinDrawLoss;
use crate::tournament::TieBreaks;
use crate::web::{self, Feed, Grid, ServerInfo};

/// The pause between two looks at the games.
const REST: Duration = Duration::from_millis(100);

/// The pause between two looks at the standings.
const STANDINGS_REST: Duration = Duration::from_secs(1);

/// The page of an event.
pub(super) struct MatchPage {
    page: Page,
    /// The names of the sides.
    sides: ByColor<&'static str>,
    /// Dropping it ends the thread.
    end: Sender<()>,
    thread: JoinHandle<()>,
    shown: Option<Instant>,
}

impl MatchPage {
    /// Starts serving the page at a bound port.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub(super) fn start<G: MatchGame>(
        listener: TcpListener,
        start: G,
        games: Arc<LiveGames>,
        title: String,
    ) -> Result<MatchPage> {
        let feed = Page::feed_of(ServerInfo {
            title,
            organizer: false,
            tournaments: true,
            clients: false,
        });
        let app = web::spectator_routes(feed.clone());
        let page = Page::start(listener, feed.clone(), app, |what| note(&what))?;
        let (end, is_end) = channel();
        let thread = thread::Builder::new()
            .name("tables".into())
            .spawn(move || publish(&feed, start, &games, &is_end))?;
        Ok(MatchPage {
            page,
            sides: G::side_titles(),
            end,
            thread,
            shown: None,
        })
    }

    /// Shows a game that has ended.
    pub(super) fn add(&self, game: &GameRecord) {
        let players = game.fixture.players.as_ref();
        let result = game.result_of_sides(self.sides);
        self.page.feed().add_finished(web::Finished {
            began: SystemTime::now(),
            table: format!("Game {}", game.fixture.number),
            sides: self.sides.map(str::to_owned),
            players: players.map(ToString::to_string),
            result: format!("{result} ({})", game.verdict),
            record: None,
        });
    }

    /// Shows the standings, unless they were shown a moment ago.
    pub(super) fn show_standings(&mut self, progress: &Progress) {
        if self
            .shown
            .is_some_and(|shown| shown.elapsed() < STANDINGS_REST)
        {
            return;
        }
        self.shown = Some(Instant::now());
        let standings = standings(progress, true);
        self.page.feed().set_tournament(Some(standings));
    }

    /// Lets spectators see the last changes, and stops.
    pub(super) fn finish(self, progress: &Progress) {
        let standings = standings(progress, false);
        self.page.feed().set_tournament(Some(standings));
        drop(self.end);
        // It ends soon; if it has panicked, the page stops all the same.
        let _ = self.thread.join();
        self.page.finish();
    }
}

/// Publishes the games until the sender is dropped, and once more then.
fn publish<G: MatchGame>(feed: &Feed, start: G, games: &LiveGames, end: &Receiver<()>) {
    let mut tables = LiveTables::new(start, games);
    loop {
        let goes_on = end.recv_timeout(REST) == Err(RecvTimeoutError::Timeout);
        for changed in tables.changes(games) {
            feed.set_plies(changed.table, changed.from, changed.plies);
        }
        if !goes_on {
            return;
        }
    }
}

/// Returns the standings of an event, the best player first.
fn standings(progress: &Progress, is_running: bool) -> web::Tournament {
    let standings = progress.standings();
    let is_swiss = standings.iter().any(|row| row.swiss.is_some());
    let head = ["Rank", "Player", "Points"].into_iter();
    let head = head.chain(["Buchholz", "S-Berger"].into_iter().filter(|_| is_swiss));
    let head = head.chain(["Games", "Won", "Drawn", "Lost"]);
    let rows = standings.iter().zip(1_u32..).map(|(row, place)| {
        let rank = row.swiss.as_ref().and_then(|row| row.rank);
        let mut cells = vec![
            rank.unwrap_or(place).to_string(),
            row.player.to_string(),
            row.points.to_string(),
        ];
        if let Some(TieBreaks {
            buchholz,
            sonneborn_berger,
            ..
        }) = row.swiss.as_ref().map(|row| row.tie_breaks)
        {
            let points = [buchholz.unwrap_or_default(), sonneborn_berger];
            cells.extend(points.map(|points| points.to_string()));
        }
        let WinDrawLoss {
            wins,
            draws,
            losses,
        } = row.results;
        cells.extend([row.results.games(), wins, draws, losses].map(|number| number.to_string()));
        cells
    });
    let played = progress.played();
    web::Tournament {
        title: format!("{played} of {} games", progress.planned()),
        is_running,
        withdrawable: Vec::new(),
        waits: Vec::new(),
        standings: Grid {
            head: head.map(str::to_owned).collect(),
            rows: rows.collect(),
        },
        rounds: Vec::new(),
    }
}
