//! Lost connections in a match: whose loss decides it, who comes back, and when a flag that falls
//! meanwhile counts.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use gothello::contests::netref::{
    self, Action, ConnId, Effect, Effects, Entry, FinishedMatch, Gothello, LiveMatch, Loss,
    LossWaits, MatchReason, Name, Opening, Settings, Table, ToObservers,
};
use gothello::tournament::{GameNumber, NumberedGame, ScheduledGame};
use gothello::{ByColor, Color, Move};

const BLACK: ConnId = ConnId(1);
const WHITE: ConnId = ConnId(2);
const BLACK_AGAIN: ConnId = ConnId(3);
const WHITE_AGAIN: ConnId = ConnId(4);
const OBSERVER: ConnId = ConnId(5);

/// A table, the time, and what came of everything.
struct Scene {
    table: Table<Gothello>,
    now: Duration,
    /// What each connection was sent.
    sent: Vec<(ConnId, String)>,
    /// What the observers were sent.
    observed: String,
    /// The connections that are sent nothing more, and those that were closed.
    ended: Vec<ConnId>,
    closed: Vec<ConnId>,
    journal: Vec<Entry>,
    finished: Option<FinishedMatch<Move>>,
}

impl Scene {
    /// A match of two clients of this version, with 60 seconds each.
    fn begun(version: &str, waits: LossWaits) -> Scene {
        let mut scene = Scene::at(waits);
        scene.opens(BLACK, &format!("{version} player black \"Ann\""));
        scene.opens(WHITE, &format!("{version} player white \"Bob\""));
        scene
    }

    /// A match of Ann, who can resume it, as Black, and of Bob with this version. Who can resume has
    /// so many seconds to come back.
    fn of_ann_and_bob(version_of_white: &str, comeback: u64) -> Scene {
        let mut scene = Scene::at(waits(1, 30, comeback));
        scene.opens(BLACK, "0.9.2 player black \"Ann\"");
        scene.opens(WHITE, &format!("{version_of_white} player white \"Bob\""));
        scene
    }

    /// An empty table.
    fn at(waits: LossWaits) -> Scene {
        Scene {
            table: Table::new(Settings {
                number: 0,
                start: Gothello::default(),
                times: Some(ByColor::from_fn(|_| Duration::from_secs(60))),
                private: false,
                strict: false,
                seat_timeout: None,
                move_timeout: None,
                reclaim_time: Duration::ZERO,
                waits,
            }),
            now: Duration::from_secs(1_000),
            sent: Vec::new(),
            observed: String::new(),
            ended: Vec::new(),
            closed: Vec::new(),
            journal: Vec::new(),
            finished: None,
        }
    }

    fn opens(&mut self, conn: ConnId, line: &str) {
        self.opens_from(conn, line, None);
    }

    fn opens_from(&mut self, conn: ConnId, line: &str, address: Option<SocketAddr>) {
        let opening = Opening::parse::<Gothello>(line).unwrap();
        let client = netref::Client {
            resumes: opening.resumes::<Gothello>(),
            address,
            ..conn.into()
        };
        let effects = self
            .table
            .open(client, opening, self.now, SystemTime::UNIX_EPOCH, true);
        self.see(effects);
    }

    fn says(&mut self, conn: ConnId, line: &str) {
        let action = Action::parse::<Gothello>(line);
        let effects = self.table.request(conn, action, self.now);
        self.see(effects);
    }

    fn loses(&mut self, conn: ConnId, loss: Loss) {
        let effects = self.table.lose(conn, loss, self.now);
        self.see(effects);
    }

    /// Lets time pass. Deadlines are met in their order.
    fn passes(&mut self, millis: u64) {
        let until = self.now + Duration::from_millis(millis);
        while let Some(at) = self.table.deadline().filter(|&at| at <= until) {
            self.now = self.now.max(at);
            let effects = self.table.tick(self.now);
            self.see(effects);
        }
        self.now = until;
    }

