//! Players who leave, at every moment: the opponent is told, and the game goes on
//! when they are back.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::goref::client::{Client, End};
use crate::goref::server::{Server, pass, place};

/// How long a player thinks until the opponent leaves.
const THOUGHT: Duration = Duration::from_millis(150);

/// How somebody leaves.
#[derive(Clone, Copy, Debug)]
enum Leave {
    /// With a close frame.
    Politely,
    /// The end of the connection.
    Plainly,
    /// It says that nothing more will come.
    Half,
    /// As a process that was killed.
    Killed,
}

const WAYS: [Leave; 4] = [Leave::Politely, Leave::Plainly, Leave::Half, Leave::Killed];

fn leave(client: Client, how: Leave) {
    match how {
        Leave::Politely => drop(client.close()),
        Leave::Plainly => drop(client),
        Leave::Half => {
            let mut client = client;
            client.finish();
            client.read_to_end();
        }
        Leave::Killed => client.kill(),
    }
}

/// What the clocks show by a START (the document, "GameConfiguration").
pub fn clocks_of(start: &Value) -> [u64; 2] {
    let configuration = &start["configuration"];
    let state = &configuration["initialState"];
    let mut left = ["B", "W"].map(|side| {
        let left = &state["players"][side]["remainingTime"];
        left.as_u64().unwrap()
    });
    let mut mover = usize::from(state["turn"] == "W");
    for entry in configuration["moveLog"].as_array().unwrap() {
        left[mover] -= entry["deltaTime"].as_u64().unwrap();
        mover = 1 - mover;
    }
    left[mover] -= configuration["idleDeltaTime"].as_u64().unwrap();
    left
}

/// What the clocks show by an END.
pub fn clocks_at(end: &Value) -> [u64; 2] {
    ["B", "W"].map(|side| end["players"][side]["remainingTime"].as_u64().unwrap())
}

/// The moves of a START.
pub fn moves_of(start: &Value) -> Vec<Value> {
    let log = start["configuration"]["moveLog"].as_array().unwrap();
    log.iter().map(|entry| entry["move"].clone()).collect()
}

/// Expects the END of a game that was interrupted.
#[track_caller]
fn expect_broken_off(client: &mut Client) -> Value {
    let end = client.expect("END");
    assert_eq!(end["reason"], "error");
    assert_eq!(end["winner"], ".");
    end
}

#[test]
fn a_game_goes_on_when_mover_or_opponent_are_back() {
    for how in WAYS {
        let server = Server::start(&["--auto"]);
        let (mut black, mut white) = server.pair();
        let mut played = Vec::new();
        for number in 0..4_u8 {
            // While Black thinks and while White does, each of them leaves once.
            let (gone, mut stays) = match number {
                0 | 3 => (black, white),
                _ => (white, black),
            };
            let [name, color] = match number {
                0 | 3 => ["Ann", "B"],
                _ => ["Bob", "W"],
            };
            thread::sleep(Duration::from_millis(15));
            leave(gone, how);
            let end = expect_broken_off(&mut stays);
            let mut back = server.client(name);
            let start = back.expect("START");
            let told = stays.expect("START");
            assert_eq!(start["color"], color);
            assert_eq!(start["configuration"], told["configuration"]);
            assert_eq!(clocks_of(&start), clocks_at(&end), "{how:?}, {number}");
            assert_eq!(moves_of(&start), played);
            (black, white) = match number {
                0 | 3 => (back, stays),
                _ => (stays, back),
            };
            let (mover, other) = match number % 2 {
                0 => (&mut black, &mut white),
                _ => (&mut white, &mut black),
            };
            let left = mover.plays(other, &place([number, 0]));
            played.push(place([number, 0]));
            // He had used 15 ms before the break, which count.
            let mover = usize::from(number % 2 == 1);
            let shown = ["B", "W"].map(|side| left[side].as_u64().unwrap());
            assert!(
                shown[mover] <= clocks_at(&end)[mover],
                "{shown:?}, then {end}"
            );
            assert_eq!(shown[1 - mover], clocks_at(&end)[1 - mover]);
        }
    }
}

