//! The text form of a position.

use gothello::{IllegalPosition, ParsePositionError, Position};
use proptest::prelude::*;

use super::{any_color, any_stones};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn what_is_printed_is_read_back((black, white) in any_stones(), to_move in any_color(), after_pass: bool) {
        if let Ok(position) = Position::new(black, white, to_move, after_pass) {
            prop_assert_eq!(position.to_string().parse(), Ok(position));
        }
    }

    #[test]
    fn what_is_read_is_printed_back(text in "([bw.]{5}/){4}[bw.]{5} [bw]( pass)?") {
        match text.parse::<Position>() {
            Ok(position) => prop_assert_eq!(position.to_string(), text),
            Err(error) => prop_assert!(
                matches!(error, ParsePositionError::Illegal(IllegalPosition::NoLiberty(_))),
                "{}", error
            ),
        }
    }

    #[test]
    fn nothing_else_is_read(text in "[bw./ xpas]{0,40}") {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }
}
