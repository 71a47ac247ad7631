//! What servers share: a port, and when to stop.

use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};

use itertools::Itertools;
use socket2::{Domain, Socket, Type};
use tokio::signal;

/// How many connections may wait to be accepted.
const BACKLOG: i32 = 1_024;

/// A bound port. Of a host with several addresses, those of IPv4 come first:
/// the clients that exist know no other.
pub(super) fn listen(host: &str, port: u16) -> Result<TcpListener, String> {
    let wrong = |why: &dyn Display| format!("cannot listen at host {host:?}, port {port}: {why}");
    let addresses = (host, port)
        .to_socket_addrs()
        .map_err(|error| wrong(&error))?;
    let mut result = Err(wrong(&"it has no address"));
    for address in addresses.sorted_by_key(SocketAddr::is_ipv6) {
        result = bind(address).map_err(|error| wrong(&error));
        if result.is_ok() {
            break;
        }
    }
    result
}

/// A bound port where a course may arrive in the same second.
fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // After a restart, connections of before may still be fading away.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// The address of a page at a bound port, as people type it.
pub(super) fn page_url(listener: &TcpListener) -> Result<String, String> {
    let mut address = listener.local_addr().map_err(|error| error.to_string())?;
    if address.ip().is_unspecified() {
        address.set_ip(outward().unwrap_or(Ipv4Addr::LOCALHOST.into()));
    }
    Ok(format!("http://{address}/"))
}

/// This machine's address in its network. Nothing is sent for it.
pub(super) fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address for documentation, far away.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Hears from now on if the program is asked to stop; waits for that, and says
/// how.
#[cfg(unix)]
pub(super) fn stop_signal() -> impl Future<Output = String> {
    use signal::unix::{Signal, SignalKind, signal};

    async fn heard(signal: std::io::Result<Signal>) {
        match signal {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    }

    let interrupt = signal(SignalKind::interrupt());
    let terminate = signal(SignalKind::terminate());
    let hangup = signal(SignalKind::hangup());
    async {
        tokio::select! {
            () = heard(interrupt) => "it was interrupted".to_owned(),
            () = heard(terminate) => "it was asked to terminate".to_owned(),
            () = heard(hangup) => "its terminal is closed".to_owned(),
        }
    }
}

/// Waits until the program is asked to stop, and says how.
#[cfg(not(unix))]
pub(super) async fn stop_signal() -> String {
    match signal::ctrl_c().await {
        Ok(()) => "it was interrupted".to_owned(),
        Err(_) => std::future::pending().await,
    }
}
