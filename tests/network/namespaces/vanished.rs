//! The other machine notices within a minute when a machine vanishes, whether sent data is
//! unacknowledged or the connection is idle.

use std::fs;
use std::time::{Duration, Instant};

use crate::namespaces::network::{Machine, Network, Program};
use crate::waiting::Deadline;

/// How long it may take until all have noticed.
const MINUTE: Duration = Duration::from_secs(60);

/// A silent visitor on the other machine who has the page at this port open.
fn spectator(network: &Network, port: u16) -> Program {
    let host = Machine::Here.address();
    let script = format!(
        "exec 3<>/dev/tcp/{host}/{port}; \
         printf 'GET /watch HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nConnection: Upgrade\\r\\n\
         Upgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\n\
         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n' >&3; \
         head -1 <&3; exec sleep 1000"
    );
    let mut command = network.command(Machine::There, "bash");
    let spectator = Program::spawn(command.args(["-c", &script]));
    spectator.wait_for("101 Switching Protocols");
    spectator
}

fn vanish(vanish: impl FnOnce(&Network)) {
    let network = Network::new();
    let netref = network.start(
        Machine::Here,
        "netref 0 --host 10.99.0.1 --port 5000 --tables 3 --http 5100",
    );
    netref.wait_for("listening on 10.99.0.1:5002");
    // The server's own pings would be enough, but the organizer may set them.
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("server.config.json");
    fs::write(&config, r#"{"pingInterval": 3600000}"#).unwrap();
    let config = config.to_str().unwrap();
    let goref = network.start(
        Machine::Here,
        &format!("goref --no-state --host 10.99.0.1 --port 5200 --config {config}"),
    );
    goref.wait_for("clients connect to");

    let client = |machine, port, role: &str| {
        let arguments = format!("netplay 10.99.0.1:{port} {role}");
        let client = network.start(machine, &arguments);
        client.wait_for("waiting for the match to begin");
        client
    };
    // Black has moved, so the other machine owes an acknowledgement.
    let mut black = client(Machine::Here, 5000, "black --human");
    let observer = client(Machine::There, 5000, "observe");
    let white = client(Machine::There, 5000, "white --human");
    // A client on the other machine has moved, so it is owed an acknowledgement.
    let mut mover = client(Machine::There, 5001, "black --human");
    let mut opponent = client(Machine::Here, 5001, "white --human");
    // The connection is idle.
    let waiting = client(Machine::There, 5002, "either --human");
    let goplay = network.start(
        Machine::There,
        "goplay ws://10.99.0.1:5200 --name Ann --human --reconnect 0",
    );
    goref.wait_for("Ann");
    let _spectators = [5100, 5200].map(|port| spectator(&network, port));
    for player in [&black, &mover] {
        player.wait_for("Black (X) to move");
    }
    assert_eq!(network.connections(Machine::Here), 7);
    assert_eq!(network.connections(Machine::There), 7);

    vanish(&network);
    let start = Instant::now();
    black.types("c3");
    mover.types("c3");
    black.wait_for("Black (X) plays c3");
    // The spectators on the other machine are not our programs, and notice nothing.
    for (machine, others) in [(Machine::Here, 0), (Machine::There, 2)] {
        let left = MINUTE.saturating_sub(start.elapsed());
        let ask = || (network.connections(machine) == others).then_some(());
        let count = Deadline::within(left)
            .find(ask)
            .map_or_else(|| network.connections(machine), |()| others);
        assert_eq!(count, others, "{machine:?}");
    }
    eprintln!("all have noticed after {} s", start.elapsed().as_secs());
    // The referee waits for another half a minute: the opponent may be gone for the same reason.
    let decided = Duration::from_secs(50);
    for (player, result) in [
        (&mut black, "black wins by disconnection"),
        (&mut opponent, "white wins by disconnection"),
    ] {
        assert_eq!(player.end(decided).code(), Some(0), "{}", player.out());
        player.wait_for(result);
    }
    let soon = Duration::from_secs(10);
    for mut lost in [observer, white, mover, waiting] {
        assert_eq!(lost.end(soon).code(), Some(1), "{}", lost.out());
        lost.wait_for("the connection to the referee broke");
    }
    let mut goplay = goplay;
    assert_eq!(goplay.end(soon).code(), Some(0), "{}", goplay.out());
    goref.wait_for("left");
}

#[test]
#[ignore = "takes a minute, and needs root, to make network namespaces"]
fn a_cable_that_is_pulled_out_is_noticed_within_a_minute() {
    vanish(Network::pull_cable);
}

#[test]
#[ignore = "takes a minute, and needs root, to make network namespaces"]
fn a_machine_that_is_switched_off_is_noticed_within_a_minute() {
    vanish(Network::switch_off);
}
