//! The parts shared by the servers: listening on a port, the addresses where it can be reached, the
//! limit of open files, and the signals that stop the program.

use std::io;
use std::iter;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};
use std::str::FromStr;

use anyhow::{Result, anyhow};
use itertools::Itertools;
use socket2::{Domain, SockRef, Socket, Type};
use tokio::signal;

use crate::base::net::HostPort;

/// The maximum number of connections that wait to be accepted.
const BACKLOG: i32 = 1_024;

/// Where to listen, as it is given on the command line: `8080`, `127.0.0.1:8080`, `[::1]:0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenAddress {
    /// The host, if it is given; IPv6 without brackets.
    pub host: Option<String>,
    /// The port; 0 for any free one.
    pub port: u16,
}

impl FromStr for ListenAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<ListenAddress, &'static str> {
        const WRONG: &str = "give a port from 0 to 65535, or HOST:PORT, such as 8080, 127.0.0.1:8080 \
                             or [::1]:8080; 0 picks a free port";
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (Some(host), port),
            None => (None, text),
        };
        let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|_| is_number);
        let host = match host {
            // A port of the host has its place behind the host, not in it.
            Some(host) => match host.parse::<HostPort>() {
                Ok(HostPort { host, port: None })
                    if text.starts_with('[') || !host.contains(':') =>
                {
                    Some(host)
                }
                _ => return Err(WRONG),
            },
            None => None,
        };
        let port = port.ok_or(WRONG)?;
        Ok(ListenAddress { host, port })
    }
}

/// Returns what to do if another program listens at the port.
fn hint(why: &io::Error, remedy: &str) -> String {
    match why.kind() {
        io::ErrorKind::AddrInUse => {
            format!("; another program listens there: {remedy}")
        }
        _ => String::new(),
    }
}

/// Listens on a port at the first address of the host that can be bound. IPv4 comes first, because
/// existing clients know only IPv4. `remedy` says which option chooses another port, for an error
/// about a port in use.
///
/// # Errors
/// The host has no address, or none at which the port is free.
pub fn listen(host: &str, port: u16, remedy: &'static str) -> Result<TcpListener> {
    let wrong = |why: io::Error| {
        let hint = hint(&why, remedy);
        anyhow!("cannot listen at host {host:?}, port {port}: {why}{hint}")
    };
    let addresses = (host, port).to_socket_addrs().map_err(wrong)?;
    let mut result = Err(io::Error::other("it has no address"));
    for address in addresses.sorted_by_key(SocketAddr::is_ipv6) {
        result = bind(address);
        if result.is_ok() {
            break;
        }
    }
    result.map_err(wrong)
}

/// Listens with a backlog for a course that arrives in the same second.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // After a restart, connections of before may still be in TIME_WAIT.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// The minimum number of connections: those of two players.
const MIN_CONNECTIONS: u32 = 2;

/// Raises the system's limit of open files so that there is one for each connection and for
/// `others`, files that are not connections. Returns the number of connections that the limit
/// allows; if it is less than `connections`, calls `warn` with the reason.
pub fn allow_connections(connections: u32, others: u64, warn: impl FnOnce(String)) -> u32 {
    let wanted = u64::from(connections) + others;
    let granted = rlimit::increase_nofile_limit(wanted).unwrap_or(wanted);
    let allowed = u32::try_from(granted.saturating_sub(others)).unwrap_or(u32::MAX);
    if allowed >= connections {
        return connections;
    }
    let allowed = allowed.max(MIN_CONNECTIONS);
    warn(format!(
        "the system allows {granted} open files: at most {allowed} can connect"
    ));
    allowed
}

/// The addresses at which a bound port can be reached.
#[derive(Debug, PartialEq, Eq)]
pub struct ReachableAddresses {
    /// From this machine.
    pub here: SocketAddr,
    /// From other machines, the likeliest first. Empty if the port is only for
    /// this machine, or if the machine has no network.
    pub elsewhere: Vec<SocketAddr>,
}

impl ReachableAddresses {
    /// Returns all of them, that from this machine first.
    pub fn all(&self) -> impl Iterator<Item = SocketAddr> {
        let others = self.elsewhere.iter().filter(|other| **other != self.here);
        iter::once(&self.here).chain(others).copied()
    }
}

