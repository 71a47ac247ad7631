//! Random tournaments.

use gothello::Color;
use gothello::tournament::{
    Event, GameResult, Games, Name, PairingSystem, ScheduledGame, Settings, Tournament,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Names of this many players, the first of whom is the strongest.
pub fn names(number: usize) -> Vec<Name> {
    (1..=number)
        .map(|player| format!("p{player}").parse().unwrap())
        .collect()
}

/// A name.
pub fn name(text: &str) -> Name {
    text.parse().unwrap()
}

/// Settings without pairs that may not meet.
pub fn settings(system: PairingSystem, games: Games, seed: u64) -> Settings {
    Settings {
        system,
        games,
        seed,
        forbidden: Vec::new(),
    }
}

/// A Swiss tournament of this many rounds, with single games.
pub fn swiss(rounds: u32, seed: u64) -> Settings {
    settings(PairingSystem::Swiss { rounds }, Games::Single, seed)
}

/// The end of a random game: mostly the stronger player wins, some games are drawn, and a few are
/// forfeited.
fn random_result(scheduled: &ScheduledGame, rng: &mut StdRng) -> GameResult {
    let strength = |name: &Name| name.as_str()[1..].parse::<u64>().unwrap();
    let (black, white) = (strength(&scheduled.black), strength(&scheduled.white));
    let better = if black < white {
        Color::Black
    } else {
        Color::White
    };
    match rng.random_range(0..100) {
        0..60 => GameResult::played(Some(better), "pass"),
        60..85 => GameResult::played(Some(better.opponent()), "resign"),
        85..96 => GameResult::played(None, "pass"),
        96..99 => GameResult::forfeit(Some(better), "absent"),
        _ => GameResult::forfeit(None, "absent"),
    }
}

/// A random result of a game, always the same for the same seed.
pub fn result_of(scheduled: &ScheduledGame, seed: u64) -> GameResult {
    let number = scheduled.number;
    let place = u64::from(number.round * 10_000 + number.pairing * 10 + number.game);
    random_result(scheduled, &mut StdRng::seed_from_u64(seed ^ place << 32))
}

/// Pairs all rounds that can be paired now.
pub fn pair(tournament: &mut Tournament) {
    while let Some(event) = tournament.next_round().unwrap() {
        tournament.apply(&event).unwrap();
    }
}

/// Plays all games that are due.
pub fn play_due(tournament: &mut Tournament, rng: &mut StdRng) {
    for scheduled in tournament.pending_games() {
        let result = random_result(&scheduled, rng);
        tournament
            .apply(&Event::Game { scheduled, result })
            .unwrap();
    }
}

/// A result for a game of a round, found by its players.
pub fn game(tournament: &Tournament, black: &str, white: &str, winner: Option<Color>) -> Event {
    let due = tournament.pending_games().into_iter();
    let mut found = due.filter(|one| one.black == name(black) && one.white == name(white));
    Event::Game {
        scheduled: found.next().unwrap(),
        result: GameResult::played(winner, "pass"),
    }
}
