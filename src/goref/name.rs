//! What a team calls itself.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::names::{breaks_line, is_invisible, isolated};

/// The most characters of a name.
const LONGEST: usize = 64;

/// The name of a client whose own name shows nothing.
const NAMELESS: &str = "nameless";

/// A name as it is shown and compared: one line of which something is seen, at most 64
/// characters.
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
///
/// A character that spoils a line becomes a blank, and what is invisible at either end goes.
/// If nothing is seen of what is left, the name is `nameless`.
impl From<&str> for Name {
    fn from(text: &str) -> Name {
        let printable = |c: char| if breaks_line(c) { ' ' } else { c };
        let text = text.trim_matches(is_invisible);
        let name: String = text.chars().map(printable).take(LONGEST).collect();
        let name = name.trim_matches(is_invisible);
        Name(if name.is_empty() { NAMELESS } else { name }.to_owned())
    }
}

impl Name {
    /// The name as a part of a sentence, which it does not turn around.
    pub(super) fn isolated(&self) -> Cow<'_, str> {
        isolated(&self.0)
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
