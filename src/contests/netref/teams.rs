//! The teams of a course: their names, secrets and server numbers, and which client plays for
//! which team.
//!
//! The protocol has one place where a client can identify itself: the name in its first request
//! (paper, section 2). The client libraries send none. So a client is identified
//!
//! - by its name, at any port: `"Red"`, or if the team has a secret, `"Red:secret"`;
//! - else by the port: each team has server numbers of its own.

use std::borrow::Cow;

use thiserror::Error;

use super::client::{HOUSE, MAX_NAME, Name};
use crate::contests::secret::Secret;

/// The separator between the name of a team and its secret.
const SEPARATOR: char = ':';

/// The maximum number of teams.
pub const MAX_TEAMS: usize = 500;

/// A team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    name: Name,
    secret: Option<Secret>,
    servers: Vec<u16>,
    resumes: bool,
}

/// Why a text is not the name or the secret of a team, or teams do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TeamError {
    /// The protocol cannot carry the name.
    #[error(
        "the protocol cannot carry the name {0:?}: use 1 to {MAX_NAME} printable ASCII characters, \
         without spaces at either end"
    )]
    Name(String),
    /// The name has a colon.
    #[error("the name {0:?} has a colon, which stands before a team's secret: leave it out")]
    Colon(String),
    /// The name is that of a house: records could not tell its matches from the team's.
    #[error(
        "the name {0:?} is one of the house, the referee's own player: choose another one than \
         {HOUSE}, and none that begins with {HOUSE}-"
    )]
    House(String),
    /// The protocol cannot carry the secret.
    #[error(
        "a client cannot send this secret: use one or more printable ASCII characters other than \""
    )]
    Secret,
    /// The secret is too long.
    #[error(
        "a client sends name and secret together, as in \"Red:secret\", in at most {MAX_NAME} \
         characters: this secret can have at most {0}"
    )]
    LongSecret(usize),
    /// The name is too long for any secret.
    #[error(
        "a client sends name and secret together, as in \"Red:secret\", in at most {MAX_NAME} \
         characters: this name leaves no room for a secret"
    )]
    NoRoom,
    /// Another team has the name.
    #[error("there are two teams {0}: names must differ in more than case")]
    SameName(Name),
    /// Another team has the server number.
    #[error("number {server} is that of team {team} already: give each team its own")]
    SameServer {
        /// The number.
        server: u16,
        /// The other team.
        team: Name,
    },
    /// There are too many teams.
    #[error("there are more than {MAX_TEAMS} teams")]
    TooMany,
}

impl Team {
    /// Creates a team without a secret and server numbers.
    ///
    /// # Errors
    /// The protocol cannot carry the name, it has a colon, or it is one of the house.
    pub fn new(name: &str) -> Result<Team, TeamError> {
        if name.contains(SEPARATOR) {
            return Err(TeamError::Colon(name.to_owned()));
        }
        let first = name.split('-').next().unwrap_or(name);
        if first.trim_ascii().eq_ignore_ascii_case(HOUSE) {
            return Err(TeamError::House(name.to_owned()));
        }
        let is_trimmed = name.trim_ascii() == name;
        match Name::new(name).filter(|name| name.identifies() && is_trimmed) {
            Some(name) => Ok(Team {
                name,
                secret: None,
                servers: Vec::new(),
                resumes: false,
            }),
            None => Err(TeamError::Name(name.to_owned())),
        }
    }

    /// Sets the secret.
    ///
    /// # Errors
    /// The protocol cannot carry it after the name.
    pub fn set_secret(&mut self, secret: &str) -> Result<(), TeamError> {
        let most = MAX_NAME.saturating_sub(self.name.as_str().len() + 1);
        if most == 0 {
            return Err(TeamError::NoRoom);
        }
        if secret.len() > most {
            return Err(TeamError::LongSecret(most));
        }
        let is_sendable = Name::new(secret).is_some_and(|secret| secret.identifies());
        if !is_sendable || secret.contains('"') {
            return Err(TeamError::Secret);
        }
        self.secret = Some(Secret::new(secret));
        Ok(())
    }

    /// Sets whether all clients of the team can go on in matches that were interrupted, whatever
    /// version of the protocol they speak.
    pub fn set_resumes(&mut self, resumes: bool) {
        self.resumes = resumes;
    }

    /// Returns the name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Returns the server numbers.
    pub fn servers(&self) -> &[u16] {
        &self.servers
    }

