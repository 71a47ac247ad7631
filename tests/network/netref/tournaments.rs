//! Tournaments of teams: clients that connect again and again, and a referee that is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use gothello::tournament::ResultsFile;
use gothello::{Color, Game, Move};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

use crate::executable::executable;
use crate::netref::desk;
#[cfg(target_os = "linux")]
use crate::netref::referee::Room;
use crate::netref::referee::{Client, Referee, version_of};
use crate::netref::scenes::{play_out, refusal};
use crate::netref::server::{assert_len, json_results, results, sole};
use crate::netref::spectator::{Spectator, act, page, token};
use crate::netref::timeline::Timeline;
use crate::waiting::{Deadline, OutputInTime};
use crate::waits::Promise;

/// A folder with the file of this many teams, called T0, T1 and so on, each with a port, and with
/// the files of the referee.
pub struct Course {
    folder: TempDir,
    teams: usize,
}

impl Course {
    /// A course of this many teams.
    pub fn new(teams: usize) -> Course {
        let folder = tempfile::tempdir().unwrap();
        let team = |number: usize| {
            let server = 10 + number;
            format!("[[team]]\nname = \"T{number}\"\nserver = {server}\n\n")
        };
        let text: String = (0..teams).map(team).collect();
        fs::write(folder.path().join("teams.toml"), text).unwrap();
        Course { folder, teams }
    }

    /// The path of a file or folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start(&self, arguments: &[&str]) -> Referee {
        self.start_as(arguments, Referee::start)
    }

    /// Starts a referee with these and the course's arguments.
    pub fn start_as(&self, more: &[&str], start: impl FnOnce(&[&str]) -> Referee) -> Referee {
        let paths = ["teams.toml", "state"].map(|name| self.path(name));
        let [teams, state] = paths.each_ref().map(|path| path.to_str().unwrap());
        start(&[more, &["--teams", teams, "--state", state]].concat())
    }

    /// Another folder with the same files.
    fn copy(&self) -> Course {
        let copy = Course::new(self.teams);
        for folder in ["state", "state/games"] {
            fs::create_dir(copy.path(folder)).unwrap();
            for file in fs::read_dir(self.path(folder)).unwrap() {
                let file = file.unwrap().path();
                if file.is_dir() {
                    continue;
                }
                let to = copy.path(folder).join(file.file_name().unwrap());
                fs::copy(file, to).unwrap();
            }
        }
        copy
    }

    /// The number of matches that are not over.
    fn journals(&self) -> usize {
        desk::unrecorded(&self.path("state")).len()
    }

    /// The results file of the first tournament.
    pub fn results_file(&self) -> PathBuf {
        self.path("state").join("tournament-0001.jsonl")
    }

    /// Notes when the games of the tournament got their results.
    fn note_results(&self, timeline: &Timeline) {
        let text = fs::read_to_string(self.results_file()).unwrap();
        for line in text.lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            if event["event"] == "game" {
                let time = humantime::parse_rfc3339(event["time"].as_str().unwrap()).unwrap();
                let team = |color: &str| event[color].as_str().unwrap()[1..].parse().unwrap();
                timeline.has_result(time, team("black"), team("white"));
            }
        }
    }

    /// Where the teams connect.
    pub fn ports(&self, referee: &Referee) -> Vec<SocketAddr> {
        let team = |number| referee.port_of(&format!("T{number}"));
        (0..self.teams).map(team).collect()
    }
}

/// A client at the port of a team that has asked for a role.
fn enter(referee: &Referee, team: &str, opening: &str) -> Client {
    let mut client = Client::connect(referee.port_of(team));
    client.expect("000 ");
    client.send(&format!("{} {opening}\r", version_of(opening)));
    client
}

/// The two clients in the order of their colors: Black is told 352.
fn by_color(mut one: Client, mut other: Client) -> (Client, Client) {
    let lines = one.lines_to("35");
    other.lines_to("35");
    match lines.last().unwrap().starts_with("352") {
        true => (one, other),
        false => (other, one),
    }
}

const ROUND_ROBIN: [&str; 4] = ["--tournament", "round-robin", "--seed", "7"];

#[test]
fn paired_teams_are_seated_with_both_colors_and_the_standings_follow() {
    let course = Course::new(2);
    let referee = course.start(&[&ROUND_ROBIN[..], &["--tables", "2"]].concat());
    // The line has the time but no table: the tournament concerns both.
    referee.wait_for_line("Z a tournament of 2 teams begins, seed 7");
    for _ in 0..2 {
        let pair = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
        let [one, other] = pair;
        let (mut black, mut white) = by_color(one, other);
        play_out(&mut black, &mut white);
    }
    referee.wait_for_line("the tournament is over");
    let tournament = ResultsFile::read(&course.results_file()).unwrap();
    let standings = tournament.standings();
    let points = standings.iter().map(|row| row.points.to_string());
    assert_eq!(points.collect::<Vec<_>>(), ["1", "1"]);
    assert!(
        standings
            .iter()
            .all(|row| row.blacks == 1 && row.whites == 1)
    );
    // Now free matches are played again, and the results distinguish them.
    let pair = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    let [one, other] = pair;
    let (mut black, mut white) = by_color(one, other);
    play_out(&mut black, &mut white);
    let records = course.path("state");
    let told = results(&records).into_iter().map(|mut row| row.pop());
    let told: Vec<String> = told.map(Option::unwrap).collect();
    assert_eq!(told, ["1", "1", ""]);
    let told = json_results(&records).into_iter();
    let told: Vec<_> = told.map(|line| line["tournament"].clone()).collect();
    assert_eq!(serde_json::json!(told), serde_json::json!([1, 1, null]));
    let matches = |options: &[&str]| {
        let table = records.join("results.jsonl");
        let run = Command::new(executable())
            .arg("standings")
            .args(options)
            .arg(table)
            .output_in_time();
        let text = String::from_utf8(run.stdout).unwrap();
        let row = text.lines().nth(1).unwrap().split_whitespace();
        row.skip(2).take(1).collect::<String>()
    };
    assert_eq!(matches(&[]), "3");
    assert_eq!(matches(&["--tournament", "1"]), "2");
}