    fn see(&mut self, effects: Effects<Move>) {
        for effect in effects {
            match effect {
                Effect::Send(conn, text) => {
                    assert!(!self.ended.contains(&conn), "{conn}: {text}");
                    self.sent.push((conn, text));
                }
                Effect::Observers(ToObservers::Broadcast(text)) => self.observed += &text,
                Effect::EndOutput(conn) => self.ended.push(conn),
                Effect::Close(conn) => self.closed.push(conn),
                Effect::Journal(entry) => self.journal.push(entry),
                Effect::StartClock => self.table.start_clock(self.now),
                Effect::Finish(finished) => self.finished = Some(*finished),
                _ => {}
            }
        }
    }

    /// Who has won, and why; `None` while the match goes on.
    fn ending(&self) -> Option<(Option<Color>, MatchReason)> {
        let ending = &self.finished.as_ref()?.summary.ending;
        Some((ending.winner, ending.reason))
    }

    /// The codes of the lines that a connection was sent.
    fn codes(&self, conn: ConnId) -> Vec<&str> {
        let texts = self.sent.iter().filter(|(to, _)| *to == conn);
        let lines = texts.flat_map(|(_, text)| text.lines());
        lines.map(|line| &line[..3]).collect()
    }
}

fn waits(closed: u64, silent: u64, comeback: u64) -> LossWaits {
    LossWaits {
        closed: Duration::from_secs(closed),
        silent: Duration::from_secs(silent),
        flag: Duration::from_secs(60),
        comeback: Duration::from_secs(comeback),
    }
}

const BY_DISCONNECTION: Option<(Option<Color>, MatchReason)> =
    Some((Some(Color::White), MatchReason::Disconnection));

#[test]
fn a_lost_connection_loses_when_the_opponent_is_still_there() {
    for (loss, wait) in [
        (Loss::Closed, 1),
        (Loss::Silent, 30),
        (Loss::Dropped("it does not read".into()), 30),
    ] {
        let mut scene = Scene::begun("0.9.1", waits(1, 30, 0));
        scene.loses(BLACK, loss.clone());
        scene.passes(wait * 1_000 - 1);
        assert_eq!(scene.ending(), None, "{loss:?}");
        scene.passes(1);
        assert_eq!(scene.ending(), BY_DISCONNECTION, "{loss:?}");
        assert_eq!(scene.codes(WHITE).last(), Some(&"391"));
    }
}

#[test]
fn a_request_of_the_opponent_proves_that_only_one_connection_is_lost() {
    let mut scene = Scene::begun("0.9.1", waits(1, 30, 0));
    scene.says(BLACK, "1 c3");
    scene.loses(BLACK, Loss::Silent);
    scene.passes(5_000);
    assert_eq!(scene.ending(), None);
    scene.says(WHITE, "1 ... d3");
    assert_eq!(scene.ending(), BY_DISCONNECTION);
    // As today, the move is not acknowledged.
    assert_eq!(scene.codes(WHITE)[4..], ["351", "313", "391"]);
}

#[test]
fn without_a_wait_a_lost_connection_loses_at_once() {
    let mut scene = Scene::begun("0.9.2", LossWaits::default());
    scene.loses(BLACK, Loss::Closed);
    assert_eq!(scene.ending(), BY_DISCONNECTION);
}

#[test]
fn connections_that_are_lost_together_decide_nothing() {
    for (losses, millis) in [
        ([Loss::Closed, Loss::Closed], 999),
        ([Loss::Silent, Loss::Silent], 29_999),
        ([Loss::Closed, Loss::Silent], 500),
    ] {
        let mut scene = Scene::begun("0.9.1", waits(1, 30, 0));
        let [first, second] = losses.clone();
        scene.loses(BLACK, first);
        scene.passes(millis);
        scene.loses(WHITE, second);
        assert_eq!(
            scene.ending(),
            Some((None, MatchReason::Interruption)),
            "{losses:?}"
        );
        assert!(scene.table.is_empty());
    }
}

