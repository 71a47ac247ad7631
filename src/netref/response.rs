//! What the referee says, typed; printing it makes the lines of the wire.
//!
//! Source: *A Networked Gothello Referee: Specification*, tables 1, 3 to 5 and
//! 8 to 10, and *A Networked Awari Referee: Specification*, tables 1, 3 to 5, 8
//! and 9. The texts after codes and arguments are the deployed referee's
//! where it has one; clients need that there is one.

use std::fmt::{self, Display, Formatter};

use super::game::Game;
use super::name::Name;
use super::version::Version;
use crate::color::{ByColor, Color};

/// One response: a line, for a board six.
#[derive(Clone, Debug, PartialEq)]
pub enum Response<G: Game> {
    /// 000: the greeting.
    Greeting,
    /// 100, or 101 with the whole seconds of the client and of its opponent.
    /// For one that has no side, those of the second side come first.
    Granted {
        /// The seconds, if the match has time controls.
        secs: Option<(u64, u64)>,
        /// Whether the first number is the client's own.
        own: bool,
    },
    /// 191: another player has the side.
    SeatTaken,
    /// 191: the seat waits for a player of an interrupted match.
    SeatKept,
    /// 191: both players of an interrupted match have the client's name.
    SeatUnclear,
    /// 192: there are two players.
    SeatFull,
    /// 193: no observers.
    SeatPrivate,
    /// 198: the client's version is too great.
    SeatIllegal(Version),
    /// 199: the opening is garbled.
    SeatGarbled(String),
    /// 341, 342: a player's name.
    PlayerName(Color, Name),
    /// 343: the name of an observer with a number.
    ObserverName(usize, Name),
    /// 344: how many observers there are.
    Observers(usize),
    /// 351, 352: the start, for a player.
    RolePlayer(Color),
    /// 353: the start, for an observer.
    RoleObserver,
    /// 200, or 207 with the whole seconds left: the move is accepted.
    Continue(G::Move, Option<u64>),
    /// 201 to 203: the action is accepted or the clock has spoken, and so the
    /// match ends for the player.
    Ended(Verdict, String),
    /// 204: the resignation is accepted.
    Resigned,
    /// 205: the offer of a draw is accepted as such.
    OfferReceived,
    /// 206: the refusal of a draw is accepted.
    RefusalReceived,
    /// 291: an illegal request.
    Illegal(String),
    /// 299: a garbled request.
    NotUnderstood(String),
    /// A status line: 311 to 318, 321 to 329, 331 to 334, 361, 362, 391, 392.
    Status(Status<G::Move>),
    /// 399: a problem of the referee's own.
    Unknown(String),
    /// 380, or 381 with the whole seconds of the first and the second side.
    State {
        /// The number of the move that comes next, or of the last one.
        number: u32,
        /// The seconds, if the match has time controls.
        secs: Option<ByColor<u64>>,
        /// The side to move; `None` if the match is over.
        to_move: Option<Color>,
    },
    /// 382 and the rows of the board.
    Board(Vec<String>),
}

/// What a match means for one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// He wins.
    Win,
    /// He loses.
    Loss,
    /// Nobody wins.
    Draw,
}

impl Verdict {
    /// What it means for `side` that `winner` wins.
    pub fn of(winner: Option<Color>, side: Color) -> Verdict {
        match winner {
            None => Verdict::Draw,
            Some(winner) if winner == side => Verdict::Win,
            Some(_) => Verdict::Loss,
        }
    }
}

/// What has happened in the match (table 9).
#[derive(Clone, Debug, PartialEq)]
pub enum Status<M> {
    /// A move, and the game goes on.
    Moved {
        /// Who moved.
        side: Color,
        /// The number of the move.
        number: u32,
        /// The move.
        mv: M,
        /// The whole seconds that he has left, with time controls.
        secs: Option<u64>,
        /// Whether it is a pass.
        pass: bool,
    },
    /// A last move.
    LastMove {
        /// Who moved.
        side: Color,
        /// The number of the move.
        number: u32,
        /// The move, or what stands in for one.
        mv: String,
        /// What it means for the one who moved.
        verdict: Verdict,
        /// Why, if not by the rules: `resignation`, `disconnection`.
        by: Option<&'static str>,
    },
    /// This side resigned.
    Resigned(Color),
    /// This side, which is to move, offers a draw.
    DrawOffered(Color),
    /// This side does not accept the draw.
    DrawRefused(Color),
    /// A draw was offered and accepted.
    DrawAgreed,
    /// This side's flag fell.
    FlagFell(Color),
    /// This side disconnected.
    Disconnected(Color),
}

/// Writes the response with its line ends.
impl<G: Game> Display for Response<G> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.fmt_line(f)?;
        f.write_str("\r\n")
    }
}

