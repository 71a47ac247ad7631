//! Pictures of positions as SVG.

use gothello::sgf::{Mark, MarkKind};
use gothello::solver::{Bounds, MoveBounds};
use gothello::{Game, Picture, Position};
use proptest::prelude::*;

use super::{any_color, any_stones};

fn mark(point: &str, kind: MarkKind, label: &str) -> Mark {
    Mark {
        point: point.parse().unwrap(),
        kind,
        label: label.into(),
    }
}

#[test]
fn a_picture_has_stones_values_marks_and_a_caption() {
    // White has two moves, and has seen Black's last one.
    let mut game = Game::from(
        "bbbbw/bbbbw/bbb../bbbww/bw.ww b"
            .parse::<Position>()
            .unwrap(),
    );
    game.play(game.to_move(), "d3".parse().unwrap()).unwrap();
    let position = *game.position().unwrap();
    let bounds = |mv: &str, low, high| MoveBounds {
        mv: mv.parse().unwrap(),
        bounds: Bounds { low, high },
    };
    let moves = [bounds("c1", 24, 24), bounds("pass", -9, -4)];
    let picture = Picture::of_game(&game)
        .mark(mark("a5", MarkKind::Triangle, ""))
        .mark(mark("c1", MarkKind::Label, "<A>"))
        .values(&position, position.to_move(), Bounds::UNKNOWN, &moves);
    insta::assert_snapshot!("picture", picture.to_svg());
    insta::assert_snapshot!("plain_board", position.board().to_svg());
}

#[test]
fn values_are_told_as_they_are_known() {
    let told = |low, high| {
        let picture = Picture::new(Position::START.board());
        let svg = picture
            .value("c1".parse().unwrap(), low..=high, false)
            .to_svg();
        let (_, value) = svg.split_once("<g class=\"value ").unwrap();
        let (kind, value) = value.split_once('"').unwrap();
        format!("{} {kind}", texts(value.split("</g>").next().unwrap())[0])
    };
    insta::assert_snapshot!(told(3, 3), @"+3 win");
    insta::assert_snapshot!(told(0, 0), @"0 draw");
    insta::assert_snapshot!(told(2, 6), @"+2…+6 win");
    insta::assert_snapshot!(told(1, 25), @"≥+1 win");
    insta::assert_snapshot!(told(-20, -1), @"≤−1 loss");
    insta::assert_snapshot!(told(-5, -1), @"−5…−1 loss");
    insta::assert_snapshot!(told(-4, 5), @"−4…+5 open");
    insta::assert_snapshot!(told(-7, 7), @"? open");
}

/// Checks that a document is well formed, and returns its texts.
fn texts(svg: &str) -> Vec<String> {
    let mut open = Vec::new();
    let mut texts = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        assert!(!text.contains('>'), "{part}");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name.to_owned())),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap().to_owned()),
        }
        if tag.starts_with("text ") {
            let plain = text.replace("&lt;", "<").replace("&gt;", ">");
            texts.push(plain.replace("&amp;", "&"));
        }
    }
    assert!(open.is_empty(), "{open:?}");
    texts
}

proptest! {
    #[test]
    fn every_legal_move_has_a_value(
        (black, white) in any_stones(),
        to_move in any_color(),
        viewer in any_color(),
        after_pass in any::<bool>(),
        bounds in proptest::collection::vec((-25_i8..=25, -25_i8..=25), 26),
        label in any::<String>(),
    ) {
        let position = Position::new(black, white, to_move, after_pass);
        prop_assume!(position.is_ok());
        let position = position.unwrap();
        let moves: Vec<MoveBounds> = position
            .legal_moves()
            .zip(bounds)
            .map(|(mv, (one, other))| MoveBounds {
                mv,
                bounds: Bounds { low: one.min(other), high: one.max(other) },
            })
            .collect();
        let svg = Picture::of_game(&Game::from(position))
            .mark(mark("c3", MarkKind::Label, &label))
            .liberties()
            .values(&position, viewer, Bounds::UNKNOWN, &moves)
            .to_svg();
        let count = |text: &str| svg.matches(text).count();
        prop_assert_eq!(count("<g class=\"value "), position.legal_moves().count());
        prop_assert!(count(" best\"") <= moves.len());
        prop_assert_eq!(count("<circle"), position.stones().count() as usize);
        let stones = position.stones().count() as usize;
        // The coordinates, the liberties, the values, the mark and the caption.
        prop_assert_eq!(texts(&svg).len(), 10 + stones + moves.len() + 1 + 3);
    }
}
