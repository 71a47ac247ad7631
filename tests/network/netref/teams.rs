//! Teams: clients that are known by the port where they connect, or by their names.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::netref::desk::Desk;
use crate::netref::referee::{Client, Referee, version_of};
use crate::netref::scenes::{play_out, refusal};
use crate::netref::server::{json_results, results, sole, sole_record};
use crate::netref::spectator::Spectator;

/// Red and Green have a port each; Blue has two, and a secret.
const TEAMS: &str = "\
[[team]]
name = \"Red\"
server = 10

[[team]]
name = \"Blue\"
server = [11, 12]
secret = \"tulip\"

[[team]]
name = \"Green\"
server = 13
";

/// A folder with the file of the teams.
pub struct Course(TempDir);

impl Course {
    pub fn new() -> Course {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("teams.toml"), TEAMS).unwrap();
        Course(folder)
    }

    /// The folder of the file.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    fn file(&self) -> String {
        self.0.path().join("teams.toml").display().to_string()
    }

    /// A referee that knows the teams.
    pub fn start(&self, arguments: &[&str]) -> Referee {
        Referee::start(&[arguments, &["--teams", &self.file()]].concat())
    }
}

/// A client at the port of a team that has asked for a role.
pub fn enter(referee: &Referee, team: &str, opening: &str) -> Client {
    let mut client = Client::connect(referee.port_of(team));
    client.expect("000 ");
    client.send(&format!("{} {opening}\r", version_of(opening)));
    client
}

/// A client at the first table that has asked for a role.
pub fn sit_down(referee: &Referee, opening: &str) -> Client {
    let mut client = referee.connect();
    client.expect("000 ");
    client.send(&format!("{} {opening}\r", version_of(opening)));
    client
}

#[test]
fn clients_without_names_are_known_by_their_ports_and_seated_at_a_table() {
    let course = Course::new();
    let records = course.0.path().join("records");
    let referee = course.start(&["300", "--state", records.to_str().unwrap()]);
    let mut observer = referee.observer();
    let mut black = enter(&referee, "Red", "player black");
    referee.wait_for_line("\"Red\" waits to play black");
    let mut white = enter(&referee, "Blue", "player white");
    // The same lines as without teams: the libraries can read nothing else.
    black.expect_all(&["101 300 300 ", "352 "]);
    white.expect_all(&["101 300 300 ", "351 "]);
    observer.expect_all(&["341 \"Blue\"", "342 \"Red\"", "344 1 ", "353 "]);
    referee.wait_for_line("black (\"Red\") against white (\"Blue\")");
    black.ask("resign", "204 ");
    black.rest();
    let line = sole(results(&records));
    assert_eq!(line[2..4], ["Red", "Blue"]);
    assert_eq!(line[14..], ["Red", "Blue", "300", "300", "0", ""]);
    let line = sole(json_results(&records));
    let black = &line["players"][0];
    assert_eq!(
        [&black["name"], &black["team"]],
        [&Value::Null, &"Red".into()]
    );
    assert_eq!(black["clock"], 300.0);
    assert_eq!(
        [&line["table"], &line["winner"]],
        [&Value::from(0), &"white".into()]
    );
    assert!(
        records
            .join("games")
            .join(line["record"].as_str().unwrap())
            .exists()
    );
    let (_, record) = sole_record(&records);
    assert!(
        record.contains("PB[Red]") && record.contains("PW[Blue]"),
        "{record}"
    );
}

#[test]
fn a_name_with_its_secret_is_known_at_any_port() {
    let course = Course::new();
    let referee = course.start(&[]);
    let mut wrong = referee.connect();
    wrong.expect("000 ");
    let told = wrong.ask("0.9.1 player black \"Blue\"", "199 ");
    assert!(told.contains("team \"Blue\" has a secret"), "{told}");
    let told = wrong.ask("0.9.1 player black \"blue:rose\"", "199 ");
    assert!(
        told.contains("this is not the secret of team \"Blue\""),
        "{told}"
    );
    // An answer repeats what was sent, but the log does not.
    let told = wrong.ask("0.9.1 player black Blue:tulip", "199 ");
    assert!(told.contains("as in \"Blue:tulip\""), "{told}");
    wrong.ask("0.9.1 player black \"Blue:tulip\"", "100 ");
    let mut red = enter(&referee, "Green", "player white \"Red\"");
    red.expect_all(&["100 ", "341 \"Red\"", "342 \"Blue\"", "344 0 ", "351 "]);
    referee.wait_for_line("white (\"Red\")");
    let log = referee.log().concat();
    assert!(!log.contains("tulip") && !log.contains("rose"), "{log}");
    assert!(log.contains("Blue:..."), "{log}");
    // The log says who came from where, and what is wrong.
    for what in [
        "team \"Blue\" has a secret",
        "this is not the secret of team \"Blue\"",
    ] {
        let from = format!(" was told 199 Request not understood: {what}");
        let mut lines = referee.log().into_iter();
        let line = lines.find(|line| line.contains(&from));
        assert!(
            line.is_some_and(|line| line.contains(" from 127.0.0.1:")),
            "{log}"
        );
    }
}

