//! Connections: accepting them, and reading and writing one until it ends.
//!
//! Until a client has asked for a role, this module decides about its connection: too many
//! connections or observers, a version that is too great, too many malformed openings, a wrong
//! secret, or no opening in time. Then a player's requests go to the referee as [`Input`]s, and this
//! module only delays repeated refusals.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};

use super::guests::hangs_up_within;
use super::recorded::{LineTranscript, RecordedStream};
use super::{
    Connection, DOES_NOT_READ, Input, MAX_REJECTIONS, Permit, RoleRequest, Shared, ToPlayer,
    stopping,
};
use crate::base::net::{self, configure_socket};
use crate::contests::limits::AcceptPace;
use crate::contests::netref::client::{Client, ConnId, Name};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::{LogEvent, Who};
use crate::contests::netref::referee::Entrance;
use crate::contests::netref::table::{Loss, MAX_MALFORMED, TOO_MANY_MALFORMED};
use crate::contests::netref::teams::Identified;
use crate::contests::netref::wire::{
    Action, Line, Lines, Malformed, Opening, OpeningError, Response, Role, RoleRefusal,
};

/// The maximum duration of a write before the peer counts as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection that is being closed waits for its peer to close it, too.
const LINGER: Duration = Duration::from_secs(2);

/// The maximum number of texts that wait for a player.
const OUTBOX: usize = 64;

/// The number of refusals in a row that are answered without delay.
const FREE_REFUSALS: u32 = 256;

/// The delay of each further refusal.
const PENALTY: Duration = Duration::from_millis(20);

/// The size of the read buffer in bytes.
const PIECE: usize = 2_048;

/// A port: where its clients go.
#[derive(Clone)]
pub struct Port<M> {
    pub entrance: Entrance,
    /// If the port is one of a team: the team of the clients whose name does not say otherwise, and
    /// the refusal sent to clients that ask to observe.
    pub team: Option<(Name, Arc<str>)>,
    /// The queue to the referee.
    pub inputs: mpsc::Sender<Input<M>>,
}

impl<M> Port<M> {
    /// Returns the team of the port.
    fn team(&self) -> Option<&Name> {
        self.team.as_ref().map(|(team, _)| team)
    }
}

/// Serves a connection until it has a role and, if that is a player's, until
/// its end.
///
/// # Errors
/// If the socket fails.
async fn serve<G: NetrefGame>(
    mut stream: RecordedStream,
    client: Client,
    mut permit: Permit,
    port: Port<G::Move>,
    shared: Shared,
) -> io::Result<()> {
    let conn = client.conn;
    let who = Who {
        address: client.address,
        is_unlisted: client.is_unlisted,
        ..Who::stranger(conn)
    };
    let mut lines = Lines::default();
    send(
        &mut stream,
        &Response::<G>::Greeting(G::greeting()).to_string(),
    )
    .await?;
    let mut stops = shared.stops();
    let greeted = tokio::select! {
        greeted = greet::<G>(&mut stream, &who, &mut lines, (port.team(), &permit), &shared) => {
            greeted?
        }
        why = stopping(&mut stops) => {
            send(&mut stream, &Response::<G>::Problem(why).to_string()).await?;
            None
        }
        () = shared.handshake_over() => {
            let late = Response::<G>::Problem("No request came in time".into());
            refuse(&mut stream, &who, late, &shared).await?;
            None
        }
    };
    let Some((role, resumes, identified)) = greeted else {
        close(stream.unrecorded()).await;
        return Ok(());
    };
    // Until here it counts only for its address: anybody can connect to the port of a team.
    let Ok(wait) = permit.join(identified.membership()) else {
        let full = Response::<G>::Problem("There are too many connections of your team".into());
        return turn_away(stream, &who, full, &shared).await;
    };
    let Identified { name, team } = identified;
    // Texts for observers are left out.
    stream.join(team.as_ref().filter(|_| role != Role::Observer));
    if hangs_up_within(wait, &stream).await {
        return Ok(());
    }
    let client = Client {
        resumes: resumes || team.as_ref().is_some_and(|team| shared.teams.resumes(team)),
        team,
        ..client
    };
    let (at, entrance) = (shared.now(), port.entrance);
    let opening = Opening::new::<G>(role, name);
    let open = |connection| {
        Input::Open(Box::new(RoleRequest {
            client,
            opening,
            entrance,
            at,
            connection,
        }))
    };
    if role == Role::Observer {
        let refusal = match &port.team {
            Some((_, why)) => Response::<G>::Refused(RoleRefusal::Private, why.to_string()),
            None if permit.observe() => {
                let stream = (stream.into_std()?, permit);
                let open = open(Connection::Observer(stream, lines));
                // A referee that is gone has closed everything.
                let _ = port.inputs.send(open).await;
                return Ok(());
            }
            None => Response::Problem("There are too many observers".into()),
        };
        return turn_away(stream, &who, refusal, &shared).await;
    }
    let (outbox, mut queue) = mpsc::channel(OUTBOX);
    let open = open(Connection::Player(outbox));
    if port.inputs.send(open).await.is_ok() {
        let connection = (&mut stream, lines, &permit);
        play::<G>(connection, conn, &mut queue, &port.inputs, &shared).await;
        close(stream.unrecorded()).await;
    }
    Ok(())
}

