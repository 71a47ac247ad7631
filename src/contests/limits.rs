//! Limits for the clients of one address or one team, so that a client in a broken loop harms no
//! others.
//!
//! Pure: times go in, and how long to wait comes out.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use thiserror::Error;

/// The time over which the rate of messages is averaged: the messages of this many seconds may come
/// at once.
pub const BURST: Duration = Duration::from_secs(10);

/// The maximum time that a message waits, so that a client that was too fast is not kept out for long
/// afterwards.
pub const MAX_WAIT: Duration = BURST;

/// The number of clients above which those that are neither connected nor waiting are forgotten.
const MANY: usize = 4_096;

/// What the clients of one address or one team may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of connections at the same time; without limit if `None`.
    pub connections: Option<u32>,
    /// The maximum number of messages (lines, or frames) a second; without limit if `None`. A
    /// connection counts as a message.
    pub messages: Option<u32>,
}

impl Limits {
    /// Creates limits of connections and of messages a second; 0 is without limit.
    pub fn unless_zero(connections: u32, messages: u32) -> Limits {
        let unless_zero = |most: u32| (most > 0).then_some(most);
        Limits {
            connections: unless_zero(connections),
            messages: unless_zero(messages),
        }
    }
}

/// The connections that are accepted at once, at a port or from an address: a class may sit behind
/// one address.
const ACCEPT_BURST: u32 = 200;

/// The time between two connections that are accepted at a port after these.
const PORT_INTERVAL: Duration = Duration::from_millis(1);

/// The same for the connections of an address at all ports, of which there may be many.
const ADDRESS_INTERVAL: Duration = Duration::from_micros(250);

/// The shortest wait before a connection is accepted: to wake up for each one costs more than some of
/// them together.
const SHORTEST_WAIT: Duration = Duration::from_millis(40);

/// The pace at which connections are accepted, so that a flood of them does not take the time of the
/// players.
#[derive(Clone, Copy, Debug)]
pub struct AcceptPace {
    /// The time between two connections.
    interval: Duration,
    /// When the next connection would come at exactly this pace.
    next: Duration,
}

impl AcceptPace {
    /// Creates the pace of a port.
    pub fn of_port() -> AcceptPace {
        AcceptPace::new(PORT_INTERVAL)
    }

    fn new(interval: Duration) -> AcceptPace {
        let next = Duration::ZERO;
        AcceptPace { interval, next }
    }

    /// Returns the time in which a burst would be accepted one by one.
    fn burst(&self) -> Duration {
        self.interval.saturating_mul(ACCEPT_BURST)
    }

    /// Counts a connection, and returns how long to wait before the next one is accepted. Short waits
    /// add up.
    pub fn count(&mut self, now: Duration) -> Duration {
        self.next = self.next.max(now).saturating_add(self.interval);
        let wait = self.next.saturating_sub(now).saturating_sub(self.burst());
        match wait < SHORTEST_WAIT {
            true => Duration::ZERO,
            false => wait,
        }
    }

    /// Returns whether a burst would be accepted at once.
    fn is_rested(&self, now: Duration) -> bool {
        self.next <= now
    }
}

/// The paces at which connections are accepted from each address.
#[derive(Debug)]
pub struct AcceptPaces<K>(HashMap<K, AcceptPace>);

impl<K> Default for AcceptPaces<K> {
    fn default() -> AcceptPaces<K> {
        AcceptPaces(HashMap::new())
    }
}

impl<K: Eq + Hash> AcceptPaces<K> {
    /// Counts a connection, as [`AcceptPace::count`] does.
    pub fn count(&mut self, key: K, now: Duration) -> Duration {
        if self.0.len() >= MANY {
            self.0.retain(|_, pace| !pace.is_rested(now));
        }
        let pace = self.0.entry(key);
        pace.or_insert_with(|| AcceptPace::new(ADDRESS_INTERVAL))
            .count(now)
    }
}

/// The connections of an address that are listed in the log in a second, on average: those of ten
/// seconds at once.
const LISTED: u32 = 20;

/// The number of addresses of which it is known how many connections were not listed.
const MAX_UNLISTED: usize = 1_000;

/// Decides which connections are listed in the log: one that connects in a loop must not fill it.
#[derive(Debug)]
pub struct Listing<K> {
    usage: Usage<K>,
    /// The number of connections since the last one that was listed.
    unlisted: HashMap<K, u32>,
}

impl<K: Clone + Eq + Hash> Default for Listing<K> {
    fn default() -> Listing<K> {
        Listing {
            usage: Usage::new(Limits::unless_zero(0, LISTED)),
            unlisted: HashMap::new(),
        }
    }
}

