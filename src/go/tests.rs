//! What only the inside of a game shows: its hash codes.

use std::collections::HashSet;

use super::super::chains::Spot;
use super::super::keys::SplitMix;
use super::super::{Illegal, Size};
use super::*;

fn small_boards() -> impl Iterator<Item = Size> {
    let sizes = (1..=4).flat_map(|rows| (1..=4).map(move |columns| (rows, columns)));
    sizes.map(|(rows, columns)| Size::new(rows, columns).unwrap())
}

fn some_move(size: Size, random: &mut SplitMix) -> Move {
    let mut below = |limit: u8| (random.next() % u64::from(limit)) as u8;
    match below(20) {
        0 => Move::Pass,
        _ => Move::Place(Point {
            row: below(size.rows()),
            column: below(size.columns()),
        }),
    }
}

/// With one hash code for all positions every look-up finds all of them: the
/// boards alone tell them apart.
#[test]
fn equal_hash_codes_do_not_make_positions_equal() {
    let mut random = SplitMix(1);
    let mut superko = 0;
    for size in small_boards() {
        for game in 0..20 {
            let rules = Rules {
                ko: game % 2 == 0,
                superko: game % 3 != 0,
                ..Rules::default()
            };
            let mut usual = Game::new(rules.clone(), Position::start(size));
            let mut forged = Game::with_keys(rules, Position::start(size), Keys::ALL_THE_SAME);
            for _ in 0..60 {
                for point in size.points() {
                    let checked = usual.check(Move::Place(point));
                    assert_eq!(checked, forged.check(Move::Place(point)), "{usual:?}");
                    superko += usize::from(checked == Err(Illegal::Superko));
                }
                let mv = some_move(size, &mut random);
                assert_eq!(usual.play(mv), forged.play(mv));
                assert_eq!(usual.positions(), forged.positions());
            }
            assert_eq!(forged.history.last_hash(), 0);
        }
    }
    assert!(superko > 1000, "{superko}");
}

#[test]
fn hash_codes_that_are_kept_equal_those_made_anew() {
    let mut random = SplitMix(2);
    let large = [Size::USUAL, Size::new(25, 24).unwrap()];
    for size in small_boards().chain(large) {
        let mut game = Game::new(Rules::default(), Position::start(size));
        for _ in 0..1000 {
            // Refusals are part of it.
            let _ = game.play(some_move(size, &mut random));
            let Position { board, turn, .. } = &game.now;
            assert_eq!(game.history.last_hash(), Keys::USUAL.hash(board, *turn));
        }
    }
}

#[test]
fn every_stone_has_a_number_of_its_own() {
    let points = Size::new(25, 25).unwrap().points();
    let spots = points.map(Spot::from);
    let keys = |spot| Color::ALL.map(|color| Keys::USUAL.stone(spot, color));
    let mut numbers: HashSet<u64> = spots.flat_map(keys).collect();
    numbers.extend([0, Keys::USUAL.turn()]);
    assert_eq!(numbers.len(), 2 * 625 + 2);
}