#[test]
fn players_who_were_lost_together_resume_with_their_clocks() {
    let mut scene = Scene::begun("0.9.2", waits(1, 30, 0));
    scene.says(BLACK, "1 c3");
    scene.passes(5_000);
    scene.loses(WHITE, Loss::Closed);
    scene.passes(500);
    scene.loses(BLACK, Loss::Closed);
    assert_eq!(scene.ending(), None);
    // White has not lost the time of the outage.
    let spent = Entry::Interrupted {
        spent_ms: 0,
        left_ms: Some(60_000),
    };
    assert_eq!(scene.journal.last(), Some(&spent), "for a crash meanwhile");
    scene.passes(50_000);
    scene.opens(BLACK_AGAIN, "0.9.2 player black \"Ann\"");
    scene.passes(50_000);
    scene.opens(WHITE_AGAIN, "0.9.2 player white \"Bob\"");
    assert_eq!(
        scene.codes(WHITE_AGAIN),
        ["101", "341", "342", "344", "313", "351"]
    );
    scene.passes(4_500);
    scene.says(WHITE_AGAIN, "1 ... d3");
    let (_, answer) = scene
        .sent
        .iter()
        .rfind(|(to, text)| *to == WHITE_AGAIN && text.starts_with("207"))
        .unwrap();
    assert!(answer.starts_with("207 55 "), "{answer}");
}

#[test]
fn who_does_not_come_back_in_time_loses_and_if_nobody_does_there_is_no_result() {
    for (is_white_back, ending) in [
        (true, (Some(Color::White), MatchReason::Disconnection)),
        (false, (None, MatchReason::Abandonment)),
    ] {
        let mut scene = Scene::begun("0.9.2", waits(1, 30, 0));
        scene.says(BLACK, "1 c3");
        scene.loses(BLACK, Loss::Closed);
        scene.loses(WHITE, Loss::Closed);
        if is_white_back {
            scene.opens(WHITE_AGAIN, "0.9.2 player white \"Bob\"");
        }
        scene.passes(119_999);
        assert_eq!(scene.ending(), None);
        scene.passes(1);
        assert_eq!(scene.ending(), Some(ending));
    }
}

/// The organizer decides about a game of a tournament without a time for forfeits.
#[test]
fn a_match_of_a_tournament_waits_no_shorter_for_its_players_than_others() {
    let mut scene = Scene::at(waits(1, 30, 0));
    let scheduled = NumberedGame {
        tournament: 1,
        scheduled: ScheduledGame {
            number: GameNumber {
                round: 1,
                pairing: 1,
                game: 1,
            },
            black: "Ann".parse().unwrap(),
            white: "Bob".parse().unwrap(),
        },
    };
    scene.table.set_scheduled(Some(scheduled), None);
    scene.opens(BLACK, "0.9.2 player black \"Ann\"");
    scene.opens(WHITE, "0.9.2 player white \"Bob\"");
    scene.says(BLACK, "1 c3");
    scene.loses(BLACK, Loss::Closed);
    scene.loses(WHITE, Loss::Closed);
    scene.opens(WHITE_AGAIN, "0.9.2 player white \"Bob\"");
    scene.passes(3_600_000);
    assert_eq!(scene.ending(), None);
    scene.opens(BLACK_AGAIN, "0.9.2 player black \"Ann\"");
    assert_eq!(scene.codes(BLACK_AGAIN).last(), Some(&"352"));
}

#[test]
fn a_player_who_comes_back_in_time_goes_on_and_nothing_has_stopped_meanwhile() {
    let mut scene = Scene::begun("0.9.2", waits(1, 30, 20));
    scene.says(BLACK, "1 c3");
    scene.loses(BLACK, Loss::Closed);
    scene.passes(3_000);
    scene.says(WHITE, "1 ... d3");
    assert_eq!(scene.ending(), None, "its opponent may move");
    scene.passes(10_000);
    scene.opens(BLACK_AGAIN, "0.9.2 player ? \"Ann\"");
    assert_eq!(
        scene.codes(BLACK_AGAIN),
        ["101", "341", "342", "344", "313", "314", "352"]
    );
    let (_, granted) = &scene
        .sent
        .iter()
        .find(|(to, _)| *to == BLACK_AGAIN)
        .unwrap();
    assert!(
        granted.starts_with("101 50 57 "),
        "its clock ran: {granted}"
    );
    scene.says(BLACK_AGAIN, "2 d4");
    scene.passes(20_000);
    assert_eq!(scene.ending(), None);
    // The others are told of its moves as ever.
    assert_eq!(scene.codes(WHITE).last(), Some(&"313"));
}

