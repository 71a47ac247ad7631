//! A referee with the tournament of its teams, without a socket, a clock, or a disk.

use std::time::Duration;

use gothello::contests::netref::{
    Entrance, Entry, MatchReason, Name, RefereeCommand, RefereeSettings, TournamentCommand,
    TournamentDesk,
};
use gothello::tournament::{Games, PairingSystem, Plan, Settings};

use super::referee::{Disk, TIME, World, with_journal};

/// The time after which an absent team forfeits.
const LIMIT: Duration = Duration::from_secs(10);

const DOOR: Entrance = Entrance::Team(10);

/// A referee of these teams.
fn course(tables: u16, teams: &[&str]) -> World {
    planned(tables, teams, None)
}

/// A referee of these teams, with this plan.
fn planned(tables: u16, teams: &[&str], plan: Option<Plan>) -> World {
    let (settings, desk) = held(teams, plan);
    World::of(tables, settings, desk)
}

/// The settings of a referee of these teams, and its desk with this plan.
fn held(teams: &[&str], plan: Option<Plan>) -> (RefereeSettings, Option<TournamentDesk>) {
    let teams = teams.iter().map(|team| Name::new(team).unwrap());
    let settings = RefereeSettings {
        teams: teams.collect(),
        lobby_timeout: None,
        ..with_journal()
    };
    (settings, Some(TournamentDesk::new(plan, Some(LIMIT))))
}

fn settings() -> Settings {
    Settings {
        system: PairingSystem::RoundRobin,
        games: Games::Single,
        seed: 7,
        forbidden: Vec::new(),
    }
}

fn begin(world: &mut World) -> Result<String, String> {
    world.runs(RefereeCommand::Tournament(TournamentCommand::Begin(
        settings(),
    )))
}

/// A course of two teams, with clients 1 and 2 for Black and 3 and 4 for White, in whose tournament
/// the first game has begun. Also returns the client that plays Black.
fn begun() -> (World, u64) {
    begun_in(course(1, &["Red", "Blue"]))
}

/// The same in a course of these two teams.
fn begun_in(mut world: World) -> (World, u64) {
    world.comes_as(1, "0.9.2 player black", DOOR, Some("Red"));
    world.comes_as(2, "0.9.2 player black", DOOR, Some("Blue"));
    begin(&mut world).unwrap();
    world.comes_as(3, "0.9.2 player white", DOOR, Some("Red"));
    world.comes_as(4, "0.9.2 player white", DOOR, Some("Blue"));
    let mut plays = |&conn: &u64| world.told(conn).contains(" You will play ");
    let black = [1, 2].into_iter().find(&mut plays).unwrap();
    (world, black)
}

/// The same, or its match is adjourned.
fn begun_or_adjourned(is_adjourned: bool) -> (World, u64) {
    let (mut world, black) = begun();
    if is_adjourned {
        world.command("adjourn 0").unwrap();
    }
    (world, black)
}

/// Teams come to the lobby: the first is client 1.
fn come(world: &mut World, teams: &[&str]) {
    for (conn, team) in (1..).zip(teams) {
        world.comes_as(conn, "0.9.2 player ?", DOOR, Some(team));
    }
}

/// The players of the tournament.
fn players(world: &World) -> Vec<String> {
    let running = world.referee.desk().unwrap().running().unwrap();
    running.players().map(ToString::to_string).collect()
}

fn results(world: &World) -> Vec<String> {
    let held = world.referee.desk().unwrap().tournament().unwrap();
    let played = held.games().filter_map(|(game, result)| {
        let how = result?.reason.as_str().to_owned();
        Some(format!("{} - {}: {how}", game.black, game.white))
    });
    played.collect()
}

#[test]
fn a_tournament_needs_a_table_without_the_house() {
    let settings = RefereeSettings {
        house_plays_lobby: true,
        ..with_journal()
    };
    let desk = TournamentDesk::new(None, None);
    let mut world = World::of(1, settings, Some(desk));
    insta::assert_snapshot!(begin(&mut world).unwrap_err(), @"a tournament needs a table where no house plays: start the referee again, and name the tables of the house, as in --house 4-7:3");
}

#[test]
fn a_tournament_needs_teams_that_are_there() {
    let mut world = course(1, &["Red", "Blue"]);
    let why = begin(&mut world).unwrap_err();
    assert_eq!(
        why,
        "a tournament needs at least 2 players, and there are 0"
    );
    come(&mut world, &["Red"]);
    let withdraw = TournamentCommand::Withdraw("Red".into());
    let why = world.runs(RefereeCommand::Tournament(withdraw));
    assert_eq!(why.unwrap_err(), "no tournament is held");
}

