//! The text form of positions.

use gothello::awari::{Pit, Player, Position, Scores};
use proptest::prelude::*;

#[test]
fn positions_are_parsed_back() {
    for text in [
        "4,4,4,4,4,4/4,4,4,4,4,4 0 0 s",
        "0,0,0,0,0,0/0,0,0,0,0,1 23 24 s",
        "15,0,0,3,1,0/0,12,0,0,0,2 10 5 n",
    ] {
        let position: Position = text.parse().unwrap();
        assert_eq!(position.to_string(), text);
    }
}

#[test]
fn every_error_says_what_and_where() {
    let errors = [
        "",
        "4,4,4,4,4,4/4,4,4,4,4,4 0 0",
        "4,4,4,4,4,4/4,4,4,4,4,4 0 0 s ",
        "4,4,4,4,4,4 0 0 s",
        "4,4,4,4,4/4,4,4,4,4,4 0 0 s",
        "4,4,4,4,4,4/4,4,x,4,4,4 0 0 s",
        "4,4,4,4,4,4/4,4,04,4,4,4 0 0 s",
        "4,4,4,4,4,4/4,4,4,4,4,4 +0 0 s",
        "4,4,4,4,4,4/4,4,4,4,4,49 0 0 s",
        "4,4,4,4,4,4/4,4,4,4,4,4 0 0 S",
        "4,4,4,4,4,4/4,4,4,4,4,4 1 0 s",
        "48,48,48,48,48,48/48,48,48,48,48,48 48 48 s",
        "0,0,0,0,0,0/0,0,0,0,0,1 25 22 s",
        "0,0,0,0,0,0/0,0,0,0,0,1 23 24 n",
    ];
    let shown = errors.map(|text| {
        let error = text.parse::<Position>().unwrap_err();
        format!("{text:?}\n    {error}")
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn small_and_capital_letters_are_different_pits() {
    let named = Pit::ALL.map(|pit| pit.to_string()).concat();
    assert_eq!(named, "abcdefABCDEF");
    for pit in Pit::ALL {
        assert_eq!(pit.to_string().parse(), Ok(pit));
    }
    for word in ["", "g", "G", "aa", " a", "1"] {
        assert!(word.parse::<Pit>().is_err(), "{word:?}");
    }
}

proptest! {
    #[test]
    fn any_position_is_parsed_back(
        pits in prop::array::uniform12(0..9_u8),
        score in 0..25_u8,
        is_south in any::<bool>(),
    ) {
        let stones: u8 = pits.iter().sum();
        let player = if is_south { Player::South } else { Player::North };
        let other = 48_i16 - i16::from(stones) - i16::from(score);
        let scores = |other| Scores { south: score, north: other };
        if let Some(position) = u8::try_from(other)
            .ok()
            .and_then(|other| Position::new(pits, scores(other), player).ok())
        {
            prop_assert_eq!(position.to_string().parse(), Ok(position));
        }
    }

    #[test]
    fn nothing_else_is_parsed(text in "[0-9,/ sn+-]{0,40}") {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }
}