    /// Returns whether a client that gives this name claims to be of the team: it is the team's
    /// name, in any case, alone or before a colon. Spaces around it do not count, so that no other
    /// name looks like that of a team.
    fn is_claimed_by(&self, name: &str) -> bool {
        let claimed = name.split(SEPARATOR).next().unwrap_or(name);
        let claimed = claimed.trim_ascii();
        claimed.eq_ignore_ascii_case(self.name.as_str())
    }

    /// Checks the secret that a client has given.
    fn admits(&self, name: &str) -> bool {
        let given = name.split_once(SEPARATOR).map(|(_, secret)| secret);
        match (&self.secret, given) {
            (None, given) => given.is_none(),
            (Some(_), None) => false,
            (Some(secret), Some(given)) => secret.is(given),
        }
    }
}

/// The teams of a course.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Teams(Vec<Team>);

/// The name and the team of a client that asks for a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identified {
    /// The name that it gave, without the secret of its team.
    pub name: Option<Name>,
    /// Its team.
    pub team: Option<Name>,
}

impl Identified {
    /// Returns the team of the client, and how the client was identified.
    pub fn membership(&self) -> Option<Membership> {
        let team = self.team.clone()?;
        // Other names do not belong to teams.
        let is_by_name = self.name.as_ref() == Some(&team);
        Some(Membership { team, is_by_name })
    }
}

/// The team of a client, and how the client was identified.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Membership {
    /// The team.
    pub team: Name,
    /// Whether it gave the team's name, with the secret if there is one, and did not only connect to the
    /// team's port, as anybody can.
    pub is_by_name: bool,
}

/// A client gives the name of a team without its secret, or with a wrong one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IdentityError {
    /// The team has a secret, and the client gave none.
    #[error("team {_0} has a secret: give it after the name, as in \"{name}:...\"", name = .0.as_str().replace('"', "\"\""))]
    MissingSecret(Name),
    /// The client gave another secret than that of the team.
    #[error("this is not the secret of team {0}: give the right one after the name")]
    WrongSecret(Name),
    /// The name has a colon, and the text before it is not the name of a team. The text after it
    /// may be a secret.
    #[error(
        "a colon stands between the name of a team and its secret, and no team has this name: give \
         the name as the file of the teams has it, or one without a colon"
    )]
    UnknownTeam,
    /// The team has no secret, and the client gave one.
    #[error("team {0} has no secret: give its name alone")]
    NoSecret(Name),
}

impl Teams {
    /// Adds a team.
    ///
    /// # Errors
    /// Another team has its name, or there are too many.
    pub fn add(&mut self, team: Team) -> Result<(), TeamError> {
        if self.0.len() >= MAX_TEAMS {
            return Err(TeamError::TooMany);
        }
        let claimed = |known: &Team| known.is_claimed_by(team.name.as_str());
        if let Some(known) = self.iter().find(|known| claimed(known)) {
            return Err(TeamError::SameName(known.name.clone()));
        }
        self.0.push(team);
        Ok(())
    }

    /// Gives the last team a server number.
    ///
    /// # Errors
    /// A team has it already.
    pub fn add_server(&mut self, server: u16) -> Result<(), TeamError> {
        if let Some(team) = self.at_server(server) {
            let team = team.name.clone();
            return Err(TeamError::SameServer { server, team });
        }
        if let Some(last) = self.0.last_mut() {
            last.servers.push(server);
        }
        Ok(())
    }

    /// Returns whether there are no teams.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the teams.
    pub fn iter(&self) -> impl Iterator<Item = &Team> {
        self.0.iter()
    }

    /// Returns all server numbers, each with the name of its team.
    pub fn servers(&self) -> impl Iterator<Item = (u16, &Name)> {
        self.iter()
            .flat_map(|team| team.servers.iter().map(|&server| (server, &team.name)))
    }

    /// Returns whether all clients of a team can go on in matches that were interrupted.
    pub fn resumes(&self, name: &Name) -> bool {
        let mut teams = self.iter();
        teams.any(|team| team.resumes && team.name == *name)
    }

    /// Returns the team with this server number.
    pub fn at_server(&self, server: u16) -> Option<&Team> {
        self.iter().find(|team| team.servers.contains(&server))
    }

