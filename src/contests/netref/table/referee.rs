//! One match by its rules: the game, the clocks, and draws by agreement. Pure: the time is
//! an argument.
//!
//! Source of the draws: *A Networked Awari Referee: Specification*, section 2 and tables 7
//! to 9. The player to move may offer a draw. The opponent accepts or refuses it while the
//! offer stands; a move withdraws it. After a refusal no other offer may be made in the same
//! turn. Meanwhile the clock of the player to move runs.

use std::time::Duration;

use crate::base::clock::Clock;
use crate::base::color::{ByColor, Color};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::summary::{MatchEnding, MatchReason, Played};
use crate::contests::netref::wire::{Malformed, MoveNumber, Response, Status};

/// A match from its start to its end. It knows sides, not connections.
#[derive(Clone, Debug)]
pub struct Match<G: NetrefGame> {
    game: G,
    clocks: Option<ByColor<Clock>>,
    /// The maximum time of a move, whatever the clocks say.
    move_timeout: Option<Duration>,
    /// When the side to move was notified of its turn; `None` before.
    turn_start: Option<Duration>,
    /// How long the side to move had thought when the match was interrupted.
    spent_before: Duration,
    /// The state of an offer of a draw in this turn.
    draw: Draw,
    moves: History<G::Move>,
    ending: Option<MatchEnding>,
}

/// The moves of a match, each with the status after it.
type History<M> = Vec<(Played<M>, Status<M>)>;

/// Why a request for a move is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request is against the rules or out of turn (291).
    Illegal(String),
    /// The request is malformed, or has a wrong number or wrong ellipses (299).
    Misunderstood(String),
}

/// Returns the response of this server.
impl<G: NetrefGame> From<Refusal> for Response<G> {
    fn from(refusal: Refusal) -> Response<G> {
        match refusal {
            Refusal::Illegal(why) => Response::Illegal(format!("Illegal request: {why}")),
            Refusal::Misunderstood(why) => {
                Response::NotUnderstood(format!("Request not understood: {why}"))
            }
        }
    }
}

impl From<Malformed> for Refusal {
    fn from(Malformed(why): Malformed) -> Refusal {
        Refusal::Misunderstood(why)
    }
}

impl<G: NetrefGame> Match<G> {
    /// Creates a match from a game at its start. With times on the clocks it has time
    /// controls.
    pub fn new(start: G, times: Option<ByColor<Duration>>) -> Match<G> {
        Match {
            game: start,
            clocks: times.map(|times| times.map(Clock::new)),
            move_timeout: None,
            turn_start: None,
            spent_before: Duration::ZERO,
            draw: Draw::default(),
            moves: Vec::new(),
            ending: None,
        }
    }

    /// Limits the time of each move; `None` means no limit. A player who exceeds it loses on time.
    pub fn set_move_timeout(&mut self, timeout: Option<Duration>) {
        self.move_timeout = timeout;
    }

    /// Returns the game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Returns how the match ended; `None` while it goes on.
    pub fn ending(&self) -> Option<&MatchEnding> {
        self.ending.as_ref()
    }

    /// Returns the moves so far.
    pub fn moves(&self) -> impl Iterator<Item = &Played<G::Move>> {
        self.moves.iter().map(|(played, _)| played)
    }

    /// Returns the status lines of the moves so far.
    pub fn statuses(&self) -> impl Iterator<Item = &Status<G::Move>> {
        self.moves.iter().map(|(_, status)| status)
    }

    /// Returns the side to move; `None` when the match is over.
    pub fn to_move(&self) -> Option<Color> {
        self.ending.is_none().then(|| self.game.to_move())
    }

    /// Returns the number of the next move. Both sides' moves share numbers: 1, 1, 2, 2, ...
    pub fn number(&self) -> u64 {
        self.moves.len() as u64 / 2 + 1
    }

    /// Returns the number of the next move of a side.
    pub fn next_number(&self, side: Color) -> u64 {
        let number = self.number();
        match (self.game.to_move(), side) {
            (Color::White, Color::Black) => number + 1,
            _ => number,
        }
    }

