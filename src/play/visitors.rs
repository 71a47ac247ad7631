//! How many visitors there may be.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

/// The most visitors at the same time.
pub const MAX_VISITORS: usize = 200;

/// The most visitors at the same time from one address of another machine. Those on this
/// machine count only toward [`MAX_VISITORS`].
const MAX_OF_ADDRESS: usize = 50;

/// Why there is no room for a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum NoRoom {
    /// There are too many visitors.
    #[error("The server has no room for more visitors: it has {MAX_VISITORS}.")]
    All,
    /// There are too many from the visitor's address.
    #[error("The server has no room for more visitors from your address: it has {MAX_OF_ADDRESS}.")]
    Address,
}

/// The visitors of a server.
#[derive(Clone, Debug, Default)]
pub(super) struct Visitors(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    /// Those from other machines; each count is positive.
    by_address: HashMap<IpAddr, usize>,
}

impl Visitors {
    /// Takes a place for a visitor from an address.
    ///
    /// # Errors
    /// There is no room.
    pub fn enter(&self, address: Option<IpAddr>) -> Result<Place, NoRoom> {
        let address = address.and_then(counted_address);
        let mut counts = self.counts();
        if counts.all >= MAX_VISITORS {
            return Err(NoRoom::All);
        }
        if let Some(address) = address {
            let count = counts.by_address.entry(address).or_default();
            if *count >= MAX_OF_ADDRESS {
                return Err(NoRoom::Address);
            }
            *count += 1;
        }
        counts.all += 1;
        drop(counts);
        Ok(Place {
            visitors: self.clone(),
            address,
        })
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the address by which a visitor is counted: of IPv6 that of the network, because a host
/// has any number of addresses there; `None` for this machine.
fn counted_address(address: IpAddr) -> Option<IpAddr> {
    let address = match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let network = address.to_bits() & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address => address,
    };
    (!address.is_loopback()).then_some(address)
}

/// A visitor's place, given up when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    visitors: Visitors,
    address: Option<IpAddr>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.visitors.counts();
        counts.all = counts.all.saturating_sub(1);
        let Some(address) = self.address else { return };
        if let Some(count) = counts.by_address.get_mut(&address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets visitors from an address enter until there is no room.
    fn fill(visitors: &Visitors, address: &str) -> (Vec<Place>, NoRoom) {
        let mut places = Vec::new();
        loop {
            match visitors.enter(Some(address.parse().unwrap())) {
                Ok(place) => places.push(place),
                Err(why) => return (places, why),
            }
        }
    }

    #[test]
    fn another_machine_cannot_take_all_places() {
        let visitors = Visitors::default();
        let (places, why) = fill(&visitors, "192.0.2.1");
        assert_eq!((places.len(), why), (MAX_OF_ADDRESS, NoRoom::Address));
        // The same address as IPv6 writes it.
        let (none, why) = fill(&visitors, "::ffff:192.0.2.1");
        assert_eq!((none.len(), why), (0, NoRoom::Address));
        let (_other, why) = fill(&visitors, "192.0.2.2");
        assert_eq!(why, NoRoom::Address);
        drop(places);
        let (places, _) = fill(&visitors, "192.0.2.1");
        assert_eq!(places.len(), MAX_OF_ADDRESS);
    }

    #[test]
    fn addresses_of_a_network_of_ipv6_count_as_one() {
        let visitors = Visitors::default();
        let (_places, _) = fill(&visitors, "2001:db8::1");
        let (same, why) = fill(&visitors, "2001:db8::2:0:0:1");
        assert_eq!((same.len(), why), (0, NoRoom::Address));
        let (other, _) = fill(&visitors, "2001:db8:0:1::1");
        assert_eq!(other.len(), MAX_OF_ADDRESS);
    }

    #[test]
    fn this_machine_may_take_all_places() {
        for address in ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"] {
            let visitors = Visitors::default();
            let (places, why) = fill(&visitors, address);
            assert_eq!((places.len(), why), (MAX_VISITORS, NoRoom::All));
            drop(places);
            assert!(visitors.enter(None).is_ok());
        }
    }
}
