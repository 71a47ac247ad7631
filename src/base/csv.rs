//! Tables of comma-separated values (CSV), as RFC 4180 describes them, with `\n` line ends.
//!
//! Spreadsheets compute a cell that begins like a formula. So a text that does so is written after
//! a `'`.

use std::borrow::Cow;

/// Returns a text from outside as a field.
pub fn text(text: &str) -> String {
    let text = guarded(text);
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

/// Returns a text that no spreadsheet takes for a formula: one that begins with `=`, `+`, `-`,
/// `@`, `'`, a tab, or a line end is preceded by a `'`.
pub fn guarded(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\'', '\t', '\r', '\n']) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// Returns the row of these fields. Those that come from outside are made by [`text`].
pub fn row(fields: impl IntoIterator<Item = String>) -> String {
    let fields: Vec<String> = fields.into_iter().collect();
    fields.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_quoted_only_if_it_has_to_be() {
        assert_eq!(text("Ann Lee"), "Ann Lee");
        assert_eq!(text("Lee, Ann"), "\"Lee, Ann\"");
        assert_eq!(text("Ann \"A\" Lee"), "\"Ann \"\"A\"\" Lee\"");
        assert_eq!(text("one\ntwo"), "\"one\ntwo\"");
        assert_eq!(row([text("a,b"), String::new(), text("c")]), "\"a,b\",,c\n");
    }

    #[test]
    fn a_formula_is_text() {
        for formula in ["=1+1", "+1", "-1", "@A1", "'=1", "\t=1", "\r=1"] {
            assert_eq!(guarded(formula), format!("'{formula}"));
        }
        assert_eq!(text("=A1,\"B\""), "\"'=A1,\"\"B\"\"\"");
        for plain in ["", "a=b", "1-0", " =1"] {
            assert_eq!(guarded(plain), plain);
        }
    }
}
