//! Access control: each request is judged by its own headers and its peer.
//!
//! A page of another site that a visitor has open in the same browser must not learn or do
//! anything here:
//!
//! - A page of another origin says so in `Origin`. Such a request is always refused, even an
//!   upgrade to a WebSocket: the same-origin policy of browsers does not cover WebSockets.
//! - A page whose host name an attacker points to this machine (DNS rebinding) has the same
//!   origin as its requests, but that name is in `Host`. Only requests for the server's own
//!   [`Hosts`] are answered. Programs that are no browsers may know the machine by any
//!   name: where they connect, a WebSocket without `Origin`, which browsers always send, is
//!   accepted ([`AccessPolicy::or_programs`]).
//!
//! A visitor is the organizer with the right token, or if they are on the server's own
//! machine. A request that a proxy on this machine forwards comes from this machine, too. It does
//! not count if it has a header that proxies add, is for a host that only others know, or is
//! HTTP/1.0, which nginx speaks by default. Behind other proxies and tunnels, do not trust this
//! machine: use [`AccessPolicy::organizer`] without [`AccessPolicy::or_localhost`].
//!
//! Of a [`TrustedProxy`](super::TrustedProxy) it is believed who the visitor is, at which host, and
//! by which scheme: it answers for the hosts of the requests that it forwards. A proxy gives no
//! rights: its peers need the token.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, FORWARDED, HOST, ORIGIN,
    REFERRER_POLICY, VIA, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json, Router};
use derive_more::{Debug, Display};
use serde_json::{Value, json};

use rand::TryRng;
use rand::rngs::{SysError, SysRng};
use subtle::ConstantTimeEq;
use thiserror::Error;

use super::hosts::{Host, Hosts};
use super::proxies::{Forwarded, TrustedProxies};
use super::server::{HttpConnection, Rights};
use super::websocket::{TurnedAway, UpgradeRejection, WebSocketUpgrade, offered_token};

/// Returns whether the occurrence with this number, from 1, of a repeated event is logged:
/// the first 20 and every power of two, so that nobody can fill the log.
pub fn is_logged(count: u32) -> bool {
    count <= 20 || count.is_power_of_two()
}

/// A request that access control has rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedRequest {
    /// The address of the visitor, if known.
    pub address: Option<IpAddr>,
    /// The reason, on one line.
    pub why: String,
}

/// Decides who is the organizer.
#[derive(Clone)]
pub struct AccessPolicy {
    token: Option<Token>,
    /// Called with each request that is rejected.
    on_rejected: Option<Arc<dyn Fn(RejectedRequest) + Send + Sync>>,
    /// Whether visitors on this machine are trusted.
    trusts_localhost: bool,
    /// Whether WebSockets of programs are accepted whatever their host.
    accepts_programs: bool,
    hosts: Hosts,
    proxies: TrustedProxies,
    /// The content security policy of all responses.
    content_policy: HeaderValue,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// It has no `Host`, which RFC 9112 demands in section 3.2.
    NoHost,
    /// The server does not answer at its host.
    ForeignHost,
    /// It is of another origin, or has ambiguous headers.
    CrossOrigin,
}

impl AccessPolicy {
    /// Creates a policy under which nobody is the organizer.
    pub fn spectators(hosts: Hosts) -> AccessPolicy {
        AccessPolicy::new(hosts, None)
    }

    /// Creates a policy under which the visitor with the token is the organizer. Visitors on
    /// this machine need the token, too.
    pub fn organizer(hosts: Hosts, token: Token) -> AccessPolicy {
        AccessPolicy::new(hosts, Some(token))
    }

    fn new(hosts: Hosts, token: Option<Token>) -> AccessPolicy {
        AccessPolicy {
            token,
            on_rejected: None,
            trusts_localhost: false,
            accepts_programs: false,
            hosts,
            proxies: TrustedProxies::default(),
            content_policy: content_policy("'none'"),
        }
    }

    /// Lets pages of the server's own origin show its pages in a frame, and those of other origins.
    /// Whoever is shown a page in a frame may be led to click there: only for pages on which visitors have no
    /// rights.
    #[must_use]
    pub fn embedded_in(mut self, origins: &[Origin]) -> AccessPolicy {
        let others = origins.iter().map(|origin| format!(" {origin}"));
        self.content_policy = content_policy(&format!("'self'{}", others.collect::<String>()));
        self
    }

