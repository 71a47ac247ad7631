//! What is wrong with a text, and where.

use std::fmt::{self, Display};

use thiserror::Error;

use crate::games::gothello::{IllegalPosition, PlayError};

/// The greatest number of nodes that a record may have.
pub const MAX_NODES: usize = 20_000;

/// The reason why an SGF text is not a record of Gothello.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is no record at all.
    #[error("not an SGF file: {0}")]
    Format(&'static str),
    /// It has more than [`MAX_NODES`] nodes, or open parentheses.
    #[error("more than {MAX_NODES} nodes or open parentheses")]
    TooLarge,
    /// It is a record of another game than Go, as which Gothello is recorded.
    #[error("wrong game: Gothello is recorded as GM[1]")]
    OtherGame,
    /// The board is not 5x5.
    #[error("wrong board size {0}: Gothello is recorded with SZ[5]{hint}", hint = awari_hint(.0))]
    Size(String),
    /// A move that is wanted is illegal, or the position before the first move.
    #[error("{}: {}", .0.place, .0.fault)]
    Illegal(LeftOut),
}

impl ReadError {
    pub(super) fn illegal(text: &str, at: usize, fault: Fault) -> ReadError {
        ReadError::Illegal(LeftOut::new(text, at, fault))
    }

    /// Returns the same of a text that begins at a place of a file.
    #[must_use]
    pub fn in_file(self, begins: Place) -> ReadError {
        match self {
            ReadError::Illegal(left_out) => ReadError::Illegal(left_out.in_file(begins)),
            other => other,
        }
    }
}

/// Explains how to open games of Awari, if the board has the size at which GoGui shows them.
fn awari_hint(size: &str) -> &'static str {
    match size {
        "6x6" => "; Awari is opened from a record or from its moves, not from SGF",
        _ => "",
    }
}

/// A part of a text that is left out of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Where it begins.
    pub place: Place,
    /// The reason.
    pub fault: Fault,
}

impl LeftOut {
    pub(super) fn new(text: &str, at: usize, fault: Fault) -> LeftOut {
        let place = Place::of(text, at);
        LeftOut { place, fault }
    }

    /// Returns the same of a text that begins at a place of a file.
    #[must_use]
    pub fn in_file(self, begins: Place) -> LeftOut {
        LeftOut {
            place: begins.then(self.place),
            ..self
        }
    }
}

/// Names the place, the fault, and what is left out because of it.
impl Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = match self.fault.ends_line() {
            true => "; it is left out with all that follows it",
            false => "",
        };
        write!(f, "{}: {}{rest}", self.place, self.fault)
    }
}

/// Why a part of a text is left out of a game. Properties are quoted as they are written, in short.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// It is no property, node or parenthesis.
    #[error("{0:?} is no part of a record, and is left out")]
    Stray(String),
    /// The text ends in a property.
    #[error("the text ends in {0}, which is left out")]
    Cut(String),
    /// The text ends before the game.
    #[error("the text ends before the last parenthesis")]
    Unclosed,
    /// A move that is not on the board.
    #[error("move {number}, {written}, is not on the 5x5 board")]
    OffBoard {
        /// The number of the move, from 1.
        number: usize,
        /// The move.
        written: String,
    },
    /// A move that the rules refuse.
    #[error("move {number}, {written}, is illegal: {why}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The move.
        written: String,
        /// The reason.
        why: PlayError,
    },
    /// A move with several values.
    #[error("of the values of {0}, the first is the move")]
    Values(String),
    /// A point of a set-up that is not on the board.
    #[error("{0} is not on the 5x5 board")]
    SetUpOffBoard(String),
    /// A set-up that is not a legal position.
    #[error("the position that is set up is illegal: {0}")]
    SetUp(IllegalPosition),
}

impl Fault {
    /// Returns whether the rest of the line of play is left out, too.
    pub fn ends_line(&self) -> bool {
        match self {
            Fault::OffBoard { .. }
            | Fault::Move { .. }
            | Fault::SetUpOffBoard(_)
            | Fault::SetUp(_) => true,
            Fault::Stray(_) | Fault::Cut(_) | Fault::Unclosed | Fault::Values(_) => false,
        }
    }
}

/// The faults of a text that are told.
pub(super) struct Told<'a> {
    text: &'a str,
    pub left_out: Vec<LeftOut>,
}

impl<'a> Told<'a> {
    /// How many are told of a text.
    const MAX: usize = 20;

    pub fn new(text: &'a str) -> Told<'a> {
        Told {
            text,
            left_out: Vec::new(),
        }
    }

    /// Returns the faults of the syntax, and those of the game, in their order.
    pub fn of(text: &str, syntax: Vec<LeftOut>, game: Vec<(usize, Fault)>) -> Vec<LeftOut> {
        let mut told = Told {
            text,
            left_out: syntax,
        };
        for (at, fault) in game {
            told.tell(at, fault);
        }
        told.left_out.sort_by_key(|left_out| left_out.place);
        told.left_out
    }

    /// Tells a fault at a byte of the text.
    pub fn tell(&mut self, at: usize, fault: Fault) {
        if self.left_out.len() < Told::MAX {
            self.left_out.push(LeftOut::new(self.text, at, fault));
        }
    }
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in the line, from 1.
    pub column: usize,
}

impl Place {
    /// The beginning of a text.
    pub const START: Place = Place { line: 1, column: 1 };

    /// Returns the place of a byte.
    pub(super) fn of(text: &str, at: usize) -> Place {
        let before = text.get(..at).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Place {
            line: 1 + before.matches('\n').count(),
            column: 1 + line.chars().count(),
        }
    }

    /// Returns the place in a file of a place in a text that begins here.
    #[must_use]
    pub(super) fn then(self, place: Place) -> Place {
        match place.line {
            1 => Place {
                line: self.line,
                column: self.column + place.column - 1,
            },
            line => Place {
                line: self.line + line - 1,
                ..place
            },
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
