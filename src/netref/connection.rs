//! One connection: bytes from and to a socket, no decisions.
//!
//! The table of a table: connections come in, as many as there may be.

use std::io;
use std::net::TcpStream as StdStream;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};

use super::client::{Client, ConnId, Who};
use super::game::NetrefGame;
use super::log::LogEvent;
use super::operator::TableRequest;
use super::server::{Permit, Shared, stopping};
use super::table::{MAX_MALFORMED, TOO_MANY_MALFORMED};
use super::wire::{Action, Line, Lines, Malformed, Name, Opening, OpeningError, Response, Role};
use crate::net::configure_socket;

/// How long a write may take before the peer counts as gone.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a closed connection waits for its peer to close, too.
const LINGER: Duration = Duration::from_secs(2);

/// How many pieces may wait for a player who does not read.
const OUTBOX: usize = 64;

/// So many refusals in a row cost nothing.
const FREE_REFUSALS: u32 = 256;

/// How long each further one takes.
const PENALTY: Duration = Duration::from_millis(20);

/// How many bytes are read at once.
const PIECE: usize = 2_048;

/// What connections tell their table. Each tells when it came, by the server's
/// own clock.
pub(super) enum Message<M> {
    /// One asks for a player's seat; so it can be spoken to.
    Open {
        client: Client,
        opening: Opening,
        at: Duration,
        outbox: Outbox,
    },
    /// One asks to observe. It is handed over with what was read from it.
    Watch {
        client: Client,
        name: Option<Name>,
        at: Duration,
        stream: StdStream,
        permit: Permit,
        lines: Lines,
    },
    /// A player's request.
    Request {
        conn: ConnId,
        request: Result<Action<M>, Malformed>,
        at: Duration,
    },
    /// The operator wants something.
    Command { request: TableRequest, at: Duration },
    /// One is gone; or it was closed, and why.
    Left {
        conn: ConnId,
        at: Duration,
        why: Option<String>,
    },
}

/// The way to a player: what he is to be sent, in pieces that are written at
/// once. When this is dropped he is closed, after all has been sent.
pub(super) type Outbox = mpsc::Sender<String>;

/// Serves a connection until it has a role and, if that is a player's, until
/// its end.
///
/// # Errors
/// The socket fails.
pub(super) async fn serve<G: NetrefGame>(
    mut stream: TcpStream,
    client: Client,
    mut permit: Permit,
    table: mpsc::Sender<Message<G::Move>>,
    shared: Shared,
) -> io::Result<()> {
    let conn = client.conn;
    let mut lines = Lines::default();
    send(&mut stream, &Response::<G>::greeting().to_string()).await?;
    let mut state = shared.state();
    let opening = tokio::select! {
        opening = greet::<G>(&mut stream, conn, &mut lines, &shared) => opening?,
        why = stopping(&mut state) => {
            send(&mut stream, &Response::<G>::Problem(why).to_string()).await?;
            None
        }
        () = shared.handshake_over() => {
            let late = Response::<G>::Problem("No request came in time".into());
            refuse(&mut stream, conn, late, &shared).await?;
            None
        }
    };
    let Some(opening) = opening else {
        close(stream).await;
        return Ok(());
    };
    let at = shared.now();
    if opening.role == Role::Observer {
        if !permit.observe(&shared) {
            let full = Response::<G>::Problem("There are too many observers".into());
            refuse(&mut stream, conn, full, &shared).await?;
            close(stream).await;
            return Ok(());
        }
        let stream = stream.into_std()?;
        let watch = Message::Watch {
            client,
            name: opening.name,
            at,
            stream,
            permit,
            lines,
        };
        // A table that is gone has closed everything.
        let _ = table.send(watch).await;
        return Ok(());
    }
    let (outbox, mut queue) = mpsc::channel(OUTBOX);
    let open = Message::Open {
        client,
        opening,
        at,
        outbox,
    };
    if table.send(open).await.is_ok() {
        play::<G>(&mut stream, conn, lines, &mut queue, &table, &shared).await;
        close(stream).await;
    }
    Ok(())
}

/// Reads until there is an opening; `None` if the connection is to be closed.
async fn greet<G: NetrefGame>(
    stream: &mut TcpStream,
    conn: ConnId,
    lines: &mut Lines,
    shared: &Shared,
) -> io::Result<Option<Opening>> {
    for _ in 0..MAX_MALFORMED {
        let Some(line) = next_line(stream, lines).await? else {
            return Ok(None);
        };
        let opening = line
            .text()
            .map_err(OpeningError::from)
            .and_then(Opening::parse::<G>);
        match opening {
            Ok(opening) => return Ok(Some(opening)),
            Err(OpeningError::Version(version)) => {
                refuse(stream, conn, Response::<G>::wrong_version(&version), shared).await?;
                return Ok(None);
            }
            Err(OpeningError::Malformed(Malformed(why))) => {
                refuse(stream, conn, Response::<G>::malformed_opening(&why), shared).await?;
            }
        }
    }
    let last = Response::<G>::Problem(TOO_MANY_MALFORMED.into());
    send(stream, &last.to_string()).await?;
    shared.say(LogEvent::Dropped {
        who: Who::stranger(conn),
        why: TOO_MANY_MALFORMED.into(),
    });
    Ok(None)
}

