//! Players who miss rounds of a Swiss tournament and return, enter late, and withdraw.

use gothello::Color;
use gothello::tournament::{
    Applied, CrossCell, Event, EventError, GameResult, Games, Name, PairingSystem, ResultsFile,
    Settings, Tournament,
};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::cases::cases;
use crate::tournament::naive::{Log, Row};
use crate::tournament::play::{name, names, pair, play_due, result_of, settings, swiss};
use crate::tournament::quality::{Paired, State};
use crate::tournament::swiss::{all_pairings, paired};

pub fn absence(player: &str) -> Event {
    Event::Absence {
        player: name(player),
        reason: "at the dentist".into(),
    }
}

pub fn back(player: &str) -> Event {
    Event::Return {
        player: name(player),
    }
}

pub fn withdrawal(player: &str) -> Event {
    Event::Withdrawal {
        player: name(player),
        reason: "gone home".into(),
    }
}

fn begun(players: usize, rounds: u32) -> Tournament {
    Tournament::new(swiss(rounds, 1), &names(players)).unwrap()
}

fn play(tournament: &mut Tournament) {
    play_due(tournament, &mut StdRng::seed_from_u64(1));
}

fn is_in_last_round(tournament: &Tournament, player: &str) -> bool {
    let view = tournament.view();
    let round = view.rounds.last().unwrap();
    let games = round.games.iter();
    round.bye == Some(name(player))
        || games
            .into_iter()
            .any(|game| game.scheduled.has(&name(player)))
}

#[test]
fn an_absent_player_misses_rounds_and_returns() {
    let mut tournament = begun(6, 4);
    pair(&mut tournament);
    // The game that is paired is still due.
    assert_eq!(tournament.apply(&absence("p3")), Ok(Applied::Done));
    assert_eq!(tournament.apply(&absence("p3")), Ok(Applied::Duplicate));
    let due = tournament.pending_games();
    assert!(due.iter().any(|scheduled| scheduled.has(&name("p3"))));
    play(&mut tournament);
    pair(&mut tournament);
    assert!(!is_in_last_round(&tournament, "p3"));
    let before = tournament.standings();
    assert_eq!(tournament.apply(&back("p3")), Ok(Applied::Done));
    assert_eq!(tournament.apply(&back("p3")), Ok(Applied::Duplicate));
    // The round that was paired without them is missed.
    assert!(!is_in_last_round(&tournament, "p3"));
    play(&mut tournament);
    pair(&mut tournament);
    assert!(is_in_last_round(&tournament, "p3"));
    let standings = tournament.standings();
    let row = standings.iter().find(|row| row.player == name("p3"));
    let row = row.unwrap();
    assert_eq!(
        (row.missed, row.byes, row.withdrawn, row.absent),
        (1, 0, false, false)
    );
    let row = before.iter().find(|row| row.player == name("p3")).unwrap();
    assert!(row.absent && row.missed == 1);
}

#[test]
fn a_missed_round_keeps_neither_points_nor_the_bye() {
    let mut tournament = begun(3, 3);
    tournament.apply(&absence("p1")).unwrap();
    pair(&mut tournament);
    play(&mut tournament);
    tournament.apply(&back("p1")).unwrap();
    let missed = tournament.standings();
    let missed = missed.iter().find(|row| row.player == name("p1")).unwrap();
    assert_eq!(missed.points.to_string(), "0");
    // The other two have met: one has the bye now, and p1 in the last round.
    pair(&mut tournament);
    play(&mut tournament);
    pair(&mut tournament);
    play(&mut tournament);
    assert!(tournament.is_over());
    let byes: u32 = tournament.standings().iter().map(|row| row.byes).sum();
    assert_eq!(byes, 2);
}

#[test]
fn a_round_with_too_few_players_is_reported_until_one_returns() {
    let mut tournament = begun(3, 3);
    for player in ["p1", "p2"] {
        tournament.apply(&absence(player)).unwrap();
    }
    let error = tournament.next_round().unwrap_err();
    assert_eq!((error.players, error.absent), (1, 2));
    insta::assert_snapshot!(
        error,
        @"round 1 cannot be paired for 1 player (2 absent): a round needs 2. Let a player return, enter or withdraw, or end the tournament"
    );
    tournament.apply(&absence("p3")).unwrap();
    assert_eq!(tournament.next_round().unwrap_err().players, 0);
    for player in ["p1", "p3"] {
        tournament.apply(&back(player)).unwrap();
    }
    pair(&mut tournament);
    assert_eq!(tournament.pending_games().len(), 1);
    play(&mut tournament);
    // These two have met, and the third is absent.
    insta::assert_snapshot!(
        tournament.next_round().unwrap_err(),
        @"round 2 cannot be paired for 2 players (1 absent): every pairing has two who have met before or may not meet, or a second bye. Let a player return, enter or withdraw, or end the tournament"
    );
}

