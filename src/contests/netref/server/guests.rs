//! Counts the clients of a server against its limits.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::Shared;
use super::recorded::RecordedStream;
use crate::contests::limits::{AcceptPaces, Limits, TooMany, Usage};
use crate::contests::netref::teams::Membership;

/// The usage of the clients of each address and team.
///
/// The clients of a team that are known by its name and those that are known by its port count
/// separately: strangers at the port do not use up the limits of clients that know the secret.
pub struct Usages(Mutex<Counts>);

/// What is counted.
struct Counts {
    addresses: Usage<IpAddr>,
    teams: Usage<Membership>,
    paces: AcceptPaces<IpAddr>,
    /// The connections that are listed in the log.
    listed: Usage<IpAddr>,
    /// The number of connections since the last one that was listed.
    unlisted: HashMap<IpAddr, u32>,
}

/// The connections of an address that are listed in the log in a second, on average: those of ten
/// seconds at once.
const LISTED: u32 = 20;

/// The number of addresses of which it is known how many connections were not listed.
const MAX_UNLISTED: usize = 1_000;

impl Usages {
    pub fn new(addresses: Limits, teams: Limits) -> Usages {
        Usages(Mutex::new(Counts {
            addresses: Usage::new(addresses),
            teams: Usage::new(teams),
            paces: AcceptPaces::default(),
            listed: Usage::new(Limits {
                connections: None,
                messages: Some(LISTED),
            }),
            unlisted: HashMap::new(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection of an address as a line, and returns how long to wait before it is
    /// served. This does not wait.
    pub fn count_connection(&self, address: IpAddr, now: Duration) -> Duration {
        self.lock().addresses.count_message(&address, now)
    }

    /// Counts a connection of an address, and returns how long to wait before the next one is
    /// accepted. This does not wait.
    pub fn pace(&self, address: IpAddr, now: Duration) -> Duration {
        self.lock().paces.count(address, now)
    }

    /// Returns whether a connection of an address is listed in the log: the number of those before
    /// it that were not.
    pub fn list(&self, address: IpAddr, now: Duration) -> Option<u32> {
        let counts = &mut *self.lock();
        if counts.listed.try_count_message(&address, now) {
            return Some(counts.unlisted.remove(&address).unwrap_or_default());
        }
        if counts.unlisted.len() < MAX_UNLISTED || counts.unlisted.contains_key(&address) {
            let unlisted = counts.unlisted.entry(address).or_default();
            *unlisted = unlisted.saturating_add(1);
        }
        None
    }
}

/// Why a client is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotAdmitted {
    /// There are too many connections of its address.
    #[error("there are too many connections from its address")]
    Address,
    /// There are too many connections in all.
    #[error("there are too many connections")]
    Server,
}

/// The permit of a connection, which counts until this is dropped.
pub struct Permit {
    #[expect(dead_code, reason = "it is there to be dropped")]
    connection: OwnedSemaphorePermit,
    observer: Option<OwnedSemaphorePermit>,
    guest: Guest,
}

impl Permit {
    /// Counts a client of an address, and its connection.
    ///
    /// # Errors
    /// There are too many.
    pub fn admit(
        address: IpAddr,
        connections: &Arc<Semaphore>,
        shared: &Shared,
    ) -> Result<Permit, NotAdmitted> {
        let guest = Guest::admit(address, shared).map_err(|TooMany| NotAdmitted::Address)?;
        let connection = Arc::clone(connections).try_acquire_owned();
        Ok(Permit {
            connection: connection.map_err(|_| NotAdmitted::Server)?,
            observer: None,
            guest,
        })
    }

    /// Makes this the permit of a client of a team, or of none.
    ///
    /// # Errors
    /// There are too many of the team.
    pub fn join(&mut self, membership: Option<Membership>) -> Result<(), TooMany> {
        self.guest.join(membership)
    }

    /// Counts a line of the client, and waits until it may be read. Returns whether the client has
    /// hung up meanwhile.
    pub async fn pace(&self, stream: &RecordedStream) -> bool {
        let wait = self.guest.count_line();
        !wait.is_zero() && timeout(wait, stream.hung_up()).await.is_ok()
    }

    /// Makes this the permit of an observer; returns `false` if there are too many.
    pub fn observe(&mut self, shared: &Shared) -> bool {
        let observers = Arc::clone(&shared.inner.observers);
        self.observer = observers.try_acquire_owned().ok();
        self.observer.is_some()
    }
}

#[cfg(test)]
impl Permit {
    pub fn for_tests() -> Permit {
        let shared = Shared::for_tests(Arc::new(|_, _| ()));
        let connections = Arc::new(Semaphore::new(1));
        Permit::admit([127, 0, 0, 1].into(), &connections, &shared).unwrap()
    }
}

/// A connected client; dropping this disconnects it.
struct Guest {
    address: IpAddr,
    membership: Option<Membership>,
    shared: Shared,
}

impl Guest {
    /// Counts a client.
    ///
    /// # Errors
    /// There are too many of its address.
    fn admit(address: IpAddr, shared: &Shared) -> Result<Guest, TooMany> {
        let now = shared.now();
        shared.usages().lock().addresses.connect(&address, now)?;
        Ok(Guest {
            address,
            membership: None,
            shared: shared.clone(),
        })
    }

    /// Counts the client as one of a team, or of none.
    ///
    /// # Errors
    /// There are too many of the team.
    fn join(&mut self, membership: Option<Membership>) -> Result<(), TooMany> {
        let now = self.shared.now();
        let Counts { teams, .. } = &mut *self.shared.usages().lock();
        if let Some(left) = self.membership.take() {
            teams.disconnect(&left, now);
        }
        if let Some(joined) = membership {
            teams.connect(&joined, now)?;
            self.membership = Some(joined);
        }
        Ok(())
    }

    /// Counts a line, and returns how long to wait before it is read.
    fn count_line(&self) -> Duration {
        let now = self.shared.now();
        let Counts {
            addresses, teams, ..
        } = &mut *self.shared.usages().lock();
        let of_team = self
            .membership
            .as_ref()
            .map(|of| teams.count_message(of, now));
        addresses
            .count_message(&self.address, now)
            .max(of_team.unwrap_or_default())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let now = self.shared.now();
        let Counts {
            addresses, teams, ..
        } = &mut *self.shared.usages().lock();
        addresses.disconnect(&self.address, now);
        if let Some(membership) = &self.membership {
            teams.disconnect(membership, now);
        }
    }
}