/// Refuses a client that has no role yet, and closes its connection.
///
/// # Errors
/// If the peer is gone, or has not read for too long.
async fn turn_away<G: NetrefGame>(
    mut stream: RecordedStream,
    who: &Who,
    why: Response<G>,
    shared: &Shared,
) -> io::Result<()> {
    refuse(&mut stream, who, why, shared).await?;
    close(stream.unrecorded()).await;
    Ok(())
}

/// Reads requests until one is an opening; returns the role that it asks for, whether it resumes
/// interrupted matches, and who the client is, or `None` if the connection is to be closed. Of
/// malformed requests that get the same answer in a row, only the first is logged: a client that
/// speaks another protocol, for example a browser, sends many. `team` is that of the port.
async fn greet<G: NetrefGame>(
    stream: &mut RecordedStream,
    who: &Who,
    lines: &mut Lines,
    (team, permit): (Option<&Name>, &Permit),
    shared: &Shared,
) -> io::Result<Option<(Role, bool, Identified)>> {
    let mut logged = None;
    for _ in 0..MAX_MALFORMED {
        let Some(line) = next_line(stream, lines).await? else {
            return Ok(None);
        };
        if permit.pace(stream).await {
            return Ok(None);
        }
        let opening = line
            .text()
            .map_err(OpeningError::from)
            .and_then(Opening::parse::<G>);
        let identified = opening.and_then(|opening| {
            let (role, resumes) = (opening.role, opening.resumes::<G>());
            let identified = shared.teams.identify(opening.name, team);
            let identified = identified.map_err(|why| Malformed(why.to_string()))?;
            Ok((role, resumes, identified))
        });
        match identified {
            Ok(identified) => return Ok(Some(identified)),
            Err(OpeningError::Version(got)) => {
                let ours = G::version();
                let why = format!("Illegal version number (expected {ours} or less, got {got})");
                let refusal = Response::<G>::Refused(RoleRefusal::Version, why);
                refuse(stream, who, refusal, shared).await?;
                return Ok(None);
            }
            Err(OpeningError::Malformed(Malformed(why))) => {
                let told = format!("Request not understood: {why}");
                let refusal = Response::<G>::Refused(RoleRefusal::NotUnderstood, told);
                if logged.as_ref() == Some(&why) {
                    send(stream, &refusal.to_string()).await?;
                } else {
                    refuse(stream, who, refusal, shared).await?;
                    logged = Some(why);
                }
            }
        }
    }
    let last = Response::<G>::Problem(TOO_MANY_MALFORMED.into());
    send(stream, &last.to_string()).await?;
    shared.log(LogEvent::Dropped {
        who: who.clone(),
        why: TOO_MANY_MALFORMED.into(),
    });
    Ok(None)
}

