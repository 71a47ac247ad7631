//! The differences between two events, in terms of their options.

use derive_more::Display;
use itertools::Itertools;
use serde_json::Value;

use super::settings::{EventSettings, PlayerKind, PlayerSettings};
use super::setup::Opening;
use crate::base::counted::counted;

/// A setting in which two events differ, with both values as they are shown.
#[derive(Clone, Debug, PartialEq, Eq, Display)]
#[display("{setting}: {ours} in the file, {theirs} now")]
pub struct Difference {
    /// The setting: an option, as in `--time`, or that of a player, as in `player gnugo: command`.
    pub setting: String,
    /// The value of the event that is compared.
    pub ours: String,
    /// The value of the other one.
    pub theirs: String,
}

impl Difference {
    fn new(setting: String, [ours, theirs]: [String; 2]) -> Difference {
        Difference {
            setting,
            ours,
            theirs,
        }
    }
}

/// Joins differences with a separator.
pub(crate) fn joined(differences: &[Difference], separator: &str) -> String {
    differences.iter().join(separator)
}

/// The maximum number of characters of a value in a message, but for commands.
const MAX_SHOWN: usize = 60;

/// Shown for a missing value.
const NONE: &str = "none";

impl EventSettings {
    /// Returns whether an event with these settings can be extended to those of `later`: with more
    /// games, more rounds, or further openings; `false` if the settings are the same.
    ///
    /// # Errors
    /// The other differences.
    pub fn grows_to(&self, later: &EventSettings) -> Result<bool, Vec<Difference>> {
        let is_longer = later.games >= self.games
            && later.rounds >= self.rounds
            && later.openings.starts_with(&self.openings);
        let differences = match is_longer {
            true => self.differences(&EventSettings {
                games: self.games,
                rounds: self.rounds,
                openings: self.openings.clone(),
                ..later.clone()
            }),
            false => self.differences(later),
        };
        match differences.is_empty() {
            true => Ok(self != later),
            false => Err(differences),
        }
    }

    /// Returns the settings in which `other` differs, each with both values. If the games differ,
    /// returns only that: other settings depend on the game.
    pub fn differences(&self, other: &EventSettings) -> Vec<Difference> {
        if self.game.title() != other.game.title() {
            let titles = [self, other].map(|event| event.game.title().to_lowercase());
            return vec![Difference::new("--game".to_owned(), titles)];
        }
        let mut found = differences_of_players(&self.players, &other.players);
        let values = [self, other].map(|settings| serde_json::to_value(settings).ok());
        if let [Some(Value::Object(ours)), Some(Value::Object(theirs))] = values {
            let others = |key: &&String| *key != "players";
            for key in ours.keys().chain(theirs.keys()).filter(others).unique() {
                let [ours, theirs] = [&ours, &theirs].map(|map| map.get(key));
                let [ours, theirs] = [ours, theirs].map(|value| value.unwrap_or(&Value::Null));
                add_differences(key, ours, theirs, &mut found);
            }
        }
        found
    }
}

/// Returns the differences between players of the same names, players that only one event has, and
/// whether the same players are given in another order: the first one is that of a gauntlet and of a
/// test.
fn differences_of_players(ours: &[PlayerSettings], theirs: &[PlayerSettings]) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut add = |setting: String, values: [String; 2]| {
        if values[0] != values[1] {
            found.push(Difference::new(setting, values));
        }
    };
    let in_both = |one: &[PlayerSettings], other: &[PlayerSettings]| {
        let has = |player: &&PlayerSettings| other.iter().any(|it| it.name == player.name);
        one.iter()
            .filter(has)
            .map(|player| player.name.to_string())
            .join(", ")
    };
    for player in ours {
        match theirs.iter().find(|other| other.name == player.name) {
            None => add(
                format!("player {}", player.name),
                [player.kind.to_string(), NONE.to_owned()],
            ),
            Some(other) => {
                for ((key, one), (_, other)) in options(player).into_iter().zip(options(other)) {
                    add(format!("player {}: {key}", player.name), [one, other]);
                }
            }
        }
    }
    for player in theirs {
        if !ours.iter().any(|other| other.name == player.name) {
            add(
                format!("player {}", player.name),
                [NONE.to_owned(), player.kind.to_string()],
            );
        }
    }
    let orders = [in_both(ours, theirs), in_both(theirs, ours)];
    add("order of the players".to_owned(), orders);
    found
}

