//! Games: their queries, and undo.

use gothello::{ByColor, Color, Game, Move, Outcome, Position, Status};
use proptest::prelude::*;

use super::any_color;
use crate::cases::cases;

/// Plays moves of alternating players, Black first.
fn game(moves: &str) -> Game {
    let mut game = Game::new();
    for word in moves.split_whitespace() {
        game.play(game.to_move(), word.parse().unwrap()).unwrap();
    }
    game
}

#[test]
fn two_passes_end_the_game() {
    let mut game = game("c3 pass pass");
    let Status::Over(outcome) = game.status() else {
        panic!("it is over");
    };
    assert_eq!(outcome.to_string(), "B+1");
    assert!(game.legal_points().is_empty());
    let before = game.clone();
    game.play(Color::White, Move::Pass).unwrap();
    game.play(Color::Black, Move::Pass).unwrap();
    assert_eq!(game, before, "a further pass changes nothing");
    assert!(game.play(Color::White, "a1".parse().unwrap()).is_err());
    assert_eq!(game, before);
}

#[test]
fn an_opening_pass_does_not_end_the_game() {
    assert_eq!(game("pass").status(), Status::Undecided);
    assert_eq!(game("pass c3 pass").status(), Status::Undecided);
    assert_eq!(game("pass pass").status(), Status::Over(Outcome::Drawn));
}

#[test]
fn turned_stones_are_counted_for_the_player_who_turned_them() {
    // White takes the corner, and Black takes it back with two stones more.
    let mut game = game("a1 b1 c2 a2");
    assert_eq!(game.captured(), ByColor::new(0, 1));
    assert_eq!(game.last_captured().to_string(), "a1");
    for mv in ["b2", "pass", "c1", "pass", "a3"] {
        game.play(game.to_move(), mv.parse().unwrap()).unwrap();
    }
    assert_eq!(game.last_captured().to_string(), "a1 b1 a2");
    assert_eq!(game.captured(), ByColor::new(3, 1));
    assert_eq!(Outcome::from_scores(game.count()).to_string(), "B+7");
    // A set-up is part of the same game.
    game.set_up(Position::START);
    assert_eq!(game.captured(), ByColor::new(3, 1));
    assert!(game.last_captured().is_empty());
}

/// A way to change a game.
#[derive(Clone, Debug)]
enum Change {
    /// A legal move, chosen by a number; every eighth is a pass.
    Play(u8),
    /// The side to move.
    SetToMove(Color),
    /// Starts a new game.
    SetUp(Position),
}

fn any_change() -> impl Strategy<Value = Change> {
    let position = prop_oneof![
        Just("...../...../..b../...../..... w"),
        Just("bwwww/.wwww/wwwww/wwwww/wwwww b pass"),
    ];
    prop_oneof![
        20 => any::<u8>().prop_map(Change::Play),
        1 => any_color().prop_map(Change::SetToMove),
        1 => position.prop_map(|text| Change::SetUp(text.parse().unwrap())),
    ]
}

fn apply(game: &mut Game, change: &Change) {
    match *change {
        Change::Play(choice) => {
            let points: Vec<_> = game.legal_points().iter().collect();
            let mv = match points.get(usize::from(choice / 8) % points.len().max(1)) {
                Some(&point) if choice % 8 > 0 => Move::Place(point),
                _ => Move::Pass,
            };
            game.play(game.to_move(), mv).unwrap();
        }
        Change::SetToMove(color) => game.set_up(game.board().with_to_move(color)),
        Change::SetUp(position) => game.set_up(position),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(2_000)))]

    #[test]
    fn undo_restores_all_that_can_be_asked(changes in proptest::collection::vec(any_change(), 0..80)) {
        let mut game = Game::new();
        let mut past = vec![game.clone()];
        for change in &changes {
            apply(&mut game, change);
            // A pass after the end does not count as a step.
            if Some(&game) != past.last() {
                past.push(game.clone());
            }
        }
        prop_assert_eq!(game.undoable() + 1, past.len());
        while let Some(before) = past.pop() {
            prop_assert_eq!(&game, &before);
            prop_assert_eq!(game.undo(), !past.is_empty());
        }
        prop_assert_eq!(game, Game::new());
    }

    #[test]
    fn a_cleared_game_is_a_new_one_without_a_past(changes in proptest::collection::vec(any_change(), 0..80)) {
        let mut game = Game::new();
        for change in &changes {
            apply(&mut game, change);
        }
        game.clear();
        prop_assert_eq!(&game, &Game::new());
        prop_assert_eq!(game.undoable(), 0);
        prop_assert!(!game.undo(), "nothing is brought back");
        prop_assert_eq!(game, Game::new());
    }

    #[test]
    fn stones_are_conserved(choices in proptest::collection::vec(any::<u8>(), 0..60)) {
        let mut game = Game::new();
        let mut placed = [0_u32; 2];
        for choice in choices {
            let (color, before) = (game.to_move(), game.count());
            apply(&mut game, &Change::Play(choice));
            let after = game.count();
            placed[color as usize] += u32::from(after.black + after.white - before.black - before.white);
        }
        // The stones of a player on the board were placed or captured, and the
        // opponent has not captured them back.
        let captured = game.captured();
        let [black, white] = placed;
        prop_assert_eq!(u32::from(game.count().black), black + captured.black - captured.white);
        prop_assert_eq!(u32::from(game.count().white), white + captured.white - captured.black);
    }
}
