//! Speed of building and probing the endgame database of Awari, and of the Awari player:
//! `cargo bench --bench awari`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use divan::Bencher;
use divan::counter::ItemsCount;
use gothello::awari::{Game, Player, Variant};
use gothello::endgame::Database;
use gothello::player::{AwariSearch, Limits};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn main() {
    divan::main();
}

fn database(stones: u8) -> Database {
    let stop = AtomicBool::new(false);
    Database::build(Variant::default(), stones, 2, &stop).expect("it is not stopped")
}

/// Boards with this many stones per second, with two threads.
#[divan::bench(args = [8, 10, 12, 14], sample_count = 5, sample_size = 1)]
fn find_the_endgames(bencher: Bencher<'_, '_>, stones: u8) {
    let below = database(stones - 1);
    let stop = AtomicBool::new(false);
    bencher
        .counter(ItemsCount::new(Database::board_count(stones)))
        .with_inputs(|| below.clone())
        .bench_refs(|database| database.grow(2, &stop, &|_| ()));
}

/// Probes of random boards per second, most of which are in no cache.
#[divan::bench(args = [8, 14], sample_count = 10, sample_size = 1)]
fn look_up(bencher: Bencher<'_, '_>, stones: u8) {
    let database = database(stones);
    let mut random = StdRng::seed_from_u64(1);
    let boards: Vec<[u8; 12]> = (0..100_000)
        .map(|_| {
            let mut pits = [0; 12];
            for _ in 0..stones {
                pits[random.random_range(0..12)] += 1;
            }
            pits
        })
        .collect();
    let low = |pits| {
        let bounds = database.look_up_pits(pits, Player::South);
        bounds.map_or(0, |bounds| u32::from(bounds.low))
    };
    bencher
        .counter(ItemsCount::new(boards.len()))
        .bench(|| boards.iter().map(low).sum::<u32>());
}

/// Positions searched per second from the start, with a database of 12 stones.
#[divan::bench(args = [8, 12, 14], sample_count = 3, sample_size = 1)]
fn search_to_a_depth(bencher: Bencher<'_, '_>, depth: u8) {
    let database = Arc::new(database(12));
    let search = || {
        let mut player = AwariSearch::new(Some(Arc::clone(&database))).with_depth(depth);
        let limits = Limits::default();
        player.choose(&Game::default(), &limits)
    };
    bencher
        .counter(ItemsCount::new(search().positions))
        .bench(search);
}
