//! The observers of one table.
//!
//! They live on a thread of their own, so that a thousand of them cost the
//! players next to nothing: the match hands over each text once.

use std::collections::HashMap;
use std::io;
use std::net::TcpStream as StdStream;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::AbortHandle;

use super::client::{ConnId, Who};
use super::connection::{Message, RefusalDelay, close, does_not_read, send};
use super::game::NetrefGame;
use super::log::LogEvent;
use super::server::{Permit, Shared};
use super::table::{MAX_MALFORMED, TOO_MANY_MALFORMED};
use super::wire::{Action, Lines, Response};

/// How many pieces may wait for the hub.
const WAITING: usize = 4_096;

/// How many pieces may wait for one observer; one that has more to read does
/// not read and is dropped.
pub(super) const QUEUE: usize = 64;

/// What a table tells its observers.
enum HubMessage {
    /// One more observes, and is sent this first.
    Join {
        conn: ConnId,
        stream: (StdStream, Permit),
        lines: Lines,
        first: Arc<str>,
    },
    /// One that is sent this and closed.
    TurnAway {
        stream: (StdStream, Permit),
        text: String,
    },
    /// All are sent this.
    Say(Arc<str>),
}

/// The table's end. When it is dropped, all observers are closed after they
/// have been sent what waits for them.
pub(super) struct ObserverHub(mpsc::Sender<HubMessage>);

/// The hub cannot take more: its observers are to be given up.
#[derive(Debug)]
pub(super) struct HubFull;

impl From<TrySendError<HubMessage>> for HubFull {
    fn from(_: TrySendError<HubMessage>) -> HubFull {
        HubFull
    }
}

impl ObserverHub {
    /// An empty hub on the observers' thread.
    pub(super) fn open<G: NetrefGame>(
        thread: &Handle,
        table: mpsc::Sender<Message<G::Move>>,
        shared: Shared,
    ) -> ObserverHub {
        let (sender, receiver) = mpsc::channel(WAITING);
        thread.spawn(run::<G>(receiver, table, shared));
        ObserverHub(sender)
    }

    /// Lets a connection observe.
    pub(super) fn join(
        &self,
        conn: ConnId,
        stream: (StdStream, Permit),
        lines: Lines,
        first: String,
    ) -> Result<(), HubFull> {
        let first = first.into();
        Ok(self.0.try_send(HubMessage::Join {
            conn,
            stream,
            lines,
            first,
        })?)
    }

    /// Sends a text to a connection and closes it.
    pub(super) fn turn_away(
        &self,
        stream: (StdStream, Permit),
        text: String,
    ) -> Result<(), HubFull> {
        Ok(self.0.try_send(HubMessage::TurnAway { stream, text })?)
    }

    /// Sends a text to all.
    pub(super) fn say(&self, text: String) -> Result<(), HubFull> {
        Ok(self.0.try_send(HubMessage::Say(text.into()))?)
    }
}

/// An observer: what waits for it, and how to end it at once.
struct Seat {
    queue: mpsc::Sender<Arc<str>>,
    task: AbortHandle,
}

async fn run<G: NetrefGame>(
    mut receiver: mpsc::Receiver<HubMessage>,
    table: mpsc::Sender<Message<G::Move>>,
    shared: Shared,
) {
    let mut seats: HashMap<ConnId, Seat> = HashMap::new();
    while let Some(message) = receiver.recv().await {
        match message {
            HubMessage::Join {
                conn,
                stream,
                lines,
                first,
            } => {
                if seats.len() == seats.capacity() {
                    // Those who left are found when something is said; people
                    // may come and go long before that.
                    seats.retain(|_, seat| !seat.queue.is_closed());
                }
                let (queue, waiting) = mpsc::channel(QUEUE);
                let _ = queue.try_send(first);
                let (table, shared) = (table.clone(), shared.clone());
                let task = tokio::spawn(async move {
                    let why = attend::<G>(stream, lines, waiting).await;
                    leave(conn, why.err(), &table, &shared).await;
                });
                let task = task.abort_handle();
                seats.insert(conn, Seat { queue, task });
            }
            HubMessage::TurnAway { stream, text } => {
                tokio::spawn(async move {
                    let (stream, _permit) = stream;
                    if let Ok(mut stream) = TcpStream::from_std(stream)
                        && send(&mut stream, &text).await.is_ok()
                    {
                        close(stream).await;
                    }
                });
            }
            HubMessage::Say(text) => seats.retain(|&conn, seat| {
                let result = seat.queue.try_send(Arc::clone(&text));
                if let Err(TrySendError::Full(_)) = result {
                    seat.task.abort();
                    let (table, shared) = (table.clone(), shared.clone());
                    tokio::spawn(async move {
                        let why = io::Error::other(does_not_read());
                        leave(conn, Some(why), &table, &shared).await;
                    });
                }
                result.is_ok()
            }),
        }
    }
}