    /// Starts the clock of the side to move, unless it runs already. Must be called when the
    /// side has been notified of its turn.
    pub fn start_clock(&mut self, now: Duration) {
        if self.ending.is_none() && self.turn_start.is_none() {
            self.turn_start = Some(now);
            let side = self.game.to_move();
            if let Some(clocks) = &mut self.clocks {
                clocks[side].start(now);
            }
        }
    }

    /// Returns the time that each side has left; `None` without time controls.
    pub fn remaining(&self, now: Duration) -> Option<ByColor<Duration>> {
        Some(self.clocks?.map(|clock| clock.remaining(now)))
    }

    /// Returns the clocks; `None` without time controls.
    pub fn clocks(&self) -> Option<ByColor<Clock>> {
        self.clocks
    }

    /// Returns the time at which the flag of the side to move falls, if nothing else
    /// happens.
    pub fn flag_deadline(&self) -> Option<Duration> {
        let side = self.to_move()?;
        let clocks = self.clocks.as_ref();
        let of_clock = clocks.and_then(|clocks| clocks[side].flag_deadline());
        [of_clock, self.move_deadline()].into_iter().flatten().min()
    }

    /// Returns when the time of the current move is over.
    fn move_deadline(&self) -> Option<Duration> {
        let left = self.move_timeout?.saturating_sub(self.spent_before);
        Some(self.turn_start?.saturating_add(left))
    }

    /// Returns the side to move, if its flag has fallen, or the time of its move is over.
    pub fn fallen_flag(&self, now: Duration) -> Option<Color> {
        let side = self.to_move()?;
        let clocks = self.clocks.as_ref();
        let has_fallen = clocks.is_some_and(|clocks| clocks[side].has_fallen(now));
        let is_late = self.move_deadline().is_some_and(|deadline| now >= deadline);
        (has_fallen || is_late).then_some(side)
    }

    /// Ends the match, with or without a winner, for another reason than a move.
    pub fn end(&mut self, winner: Option<Color>, reason: MatchReason, now: Duration) {
        let mover = self.game.to_move();
        if let Some(clocks) = &mut self.clocks {
            clocks[mover].stop(now);
        }
        self.ending.get_or_insert(MatchEnding {
            winner,
            reason,
            score: self.game.outcome().map(|outcome| self.game.score(outcome)),
            exchange: Vec::new(),
            why: None,
        });
    }

    /// Ends the match without a winner by command of the organizer, who may say why.
    pub fn void(&mut self, why: Option<String>, now: Duration) {
        self.replay_end(None, MatchReason::Void, (Vec::new(), why), now);
    }

    /// Ends the match as it was journaled: with the last lines of the loser, and why the organizer has
    /// ended it.
    pub fn replay_end(
        &mut self,
        winner: Option<Color>,
        reason: MatchReason,
        (exchange, why): (Vec<String>, Option<String>),
        now: Duration,
    ) {
        self.end(winner, reason, now);
        if let Some(ending) = &mut self.ending {
            (ending.exchange, ending.why) = (exchange, why);
        }
    }

    /// Replays that the flag whose fall has ended the match does not count.
    pub fn replay_withdrawal(&mut self) {
        self.ending = None;
    }

    /// Plays a move of `side`, stops its clock, and returns the status line.
    ///
    /// # Errors
    /// If the move is refused. Nothing has changed then.
    pub fn play(
        &mut self,
        side: Color,
        numbered: Option<MoveNumber>,
        mv: G::Move,
        now: Duration,
    ) -> Result<Status<G::Move>, Refusal> {
        self.check_turn(side, now)?;
        if let Some(numbered) = numbered {
            self.check(side, numbered)?;
        }
        let number = self.number();
        let played = self.game.play(side, mv);
        played.map_err(|why| Refusal::Illegal(why.to_string()))?;
        let spent = self.spent(now);
        self.turn_start = None;
        let left = self.clocks.as_mut().map(|clocks| {
            clocks[side].stop(now);
            clocks[side].remaining(now)
        });
        Ok(self.push(side, number, mv, spent, left))
    }

