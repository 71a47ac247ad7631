//! `gothello dataset`, as the built program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::subcommand::Subcommand;

const COMMAND: Subcommand = Subcommand("dataset");

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// The arrays of a NumPy archive without compression, each with its header and its bytes.
fn arrays(archive: &[u8]) -> BTreeMap<String, (String, Vec<u8>)> {
    let u16_at = |place: usize| u16::from_le_bytes([archive[place], archive[place + 1]]) as usize;
    let magic = b"\x93NUMPY\x01\x00";
    let starts = (0..archive.len()).filter(|&place| archive[place..].starts_with(magic));
    let found = starts.map(|start| {
        let header_end = start + 10 + u16_at(start + 8);
        let header = str::from_utf8(&archive[start + 10..header_end])
            .unwrap()
            .trim();
        let (_, shape) = header.split_once("'shape': (").unwrap();
        let (shape, _) = shape.split_once(')').unwrap();
        let sides = shape
            .split(',')
            .map(str::trim)
            .filter(|side| !side.is_empty());
        let elements: usize = sides.map(|side| side.parse::<usize>().unwrap()).product();
        let width = if header.contains("<u8") { 8 } else { 1 };
        let bytes = archive[header_end..header_end + elements * width].to_vec();
        // The name is right before.
        let name_start = (0..start)
            .rev()
            .find(|&place| !archive[place].is_ascii_graphic());
        let name = str::from_utf8(&archive[name_start.unwrap() + 1..start]).unwrap();
        (name.to_owned(), (header.to_owned(), bytes))
    });
    found.collect()
}

#[test]
fn positions_are_printed_with_the_value_of_every_move() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--positions", "3", "--stones", "19..20", "--seed", "1"];
    insta::assert_snapshot!(COMMAND.stdout(folder.path(), &arguments), @r#"
    {"position":".b.bb/.bbbb/wwwbw/wbbw./..www b","key":101804053922176,"stones":19,"value":-3,"best_moves":["a1","b1","a4","a5"],"moves":{"a1":-3,"b1":-3,"a4":-3,"a5":-3,"c5":-24,"pass":-5}}
    {"position":"wbbb./...bw/wbbww/.bb.b/bwwww b","key":22627981748888961,"stones":19,"value":24,"best_moves":["b4"],"moves":{"a2":-1,"d2":9,"a4":22,"b4":24,"c4":9,"e5":-24,"pass":-1}}
    {"position":"bb..b/wbwb./wwwww/ww.../wwwww b","key":1543954091212800,"stones":19,"value":-9,"best_moves":["c5"],"moves":{"c2":-20,"d2":-20,"e2":-20,"e4":-22,"c5":-9,"d5":-24,"pass":-22}}
    "#);
    assert_eq!(names(folder.path()), [""; 0]);
}

/// The best moves and the value are those of the moves.
#[test]
fn the_fields_of_a_line_agree() {
    let folder = tempfile::tempdir().unwrap();
    for source in ["uniform", "random-games", "games-with-errors"] {
        let printed = COMMAND.stdout(
            folder.path(),
            &["--positions", "20", "--stones", "1..6", "--source", source],
        );
        assert_eq!(printed.lines().count(), 20);
        for line in printed.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let moves = record["moves"].as_object().unwrap();
            let best = moves.values().map(|value| value.as_i64().unwrap()).max();
            assert_eq!(record["value"].as_i64(), best, "{line}");
            let position: gothello::Position =
                record["position"].as_str().unwrap().parse().unwrap();
            assert_eq!(record["key"], position.key());
            assert_eq!(record["stones"], position.stones().count());
            let legal: Vec<_> = position.legal_moves().map(|mv| mv.to_string()).collect();
            assert_eq!(moves.len(), legal.len());
            let is_best = |mv: &&String| moves[*mv].as_i64() == best;
            let expected: Vec<_> = legal.iter().filter(is_best).collect();
            assert_eq!(
                record["best_moves"],
                serde_json::to_value(expected).unwrap()
            );
        }
    }
}

