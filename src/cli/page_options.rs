//! At which hosts a page answers, and which proxies are trusted.

use std::net::SocketAddr;

use anyhow::{Result, anyhow};
use clap::Args;

use super::listen::ReachableAddresses;
use crate::contests::StateFolder;
use crate::contests::contest::Kept;
use crate::pages::web::{AccessPolicy, Host, Hosts, Token, TrustedProxy};

/// The options of a page that says for whom it answers.
#[derive(Debug, Default, Args)]
pub struct PageArguments {
    /// Answer browsers that reach the server by this name or IP address, too, besides the machine's
    /// own ones and those that a trusted proxy tells; repeat it for several
    #[arg(long = "allowed-host", value_name = "HOST")]
    allowed_hosts: Vec<Host>,
    /// Trust the reverse proxy at this address, or in a network such as 10.0.0.0/8, to tell the
    /// addresses of its visitors in X-Forwarded-For, and the URL in X-Forwarded-Proto and -Host;
    /// repeat it for several
    #[arg(long = "trusted-proxy", value_name = "ADDRESS")]
    trusted_proxies: Vec<TrustedProxy>,
}

impl PageArguments {
    /// Returns the policy of a page that listens at this host and is reachable at these addresses.
    /// Without a token nobody is the organizer.
    pub fn access(
        &self,
        host: &str,
        addresses: &ReachableAddresses,
        token: Option<Token>,
    ) -> AccessPolicy {
        let own = addresses.elsewhere.iter().map(|at| at.ip().into());
        // A machine without a name has its addresses.
        let name = whoami::hostname().ok().and_then(|name| name.parse().ok());
        let hosts = Hosts::default()
            .listening_at(host)
            .or(own.chain(name))
            .or(self.allowed_hosts.iter().cloned());
        let access = match token {
            Some(token) => AccessPolicy::organizer(hosts, token),
            None => AccessPolicy::spectators(hosts),
        };
        access.with_trusted_proxies(self.trusted_proxies.iter().copied().collect())
    }

    /// Returns whether a proxy is trusted.
    pub fn trusts_proxy(&self) -> bool {
        !self.trusted_proxies.is_empty()
    }
}

/// The organizer's token.
pub struct OrganizerToken {
    pub token: Token,
    /// What has it; `None` if it is new.
    kept_in: Option<String>,
}

impl OrganizerToken {
    /// Returns the token that is given, or that of the state folder, or a random one.
    ///
    /// # Errors
    /// The state folder cannot be used, or the system has no random numbers.
    pub fn new<K: Kept>(
        given: Option<Token>,
        state: Option<&StateFolder<K>>,
    ) -> Result<OrganizerToken> {
        let (token, kept_in) = match (given, state) {
            (Some(given), _) => (given, Some("of --token".to_owned())),
            (None, Some(state)) => {
                let kept = state.token();
                let (token, is_new) = kept.map_err(|error| anyhow!("--state: {error}"))?;
                let path = state.token_path();
                (token, (!is_new).then(|| format!("in {}", path.display())))
            }
            (None, None) => {
                let drawn = Token::random();
                (
                    drawn.map_err(|error| anyhow!("no token can be drawn: {error}"))?,
                    None,
                )
            }
        };
        Ok(OrganizerToken { token, kept_in })
    }

    /// Returns the link of the organizer to the page at an address. A log may be read by others: it
    /// shows the token only when it is new.
    pub fn link(&self, page: SocketAddr) -> String {
        match &self.kept_in {
            None => format!("http://{page}/#token={}", self.token),
            Some(place) => format!("http://{page}/#token= and the token {place}"),
        }
    }
}
