//! Games as text.

use thiserror::Error;

use super::game::{Game, PlayError};
use super::pit::{ParsePitError, Pit};
use super::position::Position;
use super::variant::{ParseVariantError, Variant};

/// The longest word of an error.
const MAX_WORD: usize = 20;

/// Why a text is not a game of Awari.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is an SGF file.
    #[error("it is an SGF file; a game of Awari is a record, or its moves as words")]
    Sgf,
    /// The rules of a record are not a variant.
    #[error("Rules: {0}")]
    Rules(#[from] ParseVariantError),
    /// A line of a record is not a move.
    #[error("line {0} is not a move such as 1 C or 1 ... f")]
    Line(usize),
    /// A word is not a pit.
    #[error("move {number}: {why}")]
    Pit {
        /// The number of the move, from 1.
        number: usize,
        /// The error in it.
        why: ParsePitError,
    },
    /// A move is illegal.
    #[error("move {number} ({pit}) is illegal: {why}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The pit.
        pit: Pit,
        /// The reason.
        why: PlayError,
    },
}

/// Returns whether a text looks like a game of Awari: a record with lines for South and North, or
/// words of which the first is a pit.
///
/// ```
/// use gothello::awari::is_record;
/// assert!(is_record("C f D\n"));
/// assert!(!is_record("(;GM[1]SZ[5];B[cc])"));
/// ```
pub fn is_record(text: &str) -> bool {
    let first = text.split_whitespace().next();
    has_headers(text) || first.is_some_and(|word| word.parse::<Pit>().is_ok())
}

/// Reads a game from the start: its moves as words, or the record of a match of the referee or
/// between programs, the first of several. `variant` are the rules if the text does not name
/// them.
///
/// ```
/// use gothello::awari::{self, Variant};
///
/// let words = awari::read("C f D", Variant::default())?;
/// let record = "South: Ann\nNorth: Bob\nRules: b claim\n\n1 C 0.250 s\n1 ... f 1.5 s\n2 D\n";
/// let game = awari::read(record, Variant::default())?;
/// assert_eq!(game.position(), words.position());
/// assert_eq!(game.variant().to_string(), "b claim");
/// # Ok::<(), awari::ReadError>(())
/// ```
///
/// # Errors
/// A word or a line is not a move, or a move is illegal; or the rules of a record are unknown.
pub fn read(text: &str, variant: Variant) -> Result<Game, ReadError> {
    if text.trim_start().starts_with('(') {
        return Err(ReadError::Sgf);
    }
    let (variant, words) = match has_headers(text) {
        true => (
            header(text, "Rules").map_or(Ok(variant), str::parse)?,
            moves(text)?,
        ),
        false => (variant, text.split_whitespace().collect()),
    };
    let mut game = Game::new(Position::START, variant);
    for (number, word) in (1..).zip(words) {
        let word: String = word.chars().take(MAX_WORD).collect();
        let pit: Pit = word.parse().map_err(|why| ReadError::Pit { number, why })?;
        let played = game.play(game.to_move(), pit);
        played.map_err(|why| ReadError::Move { number, pit, why })?;
    }
    Ok(game)
}

/// Returns the lines before the first empty one.
fn head(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.trim_start().lines();
    lines.take_while(|line| !line.trim().is_empty())
}

/// Returns the value of a header of the game: `South: Ann`.
fn header<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    head(text).find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
}

fn has_headers(text: &str) -> bool {
    ["South", "North"]
        .iter()
        .all(|name| header(text, name).is_some())
}

