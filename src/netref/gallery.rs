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

use super::connection::{Message, close, send};
use super::effects::ConnId;
use super::game::Game;
use super::line::Lines;
use super::news::News;
use super::request::Action;
use super::response::Response;
use super::server::{Permit, Shared};
use super::table::MAX_GARBLED;

/// How many pieces may wait for the gallery.
const WAITING: usize = 4_096;

/// How many pieces may wait for one observer; one that has more to read does
/// not read and is dropped.
pub(super) const QUEUE: usize = 64;

/// What a table tells its observers.
enum ToGallery {
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
pub(super) struct Gallery(mpsc::Sender<ToGallery>);

/// The gallery cannot take more: its observers are to be given up.
#[derive(Debug)]
pub(super) struct Overwhelmed;

impl From<TrySendError<ToGallery>> for Overwhelmed {
    fn from(_: TrySendError<ToGallery>) -> Overwhelmed {
        Overwhelmed
    }
}

impl Gallery {
    /// An empty gallery on the observers' thread.
    pub(super) fn open<G: Game>(
        thread: &Handle,
        table: mpsc::Sender<Message<G::Move>>,
        shared: Shared,
    ) -> Gallery {
        let (sender, receiver) = mpsc::channel(WAITING);
        thread.spawn(run::<G>(receiver, table, shared));
        Gallery(sender)
    }

    /// Lets a connection observe.
    pub(super) fn join(
        &self,
        conn: ConnId,
        stream: (StdStream, Permit),
        lines: Lines,
        first: String,
    ) -> Result<(), Overwhelmed> {
        let first = first.into();
        Ok(self.0.try_send(ToGallery::Join {
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
    ) -> Result<(), Overwhelmed> {
        Ok(self.0.try_send(ToGallery::TurnAway { stream, text })?)
    }

    /// Sends a text to all.
    pub(super) fn say(&self, text: String) -> Result<(), Overwhelmed> {
        Ok(self.0.try_send(ToGallery::Say(text.into()))?)
    }
}

async fn run<G: Game>(
    mut receiver: mpsc::Receiver<ToGallery>,
    table: mpsc::Sender<Message<G::Move>>,
    shared: Shared,
) {
    let mut queues: HashMap<ConnId, mpsc::Sender<Arc<str>>> = HashMap::new();
    while let Some(message) = receiver.recv().await {
        match message {
            ToGallery::Join {
                conn,
                stream,
                lines,
                first,
            } => {
                let (queue, waiting) = mpsc::channel(QUEUE);
                let _ = queue.try_send(first);
                queues.insert(conn, queue);
                let (table, shared) = (table.clone(), shared.clone());
                tokio::spawn(async move {
                    let (stream, _permit) = stream;
                    if let Ok(stream) = TcpStream::from_std(stream) {
                        let end = observe::<G, _>(stream, lines, waiting).await;
                        shared.say(match end {
                            Ok(()) => News::Left { conn },
                            Err(error) => News::Dropped {
                                conn,
                                why: error.to_string(),
                            },
                        });
                    }
                    let at = shared.now();
                    drop(shared);
                    let _ = table.send(Message::Left { conn, at }).await;
                });
            }
            ToGallery::TurnAway { stream, text } => {
                tokio::spawn(async move {
                    let (stream, _permit) = stream;
                    if let Ok(mut stream) = TcpStream::from_std(stream)
                        && send(&mut stream, &text).await.is_ok()
                    {
                        close(stream).await;
                    }
                });
            }
            ToGallery::Say(text) => queues.retain(|&conn, queue| {
                let result = queue.try_send(Arc::clone(&text));
                if let Err(TrySendError::Full(_)) = result {
                    let why = "it does not read".to_owned();
                    shared.say(News::Dropped { conn, why });
                }
                result.is_ok()
            }),
        }
    }
}

/// Passes texts on to one observer, and answers what it says, until either end
/// closes.
///
/// # Errors
/// The observer does not read, or talks nonsense without end.
async fn observe<G: Game, S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    mut lines: Lines,
    mut waiting: mpsc::Receiver<Arc<str>>,
) -> io::Result<()> {
    let mut garbled = 0;
    let mut piece = [0; 512];
    let mut texts = Vec::new();
    loop {
        for line in &mut lines {
            let request = line.text().and_then(Action::<G::Move>::parse::<G>);
            let response = match request {
                Ok(_) => {
                    garbled = 0;
                    Response::<G>::Illegal("an observer does not play".into())
                }
                Err(why) => {
                    garbled += 1;
                    Response::NotUnderstood(why.to_string())
                }
            };
            send(&mut stream, &response.to_string()).await?;
            if garbled == MAX_GARBLED {
                close(stream).await;
                return Err(io::Error::other("too many requests were not understood"));
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