#[test]
fn the_waiting_player_who_leaves_and_returns_costs_the_thinker_no_time() {
    thread::scope(|scope| {
        for how in WAYS {
            scope.spawn(move || costs_the_thinker_no_time(how));
        }
    });
}

fn costs_the_thinker_no_time(how: Leave) {
    let server = Server::start(&["--auto"]);
    let (mut black, mut white) = server.pair();
    black.plays(&mut white, &place([0, 0]));
    let before = white.plays(&mut black, &place([1, 1]));
    let before = ["B", "W"].map(|side| before[side].as_u64().unwrap());
    for number in 1..=2_u64 {
        thread::sleep(THOUGHT);
        leave(white, how);
        let end = expect_broken_off(&mut black);
        assert_eq!(clocks_at(&end), before, "{how:?}");
        white = server.client("Bob");
        let told = white.expect("START");
        assert_eq!(clocks_of(&told), before, "{how:?}");
        let start = black.expect("START");
        assert_eq!(start["configuration"], told["configuration"]);
        assert_eq!(moves_of(&start), [place([0, 0]), place([1, 1])]);
        // It counts as a break of the one who left.
        let news = server.wait_for("break", |news| news["number"] == number);
        assert_eq!(news["name"], "Bob");
        let used = u128::from(news["used_ms"].as_u64().unwrap());
        // The time in which the whole machine stood still is left out.
        let stalls = server.log().into_iter();
        let stalls = stalls.filter_map(|news| news["stall_ms"].as_u64());
        let all = used + u128::from(stalls.sum::<u64>());
        assert!(all >= THOUGHT.as_millis() * u128::from(number), "{news}");
    }
    black.plays(&mut white, &place([2, 2]));
}

#[test]
fn clients_that_leave_before_a_game_leave_no_trace() {
    let server = Server::start(&["--auto"]);
    for how in WAYS {
        let unnamed = server.connect();
        leave(unnamed, how);
        let mut asked = server.connect();
        asked.expect("NAME");
        leave(asked, how);
        leave(server.client("Gone"), how);
        let gone =
            |server: &Server| server.count("left", |_| true) == server.count("connected", |_| true);
        server.wait_until("all are gone", gone);
        server.plays_a_game();
        server.wait_until("all are gone", gone);
    }
}

#[test]
fn an_unfinished_frame_or_handshake_disturbs_nobody() {
    let server = Server::start(&["--auto"]);
    let mut half = server.connect();
    half.expect("NAME");
    half.send_raw(&[0x81, 0xfe, 0x01]).unwrap();
    let handshake = std::net::TcpStream::connect(server.address).unwrap();
    std::io::Write::write_all(&mut &handshake, b"GET / HTTP/1.1\r\nUpgrade: webs").unwrap();
    server.plays_a_game();
}

#[test]
fn both_leave_in_start_and_come_back() {
    let server = Server::start(&["--auto"]);
    for how in WAYS {
        let mut black = server.client("Ann");
        let white = server.client("Bob");
        // START is under way to both, and neither reads it.
        leave(white, how);
        black.expect("START");
        leave(black, how);
        server.wait_until("both are gone", |server| {
            server.count("left", |_| true) == server.count("named", |_| true)
        });
        // The first who is back waits for the other.
        let mut white = server.client("Bob");
        white.expect_silence(Duration::from_millis(20));
        let mut black = server.client("Ann");
        let start = black.expect("START");
        assert_eq!(start["color"], "B");
        assert_eq!(white.expect("START")["color"], "W");
        black.plays(&mut white, &json!({"type": "resign"}));
        black.expect("END");
        white.expect("END");
        drop((black, white));
        server.wait_until("both are gone", |server| {
            server.count("left", |_| true) == server.count("named", |_| true)
        });
    }
    assert_eq!(server.count("started", |_| true), WAYS.len());
}