/// Returns the words of the moves in a record: each is on its own line, after its number.
fn moves(text: &str) -> Result<Vec<&str>, ReadError> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let body = lines
        .skip_while(|(_, line)| line.is_empty())
        .skip_while(|(_, line)| !line.is_empty());
    let is_move = |line: &str| line.starts_with(|first: char| first.is_ascii_digit());
    let mut moves = Vec::new();
    for (number, line) in body {
        match line.split_once(':') {
            _ if line.is_empty() || line.starts_with('#') => {}
            // The next record.
            Some((name, _)) if name.chars().all(char::is_alphabetic) => break,
            _ if !is_move(line) => return Err(ReadError::Line(number)),
            _ => {
                let mut words = line
                    .split_whitespace()
                    .skip(1)
                    .filter(|&word| word != "...");
                moves.push(words.next().ok_or(ReadError::Line(number))?);
            }
        }
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Game, ReadError> {
        super::read(text, Variant::default())
    }

    fn error(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    /// As `gothello netref` writes it.
    const MATCH: &str = "Match: 20261120-093000-123456-0\nDate: 2026-11-20 09:30:00\nSouth: C d\n\
        North: -\nSouth at: localhost\nRules: b discard\nSeconds: 100 100\n\
        Result: drawn by agreement\n\n1 A 0.001 s\n1 ... b 12.000 s\n2 B 0.5 s\n";

    /// As `gothello match` writes it.
    const GAMES: &str = "Game: 1\nDate: 2026-11-20\nSouth: x\nNorth: y\nRules: e claim\n\
        Result: South+3 (25 stones)\n\n1 C 0.1 s, eval: 3\n  # depth: 4\n  # A\n1 ... f\n\
        Game: 2\nDate: 2026-11-20\nSouth: y\nNorth: x\nRules: a claim\n\n1 F\n";

    #[test]
    fn records_and_words_are_read() {
        let game = read(MATCH).unwrap();
        assert_eq!(game.variant().to_string(), "b discard");
        let moves = |game: &Game| {
            format!(
                "{:?}",
                crate::games::game::Game::moves(game).collect::<Vec<_>>()
            )
        };
        assert_eq!(moves(&game), moves(&read("A b\n B").unwrap()));
        // As an editor on Windows saves it.
        assert_eq!(read(&MATCH.replace('\n', "\r\n")).unwrap(), game);
        assert_eq!(read(&format!("\n{MATCH}")).unwrap(), game);
        assert_eq!(read(GAMES).unwrap(), read("C f").unwrap());
        assert_eq!(read("").unwrap(), Game::default());
        for text in [MATCH, GAMES, "A b B", "x: C\nSouth: 1\nNorth:\nx"] {
            assert!(is_record(text), "{text}");
        }
        for text in [
            "",
            "hello",
            "(;SZ[5])",
            "c3 d3",
            "South: Ann\n\nNorth: Bob\n",
            "Cc",
        ] {
            assert!(!is_record(text), "{text}");
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        insta::assert_snapshot!(error("(;GM[1])"), @"it is an SGF file; a game of Awari is a record, or its moves as words");
        insta::assert_snapshot!(error("C x"), @r#"move 2: "x" is not a pit: use a letter a-f (North's) or A-F (South's)"#);
        insta::assert_snapshot!(error(&"x".repeat(1_000)), @r#"move 1: "xxxxxxxxxxxxxxxxxxxx" is not a pit: use a letter a-f (North's) or A-F (South's)"#);
        insta::assert_snapshot!(error("C D"), @"move 2 (D) is illegal: D is not North's pit");
        insta::assert_snapshot!(error(&MATCH.replace("b discard", "z")), @r#"Rules: "z" is not a variant: write the letter of a grand slam, a to e, and claim or discard, as in e claim"#);
        insta::assert_snapshot!(error(&MATCH.replace("1 A 0.001 s", "1")), @"line 10 is not a move such as 1 C or 1 ... f");
        insta::assert_snapshot!(error(&MATCH.replace("1 A 0.001 s", "A")), @"line 10 is not a move such as 1 C or 1 ... f");
        insta::assert_snapshot!(error(&MATCH.replace("2 B", "2 c")), @"move 3 (c) is illegal: c is not South's pit");
    }
}
