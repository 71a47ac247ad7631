//! The texts of the two games.

use gothello::contests::netref::{Awari, Gothello, NetrefGame};

/// Lines of a game as they are sent.
pub trait Spoken: NetrefGame + Default {
    const OPENINGS: &[&str];
    const REQUESTS: &[&str];
    /// Words of moves, as a regular expression.
    const MOVES: &str;
    /// The lines of a board, and how long each is.
    const BOARD: (usize, usize);
    /// The first two moves of a match.
    const BEGINNING: [&str; 2];

    /// The number of plies in the record of a match.
    fn plies(record: &str) -> usize;
}

impl Spoken for Gothello {
    const OPENINGS: &[&str] = &[
        "0.9.1 player black",
        "0.9.1 player white",
        "0.9.1 player ?",
        "0.9.2 player black \"Ann\"",
        "0.9.1 player white \"Bob\"",
        "0.9.2 player ? \"Cy\"",
        "0.9.1 observer",
        "0.9.1 observer \"Eve\"",
    ];
    const REQUESTS: &[&str] = &[
        "1 c3",
        "1 ... c4",
        "pass",
        "resign",
        "hello",
        "hello",
        "2 pass",
        "1 ... pass",
        "9 a1",
        "draw?",
        "draw",
    ];
    const MOVES: &str = "[a-e][1-5]|pass";
    const BOARD: (usize, usize) = (5, 5);
    const BEGINNING: [&str; 2] = ["c3", "c4"];

    fn plies(record: &str) -> usize {
        let game = gothello::sgf::read(record, usize::MAX).unwrap();
        game.undoable()
    }
}

impl Spoken for Awari {
    const OPENINGS: &[&str] = &[
        "0.9 player south",
        "0.9 player north",
        "0.9 player ?",
        "0.9.2 player south \"Ann\"",
        "0.9.2 player ? \"Cy\"",
        "0.9 observer",
        "0.9 observer \"Eve\"",
    ];
    const REQUESTS: &[&str] = &[
        "1 A", "1 ... a", "resign", "hello", "2 a", "draw?", "draw?", "draw", "nodraw", "nodraw",
    ];
    const MOVES: &str = "[a-fA-F]";
    const BOARD: (usize, usize) = (4, 23);
    const BEGINNING: [&str; 2] = ["A", "a"];

    fn plies(record: &str) -> usize {
        let (_, moves) = record.split_once("\n\n").unwrap();
        moves.lines().count()
    }
}
