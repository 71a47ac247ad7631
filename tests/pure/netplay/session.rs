//! Whole matches of a player, as lists of lines.

use std::time::Duration;

use gothello::Color;
use gothello::clients::agent::Decision;
use gothello::clients::netplay::{Effect, Session};
use gothello::contests::netref::{Gothello, Name};
use proptest::prelude::*;

use super::recording;

/// A match, line by line.
struct Match(Session<Gothello>);

impl Match {
    fn new(wanted: Option<Color>) -> Match {
        Match(Session::new(Gothello::default(), wanted, None))
    }

    /// A match of Black that has begun.
    fn begun(granted: &str) -> Match {
        let mut black = Match::new(Some(Color::Black));
        black.hears("000 Gothello 0.9.1");
        black.hears(granted);
        black.hears("352 You will play black");
        black
    }

    /// The effects of a line, without boards and notes.
    #[track_caller]
    fn hears(&mut self, line: &str) -> Vec<String> {
        match self.0.receive(line) {
            Ok(effects) => shown(&effects),
            Err(error) => panic!("{line}: {error}"),
        }
    }

    /// The error that a line is.
    #[track_caller]
    fn refuses(&mut self, line: &str) -> String {
        self.0.receive(line).unwrap_err().to_string()
    }

    /// The effects of a decision.
    #[track_caller]
    fn decides(&mut self, word: &str) -> Vec<String> {
        assert!(self.0.turn().is_some(), "it is not its turn");
        let decision = match word {
            "resign" => Decision::Resign,
            mv => Decision::Move(mv.parse().unwrap()),
        };
        shown(&self.0.decide(decision).unwrap())
    }

    fn left(&self) -> Option<Duration> {
        self.0.turn().and_then(|turn| turn.left)
    }
}

fn shown(effects: &[Effect]) -> Vec<String> {
    let effects = effects.iter().filter_map(|effect| match effect {
        Effect::Send(line) => Some(format!("> {line}")),
        Effect::Moved(line) => Some(line.clone()),
        Effect::Over(ending) => Some(format!("over: {ending}")),
        Effect::Note(_) | Effect::Board(_) => None,
    });
    effects.collect()
}

#[test]
fn a_match_at_the_deployed_referee() {
    for (player, wanted) in [("black", Color::Black), ("white", Color::White)] {
        let mut session = Match::new(Some(wanted));
        let mut sent = Vec::new();
        let mut last = Vec::new();
        let lines = recording::lines();
        let lines: Vec<String> = lines
            .filter_map(|line| Some(line.strip_prefix(player)?.to_owned()))
            .collect();
        for (i, line) in lines.iter().enumerate() {
            let is_refused = lines
                .get(i + 1)
                .is_some_and(|next| next.starts_with(" < 291"));
            // Our client would not send a refused move. It sends the opening when it has read the
            // greeting.
            let skip = is_refused || line.starts_with(" < 291") || line.contains("> 0.9.1 player");
            if skip {
                continue;
            }
            if let Some(line) = line.strip_prefix(" < ") {
                last = session.hears(line);
                sent.extend(
                    last.iter()
                        .filter(|effect| effect.starts_with('>'))
                        .cloned(),
                );
            } else {
                let mv = line.split(' ').next_back().unwrap();
                sent.extend(session.decides(mv));
                assert_eq!(sent.last().unwrap(), line.trim_start());
            }
        }
        assert_eq!(sent[0], format!("> 0.9.1 player {player}"));
        assert!(last.last().unwrap().starts_with("over: "), "{last:?}");
    }
}

#[test]
fn a_move_counts_when_its_status_line_comes() {
    let mut black = Match::begun("101 60 120 you / opp");
    assert_eq!(black.left(), Some(Duration::from_secs(60)));
    assert_eq!(black.decides("c3"), ["> 1 c3"]);
    assert!(black.0.turn().is_none());
    assert!(black.hears("207 58 secs remaining").is_empty());
    assert!(black.0.turn().is_none());
    assert_eq!(black.hears("313 1 c3 58 (secs)"), ["1 c3"]);
    assert!(black.0.turn().is_none());
    assert_eq!(black.hears("318 1 ... pass 119"), ["1 ... pass"]);
    assert_eq!(black.left(), Some(Duration::from_secs(58)));
    assert_eq!(black.decides("pass"), ["> 2 pass"]);
    assert!(black.hears("201 you win").is_empty());
    let end = black.hears("321 2 pass and black wins");
    assert_eq!(end, ["2 pass", "over: black wins by 1"]);
    assert!(black.hears("362 nonsense after the end").is_empty());
}

#[test]
fn with_either_side_whites_seconds_come_first() {
    for (role, secs) in [("351", 30), ("352", 60)] {
        let mut either = Match::new(None);
        assert_eq!(either.hears("000"), ["> 0.9 player ?"]);
        either.hears("101 30 60");
        either.hears(role);
        if role == "351" {
            either.hears("313 1 c3 60");
        }
        assert_eq!(either.left(), Some(Duration::from_secs(secs)), "{role}");
    }
}

