//! Lines → requests, in types that cannot be wrong.
//!
//! Source: *A Networked Gothello Referee: Specification*, and *A Networked Awari
//! Referee: Specification*, tables 2, 6 and 7 of both.
//! Words are in lower case and separated by spaces and tabs. As in the deployed
//! referee, what follows a complete request is ignored; but where a name may stand,
//! a word without quotes is an error: it is most likely meant as one.

use nom::bytes::complete::{take_till, take_till1};
use nom::character::complete::space0;
use nom::combinator::rest;
use nom::sequence::preceded;
use nom::{IResult, Parser};
use thiserror::Error;

use super::game::Game;
use super::line::{Line, MAX_LINE};
use super::name::{MAX_NAME, Name, quoted};
use super::version::Version;
use crate::color::{ByColor, Color};

/// The first request of a client (table 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// What it wants to be.
    pub want: Want,
    /// What it calls itself. One that says so speaks the paper's whole
    /// protocol; the three client libraries never do.
    pub name: Option<Name>,
}

/// What a client wants to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// A player of this side.
    Side(Color),
    /// A player of either side.
    Either,
    /// An observer.
    Observe,
}

/// A request of a player (tables 6 and 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<M> {
    /// A move.
    Move {
        /// The number that the client gave it: `None` for a bare `pass`.
        number: Option<Numbered>,
        /// The move.
        mv: M,
    },
    /// He resigns.
    Resign,
    /// He offers a draw.
    OfferDraw,
    /// He accepts the draw.
    AcceptDraw,
    /// He does not accept the draw.
    RefuseDraw,
}

/// What stands before a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The number of the move, which both sides' moves share: 1, 1, 2, 2, ...
    pub number: u32,
    /// Whether `...` follows, which marks a move of the second side.
    pub ellipses: bool,
}

/// Why an opening is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// The client's version is greater than ours (198).
    #[error("a version greater than ours: {0}")]
    Version(Version),
    /// The request is not understood (199).
    #[error(transparent)]
    Garbled(#[from] Garbled),
}

/// A request that is not understood, with what would have been right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Garbled(pub String);

impl Garbled {
    fn because<T>(why: impl Into<String>) -> Result<T, Garbled> {
        Err(Garbled(why.into()))
    }
}

impl Line {
    /// The line's text.
    ///
    /// # Errors
    /// It is too long or not printable.
    pub fn text(&self) -> Result<&str, Garbled> {
        match self {
            Line::Text(text) => Ok(text),
            Line::NotPrintable => Garbled::because("only printable ASCII is expected"),
            Line::TooLong => Garbled::because(format!("at most {MAX_LINE} bytes are expected")),
        }
    }
}

/// The next word and what follows it; an empty word at the end.
fn word(input: &str) -> (&str, &str) {
    let blank = |c| c == ' ' || c == '\t';
    let mut word = preceded(space0, take_till(blank));
    // Nothing that this takes can be missing.
    let result: IResult<&str, &str> = word.parse(input);
    result.unwrap_or(("", input))
}

impl Opening {
    /// Reads the first request of a client of the game `G`.
    ///
    /// # Errors
    /// It is garbled, or its version is too great.
    pub fn parse<G: Game>(line: &str) -> Result<Opening, OpeningError> {
        let example = format!("{} player {}", G::version(), G::SIDES.black);
        let (after, version) = word(line);
        let Some(version) = Version::parse(version) else {
            let why = format!("a version number is expected first, as in {example}");
            return Err(Garbled(why).into());
        };
        if version.is_too_new_for(&G::version()) {
            return Err(OpeningError::Version(version));
        }
        let (mut after, role) = word(after);
        let want = match role {
            "observer" => Want::Observe,
            "player" => {
                let (rest, side) = word(after);
                after = rest;
                match Color::ALL
                    .into_iter()
                    .find(|&known| side == G::SIDES[known])
                {
                    Some(side) => Want::Side(side),
                    None if side == "?" => Want::Either,
                    None => {
                        let ByColor {
                            black: first,
                            white: second,
                        } = G::SIDES;
                        let why = format!(
                            "{first}, {second} or ? is expected after player, as in {example}"
                        );
                        return Err(Garbled(why).into());
                    }
                }
            }
            _ => {
                let why = format!("player or observer is expected, as in {example}");
                return Err(Garbled(why).into());
            }
        };
        let name = name(after)?;
        Ok(Opening { want, name })
    }
}

/// The name at the end of an opening, if there is one.
fn name(input: &str) -> Result<Option<Name>, Garbled> {
    let input = input.trim_ascii();
    if input.is_empty() {
        return Ok(None);
    }
    if !input.starts_with('"') {
        let example = match Name::new(input) {
            Some(name) => name.to_string(),
            None => "\"Ann\"".into(),
        };
        return Garbled::because(format!("a name stands in double quotes, as in {example}"));
    }
    let example = "as in \"Ann \"\"the Ox\"\" Lee\"";
    match (quoted, rest).parse(input) {
        Ok((_, (text, after))) if after.is_empty() || after.starts_with([' ', '\t']) => {
            match Name::new(&text) {
                Some(name) => Ok(Some(name)),
                None => Garbled::because(format!(
                    "a name of at most {MAX_NAME} printable characters is expected, {example}"
                )),
            }
        }
        Ok(_) => Garbled::because(format!("a space is expected after the name, {example}")),
        Err(_) => Garbled::because(format!(
            "a quote is expected at the end of the name, {example}"
        )),
    }
}

impl<M: Copy> Action<M> {
    /// Reads a request of a player in the game `G`.
    ///
    /// # Errors
    /// It is garbled.
    pub fn parse<G: Game<Move = M>>(line: &str) -> Result<Action<M>, Garbled> {
        let (after, first) = word(line);
        if first == "resign" {
            return Ok(Action::Resign);
        }
        // A word more could mean the opposite.
        if G::HAS_DRAWS && after.trim_ascii().is_empty() {
            match first {
                "draw?" => return Ok(Action::OfferDraw),
                "draw" => return Ok(Action::AcceptDraw),
                "nodraw" => return Ok(Action::RefuseDraw),
                _ => {}
            }
        }
        if let Some(mv) = G::bare_move(first) {
            return Ok(Action::Move { number: None, mv });
        }
        let Some(number) = number(first) else {
            return Garbled::because(format!(
                "the number of the move is expected first, or {} alone, as in {}",
                G::ALONE,
                G::EXAMPLE
            ));
        };
        let (after_second, second) = word(after);
        let ellipses = second == "...";
        let mv = if ellipses {
            word(after_second).1
        } else {
            second
        };
        match G::parse_move(mv) {
            Some(mv) => Ok(Action::Move {
                number: Some(Numbered { number, ellipses }),
                mv,
            }),
            None => Garbled::because(format!(
                "{mv:?} is no move; expected is one as in {}",
                G::EXAMPLE
            )),
        }
    }
}

/// A decimal number as it is printed: neither sign nor leading zeros. One that
/// is too large is the largest.
fn number(word: &str) -> Option<u32> {
    let digits = take_till1::<_, _, ()>(|c: char| !c.is_ascii_digit())
        .parse(word)
        .ok()
        .filter(|(after, digits)| after.is_empty() && (!digits.starts_with('0') || *digits == "0"))?
        .1;
    Some(digits.parse().unwrap_or(u32::MAX))
}
