//! Who has Black: fair colors in a Swiss tournament.
//!
//! Source: FIDE, C.04.3 (Dutch system), articles 1.7 (color preferences) and 5
//! (color allocation), with the colors of Go: there White moves first, here Black.

use std::cmp::Ordering;

use crate::color::Color;

/// The colors that a player had, the earliest first. Games that were not played
/// do not count.
#[derive(Clone, Debug, Default)]
pub(super) struct Colors(Vec<Color>);

/// Which color a player should have next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Preference {
    pub(super) color: Color,
    pub(super) strength: Strength,
}

/// How much depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// He had both colors as often: it should not be the one he had last.
    Mild,
    /// He had the other color once more.
    Strong,
    /// He had the other color twice more, or twice in a row.
    Absolute,
}

impl Colors {
    pub(super) fn push(&mut self, color: Color) {
        self.0.push(color);
    }

    /// How much more often it was Black than White.
    fn difference(&self) -> isize {
        let sign = |color: &Color| match color {
            Color::Black => 1,
            Color::White => -1,
        };
        self.0.iter().map(sign).sum()
    }

    /// The color that the player should have next; `None` before his first game.
    pub(super) fn preference(&self) -> Option<Preference> {
        let mut latest = self.0.iter().rev();
        let last = *latest.next()?;
        let twice = latest.next() == Some(&last);
        let difference = self.difference();
        let often = match difference.cmp(&0) {
            Ordering::Greater => Some(Color::Black),
            Ordering::Less => Some(Color::White),
            Ordering::Equal => None,
        };
        let wide = difference.abs() > 1;
        let had = if wide { often } else { None };
        let had = had.or(twice.then_some(last)).or(often).unwrap_or(last);
        Some(Preference {
            color: had.opponent(),
            strength: match difference {
                _ if twice || wide => Strength::Absolute,
                0 => Strength::Mild,
                _ => Strength::Strong,
            },
        })
    }
}

/// The color of the first of two players, who is ranked higher. `initial` is what
/// he gets where nothing else decides.
pub(super) fn allocate(higher: &Colors, lower: &Colors, initial: Color) -> Color {
    let (one, other) = match (higher.preference(), lower.preference()) {
        (None, None) => return initial,
        (Some(one), None) => return one.color,
        (None, Some(other)) => return other.color.opponent(),
        (Some(one), Some(other)) => (one, other),
    };
    if one.color != other.color {
        return one.color;
    }
    // Both should have the same color: it is his who needs it more.
    let needs = |colors: &Colors, preference: Preference| {
        let absolute = preference.strength == Strength::Absolute;
        let difference = if absolute {
            colors.difference().abs()
        } else {
            0
        };
        (preference.strength, difference)
    };
    match needs(higher, one).cmp(&needs(lower, other)) {
        Ordering::Greater => return one.color,
        Ordering::Less => return one.color.opponent(),
        Ordering::Equal => {}
    }
    // Or they change the colors of the last time when they had different ones.
    let mut latest = higher.0.iter().rev().zip(lower.0.iter().rev());
    match latest.find(|(one, other)| one != other) {
        Some((had, _)) => had.opponent(),
        None => one.color,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colors(text: &str) -> Colors {
        let color = |char| {
            if char == 'b' {
                Color::Black
            } else {
                Color::White
            }
        };
        Colors(text.chars().map(color).collect())
    }

    #[test]
    fn preferences_follow_the_colors_that_a_player_had() {
        let preference = |text| {
            let Preference { color, strength } = colors(text).preference().unwrap();
            format!("{strength:?} {color:?}")
        };
        assert_eq!(colors("").preference(), None);
        assert_eq!(preference("b"), "Strong White");
        assert_eq!(preference("bw"), "Mild Black");
        assert_eq!(preference("bww"), "Absolute Black");
        assert_eq!(preference("wbb"), "Absolute White");
        assert_eq!(preference("bwb"), "Strong White");
        // Twice in a row is more than to have had it less often.
        assert_eq!(preference("bbbww"), "Absolute Black");
        assert_eq!(preference("bwbwbb"), "Absolute White");
    }

    #[test]
    fn a_color_goes_to_whom_it_is_due() {
        let black = |higher, lower| allocate(&colors(higher), &colors(lower), Color::Black);
        assert_eq!(black("", ""), Color::Black);
        assert_eq!(black("b", "w"), Color::White);
        // The stronger preference.
        assert_eq!(black("wb", "b"), Color::Black);
        assert_eq!(black("bwb", "wbb"), Color::Black);
        // The latest time when they had different colors.
        assert_eq!(black("wbwb", "bwwb"), Color::White);
        assert_eq!(black("bwwb", "wbwb"), Color::Black);
        // The higher player.
        assert_eq!(black("b", "b"), Color::White);
    }
}