impl<K: Clone + Eq + Hash> Listing<K> {
    /// Returns the number of connections before this one that were not listed; `None` if this one is not
    /// listed either.
    pub fn list(&mut self, key: &K, now: Duration) -> Option<u32> {
        if self.usage.try_count_message(key, now) {
            return Some(self.unlisted.remove(key).unwrap_or_default());
        }
        if self.unlisted.len() < MAX_UNLISTED || self.unlisted.contains_key(key) {
            let unlisted = self.unlisted.entry(key.clone()).or_default();
            *unlisted = unlisted.saturating_add(1);
        }
        None
    }
}

/// The limit of connections is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there are too many connections")]
pub struct TooMany;

/// The usage of all clients, by address or team.
#[derive(Debug)]
pub struct Usage<K> {
    limits: Limits,
    clients: HashMap<K, ClientUsage>,
}

#[derive(Debug, Default)]
struct ClientUsage {
    connections: u32,
    /// When the next message would come at exactly the allowed rate.
    next: Duration,
}

impl<K: Clone + Eq + Hash> Usage<K> {
    /// Creates an empty usage.
    pub fn new(limits: Limits) -> Usage<K> {
        Usage {
            limits,
            clients: HashMap::new(),
        }
    }

    /// Counts a connection, until [`Usage::disconnect`].
    ///
    /// # Errors
    /// There are too many.
    pub fn connect(&mut self, key: &K, now: Duration) -> Result<(), TooMany> {
        let most = self.limits.connections;
        let client = self.client(key, now);
        if most.is_some_and(|most| client.connections >= most) {
            return Err(TooMany);
        }
        client.connections = client.connections.saturating_add(1);
        Ok(())
    }

    /// Returns the usage of a client. If it is a new one among many, those that are gone are forgotten.
    fn client(&mut self, key: &K, now: Duration) -> &mut ClientUsage {
        if self.clients.len() >= MANY && !self.clients.contains_key(key) {
            self.clients
                .retain(|_, client| client.connections > 0 || client.next > now);
        }
        self.clients.entry(key.clone()).or_default()
    }

    /// Stops counting a connection.
    pub fn disconnect(&mut self, key: &K, now: Duration) {
        if let Some(client) = self.clients.get_mut(key) {
            client.connections = client.connections.saturating_sub(1);
            if client.connections == 0 && client.next <= now {
                self.clients.remove(key);
            }
        }
    }

    /// Returns whether messages are limited: if not, none need be counted.
    pub fn limits_messages(&self) -> bool {
        self.limits.messages.is_some()
    }

    /// Counts a message, and returns how long the caller must wait before it reads the message.
    pub fn count_message(&mut self, key: &K, now: Duration) -> Duration {
        let Some(rate) = self.limits.messages.filter(|&rate| rate > 0) else {
            return Duration::ZERO;
        };
        let client = self.client(key, now);
        let latest = now.saturating_add(BURST).saturating_add(MAX_WAIT);
        let next = client.next.clamp(now, latest);
        client.next = next.saturating_add(Duration::from_secs(1) / rate);
        let ahead = next.saturating_sub(now);
        ahead.saturating_sub(BURST)
    }

