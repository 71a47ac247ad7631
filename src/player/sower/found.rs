//! What a search finds out, and what it needs to know.

use super::table::{Bound, Entry};
use super::value::{Margins, Sureness};

/// Which values matter: the player to move has `alpha` already, and the opponent
/// allows no more than `beta`.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub alpha: i32,
    pub beta: i32,
}

/// A value, and what it rests on.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub value: i32,
    /// Whether it is proven who wins, or that nobody does.
    pub solid: bool,
    /// The first position on the line whose repetition has to do with it.
    pub repeats: usize,
}

/// The limits are reached.
pub(super) struct Stopped;

impl Found {
    /// What has happened, or is proven.
    pub(super) fn proven(value: i32) -> Found {
        Found {
            value,
            solid: true,
            repeats: usize::MAX,
        }
    }

    /// The same for the other player.
    pub(super) fn negated(self) -> Found {
        Found {
            value: -self.value,
            ..self
        }
    }
}

/// What a value in or outside a window says.
pub(super) fn bound(value: i32, window: Window) -> Bound {
    if value >= window.beta {
        Bound::AtLeast
    } else if value <= window.alpha {
        Bound::AtMost
    } else {
        Bound::Exact
    }
}

/// What an entry says of a search of this depth and window.
pub(super) fn usable(entry: Entry, depth: u8, window: Window) -> Option<Found> {
    let decides = match entry.bound {
        Bound::Exact => true,
        Bound::AtLeast => entry.value >= window.beta,
        Bound::AtMost => entry.value <= window.alpha,
    };
    let is_deep = entry.solid || entry.depth >= depth;
    (is_deep && decides).then_some(Found {
        value: entry.value,
        solid: entry.solid,
        repeats: usize::MAX,
    })
}

/// What a database says of a position, if that is enough for the window.
pub(super) fn cut_off(margins: Margins, window: Window, sureness: Sureness) -> Option<Found> {
    let (low, high) = margins.values(sureness);
    let value = if low >= window.beta || low == high {
        low
    } else if high <= window.alpha {
        high
    } else {
        return None;
    };
    Some(Found {
        value,
        solid: sureness.proven,
        repeats: usize::MAX,
    })
}
