//! A real match: clients of the libraries in C and Python at the deployed
//! referee, with an observer.

use itertools::Itertools;

const RECORDING: &str =
    include_str!("../../network/netref/recordings/g12_tc_c_black_py_white_120_60.txt");

/// The lines of the match: `black < LINE` is what Black read, `black > LINE`
/// what it sent.
pub fn lines() -> impl Iterator<Item = String> {
    RECORDING.lines().filter_map(|line| {
        let after_the_time = line.split_once(']')?.1;
        let (who, said) = after_the_time
            .trim_start_matches(['~', ' '])
            .split_once(' ')?;
        // A connection is called by its side once it has one.
        let who = match who {
            "conn0" => "black",
            "conn1" => "white",
            who => who,
        };
        let (direction, text) = said.trim_start().split_once("> ")?;
        let arrow = if direction == "S" { '<' } else { '>' };
        let text = text.replace("\\r", "").replace("\\n", "");
        (text != "<EOF>").then(|| format!("{who} {arrow} {text}"))
    })
}

#[test]
fn the_recording_is_read() {
    let lines = lines().collect_vec();
    let count = |beginning: &str| {
        lines
            .iter()
            .filter(|line| line.starts_with(beginning))
            .count()
    };
    assert_eq!((count("black > "), count("white > ")), (14, 16));
    assert_eq!(lines[1], "observer > 0.9.1 observer");
}
