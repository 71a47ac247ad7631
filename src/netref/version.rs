//! Versions of the protocol.

use std::fmt;

use nom::Parser;
use nom::character::complete::{char, digit1};
use nom::combinator::all_consuming;
use nom::multi::separated_list1;

/// A version: two or more numbers with points between them, compared in order.
/// What is not there is zero: 0.9 is 0.9.0.
///
/// ```
/// use gothello::netref::Version;
/// let [old, new] = ["0.9", "0.9.1"].map(|text| Version::parse(text).unwrap());
/// assert!(old < new && new < Version::parse("0.10").unwrap());
/// assert_eq!(Version::parse("0.9.0"), Some(old));
/// assert_eq!(Version::parse("player"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// Reads a version; `None` if the word is none. A number that is too large
    /// for 64 bits is larger than all others.
    pub fn parse(word: &str) -> Option<Version> {
        let number = digit1::<&str, ()>.map(|digits: &str| digits.parse().unwrap_or(u64::MAX));
        let mut version = all_consuming(separated_list1(char('.'), number));
        let (_, mut numbers) = version.parse(word).ok()?;
        if numbers.len() < 2 {
            return None;
        }
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        Some(Version(numbers))
    }

    /// Whether a client of this version is too new for a referee of version `ours`:
    /// as many numbers are compared as that has, two at least. Further ones are
    /// revisions of what it knows.
    ///
    /// ```
    /// use gothello::netref::Version;
    /// let [ours, revised, new] =
    ///     ["0.9.1", "0.9.1.3", "0.9.2"].map(|text| Version::parse(text).unwrap());
    /// assert!(!ours.is_too_new_for(&ours));
    /// assert!(!revised.is_too_new_for(&ours));
    /// assert!(new.is_too_new_for(&ours));
    /// ```
    pub fn is_too_new_for(&self, ours: &Version) -> bool {
        let known = ours.0.len().max(2);
        self.0.iter().take(known).gt(&ours.0)
    }

    /// A version of these numbers, of which the last one is not zero.
    pub(super) fn new<const N: usize>(numbers: [u64; N]) -> Version {
        Version(numbers.to_vec())
    }
}

/// Writes the numbers, two at least.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor] = [0, 1].map(|i| self.0.get(i).copied().unwrap_or(0));
        write!(f, "{major}.{minor}")?;
        for number in self.0.iter().skip(2) {
            write!(f, ".{number}")?;
        }
        Ok(())
    }
}
