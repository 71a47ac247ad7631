//! The connected clients: names, protocol versions, and the number of ignored messages.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::wire::Protocol;
use crate::base::names::{breaks_line, is_invisible, isolated};

/// The number of frames that are not JSON objects at which a connection is closed.
pub const MAX_MALFORMED: u32 = 10;

/// The number of ignored messages at which a connection is closed.
const MAX_IGNORED: u32 = 1_000;

// The reasons that are sent to clients name these numbers.
const _: () = assert!(MAX_MALFORMED == 10 && MAX_IGNORED == 1_000);

/// The shortest time between two pings of a client because of its name.
const PING_INTERVAL: Duration = Duration::from_secs(2);

/// The maximum length of a name, in characters.
const MAX_NAME: usize = 64;

/// The name of a client whose own name has no visible character.
const NAMELESS: &str = "nameless";

/// Identifies a connected client: the clients are numbered in order of arrival. Written as `#4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientId(pub u64);

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// The name of a team, as it is shown and compared: one line with at least one visible
/// character and at most 64 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Name(String);

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name::from(text.as_str())
    }
}

/// Converts any text to a valid name. A rejected client would get no answer, and could not
/// play.
///
/// Characters that break a line become blanks, invisible characters at either end are
/// removed, and the rest is truncated. A text without a visible character becomes
/// `nameless`.
impl From<&str> for Name {
    fn from(text: &str) -> Name {
        let printable = |c: char| if breaks_line(c) { ' ' } else { c };
        let text = text.trim_matches(is_invisible);
        let name: String = text.chars().map(printable).take(MAX_NAME).collect();
        let name = name.trim_matches(is_invisible);
        Name(if name.is_empty() { NAMELESS } else { name }.to_owned())
    }
}

impl Name {
    /// Returns the name as a part of a sentence, whose direction it does not change.
    pub(super) fn isolated(&self) -> Cow<'_, str> {
        isolated(&self.0)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A client that has sent its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedClient {
    pub client: ClientId,
    pub name: Name,
    pub protocol: Protocol,
    pub address: IpAddr,
    /// Whether it has sent the secret of its team.
    pub is_proved: bool,
}

#[derive(Clone, Debug)]
struct Client {
    /// The client's name, if it has sent one.
    named: Option<NamedClient>,
    address: IpAddr,
    /// The number of its frames that were not JSON objects.
    malformed: u32,
    /// The number of its messages that were ignored: malformed frames, unknown messages, and
    /// messages sent at the wrong time.
    ignored: u32,
    /// The number of illegal moves since its last legal one.
    illegal: u32,
    /// When it was last pinged because another client sent the same name.
    pinged: Option<Duration>,
}

/// A ping to see whether a client is still there, because another one has sent the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ping {
    /// The client to ping.
    pub client: ClientId,
    /// Whether the other client is on the same machine.
    pub same_machine: bool,
}

/// The connected clients.
#[derive(Debug, Default)]
pub struct Clients {
    clients: BTreeMap<ClientId, Client>,
    by_name: BTreeMap<Name, BTreeSet<ClientId>>,
    /// The clients with a name that automatic pairing has not given a game yet.
    unpaired: BTreeSet<ClientId>,
}

impl Clients {
    /// Adds a client without a name.
    pub fn connect(&mut self, client: ClientId, address: IpAddr) {
        let new = Client {
            named: None,
            address,
            malformed: 0,
            ignored: 0,
            illegal: 0,
            pinged: None,
        };
        self.clients.insert(client, new);
    }

    /// Removes a client. Returns its name, if it has sent one.
    pub fn remove(&mut self, client: ClientId) -> Option<Name> {
        self.unpaired.remove(&client);
        let name = self.clients.remove(&client)?.named?.name;
        if let Some(clients) = self.by_name.get_mut(&name) {
            clients.remove(&client);
            if clients.is_empty() {
                self.by_name.remove(&name);
            }
        }
        Some(name)
    }

    /// Sets the name of a client that has sent none before.
    pub fn introduce(&mut self, client: ClientId, name: Name, is_proved: bool, protocol: Protocol) {
        let Some(found) = self.clients.get_mut(&client) else {
            return;
        };
        self.by_name.entry(name.clone()).or_default().insert(client);
        self.unpaired.insert(client);
        found.named = Some(NamedClient {
            client,
            name,
            protocol,
            address: found.address,
            is_proved,
        });
    }

    /// Returns whether a client is connected.
    pub fn contains(&self, client: ClientId) -> bool {
        self.clients.contains_key(&client)
    }

    /// Returns a client, if it has sent its name.
    pub fn get_named(&self, client: ClientId) -> Option<&NamedClient> {
        self.clients.get(&client)?.named.as_ref()
    }

    /// Returns the name of a client, if it has sent one.
    pub fn name(&self, client: ClientId) -> Option<String> {
        Some(self.get_named(client)?.name.to_string())
    }

