//! The player: exact when few points are empty, and within its time.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gothello::gothello::{Color, Next, Position};
use gothello::player::{AlphaBeta, Choice, Limits, Player};

/// A value of the solver's `values.txt` for the player to move.
fn margin(value: &str, to_move: Color) -> f32 {
    let black: f32 = match value.split_once('+') {
        None => 0.0,
        Some(("B", stones)) => stones.parse().unwrap(),
        Some((_, stones)) => -stones.parse::<f32>().unwrap(),
    };
    if to_move == Color::Black {
        black
    } else {
        -black
    }
}

fn choose(player: &mut AlphaBeta, position: &Position, time: Duration) -> Choice {
    let limits = Limits {
        time: Some(time),
        stop: &AtomicBool::new(false),
    };
    player.choose(position, &limits)
}

#[test]
fn with_12_empty_points_or_fewer_it_is_exact_whatever_the_time() {
    let mut player = AlphaBeta::new();
    let lines = include_str!("../solver/values.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(" | ").collect();
        let stones: u32 = fields[0].trim().parse().unwrap();
        if stones < 13 {
            continue;
        }
        for (pass, value) in [("", fields[2]), (" pass", fields[3])] {
            let position: Position = format!("{}{pass}", fields[1]).parse().unwrap();
            let choice = choose(&mut player, &position, Duration::ZERO);
            assert!(choice.proven, "{position}: {choice}");
            assert_eq!(
                choice.margin,
                margin(value, position.to_move()),
                "{position}"
            );
            assert_keeps_the_value(&position, &choice);
        }
    }
}

/// The move that was chosen leads to a position of the same value.
fn assert_keeps_the_value(position: &Position, choice: &Choice) {
    let margin = match position.play(choice.mv).unwrap() {
        Next::Ends(_) => {
            let count = position.count();
            let black = f32::from(count.black) - f32::from(count.white);
            if position.to_move() == Color::Black {
                black
            } else {
                -black
            }
        }
        Next::Continues(child) => {
            let mut other = AlphaBeta::new();
            -choose(&mut other, &child, Duration::ZERO).margin
        }
    };
    assert_eq!(margin, choice.margin, "{position}: {choice}");
}

#[test]
fn it_moves_in_time() {
    let mut player = AlphaBeta::new();
    for milliseconds in [0, 1, 100, 300] {
        let time = Duration::from_millis(milliseconds);
        let started = Instant::now();
        choose(&mut player, &Position::START, time);
        // Much more than it takes, for busy machines.
        assert!(started.elapsed() < time + Duration::from_millis(500));
    }
}

#[test]
fn it_stops_when_it_is_told() {
    let stop = AtomicBool::new(true);
    let limits = Limits {
        time: None,
        stop: &stop,
    };
    let choice = AlphaBeta::new().choose(&Position::START, &limits);
    assert!(Position::START.play(choice.mv).is_ok());
    assert!(!choice.proven);
}
