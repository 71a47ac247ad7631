//! TCP: the address of a server as people type it, and the options of sockets.

use std::fmt;
use std::io;
use std::net::Ipv6Addr;
use std::str::FromStr;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use thiserror::Error;
#[cfg(any(feature = "netref", feature = "goref"))]
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::timeout,
};

/// Closes a connection so that the peer can read everything that was sent. Closing it with input
/// unread would reset it, and the peer would lose what it has not read yet: so the input is read to
/// its end, for no longer than `limit`.
#[cfg(any(feature = "netref", feature = "goref"))]
pub(crate) async fn close(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), limit: Duration) {
    let rest = async {
        stream.shutdown().await?;
        let mut piece = [0; 2_048];
        while stream.read(&mut piece).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(limit, rest).await;
}

/// A host with an optional port: `localhost`, `10.0.0.5:8080`, `[::1]:8080`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostPort {
    /// A name or an IP address, IPv6 without brackets.
    pub host: String,
    /// The TCP port, if given; never 0.
    pub port: Option<u16>,
}

/// Why a text is not an address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum HostPortError {
    /// The text after the host is not a port.
    #[error("{0:?} is not a port: give a number from 1 to 65535, such as localhost:8080")]
    Port(String),
    /// There is no host, or more than a host and a port.
    #[error("{0:?} is not an address: give HOST or HOST:PORT, such as localhost or 10.0.0.5:8080")]
    Host(String),
}

impl FromStr for HostPort {
    type Err = HostPortError;

    fn from_str(text: &str) -> Result<HostPort, HostPortError> {
        let wrong = || HostPortError::Host(text.to_owned());
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or_else(wrong)?;
                host.parse::<Ipv6Addr>().map_err(|_| wrong())?;
                match rest.strip_prefix(':') {
                    Some(port) => (host, Some(port)),
                    None if rest.is_empty() => (host, None),
                    None => return Err(wrong()),
                }
            }
            None if text.parse::<Ipv6Addr>().is_ok() => (text, None),
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let is_part = |c: char| !c.is_whitespace() && !c.is_control() && !"/@?#[]".contains(c);
        if host.is_empty() || !text.chars().all(|c| is_part(c) || "[]".contains(c)) {
            return Err(wrong());
        }
        let port = port.map(|port| {
            let number = port.parse().ok().filter(|&number| number > 0);
            number.ok_or_else(|| HostPortError::Port(port.to_owned()))
        });
        Ok(HostPort {
            host: host.to_owned(),
            port: port.transpose()?,
        })
    }
}

/// Writes the address as it is parsed, with the port if there is one.
impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]", self.host)?,
            false => f.write_str(&self.host)?,
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// How long a peer may be silent before it counts as vanished.
struct Timeouts {
    /// The idle time of a connection before the first keepalive probe.
    idle: Duration,
    /// The time between keepalive probes.
    interval: Duration,
    /// The number of keepalive probes in a row that may remain unanswered.
    probes: u32,
    /// The time that sent data may remain unacknowledged.
    #[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
    unacknowledged: Duration,
}

/// The timeouts of every connection.
const USUAL: Timeouts = Timeouts {
    idle: Duration::from_secs(20),
    interval: Duration::from_secs(10),
    probes: 3,
    unacknowledged: Duration::from_secs(45),
};

/// The timeouts of a connection whose peer is to close it.
#[cfg(feature = "netref")]
const ENDING: Timeouts = Timeouts {
    idle: Duration::from_secs(5),
    interval: Duration::from_secs(5),
    probes: 2,
    unacknowledged: Duration::from_secs(15),
};

/// Sets the options of a TCP socket: no delay, and reads fail within a minute after the peer
/// has vanished.
///
/// # Errors
/// The system refuses an option.
pub(crate) fn configure_socket<'a>(socket: impl Into<SockRef<'a>>) -> io::Result<()> {
    let socket = socket.into();
    socket.set_tcp_nodelay(true)?;
    set_timeouts(&socket, &USUAL)
}

/// Sets the options of a TCP socket whose peer has been told to close the connection: reads fail within
/// 20 seconds after the peer has vanished, even if data was unacknowledged before.
///
/// # Errors
/// The system refuses an option.
#[cfg(feature = "netref")]
pub(crate) fn configure_ending_socket<'a>(socket: impl Into<SockRef<'a>>) -> io::Result<()> {
    set_timeouts(&socket.into(), &ENDING)
}

/// Sets the timeouts of a TCP socket.
///
/// Linux sends keepalive probes only while no data waits for an acknowledgement. Otherwise
/// it retransmits the data for a quarter of an hour. `TCP_USER_TIMEOUT` bounds both: with it,
/// Linux does not count probes, but gives up at the first one after that time. Other systems
/// also send probes while data is unacknowledged, or retransmit for a shorter time.
fn set_timeouts(socket: &SockRef<'_>, timeouts: &Timeouts) -> io::Result<()> {
    let keepalive = TcpKeepalive::new()
        .with_time(timeouts.idle)
        .with_interval(timeouts.interval)
        .with_retries(timeouts.probes);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    socket.set_tcp_user_timeout(Some(timeouts.unacknowledged))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_may_have_a_port() {
        let of = |text: &str| {
            let HostPort { host, port } = text.parse().unwrap();
            (host, port)
        };
        assert_eq!(of("localhost"), ("localhost".into(), None));
        assert_eq!(of("10.0.0.5:8080"), ("10.0.0.5".into(), Some(8080)));
        assert_eq!(of("::1"), ("::1".into(), None));
        assert_eq!(of("[::1]"), ("::1".into(), None));
        assert_eq!(of("[::1]:99"), ("::1".into(), Some(99)));
    }

    #[test]
    fn addresses_are_written_as_they_are_parsed() {
        for text in ["localhost", "10.0.0.5:8080", "[::1]", "[::1]:99"] {
            let address: HostPort = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let why = |text: &str| text.parse::<HostPort>().unwrap_err().to_string();
        insta::assert_snapshot!(why(""), @r#""" is not an address: give HOST or HOST:PORT, such as localhost or 10.0.0.5:8080"#);
        insta::assert_snapshot!(why("a:70000"), @r#""70000" is not a port: give a number from 1 to 65535, such as localhost:8080"#);
        for text in [
            ":80",
            "a b",
            "ws://a:80",
            "http://a/",
            "a/b",
            "[a]:80",
            "[::1",
            "[::1]x",
            "u@a",
        ] {
            assert!(why(text).contains("is not an address"), "{}", why(text));
        }
        for text in ["a:", "a:0", "a:x", "a:80:81", "[::1]:"] {
            assert!(why(text).contains("is not a port"), "{}", why(text));
        }
    }
}