#[test]
fn events_of_attendance_that_do_not_fit_are_refused() {
    let mut tournament = begun(5, 3);
    let unknown = EventError::UnknownPlayer(name("p9"));
    assert_eq!(tournament.apply(&absence("p9")), Err(unknown.clone()));
    assert_eq!(tournament.apply(&back("p9")), Err(unknown));
    tournament.apply(&absence("p1")).unwrap();
    let with_absent = Event::Paired {
        round: 1,
        pairings: vec![
            gothello::tournament::Pairing::new(name("p1"), name("p2")),
            gothello::tournament::Pairing::new(name("p3"), name("p4")),
        ],
        bye: Some(name("p5")),
    };
    insta::assert_snapshot!(tournament.apply(&with_absent).unwrap_err(), @"p1 is absent, and cannot be paired until they return");
    tournament.apply(&withdrawal("p1")).unwrap();
    for event in [absence("p1"), back("p1")] {
        let left = EventError::HasLeft(name("p1"));
        assert_eq!(tournament.apply(&event), Err(left));
    }
    let reason = "power cut".into();
    tournament.apply(&Event::Ended { reason }).unwrap();
    assert_eq!(tournament.apply(&absence("p2")), Err(EventError::Ended));
}

#[test]
fn nobody_misses_rounds_of_a_round_robin() {
    let settings = settings(PairingSystem::RoundRobin, Games::Single, 1);
    let mut tournament = Tournament::new(settings, &names(3)).unwrap();
    pair(&mut tournament);
    for event in [absence("p1"), back("p1")] {
        let error = tournament.apply(&event).unwrap_err();
        assert_eq!(error, EventError::RoundRobinAbsence);
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @"nobody misses rounds of a round robin: its games wait for an absent player, or are forfeited; a player who does not come back withdraws");
        }
    }
}

#[test]
fn an_absent_player_plays_a_game_again_that_was_paired_before() {
    let mut tournament = begun(4, 3);
    pair(&mut tournament);
    play(&mut tournament);
    let (scheduled, _) = tournament.games().next().unwrap();
    tournament
        .apply(&absence(scheduled.black.as_str()))
        .unwrap();
    let reason = "the clock stopped".into();
    let replay = Event::Replay {
        scheduled: scheduled.clone(),
        reason,
    };
    tournament.apply(&replay).unwrap();
    assert_eq!(tournament.pending_games(), std::slice::from_ref(&scheduled));
    assert_eq!(tournament.next_round(), Ok(None));
    // Whoever withdraws forfeits it.
    tournament
        .apply(&withdrawal(scheduled.black.as_str()))
        .unwrap();
    assert_eq!(tournament.pending_games(), []);
}

/// Ann won against Bob, who missed the other two rounds: his 0 points count as 1 for her, as if he
/// had drawn two. If he plays the last round, the missed one before it counts nothing.
#[test]
fn rounds_missed_at_the_end_count_as_drawn_for_opponents() {
    let players = ["Ann", "Bob", "Cyd", "Dee"].map(name);
    let mut tournament = Tournament::new(swiss(3, 1), &players).unwrap();
    let round = |round, pairs: &[[&str; 2]], bye: Option<&str>| {
        let pairs = pairs
            .iter()
            .map(|[black, white]| gothello::tournament::Pairing::new(name(black), name(white)));
        Event::Paired {
            round,
            pairings: pairs.collect(),
            bye: bye.map(name),
        }
    };
    let black_wins = |tournament: &mut Tournament| {
        for scheduled in tournament.pending_games() {
            let result = GameResult::played(Some(Color::Black), "pass");
            tournament
                .apply(&Event::Game { scheduled, result })
                .unwrap();
        }
    };
    let buchholz = |tournament: &Tournament, player: &str| {
        let standings = tournament.standings();
        let row = standings.iter().find(|row| row.player == name(player));
        row.unwrap().tie_breaks.buchholz.unwrap().to_string()
    };
    tournament
        .apply(&round(1, &[["Ann", "Bob"], ["Cyd", "Dee"]], None))
        .unwrap();
    black_wins(&mut tournament);
    tournament.apply(&absence("Bob")).unwrap();
    tournament
        .apply(&round(2, &[["Ann", "Cyd"]], Some("Dee")))
        .unwrap();
    black_wins(&mut tournament);
    // Bob's 0.5, and Cyd's 1; Bob has his own 0 for the round that he missed.
    assert_eq!(buchholz(&tournament, "Ann"), "1.5");
    assert_eq!(buchholz(&tournament, "Bob"), "2");
    let mut returned = tournament.clone();
    tournament
        .apply(&round(3, &[["Ann", "Dee"]], Some("Cyd")))
        .unwrap();
    black_wins(&mut tournament);
    // Bob's 1, Cyd's 2, and Dee's 1.
    assert_eq!(buchholz(&tournament, "Ann"), "4");
    returned.apply(&back("Bob")).unwrap();
    returned
        .apply(&round(3, &[["Ann", "Dee"], ["Cyd", "Bob"]], None))
        .unwrap();
    black_wins(&mut returned);
    // Bob's 0, Cyd's 2, and Dee's 1.
    assert_eq!(buchholz(&returned, "Ann"), "3");
    // A player who withdraws counts as one who does not come back.
    let standings = tournament.standings();
    tournament.apply(&withdrawal("Bob")).unwrap();
    assert_eq!(buchholz(&tournament, "Ann"), "4");
    let points = |rows: &[gothello::tournament::Standing]| -> Vec<_> {
        rows.iter()
            .map(|row| (row.player.clone(), row.points, row.tie_breaks))
            .collect()
    };
    assert_eq!(points(&standings), points(&tournament.standings()));
}

