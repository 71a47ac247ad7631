//! The table never confuses positions, and keeps what was hard to find out.

use std::collections::HashSet;
use std::thread;

use super::random::Random;
use crate::gothello::{Move, Point};
use crate::solver::symmetry::Key;
use crate::solver::table::Entry;
use crate::solver::{Bounds, Table};

/// So many different keys.
fn keys(count: usize, seed: u64) -> Vec<Key> {
    let mut random = Random(seed);
    let mut keys = HashSet::new();
    while keys.len() < count {
        let empty = 5 + random.below(12);
        keys.insert(Key::of(random.stones(empty)).0);
    }
    let mut keys: Vec<Key> = keys.into_iter().collect();
    // The order of a set of hashes is another one each time.
    keys.sort();
    keys
}

/// What a test says of a key: something else for almost each.
fn entry(key: Key) -> Entry {
    let number = key.number().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let low = (number % 51) as i8 - 25;
    let point = Point::ALL[number as usize / 64 % 25];
    Entry {
        bounds: Bounds::exactly(low),
        best: Some(Move::Place(point)),
        work: (number % 20) as u8,
    }
}

#[test]
fn what_is_put_is_got_back_whole() {
    let table = Table::new(1);
    let key = keys(1, 1)[0];
    assert_eq!(table.get(key), None);
    let moves = Point::ALL.map(Move::Place).map(Some);
    for best in moves.into_iter().chain([Some(Move::Pass), None]) {
        for (low, high) in [(-25, 25), (-25, -25), (-1, 0), (7, 7), (25, 25)] {
            for work in [0, 1, 31] {
                let table = Table::new(0);
                let entry = Entry {
                    bounds: Bounds { low, high },
                    best,
                    work,
                };
                table.put(key, entry);
                assert_eq!(table.get(key), Some(entry));
            }
        }
    }
}

#[test]
fn what_is_put_later_is_added_to_what_is_known() {
    let table = Table::new(0);
    let key = keys(1, 2)[0];
    let best = Some(Move::Pass);
    table.put(
        key,
        Entry {
            bounds: Bounds { low: 3, high: 25 },
            best,
            work: 7,
        },
    );
    table.put(
        key,
        Entry {
            bounds: Bounds { low: -25, high: 5 },
            best: None,
            work: 2,
        },
    );
    let expected = Entry {
        bounds: Bounds { low: 3, high: 5 },
        best,
        work: 7,
    };
    assert_eq!(table.get(key), Some(expected));
}

#[test]
fn what_was_hard_to_find_out_stays() {
    // 2,048 entries.
    let table = Table::new(0);
    let keys = keys(20_000, 3);
    let (hard, easy) = keys.split_at(100);
    for &key in hard {
        table.put(
            key,
            Entry {
                work: 20,
                ..entry(key)
            },
        );
    }
    for &key in easy {
        table.put(
            key,
            Entry {
                work: 3,
                ..entry(key)
            },
        );
    }
    for &key in hard {
        assert_eq!(table.get(key).map(|entry| entry.work), Some(20));
    }
    // And what is new takes the place of what is no harder.
    assert!(easy.last().is_some_and(|&key| table.get(key).is_some()));
    assert!(table.per_mille_full() > 900);
}

#[test]
fn threads_at_once_never_get_what_belongs_to_another_position() {
    let table = Table::new(0);
    let keys = keys(10_000, 4);
    let work = |seed| {
        let mut random = Random(seed);
        let mut found = 0;
        for _ in 0..200_000 {
            let key = keys[random.below(keys.len() as u32) as usize];
            if random.below(2) == 0 {
                table.put(key, entry(key));
            } else if let Some(got) = table.get(key) {
                assert_eq!(got, entry(key));
                found += 1;
            }
        }
        found
    };
    let found: Vec<u32> = thread::scope(|scope| {
        let threads = [10, 11, 12].map(|seed| scope.spawn(move || work(seed)));
        threads.map(|thread| thread.join().unwrap()).into()
    });
    assert!(found.into_iter().all(|found| found > 1_000));
}
