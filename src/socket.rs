//! How the sockets of servers and clients are set.

use std::io;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};

/// How long nothing is heard of a peer before the system asks whether it is still
/// there.
const IDLE: Duration = Duration::from_secs(20);

/// How long the system waits for an answer before it asks again.
const INTERVAL: Duration = Duration::from_secs(10);

/// How many questions in a row may remain without an answer.
const QUESTIONS: u32 = 3;

/// How long what was sent may remain unacknowledged.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNACKNOWLEDGED: Duration = Duration::from_secs(45);

/// Sets a socket so that a write goes out at once, and a peer that has vanished is
/// noticed within a minute: a read then fails.
///
/// Linux asks a peer only while nothing waits for its acknowledgement; otherwise it
/// repeats itself for a quarter of an hour. The time that data may remain
/// unacknowledged bounds both: with it, Linux no longer counts questions, but gives
/// up at the first one after that time. Other systems ask a peer that owes an
/// acknowledgement, too, or repeat themselves for a shorter time.
///
/// # Errors
/// The system refuses to.
pub(crate) fn set_up<'a>(socket: impl Into<SockRef<'a>>) -> io::Result<()> {
    let socket = socket.into();
    socket.set_tcp_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(IDLE)
        .with_interval(INTERVAL)
        .with_retries(QUESTIONS);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED))?;
    Ok(())
}
