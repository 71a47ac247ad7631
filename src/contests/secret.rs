//! The secret of a team.

use derive_more::Debug;
use subtle::ConstantTimeEq;

/// The secret of a team. It is never printed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[debug("Secret")]
pub struct Secret(String);

impl Secret {
    /// Creates a secret.
    pub(super) fn new(text: &str) -> Secret {
        Secret(text.to_owned())
    }

    /// Returns whether a client has given this secret. The time that this takes does not tell
    /// how much of it is right.
    pub(super) fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// Returns the text, to hide it where it may be printed.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}
