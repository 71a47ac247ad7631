//! The page for spectators, from their view.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::netref::desk::Desk;
use crate::netref::referee::{Client, Referee, version_of};
use crate::netref::scenes::{play_out, seat_when_free};
use crate::netref::spectator::{Seen, Spectator, start};

/// A client of a table of Awari who has a seat.
fn join(referee: &Referee, role: &str) -> Client {
    let mut client = referee.connect();
    client.expect("000 ");
    client.ask(&format!("{} {role}", version_of(role)), "10");
    client
}

#[test]
fn a_match_of_gothello_is_seen_move_by_move() {
    let referee = start(&["100"]);
    let mut early = Spectator::open(&referee);
    early.wait_for("waiting");
    assert_eq!(early.first().names(), [None, None]);
    assert_eq!(early.first().left(), [Some(100_000); 2]);
    let mut black = referee.seat("player black \"Ann\"");
    early.wait("Ann sits", |seen| {
        seen.first().names() == [Some("Ann"), None]
    });
    let mut white = referee.seat("player white \"Bob\"");
    early.wait_for("playing");
    assert_eq!(early.first().names(), [Some("Ann"), Some("Bob")]);
    black.lines_to("352 ");
    white.lines_to("351 ");
    let moves = ["a2", "a1", "b1", "pass", "pass"];
    for (ply, mv) in moves.into_iter().enumerate() {
        let table = &early.first().table;
        assert_eq!([&table["turn"], &table["running"]], [&json!(ply % 2); 2]);
        let (player, ellipses) = [(&mut black, ""), (&mut white, "... ")]
            .into_iter()
            .nth(ply % 2)
            .unwrap();
        player.send(&format!("{} {ellipses}{mv}\r", ply / 2 + 1));
        for client in [&mut black, &mut white] {
            client.lines_to("3");
        }
        early.wait_for_plies(ply + 2);
    }
    early.wait_for("over");
    let seen = early.first();
    insta::assert_snapshot!(seen.history());
    let table = &seen.table;
    assert_eq!(table["result"], "Black wins (B+3)");
    assert_eq!([&table["turn"], &table["running"]], [&Value::Null; 2]);
    assert_eq!([&table["kind"], &table["rules"]], ["gothello", "Gothello"]);
    assert!(
        seen.left()
            .iter()
            .all(|left| (1..100_000).contains(&left.unwrap()))
    );
    // A spectator who comes after the end sees the same.
    let mut late = Spectator::open(&referee);
    assert_eq!(late.first(), seen);
    assert_eq!(late.clients.len(), 0, "{:#?}", late.clients);
    for line in [
        "\"Ann\" will play black",
        "black (\"Ann\") against white (\"Bob\")",
        "Black wins (B+3)",
    ] {
        late.wait_for_line(line);
    }
}

