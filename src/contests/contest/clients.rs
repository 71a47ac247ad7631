//! The connected clients: names, addresses, and the number of ignored messages.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use super::names::{ClientId, Name};
use super::protocol::Protocol;

/// The number of malformed frames at which a connection is closed.
pub const MAX_MALFORMED: u32 = 10;

/// The number of ignored messages at which a connection is closed.
const MAX_IGNORED: u32 = 1_000;

// The reasons that are sent to clients name these numbers.
const _: () = assert!(MAX_MALFORMED == 10 && MAX_IGNORED == 1_000);

/// The shortest time between two pings of a client because of its name.
const PING_INTERVAL: Duration = Duration::from_secs(2);

/// A client that has sent its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedClient<P: Protocol> {
    pub client: ClientId,
    pub name: Name,
    /// The form of the protocol that it has chosen.
    pub dialect: P::Dialect,
    pub address: IpAddr,
    /// Whether it has sent the secret of its team.
    pub is_proved: bool,
}

#[derive(Clone, Debug)]
struct Client<P: Protocol> {
    /// The client's name, if it has sent one.
    named: Option<NamedClient<P>>,
    address: IpAddr,
    /// The number of its malformed frames.
    malformed: u32,
    /// The number of its messages that were ignored: malformed frames, unknown messages, and
    /// messages sent at the wrong time.
    ignored: u32,
    /// The number of illegal moves since its last legal one.
    illegal: u32,
    /// When it was last pinged because another client sent the same name.
    pinged: Option<Duration>,
    /// Until when nothing more of it is read.
    waits_until: Duration,
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
#[derive(Debug)]
pub struct Clients<P: Protocol> {
    clients: BTreeMap<ClientId, Client<P>>,
    by_name: BTreeMap<Name, BTreeSet<ClientId>>,
    /// The clients with a name that automatic pairing has not given a game yet.
    unpaired: BTreeSet<ClientId>,
}

impl<P: Protocol> Default for Clients<P> {
    fn default() -> Clients<P> {
        Clients {
            clients: BTreeMap::new(),
            by_name: BTreeMap::new(),
            unpaired: BTreeSet::new(),
        }
    }
}

impl<P: Protocol> Clients<P> {
    /// Adds a client without a name.
    pub fn connect(&mut self, client: ClientId, address: IpAddr) {
        let new = Client {
            named: None,
            address,
            malformed: 0,
            ignored: 0,
            illegal: 0,
            pinged: None,
            waits_until: Duration::ZERO,
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
    pub fn introduce(
        &mut self,
        client: ClientId,
        name: Name,
        is_proved: bool,
        dialect: P::Dialect,
    ) {
        let Some(found) = self.clients.get_mut(&client) else {
            return;
        };
        self.by_name.entry(name.clone()).or_default().insert(client);
        self.unpaired.insert(client);
        found.named = Some(NamedClient {
            client,
            name,
            dialect,
            address: found.address,
            is_proved,
        });
    }

    /// Returns whether a client is connected.
    pub fn contains(&self, client: ClientId) -> bool {
        self.clients.contains_key(&client)
    }

    /// Returns a client, if it has sent its name.
    pub fn get_named(&self, client: ClientId) -> Option<&NamedClient<P>> {
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
    pub fn named(&self) -> impl Iterator<Item = &NamedClient<P>> {
        self.clients
            .values()
            .filter_map(|client| client.named.as_ref())
    }

    /// Returns the number of names that clients have sent.
    pub fn names_count(&self) -> usize {
        self.by_name.len()
    }

    /// Returns the clients with a name, in order of arrival.
    pub fn with_name<'a>(&'a self, name: &Name) -> impl Iterator<Item = &'a NamedClient<P>> {
        let clients = self.by_name.get(name).into_iter().flatten();
        clients.filter_map(|&client| self.get_named(client))
    }

    /// Returns whether a client with a name is connected.
    pub fn is_connected(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
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

    /// Makes a client wait. Returns `false` if it was waiting already.
    pub fn make_wait(&mut self, client: ClientId, wait: Duration, now: Duration) -> bool {
        let waiting = self.clients.get_mut(&client);
        let Some(waiting) = waiting.filter(|client| client.waits_until <= now) else {
            return false;
        };
        waiting.waits_until = now.saturating_add(wait);
        true
    }

    /// Counts an ignored message of a client, malformed frames included. Returns the total;
    /// `None` if there is no such client.
    pub fn count_ignored(&mut self, client: ClientId) -> Option<u32> {
        let sender = self.clients.get_mut(&client)?;
        sender.ignored = sender.ignored.saturating_add(1);
        Some(sender.ignored)
    }

    /// Counts a malformed frame of a client.
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
            (MAX_MALFORMED.., _) => Some(P::TOO_MANY_MALFORMED),
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
    pub fn unpaired(&self) -> impl Iterator<Item = &NamedClient<P>> {
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
