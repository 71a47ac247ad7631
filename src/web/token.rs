//! The organiser's password.

use std::fmt::{self, Debug, Display, Formatter};
use std::str::FromStr;

use rand::TryRng;
use rand::rngs::{SysError, SysRng};
use subtle::ConstantTimeEq;
use thiserror::Error;

/// The fewest characters of a token that people choose.
const SHORTEST: usize = 16;

/// The most characters.
const LONGEST: usize = 128;

/// A secret that makes whoever has it the organiser. It has letters, digits,
/// `-` and `_` only, so that it can stand in an address.
#[derive(Clone)]
pub struct Token(String);

/// A text that is no token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "a token has {SHORTEST} to {LONGEST} characters, which are letters, digits, - and _; this one is {}",
    if *.0 { "too short or too long" } else { "of others" }
)]
pub struct BadToken(bool);

impl Token {
    /// A new token of 128 bits from the system's randomness.
    ///
    /// # Errors
    /// The system has none.
    pub fn random() -> Result<Token, SysError> {
        let mut bytes = [0; 16];
        SysRng.try_fill_bytes(&mut bytes)?;
        Ok(Token(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// Whether this is the token. Takes as long for one that is nearly right as
    /// for one that is quite wrong.
    pub(super) fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

impl FromStr for Token {
    type Err = BadToken;

    fn from_str(text: &str) -> Result<Token, BadToken> {
        if !(SHORTEST..=LONGEST).contains(&text.len()) {
            return Err(BadToken(true));
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !text.chars().all(fits) {
            return Err(BadToken(false));
        }
        Ok(Token(text.to_owned()))
    }
}

/// For the link that the organiser is given.
impl Display for Token {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Shows nothing of it.
impl Debug for Token {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}