#[test]
fn the_referee_stops_after_the_tournament_with_everything_written() {
    let course = Course::new(2);
    let stops = [&ROUND_ROBIN[..], &["--stop-after", "tournament"]].concat();
    let mut referee = course.start(&stops);
    for _ in 0..2 {
        let pair = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
        let [one, other] = pair;
        let (mut black, mut white) = by_color(one, other);
        play_out(&mut black, &mut white);
    }
    assert!(referee.wait().success());
    referee.wait_for_line("The referee stops: the tournament is over");
    let tournament = ResultsFile::read(&course.results_file()).unwrap();
    assert!(tournament.is_over());
    assert_len(&results(&course.path("state")), 2);
    assert_eq!(course.journals(), 0);
    // The same command finds nothing to do.
    assert!(course.start(&stops).wait().success());
}

#[test]
fn the_referee_stops_after_the_organizers_tournament_and_not_for_an_old_one() {
    let course = Course::new(2);
    let end = serde_json::json!({"action": "end-tournament"});
    let referee = course.start(&[&ROUND_ROBIN[..], &["--http", "0"]].concat());
    referee.wait_for_line("a tournament of 2 teams begins");
    press(&referee, end.clone());
    referee.wait_for_line("the tournament is over");
    referee.kill();

    let options = ["--stop-after", "tournament", "--http", "0"];
    let houses = ["--tables", "2", "--house", "1:1"];
    let mut referee = course.start(&[options, houses].concat());
    let mut practicing = Client::connect(referee.addresses[1]);
    practicing.expect("000 ");
    practicing.send("0.9.2 player black \"T1\"\r");
    practicing.lines_to("352 ");
    let mut waiting = enter(&referee, "T0", "player ?");
    referee.wait_for_line("\"T0\" waits to play");
    press(
        &referee,
        serde_json::json!({"action": "tournament", "system": "round-robin", "games": 1}),
    );
    referee.wait_for_line("a tournament of 2 teams begins");
    press(&referee, end);
    // It waits for nothing else: the match against the house is interrupted.
    practicing.lines_to("399 The referee stops: the tournament is over");
    waiting.lines_to("399 ");
    drop((practicing, waiting));
    assert!(referee.wait().success());
    assert_eq!(course.journals(), 1);
}

#[test]
fn a_client_waits_for_its_side_and_is_told_when_it_would_wait_in_vain() {
    let course = Course::new(2);
    let referee = course.start(&[&ROUND_ROBIN[..], &["--single"]].concat());
    // In the only game, one of the teams has Black.
    referee.wait_for_line("a tournament of 2 teams begins");
    let mut asked = ["T0", "T1"].map(|team| {
        let mut client = enter(&referee, team, "player black");
        referee.wait_for_line(&format!("\"{team}\" waits to play black"));
        let refused = referee.wait_for_refusal(team);
        if refused {
            client.expect(&format!(
                "191 {team} has no game left in the tournament as black"
            ));
            client = enter(&referee, team, "player white");
        }
        client
    });
    for client in &mut asked {
        client.lines_to("35");
    }
    // A client without a team is told to come later.
    let mut guest = referee.connect();
    guest.expect("000 ");
    guest.send("0.9.2 player black \"Guest\"\r");
    guest.expect("399 A tournament of teams is being played here");
}

impl Referee {
    /// Whether a client of a team has been refused, or still waits after a moment.
    fn wait_for_refusal(&self, team: &str) -> bool {
        let refused = || {
            let log = self.log();
            log.iter()
                .any(|line| line.contains(&format!("{team} has no game left")))
        };
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(300) && !refused() {
            thread::sleep(Duration::from_millis(5));
        }
        refused()
    }
}

#[test]
fn a_team_that_never_comes_forfeits_and_a_killed_referee_goes_on() {
    let course = Course::new(3);
    let options = [&ROUND_ROBIN[..], &["--single", "--forfeit-after", "0.5"]].concat();
    let referee = course.start(&options);
    let pair = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    let [one, other] = pair;
    let _ = by_color(one, other);
    // Without names they cannot come back: the game is played again.
    referee.kill();
    let referee = course.start(&options);
    referee.wait_for_line("the unfinished tournament of 3 teams continues in round 1 of 3");
    let pair = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    let [one, other] = pair;
    let (mut black, mut white) = by_color(one, other);
    play_out(&mut black, &mut white);
    let waiting = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    referee.wait_for_line("T2 did not come within 500ms and forfeits");
    referee.wait_for_line("the tournament is over");
    referee.kill();
    drop(waiting);
    let tournament = ResultsFile::read(&course.results_file()).unwrap();
    let standings = tournament.standings();
    assert_eq!(standings[2].player.as_str(), "T2");
    assert_eq!(standings[2].forfeits, 2);
    assert_eq!(standings[0].points.to_string(), "2");
    // It is over, and is not held again.
    let referee = course.start(&[]);
    assert_eq!(referee.count_in_log("tournament of"), 0);
}

