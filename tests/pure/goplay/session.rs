//! The client's state machine, driven with plain values.

use std::fmt::Write;
use std::time::Duration;

use gothello::clients::agent::Decision;
use gothello::clients::goplay::{Effect, Session, State, read};
use gothello::contests::goref::wire::Protocol;
use gothello::go::Move;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::go_messages::{
    empty, end, invalid, moved, name, played, start, start_from, state, valid,
};

/// A client; the time is in seconds.
#[derive(Clone)]
struct Client(Session);

impl Client {
    fn new() -> Client {
        Client(Session::new("Ann".into(), Protocol::V2))
    }

    /// A client that has received this.
    fn after(messages: &[Value]) -> Client {
        let mut client = Client::new();
        for message in messages {
            client.hears(message);
        }
        client
    }

    fn hears(&mut self, message: &Value) -> Vec<String> {
        self.hears_at(message, 0)
    }

    fn hears_at(&mut self, message: &Value, second: u64) -> Vec<String> {
        let message = read(&message.to_string()).unwrap();
        shown(&self.0.receive(message, Duration::from_secs(second)))
    }

    fn chooses(&mut self, word: &str) -> Vec<String> {
        shown(&self.0.decide(Decision::Move(a_move(word))))
    }

    /// The time left on our clock at a second.
    fn left(&self, second: u64) -> Duration {
        self.0
            .turn(Duration::from_secs(second))
            .unwrap()
            .left
            .unwrap()
    }

    fn board(&self) -> String {
        self.0.game().unwrap().board().to_string()
    }
}

fn a_move(word: &str) -> Move {
    let message = json!({"type": "MOVE", "move": played(word), "remainingTime": {"B": 0, "W": 0}});
    match read(&message.to_string()) {
        Ok(gothello::contests::goref::wire::ServerMessage::Move { played, .. }) => played,
        other => panic!("{other:?}"),
    }
}

/// The effects, without boards.
fn shown(effects: &[Effect]) -> Vec<String> {
    let effects = effects.iter().filter_map(|effect| match effect {
        Effect::Send(message) => Some(format!("> {}", serde_json::to_string(message).unwrap())),
        Effect::Note(text) => Some(format!("note: {text}")),
        Effect::Moved(text) => Some(format!("moved: {text}")),
        Effect::Over(finished) => Some(format!("over: {finished}")),
        Effect::Board(_) => None,
    });
    effects.collect()
}

#[test]
fn a_whole_game() {
    let mut black = Client::new();
    let mut log = String::new();
    for step in [
        Ok(name()),
        Ok(start(5, &[], "B")),
        Err("2,2"),
        Ok(valid()),
        Ok(moved("1,1")),
        Err("2,2"),
        Ok(invalid()),
        Err("pass"),
        Ok(valid()),
        Ok(moved("pass")),
        Ok(end("pass", "B")),
    ] {
        let done = match &step {
            Ok(message) => black.hears(message),
            Err(word) => black.chooses(word),
        };
        let heard = match &step {
            Ok(message) => message["type"].to_string(),
            Err(word) => format!("chooses {word}"),
        };
        writeln!(log, "{heard} -> {:?}", black.0.state()).unwrap();
        for line in done {
            writeln!(log, "    {line}").unwrap();
        }
    }
    insta::assert_snapshot!(log);
    assert_eq!(
        (black.0.finished_games(), black.0.has_open_game()),
        (1, false)
    );
}

/// Every message in every state: the effects, and the state after it.
#[test]
fn every_message_in_every_state() {
    let black = start(5, &[], "B");
    let states = [
        Client::new(),
        Client::after(&[name()]),
        Client::after(&[name(), black.clone()]),
        {
            let mut awaiting = Client::after(&[name(), black.clone()]);
            awaiting.chooses("0,0");
            awaiting
        },
        Client::after(&[name(), start(5, &[], "W")]),
    ];
    let mut table = String::new();
    for client in states {
        writeln!(table, "{:?}", client.0.state()).unwrap();
        for message in [
            name(),
            black.clone(),
            moved("3,3"),
            valid(),
            invalid(),
            end("timeout", "W"),
            end("pause", "."),
            end("error", "."),
        ] {
            let mut client = client.clone();
            let done = client.hears(&message);
            let word = message["reason"].as_str().or(message["type"].as_str());
            writeln!(table, "  {} -> {:?}", word.unwrap(), client.0.state()).unwrap();
            for line in done {
                writeln!(table, "      {line}").unwrap();
            }
        }
        let mut client = client;
        client.0.on_disconnect();
        assert_eq!(client.0.state(), State::Init);
    }
    insta::assert_snapshot!(table);
}

