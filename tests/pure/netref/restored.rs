//! Matches that are restored from a journal: whose seats they are, and what everybody is told.

use gothello::ByColor;
use gothello::contests::netref::{
    Client, ConnId, Entry, Gothello, LiveMatch, RestoreError, Settings, StartEntry,
};
use std::time::Duration;

use super::test_table::{TestTable, settings};

/// The start of a match of clients with these names, with 100 seconds each. A client that gives a
/// name has declared to resume matches.
fn start(names: [Option<&str>; 2]) -> Entry {
    let [black, white] = names.map(|name| name.map(str::to_owned));
    let names = ByColor::new(black, white);
    Entry::Start(Box::new(StartEntry {
        game: "Gothello".into(),
        id: "20261120-120000-000000-0".into(),
        server: 0,
        started_ms: 1_800_000_000_000,
        clients: names.as_ref().map(|name| client(name.is_some(), None)),
        names,
        times_ms: Some(ByColor::from_fn(|_| 100_000)),
        rules: None,
        scheduled: None,
    }))
}

fn client(resumes: bool, address: Option<&str>) -> Option<Box<Client>> {
    Some(Box::new(Client {
        resumes,
        address: address.map(|address| address.parse().unwrap()),
        ..ConnId(1).into()
    }))
}

fn moved(mv: &str) -> Entry {
    Entry::Move {
        mv: mv.into(),
        spent_ms: 500,
        left_ms: Some(99_500),
    }
}

fn restore(entries: &[Entry]) -> Result<LiveMatch<Gothello>, RestoreError> {
    LiveMatch::restore(entries.to_vec())
}

/// A table where a match waits for its players.
fn waiting(entries: &[Entry]) -> TestTable {
    let settings = Settings {
        times: Some(ByColor::from_fn(|_| Duration::from_secs(100))),
        ..settings()
    };
    TestTable::resuming(settings, restore(entries).unwrap())
}

/// That of Ann and Bob after two moves.
fn of_ann_and_bob() -> TestTable {
    let names = [Some("Ann"), Some("Bob")];
    waiting(&[start(names), moved("c3"), moved("c4")])
}

#[test]
fn a_stranger_cannot_take_the_seat_of_a_named_player() {
    let table = of_ann_and_bob();
    for opening in [
        "player black",
        "player ?",
        "player white \"Cy\"",
        "player ? \"ann\"",
        "player black \"Bob\"",
        "player black \"\"",
        "player white",
        "player ? \"\"",
    ] {
        let mut stranger = table.open(&format!("0.9.2 {opening}"));
        stranger.expect_last(&["191 "]);
    }
    let mut ann = table.seat("player ? \"Ann\"");
    let mut bob = table.seat("player white \"Bob\"");
    ann.lines_to("352 ");
    bob.lines_to("351 ");
    table.open("0.9.2 player ? \"Ann\"").expect_last(&["192 "]);
}

/// The default name of two programs of one user.
#[test]
fn two_players_of_one_name_get_their_own_seats_back() {
    let name = Some("go (ann@lab)");
    let either = "0.9.2 player ? \"go (ann@lab)\"";
    let table = waiting(&[start([name, name]), moved("c3")]);
    let told = table.open(either).rest().concat();
    assert!(told.starts_with("191 "), "{told}");
    assert!(told.ends_with("ask for black or white"), "{told}");
    let mut white = table.seat("player white \"go (ann@lab)\"");
    // Now only one client is left.
    let mut black = table.open(either);
    white.lines_to("351 ");
    black.lines_to("352 ");

    // Where they came from tells them apart.
    let here = "127.0.0.1:4002";
    for (addresses, side) in [
        (["192.0.2.1:4000", "127.0.0.1:4000"], Some("351 ")),
        (["127.0.0.1:4000", "192.0.2.1:4000"], Some("352 ")),
        (["127.0.0.1:4000", "127.0.0.1:4001"], None),
        (["192.0.2.1:4000", "192.0.2.2:4000"], None),
    ] {
        let mut entry = start([name, name]);
        if let Entry::Start(start) = &mut entry {
            let StartEntry { clients, .. } = &mut **start;
            let [black, white] = addresses.map(|address| client(true, Some(address)));
            *clients = ByColor::new(black, white);
        }
        let table = waiting(&[entry, moved("c3")]);
        let mut one = table.open_from(either, Some(here.parse().unwrap()));
        let Some(side) = side else {
            one.expect_last(&["191 "]);
            continue;
        };
        let mut other = table.open_from(either, Some(here.parse().unwrap()));
        other.lines_to("35");
        one.lines_to(side);
    }
}

