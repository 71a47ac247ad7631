//! The connection to the referee, and everything that can happen.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::agent::{AgentError, Decision};
use super::error::Error;
use super::thinker::About;
use crate::net::configure_socket;
use crate::netref::{Line, Lines};

/// How long one address of the referee is tried.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the referee may take to read a request.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the referee may take to close the connection of a match that is
/// over.
const PARTING: Duration = Duration::from_secs(1);

/// How many events may wait; whoever has more to tell waits.
const WAITING: usize = 16;

/// What happens to a player or an observer.
#[derive(Debug)]
pub enum Event<M> {
    /// Lines came, as many as the system had at once.
    Lines(Vec<Line>),
    /// The connection is closed, or is broken if there is an error.
    Closed(Option<io::Error>),
    /// The agent has decided about this.
    Chosen(About, Result<Decision<M>, AgentError>),
}

/// A connection to a referee.
#[derive(Debug)]
pub struct Link<M> {
    stream: TcpStream,
    sender: SyncSender<Event<M>>,
    events: Receiver<Event<M>>,
    /// What came first.
    first: Option<Event<M>>,
}

impl<M: Send + 'static> Link<M> {
    /// Connects, and waits for what the referee says first, for `limit` at most if
    /// there is one.
    ///
    /// # Errors
    /// Nobody listens there, the host has no address, or nothing is said.
    pub fn connect(host: &str, port: u16, limit: Option<Duration>) -> Result<Link<M>, Error> {
        let mut link = Link::try_connect(host, port).map_err(|why| Error::Unreachable {
            host: host.to_owned(),
            port,
            why,
        })?;
        link.first = match limit {
            None => Some(link.next_event()),
            Some(limit) => link.next_event_within(limit),
        };
        match (limit, &link.first) {
            (Some(limit), None) => Err(Error::NoGreeting {
                host: host.to_owned(),
                port,
                limit,
            }),
            _ => Ok(link),
        }
    }

    fn try_connect(host: &str, port: u16) -> io::Result<Link<M>> {
        let mut result = Err(io::Error::other("the host has no address"));
        for address in (host, port).to_socket_addrs()? {
            result = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT);
            if result.is_ok() {
                break;
            }
        }
        let stream = result?;
        configure_socket(&stream)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let (sender, events) = sync_channel(WAITING);
        let (reader, lines) = (stream.try_clone()?, sender.clone());
        thread::spawn(move || read(reader, &lines));
        Ok(Link {
            stream,
            sender,
            events,
            first: None,
        })
    }

    /// Where others can report events, too.
    pub fn sender(&self) -> SyncSender<Event<M>> {
        self.sender.clone()
    }

    /// Waits for the next event.
    pub fn next_event(&mut self) -> Event<M> {
        let event = self.first.take().or_else(|| self.events.recv().ok());
        // We have a sender ourselves, so the channel is never closed.
        event.unwrap_or(Event::Closed(None))
    }

    /// Waits for the next event for so long at most.
    pub fn next_event_within(&mut self, time: Duration) -> Option<Event<M>> {
        let event = self.first.take();
        event.or_else(|| self.events.recv_timeout(time).ok())
    }

    /// Sends a request. If that fails, the end of the connection is the next
    /// thing that is heard, after what the referee said before.
    pub fn send(&mut self, request: &str) {
        let sent = self.stream.write_all(format!("{request}\r").as_bytes());
        if sent.is_err() {
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }

    /// Lets the referee close the connection of a match that is over: it may
    /// have more to say.
    pub fn part(&self) {
        let end = Instant::now() + PARTING;
        let left = || end.saturating_duration_since(Instant::now());
        while let Ok(event) = self.events.recv_timeout(left()) {
            if matches!(event, Event::Closed(_)) {
                break;
            }
        }
    }
}

/// The referee learns at once that we have gone.
impl<M> Drop for Link<M> {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Reads lines until the connection is closed or nobody wants them.
fn read<M>(mut stream: TcpStream, events: &SyncSender<Event<M>>) {
    let mut lines = Lines::default();
    let mut bytes = [0; 4_096];
    let end = loop {
        match stream.read(&mut bytes) {
            Ok(0) => break None,
            Ok(read) => {
                lines.push(bytes.get(..read).unwrap_or_default());
                let whole: Vec<Line> = lines.by_ref().collect();
                if !whole.is_empty() && events.send(Event::Lines(whole)).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Some(error),
        }
    };
    // Whoever does not listen has heard enough.
    let _ = events.send(Event::Closed(end));
}