/// Tells the log and the table that an observer is gone.
async fn leave<M>(
    conn: ConnId,
    why: Option<io::Error>,
    table: &mpsc::Sender<Message<M>>,
    shared: &Shared,
) {
    let who = Who::stranger(conn);
    let why = why.map(|error| error.to_string());
    shared.say(match why.clone() {
        None => LogEvent::Left { who },
        Some(why) => LogEvent::Dropped { who, why },
    });
    let at = shared.now();
    let _ = table.send(Message::Left { conn, at, why }).await;
}

/// Serves one observer until either end closes.
///
/// # Errors
/// The observer does not read, or talks nonsense without end.
async fn attend<G: NetrefGame>(
    (stream, _permit): (StdStream, Permit),
    lines: Lines,
    waiting: mpsc::Receiver<Arc<str>>,
) -> io::Result<()> {
    observe::<G, _>(TcpStream::from_std(stream)?, lines, waiting).await
}

/// Passes texts on to one observer, and answers what it says, until either end
/// closes.
///
/// # Errors
/// The observer does not read, or talks nonsense without end.
async fn observe<G: NetrefGame, S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    mut lines: Lines,
    mut waiting: mpsc::Receiver<Arc<str>>,
) -> io::Result<()> {
    let mut malformed = 0;
    let mut delay = RefusalDelay::default();
    let mut piece = [0; 512];
    let mut texts = Vec::new();
    loop {
        for line in &mut lines {
            let request = line.text().and_then(Action::<G::Move>::parse::<G>);
            let response = match request {
                Ok(_) => {
                    malformed = 0;
                    Response::<G>::illegal("an observer does not play")
                }
                Err(why) => {
                    malformed += 1;
                    Response::not_understood(&why.to_string())
                }
            };
            delay.answered(true).await;
            send(&mut stream, &response.to_string()).await?;
            if malformed == MAX_MALFORMED {
                let last = Response::<G>::Problem(TOO_MANY_MALFORMED.into());
                send(&mut stream, &last.to_string()).await?;
                close(stream).await;
                return Err(io::Error::other(TOO_MANY_MALFORMED));
            }
        }
        tokio::select! {
            biased;
            // Whatever waits is written in one piece.
            count = waiting.recv_many(&mut texts, QUEUE) => {
                if count == 0 {
                    close(stream).await;
                    return Ok(());
                }
                send(&mut stream, &texts.concat()).await?;
                texts.clear();
            }
            read = stream.read(&mut piece) => match read {
                Ok(length) if length > 0 => lines.push(piece.get(..length).unwrap_or_default()),
                _ => return Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;
    use std::sync::Mutex;
    use std::thread;
    use std::time::{Duration, Instant};

    use tokio::runtime::Builder;

    use super::*;
    use crate::gothello::Move;
    use crate::netref::Gothello;

    type Log = Arc<Mutex<Vec<LogEvent>>>;

    /// A hub, its log, and what its table hears.
    fn hub() -> (ObserverHub, Log, mpsc::Receiver<Message<Move>>) {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&log);
        let shared = Shared::for_tests(Arc::new(move |_, news| sink.lock().unwrap().push(news)));
        let (sender, inbox) = mpsc::channel(16);
        let hub = ObserverHub::open::<Gothello>(runtime.handle(), sender, shared);
        thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        (hub, log, inbox)
    }

    /// A connection of an observer, and the observer's end of it.
    fn connection() -> ((StdStream, Permit), StdStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let observer = StdStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        stream.set_nonblocking(true).unwrap();
        ((stream, Permit::for_tests()), observer)
    }

    #[test]
    fn who_does_not_read_is_dropped_and_the_others_miss_nothing() {
        let (hub, log, mut inbox) = hub();
        let (idle, _idle) = connection();
        let (busy, mut reader) = connection();
        let join = |conn, stream| {
            let first = "353 You will observe\r\n".to_owned();
            hub.join(ConnId(conn), stream, Lines::default(), first)
                .unwrap();
        };
        join(1, idle);
        join(2, busy);
        // More than the system's buffers and the queue of one observer hold.
        let piece = "x".repeat(1 << 20) + "\r\n";
        let pieces = 2 * QUEUE;
        let reading = thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).map(|_| text.len())
        });
        for _ in 0..pieces {
            hub.say(piece.clone()).unwrap();
            // The pace of a match, for one who reads.
            thread::sleep(Duration::from_millis(5));
        }
        let dropped = LogEvent::Dropped {
            who: Who::stranger(ConnId(1)),
            why: "it does not read".into(),
        };
        let start = Instant::now();
        while !log.lock().unwrap().contains(&dropped) {
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "{:?}",
                log.lock().unwrap()
            );
            thread::sleep(Duration::from_millis(5));
        }
        drop(hub);
        let length = reading.join().unwrap().unwrap();
        assert_eq!(
            length,
            "353 You will observe\r\n".len() + pieces * piece.len()
        );
        // The table hears that both are gone.
        for _ in 0..2 {
            assert!(matches!(inbox.blocking_recv(), Some(Message::Left { .. })));
        }
    }
}
