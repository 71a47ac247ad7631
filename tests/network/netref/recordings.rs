//! Replays recordings of the deployed referee with real and with misbehaving clients: the bytes
//! that the clients sent are sent to our referee, and its answers are compared line by line.
//!
//! `recordings/differences.txt` has every intended difference of our referee, with the reason, as
//! a patch of each recording. Nothing else may differ, and every listed difference must occur.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use itertools::Itertools;

use crate::netref::referee::{Client, Referee};

/// The deployed referee's greeting. The paper's is `000 Gothello <version>`
/// (table 1), so ours has these two words the other way
/// round, and its own version.
const GREETING: [&str; 2] = [
    "000 0.9.1 version Gothello server says hello!",
    "000 Gothello 0.9.2",
];

/// How many seconds less than in the recording a clock may show: the machine
/// that runs the tests may be slow. More than in the recording is wrong.
const SLOWER: u64 = 15;

/// The patches of the recordings.
const DIFFERENCES: &str = include_str!("recordings/differences.txt");

macro_rules! recordings {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                let recording = include_str!(concat!("recordings/", stringify!($name), ".txt"));
                replay(stringify!($name), recording);
            }
        )*
    };
}

recordings! {
    e01_versions
    e02_names_ws
    e03_seats
    e04_terminators
    e05_bad_moves
    e07_resign
    e08a_disc_mover
    e08b_disc_nonmover
    e08c_disc_observer
    e09a_flag_black
    e09b_flag_white
    e10_draw_passes
    e10b_tc_pass_end_white_then_black
    e12_observer
    e14_pipelined_white
    g01_gross_gross
    g04_c_black_py_white
    g11_tc_gross_gross_120_60
    g12_tc_c_black_py_white_120_60
}

#[test]
fn no_recording_is_left_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/network/netref/recordings");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "differences")
        .collect();
    names.sort();
    assert_eq!(names, NAMES);
}

#[test]
fn every_difference_belongs_to_a_recording_and_has_a_reason() {
    for (name, hunks) in differences() {
        assert!(NAMES.contains(&name), "{name}");
        for hunk in hunks {
            assert!(hunk[0].starts_with("# "), "{name}: {hunk:?}");
            let change = |line: &&str| line.starts_with(['+', '-']);
            assert!(hunk.iter().any(change), "{name}: {hunk:?}");
        }
    }
}

/// A step of one connection in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    who: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// The client sends these bytes, escaped as in the recording.
    Sends(String),
    /// It receives a line, or a row of a board.
    Hears(String),
    /// The referee closes the connection.
    HearsTheEnd,
    /// The client ends its side of the connection.
    HalfCloses,
    /// The client closes its socket.
    Closes,
}

impl Step {
    /// The step of a line without its time; `None` if it is a remark.
    fn parse(text: &str) -> Option<Step> {
        let step = |who: &str, what| {
            // The name of a connection before its side is known.
            let who = match who {
                "conn0" => "black",
                "conn1" => "white",
                _ => who,
            };
            let who = who.to_owned();
            Some(Step { who, what })
        };
        if let Some(remark) = text.strip_prefix("-- ") {
            return match remark.split_once(": ")? {
                (who, "closes its socket") => step(who, What::Closes),
                (who, "half-closes") => step(who, What::HalfCloses),
                _ => None,
            };
        }
        let (who, rest) = text.split_once(' ').unwrap();
        let rest = rest.trim_start();
        let (direction, data) = rest.split_at(3);
        match (direction, data) {
            ("C> ", "<EOF>") => step(who, What::HalfCloses),
            ("S> ", "<EOF>") => step(who, What::HearsTheEnd),
            ("C> ", data) => step(who, What::Sends(data.to_owned())),
            ("S> ", data) => {
                let line = data.strip_suffix(r"\r\n").unwrap_or(data);
                step(who, What::Hears(line.to_owned()))
            }
            _ => panic!("{text:?} is no line of a recording"),
        }
    }
}

/// The steps of a recording, with our greeting.
fn steps(recording: &str) -> Vec<Step> {
    let lines = recording.lines().filter(|line| line.starts_with('['));
    let mut steps: Vec<Step> = lines
        .filter_map(|line| Step::parse(&line.split_once(']').unwrap().1[1..]))
        .collect();
    for step in &mut steps {
        if step.what == What::Hears(GREETING[0].into()) {
            step.what = What::Hears(GREETING[1].into());
        }
    }
    steps
}

/// The patches of all recordings: hunks with a blank line between two.
fn differences() -> BTreeMap<&'static str, Vec<Vec<&'static str>>> {
    let mut sections = DIFFERENCES.split("\n== ");
    // The text before the first one explains them.
    sections.next();
    let sections = sections.map(|section| {
        let (name, text) = section.split_once('\n').unwrap();
        let hunks = text.split("\n\n").map(|hunk| hunk.trim_matches('\n'));
        let hunks = hunks.filter(|hunk| !hunk.is_empty());
        (name, hunks.map(|hunk| hunk.lines().collect()).collect())
    });
    sections.collect()
}

/// The recording that our referee should give.
fn patched(name: &str, recorded: Vec<Step>) -> Vec<Step> {
    let mut recorded = recorded.into_iter();
    let mut ours = Vec::new();
    for hunk in differences().remove(name).unwrap_or_default() {
        // Lines at the start of a hunk go right before its first recorded line, and lines after a
        // recorded line go right after it.
        let mut first = Some(Vec::new());
        for line in hunk.into_iter().filter(|line| !line.starts_with('#')) {
            let (mark, text) = line.split_at(2);
            let step = Step::parse(text).unwrap_or_else(|| panic!("{name}: {line:?}"));
            if mark == "+ " {
                first.as_mut().unwrap_or(&mut ours).push(step);
                continue;
            }
            let until = recorded.by_ref().take_while_inclusive(|next| *next != step);
            let mut unchanged = until.collect_vec();
            let found = unchanged.pop();
            assert_eq!(found.as_ref(), Some(&step), "{name}: {line:?} is not there");
            ours.extend(unchanged);
            ours.extend(first.take().unwrap_or_default());
            if mark == "  " {
                ours.push(step);
            }
        }
        ours.extend(first.unwrap_or_default());
    }
    ours.extend(recorded);
    ours
}

