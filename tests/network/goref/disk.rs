//! The disk is full, and what a crash has torn.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use rlimit::{Resource, prlimit};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::goref::client::Client;
use crate::goref::disconnections::{clocks_at, clocks_of, moves_of};
use crate::goref::server::{Server, command, pass, place};

/// A server with `--auto` that lives on when a file becomes too large.
fn server(folder: &Path, more: &[&str]) -> Server {
    surviving(folder, &[&["--auto"], more].concat())
}

/// A server that lives on when a file becomes too large.
pub fn surviving(folder: &Path, more: &[&str]) -> Server {
    let state = ["--state", folder.to_str().unwrap()];
    let plain = command(&[more, &state].concat());
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(plain.get_program())
        .args(plain.get_args());
    Server::spawn(shell)
}

/// Leaves room for so many bytes in the journal.
fn leave_room(server: &Server, folder: &Path, bytes: u64) {
    let size = fs::metadata(folder.join("journal")).unwrap().len();
    limit(server, size + bytes);
}

/// Limits the size of its files, in bytes: its disk is full.
pub fn limit(server: &Server, bytes: u64) {
    let process = server.process().try_into().unwrap();
    let limits = (bytes, rlimit::INFINITY);
    prlimit(process, Resource::FSIZE, Some(limits), None).unwrap();
}

fn expect_broken_off(client: &mut Client) -> Value {
    let end = client.expect("END");
    assert_eq!(end["reason"], "error");
    end
}

/// The lines of the results.
fn games(folder: &Path) -> Vec<Value> {
    let table = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let row = |line| serde_json::from_str(line).unwrap();
    table.lines().map(row).collect()
}

#[test]
fn on_a_full_disk_nothing_is_acknowledged_and_the_game_goes_on_when_there_is_room() {
    // Each waits until the server tries again.
    thread::scope(|scope| {
        for bytes in [0, 1, 60] {
            scope.spawn(move || the_game_goes_on_when_there_is_room(bytes));
        }
    });
}

/// Leaves room for so many bytes of a move, and then for all.
fn the_game_goes_on_when_there_is_room(bytes: u64) {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), &[]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    black.plays(&mut white, &place([0, 0]));
    leave_room(&server, folder.path(), bytes);
    white.send_move(&place([1, 1]));
    let end = expect_broken_off(&mut white);
    assert_eq!(expect_broken_off(&mut black), end);
    page.wait_for_line("", "journal: File too large");
    page.wait_for_phase(1, "paused");
    // There is still no room.
    let refused = server.refuses(json!({"action": "resume", "table": 1}));
    let why = "journal: File too large (os error 27): until the disk can be written again, all \
               games wait";
    assert!(refused.ends_with(why), "{refused}");
    limit(&server, rlimit::INFINITY);
    let start = black.expect("START");
    page.wait_for_line("", "the disk can be written again: all games go on");
    assert_eq!(moves_of(&start), [place([0, 0])]);
    let (left, before) = (clocks_of(&start), clocks_at(&end));
    // What was used of the time while it failed may be lost with it.
    assert!(
        left[0] == before[0] && left[1] >= before[1],
        "{bytes} bytes: {before:?}, then {left:?}"
    );
    white.expect("START");
    white.plays(&mut black, &place([2, 2]));
    black.plays(&mut white, &json!({"type": "resign"}));
    assert_eq!(black.expect("END")["reason"], "resign");
    white.expect("END");
    let rows = || games(folder.path());
    server.wait_until("it is recorded", |_| rows().len() == 1);
    server.kill();
    let rows = rows();
    assert_eq!(rows.len(), 1, "{bytes} bytes: {rows:?}");
    assert_eq!(rows[0]["moves"], 3);
}

#[test]
fn the_end_of_a_game_that_cannot_be_written_has_not_come() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = server(folder.path(), &["--stop-after", "2"]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    black.plays(&mut white, &pass());
    // These two would be paired when the table is free.
    let mut next = [server.client("Cy"), server.client("Dan")];
    leave_room(&server, folder.path(), 0);
    white.send_move(&pass());
    for client in [&mut white, &mut black] {
        expect_broken_off(client);
    }
    page.wait_for_phase(1, "paused");
    limit(&server, rlimit::INFINITY);
    let start = black.expect("START");
    assert_eq!(start["color"], "B");
    assert_eq!(moves_of(&start), [pass()]);
    white.expect("START");
    white.plays(&mut black, &pass());
    for client in [&mut black, &mut white] {
        assert_eq!(client.expect("END")["reason"], "pass");
    }
    let rows = || games(folder.path());
    server.wait_until("it is recorded", |_| rows().len() == 1);
    assert_eq!(rows()[0]["moves"], 2);
    // They are told of a game that was interrupted before they knew of it.
    for client in &mut next {
        expect_broken_off(client);
        let start = client.expect("START");
        assert_eq!(moves_of(&start), [] as [Value; 0]);
    }
    // Theirs is the second game that is over, though the first one has ended twice.
    let [black, white] = &mut next;
    black.plays(white, &json!({"type": "resign"}));
    assert!(server.wait().success());
    assert_eq!(rows().len(), 2);
}

#[test]
fn a_client_that_connects_while_the_disk_fails_is_asked_for_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), &[]);
    let (mut black, _white) = server.pair();
    leave_room(&server, folder.path(), 0);
    for _ in 0..2 {
        let address = server.address;
        let connect = move || Client::connect(address).expect("NAME");
        let others: Vec<_> = (0..10).map(|_| thread::spawn(connect)).collect();
        black.send_move(&place([0, 0]));
        expect_broken_off(&mut black);
        for other in others {
            other.join().unwrap();
        }
        limit(&server, rlimit::INFINITY);
        black.expect("START");
        server.wait_until("it is written", |_| {
            let journal = fs::read_to_string(folder.path().join("journal")).unwrap();
            journal.matches("resumed").count() > 0 && journal.ends_with('\n')
        });
        leave_room(&server, folder.path(), 0);
    }
}