/// Returns the options of a player by the keys of a file for an event.
fn options(player: &PlayerSettings) -> [(&'static str, String); 7] {
    let PlayerSettings {
        name: _,
        kind,
        folder,
        environment,
        init,
        time,
        restart,
        without_ids,
    } = player;
    let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
    let environment = environment.iter().map(|(name, value)| {
        let value = format!("{value:?}");
        format!("{name} = {value}")
    });
    let list = |text: String| or_none(Some(text).filter(|text| !text.is_empty()));
    [
        ("command", kind.to_string()),
        (
            "folder",
            or_none(folder.as_ref().map(|path| path.display().to_string())),
        ),
        ("environment", list(environment.collect_vec().join(", "))),
        (
            "init",
            list(init.iter().map(|line| format!("{line:?}")).join(", ")),
        ),
        (
            "time",
            time.map_or_else(|| "that of the event".to_owned(), |time| time.to_string()),
        ),
        (
            "restart",
            shown(&serde_json::to_value(restart).unwrap_or_default()),
        ),
        ("ids", (!without_ids).to_string()),
    ]
}

/// Adds the differences between two values of a setting of the event.
fn add_differences(key: &str, ours: &Value, theirs: &Value, found: &mut Vec<Difference>) {
    if ours == theirs {
        return;
    }
    // Each rule of a game or a variant is an option.
    if let ("game" | "variant", Value::Object(one), Value::Object(other)) = (key, ours, theirs) {
        for key in one.keys().chain(other.keys()).unique() {
            let [ours, theirs] = [one, other].map(|map| map.get(key).unwrap_or(&Value::Null));
            add_differences(key, ours, theirs, found);
        }
        return;
    }
    let seconds = |value: &Value| match value.as_f64() {
        Some(millis) => (millis / 1000.0).to_string(),
        None => shown(value),
    };
    let (option, values) = match key {
        "margin_ms" => ("time-margin".to_owned(), [ours, theirs].map(seconds)),
        "hang_ms" => ("hang-timeout".to_owned(), [ours, theirs].map(seconds)),
        "exact_empty" => {
            let shown = |value: &Value| if value.is_null() { NONE } else { "exact" };
            let values = [ours, theirs].map(|value| shown(value).to_owned());
            ("adjudicate".to_owned(), values)
        }
        "scorer" => ("scorer".to_owned(), [ours, theirs].map(shown_command)),
        "openings" => ("openings".to_owned(), shown_openings(ours, theirs)),
        "superko" => {
            let is_off = |value: &Value| (value != &Value::Bool(true)).to_string();
            ("no-superko".to_owned(), [ours, theirs].map(is_off))
        }
        key => (key.replace('_', "-"), [ours, theirs].map(shown)),
    };
    found.push(Difference::new(format!("--{option}"), values));
}

/// Returns lists of openings as they are shown: by their numbers, or else by the first opening in which
/// they differ.
fn shown_openings(ours: &Value, theirs: &Value) -> [String; 2] {
    let lists = [ours, theirs].map(|value| value.as_array().map(Vec::as_slice).unwrap_or_default());
    let [one, other] = lists;
    if one.len() != other.len() {
        return lists.map(|list| counted(list.len(), "opening"));
    }
    let differing = one.iter().zip(other).position(|(one, other)| one != other);
    let index = differing.unwrap_or_default();
    lists.map(|list| {
        let opening = list
            .get(index)
            .cloned()
            .map(serde_json::from_value::<Opening>);
        let opening = opening.and_then(Result::ok).unwrap_or_default();
        format!("number {} is {opening}", index.saturating_add(1))
    })
}

/// Returns the words of a command as they are shown.
fn shown_command(value: &Value) -> String {
    match serde_json::from_value(value.clone()) {
        Ok(words) => PlayerKind::Engine(words).to_string(),
        Err(_) => NONE.to_owned(),
    }
}

/// Returns a value as it is shown.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::Null => NONE.to_owned(),
        Value::String(text) => text.clone(),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| format!("{key}={value}"));
            pairs.collect_vec().join(",")
        }
        value => value.to_string(),
    };
    match text.char_indices().nth(MAX_SHOWN) {
        None => text,
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
    }
}
