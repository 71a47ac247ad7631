//! The built-in Awari player.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gothello::awari::{
    EndReason, Game, MAJORITY, Pit, Player, Position, STONES, Scores, Status, Variant,
};
use gothello::endgame::Database;
use gothello::player::{AwariChoice, AwariSearch, Limits};
use gothello::solver::PositionBudget;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::cases::{cases, some_of};

/// The largest number of stones in that database.
const STONES_IN_DATABASE: u8 = if cfg!(debug_assertions) { 5 } else { 8 };

/// Returns a database for the default variant.
fn endgames() -> Arc<Database> {
    static DATABASE: OnceLock<Arc<Database>> = OnceLock::new();
    let build = || {
        let stop = AtomicBool::new(false);
        Arc::new(Database::build(Variant::default(), STONES_IN_DATABASE, 2, &stop).unwrap())
    };
    Arc::clone(DATABASE.get_or_init(build))
}

/// Returns a player with this database and search depth.
fn search_to(depth: u8) -> AwariSearch {
    AwariSearch::new(Some(endgames())).with_depth(depth)
}

/// Chooses a move without a time limit.
fn choose(search: &mut AwariSearch, game: &Game) -> AwariChoice {
    let limits = Limits::default();
    search.choose(game, &limits)
}

fn random_move(game: &Game, rng: &mut StdRng) -> Pit {
    let moves: Vec<Pit> = game.legal_moves().collect();
    moves[rng.random_range(0..moves.len())]
}

/// Plays a game to its end with the moves that a function chooses.
fn play(mut game: Game, mut choose: impl FnMut(&Game) -> Pit) -> (Scores, EndReason) {
    loop {
        if let Status::Over(outcome) = game.status() {
            return (outcome.scores, outcome.ending);
        }
        let pit = choose(&game);
        game.play(game.to_move(), pit).unwrap();
    }
}

/// Returns a game after this many random moves.
fn begun(moves: u32, rng: &mut StdRng) -> Game {
    let mut game = Game::default();
    for _ in 0..moves {
        let pit = random_move(&game, rng);
        game.play(game.to_move(), pit).unwrap();
    }
    game
}

/// Plays this many games with alternating sides. Returns the wins of the first player minus
/// those of the second.
fn lead(games: u32, moves: u32, mut players: [&mut dyn FnMut(&Game) -> Pit; 2]) -> i32 {
    let mut rng = StdRng::seed_from_u64(7);
    let mut lead = 0;
    for number in 0..games {
        let game = begun(moves, &mut rng);
        let first = Player::ALL[number as usize % 2];
        let (scores, _) = play(game, |game| {
            let which = usize::from(game.to_move() != first);
            players[which](game)
        });
        lead += match scores.winner() {
            Some(winner) if winner == first => 1,
            Some(_) => -1,
            None => 0,
        };
    }
    lead
}

/// Returns the lead over random moves in this many games.
fn lead_over_random(games: u32, depth: u8) -> i32 {
    let mut search = search_to(depth);
    let mut rng = StdRng::seed_from_u64(3);
    let mut own = |game: &Game| choose(&mut search, game).pit;
    lead(
        games,
        0,
        [&mut own, &mut |game| random_move(game, &mut rng)],
    )
}

#[test]
fn it_wins_against_random_moves() {
    let lead = lead_over_random(20, 3);
    assert!(lead >= 19, "a lead of {lead} wins in 20 games");
}

#[test]
#[ignore = "two hundred games take some seconds"]
fn it_wins_every_game_against_random_moves() {
    assert_eq!(lead_over_random(200, 4), 200);
}

#[test]
fn it_wins_against_itself_with_a_greater_depth() {
    let (mut deep, mut shallow) = (search_to(5), search_to(1));
    let lead = lead(
        20,
        6,
        [&mut |game| choose(&mut deep, game).pit, &mut |game| {
            choose(&mut shallow, game).pit
        }],
    );
    assert!(lead >= 8, "{lead}");
}

#[test]
fn its_moves_are_legal_without_time_and_in_all_variants() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut search = AwariSearch::new(Some(endgames()));
    for variant in Variant::all() {
        let limits = Limits::within(Duration::ZERO);
        let game = Game::new(Position::START, variant);
        play(game, |game| {
            let chosen = search.choose(game, &limits).pit;
            assert!(
                game.legal_moves().any(|pit| pit == chosen),
                "{chosen} in {}, {variant}",
                game.position()
            );
            match rng.random_range(0..3) {
                0 => chosen,
                _ => random_move(game, &mut rng),
            }
        });
    }
}

#[test]
fn the_only_move_is_played_immediately() {
    let position: Position = "0,0,0,0,0,0/0,0,0,0,0,1 23 24 s".parse().unwrap();
    let game = Game::new(position, Variant::default());
    let chosen = choose(&mut AwariSearch::new(None), &game);
    assert_eq!(
        (chosen.pit.to_string(), chosen.depth, chosen.positions),
        ("F".into(), 0, 0)
    );
}

#[test]
fn it_stops_when_the_flag_is_set() {
    let stop = AtomicBool::new(true);
    let limits = Limits::default().stopped_by(&stop);
    let chosen = AwariSearch::new(Some(endgames())).choose(&Game::default(), &limits);
    assert!(chosen.positions <= 1024, "{chosen}");
    let chosen = AwariSearch::new(None).choose(&Game::default(), &limits);
    assert!(chosen.positions <= 1024, "{chosen}");
}

