//! The file of the teams, in which each has server numbers of its own.

use std::path::Path;

use anyhow::Result;
use toml::Spanned;
use toml::de::DeValue;

use crate::cli::teams_file::{TeamTable, read_teams};
use crate::cli::toml_file::{Mistake, as_bool, as_text, parsed};
use crate::contests::netref::{Team, Teams};

/// The keys of a team.
const KEYS: [&str; 4] = ["name", "server", "secret", "resumes"];

/// A key of a team besides its name.
const EXAMPLE: &str = "server = 4";

/// The server numbers that teams can have.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerNumbers {
    /// The first number.
    pub(super) first: u16,
    /// The first and the last table.
    pub(super) tables: [u16; 2],
    /// The last number.
    pub(super) last: u16,
}

/// Reads the teams.
///
/// # Errors
/// The file cannot be read. Wrong usage if something in it is wrong.
pub(super) fn read(path: &Path, numbers: ServerNumbers) -> Result<Teams> {
    let mut teams = Teams::default();
    read_teams(path, &KEYS, EXAMPLE, |team| {
        add_team(&mut teams, team, numbers)
    })?;
    Ok(teams)
}

fn add_team(
    teams: &mut Teams,
    table: TeamTable<'_, '_>,
    numbers: ServerNumbers,
) -> Result<(), Mistake> {
    let name = table.name()?;
    let mut team = parsed("name", name, Team::new(as_text("name", name)?))?;
    if let Some(secret) = table.get("secret") {
        let set = team.set_secret(as_text("secret", secret)?);
        parsed("secret", secret, set)?;
    }
    if let Some(resumes) = table.get("resumes") {
        team.set_resumes(as_bool("resumes", resumes)?);
    }
    parsed("name", name, teams.add(team))?;
    let why = "this team has no server number: give one, such as server = 4, or server = [4, 5]";
    let server = table.require("server", why)?;
    match server.get_ref() {
        DeValue::Array(servers) if !servers.is_empty() => {
            let mut servers = servers.iter();
            servers.try_for_each(|server| add_server(teams, server, numbers))
        }
        _ => add_server(teams, server, numbers),
    }
}

