//! Alpha-beta: exact when few points are empty, and within its time.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gothello::Position;
use gothello::player::{AlphaBeta, Limits, Player};
use gothello::solver::PositionBudget;

use super::choose;
use crate::cases::{AT_ONCE, some_of};
use crate::positions::{move_value, valued};

#[test]
fn with_12_empty_points_or_fewer_it_is_exact_whatever_the_time() {
    let mut player = AlphaBeta::new();
    for (position, value) in some_of(valued()) {
        let choice = choose(&mut player, &position, Duration::ZERO);
        assert!(choice.proven, "{position}: {choice}");
        assert_eq!(choice.lead, f32::from(value), "{position}");
        let kept = move_value(&position, choice.mv, |child| {
            let mut other = AlphaBeta::new();
            choose(&mut other, child, Duration::ZERO).lead as i8
        });
        assert_eq!(kept, value, "{position}: {choice}");
    }
}

#[test]
fn it_moves_in_time() {
    let mut player = AlphaBeta::new();
    for milliseconds in [0, 1, 100, 300] {
        let time = Duration::from_millis(milliseconds);
        let started = Instant::now();
        choose(&mut player, &Position::START, time);
        assert!(
            started.elapsed() < time + AT_ONCE,
            "{milliseconds} ms: {:?}",
            started.elapsed()
        );
    }
}

#[test]
fn it_stops_when_it_is_told() {
    let stop = AtomicBool::new(true);
    let limits = Limits::default().stopped_by(&stop);
    let choice = AlphaBeta::new().choose(&Position::START, &limits);
    assert!(Position::START.play(choice.mv).is_ok());
    assert!(!choice.proven);
}

#[test]
fn it_stops_when_its_budget_is_spent() {
    let budget = PositionBudget::new(5_000);
    let limits = Limits::default().spending(&budget);
    let choice = AlphaBeta::new().choose(&Position::START, &limits);
    assert!((4_096..=6_144).contains(&choice.positions), "{choice}");
    assert_eq!(budget.spent(), choice.positions);
}
