//! At which hosts a page answers, and which proxies are trusted.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;

use super::listen::ReachableAddresses;
use super::output::Output;
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
    source: Source,
}

/// Where the organizer finds the token.
enum Source {
    /// In this file of the state folder.
    File(PathBuf),
    /// In the option `--token`.
    Option,
    /// Nowhere but in the log.
    Log,
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
        let (token, source) = match (given, state) {
            (Some(given), _) => (given, Source::Option),
            (None, Some(state)) => {
                let kept = state.token();
                let token = kept.map_err(|error| anyhow!("--state: {error}"))?;
                (token, Source::File(state.token_path()))
            }
            (None, None) => {
                let drawn = Token::random();
                let token = drawn.map_err(|error| anyhow!("no token can be drawn: {error}"))?;
                (token, Source::Log)
            }
        };
        Ok(OrganizerToken { token, source })
    }

    /// Logs the link of the organizer to the page at an address. A log in a file may be read by others:
    /// it says where the token is, and the whole link is written to the terminal, if there is one.
    pub fn announce(&self, page: SocketAddr, log: impl FnOnce(String)) {
        let link = format!("http://{page}/#token={}", self.token);
        let place = match &self.source {
            _ if Output::is_terminal() => return log(link),
            Source::Log => return log(link),
            Source::Option => "of --token".to_owned(),
            Source::File(path) => {
                let path = path.display().to_string();
                let quoted = shlex::try_quote(&path).unwrap_or_default();
                format!(
                    "in {path}; to print the link: echo \"http://{page}/#token=$(cat {quoted})\""
                )
            }
        };
        log(format!("http://{page}/#token= and the token {place}"));
        if stderr().is_terminal() {
            // The server runs without its terminal, too.
            let _ = writeln!(stderr(), "the organizer opens {link}");
        }
    }
}