    /// Makes visitors on this machine organizers without a token, if they address it as
    /// `localhost`, by a loopback address, or by the host at which the server was told to listen.
    #[must_use]
    pub fn or_localhost(mut self) -> AccessPolicy {
        self.trusts_localhost = true;
        self
    }

    /// Accepts WebSockets without `Origin`, too, whatever their host: they are of programs.
    #[must_use]
    pub fn or_programs(mut self) -> AccessPolicy {
        self.accepts_programs = true;
        self
    }

    /// Believes these proxies who it is that they forward requests for. What comes from one of
    /// their addresses does not count as a request from this machine.
    #[must_use]
    pub fn with_trusted_proxies(mut self, proxies: TrustedProxies) -> AccessPolicy {
        self.proxies = proxies;
        self
    }

    /// Calls `report` for rejected requests: those of other origins, for other hosts, or with an
    /// invalid WebSocket handshake. Of many, only some are reported.
    #[must_use]
    pub fn on_rejected(
        mut self,
        report: impl Fn(RejectedRequest) + Send + Sync + 'static,
    ) -> AccessPolicy {
        let count = AtomicU32::new(0);
        let report = move |rejected| {
            if is_logged(count.fetch_add(1, Relaxed).saturating_add(1)) {
                report(rejected);
            }
        };
        self.on_rejected = Some(Arc::new(report));
        self
    }

    fn report(&self, address: Option<IpAddr>, why: String) {
        match &self.on_rejected {
            Some(report) => report(RejectedRequest { address, why }),
            None => tracing::info!("a request from {address:?} was rejected: {why}"),
        }
    }

    /// Returns what a trusted proxy tells of a request.
    fn forwarded<'a>(&self, peer: Option<IpAddr>, headers: &'a HeaderMap) -> Forwarded<'a> {
        peer.map_or_else(Forwarded::default, |peer| self.proxies.read(peer, headers))
    }

    /// Determines the rights of a request. `reached` is the address at which its peer has reached
    /// the server.
    fn rights(
        &self,
        peer: Option<IpAddr>,
        reached: Option<IpAddr>,
        version: Version,
        headers: &HeaderMap,
    ) -> Result<Rights, Refusal> {
        let asked = single_header(headers, HOST)?.ok_or(Refusal::NoHost)?;
        let origin = single_header(headers, ORIGIN)?;
        let forwarded = self.forwarded(peer, headers);
        let own_host = Host::of_header(asked).filter(|host| self.hosts.contains(host, reached));
        let is_program =
            || self.accepts_programs && origin.is_none() && WebSocketUpgrade::is_requested(headers);
        if own_host.is_none() && forwarded == Forwarded::default() && !is_program() {
            return Err(Refusal::ForeignHost);
        }
        if let Some(origin) = origin {
            let (scheme, name) = origin.split_once("://").ok_or(Refusal::CrossOrigin)?;
            let is_same_host = name.eq_ignore_ascii_case(forwarded.host.unwrap_or(asked));
            // Without a proxy that is believed, one that nobody knows of may use TLS.
            let is_same_scheme = forwarded
                .is_https
                .is_none_or(|is_https| is_https == (scheme == "https"));
            if !is_same_host || !is_same_scheme {
                return Err(Refusal::CrossOrigin);
            }
        }
        let has_token = || {
            let token = self.token.as_ref()?;
            Some(token.is(bearer(headers).or_else(|| offered_token(headers))?))
        };
        let is_on_localhost = || {
            self.trusts_localhost
                && peer.is_some_and(|peer| peer.is_loopback() && !self.proxies.contains(peer))
                && own_host.is_some_and(|host| self.hosts.is_local(&host))
                && version != Version::HTTP_10
                && !headers.keys().any(is_proxy_header)
        };
        Ok(if has_token() == Some(true) || is_on_localhost() {
            Rights::Organizer
        } else {
            Rights::Spectator
        })
    }
}

/// Returns a header that may occur at most once.
fn single_header(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Refusal::CrossOrigin);
    }
    let text = first.map(|value| value.to_str().map_err(|_| Refusal::CrossOrigin));
    text.transpose()
}

/// Returns the token of a request.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ")
}

/// Returns whether proxies add this header.
fn is_proxy_header(name: &HeaderName) -> bool {
    name == FORWARDED
        || name == VIA
        || name.as_str().starts_with("x-forwarded-")
        || name.as_str() == "x-real-ip"
}

