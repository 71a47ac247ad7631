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
    /// When, and in which match.
    lost: VecDeque<(Duration, String)>,
}

impl Outages {
    /// Notes the loss of a player's connection in a match. Returns all matches in which connections
    /// were lost at about this time, if it is not the only one and is not known yet.
    pub fn note(&mut self, id: &str, now: Duration) -> Option<Vec<String>> {
        let is_old = |&(at, _): &(Duration, String)| now.saturating_sub(at) > TOGETHER;
        while self.lost.front().is_some_and(is_old) || self.lost.len() >= MAX_REMEMBERED {
            self.lost.pop_front();
        }
        if self.lost.iter().any(|(_, known)| known == id) {
            return None;
        }
        self.lost.push_back((now, id.to_owned()));
        let matches: Vec<String> = self.lost.iter().map(|(_, id)| id.clone()).collect();
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
        assert_eq!(outages.note("a", at(100)), None);
        // Both players of one match.
        assert_eq!(outages.note("a", at(101)), None);
        let both = Some(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(outages.note("b", at(110)), both);
        assert_eq!(outages.note("b", at(110)), None);
        assert_eq!(outages.note("c", at(121)), None, "that is another one");
        for number in 0..1_000 {
            outages.note(&number.to_string(), at(122));
        }
        assert!(outages.lost.len() <= MAX_REMEMBERED);
    }
}
