//! Versions of the protocol of a game.

use std::fmt;

use nom::Parser;
use nom::character::complete::{char, digit1};
use nom::combinator::all_consuming;
use nom::multi::separated_list1;

/// A version of the protocol: two or more numbers separated by periods, compared
/// from the left. Missing numbers are zero: 0.9 equals 0.9.0.
///
/// ```
/// use gothello::contests::netref::Version;
/// let [old, new] = ["0.9", "0.9.1"].map(|text| Version::parse(text).unwrap());
/// assert!(old < new && new < Version::parse("0.10").unwrap());
/// assert_eq!(Version::parse("0.9.0"), Some(old));
/// assert_eq!(Version::parse("player"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// Parses a version; `None` if the word is not a version. A number that does not fit 64
    /// bits counts as the largest one that does.
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

    /// Returns whether a client of this version is too new for a server of version
    /// `ours`. As many numbers are compared as `ours` has, at least two; further ones
    /// are revisions of the same protocol.
    ///
    /// ```
    /// use gothello::contests::netref::Version;
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

    /// Returns the version of the papers, 0.9.
    pub(in crate::contests::netref) fn papers() -> Version {
        Version::new([0, 9])
    }

    /// Creates a version from its numbers; the last one must not be zero.
    pub(super) fn new<const N: usize>(numbers: [u64; N]) -> Version {
        Version(numbers.to_vec())
    }
}

/// Writes the numbers, at least two.
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