/// Runs the referee with the options of a course's files and with invalid ones. Returns the exit
/// code and the error.
fn refused(course: &Course, arguments: &[&str]) -> (Option<i32>, String) {
    let paths = ["teams.toml", "state"].map(|name| course.path(name));
    let [teams, state] = paths.each_ref().map(|path| path.to_str().unwrap());
    let files = ["--teams", teams, "--state", state];
    let first = ["0", "--port", "0"];
    let (code, lines) = refusal(&[&first, arguments, &files].concat());
    let folder = course.folder.path().to_str().unwrap();
    (code, lines.join("\n").replace(folder, "DIR"))
}

#[test]
fn a_refused_command_begins_and_resumes_nothing() {
    let course = Course::new(2);
    let end = serde_json::json!({"action": "end-tournament"});
    let referee = course.start(&[&ROUND_ROBIN[..], &["--http", "0"]].concat());
    referee.wait_for_line("a tournament of 2 teams begins");
    press(&referee, end);
    referee.wait_for_line("the tournament is over");
    // A match of clients without names, which cannot be resumed.
    let [one, other] = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    let (mut black, _white) = by_color(one, other);
    black.ask("1 c3", "200 ");
    referee.kill();
    let wrong: [(&[&str], i32, &str); 5] = [
        (
            &["--tournament", "round-robin", "--avoid", "T0", "T7"],
            2,
            "--avoid: the file of --teams has no team T7",
        ),
        (
            &["--tournament", "round-robin", "--avoid", "T0", "T1"],
            2,
            "--tournament: there is nothing to play",
        ),
        (
            &["--tournament", "swiss", "--rounds", "9"],
            2,
            "--tournament: ",
        ),
        (
            &["--tournament", "round-robin", "--players", "3"],
            2,
            "--players 3: ",
        ),
        (
            &["--tournament", "round-robin", "--house", "3"],
            2,
            "--tournament needs a table where no house plays",
        ),
    ];
    for (options, code, why) in wrong {
        let (exit, told) = refused(&course, options);
        assert_eq!(exit, Some(code), "{told}");
        assert!(told.starts_with(&format!("error: {why}")), "{told}");
        assert_eq!(course.journals(), 1, "{options:?}");
        let second = course.path("state").join("tournament-0002.jsonl");
        assert!(!second.exists(), "{options:?}");
    }
    assert_len(&results(&course.path("state")), 0);
    // The right one finds everything as it was.
    let referee = course.start(&ROUND_ROBIN);
    referee.wait_for_line("No result: the match was interrupted");
    referee.wait_for_line("the tournament of these options is over");
}

#[test]
fn options_of_tournaments_need_a_current_or_earlier_tournament() {
    let course = Course::new(2);
    for options in [["--forfeit-after", "10"], ["--stop-after", "tournament"]] {
        let (code, told) = refused(&course, &options);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains(" is for a tournament: hold one"), "{told}");
    }
    let end = serde_json::json!({"action": "end-tournament"});
    let referee = course.start(&[&ROUND_ROBIN[..], &["--http", "0"]].concat());
    referee.wait_for_line("a tournament of 2 teams begins");
    press(&referee, end);
    referee.wait_for_line("the tournament is over");
    let [one, other] = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    let (mut black, _white) = by_color(one, other);
    black.ask("1 c3", "200 ");
    referee.kill();
    // The command of a finished tournament records the remaining results, and ends.
    let options = ["--forfeit-after", "10", "--stop-after", "tournament"];
    let mut referee = course.start(&options);
    assert!(referee.wait().success());
    referee.wait_for_line("the last tournament in this folder is over");
    assert_eq!(course.journals(), 0);
    sole(results(&course.path("state")));
}

#[test]
fn other_options_do_not_continue_an_unfinished_tournament() {
    let course = Course::new(2);
    let referee = course.start(&ROUND_ROBIN);
    referee.wait_for_line("a tournament of 2 teams begins, seed 7");
    referee.kill();
    let (code, told) = refused(&course, &["--tournament", "round-robin", "--single"]);
    assert_eq!(code, Some(1));
    assert_eq!(
        told,
        "error: --tournament: DIR/state has an unfinished tournament, that of --tournament \
         round-robin --players 2 --seed 7: continue it with these options or with none; hold the new \
         one in another folder; or end the old one: start with none, and press \"End the \
         tournament\" on the organizer's page (--http)"
    );
    // Without --tournament, these options apply to the unfinished tournament.
    let referee = course.start(&["--forfeit-after", "60", "--stop-after", "tournament"]);
    referee.wait_for_line("tournament of 2 teams");
}

#[test]
fn forfeits_need_teams_and_records() {
    let (code, lines) = refusal(&["0", "--forfeit-after", "10"]);
    assert_eq!(code, Some(2), "{lines:?}");
    let why = "--forfeit-after is for tournaments, which need --teams and --state";
    assert!(lines[0].contains(why), "{lines:?}");
}

#[test]
fn a_tournament_cannot_wait_for_more_teams_than_there_are() {
    let course = Course::new(3);
    let files = ["teams.toml", "state"].map(|name| course.path(name));
    let [teams, state] = files.each_ref().map(|path| path.to_str().unwrap());
    let files = ["--teams", teams, "--state", state];
    let players = ["--tournament", "round-robin", "--players", "4"];
    let (code, lines) = refusal(&[&["0"], &files[..], &players].concat());
    assert_eq!(code, Some(2), "{lines:?}");
    let why = "--players 4: the file of --teams has only 3 teams";
    assert!(lines[0].contains(why), "{lines:?}");
}