/// Passes on the requests of a player and the texts for it, until either end closes.
async fn play<G: NetrefGame>(
    (stream, mut lines, permit): (&mut RecordedStream, Lines, &Permit),
    conn: ConnId,
    queue: &mut mpsc::Receiver<ToPlayer>,
    inputs: &mpsc::Sender<Input<G::Move>>,
    shared: &Shared,
) {
    let mut piece = [0; PIECE];
    // One request at a time, so that answers cannot pile up, however many requests
    // come at once. Each is answered, or the player is dropped.
    let mut unanswered = false;
    let mut delay = RefusalDelay::default();
    let mut loss = Loss::Closed;
    loop {
        if !unanswered && let Some(line) = lines.next() {
            stream.note_line();
            // The move counts as made now, but the flag may fall while it waits.
            let at = shared.now();
            let has_hung_up = permit.pace(stream).await;
            let request = line.text().and_then(Action::parse::<G>);
            // The answer to a malformed request may repeat what is in it.
            let hide = |text: &str| shared.teams.without_secrets(text).into_owned();
            let input = Input::Request {
                conn,
                line: hide(line.text().unwrap_or("(no text)")),
                request: request.map_err(|Malformed(why)| Malformed(hide(&why))),
                at,
            };
            if inputs.send(input).await.is_err() {
                return;
            }
            if has_hung_up {
                // It made this request before it left; no other one counts.
                break;
            }
            unanswered = true;
        }
        tokio::select! {
            biased;
            text = queue.recv() => match text {
                Some(ToPlayer::Text(text)) => {
                    unanswered = false;
                    delay.delay_answer(is_refusal(&text)).await;
                    if let Err(error) = send(stream, &text).await {
                        loss = loss_of(&error);
                        break;
                    }
                }
                Some(ToPlayer::EndOutput) => {
                    unanswered = false;
                    stream.end_output().await;
                }
                None => return,
            },
            read = stream.read(&mut piece), if !unanswered => match read {
                Ok(length) if length > 0 => lines.push(piece.get(..length).unwrap_or_default()),
                Ok(_) => break,
                Err(error) => {
                    loss = loss_of(&error);
                    break;
                }
            },
        }
    }
    let at = shared.now();
    let _ = inputs.send(Input::Left { conn, at, loss }).await;
    // It may still read.
    while let Some(ToPlayer::Text(text)) = queue.recv().await {
        if send(stream, &text).await.is_err() {
            return;
        }
    }
}

/// Slows down a client whose requests are all refused, so that it does not take time from others.
#[derive(Debug, Default)]
pub struct RefusalDelay {
    /// The number of refusals in a row.
    refusals: u32,
}

impl RefusalDelay {
    /// Waits before the answer to a request is sent, if too many requests in a row were refused.
    pub async fn delay_answer(&mut self, is_refusal: bool) {
        self.refusals = if is_refusal {
            self.refusals.saturating_add(1)
        } else {
            0
        };
        if self.refusals > FREE_REFUSALS {
            sleep(PENALTY).await;
        }
    }
}

/// Returns whether a text refuses a request: Illegal (291) or NotUnderstood (299).
fn is_refusal(text: &str) -> bool {
    text.starts_with("29")
}

/// Returns the next line, or `None` at the end of the stream.
async fn next_line(stream: &mut RecordedStream, lines: &mut Lines) -> io::Result<Option<Line>> {
    let mut piece = [0; PIECE];
    loop {
        if let Some(line) = lines.next() {
            stream.note_line();
            return Ok(Some(line));
        }
        match stream.read(&mut piece).await? {
            0 => return Ok(None),
            length => lines.push(piece.get(..length).unwrap_or_default()),
        }
    }
}

/// Refuses a client that has no role yet, and logs it.
///
/// # Errors
/// If the peer is gone, or has not read for too long.
async fn refuse<G: NetrefGame>(
    stream: &mut RecordedStream,
    who: &Who,
    response: Response<G>,
    shared: &Shared,
) -> io::Result<()> {
    let text = response.to_string();
    shared.log(LogEvent::refused(who.clone(), &text));
    send(stream, &text).await
}

/// Writes a text, in a single write if the system accepts it whole.
///
/// # Errors
/// If the peer is gone, or has not read for too long.
pub async fn send<S: AsyncWrite + Unpin>(stream: &mut S, text: &str) -> io::Result<()> {
    timeout(WRITE_TIMEOUT, stream.write_all(text.as_bytes())).await?
}

/// What Windows reports if keepalive probes are not answered (the error codes of Windows Sockets).
const WSAENETRESET: i32 = 10_052;

/// Returns how a connection is lost whose socket fails.
fn loss_of(error: &io::Error) -> Loss {
    match error.kind() {
        // This server's own limit, not the system's.
        io::ErrorKind::TimedOut if error.raw_os_error().is_none() => {
            Loss::Dropped(DOES_NOT_READ.to_owned())
        }
        io::ErrorKind::TimedOut
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::NetworkDown
        // What Windows reports if data is not acknowledged.
        | io::ErrorKind::ConnectionAborted => Loss::Silent,
        _ if error.raw_os_error() == Some(WSAENETRESET) => Loss::Silent,
        _ => Loss::Closed,
    }
}