/// Matches of this run, and those that were recorded before it.
#[test]
fn finished_matches_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let records = ["--state", folder.path().to_str().unwrap()];
    let referee = start(&records);
    let mut early = Spectator::open(&referee);
    assert_eq!(early.finished, [Value::Null; 0]);
    let list = |seen: &Spectator| -> Vec<String> {
        let game = |game: &Value| {
            let [players, sides] = ["players", "sides"].map(|key| {
                let both = game[key].as_array().unwrap();
                [0, 1].map(|side| both[side].as_str().unwrap().to_owned())
            });
            assert_eq!(sides, ["Black", "White"]);
            let result = game["result"].as_str().unwrap();
            let began =
                SystemTime::UNIX_EPOCH + Duration::from_millis(game["began"].as_u64().unwrap());
            assert!(began.elapsed().unwrap() < Duration::from_secs(60));
            assert_eq!(game["table"], "Table 0");
            format!("{} - {}: {result}", players[0], players[1])
        };
        seen.finished.iter().map(game).collect()
    };
    let (mut black, mut white) = referee.pair_called("\"Ann\"", "\"\"\"Bo\"\" Lee\"");
    play_out(&mut black, &mut white);
    let first = "Ann - \"Bo\" Lee: Black wins (B+1)";
    early.wait("the list", |seen| seen.finished.len() == 1);
    assert_eq!(list(&early), [first]);
    let (mut black, _white) = referee.pair_called("\"=1+1\"", "\"Bob\"");
    black.ask("resign", "204 ");
    early.wait("the list", |seen| seen.finished.len() == 2);
    let two = [first, "=1+1 - Bob: White wins: Black resigned"];
    assert_eq!(list(&early), two);
    // A client without a name is called by its number, even after it is gone.
    let (black, mut white) = referee.pair_when_free();
    drop(black);
    white.rest();
    early.wait("the list", |seen| seen.finished.len() == 3);
    let all = list(&early);
    assert!(
        all[2].starts_with('#') && all[2].contains(" - #"),
        "{all:?}"
    );
    assert_eq!(list(&Spectator::open(&referee)), all);
    referee.wait_for_news("the record", |_| {
        let results = std::fs::read_to_string(folder.path().join("results.jsonl"));
        results.unwrap().lines().count() == 3
    });
    referee.kill();

    let referee = start(&records);
    assert_eq!(list(&Spectator::open(&referee)), all);
}

#[test]
fn every_board_of_awari_is_the_one_that_observers_are_sent() {
    let referee = start(&["--game", "awari"]);
    let mut observer = join(&referee, "observer");
    let mut players = [
        join(&referee, "player south"),
        join(&referee, "player north \"Bo\""),
    ];
    players[0].lines_to("352 ");
    players[1].lines_to("351 ");
    observer.lines_to("353 ");
    let moves = "E a D f C b C e B c A d";
    for (ply, mv) in moves.split(' ').enumerate() {
        let ellipses = ["", "... "][ply % 2];
        players[ply % 2].send(&format!("{} {ellipses}{mv}\r", ply / 2 + 1));
        for player in &mut players {
            player.lines_to("3");
        }
    }
    let mut seen = Spectator::open(&referee);
    seen.wait_for("over");
    let table = &seen.first().table;
    assert_eq!(table["result"], "North wins (0-25)");
    assert_eq!(
        table["rules"],
        "Awari: grand slam ends the game (e), repetition: each side claims its stones"
    );
    assert_eq!(seen.first().left(), [None, None]);
    // A player without a name is called as in the log.
    let [south, north] = seen.first().names();
    assert_eq!(north, Some("Bo"));
    let line = format!("{} will play south", south.unwrap());
    seen.wait_for_line(&line);
    let told = observer.rest();
    let displays = told
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("382"));
    let boards: Vec<[String; 2]> = displays.map(|(at, _)| rows(&told[at + 1..])).collect();
    let plies = &seen.first().plies;
    assert_eq!((plies.len(), boards.len()), (13, 12));
    for (seeing, [pits, scores]) in plies[1..].iter().zip(&boards) {
        assert_eq!(&seeing.board, pits);
        let [south, north] = [0, 1].map(|side| seeing.ply["scores"][side].as_f64().unwrap());
        assert_eq!(&format!("{south},{north}"), scores);
    }
    insta::assert_snapshot!(seen.first().history());
}

/// The pits, North's first, and the stores, South's first, of a display:
///
/// ```text
///    f  e  d  c  b  a
/// N  4  4  4  4  4  4   0
/// S  4  4  4  4  4  4   0
/// ```
fn rows(display: &[String]) -> [String; 2] {
    let words = |row: &String| -> Vec<String> {
        row.split_whitespace().skip(1).map(str::to_owned).collect()
    };
    let [north, south] = [1, 2].map(|row| words(&display[row]));
    let pits = [&north[..6], &south[..6]].concat().join(",");
    [pits, format!("{},{}", south[6], north[6])]
}

