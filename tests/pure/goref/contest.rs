//! Tournaments that are held in the contest.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gothello::contests::goref::{
    ClientId, Contest, Delivery, Entry, GameId, GamePhase, LogEvent, OrderedEffect,
    OrganizerCommand, Teams, TournamentCommand, TournamentDesk, TournamentEffect, Write, read,
};
use gothello::tournament::{
    Event, Games, LastTournament, PairingSystem, Plan, Settings, Tournament,
};
use itertools::Itertools;

use crate::goref::test_contest::{TestContest, last, small, tournament_of};

fn settings(system: PairingSystem) -> Settings {
    Settings {
        system,
        games: Games::Both,
        seed: 7,
        forbidden: Vec::new(),
    }
}

/// A round robin that begins when so many players are there.
fn plan(players: usize) -> Plan {
    Plan {
        players,
        settings: settings(PairingSystem::RoundRobin),
    }
}

/// The command that begins a tournament.
fn begin(system: PairingSystem) -> OrganizerCommand {
    OrganizerCommand::Tournament(TournamentCommand::Begin(settings(system)))
}

/// A contest with so many tables and players, `a`, `b` and so on.
fn contest(tables: usize, players: u8) -> (TestContest, BTreeMap<String, ClientId>) {
    let setup = Arc::new(small(5, 60_000));
    let tables = vec![setup; tables];
    let mut test = TestContest::of(Contest::new(tables, false));
    let names = (b'a'..)
        .take(players.into())
        .map(|letter| char::from(letter).to_string());
    let clients = names
        .map(|name| (name.clone(), test.client(&name)))
        .collect();
    (test, clients)
}

/// Lets the player of Black at each table resign. A player whose turn it is not waits.
fn finish_games(test: &mut TestContest, clients: &BTreeMap<String, ClientId>) -> usize {
    // The grace period for stale moves ends.
    test.wait(2_000);
    let mut finished = 0;
    for &client in clients.values() {
        let messages = test.messages(client);
        let playing = messages
            .iter()
            .rev()
            .find(|message| ["START", "END"].contains(&message["type"].as_str().unwrap()));
        if playing.is_some_and(|last| last["type"] == "START" && last["color"] == "B") {
            test.resign(client);
            finished += 1;
        }
    }
    finished
}

/// Who has begun against whom, Black first.
fn begun(test: &mut TestContest) -> Vec<String> {
    let log = test.take_log().into_iter();
    log.filter_map(|line| {
        let players = line.split_once(": game ")?.1.split_once("begins, ")?.1;
        Some(players.replace(" (Black) - ", "-").replace(" (White)", ""))
    })
    .collect()
}

#[test]
fn in_a_round_robin_everybody_meets_everybody_with_both_colors() {
    let (mut test, clients) = contest(2, 4);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    let mut games = 0;
    loop {
        let finished = finish_games(&mut test, &clients);
        if finished == 0 {
            break;
        }
        games += finished;
    }
    assert_eq!(games, 12);
    let log = begun(&mut test);
    let all = ["a", "b", "c", "d"].into_iter().permutations(2);
    let all: Vec<String> = all.map(|pair| pair.join("-")).sorted().collect();
    assert_eq!(log.into_iter().sorted().collect_vec(), all);
    assert!(test.contest.is_tournament_over());
    // White has won every game, and everybody has had White three times.
    assert_eq!(test.records.len(), 12);
}

#[test]
fn the_answer_to_the_last_move_of_a_game_is_not_taken_for_a_move_of_the_next() {
    let (mut test, clients) = contest(1, 2);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    let colors = |test: &mut TestContest| -> Vec<ClientId> {
        let mut players: Vec<(String, ClientId)> = clients
            .values()
            .map(|&client| {
                let start = test.messages(client).pop().unwrap();
                (start["color"].as_str().unwrap().to_owned(), client)
            })
            .collect();
        players.sort();
        players.into_iter().map(|(_, client)| client).collect()
    };
    let players = colors(&mut test);
    let (black, white) = (players[0], players[1]);
    test.pass(black);
    test.pass(white);
    // Black has been told MOVE and END at once, and answers the first: it would
    // have White in the next game, but so would the other one's answer do.
    assert_eq!(test.types(black), ["VALID", "MOVE", "END"]);
    assert!(matches!(test.contest.phase(0), Some(GamePhase::Over(_))));
    test.take_log();
    test.wait(500);
    test.place(black, 0, 0);
    assert_eq!(
        test.take_log().len(),
        1,
        "nothing is told but that a game begins"
    );
    // Then the next game begins at once, and it is empty.
    let players = colors(&mut test);
    assert_eq!(players, [white, black]);
    test.place(white, 0, 0);
    assert_eq!(test.types(white), ["VALID"]);
}

