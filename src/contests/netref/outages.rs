//! Connections that are lost in several matches at once: most likely for one reason.
//!
//! Pure: the times are arguments.

use std::collections::VecDeque;
use std::time::Duration;

/// How close together connections are lost that are most likely lost for one reason.
const TOGETHER: Duration = Duration::from_secs(10);

/// The lost connections that are remembered at most.
const MAX_REMEMBERED: usize = 100;

/// The connections of players that were lost a short while ago.
#[derive(Debug, Default)]
pub struct Outages {
    /// When, at which table, and in which match.
    lost: VecDeque<(Duration, u16, String)>,
}

impl Outages {
    /// Notes the loss of a player's connection in a match at a table. Returns all matches in which connections
    /// were lost at about this time, if it is not the only one and is not known yet.
    pub fn note(&mut self, table: u16, id: &str, now: Duration) -> Option<Vec<String>> {
        // An earlier match at the same table is over.
        self.lost.retain(|&(at, other, ref known)| {
            let is_of_now = now.saturating_sub(at) <= TOGETHER;
            is_of_now && (other != table || known == id)
        });
        if self.lost.iter().any(|(_, _, known)| known == id) || self.lost.len() >= MAX_REMEMBERED {
            return None;
        }
        self.lost.push_back((now, table, id.to_owned()));
        let matches: Vec<String> = self.lost.iter().map(|(.., id)| id.clone()).collect();
        (matches.len() > 1).then_some(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_are_lost_in_several_matches_at_once_are_told() {
        let mut outages = Outages::default();
        let at = Duration::from_secs;
        assert_eq!(outages.note(0, "a", at(100)), None);
        // Both players of one match.
        assert_eq!(outages.note(0, "a", at(101)), None);
        let both = Some(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(outages.note(1, "b", at(110)), both);
        assert_eq!(outages.note(1, "b", at(110)), None);
        assert_eq!(outages.note(2, "c", at(121)), None, "that is another one");
        assert_eq!(
            outages.note(2, "d", at(122)),
            None,
            "it began after the other"
        );
        for number in 0..1_000 {
            outages.note(number, &number.to_string(), at(122));
        }
        assert!(outages.lost.len() <= MAX_REMEMBERED);
    }
}