#[test]
fn draw_offers_are_shown_to_spectators() {
    let referee = start(&["--game", "awari"]);
    let mut south = join(&referee, "player south \"Ann\"");
    let mut north = join(&referee, "player north \"Bob\"");
    let mut seen = Spectator::open(&referee);
    seen.wait_for("playing");
    assert_eq!(seen.clients.len(), 2, "{:#?}", seen.clients);
    let seats: Vec<_> = seen
        .clients
        .values()
        .map(|client| [&client["name"], &client["seat"]])
        .collect();
    assert_eq!(
        seats,
        [["Ann", "Table 0, South"], ["Bob", "Table 0, North"]]
    );
    // They have the numbers of the log.
    for client in seen.clients.values() {
        let (number, name) = (client["number"].as_str().unwrap(), client["name"].as_str());
        let seated = format!("{number} {:?} will play", name.unwrap());
        referee.wait_for_line(&seated);
    }
    south.lines_to("352 ");
    south.ask("draw?", "205 ");
    north.lines_to("331 ");
    seen.wait_for_line("south (\"Ann\") offers a draw");
    north.ask("draw", "203 ");
    seen.wait_for("over");
    assert_eq!(seen.first().table["result"], "Drawn by agreement");
    seen.wait("nobody is left", |seen| seen.clients.is_empty());
    // Addresses of players are private.
    assert!(!seen.raw.contains("127.0.0.1"), "{}", seen.raw);
}

#[test]
fn each_end_is_described_in_a_sentence() {
    let referee = start(&["1", "--loss-wait", "0.1"]);
    let mut seen = Spectator::open(&referee);
    for (how, sentence) in [
        ("resign", "White wins: Black resigned"),
        ("leave", "White wins: Black disconnected"),
        ("think", "White wins: Black ran out of time"),
    ] {
        let (mut black, mut white) = referee.named_pair();
        seen.wait_for("playing");
        match how {
            "resign" => drop(black.ask("resign", "204 ")),
            "leave" => drop(black),
            _ => black.read_to_leave(),
        }
        white.rest();
        seen.wait(how, |seen| seen.first().table["result"] == sentence);
        seen.wait_for("over");
        assert_eq!(seen.first().names(), [Some("Ann"), Some("Bob")]);
    }
    assert_eq!(seen.first().left()[0], Some(0));
}

#[test]
fn a_running_clock_is_shown_as_it_is() {
    let referee = start(&["100"]);
    let (black, _white) = referee.named_pair();
    let mut first = Spectator::open(&referee);
    first.wait_for("playing");
    std::thread::sleep(Duration::from_millis(300));
    let (mut seen, began) = (Spectator::open(&referee), first.first().clone());
    // The head of the table is as old as its last change; the page lets it tick.
    assert_eq!(seen.first(), &began);
    assert!(began.left()[0].unwrap() > 99_000);
    drop(black);
    seen.wait_for("over");
    let passed = seen.first().at - began.at;
    let [before, after] = [&began, seen.first()].map(|seen| seen.left()[0].unwrap());
    assert!(
        passed >= 300 && (before - after).abs_diff(passed) < 100,
        "{before} {after} {passed}"
    );
    assert_eq!(seen.first().left()[1], Some(100_000));
}