/// The seconds of White's and Black's clocks in a recording, as the referee
/// takes them.
fn times(recorded: &[Step]) -> Vec<String> {
    let granted = recorded.iter().find_map(|step| match &step.what {
        What::Hears(line) if step.who == "white" => line.strip_prefix("101 "),
        _ => None,
    });
    let words = granted.into_iter().flat_map(str::split_whitespace);
    words.take(2).map(str::to_owned).collect()
}

/// Plays a recording to our referee. Before it sends anything, it waits for everything that was
/// received earlier in the recording.
fn replay(name: &str, recording: &str) {
    let recorded = steps(recording);
    let times = times(&recorded);
    let times: Vec<&str> = times.iter().map(String::as_str).collect();
    let referee = Referee::start(&times);
    let mut numbers = BTreeMap::new();
    let mut clients: BTreeMap<String, Guest> = BTreeMap::new();
    for (at, Step { who, what }) in patched(name, recorded).into_iter().enumerate() {
        let number = numbers.len() + 1;
        numbers.entry(who.clone()).or_insert_with(|| {
            clients.insert(who.clone(), Guest::new(referee.connect()));
            number
        });
        let guest = clients.get_mut(&who).unwrap();
        let place = format!("{name}, step {at}, {who}");
        match what {
            What::Sends(data) => {
                guest.observes |= data.contains("observer");
                guest.client.send(&unescaped(&data));
            }
            What::Hears(expected) => {
                let heard = guest.client.line();
                let heard = heard.unwrap_or_else(|| panic!("{place}: {expected}: it is the end"));
                guest.has_role |= heard.starts_with("10");
                assert!(same(&expected, &heard), "{place}: {expected} / {heard}");
            }
            What::HearsTheEnd => {
                assert_eq!(guest.client.line(), None, "{place}");
                guest.is_over = true;
            }
            What::HalfCloses => guest.client.finish(),
            What::Closes => {
                let guest = clients.remove(&who).unwrap();
                if guest.is_over {
                    continue;
                }
                let observes = guest.observes && guest.has_role;
                let unread = guest.client.leave();
                assert!(observes || unread.is_empty(), "{place}: {unread:#?}");
                if observes {
                    // Observers live on another thread.
                    referee.wait_for_line(&format!("-{} left", numbers[&who]));
                }
            }
        }
    }
    expect_nothing_more(name, clients, referee);
}

/// A client, and its state.
struct Guest {
    client: Client,
    observes: bool,
    has_role: bool,
    is_over: bool,
}

impl Guest {
    fn new(client: Client) -> Guest {
        Guest {
            client,
            observes: false,
            has_role: false,
            is_over: false,
        }
    }
}

/// Where the recordings stop, the deployed referee was killed or had crashed; ours is stopped. It
/// sends that to all connected clients (399), and nothing else.
fn expect_nothing_more(name: &str, clients: BTreeMap<String, Guest>, referee: Referee) {
    referee.signal("-TERM");
    for (who, mut guest) in clients {
        if guest.is_over {
            continue;
        }
        let rest = guest.client.rest();
        let is_stop = matches!(&rest[..], [line] if line.starts_with("399 "));
        assert!(is_stop, "{name}, {who}: {rest:#?}");
    }
}

fn unescaped(data: &str) -> String {
    let data = data.replace(r"\r", "\r").replace(r"\n", "\n");
    let data = data.replace(r"\t", "\t");
    assert!(!data.contains('\\'), "{data:?}");
    data
}

/// Whether two lines mean the same to a program: the codes and the arguments after them are
/// compared, but not the free text after these. Rows of a board are compared completely.
fn same(expected: &str, heard: &str) -> bool {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (expected_words, heard_words) = (words(expected), words(heard));
    let code = &expected_words[0];
    let Ok(number) = code.parse::<u16>() else {
        return expected == heard;
    };
    let ellipses = usize::from(expected_words.get(2).is_some_and(|word| word == "..."));
    // How many words are arguments, and which of them are seconds that pass.
    let (arguments, seconds): (usize, &[usize]) = match number {
        0 => (2, &[]),
        101 => (2, &[]),
        207 => (1, &[1]),
        311 | 312 | 315 | 316 | 321..=326 => (2 + ellipses, &[]),
        313 | 314 | 317 | 318 if ellipses == 0 => (3, &[3]),
        313 | 314 | 317 | 318 => (4, &[4]),
        341..=343 => return heard.starts_with(expected),
        344 => (1, &[]),
        380 => (2, &[]),
        381 => (4, &[2, 3]),
        100
        | 191..=199
        | 200..=204
        | 291
        | 299
        | 327
        | 328
        | 351..=353
        | 361
        | 362
        | 382
        | 391
        | 392
        | 399 => (0, &[]),
        _ => panic!("{expected}: what is that?"),
    };
    (0..=arguments).all(|at| match (expected_words.get(at), heard_words.get(at)) {
        (Some(expected), Some(heard)) if seconds.contains(&at) => {
            let seconds: (u64, u64) = (expected.parse().unwrap(), heard.parse().unwrap());
            seconds.1 <= seconds.0 && seconds.0 - seconds.1 <= SLOWER
        }
        (Some(expected), Some(heard)) => expected == heard,
        _ => false,
    })
}
