//! The page of a referee for spectators and the operator, on a thread of its own.

use std::io;
use std::net::TcpListener;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::netref::{LogEvent, LogSink, Operator, site};
use crate::web::{Feed, Limits, ServerInfo, Token, serve};

/// The maximum number of spectators at the same time.
const MAX_SPECTATORS: u16 = 400;

/// The time in which spectators are sent the last changes.
const LAST_CHANGES: Duration = Duration::from_millis(100);

/// The longest time that stopping may take: a visitor who stays must not keep the
/// program.
const MAX_SHUTDOWN: Duration = Duration::from_secs(1);

/// A page that is served.
pub(super) struct Page {
    feed: Feed,
    end: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Page {
    /// The maximum number of connections at the same time. A browser has several until it
    /// has loaded the page.
    pub const MAX_CONNECTIONS: u32 = 500;

    /// Starts serving at a bound port, with a thread for all spectators together. The
    /// token allows giving commands. Requests that are refused are logged as events of
    /// the table with the server number in `log`.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(
        listener: TcpListener,
        title: String,
        operator: Operator,
        token: Token,
        log: (u16, LogSink),
    ) -> io::Result<Page> {
        let info = ServerInfo {
            title,
            organizer: true,
            tournaments: false,
        };
        let feed = Feed::new(info, MAX_SPECTATORS);
        let (number, sink) = log.clone();
        let app = site(feed.clone(), operator, token, log);
        let limits = Limits {
            connections: Page::MAX_CONNECTIONS,
            ..Limits::default()
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (end, is_end) = oneshot::channel();
        let serving = async move {
            let shutdown = async {
                let _ = is_end.await;
                sleep(LAST_CHANGES).await;
            };
            // Matches continue without the page.
            if let Err(error) = serve(listener, app, limits, shutdown).await {
                let what = format!("the page is no longer served: {error}");
                sink(number, LogEvent::Failed { what });
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
