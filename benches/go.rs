//! How fast the rules of Go are: `cargo bench --bench go`.

use divan::Bencher;
use divan::counter::ItemsCount;
use gothello::go::{Board, Color, Game, Mercy, Move, Ownership, Point, Position, Rules, Size};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A random game is over by then, or has become a matter of repetition.
const MOST_MOVES: usize = 2000;

fn main() {
    divan::main();
}

fn rules(mercy: Mercy) -> Rules {
    Rules {
        mercy,
        ..Rules::default()
    }
}

fn size(side: usize) -> Size {
    Size::square(side).expect("a size")
}

/// Whether a point is one of the mover's own eyes: a game would never end if
/// players filled them.
fn is_eye(board: &Board, point: Point, color: Color) -> bool {
    let Point { row, column } = point;
    let beside = [
        (row.checked_sub(1), Some(column)),
        (Some(row + 1), Some(column)),
        (Some(row), column.checked_sub(1)),
        (Some(row), Some(column + 1)),
    ];
    beside.into_iter().all(|beside| match beside {
        (Some(row), Some(column)) => {
            let point = Point { row, column };
            !board.size().contains(point) || board.get(point) == Some(color)
        }
        _ => true,
    })
}

/// A whole random game.
fn random_game(rules: &Rules, size: Size, random: &mut StdRng) -> Game {
    let mut game = Game::new(rules.clone(), Position::start(size));
    let mut points: Vec<Point> = size.points().collect();
    while !game.is_over() && game.moves().len() < MOST_MOVES {
        let turn = game.turn();
        let mut mv = Move::Pass;
        // The points in random order, until one is found.
        for tried in 0..points.len() {
            let chosen = tried + random.next_u32() as usize % (points.len() - tried);
            points.swap(tried, chosen);
            let point = points[tried];
            let place = Move::Place(point);
            if game.board().get(point).is_none()
                && !is_eye(game.board(), point, turn)
                && game.check(place).is_ok()
            {
                mv = place;
                break;
            }
        }
        game.play(mv).expect("a legal move");
    }
    game
}

/// The moves of a random game.
fn random_moves(size: Size) -> Vec<Move> {
    let mut random = StdRng::seed_from_u64(1);
    let game = random_game(&rules(Mercy::OFF), size, &mut random);
    game.moves().to_vec()
}

fn replay(rules: &Rules, size: Size, moves: &[Move]) -> Game {
    let mut game = Game::new(rules.clone(), Position::start(size));
    for &mv in moves {
        game.play(mv).expect("a legal move");
    }
    game
}

/// Moves a second of ten random games, with the search for a legal point and
/// superko.
#[divan::bench(args = [9, 19, 25], sample_count = 20, sample_size = 1)]
fn random_games(bencher: Bencher<'_, '_>, side: usize) {
    let play = || {
        let mut random = StdRng::seed_from_u64(1);
        let games = (0..10).map(|_| random_game(&rules(Mercy::OFF), size(side), &mut random));
        games.map(|game| game.moves().len()).sum::<usize>()
    };
    bencher.counter(ItemsCount::new(play())).bench_local(play);
}

/// Moves a second of a random game whose moves are known, with superko.
#[divan::bench(args = [9, 19, 25], sample_count = 20, sample_size = 10)]
fn replay_a_game(bencher: Bencher<'_, '_>, side: usize) {
    let (size, rules) = (size(side), rules(Mercy::OFF));
    let moves = random_moves(size);
    bencher
        .counter(ItemsCount::new(moves.len()))
        .bench(|| replay(&rules, size, divan::black_box(&moves)));
}

/// The same with the score counted after every move.
#[divan::bench(args = [9, 19, 25], sample_count = 20, sample_size = 10)]
fn replay_a_game_with_mercy(bencher: Bencher<'_, '_>, side: usize) {
    let never = "1000".parse().expect("a score");
    let mercy = Mercy::new(never, 0).expect("it is not negative");
    let (size, rules) = (size(side), rules(mercy));
    let moves = random_moves(size);
    bencher
        .counter(ItemsCount::new(moves.len()))
        .bench(|| replay(&rules, size, divan::black_box(&moves)));
}

/// Boards scored a second: all of a random game.
#[divan::bench(args = [9, 19, 25], sample_count = 20, sample_size = 10)]
fn score(bencher: Bencher<'_, '_>, side: usize) {
    let (size, rules) = (size(side), rules(Mercy::OFF));
    let game = replay(&rules, size, &random_moves(size));
    let positions = game.positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        for Position {
            board, prisoners, ..
        } in positions
        {
            let ownership = Ownership::of(board);
            divan::black_box(ownership.score(*prisoners, &rules));
        }
    });
}

/// Points looked at a second for whether a stone may be placed there, in the
/// middle of a random game.
#[divan::bench(args = [9, 19, 25], sample_count = 20, sample_size = 100)]
fn legal_points(bencher: Bencher<'_, '_>, side: usize) {
    let size = size(side);
    let moves = random_moves(size);
    let half = moves.get(..moves.len() / 2).unwrap_or_default();
    let game = replay(&rules(Mercy::OFF), size, half);
    bencher
        .counter(ItemsCount::new(size.points().count()))
        .bench(|| divan::black_box(&game).legal_points().count());
}