/// The crash came before the tournament was on the disk.
#[test]
fn after_a_crash_a_match_that_no_tournament_has_is_void() {
    for is_adjourned in [false, true] {
        let (world, _) = begun_or_adjourned(is_adjourned);
        let mut again = world.restarted_as(course(1, &["Red", "Blue"]));
        let list = again.command("list").unwrap();
        assert!(!list.contains("match "), "{list}");
        let why = "No result: the tournament here does not have it to be played";
        assert!(again.log.iter().any(|line| line.to_string().contains(why)));
    }
}

/// The match is void, on its table or adjourned, and the opponent gets the point.
#[test]
fn a_withdrawn_team_forfeits_also_the_game_that_it_plays() {
    for is_adjourned in [false, true] {
        let (mut world, black) = begun_or_adjourned(is_adjourned);
        let told = world.command("withdraw red").unwrap();
        assert_eq!(told, "Red leaves the tournament");
        if !is_adjourned {
            let told = world.told(black);
            let ended = "399 The organizer has ended the match: Red left the tournament";
            assert_eq!(told.lines().last(), Some(ended));
        }
        let list = world.command("list").unwrap();
        assert!(!list.contains("match "), "{list}");
        let desk = world.referee.desk().unwrap();
        assert!(desk.is_over());
        let tournament = desk.tournament().unwrap();
        for (scheduled, result) in tournament.games() {
            assert!(result.unwrap().forfeit, "{scheduled}");
        }
    }
}

/// Also if it is the winner that is withdrawn.
#[test]
fn a_flag_that_has_fallen_counts_before_a_team_is_withdrawn() {
    for winner_leaves in [false, true] {
        let of_two = held(&["Red", "Blue"], None);
        let (mut world, black) = begun_in(World::with_flag_wait(1, TIME, of_two));
        world.passes(TIME);
        assert_eq!(results(&world), [""; 0]);
        let teams = ["Red", "Blue"];
        let leaves = teams[usize::from((black == 1) == winner_leaves)];
        let too_late = world.command(&format!("withdraw {leaves}")).unwrap_err();
        assert_eq!(too_late, "the tournament is over");
        let [only] = &results(&world)[..] else {
            panic!("{:?}", results(&world));
        };
        assert!(only.ends_with(": time"), "{only}");
    }
}

/// The decision was on the disk, and not that the match is void.
#[test]
fn when_the_disk_heals_a_match_that_has_been_decided_is_void() {
    for is_adjourned in [false, true] {
        let (mut world, _) = begun_or_adjourned(is_adjourned);
        world.disk = Disk::Fails;
        let _ = world.command("correct 1.1 0-1 its client hangs");
        assert!(results(&world)[0].ends_with(": its client hangs"));
        assert_eq!(world.reasons(), []);
        assert_eq!(world.referee.unrecorded().count(), 0);
        world.heals();
        assert_eq!(world.reasons(), [MatchReason::Void]);
        let why = "No result: the organizer decided the game, because its client hangs";
        assert!(world.log.iter().any(|line| line.contains(why)));
        assert_eq!(results(&world).len(), 1);
    }
}

/// The next round is paired before the record of the last match is on the disk.
#[test]
fn a_result_counts_at_once() {
    let (mut world, black) = begun();
    assert_eq!(results(&world), [""; 0]);
    world.disk = Disk::Hangs;
    world.says(black, "resign");
    assert_eq!(results(&world).len(), 1);
    let ends = |world: &World| {
        world
            .log
            .iter()
            .any(|line| line == "the tournament is over")
    };
    assert!(!ends(&world));
    world.disk = Disk::Works;
    world.passes(Duration::ZERO);
    assert!(ends(&world));
}

#[test]
fn no_tournament_begins_before_the_games_of_the_last_one_are_over() {
    let (mut world, _) = begun();
    assert_eq!(
        begin(&mut world).unwrap_err(),
        "a tournament is being held: end it first"
    );
    let adjourned = world.command("adjourn 0").unwrap();
    let id = adjourned.split(' ').nth(1).unwrap().to_owned();
    let end = RefereeCommand::Tournament(TournamentCommand::End);
    world.runs(end).unwrap();
    let why = begin(&mut world).unwrap_err();
    assert!(
        why.starts_with("a game of the last tournament is not over, round 1, "),
        "{why}"
    );
    assert!(
        why.ends_with(": resume it, and let it end or void it"),
        "{why}"
    );
    world.command(&format!("resume {id}")).unwrap();
    let why = begin(&mut world).unwrap_err();
    assert!(why.ends_with("let it end at table 0, or void it"), "{why}");
    world.command("void 0").unwrap();
    assert_eq!(results(&world), [""; 0]);
}