    /// Counts a message unless it must wait. Returns whether it was counted.
    pub fn try_count_message(&mut self, key: &K, now: Duration) -> bool {
        let latest = now.saturating_add(BURST);
        let is_late = |client: &ClientUsage| client.next > latest;
        let is_in_time = !self.clients.get(key).is_some_and(is_late);
        if is_in_time {
            self.count_message(key, now);
        }
        is_in_time
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits {
        connections: Some(2),
        messages: Some(10),
    };

    #[test]
    fn a_connection_more_is_refused_until_one_ends() {
        let mut usage = Usage::new(LIMITS);
        let now = Duration::ZERO;
        assert_eq!(usage.connect(&"Red", now), Ok(()));
        assert_eq!(usage.connect(&"Red", now), Ok(()));
        assert_eq!(usage.connect(&"Red", now), Err(TooMany));
        assert_eq!(usage.connect(&"Blue", now), Ok(()));
        usage.disconnect(&"Red", now);
        assert_eq!(usage.connect(&"Red", now), Ok(()));
        assert_eq!(usage.connect(&"Red", now), Err(TooMany));
    }

    #[test]
    fn a_burst_of_connections_is_accepted_at_once_and_then_some_at_a_time() {
        let mut paces = AcceptPaces::default();
        let mut accept = |name, count, now| {
            (0..count).for_each(|_| assert_eq!(paces.count(name, now), Duration::ZERO));
            paces.count(name, now)
        };
        let now = Duration::from_secs(5);
        let wait = accept("Red", 200 + 159, now);
        assert_eq!(wait, SHORTEST_WAIT);
        assert_eq!(accept("Red", 159, now + wait), SHORTEST_WAIT);
        assert_eq!(accept("Blue", 0, now), Duration::ZERO);
        let later = now + 3 * wait;
        assert_eq!(accept("Red", 0, later), Duration::ZERO);
        // A burst may come as soon as the server has started.
        assert_eq!(accept("Green", 200 + 159, Duration::ZERO), SHORTEST_WAIT);
        // Nothing is kept of an address that has not come for a while.
        let mut paces = AcceptPaces::default();
        for number in 0..10_000_u64 {
            paces.count(number, now + Duration::from_millis(number));
        }
        assert!(paces.0.len() <= MANY, "{}", paces.0.len());
    }

    #[test]
    fn messages_are_read_later_when_more_than_the_allowed_ones_have_come() {
        let mut usage = Usage::new(LIMITS);
        let now = Duration::from_secs(5);
        for _ in 0..=100 {
            assert_eq!(usage.count_message(&"Red", now), Duration::ZERO);
        }
        assert_eq!(usage.count_message(&"Red", now), Duration::from_millis(100));
        assert_eq!(usage.count_message(&"Red", now), Duration::from_millis(200));
        // Others are not concerned.
        assert_eq!(usage.count_message(&"Blue", now), Duration::ZERO);
        let later = now + Duration::from_secs(20);
        assert_eq!(usage.count_message(&"Red", later), Duration::ZERO);
    }

    #[test]
    fn no_message_waits_longer_than_the_maximum_however_many_came_before() {
        let mut usage = Usage::new(LIMITS);
        let now = Duration::from_secs(5);
        for _ in 0..10_000 {
            assert!(usage.count_message(&"Red", now) <= MAX_WAIT);
        }
        assert_eq!(usage.count_message(&"Red", now), MAX_WAIT);
        // When no more come, the wait is over soon.
        let later = now + MAX_WAIT + Duration::from_secs(1);
        assert_eq!(usage.count_message(&"Red", later), Duration::ZERO);
    }

    #[test]
    fn events_that_count_only_in_time_make_nobody_wait() {
        let mut usage = Usage::new(LIMITS);
        let now = Duration::from_secs(5);
        let counted = (0..1_000).filter(|_| usage.try_count_message(&"Red", now));
        assert_eq!(counted.count(), 101);
        // One message waits until the rate allows it, as without so many refusals.
        assert_eq!(usage.count_message(&"Red", now), Duration::from_millis(100));
        assert!(usage.try_count_message(&"Blue", now));
        assert!(Usage::new(Limits::default()).try_count_message(&"Red", now));
    }

    #[test]
    fn of_connections_that_come_too_fast_only_the_number_is_listed() {
        let mut listing = Listing::default();
        let now = Duration::from_secs(5);
        let listed = (0..1_000).filter(|_| listing.list(&"Red", now) == Some(0));
        assert_eq!(listed.count(), 201);
        assert_eq!(listing.list(&"Blue", now), Some(0));
        let later = now + Duration::from_secs(1);
        assert_eq!(listing.list(&"Red", later), Some(799));
        assert_eq!(listing.list(&"Red", later), Some(0));
    }

    #[test]
    fn clients_whose_messages_are_long_past_are_forgotten() {
        let mut usage = Usage::new(LIMITS);
        for number in 0..10_000_u64 {
            usage.try_count_message(&number, Duration::from_millis(number));
        }
        assert!(usage.clients.len() <= MANY, "{}", usage.clients.len());
    }

    proptest! {
        /// However fast messages come, no more are read in any interval than the rate and a burst
        /// allow.
        #[test]
        fn the_rate_is_kept(pauses in prop::collection::vec(0..300_u64, 1..400)) {
            let mut usage = Usage::new(LIMITS);
            let mut now = Duration::ZERO;
            let mut read = Vec::new();
            for pause in pauses {
                now += Duration::from_millis(pause);
                // As a connection does: the next message is read after this one.
                now += usage.count_message(&"Red", now);
                read.push(now);
            }
            for (first, from) in read.iter().enumerate() {
                for (last, to) in read.iter().enumerate().skip(first) {
                    let allowed = ((*to - *from) + BURST).as_secs_f64() * 10.0 + 2.0;
                    prop_assert!(((last - first + 1) as f64) <= allowed);
                }
            }
        }

        #[test]
        fn clients_that_are_gone_are_forgotten(keys in prop::collection::vec(0..9_u8, 0..99)) {
            let mut usage = Usage::new(Limits::default());
            for key in &keys {
                prop_assert_eq!(usage.connect(key, Duration::ZERO), Ok(()));
                prop_assert_eq!(usage.count_message(key, Duration::ZERO), Duration::ZERO);
            }
            for key in &keys {
                usage.disconnect(key, Duration::ZERO);
            }
            prop_assert!(usage.clients.is_empty());
        }
    }
}
