//! Files that describe an event: TOML, whose keys are options of the command line, with a table
//! for each player.

use std::path::Path;

use anyhow::Result;
use clap::{Args, Command, FromArgMatches};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::options::EventOptions;
use crate::cli::toml_file::{
    Mistake, as_text, in_order, parsed, read_each, read_toml, unknown_key,
};
use crate::cli::values::nearest;
use crate::matches::{PlayerKind, PlayerSettings, Restart};

/// The keys of a player.
const PLAYER_KEYS: [&str; 8] = [
    "name",
    "command",
    "folder",
    "environment",
    "init",
    "time",
    "restart",
    "ids",
];

/// Reads a file that describes an event: its options, and its players.
///
/// # Errors
/// It cannot be read. Wrong usage if something in it is wrong: it is part of the command line.
pub fn read_event(path: &Path) -> Result<(EventOptions, Vec<PlayerSettings>)> {
    read_toml(path, "--event", parse)
}

fn parse(file: &DeTable<'_>) -> Result<(EventOptions, Vec<PlayerSettings>), Mistake> {
    let options = option_names();
    let mut event = EventOptions::default();
    let mut players = Vec::new();
    for (key, value) in in_order(file) {
        let name = key.get_ref().as_ref();
        if name == "player" {
            players = read_each(name, key, value, |place, table| {
                read_player(place, table, &options)
            })?;
        } else if options.iter().any(|option| option == name) {
            event = event.or(read_option(name, value)?);
        } else {
            let known = options.iter().map(String::as_str);
            let known: Vec<&str> = known.chain(["player"]).collect();
            let meant = match nearest(name, &known) {
                Some("player") => "write [[player]] for each player".to_owned(),
                Some(key) => format!("did you mean {key}?"),
                None => format!("use {}, or [[player]]", options.join(", ")),
            };
            let what = format!("{name:?} is not an option of an event: {meant}");
            return Err(Mistake::new(key, what));
        }
    }
    Ok((event, players))
}

/// Returns the options of an event as a command line.
fn command() -> Command {
    EventOptions::augment_args(Command::new("gothello").disable_help_flag(true))
}

/// Returns the names of the options of an event.
fn option_names() -> Vec<String> {
    let command = command();
    let names = command.get_arguments().filter_map(clap::Arg::get_long);
    names.map(str::to_owned).collect()
}

/// Parses a key as an option of the command line, so that it means the same.
fn read_option(key: &str, value: &Spanned<DeValue<'_>>) -> Result<EventOptions, Mistake> {
    let command = command();
    let is_flag = command
        .get_arguments()
        .any(|argument| argument.get_long() == Some(key) && !argument.get_action().takes_values());
    let word = match is_flag {
        true => as_flag(key, value)?.then(|| format!("--{key}")),
        false => Some(format!("--{key}={}", as_text_or_number(key, value)?)),
    };
    let words = std::iter::once("gothello".to_owned()).chain(word);
    let parsed = command.try_get_matches_from(words);
    let parsed = parsed.and_then(|matches| EventOptions::from_arg_matches(&matches));
    parsed.map_err(|error| Mistake::new(value, explain(key, value, &error)))
}

/// Says why the command line refuses a value, without what a file does not have: options.
fn explain(key: &str, value: &Spanned<DeValue<'_>>, error: &clap::Error) -> String {
    use clap::error::{ContextKind, ContextValue};
    let shown = match value.get_ref() {
        DeValue::String(text) => format!("{text:?}"),
        value => as_scalar(value).unwrap_or_default(),
    };
    let why = match (
        std::error::Error::source(error),
        error.get(ContextKind::ValidValue),
    ) {
        (Some(why), _) => why.to_string(),
        (None, Some(ContextValue::Strings(names))) => format!("use {}", names.join(", ")),
        _ => "this is no such value".to_owned(),
    };
    format!("{key} = {shown}: {why}")
}

