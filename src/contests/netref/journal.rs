//! The journal of a referee: the matches of all its tables, and those that are adjourned.

use std::collections::HashMap;

use super::entry::{Entry, MatchEntry};
use super::game::NetrefGame;
use super::table::{LiveMatch, RestoreError};

/// A match of the journal that is not recorded.
#[derive(Debug)]
pub struct JournaledMatch<G: NetrefGame> {
    /// The match, interrupted where it was.
    pub live: LiveMatch<G>,
    /// Whether it is adjourned: it waits for the organizer, and not at its table.
    pub is_adjourned: bool,
}

impl<G: NetrefGame> JournaledMatch<G> {
    /// Returns whether the match can go on: it is not over, and can be resumed.
    pub fn goes_on(&self) -> bool {
        self.live.finished().is_none() && (self.is_adjourned || self.live.can_resume())
    }
}

/// Restores the matches of a journal that are not recorded, in the order of their starts.
///
/// # Errors
/// The entries of a match are not those of a match of this game.
pub fn replay<G: NetrefGame>(
    entries: Vec<MatchEntry>,
) -> Result<Vec<JournaledMatch<G>>, RestoreError> {
    let mut order = Vec::new();
    let mut matches: HashMap<String, Vec<Entry>> = HashMap::new();
    for MatchEntry { id, entry } in entries {
        if entry == Entry::Recorded {
            matches.remove(&id);
            continue;
        }
        let known = matches.entry(id).or_insert_with_key(|id| {
            order.push(id.clone());
            Vec::new()
        });
        known.push(entry);
    }
    let unrecorded = order.into_iter().filter_map(|id| {
        let entries = matches.remove(&id)?;
        Some((id, entries))
    });
    let restored = unrecorded.map(|(id, entries)| {
        let place = entries.iter().rev();
        let place = place.filter(|entry| matches!(entry, Entry::Adjourned | Entry::Resumed));
        let is_adjourned = place.take(1).any(|entry| *entry == Entry::Adjourned);
        match LiveMatch::restore(entries) {
            Ok(live) => Ok(JournaledMatch { live, is_adjourned }),
            Err(error) => Err(RestoreError(format!("match {id}: {error}"))),
        }
    });
    restored.collect()
}
