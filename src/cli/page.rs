//! The page of a referee or of an event for spectators, on a thread of its own.

use std::io;
use std::net::TcpListener;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use axum::Router;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::pages::web::{Feed, Limits, ServerInfo, serve};

/// The maximum number of spectators at the same time.
const MAX_SPECTATORS: u16 = 400;

/// The time in which spectators are sent the last changes.
const LAST_CHANGES: Duration = Duration::from_millis(100);

/// The longest time that stopping may take: a visitor who stays must not keep the program
/// from ending.
const MAX_SHUTDOWN: Duration = Duration::from_secs(1);

/// A page that is served.
pub struct Page {
    feed: Feed,
    end: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Page {
    /// The maximum number of connections at the same time. A browser has several until it
    /// has loaded the page.
    pub const MAX_CONNECTIONS: u32 = 500;

    /// Returns a feed for the spectators of a page.
    pub fn feed_of(info: ServerInfo) -> Feed {
        Feed::new(info, MAX_SPECTATORS)
    }

    /// Starts serving a site at a bound port, with a thread for all spectators together. `failed`
    /// is called if the page is no longer served: matches go on without it.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(
        listener: TcpListener,
        feed: Feed,
        app: Router,
        failed: impl FnOnce(String) + Send + 'static,
    ) -> io::Result<Page> {
        let limits = Limits {
            connections: Page::MAX_CONNECTIONS,
            ..Limits::default()
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (end, ended) = oneshot::channel();
        let serving = async move {
            let shutdown = async {
                let _ = ended.await;
                sleep(LAST_CHANGES).await;
            };
            if let Err(error) = serve(listener, app, limits, shutdown).await {
                failed(format!("the page is no longer served: {error}"));
            }
            // Each WebSocket is closed with a close frame.
            sleep(LAST_CHANGES).await;
        };
        let thread = thread::Builder::new()
            .name("page".into())
            .spawn(move || runtime.block_on(serving))?;
        Ok(Page { feed, end, thread })
    }

    /// Returns the feed that fills the page.
    pub fn feed(&self) -> Feed {
        self.feed.clone()
    }

    /// Lets spectators see the last changes, and stops.
    pub fn finish(self) {
        let _ = self.end.send(());
        let start = Instant::now();
        while !self.thread.is_finished() && start.elapsed() < MAX_SHUTDOWN {
            thread::sleep(LAST_CHANGES / 20);
        }
    }
}