#[test]
fn a_tournament_begins_when_enough_teams_are_there() {
    let course = Course::new(3);
    let swiss = ["--tournament", "swiss", "--rounds", "1", "--players", "2"];
    let referee = course.start(&swiss);
    referee.wait_for_line("a tournament begins when 2 teams are there");
    let one = enter(&referee, "T2", "player ?");
    referee.wait_for_line("\"T2\" waits to play");
    assert_eq!(referee.count_in_log("a tournament of"), 0);
    let other = enter(&referee, "T0", "player ?");
    referee.wait_for_line("a tournament of 2 teams begins");
    let _ = by_color(one, other);
}

#[test]
fn the_page_shows_the_tournament_and_its_organizer_withdraws_a_team() {
    let course = Course::new(3);
    let options = ["--http", "0"];
    let referee = course.start(&[&ROUND_ROBIN[..], &["--single"], &options].concat());
    let (address, token) = (page(&referee), token(&referee));
    let mut page = Spectator::open(&referee);
    page.wait("the tournament", |page| {
        page.tournament["waits"] == serde_json::json!(["T0, T1 and T2 are not there"])
    });
    let pair = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    page.wait("a match", |page| {
        page.tournament["rounds"].to_string().contains("at table 0")
    });
    page.wait("its round", |page| page.first().table["round"].is_u64());
    let withdraw = |name: &str| {
        let command = serde_json::json!({"action": "withdraw", "name": name});
        act(address, Some(&token), &command)
    };
    withdraw("T2");
    referee.wait_for_line("T2 leaves the tournament");
    let [one, other] = pair;
    let (mut black, mut white) = by_color(one, other);
    play_out(&mut black, &mut white);
    page.wait("the end", |page| page.tournament["running"] == false);
    referee.wait_for_line("the tournament is over");
    // Black won. T2 lost both of its games by forfeit, and is not ranked.
    let rows = page.tournament["crosstable"]["rows"].as_array().unwrap();
    let cells: Vec<_> = rows.iter().map(|row| &row["cells"]).collect();
    assert_eq!(
        serde_json::json!(cells),
        serde_json::json!([
            ["x", "2:b1", "3:w+"],
            ["1:w0", "x", "3:b+"],
            ["1:b-", "2:w-", "x"]
        ])
    );
}

#[test]
fn the_page_counts_down_to_forfeits_and_says_who_has_won() {
    let course = Course::new(3);
    let options = ["--single", "--tables", "2", "--http", "0"];
    let limit = ["--forfeit-after", "2"];
    let referee = course.start(&[&ROUND_ROBIN[..], &options, &limit].concat());
    let mut page = Spectator::open(&referee);
    page.wait("the tournament", |page| {
        page.tournament["title"] == "Round robin, 0 of 3 games played"
    });
    let _waiting = enter(&referee, "T0", "player ?");
    // T0 is there: the others forfeit their games against it, and then the one that is theirs.
    let forfeits = |page: &Spectator| -> Vec<String> {
        let rounds = page.tournament["rounds"].as_array().unwrap();
        let counted = rounds.iter().flat_map(|round| {
            let deadlines = round["deadlines"].as_object().into_iter().flatten();
            deadlines.map(|(row, at)| {
                assert!(at.as_u64().unwrap() > 2000 && round["stage"] == "current");
                let row = &round["games"]["rows"][row.parse::<usize>().unwrap()];
                row[3].as_str().unwrap().to_owned()
            })
        });
        let mut counted: Vec<String> = counted.collect();
        counted.sort();
        counted
    };
    let [one, other] = ["T1 forfeits in", "T2 forfeits in"];
    page.wait("the countdown", |page| {
        forfeits(page) == [one, other, "both forfeit in"]
    });
    page.wait("the end", |page| page.tournament["running"] == false);
    assert_eq!(page.tournament["outcome"], "T0 wins with 2 points");
    assert_eq!(forfeits(&page), [] as [String; 0]);
    page.wait_for_line("the tournament is over");
    let about: Vec<&String> = page
        .log
        .iter()
        .filter(|line| line.contains("forfeit"))
        .collect();
    assert_eq!(about.len(), 3, "{:?}", page.log);
    assert!(
        !page.log.iter().any(|line| line.contains("Table")),
        "{:?}",
        page.log
    );
}

#[test]
fn a_client_at_a_table_is_asked_to_come_back_when_a_tournament_begins() {
    let course = Course::new(2);
    let referee = course.start(&["--http", "0"]);
    let mut guest = referee.seat("player black");
    // None of them can have White, neither against the guest nor in the tournament.
    let _teams = ["T0", "T1"].map(|team| enter(&referee, team, "player black"));
    referee.wait_for_line("\"T0\" waits to play black");
    referee.wait_for_line("\"T1\" waits to play black");
    let begin = serde_json::json!({"action": "tournament", "system": "round-robin", "games": 2});
    act(page(&referee), Some(&token(&referee)), &begin);
    referee.wait_for_line("a tournament of 2 teams begins");
    guest.expect("399 A tournament of teams is being played here");
    guest.expect_end();
    // Two of the teams play a game of the tournament, and none plays the guest.
    let mut white = enter(&referee, "T0", "player white");
    white.lines_to("351 ");
    referee.wait_for_line("black (\"T1\") against white (\"T0\")");
}

