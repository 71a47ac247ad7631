//! Which characters a name may have, and how it stands among other text.

use std::borrow::Cow;

/// Whether a character spoils the line that it stands in: control characters, ends of
/// lines, and those that turn the direction of what follows them.
pub fn spoils_a_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether nothing is seen of a character: white space, and what is to be ignored where it
/// is not understood (Default_Ignorable_Code_Point of Unicode 16, `DerivedCoreProperties.txt`),
/// and the blank pattern of Braille.
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

/// Whether something is seen of a text.
pub fn is_visible(text: &str) -> bool {
    !text.chars().all(is_invisible)
}

/// A name that is put into a sentence: if it has letters that are written from right to
/// left it is isolated, so that it turns nothing around it. All other names stay as they
/// are, for whoever searches a log.
pub fn isolated(name: &str) -> Cow<'_, str> {
    if name.chars().any(is_right_to_left) {
        Cow::Owned(format!("\u{2068}{name}\u{2069}"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Whether a character is in one of the ranges that Unicode keeps for scripts that are
/// written from right to left (`DerivedBidiClass.txt`), or is the mark of that direction.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen() {
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
