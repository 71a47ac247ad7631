//! Swiss tournaments.

use std::collections::{BTreeMap, BTreeSet};

use gothello::Color;
use gothello::tournament::{Event, Games, Name, PairingError, PairingSystem, Settings, Tournament};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::cases::cases;
use crate::tournament::play::{name, names, pair, play_due, result_of, settings, swiss};
use crate::tournament::quality::{Paired, State};

/// The invariants of a player in every Swiss tournament.
#[derive(Default)]
struct Past {
    met: BTreeSet<Name>,
    colors: Vec<Color>,
    byes: u32,
}

/// Follows a tournament round by round, and checks the rules that must always hold.
#[derive(Default)]
struct Watch(BTreeMap<Name, Past>);

impl Watch {
    fn round(&mut self, event: &Event) {
        let Event::Paired { pairings, bye, .. } = event else {
            panic!("{event:?} pairs no round");
        };
        let mut seen = BTreeSet::new();
        for pair in pairings {
            for (one, other) in [(&pair.black, &pair.white), (&pair.white, &pair.black)] {
                assert!(seen.insert(one.clone()), "{one} is paired twice");
                let past = self.0.entry(one.clone()).or_default();
                assert!(!past.met.contains(other), "{one} and {other} meet again");
            }
        }
        if let Some(player) = bye {
            assert!(
                seen.insert(player.clone()),
                "{player} has a bye and an opponent"
            );
            let past = self.0.entry(player.clone()).or_default();
            past.byes += 1;
            assert!(past.byes == 1, "{player} has a second bye");
        }
    }

    /// The games of the last round, after they were played.
    fn games(&mut self, tournament: &Tournament) {
        let last = tournament.rounds_paired() as u32;
        for (scheduled, result) in tournament.games() {
            if scheduled.number.round < last || result.unwrap().forfeit {
                continue;
            }
            let (black, white) = (scheduled.black, scheduled.white);
            let first = scheduled.number.game == 1;
            for (one, other, color) in [
                (&black, &white, Color::Black),
                (&white, &black, Color::White),
            ] {
                let past = self.0.entry(one.clone()).or_default();
                past.met.insert(other.clone());
                if first {
                    past.colors.push(color);
                }
            }
        }
    }

    /// Whether nobody had a color three times in a row, or three times more often
    /// than the other.
    fn colors_are_fair(&self) -> bool {
        self.0.values().all(|past| {
            let in_a_row = past
                .colors
                .windows(3)
                .any(|three| three[0] == three[1] && three[1] == three[2]);
            let mut difference = 0_i32;
            let wide = past.colors.iter().any(|color| {
                difference += if *color == Color::Black { 1 } else { -1 };
                difference.abs() > 2
            });
            !in_a_row && !wide
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(64)))]
    #[test]
    fn the_rules_always_hold(
        players in 2_usize..40,
        seed: u64,
        both: bool,
    ) {
        let rounds = (players as u32 / 2).clamp(1, 9);
        let settings = Settings {
            games: if both { Games::Both } else { Games::Single },
            ..swiss(rounds, seed)
        };
        let mut tournament = Tournament::new(settings, &names(players)).unwrap();
        let mut rng = StdRng::seed_from_u64(seed);
        let mut watch = Watch::default();
        while let Some(event) = tournament.next_round().unwrap() {
            watch.round(&event);
            tournament.apply(&event).unwrap();
            prop_assert_eq!(tournament.next_round(), Ok(None));
            play_due(&mut tournament, &mut rng);
            watch.games(&tournament);
        }
        prop_assert!(tournament.is_over());
    }
}

/// Only where there are many more players than rounds.
#[test]
fn nobody_has_a_color_three_times_in_a_row_or_three_times_more_often() {
    for seed in 0..u64::from(cases(60)) {
        let players = 12 + seed as usize % 20;
        let rounds = players as u32 / 3;
        let mut tournament = Tournament::new(swiss(rounds, seed), &names(players)).unwrap();
        let mut rng = StdRng::seed_from_u64(seed);
        let mut watch = Watch::default();
        while !tournament.is_over() {
            pair(&mut tournament);
            play_due(&mut tournament, &mut rng);
            watch.games(&tournament);
        }
        assert!(watch.colors_are_fair(), "seed {seed}");
    }
}

#[test]
fn two_games_give_both_colors() {
    let settings = settings(PairingSystem::Swiss { rounds: 3 }, Games::Both, 5);
    let mut tournament = Tournament::new(settings, &names(8)).unwrap();
    let mut rng = StdRng::seed_from_u64(5);
    while !tournament.is_over() {
        pair(&mut tournament);
        play_due(&mut tournament, &mut rng);
    }
    let games: BTreeSet<_> = tournament
        .games()
        .map(|(one, _)| (one.black, one.white))
        .collect();
    assert_eq!(games.len(), 24, "{games:?}");
    assert!(
        games
            .iter()
            .all(|(black, white)| games.contains(&(white.clone(), black.clone())))
    );
}