#[test]
fn the_same_command_starts_no_second_tournament_but_another_seed_does() {
    let course = Course::new(2);
    let options = [&ROUND_ROBIN[..], &["--forfeit-after", "0.1"]].concat();
    let referee = course.start(&options);
    let one = enter(&referee, "T0", "player ?");
    referee.wait_for_line("the tournament is over");
    referee.kill();
    drop(one);
    let referee = course.start(&options);
    referee.wait_for_line("the tournament of these options is over");
    assert_eq!(referee.count_in_log("begins"), 0);
    // Free matches are played.
    let pair = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    let [one, other] = pair;
    let _ = by_color(one, other);
    referee.kill();
    let referee = course.start(&[&ROUND_ROBIN[..], &["--players", "2"]].concat());
    referee.wait_for_line("the tournament of these options is over");
    let pair = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    let [one, other] = pair;
    let _ = by_color(one, other);
    assert_eq!(referee.count_in_log("begins, seed"), 0);
    referee.kill();
    let referee = course.start(&["--tournament", "round-robin", "--seed", "8"]);
    referee.wait_for_line(
        "that of --tournament round-robin --players 2 --seed 7, is over: these options hold another",
    );
    referee.wait_for_line("a tournament of 2 teams begins, seed 8");
}

#[cfg(target_os = "linux")]
#[test]
fn a_planned_tournament_begins_as_soon_as_there_is_room_on_the_disk() {
    let course = Course::new(2);
    let paths = ["teams.toml", "state"].map(|name| course.path(name));
    let [teams, state] = paths.each_ref().map(|path| path.to_str().unwrap());
    let files = ["--teams", teams, "--state", state, "--players", "2"];
    let referee = Referee::start_with_room(Room::Bytes(0), &[&ROUND_ROBIN[..], &files].concat());
    let pair = || ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    // Their game could not begin.
    for mut client in pair() {
        client.lines_to("399 ");
    }
    referee.wait_for_line("the tournament is not on the disk: it begins again");
    referee.set_room(Room::Enough);
    let [one, other] = pair();
    referee.wait_for_line("a tournament of 2 teams begins, seed 7");
    let _ = by_color(one, other);
    assert!(course.results_file().exists());
    assert!(!course.path("state").join("tournament-0002.jsonl").exists());
}

/// The organizer presses a button.
fn press(referee: &Referee, command: serde_json::Value) {
    let answer = act(page(referee), Some(&token(referee)), &command);
    assert!(answer.starts_with("HTTP/1.1 200"), "{command}: {answer}");
}

/// Clients of both teams that give their names, with which they can come back.
fn named_pair(referee: &Referee) -> (Client, Client) {
    let [one, other] = ["T0", "T1"].map(|team| {
        let opening = format!("player ? \"{team}\"");
        enter(referee, team, &opening)
    });
    by_color(one, other)
}

/// The games in the results file of this number: the match, or `forfeit`.
fn games(course: &Course, number: u32) -> Vec<String> {
    let name = format!("tournament-{number:04}.jsonl");
    let tournament = ResultsFile::read(&course.path("state").join(name)).unwrap();
    let games = tournament.games().filter_map(|(_, result)| {
        let result = result?;
        let id = result.id.as_ref().map(|id| id.as_str().to_owned());
        Some(id.unwrap_or_else(|| "forfeit".into()))
    });
    games.collect()
}

/// A game of T0 against T1, after its first move.
fn begun_game(course: &Course, options: &[&str]) -> (Referee, Client, Client) {
    let referee = course.start(options);
    let (mut black, mut white) = named_pair(&referee);
    black.ask("1 c3", "200 ");
    white.lines_to("311 ");
    (referee, black, white)
}

#[test]
fn a_game_that_is_adjourned_and_resumed_after_restarts_counts_once() {
    let course = Course::new(2);
    let options = [&ROUND_ROBIN[..], &["--single", "--http", "0"]].concat();
    let (referee, mut black, mut white) = begun_game(&course, &options);
    press(
        &referee,
        serde_json::json!({"action": "adjourn", "table": 0}),
    );
    black.lines_to("399 ");
    white.lines_to("399 ");
    referee.kill();

    let referee = course.start(&options);
    let mut page = Spectator::open(&referee);
    page.wait("what is waited for", |page| {
        let waits = page.tournament["waits"].to_string();
        waits.contains("is adjourned: resume it") && page.adjourned.len() == 1
    });
    // The game is not played again in the meantime.
    let waiting = ["T0", "T1"].map(|team| enter(&referee, team, "player ?"));
    referee.wait_for_line("\"T1\" waits to play");
    for client in waiting {
        client.leave();
    }
    let id = page.adjourned[0]["id"].as_str().unwrap().to_owned();
    let resume = serde_json::json!({"action": "recall", "table": 0, "game": id});
    press(&referee, resume);
    referee.wait_for_line("waits for its players after 1 move");
    referee.kill();

    // Now it is an interrupted match like any other.
    let referee = course.start(&options);
    let (mut black, mut white) = named_pair(&referee);
    white.ask("1 ... pass", "200 ");
    white.lines_to("316 ");
    black.lines_to("316 ");
    black.ask("2 pass", "201 ");
    black.rest();
    referee.wait_for_line("the tournament is over");
    assert_eq!(games(&course, 1), [id.as_str()]);
    referee.kill();
    // Nothing that could count again is left.
    let referee = course.start(&options);
    referee.wait_for_line("the tournament of these options is over");
    referee.kill();
    assert_eq!(games(&course, 1), [id]);
    sole(results(&course.path("state")));
}