/// Teams that are adjourned or practice against the house take part, too.
#[test]
fn teams_of_matches_take_part_and_are_waited_for() {
    let mut world = course(2, &["Red", "Blue", "Gold"]);
    come(&mut world, &["Red", "Blue", "Gold"]);
    assert!(world.told(1).contains(" You will play "));
    begin(&mut world).unwrap();
    assert_eq!(players(&world), ["Gold", "Blue", "Red"]);
    // The free match keeps Red and Blue, so that nobody forfeits.
    world.passes(3 * LIMIT);
    assert_eq!(results(&world), [""; 0]);
    world.says(2, "resign");
    // Now they do not come, and Gold waits.
    world.passes(2 * LIMIT);
    assert_eq!(
        results(&world),
        [
            "Red - Gold: absence",
            "Blue - Red: absence",
            "Gold - Blue: absence"
        ]
    );
}

/// What the disk does not have has not happened: the game is played again, and counts once.
#[test]
fn when_the_disk_fails_the_tournament_goes_back_to_what_is_on_it() {
    let (mut world, black) = begun();
    world.disk = Disk::Fails;
    world.says(black, "resign");
    assert_eq!(results(&world), [""; 0]);
    world.heals();
    let list = world.command("list").unwrap();
    assert!(list.ends_with("waits for its players"), "{list}");
    // It forfeits who does not come back.
    world.comes_as(
        5,
        "0.9.2 player black",
        DOOR,
        Some(["Red", "Blue"][black as usize - 1]),
    );
    world.passes(Duration::from_secs(600));
    assert_eq!(results(&world).len(), 1);
    let desk = world.referee.desk().unwrap();
    assert!(desk.is_over());
}

/// A game that is being played is void, and has the result that the organizer gives it; also after the
/// end of the tournament a result is changed.
#[test]
fn the_organizer_decides_results() {
    let (mut world, black) = begun();
    let told = world.command("correct 1.1 0-1 its client hangs").unwrap();
    assert!(
        told.starts_with("the organizer decides: game 1.1.1, ")
            && told.ends_with(": 0-1, because its client hangs"),
        "{told}"
    );
    let last = world.told(black);
    assert!(
        last.contains(
            "399 The organizer has ended the match, and decided its result: its client hangs\r\n"
        ),
        "{last}"
    );
    let [only] = &results(&world)[..] else {
        panic!("{:?}", results(&world));
    };
    assert!(only.ends_with(": its client hangs"), "{only}");
    assert!(world.referee.desk().unwrap().running().is_none());
    let told = world.command("correct 1.1.1 1/2 both agree").unwrap();
    assert!(
        told.ends_with(": 1/2 in place of 0-1, because both agree"),
        "{told}"
    );
    let told = world.command("correct 1.1.1 1/2 both agree").unwrap();
    assert_eq!(told, "the game has this result already");
    let rulings = world
        .referee
        .desk()
        .unwrap()
        .tournament()
        .unwrap()
        .rulings();
    assert_eq!(rulings.len(), 2);
    // It is played again: the tournament goes on.
    world.command("replay 1.1.1 nobody agreed").unwrap();
    assert!(world.referee.desk().unwrap().running().is_some());
    assert_eq!(results(&world), [""; 0]);
}

#[test]
fn a_decision_that_does_not_fit_is_refused_with_a_reason() {
    let (mut world, _) = begun();
    for (command, why) in [("enter Blue", "round robin"), ("absent Red", "round robin")] {
        let error = world.command(command).unwrap_err();
        assert!(error.contains(why), "{command}: {error}");
    }
    // One that is not in the tournament may be a free match.
    for (game, is_free) in [("1.1.1", false), ("2.1.1", true), ("x", true)] {
        let line = format!("correct {game} 1-0 why");
        let command = TournamentCommand::parse(&line).unwrap().unwrap();
        let ruling = TournamentDesk::free_ruling(world.referee.desk(), &command);
        assert_eq!(ruling.is_some(), is_free, "{line}");
    }
    assert_eq!(results(&world), [""; 0]);
}

