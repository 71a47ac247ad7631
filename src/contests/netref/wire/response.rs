//! What the server sends: [`Response`]s, a line each.
//!
//! Source: *A Networked Gothello Referee: Specification*, tables 1, 3 to 5 and
//! 8 to 10, and *A Networked Awari Referee: Specification*, tables 1, 3 to 5, 8
//! and 9. The texts after codes and arguments are the deployed server's where it
//! has one. They are for people, but clients need some text to be there.
//!
//! The parser also reads what the deployed server does otherwise: `*` for `.` in
//! state displays, negative numbers of seconds, and codes without a text.

use std::fmt::{self, Display, Formatter};

use nom::branch::alt;
use nom::bytes::complete::{take_till1, take_while_m_n};
use nom::character::complete::space1;
use nom::combinator::{eof, map_opt, peek, rest, verify};
use nom::error::Error;
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

use super::request::is_digits;
use crate::base::color::{ByColor, Color};
use crate::contests::netref::client::{fmt_quoted, quoted};
use crate::contests::netref::game::{NetrefGame, ellipses};
use crate::contests::netref::summary::MatchReason;

/// A line of the server. `String`s hold the text for people after the code and its
/// arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Response<G: NetrefGame> {
    /// 000: the greeting.
    Greeting(String),
    /// 100, or 101 with the times on the clocks: the role is granted.
    Granted(Option<Times>),
    /// 19x: the role is refused.
    Refused(RoleRefusal, String),
    /// 341, 342: the name of a player.
    PlayerName(Color, String),
    /// 343: the number and the name of an observer.
    ObserverName(u64, String),
    /// 344: the number of observers.
    Observers(u64),
    /// 351, 352: the match starts, and the client plays this side.
    RolePlayer(Color),
    /// 353: the match starts, and the client observes it.
    RoleObserver,
    /// 200, or 207 with the whole seconds left: the move is accepted, and the match
    /// goes on.
    Accepted(Option<u64>, String),
    /// 201 to 203: the match is over, with this result for the client.
    Ended(Verdict, String),
    /// 204: the resignation is accepted.
    Resigned,
    /// 205: the offer of a draw is passed on.
    OfferReceived,
    /// 206: the refusal of a draw is passed on.
    RefusalReceived,
    /// 291: the request is illegal.
    Illegal(String),
    /// 299: the request is not understood.
    NotUnderstood(String),
    /// A status line: 311 to 318, 321 to 329, 331 to 334, 361, 362, 391, 392.
    Status(Status<G::Move>),
    /// 399: a problem on the server's side.
    Problem(String),
    /// 380, or 381 with the clocks: the state of the match.
    State {
        /// The number of the next move, or of the last one if a move ended the match.
        number: u64,
        /// The whole seconds left, with time controls.
        secs: Option<ByColor<u64>>,
        /// The side to move; `None` if the match is over.
        to_move: Option<Color>,
    },
    /// 382: the rows of the board follow.
    Board,
    /// A row of the board, without a code.
    Row(G::Row),
    /// A line with an unknown code.
    Other(u16, String),
}

/// The times on the clocks, in whole seconds, as sent in [`Granted`](Response::Granted) (101).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The client's time and its opponent's. An observer gets the second side's
    /// time first.
    pub secs: [u64; 2],
    /// Whether the text says that the first time is the client's own. A client that
    /// asked for a side always gets its own first.
    pub is_own_first: bool,
}

/// Why a role is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleRefusal {
    /// 191: the side is another player's.
    SideTaken,
    /// 192: there are two players.
    Full,
    /// 193: nobody may observe.
    Private,
    /// 198: the client's version is too great.
    Version,
    /// 199: the request is not understood.
    NotUnderstood,
    /// Another code from 190 to 199.
    Other(u16),
}

/// The result of a match for one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The player wins.
    Win,
    /// The player loses.
    Loss,
    /// The match is drawn.
    Draw,
}

impl Verdict {
    /// Returns the result for `side` of a match that `winner` wins.
    pub fn of(winner: Option<Color>, side: Color) -> Verdict {
        match winner {
            None => Verdict::Draw,
            Some(winner) if winner == side => Verdict::Win,
            Some(_) => Verdict::Loss,
        }
    }
}

