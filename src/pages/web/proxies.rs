//! Reverse proxies, and the trusted headers of the requests that they forward.
//!
//! A proxy states in `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` whose request it
//! forwards and how it was made. Anybody can send these headers: they count only if the peer
//! is a [`TrustedProxy`]. Each proxy appends to `X-Forwarded-For` the address of its own peer, so
//! the list is read from its end, and the first address that is no trusted proxy's is the
//! visitor's: what stands before it was written by strangers. If all are trusted proxies', the
//! first one is the visitor's; an entry that is no address ends the list. Of the other two, the last value
//! counts, which is that of the proxy next to this server. The header `Forwarded` (RFC 7239) is not
//! read.

use std::fmt::{self, Display, Formatter};
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderValue};
use thiserror::Error;

/// The address of the visitor, then those of the proxies in the order of the way.
const FOR: &str = "x-forwarded-for";

/// The scheme of the URL that the visitor asked for.
const PROTO: &str = "x-forwarded-proto";

/// The host of that URL, with its port.
const HOST: &str = "x-forwarded-host";

/// The address of a proxy, or a network in which every address is a proxy's: `127.0.0.1` or
/// `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedProxy {
    address: IpAddr,
    /// How many of its first bits count.
    prefix_len: u8,
}

/// A text that is not the address of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("give an IP address such as 127.0.0.1, or a network such as 10.0.0.0/8")]
pub struct ParseTrustedProxyError;

impl TrustedProxy {
    fn contains(self, address: IpAddr) -> bool {
        let differing = match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                u128::from(own.to_bits() ^ other.to_bits()) << 96
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => own.to_bits() ^ other.to_bits(),
            _ => return false,
        };
        differing.leading_zeros() >= self.prefix_len.into()
    }
}

/// Returns the number of bits of an address.
fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

impl FromStr for TrustedProxy {
    type Err = ParseTrustedProxyError;

    fn from_str(text: &str) -> Result<TrustedProxy, ParseTrustedProxyError> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| ParseTrustedProxyError)?;
        let bits = match bits {
            Some(bits) => bits.parse().map_err(|_| ParseTrustedProxyError)?,
            None => width(address),
        };
        if bits > width(address) {
            return Err(ParseTrustedProxyError);
        }
        // An IPv4-mapped IPv6 address means the IPv4 address.
        let canonical = address.to_canonical();
        let mapped = width(address) - width(canonical);
        match bits.checked_sub(mapped) {
            Some(prefix_len) => Ok(TrustedProxy {
                address: canonical,
                prefix_len,
            }),
            None => Err(ParseTrustedProxyError),
        }
    }
}

impl Display for TrustedProxy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let TrustedProxy {
            address,
            prefix_len,
        } = self;
        match *prefix_len == width(*address) {
            true => write!(f, "{address}"),
            false => write!(f, "{address}/{prefix_len}"),
        }
    }
}

/// The proxies that are trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<TrustedProxy>);

impl FromIterator<TrustedProxy> for TrustedProxies {
    fn from_iter<I: IntoIterator<Item = TrustedProxy>>(proxies: I) -> TrustedProxies {
        TrustedProxies(proxies.into_iter().collect())
    }
}

/// The statements of a trusted proxy about a request that it forwards. Nothing is known of one that
/// comes from elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Forwarded<'a> {
    /// The address of the visitor.
    pub address: Option<IpAddr>,
    /// The host that the visitor asked for.
    pub host: Option<&'a str>,
    /// Whether the visitor asked by way of TLS.
    pub is_https: Option<bool>,
}

impl TrustedProxies {
    /// Returns whether this is the address of a trusted proxy.
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|proxy| proxy.contains(address))
    }

    /// Reads what a peer states of a request; nothing of one that is not trusted.
    pub(super) fn read<'a>(&self, peer: IpAddr, headers: &'a HeaderMap) -> Forwarded<'a> {
        if !self.contains(peer) {
            return Forwarded::default();
        }
        Forwarded {
            address: self.visitor(headers),
            host: last_value(headers, HOST),
            // Some proxies name the protocol of WebSockets.
            is_https: last_value(headers, PROTO).map(|scheme| {
                let is = |name: &str| scheme.eq_ignore_ascii_case(name);
                is("https") || is("wss")
            }),
        }
    }

    /// Returns the address of the visitor; `None` if the proxy does not state one.
    fn visitor(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let lines = headers.get_all(FOR).iter().rev();
        let entries = lines.flat_map(|line| line.as_bytes().rsplit(|&byte| byte == b','));
        let mut visitor = None;
        for entry in entries {
            let Some(address) = parse_address(entry) else {
                break;
            };
            visitor = Some(address);
            if !self.contains(address) {
                break;
            }
        }
        visitor
    }
}

