//! Counts the clients of a server against its limits.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::Shared;
use super::recorded::RecordedStream;
use crate::contests::limits::{AcceptPaces, Limits, Listing, TooMany, Usage};
use crate::contests::netref::client::Name;
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
    /// Which connections are listed in the log.
    listing: Listing<IpAddr>,
    /// The connections at the port of each team that got no role, and are in its transcript.
    strangers: Usage<Name>,
}

/// The connections a second, on average over ten seconds, that get no role at the port of a team and
/// are in its transcript. Anybody can connect there, and fill it.
const STRANGERS: u32 = 1;

impl Usages {
    pub fn new(addresses: Limits, teams: Limits) -> Usages {
        Usages(Mutex::new(Counts {
            addresses: Usage::new(addresses),
            teams: Usage::new(teams),
            paces: AcceptPaces::default(),
            listing: Listing::default(),
            strangers: Usage::new(Limits::unless_zero(0, STRANGERS)),
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

    /// Lists a connection of an address in the log, or not, as [`Listing::list`] says.
    pub fn list(&self, address: IpAddr, now: Duration) -> Option<u32> {
        self.lock().listing.list(&address, now)
    }

    /// Returns whether a connection that got no role gets into the transcript of the team of its port.
    pub fn records_stranger(&self, port: &Name, now: Duration) -> bool {
        self.lock().strangers.try_count_message(port, now)
    }
}

/// The permit of a connected client, which counts until this is dropped.
pub struct Permit {
    address: IpAddr,
    membership: Option<Membership>,
    connection: Option<OwnedSemaphorePermit>,
    observer: Option<OwnedSemaphorePermit>,
    /// Whether the log does not list the client.
    pub is_unlisted: bool,
    shared: Shared,
}

impl Permit {
    /// Counts a client of an address, and its connection.
    ///
    /// # Errors
    /// There are too many: returns of what.
    pub fn admit(
        address: IpAddr,
        connections: &Arc<Semaphore>,
        shared: &Shared,
    ) -> Result<Permit, &'static str> {
        let now = shared.now();
        let counted = shared.usages.lock().addresses.connect(&address, now);
        counted.map_err(|TooMany| "there are too many connections from its address")?;
        let permit = Permit {
            address,
            membership: None,
            connection: Arc::clone(connections).try_acquire_owned().ok(),
            observer: None,
            is_unlisted: false,
            shared: shared.clone(),
        };
        match permit.connection {
            Some(_) => Ok(permit),
            None => Err("there are too many connections"),
        }
    }

    /// Makes this the permit of a client of a team, if it belongs to one. Its opening counts for the
    /// team, too: returns how long to wait before it is answered.
    ///
    /// # Errors
    /// There are too many of the team.
    pub fn join(&mut self, membership: Option<Membership>) -> Result<Duration, TooMany> {
        let Some(joined) = membership else {
            return Ok(Duration::ZERO);
        };
        let now = self.shared.now();
        let teams = &mut self.shared.usages.lock().teams;
        teams.connect(&joined, now)?;
        let wait = teams.count_message(&joined, now);
        self.membership = Some(joined);
        Ok(wait)
    }

    /// Counts a line of the client, and waits until it may be read. Returns whether the client has
    /// hung up meanwhile.
    pub async fn pace(&self, stream: &RecordedStream) -> bool {
        hangs_up_within(self.count_line(), stream).await
    }

    /// Counts a line, and returns how long to wait before it is read.
    fn count_line(&self) -> Duration {
        let now = self.shared.now();
        let Counts {
            addresses, teams, ..
        } = &mut *self.shared.usages.lock();
        let of_team = self
            .membership
            .as_ref()
            .map(|of| teams.count_message(of, now));
        addresses
            .count_message(&self.address, now)
            .max(of_team.unwrap_or_default())
    }

    /// Makes this the permit of an observer; returns `false` if there are too many.
    pub fn observe(&mut self) -> bool {
        let observers = Arc::clone(&self.shared.observers);
        self.observer = observers.try_acquire_owned().ok();
        self.observer.is_some()
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let now = self.shared.now();
        let Counts {
            addresses, teams, ..
        } = &mut *self.shared.usages.lock();
        addresses.disconnect(&self.address, now);
        if let Some(membership) = &self.membership {
            teams.disconnect(membership, now);
        }
    }
}

/// Waits, and returns whether the client has hung up meanwhile.
pub async fn hangs_up_within(wait: Duration, stream: &RecordedStream) -> bool {
    !wait.is_zero() && timeout(wait, stream.hung_up()).await.is_ok()
}

#[cfg(test)]
impl Permit {
    pub fn for_tests() -> Permit {
        let shared = Shared::for_tests(Arc::new(|_, _| ()));
        let connections = Arc::new(Semaphore::new(1));
        Permit::admit([127, 0, 0, 1].into(), &connections, &shared).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_who_connect_in_a_loop_do_not_fill_the_transcript_of_a_team() {
        let usages = Usages::new(Limits::default(), Limits::default());
        let [red, blue] = ["Red", "Blue"].map(|name| Name::new(name).unwrap());
        let now = Duration::from_secs(5);
        let noted = (0..1_000).filter(|_| usages.records_stranger(&red, now));
        assert_eq!(noted.count(), 11);
        assert!(usages.records_stranger(&blue, now));
        assert!(usages.records_stranger(&red, now + Duration::from_secs(1)));
    }
}
