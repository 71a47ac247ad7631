//! One client's WebSocket: frames in and out, and the heartbeat; no decisions.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::client::ClientId;
use super::host::{Input, Out};
use super::request;
use crate::web::Visit;

/// The longest frame and message of a client, in bytes.
pub(super) const LONGEST: usize = 16 * 1024;

/// How many messages may wait for a client that does not read.
const OUTBOX: usize = 64;

/// How long a message may take to be sent.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a client is gone that has said so.
const CLOSED: &str = "it closed";

/// How long a client that has said so may take to hear the answer.
const ANSWER: Duration = Duration::from_secs(1);

/// What the connections share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) inputs: mpsc::Sender<Input>,
    pub(super) origin: Instant,
    pub(super) ping_interval: Duration,
}

/// Serves a client until it is gone.
pub(super) async fn serve(mut socket: WebSocket, client: ClientId, visit: Visit, shared: Shared) {
    let (outbox, mut out) = mpsc::channel(OUTBOX);
    let connected = Input::Connected {
        client,
        address: visit.peer().ip().to_canonical(),
        outbox,
    };
    // The host is gone only when everything stops.
    if shared.inputs.send(connected).await.is_err() {
        return;
    }
    let why = talk(&mut socket, client, &mut out, &shared).await;
    let at = shared.origin.elapsed();
    if let Some(why) = why {
        let closed = why == CLOSED;
        let left = Input::Left { client, why, at };
        let _ = shared.inputs.send(left).await;
        if closed {
            // The answer to a close frame is sent when the next frame is asked for.
            let _ = timeout(ANSWER, socket.recv()).await;
        }
    }
}

/// Passes on what comes and goes; why the client is gone, unless the host has
/// said so.
async fn talk(
    socket: &mut WebSocket,
    client: ClientId,
    out: &mut mpsc::Receiver<Out>,
    shared: &Shared,
) -> Option<String> {
    let first = Instant::now() + shared.ping_interval;
    let mut beat = interval_at(first, shared.ping_interval);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut alive = true;
    loop {
        tokio::select! {
            frame = socket.recv() => {
                let at = shared.origin.elapsed();
                alive = true;
                let frame = match frame {
                    Some(Ok(Message::Text(text))) => request::read(&text),
                    Some(Ok(Message::Binary(bytes))) => Err(request::binary(bytes.len())),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_))) | None => return Some(CLOSED.into()),
                    Some(Err(error)) => return Some(error.to_string()),
                };
                shared.inputs.send(Input::Frame { client, frame, at }).await.ok()?;
            }
            message = out.recv() => {
                // Whoever has no outbox any more has been told why.
                let message = message.unwrap_or(Out::Close("the server stops"));
                let (frame, last) = match message {
                    Out::Text(text) => (Message::Text(text), false),
                    Out::Close(why) => (closing(why), true),
                };
                match timeout(WRITE_TIMEOUT, socket.send(frame)).await {
                    Ok(_) if last => return None,
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return Some(error.to_string()),
                    Err(_) => return Some("it does not take what it is sent".into()),
                }
            }
            _ = beat.tick() => {
                if !alive {
                    return Some("it did not answer a ping".into());
                }
                alive = false;
                let ping = timeout(WRITE_TIMEOUT, socket.send(Message::Ping("".into()))).await;
                match ping {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return Some(error.to_string()),
                    Err(_) => return Some("it does not take what it is sent".into()),
                }
            }
        }
    }
}

/// The frame that ends a connection.
fn closing(why: &'static str) -> Message {
    Message::Close(Some(CloseFrame {
        // Normal closure, as the server that exists has it.
        code: 1000,
        reason: why.into(),
    }))
}
