//! Whole matches of an observer, as lists of lines.

use gothello::clients::netplay::{Effect, Observer};
use gothello::contests::netref::Gothello;

use super::recording;
use proptest::prelude::*;

/// The boards that are drawn.
#[track_caller]
fn boards<'a>(
    observer: &mut Observer<Gothello>,
    lines: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let mut boards = Vec::new();
    for line in lines {
        let effects = match observer.receive(line) {
            Ok(effects) => effects,
            Err(error) => panic!("{line}: {error}"),
        };
        boards.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Board(board) => Some(board),
            _ => None,
        }));
    }
    boards
}

/// An observer who has been told its role.
fn seated() -> Observer<Gothello> {
    let mut observer = Observer::new(Gothello::default(), None);
    boards(
        &mut observer,
        ["000 Gothello 0.9.1", "101 120 60", "344 1", "353"],
    );
    observer
}

#[test]
fn a_match_at_the_deployed_referee() {
    let lines: Vec<String> = recording::lines()
        .filter_map(|line| Some(line.strip_prefix("observer < ")?.to_owned()))
        .collect();
    let mut observer = Observer::new(Gothello::default(), None);
    let boards = boards(&mut observer, lines.iter().map(String::as_str));
    let shown = lines.iter().filter(|line| *line == "382").count();
    assert_eq!(boards.len(), shown);
    insta::assert_snapshot!(boards[1], @r"

    White (O) plays e3
      a b c d e
    5 . . . . . 5
    4 . . . . . 4
    3 . . . .(O)3
    2 . . . . X 2
    1 . . . . . 1
      a b c d e
    Black has 1:00, White 2:00
    Black (X) to move
    ");
    let ending = observer.ending().unwrap().to_string();
    insta::assert_snapshot!(ending, @"black wins by 5");
}

#[test]
fn an_observer_joins_in_the_middle_of_a_match() {
    let mut observer = seated();
    let middle = [
        "381 3 58 110 w",
        "382",
        ".....",
        ".....",
        "..b..",
        ".....",
        "....w",
    ];
    let drawn = boards(&mut observer, middle);
    insta::assert_snapshot!(drawn[0], @r"

      a b c d e
    5 . . . . . 5
    4 . . . . . 4
    3 . . X . . 3
    2 . . . . . 2
    1 . . . . O 1
      a b c d e
    Black has 0:59, White 1:51
    White (O) to move
    ");
    let mut ends = Vec::from(["324 3 ... pass and white loses by resignation"]);
    ends.extend(middle);
    boards(&mut observer, ends);
    assert_eq!(
        observer.ending().unwrap().to_string(),
        "black wins by resignation"
    );
}

#[test]
fn a_board_that_the_moves_do_not_lead_to_is_an_error() {
    let mut observer = seated();
    boards(
        &mut observer,
        [
            "311 1 c3", "380 1 w", "382", ".....", ".....", ".....", ".....",
        ],
    );
    let error = observer.receive("..b..").unwrap_err().to_string();
    insta::assert_snapshot!(error, @r#"the referee's line "..b.." makes no sense: the moves so far lead to another board"#);
    let error = seated().receive("..b..").unwrap_err().to_string();
    insta::assert_snapshot!(error, @r#"the referee's line "..b.." makes no sense: no board was announced (382)"#);
}

proptest! {
    #[test]
    fn no_lines_make_it_panic(lines in proptest::collection::vec(prop_oneof![
        Just("000"), Just("100"), Just("101 1 2"), Just("353"), Just("311 1 c3"), Just("327"),
        Just("316 1 ... pass"), Just("321 2 pass"), Just("380 1 b"), Just("381 1 1 1 ."),
        Just("382"), Just("....."), Just("bbbbb")], 0..40)) {
        let mut observer = Observer::new(Gothello::default(), None);
        for line in lines {
            let _ = observer.receive(line);
        }
    }
}
