//! Transcripts and limits of teams.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::time::Instant;

use crate::netref::referee::{Client, Referee};
use crate::netref::scenes::play_out;
use crate::netref::teams::{Course, enter, sit_down};
use crate::waiting::wait_for;

/// The lines of a transcript without times and connections, after the last of this many
/// connections is closed.
fn transcript(folder: &Path, file: &str, connections: usize) -> Vec<String> {
    let text = || fs::read_to_string(folder.join(file)).unwrap_or_default();
    let text = wait_for(file, text, || {
        Some(text()).filter(|text| text.matches(" * closed\n").count() == connections)
    });
    let lines = text.lines().map(|line| line.splitn(3, ' ').nth(2).unwrap());
    lines.map(str::to_owned).collect()
}

/// Starts a referee that keeps transcripts, and returns their folder.
fn start_with_transcripts(course: &Course) -> (Referee, PathBuf) {
    let state = course.folder().join("new/state");
    let referee = course.start(&["--transcripts", "--state", state.to_str().unwrap()]);
    (referee, state.join("transcripts"))
}

#[test]
fn a_teams_transcript_has_all_lines_from_and_to_its_clients() {
    let course = Course::new();
    let (referee, folder) = start_with_transcripts(&course);
    let mut red = enter(&referee, "Red", "player black");
    referee.wait_for_line("\"Red\" waits");
    let mut wrong = sit_down(&referee, "player white \"Blue:rose\"");
    wrong.expect("199 ");
    let mut misspelled = enter(&referee, "Green", "player white \"Bleu:tulip\"");
    misspelled.expect("199 ");
    drop(misspelled);
    let mut blue = sit_down(&referee, "player white \"Blue:tulip\"");
    blue.lines_to("351 ");
    red.lines_to("352 ");
    red.ask("1 \u{e4}", "299 ");
    red.ask("1 c3", "200 ");
    blue.lines_to("311 ");
    blue.ask("1 ... c4", "200 ");
    red.lines_to("312 ");
    // The client waits for an answer, and never ends its line.
    red.send("2 d4");
    red.leave();
    blue.rest();
    drop((blue, wrong));
    let lines = transcript(&folder, "10-Red.log", 1);
    let address = lines[0]
        .strip_prefix("* connected from 127.0.0.1:")
        .unwrap();
    assert!(address.parse::<u16>().is_ok(), "{address}");
    let begins = [
        "< 000 Gothello",
        "> 0.9.1 player black",
        "< 100 ",
        "< 352 ",
        "> 1 \\xc3\\xa4",
        "< 299 ",
        "> 1 c3",
        "< 200 ",
        "< 311 1 c3 ",
        "< 312 1 ... c4 ",
    ];
    crate::netref::referee::assert_begin(&lines[1..11], &begins);
    assert!(
        lines.contains(&"* sent without an end of line: 2 d4".to_owned()),
        "{lines:#?}"
    );
    let lines = transcript(&folder, "11-Blue.log", 1);
    assert!(
        lines.contains(&"> 0.9.2 player white \"Blue:...\"".to_owned()),
        "{lines:#?}"
    );
    let all = fs::read_dir(&folder).unwrap().map(|file| {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!text.contains("tulip") && !text.contains("rose"), "{text}");
    });
    // Clients without a team have no transcript.
    assert_eq!(all.count(), 3);
    let log = referee.log().concat();
    assert!(!log.contains("tulip") && !log.contains("rose"), "{log}");
}

#[test]
fn a_client_that_is_refused_at_the_port_of_a_team_is_in_its_transcript() {
    let course = Course::new();
    let (referee, folder) = start_with_transcripts(&course);
    let mut red = enter(&referee, "Red", "play black");
    red.expect("199 ");
    drop(red);
    let lines = transcript(&folder, "10-Red.log", 1);
    crate::netref::referee::assert_begin(
        &lines[1..],
        &["< 000 ", "> 0.9.1 play black", "< 199 ", "* closed"],
    );
}

#[test]
fn lines_after_a_client_was_dropped_are_not_in_its_transcript() {
    let course = Course::new();
    let (referee, folder) = start_with_transcripts(&course);
    let mut red = Client::connect(referee.port_of("Red"));
    red.expect("000 ");
    red.send(&"y\r".repeat(5_000));
    red.lines_to("399 ");
    // Its connection is not closed yet, but its transcript is.
    let lines = transcript(&folder, "10-Red.log", 1);
    let requests = lines.iter().filter(|line| *line == "> y");
    assert_eq!(requests.count(), 10, "{lines:#?}");
    let [.., more, closed] = &lines[..] else {
        panic!("{lines:#?}");
    };
    assert!(more.starts_with("* sent "), "{lines:#?}");
    assert!(more.ends_with("more, which were not read"), "{lines:#?}");
    assert_eq!(closed, "* closed");
}

