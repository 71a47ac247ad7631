//! The steps that checks consist of.

use std::fmt::Debug;

/// A step of a check, a row of its table.
pub trait Step: Copy + Debug + Ord + Send + 'static {
    /// Returns all steps, in the order of the report.
    fn all() -> Vec<Self>;

    /// Returns the row of the table.
    fn spec(self) -> Spec;

    /// Finds a step by its name.
    fn find(name: &str) -> Option<Self> {
        let mut steps = Self::all().into_iter();
        steps.find(|step| step.spec().name == name)
    }
}

/// A row of the table of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The name on the command line.
    pub name: &'static str,
    /// The expected behavior, as a sentence about the program: "numbers its moves".
    pub title: &'static str,
    /// The rule of the protocol.
    pub rule: Rule,
    /// The document with the rule.
    pub document: &'static str,
}

/// A rule of a protocol, and its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rule, as a part of a sentence.
    pub text: &'static str,
    /// The section of its document.
    pub source: &'static str,
}

impl Rule {
    /// The document of the rules of Gothello.
    pub const DOCUMENT: &str = "A Networked Gothello Referee: Specification";
}

/// Returns a rule, or creates one from its text and source.
macro_rules! rule {
    ($rule:expr) => {
        $rule
    };
    ($text:expr, $source:expr) => {
        $crate::check::step::Rule {
            text: $text,
            source: $source,
        }
    };
}

/// Defines the rules of play and of the ends of games, with their sources in the document.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident: $text:literal, $source:literal;)+) => {
        impl Rule {
            $($(#[$doc])* pub const $name: Rule = rule!($text, $source);)+
        }
    };
}

rules! {
    /// Stones on occupied points.
    OCCUPIED: "a move is illegal if it is to an occupied space",
        "section 1, GothelloIllegalMoveNonblank";
    /// Stones without a liberty.
    BLOCKED: "a move is illegal if the stone becomes part of a group with no liberties",
        "section 1, GothelloIllegalMoveBlocked";
    /// Stones that would get a liberty only by a capture.
    BLOCKED_BEFORE_CAPTURES: "liberties are counted before captures: unlike in Go, a stone without a liberty may not \
        capture",
        "section 1, GothelloIllegalMoveBlocked";
    /// Captures.
    CAPTURES: "a move changes the color of adjacent opposing groups whose last liberty it takes",
        "section 1, GothelloMove";
    /// Forced passes.
    FORCED_PASS: "a player must pass if no legal move is available",
        "section 1";
    /// The pass that ends a game in which neither player can place a stone.
    LAST_PASS: "a player must pass if no legal move is available; the game is over when both have \
        passed in succession",
        "section 1";
    /// The end of a game.
    TWO_PASSES: "the game is over when both players have passed in succession",
        "section 1, GothelloPass";

    // The ends of games, which have the same codes and tables in both specifications.
    /// The end of a game that the program's own pass wins.
    OWN_WIN: "201: you win; then the server closes the connection",
        "section 2, tables 8 and 9";
    /// The end of a game that the opponent's pass loses.
    OPPONENT_LOSS: "322 or 324; then the server closes the connection",
        "section 2, table 9";
    /// The end of a game that the program's own pass loses.
    OWN_LOSS: "202: you lose; then the server closes the connection",
        "section 2, tables 8 and 9";
    /// The end of a game that the opponent's pass wins.
    OPPONENT_WIN: "321 or 323; then the server closes the connection",
        "section 2, table 9";
    /// The end of a game that the program's own pass draws.
    OWN_DRAW: "203: you draw; then the server closes the connection",
        "section 2, tables 8 and 9";
    /// The end of a game that the opponent's pass draws.
    OPPONENT_DRAW: "325 or 326; then the server closes the connection",
        "section 2, table 9";
}

/// Defines the steps of a check as an enum, a row for each, grouped by document: name, title, and a
/// [`Rule`] or its text and source.
macro_rules! steps {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $(
                from $document:expr => {
                    $($step:ident: $id:literal, $title:literal, $($rule:expr),+;)+
                }
            )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $vis enum $name {
            $($(#[doc = $title] $step,)+)+
        }

        impl $crate::check::Step for $name {
            fn all() -> Vec<$name> {
                vec![$($($name::$step),+),+]
            }

            fn spec(self) -> $crate::check::Spec {
                match self {
                    $($($name::$step => $crate::check::Spec {
                        name: $id,
                        title: $title,
                        rule: $crate::check::step::rule!($($rule),+),
                        document: $document,
                    },)+)+
                }
            }
        }
    };
}

pub(super) use {rule, steps};
