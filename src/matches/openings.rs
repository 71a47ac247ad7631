//! Openings: the moves with which games begin.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::str::FromStr;

use thiserror::Error;

use super::game::MatchGame;
use crate::color::Color;
use crate::gothello::{Move, Next, Position};
use crate::rng::Rng;
use crate::sgf::{self, MainLine};
use crate::solver::canonical;
use crate::tablebase::PackedTablebase;

/// The maximum number of openings.
pub const MAX_OPENINGS: usize = 100_000;

/// The number of random games for each wanted opening after which the search is given up.
const MAX_TRIES: usize = 2_000;

/// Where openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// A file: a collection of SGF games, or a line of moves for each opening.
    File(String),
    /// Positions of Gothello whose exact value is near a draw.
    Balanced(Balanced),
}

/// Random positions of Gothello whose exact value is near a draw.
///
/// The text form is `balanced:N,plies=P,margin=M`: `N` positions with `P` stones, the better side of
/// which wins by at most `M` stones. Without `plies` it is 6, without `margin` 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balanced {
    /// The number of positions, from 1 to [`MAX_OPENINGS`].
    number: usize,
    /// The number of moves, none of which is a pass, from 1 to 7.
    plies: u32,
    /// The maximum lead under best play, from 0 to 25 stones.
    margin: i8,
}

impl Balanced {
    /// The number of moves, if none is given.
    const PLIES: u32 = 6;

    /// The maximum number of moves: the built-in tablebase knows the values of these positions.
    const MAX_PLIES: u32 = 7;

    /// The margin in stones, if none is given.
    const MARGIN: i8 = 1;

    /// Finds the openings: different positions, also up to symmetry, in random order. There may
    /// be fewer than wanted.
    pub fn find(self, seed: u64) -> Vec<Vec<String>> {
        let tablebase = PackedTablebase::built_in();
        let mut rng = Rng::new(seed);
        let mut found = Vec::new();
        let mut known = BTreeSet::new();
        for _ in 0..self.number.saturating_mul(MAX_TRIES) {
            if found.len() == self.number {
                break;
            }
            let Some((moves, position)) = random_stones(&mut rng, self.plies) else {
                continue;
            };
            let is_balanced = tablebase
                .value(&position)
                .is_some_and(|value| value.abs() <= self.margin);
            if is_balanced && known.insert(canonical(&position).0.to_string()) {
                found.push(moves);
            }
        }
        found
    }
}

/// Places stones at random, and returns the moves and the position; `None` if the game ended, or
/// a player had to pass.
fn random_stones(rng: &mut Rng, stones: u32) -> Option<(Vec<String>, Position)> {
    let mut position = Position::START;
    let mut moves = Vec::new();
    for _ in 0..stones {
        let points: Vec<(Move, f64)> = position
            .legal_moves()
            .filter(|&mv| mv != Move::Pass)
            .map(|mv| (mv, 1.0))
            .collect();
        let mv = rng.draw(&points)?;
        match position.play(mv).ok()? {
            Next::Continues(next) => position = next,
            Next::Ends(_) => return None,
        }
        moves.push(mv.to_string());
    }
    Some((moves, position))
}

/// Why a text is not a source of openings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "give a file, or balanced:N for N positions of Gothello, at most {MAX_OPENINGS}, whose exact \
     value is near a draw, with ,plies=1 to {max} for the number of stones and ,margin=0 to 25 for the largest value",
    max = Balanced::MAX_PLIES
)]
pub struct ParseOpeningsError;

impl FromStr for OpeningSource {
    type Err = ParseOpeningsError;