#[test]
fn a_game_of_an_ended_tournament_counts_for_no_other() {
    let course = Course::new(2);
    let options = [&ROUND_ROBIN[..], &["--single", "--http", "0"]].concat();
    let (referee, _black, _white) = begun_game(&course, &options);
    press(&referee, serde_json::json!({"action": "end-tournament"}));
    referee.wait_for_line("the organizer has ended the tournament");
    referee.kill();

    // The only game of the second tournament is that of the first one, or has the other colors.
    for seed in ["8", "9"] {
        let course = course.copy();
        let another = ["--tournament", "round-robin", "--single", "--seed", seed];
        // It would be void.
        let (code, told) = refused(&course, &another);
        assert_eq!(code, Some(1), "{told}");
        assert!(
            told.starts_with(
                "error: --tournament: a game of the last tournament is not over, match "
            ),
            "{told}"
        );
        assert!(told.ends_with("and let the game end or void it"), "{told}");
        let referee = course.start(&["--http", "0"]);
        let (mut black, mut white) = named_pair(&referee);
        white.ask("1 ... pass", "200 ");
        black.lines_to("316 ");
        black.ask("resign", "204 ");
        white.rest();
        referee.wait_for_line("Black resigned");
        referee.kill();
        let first = games(&course, 1);
        assert_len(&first, 1);
        let referee = course.start(&another);
        referee.wait_for_line(&format!("a tournament of 2 teams begins, seed {seed}"));
        let (mut black, mut white) = named_pair(&referee);
        black.ask("resign", "204 ");
        white.rest();
        referee.wait_for_line("the tournament is over");
        assert_ne!(games(&course, 2), first);
        sole(games(&course, 2));
        assert_eq!(games(&course, 1), first);
        assert_len(&results(&course.path("state")), 2);
    }
}

/// Others could take the seats of its teams, or a team could not come to its match.
#[test]
fn an_unfinished_tournament_needs_the_file_with_its_teams() {
    let course = Course::new(2);
    let referee = course.start(&ROUND_ROBIN);
    referee.wait_for_line("a tournament of 2 teams begins");
    referee.kill();
    let state = course.path("state");
    let state = state.to_str().unwrap();
    let (code, without) = refusal(&["0", "--port", "0", "--state", state]);
    assert_eq!(code, Some(1));
    let fewer = "[[team]]\nname = \"T1\"\nserver = 11\n";
    fs::write(course.path("teams.toml"), fewer).unwrap();
    let (code, told) = refused(&course, &[]);
    assert_eq!(code, Some(1));
    assert_eq!(without.join("\n").replace(state, "DIR/state"), told);
    insta::assert_snapshot!(told, @"error: DIR/state: the tournament there is not over, and T0 could not come: start the referee with --teams and the file with all teams of the tournament, or with another folder");
}

#[test]
fn the_page_says_who_takes_part_including_teams_that_play() {
    let course = Course::new(4);
    let referee = course.start(&["--http", "0", "--tables", "2", "--house", "1:1"]);
    let mut page = Spectator::open(&referee);
    page.wait("nobody", |page| page.entrants == Some(Vec::new()));
    // T1 and T2 play a free match, T3 plays the house, and T0 waits.
    let _pair = ["T1", "T2"].map(|team| enter(&referee, team, "player ?"));
    referee.wait_for_line("against");
    let mut practicing = Client::connect(referee.addresses[1]);
    practicing.expect("000 ");
    practicing.send("0.9.2 player black \"T3\"\r");
    practicing.lines_to("352 ");
    let _waiting = enter(&referee, "T0", "player ?");
    let sorted = |page: &Spectator| {
        let mut names = page.entrants.clone().unwrap();
        names.sort();
        names
    };
    page.wait("all teams", |page| sorted(page) == ["T0", "T1", "T2", "T3"]);
    practicing.leave();
    page.wait("one less", |page| sorted(page) == ["T0", "T1", "T2"]);
    press(
        &referee,
        serde_json::json!({"action": "tournament", "system": "round-robin", "games": 1}),
    );
    referee.wait_for_line("a tournament of 3 teams begins");
}

#[test]
fn teams_of_matches_that_were_adjourned_long_ago_do_not_take_part() {
    let course = Course::new(3);
    let referee = course.start(&["--http", "0"]);
    let (mut black, mut white) = named_pair(&referee);
    press(
        &referee,
        serde_json::json!({"action": "adjourn", "table": 0}),
    );
    black.lines_to("399 ");
    white.lines_to("399 ");
    let mut page = Spectator::open(&referee);
    page.wait("both teams", |page| {
        page.entrants.as_ref().is_some_and(|names| names.len() == 2)
    });
    referee.kill();
    let referee = course.start(&["--http", "0"]);
    let mut page = Spectator::open(&referee);
    page.wait("the adjourned match", |page| page.adjourned.len() == 1);
    let _waiting = enter(&referee, "T2", "player ?");
    page.wait("who is there", |page| {
        page.entrants.as_ref().is_some_and(|names| *names == ["T2"])
    });
}

/// How a client of the trial behaves.
#[derive(Clone, Copy, PartialEq)]
enum Conduct {
    /// Plays random moves.
    Plays,
    /// The same, but stays away for a while.
    Leaves,
    /// Sends nothing but illegal moves.
    Illegal,
    /// Sends more than the referee reads.
    Floods,
}

