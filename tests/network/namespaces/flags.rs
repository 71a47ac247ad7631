//! A flag that falls while a cable is pulled out: it counts only if a player is on the referee's side.

use std::time::Duration;

use crate::namespaces::network::{Machine, Network};
use crate::waiting::Deadline;

/// How long it may take until both connections have turned out to be lost.
const MINUTE: Duration = Duration::from_secs(60);

#[test]
#[ignore = "takes a minute, and needs root, to make network namespaces"]
fn a_flag_that_falls_during_an_outage_does_not_count_if_both_players_are_behind_it() {
    let network = Network::new();
    let netref = network.start(
        Machine::Here,
        "netref 0 10 --host 10.99.0.1 --port 5000 --tables 2",
    );
    netref.wait_for("listening on 10.99.0.1:5001");
    let client = |machine, port, player: &str| {
        let arguments = format!("netplay 10.99.0.1:{port} {player} --human");
        network.start(machine, &arguments)
    };
    let waiting = |machine, port, player| {
        let client = client(machine, port, player);
        client.wait_for("waiting for the match to begin");
        client
    };
    let mut black = waiting(Machine::There, 5000, "black --name Ann");
    let white = waiting(Machine::There, 5000, "white --name Bob");
    let mut near = waiting(Machine::Here, 5001, "black");
    let far = waiting(Machine::There, 5001, "white");
    for mover in [&mut black, &mut near] {
        mover.wait_for("Black (X) to move");
        mover.types("c3");
    }
    for player in [&white, &far] {
        player.wait_for("Black (X) plays c3");
    }
    network.pull_cable();

    let flag = Duration::from_secs(20);
    assert_eq!(near.end(flag).code(), Some(0), "{}", near.out());
    near.wait_for("black wins by time");
    netref.wait_for("is over: Black wins: White ran out of time");
    let is_interrupted = || {
        let out = netref.out();
        out.contains("waits for its players after 1 move")
            .then_some(())
    };
    Deadline::within(MINUTE).wait_for("an interruption", || netref.out(), is_interrupted);
    assert_eq!(netref.out().matches("is over").count(), 1);

    // They come back, and White's move has its ten seconds again.
    network.plug_cable_in();
    let _again = client(Machine::There, 5000, "black --name Ann");
    let mut white = client(Machine::There, 5000, "white --name Bob");
    netref.wait_for("goes on after 1 move");
    white.wait_for("White (O) to move");
    white.types("c4");
    white.wait_for("White (O) plays c4");
}