#[test]
fn nobody_observes_at_the_port_of_a_team() {
    let course = Course::new();
    let referee = course.start(&[]);
    let mut observer = enter(&referee, "Red", "observer");
    let told = observer.expect("193 Cannot observe");
    let port = referee.addresses[0].port();
    let at = format!("observe a table, at port {port}");
    assert!(told.ends_with(&at), "{told}");
    observer.expect_end();
    drop(referee);

    let referee = course.start(&["--private"]);
    let mut observer = enter(&referee, "Red", "observer");
    observer.expect("193 Cannot observe: the matches are private");
    observer.expect_end();
}

#[test]
fn waiting_clients_are_told_why_they_no_longer_wait() {
    let course = Course::new();
    let mut referee = course.start(&["--stop-after", "1"]);
    let (mut black, mut white) = referee.pair();
    let mut red = enter(&referee, "Red", "player black");
    referee.wait_for_line("\"Red\" waits to play black");
    play_out(&mut black, &mut white);
    red.expect("399 The referee stops");
    red.expect_end();
    drop((red, black, white));
    assert_eq!(referee.wait().code(), Some(0));
}

/// Starts a referee, which is killed when Red's ann@lab and Blue's bob@lab have begun a match, and
/// another one, which restores it.
fn restarted_after_a_move(start: impl Fn() -> Referee) -> Referee {
    let referee = start();
    let mut black = enter(&referee, "Red", "player black \"ann@lab\"");
    let mut white = enter(&referee, "Blue", "player white \"bob@lab\"");
    black.lines_to("352 ");
    white.lines_to("351 ");
    black.ask("1 c3", "200 ");
    white.lines_to("311 ");
    referee.kill();

    let referee = start();
    referee.wait_for_line("waits for its players after 1 move");
    referee
}

#[test]
fn after_a_crash_a_team_that_gives_a_name_gets_its_seat_back() {
    let course = Course::new();
    let desk = Desk::new();
    let file = course.file();
    let referee =
        restarted_after_a_move(|| desk.start(&["--teams", &file, "--reclaim-time", "0.1"]));
    // Green has no seat there, and waits.
    let _green = enter(&referee, "Green", "player black \"cat@lab\"");
    let mut white = enter(&referee, "Blue", "player white \"another@lab\"");
    let mut black = enter(&referee, "Red", "player ? \"ann@lab\"");
    let told = black.lines_to("311 ").concat();
    assert!(
        told.contains("341 \"Blue\"") && told.contains("342 \"Red\""),
        "{told}"
    );
    white.lines_to("351 ");
    white.ask("1 ... pass", "200 ");
    referee.kill();

    // The libraries give no name, and cannot resume a match.
    let desk = Desk::new();
    let referee = desk.start(&["--teams", &file]);
    let mut black = enter(&referee, "Red", "player black");
    let mut white = enter(&referee, "Blue", "player white");
    black.lines_to("352 ");
    white.lines_to("351 ");
    referee.kill();
    let referee = desk.start(&["--teams", &file]);
    referee.wait_for_line("No result: the match was interrupted");
    let line = sole(results(desk.state()));
    assert_eq!(line[2..6], ["Red", "Blue", "none", "interruption"]);
}

/// As the file of the teams says, whatever its clients say.
#[test]
fn a_team_whose_clients_speak_no_version_that_resumes_may_resume_all_the_same() {
    let course = Course::new();
    let desk = Desk::new();
    let file = course.folder().join("resuming.toml");
    let text = fs::read_to_string(course.file()).unwrap();
    let text = text.replace("[[team]]", "[[team]]\nresumes = true");
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let start = || desk.start(&["--teams", file]);
    let referee = start();
    let mut white = enter(&referee, "Blue", "player white");
    let mut black = enter(&referee, "Red", "player black");
    white.lines_to("351 ");
    black.lines_to("352 ");
    black.ask("1 c3", "200 ");
    referee.kill();
    let referee = start();
    referee.wait_for_line("waits for its players after 1 move");
    let mut white = enter(&referee, "Blue", "player white");
    let mut black = enter(&referee, "Red", "player black");
    black.lines_to("352 ");
    let told = white.lines_to("351 ").concat();
    assert!(told.contains("311 1 c3 "), "{told}");
    white.ask("1 ... pass", "200 ");
}

#[test]
fn after_a_crash_the_client_that_played_comes_before_others_of_its_team() {
    let course = Course::new();
    let desk = Desk::new();
    let file = course.file();
    let referee =
        restarted_after_a_move(|| desk.start(&["--teams", &file, "--reclaim-time", "1800"]));
    let mut another = enter(&referee, "Blue", "player white \"another@lab\"");
    referee.wait_for_line("\"Blue\" waits to play white");
    // At the port of the table, it is told why.
    let mut third = sit_down(&referee, "player white \"Blue:tulip\"");
    let told = third.expect("191 The seat is kept for the client that played");
    assert!(told.ends_with("ask again in a few seconds"), "{told}");
    let mut white = enter(&referee, "Blue", "player white \"bob@lab\"");
    let mut black = enter(&referee, "Red", "player ? \"ann@lab\"");
    black.lines_to("352 ");
    white.lines_to("351 ");
    white.ask("1 ... pass", "200 ");
    another.expect_silence(Duration::from_millis(50));
}

