//! The table never confuses positions, and keeps the entries that took most effort.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::cases::cases;
use super::random_stones;
use crate::base::color::Color;
use crate::games::gothello::{Move, Point, Position, Stones};
use crate::solving::solver::symmetry::Key;
use crate::solving::solver::table::{Entry, SharedTable};
use crate::solving::solver::{Bounds, Control, Objective, Solver};

/// Returns this many different keys.
fn keys(count: usize, seed: u64) -> Vec<Key> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut keys = HashSet::new();
    while keys.len() < count {
        let empty = 5 + rng.random_range(0..12);
        keys.insert(Key::of(random_stones(&mut rng, empty)).0);
    }
    let mut keys: Vec<Key> = keys.into_iter().collect();
    // The iteration order of a hash set is random.
    keys.sort();
    keys
}

/// Returns the entry that the tests store for a key, different for almost all keys.
fn entry(key: Key) -> Entry {
    let number = key.number().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let low = (number % 51) as i8 - 25;
    let point = Point::ALL[number as usize / 64 % 25];
    Entry {
        bounds: Bounds::exactly(low),
        best: Some(Move::Place(point)),
        effort: (number % 20) as u8,
    }
}

#[test]
fn an_entry_is_read_back_unchanged() {
    let table = SharedTable::new(1);
    let key = keys(1, 1)[0];
    assert_eq!(table.get(key), None);
    let moves = Point::ALL.map(Move::Place).map(Some);
    for best in moves.into_iter().chain([Some(Move::Pass), None]) {
        for (low, high) in [(-25, 25), (-25, -25), (-1, 0), (7, 7), (25, 25)] {
            for effort in [0, 1, 31] {
                let table = SharedTable::new(0);
                let entry = Entry {
                    bounds: Bounds { low, high },
                    best,
                    effort,
                };
                table.put(key, entry);
                assert_eq!(table.get(key), Some(entry));
            }
        }
    }
}

#[test]
fn a_later_entry_is_combined_with_the_earlier_one() {
    let table = SharedTable::new(0);
    let key = keys(1, 2)[0];
    let best = Some(Move::Pass);
    table.put(
        key,
        Entry {
            bounds: Bounds { low: 3, high: 25 },
            best,
            effort: 7,
        },
    );
    table.put(
        key,
        Entry {
            bounds: Bounds { low: -25, high: 5 },
            best: None,
            effort: 2,
        },
    );
    let expected = Entry {
        bounds: Bounds { low: 3, high: 5 },
        best,
        effort: 7,
    };
    assert_eq!(table.get(key), Some(expected));
}

#[test]
fn an_entry_that_took_more_effort_stays() {
    // 2,048 entries.
    let table = SharedTable::new(0);
    let keys = keys(20_000, 3);
    let (hard, easy) = keys.split_at(100);
    for &key in hard {
        table.put(
            key,
            Entry {
                effort: 20,
                ..entry(key)
            },
        );
    }
    for &key in easy {
        table.put(
            key,
            Entry {
                effort: 3,
                ..entry(key)
            },
        );
    }
    for &key in hard {
        assert_eq!(table.get(key).map(|entry| entry.effort), Some(20));
    }
    // New entries replace those that took no more effort.
    assert!(easy.last().is_some_and(|&key| table.get(key).is_some()));
    assert!(table.per_mille_full() > 900);
}

#[test]
fn concurrent_threads_never_read_the_entry_of_another_position() {
    let table = SharedTable::new(0);
    let keys = keys(10_000, 4);
    let run = |seed| {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut found = 0;
        for _ in 0..200_000 {
            let key = keys[rng.random_range(0..keys.len())];
            if rng.random_bool(0.5) {
                table.put(key, entry(key));
            } else if let Some(got) = table.get(key) {
                assert_eq!(got, entry(key));
                found += 1;
            }
        }
        found
    };
    let found: Vec<u32> = thread::scope(|scope| {
        let threads = [10, 11, 12].map(|seed| scope.spawn(move || run(seed)));
        threads.map(|thread| thread.join().unwrap()).into()
    });
    assert!(found.into_iter().all(|found| found > 1_000));
}

/// `SharedTable::put` asserts the same, but only in debug builds.
#[test]
fn searches_store_no_contradictory_bounds() {
    let mut rng = StdRng::seed_from_u64(5);
    for threads in [1, 2] {
        let table = Arc::new(SharedTable::new(1));
        let solver = Solver::with_table(Arc::clone(&table), threads, None);
        for _ in 0..cases(100) {
            let Stones { mover, opponent } = random_stones(&mut rng, 10);
            let position = Position::new(mover, opponent, Color::Black, false).unwrap();
            for objective in [Objective::Winner, Objective::Value] {
                solver.search(&position, objective, &Control::UNLIMITED);
            }
        }
        assert!(table.entries().count() > 100);
        for entry in table.entries() {
            assert!(entry.bounds.low <= entry.bounds.high, "{entry:?}");
        }
    }
}

#[test]
fn a_move_is_found_even_if_the_bound_is_in_the_table() {
    let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse().unwrap();
    let control = Control::default();
    let value = Solver::with_table(Arc::new(SharedTable::new(1)), 1, None)
        .search(&position, Objective::Value, &control)
        .value()
        .unwrap();
    for threads in [1, 2] {
        let table = Arc::new(SharedTable::new(1));
        let (key, _) = Key::of(position.stones());
        let entry = Entry {
            bounds: Bounds::exactly(value),
            best: None,
            effort: 31,
        };
        table.put(key, entry);
        let solver = Solver::with_table(Arc::clone(&table), threads, None);
        assert_eq!(solver.is_at_least(&position, value, &control), Some(true));
        assert_eq!(solver.known_move(&position), None);
        let proven = solver.find_move_at_least(&position, value, &control);
        assert_eq!(proven, Some(true));
        assert!(solver.known_move(&position).is_some());
        assert_eq!(table.get(key).unwrap().bounds, Bounds::exactly(value));
    }
}
