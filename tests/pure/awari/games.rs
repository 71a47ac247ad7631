//! Complete games with each ending.

use gothello::awari::{EndReason, Game, Position, Status, Variant};
use gothello::game::Undo as _;

/// Returns the ending, the winner and the moves of each line of the file.
fn games() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = include_str!("../../common/awari_games.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(|line| {
        let (how, moves) = line.split_once(": ").unwrap();
        let (ending, winner) = how.split_once(", ").unwrap();
        (ending, winner, moves)
    })
}

#[test]
fn the_games_end_as_stated_with_the_last_move() {
    for (ending, winner, moves) in games() {
        let mut game = Game::default();
        for word in moves.split(' ') {
            assert!(!game.is_over(), "{moves}");
            game.play(game.to_move(), word.parse().unwrap()).unwrap();
        }
        let Status::Over(outcome) = game.status() else {
            panic!("{moves}");
        };
        assert_eq!(outcome.ending.to_string(), ending, "{moves}");
        let said = match outcome.winner() {
            Some(player) => format!("{player} wins"),
            None => "drawn".into(),
        };
        assert_eq!(said, winner, "{moves}");
        assert_eq!(outcome.scores.south + outcome.scores.north, {
            let left: u8 = outcome.pits.iter().sum();
            48 - left
        });
    }
}

#[test]
fn the_games_show_every_ending() {
    for ending in [
        EndReason::Majority,
        EndReason::NoMove,
        EndReason::Repetition,
        EndReason::GrandSlam,
    ] {
        let ending = ending.to_string();
        // A game with 25 stones is not drawn.
        let drawn = if ending == EndReason::Majority.to_string() {
            0
        } else {
            1
        };
        for (winner, least) in [("South wins", 1), ("North wins", 1), ("drawn", drawn)] {
            let shown = games().filter(|&(how, who, _)| how == ending && who == winner);
            assert!(shown.count() >= least, "{ending}, {winner}");
        }
    }
}

#[test]
fn a_restarted_game_is_a_new_one_under_the_same_rules_without_a_past() {
    let rules: Variant = "b discard".parse().unwrap();
    for (_, _, moves) in games() {
        let mut game = Game::new(Position::START, rules);
        // Some of the games end sooner or not at all under these rules.
        for word in moves.split(' ') {
            let _ = game.play(game.to_move(), word.parse().unwrap());
        }
        assert!(game.undoable() > 0, "{moves}");
        game.restart();
        assert_eq!(game, Game::new(Position::START, rules), "{moves}");
        assert_eq!(game.undoable(), 0, "{moves}");
        assert!(!game.undo(), "{moves}");
    }
}
