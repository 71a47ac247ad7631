//! The shell around the state machines: the connection to the referee, and the loops
//! that feed lines and decisions to a match and perform its effects.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::games::ClientGame;
use super::observer::Observer;
use super::reported::ReportedEnding;
use super::session::{Effect, ReceiveError, Session};
use crate::base::net::configure_socket;
use crate::clients::agent::{Agent, AgentError, Answer, Decision, Display, Thinker, note};
use crate::contests::netref::{Line, Lines, Malformed};

/// The limit for connecting to one address of the referee.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The silence after which a note says that no greeting has come. A referee greets at once.
const SILENCE: Duration = Duration::from_secs(2);

/// The advice for the address of another kind of server.
const GO_CONTEST: &str = "for a Go contest (gothello goref), use gothello goplay";

/// The limit for sending a request.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the client waits for the referee to close the connection after a match.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The silence from the referee after which the agent is asked for its first move. Before
/// that, the moves of a resumed match come one by one.
const SETTLING: Duration = Duration::from_millis(50);

/// The capacity of the queue of events.
const MAX_EVENTS: usize = 16;

/// Returns the likely reason if nothing listens at a port.
fn referee_hint(why: &io::Error) -> &'static str {
    match why.kind() {
        io::ErrorKind::ConnectionRefused => {
            "; is `gothello netref` running there, with this server number?"
        }
        _ => "",
    }
}

/// Why a match was not played to a regular end.
#[derive(Debug, Error)]
pub enum Error {
    /// No referee is there.
    #[error("{0}")]
    NoReferee(String),
    /// The connection was lost before the match was over.
    #[error("{0}")]
    Lost(String),
    /// A line is too long or not printable.
    #[error("a line of the referee cannot be read: {0}")]
    Unreadable(Malformed),
    /// The match could not go on after a line of the referee.
    #[error(transparent)]
    Receive(#[from] ReceiveError),
    /// The person at the terminal has left.
    #[error("{0}; the match was left")]
    Left(AgentError),
    /// The agent failed, and so the match was resigned.
    #[error("{0}; the match was resigned")]
    Resigned(AgentError),
    /// The output could not be written.
    #[error(transparent)]
    Output(io::Error),
}

/// A connection to a referee that has sent its first lines. A thread receives what it sends.
#[derive(Debug)]
pub struct Connection<M> {
    outgoing: Outgoing,
    /// The first lines.
    first: Received,
    sender: SyncSender<Event<M>>,
    events: Receiver<Event<M>>,
}

/// Sends requests. Dropping it closes the connection.
#[derive(Debug)]
struct Outgoing(TcpStream);

/// Input from the referee.
#[derive(Debug)]
enum Received {
    /// Lines, as many as the system had at once.
    Lines(Vec<Line>),
    /// The connection is closed, or broken if there is an error.
    Closed(Option<io::Error>),
}

impl Received {
    /// Describes what a server does that is not a referee: every response of a referee
    /// begins with a code of three digits.
    fn other_protocol(&self) -> Option<String> {
        let lines = match self {
            Received::Lines(lines) => lines,
            Received::Closed(None) => {
                return Some(
                    "it closed the connection without a greeting: it may have too many \
                     connections, or is not a referee"
                        .into(),
                );
            }
            Received::Closed(Some(_)) => return None,
        };
        // A line that is not text has its own error.
        let first = lines.first()?.text().ok()?;
        let is_code = |code: &str| code.bytes().all(|byte| byte.is_ascii_digit());
        match first.get(..3) {
            Some(code) if is_code(code) => None,
            _ if first.starts_with("HTTP/") => Some(format!("it is a web server ({first:?})")),
            _ => Some(format!("it begins with {first:?} instead of a greeting")),
        }
    }
}

impl<M: Send + 'static> Connection<M> {
    /// Connects, and waits for the referee's first line, for at most `limit` if there is
    /// one.
    ///
    /// # Errors
    /// The host has no address, no server listens there, or it does not greet as a referee.
    pub fn open(host: &str, port: u16, limit: Option<Duration>) -> Result<Connection<M>, Error> {
        let unreachable = |why: io::Error| {
            let hint = referee_hint(&why);
            Error::NoReferee(format!(
                "cannot reach a referee at {host} port {port}: {why}{hint}"
            ))
        };
        let stream = connect(host, port).map_err(unreachable)?;
        let incoming = stream.try_clone().map_err(unreachable)?;
        let outgoing = Outgoing(stream);
        let (sender, events) = sync_channel(MAX_EVENTS);
        let report = sender.clone();
        thread::spawn(move || {
            receive_all(incoming, |received| {
                report.send(Event::Received(received)).is_ok()
            });
        });
        let patience = limit.map_or(SILENCE, |limit| limit.min(SILENCE));
        let mut first = events.recv_timeout(patience).ok();
        if first.is_none() && limit != Some(patience) {
            note(&format!(
                "waiting for the greeting of {host} port {port}; {GO_CONTEST}"
            ));
            first = match limit {
                Some(limit) => events.recv_timeout(limit.saturating_sub(patience)).ok(),
                None => events.recv().ok(),
            };
        }
        let Some(Event::Received(first)) = first else {
            let limit = limit.unwrap_or_default().as_secs_f64();
            return Err(Error::NoReferee(format!(
                "no greeting came from {host} port {port} within {limit} s: is it a referee of \
                 matches? {GO_CONTEST}"
            )));
        };
        if let Some(what) = first.other_protocol() {
            return Err(Error::NoReferee(format!(
                "{host} port {port} is not a referee of matches: {what}; {GO_CONTEST}"
            )));
        }
        Ok(Connection {
            outgoing,
            first,
            sender,
            events,
        })
    }
}

