//! Lines of the referee → messages.
//!
//! Source: *A Networked Gothello Referee: Specification*, tables 1, 3 to 5 and
//! 8 to 10, and *A Networked Awari Referee: Specification*, tables 1, 3 to 5, 8
//! and 9. What the deployed referee says otherwise is read as well: `*` for `.`
//! in state displays, less than no time, and codes without a text. The texts are
//! for people; one is looked at, because nothing else tells a stand-in (see
//! [`Status::LastMove`]) from a move.

use nom::branch::alt;
use nom::bytes::complete::{take_till1, take_while_m_n};
use nom::character::complete::space1;
use nom::combinator::{eof, map_opt, peek, rest, verify};
use nom::error::Error;
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

use super::ending::Reason;
use super::game::Game;
use crate::color::{ByColor, Color};
use crate::netref::{Verdict, Version, quoted};

/// One line of the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<G: Game> {
    /// 000: the greeting, with the version if there is one in it.
    Greeting(Option<Version>),
    /// 100, or 101 with two numbers of seconds.
    Granted {
        /// The seconds. Who asked for a side is told its own first, an observer
        /// those of the second side.
        secs: Option<(u64, u64)>,
        /// Whether the text says that the first ones are the client's own: for
        /// one that asked for either side.
        own: bool,
    },
    /// 19x: the role is not granted.
    Refused(u16, String),
    /// 341, 342: a player's name.
    PlayerName(Color, String),
    /// 343: the number and the name of an observer.
    ObserverName(u64, String),
    /// 344: how many observers there are.
    Observers(u64),
    /// 351, 352: the start, for the player of a side.
    RolePlayer(Color),
    /// 353: the start, for an observer.
    RoleObserver,
    /// 200, or 207 with the whole seconds left: the move is accepted.
    Continue(Option<u64>),
    /// 201 to 203: the match is over.
    Ended(Verdict),
    /// 204: the resignation is accepted.
    Resigned,
    /// 205, 206: the offer of a draw, or its refusal, is accepted as such.
    Received,
    /// 291: an illegal request.
    Illegal(String),
    /// 299: a request that is not understood.
    NotUnderstood(String),
    /// What has happened in the match (table 9).
    Status(Status<G::Move>),
    /// 399: a problem of the referee's own.
    Trouble(String),
    /// 380, 381: where the match stands.
    State {
        /// The number of the move that comes next, or of the last one.
        number: u64,
        /// The whole seconds that each side has left, with time controls.
        secs: Option<ByColor<u64>>,
        /// The side to move; `None` if the match is over.
        to_move: Option<Color>,
    },
    /// 382: the rows of the board follow.
    Board,
    /// A row of the board, from the left.
    Row(G::Row),
    /// A code that is not known.
    Other(u16, String),
}

/// What has happened in the match (table 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status<M> {
    /// 311 to 318: a move, and the game goes on.
    Moved {
        /// Who moved.
        side: Color,
        /// The number of the move: both sides' moves share one.
        number: u64,
        /// The move.
        mv: M,
        /// The whole seconds that he has left, with time controls.
        secs: Option<u64>,
    },
    /// 321 to 326: a last move, or a stand-in for one: who gave no name may be
    /// told so, with a pass that nobody made, that a player resigned, left or
    /// ran out of time.
    LastMove {
        /// Who moved.
        side: Color,
        /// The number of the move.
        number: u64,
        /// The move.
        mv: M,
        /// Who wins; `None` if it is a draw.
        winner: Option<Color>,
        /// Why, if the text says that it is a stand-in.
        by: Option<Reason>,
    },
    /// 327, 328: this side resigned.
    Resigned(Color),
    /// 329: a draw was agreed.
    DrawAgreed,
    /// 331, 332: this side offers a draw.
    DrawOffered(Color),
    /// 333, 334: this side does not accept the draw.
    DrawRefused(Color),
    /// 361, 362: this side's flag fell.
    FlagFell(Color),
    /// 391, 392: this side disconnected.
    Disconnected(Color),
}

