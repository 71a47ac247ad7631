//! Who may do what: decided for each request, by what it brings with it.
//!
//! A visitor is the organiser if he brings the token, or if he sits at the very
//! machine. The second must not be had by a page of somebody else that the
//! organiser has open in the same browser:
//!
//! - A page of another origin says so in `Origin`. Such a request is refused
//!   whatever it asks for, an upgrade to a WebSocket too: the browser's rules
//!   for other origins do not protect WebSockets.
//! - A page whose name the attacker lets point to this machine (DNS rebinding)
//!   has the same origin as its requests, but its name stands in `Host`: only
//!   this machine's own names count.
//! - A request that a proxy on this machine hands on comes from this machine.
//!   It does not count if it has the header of a proxy, or is HTTP/1.0, which
//!   nginx speaks unless told otherwise. Before other proxies, or tunnels, the
//!   machine must not be trusted: see [`Access::organiser`].

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, FORWARDED, HOST, ORIGIN, VIA};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json, Router};
use serde::Serialize;

use super::assets::secure;
use super::listen::Visit;
use super::token::Token;
use super::upgrade::{NoUpgrade, Upgrade};

/// What a visitor may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Watch.
    Spectator,
    /// Give orders.
    Organiser,
}

/// Who is the organiser.
#[derive(Clone)]
pub struct Access(Arc<Rules>);

/// Whether the organiser is told of something that somebody has done so often: whoever
/// does it thousands of times does not fill the log.
pub fn is_told(count: u32) -> bool {
    count <= 20 || count.is_power_of_two()
}

/// A request that was refused before anything else looked at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnedAway {
    /// Where it came from, if that is known.
    pub address: Option<IpAddr>,
    /// What was wrong with it, on one line.
    pub why: String,
}

#[derive(Clone)]
struct Rules {
    token: Option<Token>,
    /// Who hears of requests that are turned away.
    told: Option<Arc<dyn Fn(TurnedAway) + Send + Sync>>,
    /// Whether visitors from this machine are trusted.
    here: bool,
    /// More names of this machine, in lower case.
    names: Vec<String>,
}

/// A request of another origin, or one that does not say clearly which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Foreign;

impl Access {
    /// Nobody is.
    pub fn spectators() -> Access {
        Access::new(None)
    }

    /// Who brings the token. Visitors from this machine need it too.
    pub fn organiser(token: Token) -> Access {
        Access::new(Some(token))
    }

    fn new(token: Option<Token>) -> Access {
        let rules = Rules {
            token,
            told: None,
            here: false,
            names: Vec::new(),
        };
        Access(Arc::new(rules))
    }

    /// Who has the page open on this machine is the organiser too, if it is
    /// addressed as `localhost`, `127.0.0.1`, `[::1]` or one of these names.
    #[must_use]
    pub fn or_here(self, names: impl IntoIterator<Item = String>) -> Access {
        let rules = Rules {
            here: true,
            names: names.into_iter().map(|name| name.to_lowercase()).collect(),
            ..Arc::unwrap_or_clone(self.0)
        };
        Access(Arc::new(rules))
    }

    /// Tells of requests that are turned away: those of other origins, and those that are
    /// no proper HTTP or ask for a WebSocket in a wrong way. Of many, not each is told.
    #[must_use]
    pub fn telling(self, tell: impl Fn(TurnedAway) + Send + Sync + 'static) -> Access {
        let count = AtomicU32::new(0);
        let tell = move |turned_away| {
            if is_told(count.fetch_add(1, Relaxed).saturating_add(1)) {
                tell(turned_away);
            }
        };
        let rules = Rules {
            told: Some(Arc::new(tell)),
            ..Arc::unwrap_or_clone(self.0)
        };
        Access(Arc::new(rules))
    }

    fn tell(&self, peer: Option<SocketAddr>, why: String) {
        let address = peer.map(|peer| peer.ip().to_canonical());
        match &self.0.told {
            Some(told) => told(TurnedAway { address, why }),
            None => tracing::info!("a request from {address:?} is turned away: {why}"),
        }
    }

    /// What a request may do.
    fn rights(
        &self,
        peer: Option<SocketAddr>,
        version: Version,
        headers: &HeaderMap,
    ) -> Result<Rights, Foreign> {
        let host = the_only(headers, HOST)?;
        if let Some(origin) = the_only(headers, ORIGIN)? {
            let name = origin.split_once("://").map(|(_, name)| name);
            let same = |host: &str| name.is_some_and(|name| name.eq_ignore_ascii_case(host));
            if !host.is_some_and(same) {
                return Err(Foreign);
            }
        }
        let rules = &self.0;
        let has_token = || {
            let token = rules.token.as_ref()?;
            Some(token.is(bearer(headers)?))
        };
        let is_here = || {
            rules.here
                && peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback())
                && host.is_some_and(|host| rules.is_own(host))
                && version != Version::HTTP_10
                && !headers.keys().any(is_of_a_proxy)
        };
        Ok(if has_token() == Some(true) || is_here() {
            Rights::Organiser
        } else {
            Rights::Spectator
        })
    }
}

