//! The observers of one table: a hub that broadcasts every text to all of them.
//!
//! The hubs of all tables are tasks on one thread, separate from that of the tables. A table sends
//! each text to its hub once, so even a thousand observers hardly slow the players.

use std::collections::HashMap;
use std::io;
use std::net::TcpStream as StdStream;
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::AbortHandle;

use super::connection::{RefusalDelay, close, send};
use super::{DOES_NOT_READ, Input, Permit, Shared};
use crate::contests::netref::client::ConnId;
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::log::Who;
use crate::contests::netref::table::{Loss, MAX_MALFORMED, Refusal, TOO_MANY_MALFORMED, departure};
use crate::contests::netref::wire::{Action, Lines, Response};

/// The capacity of the hub's queue, in messages.
const MAX_QUEUED: usize = 4_096;

/// The capacity of an observer's queue, in texts. An observer whose queue is full does not
/// read, and is dropped.
const MAX_QUEUED_TEXTS: usize = 64;

/// A message of a table to its observers.
pub enum HubMessage {
    /// Add an observer, and send it this first.
    Join {
        conn: ConnId,
        stream: (StdStream, Permit),
        lines: Lines,
        first: Arc<str>,
    },
    /// Send this to a client, and close its connection.
    Reject {
        stream: (StdStream, Permit),
        text: String,
    },
    /// Send this to all observers.
    Broadcast(Arc<str>),
}

/// The table's handle to the hub. When it is dropped, the observers are disconnected after
/// all queued texts have been sent.
pub struct ObserverHub {
    queue: mpsc::Sender<HubMessage>,
    /// Whether anybody has joined.
    is_used: bool,
}

impl ObserverHub {
    /// Starts an empty hub as a task on the runtime of all observers.
    pub fn open<G: NetrefGame>(
        observer_runtime: &Handle,
        inputs: mpsc::Sender<Input<G::Move>>,
        shared: Shared,
    ) -> ObserverHub {
        let (queue, receiver) = mpsc::channel(MAX_QUEUED);
        observer_runtime.spawn(run::<G>(receiver, inputs, shared));
        ObserverHub {
            queue,
            is_used: false,
        }
    }

    /// Returns whether nobody has joined: what all observers are sent reaches nobody.
    pub fn is_unused(&self) -> bool {
        !self.is_used
    }

    /// Sends a message to the hub. Returns `false` if the queue is full. The message is lost then, and
    /// with it the newcomer's connection, if there was one; the table must drop the hub, which
    /// disconnects its observers, and open another.
    pub fn send(&mut self, message: HubMessage) -> bool {
        self.is_used |= matches!(message, HubMessage::Join { .. });
        self.queue.try_send(message).is_ok()
    }
}

/// An observer: its queue, and the handle of its task.
struct Subscriber {
    who: Who,
    queue: mpsc::Sender<Arc<str>>,
    task: AbortHandle,
}

async fn run<G: NetrefGame>(
    mut receiver: mpsc::Receiver<HubMessage>,
    inputs: mpsc::Sender<Input<G::Move>>,
    shared: Shared,
) {
    let mut subscribers: HashMap<ConnId, Subscriber> = HashMap::new();
    while let Some(message) = receiver.recv().await {
        match message {
            HubMessage::Join {
                conn,
                stream,
                lines,
                first,
            } => {
                if subscribers.len() == subscribers.capacity() {
                    // Observers who left are found when something is sent, which may be much later.
                    subscribers.retain(|_, subscriber| !subscriber.queue.is_closed());
                }
                let (queue, waiting) = mpsc::channel(MAX_QUEUED_TEXTS);
                let _ = queue.try_send(first);
                let (inputs, shared) = (inputs.clone(), shared.clone());
                let who = Who {
                    is_unlisted: stream.1.is_unlisted,
                    ..Who::stranger(conn)
                };
                let gone = who.clone();
                let task = tokio::spawn(async move {
                    let why = serve_observer::<G>(stream, lines, waiting).await;
                    leave((conn, gone), why.err(), &inputs, &shared).await;
                });
                let task = task.abort_handle();
                subscribers.insert(conn, Subscriber { who, queue, task });
            }
            HubMessage::Reject { stream, text } => {
                tokio::spawn(async move {
                    let (stream, _permit) = stream;
                    if let Ok(mut stream) = TcpStream::from_std(stream)
                        && send(&mut stream, &text).await.is_ok()
                    {
                        close(stream).await;
                    }
                });
            }
            HubMessage::Broadcast(text) => subscribers.retain(|&conn, subscriber| {
                let result = subscriber.queue.try_send(Arc::clone(&text));
                if let Err(TrySendError::Full(_)) = result {
                    subscriber.task.abort();
                    let (inputs, shared) = (inputs.clone(), shared.clone());
                    let gone = (conn, subscriber.who.clone());
                    tokio::spawn(async move {
                        let why = io::Error::other(DOES_NOT_READ);
                        leave(gone, Some(why), &inputs, &shared).await;
                    });
                }
                result.is_ok()
            }),
        }
    }
}

