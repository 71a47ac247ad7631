//! Files in TOML that a person writes: a mistake is reported with its line, and what would be
//! right.

use std::path::Path;

use anyhow::{Result, anyhow};
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::files::read_file;
use super::values::nearest;
use super::wrong_usage;

/// The maximum size of a file.
const MAX_SIZE: u64 = 1 << 20;

/// A mistake in a file.
#[derive(Debug, Error)]
#[error("{what}")]
pub struct Mistake {
    /// Its offset in bytes.
    pub at: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl Mistake {
    pub fn new<T>(place: &Spanned<T>, what: impl Into<String>) -> Mistake {
        Mistake {
            at: place.span().start,
            what: what.into(),
        }
    }
}

/// Reads a file that is the value of `option`.
///
/// # Errors
/// It cannot be read. Wrong usage if something in it is wrong: it is part of the command line.
pub fn read_toml<T>(
    path: &Path,
    option: &str,
    parse: impl FnOnce(&DeTable<'_>) -> Result<T, Mistake>,
) -> Result<T> {
    let file = path.display();
    let bytes = read_file(path, MAX_SIZE).map_err(|error| anyhow!("{option} {file}: {error}"))?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| wrong_usage(format!("{file}: it is not UTF-8")))?;
    let table = DeTable::parse(&text).map_err(|error| Mistake {
        at: error.span().map_or(0, |span| span.start),
        what: format!("this is not TOML: {}", error.message()),
    });
    let parsed = table.and_then(|table| parse(table.get_ref()));
    parsed.map_err(|Mistake { at, what }| {
        let before = text.bytes().take(at);
        let line = before
            .filter(|&byte| byte == b'\n')
            .count()
            .saturating_add(1);
        wrong_usage(format!("{file}, line {line}: {what}"))
    })
}

/// Returns the keys and values of a table in the order of the file.
pub fn in_order<'a, 'i>(
    table: &'a DeTable<'i>,
) -> Vec<(&'a Spanned<DeString<'i>>, &'a Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Reads each table of an array such as `[[team]]`, whose name is `name`, from its place and its
/// keys.
///
/// # Errors
/// The value is no such array, or something in a table is wrong.
pub fn read_each<'a, 'i, T>(
    name: &str,
    key: &Spanned<DeString<'_>>,
    value: &'a Spanned<DeValue<'i>>,
    mut read: impl FnMut(&'a Spanned<DeValue<'i>>, &'a DeTable<'i>) -> Result<T, Mistake>,
) -> Result<Vec<T>, Mistake> {
    let wrong = || {
        let what = format!(
            "a {name} is a table of its own: write [[{name}]], with two brackets, and its keys \
             below, for each {name}"
        );
        Mistake::new(key, what)
    };
    let places = value.get_ref().as_array().ok_or_else(wrong)?.iter();
    let tables = places.map(|place| {
        let table = place.get_ref().as_table();
        read(place, table.ok_or_else(wrong)?)
    });
    tables.collect()
}

/// Returns the mistake of a key that a table with this name does not have.
pub fn unknown_key(key: &Spanned<DeString<'_>>, name: &str, keys: &[&str]) -> Mistake {
    let found = key.get_ref();
    let meant = match nearest(found, keys) {
        Some(key) => format!("did you mean {key}?"),
        None => format!("use {}", keys.join(", ")),
    };
    Mistake::new(key, format!("{found:?} is not a key of a {name}: {meant}"))
}

/// Says where a text is that cannot be parsed.
pub fn parsed<T, V, E: std::fmt::Display>(
    key: &str,
    place: &Spanned<V>,
    result: Result<T, E>,
) -> Result<T, Mistake> {
    result.map_err(|error| Mistake::new(place, format!("{key}: {error}")))
}

pub fn as_bool(key: &str, value: &Spanned<DeValue<'_>>) -> Result<bool, Mistake> {
    let wrong = || Mistake::new(value, format!("{key}: give true or false"));
    value.get_ref().as_bool().ok_or_else(wrong)
}

pub fn as_text<'a>(key: &str, value: &'a Spanned<DeValue<'_>>) -> Result<&'a str, Mistake> {
    let wrong = || Mistake::new(value, format!("{key}: give a text in quotes"));
    value.get_ref().as_str().ok_or_else(wrong)
}
