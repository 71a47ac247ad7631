//! Absent players: whose time runs, and which games they forfeit.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gothello::Color;
use gothello::tournament::{
    Attendance, Event, ForfeitClocks, GameNumber, GameResult, Games, Name, Need, PairingSystem,
    Presence, Settings, Tournament,
};
use proptest::prelude::*;

use crate::tournament::attendance::withdrawal;

const LIMIT: Duration = Duration::from_secs(10);

/// Players and games that the test sets.
#[derive(Clone, Debug, Default)]
struct TestAttendance {
    free: BTreeSet<String>,
    busy: BTreeSet<String>,
    /// The games that have begun, and whether each is interrupted.
    begun: BTreeMap<GameNumber, bool>,
    no_table: bool,
    /// The players that can only play Black.
    only_black: BTreeSet<String>,
}

impl TestAttendance {
    fn with(names: &[&str]) -> TestAttendance {
        TestAttendance {
            free: names.iter().map(|&name| name.to_owned()).collect(),
            ..TestAttendance::default()
        }
    }
}

impl Attendance for TestAttendance {
    fn presence(&self, player: &Name, color: Color) -> Presence {
        let name = player.as_str();
        if color == Color::White && self.only_black.contains(name) {
            return Presence::Absent;
        }
        match (self.free.contains(name), self.busy.contains(name)) {
            (true, _) => Presence::Free,
            (false, true) => Presence::Busy,
            _ => Presence::Absent,
        }
    }

    fn is_present(&self, player: &Name) -> bool {
        self.free.contains(player.as_str()) || self.busy.contains(player.as_str())
    }

    fn need(&self, game: GameNumber) -> Need {
        match self.begun.get(&game) {
            None => Need::Start,
            Some(true) => Need::Players,
            Some(false) => Need::Nothing,
        }
    }

    fn has_free_table(&self) -> bool {
        !self.no_table
    }

    fn has_game_in_play(&self) -> bool {
        self.begun.values().any(|&interrupted| !interrupted)
    }
}

/// A round robin of these players with one game in each pairing, all rounds paired.
fn round_robin(names: &[&str]) -> Tournament {
    let settings = Settings {
        system: PairingSystem::RoundRobin,
        games: Games::Single,
        seed: 1,
        forbidden: Vec::new(),
    };
    let names: Vec<Name> = names.iter().map(|name| name.parse().unwrap()).collect();
    let mut tournament = Tournament::new(settings, &names).unwrap();
    while let Some(round) = tournament.next_round().unwrap() {
        tournament.apply(&round).unwrap();
    }
    tournament
}

/// The games that are forfeited at a second.
fn at(
    clocks: &mut ForfeitClocks,
    tournament: &Tournament,
    attendance: &TestAttendance,
    second: u64,
) -> Vec<String> {
    let forfeits = clocks.update(tournament, attendance, Duration::from_secs(second));
    forfeits.iter().map(ToString::to_string).collect()
}

#[test]
fn an_absent_player_forfeits_to_the_player_who_waits() {
    let tournament = round_robin(&["Ann", "Bob"]);
    let mut clocks = ForfeitClocks::new(LIMIT);
    let attendance = TestAttendance::with(&["Ann"]);
    assert_eq!(clocks.next_deadline(), None);
    assert!(at(&mut clocks, &tournament, &attendance, 100).is_empty());
    assert_eq!(clocks.next_deadline(), Some(Duration::from_secs(110)));
    assert!(at(&mut clocks, &tournament, &attendance, 109).is_empty());
    assert_eq!(
        at(&mut clocks, &tournament, &attendance, 110),
        ["Bob did not come within 10s and forfeits round 1, pairing 1, game 1 to Ann"]
    );
}

#[test]
fn the_result_is_that_of_an_unplayed_game() {
    let mut tournament = round_robin(&["Ann", "Bob"]);
    let mut clocks = ForfeitClocks::new(LIMIT);
    let attendance = TestAttendance::with(&["Ann"]);
    clocks.update(&tournament, &attendance, Duration::ZERO);
    let [forfeit] = &clocks.update(&tournament, &attendance, LIMIT)[..] else {
        panic!("one game is forfeited");
    };
    let Event::Game { scheduled, result } = forfeit.event() else {
        panic!("it is the result of a game");
    };
    let winner = match scheduled.black.as_str() {
        "Ann" => Color::Black,
        _ => Color::White,
    };
    assert_eq!(result, GameResult::forfeit(Some(winner), "absence"));
    tournament.apply(&forfeit.event()).unwrap();
    assert!(tournament.is_over());
    assert_eq!(tournament.standings()[0].player.as_str(), "Ann");
    // No deadline is left, so the tournament waits for nothing.
    assert!(
        clocks
            .update(&tournament, &attendance, 2 * LIMIT)
            .is_empty()
    );
    assert_eq!(clocks.next_deadline(), None);
}