    /// Returns the address of a client; `None` if there is no such client.
    pub fn address(&self, client: ClientId) -> Option<IpAddr> {
        Some(self.clients.get(&client)?.address)
    }

    /// Returns the clients that have sent their names, in order of arrival.
    pub fn named(&self) -> impl Iterator<Item = &NamedClient> {
        self.clients
            .values()
            .filter_map(|client| client.named.as_ref())
    }

    /// Returns the number of clients that have sent their names.
    pub fn named_count(&self) -> usize {
        self.by_name.values().map(BTreeSet::len).sum()
    }

    /// Returns the clients with a name, in order of arrival.
    pub fn with_name<'a>(&'a self, name: &Name) -> impl Iterator<Item = &'a NamedClient> {
        let clients = self.by_name.get(name).into_iter().flatten();
        clients.filter_map(|&client| self.get_named(client))
    }

    /// Returns whether a client with a name is connected.
    pub fn is_connected(&self, name: &str) -> bool {
        self.by_name.contains_key(&Name(name.to_owned()))
    }

    /// Marks and returns the other clients with this name that are due a ping.
    ///
    /// The connection of one of them may be dead, and the newcomer may be the same player again.
    /// A newcomer from another machine may be somebody else.
    pub fn ping_others(&mut self, newcomer: ClientId, name: &Name, now: Duration) -> Vec<Ping> {
        let address = self.address(newcomer);
        let others = self.by_name.get(name).into_iter().flatten();
        let others: Vec<ClientId> = others.copied().filter(|&id| id != newcomer).collect();
        let mut pings = Vec::new();
        for id in others {
            let Some(client) = self.clients.get_mut(&id) else {
                continue;
            };
            let since = client.pinged.map(|at| now.saturating_sub(at));
            if since.is_none_or(|since| since >= PING_INTERVAL) {
                client.pinged = Some(now);
                pings.push(Ping {
                    client: id,
                    same_machine: Some(client.address) == address,
                });
            }
        }
        pings
    }

    /// Counts an ignored message of a client, malformed frames included. Returns the total;
    /// `None` if there is no such client.
    pub fn count_ignored(&mut self, client: ClientId) -> Option<u32> {
        let sender = self.clients.get_mut(&client)?;
        sender.ignored = sender.ignored.saturating_add(1);
        Some(sender.ignored)
    }

    /// Counts a frame of a client that was not a JSON object.
    pub fn count_malformed(&mut self, client: ClientId) {
        if let Some(sender) = self.clients.get_mut(&client) {
            sender.malformed = sender.malformed.saturating_add(1);
        }
    }

    /// Returns the reason to close the connection of a client, if it has sent too many malformed
    /// frames or ignored messages.
    pub fn reason_to_close(&self, client: ClientId) -> Option<&'static str> {
        let sender = self.clients.get(&client)?;
        match (sender.malformed, sender.ignored) {
            (MAX_MALFORMED.., _) => Some("ten frames were no JSON objects"),
            (_, MAX_IGNORED..) => Some("a thousand messages were not understood or not expected"),
            _ => None,
        }
    }

    /// Counts an illegal move of a client. Returns the number since its last legal one.
    pub fn count_illegal(&mut self, client: ClientId) -> u32 {
        self.clients.get_mut(&client).map_or(0, |client| {
            client.illegal = client.illegal.saturating_add(1);
            client.illegal
        })
    }

    /// Forgets the illegal moves of a client.
    pub fn reset_illegal(&mut self, client: ClientId) {
        if let Some(client) = self.clients.get_mut(&client) {
            client.illegal = 0;
        }
    }

    /// Returns the clients that automatic pairing has not given a game yet, in order of
    /// arrival.
    pub fn unpaired(&self) -> impl Iterator<Item = &NamedClient> {
        self.unpaired
            .iter()
            .filter_map(|&client| self.get_named(client))
    }

    /// Notes whether automatic pairing has given a client its game.
    pub fn set_paired(&mut self, client: ClientId, paired: bool) {
        if paired {
            self.unpaired.remove(&client);
        } else if self.get_named(client).is_some() {
            self.unpaired.insert(client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_a_name() {
        assert_eq!(Name::from(" Team 7 ").as_ref(), "Team 7");
        assert_eq!(Name::from("a\nb\u{7}").as_ref(), "a b");
        for nothing in [
            "",
            " \n ",
            "\u{200b}",
            " \u{2060}\u{feff} \u{3164}",
            "\u{202e}",
        ] {
            assert_eq!(Name::from(nothing).as_ref(), "nameless", "{nothing:?}");
        }
        assert_eq!(Name::from("\u{feff}\u{200b}Ann\u{200b} ").as_ref(), "Ann");
        // Persian needs a joiner between letters, and so do some pictures.
        for name in ["می\u{200c}خواهم", "\u{1f468}\u{200d}\u{1f469}"] {
            assert_eq!(Name::from(name).as_ref(), name);
        }
        assert_eq!(
            Name::from("é".repeat(99).as_str()).as_ref().chars().count(),
            64
        );
    }
}