#[test]
fn missed_rounds_are_marked_in_the_tables_and_survive_the_results_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tournament.jsonl");
    let now = std::time::SystemTime::UNIX_EPOCH;
    let mut file = ResultsFile::create(&path, "Go 9x9", swiss(3, 1), &names(5), now).unwrap();
    let events = [vec![absence("p2")], vec![back("p2"), absence("p4")], vec![]];
    for attendance in events {
        for event in attendance {
            assert_eq!(file.record(&event, now).unwrap(), Applied::Done);
            assert_eq!(file.record(&event, now).unwrap(), Applied::Duplicate);
        }
        file.pair(now).unwrap();
        for scheduled in file.tournament().pending_games() {
            let result = result_of(&scheduled, 8);
            file.record(&Event::Game { scheduled, result }, now)
                .unwrap();
        }
    }
    let tournament = file.tournament();
    let read = ResultsFile::read(&path).unwrap();
    assert_eq!(read.view(), tournament.view());
    let cells: Vec<CrossCell> = tournament.view().crosstable.unwrap().rows.concat();
    let absent = cells.iter().filter(|cell| **cell == CrossCell::Absent);
    assert_eq!(absent.count(), 3);
    let view = tournament.view();
    let missed: Vec<_> = view.rounds.iter().map(|round| &round.absent).collect();
    assert_eq!(missed, [&[name("p2")], &[name("p4")], &[name("p4")]]);
    let sides = gothello::ByColor::new("Black", "White");
    let page = gothello::pages::web::Tournament::new(&view, &Default::default(), vec![], sides);
    let rows = &page.rounds[0].games.rows;
    assert_eq!(rows.last().unwrap(), &["p2", "", "absent", ""]);
    let players = page.standings.rows.iter().map(|row| row[1].clone());
    assert!(
        players
            .into_iter()
            .any(|player| player.contains("p4") && player.ends_with(" (absent)"))
    );
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = text
        .lines()
        .filter(|line| line.contains("absence") || line.contains("return"));
    let lines: Vec<&str> = lines.collect();
    insta::assert_snapshot!(format!("{}\n{}", lines.join("\n"), tournament.standings_table()), @r#"
    {"v":1,"time":"1970-01-01T00:00:00.000Z","event":"absence","player":"p2","reason":"at the dentist"}
    {"v":1,"time":"1970-01-01T00:00:00.000Z","event":"return","player":"p2"}
    {"v":1,"time":"1970-01-01T00:00:00.000Z","event":"absence","player":"p4","reason":"at the dentist"}
       Rank  Name  Points  Buchholz  S-Berger  Wins       1       2       3
    1     1  p1       2.5       2.5      2.25     2     3w1     5b=     2b1
    2     2  p2         1       4.5         1     1  absent     3b1     1w0
    3     3  p3         1         4       0.5     1     1b0     2w0     5w1
    4     4  p4         1       2.5       0.5     1     5w1  absent  absent
    5     5  p5       0.5       5.5      1.25     0     4b0     1w=     3b0
    "#);
}

