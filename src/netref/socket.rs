//! How sockets are set, the referee's and its client's.

use std::io;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};

/// How long nothing must be heard of a peer before the system asks whether it
/// is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// Sets a socket so that a write goes out at once, and a peer that has vanished
/// is noticed.
///
/// # Errors
/// The system refuses to.
pub fn set_up<'a>(socket: impl Into<SockRef<'a>>) -> io::Result<()> {
    let socket = socket.into();
    socket.set_tcp_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE)
        .with_interval(KEEPALIVE / 3);
    socket.set_tcp_keepalive(&keepalive)
}