#[test]
fn waiting_clients_are_on_the_page_and_in_the_organizers_list() {
    let course = Course::new();
    let arguments = ["--http", "0", "--tables", "2", "--teams", &course.file()];
    let mut referee = Referee::start_with_organizer(&arguments);
    let mut spectator = Spectator::open(&referee);
    let seats = |seen: &Spectator| -> Vec<String> {
        let clients = seen.clients.values();
        let seats = clients.map(|client| format!("{}: {}", client["name"], client["seat"]));
        seats.collect()
    };
    let mut red = enter(&referee, "Red", "player black");
    spectator.wait("Red waits", |seen| {
        seats(seen) == ["\"Red\": \"Waiting, Black\""]
    });
    referee.command("list", "table 0, port ");
    assert!(referee.next_answer().contains("table 1, port "));
    assert!(
        referee
            .next_answer()
            .ends_with("\"Red\" waits to play black")
    );
    let mut blue = enter(&referee, "Blue", "player white");
    red.lines_to("352 ");
    blue.lines_to("351 ");
    spectator.wait("both are seated", |seen| {
        let seated = |seat: &String| seat.contains(": \"Table ");
        seats(seen).len() == 2 && seats(seen).iter().all(seated)
    });
    // The log leaves out what each loop of clients does repeatedly.
    spectator.wait("the log", |seen| {
        seen.log.iter().any(|line| line.contains("begins"))
    });
    let log = spectator.log.join("\n");
    assert!(log.contains("Table 0: ") && !log.contains("waits"), "{log}");
    red.leave();
    blue.rest();
    spectator.wait("both are gone", |seen| {
        seen.clients.is_empty() && !seen.finished.is_empty()
    });
    assert_eq!(spectator.finished[0]["players"], json!(["Red", "Blue"]));
}

#[test]
fn a_mistake_in_the_file_is_reported_before_the_referee_listens() {
    let course = Course::new();
    let file = course.file();
    let refused = |arguments: &[&str]| {
        let (code, lines) = refusal(&[&["0"], arguments, &["--teams", &file]].concat());
        assert_eq!(code, Some(2), "{lines:?}");
        lines[0].replace(&file, "teams.toml")
    };
    assert_eq!(
        refused(&["--tables", "12"]),
        "error: teams.toml, line 3: server: number 10 is that of a table: they are 0 to 11; give \
         the team another one"
    );
    assert_eq!(
        refused(&["--game", "awari"]),
        "error: teams.toml, line 7: server: give a server number from 0 to 10, or a list of them \
         in brackets"
    );
    assert_eq!(
        refused(&["--http", "29081"]),
        "error: --http: port 29081 is that of team \"Green\"; choose another port for the page"
    );
    fs::write(&file, TEAMS.replace("Green", "red")).unwrap();
    assert_eq!(
        refused(&[]),
        "error: teams.toml, line 11: name: there are two teams \"Red\": names must differ in more \
         than case"
    );
    fs::remove_file(&file).unwrap();
    let (code, lines) = refusal(&["0", "--teams", &file]);
    assert_eq!(code, Some(1), "{lines:?}");
    assert!(lines[0].contains("--teams"), "{lines:?}");
}

#[test]
fn a_house_at_all_tables_plays_the_teams() {
    let course = Course::new();
    let records = course.0.path().join("records");
    let arguments = ["--tables", "2", "--house", "1"];
    let referee = course.start(&[&arguments[..], &["--state", records.to_str().unwrap()]].concat());
    let mut red = enter(&referee, "Red", "player white");
    red.expect_all(&["100 ", "351 ", "31"]);
    let mut other = enter(&referee, "Red", "player black");
    other.expect_all(&["100 ", "352 "]);
    red.ask("resign", "204 ");
    red.rest();
    let line = sole(results(&records));
    assert_eq!(line[2..4], ["house-1", "Red"]);
}

#[test]
fn teams_meet_at_the_tables_without_the_house() {
    let course = Course::new();
    let referee = course.start(&["--tables", "2", "--house", "0:1"]);
    let mut red = enter(&referee, "Red", "player black");
    referee.wait_for_line("\"Red\" waits to play black");
    let mut blue = enter(&referee, "Blue", "player white");
    red.expect_all(&["100 ", "352 "]);
    blue.expect_all(&["100 ", "351 "]);
    referee.wait_for_line("table 1: match ");
    // At its own table the house plays every client that comes, under the name of the team.
    let mut blue = sit_down(&referee, "player black \"Blue:tulip\"");
    blue.expect_all(&["100 ", "341 \"house-1\" ", "342 \"Blue\" "]);
}
