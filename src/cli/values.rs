//! Values of options, and what is said of a word that is none.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// The longest time in seconds, some 31 years.
const MAX_SECONDS: u32 = 1_000_000_000;

/// The most threads.
pub(super) const MAX_THREADS: usize = 256;

/// The largest table in MiB: a TiB.
const MAX_MEBIBYTES: usize = 1 << 20;

/// Parses a whole number in a range.
pub(super) fn number<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: Clone + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok();
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (first, last) = (range.start(), range.end());
                format!("give a whole number from {first} to {last}")
            })
    }
}

/// Parses a whole number without an upper limit, but for what a `u64` holds.
pub(super) fn at_least(
    least: u64,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let is_large = text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|&number| number >= least);
        number.ok_or_else(|| match is_large {
            true => format!("give a whole number from {least} to {}", u64::MAX),
            false => format!("give a whole number, {least} or more"),
        })
    }
}

/// Parses a number of seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    seconds
        .filter(|seconds| (0.0..=f64::from(MAX_SECONDS)).contains(seconds))
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| {
            format!("give a number of seconds from 0 to {MAX_SECONDS}, such as 5 or 0.5")
        })
}

/// A program and its arguments.
#[derive(Clone, Debug)]
pub(super) struct CommandLine {
    pub program: String,
    pub arguments: Vec<String>,
}

impl FromStr for CommandLine {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<CommandLine, &'static str> {
        let words = shlex::split(text).ok_or("a quote is not closed")?;
        let mut words = words.into_iter();
        let program = words
            .next()
            .ok_or("give the command line of a program, such as \"gnugo --mode gtp\"")?;
        Ok(CommandLine {
            program,
            arguments: words.collect(),
        })
    }
}

/// Parses a whole number of seconds on a clock.
pub(super) fn clock_seconds(text: &str) -> Result<u64, String> {
    number(1..=u64::from(MAX_SECONDS))(text).map_err(|_| {
        format!("give a whole number of seconds from 1 to {MAX_SECONDS}, such as 300 for 5 minutes")
    })
}

/// Parses a number of threads.
pub(super) fn thread_count(text: &str) -> Result<NonZeroUsize, String> {
    up_to(text, MAX_THREADS)
}

/// Parses the size of a table in MiB.
pub(super) fn mebibytes(text: &str) -> Result<NonZeroUsize, String> {
    up_to(text, MAX_MEBIBYTES)
}

fn up_to(text: &str, most: usize) -> Result<NonZeroUsize, String> {
    let number = number(1..=most)(text)?;
    Ok(NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN))
}