/// A random event for this moment. Some do not fit.
fn random_event(tournament: &Tournament, rng: &mut StdRng, entered: &mut usize) -> Option<Event> {
    let players: Vec<&Name> = tournament.players().collect();
    let player = players[rng.random_range(0..players.len())].clone();
    let reason = || "chance".into();
    let outcome = |rng: &mut StdRng| {
        let winner = [None, Some(Color::Black), Some(Color::White)][rng.random_range(0..3)];
        match rng.random_range(0..8) {
            0 => GameResult::forfeit(winner, "absent"),
            _ => GameResult::played(winner, "pass"),
        }
    };
    let any_game = |rng: &mut StdRng| {
        let games: Vec<_> = tournament.games().map(|(scheduled, _)| scheduled).collect();
        (!games.is_empty()).then(|| games[rng.random_range(0..games.len())].clone())
    };
    Some(match rng.random_range(0..100) {
        0..8 => Event::Absence {
            player,
            reason: reason(),
        },
        8..16 => Event::Return { player },
        16..18 => Event::Withdrawal {
            player,
            reason: reason(),
        },
        18..21 => {
            *entered += 1;
            let apart = rng.random_range(0..3) == 0;
            Event::Entry {
                player: name(&format!("late{entered}")),
                forbidden: if apart { vec![player] } else { Vec::new() },
            }
        }
        21..28 => Event::Correction {
            scheduled: any_game(rng)?,
            result: outcome(rng),
        },
        28..32 => Event::Replay {
            scheduled: any_game(rng)?,
            reason: reason(),
        },
        _ => match tournament.next_round() {
            Ok(Some(event)) => event,
            _ => {
                let mut due = tournament.pending_games();
                if due.is_empty() {
                    return None;
                }
                let scheduled = due.swap_remove(rng.random_range(0..due.len()));
                Event::Game {
                    scheduled,
                    result: outcome(rng),
                }
            }
        },
    })
}

/// Checks a round that was paired against the state before it: all rules that hold without
/// exception, the colors, and that no legal pairing costs less.
fn check_round(log: &Log, event: &Event) {
    let state = State::of(log);
    let paired = paired(event);
    assert!(state.is_legal(&paired), "{paired:?}");
    let (pairs, bye) = &paired;
    assert_eq!(bye.is_some(), state.players.len() % 2 == 1);
    for player in pairs
        .iter()
        .flat_map(|(one, other)| [one, other])
        .chain(bye)
    {
        assert!(
            !log.absent.contains(player) && !log.left.contains(player),
            "{player}"
        );
    }
    assert!(
        pairs.iter().all(|pair| state.colors_are_due(pair)),
        "{paired:?}"
    );
    if state.players.len() <= 7 {
        assert_eq!(Some(state.costs(&paired)), best(&state));
    }
}

/// The least costs of a legal pairing.
fn best(state: &State) -> Option<Vec<i64>> {
    let all = all_pairings(&state.players).into_iter();
    let legal: Vec<Paired> = all.filter(|paired| state.is_legal(paired)).collect();
    state.all_costs(&legal).into_iter().min()
}

/// A random tournament in which players come and go, with its log. All rules are checked on the
/// way, and the standings after each event.
pub fn random_tournament(settings: Settings, players: usize) -> (Tournament, Log) {
    let entrants = names(players);
    let rounds = match settings.system {
        PairingSystem::Swiss { rounds } => rounds,
        PairingSystem::RoundRobin => panic!("players come and go only in a Swiss tournament"),
    };
    let mut tournament = Tournament::new(settings.clone(), &entrants).unwrap();
    let mut log = Log::new(&settings, &entrants);
    let mut rng = StdRng::seed_from_u64(settings.seed);
    let mut accepted = Vec::new();
    let mut entered = 0;
    for _ in 0..30 * rounds {
        let Some(event) = random_event(&tournament, &mut rng, &mut entered) else {
            // Nothing is due, and no round can be paired.
            if tournament.next_round().is_err() && log.available().len() <= 7 {
                let state = State::of(&log);
                assert!(state.players.len() < 2 || best(&state).is_none());
            }
            continue;
        };
        let before = tournament.view();
        let is_ours = matches!(event, Event::Paired { .. } | Event::Game { .. });
        match tournament.apply(&event) {
            Ok(Applied::Done) => {}
            Ok(Applied::Duplicate) | Err(_) => {
                assert!(!is_ours, "{event:?} is refused");
                assert_eq!(tournament.view(), before);
                continue;
            }
        }
        if matches!(event, Event::Paired { .. }) {
            check_round(&log, &event);
        }
        log.add(&event);
        accepted.push(event);
        let standings = tournament.standings();
        let rows: Vec<Row> = standings.iter().map(Row::from).collect();
        assert_eq!(rows, log.standings());
    }
    let mut replayed = Tournament::new(settings, &entrants).unwrap();
    for event in &accepted {
        assert_eq!(replayed.apply(event), Ok(Applied::Done));
    }
    assert_eq!(replayed.view(), tournament.view());
    (tournament, log)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(1000)))]
    #[test]
    fn players_come_and_go_and_the_rules_hold(
        players in 3_usize..11,
        rounds in 1_u32..7,
        seed: u64,
        both: bool,
        apart: bool,
    ) {
        let settings = Settings {
            games: if both { Games::Both } else { Games::Single },
            forbidden: if apart { vec![[name("p1"), name("p2")]] } else { Vec::new() },
            ..swiss(rounds.min(players as u32 - 1), seed)
        };
        let (tournament, log) = random_tournament(settings, players);
        prop_assert_eq!(tournament.rounds_paired(), log.rounds.len());
    }
}
