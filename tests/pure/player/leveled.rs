//! Levels and seeds.

use std::time::Duration;

use gothello::player::{AlphaBeta, Level, LeveledPlayer, Player, Skill};
use gothello::{Move, Next, Position};

use super::choose;
use crate::cases::some_of;

/// Enough for any of these short searches.
const TIME: Duration = Duration::from_secs(30);

fn player(level: &str, seed: u64) -> LeveledPlayer {
    let skill = Skill::new(level.parse().unwrap(), seed);
    LeveledPlayer::new(Box::new(AlphaBeta::new()), skill)
}

/// Plays a game between two players. Returns Black's lead at the end.
fn game(players: [&mut LeveledPlayer; 2]) -> (Vec<Move>, i8) {
    let mut position = Position::START;
    let mut moves = Vec::new();
    loop {
        let mover = &mut *players[moves.len() % 2];
        let mv = choose(mover, &position, TIME).mv;
        moves.push(mv);
        match position.play(mv).unwrap() {
            Next::Continues(child) => position = child,
            Next::Ends(_) => {
                let count = position.count();
                return (moves, count.black as i8 - count.white as i8);
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_games() {
    let games = |seed| {
        let (mut black, mut white) = (player("3", seed), player("6", seed + 1));
        [0, 1].map(|_| game([&mut black, &mut white]))
    };
    let [first, second] = games(1);
    assert_ne!(first, second);
    assert_eq!(games(1), [first, second]);
    assert_ne!(games(1), games(2));
}

#[test]
fn a_seed_can_be_sown_again() {
    let mut black = player("5", 7);
    let first = game([&mut black, &mut player("5", 8)]);
    let skill = black.skill().unwrap();
    assert_eq!(skill.seed(), 7);
    skill.reseed(7);
    // It remembers the game before, which may save work but does not make it search deeper.
    let mut fresh = player("5", 7);
    assert_eq!(game([&mut fresh, &mut player("5", 8)]), first);
}

#[test]
fn higher_levels_win() {
    for [weaker, stronger] in some_of([["1", "4"], ["4", "7"], ["1", "9"]]) {
        let mut players = [player(weaker, 1), player(stronger, 2)];
        let mut points = 0;
        for round in 0..20 {
            let [weak, strong] = &mut players;
            let lead = if round % 2 == 0 {
                -game([weak, strong]).1
            } else {
                game([strong, weak]).1
            };
            points += lead.signum();
        }
        assert!(points >= 6, "{weaker} against {stronger}: {points}");
    }
}

#[test]
fn a_level_is_kept_until_it_is_changed() {
    let mut player = player("perfect", 1);
    assert_eq!(player.skill().unwrap().level, Level::Perfect);
    player.skill().unwrap().level = "2".parse().unwrap();
    let choice = choose(&mut player, &Position::START, TIME);
    assert!(!choice.proven && choice.depth == 1, "{choice}");
}

#[test]
fn weak_players_do_not_pass_by_mistake() {
    let mut player = player("1", 1);
    let passes = (0..200).filter(|_| choose(&mut player, &Position::START, TIME).mv == Move::Pass);
    assert_eq!(passes.count(), 0);
}
