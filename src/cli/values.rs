//! Parsers of option values, whose errors say what would be right.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::base::duration::{self, MAX_SECONDS};
use crate::clients::agent::{AgentError, AgentGame, Engine};
use crate::contests::netref::MAX_NAME;
use crate::gtp::process::Launch;

/// The similarity of two words, from 0 to 1, if one may be meant for the other.
const MIN_SIMILARITY: f64 = 0.6;

/// Returns the known word that may be meant by another one.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase().replace('_', "-");
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(&word, known);
    let best = known.iter().map(|&known| (likeness(known), known));
    let best = best.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 >= MIN_SIMILARITY).then_some(best.1)
}

/// Describes the valid values of an option.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ValueError {
    /// A whole number in a range.
    #[error("give a whole number from {first} to {last}")]
    Number {
        /// The minimum.
        first: String,
        /// The maximum.
        last: String,
    },
    /// A whole number without an upper limit.
    #[error("give a whole number, {0} or more")]
    NumberAtLeast(u64),
    /// A duration.
    #[error(
        "give a number of seconds from 0 to {MAX_SECONDS}, such as 300 or 0.5, or the same time as \
         5:00 or 5m"
    )]
    Duration,
    /// A time limit that is not 0.
    #[error("give at least 0.001 s: with 0 every player would have lost at once")]
    ZeroLimit,
    /// The compensation of White in Go.
    #[error("give a number of points, such as 7.5")]
    Komi,
    /// A whole number of seconds on a clock.
    #[error(
        "give a whole number of seconds from 1 to {MAX_SECONDS}, such as 300, or the same time as \
         5:00 or 5m"
    )]
    ClockSeconds,
    /// The number of a server.
    #[error("give a server number: 0 to 29, or with --game awari 0 to 10")]
    ServerNumber,
    /// When a contest stops.
    #[error("give a number of games, 1 or more, or the word tournament")]
    StopAfter,
    /// A name for a player of a contest.
    #[error("give a name that is not empty")]
    Name,
    /// A name for a player of a match.
    #[error(
        "give 1 to {MAX_NAME} printable ASCII characters, or --no-name to tell the others no name"
    )]
    MatchName,
    /// A command line whose quotes match.
    #[error("a quote is not closed")]
    OpenQuote,
    /// The player of the house.
    #[error(
        "give a level from 1 to 9, perfect, builtin, or the command line of a GTP engine, such as \
         \"./engine --gtp\""
    )]
    House,
    /// The tables of the house.
    #[error("give the tables as one server number or two, as in 4:perfect or 4-7:perfect")]
    HouseTables,
    /// A command line that names a program.
    #[error("give the command line of a program, such as \"gnugo --mode gtp\"")]
    Program,
}

/// Returns the names of the options that are given.
pub fn given<const N: usize>(
    options: [(&'static str, bool); N],
) -> impl Iterator<Item = &'static str> {
    let given = options.into_iter().filter(|&(_, is_given)| is_given);
    given.map(|(option, _)| option)
}

/// Parses a whole number in a range.
pub fn number<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, ValueError> + Clone + Send + Sync + 'static
where
    T: Clone + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok();
        let number = number.filter(|number| range.contains(number));
        number.ok_or_else(|| ValueError::Number {
            first: range.start().to_string(),
            last: range.end().to_string(),
        })
    }
}

/// Parses a whole number without an upper limit other than that of a `u64`.
pub fn at_least(
    least: u64,
) -> impl Fn(&str) -> Result<u64, ValueError> + Clone + Send + Sync + 'static {
    move |text| {
        let is_large = text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|&number| number >= least);
        number.ok_or_else(|| match is_large {
            true => ValueError::Number {
                first: least.to_string(),
                last: u64::MAX.to_string(),
            },
            false => ValueError::NumberAtLeast(least),
        })
    }
}

/// Parses a duration.
pub fn duration(text: &str) -> Result<Duration, ValueError> {
    duration::parse(text).ok_or(ValueError::Duration)
}

/// Parses a duration that is not 0.
pub fn time_limit(text: &str) -> Result<Duration, ValueError> {
    match duration(text) {
        Ok(time) if time.as_millis() == 0 => Err(ValueError::ZeroLimit),
        parsed => parsed,
    }
}

/// A program and its arguments.
#[derive(Clone, Debug)]
pub struct CommandLine {
    program: String,
    arguments: Vec<String>,
}

impl CommandLine {
    /// Starts the program, a GTP engine.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start<G: AgentGame>(&self) -> Result<Engine<G>, AgentError> {
        Engine::start(&self.program, &self.arguments)
    }

    /// Returns how the program is started.
    pub fn launch(&self) -> Launch {
        Launch::new(&self.program, self.arguments.clone())
    }

    /// Returns the program and its arguments.
    pub fn words(&self) -> Vec<String> {
        let program = std::iter::once(&self.program);
        program.chain(&self.arguments).cloned().collect()
    }

    /// Returns the name of the program without its folder and extension.
    pub fn program_name(&self) -> String {
        let name = Path::new(&self.program).file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl FromStr for CommandLine {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<CommandLine, ValueError> {
        let words = shlex::split(text).ok_or(ValueError::OpenQuote)?;
        let mut words = words.into_iter();
        let program = words.next().ok_or(ValueError::Program)?;
        Ok(CommandLine {
            program,
            arguments: words.collect(),
        })
    }
}
