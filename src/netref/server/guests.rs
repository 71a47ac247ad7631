//! The clients of a server as its limits count them.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use super::Shared;
use crate::netref::limits::{Limits, TooMany, Usage};
use crate::netref::teams::Membership;

/// What the clients of each address and of each team do.
///
/// The clients of a team that are known by its name and those that are known by its port count
/// separately: strangers at the port take no room from those who know the secret.
pub(super) struct Usages(Mutex<(Usage<IpAddr>, Usage<Membership>)>);

impl Usages {
    pub(super) fn new(addresses: Limits, teams: Limits) -> Usages {
        Usages(Mutex::new((Usage::new(addresses), Usage::new(teams))))
    }

    fn lock(&self) -> MutexGuard<'_, (Usage<IpAddr>, Usage<Membership>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection of an address as a line, and returns how long to wait before it is
    /// served.
    pub(super) fn connection(&self, address: IpAddr, now: Duration) -> Duration {
        self.lock().0.line(&address, now)
    }

    /// Counts a connection of an address that is refused, unless it comes too fast. Returns
    /// whether it is counted.
    pub(super) fn refusal(&self, address: IpAddr, now: Duration) -> bool {
        self.lock().0.line_in_time(&address, now)
    }
}

/// A client that is connected, until this is dropped.
pub(super) struct Guest {
    address: IpAddr,
    membership: Option<Membership>,
    shared: Shared,
}

impl Guest {
    /// Counts a client.
    ///
    /// # Errors
    /// There are too many of its address.
    pub(super) fn admit(address: IpAddr, shared: &Shared) -> Result<Guest, TooMany> {
        let now = shared.now();
        shared.usages().lock().0.connect(&address, now)?;
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
    pub(super) fn join(&mut self, membership: Option<Membership>) -> Result<(), TooMany> {
        let now = self.shared.now();
        let (_, teams) = &mut *self.shared.usages().lock();
        if let Some(left) = self.membership.take() {
            teams.disconnect(&left, now);
        }
        if let Some(joined) = membership {
            teams.connect(&joined, now)?;
            self.membership = Some(joined);
        }
        Ok(())
    }

    /// Counts a line, and waits until it may be read, but not longer than until `hung_up`. Returns
    /// whether that came first.
    pub(super) async fn pace(&self, hung_up: impl Future<Output = ()>) -> bool {
        let now = self.shared.now();
        let wait = {
            let (addresses, teams) = &mut *self.shared.usages().lock();
            let of_team = self.membership.as_ref().map(|of| teams.line(of, now));
            addresses
                .line(&self.address, now)
                .max(of_team.unwrap_or_default())
        };
        !wait.is_zero() && timeout(wait, hung_up).await.is_ok()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let now = self.shared.now();
        let (addresses, teams) = &mut *self.shared.usages().lock();
        addresses.disconnect(&self.address, now);
        if let Some(membership) = &self.membership {
            teams.disconnect(membership, now);
        }
    }
}
