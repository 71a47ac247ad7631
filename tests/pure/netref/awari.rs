//! Matches of Awari, line by line: the requests (`South> ...`), and the lines that the table sends
//! to each client (` South: ...`).

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use gothello::ByColor;
use gothello::contests::netref::{
    self, Action, Awari, ConnId, Effect, Effects, Entry, LiveMatch, LossWaits, Opening, Settings,
    Table, ToObservers,
};
use itertools::Itertools;

use super::test_table::resumed;

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
        times: seconds.map(|(first, second)| ByColor {
            black: Duration::from_secs(first),
            white: Duration::from_secs(second),
        }),
        private: false,
        strict,
        seat_timeout: Some(Duration::from_secs(100)),
        move_timeout: None,
        reclaim_time: Duration::ZERO,
        waits: LossWaits::default(),
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

    /// All have arrived; their arrival is not written.
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
        let client = netref::Client {
            resumes: opening.resumes::<Awari>(),
            ..conn.into()
        };
        let effects = self.table.open(client, opening, self.now, wall, true);
        self.see(effects);
    }

    fn says(&mut self, conn: ConnId, line: &str) {
        writeln!(self.text, "{}> {line}", name(conn)).unwrap();
        let action = Action::parse::<Awari>(line);
        let effects = self.table.request(conn, action, self.now);
        self.see(effects);
    }

    /// South, North, South, ... send this in turn.
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

    fn see(&mut self, effects: Effects<gothello::awari::Pit>) {
        for effect in effects {
            let is_rejected = matches!(effect, Effect::Observers(ToObservers::Reject(..)));
            let (who, text) = match effect {
                Effect::Send(conn, text)
                | Effect::Observers(ToObservers::Admit(conn, text))
                | Effect::Observers(ToObservers::Reject(conn, text)) => (name(conn), text),
                Effect::Observers(ToObservers::Broadcast(text)) => ("Observers", text),
                Effect::Close(conn) => {
                    writeln!(self.text, "    ({} is closed)", name(conn)).unwrap();
                    continue;
                }
                Effect::Journal(entry) => {
                    self.journal.push(entry);
                    continue;
                }
                Effect::StartClock => {
                    self.table.start_clock(self.now);
                    continue;
                }
                _ => continue,
            };
            assert!(text.ends_with("\r\n"), "{text:?}");
            for line in text.split_terminator("\r\n") {
                writeln!(self.text, "    {who}: {line}").unwrap();
            }
            if is_rejected {
                writeln!(self.text, "    ({who} is closed)").unwrap();
            }
        }
    }
}

/// A row of the paper's tables: its name, its code or request, and the test of
/// it.
type Row = (&'static str, &'static str, fn());

/// All rows of tables 2 to 9 in their order, without those that no table answers: the greeting, 198
/// and 199, which `tests/network/netref/awari_server.rs` gets from the built referee.
#[rustfmt::skip]
const ROWS: [Row; 53] = [
    // 2: initial requests
    ("want_north", "player north", a_match_with_time_controls),
    ("want_south", "player south", a_match_with_time_controls),
    ("want_side", "player ?", a_match_begins),
    ("want_observe", "observer", a_match_begins),
    // 3: initial responses
    ("seat_granted", "100", a_match_begins),
    ("seat_granted_tc", "101", a_match_with_time_controls),
    ("seat_taken", "191", a_client_without_a_seat_is_told_why),
    ("seat_full", "192", a_client_without_a_seat_is_told_why),
    ("seat_private", "193", a_client_without_a_seat_is_told_why),
    // 4: configuration messages
    ("config_north", "341", a_match_begins),
    ("config_south", "342", a_client_without_a_seat_is_told_why),
    ("config_observer", "343", a_match_begins),
    ("config_nobserver", "344", a_match_begins),
    // 5: starting messages
    ("role_north", "351", a_match_begins),
    ("role_south", "352", a_match_begins),
    ("role_observer", "353", a_match_begins),
    // 6: move syntax
    ("action_move", "1 ... f", a_match_begins),
    // 7: alternatives to moving
    ("action_resign", "resign", resigning_leaving_or_running_out_of_time_loses),
    ("action_draw_req", "draw?", a_draw_is_agreed),
    ("action_draw_ack", "draw", a_draw_is_agreed),
    ("action_draw_nak", "nodraw", a_draw_is_refused_and_can_be_offered_again_after_a_move),
    // 8: responses to actions
    ("result_continue", "200", a_match_begins),
    ("result_continue", "207", a_match_with_time_controls),
    ("result_win", "201", a_last_move_wins_or_loses_or_draws),
    ("result_lost", "202", a_last_move_wins_or_loses_or_draws),
    ("result_drawn", "203", a_last_move_wins_or_loses_or_draws),
    ("result_resigned", "204", resigning_leaving_or_running_out_of_time_loses),
    ("result_drawreq", "205", a_draw_is_agreed),
    ("result_drawnak", "206", a_draw_is_refused_and_can_be_offered_again_after_a_move),
    ("result_illegal", "291", requests_that_are_refused),
    ("result_garbled", "299", requests_that_are_refused),
    // 9: status messages
    ("status_moves_south", "311", a_match_begins),
    ("status_moves_north", "312", a_match_begins),
    ("status_moves_south_tc", "313", a_match_with_time_controls),
    ("status_moves_north_tc", "314", a_match_with_time_controls),
    ("status_winsmove_south", "321", a_last_move_wins_or_loses_or_draws),
    ("status_losesmove_south", "322", a_last_move_wins_or_loses_or_draws),
    ("status_winsmove_north", "323", a_last_move_wins_or_loses_or_draws),
    ("status_losesmove_north", "324", a_last_move_wins_or_loses_or_draws),
    ("status_drawsmove_south", "325", a_last_move_wins_or_loses_or_draws),
    ("status_drawsmove_north", "326", a_last_move_wins_or_loses_or_draws),
    ("status_resigns_north", "327", resigning_leaving_or_running_out_of_time_loses),
    ("status_resigns_south", "328", resigning_leaving_or_running_out_of_time_loses),
    ("status_draw_agreed", "329", a_draw_is_agreed),
    ("status_flagfell_north", "361", a_match_with_time_controls),
    ("status_flagfell_south", "362", resigning_leaving_or_running_out_of_time_loses),
    ("status_reqsdraw_south", "331", a_draw_is_agreed),
    ("status_reqsdraw_north", "332", a_move_withdraws_the_offer),
    ("status_refsdraw_south", "333", a_draw_is_refused_and_can_be_offered_again_after_a_move),
    ("status_refsdraw_north", "334", a_draw_is_refused_and_can_be_offered_again_after_a_move),
    ("status_disconnect_south", "391", resigning_leaving_or_running_out_of_time_loses),
    ("status_disconnect_north", "392", resigning_leaving_or_running_out_of_time_loses),
    ("status_garble", "399", a_referee_that_stops_says_so),
];

