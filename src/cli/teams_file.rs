//! The file of the teams: TOML with a table for each team.

use std::path::Path;

use anyhow::Result;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::toml_file::{Mistake, in_order, read_each, read_toml, unknown_key};

/// A team in the file: where it is written, for messages, and its keys.
#[derive(Clone, Copy)]
pub struct TeamTable<'a, 'i> {
    place: &'a Spanned<DeValue<'i>>,
    table: &'a DeTable<'i>,
}

impl<'a, 'i> TeamTable<'a, 'i> {
    /// Returns the value of a key.
    pub fn get(self, key: &str) -> Option<&'a Spanned<DeValue<'i>>> {
        self.table.get(key)
    }

    /// Returns the value of a key that every team has.
    ///
    /// # Errors
    /// It is missing; `why` says so, and what would be right.
    pub fn require(self, key: &str, why: &str) -> Result<&'a Spanned<DeValue<'i>>, Mistake> {
        self.get(key).ok_or_else(|| Mistake::new(self.place, why))
    }

    /// Returns the name.
    ///
    /// # Errors
    /// It is missing.
    pub fn name(self) -> Result<&'a Spanned<DeValue<'i>>, Mistake> {
        let why = "this team has no name: give one, such as name = \"Red\"";
        self.require("name", why)
    }
}

/// Reads a file of teams, which may have these keys, and adds each; `example` is a key of a team
/// besides its name.
///
/// # Errors
/// The file cannot be read. Wrong usage if something in it is wrong.
pub fn read_teams(
    path: &Path,
    keys: &[&str],
    example: &str,
    add: impl FnMut(TeamTable<'_, '_>) -> Result<(), Mistake>,
) -> Result<()> {
    read_toml(path, "--teams", |file| each_team(file, keys, example, add))
}

/// Adds each team of a file.
///
/// # Errors
/// Something in it is wrong.
pub fn each_team(
    file: &DeTable<'_>,
    keys: &[&str],
    example: &str,
    mut add: impl FnMut(TeamTable<'_, '_>) -> Result<(), Mistake>,
) -> Result<(), Mistake> {
    let mut is_empty = true;
    for (key, value) in in_order(file) {
        let name = key.get_ref().as_ref();
        if name != "team" {
            let what = format!("{name:?} is no key here: write [[team]] for each team");
            return Err(Mistake::new(key, what));
        }
        let added = read_each(name, key, value, |place, table| {
            for (key, _) in in_order(table) {
                if !keys.contains(&key.get_ref().as_ref()) {
                    return Err(unknown_key(key, name, keys));
                }
            }
            add(TeamTable { place, table })
        })?;
        is_empty &= added.is_empty();
    }
    if is_empty {
        return Err(Mistake {
            at: 0,
            what: format!(
                "there is no team: write [[team]], and name = \"Red\" and {example} below, for \
                 each team"
            ),
        });
    }
    Ok(())
}