    /// Returns who a client is that gives this name at a port, which may be that of a team. A name
    /// of a team counts more than the port.
    ///
    /// # Errors
    /// The name is that of a team, and its secret is missing, wrong, or too much; or it has a colon
    /// after something else.
    pub fn identify(
        &self,
        name: Option<Name>,
        port: Option<&Name>,
    ) -> Result<Identified, IdentityError> {
        let claimed = name.as_ref().and_then(|name| {
            let mut teams = self.iter();
            teams.find(|team| team.is_claimed_by(name.as_str()))
        });
        let (Some(team), Some(given)) = (claimed, &name) else {
            let has_colon = |name: &Name| name.as_str().contains(SEPARATOR);
            if !self.is_empty() && name.as_ref().is_some_and(has_colon) {
                return Err(IdentityError::UnknownTeam);
            }
            let team = port.cloned();
            return Ok(Identified { name, team });
        };
        let known = team.name.clone();
        if team.admits(given.as_str()) {
            return Ok(Identified {
                name: Some(known.clone()),
                team: Some(known),
            });
        }
        Err(match team.secret {
            None => IdentityError::NoSecret(known),
            Some(_) if given.as_str().contains(SEPARATOR) => IdentityError::WrongSecret(known),
            Some(_) => IdentityError::MissingSecret(known),
        })
    }

    /// Returns a text without secrets: after the name of a team that has one, the text between a
    /// colon and a quote or the end of the line is replaced by dots, and so is a team's secret
    /// after another name. This hides mistyped secrets, too.
    pub fn without_secrets<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        if !text.contains(SEPARATOR) {
            return text;
        }
        for team in self.iter().filter(|team| team.secret.is_some()) {
            if let Some(masked) = masked_after(&text, team.name.as_str()) {
                text = Cow::Owned(masked);
            }
            if let Some(secret) = &team.secret {
                let secret = format!("{SEPARATOR}{}", secret.as_str());
                if text.contains(&secret) {
                    text = Cow::Owned(text.replace(&secret, ":..."));
                }
            }
        }
        text
    }
}

