//! Sizes, points and boards as text.

use gothello::go::{Board, Color, Game, Move, Point, Position, Rules, Size};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::cases::cases;

fn size(rows: usize, columns: usize) -> Size {
    Size::new(rows, columns).unwrap()
}

/// The board after this many random stones.
fn some_board(size: Size, stones: u32, rng: &mut StdRng) -> Board {
    let mut game = Game::new(Rules::default(), Position::start(size));
    for _ in 0..stones {
        let points: Vec<Point> = game.legal_points().collect();
        if game.is_over() || points.is_empty() {
            break;
        }
        let point = points[rng.random_range(0..points.len())];
        game.play(Move::Place(point)).unwrap();
    }
    game.board().clone()
}

#[test]
fn boards_have_1_to_25_rows_and_columns() {
    for (rows, columns) in [(1, 1), (1, 25), (25, 1), (25, 25), (9, 13)] {
        let size = size(rows, columns);
        assert_eq!(
            (usize::from(size.rows()), usize::from(size.columns())),
            (rows, columns)
        );
        assert_eq!(size.points().count(), rows * columns, "{rows}x{columns}");
    }
    for (rows, columns) in [(0, 1), (1, 0), (26, 5), (5, 26), (257, 1), (usize::MAX, 1)] {
        let error = Size::new(rows, columns).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("a board cannot have {rows} rows and {columns} columns: use 1 to 25 of each")
        );
    }
}

#[test]
fn vertices_are_those_of_the_go_text_protocol() {
    for (size, row, column, vertex) in [
        (size(19, 19), 0, 0, "A19"),
        (size(19, 19), 18, 18, "T1"),
        (size(19, 19), 15, 3, "D4"),
        (size(19, 19), 3, 8, "J16"),
        (size(25, 25), 0, 24, "Z25"),
        (size(2, 3), 0, 2, "C2"),
        (size(1, 1), 0, 0, "A1"),
    ] {
        let point = Point { row, column };
        assert_eq!(point.vertex(size).as_deref(), Some(vertex));
        assert_eq!(Point::from_vertex(vertex, size), Ok(point));
        assert_eq!(Point::from_vertex(&vertex.to_lowercase(), size), Ok(point));
    }
}

#[test]
fn other_words_are_not_vertices() {
    for word in [
        "",
        "A",
        "4",
        "I5",
        "A0",
        "A01",
        "A20",
        "U1",
        "D-4",
        "D+4",
        "D 4",
        " D4",
        "D4 ",
        "DD",
        "é4",
        "D٣",
        "A4294967297",
        "pass",
    ] {
        assert!(Point::from_vertex(word, Size::STANDARD).is_err(), "{word}");
    }
    assert_eq!(
        Point::from_vertex("C3", size(2, 3))
            .unwrap_err()
            .to_string(),
        r#""C3" is not a point of a 2x3 board: use A1 to C2"#
    );
}

#[test]
fn invalid_boards_are_refused_and_the_error_says_where() {
    for (picture, error) in [
        (
            "",
            "a board cannot have 0 rows and 0 columns: use 1 to 25 of each",
        ),
        ("..\n...", "row 1 has 3 points, but row 0 has 2"),
        ("...\n..", "row 1 has 2 points, but row 0 has 3"),
        (
            "..\n.b",
            "'b' in row 1 is not a point: use B, W, or . for each",
        ),
        ("B", "the group of the stone at (0,0) has no liberty"),
        (
            ". . B W \n . B W W \n . W . W \n . . W B",
            "the group of the stone at (3,3) has no liberty",
        ),
    ] {
        let refused = picture.parse::<Board>().unwrap_err();
        assert_eq!(refused.to_string(), error);
    }
    let tall = ".\n".repeat(26);
    assert!(tall.parse::<Board>().is_err());
    assert!(".".repeat(26).parse::<Board>().is_err());
    assert!(".".repeat(100_000).parse::<Board>().is_err());
}

#[test]
fn a_picture_says_what_is_where() {
    let board: Board = "
        . B .
        W W B"
        .parse()
        .unwrap();
    assert_eq!(board.size(), size(2, 3));
    let stones: Vec<_> = board.stones().collect();
    let at = |row, column| Point { row, column };
    assert_eq!(
        stones,
        [
            (at(0, 1), Color::Black),
            (at(1, 0), Color::White),
            (at(1, 1), Color::White),
            (at(1, 2), Color::Black),
        ]
    );
    assert_eq!(board.get(at(0, 0)), None);
    for (row, column) in [
        (2, 0),
        (0, 3),
        (0, 32),
        (0, 33),
        (0, 65),
        (32, 1),
        (255, 255),
    ] {
        assert_eq!(board.get(at(row, column)), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(256)))]

    #[test]
    fn every_point_has_one_vertex(rows in 1_usize..=25, columns in 1_usize..=25) {
        let size = size(rows, columns);
        for point in size.points() {
            let vertex = point.vertex(size).unwrap();
            prop_assert_eq!(Point::from_vertex(&vertex, size), Ok(point));
        }
    }

    #[test]
    fn boards_are_read_as_they_are_written(
        rows in 1_usize..=25, columns in 1_usize..=25, stones in 0_u32..200, seed in any::<u64>(),
    ) {
        let board = some_board(size(rows, columns), stones, &mut StdRng::seed_from_u64(seed));
        prop_assert_eq!(board.to_string().parse(), Ok(board.clone()));
        let written: Vec<Vec<Option<Color>>> = board.rows().map(Iterator::collect).collect();
        prop_assert_eq!(Board::from_rows(&written), Ok(board));
    }

    #[test]
    fn no_text_makes_the_readers_panic(picture in "[BW. \n]{0,99}|.*", word in "[A-Za-z][0-9]{0,9}|.*") {
        if let Ok(board) = picture.parse::<Board>() {
            prop_assert_eq!(board.to_string().parse(), Ok(board));
        }
        if let Ok(point) = Point::from_vertex(&word, Size::STANDARD) {
            prop_assert_eq!(point.vertex(Size::STANDARD), Some(word.to_uppercase()));
        }
    }
}