/// Closes a connection so that the peer can read everything that was sent.
pub async fn close(mut stream: TcpStream) {
    net::close(&mut stream, LINGER).await;
}

/// Accepts the connections of a port until the server stops.
pub async fn accept<G: NetrefGame>(
    listener: TcpListener,
    port: Port<G::Move>,
    connections: Arc<Semaphore>,
    shared: Shared,
) {
    let mut stops = shared.stops();
    let rejections = Arc::new(Semaphore::new(MAX_REJECTIONS));
    let mut pace = AcceptPace::of_port();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping(&mut stops) => return,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Most likely too many files are open; some will be closed.
                let what = format!("cannot accept a connection: {error}");
                shared.log(LogEvent::Failed { what });
                sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let conn = shared.conns.next();
        let permit = Permit::admit(peer.ip(), &connections, &shared);
        let now = shared.now();
        // Connecting in a loop must neither fill the log nor take the time of the players.
        let listed = shared.usages.list(peer.ip(), now);
        let who = Who {
            is_unlisted: listed.is_none(),
            ..Who::stranger(conn)
        };
        if let Some(unlisted @ 1..) = listed {
            shared.log(LogEvent::Unlisted {
                address: peer.ip(),
                unlisted,
            });
        }
        if !who.is_unlisted {
            shared.log(LogEvent::Connected {
                connection: conn,
                address: peer,
            });
        }
        let pause = pace.count(now).max(shared.usages.pace(peer.ip(), now));
        // If this fails, the only harm is that vanished peers go unnoticed.
        let _ = configure_socket(&stream);
        match permit {
            Ok(mut permit) => {
                permit.is_unlisted = who.is_unlisted;
                let transcript = LineTranscript::begin(&shared, conn, peer, port.team());
                let stream = RecordedStream::new(stream, transcript);
                let (port, shared) = (port.clone(), shared.clone());
                let wait = shared.usages.count_connection(peer.ip(), shared.now());
                tokio::spawn(async move {
                    if !wait.is_zero() {
                        let mut stops = shared.stops();
                        tokio::select! {
                            () = sleep(wait) => {}
                            // Its permit is free for others.
                            () = stream.hung_up() => return,
                            // It is told why.
                            _ = stopping(&mut stops) => {}
                        }
                    }
                    let client = Client {
                        address: Some(peer),
                        is_unlisted: who.is_unlisted,
                        ..conn.into()
                    };
                    if let Err(error) =
                        serve::<G>(stream, client, permit, port, shared.clone()).await
                    {
                        let why = error.to_string();
                        shared.log(LogEvent::Dropped { who, why });
                    }
                });
            }
            Err(why) => {
                let why = why.to_owned();
                shared.log(LogEvent::Dropped { who, why });
                reject::<G>(stream, &rejections);
            }
        }
        if !pause.is_zero() {
            tokio::select! {
                () = sleep(pause) => {}
                _ = stopping(&mut stops) => return,
            }
        }
    }
}