    fn from_str(text: &str) -> Result<OpeningSource, ParseOpeningsError> {
        let Some(options) = text.strip_prefix("balanced:") else {
            return match text {
                "" | "balanced" => Err(ParseOpeningsError),
                path => Ok(OpeningSource::File(path.to_owned())),
            };
        };
        let mut options = options.split(',');
        let number = options.next().and_then(|number| number.parse().ok());
        let is_valid = |number: &usize| (1..=MAX_OPENINGS).contains(number);
        let mut balanced = Balanced {
            number: number.filter(is_valid).ok_or(ParseOpeningsError)?,
            plies: Balanced::PLIES,
            margin: Balanced::MARGIN,
        };
        for option in options {
            match option.split_once('=') {
                Some(("plies", plies)) => {
                    let plies = plies.parse().ok();
                    let plies = plies.filter(|plies| (1..=Balanced::MAX_PLIES).contains(plies));
                    balanced.plies = plies.ok_or(ParseOpeningsError)?;
                }
                Some(("margin", margin)) => {
                    let margin = margin.parse().ok();
                    let margin = margin.filter(|margin| (0..=25).contains(margin));
                    balanced.margin = margin.ok_or(ParseOpeningsError)?;
                }
                _ => return Err(ParseOpeningsError),
            }
        }
        Ok(OpeningSource::Balanced(balanced))
    }
}

/// Writes the text form.
impl Display for OpeningSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningSource::File(path) => f.write_str(path),
            OpeningSource::Balanced(balanced) => balanced.fmt(f),
        }
    }
}

/// Writes the text form.
impl Display for Balanced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Balanced {
            number,
            plies,
            margin,
        } = self;
        write!(f, "balanced:{number},plies={plies},margin={margin}")
    }
}

/// Why the openings of a file cannot be read: what is wrong, and in which line or game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningsError {
    /// The file has no opening.
    #[error("there is no opening in it")]
    Empty,
    /// The file has more than [`MAX_OPENINGS`] openings.
    #[error("it has more than {MAX_OPENINGS} openings")]
    TooMany,
    /// A word is not a move.
    #[error("{place}, move {number}: {word:?} is not a move")]
    NotAMove {
        /// The line or the game.
        place: Place,
        /// The number of the move, from 1.
        number: usize,
        /// The word.
        word: String,
    },
    /// A move is illegal.
    #[error("{place}, move {number}: {word} is illegal: {why}")]
    Illegal {
        /// The line or the game.
        place: Place,
        /// The number of the move, from 1.
        number: usize,
        /// The move.
        word: String,
        /// Why it is illegal, as a clause.
        why: String,
    },
    /// The game is over after the moves of an opening.
    #[error("{0}: the game is over after these moves")]
    Over(Place),
}

/// A place in a file of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1.
    Line(usize),
    /// A game of a collection, from 1.
    Game(usize),
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(number) => write!(f, "line {number}"),
            Place::Game(number) => write!(f, "game {number}"),
        }
    }
}

/// Reads the openings of a file: a collection of SGF games, or a line of moves for each opening.
/// Empty lines and those that begin with `#` are left out. `start` is the game before the first move.
/// Returns the moves of each opening, in the notation of the game.
///
/// # Errors
/// There is no opening, or there are more than [`MAX_OPENINGS`]; a word is not a move; a move is
/// illegal; or an opening ends the game.
pub fn read_openings<G: MatchGame>(
    start: &G,
    text: &str,
) -> Result<Vec<Vec<String>>, OpeningsError> {
    let is_sgf = text.trim_start().starts_with('(');
    let mut openings = Vec::new();
    if is_sgf && let Some(to_word) = G::from_coordinates() {
        for (number, game) in (1..).zip(sgf::games(text)) {
            let moves = MainLine::of(game).moves();
            let words = moves
                .into_iter()
                .map(|(color, point)| (Some(color), to_word(start, point)));
            openings.push(check(start, Place::Game(number), words)?);
        }
    } else {
        let lines = (1..).zip(text.lines().map(str::trim));
        for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let words = line.split_whitespace().map(|word| (None, word.to_owned()));
            openings.push(check(start, Place::Line(number), words)?);
            if openings.len() > MAX_OPENINGS {
                return Err(OpeningsError::TooMany);
            }
        }
    }
    match openings.len() {
        0 => Err(OpeningsError::Empty),
        1..=MAX_OPENINGS => Ok(openings),
        _ => Err(OpeningsError::TooMany),
    }
}