#[test]
fn a_player_may_come_back_to_a_match_against_the_house() {
    let house = ConnId(9);
    let scene = |comeback| {
        let mut scene = Scene::at(waits(1, 30, comeback));
        scene.table.set_house(Name::new("house-3").unwrap());
        scene.opens(WHITE, "0.9.2 player white \"Bob\"");
        let effects = scene
            .table
            .seat_house(house, scene.now, SystemTime::UNIX_EPOCH, true);
        scene.see(effects);
        scene.says(house, "1 c3");
        scene.loses(WHITE, Loss::Closed);
        scene
    };
    let mut returns = scene(20);
    returns.passes(10_000);
    returns.opens(WHITE_AGAIN, "0.9.2 player white \"Bob\"");
    returns.says(WHITE_AGAIN, "1 ... d3");
    returns.says(house, "2 pass");
    assert_eq!(returns.codes(WHITE_AGAIN).last(), Some(&"317"));
    assert_eq!(returns.ending(), None);
    let mut stays_away = scene(20);
    stays_away.passes(20_000);
    let by_disconnection = Some((Some(Color::Black), MatchReason::Disconnection));
    assert_eq!(stays_away.ending(), by_disconnection);
    // Otherwise, the house need not wait.
    assert_eq!(scene(0).ending(), by_disconnection);
}

const BY_TIME: Option<(Option<Color>, MatchReason)> = Some((Some(Color::Black), MatchReason::Time));

/// A match whose flag of White has fallen after a move of Black, before an observer.
fn flag_has_fallen(version: &str) -> Scene {
    let mut scene = Scene::begun(version, waits(1, 30, 0));
    scene.opens(OBSERVER, "0.9.2 observer");
    scene.says(BLACK, "1 c3");
    scene.observed.clear();
    scene.passes(60_000);
    scene
}

#[test]
fn when_a_flag_falls_the_players_are_told_at_once_and_all_others_when_one_of_them_is_heard() {
    type Sign = fn(&mut Scene);
    let signs: [Sign; 4] = [
        |scene| scene.says(BLACK, "2 d4"),
        |scene| scene.says(WHITE, "1 ... d3"),
        // Clients do so when they are told of the end.
        |scene| scene.loses(BLACK, Loss::Closed),
        |scene| scene.loses(WHITE, Loss::Closed),
    ];
    for sign in signs {
        let mut scene = flag_has_fallen("0.9.1");
        assert!(scene.codes(WHITE).ends_with(&["313", "202", "361"]));
        assert!(scene.codes(BLACK).ends_with(&["207", "313", "361"]));
        assert_eq!(scene.ended, [BLACK, WHITE]);
        let ended = Entry::End {
            winner: Some(Color::Black),
            reason: MatchReason::Time,
            exchange: Vec::new(),
            why: None,
        };
        assert_eq!(scene.journal.last(), Some(&ended), "before they are told");
        scene.passes(5_000);
        assert_eq!((scene.ending(), &*scene.observed), (None, ""));
        assert!(scene.closed.is_empty());
        let entries = scene.journal.len();
        sign(&mut scene);
        assert_eq!(scene.ending(), BY_TIME);
        assert!(scene.observed.starts_with("361 "), "{}", scene.observed);
        assert_eq!(scene.closed, [BLACK, WHITE]);
        assert_eq!(scene.journal.len(), entries);
        assert!(scene.table.is_empty());
    }
}

#[test]
fn a_flag_counts_if_one_connection_is_not_lost() {
    for lost in [vec![], vec![BLACK], vec![WHITE]] {
        let mut scene = flag_has_fallen("0.9.2");
        for &conn in &lost {
            scene.passes(45_000);
            scene.loses(conn, Loss::Silent);
        }
        scene.now = Duration::from_secs(1_119);
        scene.passes(999);
        assert_eq!(scene.ending(), None, "{lost:?}");
        scene.passes(1);
        assert_eq!(scene.ending(), BY_TIME, "{lost:?}");
    }
}