/// Closes a connection because there are too many. If many clients connect at once, only some get
/// the reason first.
fn reject<G: NetrefGame>(mut stream: TcpStream, rejections: &Arc<Semaphore>) {
    let Ok(permit) = Arc::clone(rejections).try_acquire_owned() else {
        return;
    };
    let text = Response::<G>::Problem("There are too many connections".into()).to_string();
    tokio::spawn(async move {
        if send(&mut stream, &text).await.is_ok() {
            close(stream).await;
        }
        drop(permit);
    });
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpStream as StdStream;

    use tokio::runtime::Builder;

    use super::*;
    use crate::contests::limits::{Limits, MAX_WAIT};
    use crate::contests::netref::Gothello;
    use crate::contests::netref::server::guests::Usages;
    use crate::contests::netref::server::{Inner, LogSink};
    use crate::games::gothello::Move;

    /// Returns both ends of a connection.
    async fn connection() -> (RecordedStream, StdStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = StdStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        (RecordedStream::new(stream, None), client)
    }

    /// The shared state of a server that limits the lines of an address.
    fn limited(limits: Limits) -> Shared {
        let sink: LogSink = Arc::new(|_, _| ());
        Shared {
            inner: Arc::new(Inner {
                usages: Usages::new(limits, Limits::default()),
                ..Inner::new(sink, None, 1)
            }),
            number: 0,
        }
    }

    fn permit(shared: &Shared) -> Permit {
        let connections = Arc::new(Semaphore::new(1));
        Permit::admit([127, 0, 0, 1].into(), &connections, shared).unwrap()
    }

    /// An opponent who was cut off by the same outage is waited for longer.
    #[test]
    fn a_peer_that_does_not_answer_is_silent_and_one_that_resets_has_closed() {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, HostUnreachable};
        for silent in [
            HostUnreachable.into(),
            ConnectionAborted.into(),
            io::Error::from_raw_os_error(WSAENETRESET),
        ] {
            assert_eq!(loss_of(&silent), Loss::Silent, "{silent}");
        }
        assert_eq!(loss_of(&ConnectionReset.into()), Loss::Closed);
    }

    /// The clock of a player counts until its move has come, however long the line then waits
    /// because others of the team are too fast.
    #[test]
    fn the_time_of_a_request_is_that_of_its_arrival() {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let limits = Limits {
                connections: None,
                messages: Some(10),
            };
            let shared = limited(limits);
            let _ticker = shared.clock.tick_on_thread().unwrap();
            let address = [127, 0, 0, 1].into();
            let permit = permit(&shared);
            let (mut stream, mut client) = connection().await;
            client.write_all(b"1 c3\r").unwrap();
            // Each line of others moves this one back by a tenth of a second.
            while shared.usages.count_connection(address, shared.now()) < Duration::from_secs(1) {}
            let (_outbox, mut queue) = mpsc::channel(1);
            let (inputs, mut inbox) = mpsc::channel::<Input<Move>>(1);
            let connection = (&mut stream, Lines::default(), &permit);
            let playing = play::<Gothello>(connection, ConnId(1), &mut queue, &inputs, &shared);
            let at = tokio::select! {
                () = playing => None,
                message = inbox.recv() => match message {
                    Some(Input::Request { at, .. }) => Some(at),
                    _ => None,
                },
            };
            let waited = shared.now().saturating_sub(at.unwrap());
            assert!(waited >= Duration::from_millis(100), "{waited:?}");
        });
    }

    /// An opponent of such a player would wait as long as its line.
    #[test]
    fn a_client_that_hangs_up_while_its_line_waits_has_left() {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let limits = Limits {
                connections: None,
                messages: Some(1),
            };
            let shared = limited(limits);
            let _ticker = shared.clock.tick_on_thread().unwrap();
            let address = [127, 0, 0, 1].into();
            let permit = permit(&shared);
            let (mut stream, mut client) = connection().await;
            client.write_all(b"1 c3\r2 c4\r").unwrap();
            while shared.usages.count_connection(address, shared.now()) < MAX_WAIT {}
            let start = shared.now();
            drop(client);
            let (outbox, mut queue) = mpsc::channel(1);
            let (inputs, mut inbox) = mpsc::channel::<Input<Move>>(4);
            let connection = (&mut stream, Lines::default(), &permit);
            let playing = play::<Gothello>(connection, ConnId(1), &mut queue, &inputs, &shared);
            let messages = async {
                // As a table closes the queue of a client that has left.
                let messages = [inbox.recv().await, inbox.recv().await];
                drop(outbox);
                messages
            };
            let ((), messages) = tokio::join!(playing, messages);
            let took = shared.now().saturating_sub(start);
            assert!(took < MAX_WAIT, "{took:?}");
            // A request that it sent before counts, once.
            let [Some(Input::Request { .. }), Some(Input::Left { .. })] = messages else {
                panic!("no request, or it has not left");
            };
            assert!(inbox.try_recv().is_err());
        });
    }

    #[test]
    fn a_client_that_has_hung_up_is_noticed_even_if_it_has_sent_something() {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for sent in ["", "0.9.1 player black\r"] {
                let (stream, mut client) = connection().await;
                client.write_all(sent.as_bytes()).unwrap();
                let connected = timeout(Duration::from_millis(50), stream.hung_up()).await;
                assert!(connected.is_err(), "{sent:?}");
                drop(client);
                let gone = timeout(Duration::from_secs(10), stream.hung_up()).await;
                assert!(gone.is_ok(), "{sent:?}");
            }
        });
    }
}