/// Something that happened in the match (table 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status<M> {
    /// 311 to 318: a move, and the game goes on.
    Moved {
        /// The side that moved.
        side: Color,
        /// The number of the move; both sides' moves share one.
        number: u64,
        /// The move.
        mv: M,
        /// The whole seconds that the side has left, with time controls.
        secs: Option<u64>,
    },
    /// 321 to 326: the last move, or a substitute move for an end that the
    /// client libraries do not recognize (see
    /// [`NetrefGame::FORFEIT_MOVE`]).
    LastMove {
        /// The side that moved.
        side: Color,
        /// The number of the move.
        number: u64,
        /// The move.
        mv: M,
        /// The winner; `None` if the match is drawn.
        winner: Option<Color>,
        /// The reason of the end, if the move is a stand-in.
        forfeit: Option<MatchReason>,
    },
    /// 327, 328: this side resigned.
    Resigned(Color),
    /// 329: the players agreed on a draw.
    DrawAgreed,
    /// 331, 332: this side, which is to move, offers a draw.
    DrawOffered(Color),
    /// 333, 334: this side refuses the draw.
    DrawRefused(Color),
    /// 361, 362: this side's flag fell.
    FlagFell(Color),
    /// 391, 392: this side disconnected.
    Disconnected(Color),
}

/// Why a side loses without a move: the reason, the text after a substitute move, and the part of
/// it by which the reason is recognized.
const FORFEITS: [(MatchReason, &str, &str); 5] = [
    (MatchReason::Resignation, "resignation", "resign"),
    (MatchReason::Time, "time expiring", "time"),
    (MatchReason::Disconnection, "disconnection", "disconnect"),
    (MatchReason::Protocol, "protocol errors", "protocol"),
    (MatchReason::IllegalRequests, "illegal requests", "illegal"),
];

/// Returns the reason as the text after a substitute move has it after `by`.
pub(in crate::contests::netref) fn forfeit_phrase(reason: MatchReason) -> &'static str {
    let known = FORFEITS.iter().find(|(known, ..)| *known == reason);
    known.map_or("forfeit", |(_, phrase, _)| phrase)
}

/// Finds the reason in the text after a last move, as in `and white loses by resignation`; an
/// unknown one is [`MatchReason::Void`]. Returns `None` if the text does not say that the move is a
/// stand-in.
fn find_forfeit(text: &str) -> Option<MatchReason> {
    let (_, why) = text.split_once(" by ")?;
    let why = why.to_ascii_lowercase();
    if why.contains("move") {
        return None;
    }
    let known = FORFEITS.iter().find(|(.., part)| why.contains(part));
    Some(known.map_or(MatchReason::Void, |&(reason, ..)| reason))
}

impl RoleRefusal {
    /// Returns the code of the refusal.
    pub const fn code(self) -> u16 {
        match self {
            RoleRefusal::SideTaken => 191,
            RoleRefusal::Full => 192,
            RoleRefusal::Private => 193,
            RoleRefusal::Version => 198,
            RoleRefusal::NotUnderstood => 199,
            RoleRefusal::Other(code) => code,
        }
    }

    const fn of_code(code: u16) -> RoleRefusal {
        match code {
            191 => RoleRefusal::SideTaken,
            192 => RoleRefusal::Full,
            193 => RoleRefusal::Private,
            198 => RoleRefusal::Version,
            199 => RoleRefusal::NotUnderstood,
            code => RoleRefusal::Other(code),
        }
    }
}

/// Writes the line with its end, CR LF.
impl<G: NetrefGame> Display for Response<G> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.fmt_line(f)?;
        f.write_str("\r\n")
    }
}

