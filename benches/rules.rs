//! How fast the rules are: `cargo bench --bench rules`.

use divan::Bencher;
use divan::counter::ItemsCount;
use gothello::gothello::{Game, Move, Position, perft};

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
    let mut random = Random(1);
    let mut moves = 0_u64;
    let mut games = 0_u64;
    bencher.bench_local(|| {
        while !game.is_over() {
            let points = game.legal_points();
            let mv = match random.below(points.len() + 1) {
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

/// A small generator of its own, so that the games are the same everywhere:
/// xorshift64* (Vigna, 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * u64::from(bound)) >> 32) as u32
    }
}