/// Connects to the first address of the host at which a server listens.
fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
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
    Ok(stream)
}

impl Outgoing {
    /// Sends a request. If that fails, the end of the connection is received, after what
    /// the referee has sent before.
    fn send(&mut self, request: &str) {
        let sent = self.0.write_all(format!("{request}\r").as_bytes());
        if sent.is_err() {
            let _ = self.0.shutdown(Shutdown::Both);
        }
    }
}

/// Shuts down the connection, so that the referee notices at once.
impl Drop for Outgoing {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Receives lines until the connection is closed, or until `report` returns false because its
/// receiver is gone.
fn receive_all(mut stream: TcpStream, mut report: impl FnMut(Received) -> bool) {
    let mut lines = Lines::default();
    let mut bytes = [0; 4_096];
    loop {
        let received = match stream.read(&mut bytes) {
            Ok(0) => Received::Closed(None),
            Ok(read) => {
                lines.push(bytes.get(..read).unwrap_or_default());
                Received::Lines(lines.by_ref().collect())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Received::Closed(Some(error)),
        };
        let is_closed = match &received {
            Received::Lines(lines) if lines.is_empty() => continue,
            Received::Lines(_) => false,
            Received::Closed(_) => true,
        };
        if !report(received) || is_closed {
            return;
        }
    }
}

/// An event of a match: what the referee sends, or what the agent of a player answers.
#[derive(Debug)]
enum Event<M> {
    Received(Received),
    Answered(Answer<M>),
}

/// A player's match, with its connection, its agent and its display.
struct Player<'a, G: ClientGame, W> {
    outgoing: Outgoing,
    events: Receiver<Event<G::Move>>,
    session: Session<G>,
    thinker: Thinker<G>,
    display: &'a mut Display<W>,
    /// Why the match was resigned, if the agent failed.
    failure: Option<AgentError>,
}

/// Plays a match. Its result has been shown when this returns, even with an error.
///
/// # Errors
/// The match was not played to a regular end, or could not be shown.
pub fn play<G: ClientGame, W: Write>(
    connection: Connection<G::Move>,
    session: Session<G>,
    agent: Box<dyn Agent<G>>,
    display: &mut Display<W>,
) -> Result<ReportedEnding, Error> {
    let Connection {
        outgoing,
        first,
        sender,
        events,
    } = connection;
    let report = move |answer| sender.send(Event::Answered(answer)).is_ok();
    let mut player = Player {
        outgoing,
        events,
        session,
        thinker: Thinker::start(agent, report),
        display,
        failure: None,
    };
    let result = player.run(first);
    player.thinker.think_about(None);
    if result.is_ok() {
        player.wait_for_close();
    }
    let Player {
        outgoing,
        events,
        thinker,
        failure,
        ..
    } = player;
    drop(outgoing);
    // The thread of the agent must not wait for a receiver.
    drop(events);
    thinker.finish();
    let ending = result?;
    if let Some(failure) = failure {
        return Err(Error::Resigned(failure));
    }
    display.finish().map_err(Error::Output)?;
    Ok(ending)
}

impl<G: ClientGame, W: Write> Player<'_, G, W> {
    fn run(&mut self, first: Received) -> Result<ReportedEnding, Error> {
        if let Some(ending) = self.received(first)? {
            return Ok(ending);
        }
        let mut has_settled = false;
        loop {
            let turn = self.session.turn();
            let event = if turn.is_some() && !has_settled {
                match self.events.recv_timeout(SETTLING) {
                    Ok(event) => event,
                    Err(_) => {
                        has_settled = true;
                        continue;
                    }
                }
            } else {
                self.thinker.think_about(turn);
                let event = self.events.recv();
                event.unwrap_or(Event::Received(Received::Closed(None)))
            };
            let ending = match event {
                Event::Received(received) => self.received(received)?,
                Event::Answered(answer) => self.answered(answer)?,
            };
            if let Some(ending) = ending {
                return Ok(ending);
            }
        }
    }

