//! Where a server is.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use tokio_tungstenite::tungstenite::http::Uri;

use crate::net::HostPort;

/// The port of `ws://` addresses that name none.
const USUAL_PORT: u16 = 80;

/// The port of an address that is only a host: that of `gothello goref`.
const GOREF_PORT: u16 = 8080;

/// The address of a server: a URL, or a host and perhaps a port.
///
/// ```
/// use gothello::goplay::Address;
/// let address: Address = "ws://localhost:8080".parse()?;
/// assert_eq!((address.host(), address.port()), ("localhost", 8080));
/// assert_eq!(address.to_string(), "ws://localhost:8080/");
/// # Ok::<(), gothello::goplay::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    uri: Uri,
    host: String,
    port: u16,
}

/// Why a text is no address of a server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// It would be encrypted.
    #[error(
        "{0:?} is encrypted, which this program does not do: ws:// is expected, \
         or a proxy in between that encrypts"
    )]
    Encrypted(String),
    /// It is something else.
    #[error(
        "{0:?} is no address of a server: give HOST, HOST:PORT or ws://HOST:PORT, such as \
         127.0.0.1:8080"
    )]
    Other(String),
}

impl Address {
    /// The host: a name, or an address without the brackets of IPv6.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The TCP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The whole address, for the request.
    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let other = || AddressError::Other(text.to_owned());
        if !text.contains("://") {
            let HostPort { host, port } = text.parse().map_err(|_| other())?;
            let port = port.or(Some(GOREF_PORT));
            let url = format!("ws://{}/", HostPort { host, port });
            return url.parse().map_err(|_| other());
        }
        let uri: Uri = text.parse().map_err(|_| other())?;
        match uri.scheme_str() {
            Some("ws") => {}
            Some("wss") => return Err(AddressError::Encrypted(text.to_owned())),
            _ => return Err(other()),
        }
        let named = uri.host().unwrap_or_default();
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        // What is no port is none to `uri`.
        let port = match authority.strip_prefix(named) {
            Some("") => Some(USUAL_PORT),
            Some(_) => uri.port_u16().filter(|&port| port > 0),
            None => None,
        };
        let host = named.trim_matches(['[', ']']).to_owned();
        match port {
            Some(port) if !host.is_empty() => Ok(Address { uri, host, port }),
            _ => Err(other()),
        }
    }
}

/// Writes it as it was given.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.uri, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_host_and_perhaps_a_port_and_a_path() {
        let of = |text: &str| {
            let address: Address = text.parse().unwrap();
            (address.host().to_owned(), address.port())
        };
        assert_eq!(of("ws://127.0.0.1:8080"), ("127.0.0.1".into(), 8080));
        assert_eq!(of("ws://[::1]:99/play"), ("::1".into(), 99));
        assert_eq!(of("ws://example.org/"), ("example.org".into(), 80));
        assert_eq!(of("example.org"), ("example.org".into(), 8080));
        assert_eq!(of("10.0.0.5:99"), ("10.0.0.5".into(), 99));
        assert_eq!(of("::1"), ("::1".into(), 8080));
    }

    #[test]
    fn what_is_no_address_is_explained() {
        let why = |text: &str| text.parse::<Address>().unwrap_err().to_string();
        insta::assert_snapshot!(why("wss://example.org"), @r#""wss://example.org" is encrypted, which this program does not do: ws:// is expected, or a proxy in between that encrypts"#);
        for text in [
            "",
            "http://127.0.0.1:8080/",
            "ws://",
            "ws://:8080",
            "ws://a:0",
            "ws://a:99999",
            "ws://a b",
        ] {
            let expected = format!("{text:?} is no address of a server: give HOST, HOST:PORT or");
            assert!(why(text).starts_with(&expected), "{}", why(text));
        }
    }
}
