//! What servers share: a port, and when to stop.

use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};

use itertools::Itertools;
use socket2::{Domain, SockRef, Socket, Type};
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

/// The addresses at which a bound port can be reached.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// From this machine.
    pub(super) here: SocketAddr,
    /// From other machines, the likeliest first. Empty if the port is for this
    /// machine alone, or if the machine has no network.
    pub(super) elsewhere: Vec<SocketAddr>,
}

/// Finds out at which addresses a bound port can be reached. A port that listens
/// at every address of this machine has an address in each of its networks.
///
/// # Errors
/// The system does not say where the port is bound.
pub(super) fn reach(listener: &TcpListener) -> Result<Reach, String> {
    let bound = listener.local_addr().map_err(|error| error.to_string())?;
    if !bound.ip().is_unspecified() {
        let elsewhere = (!bound.ip().is_loopback()).then_some(bound);
        return Ok(Reach {
            here: bound,
            elsewhere: elsewhere.into_iter().collect(),
        });
    }
    let here: IpAddr = match bound {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    // On most systems a port of IPv6 takes connections of IPv4, too.
    let only_v6 = || SockRef::from(listener).only_v6().unwrap_or(true);
    let has_v4 = bound.is_ipv4() || !only_v6();
    let is_served = |ip: &IpAddr| match ip {
        IpAddr::V4(_) => has_v4,
        IpAddr::V6(_) => bound.is_ipv6(),
    };
    let addresses = outward().into_iter().chain(networks());
    let elsewhere = addresses
        .filter(is_served)
        .unique()
        .map(|ip| SocketAddr::new(ip, bound.port()))
        .collect();
    Ok(Reach {
        here: SocketAddr::new(here, bound.port()),
        elsewhere,
    })
}

/// The address of this machine that its route to the internet begins at, if it
/// has one. Nothing is sent for it.
fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address for documentation, far away.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// The addresses of this machine that other machines can use, those of IPv4
/// first.
fn networks() -> Vec<IpAddr> {
    // A system that does not list its interfaces has none for us.
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let is_usable = |interface: &if_addrs::Interface| {
        // Such an address of IPv6 needs the name of the other machine's interface.
        let is_incomplete = interface.ip().is_ipv6() && interface.is_link_local();
        interface.is_oper_up() && !interface.is_loopback() && !is_incomplete
    };
    let usable = interfaces.iter().filter(|interface| is_usable(interface));
    let likeliest =
        |interface: &&if_addrs::Interface| (interface.ip().is_ipv6(), interface.is_link_local());
    let sorted = usable.sorted_by_key(likeliest);
    sorted.map(if_addrs::Interface::ip).collect()
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