/// A line that is none of the protocol's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotALine {
    /// It has neither a code nor the shape of a row of the board.
    #[error("three digits, or a row of the board, are expected")]
    NoCode,
    /// What must follow its code does not.
    #[error("{0} is expected after the code")]
    Arguments(&'static str),
}

impl<G: Game> Message<G> {
    /// Reads a line without its end.
    ///
    /// # Errors
    /// The line has no code, or not what its code needs.
    pub fn parse(line: &str) -> Result<Message<G>, NotALine> {
        if let Some(row) = G::row(line) {
            return Ok(Message::Row(row));
        }
        let (after, code) = code(line).map_err(|_| NotALine::NoCode)?;
        let text = || after.trim_ascii().to_owned();
        let message = match code {
            0 => Message::Greeting(after.split_ascii_whitespace().find_map(Version::parse)),
            100 => Message::Granted {
                secs: None,
                own: false,
            },
            101 => {
                let secs = read((seconds, seconds), after, "two numbers of seconds")?;
                Message::Granted {
                    secs: Some(secs),
                    own: after.contains("(you / opp)"),
                }
            }
            190..=199 => Message::Refused(code, text()),
            200 => Message::Continue(None),
            201 => Message::Ended(Verdict::Win),
            202 => Message::Ended(Verdict::Loss),
            203 => Message::Ended(Verdict::Draw),
            204 => Message::Resigned,
            205 | 206 if G::HAS_DRAWS => Message::Received,
            207 => Message::Continue(Some(read(seconds, after, "a number of seconds")?)),
            291 => Message::Illegal(text()),
            299 => Message::NotUnderstood(text()),
            341 | 342 => Message::PlayerName(side(code + 1), read(name, after, "a quoted name")?),
            343 => {
                let what = "a number and a quoted name";
                let (number, name) = read((number, name), after, what)?;
                Message::ObserverName(number, name)
            }
            344 => Message::Observers(read(number, after, "a number")?),
            351 | 352 => Message::RolePlayer(side(code + 1)),
            353 => Message::RoleObserver,
            311..=318 | 321..=328 | 361 | 362 | 391 | 392 => {
                Message::Status(status::<G>(code, after)?)
            }
            329 | 331..=334 if G::HAS_DRAWS => Message::Status(status::<G>(code, after)?),
            380 | 381 => state(code, after)?,
            382 => Message::Board,
            399 => Message::Trouble(text()),
            _ => Message::Other(code, text()),
        };
        Ok(message)
    }
}

/// The side of a code: the first side's are odd.
const fn side(code: u16) -> Color {
    if code % 2 == 1 {
        Color::Black
    } else {
        Color::White
    }
}

fn status<G: Game>(code: u16, after: &str) -> Result<Status<G::Move>, NotALine> {
    let status = match code {
        311..=318 => {
            let side = side(code);
            let (number, mv, secs) = if matches!(code, 311 | 312 | 315 | 316) {
                let what = "the number of the move and the move";
                let (number, mv) = read(numbered::<G>(side), after, what)?;
                (number, mv, None)
            } else {
                let what = "the number of the move, the move and a number of seconds";
                let ((at, mv), secs) = read((numbered::<G>(side), seconds), after, what)?;
                (at, mv, Some(secs))
            };
            Status::Moved {
                side,
                number,
                mv,
                secs,
            }
        }
        321..=326 => {
            let (side, winner) = match code {
                321 => (Color::Black, Some(Color::Black)),
                322 => (Color::Black, Some(Color::White)),
                323 => (Color::White, Some(Color::White)),
                324 => (Color::White, Some(Color::Black)),
                code => (self::side(code), None),
            };
            let what = "the number of the move and the move";
            let ((number, mv), text) = read((numbered::<G>(side), rest), after, what)?;
            Status::LastMove {
                side,
                number,
                mv,
                winner,
                by: G::STAND_IN.and_then(|_| stand_in(text)),
            }
        }
        // These codes are the winner's.
        327 | 328 => Status::Resigned(side(code).opponent()),
        329 => Status::DrawAgreed,
        331 | 332 => Status::DrawOffered(side(code)),
        333 | 334 => Status::DrawRefused(side(code)),
        361 | 362 => Status::FlagFell(side(code).opponent()),
        391 | 392 => Status::Disconnected(side(code)),
        _ => return Err(NotALine::NoCode),
    };
    Ok(status)
}

