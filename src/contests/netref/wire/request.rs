//! What a client sends: an [`Opening`], then [`Action`]s.
//!
//! Source: *A Networked Gothello Referee: Specification*, and *A Networked Awari
//! Referee: Specification*, tables 2, 6 and 7 of both.
//! Words are in lower case and separated by spaces and tabs. As in the deployed
//! server, anything after a complete request is ignored, except where a name may
//! stand: a word without quotes there was most likely meant as one, and is an error.

use std::fmt::{self, Display, Formatter};

use thiserror::Error;

use super::line::{Line, MAX_LINE};
use crate::base::color::{ByColor, Color};
use crate::contests::netref::client::{MAX_NAME, Name, quoted};
use crate::contests::netref::game::{NetrefGame, Version, ellipses};

/// The first request of a client, as in `0.9.1 player black "Ann"` (table 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The version of the protocol that the client speaks.
    pub version: Version,
    /// The role that it asks for.
    pub role: Role,
    /// Its name. A client that gives one speaks the paper's whole protocol; the
    /// three client libraries never do.
    pub name: Option<Name>,
}

/// The role that a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A player of this side.
    Player(Color),
    /// A player of whichever side is free.
    EitherPlayer,
    /// An observer.
    Observer,
}

impl Role {
    /// Returns the role of a player of this side, or of either.
    pub fn of(side: Option<Color>) -> Role {
        side.map_or(Role::EitherPlayer, Role::Player)
    }

    /// Returns the side that is asked for.
    pub fn side(self) -> Option<Color> {
        match self {
            Role::Player(side) => Some(side),
            Role::EitherPlayer | Role::Observer => None,
        }
    }
}

/// A request of a player (tables 6 and 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<M> {
    /// A move.
    Move {
        /// The number that the client gave it; `None` for a bare `pass`.
        number: Option<MoveNumber>,
        /// The move.
        mv: M,
    },
    /// The player resigns.
    Resign,
    /// The player offers a draw.
    OfferDraw,
    /// The player accepts the draw.
    AcceptDraw,
    /// The player refuses the draw.
    RefuseDraw,
}

/// The number that stands before a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveNumber {
    /// The number, at most 2^32 - 1. Both sides' moves share one: 1, 1, 2, 2, ...
    pub number: u64,
    /// Whether `...` follows it, which marks a move of the second side.
    pub ellipses: bool,
}

/// Why an opening is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// The client's version is greater than the server's (198).
    #[error("version {0} is greater than the server's")]
    Version(Version),
    /// The request is not understood (199).
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

/// A request that is not understood, with what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Malformed(pub String);

impl Malformed {
    fn because<T>(why: impl Into<String>) -> Result<T, Malformed> {
        Err(Malformed(why.into()))
    }
}

impl Line {
    /// Returns the text of the line.
    ///
    /// # Errors
    /// If the line is too long or not printable.
    pub fn text(&self) -> Result<&str, Malformed> {
        match self {
            Line::Text(text) => Ok(text),
            Line::NotPrintable => Malformed::because("only printable ASCII is expected"),
            Line::TooLong => Malformed::because(format!("at most {MAX_LINE} bytes are expected")),
        }
    }
}

/// What separates words.
const BLANKS: [char; 2] = [' ', '\t'];

/// Returns the next word, which is empty at the end of the line, after what follows it.
fn word(input: &str) -> (&str, &str) {
    let input = input.trim_start_matches(BLANKS);
    let (word, after) = input.split_once(BLANKS).unwrap_or((input, ""));
    (after, word)
}

impl Opening {
    /// Creates an opening in the server's own version of the protocol of `G`.
    pub fn new<G: NetrefGame>(role: Role, name: Option<Name>) -> Opening {
        Opening {
            version: G::version(),
            role,
            name,
        }
    }

    /// Creates the answer to a greeting, in the version that both sides understand:
    /// the client's own, unless the greeting names an older one, or none: then the papers' 0.9.
    pub fn answering<G: NetrefGame>(greeting: &str, role: Role, name: Option<Name>) -> Opening {
        let theirs = greeting.split_ascii_whitespace().find_map(Version::parse);
        let ours = G::version();
        Opening {
            version: theirs.map_or(Version::papers(), |theirs| theirs.min(ours)),
            role,
            name,
        }
    }

    /// Returns whether the client declares that it can go on in a match that was interrupted. Then
    /// it is sent the moves so far before its role (351, 352).
    pub fn resumes<G: NetrefGame>(&self) -> bool {
        self.version >= G::version()
    }

