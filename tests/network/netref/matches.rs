//! Whole matches, from the view of players and observers.

use crate::netref::referee::Referee;

#[test]
fn a_match_without_names_and_clocks() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.pair();
    black.ask("1 c3", "200 ");
    for client in [&mut black, &mut white] {
        client.expect("311 1 c3 ");
    }
    white.ask("1 ... pass", "200 ");
    for client in [&mut black, &mut white] {
        client.expect("316 1 ... pass ");
    }
    black.ask("2 pass", "201 ");
    for client in [&mut black, &mut white] {
        client.expect("321 2 pass ");
        client.expect_end();
    }
}
