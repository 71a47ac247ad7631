//! Matches of Awari, line by line: what is said (`South> ...`), and what the
//! table has everyone told (`    South: ...`).

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use crate::desk::Desk;
use crate::referee::{Client, Referee};
use crate::scenes::refusal;
use crate::server::results;
use gothello::netref::{
    Action, Awari, ConnId, Effects, Entry, Opening, Playing, Settings, Sides, Table,
};

const SOUTH: ConnId = ConnId(1);
const NORTH: ConnId = ConnId(2);
const OBSERVER: ConnId = ConnId(3);

/// A table with South, North and an observer.
struct Scene {
    table: Table<Awari>,
    now: Duration,
    text: String,
    journal: Vec<Entry>,
}

fn settings(seconds: Option<(u64, u64)>, strict: bool) -> Settings<Awari> {
    Settings {
        number: 0,
        start: Awari::default(),
        times: seconds.map(|(first, second)| Sides {
            first: Duration::from_secs(first),
            second: Duration::from_secs(second),
        }),
        private: false,
        strict,
        seat_timeout: Some(Duration::from_secs(100)),
    }
}

fn name(conn: ConnId) -> &'static str {
    match conn {
        SOUTH => "South",
        NORTH => "North",
        _ => "Observer",
    }
}

impl Scene {
    fn at(table: Table<Awari>) -> Scene {
        Scene {
            table,
            now: Duration::ZERO,
            text: String::new(),
            journal: Vec::new(),
        }
    }

    /// All have come, and nothing is written of that.
    fn begun(settings: Settings<Awari>) -> Scene {
        let mut scene = Scene::at(Table::new(settings));
        scene.opens(OBSERVER, "0.9 observer");
        scene.opens(SOUTH, "0.9 player south");
        scene.opens(NORTH, "0.9 player north");
        scene.text.clear();
        scene
    }

    fn opens(&mut self, conn: ConnId, line: &str) {
        writeln!(self.text, "{}> {line}", name(conn)).unwrap();
        let opening = Opening::parse::<Awari>(line).unwrap();
        let wall = SystemTime::UNIX_EPOCH;
        let effects = self.table.open(conn, opening, self.now, wall, true);
        self.see(effects);
    }

    fn says(&mut self, conn: ConnId, line: &str) {
        writeln!(self.text, "{}> {line}", name(conn)).unwrap();
        let action = Action::parse::<Awari>(line);
        let effects = self.table.request(conn, action, self.now);
        self.see(effects);
    }

    /// South, North, South, ... say this.
    fn in_turn(&mut self, lines: &[&str]) {
        for (line, conn) in lines.iter().zip([SOUTH, NORTH].into_iter().cycle()) {
            self.says(conn, line);
        }
    }

    fn passes(&mut self, time: Duration) {
        writeln!(self.text, "({} s pass)", time.as_secs_f64()).unwrap();
        self.now += time;
        let effects = self.table.tick(self.now);
        self.see(effects);
    }

    fn see(&mut self, effects: Effects) {
        let sends = effects.sends.into_iter().chain(effects.observers);
        let all = sends.map(|(conn, text)| (name(conn), text));
        for (who, text) in all.chain([("Observers", effects.broadcast)]) {
            assert!(text.is_empty() || text.ends_with("\r\n"));
            for line in text.split_terminator("\r\n") {
                writeln!(self.text, "    {who}: {line}").unwrap();
            }
        }
        for conn in effects.closes {
            writeln!(self.text, "    ({} is closed)", name(conn)).unwrap();
        }
        self.journal.extend(effects.journal);
        self.table.told(self.now);
    }
}

