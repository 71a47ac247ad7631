//! How fast the rules are: `cargo bench --bench rules`.

use divan::Bencher;
use divan::counter::ItemsCount;
use gothello::awari;
use gothello::games::gothello::{Game, Move, Position, perft};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn main() {
    divan::main();
}

/// Leaves a second from the empty board; every leaf's move is made.
#[divan::bench(args = [4, 5, 6], sample_count = 10, sample_size = 1)]
fn perft_from_the_start(bencher: Bencher<'_, '_>, depth: u32) {
    let leaves = perft(&Position::START, depth);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench(|| perft(divan::black_box(&Position::START), depth));
}

/// Leaves a second in the middle of a game, where captures are common.
#[divan::bench(sample_count = 10, sample_size = 10)]
fn perft_of_a_middle_game(bencher: Bencher<'_, '_>) {
    let position: Position = "..b.b/...ww/w.b.w/bbwwb/.w.bb w"
        .parse()
        .expect("a position");
    let leaves = perft(&position, 5);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench(|| perft(divan::black_box(&position), 5));
}

/// A random game to its end, and all of it taken back.
#[divan::bench(sample_count = 20, sample_size = 2_000)]
fn a_random_game_played_and_undone(bencher: Bencher<'_, '_>) {
    let mut game = Game::new();
    let mut random = StdRng::seed_from_u64(1);
    let mut moves = 0_u64;
    let mut games = 0_u64;
    bencher.bench_local(|| {
        while !game.is_over() {
            let points = game.legal_points();
            let mv = match random.next_u32() % (points.len() + 1) {
                // A game of passes would be short: they are for the end.
                _ if points.is_empty() => Move::Pass,
                chosen => {
                    let chosen = chosen.min(points.len() - 1) as usize;
                    points.iter().nth(chosen).map_or(Move::Pass, Move::Place)
                }
            };
            game.play(game.to_move(), mv).expect("a legal move");
            moves += 1;
        }
        while game.undo() {}
        games += 1;
    });
    if games > 0 {
        eprintln!("{:.1} moves a game", moves as f64 / games as f64);
    }
}

/// Leaves a second of Awari from the start.
#[divan::bench(args = [6, 8], sample_count = 10, sample_size = 1)]
fn perft_of_awari(bencher: Bencher<'_, '_>, depth: u32) {
    let mut game = awari::Game::default();
    let leaves = awari::perft(&mut game, depth);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| awari::perft(divan::black_box(&mut game), depth));
}

/// Plies a second of random play of Awari, to the end of a hundred games.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn random_games_of_awari(bencher: Bencher<'_, '_>) {
    let play = || {
        let mut random = StdRng::seed_from_u64(1);
        let mut plies = 0_usize;
        for _ in 0..100 {
            let mut game = awari::Game::default();
            while !game.is_over() {
                let count = game.legal_moves().count();
                let pit = game.legal_moves().nth(random.next_u32() as usize % count);
                game.play(game.to_move(), pit.expect("a legal move"))
                    .expect("a legal move");
                plies += 1;
            }
        }
        plies
    };
    bencher.counter(ItemsCount::new(play())).bench_local(play);
}
