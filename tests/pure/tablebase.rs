//! The tablebase: all positions of small boards, against plain minimax.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gothello::solver::Solver;
use gothello::tablebase::{
    BuildEnd, BuildPlan, Grid, LayerEvent, PackedError, PackedTablebase, Shard, Summary, Tablebase,
    TablebaseError, build, peak_bytes,
};
use gothello::{Color, Next, Outcome, Placements, Point, PointSet, Position, Stones};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::cases::cases;

/// Returns a plan of all layers of a board, all of which are kept.
pub(super) fn whole(grid: &Grid) -> BuildPlan {
    let most = grid.points() as u8 - 1;
    BuildPlan {
        grid: grid.clone(),
        stones: 0..=most,
        keep: (0..=most).collect(),
        threads: 2,
        shard: Shard::ALL,
    }
}

/// Builds as planned. Returns the summary of each complete layer.
pub(super) fn run(folder: &Path, plan: &BuildPlan) -> Vec<Summary> {
    let mut summaries = Vec::new();
    let built = |built| match built {
        LayerEvent::Before(summary) | LayerEvent::Now(summary) => summaries.push(summary),
        LayerEvent::Shard { .. } | LayerEvent::Deleted { .. } => {}
    };
    let end = build(folder, plan, &AtomicBool::new(false), &|_| (), built).unwrap();
    assert_eq!(end, BuildEnd::Complete);
    summaries
}

/// A smaller board as a part of the real one.
pub(super) struct Corner(Vec<Point>);

impl Corner {
    pub fn new(width: u8, height: u8) -> Corner {
        let rows = 0..height;
        let points = rows.flat_map(|row| (0..width).map(move |column| (column, row)));
        Corner(
            points
                .filter_map(|(column, row)| Point::new(column, row))
                .collect(),
        )
    }

    pub fn set(&self, bits: u32) -> PointSet {
        let points = self.0.iter().enumerate();
        points
            .filter(|(number, _)| bits >> number & 1 != 0)
            .map(|(_, &point)| point)
            .collect()
    }
}

/// The values found, by the stones and whether the preceding move was a pass.
pub(super) type Seen = HashMap<(PointSet, PointSet, bool), i8>;

/// Returns the value for the player to move if the preceding move was not a pass, by plain
/// minimax with a table.
pub(super) fn minimax(stones: Stones, empty: PointSet, after_pass: bool, seen: &mut Seen) -> i8 {
    let key = (stones.mover, stones.opponent, after_pass);
    if let Some(&value) = seen.get(&key) {
        return value;
    }
    let mut best = match after_pass {
        true => stones.lead(),
        false => -minimax(stones.swapped(), empty, true, seen),
    };
    for (point, next) in Placements::new(stones, empty).children() {
        best = best.max(-minimax(next, empty.without(point.into()), false, seen));
    }
    seen.insert(key, best);
    best
}

/// Asserts that a position has the value of minimax if it is legal, and no value otherwise.
/// Returns whether it is legal.
fn check(
    tablebase: &Tablebase,
    corner: &Corner,
    mover: u32,
    opponent: u32,
    seen: &mut Seen,
) -> bool {
    let stones = Stones {
        mover: corner.set(mover),
        opponent: corner.set(opponent),
    };
    let empty: PointSet = corner.set(!(mover | opponent));
    let is_legal = [stones.mover, stones.opponent]
        .into_iter()
        .all(|stones| empty.neighbors().flood(stones) == stones);
    let expected = is_legal.then(|| minimax(stones, empty, false, seen));
    let found = tablebase.value(mover, opponent).unwrap();
    assert_eq!(found, expected, "{stones:?}");
    is_legal
}

/// Returns the symmetries of a board, each as the image of every point.
pub(super) fn symmetries(width: u8, height: u8) -> Vec<Vec<u8>> {
    let mut symmetries = Vec::new();
    for number in 0..if width == height { 8 } else { 4 } {
        let image = |point: u8| {
            let (mut column, mut row) = (point % width, point / width);
            if number & 1 != 0 {
                column = width - 1 - column;
            }
            if number & 2 != 0 {
                row = height - 1 - row;
            }
            if number & 4 != 0 {
                (column, row) = (row, column);
            }
            row * width + column
        };
        symmetries.push((0..width * height).map(image).collect());
    }
    symmetries
}

