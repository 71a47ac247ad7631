//! A server for the tests: the page over a feed, and a queue of all commands.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use gothello::pages::web::{
    self, AccessPolicy, Command, CommandDone, CommandRefused, Feed, FromOrganizer, Hosts, Limits,
    Token, feed_page, feed_routes, guarded, serve, spectator_routes,
};
use tokio::sync::oneshot;

use crate::waiting::{DeadlineStream, PATIENCE};

type Sender = mpsc::SyncSender<Command>;

/// A server on a free port.
pub struct PageServer {
    pub address: SocketAddr,
    pub token: Token,
    /// The commands of the organizer.
    pub commands: mpsc::Receiver<Command>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl PageServer {
    /// Starts a server on which the token is needed for commands.
    pub fn open(feed: &Feed) -> PageServer {
        PageServer::with(feed, false, Limits::default())
    }

    /// Starts a server that trusts visitors on its own machine, or not.
    pub fn with(feed: &Feed, here: bool, limits: Limits) -> PageServer {
        PageServer::at("127.0.0.1:0".parse().unwrap(), feed, here, limits)
    }

    /// Starts a server at an address.
    pub fn at(address: SocketAddr, feed: &Feed, here: bool, limits: Limits) -> PageServer {
        let listener = TcpListener::bind(address).unwrap();
        let token = Token::random().unwrap();
        let hosts = Hosts::default().listening_at("Referee.test");
        let mut access = AccessPolicy::organizer(hosts, token.clone());
        if here {
            access = access.or_localhost();
        }
        let (sender, commands) = mpsc::sync_channel(1000);
        let act = async |State(sender): State<Sender>, FromOrganizer(command): FromOrganizer| {
            if command == (Command::Start { table: 2 }) {
                return Err(CommandRefused::new("Table 2 has no player for White."));
            }
            sender.send(command).unwrap();
            Ok(CommandDone)
        };
        let act = Router::new().route("/act", post(act)).with_state(sender);
        let app = feed_routes(feed.clone())
            .route("/", get(feed_page))
            .merge(act);
        let app = guarded(app, access);
        let mut server = PageServer::of(listener, app, limits);
        server.token = token;
        server.commands = commands;
        server
    }

    /// Starts a server that can only be watched.
    pub fn for_spectators(feed: &Feed) -> PageServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let access = AccessPolicy::spectators(Hosts::default());
        let app = spectator_routes(feed.clone(), access);
        PageServer::of(listener, app, Limits::default())
    }

    /// Serves an application.
    fn of(listener: TcpListener, app: Router, limits: Limits) -> PageServer {
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let stopped = async { drop(stopped.await) };
            let served = serve(listener, app, limits, stopped);
            runtime.block_on(served).unwrap();
        });
        PageServer {
            address,
            token: Token::random().unwrap(),
            commands: mpsc::channel().1,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// The page's address.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The organizer's link to the page.
    pub fn organizer_url(&self) -> String {
        format!("{}#token={}", self.url(), self.token)
    }

    /// Waits for the next command.
    pub fn command(&self) -> Command {
        let command = self.commands.recv_timeout(PATIENCE);
        command.expect("a command of the organizer")
    }

    /// Stops the server, and waits until it has stopped.
    pub fn close(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// The server's answer to these bytes, up to the end of the connection.
    pub fn answer(&self, request: &str) -> String {
        let mut stream = DeadlineStream::connect(self.address);
        stream.write_all(request.as_bytes()).unwrap();
        let answer = stream.read_to_any_end();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        self.close();
    }
}

/// An empty feed for at most this many spectators.
pub fn feed(spectators: u16) -> Feed {
    let info = web::ServerInfo {
        title: "Go contest".into(),
        organizer: true,
        tournaments: true,
        clients: true,
    };
    Feed::new(info, spectators)
}