#[test]
fn a_flag_that_falls_while_both_connections_are_lost_does_not_count() {
    // Both turn out to be lost after it, or one before.
    for is_known in [true, false] {
        let mut scene = Scene::begun("0.9.2", waits(1, 30, 0));
        scene.says(BLACK, "1 c3");
        scene.passes(40_000);
        if is_known {
            scene.loses(BLACK, Loss::Silent);
        }
        scene.passes(20_000);
        if !is_known {
            scene.passes(30_000);
            scene.loses(BLACK, Loss::Silent);
        }
        scene.passes(15_000);
        assert_eq!(scene.ending(), None);
        scene.loses(WHITE, Loss::Dropped("it does not read".into()));
        assert_eq!(scene.ending(), None);
        // White has all the time of its move again.
        for conn in [BLACK_AGAIN, WHITE_AGAIN] {
            let (side, name) = match conn {
                BLACK_AGAIN => ("black", "Ann"),
                _ => ("white", "Bob"),
            };
            scene.opens(conn, &format!("0.9.2 player {side} \"{name}\""));
        }
        assert_eq!(
            scene.codes(WHITE_AGAIN),
            ["101", "341", "342", "344", "313", "351"]
        );
        scene.passes(59_000);
        scene.says(WHITE_AGAIN, "1 ... d3");
        assert_eq!(scene.codes(WHITE_AGAIN).last(), Some(&"314"));
        assert!(scene.sent.last().unwrap().1.contains(" d3 1 (secs)"));
        assert_eq!(scene.codes(BLACK_AGAIN).last(), Some(&"314"));
    }
}

#[test]
fn after_an_outage_that_nobody_can_resume_a_flag_counts_as_little_as_a_drop() {
    let mut scene = flag_has_fallen("0.9.1");
    scene.loses(BLACK, Loss::Silent);
    scene.loses(WHITE, Loss::Silent);
    let interrupted = Some((None, MatchReason::Interruption));
    assert_eq!(scene.ending(), interrupted);
    assert!(scene.observed.starts_with("399 "), "{}", scene.observed);
    let restored = LiveMatch::<Gothello>::restore(scene.journal).unwrap();
    let ending = restored.finished().unwrap().summary.ending;
    assert_eq!(Some((ending.winner, ending.reason)), interrupted);
}

#[test]
fn a_flag_counts_at_once_if_no_outage_can_explain_it() {
    // The house is always there.
    let mut scene = Scene::at(waits(1, 30, 0));
    scene.table.set_house(Name::new("house-3").unwrap());
    scene.opens(WHITE, "0.9.2 player white \"Bob\"");
    let house = ConnId(9);
    let effects = scene
        .table
        .seat_house(house, scene.now, SystemTime::UNIX_EPOCH, true);
    scene.see(effects);
    scene.says(house, "1 c3");
    scene.passes(60_000);
    assert_eq!(scene.ending(), BY_TIME);
    // The opponent has closed its connection.
    let mut scene = Scene::begun("0.9.2", waits(1, 30, 0));
    scene.says(BLACK, "1 c3");
    scene.passes(59_500);
    scene.loses(BLACK, Loss::Closed);
    scene.passes(500);
    assert_eq!(scene.ending(), BY_TIME);
    // The connection of the opponent has been lost for long.
    let mut scene = Scene::begun("0.9.2", waits(1, 30, 100));
    scene.says(BLACK, "1 c3");
    scene.passes(29_999);
    scene.loses(BLACK, Loss::Silent);
    scene.passes(30_001);
    assert_eq!(scene.ending(), BY_TIME);
    // Nothing is waited for.
    let mut scene = Scene::begun("0.9.2", LossWaits::default());
    scene.says(BLACK, "1 c3");
    scene.passes(60_000);
    assert_eq!(scene.ending(), BY_TIME);
    assert!(scene.ended.is_empty());
}

