//! The WebSocket of a client: frames in and out, and the heartbeat. All decisions are made by
//! the contest.

use std::borrow::Cow;
use std::pin::pin;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::task::yield_now;
use tokio::time::{sleep_until, timeout};
use tokio_tungstenite::tungstenite::error::{Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::protocol::GoProtocol;
use super::wire;
use crate::base::net::close;
use crate::base::server_clock::ServerClock;
use crate::contests::contest::ClientId;
use crate::contests::exchange::MAX_LINE;
use crate::contests::shell::{Input, ToClient, Transcript, Transcripts};
use crate::pages::web::{HttpConnection, WebSocket};

/// The longest frame and message of a client, in bytes.
pub const MAX_MESSAGE: usize = 16 * 1024;

/// The maximum number of messages that are queued for a client that does not read.
const MAX_QUEUED: usize = 64;

/// The time limit to send a message.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// The time limit to answer a ping that was sent because another client on the same machine has
/// sent the same name.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// The time limit to close a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The state that all connections share.
#[derive(Clone, Debug)]
pub struct Shared {
    pub inputs: mpsc::Sender<Input<GoProtocol>>,
    /// The server's clock.
    pub clock: ServerClock,
    /// How often a client is pinged, and how long it may take to answer.
    pub ping_interval: Duration,
    /// The transcripts of the teams, if they are kept.
    pub transcripts: Option<Transcripts>,
}

/// Why a client is no longer served.
enum Gone {
    /// The contest's task has closed the connection, or has ended.
    ByContest,
    /// The client has closed the connection.
    Closed,
    /// The connection broke, or the client violates the WebSocket protocol.
    Failed(Error),
    /// The client has been silent since then.
    Silent(&'static str, Duration),
}

/// Serves a client until it disconnects.
pub async fn serve(mut socket: WebSocket, client: ClientId, http: HttpConnection, shared: Shared) {
    let (outbox, mut out) = mpsc::channel(MAX_QUEUED);
    let connected = Input::Connected {
        client,
        address: http.visitor(),
        outbox,
    };
    // The contest's task ends only when the server stops.
    if shared.inputs.send(connected).await.is_err() {
        return;
    }
    let mut kept = Kept(shared.transcripts.as_ref().map(|kept| kept.begin(client)));
    kept.line('*', &format!("connected from {}", http.visitor()));
    let gone = talk(&mut socket, client, &mut out, &shared, &mut kept).await;
    let at = shared.clock.now();
    let (why, heard): (Cow<'static, str>, _) = match &gone {
        Gone::ByContest => return close(socket.get_mut(), CLOSE_TIMEOUT).await,
        Gone::Closed => ("it closed".into(), at),
        Gone::Failed(error) => (error.to_string().into(), at),
        Gone::Silent(why, heard) => ((*why).into(), *heard),
    };
    kept.line('*', &format!("closed: {why}"));
    let left = Input::Left {
        client,
        why: why.into(),
        heard,
        at,
    };
    let _ = shared.inputs.send(left).await;
    match gone {
        // The answer to a close frame is sent when the next frame is asked for.
        Gone::Closed => drop(timeout(CLOSE_TIMEOUT, socket.next()).await),
        Gone::Failed(error) => {
            if let Some(code) = code_of(&error) {
                fail(socket, code).await;
            }
        }
        Gone::ByContest | Gone::Silent(..) => {}
    }
}

/// The transcript of a client, if one is kept.
struct Kept(Option<Transcript>);

impl Kept {
    /// Adds what the client has sent (`>`), was sent (`<`), or what has happened (`*`).
    fn line(&mut self, mark: char, text: &str) {
        if let Some(transcript) = &mut self.0 {
            transcript.line(mark, &wire::without_secret(text, MAX_MESSAGE));
        }
    }

    /// Adds a frame that the client has sent, if it says anything.
    fn received(&mut self, frame: &Message) {
        match frame {
            Message::Text(text) => self.line('>', text),
            Message::Binary(bytes) => {
                self.line('>', &format!("{} bytes of binary data", bytes.len()))
            }
            _ => {}
        }
    }

    /// Adds a frame that the client is sent, if it says anything.
    fn sent(&mut self, frame: &Message) {
        match frame {
            Message::Text(text) => self.line('<', text),
            Message::Close(Some(close)) => self.line('*', &format!("closing: {}", close.reason)),
            _ => {}
        }
    }
}

/// When a client was heard, when it is pinged, and whether it is read.
struct Pulse {
    ping_interval: Duration,
    /// When the client last sent anything.
    heard: Duration,
    /// Whether it has sent anything since the last ping.
    is_alive: bool,
    /// When the next ping is sent.
    beat: Duration,
    /// The deadline for the answer to a ping sent because of its name.
    answer_deadline: Option<Duration>,
    /// Until when requests wait, because too many messages have come.
    read_at: Option<Duration>,
    /// The request that waits. Nothing more is read meanwhile, not even the answers to pings.
    held: Option<Input<GoProtocol>>,
}

/// What is due for a client.
enum Due {
    Nothing,
    Ping,
    /// Pass on the request that has waited.
    Request(Input<GoProtocol>),
    /// Disconnect it, for this reason.
    End(&'static str),
}

impl Pulse {
    fn new(now: Duration, ping_interval: Duration) -> Pulse {
        Pulse {
            ping_interval,
            heard: now,
            is_alive: true,
            beat: now.saturating_add(ping_interval),
            answer_deadline: None,
            read_at: None,
            held: None,
        }
    }

    /// Notes that the client has sent something.
    fn hear(&mut self, at: Duration) {
        self.heard = at;
        self.is_alive = true;
        self.answer_deadline = None;
    }

    /// Returns whether requests that have come at this time wait.
    fn must_wait(&self, at: Duration) -> bool {
        self.read_at.is_some_and(|until| until > at)
    }

    /// Notes a ping because of the client's name, which is to be answered in this time.
    fn expect_answer(&mut self, now: Duration, longest: Duration) {
        let deadline = now.saturating_add(longest);
        self.answer_deadline.get_or_insert(deadline);
    }

    /// Returns when something is due.
    fn next(&self, now: Duration) -> Duration {
        if self.held.is_some() {
            return self.read_at.unwrap_or(now);
        }
        let others = [self.answer_deadline, self.read_at];
        others.into_iter().flatten().fold(self.beat, Duration::min)
    }

    /// Returns what is due now, which is noted as done.
    fn take_due(&mut self, now: Duration) -> Due {
        self.read_at = self.read_at.filter(|&until| until > now);
        let is_read = self.read_at.is_none();
        if let Some(input) = self.held.take_if(|_| is_read) {
            // Answers to pings are read from now on.
            (self.is_alive, self.answer_deadline) = (true, None);
            self.beat = now.saturating_add(self.ping_interval);
            return Due::Request(input);
        }
        if self.held.is_some() {
            return Due::Nothing;
        }
        if self.answer_deadline.is_some_and(|deadline| deadline <= now) {
            return Due::End("it did not answer a ping, and its name has come again");
        }
        if self.beat > now {
            // The server was stalled, or a ping was answered.
            return Due::Nothing;
        }
        if !std::mem::take(&mut self.is_alive) {
            return Due::End("it did not answer a ping");
        }
        self.beat = now.saturating_add(self.ping_interval);
        Due::Ping
    }
}

/// Forwards frames in both directions until the client disconnects.
async fn talk(
    socket: &mut WebSocket,
    client: ClientId,
    out: &mut mpsc::Receiver<ToClient>,
    shared: &Shared,
    kept: &mut Kept,
) -> Gone {
    let clock = &shared.clock;
    let mut pulse = Pulse::new(clock.now(), shared.ping_interval);
    // Until the next thing is due, or earlier.
    let mut waiting = pin!(sleep_until(clock.moment(pulse.beat).into()));
    loop {
        tokio::select! {
            frame = socket.next(), if pulse.held.is_none() => {
                let at = clock.now();
                pulse.hear(at);
                if let Some(Ok(frame)) = &frame {
                    kept.received(frame);
                }
                let (line, request) = match frame {
                    Some(Ok(Message::Text(text))) => {
                        (wire::without_secret(&text, MAX_LINE), wire::read(&text))
                    },
                    Some(Ok(Message::Binary(bytes))) => {
                        (String::new(), Err(wire::binary(bytes.len())))
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                    Some(Ok(Message::Close(_))) | None => return Gone::Closed,
                    Some(Err(error)) => return Gone::Failed(error),
                };
                let request = request.map(Into::into);
                // It counts as made now, however long it waits.
                let input = Input::Request { client, line, request, at };
                if pulse.must_wait(at) {
                    pulse.held = Some(input);
                    continue;
                }
                if shared.inputs.send(input).await.is_err() {
                    return Gone::ByContest;
                }
                // The contest may let this client wait, before its next message is read.
                yield_now().await;
            }
            message = out.recv() => {
                let message = message.unwrap_or_else(|| ToClient::Close(without_outbox(shared)));
                let (frame, last) = match message {
                    ToClient::Text(text) => (Message::Text(text), false),
                    ToClient::Close(why) => (closing(CloseCode::Normal, why), true),
                    ToClient::Reject(why) => (closing(CloseCode::Policy, why), true),
                    ToClient::Wait(time) => {
                        let now = clock.now();
                        pulse.read_at = Some(now.saturating_add(time));
                        waiting.as_mut().reset(clock.moment(pulse.next(now)).into());
                        continue;
                    }
                    ToClient::Joined(team) => {
                        if let Some(transcript) = &mut kept.0 {
                            transcript.join(team.as_ref());
                        }
                        continue;
                    }
                    // Its answer would not be read.
                    ToClient::Ping { .. } if pulse.held.is_some() => continue,
                    ToClient::Ping { same_machine } => {
                        let longest = match same_machine {
                            true => PING_TIMEOUT.min(shared.ping_interval),
                            false => shared.ping_interval,
                        };
                        let now = clock.now();
                        pulse.expect_answer(now, longest);
                        waiting.as_mut().reset(clock.moment(pulse.next(now)).into());
                        (Message::Ping(Bytes::new()), false)
                    }
                };
                kept.sent(&frame);
                match send(socket, frame, pulse.heard).await {
                    _ if last => return Gone::ByContest,
                    Ok(()) => {}
                    Err(gone) => return gone,
                }
            }
            () = &mut waiting => {
                let now = clock.now();
                match pulse.take_due(now) {
                    Due::Nothing => {}
                    Due::Ping => {
                        let ping = Message::Ping(Bytes::new());
                        if let Err(gone) = send(socket, ping, pulse.heard).await {
                            return gone;
                        }
                    }
                    Due::Request(input) => {
                        if shared.inputs.send(input).await.is_err() {
                            return Gone::ByContest;
                        }
                    }
                    Due::End(why) => return Gone::Silent(why, pulse.heard),
                }
                waiting.as_mut().reset(clock.moment(pulse.next(now)).into());
            }
        }
    }
}

/// Why there are no more messages for a client. The task of the contest ends before its outboxes.
fn without_outbox(shared: &Shared) -> &'static str {
    match shared.inputs.is_closed() {
        true => "the server stops",
        false => "more was to be sent than the client took",
    }
}

/// Sends a frame, unless the client does not take it in time.
async fn send(socket: &mut WebSocket, frame: Message, heard: Duration) -> Result<(), Gone> {
    match timeout(WRITE_TIMEOUT, socket.send(frame)).await {
        Ok(sent) => sent.map_err(Gone::Failed),
        Err(_) => Err(Gone::Silent("it does not take what it is sent", heard)),
    }
}

/// Returns the frame that closes a connection. The existing server closes it with the code
/// of a normal closure, too.
fn closing(code: CloseCode, why: &'static str) -> Message {
    Message::Close(Some(CloseFrame {
        code,
        reason: why.into(),
    }))
}

/// Returns the code and the text that tell a client what it did wrong (RFC 6455, section
/// 7.4.1); `None` if there is nobody to tell.
fn code_of(error: &Error) -> Option<(CloseCode, &'static str)> {
    match error {
        Error::Capacity(_) => Some((CloseCode::Size, "a message has at most 16384 bytes")),
        Error::Utf8(_) => Some((CloseCode::Invalid, "a text is UTF-8")),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        Error::Protocol(_) => Some((CloseCode::Protocol, "this is no frame of RFC 6455")),
        _ => None,
    }
}

/// Tells a client why its connection is closed, and closes it.
async fn fail(mut socket: WebSocket, (code, why): (CloseCode, &'static str)) {
    let words = async {
        if socket.send(closing(code, why)).await.is_ok() {
            close(socket.get_mut(), CLOSE_TIMEOUT).await;
        }
    };
    let _ = timeout(CLOSE_TIMEOUT, words).await;
}