#[test]
fn a_move_that_was_sent_before_leaving_is_played() {
    for how in WAYS {
        let server = Server::start(&["--auto"]);
        let (mut black, mut white) = server.pair();
        black.send_move(&place([4, 4]));
        if matches!(how, Leave::Killed) {
            // A reset may overtake what was sent.
            server.wait_for("moved", |_| true);
        }
        leave(black, how);
        assert_eq!(white.expect("MOVE")["move"], place([4, 4]));
        let end = expect_broken_off(&mut white);
        let mut black = server.client("Ann");
        let start = black.expect("START");
        assert_eq!(moves_of(&start), [place([4, 4])]);
        assert_eq!(clocks_of(&start), clocks_at(&end));
        white.expect("START");
        white.plays(&mut black, &pass());
    }
}

#[test]
fn a_client_that_disconnects_after_the_last_move_has_ended_the_game() {
    for how in WAYS {
        let server = Server::start(&["--auto"]);
        let (mut black, mut white) = server.pair();
        black.plays(&mut white, &pass());
        white.send_move(&pass());
        if matches!(how, Leave::Killed) {
            server.wait_for("ended", |_| true);
        }
        leave(white, how);
        black.expect("MOVE");
        assert_eq!(black.expect("END")["reason"], "pass");
        let mut white = server.client("Bob");
        white.expect_silence(Duration::from_millis(20));
        drop(white);
        server.wait_for("left", |news| news["connection"] == 3);
        server.plays_a_game();
    }
}

#[test]
fn the_opponent_leaves_between_move_and_valid() {
    let server = Server::start(&["--auto"]);
    let (mut black, white) = server.pair();
    server.signal("-STOP");
    black.send_move(&place([0, 0]));
    drop(white);
    server.signal("-CONT");
    black.expect("VALID");
    expect_broken_off(&mut black);
    let mut white = server.client("Bob");
    assert_eq!(moves_of(&white.expect("START")), [place([0, 0])]);
    black.expect("START");
}

#[test]
fn a_close_frame_is_answered_by_one() {
    let server = Server::start(&[]);
    for _ in 0..20 {
        let client = server.client("Ann");
        let end = client.close();
        assert!(matches!(end, Err(End::Closed(_))), "{end:?}");
    }
}

#[test]
fn a_game_does_not_wait_for_a_client_that_leaves_at_its_start() {
    let server = Server::start(&[]);
    for round in 0..10 {
        let black = server.client("Ann");
        let mut white = server.client("Bob");
        for (color, name) in [("B", "Ann"), ("W", "Bob")] {
            let client = server.number_of(name);
            server.act(json!({"action": "assign", "table": 1, "color": color, "client": client}));
        }
        // The command and the end of the connection come in the same moment.
        server.signal("-STOP");
        let address = server.address;
        let command = thread::spawn(move || {
            let head = [
                &*format!("Host: {address}"),
                "Content-Type: application/json",
            ];
            let command = "{\"action\":\"start\",\"table\":1}";
            crate::goref::server::request(address, "POST /act", &head, command)
        });
        thread::sleep(Duration::from_millis(30));
        drop(black);
        thread::sleep(Duration::from_millis(10));
        server.signal("-CONT");
        let (status, _) = command.join().unwrap();
        if status == 200 {
            // A client that hears of a game hears afterwards that it is interrupted.
            white.expect("START");
            expect_broken_off(&mut white);
        }
        server.wait_until("she has left", |server| {
            server.count("left", |news| news["name"] == "Ann") == round + 1
        });
        server.command(&json!({"action": "void", "table": 1}), &[]);
        drop(white);
        server.wait_until("he has left", |server| {
            server.count("left", |news| news["name"] == "Bob") == round + 1
        });
    }
}
