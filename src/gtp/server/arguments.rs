//! The words after a command's name, parsed into the types that the command needs.

use std::fmt::Display;
use std::mem;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

use super::request::word;
use super::response::Failure;
use crate::base::color::Color;

/// The arguments that have not been parsed yet.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(&'a str);

impl<'a> Arguments<'a> {
    /// Creates the arguments from the text after a command's name.
    pub fn new(text: &'a str) -> Arguments<'a> {
        Arguments(text)
    }

    /// Checks that there are no arguments left.
    ///
    /// # Errors
    /// If there are any.
    #[inline]
    pub fn end(mut self) -> Result<(), Failure> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(Failure::Syntax(format!(
                "{word:?} is one argument too many"
            ))),
        }
    }

    /// Parses the only argument.
    ///
    /// # Errors
    /// If `parse` fails, or more arguments follow.
    pub fn one<T>(
        mut self,
        parse: impl FnOnce(&mut Arguments<'a>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let argument = parse(&mut self)?;
        self.end()?;
        Ok(argument)
    }

    /// Parses an argument, unless there are no more.
    ///
    /// # Errors
    /// If `parse` fails.
    pub fn optional<T>(
        &mut self,
        parse: impl FnOnce(&mut Arguments<'a>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        (!self.0.is_empty()).then(|| parse(self)).transpose()
    }

    /// Parses pairs of a color and something else, up to the end.
    ///
    /// # Errors
    /// If one of them is invalid or incomplete.
    pub fn pairs<T>(
        mut self,
        mut parse: impl FnMut(&mut Arguments<'a>) -> Result<T, Failure>,
    ) -> Result<Vec<(Color, T)>, Failure> {
        let mut pairs = Vec::new();
        while !self.0.is_empty() {
            pairs.push((self.color()?, parse(&mut self)?));
        }
        Ok(pairs)
    }

    /// Returns the rest as one argument, which may have spaces; `what` names it for the error.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn text(&mut self, what: &str) -> Result<&'a str, Failure> {
        match mem::take(&mut self.0) {
            "" => Err(missing(what)),
            text => Ok(text),
        }
    }

    /// Returns the words that are left.
    pub fn rest(&mut self) -> impl Iterator<Item = &'a str> {
        std::iter::from_fn(|| self.next())
    }

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let (rest, word) = word(self.0).ok()?;
        self.0 = rest;
        Some(word)
    }

    /// Returns the next word; `what` names it for the error.
    ///
    /// # Errors
    /// If there is none.
    #[inline]
    pub fn word(&mut self, what: &str) -> Result<&'a str, Failure> {
        self.next().ok_or_else(|| missing(what))
    }

    /// Parses the next word as a value that has a text form.
    ///
    /// # Errors
    /// If it is missing or invalid.
    pub fn parsed<T>(&mut self, what: &str) -> Result<T, Failure>
    where
        T: FromStr<Err: Display>,
    {
        let word = self.word(what)?;
        word.parse()
            .map_err(|error: T::Err| Failure::Syntax(error.to_string()))
    }

    /// Parses a player.
    ///
    /// # Errors
    /// If it is missing or invalid.
    pub fn color(&mut self) -> Result<Color, Failure> {
        self.parsed("color")
    }

    /// Parses an unsigned integer.
    ///
    /// # Errors
    /// If it is missing, invalid, or greater than its type can hold.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, Failure> {
        let word = self.word(what)?;
        word.parse()
            .map_err(|_| invalid(what, word, "a whole number from 0 up"))
    }

    /// Parses an integer; one that does not fit becomes the nearest that does.
    ///
    /// # Errors
    /// If it is missing or invalid.
    pub fn integer(&mut self, what: &str) -> Result<i64, Failure> {
        let word = self.word(what)?;
        word.parse()
            .or_else(|error: ParseIntError| match error.kind() {
                IntErrorKind::PosOverflow => Ok(i64::MAX),
                IntErrorKind::NegOverflow => Ok(i64::MIN),
                _ => Err(invalid(what, word, "a whole number")),
            })
    }

    /// Parses a finite number.
    ///
    /// # Errors
    /// If it is missing or invalid.
    pub fn float(&mut self, what: &str) -> Result<f64, Failure> {
        let word = self.word(what)?;
        let number = word.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| invalid(what, word, "a number"))
    }

    /// Parses a time in seconds. The draft has whole seconds only; fractions are
    /// accepted, too.
    ///
    /// # Errors
    /// If it is missing, invalid, negative, or too long for a [`Duration`].
    pub fn seconds(&mut self, what: &str) -> Result<Duration, Failure> {
        let word = self.word(what)?;
        let seconds = word.parse().ok();
        seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .ok_or_else(|| invalid(what, word, "seconds from 0 up"))
    }

    /// Parses the seconds that a player has left; a negative number counts as 0.
    ///
    /// # Errors
    /// If it is missing or invalid.
    pub fn seconds_left(&mut self, what: &str) -> Result<Duration, Failure> {
        let seconds = self.float(what)?.max(0.0);
        Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }
}

fn missing(what: &str) -> Failure {
    Failure::Syntax(format!("{what} is missing"))
}

/// Returns the failure of a command whose argument is not valid.
pub fn invalid(what: &str, word: &str, valid: &str) -> Failure {
    Failure::Syntax(format!("invalid {what} {word:?}: use {valid}"))
}