/// Adds access control to routes. Requests for other hosts and from pages of other origins are
/// rejected. All others get their [`Rights`] as an extension, and all responses get the security
/// headers of the page.
pub fn guarded(routes: Router, access: AccessPolicy) -> Router {
    routes.layer(from_fn_with_state(Arc::new(access), guard))
}

async fn guard(
    State(access): State<Arc<AccessPolicy>>,
    mut request: Request,
    next: Next,
) -> Response {
    let connection = request.extensions().get::<HttpConnection>();
    let peer = connection.map(HttpConnection::peer);
    let reached = connection.and_then(HttpConnection::reached);
    let (version, headers) = (request.version(), request.headers());
    let forwarded = access.forwarded(peer, headers);
    let visitor = forwarded.address.or(peer);
    let is_secure =
        forwarded.is_https == Some(true) || headers.get(HOST).is_some_and(is_secure_context);
    let mut response = match access.rights(peer, reached.map(|at| at.ip()), version, headers) {
        Ok(rights) => match WebSocketUpgrade::check(request.method(), headers) {
            Err(error) if error != UpgradeRejection::NotRequested => {
                access.report(visitor, error.to_string());
                error.into_response()
            }
            _ => {
                if let Some(connection) = request.extensions_mut().get_mut::<HttpConnection>() {
                    connection.set_visitor(visitor);
                }
                request.extensions_mut().insert(rights);
                let response = next.run(request).await;
                if let Some(TurnedAway(why)) = response.extensions().get() {
                    access.report(visitor, why.clone());
                }
                response
            }
        },
        Err(refusal) => {
            let (status, why, error) = refusal.explain(headers, &forwarded, reached);
            access.report(visitor, why);
            (status, Json(json!({"error": error}))).into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, access.content_policy.clone());
    set_security_headers(headers, is_secure);
    response
}

impl Refusal {
    /// Returns the status of the response, the reason for the log, and that for the visitor, who
    /// has reached the server at `reached`.
    fn explain(
        self,
        headers: &HeaderMap,
        forwarded: &Forwarded<'_>,
        reached: Option<SocketAddr>,
    ) -> (StatusCode, String, String) {
        let host = quoted(headers, HOST);
        match self {
            Refusal::NoHost => {
                let error = "a request has a Host".to_owned();
                (StatusCode::BAD_REQUEST, "it has no Host".into(), error)
            }
            Refusal::ForeignHost => {
                let why = format!("it was sent to {host}, which is not a host of this server");
                let mut error = format!("{host} is not a host of this server");
                if let Some(reached) = reached {
                    error.push_str(&format!(": open http://{reached}/"));
                }
                let known = headers
                    .get(HOST)
                    .and_then(|host| Host::of_header(host.to_str().ok()?));
                if let Some(host) = known {
                    error.push_str(&format!(", or start it with --allowed-host {host}"));
                }
                (StatusCode::MISDIRECTED_REQUEST, why, error)
            }
            Refusal::CrossOrigin => {
                let why = format!(
                    "it is of a page of another origin, {}, and was sent to {}",
                    quoted(headers, ORIGIN),
                    forwarded.host.map_or(host, |host| format!("{host:?}")),
                );
                let error = "requests from pages of other origins are refused".to_owned();
                (StatusCode::FORBIDDEN, why, error)
            }
        }
    }
}

/// Returns the content security policy: the page loads nothing from other hosts, runs only its own script
/// files, makes no markup out of text, and can only be put in a frame by pages of these origins.
fn content_policy(ancestors: &str) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}; \
         require-trusted-types-for 'script'"
    );
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// The other security headers of all responses.
const SECURITY_HEADERS: [(HeaderName, &str); 4] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Set only where browsers take the page for secure. Elsewhere they ignore it with a warning.
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Sets the security headers of a response. `is_secure` is whether browsers take the page for
/// secure.
fn set_security_headers(headers: &mut HeaderMap, is_secure: bool) {
    for (name, value) in SECURITY_HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_secure {
        headers.insert(OPENER, HeaderValue::from_static("same-origin"));
    }
}

/// Quotes a header of a request for people.
fn quoted(headers: &HeaderMap, name: HeaderName) -> String {
    const SHOWN: usize = 100;
    let values = headers.get_all(name).iter();
    let values: Vec<_> = values
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    let mut shown = values.join(", ");
    if let Some((end, _)) = shown.char_indices().nth(SHOWN) {
        shown.truncate(end);
        shown.push('…');
    }
    format!("{shown:?}")
}

