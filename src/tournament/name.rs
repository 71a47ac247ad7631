//! What a player is called.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::names::{is_visible, spoils_a_line};

/// The longest name, in characters.
pub const MAX_NAME: usize = 64;

/// The name of a player: 1 to 64 characters of which something is seen, without control
/// characters, and without white space at either end. Names are the same only if every
/// character is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// Nothing is seen of it.
    #[error("a name has at least one character that can be seen")]
    Empty,
    /// More than [`MAX_NAME`] characters.
    #[error("a name has at most {MAX_NAME} characters, and this has {0}")]
    TooLong(usize),
    /// A character that would spoil a table.
    #[error("a name has no control characters, and this has {0:?}")]
    Control(char),
}

impl Name {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How many columns a terminal needs, if every character needs one.
    pub(super) fn width(&self) -> usize {
        self.0.chars().count()
    }
}

/// White space at the ends is left out.
impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Name, NameError> {
        match is_visible(text) {
            true => Name::recorded(text),
            false => Err(NameError::Empty),
        }
    }
}

impl Name {
    /// Parses a name of a results file. Nothing need be seen of it: such names were
    /// accepted once, and their results stand.
    fn recorded(text: &str) -> Result<Name, NameError> {
        let text = text.trim();
        if let Some(bad) = text.chars().find(|&char| spoils_a_line(char)) {
            return Err(NameError::Control(bad));
        }
        match text.chars().count() {
            0 => Err(NameError::Empty),
            1..=MAX_NAME => Ok(Name(text.to_owned())),
            length => Err(NameError::TooLong(length)),
        }
    }
}

/// Deserializes a name of a results file.
impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Name, NameError> {
        Name::recorded(&text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