/// Returns the image of a set of points.
pub(super) fn image(set: u32, symmetry: &[u8]) -> u32 {
    let points = symmetry.iter().enumerate();
    let points = points.filter(|(point, _)| set >> point & 1 != 0);
    points.fold(0, |images, (_, image)| images | 1 << image)
}

#[test]
fn every_position_of_small_boards_has_the_value_of_minimax() {
    let boards = [(3, 3), (2, 5), (1, 4), (4, 3)];
    // The last one takes long in a debug build.
    let boards = &boards[..if cfg!(debug_assertions) { 3 } else { 4 }];
    for &(width, height) in boards {
        let (grid, folder) = (
            Grid::new(width, height).unwrap(),
            tempfile::tempdir().unwrap(),
        );
        let summaries = run(folder.path(), &whole(&grid));
        let tablebase = Tablebase::open(folder.path(), grid);
        let (corner, seen) = (Corner::new(width, height), &mut HashMap::new());
        let points = u32::from(width * height);
        let symmetries = symmetries(width, height);
        let (mut legal, mut distinct) = (0, 0);
        for mover in 0..1u32 << points {
            for opponent in 0..1u32 << points {
                if mover & opponent == 0 && check(&tablebase, &corner, mover, opponent, seen) {
                    legal += 1;
                    let mut images = symmetries
                        .iter()
                        .map(|symmetry| [mover, opponent].map(|stones| image(stones, symmetry)));
                    distinct += u64::from(images.all(|image| image >= [mover, opponent]));
                }
            }
        }
        let counted: u64 = summaries.iter().map(|s| s.positions.all.total()).sum();
        assert_eq!(counted, legal, "{width}x{height}");
        let counted: u64 = summaries.iter().map(|s| s.positions.distinct.total()).sum();
        assert_eq!(counted, distinct, "{width}x{height}");
    }
}

#[test]
fn empty_boards_have_the_known_values() {
    // 4x4 has a test below.
    for (width, height, value) in [(3, 3, 1), (4, 3, 2), (5, 3, 3)] {
        let grid = Grid::new(width, height).unwrap();
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), &whole(&grid));
        let tablebase = Tablebase::open(folder.path(), grid);
        assert_eq!(
            tablebase.value(0, 0).unwrap(),
            Some(value),
            "{width}x{height}"
        );
    }
}

/// Returns the bytes of all files in a folder and in those below it.
fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let size = |entry: fs::DirEntry| match entry.metadata().unwrap() {
        folder if folder.is_dir() => bytes_in(&entry.path()),
        file => file.len(),
    };
    entries.map(size).sum()
}

#[test]
fn the_disk_space_that_a_build_needs_is_known_in_advance() {
    let (grid, folder) = (Grid::new(4, 3).unwrap(), tempfile::tempdir().unwrap());
    let kept = whole(&grid);
    let needed = peak_bytes(folder.path(), &kept).unwrap();
    let thirds = (1..=3).map(|number| BuildPlan {
        shard: Shard::new(number, 3).unwrap(),
        ..kept.clone()
    });
    let thirds = thirds.map(|third| peak_bytes(folder.path(), &third).unwrap());
    assert_eq!(thirds.sum::<u64>(), needed);
    let deleted = BuildPlan {
        keep: Vec::new(),
        ..kept.clone()
    };
    assert!(peak_bytes(folder.path(), &deleted).unwrap() < needed);
    run(folder.path(), &kept);
    // The files have headers and summaries, too.
    let used = bytes_in(folder.path());
    assert!(
        (needed..needed + needed / 4).contains(&used),
        "{needed} {used}"
    );
    assert_eq!(peak_bytes(folder.path(), &kept).unwrap(), 0);
}

/// Returns a random subset of the points of a board.
fn random_points(rng: &mut StdRng, points: u32) -> u32 {
    rng.random::<u64>() as u32 & ((1 << points) - 1)
}

#[test]
fn random_positions_of_4x4_have_the_value_of_minimax() {
    let (grid, folder) = (Grid::new(4, 4).unwrap(), tempfile::tempdir().unwrap());
    run(folder.path(), &whole(&grid));
    let tablebase = Tablebase::open(folder.path(), grid);
    // The known value of the empty board.
    assert_eq!(tablebase.value(0, 0).unwrap(), Some(2));
    let (corner, seen, rng) = (
        Corner::new(4, 4),
        &mut HashMap::new(),
        &mut StdRng::seed_from_u64(1),
    );
    // Minimax takes long on emptier boards, even more in a debug build.
    let fewest = if cfg!(debug_assertions) { 10 } else { 8 };
    let mut legal = 0;
    for _ in 0..cases(20_000) {
        let (occupied, mover) = (random_points(rng, 16), random_points(rng, 16));
        if occupied.count_ones() >= fewest {
            let (mover, opponent) = (occupied & mover, occupied & !mover);
            legal += u32::from(check(&tablebase, &corner, mover, opponent, seen));
        }
    }
    assert!(legal > cases(1000), "{legal}");
}

