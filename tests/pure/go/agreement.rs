//! The fast rules against the naive ones, move by move.

use std::collections::BTreeMap;

use gothello::go::{
    ByColor, Color, Game, Mercy, Move, Point, Position, Rules, Score, Scoring, Size,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::naive::{self, Turn};

/// A number of hundredths of a point.
fn hundredths(number: i64) -> Score {
    let sign = if number < 0 { "-" } else { "" };
    let text = format!("{sign}{}.{:02}", number.abs() / 100, number.abs() % 100);
    text.parse().unwrap()
}

fn naive_move(mv: Move) -> Turn {
    match mv {
        Move::Place(point) => Turn::Place((point.row.into(), point.column.into())),
        Move::Pass => Turn::Pass,
        Move::Resign => Turn::Resign,
    }
}

/// The same game in both.
struct Both {
    game: Game,
    naive: naive::Game,
}

impl Both {
    fn new(rules: &naive::Rules, size: Size) -> Both {
        let fast = Rules {
            ko: rules.ko,
            superko: rules.superko,
            komi: hundredths(rules.komi),
            mercy: Mercy::new(hundredths(rules.mercy), rules.mercy_start as u32).unwrap(),
            scoring: if rules.area {
                Scoring::Area
            } else {
                Scoring::Territory
            },
            prisoner_score: rules.prisoner_score as u32,
            pass_adds_to_prisoners: rules.pass_adds_to_prisoners,
        };
        let row = vec!['.'; size.columns().into()];
        Both {
            game: Game::new(fast, Position::start(size)),
            naive: naive::Game {
                rules: rules.clone(),
                history: vec![(vec![row; size.rows().into()], 'B')],
                turns: Vec::new(),
                black_prisoners: 0,
                white_prisoners: 0,
                end: None,
            },
        }
    }

    /// Asserts that both agree about the current position.
    fn assert_same(&self) {
        let (game, naive) = (&self.game, &self.naive);
        assert_eq!(game.turn().capital(), naive.turn());
        let letter = |color: Option<Color>| color.map_or('.', Color::capital);
        let (ownership, owners) = (game.ownership(), naive::owners(naive.rows()));
        for point in game.board().size().points() {
            let on = |rows: &naive::Rows| rows[usize::from(point.row)][usize::from(point.column)];
            let (stone, owner) = (on(naive.rows()), on(&owners));
            assert_eq!(letter(game.board().get(point)), stone, "{game:?} {point}");
            assert_eq!(letter(ownership.owner(point)), owner, "{game:?} {point}");
        }
        let prisoners = game.prisoners().map(i64::from);
        let expected = ByColor::new(naive.black_prisoners, naive.white_prisoners);
        assert_eq!(prisoners, expected, "{game:?}");
        let (black, white) = naive.score();
        let score = ByColor::new(hundredths(black), hundredths(white));
        assert_eq!(game.score(), score, "{game:?}");
        let ending = game.ending().map(|ending| {
            let reason = ending.reason.to_string();
            (reason, letter(ending.winner))
        });
        let expected = naive
            .end
            .map(|(reason, winner)| (reason.to_owned(), winner));
        assert_eq!(ending, expected, "{game:?}");
    }

    /// Makes a move in both, and asserts that both agree about it. Returns the word that refuses
    /// an illegal move, which changes nothing.
    fn play(&mut self, mv: Move) -> Result<(), &'static str> {
        let checked = self.game.check(mv);
        let state = |game: &Game| (game.position().clone(), game.prisoners(), game.ending());
        let before = state(&self.game);
        let played = self.game.play(mv);
        assert_eq!(played.err(), checked.err(), "{mv:?} {:?}", self.game);
        let expected = self.naive.take(naive_move(mv));
        let word = played.map(|_| ()).map_err(|illegal| illegal.to_string());
        assert_eq!(
            word,
            expected.map_err(str::to_owned),
            "{mv:?} {:?}",
            self.game
        );
        assert_eq!(self.game.moves().len(), self.naive.turns.len());
        assert_eq!(self.game.positions().last(), Some(self.game.position()));
        match played {
            Ok(_) => self.assert_same(),
            Err(_) => assert_eq!(state(&self.game), before),
        }
        expected
    }
}

