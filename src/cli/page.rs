//! The page of a referee, for those who watch and for the operator, on a thread of its
//! own.

use std::io;
use std::net::TcpListener;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::netref::{Operator, Sink, site};
use crate::web::{Feed, Hall, Limits, Token, serve};

/// The most connections at once. A browser has several until it has loaded the
/// page.
pub(super) const MOST: u32 = 500;

/// The most who watch at once.
const WATCHERS: u16 = 400;

/// How long those who watch are given for what was said last.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// How long all of the end may take: a visitor who does not go must not keep the
/// program.
const END: Duration = Duration::from_secs(1);

/// A page that is served.
pub(super) struct Page {
    feed: Feed,
    end: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Page {
    /// Starts serving at a bound port. However many watch, they have this thread
    /// and no other. Whoever brings the token gives orders; who
    /// is turned away is news of the server with this number.
    pub(super) fn start(
        door: TcpListener,
        title: String,
        operator: Operator,
        token: Token,
        news: (u16, Sink),
    ) -> io::Result<Page> {
        let hall = Hall {
            title,
            organiser: true,
            tournaments: false,
        };
        let feed = Feed::new(hall, WATCHERS);
        let app = site(feed.clone(), operator, token, news);
        let limits = Limits {
            connections: MOST,
            ..Limits::default()
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (end, is_end) = oneshot::channel();
        let serving = async move {
            let shutdown = async {
                let _ = is_end.await;
                sleep(LAST_WORDS).await;
            };
            // Without the page, matches go on.
            if let Err(error) = serve(door, app, limits, shutdown).await {
                tracing::error!("the page is not served: {error}");
            }
            // Each WebSocket says its farewell.
            sleep(LAST_WORDS).await;
        };
        let thread = thread::Builder::new()
            .name("page".into())
            .spawn(move || runtime.block_on(serving))?;
        Ok(Page { feed, end, thread })
    }

    /// What the page shows.
    pub(super) fn feed(&self) -> Feed {
        self.feed.clone()
    }

    /// Lets those who watch see the end, and stops.
    pub(super) fn finish(self) {
        let _ = self.end.send(());
        let start = Instant::now();
        while !self.thread.is_finished() && start.elapsed() < END {
            thread::sleep(LAST_WORDS / 20);
        }
    }
}
