//! Recordings of the server that teams have played with so far, replayed: what its
//! clients sent is sent to our contest at the same times, and what it answered is
//! compared message by message, times apart.
//!
//! Where ours means to answer otherwise, the difference stands with its reason in
//! `recordings/differences.txt`. Nothing else may differ, and all of it must.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gothello::contests::goref::{ClientId, GamePhase, OrganizerCommand};

use crate::goref::test_contest::{TestContest, setup};

const DIFFERENCES: &str = include_str!("recordings/differences.txt");

macro_rules! recordings {
    ($($name:literal $test:ident)*) => {
        const NAMES: &[&str] = &[$($name),*];
        $(
            #[test]
            fn $test() {
                check($name, include_str!(concat!("recordings/", $name, ".txt")));
            }
        )*
    };
}

recordings! {
    "disconnect_resume" disconnect_resume
    "draw_komi0" draw_komi0
    "example_silly_vs_silly_5x5" example_silly_vs_silly_5x5
    "fall19-pass_pass_19" fall19_pass_pass_19
    "illegal_moves" illegal_moves
    "ko" ko
    "mercy" mercy
    "mercy_on_pass" mercy_on_pass
    "pass_pass_19" pass_pass_19
    "pause_resume_clock" pause_resume_clock
    "resign" resign
    "scoring_area_prisoner1" scoring_area_prisoner1
    "scoring_territory_prisoner1" scoring_territory_prisoner1
    "suicide" suicide
    "superko_same_board_other_turn_3x3_nopass" superko_same_board_other_turn_3x3_nopass
    "superko_simple" superko_simple
    "timeout_3s" timeout_3s
    "v2-new_game" v2_new_game
    "v2-one_move_resume_and_disconnect" v2_one_move_resume_and_disconnect
}

#[test]
fn no_recording_is_left_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pure/goref/recordings");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut names: Vec<String> = files
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "differences")
        .collect();
    names.sort();
    assert_eq!(names, NAMES);
}

#[test]
fn every_difference_belongs_to_a_recording_and_has_a_reason() {
    for (name, (reasons, lines)) in differences() {
        assert!(NAMES.contains(&name.as_str()), "{name}");
        assert!(!reasons.is_empty() && !lines.is_empty(), "{name}");
    }
}

/// The reasons, and the lines that are (`-`) or are not (`+`) in the recording, of
/// each recording.
fn differences() -> BTreeMap<String, (Vec<String>, Vec<String>)> {
    let mut sections = BTreeMap::new();
    for section in DIFFERENCES.split("\n== ").skip(1) {
        let (name, text) = section.split_once('\n').unwrap();
        let lines = text.lines().filter(|line| !line.is_empty());
        let (reasons, changes): (Vec<String>, Vec<String>) = lines
            .map(str::to_owned)
            .partition(|line| line.starts_with('#'));
        sections.insert(name.to_owned(), (reasons, changes));
    }
    sections
}

fn check(name: &str, recording: &str) {
    let (file, recorded) = parse(recording);
    let ours = replay(&file, &recorded);
    let mut found = Vec::new();
    for side in ["B", "W"] {
        let theirs: Vec<String> = recorded
            .iter()
            .filter(|event| event.who == side && event.what.is_heard())
            .map(|event| without_times(event.what.text()))
            .collect();
        let ours = ours.get(side).cloned().unwrap_or_default();
        found.extend(changes(side, &theirs, &ours));
    }
    let expected = differences().remove(name).map(|(_, lines)| lines);
    assert_eq!(
        found,
        expected.unwrap_or_default(),
        "{name}: these differ; they stand in differences.txt if they are meant:\n{}",
        found.join("\n")
    );
}