#[test]
fn the_client_speaks_the_version_of_an_older_referee_and_its_own_to_a_newer_one() {
    for (greeting, version) in [
        ("000 Gothello 0.9", "0.9"),
        ("000 Gothello 0.9.1 hello", "0.9.1"),
        ("000 Gothello 1.2 hello", "0.9.2"),
    ] {
        let name = Name::new("Ann \"Ox\"");
        let mut session = Match(Session::new(Gothello::default(), Some(Color::White), name));
        let opening = format!("> {version} player white \"Ann \"\"Ox\"\"\"");
        assert_eq!(session.hears(greeting), [opening]);
    }
}

#[test]
fn a_resumed_match_begins_with_the_moves_so_far() {
    let mut black = Match::new(Some(Color::Black));
    for line in [
        "000 Gothello 0.9.2",
        "101 41 50",
        "341 \"Ann\" is the white player",
        "344 2 observers watch",
    ] {
        black.hears(line);
    }
    for (line, mv) in [
        ("313 1 c3 55 (secs)", "1 c3"),
        ("314 1 ... d3 50 (secs)", "1 ... d3"),
        ("313 2 d4 41 (secs)", "2 d4"),
        ("314 2 ... a1 50 (secs)", "2 ... a1"),
    ] {
        assert_eq!(black.hears(line), [mv]);
        assert!(black.0.turn().is_none());
    }
    black.hears("352 You will play black");
    assert_eq!(black.left(), Some(Duration::from_secs(41)));
    assert_eq!(black.decides("e5"), ["> 3 e5"]);
}

#[test]
fn a_match_ends_in_both_dialects_while_nobody_thinks() {
    for (line, end) in [
        ("327 Black wins by resignation", "black wins by resignation"),
        (
            "324 1 ... pass and white loses by resignation",
            "black wins by resignation",
        ),
        (
            "361 Black wins by White time expiring",
            "black wins by time",
        ),
        (
            "324 1 ... pass and white loses by time expiring",
            "black wins by time",
        ),
        ("392 White disconnected", "black wins by disconnection"),
        (
            "324 1 ... pass and white loses by disconnection",
            "black wins by disconnection",
        ),
    ] {
        let mut black = Match::begun("100");
        black.decides("c3");
        black.hears("200");
        black.hears("311 1 c3");
        assert_eq!(black.hears(line), [format!("over: {end}")], "{line}");
        assert!(black.0.turn().is_none(), "{line}");
    }
}

#[test]
fn a_match_ends_in_both_dialects_while_our_side_thinks() {
    for (lines, end) in [
        (
            &["202 Your time expires, and you lose", "362 White wins"][..],
            "white wins by time",
        ),
        (
            &[
                "201 White has disconnected, you win",
                "324 1 ... pass and white loses by disconnection",
            ],
            "black wins by disconnection",
        ),
        (&["392 White disconnected"], "black wins by disconnection"),
    ] {
        for sends in [false, true] {
            let mut black = Match::begun("100");
            assert!(black.0.turn().is_some(), "{lines:?}");
            if sends {
                // The player has moved a moment too late.
                black.decides("c3");
            }
            for line in &lines[..lines.len() - 1] {
                assert!(black.hears(line).is_empty(), "{lines:?}: {line}");
                assert!(black.0.turn().is_none(), "{lines:?}: {line}");
            }
            assert_eq!(
                black.hears(lines[lines.len() - 1]),
                [format!("over: {end}")],
                "{lines:?}"
            );
        }
    }
}

#[test]
fn a_resignation_is_answered_in_both_dialects() {
    for line in [
        "328 White wins by resignation",
        "322 1 pass and black loses by resignation",
    ] {
        let mut black = Match::begun("100");
        assert_eq!(black.decides("resign"), ["> resign"], "{line}");
        assert!(
            black.hears("204 Resignation accepted, you lose").is_empty(),
            "{line}"
        );
        assert_eq!(
            black.hears(line),
            ["over: white wins by resignation"],
            "{line}"
        );
    }
    let mut black = Match::begun("100");
    black.decides("resign");
    assert_eq!(
        black.refuses("299 Request not understood"),
        "the referee did not accept \"resign\": Request not understood"
    );
}

#[test]
fn an_illegal_move_is_not_sent() {
    let mut white = Match::new(Some(Color::White));
    for line in ["000", "100", "351", "311 1 c3"] {
        white.hears(line);
    }
    let illegal = white.0.decide(Decision::Move("c3".parse().unwrap()));
    let why = "the move c3 is illegal (c3 is occupied)";
    assert_eq!(illegal.unwrap_err().to_string(), why);
    assert_eq!(white.decides("resign"), ["> resign"]);
    let mut black = Match::begun("100");
    black.decides("c3");
    assert_eq!(
        black.hears("291 Illegal request: never on a Sunday"),
        [""; 0]
    );
    // The player is asked again, and told so.
    assert_eq!(black.0.turn().unwrap().refused, ["c3".parse().unwrap()]);
    assert_eq!(black.decides("d3"), ["> 1 d3"]);
    black.hears("200 Move d3 accepted");
    black.hears("311 1 d3");
    black.hears("312 1 ... c3");
    assert!(black.0.turn().unwrap().refused.is_empty());
}

