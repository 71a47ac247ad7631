//! The survey of remarkable positions, against plain minimax on small boards.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gothello::tablebase::{
    BuildPlan, Extreme, Grid, LayerSurvey, Tablebase, TablebaseError, Tally,
};
use gothello::{Placements, PointSet, Stones};

use super::tablebase::{Corner, Seen, image, minimax, run, symmetries, whole};

/// A naive survey.
struct Naive {
    values: Seen,
    /// The number of stones whose moves are not in the tablebase: forced lines stay open there.
    limit: Option<u32>,
}

/// The position after a move, and its value. The second pass in a row leads to none.
type Outcome = (Option<(Stones, PointSet, bool)>, i8);

impl Naive {
    /// The pass, then the placements.
    fn moves(&mut self, stones: Stones, empty: PointSet, after_pass: bool) -> Vec<Outcome> {
        let mut moves = Vec::new();
        match after_pass {
            true => moves.push((None, stones.lead())),
            false => {
                let next = (stones.swapped(), empty, true);
                let value = -minimax(next.0, next.1, next.2, &mut self.values);
                moves.push((Some(next), value));
            }
        }
        for (point, next) in Placements::new(stones, empty).children() {
            let next = (next, empty.without(point.into()), false);
            let value = -minimax(next.0, next.1, next.2, &mut self.values);
            moves.push((Some(next), value));
        }
        moves
    }

    /// The length of the forced line, and whether it is open.
    fn line(&mut self, stones: Stones, empty: PointSet, after_pass: bool) -> (u8, bool) {
        if self.limit == Some(stones.count()) {
            return (0, true);
        }
        let moves = self.moves(stones, empty, after_pass);
        let best = moves.iter().map(|&(_, value)| value).max().unwrap();
        let mut best = moves.into_iter().filter(|&(_, value)| value == best);
        match (best.next(), best.next()) {
            (Some((next, _)), None) => match next {
                Some((stones, empty, after_pass)) => {
                    let (len, is_open) = self.line(stones, empty, after_pass);
                    (len + 1, is_open)
                }
                None => (1, false),
            },
            _ => (0, false),
        }
    }

    /// Adds a position to the survey of its layer.
    fn add(&mut self, survey: &mut LayerSurvey, stones: Stones, empty: PointSet, one: Tally) {
        let add = |sum: &mut Tally| {
            sum.all += one.all;
            sum.up_to_symmetry += one.up_to_symmetry;
        };
        let raise = |largest: &mut Extreme, amount: i8| {
            let amount = amount as u8;
            if amount > largest.amount || largest.positions.all == 0 {
                largest.amount = amount;
                largest.positions = Tally::default();
            }
            if amount == largest.amount {
                add(&mut largest.positions);
            }
        };
        let moves = self.moves(stones, empty, false);
        let mut values: Vec<i8> = moves.iter().map(|&(_, value)| value).collect();
        let pass = values[0];
        values.sort_unstable_by_key(|value| -value);
        let (best, worst) = (values[0], *values.last().unwrap());
        let second = values.get(1).copied();
        add(&mut survey.positions);
        raise(&mut survey.swing, best - worst);
        raise(&mut survey.margin, best - second.unwrap_or(best));
        if best > 0 && stones.lead() < 0 {
            raise(&mut survey.comeback, -stones.lead());
        }
        if second.is_none_or(|second| second < best) {
            add(&mut survey.only_moves);
            if pass == best && second.is_some() {
                add(&mut survey.best_passes);
                let mut captures = Placements::new(stones, empty).children();
                // A stone is placed, and others change color.
                if captures.any(|(_, next)| next.mover.len() < stones.opponent.len()) {
                    add(&mut survey.refused_captures);
                }
            }
        }
        let (len, is_open) = self.line(stones, empty, false);
        raise(&mut survey.forced_line, len as i8);
        if is_open {
            add(&mut survey.open_lines);
        }
    }
}

/// The survey of the layer with this number of stones.
fn naive_survey(naive: &mut Naive, width: u8, height: u8, count: u32) -> LayerSurvey {
    let (corner, symmetries) = (Corner::new(width, height), symmetries(width, height));
    let points = u32::from(width * height);
    let mut survey = LayerSurvey {
        stones: count as u8,
        ..LayerSurvey::default()
    };
    for occupied in (0..1u32 << points).filter(|set| set.count_ones() == count) {
        for mover in (0..=occupied).filter(|set| set & !occupied == 0) {
            let opponent = occupied & !mover;
            let stones = Stones {
                mover: corner.set(mover),
                opponent: corner.set(opponent),
            };
            let empty = corner.set(!occupied);
            let is_alive = |stones| empty.neighbors().flood(stones) == stones;
            if is_alive(stones.mover) && is_alive(stones.opponent) {
                let mut images = symmetries.iter();
                let is_least = images
                    .all(|to| [mover, opponent].map(|set| image(set, to)) >= [mover, opponent]);
                let one = Tally {
                    all: 1,
                    up_to_symmetry: is_least.into(),
                };
                naive.add(&mut survey, stones, empty, one);
            }
        }
    }
    survey
}

/// Surveys the files in a folder with two threads.
fn survey(folder: &Path, grid: Grid) -> Result<Vec<LayerSurvey>, TablebaseError> {
    let tablebase = Tablebase::open(folder, grid);
    let found = tablebase.survey(2, &AtomicBool::new(false), &|_, _, _| ())?;
    Ok(found.unwrap())
}