#[test]
fn the_bytes_do_not_depend_on_threads_and_are_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plan = [
        "--positions",
        "70",
        "--stones",
        "18..24",
        "--source",
        "random-games",
        "--seed",
        "7",
    ];
    for (file, threads) in [
        ("a.jsonl", "1"),
        ("b.jsonl", "2"),
        ("a.npz", "1"),
        ("b.npz", "2"),
    ] {
        let output = ["--output", file, "--threads", threads];
        assert_eq!(COMMAND.stdout(folder, &[&plan[..], &output].concat()), "");
    }
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(read("a.npz") == read("b.npz"));
    assert!(read("a.jsonl") == read("b.jsonl"));
    let printed = COMMAND.stdout(folder, &plan);
    assert!(read("a.jsonl") == printed.as_bytes());
    let cards = ["a.jsonl.md", "a.npz.md", "b.jsonl.md", "b.npz.md"];
    let files = [
        "a.jsonl",
        "a.jsonl.md",
        "a.npz",
        "a.npz.md",
        "b.jsonl",
        "b.jsonl.md",
        "b.npz",
        "b.npz.md",
    ];
    assert_eq!(names(folder), files);
    let [jsonl, npz, ..] = cards.map(|card| fs::read_to_string(folder.join(card)).unwrap());
    assert_eq!(
        jsonl.split("\n## Fields").next(),
        npz.replace("a.npz", "a.jsonl").split("\n## Fields").next()
    );

    // Both forms have the same content.
    let arrays = arrays(&read("a.npz"));
    let headers: Vec<_> = arrays
        .iter()
        .map(|(name, (header, _))| format!("{name} {header}"))
        .collect();
    insta::assert_snapshot!(headers.join("\n"), @r#"
    keys.npy {'descr': '<u8', 'fortran_order': False, 'shape': (70,), }
    move_values.npy {'descr': '|i1', 'fortran_order': False, 'shape': (70, 26), }
    stones.npy {'descr': '|u1', 'fortran_order': False, 'shape': (70,), }
    values.npy {'descr': '|i1', 'fortran_order': False, 'shape': (70,), }
    "#);
    let moves: Vec<_> = (0..26)
        .map(|index| gothello::Move::with_index(index).unwrap().to_string())
        .collect();
    for (number, line) in printed.lines().enumerate() {
        let record: Value = serde_json::from_str(line).unwrap();
        let byte = |name: &str, index: usize| arrays[name].1[index];
        let key = arrays["keys.npy"].1.as_chunks::<8>().0[number];
        assert_eq!(record["key"], u64::from_le_bytes(key));
        assert_eq!(record["stones"], byte("stones.npy", number));
        assert_eq!(record["value"], byte("values.npy", number).cast_signed());
        for (index, mv) in moves.iter().enumerate() {
            let value = byte("move_values.npy", 26 * number + index).cast_signed();
            let value = (value != -128).then_some(value);
            assert_eq!(
                record["moves"].get(mv).and_then(Value::as_i64),
                value.map(i64::from)
            );
        }
    }
}

#[test]
fn the_data_card_says_what_the_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let source = ["--source", "games-with-errors", "--errors", "0.25"];
    let arguments = [
        "--positions",
        "12",
        "--stones",
        "2,5..6",
        "--output",
        "few.npz",
    ];
    assert_eq!(
        COMMAND.stdout(folder, &[&source[..], &arguments].concat()),
        ""
    );
    let card = fs::read_to_string(folder.join("few.npz.md")).unwrap();
    insta::assert_snapshot!(card.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    // The command in it writes the same again.
    let command = card
        .lines()
        .find_map(|line| line.strip_prefix("gothello dataset "))
        .unwrap();
    let command: Vec<_> = command.split(' ').collect();
    let before = fs::read(folder.join("few.npz")).unwrap();
    fs::remove_file(folder.join("few.npz")).unwrap();
    assert_eq!(
        COMMAND.stdout(folder, &[&command[..], &["--card", "other.md"]].concat()),
        ""
    );
    assert!(fs::read(folder.join("few.npz")).unwrap() == before);
    assert_eq!(fs::read_to_string(folder.join("other.md")).unwrap(), card);
    assert_eq!(names(folder), ["few.npz", "few.npz.md", "other.md"]);
}