/// The hint of the document, *Starting a game*.
#[test]
fn the_log_decides_which_side_thinks() {
    for turn in ["B", "W"] {
        for color in ["B", "W"] {
            for moves in [&[][..], &["0,0"], &["0,0", "pass"], &["0,0", "pass", "1,1"]] {
                let start = start_from(&state(&empty(5), turn), moves, color);
                let client = Client::after(&[name(), start]);
                let thinks = (turn == color) == (moves.len() % 2 == 0);
                let expected = if thinks { State::Thinking } else { State::Idle };
                assert_eq!(client.0.state(), expected, "{turn} {color} {moves:?}");
            }
        }
    }
}

#[test]
fn a_game_goes_on_with_the_time_that_was_used_before_the_break() {
    // Black (18,0) after 1 s, White (7,1) after 2 s, and two minutes of Black's.
    let mut message = start(19, &["18,0", "7,1"], "B");
    let configuration = &mut message["configuration"];
    configuration["moveLog"][1]["deltaTime"] = json!(2_000);
    configuration["idleDeltaTime"] = json!(120_000);
    let mut black = Client::after(&[name()]);
    black.hears_at(&message, 100);
    assert_eq!(black.left(100), Duration::from_millis(779_000));
    // The clock runs from the START.
    assert_eq!(black.left(110), Duration::from_millis(769_000));
    black.chooses("3,3");
    black.hears_at(&valid(), 111);
    black.hears_at(&moved("4,4"), 120);
    assert_eq!(black.left(121), Duration::from_millis(799_000));
}

#[test]
fn a_refused_move_is_remembered_until_another_is_accepted() {
    let mut black = Client::after(&[name(), start(5, &[], "B")]);
    let refused = |client: &Client| client.0.turn(Duration::ZERO).unwrap().refused;
    for (count, word) in (0..).zip(["0,0", "1,1"]) {
        assert_eq!(refused(&black).len(), count, "{word}");
        black.chooses(word);
        assert!(black.0.turn(Duration::ZERO).is_none(), "{word}");
        black.hears_at(&invalid(), 7);
    }
    assert_eq!(refused(&black), [a_move("0,0"), a_move("1,1")]);
    assert_eq!(black.left(8), Duration::from_secs(799));
    black.chooses("2,2");
    black.hears(&valid());
    black.hears(&moved("pass"));
    assert!(refused(&black).is_empty());
}

/// A START with final states.
fn with_states(moves: &[&str], states: &[Value]) -> Value {
    let mut message = start(2, moves, "B");
    message["configuration"]["finalStates"] = json!(states);
    message
}

/// The notes about a START.
fn odd(message: &Value) -> String {
    let notes = Client::after(&[name()]).hears(message);
    let odd = notes
        .iter()
        .filter_map(|note| note.strip_prefix("note: START: "));
    odd.collect::<Vec<_>>().join("\n")
}