impl<G: NetrefGame> Response<G> {
    fn fmt_line(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Response::Greeting(text) => fmt_text(0, text, f),
            Response::Granted(None) => f.write_str("100 Request accepted"),
            Response::Granted(Some(Times {
                secs: [one, other],
                is_own_first,
            })) => {
                let whose = if *is_own_first { OWN_FIRST } else { "" };
                write!(
                    f,
                    "101 {one} {other} Request accepted with time controls{whose}"
                )
            }
            Response::Refused(why, text) => fmt_text(why.code(), text, f),
            Response::PlayerName(side, name) => {
                write!(f, "{} ", second_first(341, *side))?;
                fmt_quoted(name, f)?;
                write!(f, " is the {} player", G::SIDES[*side])
            }
            Response::ObserverName(number, name) => {
                write!(f, "343 {number} ")?;
                fmt_quoted(name, f)?;
                write!(f, " is observer {number}")
            }
            Response::Observers(1) => f.write_str("344 1 observer watches"),
            Response::Observers(count) => write!(f, "344 {count} observers watch"),
            Response::RolePlayer(side) => {
                let code = second_first(351, *side);
                write!(f, "{code} You will play {}", G::SIDES[*side])
            }
            Response::RoleObserver => f.write_str("353 You will observe"),
            Response::Accepted(None, text) => fmt_text(200, text, f),
            Response::Accepted(Some(secs), text) => {
                write!(f, "207 {secs}")?;
                fmt_rest(text, f)
            }
            Response::Ended(verdict, text) => {
                let code = match verdict {
                    Verdict::Win => 201,
                    Verdict::Loss => 202,
                    Verdict::Draw => 203,
                };
                fmt_text(code, text, f)
            }
            Response::Resigned => f.write_str("204 Resignation accepted, you lose"),
            Response::OfferReceived => f.write_str("205 Received draw request"),
            Response::RefusalReceived => f.write_str("206 Received draw refusal"),
            Response::Illegal(text) => fmt_text(291, text, f),
            Response::NotUnderstood(text) => fmt_text(299, text, f),
            Response::Status(status) => fmt_status::<G>(status, f),
            Response::Problem(text) => fmt_text(399, text, f),
            Response::State {
                number,
                secs,
                to_move,
            } => {
                let (letter, what) = match *to_move {
                    Some(side) => (G::LETTERS[side], "to move"),
                    None => ('.', "the match is over"),
                };
                match secs {
                    None => write!(f, "380 {number} {letter} {what}"),
                    Some(ByColor { black, white }) => {
                        write!(f, "381 {number} {black} {white} {letter} {what}")
                    }
                }
            }
            Response::Board => f.write_str("382 The board"),
            Response::Row(row) => write!(f, "{row}"),
            Response::Other(code, text) => fmt_text(*code, text, f),
        }
    }
}

/// The text in [`Granted`](Response::Granted) (101) for a client that asked for either side.
const OWN_FIRST: &str = " (you / opp)";

fn fmt_text(code: u16, text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{code:03}")?;
    fmt_rest(text, f)
}

fn fmt_rest(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    match text {
        "" => Ok(()),
        text => write!(f, " {text}"),
    }
}

/// Returns the code of a side in tables 4 and 5, which have the second side first.
const fn second_first(code: u16, side: Color) -> u16 {
    match side {
        Color::White => code,
        Color::Black => code + 1,
    }
}

/// Returns the code of a side in table 9, which has the first side first. The sides in the texts
/// of Resigned (327) and FlagFell (361) are the winners.
const fn first_first(code: u16, side: Color) -> u16 {
    match side {
        Color::Black => code,
        Color::White => code + 1,
    }
}

