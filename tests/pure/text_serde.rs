//! Values as strings in JSON, and the types that the guide lists under *Types with serde*.

use gothello::{ByColor, Color, Move, Outcome, Point, Position};
use gothello::{awari, go, review, statistics, tablebase, tournament};
use serde::Serialize;
use serde::de::DeserializeOwned;

#[test]
fn an_outcome_is_read_as_it_is_written() {
    let outcomes = ["B+3", "W+24", "0", "B+127"];
    let json = serde_json::to_string(&outcomes).unwrap();
    let read: Vec<Outcome> = serde_json::from_str(&json).unwrap();
    assert_eq!(read[0], Outcome::from_lead(Color::Black, 3));
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    for text in [
        "", "B", "B+", "B+0", "B+03", "B++3", "B+-3", "B-3", "b+3", "+3", "00", "B+128", "B+3 ",
        "é+3",
    ] {
        assert!(text.parse::<Outcome>().is_err(), "{text:?}");
    }
}

#[test]
fn points_and_moves_of_go_are_objects() {
    let point = go::Point { row: 0, column: 3 };
    let moves = [go::Move::Place(point), go::Move::Pass, go::Move::Resign];
    let json = serde_json::to_string(&moves).unwrap();
    insta::assert_snapshot!(json, @r#"[{"place":{"row":0,"column":3}},"pass","resign"]"#);
    assert_eq!(serde_json::from_str::<[go::Move; 3]>(&json).unwrap(), moves);
}

/// The types that the guide lists under *Types with serde*.
#[test]
fn the_types_of_the_guide_have_serde() {
    fn both<T: Serialize + DeserializeOwned>() {}
    fn serialize<T: Serialize>() {}

    both::<(Position, Point, Move, Outcome)>();
    both::<(awari::Position, awari::Pit, awari::Variant)>();
    both::<(go::Board, go::Score, go::Point, go::Move)>();
    both::<(Color, ByColor<u8>)>();
    both::<(
        statistics::Sprt,
        statistics::WinDrawLoss,
        statistics::Pentanomial,
    )>();
    both::<(review::Known, tournament::Settings, tournament::Event)>();
    both::<(tablebase::Summary, tablebase::Counts)>();
    serialize::<(review::Ply, review::PlayerReview, review::Judgment)>();
    serialize::<(
        statistics::Decision,
        tournament::Standing,
        tournament::Crosstable,
    )>();
    serialize::<(tablebase::Distribution, tablebase::Tally)>();
}

#[test]
fn a_position_and_a_move_are_strings() {
    let position = "w.bb./b.bw./.bwww/b..ww/w..ww b";
    let json = format!("[\"{position}\",\"c2\"]");
    let read: (Position, Move) = serde_json::from_str(&json).unwrap();
    assert_eq!(read.0.to_string(), position);
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    let error = serde_json::from_str::<Move>("\"c9\"").unwrap_err();
    let wrong = "c9".parse::<Move>().unwrap_err();
    assert!(error.to_string().starts_with(&wrong.to_string()), "{error}");
}
