//! The teams of a Go contest that have secrets: whoever sends the name of one of them also sends
//! its secret.

use std::collections::BTreeMap;

use thiserror::Error;

use super::names::Name;
use crate::contests::secret::Secret;

/// The teams that have secrets. Their names count in any case, so that nobody has one that looks
/// like theirs.
#[derive(Clone, Debug, Default)]
pub struct Teams(BTreeMap<String, Team>);

#[derive(Clone, Debug)]
struct Team {
    name: Name,
    secret: Secret,
}

/// Why teams do not fit together, or a text is not the name or the secret of one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TeamError {
    /// The name would be shown as another one.
    #[error("the name {0:?} would be shown as {1}: use 1 to 64 characters on one line")]
    Name(String, Name),
    /// Another team has the name.
    #[error("there are two teams {0}: names must differ in more than case")]
    SameName(Name),
    /// The secret is empty.
    #[error("a secret has at least one character")]
    NoSecret,
}

/// Why a client may not have the name that it sent, as the log says it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotOfTheTeam {
    /// The team has a secret, and it sent none.
    #[error("as team {} without its secret", .0.isolated())]
    NoSecret(Name),
    /// It sent another secret than that of the team.
    #[error("as team {} with a wrong secret", .0.isolated())]
    WrongSecret(Name),
    /// It sent a secret with a name that needs none, which may be misspelled. The name may be a secret
    /// itself: it is not logged.
    #[error("with a secret, although no team with one has this name")]
    UnknownTeam,
}

impl Teams {
    /// Adds a team.
    ///
    /// # Errors
    /// Another team has the name, or it or the secret is not valid.
    pub fn add(&mut self, text: &str, secret: &str) -> Result<(), TeamError> {
        let name = Name::from(text);
        if name.as_ref() != text {
            return Err(TeamError::Name(text.to_owned(), name));
        }
        if secret.is_empty() {
            return Err(TeamError::NoSecret);
        }
        let key = name.as_ref().to_lowercase();
        if let Some(known) = self.0.get(&key) {
            return Err(TeamError::SameName(known.name.clone()));
        }
        let secret = Secret::new(secret);
        self.0.insert(key, Team { name, secret });
        Ok(())
    }

    /// Returns the names of the teams.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.values().map(|team| &team.name)
    }

    /// Returns whether there are no teams.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a text without the secrets.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        let mut teams = self.0.values();
        match teams.any(|team| text.contains(team.secret.as_str())) {
            true => "(not shown, because it has a secret)".to_owned(),
            false => text.to_owned(),
        }
    }

    /// Returns the name of a client, and whether it has proved to be of the team. Without any
    /// teams a secret is ignored, like every unknown field.
    ///
    /// # Errors
    /// The name is that of a team, and the secret is missing or wrong; or it is not, and there is
    /// a secret.
    pub(super) fn identify(
        &self,
        given: Name,
        secret: Option<&str>,
    ) -> Result<(Name, bool), NotOfTheTeam> {
        let key = given.as_ref().to_lowercase();
        // Clients of `netref` give their secrets so.
        let first = key.split(':').next().unwrap_or_default().trim_end();
        let in_name = self.0.get(first).filter(|_| first.len() < key.len());
        if let Some(team) = in_name {
            return Err(NotOfTheTeam::NoSecret(team.name.clone()));
        }
        match (self.0.get(&key), secret) {
            (Some(team), Some(secret)) if team.secret.is(secret) => Ok((team.name.clone(), true)),
            (Some(team), Some(_)) => Err(NotOfTheTeam::WrongSecret(team.name.clone())),
            (Some(team), None) => Err(NotOfTheTeam::NoSecret(team.name.clone())),
            (None, Some(_)) if !self.is_empty() => Err(NotOfTheTeam::UnknownTeam),
            (None, _) => Ok((given, false)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teams() -> Teams {
        let mut teams = Teams::default();
        teams.add("Équipe 1", "tulip").unwrap();
        teams
    }

    #[test]
    fn the_name_of_a_team_needs_its_secret() {
        let identify = |name: &str, secret| {
            let identified = teams().identify(Name::from(name), secret);
            identified.map(|(name, is_proved)| (name.to_string(), is_proved))
        };
        let team = Ok(("Équipe 1".to_owned(), true));
        assert_eq!(identify("Équipe 1", Some("tulip")), team);
        assert_eq!(identify(" équipe 1\n", Some("tulip")), team);
        let is_called = || Name::from("Équipe 1");
        for wrong in ["", "Tulip", "tulip "] {
            let why = NotOfTheTeam::WrongSecret(is_called());
            assert_eq!(identify("équipe 1", Some(wrong)), Err(why));
        }
        let missing = Err(NotOfTheTeam::NoSecret(is_called()));
        assert_eq!(identify("équipe 1", None), missing);
        assert_eq!(identify("Ann", None), Ok(("Ann".to_owned(), false)));
        // Nobody reads a secret that is given as a part of the name.
        assert_eq!(identify("Équipe 1:tulip", None), missing);
        let misspelled = identify("Equipe 1", Some("tulip"));
        assert_eq!(misspelled, Err(NotOfTheTeam::UnknownTeam));
        let without_teams = Teams::default().identify(Name::from("Ann"), Some("tulip"));
        assert_eq!(without_teams, Ok((Name::from("Ann"), false)));
    }

    #[test]
    fn teams_have_names_that_differ_and_secrets() {
        let mut add = {
            let mut teams = teams();
            move |name: &str, secret: &str| {
                let added = teams.add(name, secret);
                added.map_err(|error| error.to_string())
            }
        };
        assert_eq!(add("Red", "x"), Ok(()));
        let same = "there are two teams Équipe 1: names must differ in more than case";
        assert_eq!(add("ÉQUIPE 1", "x"), Err(same.to_owned()));
        let invisible = "the name \" \" would be shown as nameless: use 1 to 64 characters on one \
                         line";
        assert_eq!(add(" ", "x"), Err(invisible.to_owned()));
        let empty = "a secret has at least one character";
        assert_eq!(add("Blue", ""), Err(empty.to_owned()));
        assert!(!format!("{:?}", teams()).contains("tulip"));
    }
}