#[test]
fn wrong_usage_and_too_few_positions_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let error = |arguments: &[&str], code| COMMAND.error(folder, arguments, code);
    insta::assert_snapshot!(error(&[], 2), @"error: the following required arguments were not provided:");
    insta::assert_snapshot!(error(&["--positions", "0"], 2), @"error: invalid value '0' for '--positions <N>': give a whole number from 1 to 10000000");
    insta::assert_snapshot!(error(&["--positions", "1", "--stones", "20..25"], 2), @"error: invalid value '20..25' for '--stones <FEWEST..MOST>': give numbers of stones from 0 to 24, such as 14..20 or 8");
    insta::assert_snapshot!(error(&["--positions", "1", "--source", "games"], 2), @"error: invalid value 'games' for '--source <SOURCE>'");
    insta::assert_snapshot!(error(&["--positions", "1", "--errors", "0.1"], 2), @"error: --errors is for --source games-with-errors");
    insta::assert_snapshot!(error(&["--positions", "1", "--source", "games-with-errors", "--errors", "2"], 2), @"error: invalid value '2' for '--errors <PROBABILITY>': give a number from 0 to 1, such as 0.1");
    insta::assert_snapshot!(error(&["--positions", "1", "--output", "a.csv"], 2), @"error: --output: give a file whose name ends with .jsonl or .npz, in small letters, not a.csv");
    insta::assert_snapshot!(error(&["--positions", "184", "--stones", "2"], 1), @"error: there are only 183 positions with 2 stones up to symmetry: ask for at most 183, not 184, or for other numbers of stones");
    insta::assert_snapshot!(error(&["--positions", "2", "--stones", "0", "--source", "random-games"], 1), @"error: such games seem to have only 1 position with 0 stones up to symmetry, not 2: ask for fewer, or for other numbers of stones");
    // Before anything is searched.
    let hard = ["--positions", "1000", "--stones", "8", "--no-tablebase"];
    insta::assert_snapshot!(error(&[&hard[..], &["--output", "no/such.npz"]].concat(), 1), @"error: no/such.npz cannot be written: there is no folder no");
    assert_eq!(names(folder), [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_writes_no_file() {
    use crate::waiting::{Deadline, EndsInTime, RUN_PATIENCE};
    use rustix::process::{Pid, Signal, kill_process};

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let hard = ["--positions", "1000", "--stones", "8", "--no-tablebase"];
    let arguments = [&hard[..], &["--output", "a.npz"]].concat();
    let mut child = COMMAND.command(folder, &arguments).spawn().unwrap();
    let catches = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & 1 << (Signal::INT.as_raw() - 1) != 0
    };
    let deadline = Deadline::within(RUN_PATIENCE);
    deadline.wait_for("the signal to be caught", String::new, || {
        catches().then_some(())
    });
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let status = child.end_in_time(&deadline, String::new);
    assert_eq!(status.code(), Some(1));
    assert_eq!(names(folder), [""; 0]);
}

/// The layers that are in the folder are looked up, and the others searched.
#[test]
fn the_folder_of_a_tablebase_gives_the_same_bytes() {
    let folder = super::tablebase::copy();
    let folder = folder.path();
    let plan = ["--positions", "30", "--stones", "1..4", "--seed", "3"];
    let expected = COMMAND.stdout(folder, &plan);
    assert_eq!(
        COMMAND.stdout(folder, &[&plan[..], &["--tablebase", "tb"]].concat()),
        expected
    );
    let late = ["--positions", "3", "--stones", "22", "--tablebase", "tb"];
    assert_eq!(
        COMMAND.stdout(folder, &late),
        COMMAND.stdout(folder, &late[..4])
    );
    let message = COMMAND.error(folder, &["--positions", "1", "--tablebase", "."], 1);
    assert_eq!(
        message,
        "error: --tablebase: . has no positions of a tablebase: build them with gothello tablebase build"
    );
}
