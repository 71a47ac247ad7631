//! Whole transcripts, from the view of the author of a client: every line with its full text, and
//! with a `>` before each line that the client sends.

use crate::netref::referee::Referee;

/// Black captures in the corner, and wins.
const REQUESTS: [&str; 6] = [
    "1 b1",
    "1 ... a1",
    "2 a2",
    "2 ... c3",
    "3 pass",
    "3 ... pass",
];

#[test]
fn a_match_without_names() {
    let referee = Referee::start(&[]);
    let [black, white, _] = referee.play(["", ""], &REQUESTS);
    insta::assert_snapshot!(black.join("\n"), @"
    352 You will play black
    > 1 b1
    200 Move b1 accepted, continue playing
    311 1 b1 is black move, game continues
    312 1 ... a1 is white move, game continues
    > 2 a2
    200 Move a2 accepted, continue playing
    311 2 a2 is black move, game continues
    312 2 ... c3 is white move, game continues
    > 3 pass
    200 Move pass accepted, continue playing
    315 3 pass is black move, game continues
    324 3 ... pass and white loses
    ");
    insta::assert_snapshot!(white.join("\n"), @"
    351 You will play white
    311 1 b1 is black move, game continues
    > 1 ... a1
    200 Move a1 accepted, continue playing
    312 1 ... a1 is white move, game continues
    311 2 a2 is black move, game continues
    > 2 ... c3
    200 Move c3 accepted, continue playing
    312 2 ... c3 is white move, game continues
    315 3 pass is black move, game continues
    > 3 ... pass
    202 Move pass accepted, you lose
    324 3 ... pass and white loses
    ");
}

#[test]
fn a_match_with_names() {
    let referee = Referee::start(&[]);
    let names = ["\"Ann \"\"the Ox\"\" Lee\"", "\"Bob\""];
    let [black, white, _] = referee.play(names, &["1 c3", "resign"]);
    insta::assert_snapshot!(black.join("\n"), @r#"
    341 "Bob" is the white player
    342 "Ann ""the Ox"" Lee" is the black player
    344 1 observer watches
    352 You will play black
    > 1 c3
    200 Move c3 accepted, continue playing
    311 1 c3 is black move, game continues
    327 Black wins by resignation
    "#);
    insta::assert_snapshot!(white.join("\n"), @r#"
    341 "Bob" is the white player
    342 "Ann ""the Ox"" Lee" is the black player
    344 1 observer watches
    351 You will play white
    311 1 c3 is black move, game continues
    > resign
    204 Resignation accepted, you lose
    327 Black wins by resignation
    "#);
}

#[test]
fn a_match_as_an_observer_sees_it() {
    let referee = Referee::start(&[]);
    let [_, _, observer] = referee.play(["\"Ann\"", ""], &REQUESTS);
    insta::assert_snapshot!(observer.join("\n"), @r#"
    342 "Ann" is the black player
    344 1 observer watches
    353 You will observe
    311 1 b1 is black move, game continues
    380 1 w to move
    382 The board
    .....
    .....
    .....
    .....
    .b...
    312 1 ... a1 is white move, game continues
    380 2 b to move
    382 The board
    .....
    .....
    .....
    .....
    wb...
    311 2 a2 is black move, game continues
    380 2 w to move
    382 The board
    .....
    .....
    .....
    b....
    bb...
    312 2 ... c3 is white move, game continues
    380 3 b to move
    382 The board
    .....
    .....
    ..w..
    b....
    bb...
    315 3 pass is black move, game continues
    380 3 w to move
    382 The board
    .....
    .....
    ..w..
    b....
    bb...
    324 3 ... pass and white loses
    380 3 . the match is over
    382 The board
    .....
    .....
    ..w..
    b....
    bb...
    "#);
}

#[test]
fn a_match_with_time_controls() {
    let referee = Referee::start(&["120", "60"]);
    let [black, _, observer] = referee.play(["", ""], &["1 pass", "1 ... pass"]);
    insta::assert_snapshot!(black.join("\n"), @"
    352 You will play black
    > 1 pass
    207 59 secs remaining after move pass accepted, continue playing
    317 1 pass 59 (secs) is black move, game continues
    326 1 ... pass and white draws
    ");
    insta::assert_snapshot!(observer.join("\n"), @"
    344 1 observer watches
    353 You will observe
    317 1 pass 59 (secs) is black move, game continues
    381 1 59 120 w to move
    382 The board
    .....
    .....
    .....
    .....
    .....
    326 1 ... pass and white draws
    381 1 59 119 . the match is over
    382 The board
    .....
    .....
    .....
    .....
    .....
    ");
}
