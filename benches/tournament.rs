//! How long it takes to pair a round of a Swiss tournament, and to work out the
//! standings: `cargo bench --bench tournament`.

use divan::Bencher;
use gothello::Color;
use gothello::tournament::{Event, GameResult, Games, Name, PairingSystem, Settings, Tournament};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn main() {
    divan::main();
}

/// A tournament of nine rounds with single games, before its last round. Mostly
/// the player wins who entered earlier; a tenth of the games are draws.
fn before_the_last_round(players: usize) -> Tournament {
    let settings = Settings {
        system: PairingSystem::Swiss { rounds: 9 },
        games: Games::Single,
        seed: 1,
        forbidden: Vec::new(),
    };
    let names = (0..players).map(|player| format!("{player:04}").parse());
    let names: Vec<Name> = names.collect::<Result<_, _>>().expect("names");
    let mut tournament = Tournament::new(settings, &names).expect("a tournament");
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 1..9 {
        let round = tournament
            .next_round()
            .expect("a pairing")
            .expect("a round");
        tournament.apply(&round).expect("it fits");
        for scheduled in tournament.pending_games() {
            let better = if scheduled.black < scheduled.white {
                Color::Black
            } else {
                Color::White
            };
            let winner = match rng.random_range(0..64) {
                0..6 => None,
                6..20 => Some(better.opponent()),
                _ => Some(better),
            };
            let result = GameResult::played(winner, "pass");
            tournament
                .apply(&Event::Game { scheduled, result })
                .expect("it fits");
        }
    }
    tournament
}

#[divan::bench(args = [30, 100, 301, 500], sample_count = 10, sample_size = 1)]
fn pair_round_9(bencher: Bencher, players: usize) {
    let tournament = before_the_last_round(players);
    bencher.bench_local(|| tournament.next_round().expect("a pairing"));
}

#[divan::bench(args = [30, 500], sample_count = 10, sample_size = 1)]
fn standings(bencher: Bencher, players: usize) {
    let tournament = before_the_last_round(players);
    bencher.bench_local(|| tournament.standings());
}
