//! The clients of a server as its limits count them.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::sleep;

use super::Shared;
use crate::netref::client::Name;
use crate::netref::limits::{Limits, TooMany, Usage};

/// What the clients of each address and of each team do.
pub(super) struct Usages(Mutex<(Usage<IpAddr>, Usage<Name>)>);

impl Usages {
    pub(super) fn new(addresses: Limits, teams: Limits) -> Usages {
        Usages(Mutex::new((Usage::new(addresses), Usage::new(teams))))
    }

    fn lock(&self) -> MutexGuard<'_, (Usage<IpAddr>, Usage<Name>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a line from an address, and returns how long to wait before it is read.
    pub(super) fn line(&self, address: IpAddr, now: Duration) -> Duration {
        self.lock().0.line(&address, now)
    }
}

/// A client that is connected, until this is dropped.
pub(super) struct Guest {
    address: IpAddr,
    team: Option<Name>,
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
            team: None,
            shared: shared.clone(),
        })
    }

    /// Counts the client as one of a team, or of none.
    ///
    /// # Errors
    /// There are too many of the team.
    pub(super) fn join(&mut self, team: Option<&Name>) -> Result<(), TooMany> {
        if self.team.as_ref() == team {
            return Ok(());
        }
        let now = self.shared.now();
        let (_, teams) = &mut *self.shared.usages().lock();
        if let Some(left) = self.team.take() {
            teams.disconnect(&left, now);
        }
        if let Some(team) = team {
            teams.connect(team, now)?;
            self.team = Some(team.clone());
        }
        Ok(())
    }

    /// Counts a line, and waits until it may be read.
    pub(super) async fn pace(&self) {
        let now = self.shared.now();
        let wait = {
            let (addresses, teams) = &mut *self.shared.usages().lock();
            let of_team = self.team.as_ref().map(|team| teams.line(team, now));
            addresses
                .line(&self.address, now)
                .max(of_team.unwrap_or_default())
        };
        if !wait.is_zero() {
            sleep(wait).await;
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let now = self.shared.now();
        let (addresses, teams) = &mut *self.shared.usages().lock();
        addresses.disconnect(&self.address, now);
        if let Some(team) = &self.team {
            teams.disconnect(team, now);
        }
    }
}