/// Replaces the text after a name, in any case, and a colon, up to a quote or the end of the line;
/// `None` if there is nothing to replace.
fn masked_after(text: &str, name: &str) -> Option<String> {
    // Quotes in names are doubled on the wire.
    let name = name.replace('"', "\"\"");
    let mark = format!("{name}{SEPARATOR}").to_ascii_lowercase();
    let lower = text.to_ascii_lowercase();
    let mut masked = String::new();
    let mut shown = 0;
    for (at, _) in lower.match_indices(&mark) {
        let from = at + mark.len();
        if from < shown {
            continue;
        }
        let rest = text.get(from..)?;
        let length = rest.find(['"', '\r', '\n']).unwrap_or(rest.len());
        masked.push_str(text.get(shown..from)?);
        masked.push_str("...");
        shown = from + length;
    }
    if shown == 0 {
        return None;
    }
    masked.push_str(text.get(shown..)?);
    Some(masked)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn teams() -> Teams {
        let mut teams = Teams::default();
        teams.add(Team::new("Red").unwrap()).unwrap();
        let mut blue = Team::new("Blue").unwrap();
        blue.set_secret("tu:lip").unwrap();
        teams.add(blue).unwrap();
        teams
    }

    fn name(text: &str) -> Name {
        Name::new(text).unwrap()
    }

    fn identified(given: Option<&str>, port: Option<&str>) -> Result<[Option<String>; 2], String> {
        let (given, port) = (given.map(name), port.map(name));
        let identified = teams().identify(given, port.as_ref());
        let Identified { name, team } = identified.map_err(|error| error.to_string())?;
        Ok([name, team].map(|name| Some(name?.as_str().to_owned())))
    }

    fn known(name: Option<&str>, team: Option<&str>) -> Result<[Option<String>; 2], String> {
        Ok([name, team].map(|name| name.map(str::to_owned)))
    }

    #[test]
    fn a_client_without_a_name_is_known_by_its_port() {
        assert_eq!(identified(None, None), known(None, None));
        assert_eq!(identified(None, Some("Blue")), known(None, Some("Blue")));
        let other = Some("ann@lab");
        assert_eq!(identified(other, Some("Red")), known(other, Some("Red")));
        assert_eq!(identified(other, None), known(other, None));
    }

    #[test]
    fn a_name_of_a_team_counts_at_any_port() {
        for port in [None, Some("Red"), Some("Blue")] {
            let red = known(Some("Red"), Some("Red"));
            assert_eq!(identified(Some("Red"), port), red);
            assert_eq!(identified(Some("red"), port), red);
            let blue = known(Some("Blue"), Some("Blue"));
            assert_eq!(identified(Some("blue:tu:lip"), port), blue);
        }
    }

    #[test]
    fn clients_are_told_how_they_are_known() {
        let known_by = |given: Option<&str>, port: Option<&str>| {
            let identified = teams().identify(given.map(name), port.map(name).as_ref());
            let membership = identified.unwrap().membership()?;
            Some((membership.team.as_str().to_owned(), membership.is_by_name))
        };
        let red = |is_by_name| Some(("Red".to_owned(), is_by_name));
        assert_eq!(known_by(None, Some("Red")), red(false));
        assert_eq!(known_by(Some("ann@lab"), Some("Red")), red(false));
        assert_eq!(known_by(Some("red"), Some("Red")), red(true));
        assert_eq!(known_by(Some("Red"), Some("Blue")), red(true));
        assert_eq!(known_by(Some("ann@lab"), None), None);
    }

    #[test]
    fn a_secret_is_wanted_in_full_and_not_repeated() {
        let missing = identified(Some("blue"), Some("Blue")).unwrap_err();
        assert_eq!(
            missing,
            "team \"Blue\" has a secret: give it after the name, as in \"Blue:...\""
        );
        for given in ["Blue:", "Blue:tulip", "Blue:tu:lip ", "blue:tu"] {
            let wrong = identified(Some(given), Some("Blue")).unwrap_err();
            assert_eq!(
                wrong,
                "this is not the secret of team \"Blue\": give the right one after the name"
            );
        }
        // A misspelled team name with a secret is not taken for a guest's name.
        for given in ["Bleu:tu:lip", "Bleu:tu:lpi", ":tu:lip"] {
            let error = identified(Some(given), Some("Red")).unwrap_err();
            assert!(error.contains("no team has this name"), "{error}");
        }
        // Without teams, a colon is a character like any other.
        let ann = Teams::default().identify(Some(name("ann:lab")), None);
        assert_eq!(ann.unwrap().name, Some(name("ann:lab")));
        let error = identified(Some("Red:tulip"), None).unwrap_err();
        assert_eq!(error, "team \"Red\" has no secret: give its name alone");
    }

    #[test]
    fn spaces_around_the_name_of_a_team_do_not_count() {
        let blue = known(Some("Blue"), Some("Blue"));
        for given in [" Blue:tu:lip", "Blue :tu:lip", "  blue  :tu:lip"] {
            assert_eq!(identified(Some(given), None), blue, "{given:?}");
        }
        assert!(identified(Some("Blue "), Some("Blue")).is_err());
        assert_eq!(
            identified(Some(" Red "), None),
            known(Some("Red"), Some("Red"))
        );
    }

    #[test]
    fn text_after_a_team_and_a_colon_is_not_shown() {
        for (text, shown) in [
            (
                "0.9.1 player black \"Blue:tu:lip\"",
                "0.9.1 player black \"Blue:...\"",
            ),
            ("299 BLUE:x\" and Blue:y\r", "299 BLUE:...\" and Blue:...\r"),
            ("Blue: Blue:x", "Blue:..."),
            ("\"Red:tulip\" Blue", "\"Red:tulip\" Blue"),
            ("\"Bleu:tu:lip\"", "\"Bleu:...\""),
        ] {
            assert_eq!(teams().without_secrets(text), shown);
        }
    }

    proptest! {
        #[test]
        fn no_secret_is_shown(before in "[ -~]{0,9}", wrong in "[ -~]{0,9}") {
            let text = format!("{before}\"blue:tu:lip{wrong}\"");
            prop_assert!(!teams().without_secrets(&text).contains("tu:lip"));
        }

        /// A client is shown without its secret, even a mistyped one.
        #[test]
        fn no_name_that_is_accepted_has_a_colon(
            text in "[ -~]{0,31}|[ BbLlUuEe]{0,7}:[ tulip:]{0,9}",
        ) {
            if let Ok(Identified { name: Some(name), .. }) = teams().identify(Name::new(&text), None) {
                prop_assert!(!name.as_str().contains(SEPARATOR), "{}", name);
            }
        }

        #[test]
        fn no_name_makes_the_teams_panic(text in "[ -~]{0,31}|(Red|Blue):?[ -~]{0,20}") {
            let _ = Team::new(&text).map(|mut team| team.set_secret(&text));
            let _ = teams().identify(Name::new(&text), None);
            let _ = teams().without_secrets(&text);
        }
    }
}
