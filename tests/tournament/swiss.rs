//! Swiss tournaments.

use std::collections::{BTreeMap, BTreeSet};

use gothello::tournament::{Color, Event, Kind, Name, Tournament};
use proptest::prelude::*;

use crate::play::{Dice, names, pair, play_due, swiss};

/// What must hold of a player in every Swiss tournament.
#[derive(Default)]
struct Past {
    met: BTreeSet<Name>,
    colors: Vec<Color>,
    byes: u32,
}

/// Follows a tournament round by round, and looks whether the rules are kept that
/// must always be.
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
        for (fixture, result) in tournament.fixtures() {
            if fixture.number.round < last || result.unwrap().forfeit {
                continue;
            }
            let (black, white) = (fixture.black, fixture.white);
            let first = fixture.number.game == 1;
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
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_rules_always_hold(players in 2_usize..40, seed: u64) {
        let rounds = (players as u32 / 2).clamp(1, 9);
        let mut tournament = Tournament::new(swiss(rounds, seed), &names(players)).unwrap();
        let mut dice = Dice::new(seed);
        let mut watch = Watch::default();
        while let Some(event) = tournament.next_round().unwrap() {
            watch.round(&event);
            tournament.apply(&event).unwrap();
            prop_assert_eq!(tournament.next_round(), Ok(None));
            play_due(&mut tournament, &mut dice);
            watch.games(&tournament);
        }
        prop_assert!(tournament.is_over());
        if players >= 12 && rounds <= players as u32 / 3 {
            prop_assert!(watch.colors_are_fair());
        }
    }
}

#[test]
fn two_games_give_both_colors() {
    let settings = gothello::tournament::Settings {
        games: gothello::tournament::Games::Both,
        kind: Kind::Swiss { rounds: 3 },
        ..swiss(3, 5)
    };
    let mut tournament = Tournament::new(settings, &names(8)).unwrap();
    let mut dice = Dice::new(5);
    while !tournament.is_over() {
        pair(&mut tournament);
        play_due(&mut tournament, &mut dice);
    }
    let games: BTreeSet<_> = tournament
        .fixtures()
        .map(|(one, _)| (one.black, one.white))
        .collect();
    assert_eq!(games.len(), 24);
    assert!(
        games
            .iter()
            .all(|(black, white)| games.contains(&(white.clone(), black.clone())))
    );
}
