//! What the specifications say of the rules and of the ends of games, for every check of a program
//! that plays them.

use super::step::Rule;

/// The document that has the rules.
pub(super) const DOCUMENT: &str = "A Networked Gothello Referee: Specification";

pub(super) const OCCUPIED: Rule = Rule {
    text: "a move is illegal if it is to an occupied space",
    source: "section 1, GothelloIllegalMoveNonblank",
};

pub(super) const BLOCKED: Rule = Rule {
    text: "a move is illegal if the stone becomes part of a group with no liberties",
    source: "section 1, GothelloIllegalMoveBlocked",
};

pub(super) const BLOCKED_BEFORE_CAPTURES: Rule = Rule {
    text: "liberties are counted before captures: unlike in Go, a stone without a liberty may not \
           capture",
    source: "section 1, GothelloIllegalMoveBlocked",
};

pub(super) const CAPTURES: Rule = Rule {
    text: "a move changes the color of adjacent opposing groups whose last liberty it takes",
    source: "section 1, GothelloMove",
};

pub(super) const FORCED_PASS: Rule = Rule {
    text: "a player must pass if no legal move is available",
    source: "section 1",
};

pub(super) const LAST_PASS: Rule = Rule {
    text: "a player must pass if no legal move is available; the game is over when both have \
           passed in succession",
    source: "section 1",
};

pub(super) const TWO_PASSES: Rule = Rule {
    text: "the game is over when both players have passed in succession",
    source: "section 1, GothelloPass",
};

// The ends of games, which have the same codes and tables in both specifications.

pub(super) const OWN_WIN: Rule = Rule {
    text: "201: you win; then the server closes the connection",
    source: "section 2, tables 8 and 9",
};

pub(super) const OPPONENT_LOSS: Rule = Rule {
    text: "322 or 324; then the server closes the connection",
    source: "section 2, table 9",
};

pub(super) const OWN_LOSS: Rule = Rule {
    text: "202: you lose; then the server closes the connection",
    source: "section 2, tables 8 and 9",
};

pub(super) const OPPONENT_WIN: Rule = Rule {
    text: "321 or 323; then the server closes the connection",
    source: "section 2, table 9",
};

pub(super) const OWN_DRAW: Rule = Rule {
    text: "203: you draw; then the server closes the connection",
    source: "section 2, tables 8 and 9",
};

pub(super) const OPPONENT_DRAW: Rule = Rule {
    text: "325 or 326; then the server closes the connection",
    source: "section 2, table 9",
};