#[test]
fn every_row_is_there_once() {
    assert!(ROWS.iter().map(|(_, wire, _)| wire).all_unique());
}

#[test]
fn a_client_without_a_seat_is_told_why() {
    let mut private = settings(None, false);
    private.private = true;
    let mut scene = Scene::at(Table::new(private));
    scene.opens(OBSERVER, "0.9 observer");
    scene.opens(SOUTH, "0.9 player south \"Ann \"\"Ox\"\" Lee\"");
    scene.opens(ConnId(4), "0.9 player south");
    scene.opens(NORTH, "0.9 player north");
    scene.opens(ConnId(5), "0.9 player ?");
    insta::assert_snapshot!(scene.text);
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
    scene.says(SOUTH, "2 A");
    scene.passes(Duration::from_millis(70_000));
    insta::assert_snapshot!(scene.text);
}

#[test]
fn requests_that_are_refused() {
    let mut scene = Scene::begun(settings(None, false));
    for line in [
        "1 ... A", "2 A", "1 a", "1 G", "A", "pass", "draw", "nodraw", "draw? no", "1 ... a",
        "1 resign",
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
    let games = include_str!("../../common/awari_games.txt").lines();
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

/// No code says that the offer lapses: the text after the code of the acknowledgement does. After a
/// refusal, there is no offer.
#[test]
fn a_move_withdraws_the_offer() {
    let mut scene = Scene::begun(settings(None, true));
    scene.says(SOUTH, "draw?");
    scene.says(SOUTH, "1 A");
    scene.says(NORTH, "draw");
    scene.says(NORTH, "draw?");
    scene.says(SOUTH, "draw");
    let mut timed = Scene::begun(settings(Some((10, 10)), true));
    timed.says(SOUTH, "draw?");
    timed.says(SOUTH, "1 A");
    timed.says(NORTH, "draw?");
    timed.says(SOUTH, "nodraw");
    timed.says(NORTH, "1 ... a");
    insta::assert_snapshot!(scene.text + "\n" + &timed.text);
}

#[test]
fn resigning_leaving_or_running_out_of_time_loses() {
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

/// A crash loses neither an acknowledged draw offer nor the rules of the game.
#[test]
fn an_offer_survives_a_crash() {
    let start = Awari::from("b discard".parse::<gothello::awari::Variant>().unwrap());
    let settings = || Settings {
        start: start.clone(),
        ..settings(None, true)
    };
    let mut scene = Scene::at(Table::new(settings()));
    scene.opens(OBSERVER, "0.9 observer");
    scene.opens(SOUTH, "0.9.2 player south \"Ann\"");
    scene.opens(NORTH, "0.9.2 player north \"Bob\"");
    scene.text.clear();
    scene.says(SOUTH, "1 A");
    scene.says(NORTH, "draw?");
    let back = |journal: Vec<Entry>| {
        let playing = LiveMatch::<Awari>::restore(journal).unwrap();
        assert_eq!(playing.game().variant(), start.variant());
        let mut other = Scene::at(resumed(settings(), playing, Duration::ZERO));
        other.opens(OBSERVER, "0.9 observer");
        other.opens(NORTH, "0.9.2 player north \"Bob\"");
        other.opens(SOUTH, "0.9.2 player ? \"Ann\"");
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
        let why = LiveMatch::<Awari>::restore(journal)
            .unwrap_err()
            .to_string();
        assert!(why.contains("neither offered nor refused"), "{why}");
    }
}

#[test]
fn a_late_observer_gets_the_board_or_the_moves() {
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

#[test]
fn a_referee_that_stops_says_so() {
    let mut scene = Scene::begun(settings(None, true));
    let effects = scene.table.stop("it was interrupted");
    scene.see(effects);
    insta::assert_snapshot!(scene.text);
}
