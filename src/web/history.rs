//! The plies of a game, each told by what it changes on the board.
//!
//! A board of 19x19 is a text of 361 characters, of which a move changes a few.
//! Told by the changes, a whole game is a tenth of the size.

use serde::Serialize;

use super::view::Ply;

/// Whole boards are sent when this much shorter than their changes: a change
/// such as `[360,"B"],` takes about so many characters.
const CHANGE: usize = 9;

/// A board, told by the one before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Shown {
    /// The whole board.
    Board(String),
    /// The characters that differ from the board before: where, and what is
    /// there now.
    Set(Vec<(usize, char)>),
}

impl Shown {
    /// How to tell `board` to those who know `before`, which is empty if they know
    /// none.
    fn new(before: &str, board: &str) -> Shown {
        let whole = || Shown::Board(board.to_owned());
        if before.is_empty()
            || before.len() != board.len()
            || !before.is_ascii()
            || !board.is_ascii()
        {
            return whole();
        }
        let pairs = before.chars().zip(board.chars()).enumerate();
        let set: Vec<_> = pairs
            .filter(|(_, (old, new))| old != new)
            .map(|(index, (_, new))| (index, new))
            .take(board.len() / CHANGE + 1)
            .collect();
        if set.len() * CHANGE > board.len() {
            return whole();
        }
        Shown::Set(set)
    }

    /// The board, as those see it who know `before`.
    fn after(&self, before: &str) -> String {
        match self {
            Shown::Board(board) => board.clone(),
            Shown::Set(set) => {
                let mut board: Vec<char> = before.chars().collect();
                for &(index, new) in set {
                    if let Some(cell) = board.get_mut(index) {
                        *cell = new;
                    }
                }
                board.into_iter().collect()
            }
        }
    }
}

/// A ply as it is sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Told {
    #[serde(flatten)]
    shown: Shown,
    #[serde(flatten)]
    ply: Ply,
}

/// All plies of a game; the first one is the start.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    plies: Vec<Told>,
    /// The board after all of them.
    last: String,
}

impl History {
    /// All plies.
    pub(super) fn plies(&self) -> &[Told] {
        &self.plies
    }

    /// Forgets all plies from number `from` on, and appends these. Says how many
    /// were kept: fewer than `from` if there were fewer.
    pub(super) fn replace(&mut self, from: usize, plies: Vec<Ply>) -> usize {
        if from < self.plies.len() {
            self.plies.truncate(from);
            let board = |before: String, told: &Told| told.shown.after(&before);
            self.last = self.plies.iter().fold(String::new(), board);
        }
        let kept = self.plies.len();
        for mut ply in plies {
            let board = std::mem::take(&mut ply.board);
            let shown = Shown::new(&self.last, &board);
            self.last = board;
            self.plies.push(Told { shown, ply });
        }
        kept
    }
}