    /// Handles lines or the end of the connection. Returns the ending if the match is over.
    fn received(&mut self, received: Received) -> Result<Option<ReportedEnding>, Error> {
        let lines = match received {
            Received::Lines(lines) => lines,
            Received::Closed(error) => {
                let Some(ending) = self.session.verdict_ending() else {
                    let failure = self.failure.take();
                    let session = &self.session;
                    let lost = || closed(error, session.has_begun(), session.can_come_back());
                    return Err(failure.map_or_else(lost, Error::Resigned));
                };
                self.display.show(&Effect::Over(ending));
                return Ok(Some(ending));
            }
        };
        let mut ending = None;
        for line in &lines {
            let effects = self.session.receive(text(line)?)?;
            ending = perform(effects, &mut self.outgoing, self.display).or(ending);
        }
        Ok(ending)
    }

    /// Handles an answer of the agent. A failed agent resigns.
    fn answered(&mut self, answer: Answer<G::Move>) -> Result<Option<ReportedEnding>, Error> {
        let Some(decision) = self.thinker.accept(answer) else {
            return Ok(None);
        };
        let effects = match decision.and_then(|decision| self.session.decide(decision)) {
            Ok(effects) => effects,
            Err(error @ AgentError::InputEnded) => return Err(Error::Left(error)),
            Err(error) => {
                self.failure = Some(error);
                self.session
                    .decide(Decision::Resign)
                    .map_err(Error::Resigned)?
            }
        };
        Ok(perform(effects, &mut self.outgoing, self.display))
    }

    /// Waits for the referee to close the connection of a finished match: it may have more to send.
    fn wait_for_close(&self) {
        let begin = Instant::now();
        let left = || CLOSE_TIMEOUT.saturating_sub(begin.elapsed());
        while let Ok(event) = self.events.recv_timeout(left()) {
            if matches!(event, Event::Received(Received::Closed(_))) {
                break;
            }
        }
    }
}

/// Observes a match. Its result has been shown when this returns, even with an error.
///
/// # Errors
/// The match did not come to a regular end, or could not be shown.
pub fn observe<G: ClientGame, W: Write>(
    connection: Connection<G::Move>,
    mut observer: Observer<G>,
    display: &mut Display<W>,
) -> Result<ReportedEnding, Error> {
    let Connection {
        mut outgoing,
        first,
        events,
        ..
    } = connection;
    let mut first = Some(first);
    loop {
        let received = match first.take() {
            Some(first) => first,
            None => match events.recv() {
                Ok(Event::Received(received)) => received,
                Ok(Event::Answered(_)) | Err(_) => Received::Closed(None),
            },
        };
        match received {
            Received::Lines(lines) => {
                for line in &lines {
                    let effects = observer.receive(text(line)?)?;
                    perform(effects, &mut outgoing, display);
                    // An observer that cannot show anything has nothing to do.
                    display.finish().map_err(Error::Output)?;
                }
            }
            Received::Closed(error) => {
                let ending = observer.ending();
                let ending = ending.ok_or_else(|| closed(error, observer.has_begun(), false))?;
                display.show(&Effect::Over(ending));
                display.finish().map_err(Error::Output)?;
                return Ok(ending);
            }
        }
    }
}

/// Performs effects in order. Returns the ending if the match is over.
fn perform<W: Write>(
    effects: Vec<Effect>,
    outgoing: &mut Outgoing,
    display: &mut Display<W>,
) -> Option<ReportedEnding> {
    let mut over = None;
    for effect in effects {
        display.show(&effect);
        match effect {
            Effect::Send(request) => outgoing.send(&request),
            Effect::Over(ending) => over = Some(ending),
            Effect::Note(_) | Effect::Moved(_) | Effect::Board(_) => {}
        }
    }
    over
}

/// Returns the error for a connection that is closed, or broken if there is a reason, before or after
/// the match has begun.
fn closed(error: Option<io::Error>, has_begun: bool, can_come_back: bool) -> Error {
    let what = match has_begun {
        true => "the match was over",
        false => "the match began",
    };
    let advice = match can_come_back {
        true => {
            "; if the referee resumes the match, the same command with the same --name takes the seat \
             again"
        }
        false => "",
    };
    Error::Lost(match error {
        None => format!("the referee closed the connection before {what}{advice}"),
        Some(why) => {
            format!("the connection to the referee broke before {what}: {why}{advice}")
        }
    })
}

/// Returns the text of a line.
fn text(line: &Line) -> Result<&str, Error> {
    line.text().map_err(Error::Unreadable)
}
