//! The hosts at which a server answers.
//!
//! A browser lets a page read the answers of its own host. A site whose name an attacker points to
//! this machine (DNS rebinding) could thus read what is meant for this machine only. But the browser sends
//! that name in `Host`: a server answers only at hosts that it knows as its own. These are
//! `localhost` and the loopback addresses, the address at which the visitor has reached it, and the
//! [`Hosts`] that it is given.

use std::fmt::{self, Display, Formatter};
use std::net::IpAddr;
use std::str::FromStr;

use thiserror::Error;

use crate::base::net::HostPort;

/// A host without a port, as URLs and the header `Host` name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// An IP address.
    Address(IpAddr),
    /// A name in lower case, without the dot at its end that stands for the root.
    Name(String),
}

/// A text that is not a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "give a name or an IP address without a port, such as course.example.org, 192.0.2.7 or [2001:db8::7]"
)]
pub struct ParseHostError;

impl FromStr for Host {
    type Err = ParseHostError;

    fn from_str(text: &str) -> Result<Host, ParseHostError> {
        match text.parse() {
            Ok(HostPort { host, port: None }) => Host::read(&host).ok_or(ParseHostError),
            _ => Err(ParseHostError),
        }
    }
}

impl Host {
    /// Reads the host of a URL, without its port and brackets.
    fn read(host: &str) -> Option<Host> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Some(Host::from(address));
        }
        let name = host.strip_suffix('.').unwrap_or(host);
        // URLs of other names have these characters, too (IDNA).
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let is_name = !name.is_empty() && name.chars().all(is_part);
        is_name.then(|| Host::Name(name.to_ascii_lowercase()))
    }

    /// Reads the value of a header `Host`, and leaves out the port.
    pub(super) fn of_header(value: &str) -> Option<Host> {
        let HostPort { host, .. } = value.parse().ok()?;
        Host::read(&host)
    }
}

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Host {
        Host::Address(address.to_canonical())
    }
}

impl Display for Host {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Host::Address(IpAddr::V4(address)) => address.fmt(f),
            Host::Name(name) => f.write_str(name),
        }
    }
}

/// The hosts at which a server answers besides those that every server has.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    /// The host at which the server was told to listen. Like `localhost`, it counts as local.
    local: Option<Host>,
    others: Vec<Host>,
}

impl Hosts {
    /// Adds the host at which the server was told to listen, without brackets.
    #[must_use]
    pub fn listening_at(mut self, host: &str) -> Hosts {
        self.local = Host::read(host);
        self
    }

    /// Adds hosts by which others know the machine, or a proxy in front of it.
    #[must_use]
    pub fn or(mut self, hosts: impl IntoIterator<Item = Host>) -> Hosts {
        self.others.extend(hosts);
        self
    }

    /// Returns whether a request for this host counts as local: a loopback address, `localhost`,
    /// or the host at which the server was told to listen.
    pub(super) fn is_local(&self, host: &Host) -> bool {
        match host {
            Host::Address(address) if address.is_loopback() => true,
            Host::Name(name) if name == "localhost" || name.ends_with(".localhost") => true,
            host => self.local.as_ref() == Some(host),
        }
    }

    /// Returns whether a server answers at this host to a visitor that has reached it at the
    /// address `reached`.
    pub(super) fn contains(&self, host: &Host, reached: Option<IpAddr>) -> bool {
        let is_reached = reached.map(Host::from).as_ref() == Some(host);
        is_reached || self.is_local(host) || self.others.contains(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_spelling() {
        for (text, spelling) in [
            ("LocalHost", "localhost"),
            ("localhost.", "localhost"),
            ("Course.Example.ORG", "course.example.org"),
            ("127.0.0.1", "127.0.0.1"),
            ("::ffff:127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("2001:DB8::0:7", "[2001:db8::7]"),
        ] {
            let host: Host = text.parse().unwrap();
            assert_eq!(host.to_string(), spelling, "{text}");
            assert_eq!(spelling.parse(), Ok(host), "{text}");
        }
        for text in [
            "", ".", "a:80", "[::1]:80", "a b", "http://a", "a/b", "u@a", "*.a", "ä",
        ] {
            assert_eq!(text.parse::<Host>(), Err(ParseHostError), "{text}");
        }
    }

    #[test]
    fn a_server_answers_at_its_own_hosts_only() {
        let hosts = Hosts::default()
            .listening_at("0.0.0.0")
            .or(["course.example.org".parse().unwrap()]);
        let reached = Some([192, 168, 1, 7].into());
        let answers = |host: &str| hosts.contains(&host.parse().unwrap(), reached);
        for host in [
            "localhost",
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "0.0.0.0",
            "192.168.1.7",
            "course.example.org",
        ] {
            assert!(answers(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "www.course.example.org",
            "192.168.1.8",
            "2130706433",
        ] {
            assert!(!answers(host), "{host}");
        }
        assert!(!hosts.contains(&"192.168.1.7".parse().unwrap(), None));
        // A public name is not local: a proxy on the same machine may forward requests under it.
        assert!(!hosts.is_local(&"course.example.org".parse().unwrap()));
    }
}