#[test]
fn a_move_after_the_flag_is_not_taken_for_a_move_of_the_next_game() {
    let (mut test, clients) = contest(1, 4);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    let mut clients = clients.values().copied();
    let black = clients
        .find(|&client| test.messages(client).pop().unwrap()["color"] == "B")
        .unwrap();
    let mut late = test.moment();
    late.clock += Duration::from_millis(60_500);
    test.contest.receive(
        black,
        read(r#"{"type":"MOVE","move":{"type":"pass"}}"#),
        late,
    );
    // The game is over, the next one begins with other players, and nobody has moved.
    let effects = test.contest.take_effects();
    let begins = |effect: &OrderedEffect| {
        matches!(
            effect,
            OrderedEffect::Deliver(Delivery::Log(LogEvent::Started { .. }))
        )
    };
    assert!(effects.ordered.iter().any(begins));
    let is_played = |effect: &OrderedEffect| {
        matches!(
            effect,
            OrderedEffect::Write(Write::Journal(Entry::Played { .. }))
        )
    };
    assert!(!effects.ordered.iter().any(is_played));
}

#[test]
fn a_swiss_round_is_paired_when_the_last_game_of_the_one_before_is_over() {
    let (mut test, clients) = contest(3, 5);
    test.act(begin(PairingSystem::Swiss { rounds: 3 })).unwrap();
    let mut rounds = Vec::new();
    while !test.contest.is_tournament_over() {
        test.wait(2_000);
        rounds.push(begun(&mut test));
        assert_ne!(finish_games(&mut test, &clients), 0, "{rounds:?}");
    }
    // Two pairings a round, each with both colors; one has a bye.
    assert_eq!(rounds.concat().len(), 3 * 2 * 2);
    let log = test.take_log();
    assert!(
        log.iter().any(|line| line == "the tournament is over"),
        "{log:?}"
    );
}

#[test]
fn nobody_enters_or_misses_rounds_when_the_last_one_is_paired() {
    let (mut test, clients) = contest(2, 3);
    test.act(begin(PairingSystem::Swiss { rounds: 1 })).unwrap();
    test.client("d");
    for line in ["enter d", "absent a"] {
        let attend = TournamentCommand::parse(line).unwrap().unwrap();
        let error = test.act(OrganizerCommand::Tournament(attend)).unwrap_err();
        assert_eq!(error, "all rounds that were planned have been paired");
    }
    while finish_games(&mut test, &clients) > 0 {}
    assert!(test.contest.is_tournament_over());
}

#[test]
fn a_planned_tournament_begins_when_enough_players_are_there() {
    let mut contest = Contest::new(vec![Arc::new(small(5, 60_000))], false);
    contest.set_desk(TournamentDesk::new(Some(plan(3)), None));
    let mut test = TestContest::of(contest);
    test.client("x");
    test.client("y");
    assert_eq!(test.contest.phase(0), None);
    test.client("z");
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

/// The crash came before the tournament was on the disk.
#[test]
fn after_a_crash_a_game_that_no_tournament_has_is_void() {
    let (mut test, _) = contest(1, 2);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    let mut test = test.after_a_crash(small(5, 60_000));
    assert_eq!(test.contest.phase(0), None);
    let [void] = &test.records[..] else {
        panic!("one record: {:?}", test.records.len());
    };
    assert!(void.outcome.is_none());
    let log = test.take_log();
    let why = "is void: the tournament here does not have it to be played";
    assert!(log.last().unwrap().ends_with(why), "{log:?}");
}

/// The decision came to the disk, and not that its game is void: there was a crash between them, or no
/// room any more.
#[test]
fn a_game_that_has_been_decided_is_not_played_on() {
    for crashes in [true, false] {
        let (mut test, _) = contest(1, 2);
        test.act(begin(PairingSystem::RoundRobin)).unwrap();
        test.act(OrganizerCommand::Pause(1)).unwrap();
        let undecided = test.journal.clone();
        let decision = "correct 1.1.1 1-0 it hangs".parse().unwrap();
        test.act(decision).unwrap();
        let tournament = test.tournament();
        let mut test = match crashes {
            true => {
                let mut desk = TournamentDesk::default();
                desk.resume(last(tournament));
                test.journal = undecided;
                test.after_a_crash_with(small(5, 60_000), desk)
            }
            false => {
                let now = test.moment();
                let why = "the disk is full";
                test.contest
                    .disk_failed(why, undecided, last(tournament), now);
                test.heal_disk();
                test
            }
        };
        let log = test.take_log();
        let why = "game 0001 is void: the organizer decided the game, because it hangs";
        assert!(log.iter().any(|line| line.contains(why)), "{log:?}");
        assert!(!log.iter().any(|line| line.contains("goes on")), "{log:?}");
    }
}

#[test]
fn of_two_clients_of_one_name_the_first_plays() {
    let mut contest = Contest::new(vec![Arc::new(small(5, 60_000))], false);
    contest.set_desk(TournamentDesk::new(Some(plan(2)), None));
    let mut test = TestContest::of(contest);
    let first = test.client("a");
    // It counts once.
    let second = test.client("a");
    assert_eq!(test.contest.phase(0), None);
    let other = test.client("b");
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    let plays = |test: &mut TestContest, client| {
        let messages = test.messages(client);
        messages.iter().any(|message| message["type"] == "START")
    };
    let played = [first, second, other].map(|client| plays(&mut test, client));
    assert_eq!(played, [true, false, true]);
}

#[test]
fn an_absent_player_is_waited_for_and_the_others_continue() {
    let (mut test, mut clients) = contest(2, 4);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    let away = clients.remove("d").unwrap();
    test.leave(away);
    for _ in 0..20 {
        finish_games(&mut test, &clients);
    }
    // The game of d is interrupted; those that need neither its table nor d or its
    // opponent are played.
    let log = begun(&mut test);
    assert!(log.len() < 12, "{log:?}");
    assert!(!test.contest.is_tournament_over());
    clients.insert("d".into(), test.client("d"));
    while finish_games(&mut test, &clients) > 0 {}
    assert!(test.contest.is_tournament_over());
}

#[test]
fn a_withdrawn_player_forfeits_the_remaining_games() {
    let (mut test, clients) = contest(1, 3);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    let playing = begun(&mut test);
    let (black, _) = playing[0].split_once('-').unwrap();
    let withdraw =
        |name: &str| OrganizerCommand::Tournament(TournamentCommand::Withdraw(name.into()));
    let error = test.act(withdraw(black)).unwrap_err();
    assert!(error.contains("let it end"), "{error}");
    let resting = ["a", "b", "c"]
        .into_iter()
        .find(|name| !playing[0].contains(name))
        .unwrap();
    test.act(withdraw(resting)).unwrap();
    while finish_games(&mut test, &clients) > 0 {}
    assert!(test.contest.is_tournament_over());
    assert_eq!(test.records.len(), 2);
    assert!(test.act(withdraw("nobody")).is_err());
}

#[test]
fn a_cleared_game_of_a_tournament_is_played_again() {
    let (mut test, clients) = contest(1, 2);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.act(OrganizerCommand::Clear(1)).unwrap();
    while finish_games(&mut test, &clients) > 0 {}
    assert!(test.contest.is_tournament_over());
    let given_up = test
        .records
        .iter()
        .filter(|record| record.outcome.is_none());
    assert_eq!((given_up.count(), test.records.len()), (1, 3));
}

#[test]
fn after_a_crash_a_tournament_goes_on_where_it_was() {
    // Whatever the disk has of the results, every game is played once.
    for lost in 0..6 {
        let (mut test, clients) = contest(1, 3);
        test.act(begin(PairingSystem::RoundRobin)).unwrap();
        for _ in 0..3 {
            finish_games(&mut test, &clients);
        }
        let (begin, mut events) = test.notes();
        let kept = events.len().saturating_sub(lost).max(3);
        events.truncate(kept);
        let tournament = tournament_of(begin, &events);
        let mut desk = TournamentDesk::default();
        desk.resume(last(tournament));
        let mut test = test.after_a_crash_with(small(5, 60_000), desk);
        let clients = ["a", "b", "c"].map(|name| (name.to_owned(), test.client(name)));
        let clients = clients.into_iter().collect();
        while finish_games(&mut test, &clients) > 0 {}
        assert!(test.contest.is_tournament_over(), "{lost} lost");
    }
}

#[test]
fn every_result_is_written_down_with_its_game() {
    let (mut test, clients) = contest(1, 2);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    while finish_games(&mut test, &clients) > 0 {}
    let (_, events) = test.notes();
    let ids = events.iter().filter_map(|event| match event {
        Event::Game { result, .. } => Some(result.id.as_ref().unwrap().to_string()),
        _ => None,
    });
    let ids: Vec<String> = ids.collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(
        ids[0].starts_with("0001-") && ids[1].starts_with("0002-"),
        "{ids:?}"
    );
}

#[test]
fn a_game_of_a_tournament_goes_on_with_its_own_players_and_colors_only() {
    let (mut test, clients) = contest(1, 3);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    let playing = begun(&mut test).remove(0);
    let (black, white) = playing.split_once('-').unwrap();
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.act(OrganizerCommand::Swap(1)).unwrap();
    let resume = OrganizerCommand::Resume(1);
    let error = test.act(resume.clone()).unwrap_err();
    let players = format!("{black} with Black and {white} with White");
    assert!(error.ends_with(&players), "{error}");
    let other = clients.iter().find(|(name, _)| !playing.contains(*name));
    test.seat(1, *other.unwrap().1, clients[white]);
    assert!(test.act(resume.clone()).is_err());
    test.seat(1, clients[black], clients[white]);
    test.act(resume).unwrap();
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

#[test]
fn games_of_an_old_tournament_do_not_count_for_the_next_one() {
    let (mut test, clients) = contest(1, 2);
    let begin = begin(PairingSystem::RoundRobin);
    test.act(begin.clone()).unwrap();
    test.act(OrganizerCommand::Tournament(TournamentCommand::End))
        .unwrap();
    let error = test.act(begin.clone()).unwrap_err();
    let unfinished = "game 0001 (1.1.1), b - a, of the last tournament, is not over: ";
    assert!(error.starts_with(unfinished), "{error}");
    // A server that stops after the tournament waits for its last game.
    assert!(!test.contest.is_tournament_over());
    assert_eq!(finish_games(&mut test, &clients), 1);
    assert!(test.contest.is_tournament_over());
    test.act(begin).unwrap();
    while finish_games(&mut test, &clients) > 0 {}
    assert_eq!(test.records.len(), 1 + 2);
}

#[test]
fn a_player_whose_game_is_broken_off_can_be_withdrawn() {
    for adjourn in [false, true] {
        let (mut test, clients) = contest(1, 3);
        test.act(begin(PairingSystem::RoundRobin)).unwrap();
        let playing = begun(&mut test).remove(0);
        let (black, _) = playing.split_once('-').unwrap();
        test.act(OrganizerCommand::Pause(1)).unwrap();
        if adjourn {
            test.act(OrganizerCommand::Adjourn(1)).unwrap();
        }
        // It would begin again at once if it were only cleared.
        let name = black.to_owned();
        test.act(OrganizerCommand::Tournament(TournamentCommand::Withdraw(
            name,
        )))
        .unwrap();
        while finish_games(&mut test, &clients) > 0 {}
        assert!(test.contest.is_tournament_over(), "adjourned: {adjourn}");
        let given_up = test.records.iter().filter(|game| game.outcome.is_none());
        assert_eq!(
            (given_up.count(), test.records.len()),
            (1, 3),
            "adjourned: {adjourn}"
        );
        let test = test.after_a_crash(small(5, 60_000));
        assert_eq!(
            (test.contest.phase(0), test.records.len()),
            (None, 3),
            "adjourned: {adjourn}"
        );
    }
}

#[test]
fn the_standings_are_told_when_a_withdrawal_ends_the_tournament() {
    let (mut test, _) = contest(1, 2);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.take_log();
    let name = "a".to_owned();
    test.act(OrganizerCommand::Tournament(TournamentCommand::Withdraw(
        name,
    )))
    .unwrap();
    let log = test.take_log();
    let [leaves, over, standings, void] = &log[..] else {
        panic!("{log:?}");
    };
    assert_eq!(leaves, "a leaves the tournament");
    assert_eq!(over, "the tournament is over");
    // One block, the leader above the others.
    let lines: Vec<&str> = standings.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, "final standings:"));
    assert!(lines[1].contains("Points"), "{standings}");
    assert!(lines[2].contains("1  b"), "{standings}");
    assert_eq!(void, "table 1: game 0001 is void: a left the tournament");
}

#[test]
fn when_the_disk_fails_the_tournament_goes_back_to_what_is_on_it() {
    let (mut test, clients) = contest(1, 2);
    test.act(begin(PairingSystem::Swiss { rounds: 1 })).unwrap();
    let (TournamentEffect::Begin { settings, entrants }, events) = test.notes() else {
        panic!("it has not begun");
    };
    let mut on_disk = Tournament::new(settings, &entrants).unwrap();
    for event in &events {
        on_disk.apply(event).unwrap();
    }
    let journal = test.journal.clone();
    // The end of the first game and the begin of the second stand on no disk.
    finish_games(&mut test, &clients);
    test.records.clear();
    let now = test.moment();
    let why = "the disk is full";
    test.contest.disk_failed(why, journal, last(on_disk), now);
    test.heal_disk();
    test.take_log();
    while finish_games(&mut test, &clients) > 0 {}
    assert!(test.contest.is_tournament_over());
    assert_eq!(test.records.len(), 2);
    let log = test.take_log();
    assert!(!log.iter().any(|line| line.contains("count")), "{log:?}");
}

#[test]
fn a_planned_tournament_that_the_disk_does_not_have_begins_again() {
    let setups = vec![Arc::new(small(5, 60_000))];
    let mut contest = Contest::new(setups, false);
    contest.set_desk(TournamentDesk::new(Some(plan(2)), None));
    let mut test = TestContest::of(contest);
    let clients = ["Ann", "Bob"].map(|name| (name.to_owned(), test.client(name)));
    let clients = BTreeMap::from(clients);
    let now = test.moment();
    let why = "the disk is full";
    test.contest
        .disk_failed(why, Vec::new(), LastTournament::default(), now);
    test.heal_disk();
    let log = test.take_log();
    let again = "the tournament is not on the disk: it begins again";
    assert!(log.iter().any(|line| line == again), "{log:?}");
    while finish_games(&mut test, &clients) > 0 {}
    assert!(test.contest.is_tournament_over());
}

#[test]
fn a_name_that_nobody_has_does_not_enter() {
    let (mut test, _) = contest(1, 3);
    test.act(begin(PairingSystem::Swiss { rounds: 2 })).unwrap();
    let enter = |name| format!("enter {name}").parse::<OrganizerCommand>().unwrap();
    let error = test.act(enter("Eve")).unwrap_err();
    assert_eq!(error, "no client and no team of --teams is called Eve");
    test.client("Eve");
    test.act(enter("Eve")).unwrap();
    // A team may enter before its client comes.
    let mut teams = Teams::default();
    teams.add("Max", "tulip").unwrap();
    test.contest.set_teams(teams);
    test.act(enter("Max")).unwrap();
    let (_, events) = test.notes();
    let entered = events
        .iter()
        .filter(|event| matches!(event, Event::Entry { .. }));
    assert_eq!(entered.count(), 2);
}

#[test]
fn the_organizer_decides_results() {
    let (mut test, clients) = contest(1, 2);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    let decide = |line: &str| line.parse::<OrganizerCommand>().unwrap();
    let error = test.act(decide("correct 1.1.1 1-0 it hangs")).unwrap_err();
    assert_eq!(error, "game 0001 is being played: pause it first");
    let log = test.take_log();
    let begins = "table 1: game 0001 (1.1.1) begins, ";
    assert!(log.iter().any(|line| line.starts_with(begins)), "{log:?}");
    test.act(OrganizerCommand::Pause(1)).unwrap();
    // The organizer is answered with the same sentence as in the log.
    let told = test.act(decide("correct 1.1.1 1-0 it hangs")).unwrap();
    assert!(
        told.starts_with("the organizer decides: game 1.1.1, ")
            && told.ends_with(": 1-0, because it hangs"),
        "{told}"
    );
    assert!(test.take_log().contains(&told));
    // It is void, and the second game of the pairing begins.
    assert_eq!(test.records[0].outcome, None);
    while finish_games(&mut test, &clients) > 0 {}
    assert!(test.contest.is_tournament_over());
    assert_eq!(test.records.len(), 2);
    test.take_log();
    let told = test.act(decide("replay 1.1.1 it did not")).unwrap();
    assert!(
        told.ends_with(": to be played again in place of 1-0, because it did not"),
        "{told}"
    );
    assert!(!test.contest.is_tournament_over());
    while finish_games(&mut test, &clients) > 0 {}
    assert!(test.contest.is_tournament_over());
    // It is found by the name of its record, too.
    let name = test.records.last().unwrap().names.clone();
    let id = format!("0003-{}-{}", name.black, name.white);
    for game in [format!("{id} -/-"), "3 1-0".to_owned()] {
        test.act(decide(&format!("correct {game} both cheated")))
            .unwrap();
        let log = test.take_log();
        assert!(
            log.last().unwrap().ends_with("because both cheated"),
            "{log:?}"
        );
    }
    let error = test.act(decide("correct 0009-a-b 1-0 why")).unwrap_err();
    assert!(
        error.starts_with("there is no game \"0009-a-b\""),
        "{error}"
    );
}

#[test]
fn a_game_that_has_begun_is_played_again() {
    let (mut test, clients) = contest(1, 2);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    let decide = |line: &str| line.parse::<OrganizerCommand>().unwrap();
    let error = test.act(decide("replay 1.1.2 why")).unwrap_err();
    assert!(error.starts_with("nothing can be played again"), "{error}");
    let error = test.act(decide("replay 1.1.1 why")).unwrap_err();
    assert_eq!(error, "game 0001 is being played: pause it first");
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.take_log();
    let told = test.act(decide("replay 1.1.1 it hangs")).unwrap();
    assert!(
        told.starts_with("the organizer decides: game 1.1.1, ")
            && told.ends_with(": to be played again, because it hangs"),
        "{told}"
    );
    let log = test.take_log();
    let line = |sought: &str| log.iter().position(|line| line.starts_with(sought));
    let void = line("table 1: game 0001 is void: the organizer has the game played again, because");
    let again = line("table 1: game 0002 (1.1.1) begins, ");
    assert!(
        void.is_some() && void < line(&told) && line(&told) < again,
        "{log:?}"
    );
    assert_eq!(test.records[0].outcome, None);
    while finish_games(&mut test, &clients) > 0 {}
    assert!(test.contest.is_tournament_over());
    // The void one, and both games of the pairing.
    assert_eq!(test.records.len(), 3);
}

#[test]
fn a_game_that_was_not_recorded_before_the_next_tournament_does_not_count_there() {
    let (mut test, clients) = contest(1, 2);
    test.act(begin(PairingSystem::RoundRobin)).unwrap();
    finish_games(&mut test, &clients);
    let (TournamentEffect::Begin { settings, entrants }, events) = test.notes() else {
        panic!("it has not begun");
    };
    for (number, counted) in [(1, true), (2, false)] {
        let mut fresh = Tournament::new(settings.clone(), &entrants).unwrap();
        fresh.apply(&events[0]).unwrap();
        let mut desk = TournamentDesk::default();
        desk.resume(LastTournament {
            number,
            ..last(fresh.clone())
        });
        let mut contest = Contest::new(vec![Arc::new(small(5, 60_000))], false);
        contest.set_desk(desk);
        let journal = test.journal.clone();
        contest.restore(journal, GameId(1), test.moment()).unwrap();
        let mut again = TestContest::of(contest);
        let place = again.records[0].scheduled.clone().unwrap();
        assert_eq!(place.tournament, 1);
        let game = place.scheduled.number.short();
        let decision = format!("correct {game} 1/2 why");
        again.act(decision.parse().unwrap()).unwrap();
        let log = again.take_log();
        let is_changed = log.iter().any(|line| line.contains("in place of"));
        assert_eq!(is_changed, counted, "tournament {number}: {log:?}");
    }
}
