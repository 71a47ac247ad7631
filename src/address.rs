//! The address of a server as people type it: a host and perhaps a port.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use thiserror::Error;

/// A host, and a port if one is named: `localhost`, `10.0.0.5:8080`, `[::1]:8080`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostPort {
    /// A name, or an address without the brackets of IPv6.
    pub host: String,
    /// The TCP port, never 0.
    pub port: Option<u16>,
}

/// A text that is no address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum HostPortError {
    /// There is something after the host, but no port.
    #[error("{0:?} is no port: give a number from 1 to 65535, such as localhost:8080")]
    Port(String),
    /// There is no host.
    #[error("{0:?} is no address: give HOST or HOST:PORT, such as localhost or 10.0.0.5:8080")]
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

/// Writes the address with a port, if it has one.
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
    fn they_are_written_as_they_are_read() {
        for text in ["localhost", "10.0.0.5:8080", "[::1]", "[::1]:99"] {
            let address: HostPort = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_explained() {
        let why = |text: &str| text.parse::<HostPort>().unwrap_err().to_string();
        insta::assert_snapshot!(why(""), @r#""" is no address: give HOST or HOST:PORT, such as localhost or 10.0.0.5:8080"#);
        insta::assert_snapshot!(why("a:70000"), @r#""70000" is no port: give a number from 1 to 65535, such as localhost:8080"#);
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
            assert!(why(text).contains("is no address"), "{}", why(text));
        }
        for text in ["a:", "a:0", "a:x", "a:80:81", "[::1]:"] {
            assert!(why(text).contains("is no port"), "{}", why(text));
        }
    }
}