/// Returns whether browsers take a page of this `Host` for secure without TLS, because it is
/// the local machine (*Secure Contexts*, section 3.1).
fn is_secure_context(host: &HeaderValue) -> bool {
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

/// Responds with the visitor's rights.
pub(super) async fn me(rights: Option<Extension<Rights>>) -> Json<Value> {
    let organizer = rights.is_some_and(|Extension(rights)| rights == Rights::Organizer);
    Json(json!({"organizer": organizer}))
}

/// The origin of pages, such as `https://example.org`.
///
/// ```
/// use gothello::pages::web::Origin;
///
/// assert!("http://localhost:8000".parse::<Origin>().is_ok());
/// assert!("example.org".parse::<Origin>().is_err());
/// ```
#[derive(Clone, Debug, Display, PartialEq, Eq)]
pub struct Origin(String);

/// A text is not an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an origin is http:// or https:// and a host, such as https://example.org")]
pub struct OriginError;

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Origin, OriginError> {
        let parts = text.split_once("://");
        let (scheme, name) = parts.ok_or(OriginError)?;
        let name = name.strip_suffix('/').unwrap_or(name);
        let host = name.parse::<Authority>().map_err(|_| OriginError)?;
        // In a policy, `;` and `,` begin something else.
        let is_known = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
        let is_right = ["http", "https"].contains(&scheme)
            && !host.host().is_empty()
            && name.chars().all(is_known);
        is_right
            .then(|| Origin(format!("{scheme}://{name}")))
            .ok_or(OriginError)
    }
}

/// The fewest characters of a token that people choose.
const MIN_TOKEN: usize = 16;

/// The maximum number of characters of a token.
const MAX_TOKEN: usize = 128;

/// A secret that makes a visitor the organizer: 16 to 128 letters, digits, `-` and `_`, so that
/// it can be part of a URL.
///
/// [`Display`] writes it, for the link that the organizer is given; [`Debug`] does not reveal it.
#[derive(Clone, Debug, Display)]
#[debug("Token")]
pub struct Token(String);

/// Why a text is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TokenError {
    /// It is too short or too long.
    #[error("a token has {MIN_TOKEN} to {MAX_TOKEN} characters, and this has {0}")]
    Length(usize),
    /// It has another character.
    #[error("a token consists of letters A to Z, digits, - and _, and this has {0:?}")]
    Character(char),
}