/// Random rules. Small margins let mercy end games on small boards, too.
fn rules(rng: &mut StdRng, superko: bool) -> naive::Rules {
    let mut of = |values: &[i64]| values[rng.random_range(0..values.len())];
    naive::Rules {
        ko: of(&[0, 1]) == 1,
        superko,
        komi: of(&[650, 0, -325, 10, 100]),
        mercy: of(&[0, 0, 550, 2990]),
        mercy_start: of(&[0, 7, 40]) as usize,
        area: of(&[0, 1]) == 1,
        prisoner_score: of(&[0, 1, 2]),
        pass_adds_to_prisoners: of(&[0, 0, 1]) == 1,
    }
}

/// Plays a random game of at most this many moves in both, and compares every point before every
/// n-th of them. Returns how often each word occurred.
fn compare(both: &mut Both, moves: usize, every: usize, rng: &mut StdRng) -> Tally {
    let mut tally = Tally::new();
    let size = both.game.board().size();
    // One row and one column more than the board has.
    let beyond = Size::new(size.rows() as usize + 1, size.columns() as usize + 1);
    let points: Vec<Point> =
        beyond.map_or_else(|_| size.points().collect(), |size| size.points().collect());
    // Debug builds compare only some of the points of large boards.
    let step = if cfg!(debug_assertions) {
        points.len().div_ceil(40)
    } else {
        1
    };
    for number in 0..moves {
        if number % every == 0 {
            for &point in points.iter().step_by(step) {
                let word = both.game.check(Move::Place(point));
                let word = word.map_err(|illegal| illegal.to_string());
                let placed = both.naive.place((point.row.into(), point.column.into()));
                let expected = placed.map(|_| ()).map_err(str::to_owned);
                assert_eq!(word, expected, "{point} {:?}", both.game);
            }
        }
        let mv = match rng.random_range(0..40) {
            0 => Move::Pass,
            1 if rng.random_range(0..20) == 0 => Move::Resign,
            _ => Move::Place(points[rng.random_range(0..points.len())]),
        };
        if let Err(word) = both.play(mv) {
            *tally.entry(word.to_owned()).or_default() += 1;
        }
        if let Some(ending) = both.game.ending() {
            *tally.entry(ending.reason.to_string()).or_default() += 1;
            break;
        }
    }
    tally
}

/// How often each word occurred.
type Tally = BTreeMap<String, usize>;

fn compare_small_boards(games: usize, rng: &mut StdRng) {
    let mut total = Tally::new();
    for (rows, columns) in (1..=9).flat_map(|rows| (1..=9).map(move |columns| (rows, columns))) {
        let size = Size::new(rows, columns).unwrap();
        let points = rows * columns;
        for number in 0..games {
            let mut both = Both::new(&rules(rng, (number + columns) % 2 == 0), size);
            let tally = compare(&mut both, 5 * points + 10, points, rng);
            for (word, count) in tally {
                *total.entry(word).or_default() += count;
            }
        }
    }
    for word in [
        "Out of Bound",
        "Nonempty point",
        "Suicide",
        "SuperKo",
        "Ko",
        "pass",
        "resign",
        "mercy",
    ] {
        assert!(total.contains_key(word), "{word}: {total:?}");
    }
}

#[test]
fn both_implementations_agree_on_every_board_up_to_9x9() {
    compare_small_boards(
        if cfg!(debug_assertions) { 1 } else { 4 },
        &mut StdRng::seed_from_u64(1),
    );
}

#[test]
#[ignore = "takes seconds, optimized"]
fn both_implementations_agree_on_many_games_up_to_9x9() {
    compare_small_boards(15, &mut StdRng::seed_from_u64(2));
}

#[test]
fn both_implementations_agree_on_large_boards() {
    let moves = if cfg!(debug_assertions) { 40 } else { 800 };
    let mut rng = StdRng::seed_from_u64(3);
    for (rows, columns, superko) in [(19, 19, true), (19, 19, false), (25, 24, true)] {
        let rules = naive::Rules {
            mercy: 0,
            ..rules(&mut rng, superko)
        };
        let mut both = Both::new(&rules, Size::new(rows, columns).unwrap());
        compare(&mut both, moves, moves / 4, &mut rng);
        assert!(both.game.moves().len() > moves / 8, "{:?}", both.game);
    }
}