impl Rules {
    /// Whether this `Host` names this machine.
    fn is_own(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
            _ => host,
        };
        let name = name.to_lowercase();
        matches!(&*name, "localhost" | "127.0.0.1" | "[::1]") || self.names.contains(&name)
    }
}

/// A header that may be there once.
fn the_only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Foreign> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Foreign);
    }
    let text = first.map(|value| value.to_str().map_err(|_| Foreign));
    text.transpose()
}

/// The token that a request brings.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ")
}

/// Whether a proxy adds this header.
fn is_of_a_proxy(name: &HeaderName) -> bool {
    name == FORWARDED
        || name == VIA
        || name.as_str().starts_with("x-forwarded-")
        || name.as_str() == "x-real-ip"
}

/// An error as the page reads it.
#[derive(Serialize)]
pub(super) struct Failure {
    pub(super) error: String,
}

/// Lets requests to these routes through if they come from here or from no page
/// at all, marks each with its [`Rights`], and adds to all answers the headers
/// that keep the page to itself.
pub fn guarded(routes: Router, access: Access) -> Router {
    routes.layer(from_fn_with_state(access, guard))
}

async fn guard(State(access): State<Access>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get().map(Visit::peer);
    let (version, headers) = (request.version(), request.headers());
    let is_trusted = headers.get(HOST).is_some_and(is_of_this_machine);
    let refused = |status: StatusCode, why: String, error: &str| {
        access.tell(peer, why);
        let error = error.to_owned();
        (status, Json(Failure { error })).into_response()
    };
    let mut response = if version >= Version::HTTP_11 && !headers.contains_key(HOST) {
        // RFC 9112, section 3.2.
        let why = "a request has a Host";
        refused(StatusCode::BAD_REQUEST, "it has no Host".into(), why)
    } else if let Ok(rights) = access.rights(peer, version, headers) {
        match Upgrade::check(request.method(), headers) {
            Err(NoUpgrade::Bad(bad)) => {
                access.tell(peer, bad.to_string());
                bad.into_response()
            }
            _ => {
                request.extensions_mut().insert(rights);
                next.run(request).await
            }
        }
    } else {
        let why = format!("it is of a page of another origin, {}", origins(headers));
        let error = "requests from pages of other origins are refused";
        refused(StatusCode::FORBIDDEN, why, error)
    };
    secure(response.headers_mut(), is_trusted);
    response
}

/// The origin that a request is of, as it is shown to people.
fn origins(headers: &HeaderMap) -> String {
    const SHOWN: usize = 100;
    let origins = headers.get_all(ORIGIN).iter();
    let origins: Vec<_> = origins
        .map(|origin| String::from_utf8_lossy(origin.as_bytes()))
        .collect();
    let mut shown = origins.join(", ");
    if let Some((end, _)) = shown.char_indices().nth(SHOWN) {
        shown.truncate(end);
        shown.push('…');
    }
    format!("{shown:?}")
}

/// Whether a `Host` is this machine for every browser, so that it trusts the page
/// without TLS (*Secure Contexts*, section 3.1).
fn is_of_this_machine(host: &HeaderValue) -> bool {
    let host = host.to_str().unwrap_or_default();
    let Ok(host) = host.parse::<Authority>() else {
        return false;
    };
    let name = host.host().to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name == "[::1]"
        || name.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback())
}

/// Tells the page whether to show the organiser's buttons.
#[derive(Serialize)]
pub(super) struct Me {
    organiser: bool,
}

