//! Numbers with nouns in texts for people.

use std::fmt::Display;

/// Returns a number and a regular noun, which is in the plural unless the number is 1.
pub fn counted(number: impl Copy + Display + TryInto<u64>, noun: &str) -> String {
    if number.try_into().is_ok_and(|number| number == 1) {
        return format!("{number} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => {
            format!("{number} {noun}es")
        }
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        assert_eq!(counted(0_u8, "move"), "0 moves");
        assert_eq!(counted(1_u32, "move"), "1 move");
        assert_eq!(counted(2_usize, "match"), "2 matches");
        assert_eq!(counted(21_u64, "entry"), "21 entries");
        assert_eq!(counted(3_i32, "delay"), "3 delays");
        assert_eq!(counted(-1_i64, "point"), "-1 points");
    }
}