#[test]
fn a_player_who_comes_back_after_its_flag_has_fallen_has_no_seat() {
    let mut scene = Scene::begun("0.9.2", waits(1, 30, 100));
    scene.says(BLACK, "1 c3");
    scene.passes(50_000);
    scene.loses(WHITE, Loss::Silent);
    scene.passes(10_000);
    assert_eq!(scene.ending(), None);
    scene.opens(WHITE_AGAIN, "0.9.2 player white \"Bob\"");
    assert_eq!(scene.codes(WHITE_AGAIN), ["192"]);
    scene.passes(60_000);
    assert_eq!(scene.ending(), BY_TIME);
}

/// The players may have been told of it.
#[test]
fn a_flag_that_has_fallen_before_a_crash_counts() {
    let scene = flag_has_fallen("0.9.2");
    let shortest = scene.table.live_match().unwrap().entries(scene.now);
    for journal in [scene.journal, shortest] {
        let restored = LiveMatch::<Gothello>::restore(journal).unwrap();
        let ending = restored.finished().unwrap().summary.ending;
        assert_eq!(Some((ending.winner, ending.reason)), BY_TIME);
    }
}

#[test]
fn a_player_may_be_away_only_for_so_long_and_while_its_clock_runs() {
    let mut scene = Scene::begun("0.9.2", waits(1, 30, 20));
    scene.loses(BLACK, Loss::Closed);
    scene.passes(19_999);
    assert_eq!(scene.ending(), None);
    scene.passes(1);
    assert_eq!(scene.ending(), BY_DISCONNECTION);

    let mut scene = Scene::begun("0.9.2", waits(1, 30, 100));
    scene.loses(BLACK, Loss::Closed);
    scene.passes(60_000);
    let by_time = Some((Some(Color::White), MatchReason::Time));
    assert_eq!(scene.ending(), by_time);
}

#[test]
fn a_match_without_a_move_that_is_interrupted_can_as_well_begin_again() {
    let mut scene = Scene::begun("0.9.2", waits(1, 30, 0));
    scene.loses(BLACK, Loss::Closed);
    scene.loses(WHITE, Loss::Closed);
    assert_eq!(scene.ending(), Some((None, MatchReason::Interruption)));
}

/// The time to come back is no time in which the opponent can void the match, or stop its clock.
#[test]
fn a_loss_long_after_that_of_the_opponent_is_one_of_its_own() {
    // In both matches it is White's turn. White could come back only with version 0.9.2.
    for version_of_white in ["0.9.1", "0.9.2"] {
        let mut scene = Scene::of_ann_and_bob(version_of_white, 100);
        scene.says(BLACK, "1 c3");
        scene.loses(BLACK, Loss::Closed);
        scene.passes(5_000);
        scene.loses(WHITE, Loss::Closed);
        scene.passes(54_999);
        assert_eq!(scene.ending(), None);
        scene.passes(1);
        let by_time = Some((Some(Color::Black), MatchReason::Time));
        assert_eq!(scene.ending(), by_time, "{version_of_white}");
    }
    // A second after its loss White has lost to an opponent who comes back at any time.
    for millis in [999, 1_000, 20_000] {
        let mut scene = Scene::of_ann_and_bob("0.9.1", 100);
        scene.says(BLACK, "1 c3");
        scene.loses(BLACK, Loss::Closed);
        scene.passes(5_000);
        scene.loses(WHITE, Loss::Closed);
        scene.passes(millis);
        scene.opens(BLACK_AGAIN, "0.9.2 player black \"Ann\"");
        scene.passes(1);
        let by_disconnection = Some((Some(Color::Black), MatchReason::Disconnection));
        assert_eq!(scene.ending(), by_disconnection, "{millis}");
    }
}

