//! Players whose requests are all refused: how long a match waits for them, and what all clients are
//! told at its end.

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use gothello::contests::netref::{
    self, Action, ConnId, Effect, Effects, Entry, FinishedMatch, Gothello, LiveMatch, MAX_ILLEGAL,
    MAX_MALFORMED, MatchReason, Opening, Table, ToObservers,
};
use gothello::game::Game as _;
use gothello::{Color, Move, Point};

use super::test_table::{resumed, settings};

const BLACK: ConnId = ConnId(1);
const WHITE: ConnId = ConnId(2);
const OBSERVER: ConnId = ConnId(3);

/// A table without clocks, and what is said at it: the requests (`White> ...`), and the lines that
/// the table sends to each client (` White: ...`).
struct Scene {
    table: Table<Gothello>,
    text: String,
    journal: Vec<Entry>,
    finished: Option<FinishedMatch<Move>>,
}

impl Scene {
    fn at(table: Table<Gothello>) -> Scene {
        Scene {
            table,
            text: String::new(),
            journal: Vec::new(),
            finished: None,
        }
    }

    fn empty() -> Scene {
        Scene::at(Table::new(settings()))
    }

    /// A match of Black and White with these names, or none, before an observer. Their arrival is
    /// not written.
    fn begun(names: [&str; 2]) -> Scene {
        let mut scene = Scene::empty();
        scene.opens(OBSERVER, "0.9.1 observer");
        scene.opens(BLACK, &format!("0.9.1 player black {}", names[0]));
        scene.opens(WHITE, &format!("0.9.1 player white {}", names[1]));
        scene.text.clear();
        scene
    }

    fn opens(&mut self, conn: ConnId, line: &str) {
        writeln!(self.text, "{}> {line}", name(conn)).unwrap();
        let opening = Opening::parse::<Gothello>(line).unwrap();
        let client = netref::Client {
            resumes: opening.resumes::<Gothello>(),
            ..conn.into()
        };
        let wall = SystemTime::UNIX_EPOCH;
        let effects = self.table.open(client, opening, Duration::ZERO, wall, true);
        self.see(effects);
    }

    fn says(&mut self, conn: ConnId, line: &str) {
        writeln!(self.text, "{}> {line}", name(conn)).unwrap();
        let action = Action::parse::<Gothello>(line);
        let effects = self.table.request(conn, action, Duration::ZERO);
        self.see(effects);
    }

    /// A client sends a line again and again, and gets the same answer each time, which is written
    /// once.
    fn repeats(&mut self, conn: ConnId, line: &str, times: u32) {
        let before = self.text.len();
        self.says(conn, line);
        let first = self.text[before..].to_owned();
        for _ in 1..times {
            let before = self.text.len();
            self.says(conn, line);
            assert_eq!(self.text[before..], first);
            self.text.truncate(before);
        }
        writeln!(self.text, "({times} times)").unwrap();
    }

    fn see(&mut self, effects: Effects<Move>) {
        for effect in effects {
            let (who, text) = match effect {
                Effect::Send(conn, text) | Effect::Observers(ToObservers::Admit(conn, text)) => {
                    (name(conn), text)
                }
                Effect::Observers(ToObservers::Broadcast(text)) => ("Observers", text),
                Effect::Close(conn) => {
                    writeln!(self.text, "    ({} is closed)", name(conn)).unwrap();
                    continue;
                }
                Effect::Observers(ToObservers::Close) => {
                    writeln!(self.text, "    (the observers are closed)").unwrap();
                    continue;
                }
                Effect::Journal(entry) => {
                    self.journal.push(entry);
                    continue;
                }
                Effect::StartClock => {
                    self.table.start_clock(Duration::ZERO);
                    continue;
                }
                Effect::Finish(finished) => {
                    self.finished = Some(*finished);
                    continue;
                }
                _ => continue,
            };
            // The boards of observers say nothing here.
            let lines = text.lines().filter(|line| line.contains(' '));
            for line in lines.filter(|line| !line.starts_with("38")) {
                writeln!(self.text, "    {who}: {line}").unwrap();
            }
        }
    }

    /// Who has won, and why; `None` while the match goes on.
    fn ending(&self) -> Option<(Option<Color>, MatchReason)> {
        let ending = &self.finished.as_ref()?.summary.ending;
        Some((ending.winner, ending.reason))
    }
}

fn name(conn: ConnId) -> &'static str {
    match conn {
        BLACK => "Black",
        WHITE => "White",
        _ => "Observer",
    }
}

/// White insists on a point where Black has a stone. Players with a name understand 399 and 392; the
/// libraries, whose clients give none, only the loss of White by a pass.
#[test]
fn a_thousand_illegal_requests_in_a_row_lose() {
    let mut text = String::new();
    for (who, names) in [
        ("both have names", ["\"Ann\"", "\"Bob\""]),
        ("neither has a name", ["", ""]),
    ] {
        let mut scene = Scene::begun(names);
        scene.says(BLACK, "1 c3");
        scene.repeats(WHITE, "1 ... c3", 999);
        assert_eq!(scene.ending(), None);
        scene.says(WHITE, "1 ... c3");
        let by_illegal_requests = (Some(Color::Black), MatchReason::IllegalRequests);
        assert_eq!(scene.ending(), Some(by_illegal_requests));
        assert!(!scene.table.has_match());
        writeln!(text, "({who})\n{}", scene.text).unwrap();
    }
    insta::assert_snapshot!(text);
}

