//! The referee when the disk, the system or its reader fails.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::executable::executable;
use crate::netref::desk::Desk;
#[cfg(target_os = "linux")]
use crate::netref::referee::Room;
use crate::netref::referee::{Client, Referee};
#[cfg(target_os = "linux")]
use crate::netref::scenes::play_out;
use crate::netref::server::results;
use crate::waiting::{EndsInTime, first_line};

#[cfg(target_os = "linux")]
#[test]
fn a_journal_that_cannot_be_written_stops_the_match_and_not_the_table() {
    let desk = Desk::new();
    let arguments = desk.arguments(&["--stop-after", "1"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let referee = Referee::start_with_room(Room::Bytes(0), &arguments);
    let mut black = referee.seat("player black");
    let mut white = referee.connect();
    white.expect("000 ");
    let told = "399 the match is interrupted, its journal cannot be written: ";
    white.ask("0.9.1 player white", told);
    black.expect(told);
    for client in [&mut black, &mut white] {
        client.expect_end();
    }
    // They wait, and as soon as possible a match is played, which is the first one.
    let mut players = ["black", "white"].map(|side| {
        let mut player = referee.connect();
        player.ask(&format!("0.9.1 player {side}"), "000 ");
        player
    });
    players[0].expect_silence(Duration::from_millis(200));
    referee.set_room(Room::Enough);
    let [black, white] = &mut players;
    black.lines_to("352 ");
    white.lines_to("351 ");
    play_out(black, white);
    referee.wait_for_count("matches begin and go on", 1);
}

#[test]
fn half_a_line_of_results_is_cut_off_at_the_next_start() {
    let desk = Desk::new();
    desk.start(&[]).plays_a_match();
    let path = desk.state().join("results.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{\"v\":1,\"id\":\"2026")).unwrap();
    let referee = desk.start(&[]);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    referee.plays_a_match();
    referee.wait_for_news("it is recorded", |_| results(desk.state()).len() == 2);
    assert!(fs::read_to_string(&path).unwrap().starts_with(&text));
}

/// A referee whose output is a pipe that nobody reads.
#[cfg(unix)]
#[test]
fn a_full_standard_output_delays_neither_a_match_nor_the_end() {
    let mut child = Command::new(executable())
        .args(["netref", "0", "--port", "0", "--tables", "4"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (line, _out) = first_line(child.stdout.take().unwrap());
    let address = line.rsplit(' ').next().unwrap().parse().unwrap();
    // The log has a line for each refusal.
    for _ in 0..4 {
        let mut player = Client::connect(address);
        player.send("0.9.1 player black\r");
        player.send(&"1 c3\r".repeat(250));
        player.expect("000 ");
        player.expect("100 ");
        for _ in 0..250 {
            player.expect("291 ");
        }
        player.leave();
    }
    let mut black = Client::connect(address);
    let mut white = Client::connect(address);
    black.send("0.9.1 player black\r");
    black.lines_to("100 ");
    white.send("0.9.1 player white\r");
    black.expect("352 ");
    black.ask("resign", "204 ");
    drop((black, white));
    let mut kill = Command::new("kill");
    assert!(
        kill.args(["-TERM", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait_in_time().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_signal_is_handled_as_soon_as_the_referee_listens() {
    for _ in 0..10 {
        let mut referee = Referee::start(&[]);
        referee.signal("-TERM");
        assert_eq!(referee.wait().code(), Some(0));
    }
}

#[test]
fn a_client_that_is_always_refused_is_slowed_down() {
    let referee = Referee::start(&[]);
    let mut flooding = referee.seat("player black");
    flooding.send(&"1 c3\r".repeat(276));
    for _ in 0..256 {
        flooding.expect("291 ");
    }
    let start = Instant::now();
    for _ in 0..20 {
        flooding.expect("291 ");
    }
    assert!(
        start.elapsed() > Duration::from_millis(200),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn observers_leave_room_for_players() {
    let referee = Referee::start(&["--max-connections", "10"]);
    let mut observers: Vec<Client> = (0..5).map(|_| referee.observer()).collect();
    let mut late = referee.connect();
    late.expect("000 ");
    late.ask("0.9.1 observer", "399 There are too many observers");
    late.expect_end();
    let (_black, white) = referee.pair();
    white.leave();
    for observer in &mut observers {
        observer.lines_to("392 ");
    }
}