/// The lines that are in one list only, in their order: the longest common
/// subsequence stays.
fn changes(side: &str, theirs: &[String], ours: &[String]) -> Vec<String> {
    let mut common = vec![vec![0; ours.len() + 1]; theirs.len() + 1];
    for i in (0..theirs.len()).rev() {
        for j in (0..ours.len()).rev() {
            common[i][j] = if theirs[i] == ours[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut changes = Vec::new();
    while i < theirs.len() || j < ours.len() {
        if i < theirs.len() && j < ours.len() && theirs[i] == ours[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == ours.len() || i < theirs.len() && common[i + 1][j] >= common[i][j + 1] {
            changes.push(format!("- {side} {}", theirs[i]));
            i += 1;
        } else {
            changes.push(format!("+ {side} {}", ours[j]));
            j += 1;
        }
    }
    changes
}

/// Something that a recording tells of one connection.
#[derive(Clone, Debug)]
struct Recorded {
    at: u64,
    who: &'static str,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Opens,
    Closes,
    Sends(String),
    Hears(String),
}

impl What {
    fn is_heard(&self) -> bool {
        matches!(self, What::Hears(_))
    }

    fn text(&self) -> &str {
        match self {
            What::Hears(text) | What::Sends(text) => text,
            What::Opens | What::Closes => "",
        }
    }
}

/// The file of the game, and what happened, in order.
fn parse(recording: &str) -> (String, Vec<Recorded>) {
    let mut sections = recording.split("== ").skip(1);
    let mut section = |title: &str| {
        let text = sections.next().unwrap().strip_prefix(title);
        text.unwrap().to_owned()
    };
    let file = section("game.config.json\n");
    let mut all = Vec::new();
    for who in ["B", "W"] {
        for line in section(&format!("{who}\n")).lines() {
            all.extend(event(who, line.trim_start()));
        }
    }
    all.sort_by_key(|event: &Recorded| event.at);
    // Where the recording ends, all are killed.
    while all
        .last()
        .is_some_and(|event| matches!(event.what, What::Closes))
    {
        all.pop();
    }
    (file, all)
}

fn event(who: &'static str, line: &str) -> Option<Recorded> {
    let (at, rest) = line.split_once(' ')?;
    let at = at.parse().unwrap();
    let (direction, data) = rest.split_once(' ').unwrap();
    let what = match (direction, data.trim_end()) {
        ("C>S", "[open]") => What::Opens,
        ("C>S", data) if data.starts_with("[close]") => What::Closes,
        // The other end of the same.
        ("S>C", data) if data.starts_with("[close]") => return None,
        ("C>S", data) => What::Sends(data.to_owned()),
        ("S>C", data) => What::Hears(data.to_owned()),
        _ => panic!("{line:?} is no line of a recording"),
    };
    Some(Recorded { at, who, what })
}

/// Plays what the clients sent, and does what the organizer must have done; what
/// each side hears, without times.
fn replay(file: &str, recorded: &[Recorded]) -> BTreeMap<&'static str, Vec<String>> {
    let mut test = TestContest::new(setup(file));
    let mut clients: BTreeMap<&'static str, ClientId> = BTreeMap::new();
    let mut heard: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let mut gone = Vec::new();
    let mut now = 0;
    for (index, event) in recorded.iter().enumerate() {
        // What happened at the same moment waits for nobody.
        test.wait(event.at.saturating_sub(now));
        now = event.at;
        match &event.what {
            What::Opens => {
                clients.insert(event.who, test.connect());
            }
            What::Closes => {
                if let Some(client) = clients.remove(event.who) {
                    collect(&mut test, event.who, client, &mut heard);
                    test.leave(client);
                    // Its successor was not recorded.
                    gone.push(event.who);
                }
            }
            What::Sends(text) => {
                if let Some(&client) = clients.get(event.who) {
                    test.send(client, text);
                }
            }
            What::Hears(text) => organize(&mut test, &mut clients, recorded, index, text),
        }
        for (&who, &client) in clients.iter().filter(|(who, _)| !gone.contains(who)) {
            collect(&mut test, who, client, &mut heard);
        }
    }
    heard
}

fn collect(
    test: &mut TestContest,
    who: &'static str,
    client: ClientId,
    heard: &mut BTreeMap<&'static str, Vec<String>>,
) {
    let lines = test.heard(client).into_iter();
    let lines = lines.map(|line| without_times(&line));
    heard.entry(who).or_default().extend(lines);
}

/// Does what is not in the recording: the organizer's part, and that of a client
/// that was not recorded.
fn organize(
    test: &mut TestContest,
    clients: &mut BTreeMap<&'static str, ClientId>,
    recorded: &[Recorded],
    index: usize,
    text: &str,
) {
    let Recorded { who, at, .. } = recorded[index];
    let phase = test.contest.phase(0);
    if text.contains(r#""type":"START""#) && phase != Some(GamePhase::Playing) {
        let black = client(test, clients, "B");
        let white = client(test, clients, "W");
        // Ours may have gone on by itself when both were back.
        if test.contest.phase(0) != Some(GamePhase::Playing) {
            test.seat(1, black, white);
            let command = match phase {
                Some(GamePhase::Interrupted(_)) if !text.contains(r#""moveLog":[]"#) => {
                    OrganizerCommand::Resume(1)
                }
                Some(GamePhase::Interrupted(_)) => {
                    test.act(OrganizerCommand::Clear(1)).unwrap();
                    OrganizerCommand::Start(1)
                }
                _ => OrganizerCommand::Start(1),
            };
            test.act(command).unwrap();
        }
    } else if text.contains(r#""reason":"pause""#) && phase == Some(GamePhase::Playing) {
        test.act(OrganizerCommand::Pause(1)).unwrap();
    } else if let Some(rest) = text.strip_prefix(r#"{"type":"MOVE","move":"#) {
        // A move of the opponent that nobody recorded.
        let opponent = if who == "B" { "W" } else { "B" };
        let sent = recorded[..index]
            .iter()
            .rev()
            .take_while(|event| at - event.at < 500);
        let played = rest.split_once(r#","remainingTime""#).unwrap().0;
        let known = sent.into_iter().any(|event| {
            event.who == opponent
                && matches!(&event.what, What::Sends(text) if text.contains("MOVE"))
        });
        if !known {
            let stand_in = clients[opponent];
            test.send(stand_in, &format!(r#"{{"type":"MOVE","move":{played}}}"#));
        }
    }
}

/// A client of this name, who is there or comes back.
fn client(
    test: &mut TestContest,
    clients: &mut BTreeMap<&'static str, ClientId>,
    name: &'static str,
) -> ClientId {
    *clients.entry(name).or_insert_with(|| test.client(name))
}

/// A message with every time replaced by `t`.
fn without_times(message: &str) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some(at) = rest.find(r#"Time":"#) {
        let (before, after) = rest.split_at(at + r#"Time":"#.len());
        text.push_str(before);
        rest = after;
        if let Some(both) = rest.strip_prefix('{') {
            text.push_str("{t}");
            rest = both.split_once('}').unwrap().1;
        } else {
            text.push('t');
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
        }
    }
    text.push_str(rest);
    without_signs(&text)
}

/// A message whose boards are written as `...../.W...`.
fn without_signs(message: &str) -> String {
    let mut parts = message.split("[[");
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (board, rest) = part.split_once("]]").unwrap();
        let board = board.replace("],[", "/");
        let board: String = board
            .chars()
            .filter(|sign| !"\",".contains(*sign))
            .collect();
        if board.contains(['B', 'W']) {
            text.push_str(&board);
        } else {
            let rows = board.split('/').count();
            text.push_str(&format!("empty {rows}x{rows}"));
        }
        text.push_str(rest);
    }
    text
}