#[test]
fn a_verdict_without_a_status_line_counts_when_the_connection_ends() {
    for (line, end) in [
        ("201", "black wins"),
        ("202", "white wins"),
        ("203", "drawn"),
    ] {
        let mut black = Match::begun("100");
        assert_eq!(black.0.verdict_ending(), None);
        black.hears(line);
        assert_eq!(black.0.verdict_ending().unwrap().to_string(), end);
    }
}

#[test]
fn an_impossible_line_is_an_error_that_names_it() {
    let black = || Match::begun("100");
    insta::assert_snapshot!(black().refuses("hello"), @r#"the referee's line "hello" makes no sense: it begins with neither a code of three digits nor a row of the board"#);
    insta::assert_snapshot!(black().refuses("000 Gothello"), @r#"the referee's line "000 Gothello" makes no sense: only a response (2xx) or a status (3xx) can come now"#);
    insta::assert_snapshot!(black().refuses("312 1 ... c3 x"), @r#"the referee's line "312 1 ... c3 x" makes no sense: it is Black's turn"#);
    insta::assert_snapshot!(black().refuses("311 2 c3"), @r#"the referee's line "311 2 c3" makes no sense: the number of this move is 1"#);
    insta::assert_snapshot!(black().refuses("204 you lose"), @r#"the referee's line "204 you lose" makes no sense: only a response (2xx) or a status (3xx) can come now"#);
    insta::assert_snapshot!(black().refuses("399 Stopping"), @"the referee says: Stopping");
    let mut sent = black();
    sent.decides("c3");
    insta::assert_snapshot!(sent.refuses("311 1 d3"), @r#"the referee's line "311 1 d3" makes no sense: c3 was sent"#);
    let mut told = black();
    told.hears("201 you win");
    insta::assert_snapshot!(told.refuses("362 White wins by Black time expiring"), @r#"the referee's line "362 White wins by Black time expiring" makes no sense: before, the result was: black wins"#);
    let mut asked = Match::new(Some(Color::Black));
    insta::assert_snapshot!(asked.refuses("100"), @r#"the referee's line "100" makes no sense: only a greeting (000) can come now"#);
    insta::assert_snapshot!(asked.refuses("000 0.9.1 Awari server says hello!"), @"this is a referee of Awari: add --game awari");
    asked.hears("000");
    insta::assert_snapshot!(asked.refuses("191 Other player holds requested side"), @"the referee refuses: 191 Other player holds requested side; white may be free: ask for white or either");
    insta::assert_snapshot!(asked.refuses("191 The seat is kept for a player of an interrupted match"), @"the referee refuses: 191 The seat is kept for a player of an interrupted match");
    asked.hears("100");
    insta::assert_snapshot!(asked.refuses("351 You will play white"), @r#"the referee's line "351 You will play white" makes no sense: the other side was asked for and granted"#);
}

proptest! {
    #[test]
    fn no_lines_make_it_panic(lines in proptest::collection::vec(prop_oneof![
        Just("000"), Just("100"), Just("101 1 2"), Just("351"), Just("352"), Just("200"),
        Just("207 1"), Just("201"), Just("203"), Just("204"), Just("291"), Just("299"),
        Just("311 1 c3"), Just("316 1 ... pass"), Just("321 2 pass"), Just("322 1 pass by x"),
        Just("327"), Just("362"), Just("391"), Just("380 1 b"), Just("382"), Just("....."),
        Just("decide")], 0..30)) {
        let mut session = Session::new(Gothello::default(), Some(Color::Black), None);
        for line in lines {
            if line == "decide" {
                let _ = session.decide(Decision::Move("c3".parse().unwrap()));
            } else {
                let _ = session.receive(line);
            }
            let _ = (session.turn(), session.verdict_ending());
        }
    }
}

#[test]
fn with_either_side_each_clock_is_the_right_one() {
    for (granted, role, left) in [
        // White's clock comes first, unless the line says that one's own does.
        ("101 600 5 Request accepted with time controls", "351", 600),
        ("101 600 5 Request accepted with time controls", "352", 5),
        (
            "101 5 600 Request accepted with time controls (you / opp)",
            "352",
            5,
        ),
    ] {
        let mut player = Match::new(None);
        player.hears("000 Gothello 0.9.1");
        player.hears(granted);
        player.hears(role);
        if role == "351" {
            player.hears("313 1 c3 4 (secs) is black move, game continues");
        }
        assert_eq!(
            player.left(),
            Some(Duration::from_secs(left)),
            "{granted}, {role}"
        );
    }
}