    /// Plays a move of the side to move as it was journaled.
    ///
    /// # Errors
    /// If the move is illegal.
    pub fn replay(
        &mut self,
        mv: G::Move,
        spent: Duration,
        left: Option<Duration>,
    ) -> Result<(), String> {
        let (side, number) = (self.game.to_move(), self.number());
        let played = self.game.play(side, mv);
        played.map_err(|why| why.to_string())?;
        if let (Some(clocks), Some(left)) = (&mut self.clocks, left) {
            clocks[side] = Clock::new(left);
        }
        self.push(side, number, mv, spent, left);
        Ok(())
    }

    /// Returns whether the side to move has been told of its turn.
    pub fn is_clock_started(&self) -> bool {
        self.turn_start.is_some()
    }

    /// Returns whether the match was interrupted in the middle of the current move.
    pub fn was_interrupted(&self) -> bool {
        !self.spent_before.is_zero()
    }

    /// Returns how long the side to move has thought, including the time before an interruption.
    pub fn spent(&self, now: Duration) -> Duration {
        let since = self
            .turn_start
            .map_or(Duration::ZERO, |start| now.saturating_sub(start));
        self.spent_before.saturating_add(since)
    }

    /// Stops the clocks in the middle of a move, until the match goes on.
    pub fn interrupt(&mut self, now: Duration) {
        self.spent_before = self.spent(now);
        self.turn_start = None;
        let side = self.game.to_move();
        if let Some(clocks) = &mut self.clocks {
            clocks[side].stop(now);
        }
    }

    /// Stops the clocks. The side to move begins its turn again when the match goes on: the time that it
    /// has thought does not count.
    pub fn restart_turn(&mut self) {
        self.turn_start = None;
        let side = self.game.to_move();
        if let Some(clocks) = &mut self.clocks {
            clocks[side].cancel();
        }
    }

    /// Replays an interruption in the middle of a move: `spent` is how long the side to move
    /// had thought, and `left` its time.
    pub fn replay_interruption(&mut self, spent: Duration, left: Option<Duration>) {
        self.spent_before = spent;
        let side = self.game.to_move();
        if let (Some(clocks), Some(left)) = (&mut self.clocks, left) {
            clocks[side] = Clock::new(left);
        }
    }

    /// Checks whether it is a side's turn.
    ///
    /// # Errors
    /// If it is not. A request that was sent before the turn began is out of turn, too.
    fn check_turn(&self, side: Color, now: Duration) -> Result<(), Refusal> {
        let has_begun = self.turn_start.is_some_and(|start| start <= now);
        if self.to_move() == Some(side) && has_begun {
            Ok(())
        } else {
            Err(Refusal::Illegal("it is not your turn".into()))
        }
    }

    fn check(&self, side: Color, numbered: MoveNumber) -> Result<(), Refusal> {
        let MoveNumber { number, ellipses } = numbered;
        let expected = self.number();
        let wrong = |why: String| Err(Refusal::Misunderstood(why));
        if number != expected {
            return wrong(format!(
                "illegal serial number (got {number} expected {expected})"
            ));
        }
        match (side, ellipses) {
            (Color::Black, true) => {
                let side = G::SIDES[side];
                wrong(format!(
                    "no ellipses (...) expected before a move of {side}"
                ))
            }
            (Color::White, false) => wrong("ellipses (...) expected before move".into()),
            _ => Ok(()),
        }
    }

    /// Notes a move that has been played, and the end if it was the last one.
    fn push(
        &mut self,
        side: Color,
        number: u64,
        mv: G::Move,
        spent: Duration,
        left: Option<Duration>,
    ) -> Status<G::Move> {
        self.draw = Draw::default();
        self.spent_before = Duration::ZERO;
        let played = Played {
            side,
            mv,
            spent,
            left,
        };
        let status = match self.game.outcome() {
            None => Status::Moved {
                side,
                number,
                mv,
                secs: left.map(|left| left.as_secs()),
            },
            Some(outcome) => {
                let winner = outcome.winner();
                self.ending = Some(MatchEnding {
                    winner,
                    reason: MatchReason::Play,
                    score: Some(self.game.score(outcome)),
                    exchange: Vec::new(),
                    why: None,
                });
                Status::LastMove {
                    side,
                    number,
                    mv,
                    winner,
                    forfeit: None,
                }
            }
        };
        self.moves.push((played, status));
        status
    }