#[test]
fn two_tables_do_not_get_mixed_up() {
    let referee = start(&["--tables", "2"]);
    let mut seen = Spectator::open(&referee);
    for (table, mv) in [(1_u16, "e5"), (0, "a1")] {
        let address = referee.addresses[usize::from(table)];
        let mut black = seat_when_free(address, "player ? \"Ann\"");
        let number = u64::from(table);
        let words = "Ann waits to play either side";
        seen.wait(words, |seen| seen.tables[&number].table["result"] == words);
        let client = seen.clients.values().next().unwrap();
        assert_eq!(client["seat"], format!("Table {table}, either side"));
        let mut white = seat_when_free(address, "player white \"Bob\"");
        black.lines_to("352 ");
        black.ask(&format!("1 {mv}"), "200 ");
        seen.wait("a move", |seen| seen.tables[&number].plies.len() == 2);
        let Seen { table, plies, .. } = &seen.tables[&number];
        assert_eq!(table["title"], format!("Table {number}"));
        assert_eq!(table["port"], address.port());
        let board = match mv {
            "e5" => "....B....................",
            _ => "....................B....",
        };
        assert_eq!(plies[1].board, board);
        white.lines_to("311 ");
        // The page keeps showing the last match until a new player comes.
        drop(white);
        black.rest();
        seen.wait("it is over", |seen| {
            seen.tables[&number].table["phase"] == "over" && seen.clients.is_empty()
        });
        seen.wait_for_line(&format!("Table {number}: match "));
    }
}

#[test]
fn the_next_player_begins_with_an_empty_board() {
    let referee = start(&[]);
    let mut seen = Spectator::open(&referee);
    let (mut black, mut white) = referee.pair();
    play_out(&mut black, &mut white);
    seen.wait_for("over");
    assert_eq!(seen.first().plies.len(), 4, "{:#?}", seen.tables);
    let _next = referee.seat_when_free("player white \"Cy\"");
    seen.wait_for("waiting");
    assert_eq!(seen.first().names(), [None, Some("Cy")]);
    assert_eq!(seen.first().plies.len(), 1, "{:#?}", seen.tables);
    drop(_next);
    seen.wait("Cy is gone", |seen| seen.first().names() == [None, None]);
}

#[test]
fn a_resumed_match_shows_its_earlier_moves() {
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let referee = desk.start(&["--http", "0"]);
    let mut seen = Spectator::open(&referee);
    seen.wait_for("paused");
    let before = seen.first().clone();
    assert_eq!(before.names(), [Some("Ann"), Some("Bob")]);
    assert_eq!(
        [&before.table["turn"], &before.table["running"]],
        [&json!(0), &Value::Null]
    );
    assert_eq!(
        before.table["result"],
        "interrupted: waits for its players to come back"
    );
    let moves: Vec<_> = before
        .plies
        .iter()
        .map(|seeing| &seeing.ply["move"])
        .collect();
    assert_eq!(moves, ["", "c3", "c4"]);
    let mut black = referee.seat("player black \"Ann\"");
    seen.wait("Ann is back", |seen| {
        seen.first().table["seats"][0]["client"].is_u64()
    });
    let _white = referee.seat("player white \"Bob\"");
    seen.wait_for("playing");
    assert_eq!(seen.first().table["running"], 0);
    black.lines_to("352 ");
    black.ask("2 d3", "207 ");
    seen.wait_for_plies(4);
    assert_eq!(seen.first().plies[..3], before.plies);
    seen.wait_for_line("goes on after 2 moves");
}

/// The rules are those that the match began with, whatever the next one has.
#[test]
fn a_resumed_match_of_awari_shows_its_rules() {
    let desk = Desk::new();
    let referee = desk.start_awari(&["--grand-slam", "b", "--repetition", "discard"]);
    let mut south = join(&referee, "player south \"Ann\"");
    let _north = join(&referee, "player north \"Bob\"");
    south.lines_to("352 ");
    south.ask("1 A", "200 ");
    referee.kill();
    let referee = desk.start_awari(&["--http", "0"]);
    let mut seen = Spectator::open(&referee);
    seen.wait_for("paused");
    assert_eq!(
        seen.first().table["rules"],
        "Awari: grand slam captures nothing (b), repetition: the stones left count for nobody"
    );
    assert_eq!(seen.first().plies[1].board, "4,4,4,4,4,4,0,5,5,5,5,4");
    assert_eq!(seen.first().names(), [Some("Ann"), Some("Bob")]);
}
