//! What a team calls itself.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most characters of a name.
const LONGEST: usize = 64;

/// A name as it is shown and compared: one line, not empty, at most 64 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Name(String);

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name::from(text.as_str())
    }
}

/// Whatever a client says: what does not fit is left out. A client would not hear
/// that its name is refused, and could not play.
impl From<&str> for Name {
    fn from(text: &str) -> Name {
        // Some turn the direction of what follows them.
        let spoils = |c: char| {
            c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let printable = |c: char| if spoils(c) { ' ' } else { c };
        let name: String = text.trim().chars().map(printable).take(LONGEST).collect();
        let name = name.trim();
        Name(if name.is_empty() { "nameless" } else { name }.to_owned())
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_a_name() {
        assert_eq!(Name::from(" Team 7 ").as_ref(), "Team 7");
        assert_eq!(Name::from("a\nb\u{7}").as_ref(), "a b");
        assert_eq!(Name::from(" \n ").as_ref(), "nameless");
        assert_eq!(
            Name::from("é".repeat(99).as_str()).as_ref().chars().count(),
            64
        );
    }
}
