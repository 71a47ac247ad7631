//! The answers of the page to play on to questions that need no search.

use std::time::Duration;

use gothello::pages::play::{Content, Question, Request, Response, Saved, Searcher, Session, open};
use gothello::player::Prover;
use serde_json::{Value, json};

/// An empty board.
const START: &str = "...../...../...../...../..... b";

/// Answers a question as the server does.
#[track_caller]
fn ask(mut question: Value) -> Value {
    question["id"] = json!(1);
    let (id, content) = match Request::parse(&question.to_string()) {
        Ok(Request { id, question }) => match question {
            Question::Answered(content) => (Some(id), content),
            other => panic!("it needs a search: {other:?}"),
        },
        Err((id, why)) => (id, Content::error(why)),
    };
    assert_eq!(id, Some(1));
    serde_json::to_value(Response { id, content }).unwrap()
}

/// Asks a question without an answer, and returns the reason.
#[track_caller]
fn why(question: Value) -> String {
    let response = ask(question);
    assert_eq!(response["type"], "error", "{response}");
    response["why"].as_str().unwrap().to_owned()
}

fn line(start: &str, moves: &[&str]) -> Value {
    json!({"start": start, "moves": moves})
}

fn awari(moves: &[&str]) -> Value {
    json!({"game": "awari", "moves": moves})
}