fn read_player(
    place: &Spanned<DeValue<'_>>,
    table: &DeTable<'_>,
    options: &[String],
) -> Result<PlayerSettings, Mistake> {
    for (key, _) in in_order(table) {
        let name = key.get_ref().as_ref();
        if !PLAYER_KEYS.contains(&name) {
            if !options.iter().any(|option| option == name) {
                return Err(unknown_key(key, "player", &PLAYER_KEYS));
            }
            let what = format!(
                "{name:?} is not a key of a player: it is one of the event: write it above the \
                 first [[player]]"
            );
            return Err(Mistake::new(key, what));
        }
    }
    let Some(command) = table.get("command") else {
        let what = "this player has no command: give one, such as command = \"gnugo --mode gtp\"";
        return Err(Mistake::new(place, what));
    };
    let text = as_text("command", command)?;
    let mut player = match table.get("name") {
        None => parsed("command", command, text.parse())?,
        Some(name) => {
            let kind = parsed("command", command, PlayerKind::parse(text))?;
            let name = parsed("name", name, as_text("name", name)?.parse())?;
            PlayerSettings::new(name, kind)
        }
    };
    for (key, value) in in_order(table) {
        set_key(&mut player, key, value)?;
    }
    Ok(player)
}

/// Sets what a key of a player says besides its name and its command.
fn set_key(
    player: &mut PlayerSettings,
    key: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), Mistake> {
    let name = key.get_ref().as_ref();
    let refused = match (&player.kind, name) {
        (PlayerKind::BuiltIn(_), "folder" | "environment" | "init" | "restart" | "ids") => {
            Some("is for programs, not for the built-in player")
        }
        (PlayerKind::Client(_), "init") => Some("is for GTP engines"),
        _ => None,
    };
    if let Some(why) = refused {
        return Err(Mistake::new(key, format!("{name} {why}")));
    }
    match name {
        "folder" => player.folder = Some(as_text(name, value)?.into()),
        "environment" => player.environment = read_environment(value)?,
        "init" => player.init = read_init(value)?,
        "time" => {
            let time = as_text_or_number(name, value)?;
            player.time = Some(parsed(name, value, time.parse())?);
        }
        "restart" => {
            player.restart = match as_text(name, value)? {
                "on-failure" => Restart::OnFailure,
                "every-game" => Restart::EveryGame,
                other => {
                    let what = format!("restart = {other:?}: use on-failure or every-game");
                    return Err(Mistake::new(value, what));
                }
            }
        }
        "ids" => player.without_ids = !as_flag(name, value)?,
        _ => {}
    }
    Ok(())
}

/// Reads variables that are added to the environment.
fn read_environment(value: &Spanned<DeValue<'_>>) -> Result<Vec<(String, String)>, Mistake> {
    let table = value.get_ref().as_table().ok_or_else(|| {
        let what = "environment: give names and texts, such as { OMP_NUM_THREADS = \"1\" }";
        Mistake::new(value, what)
    })?;
    let variables = table.iter().map(|(name, value)| {
        let text = as_text(name.get_ref(), value)?;
        Ok((name.get_ref().to_string(), text.to_owned()))
    });
    variables.collect()
}

/// Reads the GTP commands for an engine that has started.
fn read_init(value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, Mistake> {
    let commands = value.get_ref().as_array().ok_or_else(|| {
        let what = "init: give a list of GTP commands, such as [\"komi 7.5\"]";
        Mistake::new(value, what)
    })?;
    let commands = commands.iter().map(|value| {
        let command = as_text("init", value)?;
        match is_command(command) {
            true => Ok(command.to_owned()),
            false => {
                let what = format!("init: {command:?} is not a GTP command, such as \"komi 7.5\"");
                Err(Mistake::new(value, what))
            }
        }
    });
    commands.collect()
}

/// Returns whether a text is one command of GTP: engines do not answer empty lines and comments.
fn is_command(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('#') && !text.contains(char::is_control)
}

fn as_flag(key: &str, value: &Spanned<DeValue<'_>>) -> Result<bool, Mistake> {
    let wrong = || Mistake::new(value, format!("{key}: give true or false, without quotes"));
    value.get_ref().as_bool().ok_or_else(wrong)
}

fn as_text_or_number(key: &str, value: &Spanned<DeValue<'_>>) -> Result<String, Mistake> {
    let wrong = || Mistake::new(value, format!("{key}: give a number, or a text in quotes"));
    as_scalar(value.get_ref()).ok_or_else(wrong)
}

/// Returns a text or a number as it is given on the command line.
fn as_scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => {
            Some(match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => number.to_string(),
                Err(_) => number.as_str().to_owned(),
            })
        }
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}