#[test]
fn it_stops_when_its_budget_is_spent() {
    let budget = PositionBudget::new(5_000);
    let limits = Limits::default().spending(&budget);
    let chosen = AwariSearch::new(Some(endgames())).choose(&Game::default(), &limits);
    assert!((4_096..=6_144).contains(&chosen.positions), "{chosen}");
}

#[test]
fn without_a_database_it_builds_one_for_any_variant() {
    for variant in some_of(Variant::all().step_by(3)) {
        let position: Position = "0,0,1,0,1,0/0,0,0,2,1,0 20 23 s".parse().unwrap();
        let game = Game::new(position, variant);
        let limits = Limits::within(Duration::from_secs(1000));
        let mut search = AwariSearch::new(Some(endgames())).with_depth(2);
        let chosen = search.choose(&game, &limits);
        let database = Database::build(variant, 5, 1, &AtomicBool::new(false)).unwrap();
        let bounds = database.look_up(&position).unwrap();
        let lead = |stones: u8| 2 * i32::from(23 + stones) - i32::from(STONES);
        if let Some(stones) = bounds.value() {
            assert_eq!(
                (chosen.lead, chosen.proven),
                (lead(stones), true),
                "{variant:?}"
            );
        }
    }
}

#[test]
fn a_win_by_25_stones_is_seen() {
    // F captures two stones in a, which makes 25.
    let position: Position = "1,4,4,4,0,0/0,0,0,5,4,1 2 23 s".parse().unwrap();
    let chosen = choose(&mut search_to(4), &Game::new(position, Variant::default()));
    assert_eq!(chosen.pit.to_string(), "F");
    assert!(chosen.proven && chosen.lead >= 2, "{chosen}");
}

#[test]
fn a_choice_is_written_for_a_log() {
    let chosen = AwariChoice::new("C".parse().unwrap())
        .with_lead(3)
        .searched(7, 12_345);
    assert_eq!(
        chosen.to_string(),
        "C +3 estimated, depth 7, 12345 positions"
    );
}

/// Returns a random position with this many stones on the board and South to move.
fn endgame(stones: u8, rng: &mut StdRng) -> Option<Position> {
    let mut pits = [0; 12];
    for _ in 0..stones {
        pits[rng.random_range(0..12) as usize] += 1;
    }
    let south = 24 - rng.random_range(0..=u32::from(stones)) as u8;
    let scores = Scores {
        south,
        north: STONES - stones - south,
    };
    Position::new(pits, scores, Player::South).ok()
}

/// Plays out an endgame whose value is known, and asserts that it ends with it.
fn play_out(database: &Arc<Database>, position: Position, depth: u8) {
    let value = database.look_up(&position).unwrap().value().unwrap();
    let south = position.scores().south + value;
    let expected = Scores {
        south,
        north: STONES - south,
    };
    let mut players =
        [(); 2].map(|()| AwariSearch::new(Some(Arc::clone(database))).with_depth(depth));
    let game = Game::new(position, Variant::default());
    let (scores, ending) = play(game, |game| {
        choose(&mut players[game.to_move() as usize], game).pit
    });
    let is_right = match ending {
        // The game ended early; the player with 25 stones could only have got more.
        EndReason::Majority => {
            scores.winner() == expected.winner()
                && Player::ALL.iter().all(|&player| {
                    let (found, expected) = (scores.of(player), expected.of(player));
                    found <= expected || expected >= MAJORITY
                })
        }
        _ => scores == expected,
    };
    assert!(
        is_right,
        "{position}: {scores:?} ({ending}), not {expected:?}"
    );
}

/// Plays out this many random endgames whose value is known.
fn play_out_some(database: &Arc<Database>, count: u32, depth: u8, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut played = 0;
    while played < count {
        let stones = 2 + rng.random_range(0..u32::from(database.stones()) - 1) as u8;
        let Some(position) = endgame(stones, &mut rng) else {
            continue;
        };
        let bounds = database.look_up(&position);
        if bounds.is_some_and(|bounds| bounds.value().is_some()) {
            play_out(database, position, depth);
            played += 1;
        }
    }
}

/// A player who takes 25 stones and the win gets fewer of them in some of these than one who lets
/// the other take them later; in others, the bounds of the database are too good for one of them.
#[test]
fn these_endgames_end_with_their_value() {
    for (position, value) in [
        ("1,0,1,0,0,1/0,1,0,0,1,0 24 19 s", 0),
        ("0,2,0,0,0,0/1,0,1,0,0,1 19 24 s", 5),
        ("0,0,0,0,2,0/0,0,2,0,0,1 19 24 s", 5),
        ("1,0,0,0,2,0/1,0,1,0,0,0 22 21 s", 5),
        ("0,1,1,0,0,0/0,1,0,0,1,0 24 20 s", 0),
        ("0,0,1,1,0,0/1,0,1,0,0,0 21 23 s", 4),
        ("0,0,1,1,0,0/1,0,0,0,2,0 21 22 s", 0),
    ] {
        let position: Position = position.parse().unwrap();
        let bounds = endgames().look_up(&position).unwrap();
        assert_eq!(bounds.value(), Some(value), "{position}");
        play_out(&endgames(), position, 14);
    }
}

#[test]
fn known_endgames_end_with_their_value() {
    play_out_some(&endgames(), cases(60), 14, 1);
}

#[test]
#[ignore = "hundreds of endgames take a quarter of a minute, optimized"]
fn hundreds_of_known_endgames_end_with_their_value() {
    let database = Database::build(Variant::default(), 12, 2, &AtomicBool::new(false));
    play_out_some(&Arc::new(database.unwrap()), 300, 24, 2);
}
