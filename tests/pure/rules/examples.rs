//! The five examples of the rules page (Bart Massey, "Gothello", 2001).
//!
//! The page shows them as pictures. Where its text leaves points open, the boards here are the
//! simplest that agree with everything in it.

use gothello::{ByColor, IllegalMove, Next, Outcome, Placements, Position, Stones};

/// The position of a board picture.
fn board(picture: [&str; 5], side: &str) -> Position {
    let rows = picture.map(|row| row.replace(' ', ""));
    format!("{} {side}", rows.join("/")).parse().unwrap()
}

/// The position after a legal placement.
fn place(position: Position, point: &str) -> Position {
    position.place(point.parse().unwrap()).unwrap()
}

/// The reason why a placement is illegal, for each side.
fn refused(position: Position, point: &str) -> [Option<IllegalMove>; 2] {
    let other = position.with_to_move(position.to_move().opponent());
    [position, other].map(|position| position.place(point.parse().unwrap()).err())
}

#[test]
fn example_1_the_wall_helps_to_enclose() {
    // "Black moves to capture at b3, capturing two white pieces. Note that the
    // left wall was part of the enclosure."
    let before = board(
        [
            ". . . . .", //
            "b . . . .",
            "w . . . .",
            "w b . . .",
            "b . . . .",
        ],
        "b",
    );
    let after = board(
        [
            ". . . . .", //
            "b . . . .",
            "b b . . .",
            "b b . . .",
            "b . . . .",
        ],
        "w",
    );
    assert_eq!(place(before, "b3"), after);
}

#[test]
fn example_2_one_eye_lives() {
    // "The white stones at e4, d3, and e2 are safe. Neither black nor white can
    // play e3 due to the capture restrictions." Black's stone would have no
    // liberty; White's would join three stones that have no other liberty.
    let position = board(
        [
            ". . . b b", //
            ". . . b w",
            ". . b w .",
            ". . . b w",
            ". . . b b",
        ],
        "b",
    );
    let e3 = "e3".parse().unwrap();
    assert_eq!(
        refused(position, "e3"),
        [Some(IllegalMove::NoLiberty(e3)); 2]
    );
}

#[test]
fn example_3_a_draw() {
    // "The game is tied, and black is on move. However, black must pass, since
    // the play at e3 is still illegal. White must also pass." Every group keeps
    // e3 as its liberty, so that either player's stone there would have none.
    let position = board(
        [
            "w w w w w", //
            "w w w w w",
            "b b b b .",
            "b b b b w",
            "b b b b w",
        ],
        "b",
    );
    assert_eq!(position.count(), ByColor::new(12, 12));
    let moves: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
    assert_eq!(moves, ["pass"]);
    let Next::Continues(white) = position.pass() else {
        panic!("one pass does not end the game");
    };
    assert_eq!(white.placements().legal().len(), 0);
    assert_eq!(white.pass(), Next::Ends(Outcome::Drawn));
}

#[test]
fn example_4_nobody_can_fill_the_last_point() {
    // "Neither black nor white can play e1. White cannot because it would cause
    // the played group (all the stones on the board) to have zero liberties."
    let position = board(
        [
            "w w w w w", //
            "w w w w w",
            "w w w w w",
            "w w w w w",
            "w w w w .",
        ],
        "w",
    );
    let e1 = "e1".parse().unwrap();
    assert_eq!(
        refused(position, "e1"),
        [Some(IllegalMove::NoLiberty(e1)); 2]
    );
}

#[test]
fn example_5_the_last_move_captures_everything() {
    // "Black can play d1 and capture all of white's stones. This is because d1
    // is a legal move, and the white group adjacent to d1 will have zero
    // liberties after it is made."
    let before = board(
        [
            "w w w w w", //
            "w w w w w",
            "w w w w w",
            "w w w w b",
            "w w w . .",
        ],
        "b",
    );
    let after = board(
        [
            "b b b b b", //
            "b b b b b",
            "b b b b b",
            "b b b b b",
            "b b b b .",
        ],
        "w",
    );
    assert_eq!(place(before, "d1"), after);
}

#[test]
fn a_stone_needs_a_liberty_before_it_captures() {
    // In Go Black could take at a1: the capture would give the stone a liberty. Here
    // Black may not, and White, who connects, may.
    let position = board(
        [
            ". . . . .", //
            ". . . . .",
            "b . . . .",
            "w b . . .",
            ". w b . .",
        ],
        "b",
    );
    let a1 = "a1".parse().unwrap();
    assert_eq!(
        refused(position, "a1"),
        [
            Some(IllegalMove::NoLiberty(a1)),
            Some(IllegalMove::NoLiberty(a1))
        ]
    );
    let position = board(
        [
            ". . . . .", //
            ". . . . .",
            "b . . . .",
            "w b . . .",
            ". w . . .",
        ],
        "b",
    );
    assert_eq!(
        refused(position, "a1"),
        [Some(IllegalMove::NoLiberty(a1)), None]
    );
}

#[test]
fn several_groups_are_captured_at_once() {
    let before = board(
        [
            ". . b . .", //
            ". b w b .",
            "b w . w b",
            ". b . b .",
            ". . . . .",
        ],
        "b",
    );
    let after = board(
        [
            ". . b . .", //
            ". b b b .",
            "b b b b b",
            ". b . b .",
            ". . . . .",
        ],
        "w",
    );
    assert_eq!(place(before, "c3"), after);
}

#[test]
fn points_that_are_neither_stones_nor_empty_are_not_liberties() {
    // The raw tier plays on any part of the board: here the corner of 2x2.
    let [a1, b1, a2, b2] = ["a1", "b1", "a2", "b2"].map(|name| name.parse().unwrap());
    let stones = Stones {
        mover: [a1].into_iter().collect(),
        opponent: [b1].into_iter().collect(),
    };
    let empty = [a2, b2].into_iter().collect();
    let placements = Placements::new(stones, empty);
    assert_eq!(placements.legal(), empty);
    assert_eq!(placements.captures(a2).unwrap().len(), 0);
    assert_eq!(placements.captures(b2), Some(stones.opponent));
}