#[test]
fn an_illegal_position_has_no_value() {
    let (grid, folder) = (Grid::new(3, 3).unwrap(), tempfile::tempdir().unwrap());
    run(folder.path(), &whole(&grid));
    let tablebase = Tablebase::open(folder.path(), grid);
    for (mover, opponent) in [
        (1, 1),
        (1 << 9, 0),
        (0, 1 << 31),
        (u32::MAX, 0),
        (u32::MAX, u32::MAX),
        // A full board, and a stone in the corner without a liberty.
        (0b111_111_111, 0),
        (1, 0b1010),
    ] {
        assert_eq!(
            tablebase.value(mover, opponent).unwrap(),
            None,
            "{mover:b} {opponent:b}"
        );
    }
}

/// The value of the empty board and the number of positions are known from other sources.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes many minutes, unoptimized")]
fn all_of_5x4_is_solved_the_same_with_any_threads_and_shards() {
    let grid = Grid::new(5, 4).unwrap();
    let (folder, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let plan = BuildPlan {
        keep: (0..=12).collect(),
        ..whole(&grid)
    };
    let summaries = run(folder.path(), &plan);
    let count = |number: &dyn Fn(&Summary) -> u64| summaries.iter().map(number).sum::<u64>();
    assert_eq!(
        count(&|summary| summary.positions.all.total()),
        1_840_058_693
    );
    assert_eq!(
        count(&|summary| summary.positions.distinct.total()),
        460_114_319
    );
    let tablebase = Tablebase::open(folder.path(), grid.clone());
    assert_eq!(tablebase.value(0, 0).unwrap(), Some(2));
    for stones in 0..12 {
        let blocks = tablebase.block_files(stones).unwrap().blocks;
        for number in [0, blocks / 2, blocks - 1] {
            tablebase.check_block(stones, number).unwrap();
        }
    }

    // Each layer by three shards, whose order differs, with one thread each.
    let mut missing = Vec::new();
    for stones in (0..20).rev() {
        for turn in 0..3 {
            let plan = BuildPlan {
                stones: stones..=stones,
                threads: 1,
                shard: Shard::new((turn + u32::from(stones)) % 3 + 1, 3).unwrap(),
                ..plan.clone()
            };
            let built = |built| {
                if let LayerEvent::Shard { missing: count, .. } = built {
                    missing.push(count);
                }
            };
            let stop = AtomicBool::new(false);
            let end = build(shared.path(), &plan, &stop, &|_| (), built).unwrap();
            assert_ne!(end, BuildEnd::Stopped);
        }
    }
    assert!(!missing.is_empty());
    let tablebase = Tablebase::open(shared.path(), grid);
    let mut found = tablebase.summaries().unwrap();
    found.reverse();
    assert_eq!(found, summaries);
}

/// The value of a position with at most 6 stones, from those after its moves.
fn value_by_moves(tablebase: &PackedTablebase, position: &Position) -> i8 {
    let value = |mv| match position.play(mv).unwrap() {
        Next::Continues(next) => -tablebase.value(&next).unwrap(),
        Next::Ends(_) => position.stones().lead(),
    };
    position.legal_moves().map(value).max().unwrap()
}

/// Returns a random legal position with this number of stones.
fn random_position(rng: &mut StdRng, stones: usize) -> Position {
    loop {
        let mut points: Vec<Point> = Point::ALL.to_vec();
        let (mut black, mut white) = (PointSet::EMPTY, PointSet::EMPTY);
        for _ in 0..stones {
            let point = points.swap_remove(rng.random_range(0..points.len()));
            let color = if rng.random_bool(0.5) {
                &mut black
            } else {
                &mut white
            };
            *color |= PointSet::from(point);
        }
        let to_move = Color::ALL[rng.random_range(0..2) as usize];
        if let Ok(position) = Position::new(black, white, to_move, rng.random_bool(0.5)) {
            return position;
        }
    }
}

/// The positions with up to 4 stones of the whole build.
fn small() -> Tablebase {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/tablebase");
    Tablebase::open(&folder, Grid::gothello())
}

#[test]
fn built_in_values_agree_with_those_after_each_move() {
    let tablebase = PackedTablebase::built_in();
    assert_eq!(tablebase.stones(), 7);
    let rng = &mut StdRng::seed_from_u64(2);
    for stones in 0..=6 {
        for _ in 0..cases(2000) {
            let position = random_position(rng, stones);
            let expected = value_by_moves(&tablebase, &position);
            assert_eq!(tablebase.value(&position), Some(expected), "{position}");
        }
    }
    let position = random_position(rng, 8);
    assert_eq!(tablebase.value(&position), None);
}

#[test]
fn values_of_many_positions_are_those_of_each() {
    let tablebase = PackedTablebase::built_in();
    let rng = &mut StdRng::seed_from_u64(6);
    // Some more than once, some with too many stones, and many in the same part of the file.
    let mut positions = Vec::new();
    for _ in 0..cases(3000) {
        let stones = rng.random_range(0..=8);
        positions.push(random_position(rng, stones));
    }
    positions.extend_from_within(..10);
    let expected: Vec<_> = positions
        .iter()
        .map(|position| tablebase.value(position))
        .collect();
    assert_eq!(tablebase.values(&positions), expected);
    assert!(tablebase.values(&[]).is_empty());
}

#[test]
fn built_in_values_are_those_of_the_files_it_was_packed_from() {
    let (packed, files) = (PackedTablebase::built_in(), small());
    for stones in 0..=3 {
        let blocks = files.block_files(stones).unwrap().blocks;
        for number in 0..blocks {
            for coloring in 0..1 << stones {
                let Some(position) = files.position(stones, number, coloring) else {
                    continue;
                };
                let expected = files.position_value(&position).unwrap();
                assert_eq!(packed.value(&position), Some(expected), "{position}");
            }
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes, unoptimized")]
fn built_in_values_are_those_of_the_solver() {
    let (tablebase, rng) = (PackedTablebase::built_in(), &mut StdRng::seed_from_u64(3));
    let builder = Solver::builder().memory_mib(256).threads(2);
    let solver = builder.tablebase(None).build();
    for _ in 0..5 {
        let position = random_position(rng, 7);
        let value = Outcome::from_lead(position.to_move(), tablebase.value(&position).unwrap());
        assert_eq!(solver.solve(&position), value, "{position}");
    }
}

/// Packs the positions with up to this number of stones.
fn packed(stones: u8) -> Result<Option<Vec<u8>>, TablebaseError> {
    small().pack(stones, &AtomicBool::new(false))
}

#[test]
fn a_build_says_how_it_ended() {
    let grid = Grid::new(3, 2).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let end = |shard, stop| {
        let plan = BuildPlan {
            shard,
            ..whole(&grid)
        };
        build(
            folder.path(),
            &plan,
            &AtomicBool::new(stop),
            &|_| (),
            |_| (),
        )
        .unwrap()
    };
    assert_eq!(end(Shard::ALL, true), BuildEnd::Stopped);
    // Each layer of this board is one file, of the first shard.
    let [first, second] = [1, 2].map(|number| Shard::new(number, 2).unwrap());
    assert_eq!(end(second, false), BuildEnd::OtherShardsMissing);
    assert_eq!(end(first, false), BuildEnd::Complete);
    assert_eq!(end(second, false), BuildEnd::Complete);
    for (number, of) in [(0, 0), (1, 0), (0, 3), (4, 3)] {
        assert_eq!(Shard::new(number, of), None, "{number}/{of}");
    }
}

#[test]
fn packing_can_be_stopped() {
    assert_eq!(small().pack(3, &AtomicBool::new(true)).unwrap(), None);
}

/// Blocks that were kept stay; blocks that a build has computed itself or needed for a new layer
/// are deleted unless they are to be kept.
#[test]
fn only_what_a_build_needed_is_deleted() {
    let (grid, folder) = (Grid::new(3, 2).unwrap(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    let kept = || {
        let names = (0..6).filter(|stones| folder.join(format!("{stones:02}")).exists());
        names.collect::<Vec<u8>>()
    };
    let plan = |stones, keep: &[u8]| BuildPlan {
        stones,
        keep: keep.to_vec(),
        ..whole(&grid)
    };
    let deleted = |plan| {
        let mut deleted = Vec::new();
        let built = |built| {
            if let LayerEvent::Deleted { stones } = built {
                deleted.push(stones);
            }
        };
        build(folder, &plan, &AtomicBool::new(false), &|_| (), built).unwrap();
        deleted
    };
    // The files that a build interrupted before the third layer leaves.
    assert_eq!(deleted(plan(4..=5, &[])), [5]);
    assert_eq!(deleted(plan(0..=5, &[1])), [4, 3, 2]);
    assert_eq!(kept(), [0, 1]);
    // First everything is kept; then nothing is named.
    assert!(deleted(plan(0..=5, &[0, 1, 2, 3, 4, 5])).is_empty());
    assert!(deleted(plan(0..=5, &[])).is_empty());
    assert_eq!(kept(), [0, 1, 2, 3, 4, 5]);
    // A file is computed again from a layer that was kept.
    std::fs::remove_file(folder.join("02/000.blocks")).unwrap();
    assert!(deleted(plan(0..=5, &[2])).is_empty());
    assert_eq!(kept(), [0, 1, 2, 3, 4, 5]);
}

/// Like two shards that end at the same moment, when each sees the other's file missing.
#[test]
fn a_layer_without_a_summary_is_not_computed_again() {
    let (grid, folder) = (Grid::new(3, 2).unwrap(), tempfile::tempdir().unwrap());
    let summaries = run(folder.path(), &whole(&grid));
    let summary = folder.path().join("03.json");
    std::fs::remove_file(&summary).unwrap();
    std::fs::remove_dir_all(folder.path().join("04")).unwrap();
    let plan = BuildPlan {
        stones: 0..=3,
        keep: Vec::new(),
        ..whole(&grid)
    };
    assert_eq!(run(folder.path(), &plan), summaries[2..]);
    assert!(summary.exists());
}

#[test]
fn a_packed_file_is_read_as_a_whole_or_not_at_all() {
    let bytes = packed(3).unwrap().unwrap();
    assert_eq!(packed(3).unwrap().unwrap(), bytes);
    let tablebase = PackedTablebase::from_bytes(bytes.clone()).unwrap();
    assert_eq!(tablebase.stones(), 3);
    assert_eq!(tablebase.file_len(), bytes.len());
    let summaries = small().summaries().unwrap().into_iter().take(4);
    let positions = summaries.map(|summary| summary.positions.all.total());
    assert_eq!(tablebase.count_positions(), Some(positions.sum()));
    let rng = &mut StdRng::seed_from_u64(4);
    for stones in 0..=3 {
        let position = random_position(rng, stones);
        let expected = PackedTablebase::built_in().value(&position);
        assert_eq!(tablebase.value(&position), expected, "{position}");
    }
    for len in 0..bytes.len() {
        assert!(
            PackedTablebase::from_bytes(bytes[..len].to_vec()).is_err(),
            "{len}"
        );
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(
        PackedTablebase::from_bytes(longer).err(),
        Some(PackedError::Damaged)
    );
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << rng.random_range(0..8);
        let expected = match place {
            0..8 => PackedError::WrongMagic,
            8..12 => PackedError::Version(u32::from_le_bytes(damaged[8..12].try_into().unwrap())),
            12..16 => PackedError::Damaged,
            _ => PackedError::Checksum,
        };
        let found = PackedTablebase::from_bytes(damaged).err();
        // A change in the contexts or the lengths of units may make the parts inconsistent.
        let is_found = found == Some(expected)
            || (20..bytes.len() - 100).contains(&place) && found == Some(PackedError::Damaged);
        assert!(is_found, "byte {place}: {found:?}");
    }
    // No file with a correct checksum makes the program crash, whatever else it contains.
    let positions: Vec<Position> = (0..20).map(|n| random_position(rng, n % 4)).collect();
    for _ in 0..cases(10_000) {
        let mut wrong = bytes.clone();
        let place = 20 + rng.random_range(0..wrong.len() as u32 - 20) as usize;
        wrong[place] = rng.random::<u64>() as u8;
        let sum = crc32fast::hash(&wrong[20..]).to_le_bytes();
        wrong[16..20].copy_from_slice(&sum);
        if let Ok(tablebase) = PackedTablebase::from_bytes(wrong) {
            for position in &positions {
                tablebase.value(position);
            }
        }
    }
    assert!(matches!(packed(5), Err(TablebaseError::Missing(5))));
    let refused = packed(16).unwrap_err().to_string();
    assert_eq!(
        refused,
        "positions with up to 15 stones can be packed, not 16"
    );
}