/// Answers with the visitor's rights.
pub(super) async fn me(rights: Option<Extension<Rights>>) -> Json<Me> {
    let organiser = rights.is_some_and(|Extension(rights)| rights == Rights::Organiser);
    Json(Me { organiser })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";
    const HERE: &str = "127.0.0.1:50000";
    const THERE: &str = "192.168.1.7:50000";

    /// What a request with these headers may do: from this peer, at a server
    /// that trusts its machine.
    fn rights(peer: &str, headers: &[(&str, &str)]) -> Result<Rights, Foreign> {
        let access = Access::organiser(TOKEN.parse().unwrap()).or_here(["Referee.local".into()]);
        ask(&access, peer, Version::HTTP_11, headers)
    }

    fn ask(
        access: &Access,
        peer: &str,
        version: Version,
        headers: &[(&str, &str)],
    ) -> Result<Rights, Foreign> {
        let mut map = HeaderMap::new();
        for &(name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        access.rights(Some(peer.parse().unwrap()), version, &map)
    }

    const ORGANISER: Result<Rights, Foreign> = Ok(Rights::Organiser);
    const SPECTATOR: Result<Rights, Foreign> = Ok(Rights::Spectator);

    #[test]
    fn the_token_makes_the_organiser_anywhere() {
        let host = ("host", "192.168.1.2:8000");
        let bearer = |token: &str| format!("Bearer {token}");
        let with = |value: &str| rights(THERE, &[host, ("authorization", value)]);
        assert_eq!(with(&bearer(TOKEN)), ORGANISER);
        assert_eq!(with(&bearer(&TOKEN.to_uppercase())), SPECTATOR);
        assert_eq!(with(&bearer(&TOKEN[1..])), SPECTATOR);
        assert_eq!(with(&bearer("")), SPECTATOR);
        assert_eq!(with(TOKEN), SPECTATOR);
        assert_eq!(rights(THERE, &[host]), SPECTATOR);
    }

    #[test]
    fn this_machine_is_the_organiser_by_its_own_names() {
        for (peer, host, expected) in [
            (HERE, "localhost:8000", ORGANISER),
            (HERE, "LOCALHOST", ORGANISER),
            (HERE, "127.0.0.1:8000", ORGANISER),
            ("[::1]:50000", "[::1]:8000", ORGANISER),
            ("[::ffff:127.0.0.1]:50000", "localhost:8000", ORGANISER),
            (HERE, "referee.local:8000", ORGANISER),
            // The names of others that point here.
            (HERE, "attacker.example:8000", SPECTATOR),
            (HERE, "localhost.attacker.example:8000", SPECTATOR),
            (HERE, "attacker.example:localhost", SPECTATOR),
            (HERE, "", SPECTATOR),
            // Others that claim to be here.
            (THERE, "localhost:8000", SPECTATOR),
            (THERE, "127.0.0.1:8000", SPECTATOR),
        ] {
            assert_eq!(rights(peer, &[("host", host)]), expected, "{peer} {host}");
        }
        assert_eq!(rights(HERE, &[]), SPECTATOR);
    }

    #[test]
    fn what_a_proxy_hands_on_is_not_from_here() {
        let host = ("host", "localhost:8000");
        for header in [
            "forwarded",
            "via",
            "x-forwarded-for",
            "x-forwarded-proto",
            "x-real-ip",
        ] {
            assert_eq!(rights(HERE, &[host, (header, "1")]), SPECTATOR, "{header}");
        }
        let access = Access::organiser(TOKEN.parse().unwrap()).or_here([]);
        assert_eq!(ask(&access, HERE, Version::HTTP_10, &[host]), SPECTATOR);
        assert_eq!(ask(&access, HERE, Version::HTTP_11, &[host]), ORGANISER);
    }

    #[test]
    fn who_trusts_nobody_here_gives_no_rights() {
        let host = ("host", "localhost:8000");
        let token = ("authorization", "Bearer 0123456789abcdef");
        let only_token = Access::organiser(TOKEN.parse().unwrap());
        assert_eq!(ask(&only_token, HERE, Version::HTTP_11, &[host]), SPECTATOR);
        assert_eq!(
            ask(&only_token, HERE, Version::HTTP_11, &[host, token]),
            ORGANISER
        );
        let nobody = Access::spectators();
        assert_eq!(
            ask(&nobody, HERE, Version::HTTP_11, &[host, token]),
            SPECTATOR
        );
    }

    #[test]
    fn other_origins_are_refused_whoever_they_are() {
        let host = ("host", "localhost:8000");
        let token = ("authorization", "Bearer 0123456789abcdef");
        for origin in [
            "http://attacker.example",
            "http://localhost",
            "http://localhost:3000",
            "http://127.0.0.1:8000",
            "http://localhost:8000.attacker.example",
            "localhost:8000",
            "null",
            "",
        ] {
            let asked = rights(HERE, &[host, token, ("origin", origin)]);
            assert_eq!(asked, Err(Foreign), "{origin}");
        }
        for origin in [
            "http://localhost:8000",
            "https://localhost:8000",
            "http://LocalHost:8000",
        ] {
            assert_eq!(
                rights(HERE, &[host, ("origin", origin)]),
                ORGANISER,
                "{origin}"
            );
        }
        // The page of a name that points here is no other origin, but nobody.
        let (host, origin) = (
            ("host", "a.example:8000"),
            ("origin", "http://a.example:8000"),
        );
        assert_eq!(rights(HERE, &[host, origin]), SPECTATOR);
    }

    #[test]
    fn two_hosts_or_origins_are_refused() {
        let (host, origin) = (
            ("host", "localhost:8000"),
            ("origin", "http://localhost:8000"),
        );
        assert_eq!(rights(HERE, &[host, ("host", "a.example")]), Err(Foreign));
        assert_eq!(
            rights(HERE, &[host, origin, ("origin", "http://a.example")]),
            Err(Foreign)
        );
        assert_eq!(rights(HERE, &[origin]), Err(Foreign));
    }
}