/// Finds the addresses at which a bound port can be reached. A port that is bound to
/// every address of this machine has an address in each of its networks.
///
/// # Errors
/// The system does not say where the port is bound.
pub fn reachable_addresses(listener: &TcpListener) -> io::Result<ReachableAddresses> {
    let bound = listener.local_addr()?;
    if !bound.ip().is_unspecified() {
        let elsewhere = (!bound.ip().is_loopback()).then_some(bound);
        return Ok(ReachableAddresses {
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
    let addresses = outgoing_address().into_iter().chain(interface_addresses());
    let elsewhere = addresses
        .filter(is_served)
        .unique()
        .map(|ip| SocketAddr::new(ip, bound.port()))
        .collect();
    Ok(ReachableAddresses {
        here: SocketAddr::new(here, bound.port()),
        elsewhere,
    })
}

/// Returns the address of this machine at which its route to the internet begins, if it
/// has one. Nothing is sent to find out.
fn outgoing_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address for documentation, far away.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Returns the addresses of this machine that other machines can use, those of IPv4
/// first.
fn interface_addresses() -> Vec<IpAddr> {
    // Without a list of interfaces there are no addresses to return.
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let is_usable = |interface: &if_addrs::Interface| {
        // A link-local address of IPv6 needs the name of the other machine's interface.
        let is_incomplete = interface.ip().is_ipv6() && interface.is_link_local();
        interface.is_oper_up() && !interface.is_loopback() && !is_incomplete
    };
    let usable = interfaces.iter().filter(|interface| is_usable(interface));
    let likeliest =
        |interface: &&if_addrs::Interface| (interface.ip().is_ipv6(), interface.is_link_local());
    let sorted = usable.sorted_by_key(likeliest);
    sorted.map(if_addrs::Interface::ip).collect()
}

/// Waits for a signal that stops the program, and returns the reason as a clause, such as `it was
/// interrupted`.
///
/// On Unix signals are caught from the call on, elsewhere from the first poll of the future on.
pub fn stop_signal() -> impl Future<Output = String> {
    #[cfg(unix)]
    let signal = unix_signal();
    #[cfg(not(unix))]
    let signal = ctrl_c();
    signal
}

#[cfg(unix)]
fn unix_signal() -> impl Future<Output = String> {
    use signal::unix::{Signal, SignalKind, signal};

    async fn received(signal: io::Result<Signal>) {
        match signal {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    }

    let interrupt = signal(SignalKind::interrupt());
    let terminate = signal(SignalKind::terminate());
    let hangup = (!ignores_hangup()).then(|| signal(SignalKind::hangup()));
    async {
        tokio::select! {
            () = received(interrupt) => "it was interrupted".to_owned(),
            () = received(terminate) => "it was asked to terminate".to_owned(),
            () = async {
                match hangup {
                    Some(hangup) => received(hangup).await,
                    None => std::future::pending().await,
                }
            } => "its terminal is closed".to_owned(),
        }
    }
}

/// Returns whether this program goes on when its terminal is closed, as `nohup` asks of it. On systems
/// other than Linux it does not know.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let signals = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // SIGHUP is signal 1, the lowest bit.
    signals.is_some_and(|signals| signals & 1 == 1)
}

#[cfg(not(unix))]
async fn ctrl_c() -> String {
    match signal::ctrl_c().await {
        Ok(()) => "it was interrupted".to_owned(),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_page_listens_at_the_host_that_is_given() {
        let address = |text: &str| {
            let ListenAddress { host, port } = text.parse().ok()?;
            Some((host.unwrap_or_default(), port))
        };
        for (text, host, port) in [
            ("8080", "", 8080),
            ("0", "", 0),
            ("127.0.0.1:8080", "127.0.0.1", 8080),
            ("localhost:0", "localhost", 0),
            ("[::1]:65535", "::1", 65_535),
        ] {
            assert_eq!(address(text), Some((host.into(), port)), "{text}");
        }
        for text in [
            "",
            ":8080",
            "65536",
            "-1",
            "+1",
            "localhost",
            "localhost:",
            "a:1:2",
            "::1",
            "::1:80",
            "[::1]",
            "[::1]:",
            "[a]:80",
            "a b:80",
            "http://a:80",
        ] {
            assert_eq!(address(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC*|[0-9a-f:\\[\\]]{0,12}:[0-9]{0,6}") {
            let _ = text.parse::<ListenAddress>();
        }
    }
}