/// Asserts that the examples of a layer are examples, and removes them.
fn check_examples(found: &mut LayerSurvey, naive: &mut Naive, corner: &Corner) {
    type Part = fn(&mut LayerSurvey) -> &mut Extreme;
    let parts: [(Part, &str); 4] = [
        (|survey| &mut survey.swing, "swing"),
        (|survey| &mut survey.margin, "margin"),
        (|survey| &mut survey.comeback, "comeback"),
        (|survey| &mut survey.forced_line, "forced line"),
    ];
    let one = Tally {
        all: 1,
        up_to_symmetry: 1,
    };
    let mut of_example = |(mover, opponent): (u32, u32)| {
        let stones = Stones {
            mover: corner.set(mover),
            opponent: corner.set(opponent),
        };
        let mut survey = LayerSurvey::default();
        naive.add(&mut survey, stones, corner.set(!(mover | opponent)), one);
        survey
    };
    for (part, name) in parts {
        let example = part(found).example.take();
        assert_eq!(example.is_some(), part(found).positions.all > 0, "{name}");
        if let Some(example) = example {
            let (amount, mut expected) = (part(found).amount, of_example(example));
            assert_eq!(part(&mut expected).amount, amount, "{name}: {example:?}");
            assert_eq!(part(&mut expected).positions, one, "{name}: {example:?}");
        }
    }
    let refused = found.refused_capture.take();
    assert_eq!(refused.is_some(), found.refused_captures.all > 0);
    if let Some(example) = refused {
        assert_eq!(of_example(example).refused_captures, one, "{example:?}");
    }
}

/// Asserts that surveys are those of plain minimax, and that the examples are examples.
fn check(surveys: Vec<LayerSurvey>, width: u8, height: u8, limit: Option<u32>) {
    let mut naive = Naive {
        values: HashMap::new(),
        limit,
    };
    let corner = Corner::new(width, height);
    for mut found in surveys {
        check_examples(&mut found, &mut naive, &corner);
        let expected = naive_survey(&mut naive, width, height, found.stones.into());
        assert_eq!(found, expected, "{width}x{height}");
    }
}

#[test]
fn surveys_of_small_boards_are_those_of_minimax() {
    let mut boards = vec![(3, 3), (2, 5), (1, 4)];
    if !cfg!(debug_assertions) {
        boards.push((4, 3));
    }
    for (width, height) in boards {
        let (grid, folder) = (
            Grid::new(width, height).unwrap(),
            tempfile::tempdir().unwrap(),
        );
        let plan = whole(&grid);
        run(folder.path(), &plan);
        let surveys = survey(folder.path(), grid.clone()).unwrap();
        assert_eq!(
            surveys.len(),
            usize::from(width * height),
            "{width}x{height}"
        );
        check(surveys, width, height, None);

        // Without the positions with the most stones.
        let limit = (width * height) / 2;
        for stones in limit + 1..width * height {
            fs::remove_dir_all(folder.path().join(format!("{stones:02}"))).unwrap();
        }
        let surveys = survey(folder.path(), grid.clone()).unwrap();
        assert_eq!(surveys.len(), usize::from(limit), "{width}x{height}");
        check(surveys, width, height, Some(limit.into()));

        // Every other layer, so that no values after moves are available.
        for stones in (1..=limit).step_by(2) {
            fs::remove_dir_all(folder.path().join(format!("{stones:02}"))).unwrap();
        }
        let error = survey(folder.path(), grid).unwrap_err();
        assert!(matches!(error, TablebaseError::NoNeighbors), "{error}");
    }
}

/// On none of the boards above is a pass better than every placement. The numbers are those that
/// minimax counts below.
#[test]
fn best_passes_of_5x3_have_11_stones() {
    let (grid, folder) = (Grid::new(5, 3).unwrap(), tempfile::tempdir().unwrap());
    let plan = BuildPlan {
        stones: 11..=14,
        keep: [11, 12].into(),
        ..whole(&grid)
    };
    run(folder.path(), &plan);
    let [mut found] = <[LayerSurvey; 1]>::try_from(survey(folder.path(), grid).unwrap()).unwrap();
    assert_eq!(found.stones, 11);
    let tally = |all, up_to_symmetry| Tally {
        all,
        up_to_symmetry,
    };
    assert_eq!(found.positions, tally(1_268_768, 319_044));
    assert_eq!(found.best_passes, tally(32, 10));
    assert_eq!(found.refused_captures, tally(14, 4));
    let mut naive = Naive {
        values: HashMap::new(),
        limit: None,
    };
    // The lines continue with more than 12 stones, where no values are known.
    found.forced_line = Extreme::default();
    check_examples(&mut found, &mut naive, &Corner::new(5, 3));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes, unoptimized")]
fn best_passes_of_5x3_are_those_of_minimax() {
    let (grid, folder) = (Grid::new(5, 3).unwrap(), tempfile::tempdir().unwrap());
    run(folder.path(), &whole(&grid));
    let surveys = survey(folder.path(), grid).unwrap();
    let sum = |tally: fn(&LayerSurvey) -> Tally| -> u64 {
        surveys.iter().map(|survey| tally(survey).all).sum()
    };
    assert_eq!(sum(|survey| survey.best_passes), 32);
    assert_eq!(sum(|survey| survey.refused_captures), 14);
    let layers = surveys.into_iter();
    let layers = layers.filter(|survey| survey.best_passes.all > 0);
    check(layers.collect(), 5, 3, None);
}
