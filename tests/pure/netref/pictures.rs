//! The boards that the page is sent, compared with the rules.

use gothello::ByColor;
use gothello::contests::netref::{Awari, Gothello, NetrefGame};
use gothello::games::{awari, gothello as rules};
use gothello::pages::web::{DrawnGame, Ply};
use proptest::prelude::*;

/// A game that begins with these moves and continues with random legal ones.
fn games() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..120)
}

#[test]
fn the_start_of_gothello_is_an_empty_board() {
    let ply = Gothello::default().ply();
    assert_eq!(ply.board, ".".repeat(25));
    assert_eq!(ply.scores, Some(ByColor::default()));
}

/// c3 is in the middle, a5 in the first place, e1 in the last.
#[test]
fn points_are_counted_from_the_top() {
    let place = |mv: &str| Gothello::place(mv.parse().unwrap());
    assert_eq!(place("c3"), Some([2, 2]));
    assert_eq!(place("a5"), Some([0, 0]));
    assert_eq!(place("e1"), Some([4, 4]));
    assert_eq!(place("b5"), Some([0, 1]));
    assert_eq!(place("pass"), None);
}

/// ```text
///    f  e  d  c  b  a
/// N  4  4  4  4  4  4   0
/// S  4  4  4  4  4  4   0
///    A  B  C  D  E  F
/// ```
#[test]
fn pits_are_counted_as_south_sees_them() {
    let places = ["f", "a", "A", "F", "e"].map(|pit| Awari::place(pit.parse().unwrap()).unwrap());
    assert_eq!(places, [[0, 0], [0, 5], [1, 0], [1, 5], [0, 1]]);
    let mut game = Awari::default();
    assert_eq!(game.ply().board, ["4"; 12].join(","));
    game.play(awari::Player::South, "F".parse().unwrap())
        .unwrap();
    assert_eq!(game.ply().board, "4,4,5,5,5,5,4,4,4,4,4,0");
    game.play(awari::Player::North, "f".parse().unwrap())
        .unwrap();
    assert_eq!(game.ply().board, "0,4,5,5,5,5,5,5,5,5,4,0");
}

proptest! {
    #[test]
    fn discs_are_where_the_rules_have_them(choices in games()) {
        let mut game = Gothello::default();
        for choice in choices {
            let points: Vec<_> = game.legal_points().into_iter().collect();
            let place = points.len().checked_sub(1).map(|_| rules::Move::Place(*choice.get(&points)));
            let mv = place.unwrap_or(rules::Move::Pass);
            let side = game.to_move();
            if game.play(side, mv).is_err() {
                break;
            }
            let Ply { board, scores, prisoners, .. } = game.ply();
            let scores = scores.unwrap();
            for (point, row, column) in rules::Point::ALL.map(|point| (point, point.row(), point.column())) {
                let letter = board.as_bytes()[usize::from((4 - row) * 5 + column)];
                let stone = game.stone_at(point);
                let expected = stone.map_or('.', |color| color.capital());
                prop_assert_eq!(char::from(letter), expected);
            }
            let discs = |letter: char| board.matches(letter).count();
            prop_assert_eq!(scores.black, discs('B') as f64);
            prop_assert_eq!(scores.white, discs('W') as f64);
            let by = game.captured();
            prop_assert_eq!(prisoners, Some(by));
            if let Some([row, column]) = Gothello::place(mv) {
                let letter = board.as_bytes()[usize::from(row * 5 + column)];
                let mover = Gothello::LETTERS[side].to_ascii_uppercase();
                prop_assert_eq!(char::from(letter), mover);
            }
        }
    }

    #[test]
    fn seeds_are_where_the_rules_have_them(choices in games()) {
        let mut game = Awari::default();
        for choice in choices {
            let pits: Vec<_> = game.legal_moves().collect();
            if pits.is_empty() {
                break;
            }
            let pit = *choice.get(&pits);
            game.play(game.to_move(), pit).unwrap();
            let Ply { board, scores, prisoners, .. } = game.ply();
            let scores = scores.unwrap();
            prop_assert_eq!(prisoners, None);
            let seeds: Vec<u8> = board.split(',').map(|seeds| seeds.parse().unwrap()).collect();
            let expected = "fedcbaABCDEF".chars().map(|name| {
                let pit: awari::Pit = name.to_string().parse().unwrap();
                game.pits()[pit.index()]
            });
            prop_assert_eq!(&seeds, &expected.collect::<Vec<_>>());
            let total = f64::from(seeds.iter().sum::<u8>()) + scores.black + scores.white;
            prop_assert_eq!(total, 48.0);
            let rows = game.rows();
            for (row, score) in [(1, scores.white), (2, scores.black)] {
                let end = format!(" {score}");
                prop_assert!(rows[row].to_string().ends_with(&end));
            }
            if !game.is_over() {
                let [row, column] = Awari::place(pit).unwrap();
                prop_assert_eq!(seeds[usize::from(row * 6 + column)], 0);
            }
        }
    }
}