/// Nobody wins who is gone as well.
#[test]
fn two_losses_long_after_each_other_decide_nothing_if_neither_player_returns() {
    let begun = |version_of_white: &str, comeback: u64| {
        let mut scene = Scene::of_ann_and_bob(version_of_white, comeback);
        scene.says(BLACK, "1 c3");
        scene.says(WHITE, "1 ... d3");
        scene.loses(BLACK, Loss::Closed);
        scene.passes(3_000);
        scene.loses(WHITE, Loss::Closed);
        scene
    };
    // Black's time is over after eight seconds, White's after four.
    let mut scene = begun("0.9.1", 8);
    scene.passes(4_999);
    assert_eq!(scene.ending(), None);
    scene.passes(1);
    assert_eq!(scene.ending(), Some((None, MatchReason::Interruption)));
    // White's time is over after eleven seconds. If it comes back before, Black's is over.
    let mut scene = begun("0.9.2", 8);
    scene.passes(7_999);
    assert_eq!(scene.ending(), None);
    scene.opens(WHITE_AGAIN, "0.9.2 player white \"Bob\"");
    scene.passes(1);
    assert_eq!(scene.ending(), BY_DISCONNECTION);
    // If it does not, the match waits for both: Black cannot come back in between.
    let mut scene = begun("0.9.2", 8);
    scene.passes(5_000);
    scene.opens(BLACK_AGAIN, "0.9.2 player black \"Ann\"");
    assert_eq!(scene.codes(BLACK_AGAIN), ["191"]);
    scene.passes(3_000);
    assert_eq!(scene.ending(), None);
    assert!(matches!(scene.journal[..], [.., Entry::Interrupted { .. }]));
    scene.opens(BLACK_AGAIN, "0.9.2 player black \"Ann\"");
    scene.opens(WHITE_AGAIN, "0.9.2 player white \"Bob\"");
    assert_eq!(scene.codes(BLACK_AGAIN).last(), Some(&"352"));
    assert_eq!(scene.codes(WHITE_AGAIN).last(), Some(&"351"));
    // Black's flag falls when White is gone for good.
    let mut scene = begun("0.9.1", 100);
    scene.passes(60_000);
    assert_eq!(scene.ending(), Some((None, MatchReason::Interruption)));
}

/// In the same moment the time of the player to move is over, and the opponent's to return.
#[test]
fn a_player_who_is_there_wins_against_one_who_is_gone() {
    let mut scene = Scene::of_ann_and_bob("0.9.2", 60);
    scene.says(BLACK, "1 c3");
    scene.loses(BLACK, Loss::Closed);
    scene.passes(60_000);
    assert_eq!(scene.ending(), BY_DISCONNECTION);
}

/// Without a team only the name says who somebody is: the opponent could give it, too.
#[test]
fn a_name_at_another_address_does_not_take_a_seat_in_a_match_that_goes_on() {
    let from = |address: &str| Some(address.parse().unwrap());
    for (address, is_seated) in [("192.0.2.1:7", true), ("192.0.2.2:7", false)] {
        let mut scene = Scene::at(waits(1, 30, 100));
        scene.opens_from(BLACK, "0.9.2 player black \"Ann\"", from("192.0.2.1:5"));
        scene.opens_from(WHITE, "0.9.2 player white \"Bob\"", from("192.0.2.2:5"));
        scene.loses(BLACK, Loss::Closed);
        scene.opens_from(BLACK_AGAIN, "0.9.2 player black \"Ann\"", from(address));
        let codes = scene.codes(BLACK_AGAIN);
        assert_eq!(codes.contains(&"352"), is_seated, "{codes:?}");
    }
}

#[test]
fn only_a_player_who_can_resume_matches_may_come_back() {
    for (version, again) in [
        ("0.9.1", "0.9.1 player black \"Ann\""),
        ("0.9.2", "0.9.2 player black \"Eve\""),
        ("0.9.2", "0.9.1 player black \"Ann\""),
    ] {
        let mut scene = Scene::begun(version, waits(1, 30, 20));
        scene.loses(BLACK, Loss::Silent);
        scene.opens(BLACK_AGAIN, again);
        let codes = scene.codes(BLACK_AGAIN);
        assert!(matches!(codes[..], ["191" | "192"]), "{codes:?}");
        scene.passes(30_000);
        assert_eq!(scene.ending(), BY_DISCONNECTION, "{again}");
    }
}