    /// Returns the two state displays that follow every status line for observers
    /// (table 10).
    pub fn display(&self, now: Duration) -> impl Iterator<Item = Response<G>> {
        let by_move = matches!(&self.ending, Some(ending) if ending.reason == MatchReason::Play);
        let state = Response::State {
            // If a move ended the match, it is the number of that move.
            number: match self.moves.last() {
                Some((_, Status::LastMove { number, .. })) if by_move => *number,
                _ => self.number(),
            },
            secs: (self.remaining(now)).map(|left| left.map(|left| left.as_secs())),
            to_move: self.to_move(),
        };
        let rows = self.game.rows().into_iter().map(Response::Row);
        [state, Response::Board].into_iter().chain(rows)
    }
}

/// The state of an offer of a draw in the current turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Draw {
    /// No draw was offered.
    #[default]
    NotOffered,
    /// The side to move has offered a draw, which can be answered.
    Offered,
    /// The offer was refused.
    Refused,
}

impl<G: NetrefGame> Match<G> {
    /// Offers a draw on behalf of a side.
    ///
    /// # Errors
    /// If it is not its turn, or it has offered a draw in this turn already.
    pub fn offer_draw(&mut self, side: Color, now: Duration) -> Result<Status<G::Move>, Refusal> {
        self.check_turn(side, now)?;
        let why = match self.draw {
            Draw::NotOffered => {
                self.draw = Draw::Offered;
                return Ok(Status::DrawOffered(side));
            }
            Draw::Offered => "your offer stands already",
            Draw::Refused => "your offer was refused: no other one is possible before your move",
        };
        Err(Refusal::Illegal(why.into()))
    }

    /// Refuses the draw on behalf of a side.
    ///
    /// # Errors
    /// If it was offered none.
    pub fn refuse_draw(&mut self, side: Color) -> Result<Status<G::Move>, Refusal> {
        self.check_offered(side)?;
        self.draw = Draw::Refused;
        Ok(Status::DrawRefused(side))
    }

    /// Accepts the draw on behalf of a side, which ends the match.
    ///
    /// # Errors
    /// If it was offered none.
    pub fn accept_draw(&mut self, side: Color, now: Duration) -> Result<Status<G::Move>, Refusal> {
        self.check_offered(side)?;
        self.end(None, MatchReason::Agreement, now);
        Ok(Status::DrawAgreed)
    }

    /// Returns the status line of the current draw offer, if there is one.
    pub fn draw_status(&self) -> Option<Status<G::Move>> {
        let side = self.to_move()?;
        match self.draw {
            Draw::NotOffered => None,
            Draw::Offered => Some(Status::DrawOffered(side)),
            Draw::Refused => Some(Status::DrawRefused(side.opponent())),
        }
    }

    /// Offers or refuses a draw as it was journaled, in this state before.
    ///
    /// # Errors
    /// That is not possible at this point of the match.
    pub(super) fn replay_draw(&mut self, before: Draw) -> Result<(), String> {
        if self.draw != before || !G::HAS_DRAWS {
            return Err("a draw can be neither offered nor refused here".to_owned());
        }
        self.draw = match before {
            Draw::NotOffered => Draw::Offered,
            Draw::Offered | Draw::Refused => Draw::Refused,
        };
        Ok(())
    }

    /// Checks whether a side was offered a draw.
    fn check_offered(&self, side: Color) -> Result<(), Refusal> {
        let is_offered = self.to_move() == Some(side.opponent()) && self.draw == Draw::Offered;
        if is_offered {
            Ok(())
        } else {
            Err(Refusal::Illegal("you are offered no draw".into()))
        }
    }
}