/// A client of a team of the trial, which connects again and again.
struct Bot {
    team: usize,
    /// What it asks for: `player ?`, perhaps with a name.
    opening: String,
    conduct: Conduct,
    seed: u64,
}

/// Where the teams connect now; nowhere while the referee is dead.
type Ports = Arc<Mutex<Option<Vec<SocketAddr>>>>;

impl Bot {
    fn run(self, ports: &Ports, is_over: &AtomicBool, timeline: &Timeline) {
        let mut rng = StdRng::seed_from_u64(self.seed);
        let begin = Instant::now();
        while !is_over.load(SeqCst) {
            let now = begin.elapsed().as_secs();
            if self.conduct == Conduct::Leaves && (6..8).contains(&now) {
                thread::sleep(Duration::from_millis(50));
                continue;
            }
            let port = ports.lock().unwrap().as_ref().map(|ports| ports[self.team]);
            if port.is_none_or(|port| self.play(port, &mut rng, timeline).is_none()) {
                thread::sleep(Duration::from_millis(30));
            }
        }
    }

    /// Plays one match, as far as it goes. `None` if it got no seat.
    fn play(&self, port: SocketAddr, rng: &mut StdRng, timeline: &Timeline) -> Option<()> {
        let mut stream = TcpStream::connect(port).ok()?;
        stream.set_nodelay(true).ok()?;
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .ok()?;
        let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
        let mut next = || lines.next()?.ok();
        next()?;
        stream
            .write_all(format!("{} {}\r", version_of(&self.opening), self.opening).as_bytes())
            .ok()?;
        let asked = Color::ALL.into_iter().find(|color| {
            let side = ["player black", "player white"][*color as usize];
            self.opening.starts_with(side)
        });
        let connection = timeline.asks(self.team, asked);
        let mut opponent = None;
        let side = loop {
            let line = next()?;
            match line.get(..3)? {
                "341" | "342" => opponent = opponent.or(self.opponent_in(&line)),
                "351" => break Color::White,
                "352" => break Color::Black,
                "191" | "399" => return None,
                _ => {}
            }
        };
        connection.plays(opponent);
        let mut game = Game::new();
        let mut plies = 0;
        // A resumed match has moves, which arrive at once.
        let name = self.opening.contains('"');
        if name {
            thread::sleep(Duration::from_millis(100));
        }
        loop {
            if game.to_move() == side && !(name && plies == 0 && self.is_restored(&stream)) {
                let dots = if side == Color::White { "... " } else { "" };
                let number = plies / 2 + 1;
                let request = match self.conduct {
                    Conduct::Floods => "nonsense\r".repeat(5_000),
                    Conduct::Illegal => format!("{number} {dots}f9\r"),
                    _ => format!("{number} {dots}{}\r", choose(&game, rng)),
                };
                // It may be over.
                let _ = stream.write_all(request.as_bytes());
            }
            let line = loop {
                let line = next()?;
                match line.get(..2)? {
                    "31" => break line,
                    "32" | "36" => return Some(()),
                    "39" => return Some(()),
                    "29" if self.conduct != Conduct::Floods => {
                        let _ = stream.write_all(b"1 f9\r");
                    }
                    _ => {}
                }
            };
            let mut words = line.split(' ').skip(2).filter(|word| *word != "...");
            let played: Move = words.next()?.parse().ok()?;
            let mover = game.to_move();
            game.play(mover, played).ok()?;
            plies += 1;
        }
    }

    /// The number of the opponent's team, if this line has its name.
    fn opponent_in(&self, line: &str) -> Option<usize> {
        let name = line.split('"').nth(1)?;
        let team = name.strip_prefix('T')?.parse().ok()?;
        (team != self.team).then_some(team)
    }

    /// Whether moves of a resumed match are waiting.
    fn is_restored(&self, stream: &TcpStream) -> bool {
        let mut first = [0];
        stream.set_nonblocking(true).unwrap();
        let is_waiting = matches!(stream.peek(&mut first), Ok(1));
        stream.set_nonblocking(false).unwrap();
        is_waiting
    }
}

/// A random move, which is a pass often enough for short games.
fn choose(game: &Game, rng: &mut StdRng) -> Move {
    let legal: Vec<Move> = game.position().unwrap().legal_moves().collect();
    let is_placement = |mv: &&Move| **mv != Move::Pass;
    let placements: Vec<&Move> = legal.iter().filter(is_placement).collect();
    if placements.is_empty() || rng.random_range(0..4) == 0 {
        return Move::Pass;
    }
    *placements[rng.random_range(0..placements.len())]
}

/// The points of the teams, computed from the records: each match by its moves, if it was played
/// to its end.
fn points_of(records: &Path, forfeited: &[(String, String)]) -> BTreeMap<String, f64> {
    let mut points: BTreeMap<String, f64> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for row in results(records) {
        let [id, _, black, white, winner, reason, score] = &row[..7] else {
            panic!("{row:?}");
        };
        // After the end, the clients meet without a tournament.
        let is_free = row.last().is_some_and(String::is_empty);
        if winner == "none" || is_free {
            continue;
        }
        assert!(
            seen.insert((black.clone(), white.clone())),
            "twice: {row:?}"
        );
        let record = records.join(format!("games/{id}.sgf"));
        let text = fs::read_to_string(record).unwrap();
        let game = gothello::sgf::read(&text, usize::MAX).unwrap();
        if reason == "play" {
            let outcome = game.outcome().unwrap().to_string();
            assert_eq!(&outcome, score, "{row:?}");
            let by_moves = match outcome.get(..1) {
                Some("B") => "black",
                Some("W") => "white",
                _ => "draw",
            };
            assert_eq!(by_moves, winner, "{row:?}");
        }
        let (first, second) = match &winner[..] {
            "black" => (1.0, 0.0),
            "white" => (0.0, 1.0),
            _ => (0.5, 0.5),
        };
        *points.entry(black.clone()).or_default() += first;
        *points.entry(white.clone()).or_default() += second;
    }
    for (winner, loser) in forfeited {
        *points.entry(winner.clone()).or_default() += 1.0;
        points.entry(loser.clone()).or_default();
    }
    points
}