#[test]
fn a_match_begins() {
    let mut scene = Scene::at(Table::new(settings(None, false)));
    scene.opens(OBSERVER, "0.9 observer \"Eve\"");
    scene.opens(SOUTH, "0.9 player ?");
    scene.opens(NORTH, "0.9 player north \"Ann\"");
    scene.in_turn(&["1 C", "1 ... f"]);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn a_match_with_time_controls() {
    let mut scene = Scene::at(Table::new(settings(Some((60, 90)), false)));
    scene.opens(OBSERVER, "0.9 observer");
    scene.opens(NORTH, "0.9 player north");
    scene.opens(SOUTH, "0.9 player south");
    scene.passes(Duration::from_millis(1_500));
    scene.says(SOUTH, "1 F");
    scene.passes(Duration::from_millis(20_000));
    scene.says(NORTH, "1 ... a");
    scene.passes(Duration::from_millis(58_500));
    insta::assert_snapshot!(scene.text);
}

#[test]
fn requests_that_are_refused() {
    let mut scene = Scene::begun(settings(None, false));
    for line in [
        "1 ... A", "2 A", "1 a", "1 G", "A", "pass", "draw", "nodraw", "1 ... a",
    ] {
        scene.says(SOUTH, line);
    }
    for line in ["1 ... a", "draw?", "resign"] {
        scene.says(NORTH, line);
    }
    insta::assert_snapshot!(scene.text);
}

/// Each way to end, with the status line that table 9 has for it.
#[test]
fn a_last_move_wins_or_loses_or_draws() {
    let games = include_str!("../awari/games.txt").lines();
    for line in games.filter(|line| !line.starts_with('#')) {
        let (ending, moves) = line.split_once(": ").unwrap();
        let moves: Vec<&str> = moves.split(' ').collect();
        let mut scene = Scene::begun(settings(None, true));
        let mut conns = [SOUTH, NORTH].into_iter().cycle();
        for (ply, (mv, conn)) in moves.iter().zip(&mut conns).enumerate() {
            scene.text.clear();
            let ellipses = ["", "... "][ply % 2];
            scene.says(conn, &format!("{} {ellipses}{mv}", ply / 2 + 1));
        }
        let last = moves.len() - 1;
        let [mover, other] = [["South", "North"], ["North", "South"]][last % 2];
        let verdict = match ending.split_once(", ").unwrap().1 {
            "drawn" => 2,
            winner => usize::from(winner != format!("{mover} wins")),
        };
        let (code, told) = ([201, 202, 203][verdict], ["win", "lose", "draw"][verdict]);
        let status = [[321, 322, 325], [323, 324, 326]][last % 2][verdict];
        let (number, mv) = (last / 2 + 1, moves[last]);
        let (request, side) = match mover {
            "South" => (format!("{number} {mv}"), "south"),
            _ => (format!("{number} ... {mv}"), "north"),
        };
        let expected = format!(
            "{mover}> {request}\n    \
             {mover}: {code} Move {mv} accepted, you {told}\n    \
             {mover}: {status} {request} and {side} {told}s\n    \
             {other}: {status} {request} and {side} {told}s\n    \
             Observers: {status} {request} and {side} {told}s\n    \
             (South is closed)\n    (North is closed)\n"
        );
        assert_eq!(scene.text, expected, "{line}");
    }
}

#[test]
fn a_draw_is_agreed() {
    let mut scene = Scene::begun(settings(None, false));
    scene.says(SOUTH, "draw?");
    scene.says(SOUTH, "draw");
    scene.says(NORTH, "draw");
    insta::assert_snapshot!(scene.text);
}

#[test]
fn a_draw_is_refused_and_can_be_offered_again_after_a_move() {
    let mut scene = Scene::begun(settings(Some((10, 10)), true));
    scene.says(SOUTH, "draw?");
    scene.says(SOUTH, "draw?");
    scene.passes(Duration::from_secs(2));
    scene.says(NORTH, "nodraw");
    scene.says(NORTH, "draw");
    scene.says(SOUTH, "draw?");
    scene.says(SOUTH, "1 A");
    scene.says(NORTH, "draw?");
    scene.says(SOUTH, "nodraw");
    scene.says(NORTH, "1 ... a");
    scene.says(SOUTH, "draw?");
    insta::assert_snapshot!(scene.text);
}

#[test]
fn a_move_withdraws_the_offer() {
    let mut scene = Scene::begun(settings(None, true));
    scene.says(SOUTH, "draw?");
    scene.says(SOUTH, "1 A");
    scene.says(NORTH, "draw");
    scene.says(NORTH, "draw?");
    scene.says(SOUTH, "draw");
    insta::assert_snapshot!(scene.text);
}

#[test]
fn who_resigns_or_leaves_or_forgets_his_clock_loses() {
    let mut scene = Scene::begun(settings(None, true));
    scene.says(SOUTH, "resign");
    writeln!(scene.text).unwrap();
    let mut other = Scene::begun(settings(None, true));
    other.says(SOUTH, "1 A");
    other.says(NORTH, "resign");
    scene.text += &other.text;
    for (leaves, conn) in [("South leaves", SOUTH), ("North leaves", NORTH)] {
        let mut other = Scene::begun(settings(None, true));
        writeln!(scene.text, "\n({leaves})").unwrap();
        let effects = other.table.leave(conn, other.now);
        other.see(effects);
        scene.text += &other.text;
    }
    writeln!(scene.text).unwrap();
    let mut other = Scene::begun(settings(Some((5, 5)), true));
    other.says(SOUTH, "draw?");
    other.passes(Duration::from_secs(5));
    scene.text += &other.text;
    insta::assert_snapshot!(scene.text);
}

/// What was acknowledged of a draw is not lost by a crash, nor how the game is
/// played.
#[test]
fn an_offer_survives_a_crash() {
    let start = Awari::from("b discard".parse::<gothello::awari::Variant>().unwrap());
    let settings = || Settings {
        start: start.clone(),
        ..settings(None, true)
    };
    let mut scene = Scene::begun(settings());
    scene.says(SOUTH, "1 A");
    scene.says(NORTH, "draw?");
    let back = |journal: Vec<Entry>| {
        let playing = Playing::<Awari>::restore(journal).unwrap();
        assert_eq!(playing.game().game().variant(), start.game().variant());
        let mut other = Scene::at(Table::resume(settings(), playing, Duration::ZERO));
        other.opens(OBSERVER, "0.9 observer");
        other.opens(NORTH, "0.9 player north");
        other.opens(SOUTH, "0.9 player ?");
        other
    };
    let mut other = back(scene.journal.clone());
    other.text += "\n(the offer is refused, and the referee crashes again)\n";
    scene.says(SOUTH, "nodraw");
    let mut another = back(scene.journal);
    another.says(NORTH, "draw?");
    insta::assert_snapshot!(other.text + &another.text);

    for nonsense in [
        &[Entry::DrawRefusal][..],
        &[Entry::DrawOffer, Entry::DrawOffer],
        &[Entry::DrawOffer, Entry::DrawRefusal, Entry::DrawOffer],
    ] {
        let begun = Scene::begun(settings()).journal;
        let journal = begun.into_iter().chain(nonsense.iter().cloned()).collect();
        let why = Playing::<Awari>::restore(journal).unwrap_err();
        assert!(why.contains("neither offered nor refused"), "{why}");
    }
}

#[test]
fn who_observes_later_is_shown_the_board_or_told_the_moves() {
    let mut text = String::new();
    for strict in [false, true] {
        let mut scene = Scene::begun(settings(Some((60, 60)), strict));
        scene.in_turn(&["1 A", "1 ... c", "draw?"]);
        scene.text.clear();
        scene.opens(ConnId(4), "0.9 observer");
        text += &scene.text;
        text += "\n";
    }
    insta::assert_snapshot!(text);
}

/// A player of the built referee, who has heard that the match begins.
fn player(referee: &Referee, side: &str) -> Client {
    let mut client = referee.connect();
    client.expect("000 0.9 Awari");
    client.ask(&format!("0.9 player {side}"), "10");
    client
}

/// The line in the table and the text of the only match that was recorded.
fn sole_match(desk: &Desk) -> (Vec<String>, String) {
    let [line] = <[Vec<String>; 1]>::try_from(results(&desk.records())).unwrap();
    let path = desk.records().join(format!("{}.txt", line[0]));
    (line, std::fs::read_to_string(path).unwrap())
}

/// The records of a match are written, and it goes on after a crash, under the
/// rules that it began with.
#[test]
fn a_match_is_journaled_and_recorded() {
    let desk = Desk::new();
    let referee = desk.start_awari(&["100", "--grand-slam", "b", "--repetition", "discard"]);
    let mut south = player(&referee, "south \"Ann\"");
    let mut north = player(&referee, "north");
    south.lines_to("352 ");
    north.lines_to("351 ");
    south.ask("1 A", "207 99 ");
    north.lines_to("313 ");
    north.ask("draw?", "205 ");
    north.lines_to("332 ");
    referee.kill();
    // Whatever the next one plays.
    let referee = desk.start_awari(&["100"]);
    let mut south = player(&referee, "south \"Ann\"");
    let mut north = player(&referee, "north");
    south.lines_to("332 ");
    north.lines_to("332 ");
    south.ask("draw", "203 ");
    south.expect_last(&["329 "]);
    north.expect_last(&["329 "]);
    referee.wait_for_line("drawn by agreement");
    referee.wait_for_news("it is recorded", |_| desk.journals().is_empty());
    let (columns, record) = sole_match(&desk);
    assert_eq!(columns[2..8], ["Ann", "", "draw", "agreement", "", "1"]);
    let (head, moves) = record.split_once("\n\n").unwrap();
    for line in [
        "South: Ann",
        "North: -",
        "Rules: b discard",
        "Seconds: 100 100",
        "Result: drawn by agreement",
    ] {
        assert!(head.lines().any(|other| other == line), "{line}: {head}");
    }
    assert!(moves.starts_with("1 A 0."), "{moves}");
}

#[test]
fn a_match_that_is_played_out_is_recorded_with_its_score() {
    let desk = Desk::new();
    let referee = desk.start_awari(&[]);
    let mut players = [player(&referee, "south"), player(&referee, "north")];
    players[0].lines_to("352 ");
    players[1].lines_to("351 ");
    let moves = "E a D f C b C e B c A d";
    for (ply, mv) in moves.split(' ').enumerate() {
        let ellipses = ["", "... "][ply % 2];
        players[ply % 2].send(&format!("{} {ellipses}{mv}\r", ply / 2 + 1));
        for player in &mut players {
            player.lines_to("3");
        }
    }
    referee.wait_for_line("north wins (");
    referee.wait_for_news("it is recorded", |_| desk.journals().is_empty());
    let (columns, record) = sole_match(&desk);
    assert_eq!(columns[4..8], ["north", "play", "0-25", "12"]);
    assert!(
        record.contains("Result: North wins 0-25 by 25 stones\n"),
        "{record}"
    );
}

#[test]
fn what_is_not_for_the_game_is_refused() {
    for (arguments, words) in [
        (
            &["11", "--game", "awari"][..],
            "0 to 10 is expected for Awari",
        ),
        (&["30"], "0 to 29 is expected for Gothello"),
        (&["--grand-slam", "b"], "--grand-slam is for --game awari"),
        (
            &["--repetition", "claim"],
            "--repetition is for --game awari",
        ),
        (&["--strict"], "--strict is for --game awari"),
        (&["--game", "chess"], "gothello"),
        (&["--game", "awari", "--grand-slam", "f"], "'f'"),
    ] {
        let (code, lines) = refusal(arguments);
        assert_eq!(code, Some(2), "{lines:?}");
        assert!(lines.concat().contains(words), "{words}: {lines:?}");
    }
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let line = desk.refusal(&["--game", "awari", "--resume"]);
    assert!(
        line.contains("a match of Gothello, and Awari is played here"),
        "{line}"
    );
}
