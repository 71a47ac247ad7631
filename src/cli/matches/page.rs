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
use crate::matches::{EventSettings, GameRecord, LiveGames, LiveTables, MatchGame, Progress};
use crate::web::{self, Feed, Grid, ServerInfo};

/// The pause between two looks at the games.
const REST: Duration = Duration::from_millis(100);

/// The pause between two looks at the standings.
const STANDINGS_REST: Duration = Duration::from_secs(1);

/// The page of an event.
pub(super) struct MatchPage {
    page: Page,
    feed: Feed,
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
        });
        let app = web::spectators(feed.clone());
        let page = Page::start(listener, feed.clone(), app, |what| note(&what))?;
        let (end, is_end) = channel();
        let shown = feed.clone();
        let thread = thread::Builder::new()
            .name("tables".into())
            .spawn(move || publish(&shown, start, &games, &is_end))?;
        Ok(MatchPage {
            page,
            feed,
            end,
            thread,
            shown: None,
        })
    }

    /// Shows a game that has ended.
    pub(super) fn add(&self, game: &GameRecord, sides: ByColor<&str>) {
        let players = game.fixture.players.as_ref();
        self.feed.add_finished(web::Finished {
            began: SystemTime::now(),
            table: format!("Game {}", game.fixture.number),
            sides: sides.map(str::to_owned),
            players: players.map(ToString::to_string),
            result: format!("{} ({})", game.result, game.verdict),
        });
    }

    /// Shows the standings, unless they were shown a moment ago.
    pub(super) fn show_standings(&mut self, settings: &EventSettings, progress: &Progress) {
        if self
            .shown
            .is_some_and(|shown| shown.elapsed() < STANDINGS_REST)
        {
            return;
        }
        self.shown = Some(Instant::now());
        self.feed
            .set_tournament(Some(standings(settings, progress, true)));
    }

    /// Lets spectators see the last changes, and stops.
    pub(super) fn finish(self, settings: &EventSettings, progress: &Progress) {
        self.feed
            .set_tournament(Some(standings(settings, progress, false)));
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
        for changed in tables.changes(games) {
            feed.set_plies(changed.table, changed.from, changed.plies);
        }
        match end.recv_timeout(REST) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    for changed in tables.changes(games) {
        feed.set_plies(changed.table, changed.from, changed.plies);
    }
}

/// Returns the standings of an event, the best player first.
fn standings(settings: &EventSettings, progress: &Progress, running: bool) -> web::Tournament {
    let mut players: Vec<_> = settings
        .players
        .iter()
        .map(|player| (&player.name, progress.results_of(&player.name)))
        .collect();
    players.sort_by_key(|(_, results)| {
        let points = results.wins.saturating_mul(2).saturating_add(results.draws);
        std::cmp::Reverse(points)
    });
    let rows = players.iter().map(|(name, results)| {
        let points = results.wins as f64 + results.draws as f64 / 2.0;
        let numbers = [results.games(), results.wins, results.draws, results.losses];
        let mut row = vec![name.to_string(), points.to_string()];
        row.extend(numbers.map(|number| number.to_string()));
        row
    });
    let head = ["Player", "Points", "Games", "Won", "Drawn", "Lost"];
    let played = progress.played();
    web::Tournament {
        title: format!("{played} of {} games", progress.planned()),
        running,
        participants: Vec::new(),
        waits: Vec::new(),
        standings: Grid {
            head: head.map(str::to_owned).into(),
            rows: rows.collect(),
        },
        rounds: Vec::new(),
    }
}