#[test]
fn final_states_are_compared_with_the_moves() {
    let mut before = state(&empty(2), "B");
    before["players"]["B"]["remainingTime"] = json!(900_000);
    let mut last = state(&["B.".into(), "..".into()], "W");
    last["players"]["B"]["remainingTime"] = json!(899_000);
    let good = with_states(&["0,0"], &[before.clone(), last.clone()]);
    assert_eq!(odd(&good), "");
    let only = with_states(&[], &[before.clone()]);
    assert_eq!(odd(&only), "");

    let bad = |at: &[&str], value: Value| {
        let mut last = last.clone();
        let field = at.iter().fold(&mut last, |value, &key| &mut value[key]);
        *field = value;
        odd(&with_states(&["0,0"], &[before.clone(), last]))
    };
    insta::assert_snapshot!(bad(&["turn"], json!("B")), @"finalStates, the last: the turn is Black, but the moves lead to White; going on with moveLog");
    insta::assert_snapshot!(bad(&["board"], json!([[".", "."], [".", "W"]])), @"finalStates, the last: point (0,0) is ., but the moves lead to B; going on with moveLog");
    insta::assert_snapshot!(bad(&["board"], json!([["."]])), @"finalStates, the last: the board is 1x1, but the moves lead to 2x2; going on with moveLog");
    insta::assert_snapshot!(bad(&["players", "W", "prisoners"], json!(3)), @"finalStates, the last: White's number of prisoners is 3, but the moves lead to 0; going on with moveLog");
    insta::assert_snapshot!(bad(&["players", "B", "remainingTime"], json!(5)), @"finalStates, the last: Black's time in ms is 5, but the moves lead to 899000; going on with moveLog");
    let swapped = with_states(&["0,0"], &[last.clone(), before]);
    insta::assert_snapshot!(odd(&swapped), @r"
    finalStates, the last: point (0,0) is ., but the moves lead to B; going on with moveLog
    finalStates, the one before: point (0,0) is B, but the moves lead to .; going on with moveLog
    ");
}

#[test]
fn a_game_continues_from_the_final_states_if_its_log_is_illegal() {
    let last = state(&["B.".into(), ".W".into()], "B");
    let message = with_states(&["0,0", "0,0"], &[last]);
    insta::assert_snapshot!(odd(&message), @"moveLog[1] is illegal by our rules: the point is occupied; going on with finalStates");
    let client = Client::after(&[name(), message]);
    assert_eq!(client.board(), "B .\n. W");
    assert_eq!(client.0.state(), State::Thinking);

    let message = start(2, &["0,0", "0,0"], "B");
    insta::assert_snapshot!(odd(&message), @"this cannot be played: moveLog[1] is illegal by our rules: the point is occupied");
    let client = Client::after(&[name(), message]);
    assert_eq!(client.0.state(), State::Ready);

    let full = start_from(&state(&["BB".into(), "BB".into()], "B"), &[], "B");
    insta::assert_snapshot!(odd(&full), @"this cannot be played: initialState: board: the group of the stone at (0,0) has no liberty");
    let over = start(2, &["pass", "pass"], "B");
    insta::assert_snapshot!(odd(&over), @"the game is over by our rules, but the server goes on with it");
    let client = Client::after(&[name(), over]);
    assert_eq!(client.0.state(), State::Thinking);
}

#[test]
fn the_server_has_the_last_word_about_moves() {
    // White retakes at once, which superko forbids.
    let moves = [
        "0,1", "0,2", "1,0", "1,3", "2,1", "2,2", "pass", "1,1", "1,2",
    ];
    let mut white = Client::after(&[name(), start(5, &moves, "B")]);
    assert_eq!(white.0.state(), State::Idle);
    let notes = white.hears(&moved("1,1"));
    insta::assert_snapshot!(notes.join("\n"), @r"
    moved: 10 W B4 (B 13:20, W 11:40)
    note: the opponent's move B4 is illegal by our rules (superko forbids repeating a board with the same player to move), but the server accepts it: our board may differ from the server's
    ");
    assert_eq!(
        white.board(),
        ". B W . .\nB W . W .\n. B W . .\n. . . . .\n. . . . ."
    );
    assert_eq!(white.0.state(), State::Thinking);

    // An occupied point: at least the turn is right.
    let mut black = Client::after(&[name(), start(5, &["0,0"], "B")]);
    black.hears(&moved("0,0"));
    assert_eq!(black.0.state(), State::Thinking);
    assert_eq!(black.0.game().unwrap().board().stones().count(), 1);
}

#[test]
fn a_game_is_unfinished_from_its_start_to_its_end() {
    let mut client = Client::after(&[name()]);
    assert!(!client.0.has_open_game());
    client.hears(&start(5, &[], "W"));
    for reason in ["pause", "error"] {
        client.hears(&end(reason, "."));
        assert_eq!(client.0.state(), State::Ready, "{reason}");
        assert!(client.0.has_open_game(), "{reason}");
        client.hears(&start(5, &[], "W"));
    }
    client.0.on_disconnect();
    assert!(client.0.has_open_game());
    client.hears(&name());
    client.hears(&start(5, &[], "W"));
    for (reason, result) in [
        (
            "resign",
            "won as White: W+R by resign, B 25, W 6.5, 0 moves",
        ),
        (
            "timeout",
            "won as White: W+T by timeout, B 25, W 6.5, 0 moves",
        ),
    ] {
        let mut client = client.clone();
        assert_eq!(client.hears(&end(reason, "W")), [format!("over: {result}")]);
        assert_eq!(
            (client.0.finished_games(), client.0.has_open_game()),
            (1, false),
            "{reason}"
        );
    }
}

#[test]
fn each_version_is_asked_for_in_its_own_way() {
    let asked = |protocol| {
        let mut session = Session::new("Ann \"Ox\"".into(), protocol);
        let message = read(&name().to_string()).unwrap();
        shown(&session.receive(message, Duration::ZERO)).swap_remove(0)
    };
    insta::assert_snapshot!(asked(Protocol::V2), @r#"> {"type":"NAME","name":"Ann \"Ox\"","protocol":"v2"}"#);
    insta::assert_snapshot!(asked(Protocol::V1), @r#"> {"type":"NAME","name":"Ann \"Ox\"","protocol":"v1"}"#);
}

#[test]
fn frames_that_are_not_messages_are_explained() {
    let why = |text: &str| read(text).unwrap_err().to_string();
    insta::assert_snapshot!(why("garbage\n"), @r"the server's message does not follow the protocol (expected value at line 1 column 1): garbage\n");
    insta::assert_snapshot!(why(r#"{"type":"HELLO"}"#), @r#"the server's message does not follow the protocol (unknown variant `HELLO`, expected one of `NAME`, `START`, `MOVE`, `VALID`, `INVALID`, `END` at line 1 column 15): {\"type\":\"HELLO\"}"#);
    insta::assert_snapshot!(why(r#"{"type":"VALID"}"#), @r#"the server's message does not follow the protocol (missing field `remainingTime`): {\"type\":\"VALID\"}"#);
    let mut over = start(2, &[], "B");
    over["configuration"]["initialState"]["turn"] = json!(".");
    let start_of_nobody =
        "(configuration.initialState.turn: unknown variant `.`, expected `B` or `W`)";
    assert!(why(&over.to_string()).contains(start_of_nobody));
    assert!(why(&start(2, &[], ".").to_string()).contains("unknown variant `.`"));
    assert!(why(&"x".repeat(100_000)).chars().count() < 300);
}

/// Because of a mistake in the document.
#[test]
fn a_move_may_be_called_start() {
    let mut slip = moved("1,1");
    slip["type"] = json!("START");
    assert_eq!(read(&slip.to_string()), read(&moved("1,1").to_string()));
}

fn any_message() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        (0..4_u8, 0..4_u8).prop_map(|(row, column)| format!("{row},{column}")),
        Just("pass".to_owned()),
        Just("resign".to_owned()),
    ];
    let color = prop_oneof![Just("B"), Just("W")];
    let winner = prop_oneof![Just("B"), Just("W"), Just(".")];
    let reason = prop_oneof![Just("pass"), Just("pause"), Just("error"), Just("timeout")];
    let moves = prop::collection::vec(word.clone(), 0..6);
    prop_oneof![
        1 => Just(name()),
        1 => (moves, color).prop_map(|(moves, color)| {
            let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
            start(3, &moves, color)
        }),
        4 => word.prop_map(|word| moved(&word)),
        4 => Just(valid()),
        1 => Just(invalid()),
        1 => (reason, winner).prop_map(|(reason, winner)| end(reason, winner)),
    ]
}

proptest! {
    /// The client follows any server, and thinks only when it is to move.
    #[test]
    fn any_messages_are_followed(messages in prop::collection::vec(any_message(), 0..40)) {
        let mut client = Client::new();
        for message in messages {
            client.hears(&message);
            let turn = client.0.turn(Duration::ZERO);
            prop_assert_eq!(turn.is_some(), client.0.state() == State::Thinking);
            if let Some(turn) = turn {
                prop_assert!(!turn.game.is_over());
                client.chooses("pass");
                prop_assert_eq!(client.0.state(), State::AwaitingMoveResponse);
            }
        }
    }

    #[test]
    fn any_text_is_read_without_harm(text in ".{0,200}") {
        let _ = read(&text);
    }
}