#[test]
fn time_counts_only_while_somebody_waits_and_a_table_is_free() {
    let tournament = round_robin(&["Ann", "Bob"]);
    let mut clocks = ForfeitClocks::new(LIMIT);
    let waits = TestAttendance::with(&["Ann"]);
    let others = [
        // Ann plays another game.
        TestAttendance {
            busy: ["Ann".to_owned()].into(),
            ..TestAttendance::default()
        },
        // All tables are taken.
        TestAttendance {
            no_table: true,
            ..waits.clone()
        },
        // Nobody is there: the server runs overnight.
        TestAttendance::default(),
        // Both are there, for a moment.
        TestAttendance::with(&["Ann", "Bob"]),
    ];
    let mut second = 0;
    for other in &others {
        assert!(at(&mut clocks, &tournament, &waits, second).is_empty());
        assert!(at(&mut clocks, &tournament, other, second + 2).is_empty());
        assert_eq!(clocks.next_deadline(), None, "{other:?}");
        second += 1_000;
    }
    // Two seconds were counted four times.
    assert!(at(&mut clocks, &tournament, &waits, second).is_empty());
    assert_eq!(
        clocks.next_deadline(),
        Some(Duration::from_secs(second + 2))
    );
    assert_eq!(at(&mut clocks, &tournament, &waits, second + 2).len(), 1);
}

#[test]
fn if_neither_comes_both_forfeit_once_somebody_waits_for_their_game() {
    let tournament = round_robin(&["Ann", "Bob", "Eve"]);
    let with_ann = tournament.pending_games().into_iter();
    let with_ann: Vec<_> = with_ann
        .filter(|game| game.has(&"Ann".parse().unwrap()))
        .collect();
    let [first, _] = &with_ann[..] else {
        panic!("two games of Ann: {with_ann:?}");
    };
    let mut clocks = ForfeitClocks::new(LIMIT);
    let mut attendance = TestAttendance::with(&["Ann"]);
    // While a game is played, the absent lose games against those who wait, and not those
    // among themselves.
    attendance.begun.insert(first.number, false);
    attendance.free.clear();
    attendance.busy.insert("Ann".into());
    assert!(at(&mut clocks, &tournament, &attendance, 0).is_empty());
    assert!(at(&mut clocks, &tournament, &attendance, 1_000).is_empty());
    let attendance = TestAttendance::with(&["Ann"]);
    assert!(at(&mut clocks, &tournament, &attendance, 1_000).is_empty());
    let forfeits = at(&mut clocks, &tournament, &attendance, 1_010);
    assert_eq!(forfeits.len(), 3, "{forfeits:#?}");
    let both: Vec<&String> = forfeits
        .iter()
        .filter(|text| text.starts_with("neither"))
        .collect();
    let [both] = &both[..] else {
        panic!("{forfeits:#?}");
    };
    assert!(both.contains("Bob") && both.contains("Eve"), "{both}");
    assert!(
        both.contains("came within 10s: both forfeit round"),
        "{both}"
    );
}

#[test]
fn a_player_who_was_withdrawn_waits_for_no_game() {
    let mut tournament = round_robin(&["Ann", "Bob", "Eve"]);
    tournament.apply(&withdrawal("Ann")).unwrap();
    let mut clocks = ForfeitClocks::new(LIMIT);
    let attendance = TestAttendance::with(&["Ann"]);
    for second in [0, 1_000, 2_000] {
        assert!(at(&mut clocks, &tournament, &attendance, second).is_empty());
    }
}

#[test]
fn a_player_of_one_color_is_absent_from_games_with_the_other() {
    let settings = Settings {
        games: Games::Both,
        ..round_robin(&["Ann", "Bob"]).settings().clone()
    };
    let names = ["Ann", "Bob"].map(|name| name.parse().unwrap());
    let mut tournament = Tournament::new(settings, &names).unwrap();
    let round = tournament.next_round().unwrap().unwrap();
    tournament.apply(&round).unwrap();
    let mut clocks = ForfeitClocks::new(LIMIT);
    let attendance = TestAttendance {
        only_black: ["Bob".to_owned()].into(),
        ..TestAttendance::with(&["Ann", "Bob"])
    };
    assert!(at(&mut clocks, &tournament, &attendance, 0).is_empty());
    let forfeits = clocks.update(&tournament, &attendance, LIMIT);
    let [forfeit] = &forfeits[..] else {
        panic!("{forfeits:?}");
    };
    assert_eq!(forfeit.scheduled.white.as_str(), "Bob");
    assert_eq!(forfeit.winner, Some(Color::Black));
}

