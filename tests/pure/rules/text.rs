//! The text form of a position.

use gothello::{IllegalPosition, ParsePositionError, Position};
use proptest::prelude::*;
use proptest::string::string_regex;

use super::{any_color, any_stones};
use crate::cases::cases;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(20_000)))]

    #[test]
    fn printed_positions_are_read_back((black, white) in any_stones(), to_move in any_color(), after_pass: bool) {
        if let Ok(position) = Position::new(black, white, to_move, after_pass) {
            prop_assert_eq!(position.to_string().parse(), Ok(position));
        }
    }

    #[test]
    fn parsed_positions_are_printed_back(text in string_regex("([bw.]{5}/){4}[bw.]{5} [bw]( pass)?").unwrap()) {
        match text.parse::<Position>() {
            Ok(position) => prop_assert_eq!(position.to_string(), text),
            Err(error) => prop_assert!(
                matches!(error, ParsePositionError::Illegal(IllegalPosition::NoLiberty(_))),
                "{}", error
            ),
        }
    }

    #[test]
    fn nothing_else_is_read(text in string_regex("[bw./ xpas]{0,40}").unwrap()) {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }
}

/// No module at the root has the crate's own name, so that a glob import is not ambiguous.
#[test]
fn everything_can_be_imported_at_once() {
    #[allow(clippy::wildcard_imports)]
    use gothello::*;
    assert_eq!(Game::new().position(), Some(&Position::START));
    assert_eq!(gothello::Color::Black, Color::Black);
}