fn add_server(
    teams: &mut Teams,
    value: &Spanned<DeValue<'_>>,
    numbers: ServerNumbers,
) -> Result<(), Mistake> {
    let ServerNumbers {
        first,
        tables: [first_table, last_table],
        last,
    } = numbers;
    let server = match value.get_ref() {
        DeValue::Integer(number) => u16::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    let Some(server) = server.filter(|server| (first..=last).contains(server)) else {
        let what = format!(
            "server: give a server number from {first} to {last}, or a list of them in brackets"
        );
        return Err(Mistake::new(value, what));
    };
    if (first_table..=last_table).contains(&server) {
        let tables = match first_table == last_table {
            true => format!("that of the table, {first_table}"),
            false => format!("that of a table: they are {first_table} to {last_table}"),
        };
        let what = format!("server: number {server} is {tables}; give the team another one");
        return Err(Mistake::new(value, what));
    }
    parsed("server", value, teams.add_server(server))
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::*;
    use crate::cli::teams_file::each_team;

    const NUMBERS: ServerNumbers = ServerNumbers {
        first: 0,
        tables: [0, 3],
        last: 29,
    };

    fn parse(text: &str) -> Result<Teams, Mistake> {
        let mut teams = Teams::default();
        let table = DeTable::parse(text).unwrap();
        let add = |team: TeamTable<'_, '_>| add_team(&mut teams, team, NUMBERS);
        each_team(table.get_ref(), &KEYS, EXAMPLE, add)?;
        Ok(teams)
    }

    /// Returns the line and the text of the mistake.
    fn mistake(text: &str) -> String {
        let Mistake { at, what } = parse(text).unwrap_err();
        let line = text[..at].lines().count().max(1);
        format!("{line}: {what}")
    }

    #[test]
    fn teams_have_names_secrets_and_server_numbers() {
        let text = "[[team]]\nname = \"Red\"\nserver = 4\n\n\
                    [[team]]\nname = \"Blue \\\"1\\\"\"\nsecret = \"tu:lip\"\nserver = [5, 0x0a]\n";
        let teams = parse(text).unwrap();
        let read: Vec<_> = teams
            .iter()
            .map(|team| (team.name().as_str(), team.servers().to_vec()))
            .collect();
        assert_eq!(read, [("Red", vec![4]), ("Blue \"1\"", vec![5, 10])]);
        assert_eq!(teams.at_server(10).unwrap().name().as_str(), "Blue \"1\"");
        assert!(!format!("{teams:?}").contains("tu:lip"));
    }

    #[test]
    fn a_mistake_is_reported_with_its_line_and_what_would_be_right() {
        let red = "[[team]]\nname = \"Red\"\nserver = 4\n";
        let mistakes = [
            "",
            "teams = 4",
            "[team]\nname = \"Red\"",
            "[[team]]\nserver = 4",
            "[[team]]\nname = \"Red\"",
            "[[team]]\nname = 7\nserver = 4",
            "[[team]]\nname = \"Red\"\nserver = 4\nscret = \"x\"",
            "[[team]]\nname = \"Équipe\"\nserver = 4",
            "[[team]]\nname = \" Red\"\nserver = 4",
            "[[team]]\nname = \"\"\nserver = 4",
            "[[team]]\nname = \"Red:1\"\nserver = 4",
            "[[team]]\nname = \"House-3\"\nserver = 4",
            "[[team]]\nname = \"house\"\nserver = 4",
            "[[team]]\nname = \"an unusually long name for a team\"\nserver = 4",
            "[[team]]\nname = \"Red\"\nsecret = \"\"\nserver = 4",
            "[[team]]\nname = \"Red\"\nsecret = \"a \\\"quoted\\\" one\"\nserver = 4",
            "[[team]]\nname = \"Red\"\nsecret = \"far too long to be sent after it\"\nserver = 4",
            "[[team]]\nname = \"a name that is as long as it is\"\nsecret = \"x\"\nserver = 4",
            "[[team]]\nname = \"Red\"\nserver = \"4\"",
            "[[team]]\nname = \"Red\"\nserver = []",
            "[[team]]\nname = \"Red\"\nserver = 30",
            "[[team]]\nname = \"Red\"\nserver = [4, 4]",
            "[[team]]\nname = \"Red\"\nserver = 3",
        ]
        .map(mistake);
        let others = [
            "name = \"red\"\nserver = 5",
            "name = \"Blue\"\nserver = [5,\n 4]",
        ]
        .map(|other| mistake(&format!("{red}[[team]]\n{other}")));
        let all: Vec<String> = mistakes.into_iter().chain(others).collect();
        insta::assert_snapshot!(all.join("\n"), @r#"
        1: there is no team: write [[team]], and name = "Red" and server = 4 below, for each team
        1: "teams" is no key here: write [[team]] for each team
        1: a team is a table of its own: write [[team]], with two brackets, and its keys below, for each team
        1: this team has no name: give one, such as name = "Red"
        1: this team has no server number: give one, such as server = 4, or server = [4, 5]
        2: name: give a text in quotes
        3: "scret" is not a key of a team: did you mean secret?
        2: name: the protocol cannot carry the name "Équipe": use 1 to 31 printable ASCII characters, without spaces at either end
        2: name: the protocol cannot carry the name " Red": use 1 to 31 printable ASCII characters, without spaces at either end
        2: name: the protocol cannot carry the name "": use 1 to 31 printable ASCII characters, without spaces at either end
        2: name: the name "Red:1" has a colon, which stands before a team's secret: leave it out
        2: name: the name "House-3" is one of the house, the referee's own player: choose another one than house, and none that begins with house-
        2: name: the name "house" is one of the house, the referee's own player: choose another one than house, and none that begins with house-
        2: name: the protocol cannot carry the name "an unusually long name for a team": use 1 to 31 printable ASCII characters, without spaces at either end
        3: secret: a client cannot send this secret: use one or more printable ASCII characters other than "
        3: secret: a client cannot send this secret: use one or more printable ASCII characters other than "
        3: secret: a client sends name and secret together, as in "Red:secret", in at most 31 characters: this secret can have at most 27
        3: secret: a client sends name and secret together, as in "Red:secret", in at most 31 characters: this name leaves no room for a secret
        3: server: give a server number from 0 to 29, or a list of them in brackets
        3: server: give a server number from 0 to 29, or a list of them in brackets
        3: server: give a server number from 0 to 29, or a list of them in brackets
        3: server: number 4 is that of team "Red" already: give each team its own
        3: server: number 3 is that of a table: they are 0 to 3; give the team another one
        5: name: there are two teams "Red": names must differ in more than case
        7: server: number 4 is that of team "Red" already: give each team its own
        "#);
        assert!(!all.join("\n").contains("too long to be sent"));
    }
}