#[test]
fn the_log_shows_the_numbers_that_decisions_need() {
    let (mut world, black) = begun();
    world.says(black, "resign");
    for what in [" (1.1.1) begins: black (", " (1.1.1), black ("] {
        let line = world.log.iter().find(|line| line.contains(what));
        assert!(
            line.is_some_and(|line| line.starts_with("match ")),
            "{what}"
        );
    }
    world.command("correct 1.1.1 1-0 why").unwrap();
}

#[test]
fn the_list_shows_the_numbers_that_decisions_need() {
    let (mut world, _) = begun();
    let list = world.command("list").unwrap();
    assert!(list.starts_with("table 0, port 29068: match ") && list.contains(" (1.1.1), black ("));
    world.command("adjourn 0").unwrap();
    let list = world.command("list").unwrap();
    let adjourned = list.lines().last().unwrap();
    assert!(
        adjourned.starts_with("adjourned: match ") && adjourned.contains(" (1.1.1), black ("),
        "{list}"
    );
    world.command("correct 1.1.1 1-0 why").unwrap();
}

/// The tournament does not change: the next match of the game counts.
#[test]
fn a_game_that_has_begun_is_played_again() {
    for is_adjourned in [false, true] {
        let (mut world, black) = begun_or_adjourned(is_adjourned);
        let told = world.command("replay 1.1.1 the board was wrong").unwrap();
        assert!(
            told.starts_with("the organizer decides: game 1.1.1, ")
                && told.ends_with(": to be played again, because the board was wrong"),
            "{told}"
        );
        assert!(world.log.iter().any(|line| line.ends_with(&told)));
        let why = "No result: the organizer has the game played again, because the board was wrong";
        assert_eq!(world.results(), [why]);
        assert_eq!(results(&world), [""; 0]);
        if !is_adjourned {
            let last = world.told(black);
            let ended = "399 The organizer has ended the match, which is played again: the board";
            assert!(last.contains(ended), "{last}");
        }
        // Nothing is being played now, also after a crash.
        let error = world.command("replay 1.1.1 why").unwrap_err();
        assert!(error.starts_with("nothing can be played again"), "{error}");
        let list = world.restarted(1).command("list").unwrap();
        assert!(!list.contains("1.1.1"), "{list}");
        let team = ["Red", "Blue"][black as usize - 1];
        let other = ["Blue", "Red"][black as usize - 1];
        world.comes_as(11, "0.9.2 player black", DOOR, Some(team));
        world.comes_as(12, "0.9.2 player white", DOOR, Some(other));
        world.says(11, "resign");
        let [only] = &results(&world)[..] else {
            panic!("{:?}", results(&world));
        };
        assert!(only.ends_with(": resignation"), "{only}");
    }
}

/// The teams of an adjourned match need not come back for it.
#[test]
fn a_decision_voids_an_adjourned_match() {
    let (mut world, _) = begun();
    let id = world.command("adjourn 0").unwrap();
    let id = id.split(' ').nth(1).unwrap().to_owned();
    let decided = world
        .command("correct 1.1.1 1-0 the clock was wrong")
        .unwrap();
    assert!(decided.contains("because the clock was wrong"), "{decided}");
    assert!(!world.command("list").unwrap().contains(&id));
    assert!(world.referee.desk().unwrap().is_over());
    // Nothing of it is left in the journal.
    assert!(!world.restarted(1).command("list").unwrap().contains(&id));
}

#[test]
fn the_result_of_a_match_that_a_decision_voids_says_why() {
    let why = "No result: the organizer decided the game, because the clock was wrong";
    for adjourn in [false, true] {
        let (mut world, _) = begun();
        if adjourn {
            world.command("adjourn 0").unwrap();
        }
        world
            .command("correct 1.1.1 1-0 the clock was wrong")
            .unwrap();
        assert_eq!(world.results(), [why]);
        // Also if it is recorded only after a crash.
        world.journal.retain(|line| line.entry != Entry::Recorded);
        assert_eq!(world.restarted(1).results(), [why]);
    }
    let (mut world, _) = begun();
    world.command("void 0").unwrap();
    assert_eq!(
        world.results(),
        ["No result: the organizer ended the match"]
    );
}