fn state<G: Game>(code: u16, after: &str) -> Result<Message<G>, NotALine> {
    let (number, secs, to_move) = if code == 380 {
        let what = "the number of the move and the letter of a side or .";
        let (number, to_move) = read((number, letter::<G>), after, what)?;
        (number, None, to_move)
    } else {
        let what = "the number of the move, the seconds of both, and the letter of a side or .";
        let (number, first, second, to_move) =
            read((number, seconds, seconds, letter::<G>), after, what)?;
        (
            number,
            Some(ByColor {
                black: first,
                white: second,
            }),
            to_move,
        )
    };
    Ok(Message::State {
        number,
        secs,
        to_move,
    })
}

/// Why the match is over, if the text after a last move says that it is a
/// stand-in, as in `and white loses by resignation`.
fn stand_in(text: &str) -> Option<Reason> {
    let (_, why) = text.split_once(" by ")?;
    let is = |what: &str| why.to_ascii_lowercase().contains(what);
    if is("move") {
        None
    } else if is("resign") {
        Some(Reason::Resignation)
    } else if is("time") {
        Some(Reason::Time)
    } else if is("disconnect") {
        Some(Reason::Disconnection)
    } else {
        Some(Reason::Untold)
    }
}

/// What a parser reads at the beginning of `input`.
fn read<'a, T>(
    mut parser: impl Parser<&'a str, Output = T, Error = Error<&'a str>>,
    input: &'a str,
    what: &'static str,
) -> Result<T, NotALine> {
    match parser.parse(input) {
        Ok((_, value)) => Ok(value),
        Err(_) => Err(NotALine::Arguments(what)),
    }
}

/// Three digits that are a whole word.
fn code(input: &str) -> IResult<&str, u16> {
    let digits = take_while_m_n(3, 3, |c: char| c.is_ascii_digit());
    let code = map_opt(digits, |digits: &str| digits.parse().ok());
    terminated(code, peek(alt((space1, eof)))).parse(input)
}

/// The next word.
fn word(input: &str) -> IResult<&str, &str> {
    preceded(space1, take_till1(|c| c == ' ' || c == '\t')).parse(input)
}

fn number(input: &str) -> IResult<&str, u64> {
    map_opt(word, whole).parse(input)
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn whole(word: &str) -> Option<u64> {
    is_digits(word).then(|| word.parse().ok()).flatten()
}

/// Whole seconds. The deployed referee lets clocks run below zero.
fn seconds(input: &str) -> IResult<&str, u64> {
    map_opt(word, |word: &str| match word.strip_prefix('-') {
        Some(below) => is_digits(below).then_some(0),
        None => whole(word),
    })
    .parse(input)
}

/// The number of a move, the ellipses that mark the second side's, and the move.
fn numbered<'a, G: Game>(
    side: Color,
) -> impl Parser<&'a str, Output = (u64, G::Move), Error = Error<&'a str>> {
    let mv = map_opt(word, G::read_move);
    let before = move |input: &'a str| match side {
        Color::Black => Ok((input, "")),
        Color::White => verify(word, |word: &str| word == "...").parse(input),
    };
    (number, preceded(before, mv))
}

/// A name in quotes.
fn name(input: &str) -> IResult<&str, String> {
    preceded(space1, quoted).parse(input)
}

/// The side to move in a state display.
fn letter<G: Game>(input: &str) -> IResult<&str, Option<Color>> {
    map_opt(word, |word: &str| match word {
        "." | "*" => Some(None),
        _ => {
            let is_letter = |&side: &Color| word.chars().eq([G::LETTERS[side]]);
            Color::ALL.into_iter().find(is_letter).map(Some)
        }
    })
    .parse(input)
}