#[test]
fn a_player_who_waited_does_not_lose_by_leaving_for_the_last_second() {
    let tournament = round_robin(&["Ann", "Bob", "Eve"]);
    let game = tournament
        .pending_games()
        .into_iter()
        .find(|game| !game.has(&"Eve".parse().unwrap()))
        .unwrap();
    let mut clocks = ForfeitClocks::new(LIMIT);
    assert!(at(&mut clocks, &tournament, &TestAttendance::with(&["Ann"]), 0).is_empty());
    let eve = TestAttendance::with(&["Eve"]);
    assert!(at(&mut clocks, &tournament, &eve, 9).is_empty());
    let forfeits = at(&mut clocks, &tournament, &eve, 10);
    let of_both = forfeits
        .iter()
        .find(|text| text.contains(&game.number.to_string()));
    assert!(
        of_both.is_some_and(|text| text.starts_with("Bob did not come")),
        "{forfeits:#?}"
    );
}

#[test]
fn an_interrupted_game_waits_for_its_players_without_a_free_table() {
    let tournament = round_robin(&["Ann", "Bob"]);
    let game = tournament.pending_games()[0].number;
    let mut clocks = ForfeitClocks::new(LIMIT);
    let attendance = TestAttendance {
        busy: ["Ann".to_owned()].into(),
        begun: [(game, true)].into(),
        no_table: true,
        ..TestAttendance::default()
    };
    assert!(at(&mut clocks, &tournament, &attendance, 0).is_empty());
    let forfeits = at(&mut clocks, &tournament, &attendance, 10);
    assert!(forfeits[0].starts_with("Bob did not come"), "{forfeits:?}");
    // If the game continues, the earlier time does not count.
    let mut clocks = ForfeitClocks::new(LIMIT);
    assert!(at(&mut clocks, &tournament, &attendance, 0).is_empty());
    let playing = TestAttendance {
        begun: [(game, false)].into(),
        ..attendance.clone()
    };
    assert!(at(&mut clocks, &tournament, &playing, 9).is_empty());
    assert!(at(&mut clocks, &tournament, &attendance, 20).is_empty());
    assert_eq!(clocks.next_deadline(), Some(Duration::from_secs(30)));
}

/// The changes in a second: who is there, and whether a table is free.
fn any_second() -> impl Strategy<Value = (BTreeSet<usize>, bool)> {
    let there = proptest::collection::btree_set(0_usize..4, 0..=4);
    (there, prop_oneof![4 => Just(false), 1 => Just(true)])
}

proptest! {
    /// Compares the clocks with a count of seconds that records the awaited players of each.
    #[test]
    fn each_absent_second_counts_once(seconds in proptest::collection::vec(any_second(), 1..60)) {
        let names = ["a", "b", "c", "d"];
        let mut tournament = round_robin(&names);
        let mut clocks = ForfeitClocks::new(LIMIT);
        let mut absent: BTreeMap<(GameNumber, String), u64> = BTreeMap::new();
        for (now, (there, no_table)) in (0..).zip(&seconds) {
            let names: Vec<&str> = there.iter().map(|&index| names[index]).collect();
            let attendance = TestAttendance { no_table: *no_table, ..TestAttendance::with(&names) };
            let is_there = |name: &Name| names.contains(&name.as_str());
            let mut expected = Vec::new();
            for scheduled in tournament.pending_games() {
                let players = [&scheduled.black, &scheduled.white];
                let runs = match players.map(is_there) {
                    [true, true] => false,
                    [false, false] => !names.is_empty(),
                    _ => !no_table,
                };
                let used = |name: &Name| {
                    absent.get(&(scheduled.number, name.to_string())).copied().unwrap_or(0)
                };
                let over: Vec<&&Name> = players
                    .iter()
                    .filter(|name| runs && !is_there(name) && used(name) >= LIMIT.as_secs())
                    .collect();
                match over[..] {
                    [] => {}
                    [loser] if *loser == &scheduled.black => {
                        expected.push((scheduled.number, Some(Color::White)));
                    }
                    [_] => expected.push((scheduled.number, Some(Color::Black))),
                    _ => expected.push((scheduled.number, None)),
                }
                for name in players.into_iter().filter(|name| runs && !is_there(name)) {
                    *absent.entry((scheduled.number, name.to_string())).or_default() += 1;
                }
            }
            let forfeits = clocks.update(&tournament, &attendance, Duration::from_secs(now));
            let found: Vec<_> = forfeits
                .iter()
                .map(|forfeit| (forfeit.scheduled.number, forfeit.winner))
                .collect();
            prop_assert_eq!(found, expected);
            for forfeit in &forfeits {
                tournament.apply(&forfeit.event()).unwrap();
            }
            // A past deadline would make the server wait for it again and again.
            clocks.update(&tournament, &attendance, Duration::from_secs(now));
            let next = clocks.next_deadline();
            prop_assert!(next.is_none_or(|next| next > Duration::from_secs(now)));
        }
    }
}
