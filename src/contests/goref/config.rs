//! Reading the files of the organizer, as JSON or TOML.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::setup::{GameSetup, Time};
use super::wire::Millis;

/// The largest file that is read, in bytes. A checkpoint of 20,000 moves has two million.
const MAX_SIZE: u64 = 16 * 1024 * 1024;

/// An error in a file of the organizer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {what}", file.display())]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// The key, what is wrong there, and what would be right.
    pub what: String,
}

/// Where the server listens, and how often it pings: a `server.config.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerConfig {
    /// The host.
    pub host: Option<String>,
    /// The port.
    pub port: Option<u16>,
    /// The time between two pings of a client.
    pub ping_interval: Option<Millis>,
}

impl ServerConfig {
    /// Reads a `server.config.json`, or the same as TOML in a file whose name ends in
    /// `.toml`.
    ///
    /// # Errors
    /// The file cannot be read, or a value is wrong.
    pub fn read(file: &Path) -> Result<ServerConfig, ConfigError> {
        let fields: ServerFile = read(file)?;
        let config = ServerConfig {
            host: fields.host,
            port: fields.port,
            ping_interval: fields.ping_interval.map(|time| time.0),
        };
        if config.ping_interval == Some(0) {
            return Err(ConfigError {
                file: file.to_owned(),
                what: "pingInterval: the time is 0; use a longer one like \"00:10\"".into(),
            });
        }
        Ok(config)
    }
}

/// Reads a `game.config.json`, a checkpoint, or the same as TOML in a file whose name ends
/// in `.toml`. Missing values are those of the existing server.
///
/// # Errors
/// The file cannot be read, a value is wrong, or a move of the log is illegal.
pub fn read_setup(file: &Path) -> Result<GameSetup, ConfigError> {
    read(file)
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<T, ConfigError> {
    let wrong = |what: String| ConfigError {
        file: file.to_owned(),
        what,
    };
    let size = fs::metadata(file)
        .map_err(|error| wrong(error.to_string()))?
        .len();
    if size > MAX_SIZE {
        return Err(wrong(format!(
            "the file has {size} bytes; the limit is {MAX_SIZE}"
        )));
    }
    let text = fs::read_to_string(file).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => wrong("the file is not UTF-8: save it as UTF-8".into()),
        _ => wrong(error.to_string()),
    })?;
    // Some editors put a byte order mark first.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let is_toml = file
        .extension()
        .is_some_and(|extension| extension == "toml");
    if is_toml {
        let document = toml::Deserializer::parse(text).map_err(|error| wrong(one_line(&error)))?;
        serde_path_to_error::deserialize(document).map_err(|error| wrong(at_key(&error)))
    } else {
        // Serde would take a list for the fields in their order.
        if text.trim_start().starts_with('[') {
            return Err(wrong("the file holds a list: use an object { … }".into()));
        }
        let mut document = serde_json::Deserializer::from_str(text);
        let fields = serde_path_to_error::deserialize(&mut document).map_err(|error| {
            wrong(match error.inner().is_data() {
                false if is_toml_text(text) => IS_TOML.into(),
                _ => at_key(&error),
            })
        })?;
        document.end().map_err(|error| wrong(error.to_string()))?;
        Ok(fields)
    }
}

const IS_TOML: &str =
    "the file holds TOML, and its name says JSON: give it a name that ends in .toml";

/// Returns whether a text is TOML with at least one key.
fn is_toml_text(text: &str) -> bool {
    toml::from_str::<toml::Table>(text).is_ok_and(|table| !table.is_empty())
}

/// Returns the text of an error after the key that it is about.
fn at_key<E: fmt::Display>(error: &serde_path_to_error::Error<E>) -> String {
    let path = error.path().to_string();
    // An error of syntax is at no key, which the path writes as `?` or `.`.
    let key = path.trim_end_matches(['?', '.']);
    let what = one_line(error.inner());
    if key.is_empty() {
        what
    } else {
        format!("{key}: {what}")
    }
}

/// Returns the sentences of a message, without the picture of the place.
fn one_line(error: &impl fmt::Display) -> String {
    let text = error.to_string();
    let lines = text.lines().filter(|line| !line.contains('|'));
    let lines: Vec<&str> = lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines.join(": ")
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ServerFile {
    host: Option<String>,
    port: Option<u16>,
    ping_interval: Option<Time>,
}
