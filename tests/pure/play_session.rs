//! What answers the page without a server: its searches go on in slices.

use std::time::Duration;

use gothello::pages::play::{Searcher, Session};
use gothello::player::Prover;
use gothello::tablebase::PackedTablebase;
use gothello::{Move, Solver};
use serde_json::{Value, json};

use crate::values::known;

/// Without a tablebase, so that there is something to search.
fn searcher() -> Searcher {
    let prover = Prover::new().memory_mib(4).threads(1);
    Searcher::new(prover, Some(1), false, || 0)
}

/// Asks a question that needs a search.
fn ask(session: &mut Session, question: Value) {
    assert_eq!(session.receive(&question.to_string()), None);
}

fn move_of(start: &str) -> Value {
    json!({"id": 1, "ask": "move", "level": "perfect", "line": {"start": start}})
}

/// Goes on in slices of this length until the search is done, and returns the last response.
fn finish(session: &mut Session, slice: Duration) -> Value {
    let mut last = None;
    while session.is_searching() {
        last = session.search(slice).or(last);
    }
    serde_json::to_value(last).unwrap()
}

#[test]
fn a_search_for_a_move_can_be_stopped() {
    let start = "...../...../...../...../..... b";
    let awari =
        json!({"id": 2, "ask": "move", "ms": 10_000, "line": {"game": "awari", "moves": []}});
    for question in [move_of(start), awari] {
        let mut session = Session::new(searcher());
        ask(&mut session, question);
        assert_eq!(session.search(Duration::ZERO), None);
        assert!(session.is_searching());
        ask(&mut session, json!({"id": 3, "ask": "stop"}));
        assert!(!session.is_searching());
    }
}

#[test]
fn each_slice_of_a_search_ends_soon_after_its_time() {
    // The value is in the tablebase; that of each move, and best play, take a search.
    let moves = ["c3", "d3", "d2", "c2", "b2", "b3", "b4"];
    for ask_for in ["values", "best-line"] {
        let prover = Prover::new().memory_mib(4).threads(1);
        let prover = prover.with_tablebase(PackedTablebase::built_in);
        let mut session = Session::new(Searcher::new(prover, Some(1), false, || 0));
        ask(
            &mut session,
            json!({"id": 1, "ask": ask_for, "line": {"moves": moves}}),
        );
        session.search(Duration::ZERO);
        assert!(session.is_searching(), "{ask_for}");
        assert!(session.positions() < 20_000, "{ask_for}");
    }
}

#[test]
fn nothing_is_told_twice() {
    let position = known(14..=14).next().unwrap().positions[0];
    let mut session = Session::new(searcher());
    ask(
        &mut session,
        json!({"id": 1, "ask": "values", "line": {"start": position.to_string()}}),
    );
    // Slices that are too short to prove much.
    let slices = 200;
    let told = (0..slices).filter_map(|_| session.search(Duration::ZERO));
    let told: Vec<Value> = told.map(|told| json!(told)).collect();
    assert!(session.is_searching());
    assert!(told.windows(2).all(|two| two[0] != two[1]));
    assert!((1..slices).contains(&told.len()), "{}", told.len());
}

#[test]
fn a_move_that_is_searched_for_in_slices_is_proven() {
    for known in known(13..=13).take(4) {
        let position = known.positions[0];
        let mut session = Session::new(searcher());
        ask(&mut session, move_of(&position.to_string()));
        let response = finish(&mut session, Duration::from_millis(1));
        assert_eq!(response["is_estimate"], json!(false), "{position}");
        let solver = Solver::builder()
            .tablebase(None)
            .threads(1)
            .memory_mib(4)
            .build();
        let mv: Move = response["move"].as_str().unwrap().parse().unwrap();
        assert!(
            solver.best_moves(&position).contains(&mv),
            "{position}: {mv}"
        );
    }
}

#[test]
fn searches_go_on_with_another_tablebase() {
    let mut session = Session::new(searcher());
    let start = known(13..=13).next().unwrap().positions[0].to_string();
    let review = json!({"id": 4, "ask": "review", "line": {"start": start}});
    ask(&mut session, move_of(&start));
    ask(&mut session, review);
    session.search(Duration::ZERO);
    session.set_searcher(searcher());
    let response = finish(&mut session, Duration::from_millis(50));
    assert_eq!(
        (&response["id"], &response["done"]),
        (&json!(4), &json!(true))
    );
}