/// All ways to pair these players, the bye of an odd number included.
pub fn all_pairings(players: &[Name]) -> Vec<Paired> {
    let Some((first, rest)) = players.split_first() else {
        return vec![(Vec::new(), None)];
    };
    let mut all = Vec::new();
    for index in 0..rest.len() {
        let mut others = rest.to_vec();
        let opponent = others.remove(index);
        for (mut pairs, bye) in all_pairings(&others) {
            pairs.push((first.clone(), opponent.clone()));
            all.push((pairs, bye));
        }
    }
    if players.len() % 2 == 1 {
        for (pairs, _) in all_pairings(rest) {
            all.push((pairs, Some(first.clone())));
        }
    }
    all
}

pub fn paired(event: &Event) -> Paired {
    let Event::Paired { pairings, bye, .. } = event else {
        panic!("{event:?} pairs no round");
    };
    let pairs = pairings.iter();
    let pairs = pairs.map(|pair| (pair.black.clone(), pair.white.clone()));
    (pairs.collect(), bye.clone())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(60)))]
    /// The pairing found costs least of all that keep the rules, and one is found whenever one
    /// exists.
    #[test]
    fn no_pairing_is_better(players in 2_usize..9, seed: u64, apart: bool) {
        let most = players as u32 - 1 + players as u32 % 2;
        let mut settings = swiss(most.min(5), seed);
        if apart && players > 4 {
            settings.forbidden = vec![[name("p1"), name("p2")], [name("p2"), name("p5")]];
        }
        let entrants = names(players);
        let mut tournament = Tournament::new(settings.clone(), &entrants).unwrap();
        let mut events = Vec::new();
        while !tournament.is_over() {
            let state = State::new(&settings, &entrants, &events);
            let legal = all_pairings(&state.players).into_iter();
            let legal: Vec<Paired> = legal.filter(|paired| state.is_legal(paired)).collect();
            let best = state.all_costs(&legal).into_iter().min();
            let event = match tournament.next_round() {
                Ok(event) => event.unwrap(),
                Err(PairingError { .. }) => {
                    prop_assert_eq!(best, None);
                    break;
                }
            };
            prop_assert_eq!(Some(state.costs(&paired(&event))), best);
            tournament.apply(&event).unwrap();
            events.push(event);
            for scheduled in tournament.pending_games() {
                let result = result_of(&scheduled, seed);
                let event = Event::Game { scheduled, result };
                tournament.apply(&event).unwrap();
                events.push(event);
            }
        }
    }
}

/// A tournament, and how another program paired its rounds from the second on, each
/// after the results of those before.
#[derive(serde::Deserialize)]
struct Compared {
    settings: Settings,
    entrants: Vec<Name>,
    events: Vec<Event>,
    theirs: Vec<Event>,
}

/// `bbp.jsonl` has random tournaments, and the pairings of bbpPairings v6.0.0
/// (<https://github.com/BieremaBoyzProgramming/bbpPairings>) by FIDE's Dutch system. It pairs one
/// score group after the other, so its pairings may differ. None of them is better by our
/// criteria; byes go to players with the same points.
#[test]
fn no_pairing_of_another_program_is_better() {
    let (mut rounds, mut same, mut as_near) = (0, 0, 0);
    for line in include_str!("bbp.jsonl").lines() {
        let compared: Compared = serde_json::from_str(line).unwrap();
        let Compared {
            settings,
            entrants,
            events,
            theirs,
        } = compared;
        let mut tournament = Tournament::new(settings.clone(), &entrants).unwrap();
        let mut theirs = theirs.iter();
        for (index, event) in events.iter().enumerate() {
            let is_compared = matches!(event, Event::Paired { round, .. } if *round > 1);
            if is_compared {
                let their = theirs.next().unwrap();
                let state = State::new(&settings, &entrants, &events[..index]);
                let ours = paired(&tournament.next_round().unwrap().unwrap());
                let theirs = paired(their);
                let (costs, their_costs) = (state.costs(&ours), state.costs(&theirs));
                assert!(costs <= their_costs, "{costs:?} {their_costs:?}");
                let points = |bye: Option<Name>| bye.map(|player| state.past[&player].quarters);
                let [(pairs, bye), (their_pairs, their_bye)] = [ours, theirs];
                assert_eq!(points(bye), points(their_bye));
                rounds += 1;
                let sorted = |pairs: Vec<_>| BTreeSet::from_iter(pairs);
                same += u32::from(sorted(pairs) == sorted(their_pairs));
                let near = costs.len() - 8;
                as_near += u32::from(costs[..near] == their_costs[..near]);
            }
            tournament.apply(event).unwrap();
        }
    }
    insta::assert_snapshot!(
        format!("{rounds} rounds, {same} with the same pairs and colors, {as_near} with as many floats"),
        @"118 rounds, 84 with the same pairs and colors, 115 with as many floats"
    );
}
