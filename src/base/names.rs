//! Names of players and clients: which characters they may have, and how they are
//! embedded in other text.

use std::borrow::Cow;

/// Returns whether a character could break a line of text: a control character, an end of
/// line, or one that changes the direction of the text after it.
pub fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns whether a character is invisible: white space, control characters, those with
/// the property Default_Ignorable_Code_Point (Unicode 16, `DerivedCoreProperties.txt`), and
/// the blank Braille pattern.
pub fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a text has a visible character.
pub fn is_visible(text: &str) -> bool {
    !text.chars().all(is_invisible)
}

/// Embeds a name in a sentence. A name with letters that are written from right to left is
/// wrapped in Unicode isolates, so that it does not reorder the text around it. All other
/// names are unchanged, so that a search in a log finds them.
pub fn isolated(name: &str) -> Cow<'_, str> {
    if name.chars().any(is_right_to_left) {
        Cow::Owned(format!("\u{2068}{name}\u{2069}"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Lists names in a sentence, each [`isolated`]: `Ann, Bob and Eve`.
pub fn enumerated<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<Cow<'_, str>> = names.into_iter().map(isolated).collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.to_string(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// Returns whether a character is in one of the ranges that Unicode reserves for scripts
/// written from right to left (`DerivedBidiClass.txt`), or is the right-to-left mark.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_as_in_a_sentence() {
        for (names, text) in [
            (&[][..], ""),
            (&["Ann"], "Ann"),
            (&["Ann", "Bob"], "Ann and Bob"),
            (&["Ann", "Bob", "علي"], "Ann, Bob and \u{2068}علي\u{2069}"),
        ] {
            assert_eq!(enumerated(names.iter().copied()), text);
        }
    }

    #[test]
    fn a_text_is_visible_if_one_character_is() {
        for text in [
            "",
            " \t",
            "\u{200b}",
            "\u{200b}\u{2060} \u{feff}",
            "\u{3164}",
            "\u{2800}",
            "\u{e0041}",
        ] {
            assert!(!is_visible(text), "{text:?}");
        }
        for text in ["a", "\u{200b}a", "日本", "\u{1f468}\u{200d}\u{1f469}", "ن"] {
            assert!(is_visible(text), "{text:?}");
        }
    }

    #[test]
    fn only_names_that_are_written_from_right_to_left_are_isolated() {
        for name in ["Ann", "日本", "Zoë", "Ann 7"] {
            assert_eq!(isolated(name), name);
        }
        for name in ["فريق القاهرة", "שלום", "Team ن"] {
            assert_eq!(isolated(name), format!("\u{2068}{name}\u{2069}"));
        }
    }
}