fn fmt_status<G: NetrefGame>(status: &Status<G::Move>, f: &mut Formatter<'_>) -> fmt::Result {
    match *status {
        Status::Moved {
            side,
            number,
            mv,
            secs,
        } => {
            let base = 311 + 4 * u16::from(Some(mv) == G::PASS) + 2 * u16::from(secs.is_some());
            let code = first_first(base, side);
            write!(f, "{code} {number} {}{mv}", ellipses(side))?;
            if let Some(secs) = secs {
                write!(f, " {secs} (secs)")?;
            }
            write!(f, " is {} move, game continues", G::SIDES[side])
        }
        Status::LastMove {
            side,
            number,
            mv,
            winner,
            forfeit,
        } => {
            let (code, does) = match (Verdict::of(winner, side), side) {
                (Verdict::Win, Color::Black) => (321, "wins"),
                (Verdict::Loss, Color::Black) => (322, "loses"),
                (Verdict::Win, Color::White) => (323, "wins"),
                (Verdict::Loss, Color::White) => (324, "loses"),
                (Verdict::Draw, side) => (first_first(325, side), "draws"),
            };
            let name = G::SIDES[side];
            write!(
                f,
                "{code} {number} {}{mv} and {name} {does}",
                ellipses(side)
            )?;
            match forfeit {
                Some(forfeit) => write!(f, " by {}", forfeit_phrase(forfeit)),
                None => Ok(()),
            }
        }
        Status::Resigned(loser) => {
            let winner = loser.opponent();
            let code = first_first(327, winner);
            write!(f, "{code} {} wins by resignation", G::PLAYERS[winner])
        }
        Status::DrawOffered(side) => {
            let code = first_first(331, side);
            write!(f, "{code} Draw requested by {}", G::PLAYERS[side])
        }
        Status::DrawRefused(side) => {
            let code = first_first(333, side);
            write!(f, "{code} Draw refused by {}", G::PLAYERS[side])
        }
        Status::DrawAgreed => f.write_str("329 Draw accepted"),
        Status::FlagFell(loser) => {
            let winner = loser.opponent();
            let code = first_first(361, winner);
            let [winner, loser] = [winner, loser].map(|side| G::PLAYERS[side]);
            write!(f, "{code} {winner} wins by {loser} time expiring")
        }
        Status::Disconnected(side) => {
            let code = first_first(391, side);
            write!(f, "{code} {} disconnected", G::PLAYERS[side])
        }
    }
}

/// A line that is not a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResponseError {
    /// It has neither a code nor the shape of a row of the board.
    #[error("it begins with neither a code of three digits nor a row of the board")]
    NoCode,
    /// Its code lacks an argument.
    #[error("after the code there must be {0}")]
    Arguments(&'static str),
}

impl<G: NetrefGame> Response<G> {
    /// Parses a line without its end.
    ///
    /// # Errors
    /// If the line has no code, or lacks an argument that its code needs.
    pub fn parse(line: &str) -> Result<Response<G>, ResponseError> {
        if let Some(row) = G::parse_row(line) {
            return Ok(Response::Row(row));
        }
        let (after, code) = code(line).map_err(|_| ResponseError::NoCode)?;
        let text = || after.trim_ascii().to_owned();
        let response = match code {
            0 => Response::Greeting(text()),
            100 => Response::Granted(None),
            101 => {
                let (one, other) = read((seconds, seconds), after, "two numbers of seconds")?;
                Response::Granted(Some(Times {
                    secs: [one, other],
                    is_own_first: after.contains(OWN_FIRST.trim_ascii_start()),
                }))
            }
            190..=199 => Response::Refused(RoleRefusal::of_code(code), text()),
            200 => Response::Accepted(None, text()),
            201 => Response::Ended(Verdict::Win, text()),
            202 => Response::Ended(Verdict::Loss, text()),
            203 => Response::Ended(Verdict::Draw, text()),
            204 => Response::Resigned,
            205 if G::HAS_DRAWS => Response::OfferReceived,
            206 if G::HAS_DRAWS => Response::RefusalReceived,
            207 => {
                let (secs, text) = read((seconds, rest), after, "a number of seconds")?;
                Response::Accepted(Some(secs), text.trim_ascii().to_owned())
            }
            291 => Response::Illegal(text()),
            299 => Response::NotUnderstood(text()),
            341 | 342 => Response::PlayerName(side(code + 1), read(name, after, "a quoted name")?),
            343 => {
                let what = "a number and a quoted name";
                let (number, name) = read((number, name), after, what)?;
                Response::ObserverName(number, name)
            }
            344 => Response::Observers(read(number, after, "a number")?),
            351 | 352 => Response::RolePlayer(side(code + 1)),
            353 => Response::RoleObserver,
            311..=318 | 321..=328 | 361 | 362 | 391 | 392 => {
                Response::Status(status::<G>(code, after)?)
            }
            329 | 331..=334 if G::HAS_DRAWS => Response::Status(status::<G>(code, after)?),
            380 | 381 => state(code, after)?,
            382 => Response::Board,
            399 => Response::Problem(text()),
            _ => Response::Other(code, text()),
        };
        Ok(response)
    }
}

