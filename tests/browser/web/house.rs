//! A server for the tests: the page over a feed, and a record of all orders.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use gothello::web::{
    self, AccessPolicy, Command, CommandDone, CommandRefused, Feed, FromOrganizer, Limits, Token,
    guarded, page, routes, serve, spectators,
};
use tokio::sync::oneshot;

type Sender = mpsc::SyncSender<Command>;

/// A server on a free port.
pub struct House {
    pub address: SocketAddr,
    pub token: Token,
    /// What the organiser has ordered.
    pub orders: mpsc::Receiver<Command>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl House {
    /// Opens one where only the token makes the organiser.
    pub fn open(feed: &Feed) -> House {
        House::with(feed, false, Limits::default())
    }

    /// Opens one that trusts its machine, or not.
    pub fn with(feed: &Feed, here: bool, limits: Limits) -> House {
        House::at("127.0.0.1:0".parse().unwrap(), feed, here, limits)
    }

    /// Opens one at a place.
    pub fn at(address: SocketAddr, feed: &Feed, here: bool, limits: Limits) -> House {
        let listener = TcpListener::bind(address).unwrap();
        let token = Token::random().unwrap();
        let mut access = AccessPolicy::organizer(token.clone());
        if here {
            access = access.or_localhost(["Referee.test".into()]);
        }
        let (sender, orders) = mpsc::sync_channel(1000);
        let act = async |State(sender): State<Sender>, FromOrganizer(action): FromOrganizer| {
            if action == (Command::Start { table: 2 }) {
                return Err(CommandRefused::new("Table 2 has no player for White."));
            }
            sender.send(action).unwrap();
            Ok(CommandDone)
        };
        let act = Router::new().route("/act", post(act)).with_state(sender);
        let app = routes(feed.clone()).route("/", get(page)).merge(act);
        let app = guarded(app, access);
        let mut house = House::of(listener, app, limits);
        house.token = token;
        house.orders = orders;
        house
    }

    /// Opens one for those who only watch.
    pub fn for_spectators(feed: &Feed) -> House {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        House::of(listener, spectators(feed.clone()), Limits::default())
    }

    /// Serves something.
    fn of(listener: TcpListener, app: Router, limits: Limits) -> House {
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
        House {
            address,
            token: Token::random().unwrap(),
            orders: mpsc::channel().1,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// The page's address.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The page's address for the organiser.
    pub fn organiser_url(&self) -> String {
        format!("{}#token={}", self.url(), self.token)
    }

    /// The next order, which must come soon.
    pub fn order(&self) -> Command {
        self.orders.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    /// Stops the server, and waits until it has stopped.
    pub fn close(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// What the server answers to these bytes, up to its end of the connection
    /// or of its patience.
    pub fn answer(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // An end by reset is one too.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.close();
    }
}

/// A feed with nothing in it, for so many watchers.
pub fn feed(watchers: u16) -> Feed {
    let hall = web::ServerInfo {
        title: "Go contest".into(),
        organizer: true,
        tournaments: true,
    };
    Feed::new(hall, watchers)
}
