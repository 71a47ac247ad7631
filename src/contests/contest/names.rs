//! How clients are called: their numbers and their names.

use std::borrow::{Borrow, Cow};

use derive_more::{Display, Into};
use serde::{Deserialize, Serialize};

use crate::base::names::{breaks_line, is_invisible, isolated};
use crate::tournament::GameNumber;

/// The maximum length of a name, in characters.
const MAX_NAME: usize = 64;

/// The name of a client whose own name has no visible character.
const NAMELESS: &str = "nameless";

/// Identifies a connected client: the clients are numbered in order of arrival. Written as `#4`.
#[derive(
    Clone, Copy, Debug, Display, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[display("#{_0}")]
#[serde(transparent)]
pub struct ClientId(pub u64);

/// The name of a team, as it is shown and compared: one line with at least one visible
/// character and at most 64 characters.
#[derive(
    Clone, Debug, Display, PartialEq, Eq, PartialOrd, Ord, Hash, Into, Serialize, Deserialize,
)]
#[serde(from = "String", into = "String")]
pub struct Name(String);

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name::from(text.as_str())
    }
}

/// Converts any text to a valid name. A rejected client would get no answer, and could not
/// play.
///
/// Characters that break a line become blanks, invisible characters at either end are
/// removed, and the rest is truncated. A text without a visible character becomes
/// `nameless`.
impl From<&str> for Name {
    fn from(text: &str) -> Name {
        let printable = |c: char| if breaks_line(c) { ' ' } else { c };
        let text = text.trim_matches(is_invisible);
        let name: String = text.chars().map(printable).take(MAX_NAME).collect();
        let name = name.trim_matches(is_invisible);
        Name(if name.is_empty() { NAMELESS } else { name }.to_owned())
    }
}

impl Name {
    /// Returns the name as a part of a sentence, whose direction it does not change.
    pub(in crate::contests) fn isolated(&self) -> Cow<'_, str> {
        isolated(&self.0)
    }
}

/// A name is compared as its text.
impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The number of a game, unique in a state folder.
#[derive(
    Clone, Copy, Debug, Display, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[display("{_0:04}")]
#[serde(transparent)]
pub struct GameId(pub u64);

impl GameId {
    /// Returns the number after this one.
    pub(super) fn next(self) -> GameId {
        GameId(self.0.saturating_add(1))
    }
}

/// Returns the number of a game in the tournament, after its name.
pub(in crate::contests) fn in_tournament(place: Option<GameNumber>) -> String {
    place.map_or_else(String::new, |place| format!(" ({})", place.short()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_a_name() {
        assert_eq!(Name::from(" Team 7 ").as_ref(), "Team 7");
        assert_eq!(Name::from("a\nb\u{7}").as_ref(), "a b");
        for nothing in [
            "",
            " \n ",
            "\u{200b}",
            " \u{2060}\u{feff} \u{3164}",
            "\u{202e}",
        ] {
            assert_eq!(Name::from(nothing).as_ref(), "nameless", "{nothing:?}");
        }
        assert_eq!(Name::from("\u{feff}\u{200b}Ann\u{200b} ").as_ref(), "Ann");
        // Persian needs a joiner between letters, and so do some pictures.
        for name in ["می\u{200c}خواهم", "\u{1f468}\u{200d}\u{1f469}"] {
            assert_eq!(Name::from(name).as_ref(), name);
        }
        assert_eq!(
            Name::from("é".repeat(99).as_str()).as_ref().chars().count(),
            64
        );
    }
}