impl Token {
    /// Creates a random token of 128 bits.
    ///
    /// # Errors
    /// The system has no source of randomness.
    pub fn random() -> Result<Token, SysError> {
        let mut bytes = [0; 16];
        SysRng.try_fill_bytes(&mut bytes)?;
        Ok(Token(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// Compares a text with the token in constant time.
    fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Token, TokenError> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if let Some(other) = text.chars().find(|&c| !fits(c)) {
            return Err(TokenError::Character(other));
        }
        if !(MIN_TOKEN..=MAX_TOKEN).contains(&text.len()) {
            return Err(TokenError::Length(text.len()));
        }
        Ok(Token(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    const TOKEN: &str = "0123456789abcdef";
    const HERE: &str = "127.0.0.1:50000";
    const THERE: &str = "192.168.1.7:50000";

    /// Returns the rights of a request with these headers from this peer, at a server that
    /// trusts its machine.
    fn rights(peer: &str, headers: &[(&str, &str)]) -> Result<Rights, Refusal> {
        let hosts = Hosts::default()
            .listening_at("Referee.local")
            .or(["course.example.org".parse().unwrap()]);
        let access = AccessPolicy::organizer(hosts, TOKEN.parse().unwrap()).or_localhost();
        ask(&access, peer, Version::HTTP_11, headers)
    }

    /// Returns a policy under which only the token makes an organizer.
    fn only_token() -> AccessPolicy {
        AccessPolicy::organizer(Hosts::default(), TOKEN.parse().unwrap())
    }

    fn ask(
        access: &AccessPolicy,
        peer: &str,
        version: Version,
        headers: &[(&str, &str)],
    ) -> Result<Rights, Refusal> {
        let mut map = HeaderMap::new();
        for &(name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        let peer: SocketAddr = peer.parse().unwrap();
        let reached = [192, 168, 1, 2].into();
        access.rights(Some(peer.ip().to_canonical()), Some(reached), version, &map)
    }

    const ORGANIZER: Result<Rights, Refusal> = Ok(Rights::Organizer);
    const SPECTATOR: Result<Rights, Refusal> = Ok(Rights::Spectator);
    const FOREIGN_HOST: Result<Rights, Refusal> = Err(Refusal::ForeignHost);
    const CROSS_ORIGIN: Result<Rights, Refusal> = Err(Refusal::CrossOrigin);

    #[test]
    fn the_token_makes_an_organizer_anywhere() {
        let host = ("host", "192.168.1.2:8000");
        let bearer = |token: &str| format!("Bearer {token}");
        let with = |value: &str| rights(THERE, &[host, ("authorization", value)]);
        assert_eq!(with(&bearer(TOKEN)), ORGANIZER);
        assert_eq!(with(&bearer(&TOKEN.to_uppercase())), SPECTATOR);
        assert_eq!(with(&bearer(&TOKEN[1..])), SPECTATOR);
        assert_eq!(with(&bearer("")), SPECTATOR);
        assert_eq!(with(TOKEN), SPECTATOR);
        assert_eq!(rights(THERE, &[host]), SPECTATOR);
    }

    #[test]
    fn this_machine_is_the_organizer_by_its_own_names() {
        for (peer, host, expected) in [
            (HERE, "localhost:8000", ORGANIZER),
            (HERE, "LOCALHOST", ORGANIZER),
            (HERE, "127.0.0.1:8000", ORGANIZER),
            ("[::1]:50000", "[::1]:8000", ORGANIZER),
            ("[::ffff:127.0.0.1]:50000", "localhost:8000", ORGANIZER),
            (HERE, "127.0.1.1:8000", ORGANIZER),
            (HERE, "referee.local:8000", ORGANIZER),
            (HERE, "referee.local.:8000", ORGANIZER),
            // A proxy here may use the names by which others know it.
            (HERE, "course.example.org", SPECTATOR),
            (HERE, "192.168.1.2:8000", SPECTATOR),
            // The names of others that point here.
            (HERE, "attacker.example:8000", FOREIGN_HOST),
            (HERE, "localhost.attacker.example:8000", FOREIGN_HOST),
            (HERE, "attacker.example:localhost", FOREIGN_HOST),
            (HERE, "localhost@attacker.example", FOREIGN_HOST),
            (HERE, "", FOREIGN_HOST),
            // Others that claim to be here.
            (THERE, "localhost:8000", SPECTATOR),
            (THERE, "127.0.0.1:8000", SPECTATOR),
        ] {
            assert_eq!(rights(peer, &[("host", host)]), expected, "{peer} {host}");
        }
        assert_eq!(rights(HERE, &[]), Err(Refusal::NoHost));
    }

    #[test]
    fn a_foreign_host_is_refused_whoever_asks() {
        let foreign = ("host", "attacker.example:8000");
        let token = ("authorization", "Bearer 0123456789abcdef");
        let origin = ("origin", "http://attacker.example:8000");
        for headers in [&[foreign][..], &[foreign, token], &[foreign, origin]] {
            assert_eq!(rights(HERE, headers), FOREIGN_HOST);
            assert_eq!(rights(THERE, headers), FOREIGN_HOST);
        }
        // Headers from an untrusted client are ignored.
        let forwarded = ("x-forwarded-host", "localhost:8000");
        assert_eq!(rights(HERE, &[foreign, forwarded]), FOREIGN_HOST);
    }

    #[test]
    fn a_program_may_know_the_server_by_any_name() {
        let any = AccessPolicy::spectators(Hosts::default()).or_programs();
        let pages = AccessPolicy::spectators(Hosts::default());
        let ask = |access, headers: &[_]| ask(access, HERE, Version::HTTP_11, headers);
        let host = ("host", "contest.lan:8080");
        let upgrade = ("upgrade", "websocket");
        let origin = ("origin", "http://contest.lan:8080");
        assert_eq!(ask(&any, &[host, upgrade]), SPECTATOR);
        assert_eq!(ask(&pages, &[host, upgrade]), FOREIGN_HOST);
        // Every browser sends the origin of a page that opens a WebSocket, and not of one that loads a
        // file of its own host.
        assert_eq!(ask(&any, &[host, upgrade, origin]), FOREIGN_HOST);
        assert_eq!(ask(&any, &[host]), FOREIGN_HOST);
    }

    #[test]
    fn forwarded_requests_are_not_local() {
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
        let access = only_token().or_localhost();
        assert_eq!(ask(&access, HERE, Version::HTTP_10, &[host]), SPECTATOR);
        assert_eq!(ask(&access, HERE, Version::HTTP_11, &[host]), ORGANIZER);
    }

    #[test]
    fn local_clients_have_no_rights_unless_trusted() {
        let host = ("host", "localhost:8000");
        let token = ("authorization", "Bearer 0123456789abcdef");
        let only_token = only_token();
        assert_eq!(ask(&only_token, HERE, Version::HTTP_11, &[host]), SPECTATOR);
        assert_eq!(
            ask(&only_token, HERE, Version::HTTP_11, &[host, token]),
            ORGANIZER
        );
        let nobody = AccessPolicy::spectators(Hosts::default());
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
            assert_eq!(asked, CROSS_ORIGIN, "{origin}");
        }
        for origin in [
            "http://localhost:8000",
            "https://localhost:8000",
            "http://LocalHost:8000",
        ] {
            assert_eq!(
                rights(HERE, &[host, ("origin", origin)]),
                ORGANIZER,
                "{origin}"
            );
        }
    }

    #[test]
    fn a_trusted_proxy_tells_the_origin_and_gives_no_rights() {
        let access = only_token()
            .or_localhost()
            .with_trusted_proxies(["127.0.0.1".parse().unwrap()].into_iter().collect());
        let ask = |peer, headers: &[_]| ask(&access, peer, Version::HTTP_11, headers);
        let host = ("host", "127.0.0.1:8080");
        let origin = ("origin", "https://course.example:8443");
        let forwarded = ("x-forwarded-host", "course.example:8443");
        let proto = |scheme| ("x-forwarded-proto", scheme);
        assert_eq!(ask(HERE, &[host, origin, forwarded]), SPECTATOR);
        assert_eq!(
            ask(HERE, &[host, origin, forwarded, proto("https")]),
            SPECTATOR
        );
        assert_eq!(
            ask(HERE, &[host, origin, forwarded, proto("wss")]),
            SPECTATOR
        );
        assert_eq!(
            ask(HERE, &[host, origin, forwarded, proto("http")]),
            CROSS_ORIGIN
        );
        assert_eq!(ask(HERE, &[host, origin]), CROSS_ORIGIN);
        let plain = ("origin", "http://127.0.0.1:8080");
        assert_eq!(ask(HERE, &[host, plain, proto("http")]), SPECTATOR);
        assert_eq!(ask(HERE, &[host, plain, proto("https")]), CROSS_ORIGIN);
        // A proxy before this one has told something else, or a visitor.
        let two = ("x-forwarded-host", "other.example, course.example:8443");
        assert_eq!(ask(HERE, &[host, origin, two]), SPECTATOR);
        // It may pass the host on and not tell it, if it tells anything.
        let public = ("host", "course.example:8443");
        assert_eq!(ask(HERE, &[public, origin, proto("https")]), SPECTATOR);
        assert_eq!(
            ask(HERE, &[public, ("x-forwarded-for", "192.0.2.1")]),
            SPECTATOR
        );
        assert_eq!(ask(HERE, &[public, origin]), FOREIGN_HOST);
        // Strangers are not believed.
        assert_eq!(ask(THERE, &[public, forwarded]), FOREIGN_HOST);
        assert_eq!(ask(THERE, &[host, origin, forwarded]), CROSS_ORIGIN);
        assert_eq!(ask(THERE, &[host, plain, proto("https")]), SPECTATOR);
        // A request from the proxy's address is never local, even without its headers.
        let token = ("authorization", "Bearer 0123456789abcdef");
        assert_eq!(ask(HERE, &[host]), SPECTATOR);
        assert_eq!(ask("127.0.0.2:50000", &[host]), ORGANIZER);
        assert_eq!(ask(HERE, &[host, origin, forwarded, token]), ORGANIZER);
    }

    #[test]
    fn two_hosts_or_origins_are_refused() {
        let (host, origin) = (
            ("host", "localhost:8000"),
            ("origin", "http://localhost:8000"),
        );
        assert_eq!(rights(HERE, &[host, ("host", "a.example")]), CROSS_ORIGIN);
        assert_eq!(
            rights(HERE, &[host, origin, ("origin", "http://a.example")]),
            CROSS_ORIGIN
        );
        assert_eq!(rights(HERE, &[origin]), Err(Refusal::NoHost));
    }
}
