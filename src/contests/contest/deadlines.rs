//! Deadlines by key.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Deadlines by key, with quick access to the earliest.
#[derive(Debug)]
pub struct Deadlines<K> {
    by_key: BTreeMap<K, Duration>,
    in_order: BTreeSet<(Duration, K)>,
}

impl<K> Default for Deadlines<K> {
    fn default() -> Deadlines<K> {
        Deadlines {
            by_key: BTreeMap::new(),
            in_order: BTreeSet::new(),
        }
    }
}

impl<K: Copy + Ord> Deadlines<K> {
    /// Sets or removes a deadline. Returns whether there was one before.
    pub fn set(&mut self, key: K, deadline: Option<Duration>) -> bool {
        let before = match deadline {
            Some(at) => self.by_key.insert(key, at),
            None => self.by_key.remove(&key),
        };
        if let Some(before) = before {
            self.in_order.remove(&(before, key));
        }
        if let Some(at) = deadline {
            self.in_order.insert((at, key));
        }
        before.is_some()
    }

    /// Returns whether a key has a deadline.
    pub fn contains(&self, key: &K) -> bool {
        self.by_key.contains_key(key)
    }

    /// Returns the earliest deadline.
    pub fn next(&self) -> Option<Duration> {
        self.in_order.first().map(|&(at, _)| at)
    }

    /// Returns the keys whose deadlines have come, in the order of the keys.
    pub fn passed(&self, now: Duration) -> Vec<K> {
        let due = self.in_order.iter().take_while(|&&(at, _)| at <= now);
        let mut keys: Vec<K> = due.map(|&(_, key)| key).collect();
        keys.sort_unstable();
        keys
    }
}
