//! Parsers of option values, whose errors say what would be right.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::base::duration::{self, MAX_SECONDS};
use crate::clients::agent::{AgentError, AgentGame, Engine, Notes};
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

/// Why a text is not a command line.
pub const OPEN_QUOTE: &str = "a quote is not closed";

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
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: Clone + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok();
        let number = number.filter(|number| range.contains(number));
        number.ok_or_else(|| not_in_range(range.start(), range.end()))
    }
}

fn not_in_range(first: impl Display, last: impl Display) -> String {
    format!("give a whole number from {first} to {last}")
}

/// Parses a whole number without an upper limit other than that of a `u64`.
pub fn at_least(
    least: u64,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let is_large = text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|&number| number >= least);
        number.ok_or_else(|| match is_large {
            true => not_in_range(least, u64::MAX),
            false => format!("give a whole number, {least} or more"),
        })
    }
}

/// Returns the seed that is given, or a random one: people read it, and type it again.
pub fn seed_or_random(given: Option<u64>) -> u64 {
    given.unwrap_or_else(|| rand::random_range(0..1_000_000))
}

/// Parses a duration.
pub fn duration(text: &str) -> Result<Duration, String> {
    duration::parse(text).ok_or_else(|| {
        format!(
            "give a number of seconds from 0 to {MAX_SECONDS}, such as 300 or 0.5, or the same time \
             as 5:00 or 5m"
        )
    })
}

/// Parses a duration that is not 0.
pub fn time_limit(text: &str) -> Result<Duration, String> {
    match duration(text) {
        Ok(time) if time.as_millis() == 0 => {
            Err("give at least 0.001 s: with 0 every player would have lost at once".into())
        }
        parsed => parsed,
    }
}

/// A program and its arguments.
#[derive(Clone, Debug)]
pub struct CommandLine(Vec<String>);

impl CommandLine {
    /// Starts the program, a GTP engine.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start<G: AgentGame>(&self) -> Result<Engine<G>, AgentError> {
        Engine::launch(self.launch(), Notes::default(), &AtomicBool::new(false))
    }

    /// Returns how the program is started.
    pub fn launch(&self) -> Launch {
        Launch::of_words(self.words())
    }

    /// Returns the program and its arguments.
    pub fn words(&self) -> Vec<String> {
        self.0.clone()
    }

    /// Returns the name of the program without its folder and extension.
    pub fn program_name(&self) -> String {
        let program = self.0.first().map(Path::new);
        let name = program.and_then(Path::file_stem).unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl FromStr for CommandLine {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<CommandLine, &'static str> {
        let words = shlex::split(text).ok_or(OPEN_QUOTE)?;
        match words.is_empty() {
            true => Err("give the command line of a program, such as \"gnugo --mode gtp\""),
            false => Ok(CommandLine(words)),
        }
    }
}