/// Logs that an observer is gone, and notifies the referee.
async fn leave<M>(
    (conn, who): (ConnId, Who),
    why: Option<io::Error>,
    inputs: &mpsc::Sender<Input<M>>,
    shared: &Shared,
) {
    let loss = why.map_or(Loss::Closed, |why| Loss::Dropped(why.to_string()));
    shared.log(departure(who, &loss));
    let at = shared.now();
    let _ = inputs.send(Input::Left { conn, at, loss }).await;
}

/// Sends texts to an observer, and refuses its requests, valid or not, until either end closes. Holds
/// its permit until then.
///
/// # Errors
/// If the socket fails while something is sent, the observer does not read for too long, or it sends
/// too many malformed requests in a row.
async fn serve_observer<G: NetrefGame>(
    (stream, _permit): (StdStream, Permit),
    mut lines: Lines,
    mut waiting: mpsc::Receiver<Arc<str>>,
) -> io::Result<()> {
    let mut stream = TcpStream::from_std(stream)?;
    let mut malformed = 0;
    let mut delay = RefusalDelay::default();
    let mut piece = [0; 512];
    let mut texts = Vec::new();
    loop {
        for line in &mut lines {
            let request = line.text().and_then(Action::<G::Move>::parse::<G>);
            let refusal = match request {
                Ok(_) => {
                    malformed = 0;
                    Refusal::Illegal("an observer does not play".into())
                }
                Err(why) => {
                    malformed += 1;
                    why.into()
                }
            };
            delay.delay_answer(true).await;
            send(&mut stream, &Response::<G>::from(refusal).to_string()).await?;
            if malformed == MAX_MALFORMED {
                let last = Response::<G>::Problem(TOO_MANY_MALFORMED.into());
                send(&mut stream, &last.to_string()).await?;
                close(stream).await;
                return Err(io::Error::other(TOO_MANY_MALFORMED));
            }
        }
        tokio::select! {
            biased;
            // All waiting texts are written at once.
            count = waiting.recv_many(&mut texts, MAX_QUEUED_TEXTS) => {
                if count == 0 {
                    close(stream).await;
                    return Ok(());
                }
                match texts.as_slice() {
                    [text] => send(&mut stream, text).await?,
                    texts => send(&mut stream, &texts.concat()).await?,
                }
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
    use crate::contests::netref::{Gothello, LogEvent};
    use crate::games::gothello::Move;

    type Log = Arc<Mutex<Vec<LogEvent>>>;

    /// Returns a hub, its log, and the inputs of its referee.
    fn hub() -> (ObserverHub, Log, mpsc::Receiver<Input<Move>>) {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&log);
        let shared = Shared::for_tests(Arc::new(move |_, event| sink.lock().unwrap().push(event)));
        let (sender, inbox) = mpsc::channel(16);
        let hub = ObserverHub::open::<Gothello>(runtime.handle(), sender, shared);
        thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        (hub, log, inbox)
    }

    /// Returns both ends of an observer's connection.
    fn connection() -> ((StdStream, Permit), StdStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let observer = StdStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        stream.set_nonblocking(true).unwrap();
        ((stream, Permit::for_tests()), observer)
    }

    #[test]
    fn an_observer_that_does_not_read_is_dropped_and_others_miss_nothing() {
        let (mut hub, log, mut inbox) = hub();
        assert!(hub.is_unused());
        let (idle, mut unread) = connection();
        let (busy, mut reader) = connection();
        let mut join = |conn, stream| {
            let join = HubMessage::Join {
                conn: ConnId(conn),
                stream,
                lines: Lines::default(),
                first: "353 You will observe\r\n".into(),
            };
            assert!(hub.send(join));
        };
        join(1, idle);
        join(2, busy);
        // This is more than the system's buffers and the queue of an observer hold.
        let piece = "x".repeat(1 << 20) + "\r\n";
        let pieces = 2 * MAX_QUEUED_TEXTS;
        let reading = thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).map(|_| text.len())
        });
        for _ in 0..pieces {
            assert!(hub.send(HubMessage::Broadcast(piece.as_str().into())));
            // An observer who reads keeps up with this.
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
        // Its connection is closed without sending the waiting texts.
        let mut bytes = Vec::new();
        let _ = unread.read_to_end(&mut bytes);
        assert!(bytes.len() < MAX_QUEUED_TEXTS * piece.len());
        drop(hub);
        let length = reading.join().unwrap().unwrap();
        assert_eq!(
            length,
            "353 You will observe\r\n".len() + pieces * piece.len()
        );
        // The table learns that both are gone.
        for _ in 0..2 {
            assert!(matches!(inbox.blocking_recv(), Some(Input::Left { .. })));
        }
    }
}