#[test]
fn a_team_that_floods_is_slowed_down_and_others_play() {
    let start = Instant::now();
    let course = Course::new();
    let referee = course.start(&["--team-messages", "2"]);
    let mut green = enter(&referee, "Green", "player black");
    let mut blue = enter(&referee, "Blue", "player white");
    green.lines_to("352 ");
    blue.lines_to("351 ");
    let mut red = enter(&referee, "Red", "player black");
    referee.wait_for_line("\"Red\" waits");
    red.send(&"1 c3\r".repeat(5_000));
    play_out(&mut green, &mut blue);
    let refused = referee.count_in_log("\"Red\"");
    // The lines of a burst, and those since.
    let most = 2.0 * (10.0 + start.elapsed().as_secs_f64()) + 10.0;
    assert!((refused as f64) < most, "{refused} are more than {most}");
}

/// Everything from this address is read more slowly; others are read at once.
#[test]
#[cfg(target_os = "linux")]
fn an_address_that_floods_is_slowed_down_and_others_play() {
    let start = Instant::now();
    let referee = Referee::start(&["--address-messages", "2", "--tables", "2"]);
    let mut flooding = Client::connect_from([127, 0, 0, 2], referee.addresses[0]);
    flooding.expect("000 ");
    flooding.send("0.9.1 player black\r");
    flooding.expect("100 ");
    // Only this client waits: each of these requests comes too early, and is refused.
    flooding.send(&"1 c3\r".repeat(5_000));
    let connect = |host| {
        let mut client = Client::connect_from(host, referee.addresses[1]);
        client.expect("000 ");
        client
    };
    let mut black = connect([127, 0, 0, 3]);
    black.send("0.9.1 player black\r");
    black.expect("100 ");
    let mut white = connect([127, 0, 0, 4]);
    white.send("0.9.1 player white\r");
    white.lines_to("351 ");
    black.lines_to("352 ");
    play_out(&mut black, &mut white);
    let refused = referee.count_in_log("was told 29");
    let most = 2.0 * (10.0 + start.elapsed().as_secs_f64()) + 10.0;
    assert!((refused as f64) < most, "{refused} are more than {most}");
}

/// Connects until the first answer begins with this: the referee notices in a moment that a client
/// left.
fn enter_when_allowed(connect: impl Fn() -> Client, answer: &str) -> Client {
    let nothing = || "other answers";
    wait_for(&format!("{answer:?} first"), nothing, || {
        let mut client = connect();
        client.expect("").starts_with(answer).then_some(client)
    })
}

#[test]
fn a_team_has_no_more_connections_than_are_allowed() {
    let course = Course::new();
    let referee = course.start(&["--team-connections", "2"]);
    // Strangers at its port that ask for nothing do not count.
    let mut idle = [(); 3].map(|()| Client::connect(referee.port_of("Red")));
    idle.iter_mut().for_each(|client| {
        client.expect("000 ");
    });
    // In the lobby, a request that comes too early is refused.
    let red = || {
        let mut red = enter(&referee, "Red", "player black");
        red.send("1 c3\r");
        red
    };
    let [mut one, mut two] = [red(), red()];
    one.expect("291 ");
    two.expect("291 ");
    let mut three = red();
    three.expect("399 There are too many connections of your team");
    three.expect_end();
    // Clients that know the name, and the secret if there is one, have a limit of their own.
    let mut four = sit_down(&referee, "player black \"Red\"");
    four.expect("100 ");
    let mut five = sit_down(&referee, "player white \"Red\"");
    five.expect("100 ");
    let mut six = enter(&referee, "Red", "player white \"Red\"");
    six.expect("399 There are too many connections of your team");
    let mut blue = sit_down(&referee, "observer \"Blue:tulip\"");
    blue.lines_to("353 ");
    one.leave();
    enter_when_allowed(red, "291 ");
}

#[test]
fn an_address_has_no_more_connections_than_are_allowed() {
    let referee = Referee::start(&["--address-connections", "2"]);
    let mut one = referee.connect();
    one.expect("000 ");
    let mut two = referee.connect();
    two.expect("000 ");
    let mut three = referee.connect();
    three.expect("399 There are too many connections");
    three.expect_end();
    referee.wait_for_line("too many connections from its address");
    one.leave();
    enter_when_allowed(|| referee.connect(), "000 ");
}