/// Passes on what a player says and what he is to be told, until one of them
/// ends.
async fn play<G: NetrefGame>(
    stream: &mut TcpStream,
    conn: ConnId,
    mut lines: Lines,
    queue: &mut mpsc::Receiver<String>,
    table: &mpsc::Sender<Message<G::Move>>,
    shared: &Shared,
) {
    let mut piece = [0; PIECE];
    // One request at a time: then what is to be sent cannot pile up, however
    // many requests come at once. Each is answered, or the player closed.
    let mut unanswered = false;
    let mut delay = RefusalDelay::default();
    let mut why = None;
    loop {
        if !unanswered && let Some(line) = lines.next() {
            let request = line.text().and_then(Action::parse::<G>);
            let at = shared.now();
            let message = Message::Request { conn, request, at };
            if table.send(message).await.is_err() {
                return;
            }
            unanswered = true;
        }
        tokio::select! {
            biased;
            text = queue.recv() => match text {
                Some(text) => {
                    unanswered = false;
                    delay.answered(text.starts_with("29")).await;
                    if let Err(error) = send(stream, &text).await {
                        why = is_late(&error).then(does_not_read);
                        break;
                    }
                }
                None => return,
            },
            read = stream.read(&mut piece), if !unanswered => match read {
                Ok(length) if length > 0 => lines.push(piece.get(..length).unwrap_or_default()),
                _ => break,
            },
        }
    }
    let at = shared.now();
    let _ = table.send(Message::Left { conn, at, why }).await;
    // It may still read.
    while let Some(text) = queue.recv().await {
        if send(stream, &text).await.is_err() {
            return;
        }
    }
}

/// Slows down who sends nothing but what is refused: it must not take the time
/// of the others.
#[derive(Debug, Default)]
pub(super) struct RefusalDelay {
    /// Refusals in a row.
    refusals: u32,
}

impl RefusalDelay {
    /// A request has been answered; waits if too many in a row were refused.
    pub(super) async fn answered(&mut self, is_refusal: bool) {
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

/// The next line; `None` at the end.
async fn next_line(stream: &mut TcpStream, lines: &mut Lines) -> io::Result<Option<Line>> {
    let mut piece = [0; PIECE];
    loop {
        if let Some(line) = lines.next() {
            return Ok(Some(line));
        }
        match stream.read(&mut piece).await? {
            0 => return Ok(None),
            length => lines.push(piece.get(..length).unwrap_or_default()),
        }
    }
}

async fn refuse<G: NetrefGame>(
    stream: &mut TcpStream,
    conn: ConnId,
    response: Response<G>,
    shared: &Shared,
) -> io::Result<()> {
    let text = response.to_string();
    shared.say(LogEvent::Refused {
        who: Who::stranger(conn),
        response: text.trim_end().to_owned(),
    });
    send(stream, &text).await
}

/// Writes a text in one piece, as far as the system takes it so.
///
/// # Errors
/// The peer is gone, or does not read for too long.
pub(super) async fn send<S: AsyncWrite + Unpin>(stream: &mut S, text: &str) -> io::Result<()> {
    timeout(WRITE_TIMEOUT, stream.write_all(text.as_bytes())).await?
}

/// Whether a peer did not read for too long.
fn is_late(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::TimedOut
}

/// Why a peer is closed that reads nothing.
pub(super) fn does_not_read() -> String {
    "it does not read".into()
}

/// Closes a connection so that the peer can read what was sent: a close with
/// something left unread would reset the connection, and what the peer has not
/// read yet would be lost.
pub(super) async fn close<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) {
    let mut piece = [0; PIECE];
    let drain = async {
        stream.shutdown().await?;
        while stream.read(&mut piece).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(LINGER, drain).await;
}

/// How many connections too many are told so at once.
pub(super) const MAX_REJECTIONS: usize = 64;

/// Who lets people in.
pub(super) struct Acceptor {
    pub(super) listener: TcpListener,
    pub(super) shared: Shared,
}

impl Acceptor {
    pub(super) async fn run<G: NetrefGame>(
        self,
        table: mpsc::Sender<Message<G::Move>>,
        connections: Arc<Semaphore>,
    ) {
        let mut state = self.shared.state();
        let rejections = Arc::new(Semaphore::new(MAX_REJECTIONS));
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                _ = stopping(&mut state) => return,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Most likely there are too many open files: some will be
                    // closed in time.
                    let what = format!("cannot accept a connection: {error}");
                    self.shared.say(LogEvent::Failed { what });
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let conn = self.shared.next_connection();
            self.shared.say(LogEvent::Connected { conn, peer });
            // Without it, all works but for what has vanished.
            let _ = configure_socket(&stream);
            match Arc::clone(&connections).try_acquire_owned() {
                Ok(permit) => {
                    let (table, shared) = (table.clone(), self.shared.clone());
                    tokio::spawn(async move {
                        let permit = Permit::new(permit);
                        let client = Client {
                            conn,
                            address: Some(peer),
                        };
                        if let Err(error) =
                            serve::<G>(stream, client, permit, table, shared.clone()).await
                        {
                            let (who, why) = (Who::stranger(conn), error.to_string());
                            shared.say(LogEvent::Dropped { who, why });
                        }
                    });
                }
                Err(_) => {
                    let why = "there are too many connections".to_owned();
                    let who = Who::stranger(conn);
                    self.shared.say(LogEvent::Dropped { who, why });
                    turn_away::<G>(stream, &rejections);
                }
            }
        }
    }
}

/// Tells a connection that there are too many; of those that come at once, a few
/// are told and the others just closed.
fn turn_away<G: NetrefGame>(mut stream: TcpStream, rejections: &Arc<Semaphore>) {
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
