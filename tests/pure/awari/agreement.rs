//! Comparison of the rules with the naive implementation, move by move.

use std::collections::BTreeSet;

use gothello::awari::{
    EndReason, Game, GrandSlam, Pit, Player, Position, Repetition, STONES, Status, Variant,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::naive::{self, Board, Turn, Verdict};
use crate::cases::cases;

fn player(player: Player) -> naive::Player {
    match player {
        Player::North => naive::Player::North,
        Player::South => naive::Player::South,
    }
}

fn grand_slam(grand_slam: GrandSlam) -> naive::GrandSlam {
    match grand_slam {
        GrandSlam::Forbidden => naive::GrandSlam::A,
        GrandSlam::CapturesNothing => naive::GrandSlam::B,
        GrandSlam::SparesLast => naive::GrandSlam::C,
        GrandSlam::FirstOnly => naive::GrandSlam::D,
        GrandSlam::EndsGame => naive::GrandSlam::E,
    }
}

fn letter(pit: Pit) -> char {
    pit.to_string().chars().next().unwrap()
}

fn naive_board(position: &Position) -> Board {
    Board {
        board: Pit::ALL
            .into_iter()
            .map(|pit| (letter(pit), u32::from(position.stones(pit))))
            .collect(),
        score: Player::ALL
            .into_iter()
            .map(|side| (player(side), u32::from(position.scores().of(side))))
            .collect(),
        to_move: player(position.to_move()),
    }
}

/// Plays a move in both implementations. Returns whether the game goes on.
fn play_both(game: &mut Game, pit: Pit, positions: &mut BTreeSet<Board>) -> bool {
    let (before, variant) = (*game.position(), game.variant());
    let expected = naive_board(&before).turn(
        letter(pit),
        grand_slam(variant.grand_slam),
        variant.repetition == Repetition::Claim,
        positions,
    );
    let played = game.play(before.to_move(), pit);
    let context = || format!("{pit} in {before}, {variant:?}");
    if played.is_ok() {
        assert_left(game, &before, pit);
    }
    match (expected, game.status()) {
        (Turn::Illegal, _) => {
            assert!(played.is_err(), "{}", context());
            assert_eq!(game.position(), &before);
            false
        }
        (Turn::Continues(board), Status::Undecided) => {
            assert_eq!(played, Ok(()), "{}", context());
            assert_eq!(naive_board(game.position()), board, "{}", context());
            positions.insert(board);
            true
        }
        (Turn::Over(verdict, scores), Status::Over(outcome)) => {
            assert_eq!(played, Ok(()), "{}", context());
            let winner = match verdict {
                Verdict::Win(winner) => Some(winner),
                Verdict::Draw => None,
            };
            assert_eq!(outcome.winner().map(player), winner, "{}", context());
            for side in Player::ALL {
                let score = u32::from(outcome.scores.of(side));
                assert_eq!(score, scores[&player(side)], "{}", context());
            }
            false
        }
        (expected, status) => panic!("{expected:?} {status:?} {played:?}: {}", context()),
    }
}

/// Asserts that the last move left the pits as [`Position::pits_after`] says.
fn assert_left(game: &Game, before: &Position, pit: Pit) {
    let variant = game.variant();
    let left = naive_board(before).sow_and_capture(letter(pit), grand_slam(variant.grand_slam));
    let left = left.unwrap();
    let pits = Pit::ALL.map(|pit| left.board[&letter(pit)] as u8);
    let after = before.pits_after(pit, variant);
    assert_eq!(after, Ok(pits), "{pit} in {before}, {variant:?}");
    let fewer = before.pits().iter().sum::<u8>() - pits.iter().sum::<u8>();
    assert_eq!(game.captured(), fewer, "{pit} in {before}, {variant:?}");
    // The pits that held more before the capture.
    let (sown, _) = naive_board(before).sow(letter(pit)).unwrap();
    let is_emptied = |pit: &Pit| sown.board[&letter(*pit)] > left.board[&letter(*pit)];
    let emptied: Vec<Pit> = Pit::ALL.into_iter().filter(is_emptied).collect();
    let captured_from: Vec<Pit> = game.captured_from().collect();
    assert_eq!(captured_from, emptied, "{pit} in {before}, {variant:?}");
    assert_eq!(game.last_move(), Some(pit));
}

/// Asserts that there are 48 stones in all.
fn assert_stones(game: &Game) {
    let stones = game.pits().iter().sum::<u8>();
    let scores = game.scores();
    assert_eq!(stones + scores.south + scores.north, STONES);
}

/// Plays this many random plies under a variant and compares the results for every pit.
/// Returns the endings that occurred.
fn compare(variant: Variant, plies: u32, rng: &mut StdRng) -> Vec<EndReason> {
    let mut endings = Vec::new();
    let mut game = Game::new(Position::START, variant);
    let mut positions = BTreeSet::from([Board::init()]);
    for _ in 0..plies {
        let legal: Vec<Pit> = game.legal_moves().collect();
        for pit in Pit::ALL.into_iter().filter(|pit| !legal.contains(pit)) {
            assert!(
                !play_both(&mut game.clone(), pit, &mut positions),
                "{pit} in {}",
                game.position()
            );
        }
        let pit = legal[rng.random_range(0..legal.len())];
        assert_stones(&game);
        if !play_both(&mut game, pit, &mut positions) {
            let Status::Over(outcome) = game.status() else {
                panic!("{pit} was legal in {}", game.position());
            };
            assert_stones(&game);
            endings.push(outcome.ending);
            game = Game::new(Position::START, variant);
            positions = BTreeSet::from([Board::init()]);
        }
    }
    endings
}

fn compare_all(plies: u32) {
    let mut rng = StdRng::seed_from_u64(1);
    for variant in Variant::all() {
        let endings = compare(variant, plies, &mut rng);
        // In only one variant, a grand slam ends the game.
        let ends = variant.grand_slam == GrandSlam::EndsGame;
        if plies < 5_000 {
            // Not enough games for the rarer endings.
            assert!(
                ends || !endings.contains(&EndReason::GrandSlam),
                "{variant:?}"
            );
            continue;
        }
        for ending in [
            EndReason::Majority,
            EndReason::NoMove,
            EndReason::Repetition,
        ] {
            assert!(endings.contains(&ending), "{variant:?}: {ending:?}");
        }
        assert_eq!(endings.contains(&EndReason::GrandSlam), ends, "{variant:?}");
    }
}

#[test]
fn both_implementations_agree_under_every_variant() {
    compare_all(cases(5_000));
}

#[test]
fn the_endings_of_random_games_are_distributed_as_in_another_program() {
    // Of 3000 random games of another program, 2164 ended by 25 stones, 367 without a move,
    // 266 by repetition and 203 by a grand slam.
    let mut rng = StdRng::seed_from_u64(2);
    let mut counts = [0_i32; 4];
    for _ in 0..3000 {
        let mut game = Game::default();
        while let Status::Undecided = game.status() {
            let legal: Vec<Pit> = game.legal_moves().collect();
            let pit = legal[rng.random_range(0..legal.len())];
            game.play(game.to_move(), pit).unwrap();
        }
        if let Status::Over(outcome) = game.status() {
            counts[outcome.ending as usize] += 1;
        }
    }
    for (count, expected) in counts.into_iter().zip([2164, 367, 266, 203]) {
        // Five standard deviations of the difference of two such counts.
        let p = f64::from(expected) / 3000.0;
        let deviation = (2.0 * 3000.0 * p * (1.0 - p)).sqrt();
        assert!(
            f64::from((count - expected).abs()) < 5.0 * deviation,
            "{counts:?}"
        );
    }
}