/// Parses an address, which may have a port.
fn parse_address(text: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(text).ok()?.trim();
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let address = bare.unwrap_or(text).parse().ok();
    let address = address.or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
    address.map(|address: IpAddr| address.to_canonical())
}

/// Returns the last value of a header that may have several.
fn last_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let line: &HeaderValue = headers.get_all(name).iter().next_back()?;
    let value = line.to_str().ok()?.rsplit(',').next()?.trim();
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trusted(proxies: &[&str]) -> TrustedProxies {
        proxies.iter().map(|text| text.parse().unwrap()).collect()
    }

    /// Returns the visitor that a peer tells in these lines of `X-Forwarded-For`.
    fn visitor(proxies: &[&str], peer: &str, lines: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FOR, line.parse().unwrap());
        }
        let proxies = trusted(proxies);
        let read = proxies.read(peer.parse().unwrap(), &headers);
        read.address.map(|address| address.to_string())
    }

    #[test]
    fn a_proxy_is_an_address_or_a_network() {
        for (text, others, strangers) in [
            (
                "127.0.0.1",
                &["127.0.0.1", "::ffff:127.0.0.1"][..],
                &["127.0.0.2", "::1"][..],
            ),
            ("::ffff:127.0.0.1", &["127.0.0.1"], &["127.0.0.2"]),
            (
                "10.0.0.0/8",
                &["10.255.0.1", "::ffff:10.0.0.1"],
                &["11.0.0.0", "a00::"],
            ),
            ("::ffff:10.0.0.0/104", &["10.1.2.3"], &["11.0.0.0"]),
            ("172.16.0.0/12", &["172.31.255.255"], &["172.32.0.0"]),
            (
                "2001:db8::/32",
                &["2001:db8:ffff::"],
                &["2001:db9::", "127.0.0.1"],
            ),
            ("0.0.0.0/0", &["192.0.2.1"], &["2001:db8::1"]),
            ("::1", &["::1"], &["::2", "127.0.0.1"]),
        ] {
            let proxies = trusted(&[text]);
            for other in others {
                assert!(proxies.contains(other.parse().unwrap()), "{text} {other}");
            }
            for stranger in strangers {
                assert!(
                    !proxies.contains(stranger.parse().unwrap()),
                    "{text} {stranger}"
                );
            }
        }
        for text in [
            "",
            "localhost",
            "127.0.0.1:80",
            "10.0.0.0/33",
            "::ffff:10.0.0.0/80",
            "::/129",
            "10.0.0.0/",
            "/8",
        ] {
            assert_eq!(
                text.parse::<TrustedProxy>(),
                Err(ParseTrustedProxyError),
                "{text}"
            );
        }
        for text in ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"] {
            assert_eq!(text.parse::<TrustedProxy>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_visitor_is_the_last_who_is_no_proxy() {
        let told = |lines: &[&str]| visitor(&["127.0.0.1", "10.0.0.0/8"], "127.0.0.1", lines);
        let is = |address: &str| Some(address.to_owned());
        assert_eq!(told(&["192.0.2.1"]), is("192.0.2.1"));
        // A second proxy stands before the first.
        assert_eq!(told(&["192.0.2.1, 10.0.0.7"]), is("192.0.2.1"));
        assert_eq!(told(&["192.0.2.1", "10.0.0.7"]), is("192.0.2.1"));
        // Headers that visitors have written themselves are ignored.
        assert_eq!(told(&["203.0.113.9, 192.0.2.1"]), is("192.0.2.1"));
        assert_eq!(
            told(&["203.0.113.9", "192.0.2.1, 10.0.0.7"]),
            is("192.0.2.1")
        );
        assert_eq!(told(&["10.0.0.8, 192.0.2.1"]), is("192.0.2.1"));
        // Some proxies tell the port, too.
        assert_eq!(told(&["192.0.2.1:5000"]), is("192.0.2.1"));
        assert_eq!(told(&["[2001:db8::1]:5000"]), is("2001:db8::1"));
        assert_eq!(told(&["[2001:db8::1]"]), is("2001:db8::1"));
        assert_eq!(told(&["::ffff:192.0.2.1"]), is("192.0.2.1"));
        // An unreadable entry ends the list.
        assert_eq!(told(&["192.0.2.1, unknown, 10.0.0.7"]), is("10.0.0.7"));
        assert_eq!(told(&["192.0.2.1, unknown"]), None);
        assert_eq!(told(&[""]), None);
        assert_eq!(told(&[]), None);
        // Visitors in the network of the proxies.
        assert_eq!(told(&["10.0.0.9"]), is("10.0.0.9"));
    }

    #[test]
    fn an_untrusted_client_is_not_believed() {
        assert_eq!(visitor(&[], "127.0.0.1", &["192.0.2.1"]), None);
        assert_eq!(visitor(&["127.0.0.1"], "127.0.0.2", &["192.0.2.1"]), None);
    }
}
