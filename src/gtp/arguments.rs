//! The words after a command's name, as the types that the command needs.

use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

use super::failure::Failure;
use super::game::Played;
use super::request::word;
use crate::gothello::Color;

/// The arguments that have not been read yet.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(&'a str);

impl<'a> Arguments<'a> {
    pub(super) fn new(text: &'a str) -> Arguments<'a> {
        Arguments(text)
    }

    /// The next word, if there is one.
    fn next(&mut self) -> Option<&'a str> {
        let (rest, word) = word(self.0).ok()?;
        self.0 = rest;
        Some(word)
    }

    /// Something else, unless nothing is left.
    pub(super) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Arguments<'a>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        (!self.0.is_empty()).then(|| read(self)).transpose()
    }

    /// The next word, which must be there.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, Failure> {
        self.next()
            .ok_or_else(|| Failure::Syntax(format!("{what} is missing")))
    }

    /// Refuses what is left.
    pub(super) fn end(mut self) -> Result<(), Failure> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(Failure::Syntax(format!(
                "{word:?} is one argument too many"
            ))),
        }
    }

    /// A player.
    pub(super) fn color(&mut self) -> Result<Color, Failure> {
        self.parsed("a colour")
    }

    /// A move of some game. A point off the board is an illegal move.
    pub(super) fn mv<G: Played>(&mut self) -> Result<G::Move, Failure> {
        let word = self.word("a move")?;
        G::read_move(word).map_err(Failure::IllegalMove)
    }

    /// The next word as something that has a text form of its own.
    pub(super) fn parsed<T>(&mut self, what: &str) -> Result<T, Failure>
    where
        T: FromStr<Err: Display>,
    {
        let word = self.word(what)?;
        word.parse()
            .map_err(|error: T::Err| Failure::Syntax(error.to_string()))
    }

    /// All words that are left.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = &'a str> {
        std::iter::from_fn(|| self.next())
    }

    /// A whole number from 0 to the largest of its type.
    pub(super) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, Failure> {
        let word = self.word(what)?;
        word.parse().map_err(|_| {
            Failure::Syntax(format!(
                "{word:?} is no whole number from 0 up: {what} is expected"
            ))
        })
    }

    /// A whole number of any sign; one that does not fit becomes the nearest
    /// that does.
    pub(super) fn integer(&mut self, what: &str) -> Result<i64, Failure> {
        let word = self.word(what)?;
        word.parse()
            .or_else(|error: ParseIntError| match error.kind() {
                IntErrorKind::PosOverflow => Ok(i64::MAX),
                IntErrorKind::NegOverflow => Ok(i64::MIN),
                _ => Err(Failure::Syntax(format!(
                    "{word:?} is no whole number: {what} is expected"
                ))),
            })
    }

    /// A time in seconds, whole by the draft; a fraction is understood too.
    pub(super) fn seconds(&mut self, what: &str) -> Result<Duration, Failure> {
        let word = self.word(what)?;
        let seconds = word.parse().ok();
        seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .ok_or_else(|| Failure::Syntax(format!("{word:?} is no time: {what} is expected")))
    }

    /// A time in seconds that is left: nothing, where it is less than that.
    pub(super) fn seconds_left(&mut self, what: &str) -> Result<Duration, Failure> {
        let seconds = self.float(what)?.max(0.0);
        Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }

    /// Any number.
    pub(super) fn float(&mut self, what: &str) -> Result<f64, Failure> {
        let word = self.word(what)?;
        let number = word.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| Failure::Syntax(format!("{word:?} is no number: {what} is expected")))
    }

    /// Pairs of a colour and something else, until the end.
    pub(super) fn pairs<T>(
        mut self,
        mut second: impl FnMut(&mut Arguments<'a>) -> Result<T, Failure>,
    ) -> Result<Vec<(Color, T)>, Failure> {
        let mut pairs = Vec::new();
        while !self.0.is_empty() {
            pairs.push((self.color()?, second(&mut self)?));
        }
        Ok(pairs)
    }
}