/// A course whose tournament has begun, of which Red's games are not played yet, with their numbers.
fn with_games_of_red() -> (World, [String; 2]) {
    let teams = ["Gold", "Red", "Blue"];
    let settings = settings();
    let plan = Plan {
        players: 3,
        settings,
    };
    let mut world = planned(1, &teams, Some(plan));
    come(&mut world, &teams);
    // That of the others waits, so that the tournament goes on.
    let list = world.command("list").unwrap();
    assert!(!list.lines().next().unwrap().contains("Red"), "{list}");
    world.command("adjourn 0").unwrap();
    for conn in [1, 2, 3] {
        world.leaves(conn);
    }
    let red = "Red".parse().unwrap();
    let tournament = world.referee.desk().unwrap().tournament().unwrap();
    let games = tournament.games().filter(|(game, _)| game.has(&red));
    let numbers: Vec<String> = games.map(|(game, _)| game.number.short()).collect();
    (world, numbers.try_into().unwrap())
}

/// What a client of Red is told at last.
fn red_is_told(world: &mut World, conn: u64) -> String {
    world.comes_as(conn, "0.9.2 player ?", DOOR, Some("Red"));
    world.told(conn).lines().last().unwrap().to_owned()
}

#[test]
fn teams_whose_games_are_decided_are_told_why_when_they_return() {
    let (mut world, numbers) = with_games_of_red();
    for number in &numbers {
        world
            .command(&format!("correct {number} 1-0 the clock was wrong"))
            .unwrap();
    }
    let why = format!(
        "399 Red has no game left in the tournament; the organizer has decided game {}: the clock was \
         wrong",
        numbers[1]
    );
    assert_eq!(red_is_told(&mut world, 4), why);
}

/// A decision about a game that was played, or before other games, is not the reason.
#[test]
fn teams_without_a_game_are_told_the_reason_and_not_the_last_decision() {
    let (mut world, [first, second]) = with_games_of_red();
    world
        .command(&format!("correct {first} 1-0 the clock was wrong"))
        .unwrap();
    // Red comes, and its opponents do not.
    world.comes_as(4, "0.9.2 player ?", DOOR, Some("Red"));
    world.passes(LIMIT);
    let forfeited =
        format!("399 Red has no game left in the tournament; Gold forfeited game {second}");
    assert_eq!(world.told(4).lines().last(), Some(&*forfeited));
    world
        .command(&format!("correct {first} 0-1 it was right"))
        .unwrap();
    assert_eq!(red_is_told(&mut world, 5), forfeited);
    world.command("withdraw Red").unwrap();
    let withdrawn = "399 The organizer has withdrawn Red from the tournament";
    assert_eq!(red_is_told(&mut world, 6), withdrawn);
}

/// A free match that was interrupted keeps a player of the tournament until the opponent, who is not in
/// the tournament, is back.
#[test]
fn a_player_of_an_interrupted_free_match_returns_to_it_during_a_tournament() {
    let mut world = course(2, &["Red", "Blue", "Gold"]);
    world.comes_as(1, "0.9.2 player black \"Red\"", DOOR, Some("Red"));
    world.comes_as(2, "0.9.2 player white \"Gold\"", DOOR, Some("Gold"));
    world.disk = Disk::Fails;
    world.says(1, "1 c3");
    world.heals();
    world.comes_as(3, "0.9.2 player ? \"Red\"", DOOR, Some("Red"));
    world.comes_as(4, "0.9.2 player ? \"Blue\"", DOOR, Some("Blue"));
    begin(&mut world).unwrap();
    assert_eq!(players(&world).len(), 2);
    // Another client of the team has no seat there.
    world.comes_as(5, "0.9.2 player black \"Gold\"", DOOR, Some("Gold"));
    let told = world.told(5);
    assert!(told.contains("399 Gold is not in the tournament"), "{told}");
    world.comes_as(6, "0.9.2 player ? \"Gold\"", DOOR, Some("Gold"));
    let told = world.told(6);
    assert!(told.ends_with("351 You will play white\r\n"), "{told}");
}

/// While a tournament is planned, an interrupted free match waits for its players only as long as absent
/// teams have.
#[test]
fn an_interrupted_free_match_keeps_its_table_no_longer_than_absent_teams_have() {
    let teams = ["Red", "Blue", "Gold"];
    let mut world = course(1, &teams);
    world.comes_as(1, "0.9.2 player black \"Red\"", DOOR, Some("Red"));
    world.comes_as(2, "0.9.2 player white \"Gold\"", DOOR, Some("Gold"));
    let settings = settings();
    let plan = Plan {
        players: 3,
        settings,
    };
    let mut world = world.restarted_as(planned(1, &teams, Some(plan)));
    let waits = |world: &World| world.referee.table(0).unwrap().live_match().is_some();
    world.passes(LIMIT - Duration::from_millis(1));
    assert!(waits(&world));
    world.passes(Duration::from_millis(1));
    assert!(!waits(&world));
}