/// Plays the moves of an opening, and returns them in the game's notation.
fn check<G: MatchGame>(
    start: &G,
    place: Place,
    words: impl Iterator<Item = (Option<Color>, String)>,
) -> Result<Vec<String>, OpeningsError> {
    let mut game = start.clone();
    let mut moves = Vec::new();
    for (number, (color, word)) in (1..).zip(words) {
        let Some(mv) = game.parse_notation(&word) else {
            return Err(OpeningsError::NotAMove {
                place,
                number,
                word,
            });
        };
        let notation = game.notation(mv);
        let why = match color {
            Some(color) if color != game.to_move() => {
                Some(format!("it is not the turn of {color}"))
            }
            _ => game.advance(mv).err().map(|why| why.to_string()),
        };
        if let Some(why) = why {
            return Err(OpeningsError::Illegal {
                place,
                number,
                word,
                why,
            });
        }
        moves.push(notation);
    }
    match game.counted() {
        None => Ok(moves),
        Some(_) => Err(OpeningsError::Over(place)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::awari;
    use crate::gothello::Game;

    fn balanced(text: &str) -> Balanced {
        match text.parse().unwrap() {
            OpeningSource::Balanced(balanced) => balanced,
            OpeningSource::File(path) => panic!("{path}"),
        }
    }

    #[test]
    fn balanced_openings_have_values_within_the_margin() {
        let openings = balanced("balanced:20,plies=5,margin=1").find(7);
        assert_eq!(openings.len(), 20);
        assert_eq!(openings, balanced("balanced:20,plies=5,margin=1").find(7));
        let mut positions = BTreeSet::new();
        for opening in &openings {
            let mut game = Game::new();
            for word in opening {
                game.advance(word.parse().unwrap()).unwrap();
            }
            let position = *game.position().unwrap();
            let value = PackedTablebase::built_in().value(&position).unwrap();
            assert!(value.abs() <= 1, "{opening:?}: {value}");
            assert!(
                positions.insert(canonical(&position).0.to_string()),
                "{opening:?} comes again"
            );
        }
    }

    #[test]
    fn there_are_no_more_openings_than_positions() {
        // Up to symmetry there are six first moves, and no value is this near a draw.
        assert!(balanced("balanced:10,plies=1,margin=25").find(1).len() <= 6);
    }

    #[test]
    fn sources_are_parsed() {
        for text in [
            "",
            "balanced",
            "balanced:",
            "balanced:0",
            "balanced:5,plies=8",
            "balanced:5,x=1",
        ] {
            assert_eq!(
                text.parse::<OpeningSource>(),
                Err(ParseOpeningsError),
                "{text}"
            );
        }
        assert_eq!(
            "balanced:5".parse::<OpeningSource>().unwrap().to_string(),
            "balanced:5,plies=6,margin=1"
        );
    }

    #[test]
    fn files_have_lines_or_games() {
        let start = Game::new();
        let lines = "# two openings\n\nc3 D3\nb2 pass\n";
        let expected = vec![vec!["c3", "d3"], vec!["b2", "pass"]];
        assert_eq!(read_openings(&start, lines).unwrap(), expected);
        let games = "(;FF[4]SZ[5];B[cc];W[dc](;B[aa])(;B[bb]))\n(;SZ[5];B[bd];W[])";
        let expected = vec![vec!["c3", "d3", "a5"], vec!["b2", "pass"]];
        assert_eq!(read_openings(&start, games).unwrap(), expected);
        let pits = read_openings(&awari::Game::default(), "F f\n").unwrap();
        assert_eq!(pits, [["F", "f"]]);
    }

    #[test]
    fn errors_name_the_place() {
        let why = |text: &str| read_openings(&Game::new(), text).unwrap_err().to_string();
        insta::assert_snapshot!(why("c3\nc3 x9"), @r#"line 2, move 2: "x9" is not a move"#);
        insta::assert_snapshot!(why("c3 c3"), @"line 1, move 2: c3 is illegal: c3 is occupied");
        insta::assert_snapshot!(why("(;W[cc])"), @"game 1, move 1: c3 is illegal: it is not the turn of White");
        insta::assert_snapshot!(why("pass pass"), @"line 1: the game is over after these moves");
        insta::assert_snapshot!(why("# nothing"), @"there is no opening in it");
    }
}