impl<G: Game> Response<G> {
    fn fmt_line(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Response::Greeting => {
                write!(f, "000 {}", G::greeting())
            }
            Response::Granted { secs: None, .. } => f.write_str("100 Request accepted"),
            Response::Granted {
                secs: Some((one, other)),
                own,
            } => {
                let whose = if *own { " (you / opp)" } else { "" };
                write!(
                    f,
                    "101 {one} {other} Request accepted with time controls{whose}"
                )
            }
            Response::SeatTaken => f.write_str("191 Other player holds requested side"),
            Response::SeatKept => {
                f.write_str("191 The seat is kept for a player of an interrupted match")
            }
            Response::SeatUnclear => write!(
                f,
                "191 Both players of the interrupted match have this name: ask for {}",
                Color::ALL.map(|side| G::SIDES[side]).join(" or ")
            ),
            Response::SeatFull => f.write_str("192 There are already two players"),
            Response::SeatPrivate => f.write_str("193 Cannot observe: the match is private"),
            Response::SeatIllegal(got) => {
                let ours = G::version();
                write!(
                    f,
                    "198 Illegal version number (expected {ours} or less, got {got})"
                )
            }
            Response::SeatGarbled(why) => write!(f, "199 Request not understood: {why}"),
            Response::PlayerName(side, name) => {
                let code = second_first(341, *side);
                write!(f, "{code} {name} is the {} player", G::SIDES[*side])
            }
            Response::ObserverName(number, name) => {
                write!(f, "343 {number} {name} is observer {number}")
            }
            Response::Observers(1) => f.write_str("344 1 observer watches"),
            Response::Observers(count) => write!(f, "344 {count} observers watch"),
            Response::RolePlayer(side) => {
                let code = second_first(351, *side);
                write!(f, "{code} You will play {}", G::SIDES[*side])
            }
            Response::RoleObserver => f.write_str("353 You will observe"),
            Response::Continue(mv, None) => {
                write!(f, "200 Move {mv} accepted, continue playing")
            }
            Response::Continue(mv, Some(secs)) => write!(
                f,
                "207 {secs} secs remaining after move {mv} accepted, continue playing"
            ),
            Response::Ended(verdict, why) => {
                let (code, verdict) = match verdict {
                    Verdict::Win => (201, "you win"),
                    Verdict::Loss => (202, "you lose"),
                    Verdict::Draw => (203, "you draw"),
                };
                write!(f, "{code} {why}, {verdict}")
            }
            Response::Resigned => f.write_str("204 Resignation accepted, you lose"),
            Response::OfferReceived => f.write_str("205 Received draw request"),
            Response::RefusalReceived => f.write_str("206 Received draw refusal"),
            Response::Illegal(why) => write!(f, "291 Illegal request: {why}"),
            Response::NotUnderstood(why) => write!(f, "299 Request not understood: {why}"),
            Response::Status(status) => fmt_status::<G>(status, f),
            Response::Unknown(why) => write!(f, "399 {why}"),
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
                    Some(ByColor {
                        black: first,
                        white: second,
                    }) => {
                        write!(f, "381 {number} {first} {second} {letter} {what}")
                    }
                }
            }
            Response::Board(rows) => {
                f.write_str("382 The board")?;
                rows.iter().try_for_each(|row| write!(f, "\r\n{row}"))
            }
        }
    }
}

/// Table 4 and 5 have the second side before the first.
const fn second_first(code: u16, side: Color) -> u16 {
    match side {
        Color::White => code,
        Color::Black => code + 1,
    }
}

/// Table 9 has the first side before the second, also where the code tells who
/// won: 327 and 361 are the first side's wins.
const fn first_first(code: u16, side: Color) -> u16 {
    match side {
        Color::Black => code,
        Color::White => code + 1,
    }
}

fn fmt_status<G: Game>(status: &Status<G::Move>, f: &mut Formatter<'_>) -> fmt::Result {
    match status {
        Status::Moved {
            side,
            number,
            mv,
            secs,
            pass,
        } => {
            let base = 311 + 4 * u16::from(*pass) + 2 * u16::from(secs.is_some());
            let code = first_first(base, *side);
            write!(f, "{code} {number} {}{mv}", ellipses(*side))?;
            if let Some(secs) = secs {
                write!(f, " {secs} (secs)")?;
            }
            write!(f, " is {} move, game continues", G::SIDES[*side])
        }
        Status::LastMove {
            side,
            number,
            mv,
            verdict,
            by,
        } => {
            let (code, does) = match (verdict, side) {
                (Verdict::Win, side) => (first_third(321, *side), "wins"),
                (Verdict::Loss, side) => (first_third(322, *side), "loses"),
                (Verdict::Draw, side) => (first_first(325, *side), "draws"),
            };
            let side_name = G::SIDES[*side];
            write!(
                f,
                "{code} {number} {}{mv} and {side_name} {does}",
                ellipses(*side)
            )?;
            match by {
                Some(by) => write!(f, " by {by}"),
                None => Ok(()),
            }
        }
        Status::Resigned(loser) => {
            let winner = loser.opponent();
            let code = first_first(327, winner);
            write!(f, "{code} {} wins by resignation", G::TITLES[winner])
        }
        Status::DrawOffered(side) => {
            let code = first_first(331, *side);
            write!(f, "{code} Draw requested by {}", G::TITLES[*side])
        }
        Status::DrawRefused(side) => {
            let code = first_first(333, *side);
            write!(f, "{code} Draw refused by {}", G::TITLES[*side])
        }
        Status::DrawAgreed => f.write_str("329 Draw accepted"),
        Status::FlagFell(loser) => {
            let winner = loser.opponent();
            let code = first_first(361, winner);
            let [winner, loser] = [winner, *loser].map(|side| G::TITLES[side]);
            write!(f, "{code} {winner} wins by {loser} time expiring")
        }
        Status::Disconnected(side) => {
            let code = first_first(391, *side);
            write!(f, "{code} {} disconnected", G::TITLES[*side])
        }
    }
}

/// Returns what stands between the number of a move of this side and the move
/// (table 6), with a space after it.
pub const fn ellipses(side: Color) -> &'static str {
    match side {
        Color::Black => "",
        Color::White => "... ",
    }
}

/// 321 and 322 are the first side's, 323 and 324 the second's.
const fn first_third(code: u16, side: Color) -> u16 {
    match side {
        Color::Black => code,
        Color::White => code + 2,
    }
}