/// Returns the side of a code: the first side's codes are odd.
const fn side(code: u16) -> Color {
    if code % 2 == 1 {
        Color::Black
    } else {
        Color::White
    }
}

fn status<G: NetrefGame>(code: u16, after: &str) -> Result<Status<G::Move>, ResponseError> {
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
                forfeit: G::FORFEIT_MOVE.and_then(|_| find_forfeit(text)),
            }
        }
        // These codes are the winner's.
        327 | 328 => Status::Resigned(side(code).opponent()),
        329 => Status::DrawAgreed,
        331 | 332 => Status::DrawOffered(side(code)),
        333 | 334 => Status::DrawRefused(side(code)),
        361 | 362 => Status::FlagFell(side(code).opponent()),
        391 | 392 => Status::Disconnected(side(code)),
        _ => return Err(ResponseError::NoCode),
    };
    Ok(status)
}

fn state<G: NetrefGame>(code: u16, after: &str) -> Result<Response<G>, ResponseError> {
    let (number, secs, to_move) = if code == 380 {
        let what = "the number of the move and the letter of a side or .";
        let (number, to_move) = read((number, letter::<G>), after, what)?;
        (number, None, to_move)
    } else {
        let what = "the number of the move, the seconds of both, and the letter of a side or .";
        let (number, black, white, to_move) =
            read((number, seconds, seconds, letter::<G>), after, what)?;
        (number, Some(ByColor { black, white }), to_move)
    };
    Ok(Response::State {
        number,
        secs,
        to_move,
    })
}

/// Runs a parser at the beginning of `input`; `what` describes what it needs.
fn read<'a, T>(
    mut parser: impl Parser<&'a str, Output = T, Error = Error<&'a str>>,
    input: &'a str,
    what: &'static str,
) -> Result<T, ResponseError> {
    let (_, value) = (parser.parse(input)).map_err(|_| ResponseError::Arguments(what))?;
    Ok(value)
}

/// Parses three digits that are a whole word.
fn code(input: &str) -> IResult<&str, u16> {
    let digits = take_while_m_n(3, 3, |c: char| c.is_ascii_digit());
    let code = map_opt(digits, |digits: &str| digits.parse().ok());
    terminated(code, peek(alt((space1, eof)))).parse(input)
}

/// Parses the next word.
fn word(input: &str) -> IResult<&str, &str> {
    preceded(space1, take_till1(|c| c == ' ' || c == '\t')).parse(input)
}

fn number(input: &str) -> IResult<&str, u64> {
    map_opt(word, whole).parse(input)
}

fn whole(word: &str) -> Option<u64> {
    is_digits(word).then(|| word.parse().ok()).flatten()
}

/// Parses whole seconds. The deployed server lets clocks run below zero: that is 0.
fn seconds(input: &str) -> IResult<&str, u64> {
    map_opt(word, |word: &str| match word.strip_prefix('-') {
        Some(below) => is_digits(below).then_some(0),
        None => whole(word),
    })
    .parse(input)
}

/// Parses the number of a move, the ellipses that mark the second side's, and the
/// move.
fn numbered<'a, G: NetrefGame>(
    side: Color,
) -> impl Parser<&'a str, Output = (u64, G::Move), Error = Error<&'a str>> {
    let mv = map_opt(word, |word: &str| G::default().parse_notation(word));
    let before = move |input: &'a str| match side {
        Color::Black => Ok((input, "")),
        Color::White => verify(word, |word: &str| word == "...").parse(input),
    };
    (number, preceded(before, mv))
}

/// Parses a name in quotes.
fn name(input: &str) -> IResult<&str, String> {
    preceded(space1, quoted).parse(input)
}

/// Parses the side to move in a state display.
fn letter<G: NetrefGame>(input: &str) -> IResult<&str, Option<Color>> {
    map_opt(word, |word: &str| match word {
        "." | "*" => Some(None),
        _ => {
            let is_letter = |&side: &Color| word.chars().eq([G::LETTERS[side]]);
            Color::ALL.into_iter().find(is_letter).map(Some)
        }
    })
    .parse(input)
}