#[test]
fn a_line_is_described() {
    // Black captures two stones at the left edge; then a1 is an eye of White's.
    let start = "...../b..../w..../wb.../b.... b";
    let response = ask(json!({"ask": "show", "line": line(start, &["b3"]), "from": 1}));
    assert_eq!(response["type"], "plies");
    let plies = response["plies"].as_array().unwrap();
    assert_eq!(plies.len(), 1, "{plies:#?}");
    let ply = &plies[0];
    insta::assert_snapshot!(ply["board"], @r##"".....B....BB...BB...B....""##);
    insta::assert_snapshot!(ply["text"], @r#""...../b..../bb.../bb.../b.... w""#);
    insta::assert_snapshot!(ply["flipped"], @r#"["a2","a3"]"#);
    insta::assert_snapshot!(ply["at"], @"[2,1]");
    insta::assert_snapshot!(ply["count"], @r#"{"black":6,"white":0}"#);
    insta::assert_snapshot!(ply["turn"], @r#""white""#);
    insta::assert_snapshot!(ply["groups"], @r##"[{"liberties":["b1","c2","c3","b4","a5"],"stones":["a1","a2","b2","a3","b3","a4"]}]"##);

    // A stone without a liberty is illegal, and two passes end the game.
    let eye = "...../...../b..../bb.../.b... w";
    let plies = ask(json!({"ask": "show", "line": line(eye, &["pass", "pass"])}))["plies"].take();
    insta::assert_snapshot!(plies[0]["illegal"], @r#"{"a1":"a stone at a1 would have no liberty"}"#);
    assert_eq!(
        plies[0]["legal"].as_object().unwrap().len(),
        20,
        "{plies:#?}"
    );
    assert_eq!(plies[1]["last_pass"], true);
    insta::assert_snapshot!(plies[2]["result"], @r#""Black wins by 4""#);
    assert_eq!(plies[2]["text"], Value::Null);
}

#[test]
fn an_error_says_what_is_wrong() {
    insta::assert_snapshot!(why(json!({"ask": "show", "line": line("wb.../b..../...../...../..... b", &[])})), @"the group at a5 has no liberty");
    insta::assert_snapshot!(why(json!({"ask": "show", "line": line("...", &[])})), @"the board has 1 row: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w");
    insta::assert_snapshot!(why(json!({"ask": "show", "line": line(START, &["c3", "c3"])})), @"move 2 (White c3) is illegal: c3 is occupied");
    insta::assert_snapshot!(why(json!({"ask": "show", "line": line(START, &["pass", "pass", "c3"])})), @"move 3 (Black c3) is illegal: the game is over");
    insta::assert_snapshot!(why(json!({"ask": "show", "line": line(START, &["z9"])})), @r##"invalid move "z9": use a letter a-e and a digit 1-5, or pass"##);
    insta::assert_snapshot!(why(json!({"ask": "show", "line": line(START, &["pass"; 1_001])})), @"a line has at most 1000 moves, and this has 1001");
    insta::assert_snapshot!(why(json!({"ask": "move", "line": line(START, &[]), "level": "10"})), @r##"invalid level "10": use 1 to 9 or perfect"##);
    insta::assert_snapshot!(why(json!({"ask": "values", "line": line(START, &["pass", "pass"])})), @"the game is over");
    insta::assert_snapshot!(why(json!({"ask": "nothing"})), @"the request is not understood: unknown variant `nothing`, expected one of `show`, `set-up`, `values`, `best-line`, `move`, `review`, `picture`, `stop`, `stop-review` at line 1 column 24");
}

#[test]
fn a_line_of_awari_is_described() {
    // The first move, and North's legal replies.
    let response = ask(json!({"ask": "show", "line": awari(&["F"])}));
    assert_eq!(response["plies"].as_array().unwrap().len(), 2, "{response}");
    let ply = &response["plies"][1];
    insta::assert_snapshot!(ply["board"], @r#""4,4,5,5,5,5,4,4,4,4,4,0""#);
    insta::assert_snapshot!(ply["text"], @r#""5,5,5,5,4,4/4,4,4,4,4,0 0 0 n""#);
    insta::assert_snapshot!(ply["at"], @"[1,5]");
    insta::assert_snapshot!(ply["sown"], @r#"["a","b","c","d"]"#);
    insta::assert_snapshot!(ply["illegal"], @r#"{"A":"A is not North's pit","B":"B is not North's pit","C":"C is not North's pit","D":"D is not North's pit","E":"E is not North's pit","F":"F is not North's pit"}"#);
    assert_eq!(ply["legal"].as_object().unwrap().len(), 6, "{ply}");
    assert_eq!(
        (&ply["by"], &ply["turn"]),
        (&json!("black"), &json!("white"))
    );

    // South captures from three pits, and then has more than half of all stones.
    let start = "0,2,1,1,4,4/0,0,0,0,0,4 9 23 s";
    let line = json!({"game": "awari", "start": start, "moves": ["F"]});
    let plies = ask(json!({"ask": "show", "line": line}))["plies"].take();
    insta::assert_snapshot!(plies[0]["legal"], @r#"{"F":["b","c","d"]}"#);
    insta::assert_snapshot!(plies[0]["illegal"], @r#"{"A":"A is empty","B":"B is empty","C":"C is empty","D":"D is empty","E":"E is empty","a":"a is not South's pit","b":"b is not South's pit","c":"c is not South's pit","d":"d is not South's pit","e":"e is not South's pit","f":"f is not South's pit"}"#);
    insta::assert_snapshot!(plies[1]["taken"], @"7");
    insta::assert_snapshot!(plies[1]["count"], @r#"{"black":30,"white":9}"#);
    insta::assert_snapshot!(plies[1]["result"], @r#""South wins, 30 to 9 (25 stones)""#);
    assert_eq!(plies[1]["turn"], Value::Null);
}

#[test]
fn awari_is_played_by_the_chosen_rules() {
    // Pit F captures all of North's stones.
    let start = "1,1,0,0,0,0/0,0,0,0,1,2 20 23 s";
    let after = |rules: &str| {
        let line = json!({"game": "awari", "rules": rules, "start": start, "moves": ["F"]});
        let response = ask(json!({"ask": "show", "line": line}));
        match response["type"].as_str() {
            Some("plies") => response["plies"][1]["count"].to_string(),
            _ => response["why"].as_str().unwrap().to_owned(),
        }
    };
    insta::assert_snapshot!(after("a claim"), @"move 1 (South F) is illegal: F captures all of the opponent's stones, which is not allowed");
    insta::assert_snapshot!(after("b claim"), @r#"{"black":23,"white":20}"#);
    insta::assert_snapshot!(after("c claim"), @r#"{"black":25,"white":20}"#);
    insta::assert_snapshot!(after("d discard"), @r#"{"black":25,"white":20}"#);
    insta::assert_snapshot!(after("e claim"), @r#"{"black":27,"white":21}"#);
}

#[test]
fn a_question_about_awari_that_has_no_answer_says_why() {
    insta::assert_snapshot!(why(json!({"ask": "show", "line": awari(&["C", "D"])})), @"move 2 (North D) is illegal: D is not North's pit");
    insta::assert_snapshot!(why(json!({"ask": "show", "line": awari(&["c3"])})), @r#""c3" is not a pit: use a letter a-f (North's) or A-F (South's)"#);
    insta::assert_snapshot!(why(json!({"ask": "show", "line": awari(&["C"; 1_001])})), @"a line has at most 1000 moves, and this has 1001");
    insta::assert_snapshot!(why(json!({"ask": "show", "line": {"game": "awari", "start": START}})), @"a position has four words with one space between them: the pits, North's and South's captured stones, and the side to move, as in 4,4,4,4,4,4/4,4,4,4,4,4 0 0 s");
    insta::assert_snapshot!(why(json!({"ask": "show", "line": {"game": "awari", "rules": "f claim"}})), @r#""f claim" is not a variant: write the letter of a grand slam, a to e, and claim or discard, as in e claim"#);
    insta::assert_snapshot!(why(json!({"ask": "show", "line": {"game": "gothello", "rules": "e claim"}})), @"Gothello has no variants: rules are for awari");
    insta::assert_snapshot!(why(json!({"ask": "show", "line": {"game": "go"}})), @"the request is not understood: unknown variant `go`, expected `gothello` or `awari` at line 1 column 42");
    for ask in ["values", "best-line", "review"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(why(json!({"ask": ask, "line": awari(&[])})), @"this can be asked of gothello only");
        }
    }
    for (ms, level) in [
        (None, None),
        (Some(0), None),
        (Some(10_001), None),
        (None, Some("3")),
    ] {
        let question = json!({"ask": "move", "line": awari(&[]), "ms": ms, "level": level});
        insta::allow_duplicates! {
            insta::assert_snapshot!(why(question), @"a move of awari has a time in ms, 1 to 10000");
        }
    }
    insta::assert_snapshot!(why(json!({"ask": "move", "line": line(START, &[]), "ms": 100})), @"a move of gothello has a level, 1 to 9 or perfect");
    let over = json!({"game": "awari", "start": "0,2,1,1,4,4/0,0,0,0,0,4 9 23 s", "moves": ["F"]});
    insta::assert_snapshot!(why(json!({"ask": "move", "line": over, "ms": 100})), @"the game is over");
}

#[test]
fn a_setup_is_legal_or_has_a_group_without_a_liberty() {
    let check = |black: &[&str], white: &[&str]| {
        let stones = json!({"black": black, "white": white});
        ask(json!({"ask": "set-up", "stones": stones, "turn": "white"}))
    };
    let legal = check(&["c3"], &["d3"]);
    assert_eq!(
        (&legal["is"], &legal["text"]),
        (&json!("legal"), &json!("...../...../..bw./...../..... w"))
    );
    let illegal = check(&["a3", "b2", "c1"], &["a2", "a1", "b1"]);
    assert_eq!(illegal["is"], "illegal");
    insta::assert_snapshot!(illegal["why"], @r##""the group at a1 has no liberty""##);
    insta::assert_snapshot!(illegal["stones"], @r##"["a1","b1","a2"]"##);
}

/// Opens a file.
fn opened(bytes: impl AsRef<[u8]>, game: Option<usize>) -> Value {
    match open(bytes.as_ref(), game) {
        Ok(opened) => serde_json::to_value(opened).unwrap(),
        Err(why) => json!({"why": why.to_string()}),
    }
}

/// Saves a game.
fn saved(game: Value) -> Vec<u8> {
    serde_json::from_value::<Saved>(game)
        .unwrap()
        .write()
        .unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_game_is_saved_and_opened() {
    let players = json!({"black": "Ann [1]", "white": "Level 3"});
    // The fourth move has a variation, and so has the first.
    let moves = json!([
        [0, "c3"],
        [1, "c4"],
        [2, "pass"],
        [3, "d4"],
        [3, "d3"],
        [0, "pass"]
    ]);
    let headers = json!({"players": players, "result": "B+R", "event": "Club"});
    let sgf = text(saved(
        json!({"start": START, "moves": moves, "headers": headers}),
    ));
    let told = sgf.replace(env!("CARGO_PKG_VERSION"), "1");
    insta::assert_snapshot!(told, @r"
    (;FF[4]GM[1]CA[UTF-8]AP[gothello:1]SZ[5]RU[Gothello]PB[Ann [1\]]PW[Level 3]EV[Club]RE[B+R]
    (;B[cc];W[cb];B[]
    (;W[db])
    (;W[dc]))
    (;B[]))
    ");
    let read = opened(&sgf, None);
    assert_eq!(read["start"], START);
    assert_eq!(read["moves"], moves);
    insta::assert_snapshot!(read["headers"], @r#"{"comment":null,"date":null,"event":"Club","players":{"black":"Ann [1]","white":"Level 3"},"result":"B+R"}"#);
    assert_eq!(read["left_out"], json!([]));
}

#[test]
fn a_file_with_too_many_games_is_refused() {
    let most = opened("(;SZ[5])".repeat(20_000), None);
    assert_eq!(most["games"].as_array().unwrap().len(), 20_000);
    let why = opened("(;SZ[5])".repeat(20_001), None)["why"].take();
    assert_eq!(why, "a file has at most 20000 games");
    // The last of them can be asked for.
    let game = opened("(;SZ[5])".repeat(20_001), Some(20_000));
    assert_eq!(game["type"], "tree", "{game:.300}");
}

#[test]
fn a_position_that_is_set_up_in_the_middle_is_a_step() {
    let sgf = "(;GM[1]SZ[5];B[cc](;W[dc];AB[aa];B[ee])(;W[bb])(;AE[cc]AW[bb]PL[W]))";
    let read = opened(sgf, None);
    assert_eq!(read["start"], START);
    assert_eq!(read["left_out"], json!([]));
    insta::assert_snapshot!(read["moves"], @r#"[[0,"c3"],[1,"d3"],[2,"b..../...../..bw./...../..... b"],[3,"e1"],[1,"b4"],[1,"...../.w.../...../...../..... w"]]"#);
    let mut game = json!({"file": read["file"], "start": START, "moves": read["moves"]});
    assert_eq!(text(saved(game.clone())), sgf);
    // It is shown.
    let moves = ["c3", "...../.w.../...../...../..... w", "a1"];
    let plies = ask(json!({"ask": "show", "line": line(START, &moves), "from": 2}))["plies"].take();
    insta::assert_snapshot!(plies[0]["board"], @r#""......W..................""#);
    assert_eq!(plies[0]["move"], moves[1]);
    assert_eq!(
        (&plies[0]["by"], &plies[0]["turn"]),
        (&Value::Null, &json!("white"))
    );
    assert_eq!(plies[1]["text"], "...../.w.../...../...../w.... b");
    // One that is new in the file is written, too.
    game["moves"] = json!([
        [0, "c3"],
        [1, "b..../...../..b../...../....w b"],
        [2, "pass"]
    ]);
    insta::assert_snapshot!(text(saved(game)), @r"
    (;GM[1]SZ[5];B[cc]
    ;AB[aa]AW[ee]PL[B];B[])
    ");
    insta::assert_snapshot!(why(json!({"ask": "show", "line": line(START, &["b/w b"])})), @"the board has 2 rows: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w");
}

#[test]
fn a_review_goes_on_after_a_position_that_is_set_up() {
    let start = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w";
    let prover = Prover::new().memory_mib(1).threads(1);
    let mut session = Session::new(Searcher::new(prover, Some(1), false, || 0));
    let line = line(start, &["c1", start, "e3"]);
    let question = json!({"id": 1, "ask": "review", "line": line});
    assert_eq!(session.receive(&question.to_string()), None);
    let mut told = None;
    while session.is_searching() {
        told = session.search(Duration::from_secs(1)).or(told);
    }
    let review = serde_json::to_value(told).unwrap();
    assert_eq!(review["done"], true);
    assert_eq!(review["values"], json!([-24, -24, -24, 6]));
    let lost = |step: usize| &review["plies"][step]["lost"];
    assert_eq!([lost(0), lost(2)], [0, 30]);
    assert_eq!(review["plies"][1], Value::Null);
    assert_eq!(review["players"]["white"]["first_blunder"], 3);
    assert_eq!(review["players"]["white"]["lost"], 30);
}

#[test]
fn a_file_that_is_saved_keeps_all_that_the_page_does_not_show() {
    // Shift-JIS that the file does not declare, a collection, an illegal variation, and foreign properties.
    let file = b"(;GM[1]SZ[5]PB[first];B[cc]) \n(;GM[1]FF[4]SZ[5]PB[\x8d\x95\x94\xd4]XY[1][2]\n;B[cc]LB[cc:1](;W[cc])(;W[cd]))\n\n";
    let games = opened(file, None);
    insta::assert_snapshot!(games, @r#"{"games":[{"headers":{"comment":null,"date":null,"event":null,"players":{"black":"first","white":null},"result":null},"moves":1},{"headers":{"comment":null,"date":null,"event":null,"players":{"black":"黒番","white":null},"result":null},"moves":2}],"type":"games"}"#);
    let read = opened(file, Some(1));
    insta::assert_snapshot!(read["headers"]["players"]["black"], @r#""黒番""#);
    insta::assert_snapshot!(read["left_out"], @r#"["line 3, column 17: move 2, W[cc], is illegal: c3 is occupied; it is left out with all that follows it"]"#);
    let mut game = json!({"file": read["file"], "start": read["start"], "moves": read["moves"], "headers": read["headers"]});
    assert_eq!(saved(game.clone()), file);
    // A move and a comment are added.
    game["moves"] = json!([[0, "c3"], [1, "c2"], [2, "a5"]]);
    game["annotations"] =
        json!({"2": {"comment": "番 [!]", "marks": [{"point": "c2", "kind": "circle"}]}});
    let read = opened(saved(game.clone()), Some(1));
    assert_eq!(read["file"]["encoding"], "Shift_JIS");
    insta::assert_snapshot!(read["file"]["text"].as_str().unwrap(), @r"
    (;GM[1]SZ[5]PB[first];B[cc]) 
    (;GM[1]FF[4]SZ[5]PB[黒番]XY[1][2]
    ;B[cc]LB[cc:1](;W[cc])(;W[cd]C[番 [!\]]CR[cd];B[aa]))
    ");
    insta::assert_snapshot!(read["annotations"], @r#"{"1":{"comment":"","marks":[{"kind":"label","label":"1","point":"c3"}]},"2":{"comment":"番 [!]","marks":[{"kind":"circle","label":"","point":"c2"}]}}"#);
    // What Shift-JIS has not is written as UTF-8, which the file then says.
    game["annotations"] = json!({"2": {"comment": "é", "marks": []}});
    insta::assert_snapshot!(text(saved(game)), @r"
    ﻿(;GM[1]SZ[5]PB[first];B[cc]) 
    (;CA[UTF-8]GM[1]FF[4]SZ[5]PB[黒番]XY[1][2]
    ;B[cc]LB[cc:1](;W[cc])(;W[cd]C[é];B[aa]))
    ");
}

#[test]
fn a_text_is_a_position_or_moves_too() {
    insta::assert_snapshot!(opened("...../...../..bw./...../..... w\n", None), @r#"{"annotations":{},"file":null,"headers":{"comment":null,"date":null,"event":null,"players":{"black":null,"white":null},"result":null},"left_out":[],"moves":[],"start":"...../...../..bw./...../..... w","type":"tree"}"#);
    insta::assert_snapshot!(opened("1. c3 d3\n2. pass b2, 3.c3", None), @r#"{"annotations":{},"file":null,"headers":{"comment":null,"date":null,"event":null,"players":{"black":null,"white":null},"result":null},"left_out":["c3 after node 4 is illegal: c3 is occupied; it is left out with all that follows it"],"moves":[[0,"c3"],[1,"d3"],[2,"pass"],[3,"b2"]],"start":"...../...../...../...../..... b","type":"tree"}"#);
    insta::assert_snapshot!(opened("C f", None), @r#"{"moves":["C","f"],"rules":"e claim","type":"awari"}"#);
    insta::assert_snapshot!(opened("hello", None), @r#"{"why":"it is neither a game in SGF, nor a position, nor moves"}"#);
    insta::assert_snapshot!(opened("", None), @r#"{"why":"it is neither a game in SGF, nor a position, nor moves"}"#);
    insta::assert_snapshot!(opened("(;SZ[5])(;SZ[5])", Some(2)), @r#"{"why":"there is no such game in the file"}"#);
    insta::assert_snapshot!(opened("(;SZ[9])", None), @r#"{"why":"wrong board size 9x9: Gothello is recorded with SZ[5]"}"#);
    let long = format!("(;SZ[5]C[{}];B[cc])", "x".repeat(100_000));
    assert_eq!(opened(&long, None)["moves"], json!([[0, "c3"]]));
    let too_long = format!("(;SZ[5]C[{}];B[cc])", "x".repeat(4 << 20));
    insta::assert_snapshot!(opened(&too_long, None), @r#"{"why":"the game is longer than 4194304 bytes"}"#);
}

#[test]
fn a_game_that_cannot_be_saved_says_why() {
    let why = |moves: Value| {
        let game: Saved = serde_json::from_value(json!({"start": START, "moves": moves})).unwrap();
        game.write().unwrap_err().to_string()
    };
    insta::assert_snapshot!(why(json!([[0, "c3"], [1, "c3"]])), @"c3 after node 1 is illegal: c3 is occupied");
    insta::assert_snapshot!(why(json!([[1, "c3"]])), @"there is no node 1 to play from");
    insta::assert_snapshot!(why(json!(vec![json!([0, "c3"]); 20_001])), @"a game with its variations has at most 20000 moves, and this has 20001");
}