    /// Parses the first request of a client of the game `G`.
    ///
    /// # Errors
    /// If it is malformed, or its version is too great.
    pub fn parse<G: NetrefGame>(line: &str) -> Result<Opening, OpeningError> {
        let example = format!("{} player {}", G::version(), G::SIDES.black);
        let wrong = |what: &str| Err(Malformed(format!("{what}, as in {example}")).into());
        let (after, version) = word(line);
        let Some(version) = Version::parse(version) else {
            return wrong("a version number is expected first");
        };
        if version.is_too_new_for(&G::version()) {
            return Err(OpeningError::Version(version));
        }
        let (mut after, role) = word(after);
        let role = match role {
            "observer" => Role::Observer,
            "player" => {
                let (rest, side) = word(after);
                after = rest;
                match Color::ALL
                    .into_iter()
                    .find(|&known| side == G::SIDES[known])
                {
                    Some(side) => Role::Player(side),
                    None if side == "?" => Role::EitherPlayer,
                    None => {
                        let ByColor { black, white } = G::SIDES;
                        return wrong(&format!("{black}, {white} or ? is expected after player"));
                    }
                }
            }
            _ => return wrong("player or observer is expected"),
        };
        let name = name(after)?;
        Ok(Opening {
            version,
            role,
            name,
        })
    }

    /// Returns the request as a client of the game `G` sends it, without a line end.
    pub fn to_line<G: NetrefGame>(&self) -> String {
        let version = &self.version;
        let role = match self.role {
            Role::Player(side) => format!("player {}", G::SIDES[side]),
            Role::EitherPlayer => "player ?".to_owned(),
            Role::Observer => "observer".to_owned(),
        };
        match &self.name {
            None => format!("{version} {role}"),
            Some(name) => format!("{version} {role} {name}"),
        }
    }
}

/// Parses the name at the end of an opening, if there is one.
fn name(input: &str) -> Result<Option<Name>, Malformed> {
    let input = input.trim_ascii();
    if input.is_empty() {
        return Ok(None);
    }
    if !input.starts_with('"') {
        let example = match Name::new(input) {
            Some(name) => name.to_string(),
            None => "\"Ann\"".into(),
        };
        return Malformed::because(format!("a name stands in double quotes, as in {example}"));
    }
    let example = "as in \"Ann \"\"the Ox\"\" Lee\"";
    match quoted(input) {
        Ok((after, text)) if after.is_empty() || after.starts_with(BLANKS) => {
            match Name::new(&text) {
                Some(name) => Ok(Some(name)),
                None => Malformed::because(format!(
                    "a name of at most {MAX_NAME} printable characters is expected, {example}"
                )),
            }
        }
        Ok(_) => Malformed::because(format!("a space is expected after the name, {example}")),
        Err(_) => Malformed::because(format!(
            "a quote is expected at the end of the name, {example}"
        )),
    }
}

impl<M: Copy> Action<M> {
    /// Returns the move of a player with its number.
    pub fn numbered(number: u64, color: Color, mv: M) -> Action<M> {
        let number = Some(MoveNumber::new(number, color));
        Action::Move { number, mv }
    }

    /// Parses a request of a player in the game `G`.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn parse<G: NetrefGame<Move = M>>(line: &str) -> Result<Action<M>, Malformed> {
        let (after, first) = word(line);
        if first == "resign" {
            return Ok(Action::Resign);
        }
        // One word more could mean the opposite.
        if G::HAS_DRAWS && after.trim_ascii().is_empty() {
            match first {
                "draw?" => return Ok(Action::OfferDraw),
                "draw" => return Ok(Action::AcceptDraw),
                "nodraw" => return Ok(Action::RefuseDraw),
                _ => {}
            }
        }
        if let Some(mv) = G::parse_bare_move(first) {
            return Ok(Action::Move { number: None, mv });
        }
        let Some(number) = number(first) else {
            return Malformed::because(format!(
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
                number: Some(MoveNumber { number, ellipses }),
                mv,
            }),
            None if Action::<M>::parse::<G>(mv).is_ok() => {
                Malformed::because(format!("{mv} stands alone, without the number of a move"))
            }
            None => Malformed::because(format!(
                "{mv:?} is no move; expected is one as in {}",
                G::EXAMPLE
            )),
        }
    }
}

impl MoveNumber {
    /// Creates the number of a move of this side.
    pub fn new(number: u64, side: Color) -> MoveNumber {
        MoveNumber {
            number,
            ellipses: !ellipses(side).is_empty(),
        }
    }
}

/// Writes the request as a client sends it, without a line end.
impl<M: Display> Display for Action<M> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Action::Move { number: None, mv } => write!(f, "{mv}"),
            Action::Move {
                number: Some(MoveNumber { number, ellipses }),
                mv,
            } => {
                let ellipses = if *ellipses { "... " } else { "" };
                write!(f, "{number} {ellipses}{mv}")
            }
            Action::Resign => f.write_str("resign"),
            Action::OfferDraw => f.write_str("draw?"),
            Action::AcceptDraw => f.write_str("draw"),
            Action::RefuseDraw => f.write_str("nodraw"),
        }
    }
}

/// Parses a decimal number as it is printed, without a sign or leading zeros. A
/// number that does not fit 32 bits becomes the largest one that does.
fn number(word: &str) -> Option<u64> {
    let is_canonical = is_digits(word) && (!word.starts_with('0') || word == "0");
    is_canonical.then(|| word.parse().unwrap_or(u32::MAX).into())
}

/// Returns whether a word is a number without a sign; `str::parse` accepts one.
pub(super) fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}