/// A library that thinks takes 201 for the answer to its move; one that waits is sent only the last
/// move.
#[test]
fn requests_out_of_turn_are_illegal_too() {
    let mut text = String::new();
    for (who, names) in [
        ("both have names", ["\"Ann\"", "\"Bob\""]),
        ("neither has a name", ["", ""]),
    ] {
        let mut scene = Scene::begun(names);
        scene.repeats(WHITE, "1 ... c3", 999);
        scene.says(WHITE, "1 ... c3");
        writeln!(text, "({who})\n{}", scene.text).unwrap();
    }
    insta::assert_snapshot!(text);
}

/// The reason is the same word in the table of results, in JSON and in the journal.
#[test]
fn the_ending_has_a_reason_of_its_own() {
    let mut scene = Scene::begun(["", ""]);
    for _ in 0..MAX_ILLEGAL {
        scene.says(WHITE, "resign");
    }
    let finished = scene.finished.as_ref().unwrap();
    let ending = &finished.summary.ending;
    assert_eq!(ending.reason.to_string(), "illegal_requests");
    assert_eq!(
        serde_json::to_value(ending.reason).unwrap(),
        ending.reason.to_string()
    );
    assert_eq!(
        ending.describe(Gothello::PLAYERS),
        "Black wins: White sent too many illegal requests"
    );
    assert!(finished.record.contains("RE[B+F]"), "{}", finished.record);
    let last = serde_json::to_string(scene.journal.last().unwrap()).unwrap();
    assert!(last.contains("\"illegal_requests\""), "{last}");
}

/// In each turn, the players first try all points that are taken, and suicides, five times each. They
/// make far more than a thousand illegal requests in the match.
#[test]
fn a_bot_that_tries_all_points_in_every_turn_plays_to_the_end() {
    let mut scene = Scene::begun(["", ""]);
    let mut refused = 0;
    while scene.finished.is_none() {
        let live = scene.table.live_match().unwrap();
        let game = live.game().clone();
        let ply = live.moves().count();
        let (color, number) = (game.to_move(), ply / 2 + 1);
        let (conn, ellipses) = match color {
            Color::Black => (BLACK, ""),
            Color::White => (WHITE, "... "),
        };
        let legal: Vec<Point> = game.legal_points().into_iter().collect();
        for point in Point::ALL
            .into_iter()
            .filter(|point| !legal.contains(point))
        {
            for _ in 0..5 {
                scene.says(conn, &format!("{number} {ellipses}{point}"));
                refused += 1;
            }
        }
        let word = legal.first().map_or("pass".to_owned(), Point::to_string);
        scene.says(conn, &format!("{number} {ellipses}{word}"));
    }
    assert!(refused > MAX_ILLEGAL, "{refused}");
    assert_eq!(scene.ending().unwrap().1, MatchReason::Play);
}

/// Otherwise both limits could be evaded by turns.
#[test]
fn malformed_requests_do_not_end_a_row_of_illegal_ones() {
    let mut scene = Scene::begun(["", ""]);
    for _ in 0..MAX_ILLEGAL {
        for _ in 1..MAX_MALFORMED {
            scene.says(WHITE, "nonsense");
        }
        assert_eq!(scene.ending(), None);
        scene.says(WHITE, "pass");
    }
    let by_illegal_requests = (Some(Color::Black), MatchReason::IllegalRequests);
    assert_eq!(scene.ending(), Some(by_illegal_requests));
}

#[test]
fn a_player_who_waits_is_dropped_and_frees_the_seat() {
    let mut scene = Scene::empty();
    scene.opens(BLACK, "0.9.1 player black");
    scene.repeats(BLACK, "1 c3", 999);
    scene.says(BLACK, "1 c3");
    scene.opens(WHITE, "0.9.1 player black");
    insta::assert_snapshot!(scene.text, @r"
    Black> 0.9.1 player black
        Black: 100 Request accepted
    Black> 1 c3
        Black: 291 Illegal request: the match has not begun
    (999 times)
    Black> 1 c3
        Black: 291 Illegal request: the match has not begun
        Black: 399 A thousand requests in a row were illegal
        (Black is closed)
    White> 0.9.1 player black
        White: 100 Request accepted
    ");
}

/// What a player asked before the match does not count in it.
#[test]
fn a_match_begins_a_new_row() {
    let mut scene = Scene::empty();
    scene.opens(BLACK, "0.9.1 player black");
    scene.repeats(BLACK, "1 c3", 999);
    scene.opens(WHITE, "0.9.1 player white");
    scene.says(BLACK, "1 c3");
    scene.repeats(BLACK, "2 c3", 999);
    assert_eq!(scene.ending(), None);
    scene.says(BLACK, "2 c3");
    let by_illegal_requests = (Some(Color::White), MatchReason::IllegalRequests);
    assert_eq!(scene.ending(), Some(by_illegal_requests));
}

/// The other player has not come back: a player who is dropped meanwhile may come back, too.
#[test]
fn an_interrupted_match_outlives_a_player_who_is_dropped() {
    let mut scene = Scene::empty();
    scene.opens(BLACK, "0.9.2 player black \"Ann\"");
    scene.opens(WHITE, "0.9.2 player white \"Bob\"");
    scene.says(BLACK, "1 c3");
    let live = LiveMatch::<Gothello>::restore(scene.journal).unwrap();
    let mut scene = Scene::at(resumed(settings(), live, Duration::ZERO));
    scene.opens(WHITE, "0.9.2 player white \"Bob\"");
    scene.repeats(WHITE, "1 ... b2", 999);
    scene.says(WHITE, "1 ... b2");
    insta::assert_snapshot!(scene.text, @r#"
    White> 0.9.2 player white "Bob"
        White: 100 Request accepted
    White> 1 ... b2
        White: 291 Illegal request: your opponent is not back yet
    (999 times)
    White> 1 ... b2
        White: 291 Illegal request: your opponent is not back yet
        White: 399 A thousand requests in a row were illegal
        (White is closed)
    "#);
    assert!(scene.table.has_match());
}