#[test]
fn a_player_may_come_back_and_leave_again_before_the_match_resumes() {
    let table = of_ann_and_bob();
    for _ in 0..3 {
        drop(table.seat("player black \"Ann\""));
        drop(table.seat("player white \"Bob\""));
    }
    let mut ann = table.seat("player black \"Ann\"");
    ann.ask("2 d3", "291 ");
    let mut bob = table.seat("player white \"Bob\"");
    for (client, role) in [(&mut ann, "352 "), (&mut bob, "351 ")] {
        client.lines_to("313 1 c3 99 ");
        client.expect("314 1 ... c4 99 ");
        client.expect(role);
    }
    ann.ask("2 d3", "207 ");
    bob.expect("313 2 d3 ");
}

#[test]
fn observers_of_an_interrupted_match_see_its_board() {
    let table = of_ann_and_bob();
    let shown = [
        "381 2 99 99 b ",
        "382 ",
        ".....",
        "..w..",
        "..b..",
        ".....",
        ".....",
    ];
    let mut observer = table.seat("observer");
    observer.lines_to("353 ");
    observer.expect_all(&shown);
    let mut ann = table.seat("player black \"Ann\"");
    let _bob = table.seat("player white \"Bob\"");
    observer.expect_all(&shown);
    ann.lines_to("352 ");
    ann.ask("resign", "204 ");
    observer.expect("328 ");
}

/// The client libraries give no name; and nobody could tell who they are.
#[test]
fn only_a_match_of_two_who_can_resume_it_goes_on() {
    for (names, can_resume) in [
        ([Some("Ann"), Some("Bob")], true),
        ([None, None], false),
        ([Some("Ann"), None], false),
        ([None, Some("Bob")], false),
        // An empty name identifies nobody.
        ([Some("Ann"), Some(" ")], false),
    ] {
        let live = restore(&[start(names), moved("c3"), moved("c4")]).unwrap();
        assert_eq!(live.can_resume(), can_resume, "{names:?}");
    }
    // A name is not enough: the client of a loser must not be able to void the match by answering
    // the moves of a resumed match wrongly, and one that does not expect them must not lose by them.
    for who in [0, 1] {
        let mut entry = start([Some("Ann"), Some("Bob")]);
        if let Entry::Start(start) = &mut entry {
            let StartEntry { clients, .. } = &mut **start;
            let [black, white] = [0, 1].map(|index| client(index != who, None));
            *clients = ByColor::new(black, white);
        }
        assert!(!restore(&[entry, moved("c3")]).unwrap().can_resume());
    }
}

#[test]
fn a_journal_that_makes_no_sense_is_refused() {
    let names = [Some("Ann"), Some("Bob")];
    let mut chess = start(names);
    if let Entry::Start(start) = &mut chess {
        let StartEntry { game, .. } = &mut **start;
        *game = "Chess".into();
    }
    for (entries, words) in [
        (&[start(names), moved("c3"), moved("c3")][..], "entry 3: "),
        (&[moved("c3")], "first entry"),
        (&[chess], "Chess"),
        (&[start([None, None]), start([None, None])], "entry 2"),
    ] {
        let why = restore(entries).unwrap_err().to_string();
        assert!(why.contains(words), "{why}");
    }
}