#[test]
fn a_game_that_cannot_be_recorded_is_told_and_recorded_later() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("games");
    let mut server = server(folder.path(), &["--stop-after", "1"]);
    fs::remove_dir(&records).unwrap();
    fs::write(&records, "").unwrap();
    server.plays_a_game();
    assert!(server.wait().success());
    server.wait_for_text("failed", "what", "game 0001 could not be recorded");
    fs::remove_file(&records).unwrap();
    assert_eq!(games(folder.path()), [] as [Value; 0]);
    let server = Server::keeping(folder.path(), &[]);
    server.wait_until("it is recorded", |_| games(folder.path()).len() == 1);
    assert!(records.join("0001-Yin-Yang.sgf").exists());
    assert!(records.join("0001-Yin-Yang.json").exists());
}

/// A folder with a game of two moves on a small board that was not finished.
fn crashed() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    fs::write(&file, "{\"initialState\": {\"board\": 2}}").unwrap();
    let server = server(folder.path(), &["--setup", file.to_str().unwrap()]);
    let (mut black, mut white) = server.pair();
    black.plays(&mut white, &place([0, 0]));
    white.plays(&mut black, &place([1, 1]));
    server.kill();
    folder
}

/// Cuts the journal at these lengths.
fn cut(lengths: impl Fn(usize) -> Vec<usize>) {
    let folder = crashed();
    let journal = folder.path().join("journal");
    let whole = fs::read(&journal).unwrap();
    for length in lengths(whole.len()) {
        fs::write(&journal, &whole[..length]).unwrap();
        let lines = whole[..length]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        let server = Server::keeping(folder.path(), &["--auto"]);
        let torn = length > 0 && whole[length - 1] != b'\n';
        if torn {
            server.wait_for_text("failed", "what", "torn line");
        }
        match lines.checked_sub(1) {
            Some(moves) => drop(server.wait_for("waiting", |news| news["moves"] == moves)),
            None => assert_eq!(
                server.count("waiting", |_| true),
                0,
                "{length} bytes: {:#?}",
                server.log()
            ),
        }
        server.kill();
        assert!(
            fs::read(&journal).unwrap().len() <= length,
            "{length} bytes"
        );
    }
}

#[test]
fn a_journal_that_was_torn_anywhere_is_gone_on_with() {
    cut(|length| (0..=length).rev().step_by(23).collect());
}

#[test]
#[ignore = "takes minutes"]
fn a_journal_that_was_torn_at_any_byte_is_gone_on_with() {
    cut(|length| (0..=length).collect());
}

#[test]
fn a_damaged_journal_is_refused_and_left_as_it_is() {
    let folder = crashed();
    let journal = folder.path().join("journal");
    let text = fs::read_to_string(&journal).unwrap();
    let damaged = text.replacen("Ann", "Bob", 1);
    fs::write(&journal, &damaged).unwrap();
    let state = folder.path().to_str().unwrap();
    let line = crate::goref::server::refusal(&["--state", state]);
    assert!(line.contains("line 1: its checksum is wrong"), "{line}");
    assert_eq!(fs::read_to_string(&journal).unwrap(), damaged);
}

#[test]
fn results_that_were_torn_in_a_letter_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(folder.path(), &["--auto"]);
    let (mut black, mut white) = server.pair_called("Zoë", "Ünal");
    black.plays(&mut white, &json!({"type": "resign"}));
    server.wait_until("it is recorded", |_| games(folder.path()).len() == 1);
    server.kill();
    let table = folder.path().join("results.jsonl");
    let mut bytes = fs::read(&table).unwrap();
    let row = bytes.clone();
    bytes.extend_from_slice(&row[..row.iter().position(|byte| !byte.is_ascii()).unwrap() + 1]);
    fs::write(&table, &bytes).unwrap();
    let server = Server::keeping(folder.path(), &["--auto"]);
    server.plays_a_game();
    server.wait_until("it is recorded", |_| games(folder.path()).len() == 2);
    assert_eq!(games(folder.path())[1]["id"], "0002-Yin-Yang");
}

/// A journal stays short, however many games are played and however long their
/// logs were.
#[test]
#[ignore = "takes minutes"]
fn a_journal_of_many_long_games_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let entry = |place: usize| {
        let (row, column) = match place % 2 {
            0 => (place / 2 / 25, place / 2 % 25),
            _ => (24 - place / 2 / 25, place / 2 % 25),
        };
        json!({"move": {"type": "place", "point": {"row": row, "column": column}}, "deltaTime": 1})
    };
    let log: Vec<Value> = (0..500).map(entry).collect();
    let file = folder.path().join("game.json");
    let game = json!({"initialState": {"board": 25}, "moveLog": log});
    fs::write(&file, game.to_string()).unwrap();
    let server = Server::keeping(folder.path(), &["--setup", file.to_str().unwrap()]);
    let mut black = server.client("Ann");
    let mut white = server.client("Bob");
    for (color, client) in [("B", 1), ("W", 2)] {
        server.act(json!({"action": "assign", "table": 1, "color": color, "client": client}));
    }
    for _ in 0..600 {
        server.act(json!({"action": "start", "table": 1}));
        black.expect("START");
        white.expect("START");
        black.plays(&mut white, &json!({"type": "resign"}));
        black.expect("END");
        white.expect("END");
    }
    server.kill();
    let size = fs::metadata(folder.path().join("journal")).unwrap().len();
    assert!(size < 10_000_000, "{size}");
    let server = Server::keeping(folder.path(), &["--auto"]);
    server.plays_a_game();
}