#[test]
#[ignore = "a tournament of twelve teams takes about a minute"]
fn a_course_of_twelve_teams_plays_to_the_end_though_the_referee_is_killed_twenty_times() {
    const TEAMS: usize = 12;
    /// The team that never comes.
    const NEVER: usize = 11;
    const KILLS: u64 = 20;
    /// In seconds.
    const CLOCK: u64 = 5;
    /// In seconds.
    const FORFEIT_AFTER: u64 = 8;
    const FLOODS: usize = 6;
    let course = Course::new(TEAMS);
    let forfeit_after = FORFEIT_AFTER.to_string();
    let clock = CLOCK.to_string();
    let options = [&clock, "--tables", "6", "--seat-timeout", "60"];
    let options = [
        &options[..],
        &ROUND_ROBIN,
        &["--forfeit-after", &forfeit_after],
    ]
    .concat();
    let ports: Ports = Arc::default();
    let is_over = Arc::new(AtomicBool::new(false));
    let timeline = Arc::new(Timeline::default());
    let mut named = BTreeSet::new();
    let mut bots = Vec::new();
    for team in (0..TEAMS).filter(|&team| team != NEVER) {
        let conduct = match team {
            4 | 5 => Conduct::Leaves,
            FLOODS => Conduct::Floods,
            7 => Conduct::Illegal,
            _ => Conduct::Plays,
        };
        // A third of the teams start clients as with the libraries: without a name, one for each
        // side.
        let openings = match team {
            0..4 => vec!["player black".to_owned(), "player white".to_owned()],
            8 => vec!["player ?".to_owned()],
            _ => {
                named.insert(team);
                vec![format!("player ? \"T{team}\"")]
            }
        };
        for (number, opening) in (0..).zip(openings) {
            let bot = Bot {
                team,
                opening,
                conduct,
                seed: 2 * team as u64 + number,
            };
            let (ports, is_over) = (Arc::clone(&ports), Arc::clone(&is_over));
            let timeline = Arc::clone(&timeline);
            bots.push(thread::spawn(move || bot.run(&ports, &is_over, &timeline)));
        }
    }
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..KILLS {
        let referee = course.start(&options);
        timeline.runs();
        *ports.lock().unwrap() = Some(course.ports(&referee));
        thread::sleep(Duration::from_millis(rng.random_range(100..1_000)));
        *ports.lock().unwrap() = None;
        timeline.is_killed();
        referee.kill();
    }
    let referee = course.start(&options);
    timeline.runs();
    *ports.lock().unwrap() = Some(course.ports(&referee));
    Deadline::within(Duration::from_secs(300)).wait_for(
        "the end of the tournament",
        || format!("{:#?}", referee.log()),
        || (referee.count_in_log("the tournament is over") > 0).then_some(()),
    );
    is_over.store(true, SeqCst);
    referee.kill();
    for bot in bots {
        bot.join().unwrap();
    }
    course.note_results(&timeline);
    let promise = Promise {
        teams: TEAMS,
        named,
        clocks: Duration::from_secs(2 * CLOCK),
        forfeit_after: Duration::from_secs(FORFEIT_AFTER),
        at_once: Duration::from_secs(4),
        // A flooding client is read at 100 lines a second, on average over ten seconds.
        read_later: (BTreeSet::from([FLOODS]), Duration::from_secs(10)),
    };
    println!("{:?}", promise.check(timeline.events()));
    let tournament = ResultsFile::read(&course.results_file()).unwrap();
    assert!(tournament.is_over());
    let rows = results(&course.path("state"));
    let mut forfeited = Vec::new();
    let mut games = 0;
    for (scheduled, result) in tournament.games() {
        let result = result.unwrap();
        games += 1;
        let names = [&scheduled.black, &scheduled.white].map(ToString::to_string);
        if !result.forfeit {
            let row = rows
                .iter()
                .find(|row| row[0] == result.id.as_ref().unwrap().as_str());
            assert_eq!(row.unwrap()[2..4], names, "{scheduled}");
            continue;
        }
        let [black, white] = names;
        let pair = match result.winner {
            Some(Color::Black) => (black, white),
            Some(Color::White) => (white, black),
            None => panic!("both forfeit {scheduled}"),
        };
        assert_eq!(pair.1, format!("T{NEVER}"), "{scheduled}");
        forfeited.push(pair);
    }
    assert_eq!(games, TEAMS * (TEAMS - 1));
    assert_eq!(forfeited.len(), 2 * (TEAMS - 1), "{forfeited:#?}");
    let expected = points_of(&course.path("state"), &forfeited);
    let found: BTreeMap<String, f64> = tournament
        .standings()
        .iter()
        .map(|row| (row.player.to_string(), row.points.as_f64()))
        .collect();
    assert_eq!(found, expected);
}
